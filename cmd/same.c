/*
 * same.c - what is the same in two profiles: events, functions, files.
 *
 * A format may know no objects or no files, or few. What only one of two
 * profiles knows does not tell functions apart.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* ---- Events -------------------------------------------------------------- */

/*
 * A profile of one event may call it otherwise: then it is the one of the
 * same sum, or the first.
 */
static size_t
guess_event(const struct side *one, const struct side *other)
{
	size_t count = cg_event_count(other->graph), found = 0;
	uint64_t *sum = calloc(count + 1, sizeof(*sum));
	uint64_t only;

	if (sum != NULL && sum_parts(one->graph, &only) &&
	    sum_parts(other->graph, sum)) {
		while (found < count && sum[found] != only)
			found++;
		found = found < count ? found : 0;
	}
	free(sum);
	return found;
}

bool
match_events(struct verify *v)
{
	const struct cg_graph *a = v->side[0].graph, *b = v->side[1].graph;
	size_t count = cg_event_count(a);

	v->event = calloc(count + 1, sizeof(*v->event));
	if (v->event == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t found = cg_find_event(b, cg_get_event(a, i)->name);

		if (found < cg_event_count(b))
			v->event[v->events++] = (struct common){ { i, found } };
	}
	if (v->events > 0 || count == 0 || cg_event_count(b) == 0)
		return true;
	if (count == 1)
		v->event[v->events++].column[1] =
		    guess_event(&v->side[0], &v->side[1]);
	else if (cg_event_count(b) == 1)
		v->event[v->events++].column[0] =
		    guess_event(&v->side[1], &v->side[0]);
	return true;
}

/* ---- Files --------------------------------------------------------------- */

struct path {
	struct cg_slice text;
	uint32_t side;
	cg_file file;
};

static int
compare_paths(const void *pa, const void *pb)
{
	const struct path *a = pa, *b = pb;

	return cg_compare(a->text, b->text);
}

/* Numbers the paths of both; without paths in one of them, all are 0. */
static bool
match_files(struct verify *v)
{
	size_t count = 0, n[2];
	struct path *path;
	uint32_t number = 0;

	for (int s = 0; s < 2; s++) {
		n[s] = cg_file_count(v->side[s].graph);
		v->file[s] = calloc(n[s] + 1, sizeof(*v->file[s]));
	}
	path = calloc(n[0] + n[1] + 1, sizeof(*path));
	if (path == NULL || v->file[0] == NULL || v->file[1] == NULL) {
		free(path);
		return false;
	}
	for (uint32_t s = 0; n[0] > 0 && n[1] > 0 && s < 2; s++)
		for (cg_file file = 1; file <= n[s]; file++)
			path[count++] =
			    (struct path){ cg_file_path(v->side[s].graph, file),
				    s, file };
	qsort(path, count, sizeof(*path), compare_paths);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_paths(&path[i - 1], &path[i]) != 0)
			number++;
		v->file[path[i].side][path[i].file] = number;
	}
	free(path);
	return true;
}

/* ---- Functions ----------------------------------------------------------- */

static int
compare_same(const void *pa, const void *pb)
{
	const struct same *a = pa, *b = pb;
	int order = cg_compare(a->name, b->name);

	if (order == 0)
		order = cg_compare(a->file, b->file);
	return order != 0 ? order : cg_compare(a->object, b->object);
}

static int
compare_sides(const void *pa, const void *pb)
{
	const struct same *a = pa, *b = pb;
	int order = compare_same(a, b);

	if (order != 0)
		return order;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	return (a->fn > b->fn) - (a->fn < b->fn);
}

/*
 * Where objects do not count, a function without a name is called after its
 * object, as folded stacks call it: "[libc.so.6]". *to: where there is room.
 */
static struct cg_slice
called_so(const struct cg_graph *graph, cg_fn fn, char **to)
{
	struct cg_slice name = cg_fn_name(graph, fn);
	struct cg_slice object =
	    cg_base_name(cg_object_path(graph, cg_fn_object(graph, fn)));
	char *text = *to;

	if ((name.len > 0 && !cg_equal(name, "[unknown]")) || object.len == 0 ||
	    *object.ptr == '[')
		return name;
	*text = '[';
	memcpy(text + 1, object.ptr, object.len);
	text[object.len + 1] = ']';
	*to += object.len + 2;
	return (struct cg_slice){ text, object.len + 2 };
}

/* Room for the names that objects give; false: out of memory. */
static bool
make_room(struct verify *v, int s)
{
	const struct cg_graph *graph = v->side[s].graph;
	size_t room = 1;

	for (cg_fn fn = 1; fn <= cg_fn_count(graph); fn++) {
		struct cg_slice name = cg_fn_name(graph, fn);

		if (name.len == 0 || cg_equal(name, "[unknown]"))
			room +=
			    cg_object_path(graph, cg_fn_object(graph, fn)).len +
			    2;
	}
	v->names[s] = malloc(room);
	return v->names[s] != NULL;
}

static void
list_side(struct verify *v, uint32_t s, bool files, bool objects)
{
	char *to = v->names[s];
	const struct cg_graph *graph = v->side[s].graph;
	const struct cg_slice none = { "", 0 };

	/* Also those without rows: they may be called. */
	for (cg_fn fn = 0; fn <= cg_fn_count(graph); fn++)
		v->same[v->sames++] = (struct same){
			.name = objects ? cg_fn_name(graph, fn)
					: called_so(graph, fn, &to),
			.file = files
				    ? cg_file_path(graph, cg_fn_file(graph, fn))
				    : none,
			.object = objects ? cg_object_path(
						graph, cg_fn_object(graph, fn))
					  : none,
			.side = s,
			.fn = fn,
		};
}

/* Do most functions of both have a file, or an object? */
static bool
most_have(
    const struct verify *v, uint32_t (*get)(const struct cg_graph *, cg_fn))
{
	for (int s = 0; s < 2; s++) {
		const struct cg_graph *graph = v->side[s].graph;
		size_t count = cg_fn_count(graph), have = 0;

		for (cg_fn fn = 1; fn <= count; fn++)
			have += get(graph, fn) != 0;
		if (2 * have <= count)
			return false;
	}
	return true;
}

bool
match_functions(struct verify *v)
{
	const struct cg_graph *a = v->side[0].graph, *b = v->side[1].graph;
	size_t most = cg_fn_count(a) + cg_fn_count(b) + 2;
	bool files = most_have(v, cg_fn_file);
	bool objects = most_have(v, cg_fn_object);

	v->same = calloc(most, sizeof(*v->same));
	v->first = calloc(most + 1, sizeof(*v->first));
	v->group[0] = calloc(cg_fn_count(a) + 1, sizeof(*v->group[0]));
	v->group[1] = calloc(cg_fn_count(b) + 1, sizeof(*v->group[1]));
	if (v->same == NULL || v->first == NULL || v->group[0] == NULL ||
	    v->group[1] == NULL || !match_files(v) || !make_room(v, 0) ||
	    !make_room(v, 1))
		return false;
	list_side(v, 0, files, objects);
	list_side(v, 1, files, objects);
	qsort(v->same, v->sames, sizeof(*v->same), compare_sides);
	for (size_t i = 0; i < v->sames; i++) {
		const struct same *same = &v->same[i];

		if (i == 0 || compare_same(same - 1, same) != 0)
			v->first[v->groups++] = i;
		v->group[same->side][same->fn] = (uint32_t)v->groups;
	}
	v->first[v->groups] = v->sames;
	return true;
}
