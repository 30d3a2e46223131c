/*
 * sleepy.c - sleepy: profiles of Very Sleepy (.sleepy), a zip archive with
 *
 *	Symbols.txt     0x401000 "app" "main" "C:\\a.cpp" 12: for each address,
 *	                its module, function, source file and line; '\' precedes
 *	                special characters in quotes
 *	Callstacks.txt  " 0x401010 0x401000", the innermost address first, then
 *	                " 12 0.5 13 0.25": threads, and seconds of each there
 *	Threads.txt     12, then the name of that thread, or an empty line
 *	Stats.txt       "Filename: C:\app.exe", "Duration: 1.5", ...
 *
 * Stacks, lines, threads and their names survive. Addresses are those of the
 * process, whose modules have unknown places, and are lost; so is a minidump.
 *
 * Source: Very Sleepy 0.92's profilerthread.cpp and database.cpp. Before 0.91
 * stacks were lines that began with their count.
 */
#include <string.h>

#include "tables.h"

#define NS_OF_SECOND 9 /* digits */
#define ZIP "PK\3\4"
#define ZIP_NAME 30 /* offset of the first member's name */
#define STATS "Stats.txt"

struct symbol {
	cg_fn fn;
	struct cg_pos pos;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	const char *path; /* of the archive */
	CG_ARRAY(struct symbol) symbol;
	struct cg_map symbols;    /* address -> index + 1 */
	struct cg_map threads;    /* id -> name */
	CG_ARRAY(uint32_t) stack; /* indexes of symbols, the innermost first */
	CG_ARRAY(char) text;
	uint64_t stacks;
};

/* ---- Words --------------------------------------------------------------- */

/*
 * Takes an address, "0x1f", and the blanks before it off the line. False:
 * malformed (not reported).
 */
static bool
take_address(struct cg_slice *line, uint64_t *address)
{
	struct cg_slice word;

	(void)cg_take_blanks(line);
	return cg_starts(*line, "0x") && cg_take_word(line, &word) &&
	       cg_get_u64(word, address);
}

/*
 * Takes a text in quotes, and blanks before it, off the line. Sets *text to a
 * copy without the backslashes of escapes. Writes the copy at *to, where there
 * must be room for it, and moves *to to its end. False: malformed (not
 * reported).
 */
static bool
take_quoted(struct cg_slice *line, char **to, struct cg_slice *text)
{
	char c;

	(void)cg_take_blanks(line);
	if (!cg_take_char(line, '"'))
		return false;
	text->ptr = *to;
	while (line->len > 0) {
		c = *line->ptr++;
		line->len--;
		if (c == '"') {
			text->len = (size_t)(*to - text->ptr);
			return true;
		}
		if (c == '\\' && line->len > 0) {
			c = *line->ptr++;
			line->len--;
		}
		*(*to)++ = c;
	}
	return false;
}

/* ---- Members ------------------------------------------------------------- */

static bool
take_symbol(struct reader *r, struct cg_slice line)
{
	struct cg_slice module, name, file;
	struct symbol symbol = { 0 };
	uint64_t address, number = 0;
	uint32_t *at;
	char *to;

	if (!cg_reserve(r->job, &r->text, line.len + 1))
		return false;
	to = r->text.at;
	if (!take_address(&line, &address) ||
	    !take_quoted(&line, &to, &module) ||
	    !take_quoted(&line, &to, &name) || !take_quoted(&line, &to, &file))
		return cg_reject(r->job,
		    "expected an address, a module, a function and a file");
	/* '/', so that every target recognises the directories. */
	for (char *c = to - file.len; c < to; c++) {
		if (*c == '\\')
			*c = '/';
	}
	(void)cg_take_blanks(&line);
	symbol.pos.file = cg_add_file(r->build, file);
	if (cg_take_u64(&line, &number) && number <= INT32_MAX)
		symbol.pos.line = (uint32_t)number;
	symbol.fn = cg_add_fn(
	    r->build, name, symbol.pos.file, cg_add_object(r->build, module));
	if (!cg_append(r->job, &r->symbol, symbol))
		return false;
	at = cg_map_in(r->job, &r->symbols, address);
	if (!at)
		return false;
	if (*at == 0)
		*at = (uint32_t)r->symbol.n;
	return cg_build_status(r->build) == CG_OK;
}

/*
 * Reads a line with the addresses of a stack, and sets r->stack to the indices
 * of their symbols. False: an unknown address, or another error (reported).
 */
static bool
take_addresses(struct reader *r, struct cg_slice line)
{
	uint64_t address;
	uint32_t index;

	r->stack.n = 0;
	while (take_address(&line, &address)) {
		index = cg_map_get(&r->symbols, address);
		if (index == 0)
			return cg_reject(
			    r->job, "expected an address of Symbols.txt");
		if (!cg_append(r->job, &r->stack, index - 1))
			return false;
	}
	return (line.len == 0 && r->stack.n > 0) ||
	       cg_reject(r->job,
		   "expected addresses of a stack, as Very Sleepy writes them "
		   "since 0.91");
}

/*
 * Reads a line with threads and the seconds that each spent in the stack
 * r->stack. Adds the stack to the graph with these times. False: an error
 * (reported).
 */
static bool
take_times(struct reader *r, struct cg_slice line)
{
	struct cg_slice word;
	cg_node leaf = 0;
	uint64_t tid, ns;

	for (size_t i = r->stack.n; i-- > 0;) {
		const struct symbol *symbol = &r->symbol.at[r->stack.at[i]];

		leaf = cg_add_frame(
		    r->build, leaf, symbol->fn, &symbol->pos, false);
	}
	while ((void)cg_take_blanks(&line), line.len > 0) {
		if (!cg_take_word(&line, &word) || !cg_get_u64(word, &tid) ||
		    ((void)cg_take_blanks(&line), false) ||
		    !cg_take_word(&line, &word) ||
		    !table_get_number(word, NS_OF_SECOND, &ns))
			return cg_reject(
			    r->job, "expected threads with their seconds");
		cg_set_sample_part(
		    r->build, &(struct cg_sample_key){ .tid = tid,
				  .thread = cg_get_name(r->build,
				      cg_map_get(&r->threads, tid)) });
		table_add_stack(r->build, leaf, 0, &ns);
	}
	r->stacks++;
	return cg_build_status(r->build) == CG_OK;
}

/*
 * Reads a file of the archive: calls take() with each line or, unless second
 * is NULL, take() and second() in turn. Ends at an empty line for take().
 * False: no such file, or another error (reported).
 */
static bool
read_member(struct reader *r, const char *name,
    bool (*take)(struct reader *, struct cg_slice),
    bool (*second)(struct reader *, struct cg_slice))
{
	struct cg_slice line;
	struct cg_in *in;
	bool ok = true, first = true;

	if (!cg_open_companion_below(r->job, r->path, name, &in))
		return cg_reject(r->job, "expected an archive with %s", name);
	if (!in)
		return cg_reject(r->job, "expected %s in the archive", name);
	while (ok && table_line(in, &line)) {
		if (first && line.len == 0)
			break;
		ok = first ? take(r, line) : second(r, line);
		first = !second || !first;
	}
	if (ok && !first)
		ok = cg_reject(r->job, "expected a second line");
	ok = ok && cg_in_status(in) == CG_OK;
	cg_close_companion(r->job, in);
	return ok;
}

/*
 * Reads the id of a thread, and stores it in r->stack for take_thread_name(),
 * which gets the next line. False: an error (reported).
 */
static bool
take_thread(struct reader *r, struct cg_slice line)
{
	uint64_t tid;

	if (!cg_get_u64(cg_trim(line), &tid) || tid > UINT32_MAX)
		return cg_reject(r->job, "expected the id of a thread");
	r->stack.n = 0;
	return cg_append(r->job, &r->stack, (uint32_t)tid);
}

static bool
take_thread_name(struct reader *r, struct cg_slice line)
{
	uint32_t *at = cg_map_in(r->job, &r->threads, r->stack.at[0]);

	if (at)
		*at = cg_add_name(r->build, cg_trim(line));
	return at != NULL;
}

static bool
take_stat(struct reader *r, struct cg_slice line)
{
	struct cg_slice key;

	/* The others are numbers of this recording, and its date. */
	if (cg_take_until(&line, ':', &key) && cg_equal(key, "Filename"))
		cg_add_desc(r->build, key, cg_trim(line));
	return true;
}

/* ---- The format ---------------------------------------------------------- */

static int
read_sleepy(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event time = {
		.name = CG_TIME_EVENT, .long_name = "Time", .unit = "ns"
	};
	struct reader r = {
		.job = job, .build = build, .path = cg_in_name(in)
	};

	/* The library finds members of an archive by its path. */
	if (cg_companion_in_memory(job) || !cg_companion_exists(job, r.path))
		return cg_fail(job,
		    "expected a file of its own, not a pipe or a member of an "
		    "archive");
	if (cg_add_column(build, &time) &&
	    read_member(&r, STATS, take_stat, NULL) &&
	    read_member(&r, "Threads.txt", take_thread, take_thread_name) &&
	    read_member(&r, "Symbols.txt", take_symbol, NULL) &&
	    read_member(&r, "Callstacks.txt", take_addresses, take_times) &&
	    r.stacks == 0)
		cg_warn(job, "the profile has no stacks");
	return table_status(job, in, build);
}

/*
 * Detects a zip archive by the name of its first file. Returns CG_PROBE_LIKELY
 * for a file of statistics of Very Sleepy. Returns CG_PROBE_WEAK for a
 * minidump, which other programs write, too. Else returns CG_PROBE_NO.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice name = head->text;

	if (!cg_starts(name, ZIP) || name.len <= ZIP_NAME)
		return CG_PROBE_NO;
	name.ptr += ZIP_NAME;
	name.len -= ZIP_NAME;
	if (cg_starts(name, STATS))
		return CG_PROBE_LIKELY;
	return cg_starts(name, "minidump.dmp") ? CG_PROBE_WEAK : CG_PROBE_NO;
}

const struct cg_module cg_format_sleepy = {
	CG_MODULE,
	.name = "sleepy",
	.title = "profiles of Very Sleepy (.sleepy)",
	.suffixes = "sleepy",
	.probe = probe,
	.read = read_sleepy,
};
