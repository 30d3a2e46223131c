/*
 * library.c - calls from a program into shared libraries that were
 * built with -pg.
 *
 * glibc records such a call like any other, its callee's address being
 * relative to the program. Where the library was is not in the file, but the
 * callee's address stands at most some 40 bytes behind the start of a
 * function, and a library is loaded at a multiple of the page size: one base
 * explains all addresses within the library, others next to none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gprof.h"

#define PAGE 4096
#define PROLOGUE 64 /* from a function's start to behind its mcount call */
#define VOTERS 64   /* addresses that propose bases */
#define PROPOSALS_MAX 65536
#define STT_FUNC 2 /* ELF */
#define EM_386 3
#define EM_X86_64 62

struct library {
	const struct cg_symbols *symbols;
	const struct cg_elf *elf;
	uint64_t *start; /* of functions, by place in their page */
	size_t starts;
	uint64_t *self; /* callees outside the program, by address */
	size_t selfs;
	uint64_t *base; /* proposals */
	size_t bases;
};

static int
compare_in_page(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;
	uint64_t x = *a % PAGE, y = *b % PAGE;

	return x == y ? gprof_compare_u64(va, vb) : x < y ? -1 : 1;
}

static bool
list_starts(struct library *lib)
{
	struct cg_symbol symbol;
	size_t n = lib->elf->symbol_count;

	lib->start = calloc(n + 1, sizeof(*lib->start));
	if (!lib->start)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (cg_get_symbol(lib->symbols, i, &symbol) && symbol.exec &&
		    symbol.type == STT_FUNC && !symbol.undefined)
			lib->start[lib->starts++] = symbol.addr;
	}
	lib->starts = gprof_make_distinct(lib->start, lib->starts);
	if (lib->starts > 0)
		qsort(lib->start, lib->starts, sizeof(*lib->start),
		    compare_in_page);
	return true;
}

static bool
list_selfs(struct library *lib, const struct gmon *gmon,
    const struct gmon_image *program)
{
	struct gmon_place place = { 0 };
	struct gmon_arc arc;
	size_t n = 0;

	lib->self = calloc(gmon->arcs + 1, sizeof(*lib->self));
	if (!lib->self)
		return false;
	while (gprof_next_arc(gmon, &place, &arc)) {
		if (arc.self < program->low || arc.self >= program->high)
			lib->self[n++] = arc.self;
	}
	lib->selfs = gprof_make_distinct(lib->self, n);
	return true;
}

/* A return address of mcount follows a call; on x86 that can be seen. */
static bool
follows_call(const struct library *lib, uint64_t addr)
{
	struct cg_slice code;

	if (lib->elf->machine != EM_386 && lib->elf->machine != EM_X86_64)
		return true;
	code = cg_find_code(lib->symbols, addr - 6, 6);
	return code.len == 6 && (memcmp(code.ptr + 1, "\xe8", 1) == 0 ||
				    memcmp(code.ptr, "\xff\x15", 2) == 0);
}

/* The first start whose place in its page is offset or later. */
static size_t
first_start(const struct library *lib, uint64_t offset)
{
	size_t low = 0, high = lib->starts;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lib->start[middle] % PAGE < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Proposes the bases at which self lies just behind a function's start. */
static void
propose_bases(struct library *lib, uint64_t self)
{
	for (unsigned into = 1; into <= PROLOGUE; into++) {
		uint64_t place = (self - into) % PAGE;

		for (size_t i = first_start(lib, place);
		     i < lib->starts && lib->start[i] % PAGE == place &&
		     lib->bases < PROPOSALS_MAX;
		     i++) {
			if (follows_call(lib, lib->start[i] + into))
				lib->base[lib->bases++] =
				    self - into - lib->start[i];
		}
	}
}

/* Is there a function just before addr? */
static bool
is_entry(const struct library *lib, uint64_t addr)
{
	struct cg_function fn;

	return cg_find_function(lib->symbols, addr, &fn) && addr > fn.start &&
	       addr - fn.start <= PROLOGUE && follows_call(lib, addr);
}

/* The first callee at addr or above. */
static size_t
first_self(const struct library *lib, uint64_t addr)
{
	size_t low = 0, high = lib->selfs;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lib->self[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many callees a base explains; 0 if one within the library is not. */
static size_t
count_explained(const struct library *lib, uint64_t base)
{
	size_t first = first_self(lib, base + lib->elf->exec_low), i = first;

	for (; i < lib->selfs && lib->self[i] < base + lib->elf->exec_high;
	     i++) {
		if (!is_entry(lib, lib->self[i] - base))
			return 0;
	}
	return i - first;
}

/* The one base that explains most; false if none or two do. */
static bool
find_base(struct library *lib, uint64_t *base)
{
	size_t step = lib->selfs / VOTERS + 1, best = 0, votes, n;
	size_t most_votes = 0;
	bool tie = false;

	for (size_t i = 0; i < lib->selfs; i += step)
		propose_bases(lib, lib->self[i]);
	if (lib->bases > 0)
		qsort(lib->base, lib->bases, sizeof(*lib->base),
		    gprof_compare_u64);
	for (size_t i = 0; i < lib->bases; i += votes) {
		for (votes = 1; i + votes < lib->bases &&
				lib->base[i + votes] == lib->base[i];
		     votes++)
			;
		if (votes < most_votes)
			continue;
		n = count_explained(lib, lib->base[i]);
		if (n == 0 || n < best)
			continue;
		tie = n == best;
		most_votes = votes;
		best = n;
		*base = lib->base[i];
	}
	return best > 0 && !tie;
}

int
gprof_add_library(struct cg_job *job, const struct gmon *gmon,
    struct gmon_images *images, const struct cg_symbols *symbols)
{
	struct library lib = { .symbols = symbols,
		.elf = cg_symbols_elf(symbols) };
	struct gmon_image *image = &images->image[images->count];
	uint64_t base = 0;
	int status = CG_OK;

	lib.base = calloc(PROPOSALS_MAX, sizeof(*lib.base));
	if (!lib.base || !list_selfs(&lib, gmon, &images->image[0]) ||
	    !list_starts(&lib)) {
		status = cg_nomem(job);
	} else if (lib.selfs > 0 && find_base(&lib, &base)) {
		*image = (struct gmon_image){ .symbols = symbols,
			.elf = lib.elf,
			.base = base,
			.low = base + lib.elf->exec_low,
			.high = base + lib.elf->exec_high };
		images->count++;
	} else if (lib.selfs > 0) {
		cg_warn(job, "no call is known to enter %s", lib.elf->path);
	}
	free(lib.base);
	free(lib.self);
	free(lib.start);
	return status;
}
