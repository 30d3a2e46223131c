/*
 * program.c - which executable a gmon.out is of, and where that was
 * loaded.
 *
 * The histogram of glibc, and of most others, goes from __executable_start to
 * etext rounded up to 4. That held in 44 of 44 programs of 6 machines and 3
 * linkers, stripped ones too, so it serves as a check that GNU gprof does not
 * make, and tells the load bias of addresses that were not corrected: glibc
 * before 2.27, MinGW with ASLR, home-made runtimes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gprof.h"

#define NOWHERE UINT64_MAX
#define PAGE 4096      /* of a load bias: a multiple of it */
#define PAGE_MAX 65536 /* the greatest page that a segment is rounded to */
#define ET_EXEC 2      /* ELF: an executable that cannot be moved */

/* Where text may begin and end in the eyes of a runtime; likeliest first. */
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
	const struct cg_elf *elf = cg_symbols_elf(symbols);
	bool text = elf->text_end > elf->text_low;
	struct limits limits = {
		.low = { NOWHERE, elf->load_low, NOWHERE,
		    text ? elf->text_low : NOWHERE },
		.high = { NOWHERE, elf->text_high, elf->exec_high,
		    text ? elf->text_end : NOWHERE },
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

/* Is this the range, moved by what may be a load bias? */
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

/* LD_PROFILE's range: executable segments, rounded to pages. */
static bool
match_pages(const struct gmon_hist *hist, const struct cg_elf *elf)
{
	return hist->low % PAGE == 0 && hist->high % PAGE == 0 &&
	       hist->low <= elf->exec_low &&
	       elf->exec_low - hist->low < PAGE_MAX &&
	       hist->high >= elf->exec_high &&
	       hist->high - elf->exec_high < PAGE_MAX;
}

static bool
same_class(const struct gmon *gmon, const struct cg_elf *elf)
{
	return gmon->word == elf->word && gmon->big == elf->big_endian;
}

/*
 * Does the object hold what the file profiles? The BSDs begin their range
 * where they like, so theirs only has to lie within. Arcs alone match.
 */
static bool
match_object(
    const struct gmon *gmon, const struct cg_symbols *symbols, uint64_t *bias)
{
	const struct cg_elf *elf = cg_symbols_elf(symbols);
	struct limits limits = find_limits(symbols);

	*bias = 0;
	if (!same_class(gmon, elf))
		return false;
	for (size_t i = 0; i < gmon->hists; i++) {
		const struct gmon_hist *hist = &gmon->hist[i];

		if (match_range(hist, &limits, elf->type != ET_EXEC, bias) ||
		    match_pages(hist, elf))
			return true;
		if (gmon->kind == GMON_BSD44 && hist->low >= elf->load_low &&
		    hist->high <= round_up(elf->exec_high))
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
set_program(struct cg_job *job, struct gmon *gmon, struct gmon_images *images,
    const struct cg_symbols *symbols, uint64_t bias)
{
	const struct cg_elf *elf = cg_symbols_elf(symbols);

	if (bias != 0) {
		cg_warn(job,
		    "addresses are biased by 0x%" PRIx64
		    " (old libc or ASLR); corrected",
		    bias);
		subtract_bias(gmon, bias);
	}
	images->image[0] = (struct gmon_image){ .symbols = symbols,
		.elf = elf,
		.low = elf->load_low,
		.high = elf->exec_high };
	images->count = 1;
	if (elf->symbol_count == 0)
		cg_warn(job,
		    "%s has no symbols; looked for a debug file by build-id "
		    "'%s' and debuglink '%s'",
		    elf->path, elf->build_id, elf->debuglink);
}

/* ---- Candidates --------------------------------------------------------- */

int
gprof_open_objects(struct cg_job *job)
{
	const char *path;

	for (size_t i = 0; (path = cg_job_object(job, i)) != NULL; i++) {
		if (!cg_open_symbols(job, path, false))
			return cg_fail(
			    job, "expected an ELF file in '%s'", path);
	}
	return CG_OK;
}

int
gprof_hint(struct cg_job *job, struct gmon_hint *hint)
{
	const char *path = cg_job_object(job, 0);
	const struct cg_elf *elf;
	int status = gprof_open_objects(job);

	if (!path || status != CG_OK)
		return status;
	elf = cg_symbols_elf(cg_open_symbols(job, path, true));
	hint->word = elf->word;
	hint->big = elf->big_endian;
	return CG_OK;
}

/* None of the objects fits the file: says how the first one differs. */
static int
fail_mismatch(struct cg_job *job, const struct gmon *gmon,
    const struct cg_symbols *symbols)
{
	const struct cg_elf *elf = cg_symbols_elf(symbols);
	const struct gmon_hist *hist = gmon->hist;
	static const char *const order[] = { "little", "big" };
	uint64_t low, high;

	if (!same_class(gmon, elf))
		return cg_fail(job,
		    "the file is %u-bit %s endian, %s is %u-bit %s endian: "
		    "different executable (use --any-exe)",
		    gmon->word * 8, order[gmon->big], elf->path, elf->word * 8,
		    order[elf->big_endian]);
	gprof_text(symbols, &low, &high);
	return cg_fail(job,
	    "covers 0x%" PRIx64 "-0x%" PRIx64 " but %s has text 0x%" PRIx64
	    "-0x%" PRIx64 ": different executable (use --any-exe)",
	    hist->low, hist->high, elf->path, low, high);
}

/* The input's name without a suffix that profilers append to a program's. */
static char *
name_beside(const char *name)
{
	static const char *const suffixes[] = { ".profile", ".gmon" };
	size_t len = strlen(name);
	char *path;

	for (size_t i = 0; i < 2; i++) {
		size_t cut = strlen(suffixes[i]);

		if (len <= cut || strcmp(name + len - cut, suffixes[i]) != 0)
			continue;
		path = malloc(len - cut + 1);
		if (path) {
			memcpy(path, name, len - cut);
			path[len - cut] = '\0';
		}
		return path;
	}
	return NULL;
}

/*
 * Nobody named the program: a.out, or what the input's name hints at, if the
 * histogram says that it fits.
 */
static const struct cg_symbols *
guess_program(struct cg_job *job, const struct cg_in *in,
    const struct gmon *gmon, uint64_t *bias)
{
	const struct cg_symbols *symbols = NULL;
	char *beside;

	if (gmon->hists == 0)
		return NULL;
	beside = name_beside(cg_in_name(in));
	if (beside)
		symbols = cg_open_symbols(job, beside, true);
	free(beside);
	if (symbols && match_object(gmon, symbols, bias))
		return symbols;
	symbols = cg_open_symbols(job, "a.out", true);
	if (symbols && match_object(gmon, symbols, bias))
		return symbols;
	return NULL;
}

/* The first object that fits, else with --any-exe the first at all. */
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

static int
add_libraries(
    struct cg_job *job, const struct gmon *gmon, struct gmon_images *images)
{
	const struct cg_symbols *symbols;
	const char *path;
	int status = CG_OK;

	for (size_t i = 0; (path = cg_job_object(job, i)) != NULL; i++) {
		symbols = cg_open_symbols(job, path, true);
		if (symbols != images->image[0].symbols && status == CG_OK &&
		    same_class(gmon, cg_symbols_elf(symbols)))
			status = gprof_add_library(job, gmon, images, symbols);
	}
	return status;
}

int
gprof_find_images(struct cg_job *job, const struct cg_in *in, struct gmon *gmon,
    struct gmon_images *images)
{
	const struct cg_symbols *first = NULL, *program;
	size_t objects = 0;
	uint64_t bias;

	while (cg_job_object(job, objects))
		objects++;
	images->image = calloc(objects + 1, sizeof(*images->image));
	if (!images->image)
		return cg_nomem(job);
	program = choose_program(job, gmon, &bias, &first);
	if (!program && first)
		return fail_mismatch(job, gmon, first);
	if (!program)
		program = guess_program(job, in, gmon, &bias);
	if (program) {
		set_program(job, gmon, images, program, bias);
		return add_libraries(job, gmon, images);
	}
	if (gmon->kind == GMON_BSD_OLD)
		return cg_fail(job,
		    "perhaps an old BSD gmon.out: give its program with "
		    "--exe to be sure");
	cg_warn(job,
	    "functions are named by their addresses: give the program with "
	    "--exe");
	return CG_OK;
}

void
gprof_free_images(struct gmon_images *images)
{
	free(images->image);
	*images = (struct gmon_images){ 0 };
}
