/*
 * columns.c - what the counts of folded stacks are of.
 */
#include <string.h>

#include "folded.h"

static bool
take_type(struct cg_slice *word, struct cg_slice *unit)
{
	const char *slash = memchr(word->ptr, '/', word->len);

	if (!slash || slash == word->ptr)
		return false;
	*unit = (struct cg_slice){ slash + 1,
		(size_t)(word->ptr + word->len - slash - 1) };
	word->len = (size_t)(slash - word->ptr);
	return unit->len > 0 && !memchr(unit->ptr, '/', unit->len);
}

size_t
folded_get_header(struct cg_slice line, struct cg_slice name[FOLDED_COLUMNS],
    struct cg_slice unit[FOLDED_COLUMNS])
{
	struct cg_slice rest = folded_trim_line(line);
	size_t n = 0;

	for (; rest.len > 0; n++) {
		if (n == FOLDED_COLUMNS || !cg_take_word(&rest, &name[n]) ||
		    !take_type(&name[n], &unit[n]))
			return 0;
		(void)cg_take_blanks(&rest);
	}
	return n;
}

static const char *
keep_name(struct cg_build *build, struct cg_slice text)
{
	return cg_get_name(build, cg_add_name(build, text)).ptr;
}

/* How many events the line names, 0: it is no such line. */
static size_t
take_header(struct cg_build *build, struct cg_slice line,
    struct cg_event event[FOLDED_COLUMNS])
{
	struct cg_slice name[FOLDED_COLUMNS], unit[FOLDED_COLUMNS];
	size_t n = folded_get_header(line, name, unit);

	for (size_t i = 0; i < n; i++) {
		if (cg_equal(unit[i], "count"))
			unit[i].len = 0;
		event[i] = (struct cg_event){
			.name = keep_name(build, name[i]),
			.unit = keep_name(build, unit[i]),
		};
	}
	return n;
}

static bool
has_two_counts(struct cg_slice line)
{
	struct folded_count count;

	return folded_take_count(&line, &count) &&
	       folded_take_count(&line, &count) && line.len > 0;
}

/* "Thread 7 12" is none of difffolded.pl's, but then other lines tell. */
static bool
all_have_two(struct cg_slice block)
{
	struct cg_slice line;
	bool any = false;

	while (cg_take_line(&block, &line)) {
		line = folded_trim_line(line);
		if (line.len == 0 || cg_starts(line, "# "))
			continue;
		if (!has_two_counts(line))
			return false;
		any = true;
	}
	return any;
}

/* What a first line names; what the option says; else what lines have. */
int
folded_find_columns(struct cg_job *job, struct cg_build *build,
    struct cg_slice *block, struct cg_event event[FOLDED_COLUMNS],
    size_t *columns)
{
	const char *option = cg_opt(job, "counts");
	struct cg_slice rest = *block, line;
	size_t named = 0;

	if (option && strcmp(option, "1") != 0 && strcmp(option, "2") != 0)
		return cg_usage(job, "--counts is 1 or 2");
	if (!option && cg_take_line(&rest, &line))
		named = take_header(build, line, event);
	if (named > 0) {
		*block = rest;
		*columns = named;
	} else if (option ? *option == '2' : all_have_two(*block)) {
		event[0].name = "before";
		event[1].name = "after";
		*columns = 2;
	}
	return CG_OK;
}
