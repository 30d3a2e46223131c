/*
 * universal.c - mappings and symbols of the provider Universal.System, which
 * records all processes of a machine.
 *
 * A process: its id in its namespace, name, name of the namespace. A mapping:
 * id, start, end, offset in the file, file name, id of metadata. A symbol: id,
 * id of its mapping, start, end, name. Numbers are varints, texts are UTF-8
 * with their length (u16). The documentation has a field ProcessId of mappings,
 * which neither the writer nor PerfView has: the thread's process is meant.
 *
 * Names of compiled methods are "type [module] Class::Method(args)[tier]".
 */
#include "nettrace.h"
#include "proto/wire.h"

/* Mappings of code of the runtime's compiler have no file. */
#define JIT_MAPPING "/memfd:doublemapper"

static bool
take_short_text(struct cg_slice *rest, struct cg_slice *text)
{
	struct cg_slice size;

	return nettrace_cut(rest, 2, &size) &&
	       nettrace_cut(rest, nettrace_u16(size.ptr), text);
}

bool
nettrace_read_mapping(struct nettrace_file *file,
    struct nettrace_universal *universal, uint64_t pid, struct cg_slice payload)
{
	struct nettrace_mapping mapping = { .range.owner = pid };
	struct cg_slice rest = payload, name;
	uint64_t offset;

	if (!proto_take_varint(&rest, &mapping.id) ||
	    !proto_take_varint(&rest, &mapping.range.start) ||
	    !proto_take_varint(&rest, &mapping.range.end) ||
	    !proto_take_varint(&rest, &offset) ||
	    !take_short_text(&rest, &name))
		return cg_reject_at(
		    file->job, payload.ptr, "expected a mapping");
	if (!cg_starts(name, JIT_MAPPING))
		mapping.object = cg_add_object(file->build, name);
	return cg_append(file->job, &universal->mapping, mapping);
}

bool
nettrace_read_symbol(struct nettrace_file *file,
    struct nettrace_universal *universal, struct cg_slice payload)
{
	struct nettrace_symbol symbol = { .name = { "", 0 } };
	struct cg_slice rest = payload;
	uint64_t id;

	if (!proto_take_varint(&rest, &id) ||
	    !proto_take_varint(&rest, &symbol.range.owner) ||
	    !proto_take_varint(&rest, &symbol.range.start) ||
	    !proto_take_varint(&rest, &symbol.range.end) ||
	    !take_short_text(&rest, &symbol.name))
		return cg_reject_at(
		    file->job, payload.ptr, "expected a symbol");
	return cg_append(file->job, &universal->symbol, symbol);
}

bool
nettrace_read_process(struct nettrace_file *file,
    struct nettrace_universal *universal, uint64_t pid, struct cg_slice payload)
{
	struct cg_slice rest = payload, name;
	uint64_t id;
	uint32_t *at;

	if (!proto_take_varint(&rest, &id) || !take_short_text(&rest, &name))
		return cg_reject_at(
		    file->job, payload.ptr, "expected a process");
	at = cg_map_in(file->job, &universal->processes, pid);
	if (at)
		*at = cg_add_name(file->build, name);
	return at != NULL;
}

/* ---- Functions ----------------------------------------------------------- */

static int
by_owner(const void *a, const void *b)
{
	const struct nettrace_range *x = a, *y = b;

	return x->owner != y->owner
		   ? (x->owner > y->owner) - (x->owner < y->owner)
		   : (x->start > y->start) - (x->start < y->start);
}

void
nettrace_sort_symbols(struct nettrace_universal *universal)
{
	if (universal->mapping.n > 0)
		cg_sort(universal->mapping.at, universal->mapping.n,
		    sizeof(*universal->mapping.at), by_owner);
	if (universal->symbol.n > 0)
		cg_sort(universal->symbol.at, universal->symbol.n,
		    sizeof(*universal->symbol.at), by_owner);
}

/*
 * Returns the element whose range contains an address of the owner (a process
 * or mapping); NULL: none. array: n elements that begin with a struct
 * nettrace_range, sorted by it. size: that of an element.
 */
static const void *
find_range(
    const void *array, size_t n, size_t size, uint64_t owner, uint64_t addr)
{
	const struct nettrace_range key = { .owner = owner, .start = addr };
	const struct nettrace_range *range = NULL;
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const void *at = (const char *)array + middle * size;

		if (by_owner(at, &key) <= 0) {
			range = at;
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (range && (range->owner != owner || addr >= range->end))
		return NULL;
	return range;
}

/*
 * Splits the name of a compiled method, "... [MODULE] METHOD[TIER]": sets
 * *module to MODULE, and *name to METHOD. False: the name has another form.
 * Then *name is unchanged, and *module has no meaning.
 */
static bool
split_method(struct cg_slice *name, struct cg_slice *module)
{
	const char *at = cg_find(*name, " [");
	struct cg_slice rest;

	if (!at || name->ptr[name->len - 1] != ']')
		return false;
	rest = (struct cg_slice){ at + 2,
		name->len - (size_t)(at + 2 - name->ptr) };
	if (!cg_take_until(&rest, ']', module) || !cg_take_char(&rest, ' '))
		return false;
	while (rest.len > 0 && rest.ptr[rest.len - 1] != '[')
		rest.len--;
	if (rest.len < 2)
		return false;
	rest.len--;
	*name = rest;
	return true;
}

static cg_fn
add_fn(struct nettrace_file *file, struct nettrace_universal *universal,
    const struct nettrace_mapping *mapping, uint64_t addr)
{
	const struct nettrace_symbol *symbol =
	    find_range(universal->symbol.at, universal->symbol.n,
		sizeof(*universal->symbol.at), mapping->id, addr);
	struct cg_slice name = cg_slice(NETTRACE_UNKNOWN), module;
	cg_object object = mapping->object;

	if (symbol && symbol->name.len > 0) {
		name = symbol->name;
		if (object == 0 && split_method(&name, &module))
			object = cg_add_object(file->build, module);
	}
	return cg_add_fn(file->build, name, 0, object);
}

uint32_t
nettrace_number(
    struct cg_job *job, struct cg_map *map, uint64_t key, uint32_t *count)
{
	uint32_t *at = cg_map_in(job, map, key);

	if (!at)
		return 0;
	if (*at == 0)
		*at = ++*count;
	return *at;
}

bool
nettrace_find_symbol(struct nettrace_file *file,
    struct nettrace_universal *universal, uint64_t pid, uint64_t addr,
    cg_fn *fn)
{
	const struct nettrace_mapping *mapping;
	uint32_t process, place, *at;

	process = nettrace_number(
	    file->job, &universal->pids, pid, &universal->pid_count);
	place = nettrace_number(
	    file->job, &universal->addrs, addr, &universal->addr_count);
	if (process == 0 || place == 0)
		return false;
	at = cg_map_in(
	    file->job, &universal->places, (uint64_t)process << 32 | place);
	if (!at)
		return false;
	if (*at == 0) {
		mapping =
		    find_range(universal->mapping.at, universal->mapping.n,
			sizeof(*universal->mapping.at), pid, addr);
		if (!cg_append(file->job, &universal->fn,
			mapping ? add_fn(file, universal, mapping, addr) : 0))
			return false;
		*at = (uint32_t)universal->fn.n;
	}
	*fn = universal->fn.at[*at - 1];
	return true;
}
