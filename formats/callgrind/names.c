/*
 * names.c - ids and names of objects, files and functions: "(id) name".
 */
#include "number.h"

/*
 * Takes an id, such as "(12)", and blanks after it off the begin of *name.
 * Sets *id to it. *name becomes the rest, which may be empty. False: the name
 * does not begin with an id, and is unchanged.
 */
static bool
take_id(struct cg_slice *name, uint64_t *id)
{
	struct cg_slice text = *name;
	const char *at = text.ptr + 1;

	if (!cg_take_char(&text, '('))
		return false;
	if (take_digits(&at, id) && *at == ')')
		text =
		    (struct cg_slice){ at, (size_t)(text.ptr + text.len - at) };
	else if (!cg_take_u64(&text, id))
		return false;
	if (!cg_take_char(&text, ')'))
		return false;
	if (text.len > 0 && !cg_take_blanks(&text))
		return false;
	*name = text;
	return true;
}

struct callgrind_ref
callgrind_get_ref(struct cg_slice text)
{
	struct callgrind_ref ref = { .text = text, .name = text };

	(void)cg_take_blanks(&ref.name);
	ref.has_id = take_id(&ref.name, &ref.id);
	return ref;
}

/* Most ids are dense from 1. Ids up to NEAR_IDS are in an array (4 MiB). */
#define NEAR_IDS ((uint64_t)1 << 20)

/*
 * Returns a pointer to the number of a name id, for the caller to read or set;
 * the number is 0 if the id is not defined yet. Valid until the next call.
 * NULL: out of memory (reported).
 */
static uint32_t *
find_id(struct callgrind_reader *r, struct callgrind_ids *ids, uint64_t id)
{
	uint32_t *value = NULL;

	if (id < ids->near.n)
		return &ids->near.at[id];
	if (id >= NEAR_IDS)
		value = cg_map_in(r->job, &ids->far, id);
	else if (cg_resize(r->job, &ids->near, (size_t)id + 1))
		value = &ids->near.at[id];
	if (!value)
		r->status = cg_rejected(r->job);
	return value;
}

static uint32_t
undefined(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	cg_warn_at(r->job, ref->text.ptr, "name id %llu is not defined",
	    (unsigned long long)ref->id);
	return 0;
}

static uint32_t
add_known(
    struct callgrind_reader *r, callgrind_add_path *add, struct cg_slice path)
{
	return cg_equal(path, "???") ? 0 : add(r->build, path);
}

uint32_t
callgrind_path(struct callgrind_reader *r, struct callgrind_ids *ids,
    const struct callgrind_ref *ref, callgrind_add_path *add)
{
	uint32_t *value;

	if (!ref->has_id)
		return add_known(r, add, ref->name);
	value = find_id(r, ids, ref->id);
	if (!value)
		return 0;
	if (ref->name.len > 0)
		*value = 1 + add_known(r, add, ref->name);
	return *value ? *value - 1 : undefined(r, ref);
}

/*
 * Appends an empty element to r->named and returns its index. 0: out of memory
 * (reported). Index 0 is never returned otherwise, as callgrind_begin_names()
 * adds the first element.
 */
static uint32_t
add_named(struct callgrind_reader *r)
{
	if (r->named.n == UINT32_MAX || !cg_push(r->job, &r->named)) {
		r->status = cg_nomem(r->job);
		return 0;
	}
	return (uint32_t)r->named.n - 1;
}

static uint32_t
name_it(struct callgrind_reader *r, uint32_t index, struct cg_slice text)
{
	cg_name name = cg_add_name(r->build, text);

	r->named.at[index] =
	    (struct callgrind_named){ .name = name ? name : r->unknown };
	return index;
}

/*
 * Returns the index in r->named of a name that was written without an id.
 * Appends the name if it is new. 0: out of memory (reported).
 */
static uint32_t
get_plain_name(struct callgrind_reader *r, struct cg_slice text)
{
	uint32_t *value =
	    cg_map_in(r->job, &r->plain, cg_add_name(r->build, text));

	if (!value) {
		r->status = cg_rejected(r->job);
		return 0;
	}
	if (*value == 0)
		*value = name_it(r, add_named(r), text);
	return *value;
}

uint32_t
callgrind_name(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	uint32_t *value;

	if (!ref->has_id)
		return get_plain_name(r, ref->name);
	value = find_id(r, &r->names, ref->id);
	if (!value)
		return 0;
	if (*value == 0) {
		*value = add_named(r);
		if (*value == 0)
			return 0;
		if (ref->name.len == 0)
			(void)undefined(r, ref);
		return name_it(r, *value, ref->name);
	}
	return ref->name.len > 0 ? name_it(r, *value, ref->name) : *value;
}

cg_fn
callgrind_fn(
    struct callgrind_reader *r, uint32_t index, cg_file file, cg_object object)
{
	struct callgrind_named *named = &r->named.at[index];

	if (named->bound && named->file == file && named->object == object)
		return named->fn;
	named->bound = true;
	named->file = file;
	named->object = object;
	if (named->name == r->spontaneous && file == 0 && object == 0)
		named->fn = 0;
	else /* in a file, "???" are lines outside functions */
		named->fn = cg_add_fn_named(r->build,
		    named->name == r->unknown && file != 0 ? 0 : named->name,
		    file, object);
	return named->fn;
}

bool
callgrind_begin_names(struct callgrind_reader *r)
{
	r->spontaneous = cg_add_name(r->build, cg_slice(SPONTANEOUS));
	r->unknown = cg_add_name(r->build, cg_slice("???"));
	(void)add_named(r);
	if (r->status == CG_OK)
		(void)name_it(r, 0, cg_slice("???"));
	return r->status == CG_OK;
}
