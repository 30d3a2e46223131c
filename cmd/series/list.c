/*
 * list.c - the inputs of --series that files list: --files-from, and the
 * manifest of a batch. They join the others before the sandbox is entered.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"

/* A line of a manifest: later lines replace earlier ones of the same input. */
struct listed {
	char *input;
	size_t number;
	bool is_run; /* a profile, even one that failed */
};

struct list {
	struct args *args;
	CG_ARRAY(struct listed) input;
	size_t lines; /* of the manifest */
};

static bool
add_input(struct list *list, struct cg_slice text, bool is_run)
{
	char *copy = copy_text(list->args->job, text);

	return copy != NULL &&
	       cg_append(list->args->job, &list->input,
		   (struct listed){ copy, list->input.n, is_run });
}

static int
add_name(void *arg, const char *name)
{
	struct list *list = arg;

	return add_input(list, cg_slice(name), true)
		   ? CG_OK
		   : cg_nomem(list->args->job);
}

/*
 * Adds the input, if any, of a line of a manifest, a JSON object. Ignores a
 * last line that is no JSON, as a crash cut it off; any other, or a single
 * one, is an error. Returns the status.
 */
static int
add_line(void *arg, char *line, size_t n)
{
	struct list *list = arg;
	struct json_object *json = parse_json((struct cg_slice){ line, n });
	struct json_object *input, *status;
	const char *state;
	bool ok = true, named;

	if (json == NULL && line[n - 1] != '\n' && list->lines > 0)
		return CG_OK;
	list->lines++;
	if (json == NULL)
		return cg_fail(list->args->job, "%s: expected a manifest",
		    list->args->manifest);
	named = json_object_object_get_ex(json, "input", &input) &&
		json_object_is_type(input, json_type_string) &&
		json_object_object_get_ex(json, "status", &status) &&
		json_object_is_type(status, json_type_string);
	if (named) {
		state = json_object_get_string(status);
		ok = add_input(list, cg_slice(json_object_get_string(input)),
		    strcmp(state, "done") == 0 || strcmp(state, "kept") == 0 ||
			strcmp(state, "failed") == 0);
	}
	json_object_put(json);
	return ok ? CG_OK : cg_nomem(list->args->job);
}

static int
compare_inputs(const void *pa, const void *pb)
{
	const struct listed *a = pa, *b = pb;
	int order = strcmp(a->input, b->input);

	return order != 0 ? order
			  : (a->number > b->number) - (a->number < b->number);
}

static int
compare_numbers(const void *pa, const void *pb)
{
	const struct listed *a = pa, *b = pb;

	return (a->number > b->number) - (a->number < b->number);
}

/*
 * Joins entries from index "from" on that are of the same input into one. It
 * has the place in the order of the first of them. It is a run if any of them
 * is one.
 */
static void
join_lines(struct list *list, size_t from)
{
	size_t n = list->input.n - from, kept = 0;
	struct listed *at;

	if (n == 0)
		return;
	at = list->input.at + from;
	qsort(at, n, sizeof(*at), compare_inputs);
	for (size_t i = 0; i < n; i++) {
		if (kept > 0 && strcmp(at[kept - 1].input, at[i].input) == 0)
			at[kept - 1].is_run |= at[i].is_run;
		else
			at[kept++] = at[i];
	}
	qsort(at, kept, sizeof(*at), compare_numbers);
	list->input.n = from + kept;
}

/*
 * Makes the listed inputs that are runs the inputs of the command, without a
 * copy of their names. False: out of memory; the inputs are unchanged.
 */
static bool
replace_inputs(struct list *list)
{
	struct args *args = list->args;
	char **all = cg_alloc(args->job, (list->input.n + 1) * sizeof(*all));

	if (all == NULL)
		return false;
	args->input = all;
	args->inputs = 0;
	for (size_t i = 0; i < list->input.n; i++) {
		if (list->input.at[i].is_run)
			all[args->inputs++] = list->input.at[i].input;
	}
	return true;
}

int
list_runs(struct args *args)
{
	struct list list = { .args = args };
	size_t given;
	bool ok = true;
	int status = CG_OK;

	if (args->list == NULL && args->manifest == NULL)
		return CG_OK;
	for (size_t i = 0; ok && i < args->inputs; i++)
		ok = add_input(&list, cg_slice(args->input[i]), true);
	if (!ok)
		return cg_nomem(args->job);
	if (args->list != NULL)
		status = visit_names(args, add_name, &list);
	given = list.input.n;
	if (status == CG_OK && args->manifest != NULL)
		status =
		    visit_lines(args, args->manifest, '\n', add_line, &list);
	join_lines(&list, given);
	if (status == CG_OK && !replace_inputs(&list))
		status = cg_nomem(args->job);
	return status;
}
