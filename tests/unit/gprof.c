/*
 * gprof.c - tests the arithmetic of gmon.out files by brute force: the bin of
 * an address, ticks to time and back, the order of arcs.
 */
#include "unit.h"

#include "../../formats/gprof/desc.h"
#include "io/io.h"

/* The bin that glibc counts a sample in: its monstartup(), then profil(). */
static uint64_t
profil_bin(const struct gmon_hist *hist, unsigned word, uint64_t pc)
{
	uint64_t range = hist->high - hist->low;
	uint64_t size = (range / 2 + word - 1) / word * word;
	float part = size < range ? (float)size / (float)range : 1;

	return ((pc - hist->low) / 2 * (uint64_t)(part * 65536)) / 65536;
}

static uint64_t
even_bin(const struct gmon_hist *hist, uint64_t pc)
{
	return (pc - hist->low) * hist->bins / (hist->high - hist->low);
}

static void
check_bins(const struct gmon_hist *hist, unsigned word, bool profil)
{
	for (uint64_t pc = hist->low; pc < hist->high; pc++) {
		uint64_t bin =
		    profil ? profil_bin(hist, word, pc) : even_bin(hist, pc);

		if (!CHECK(gprof_bin_of(hist, word, pc) == bin) ||
		    !CHECK(gprof_bin_start(hist, word, bin) <= pc) ||
		    !CHECK(pc < gprof_bin_start(hist, word, bin + 1)))
			return;
	}
}

static void
test_bins(uint64_t *seed)
{
	for (int i = 0; i < 200; i++) {
		unsigned word = unit_below(seed, 2) ? 8 : 4;
		uint64_t low = unit_below(seed, 1 << 20) * 4;
		uint64_t range = 4 + unit_below(seed, 1000) * 4;
		struct gmon_hist hist = { .low = low, .high = low + range };

		hist.bins = (range / 2 + word - 1) / word * word / 2;
		check_bins(&hist, word, true);
		hist.bins += word; /* not as glibc writes it */
		if (hist.bins <= range)
			check_bins(&hist, word, false);
	}
}

/* Ticks survive the conversion to ns and back. */
static void
test_rates(uint64_t *seed)
{
	for (int i = 0; i < 2000; i++) {
		uint64_t rate = 1 + unit_below(seed, GMON_NS);
		uint64_t ticks = unit_number(seed) >> 31, ns;

		rate = i % 2 ? rate : 1 + rate % 1000;
		ns = gprof_convert(ticks, GMON_NS, rate);
		CHECK(ns == UINT64_MAX ||
		      gprof_convert(ns, rate, GMON_NS) == ticks);
	}
	CHECK(gprof_convert(UINT64_MAX, GMON_NS, 1) == UINT64_MAX);
	CHECK(gprof_convert(3, GMON_NS, 1024) == 2929688);
}

/* The recorded order of arcs is restored. */
static void
test_order(uint64_t *seed)
{
	struct gprof_call call[64], back[64];
	struct unit_log said = { 0 };
	struct cg_job *job = cg_job_new(cg_formats(), unit_report, &said);
	struct gprof_order order = { .job = job };
	struct cg_slice text;
	char *copy;
	size_t n = 0;

	for (uint64_t from = 0x1000; n < 60; from += 16) {
		size_t arcs = 1 + unit_below(seed, 4);

		for (size_t i = 0; i < arcs && n < 60; i++, n++)
			call[n] = (struct gprof_call){ .from = from,
				.self = unit_below(seed, 1000) * 100 + n,
				.offset = (uint32_t)unit_below(seed, 3) };
	}
	for (size_t i = 0; i < n; i++)
		CHECK(gprof_order_add(&order, &call[i]));
	CHECK(gprof_order_end(&order, &text));
	copy = unit_alloc(text.len + 1);
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	memcpy(back, call, sizeof(back));
	qsort(back, n, sizeof(*back), gprof_compare_calls);
	gprof_order_apply(copy, back, n);
	for (size_t i = 0; i < n; i++)
		CHECK(back[i].self == call[i].self);
	free(copy);
	cg_scope_end(&cg_job_errors(job)->scope);
	cg_job_free(job);
}

/* A malformed order changes nothing. */
static void
test_wrong_order(void)
{
	static const char *const texts[] = { "", "x", "0x10", "0x10:", "0x10:0",
		"0x10:0.0.1", "0x10:0.1.3", "0x10:0.1.2.3", "0x20:1.0",
		"0x10:18446744073709551616.1.2" };

	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		struct gprof_call call[4] = { { .from = 0x10, .self = 1 },
			{ .from = 0x10, .self = 2 },
			{ .from = 0x10, .self = 3 },
			{ .from = 0x20, .self = 4 } };

		gprof_order_apply(texts[t], call, 4);
		for (size_t i = 0; i < 4; i++)
			CHECK(call[i].self == i + 1);
	}
}

int
main(void)
{
	uint64_t seed = 42;

	test_bins(&seed);
	test_rates(&seed);
	for (int i = 0; i < 300; i++)
		test_order(&seed);
	test_wrong_order();
	return unit_end();
}
