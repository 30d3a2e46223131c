/*
 * functions.c - the function at an address, and its name.
 *
 * Symbol tables often have several names for one address, and often no sizes.
 * The name is the one that gprof would choose; a function without a size
 * extends to the next one; labels within a function belong to it.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/elffile.h"

/* Padding between functions is shorter than this. */
#define PADDING 16

/* ---- Adding ------------------------------------------------------------- */

/*
 * True for symbols that do not name functions: mapping symbols of ARM and
 * RISC-V ("$x"), local labels (".L1") and symbols without a name.
 */
static bool
is_marker(const struct cg_symbol *symbol)
{
	return symbol->name[0] == '\0' ||
	       (symbol->type == STT_NOTYPE && symbol->bind == STB_LOCAL &&
		   (symbol->name[0] == '$' || symbol->name[0] == '.'));
}

/*
 * Returns the rank of a symbol; the lowest one names the function: prefers
 * global to local, typed to untyped, fewer underscores, not weak.
 */
static uint32_t
get_rank(const struct cg_symbol *symbol, bool func)
{
	size_t underscores = strspn(symbol->name, "_.");

	return (symbol->bind == STB_LOCAL ? 16u : 0) + (func ? 0 : 8u) +
	       (underscores < 2 ? (uint32_t)underscores : 2u) * 2 +
	       (symbol->bind == STB_WEAK ? 1u : 0);
}

bool
cg_functions_add(struct cg_functions *fns, const struct cg_symbol *symbol)
{
	bool func = symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;

	if (symbol->undefined || symbol->absolute || !symbol->exec ||
	    (!func && symbol->type != STT_NOTYPE) || is_marker(symbol) ||
	    !cg_spans_find(fns->exec, symbol->addr))
		return true;
	if (!cg_grow(&fns->alias, &fns->alias_cap, fns->aliases + 1,
		sizeof(*fns->alias)))
		return false;
	fns->alias[fns->aliases++] = (struct cg_alias){
		.addr = symbol->addr,
		.size = symbol->size,
		.symbol = symbol->name,
		.rank = get_rank(symbol, func),
		.fn = UINT32_MAX,
		.func = func,
	};
	return fns->aliases < UINT32_MAX;
}

bool
cg_functions_add_table(struct cg_functions *fns, const struct cg_symtab *table)
{
	struct cg_symbol symbol;

	for (size_t i = 0; cg_symtab_get(table, i, &symbol); i++) {
		if (!cg_functions_add(fns, &symbol))
			return false;
	}
	return true;
}

/* ---- Building ----------------------------------------------------------- */

/*
 * Compares aliases (symbols of one address) for qsort(): the first one becomes
 * the function's name, by rank, then by name.
 */
static int
compare_aliases(const void *left, const void *right)
{
	const struct cg_alias *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->symbol, b->symbol);
}

/*
 * Adds one function for the n symbols at an address, the best name first, with
 * their largest size. Skips labels within functions, which have no type or
 * size. *covered: the end of functions so far, updated here. False: out of
 * memory.
 */
static bool
add_function(struct cg_functions *fns, struct cg_alias *alias, size_t n,
    uint64_t *covered)
{
	uint64_t addr = alias->addr, size = 0;
	uint64_t limit = cg_spans_find(fns->exec, addr)->high;
	bool func = false;

	for (size_t i = 0; i < n; i++) {
		func |= alias[i].func;
		if (alias[i].size > size)
			size = alias[i].size;
	}
	if ((!func || size == 0) && addr < *covered)
		return true;
	if (!cg_grow(&fns->fn, &fns->cap, fns->count + 1, sizeof(*fns->fn)))
		return false;
	if (size > limit - addr)
		size = limit - addr;
	if (func && addr + size > *covered)
		*covered = addr + size;
	for (size_t i = 0; i < n; i++)
		alias[i].fn = (uint32_t)fns->count;
	fns->fn[fns->count++] = (struct cg_named){
		.start = addr,
		.end = addr + size,
		.symbol = alias->symbol,
	};
	return true;
}

/*
 * Sets the ends of functions without a size, to the start of the next one or
 * the end of their section, and builds the ranges for look-ups by address.
 * False: out of memory.
 */
static bool
set_ends(struct cg_functions *fns)
{
	for (size_t i = 0; i < fns->count; i++) {
		struct cg_named *fn = &fns->fn[i];

		if (fn->end == fn->start) {
			fn->end = cg_spans_find(fns->exec, fn->start)->high;
			if (i + 1 < fns->count && fn[1].start < fn->end)
				fn->end = fn[1].start;
		}
		if (!cg_spans_add(&fns->spans, fn->start, fn->end, (uint32_t)i))
			return false;
	}
	return cg_spans_flatten(&fns->spans);
}

/*
 * Extends each function to the next one, or to the end of its executable
 * section, if less than PADDING bytes are between them. Such a gap is
 * alignment, which samples may hit, but which belongs to no function.
 */
static void
add_padding(struct cg_functions *fns)
{
	for (size_t i = 0; i < fns->spans.count; i++) {
		struct cg_span *span = &fns->spans.span[i];
		struct cg_named *fn = &fns->fn[span->id];
		uint64_t limit = cg_spans_find(fns->exec, span->low)->high;

		if (i + 1 < fns->spans.count && span[1].low < limit)
			limit = span[1].low;
		if (limit <= span->high || limit - span->high >= PADDING)
			continue;
		if (fn->end == span->high)
			fn->end = limit;
		span->high = limit;
	}
}

bool
cg_functions_build(struct cg_functions *fns)
{
	uint64_t covered = 0;
	size_t next;

	if (fns->aliases == 0)
		return true;
	if (!cg_sort_by_u64(fns->alias, fns->aliases, sizeof(*fns->alias),
		offsetof(struct cg_alias, addr)))
		return false;
	for (size_t i = 0; i < fns->aliases; i = next) {
		next = i + 1;
		while (next < fns->aliases &&
		       fns->alias[next].addr == fns->alias[i].addr)
			next++;
		cg_sort(&fns->alias[i], next - i, sizeof(*fns->alias),
		    compare_aliases);
		if (!add_function(fns, &fns->alias[i], next - i, &covered))
			return false;
	}
	if (!set_ends(fns))
		return false;
	add_padding(fns);
	return true;
}

void
cg_functions_free(struct cg_functions *fns)
{
	free(fns->alias);
	free(fns->fn);
	free(fns->name);
	cg_spans_free(&fns->spans);
	*fns = (struct cg_functions){ 0 };
}

/* ---- Finding ------------------------------------------------------------ */

struct cg_named *
cg_functions_find(struct cg_functions *fns, uint64_t addr)
{
	const struct cg_span *span = cg_spans_find(&fns->spans, addr);

	return span ? &fns->fn[span->id] : NULL;
}

/*
 * Returns the offset of a suffix ".cold" or ".cold.N"; the length of the
 * symbol if it has none.
 */
static size_t
before_cold(const char *symbol)
{
	const char *cold = strstr(symbol, ".cold");
	const char *end = cold ? cold + strlen(".cold") : NULL;

	if (end && *end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	return cold && *end == '\0' ? (size_t)(cold - symbol) : strlen(symbol);
}

/*
 * Returns the name to show for a symbol: without ".cold" and version,
 * demangled (only names that begin with _ are mangled). NULL: out of memory.
 */
static const char *
get_name(struct cg_strs *strs, const char *symbol)
{
	struct cg_slice text = { symbol, before_cold(symbol) };
	const char *version = strchr(symbol, '@');
	cg_str copy;

	if (version > symbol && strcmp(version, "@plt") != 0)
		text.len = (size_t)(version - symbol);
	if (symbol[text.len] == '\0')
		return symbol[0] == '_' ? cg_demangle_in(strs, symbol) : symbol;
	copy = cg_strs_add(strs, text);
	return copy == CG_STR_NONE
		   ? NULL
		   : cg_demangle_in(strs, cg_strs_get(strs, copy).ptr);
}

bool
cg_functions_name(struct cg_functions *fns, struct cg_named *fn)
{
	if (!fn->name)
		fn->name = get_name(fns->strs, fn->symbol);
	return fn->name != NULL;
}

/* ---- Finding by name ---------------------------------------------------- */

static int
compare_names(const void *left, const void *right)
{
	const struct cg_name_ref *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->fn > b->fn) - (a->fn < b->fn);
}

static bool
add_name(struct cg_functions *fns, const char *name, uint32_t fn)
{
	if (!name || !cg_grow(&fns->name, &fns->name_cap, fns->names + 1,
			 sizeof(*fns->name)))
		return false;
	fns->name[fns->names++] = (struct cg_name_ref){ name, fn };
	return true;
}

/*
 * Builds the sorted index of functions by name, with all names of each
 * function. Skips symbols that no function has. A cold part ("f.cold") has its
 * own symbol, but is found by the name of its function, too. False: out of
 * memory.
 */
static bool
load_names(struct cg_functions *fns)
{
	for (size_t i = 0; i < fns->aliases; i++) {
		const struct cg_alias *alias = &fns->alias[i];

		if (alias->fn == UINT32_MAX)
			continue;
		if (!add_name(fns, alias->symbol, alias->fn))
			return false;
		if (alias->symbol[before_cold(alias->symbol)] == '\0' &&
		    !add_name(
			fns, get_name(fns->strs, alias->symbol), alias->fn))
			return false;
	}
	if (fns->name)
		qsort(fns->name, fns->names, sizeof(*fns->name), compare_names);
	return true;
}

/*
 * Compares a name that is looked up, which has no NUL at its end, with the
 * name of an index entry. Returns a negative number, 0 or a positive one.
 */
static int
compare_slice(struct cg_slice name, const char *with)
{
	int order = strncmp(name.ptr, with, name.len);

	return order ? order : -(with[name.len] != '\0');
}

bool
cg_functions_find_name(
    struct cg_functions *fns, struct cg_slice name, struct cg_named **found)
{
	size_t first = 0, last;

	*found = NULL;
	if (!fns->name && !load_names(fns)) {
		free(fns->name);
		fns->name = NULL;
		fns->names = fns->name_cap = 0;
		return false;
	}
	if (!fns->name || name.len == 0 || memchr(name.ptr, '\0', name.len))
		return true;
	for (last = fns->names; first < last;) {
		size_t mid = first + (last - first) / 2;

		if (compare_slice(name, fns->name[mid].name) > 0)
			first = mid + 1;
		else
			last = mid;
	}
	if (first == fns->names ||
	    compare_slice(name, fns->name[first].name) != 0)
		return true;
	while (last + 1 < fns->names &&
	       compare_slice(name, fns->name[last + 1].name) == 0)
		last++;
	/* Equal names are sorted by function. */
	if (fns->name[first].fn == fns->name[last].fn)
		*found = &fns->fn[fns->name[first].fn];
	return true;
}
