/*
 * names.c - threads demangle the names of functions in the blocks of a tracefile
 * that the reader takes next.
 */
#include <stdlib.h>

#include "lcov.h"

/* A name that a record states first, and what it is demangled. */
struct named {
	struct cg_slice name, plain;
};

struct names {
	struct cg_demangler *demangler;
	struct named *list;
	size_t count, cap;
};

/* ---- In any thread ------------------------------------------------------- */

/* "FN:12,_Zname", "FN:12,34,_Zname" and "FNA:0,12,_Zname" */
static bool
get_name(struct cg_slice line, struct cg_slice *name)
{
	if (!cg_take_prefix(&line, "FN:") && !cg_take_prefix(&line, "FNA:"))
		return false;
	while (line.len > 0 &&
	       (*line.ptr == ',' || (*line.ptr >= '0' && *line.ptr <= '9'))) {
		line.ptr++;
		line.len--;
	}
	cg_cut_return(&line);
	*name = line;
	return true;
}

static bool
demangle(const void *arg, struct cg_text *text)
{
	struct cg_seen_names *const *seen = arg;
	struct names *names = text->own;
	struct cg_slice rest = text->text, line;
	struct named named;

	if (!cg_demangler_begin(&names->demangler))
		return false;
	names->count = 0;
	while (cg_take_line(&rest, &line)) {
		if (!get_name(line, &named.name))
			continue;
		named.plain =
		    cg_demangle_once(*seen, names->demangler, named.name);
		if (!named.plain.ptr)
			continue;
		if (!cg_grow_raw(&names->list, &names->cap, names->count + 1,
			sizeof(named)))
			return false;
		names->list[names->count++] = named;
	}
	return true;
}

static void
close_names(void *own)
{
	struct names *names = own;

	cg_demangler_free(names->demangler);
	free(names->list);
}

/* ---- In the reader's thread ---------------------------------------------- */

static void
add_names(struct cg_build *build, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		(void)cg_add_demangled_as(build,
		    cg_add_name(build, names->list[i].name),
		    names->list[i].plain);
}

static void
read_named(struct cg_texts *texts, struct cg_build *build, lcov_read_fn *read,
    void *arg)
{
	struct cg_text *text;

	while (cg_next_text(texts, &text)) {
		add_names(build, text->own);
		if (!read(arg, text->text))
			break;
	}
}

void
lcov_read_blocks(struct cg_job *job, struct cg_in *in, struct cg_build *build,
    lcov_read_fn *read, void *arg)
{
	const bool threads = cg_texts_threads(job, in) > 1;
	struct cg_seen_names *seen = threads ? cg_seen_names_new(build) : NULL;
	const struct cg_texts_how how = { .job = job,
		.in = in,
		.own = sizeof(struct names),
		.arg = &seen,
		.parse = demangle,
		.close = close_names };
	struct cg_texts *texts = seen ? cg_texts_new(&how) : NULL;
	struct cg_slice block;

	if (texts)
		read_named(texts, build, read, arg);
	else
		while (cg_read_block(in, &block) && read(arg, block))
			continue;
	cg_texts_free(texts);
	cg_seen_names_free(seen);
}
