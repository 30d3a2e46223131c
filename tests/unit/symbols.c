/*
 * symbols.c - tests symbols of addresses in this test program itself, which
 * is compiled with -g; ranges are compared with brute force; and names.
 */
#include <unistd.h>

#include "symbols/elffile.h"
#include "unit.h"

/* ---- Code to look up ---------------------------------------------------- */

int unit_outer(const int *, int);

/* Expected lines are relative to this one. */
enum { HERE = __LINE__ };
static inline __attribute__((always_inline)) int
inner(const int *values, int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += values[i] * i;
	return sum;
}

__attribute__((noinline)) int
unit_outer(const int *values, int n)
{
	int sum = inner(values, n);

	return sum + n;
}
enum { SUM_LINE = HERE + 7, OUTER_LINE = HERE + 12, CALL_LINE = HERE + 14 };

/* ---- Ranges ------------------------------------------------------------- */

#define SPACE 40

/* The range with the latest start, then the highest id. */
static uint32_t
innermost(const struct cg_span *span, size_t count, uint64_t addr)
{
	const struct cg_span *best = NULL;

	for (size_t i = 0; i < count; i++) {
		if (addr < span[i].low || addr >= span[i].high)
			continue;
		if (!best || span[i].low > best->low ||
		    (span[i].low == best->low && span[i].id > best->id))
			best = &span[i];
	}
	return best ? best->id : UINT32_MAX;
}

static void
test_spans(uint64_t *seed)
{
	struct cg_spans spans = { 0 };
	struct cg_span all[8];
	const struct cg_span *found;
	size_t count = unit_below(seed, 9);
	bool same = true;

	for (size_t i = 0; i < count; i++) {
		all[i].low = unit_below(seed, SPACE);
		all[i].high = unit_below(seed, SPACE);
		all[i].id = (uint32_t)i;
		CHECK(cg_spans_add(&spans, all[i].low, all[i].high, all[i].id));
	}
	CHECK(cg_spans_flatten(&spans));
	for (uint64_t addr = 0; addr <= SPACE; addr++) {
		found = cg_spans_find(&spans, addr);
		same = same && (found ? found->id : UINT32_MAX) ==
				   innermost(all, count, addr);
	}
	CHECK(same);
	cg_spans_free(&spans);
}

/* ---- Names -------------------------------------------------------------- */

static void
test_demangle(void)
{
	/* The last one demangles to 2^29 letters. */
	static const char *const names[][2] = {
		{ "main", "main" },
		{ "", "" },
		{ "_Z", "_Z" },
		{ "_ZN3app4workEi", "app::work(int)" },
		{ "_ZL4workv.part.0", "work() [clone .part.0]" },
		{ "_RNvC7mycrate4work", "mycrate::work" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE",
		    "core::fmt::write" },
		{ "_D3app4workFiZv", "app.work(int)" },
		{ "Lio/netty/Loop;::run", "io.netty.Loop.run" },
		{ "Lio/netty/Loop;.run(I[Ljava/A;)V", "io.netty.Loop.run" },
		{ "Lio/netty/Loop;run(Ljava/A", "io.netty.Loop.run" },
		{ "La/B;.<init>()La/B;_[j]", "a.B.<init>_[j]" },
		{ "La/B;.get(List.java:12)", "a.B.get(List.java:12)" },
		{ "La/B;.f()V in La/C$$Lambda$1;.g()V in x",
		    "a.B.f in a.C$$Lambda$1.g in x" },
		{ "Main;.f", "Main;.f" },
		{ "LMain;::f", "Main.f" },
		{ "LMain:::f", "Main.f" },
		{ "a/B:.f_[j]", "a.B.f_[j]" },
		{ "a/B:::f", "a.B.f" },
		{ "Lexer::next", "Lexer::next" },
		{ "Lcom/XXX::XXX", "Lcom/XXX::XXX" },
		{ "LazyCompile:*f /a/b.js:3", "LazyCompile:*f /a/b.js:3" },
		{ "net/http.(*conn).serve", "net/http.(*conn).serve" },
		{ "La/B;", "La/B;" },
		{ "La/B;.", "La/B;." },
		{ "L", "L" },
		{ "/a:.f", "/a:.f" },
		{ "_Z1f1pI1aS0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_E"
		  "S_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_ES_IS9_S9_E"
		  "S_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_E"
		  "S_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_ISI_SI_ES_ISJ_SJ_E",
		    NULL },
	};
	struct cg_strs strs = { 0 };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *name = cg_demangle_in(&strs, names[i][0]);

		CHECK(strcmp(name, names[i][names[i][1] ? 1 : 0]) == 0);
	}
	cg_strs_free(&strs);
}

/* ---- This program ------------------------------------------------------- */

static bool
ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), tail = strlen(end);

	return len >= tail && strcmp(text + len - tail, end) == 0;
}

static void
test_function(const struct cg_symbols *symbols, struct cg_function *fn)
{
	const char *code = (const char *)(uintptr_t)unit_outer;
	struct cg_function same;
	struct cg_slice bytes;

	if (!CHECK(cg_find_name(symbols, cg_slice("unit_outer"), fn)))
		return;
	CHECK(strcmp(fn->name, "unit_outer") == 0);
	CHECK(fn->start < fn->end);
	CHECK(cg_find_function(symbols, fn->end - 1, &same));
	CHECK(same.start == fn->start && same.end == fn->end);
	CHECK(!cg_find_name(symbols, cg_slice("unit_oute"), &same));
	CHECK(!cg_find_name(symbols, cg_slice("unit_outer_"), &same));
	CHECK(!cg_find_function(symbols, UINT64_MAX, &same));
	bytes = cg_find_code(symbols, fn->start, 8);
	CHECK(bytes.len == 8 && memcmp(bytes.ptr, code, 8) == 0);
	CHECK(cg_find_code(symbols, UINT64_MAX, 8).len == 0);
}

static void
test_lines(const struct cg_symbols *symbols, const struct cg_function *fn)
{
	struct cg_frame frame[CG_FRAME_MAX];
	const char *file;
	uint64_t low, high;
	uint32_t line;
	bool seen = false;

	CHECK(ends_with(fn->file, "tests/unit/symbols.c"));
	CHECK(fn->line == OUTER_LINE);
	for (uint64_t addr = fn->start; addr < fn->end; addr++) {
		size_t n = cg_find_frames(symbols, addr, frame);

		CHECK(n <= CG_FRAME_MAX);
		if (n == 0 ||
		    !cg_find_line(symbols, addr, &file, &line, &low, &high))
			continue;
		CHECK(low <= addr && addr < high);
		CHECK(frame[0].file == file && frame[0].line == line);
		CHECK(strcmp(frame[n - 1].name, "unit_outer") == 0);
		if (n != 2 || line != SUM_LINE)
			continue;
		seen = true;
		CHECK(strcmp(frame[0].name, "inner") == 0);
		CHECK(frame[1].line == CALL_LINE);
		CHECK(strcmp(frame[1].file, fn->file) == 0);
	}
	CHECK(seen);
}

static void
test_self(void)
{
	struct unit_log log = { 0 };
	struct cg_diag diag = { .report = unit_report, .arg = &log };
	int status = CG_EBUG;
	struct cg_symbols *symbols =
	    cg_symbols_load(&diag, "/proc/self/exe", false, &status);
	struct cg_function fn = { .file = "" };

	if (!CHECK(symbols && status == CG_OK && log.count == 0))
		return;
	CHECK(symbols->word == sizeof(void *));
	CHECK(symbols->symbol_count > 0);
	CHECK(symbols->load_low <= symbols->exec_low &&
	      symbols->exec_low < symbols->exec_high);
	CHECK(symbols->exec_low <= symbols->text_low &&
	      symbols->text_low < symbols->text_end &&
	      symbols->text_end <= symbols->text_high);
	test_function(symbols, &fn);
	if (fn.line > 0) /* compiled with -g */
		test_lines(symbols, &fn);
	CHECK(cg_symbols_status(symbols) == CG_OK);
	cg_symbols_free(symbols);
}

static void
test_refused(void)
{
	static const char *const paths[][2] = {
		{ "/nowhere/prog",
		    "cannot open /nowhere/prog: No such file or directory" },
		{ "/", "cannot open /: not a regular file" },
		{ "/proc/self/environ", "/proc/self/environ: not an ELF file" },
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct unit_log log = { 0 };
		struct cg_diag diag = { .report = unit_report, .arg = &log };
		int status = CG_OK;

		CHECK(!cg_symbols_load(&diag, paths[i][0], true, &status));
		CHECK(status == CG_OK && log.count == 0);
		CHECK(!cg_symbols_load(&diag, paths[i][0], false, &status));
		CHECK(log.count == 1 && log.last.severity == CG_WARNING);
		CHECK(strcmp(log.text, paths[i][1]) == 0);
	}
}

int
main(void)
{
	const int values[] = { 1, 2, 3 };
	uint64_t seed = 1;

	for (int i = 0; i < 500; i++)
		test_spans(&seed);
	test_demangle();
	test_self();
	test_refused();
	CHECK(unit_outer(values, 3) == 11);
	return unit_end();
}
