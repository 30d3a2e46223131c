/*
 * match.c - matches events, files, functions and labels of two profiles.
 *
 * A format may have no objects or files, or only some. An attribute that only
 * one of the profiles has is ignored when functions are matched.
 */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* The placeholder of perf and folded stacks for a function without a name. */
#define UNKNOWN "[unknown]"

/* ---- Events ------------------------------------------------------------- */

/*
 * Returns the index of the event of `other` that probably is the only event of
 * `one`: by name and total, else by total, else by name, else the main event.
 * `other` must have an event.
 */
static size_t
guess_event(const struct profile *one, const struct profile *other)
{
	size_t count = cg_event_count(other->graph), found = count;
	size_t named =
	    cg_find_event(other->graph, cg_get_event(one->graph, 0)->name);
	uint64_t *sum = cg_alloc(one->job, count * sizeof(*sum));
	uint64_t only = 0;

	if (sum != NULL && sum_parts(one->graph, &only) &&
	    sum_parts(other->graph, sum)) {
		found = named < count && sum[named] == only ? named : 0;
		/* Formats with one event may rename it. */
		while (found < count && sum[found] != only)
			found++;
	}
	if (found == count)
		found = named;
	return found < count ? found : cg_main_event(other->graph);
}

bool
match_events(struct verify *v)
{
	const struct cg_graph *a = v->profile[0].graph,
			      *b = v->profile[1].graph;
	size_t count = cg_event_count(a), others = cg_event_count(b);

	v->event = cg_alloc(v->args->job, count * sizeof(*v->event));
	if (v->event == NULL)
		return false;
	if (count == 1 && others > 0)
		v->event[v->events++].column[1] =
		    guess_event(&v->profile[0], &v->profile[1]);
	else if (others == 1 && count > 0)
		v->event[v->events++].column[0] =
		    guess_event(&v->profile[1], &v->profile[0]);
	for (size_t i = 0; i < count && count > 1 && others > 1; i++) {
		size_t found = cg_find_event(b, cg_get_event(a, i)->name);

		if (found < others)
			v->event[v->events++] =
			    (struct common){ .column = { i, found } };
	}
	return true;
}

/* ---- Files -------------------------------------------------------------- */

struct path {
	struct cg_slice text;
	uint32_t profile;
	cg_file file;
};

/*
 * Compares paths for qsort() from their ends, so that a path is followed by
 * the longer paths that end with it.
 */
static int
compare_paths(const void *pa, const void *pb)
{
	const struct path *a = pa, *b = pb;
	size_t i = a->text.len, j = b->text.len;

	while (i > 0 && j > 0) {
		unsigned char c = (unsigned char)a->text.ptr[--i];
		unsigned char d = (unsigned char)b->text.ptr[--j];

		if (c != d)
			return c == '/' ? -1 : d == '/' ? 1 : c < d ? -1 : 1;
	}
	return (i > j) - (i < j);
}

/*
 * Returns true if "tail" is the last components of "path", but not all of
 * them. For example, "src/a.c" is the tail of "/home/me/src/a.c". False for a
 * tail that is empty or absolute.
 */
static bool
is_path_suffix(const struct path *tail, const struct path *path)
{
	size_t more = path->text.len - tail->text.len;

	return tail->text.len > 0 && path->text.len > tail->text.len &&
	       path->text.ptr[more - 1] == '/' && *tail->text.ptr != '/' &&
	       memcmp(path->text.ptr + more, tail->text.ptr, tail->text.len) ==
		   0;
}

/*
 * Returns how many paths at the start of a sorted array of `count` are equal
 * to the first one, itself included: at least 1.
 */
static size_t
count_same(const struct path *path, size_t count)
{
	size_t same = 1;

	while (same < count && compare_paths(path, path + same) == 0)
		same++;
	return same;
}

/*
 * Returns true if the first of the sorted paths names the same file as the
 * second: it is the end of that path of the other profile, but not of the
 * third. count: number of paths, at least 2.
 */
static bool
is_suffix_of_next(const struct path *path, size_t count)
{
	return path[1].profile != path->profile &&
	       is_path_suffix(path, path + 1) &&
	       (count == 2 || !is_path_suffix(path, path + 2));
}

/*
 * Numbers the files of both profiles from 1 in v->file[]. Equal paths get the
 * same number. So do "src/a.c" and "/home/src/a.c" of the other profile,
 * unless a third path ends with "src/a.c". All get 0 if a profile has no
 * files. False: out of memory.
 */
static bool
match_files(struct verify *v)
{
	size_t count = 0, n[2];
	struct path *path;
	uint32_t number = 0;

	for (int s = 0; s < 2; s++) {
		n[s] = cg_file_count(v->profile[s].graph);
		v->file[s] =
		    cg_alloc(v->args->job, (n[s] + 1) * sizeof(*v->file[s]));
	}
	path = cg_alloc(v->args->job, (n[0] + n[1]) * sizeof(*path));
	if (path == NULL || v->file[0] == NULL || v->file[1] == NULL)
		return false;
	for (uint32_t s = 0; n[0] > 0 && n[1] > 0 && s < 2; s++)
		for (cg_file file = 1; file <= n[s]; file++)
			path[count++] = (struct path){
				cg_file_path(v->profile[s].graph, file), s, file
			};
	qsort(path, count, sizeof(*path), compare_paths);
	for (size_t i = 0, same, before = 0; i < count;
	     i += same, before = same) {
		same = count_same(path + i, count - i);
		if (before != 1 || same != 1 ||
		    !is_suffix_of_next(path + i - 1, count - i + 1))
			number++;
		for (size_t k = i; k < i + same; k++)
			v->file[path[k].profile][path[k].file] = number;
	}
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

static int
compare_matched(const void *pa, const void *pb)
{
	const struct matched_fn *a = pa, *b = pb;
	int order = cg_compare(a->name, b->name);

	return order != 0 ? order : cg_compare(a->object, b->object);
}

/*
 * Returns true if the function `same` matches the first one of a group: by
 * name, object and file. If the first has a name, but no file, `same` may have
 * any file.
 */
static bool
belongs_to_group(const struct matched_fn *first, const struct matched_fn *same)
{
	return compare_matched(first, same) == 0 &&
	       ((first->path == 0 && first->name.len > 0) ||
		   first->path == same->path);
}

static int
compare_sides(const void *pa, const void *pb)
{
	const struct matched_fn *a = pa, *b = pb;
	int order = compare_matched(a, b);

	if (order != 0)
		return order;
	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	if (a->profile != b->profile)
		return a->profile < b->profile ? -1 : 1;
	return (a->fn > b->fn) - (a->fn < b->fn);
}

static bool
is_symbol_of(struct cg_slice symbol, struct cg_slice name)
{
	if (memchr(symbol.ptr, ' ', symbol.len))
		return false;
	return cg_starts(symbol, "_") ||
	       (symbol.len > name.len && symbol.ptr[name.len] == '(' &&
		   memcmp(symbol.ptr, name.ptr, name.len) == 0);
}

/*
 * Returns the name without a symbol in brackets at its end, as a part of its
 * text. The callgrind writer adds one to names that functions share: "f
 * [_Z1fv]".
 */
static struct cg_slice
without_symbol(struct cg_slice name)
{
	struct cg_slice rest = name, symbol, plain;
	const char *at;

	if (name.len == 0 || name.ptr[name.len - 1] != ']')
		return name;
	while ((at = cg_find(rest, " ["))) {
		plain = (struct cg_slice){ name.ptr, (size_t)(at - name.ptr) };
		rest = (struct cg_slice){ at + 2,
			(size_t)(name.ptr + name.len - (at + 2)) };
		symbol = (struct cg_slice){ rest.ptr, rest.len - 1 };
		if (is_symbol_of(symbol, plain))
			return plain;
	}
	return name;
}

/*
 * Returns true if the self costs of the unknown function (function 0) have a
 * sum other than 0, for any event. Opens that function in profile->rows, in
 * place of what was open there.
 */
static bool
has_self(const struct profile *profile)
{
	struct cg_cost cost;
	bool found = false;

	for (size_t i = 0; !found && i < cg_event_count(profile->graph); i++) {
		uint64_t sum = 0; /* wraps around: costs may be negative */

		(void)cg_rows_open(profile->rows, CG_ALL_PARTS, 0);
		while (cg_next_cost(profile->rows, &cost))
			sum += i < cost.n ? cost.cost[i] : 0;
		found = sum != 0;
	}
	return found;
}

/*
 * Returns the function's name for a comparison without objects. An unknown
 * name is replaced by that of the object, "[libc.so.6]". It is written at *to,
 * which moves past it. Without an object, or if that begins with "[", it is
 * "[unknown]".
 */
static struct cg_slice
name_by_object(const struct profile *profile, cg_fn fn, char **to)
{
	const struct cg_graph *graph = profile->graph;
	struct cg_slice name = cg_fn_name(graph, fn);
	struct cg_slice object =
	    cg_base_name(cg_object_path(graph, cg_fn_object(graph, fn)));
	char *text = *to;

	if (name.len > 0 && !cg_equal(name, UNKNOWN))
		return name;
	/* Without self costs, function 0 stays without a name. */
	if (fn == 0 && !has_self(profile))
		return name;
	if (object.len == 0 || *object.ptr == '[')
		return cg_slice(UNKNOWN);
	*text = '[';
	memcpy(text + 1, object.ptr, object.len);
	text[object.len + 1] = ']';
	*to += object.len + 2;
	return (struct cg_slice){ text, object.len + 2 };
}

/*
 * Allocates v->names[s], the space for all names that name_by_object() makes
 * of the objects of functions in profile s that have no name, or "[unknown]".
 * False: out of memory.
 */
static bool
alloc_names(struct verify *v, int s)
{
	const struct cg_graph *graph = v->profile[s].graph;
	size_t size = 1;

	for (cg_fn fn = 1; fn <= cg_fn_count(graph); fn++) {
		struct cg_slice name = cg_fn_name(graph, fn);

		if (name.len == 0 || cg_equal(name, UNKNOWN))
			size +=
			    cg_object_path(graph, cg_fn_object(graph, fn)).len +
			    2;
	}
	v->names[s] = cg_alloc(v->args->job, size);
	return v->names[s] != NULL;
}

static void
list_profile(struct verify *v, uint32_t s, bool files, bool objects)
{
	char *to = v->names[s];
	const struct profile *profile = &v->profile[s];
	const struct cg_graph *graph = profile->graph;
	const struct cg_slice none = { "", 0 };

	/* Lists all functions, as one without costs may be called. */
	for (cg_fn fn = 0; fn <= cg_fn_count(graph); fn++) {
		cg_file file = files ? cg_fn_file(graph, fn) : 0;

		v->fns[v->fn_count++] = (struct matched_fn){
			.name = without_symbol(
			    objects ? cg_fn_name(graph, fn)
				    : name_by_object(profile, fn, &to)),
			.file = cg_file_path(graph, file),
			.path = v->file[s][file],
			.object = objects ? cg_object_path(
						graph, cg_fn_object(graph, fn))
					  : none,
			.profile = s,
			.fn = fn,
		};
	}
}

/*
 * Returns true if get() returns an id, not 0, for more than half of the
 * functions of each profile. Function 0 does not count. Source files or
 * objects that fewer functions have are not compared.
 */
static bool
most_have(
    const struct verify *v, uint32_t (*get)(const struct cg_graph *, cg_fn))
{
	for (int s = 0; s < 2; s++) {
		const struct cg_graph *graph = v->profile[s].graph;
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
	const struct cg_graph *a = v->profile[0].graph,
			      *b = v->profile[1].graph;
	size_t most = cg_fn_count(a) + cg_fn_count(b) + 2;
	bool files = (v->common & CG_FILES) && most_have(v, cg_fn_file);
	bool objects = (v->common & CG_OBJECTS) && most_have(v, cg_fn_object);
	struct cg_job *job = v->args->job;

	v->fns = cg_alloc(job, most * sizeof(*v->fns));
	v->first = cg_alloc(job, (most + 1) * sizeof(*v->first));
	v->group[0] =
	    cg_alloc(job, (cg_fn_count(a) + 1) * sizeof(*v->group[0]));
	v->group[1] =
	    cg_alloc(job, (cg_fn_count(b) + 1) * sizeof(*v->group[1]));
	if (v->fns == NULL || v->first == NULL || v->group[0] == NULL ||
	    v->group[1] == NULL || !match_files(v) || !alloc_names(v, 0) ||
	    !alloc_names(v, 1))
		return false;
	list_profile(v, 0, files, objects);
	list_profile(v, 1, files, objects);
	qsort(v->fns, v->fn_count, sizeof(*v->fns), compare_sides);
	for (size_t i = 0; i < v->fn_count; i++) {
		const struct matched_fn *same = &v->fns[i];

		if (i == 0 ||
		    !belongs_to_group(&v->fns[v->first[v->groups - 1]], same))
			v->first[v->groups++] = i;
		v->group[same->profile][same->fn] = (uint32_t)v->groups;
	}
	v->first[v->groups] = v->fn_count;
	return true;
}

/* ---- Labels ------------------------------------------------------------- */

/*
 * Returns an array with the sum of an event's costs for each set of labels
 * (the labels of one sample), by the id of the set. Element 0 has the costs of
 * samples without labels. Sums wrap around, as costs may be negative. The
 * caller frees the array. NULL: out of memory.
 */
static uint64_t *
sum_sets(const struct cg_graph *graph, size_t column)
{
	uint64_t *sum = calloc(cg_labels_count(graph) + 1, sizeof(*sum));
	struct cg_stack_cost stack;

	if (sum == NULL)
		return NULL;
	for (size_t i = 0; cg_next_stack(graph, CG_ALL_PARTS, &i, &stack);) {
		if (column < stack.n)
			sum[stack.labels] += stack.cost[column];
	}
	return sum;
}

static bool
add_difference(struct verify *v, const struct cg_label *label, size_t event,
    const uint64_t value[2])
{
	return value[0] == value[1] || cg_append(v->args->job, &v->label,
					   (struct label_difference){ *label,
					       event, { value[0], value[1] } });
}

/*
 * Compares the costs of an event by label, and appends differences to
 * v->label. labels->of: labels with their sets, sorted; equal ones count once.
 * sum: costs of sets, by profile. False: out of memory.
 */
static bool
match_event(struct verify *v, const struct labels *labels, size_t event,
    uint64_t *const sum[2])
{
	uint64_t value[2] = { 0, 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < labels->of.n; i++) {
		const struct labelled *at = &labels->of.at[i];

		if (i > 0 &&
		    cg_compare_labels(&at[-1].label, &at->label) != 0) {
			ok = add_difference(v, &at[-1].label, event, value);
			value[0] = value[1] = 0;
		} else if (i > 0 && compare_labelled(&at[-1], at) == 0) {
			continue;
		}
		value[at->profile] += sum[at->profile][at->set];
	}
	return ok &&
	       (labels->of.n == 0 ||
		   add_difference(v, &labels->of.at[labels->of.n - 1].label,
		       event, value));
}

bool
match_labels(struct verify *v)
{
	struct labels labels = { 0 };
	bool ok = true;

	if (!(v->profile[0].can_represent & v->profile[1].can_represent &
		CG_LABELS))
		return true;
	for (int s = 0; ok && s < 2; s++)
		ok = list_labels(&labels, v->args->job, v->profile[s].graph, s);
	for (size_t e = 0; ok && labels.of.n > 0 && e < v->events; e++) {
		uint64_t *sum[2];

		for (int s = 0; s < 2; s++)
			sum[s] = sum_sets(
			    v->profile[s].graph, v->event[e].column[s]);
		ok = sum[0] != NULL && sum[1] != NULL &&
		     match_event(v, &labels, e, sum);
		free(sum[0]);
		free(sum[1]);
	}
	return ok;
}
