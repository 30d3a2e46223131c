/*
 * callgrind.c - the format of Callgrind, Cachegrind, KCachegrind and the
 * profilers that write for it.
 *
 * Source: "Callgrind Format Specification", version 1, in Valgrind's manual
 * (and its older text in Valgrind 3.2.1). The heads of header.c, read.c and
 * write.c say where producers and readers differ from it.
 *
 * Everything in the format survives but basic blocks (positions "bb", lines
 * "bb=" and "ln=" of Valgrind's hidden options).
 */
#include "callgrind.h"

#include <string.h>

static bool
starts_line(struct cg_slice text, const char *key)
{
	struct cg_slice line;

	while (cg_take_line(&text, &line)) {
		if (cg_starts(line, key))
			return true;
	}
	return false;
}

static bool
has_line_of(struct cg_slice text, const char *const *keys)
{
	for (; *keys; keys++) {
		if (starts_line(text, *keys))
			return true;
	}
	return false;
}

/*
 * True if the first line after the line "events:" begins with a digit. Empty
 * lines between them do not count. Such a line has costs, but no line before
 * it names their function.
 */
static bool
has_bare_costs(struct cg_slice text)
{
	struct cg_slice line;
	bool events = false;

	while (cg_take_line(&text, &line)) {
		if (events && line.len > 0)
			return *line.ptr >= '0' && *line.ptr <= '9';
		events |= cg_starts(line, "events:");
	}
	return false;
}

/*
 * Returns the score (CG_PROBE_*) of a text that has an "events:" line, as
 * other formats may have, too. A key such as "fn=" or "summary:" gives nearly
 * CG_PROBE_SURE. Another header line or bare costs give CG_PROBE_LIKELY.
 * Otherwise the score is CG_PROBE_NO.
 */
static int
rate_events(struct cg_slice text)
{
	static const char *const body[] = {
		"fn=", "fl=", "ob=", "summary:", NULL
	};
	static const char *const header[] = {
		"version:", "creator:", "cmd:", "pid:", "positions:", NULL
	};

	if (has_line_of(text, body))
		return CG_PROBE_SURE - 10;
	return has_line_of(text, header) || has_bare_costs(text)
		   ? CG_PROBE_LIKELY
		   : CG_PROBE_NO;
}

/*
 * True if the text begins with "key:" or "key=". The key is any word of
 * lower-case letters. Empty lines and comments before it are skipped.
 */
static bool
begins_with_key(struct cg_slice text)
{
	struct cg_slice line = { "", 0 };
	size_t len = 0;

	while (
	    (line.len == 0 || *line.ptr == '#') && cg_take_line(&text, &line))
		line = cg_trim(line);
	while (len < line.len && line.ptr[len] >= 'a' && line.ptr[len] <= 'z')
		len++;
	return len > 0 && len < line.len &&
	       (line.ptr[len] == ':' || line.ptr[len] == '=');
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice first = head->first, text = head->text;

	(void)cg_take_prefix(&first, "\xef\xbb\xbf");
	if (cg_starts(first, "# callgrind format"))
		return CG_PROBE_SURE;
	(void)cg_take_prefix(&text, "\xef\xbb\xbf");
	if (!begins_with_key(text))
		return CG_PROBE_NO;
	if (!starts_line(head->text, "events:"))
		return starts_line(head->text, "fn=") &&
			       starts_line(head->text, "fl=")
			   ? CG_PROBE_WEAK
			   : CG_PROBE_NO;
	return rate_events(head->text);
}

/*
 * True if "path" is NAME, and "other" is NAME-01, NAME-02 or the like. With
 * --separate-threads, Callgrind writes the costs of each thread to such a
 * file, and leaves NAME itself empty.
 */
static bool
is_split(const char *path, const char *other)
{
	size_t len = strlen(path);

	return strncmp(other, path, len) == 0 && other[len] == '-' &&
	       other[len + 1] >= '0' && other[len + 1] <= '9';
}

static const struct cg_option options[] = {
	{ .name = "dump-instr",
	    .type = CG_FLAG,
	    .writing = true,
	    .help = "write addresses (default: if they are of instructions)" },
	{ .name = "compress-strings",
	    .type = CG_FLAG,
	    .fallback = "yes",
	    .writing = true,
	    .help = "write a name once, then its number" },
	{ .name = "compress-pos",
	    .type = CG_FLAG,
	    .fallback = "yes",
	    .writing = true,
	    .help = "write positions relative to the previous one" },
	{ .name = "spontaneous",
	    .type = CG_FLAG,
	    .fallback = "yes",
	    .writing = true,
	    .help = "add <spontaneous> if KCachegrind would miss a cycle" },
	{ .name = "separate-recs",
	    .type = CG_NUMBER,
	    .fallback = "2",
	    .arg = "N",
	    .writing = true,
	    .help = "make N levels of recursion functions: f, f'2, ..." },
	{ .name = NULL },
};

const struct cg_module cg_format_callgrind = {
	CG_MODULE,
	.name = "callgrind",
	.title = "Callgrind, Cachegrind; what KCachegrind opens",
	.text = true,
	.naming = "callgrind.out.{stem}",
	.suffixes = "callgrind;cg;cachegrind;kcg",
	/* Readers take the lowest line of a function's rows as its first. */
	.carries = CG_SELF | CG_LINES | CG_INSTRS | CG_CALLS | CG_INCL |
		   CG_JUMPS | CG_PARTS | CG_EVENTS | CG_ZEROS | CG_FILES |
		   CG_OBJECTS | CG_DEFINITIONS | CG_SAMPLES | CG_FORMULAS |
		   CG_DESCRIPTIONS,
	.needs = CG_INCL,
	.options = options,
	.probe = probe,
	.read = callgrind_read,
	.write = callgrind_write,
	.is_split = is_split,
	.levels_option = "separate-recs",
	.viewers = "kcachegrind;qcachegrind",
};
