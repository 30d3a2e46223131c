/*
 * match.c - finds the objects, files and functions of one profile in another
 * profile, of a program that was rebuilt, moved or changed.
 *
 * Equal names match first. Of the others, two match that agree less, if they
 * are the only ones that do: paths agree in as many of their last components
 * as possible; functions agree in name and file, then in name and object (the
 * function was moved), then in name alone if file or object are unknown in one
 * of the profiles.
 */
#include <stdlib.h>

#include "algo/copy.h"

#define SEVERAL UINT32_MAX
#define COMPONENTS 8 /* of a path's end that are compared */

/* Candidates of both profiles by key: id, or SEVERAL. */
struct pairing {
	struct cg_map mine, other;
};

static bool
note(struct cg_map *map, uint64_t key, uint32_t id)
{
	uint32_t *known = cg_map_at(map, key);

	if (known)
		*known = *known == 0 ? id : SEVERAL;
	return known != NULL;
}

/*
 * Pairs objects (executables or libraries), files or functions of two profiles
 * by a key. Returns the id that has the key in the other profile, if exactly
 * one of each profile has it; else 0.
 */
static uint32_t
find_pair(const struct pairing *pairing, uint64_t key)
{
	uint32_t id = cg_map_get(&pairing->other, key);

	return cg_map_get(&pairing->mine, key) == SEVERAL || id == SEVERAL ? 0
									   : id;
}

static void
free_pairing(struct pairing *pairing)
{
	cg_map_free(&pairing->mine);
	cg_map_free(&pairing->other);
}

/* ---- Paths -------------------------------------------------------------- */

/*
 * Adds the last `components` components of a path as a string to the new
 * graph, and returns its id, by which tails of paths are compared; 0: the path
 * has fewer, or the builder has failed.
 */
static cg_name
tail_of(struct cg_copy *copy, struct cg_slice path, unsigned components)
{
	size_t at = path.len;

	while (at > 0 && (path.ptr[at - 1] != '/' || --components > 0))
		at--;
	if (at == 0 && components > 1)
		return 0;
	return cg_add_name(
	    copy->to, (struct cg_slice){ path.ptr + at, path.len - at });
}

/* Paths of both profiles, each by its own ids. */
struct paths {
	const struct cg_paths *mine, *other;
	uint32_t *id;             /* mine -> new graph; 0: not yet matched */
	const uint32_t *other_id; /* other -> new graph */
	bool *taken;              /* by id of the other: already matched */
};

static struct cg_slice
path_of(const struct cg_copy *copy, const struct cg_paths *paths, uint32_t id)
{
	return cg_strs_get(&copy->from->strs, paths->path[id]);
}

/*
 * Pairs the paths of this profile with equal paths of the other one: sets
 * p->id[] to their ids in the new graph, and marks them in p->taken. Skips
 * paths that the other profile has twice. False: out of memory.
 */
static bool
pair_whole(struct cg_copy *copy, const struct cg_copy *other, struct paths *p)
{
	struct cg_map whole = { 0 };
	bool ok = true;

	for (uint32_t i = 1; ok && i < p->other->count; i++)
		ok = note(&whole,
		    cg_add_name(copy->to, path_of(other, p->other, i)), i);
	for (uint32_t i = 1; ok && i < p->mine->count; i++) {
		uint32_t match = cg_map_get(
		    &whole, cg_add_name(copy->to, path_of(copy, p->mine, i)));

		/* --map may have made two paths equal. */
		if (match == 0 || match == SEVERAL)
			continue;
		p->id[i] = p->other_id[match];
		p->taken[match] = true;
	}
	cg_map_free(&whole);
	return ok;
}

static bool
pair_tails(struct cg_copy *copy, const struct cg_copy *other, struct paths *p,
    unsigned components)
{
	struct pairing pairing = { 0 };
	cg_name tail;
	bool ok = true;

	for (uint32_t i = 1; ok && i < p->other->count; i++) {
		tail = p->taken[i] ? 0
				   : tail_of(copy, path_of(other, p->other, i),
					 components);
		ok = tail == 0 || note(&pairing.other, tail, i);
	}
	for (int pass = 0; ok && pass < 2; pass++)
		for (uint32_t i = 1; ok && i < p->mine->count; i++) {
			uint32_t match;

			tail = p->id[i]
				   ? 0
				   : tail_of(copy, path_of(copy, p->mine, i),
					 components);
			if (tail == 0)
				continue;
			if (pass == 0) {
				ok = note(&pairing.mine, tail, i);
				continue;
			}
			match = find_pair(&pairing, tail);
			if (match == 0)
				continue;
			p->id[i] = p->other_id[match];
			p->taken[match] = true;
		}
	free_pairing(&pairing);
	return ok;
}

static bool
match_paths(struct cg_copy *copy, const struct cg_copy *other, struct paths *p)
{
	bool ok;

	p->taken = calloc(p->other->count, sizeof(*p->taken));
	ok = p->taken && pair_whole(copy, other, p);
	for (unsigned n = COMPONENTS; ok && n > 0; n--)
		ok = pair_tails(copy, other, p, n);
	free(p->taken);
	return ok;
}

/* ---- Functions ---------------------------------------------------------- */

/* What two functions must have in common besides the name. */
enum agreement { AGREE_FILE, AGREE_OBJECT, AGREE_NAME };
#define AGREEMENTS 3

static uint64_t
key_of(const struct cg_fn_entry *fn, enum agreement agreement)
{
	switch (agreement) {
	case AGREE_FILE: return (uint64_t)fn->file << 32 | fn->name;
	case AGREE_OBJECT: return (uint64_t)fn->object << 32 | fn->name;
	case AGREE_NAME: break;
	}
	return fn->name;
}

/*
 * Returns the entry of a function of this profile as it would be in the new
 * graph: with name, symbol, file and object (executable or library) as ids of
 * that graph. So it can be compared with functions there.
 */
static struct cg_fn_entry
translate(const struct cg_copy *copy, cg_fn fn)
{
	struct cg_fn_entry entry = copy->from->fn[fn];

	entry.name = cg_copy_str(copy, entry.name);
	entry.symbol = cg_copy_str(copy, entry.symbol);
	entry.file = copy->file[entry.file];
	entry.object = copy->object[entry.object];
	return entry;
}

/*
 * Maps functions of this profile to equal functions in the new graph, which
 * has the functions of the other profile. Sets copy->fn[] to them, 0 if there
 * is none, and marks them in taken[], by id in the new graph.
 */
static void
pair_exactly(struct cg_copy *copy, bool *taken)
{
	for (cg_fn i = 1; i < copy->from->fns; i++) {
		struct cg_fn_entry fn = translate(copy, i);

		copy->fn[i] = cg_build_find_fn(
		    copy->to, fn.name, fn.file, fn.object, fn.symbol);
		taken[copy->fn[i]] = true;
	}
}

/*
 * True if two functions of equal names that agree as `agreement` says may be
 * paired. Equal objects (executable or library), or equal known files, are
 * enough. Otherwise files and objects must be equal where both profiles have
 * them.
 */
static bool
may_pair(const struct cg_fn_entry *a, const struct cg_fn_entry *b,
    enum agreement agreement)
{
	bool files = a->file == 0 || b->file == 0 || a->file == b->file;
	bool objects =
	    a->object == 0 || b->object == 0 || a->object == b->object;

	switch (agreement) {
	case AGREE_FILE: return a->file != 0 || objects;
	case AGREE_OBJECT: return true; /* the function was moved */
	case AGREE_NAME: break;
	}
	return files && objects;
}

static bool
pair_functions(struct cg_copy *copy, bool *taken, enum agreement agreement)
{
	const struct cg_graph *to = copy->to->graph;
	struct pairing pairing = { 0 };
	bool ok = true;

	for (cg_fn i = 1; ok && i < to->fns; i++)
		ok = taken[i] || to->fn[i].name == 0 ||
		     note(&pairing.other, key_of(&to->fn[i], agreement), i);
	for (int pass = 0; ok && pass < 2; pass++)
		for (cg_fn i = 1; ok && i < copy->from->fns; i++) {
			struct cg_fn_entry fn = translate(copy, i);
			cg_fn match;

			if (copy->fn[i] != 0 || fn.name == 0)
				continue;
			if (pass == 0) {
				ok = note(
				    &pairing.mine, key_of(&fn, agreement), i);
				continue;
			}
			match = find_pair(&pairing, key_of(&fn, agreement));
			if (match != 0 &&
			    may_pair(&fn, &to->fn[match], agreement)) {
				copy->fn[i] = match;
				taken[match] = true;
			}
		}
	free_pairing(&pairing);
	return ok;
}

static bool
match_functions(struct cg_copy *copy)
{
	bool *taken = calloc(copy->to->graph->fns, sizeof(*taken));
	bool ok = taken != NULL;

	if (ok)
		pair_exactly(copy, taken);
	for (unsigned i = 0; ok && i < AGREEMENTS; i++)
		ok = pair_functions(copy, taken, (enum agreement)i);
	free(taken);
	for (cg_fn i = 1; ok && i < copy->from->fns; i++) {
		if (copy->fn[i] == 0)
			cg_copy_fn(copy, i, i);
	}
	return ok;
}

bool
cg_copy_match(struct cg_copy *copy, const struct cg_copy *other)
{
	const struct cg_graph *from = copy->from;
	struct paths objects = { &from->objects, &other->from->objects,
		copy->object, other->object, NULL };
	struct paths files = { &from->files, &other->from->files, copy->file,
		other->file, NULL };

	if (!match_paths(copy, other, &objects) ||
	    !match_paths(copy, other, &files))
		return false;
	for (uint32_t i = 1; i < from->objects.count; i++) {
		if (copy->object[i] == 0)
			copy->object[i] = cg_add_object(
			    copy->to, path_of(copy, &from->objects, i));
	}
	for (uint32_t i = 1; i < from->files.count; i++) {
		if (copy->file[i] == 0)
			cg_copy_file(copy, i);
	}
	return match_functions(copy);
}

int
cg_graph_unite(struct cg_build *build, const struct cg_graph *known,
    const struct cg_graph *more, cg_fn **fn)
{
	struct cg_copy first = {
		.from = known, .to = build, .costs_only = true
	};
	struct cg_copy second = {
		.from = more, .to = build, .costs_only = true
	};
	bool ok = cg_copy_open(&first);

	ok = cg_copy_open(&second) && ok;
	if (ok) {
		cg_copy_dimensions(&first);
		for (cg_fn i = 1; i < known->fns; i++)
			cg_copy_fn(&first, i, i);
		ok = cg_copy_match(&second, &first);
	}
	if (!ok)
		cg_build_nomem(build);
	*fn = second.fn;
	second.fn = NULL;
	cg_copy_close(&first);
	cg_copy_close(&second);
	return cg_build_failed(build, NULL);
}

/* ---- Runs of one program ------------------------------------------------- */

static cg_str
find_str(const struct cg_graph *in, const struct cg_graph *of, cg_str str)
{
	return cg_strs_find(&in->strs, cg_strs_get(&of->strs, str));
}

/*
 * Sets id[] to the ids that the paths of graph `of` have in graph `in`, by id
 * in `of`. False: a path is not in `in`; id[] is then set in part.
 */
static bool
find_paths(const struct cg_graph *in, const struct cg_paths *known,
    const struct cg_graph *of, const struct cg_paths *paths, uint32_t *id)
{
	for (uint32_t i = 1; i < paths->count; i++) {
		id[i] =
		    cg_map_get(&known->ids, find_str(in, of, paths->path[i]));
		if (id[i] == 0)
			return false;
	}
	return true;
}

static bool
find_all(const struct cg_build *build, const struct cg_graph *more,
    uint32_t *object, uint32_t *file, cg_fn *fn)
{
	const struct cg_graph *known = build->graph;

	if (!find_paths(known, &known->objects, more, &more->objects, object) ||
	    !find_paths(known, &known->files, more, &more->files, file))
		return false;
	for (cg_fn i = 1; i < more->fns; i++) {
		const struct cg_fn_entry *entry = &more->fn[i];

		fn[i] =
		    cg_build_find_fn(build, find_str(known, more, entry->name),
			file[entry->file], object[entry->object],
			find_str(known, more, entry->symbol));
		if (fn[i] == 0)
			return false;
	}
	return true;
}

bool
cg_graph_has_all(
    const struct cg_build *build, const struct cg_graph *more, cg_fn **fn)
{
	uint32_t *object = calloc(more->objects.count + 1, sizeof(*object));
	uint32_t *file = calloc(more->files.count + 1, sizeof(*file));
	bool all;

	*fn = calloc(more->fns + 1, sizeof(**fn));
	all = object && file && *fn && find_all(build, more, object, file, *fn);
	free(object);
	free(file);
	if (!all) {
		free(*fn);
		*fn = NULL;
	}
	return all;
}
