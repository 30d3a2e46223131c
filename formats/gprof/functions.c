/*
 * functions.c - the function and the source line of an address.
 *
 * Functions come from the symbols of the program and its libraries. With
 * --gprof-compat, only symbols that GNU gprof sees are used. Without symbols,
 * a function extends from an address that calls enter to the next one.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"

#define NONE SIZE_MAX

/* ---- Functions as GNU gprof sees them ----------------------------------- */

/*
 * Source: the behaviour of gprof 2.40 (corefile.c, symtab.c), measured on 44
 * programs. It skips many local symbols, so that their time and calls go to
 * the preceding function, and ignores the sizes of symbols.
 */
#define STB_LOCAL 0 /* ELF */
#define STB_WEAK 2
#define STB_GNU_UNIQUE 10
#define STT_OBJECT 1
#define STT_FUNC 2
#define STT_SECTION 3
#define STT_FILE 4
#define STT_GNU_IFUNC 10

/*
 * Returns the length of a suffix that compilers append to names, if the text
 * begins with one. The text must begin with '.'. Suffixes are ".5", ".clone.5"
 * and ".constprop.5". A '.' at the end of the text counts as a suffix of
 * length 1. 0: another word follows the '.'.
 */
static size_t
suffix_length(const char *text)
{
	static const char *const words[] = { ".clone.", ".constprop." };
	bool digit = false;
	size_t i = 0;

	for (size_t w = 0; w < 2; w++) {
		size_t len = strlen(words[w]);

		if (strncmp(text, words[w], len) == 0 && text[len])
			i = len - 1;
	}
	for (i++; text[i] && !(digit && text[i] == '.'); i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		digit = true;
	}
	return i;
}

/*
 * False if GNU gprof skips local symbols of this name: with '$', or an unknown
 * suffix. After a suffix, gprof reads past the NUL into the next name of the
 * table. At most room bytes are read here.
 */
static bool
is_local_name(const char *name, size_t room)
{
	size_t i = 0, len;

	while (i < room && name[i] != '\0') {
		if (name[i] == '$')
			return false;
		if (name[i] != '.') {
			i++;
			continue;
		}
		for (; name[i] == '.'; i += len) {
			len = suffix_length(name + i);
			if (len == 0)
				return false;
		}
		i++;
	}
	return true;
}

static bool
is_function(const struct cg_symbol *symbol)
{
	if (symbol->undefined || symbol->absolute ||
	    symbol->type == STT_SECTION || symbol->type == STT_FILE ||
	    symbol->type == STT_GNU_IFUNC || symbol->bind == STB_GNU_UNIQUE)
		return false;
	if (symbol->bind == STB_WEAK)
		return symbol->type != STT_OBJECT;
	if (symbol->bind == STB_LOCAL)
		return symbol->exec &&
		       is_local_name(symbol->name, symbol->room);
	return symbol->exec;
}

static unsigned
underscores(const char *name)
{
	return name[0] != '_' ? 0 : name[1] != '_' ? 1 : 2;
}

/*
 * Orders symbols for qsort() by address. Of symbols at one address, the one
 * that GNU gprof takes to name the function comes first.
 */
static int
compare_symbols(const void *va, const void *vb)
{
	const struct gprof_symbol *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->global != b->global)
		return a->global ? -1 : 1;
	if (a->func != b->func)
		return a->func ? -1 : 1;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) < underscores(b->name) ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/*
 * Sorts the symbols, keeps the first for each address, and sets their ends to
 * the next one's begin. The last one ends with .text or, without it, the last
 * executable segment.
 */
static void
set_extents(struct gprof_symbols *symbols, const struct cg_symbols *elf)
{
	uint64_t last = elf->text_end ? elf->text_end : elf->exec_high;
	struct gprof_symbol *at = symbols->at;
	size_t kept = 0;

	if (symbols->count > 0)
		qsort(at, symbols->count, sizeof(*at), compare_symbols);
	for (size_t i = 0; i < symbols->count; i++) {
		if (i == 0 || at[i].addr != at[kept - 1].addr)
			at[kept++] = at[i];
	}
	symbols->count = kept;
	for (size_t i = 0; i < kept; i++)
		at[i].end = i + 1 < kept ? at[i + 1].addr : last;
}

static bool
list_gnu_symbols(struct cg_job *job, const struct cg_symbols *table,
    struct gprof_symbols *symbols)
{
	struct cg_symbol symbol;

	symbols->at = cg_alloc(job, table->symbol_count * sizeof(*symbols->at));
	if (!symbols->at)
		return false;
	for (size_t i = 0; i < table->symbol_count; i++) {
		if (!cg_get_symbol(table, i, &symbol) || !is_function(&symbol))
			continue;
		symbols->at[symbols->count++] = (struct gprof_symbol){
			.addr = symbol.addr,
			.name = symbol.name,
			.index = i,
			.global = symbol.bind != STB_LOCAL,
			.func = symbol.type == STT_FUNC,
		};
	}
	set_extents(symbols, table);
	return true;
}

/*
 * Returns the index of the symbol whose extent (begin to end, excluded)
 * contains an address. NONE: there is none.
 */
static size_t
find_gnu_symbol(const struct gprof_symbols *symbols, uint64_t addr)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->at[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || addr >= symbols->at[low - 1].end)
		return NONE;
	return low - 1;
}

/* ---- The table ---------------------------------------------------------- */

/*
 * Fills funcs->entry with the addresses that calls enter, sorted and each
 * once. False: out of memory (reported).
 */
static bool
list_entries(struct gprof_funcs *funcs, const struct gmon *gmon)
{
	struct gmon_iterator next = { 0 };
	struct gmon_arc arc;

	funcs->entry = cg_alloc(funcs->job, gmon->arcs * sizeof(*funcs->entry));
	if (!funcs->entry)
		return false;
	while (gprof_next_arc(gmon, &next, &arc))
		funcs->entry[funcs->entries++] = arc.self;
	return gprof_make_distinct(funcs->entry, &funcs->entries) ||
	       cg_reject_nomem(funcs->job);
}

bool
gprof_funcs_open(struct gprof_funcs *funcs, struct cg_job *job,
    struct cg_build *build, const struct gmon *gmon,
    const struct gprof_images *images)
{
	*funcs = (struct gprof_funcs){ .job = job,
		.build = build,
		.images = images,
		.last = { NONE, NONE } };
	funcs->nameless =
	    images->count == 0 || images->image[0].symbols->symbol_count == 0;
	if (funcs->nameless || !cg_opt_flag(job, "gprof-compat"))
		return list_entries(funcs, gmon);
	funcs->compat = true;
	return list_gnu_symbols(job, images->image[0].symbols, &funcs->gnu);
}

/* A function that may not have been added to the graph yet. */
struct found {
	uint64_t start, end;
	const struct gprof_image *image;
	const char *name, *file;
	uint32_t line;
};

/*
 * True if the function belongs to the profiling runtime, such as mcount, so
 * that its time is the profiler's.
 */
static bool
is_overhead(const char *name)
{
	static const char *const names[] = { "mcount", "_mcount", "__mcount",
		"_gprof_mcount", "__mcount_internal", "__mcleanup" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Returns the key for an address in a cg_map: the address rotated. The map
 * stores keys together that differ only in their lowest bits. The lowest bits
 * of function addresses are mostly 0.
 */
static uint64_t
key_of(uint64_t addr)
{
	return addr >> 4 | addr << 60;
}

static void
remember(struct gprof_funcs *funcs, size_t i)
{
	if (funcs->last[0] == i)
		return;
	funcs->last[1] = funcs->last[0];
	funcs->last[0] = i;
}

static const struct gprof_func *
add_func(struct gprof_funcs *funcs, const struct found *found)
{
	struct cg_build *build = funcs->build;
	struct gprof_func *func;
	struct cg_range range = { 0 };
	cg_object object = 0;
	uint64_t base = 0;
	uint32_t *index;

	index = cg_map_in(funcs->job, &funcs->by_start, key_of(found->start));
	func = index && funcs->func.n < UINT32_MAX / 2
		   ? cg_push(funcs->job, &funcs->func)
		   : NULL;
	if (!func) {
		funcs->failed = !cg_reject_nomem(funcs->job);
		return NULL;
	}
	*index = (uint32_t)funcs->func.n;
	remember(funcs, funcs->func.n - 1);
	*func = (struct gprof_func){ .start = found->start,
		.end = found->end,
		.image = found->image,
		.line = found->line,
		.overhead = is_overhead(found->name) };
	if (found->image) {
		object =
		    cg_add_object(build, cg_slice(found->image->symbols->path));
		base = found->image->base;
	}
	func->file = cg_add_file(build, cg_slice(found->file));
	func->fn = cg_add_fn(build, cg_slice(found->name), func->file, object);
	range.first = found->line;
	range.addr = found->start - base;
	cg_set_fn_range(build, func->fn, &range);
	return func;
}

/*
 * Returns the function that begins at start, if it is in the graph already;
 * NULL: it is not. The pointer is valid until the next function is added.
 */
static const struct gprof_func *
get_known(struct gprof_funcs *funcs, uint64_t start)
{
	uint32_t i = cg_map_get(&funcs->by_start, key_of(start));

	if (i == 0)
		return NULL;
	remember(funcs, i - 1);
	return &funcs->func.at[i - 1];
}

/*
 * Returns the function that begins at found->start; adds it to the graph if it
 * is new. NULL: an error (reported).
 */
static const struct gprof_func *
get_func(struct gprof_funcs *funcs, const struct found *found)
{
	const struct gprof_func *func = get_known(funcs, found->start);

	return func ? func : add_func(funcs, found);
}

/* ---- Functions at addresses --------------------------------------------- */

static const struct gprof_func *
get_gnu(struct gprof_funcs *funcs, uint64_t addr)
{
	const struct gprof_image *image = &funcs->images->image[0];
	size_t i = find_gnu_symbol(&funcs->gnu, addr);
	const struct gprof_symbol *symbol;
	const struct gprof_func *func;
	struct cg_function fn;
	struct found found;

	if (i == NONE)
		return NULL;
	symbol = &funcs->gnu.at[i];
	func = get_known(funcs, symbol->addr);
	if (func)
		return func;
	found = (struct found){ .start = symbol->addr,
		.end = symbol->end,
		.image = image,
		.name = cg_demangle(funcs->job, symbol->name),
		.file = "" };
	if (!found.name) {
		funcs->failed = !cg_reject_nomem(funcs->job);
		return NULL;
	}
	if (cg_find_function(image->symbols, symbol->addr, &fn) &&
	    fn.start == symbol->addr) {
		found.file = fn.file;
		found.line = fn.line;
	}
	return add_func(funcs, &found);
}

static bool
find_symbol(struct gprof_funcs *funcs, uint64_t addr, struct found *found)
{
	const struct gprof_image *image = gprof_image_at(funcs->images, addr);
	struct cg_function fn;

	if (!image ||
	    !cg_find_function(image->symbols, addr - image->base, &fn))
		return false;
	*found = (struct found){ .start = fn.start + image->base,
		.end = fn.end + image->base,
		.image = image,
		.name = fn.name,
		.file = fn.file,
		.line = fn.line };
	return true;
}

/*
 * Sets name to the text for a function without a symbol: its address relative
 * to its object, in hex.
 */
static void
put_address(const struct gprof_funcs *funcs, char name[CG_NUMBER_MAX + 1],
    uint64_t addr)
{
	const struct gprof_image *image = gprof_image_at(funcs->images, addr);

	*cg_format_hex(name, addr - (image ? image->base : 0)) = '\0';
}

/*
 * Finds the function at addr in code without symbols. It reaches from the last
 * address up to addr that calls enter to the next one. Fills *found; "name" is
 * the buffer for its name. False: none, or the code has symbols.
 */
static bool
find_entry(struct gprof_funcs *funcs, uint64_t addr, struct found *found,
    char name[CG_NUMBER_MAX + 1])
{
	size_t low = 0, high = funcs->nameless ? funcs->entries : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (funcs->entry[middle] <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*found = (struct found){ .start = funcs->entry[low - 1],
		.end = low < funcs->entries ? funcs->entry[low] : UINT64_MAX,
		.image = gprof_image_at(funcs->images, addr),
		.name = name,
		.file = "" };
	put_address(funcs, name, found->start);
	return true;
}

const struct gprof_func *
gprof_func_at(struct gprof_funcs *funcs, uint64_t addr)
{
	char name[CG_NUMBER_MAX + 1];
	struct found found;
	bool ok;

	for (size_t i = 0; i < 2 && funcs->last[i] != NONE; i++) {
		const struct gprof_func *func = &funcs->func.at[funcs->last[i]];

		if (addr >= func->start && addr < func->end) {
			remember(funcs, funcs->last[i]);
			return func;
		}
	}
	if (funcs->failed)
		return NULL;
	if (funcs->compat)
		return get_gnu(funcs, addr);
	ok = find_symbol(funcs, addr, &found) ||
	     find_entry(funcs, addr, &found, name);
	return ok ? get_func(funcs, &found) : NULL;
}

const struct gprof_func *
gprof_any_func(struct gprof_funcs *funcs, uint64_t addr)
{
	const struct gprof_func *func = gprof_func_at(funcs, addr);
	char name[CG_NUMBER_MAX + 1];
	struct found found = {
		.start = addr, .end = addr, .name = name, .file = ""
	};

	if (func || funcs->failed)
		return func;
	found.image = gprof_image_at(funcs->images, addr);
	put_address(funcs, name, addr);
	return get_func(funcs, &found);
}

/*
 * Returns the function at an address that calls enter, and adds it to the
 * graph if it is new. An unknown function is named by the address. Results are
 * cached. NULL: out of memory (reported).
 */
const struct gprof_func *
gprof_entered_func(struct gprof_funcs *funcs, uint64_t addr)
{
	uint32_t i = cg_map_get(&funcs->by_entry, key_of(addr));
	const struct gprof_func *func;
	uint32_t *index;

	if (i != 0) {
		remember(funcs, i - 1);
		return &funcs->func.at[i - 1];
	}
	func = gprof_any_func(funcs, addr);
	if (!func)
		return NULL;
	index = cg_map_in(funcs->job, &funcs->by_entry, key_of(addr));
	if (!index) {
		funcs->failed = true;
		return NULL;
	}
	*index = (uint32_t)(func - funcs->func.at) + 1;
	return func;
}

void
gprof_prefetch_entered(
    const struct gprof_funcs *funcs, const struct gmon_arc *arc, size_t n)
{
	for (size_t i = 0; i < n; i++)
		cg_map_prefetch(&funcs->by_entry, key_of(arc[i].self));
	for (size_t i = 0; i < n; i++) {
		uint32_t at = cg_map_get(&funcs->by_entry, key_of(arc[i].self));

		if (at != 0)
			__builtin_prefetch(&funcs->func.at[at - 1]);
	}
}

/* ---- Lines -------------------------------------------------------------- */

const struct gprof_line *
gprof_line_at(struct gprof_funcs *funcs, uint64_t addr)
{
	const struct gprof_image *image;
	struct gprof_line *line = &funcs->line;
	const char *file;

	if (addr >= line->low && addr < line->high)
		return line;
	*line = (struct gprof_line){ .low = addr, .high = addr + 1 };
	image = gprof_image_at(funcs->images, addr);
	if (!image || !cg_find_line(image->symbols, addr - image->base, &file,
			  &line->line, &line->low, &line->high)) {
		line->line = 0;
		return line;
	}
	line->low += image->base;
	line->high += image->base;
	line->file = cg_add_file(funcs->build, cg_slice(file));
	return line;
}
