/*
 * filters.c - the options of filters by function, and the functions that they
 * match.
 *
 * Names and meanings are those of pprof (profile/filter.go, profile/prune.go
 * of google/pprof); expressions are POSIX extended ones, which may match
 * anywhere in the text.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/filters.h"

#define BIT(kind) (1u << (kind))

/* Texts of a function that an expression is compared with. */
enum { BY_NAME = 1, BY_FILE = 2, BY_OBJECT = 4 };

static const struct {
	const char *name; /* of the option */
	unsigned texts;
	bool stacks; /* with calls alone it would be an estimate */
} kinds[CG_FILTER_KINDS] = {
	[CG_FOCUS] = { "focus", BY_NAME | BY_FILE | BY_OBJECT, true },
	[CG_IGNORE] = { "ignore", BY_NAME | BY_FILE | BY_OBJECT, true },
	[CG_HIDE] = { "hide", BY_NAME | BY_FILE | BY_OBJECT, true },
	[CG_SHOW] = { "show", BY_NAME | BY_FILE | BY_OBJECT, true },
	[CG_SHOW_FROM] = { "show-from", BY_NAME | BY_FILE | BY_OBJECT, true },
	[CG_PRUNE_FROM] = { "prune-from", BY_NAME, true },
	[CG_ONLY_OBJECT] = { "only-object", BY_OBJECT, true },
	[CG_COLLAPSE_OBJECT] = { "collapse-object", BY_OBJECT, false },
};

static const char *const granularities[CG_GRANULARITIES] = {
	[CG_AS_IT_IS] = "",
	[CG_PER_FUNCTION] = "function",
	[CG_PER_FILE] = "file",
	[CG_PER_OBJECT] = "object",
	[CG_PER_LINE] = "line",
	[CG_PER_CLASS] = "class",
};

void
cg_filters_free(struct cg_filters *filters)
{
	for (size_t i = 0; filters && i < CG_FILTER_KINDS; i++)
		if (filters->given[i])
			regfree(&filters->re[i]);
	free(filters);
}

/* ---- Options ------------------------------------------------------------- */

static enum cg_filter_error
set_expression(struct cg_filters *filters, size_t kind, const char *text,
    char *why, size_t size)
{
	int error;

	if (filters->given[kind])
		return CG_FILTER_TWICE;
	error = regcomp(&filters->re[kind], text, REG_EXTENDED | REG_NOSUB);
	filters->given[kind] = error == 0;
	if (error == 0)
		return CG_FILTER_OK;
	(void)regerror(error, &filters->re[kind], why, size);
	return error == REG_ESPACE ? CG_FILTER_NOMEM : CG_FILTER_BAD;
}

enum cg_filter_error
cg_filters_set(struct cg_filters *filters, const char *name, const char *value,
    char *why, size_t size)
{
	if (strcmp(name, "trim-recursion") == 0) {
		filters->trim = true;
		return CG_FILTER_OK;
	}
	if (strcmp(name, "granularity") == 0) {
		for (int i = 1; i < CG_GRANULARITIES; i++)
			if (strcmp(value, granularities[i]) == 0) {
				filters->granularity = (enum cg_granularity)i;
				return CG_FILTER_OK;
			}
		return CG_FILTER_CHOICE;
	}
	for (size_t i = 0; i < CG_FILTER_KINDS; i++)
		if (strcmp(name, kinds[i].name) == 0)
			return set_expression(filters, i, value, why, size);
	return CG_FILTER_NONE;
}

bool
cg_filters_any(const struct cg_filters *filters)
{
	bool any = filters && (filters->trim || filters->granularity != 0);

	for (size_t i = 0; filters && i < CG_FILTER_KINDS; i++)
		any = any || filters->given[i];
	return any;
}

const char *
cg_filters_stacked(const struct cg_filters *filters)
{
	for (size_t i = 0; i < CG_FILTER_KINDS; i++)
		if (filters->given[i] && kinds[i].stacks)
			return kinds[i].name;
	return filters->granularity == CG_PER_LINE ? "granularity=line" : NULL;
}

const char *
cg_filters_strict(const struct cg_filters *filters)
{
	const unsigned visible =
	    BIT(CG_HIDE) | BIT(CG_SHOW) | BIT(CG_ONLY_OBJECT);

	for (size_t i = 0; i < CG_FILTER_KINDS; i++)
		if (filters->given[i] && kinds[i].stacks && !(visible & BIT(i)))
			return kinds[i].name;
	return filters->granularity == CG_PER_LINE ? "granularity=line" : NULL;
}

/* ---- Functions ----------------------------------------------------------- */

bool
cg_filters_show(const struct cg_filters *filters, unsigned matched)
{
	return !(matched & BIT(CG_HIDE)) &&
	       (!filters->given[CG_SHOW] || (matched & BIT(CG_SHOW))) &&
	       (!filters->given[CG_ONLY_OBJECT] ||
		   (matched & BIT(CG_ONLY_OBJECT)));
}

unsigned
cg_filters_match(
    const struct cg_filters *filters, const struct cg_graph *graph, cg_fn fn)
{
	const struct {
		unsigned by;
		struct cg_slice text;
	} texts[] = {
		{ BY_NAME, cg_fn_name(graph, fn) },
		{ BY_FILE, cg_file_path(graph, cg_fn_file(graph, fn)) },
		{ BY_OBJECT, cg_object_path(graph, cg_fn_object(graph, fn)) },
	};
	unsigned matched = 0;

	for (size_t kind = 0; kind < CG_FILTER_KINDS; kind++) {
		bool found = false;

		for (size_t i = 0; filters->given[kind] && !found &&
				   i < sizeof(texts) / sizeof(*texts);
		     i++)
			found = (kinds[kind].texts & texts[i].by) &&
				texts[i].text.len > 0 &&
				regexec(&filters->re[kind], texts[i].text.ptr,
				    0, NULL, 0) == 0;
		if (found)
			matched |= BIT(kind);
	}
	return matched;
}

/* ---- Classes ------------------------------------------------------------- */

/*
 * Returns the nesting depth of brackets after character c of a function's
 * name; depth is the nesting before c. A closing bracket that was not opened
 * is ignored.
 */
static int
nest(int depth, char c)
{
	if (c == '(' || c == '<' || c == '[' || c == '{')
		return depth + 1;
	if ((c == ')' || c == '>' || c == ']' || c == '}') && depth > 0)
		return depth - 1;
	return depth;
}

struct cg_slice
cg_class_of(struct cg_slice name)
{
	size_t colons = 0, dot = 0;
	int depth = 0;

	cg_cut_clone(&name);
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool outside = depth == 0 && i > 0;

		/* Stop at parameters; "(anonymous namespace)::f" is not one. */
		if (outside && c == '(' && name.ptr[i - 1] != ':' &&
		    name.ptr[i - 1] != '.')
			break;
		if (outside && c == ':' && name.ptr[i - 1] == ':')
			colons = i - 1;
		if (outside && (c == '.' || c == '#'))
			dot = i;
		if (c == 'o' &&
		    cg_starts((struct cg_slice){ name.ptr + i, name.len - i },
			"operator"))
			break;
		depth = nest(depth, c);
	}
	name.len = colons > 0 ? colons : dot;
	return name;
}
