/*
 * image.c - the executable of a gmon.out, its load bias, and the shared
 * libraries that it calls.
 *
 * The histogram of glibc, and of most others, goes from __executable_start to
 * etext rounded up to 4. This was true for 44 of 44 programs of 6 machines and
 * 3 linkers, including stripped ones. So the range is checked, which GNU gprof
 * does not do, and it reveals the load bias of addresses that were not
 * corrected: glibc before 2.27, MinGW with ASLR, custom runtimes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

#define NOWHERE UINT64_MAX
#define PAGE 4096      /* load biases are multiples of it */
#define PAGE_MAX 65536 /* largest alignment of segments */
#define ET_EXEC 2      /* ELF: an executable with fixed addresses */
#define STT_FUNC 2
#define EM_386 3
#define EM_X86_64 62

bool
gprof_is_x86(const struct cg_symbols *elf)
{
	return elf->machine == EM_386 || elf->machine == EM_X86_64;
}

/* ---- Matching an object ------------------------------------------------- */

/* Addresses where text may begin and end in a runtime, the likeliest first. */
#define LIMITS 4
struct limits {
	uint64_t low[LIMITS], high[LIMITS];
};

static uint64_t
round_up(uint64_t addr)
{
	return addr + (-addr & 3);
}

static struct limits
find_limits(const struct cg_symbols *symbols)
{
	bool text = symbols->text_end > symbols->text_low;
	struct limits limits = {
		.low = { NOWHERE, symbols->load_low, NOWHERE,
		    text ? symbols->text_low : NOWHERE },
		.high = { NOWHERE, symbols->text_high, symbols->exec_high,
		    text ? symbols->text_end : NOWHERE },
	};
	struct cg_symbol symbol;

	for (size_t i = 0; cg_get_symbol(symbols, i, &symbol); i++) {
		if (symbol.undefined || strchr("_e", *symbol.name) == NULL)
			continue;
		if (strcmp(symbol.name, "__executable_start") == 0)
			limits.low[0] = symbol.addr;
		else if (strcmp(symbol.name, "_start") == 0)
			limits.low[2] = symbol.addr;
		else if (strcmp(symbol.name, "etext") == 0)
			limits.high[0] = symbol.addr;
	}
	return limits;
}

void
gprof_text(const struct cg_symbols *symbols, uint64_t *low, uint64_t *high)
{
	struct limits limits = find_limits(symbols);

	*low = limits.low[limits.low[0] == NOWHERE];
	*high = round_up(limits.high[limits.high[0] == NOWHERE]);
	*low &= ~(uint64_t)3;
}

/*
 * True if the histogram covers one of the ranges that runtimes profile
 * (limits), shifted by a load bias. Sets *bias to the load bias, 0 if none
 * matches. Only a movable object can have a bias other than 0, a multiple of
 * the page size.
 */
static bool
match_range(const struct gmon_hist *hist, const struct limits *limits,
    bool movable, uint64_t *bias)
{
	for (size_t i = 0; i < LIMITS * LIMITS; i++) {
		uint64_t low = limits->low[i / LIMITS];
		uint64_t high = limits->high[i % LIMITS];

		if (low == NOWHERE || high == NOWHERE)
			continue;
		*bias = hist->high - round_up(high);
		if (hist->low - *bias != (low & ~(uint64_t)3))
			continue;
		if (*bias == 0 || (movable && *bias % PAGE == 0))
			return true;
	}
	*bias = 0;
	return false;
}

/*
 * True if the histogram covers the executable segments of the object, rounded
 * to pages, as it does in files of LD_PROFILE.
 */
static bool
match_pages(const struct gmon_hist *hist, const struct cg_symbols *elf)
{
	return hist->low % PAGE == 0 && hist->high % PAGE == 0 &&
	       hist->low <= elf->exec_low &&
	       elf->exec_low - hist->low < PAGE_MAX &&
	       hist->high >= elf->exec_high &&
	       hist->high - elf->exec_high < PAGE_MAX;
}

static bool
same_class(const struct gmon *gmon, const struct cg_symbols *elf)
{
	return gmon->word == elf->word && gmon->big == elf->big_endian;
}

/*
 * True if the file may be a profile of this object. Pointer size and byte
 * order must be the same. A histogram, if there is one, must cover the
 * object's code; in 4.4BSD, within the code is enough. Sets *bias to the load
 * bias, or to 0.
 */
static bool
match_object(
    const struct gmon *gmon, const struct cg_symbols *symbols, uint64_t *bias)
{
	struct limits limits = find_limits(symbols);

	*bias = 0;
	if (!same_class(gmon, symbols))
		return false;
	for (size_t i = 0; i < gmon->hists; i++) {
		const struct gmon_hist *hist = &gmon->hist[i];

		if (match_range(
			hist, &limits, symbols->type != ET_EXEC, bias) ||
		    match_pages(hist, symbols))
			return true;
		if (gmon->kind == GMON_BSD44 &&
		    hist->low >= symbols->load_low &&
		    hist->high <= round_up(symbols->exec_high))
			return true;
	}
	return gmon->hists == 0;
}

static void
subtract_bias(struct gmon *gmon, uint64_t bias)
{
	for (size_t i = 0; i < gmon->hists; i++) {
		gmon->hist[i].low -= bias;
		gmon->hist[i].high -= bias;
	}
	gmon->origin -= bias;
	for (size_t i = 0; i < gmon->blocks; i++)
		gmon->block[i].addr -= bias;
}

static void
set_program(struct cg_job *job, struct gmon *gmon, struct gprof_images *images,
    const struct cg_symbols *symbols, uint64_t bias)
{

	if (bias != 0) {
		cg_warn(job,
		    "corrected addresses by a load bias of 0x%" PRIx64
		    " (old libc or ASLR)",
		    bias);
		subtract_bias(gmon, bias);
	}
	images->image[0] = (struct gprof_image){ .symbols = symbols,
		.low = symbols->load_low,
		.high = symbols->exec_high };
	images->count = 1;
	if (symbols->symbol_count == 0)
		cg_warn(job,
		    "%s has no symbols, and no debug file with build-id '%s' "
		    "or debuglink '%s' was found",
		    symbols->path, symbols->build_id, symbols->debuglink);
}

/* ---- Shared libraries --------------------------------------------------- */

/*
 * glibc records a call from the program into a shared library like any other;
 * the callee's address is relative to the program. The file does not say where
 * the library was loaded, but a callee's address lies at most some 40 bytes
 * after the start of a function, and a library is loaded at a multiple of the
 * page size: one base explains all addresses within the library, other bases
 * explain hardly any.
 */
#define VOTERS 64 /* addresses that propose bases */
#define PROPOSALS_MAX 65536

struct library {
	const struct cg_symbols *symbols;
	CG_ARRAY(uint64_t) start; /* function starts by offset in page */
	CG_ARRAY(uint64_t) self;  /* callees outside the program, by address */
	CG_ARRAY(uint64_t) base;  /* proposals */
};

static int
compare_u64(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a == *b ? 0 : *a < *b ? -1 : 1;
}

bool
gprof_make_distinct(uint64_t *value, size_t *n)
{
	size_t kept = 0;

	if (!cg_sort_by_u64(value, *n, sizeof(*value), 0))
		return false;
	for (size_t i = 0; i < *n; i++) {
		if (i == 0 || value[i] != value[kept - 1])
			value[kept++] = value[i];
	}
	*n = kept;
	return true;
}

static int
compare_in_page(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;
	uint64_t x = *a % PAGE, y = *b % PAGE;

	return x == y ? compare_u64(va, vb) : x < y ? -1 : 1;
}

static bool
list_starts(struct cg_job *job, struct library *lib)
{
	struct cg_symbol symbol;
	size_t n = lib->symbols->symbol_count;

	if (!cg_reserve(job, &lib->start, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (cg_get_symbol(lib->symbols, i, &symbol) && symbol.exec &&
		    symbol.type == STT_FUNC && !symbol.undefined)
			lib->start.at[lib->start.n++] = symbol.addr;
	}
	if (!gprof_make_distinct(lib->start.at, &lib->start.n))
		return cg_reject_nomem(job);
	if (lib->start.n > 0)
		qsort(lib->start.at, lib->start.n, sizeof(uint64_t),
		    compare_in_page);
	return true;
}

static bool
list_selfs(struct cg_job *job, struct library *lib, const struct gmon *gmon,
    const struct gprof_image *program)
{
	struct gmon_iterator next = { 0 };
	struct gmon_arc arc;

	if (!cg_reserve(job, &lib->self, gmon->arcs))
		return false;
	while (gprof_next_arc(gmon, &next, &arc)) {
		if (arc.self < program->low || arc.self >= program->high)
			lib->self.at[lib->self.n++] = arc.self;
	}
	return gprof_make_distinct(lib->self.at, &lib->self.n) ||
	       cg_reject_nomem(job);
}

/*
 * True if the code just before addr is an x86 call instruction, so that addr
 * can be its return address. Always true on other machines.
 */
static bool
follows_call(const struct library *lib, uint64_t addr)
{
	struct cg_slice code;

	if (!gprof_is_x86(lib->symbols))
		return true;
	code = cg_find_code(lib->symbols, addr - 6, 6);
	return code.len == 6 && (memcmp(code.ptr + 1, "\xe8", 1) == 0 ||
				    memcmp(code.ptr, "\xff\x15", 2) == 0);
}

/*
 * Returns the index of the first element of lib->start that is at "offset" or
 * later within its page. Returns start.n if there is none. The list has the
 * begins of functions, sorted by their offset within their page.
 */
static size_t
first_start(const struct library *lib, uint64_t offset)
{
	size_t low = 0, high = lib->start.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lib->start.at[middle] % PAGE < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Appends to lib->base (room for PROPOSALS_MAX) load addresses that "self", an
 * address that calls enter, proposes. With them, self is just after the begin
 * of a function of the library, where it calls mcount.
 */
static void
propose_bases(struct library *lib, uint64_t self)
{
	for (unsigned into = 1; into <= GPROF_PROLOGUE; into++) {
		uint64_t offset = (self - into) % PAGE;

		for (size_t i = first_start(lib, offset);
		     i < lib->start.n && lib->start.at[i] % PAGE == offset &&
		     lib->base.n < PROPOSALS_MAX;
		     i++) {
			if (follows_call(lib, lib->start.at[i] + into))
				lib->base.at[lib->base.n++] =
				    self - into - lib->start.at[i];
		}
	}
}

/*
 * True if "addr", an address in the library's file, can be the address that a
 * profile has for calls of a function. The runtime records the place just
 * after the function's begin and its call of mcount.
 */
static bool
is_entry(const struct library *lib, uint64_t addr)
{
	struct cg_function fn;

	return cg_find_function(lib->symbols, addr, &fn) && addr > fn.start &&
	       addr - fn.start <= GPROF_PROLOGUE && follows_call(lib, addr);
}

/*
 * Returns the index of the first element of lib->self that is at least "addr".
 * Returns self.n if there is none. The list has the addresses that calls
 * enter, sorted.
 */
static size_t
first_self(const struct library *lib, uint64_t addr)
{
	size_t low = 0, high = lib->self.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lib->self.at[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns how many addresses that calls enter are function entries of the
 * library, if loaded at base. 0 if one in its range is not: then base is
 * wrong.
 */
static size_t
count_explained(const struct library *lib, uint64_t base)
{
	size_t first = first_self(lib, base + lib->symbols->exec_low),
	       i = first;

	for (; i < lib->self.n &&
	       lib->self.at[i] < base + lib->symbols->exec_high;
	     i++) {
		if (!is_entry(lib, lib->self.at[i] - base))
			return 0;
	}
	return i - first;
}

/*
 * Sets *base to the best load address of the library. Most addresses that
 * calls enter are then function entries. Tries only those that a sample of the
 * addresses proposes. False: none, or two are equally good; *base is
 * undefined.
 */
static bool
find_base(struct library *lib, uint64_t *base)
{
	size_t step = lib->self.n / VOTERS + 1, best = 0, votes, n;
	size_t most_votes = 0;
	bool tie = false;

	for (size_t i = 0; i < lib->self.n; i += step)
		propose_bases(lib, lib->self.at[i]);
	if (lib->base.n > 0)
		qsort(lib->base.at, lib->base.n, sizeof(uint64_t), compare_u64);
	for (size_t i = 0; i < lib->base.n; i += votes) {
		for (votes = 1; i + votes < lib->base.n &&
				lib->base.at[i + votes] == lib->base.at[i];
		     votes++)
			;
		if (votes < most_votes)
			continue;
		n = count_explained(lib, lib->base.at[i]);
		if (n == 0 || n < best)
			continue;
		tie = n == best;
		most_votes = votes;
		best = n;
		*base = lib->base.at[i];
	}
	return best > 0 && !tie;
}

/*
 * Appends the library to images->image, which must have room, if the addresses
 * that calls enter determine the library's load address. Warns if they do not.
 * Does nothing if all calls enter the program. False: out of memory
 * (reported).
 */
static bool
add_library(struct cg_job *job, const struct gmon *gmon,
    struct gprof_images *images, const struct cg_symbols *symbols)
{
	struct library lib = { .symbols = symbols };
	struct gprof_image *image = &images->image[images->count];
	uint64_t base = 0;

	if (!cg_reserve(job, &lib.base, PROPOSALS_MAX) ||
	    !list_selfs(job, &lib, gmon, &images->image[0]) ||
	    !list_starts(job, &lib))
		return false;
	if (lib.self.n > 0 && find_base(&lib, &base)) {
		*image = (struct gprof_image){ .symbols = symbols,
			.base = base,
			.low = base + lib.symbols->exec_low,
			.high = base + lib.symbols->exec_high };
		images->count++;
	} else if (lib.self.n > 0) {
		cg_warn(job, "no call is known to enter %s", lib.symbols->path);
	}
	/* Freed now, as there may be many libraries. */
	cg_drop(job, &lib.base);
	cg_drop(job, &lib.self);
	cg_drop(job, &lib.start);
	return true;
}

static bool
add_libraries(
    struct cg_job *job, const struct gmon *gmon, struct gprof_images *images)
{
	const struct cg_symbols *symbols;
	const char *path;

	for (size_t i = 0; (path = cg_job_object(job, i)) != NULL; i++) {
		symbols = cg_open_symbols(job, path, true);
		if (symbols != images->image[0].symbols &&
		    same_class(gmon, symbols) &&
		    !add_library(job, gmon, images, symbols))
			return false;
	}
	return true;
}

/* ---- Finding objects ---------------------------------------------------- */

bool
gprof_open_objects(struct cg_job *job)
{
	const char *path;

	for (size_t i = 0; (path = cg_job_object(job, i)) != NULL; i++) {
		if (!cg_open_symbols(job, path, false))
			return cg_reject(
			    job, "expected an ELF file: '%s'", path);
	}
	return true;
}

bool
gprof_get_hint(struct cg_job *job, struct gprof_hint *hint)
{
	const char *path = cg_job_object(job, 0);
	const struct cg_symbols *symbols;

	if (!gprof_open_objects(job))
		return false;
	if (!path)
		return true;
	symbols = cg_open_symbols(job, path, true);
	hint->word = symbols->word;
	hint->big = symbols->big_endian;
	return true;
}

/*
 * Reports that none of the given objects matches the profile, and how the
 * first one differs. Returns false.
 */
static bool
reject_mismatch(struct cg_job *job, const struct gmon *gmon,
    const struct cg_symbols *symbols)
{
	const struct gmon_hist *hist = gmon->hist;
	static const char *const order[] = { "little", "big" };
	uint64_t low, high;

	if (!same_class(gmon, symbols))
		return cg_reject(job,
		    "the profile is %u-bit %s endian, but %s is %u-bit %s "
		    "endian: different executable (use {any-exe})",
		    gmon->word * 8, order[gmon->big], symbols->path,
		    symbols->word * 8, order[symbols->big_endian]);
	gprof_text(symbols, &low, &high);
	return cg_reject(job,
	    "the profile covers 0x%" PRIx64 "-0x%" PRIx64
	    ", but %s has text 0x%" PRIx64 "-0x%" PRIx64
	    ": different executable (use {any-exe})",
	    hist->low, hist->high, symbols->path, low, high);
}

/*
 * Returns the name of the program. It is the input's name without the suffix
 * that profilers append to it, in memory of the job. NULL: the name has no
 * such suffix, or out of memory (reported).
 */
static char *
program_name(struct cg_job *job, const char *name)
{
	static const char *const suffixes[] = { ".profile", ".gmon" };
	size_t len = strlen(name);
	char *path;

	for (size_t i = 0; i < 2; i++) {
		size_t cut = strlen(suffixes[i]);

		if (len <= cut || strcmp(name + len - cut, suffixes[i]) != 0)
			continue;
		path = cg_alloc(job, len - cut + 1);
		if (path)
			memcpy(path, name, len - cut);
		return path;
	}
	return NULL;
}

/*
 * Opens and returns the executable to use without --exe. First tries the file
 * that has the input's name without its suffix, then a.out. Uses a file only
 * if a histogram matches it. Sets *bias to its load bias. NULL: neither file
 * matches, or there is no histogram.
 */
static const struct cg_symbols *
guess_program(struct cg_job *job, const struct cg_in *in,
    const struct gmon *gmon, uint64_t *bias)
{
	const struct cg_symbols *symbols = NULL;
	char *name;

	if (gmon->hists == 0)
		return NULL;
	name = program_name(job, cg_in_name(in));
	if (name)
		symbols = cg_open_symbols(job, name, true);
	if (symbols && match_object(gmon, symbols, bias))
		return symbols;
	symbols = cg_open_symbols(job, "a.out", true);
	if (symbols && match_object(gmon, symbols, bias))
		return symbols;
	return NULL;
}

/*
 * Returns the first object of --exe that matches the profile or, with
 * --any-exe, just the first; NULL: none. Sets *bias to the load bias, 0 if
 * none matches. Sets *first, which must be NULL before, to the first object,
 * if any, for messages.
 */
static const struct cg_symbols *
choose_program(struct cg_job *job, const struct gmon *gmon, uint64_t *bias,
    const struct cg_symbols **first)
{
	const struct cg_symbols *symbols;
	const char *path;

	for (size_t i = 0; (path = cg_job_object(job, i)) != NULL; i++) {
		symbols = cg_open_symbols(job, path, true);
		if (!*first)
			*first = symbols;
		if (match_object(gmon, symbols, bias))
			return symbols;
	}
	*bias = 0;
	return cg_opt_flag(job, "any-exe") ? *first : NULL;
}

bool
gprof_find_images(struct cg_job *job, const struct cg_in *in, struct gmon *gmon,
    struct gprof_images *images)
{
	const struct cg_symbols *first = NULL, *program;
	size_t objects = 0;
	uint64_t bias;

	while (cg_job_object(job, objects))
		objects++;
	images->image = cg_alloc(job, (objects + 1) * sizeof(*images->image));
	if (!images->image)
		return false;
	program = choose_program(job, gmon, &bias, &first);
	if (!program && first)
		return reject_mismatch(job, gmon, first);
	if (!program)
		program = guess_program(job, in, gmon, &bias);
	if (program) {
		set_program(job, gmon, images, program, bias);
		return add_libraries(job, gmon, images);
	}
	if (gmon->kind == GMON_BSD_OLD)
		return cg_reject(job,
		    "may be an old BSD gmon.out: name its executable with "
		    "{exe} to confirm");
	cg_warn(job,
	    "functions are named by their addresses; name the executable with "
	    "{exe}");
	return true;
}

const struct gprof_image *
gprof_image_at(const struct gprof_images *images, uint64_t addr)
{
	for (size_t i = 0; i < images->count; i++) {
		const struct gprof_image *image = &images->image[i];

		if (addr >= image->low && addr < image->high)
			return image;
	}
	return NULL;
}
