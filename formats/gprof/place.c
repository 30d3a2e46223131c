/*
 * place.c - where the places of a graph are in a gmon.out.
 *
 * A graph of a gmon.out has the very addresses. Others have those of a
 * running program, off by its load bias, or only names; an executable then
 * says where its functions are. A gmon.out is of one program: what lies in
 * other objects has no place in it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gprof.h"

#define PAGE 4096
#define BIN 4 /* bytes of a bin, as glibc has them */

/* ---- Which objects ------------------------------------------------------ */

static bool
same_name(struct cg_slice a, struct cg_slice b)
{
	for (size_t i = a.len; i > 0; i--) {
		if (a.ptr[i - 1] == '/') {
			a = (struct cg_slice){ a.ptr + i, a.len - i };
			break;
		}
	}
	for (size_t i = b.len; i > 0; i--) {
		if (b.ptr[i - 1] == '/') {
			b = (struct cg_slice){ b.ptr + i, b.len - i };
			break;
		}
	}
	return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/* An object is the program if it has its file name, or none. */
static void
find_ours(struct gmon_places *places)
{
	const struct cg_graph *graph = places->graph;
	struct cg_slice program = cg_slice(
	    places->symbols ? cg_symbols_elf(places->symbols)->path : "");

	for (cg_object i = 0; i <= cg_object_count(graph); i++) {
		struct cg_slice path = cg_object_path(graph, i);

		places->ours[i] = places->exact || path.len == 0 ||
				  (places->symbols && same_name(path, program));
		places->shift[i] =
		    places->exact ? gprof_recall_base(graph, path) : 0;
	}
}

/* ---- Entries ------------------------------------------------------------ */

/* Addresses as in the graph: where functions begin, or are called. */
static int
note_entries(struct gmon_places *places)
{
	const struct cg_graph *graph = places->graph;
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_call call;
	cg_fn fn;

	for (size_t i = 0; rows && cg_next_fn(graph, CG_ALL_PARTS, &i, &fn);) {
		if (!cg_rows_open(rows, CG_ALL_PARTS, fn))
			break;
		while (cg_next_call(rows, &call)) {
			if (call.entry.addr != 0)
				places->entry[call.callee] = call.entry.addr;
		}
	}
	cg_rows_free(rows);
	for (fn = 1; rows && fn <= cg_fn_count(graph); fn++) {
		struct cg_range range;

		cg_fn_range(graph, fn, &range);
		if (range.addr != 0)
			places->entry[fn] = range.addr;
	}
	return rows ? CG_OK : CG_ELIMIT;
}

static bool
look_up(const struct gmon_places *places, cg_fn fn, uint64_t *addr)
{
	struct cg_slice name = cg_fn_base_name(places->graph, fn);
	struct cg_function function;

	if (!places->symbols ||
	    !places->ours[cg_fn_object(places->graph, fn)] ||
	    !cg_find_name(places->symbols, name, &function))
		return false;
	*addr = function.start;
	return true;
}

/*
 * The load bias by which addresses differ from the executable's: what most
 * functions that are found by name agree on.
 */
static void
find_bias(struct gmon_places *places)
{
	uint64_t bias = 0, votes = 0, addr, differs;

	for (cg_fn fn = 1; fn <= cg_fn_count(places->graph); fn++) {
		if (places->entry[fn] == 0 || !look_up(places, fn, &addr))
			continue;
		differs = places->entry[fn] - addr;
		if (differs % PAGE != 0)
			continue;
		if (votes == 0)
			bias = differs;
		votes += differs == bias ? 1 : UINT64_MAX;
	}
	for (size_t i = 0; i <= cg_object_count(places->graph); i++)
		places->shift[i] = votes > 0 ? -bias : 0;
}

/* Entries become addresses in the output; what has none is looked up. */
static void
settle_entries(struct gmon_places *places)
{
	for (cg_fn fn = 1; fn <= cg_fn_count(places->graph); fn++) {
		cg_object object = cg_fn_object(places->graph, fn);
		uint64_t *entry = &places->entry[fn];

		if (!places->ours[object])
			*entry = 0;
		else if (*entry != 0)
			*entry += places->shift[object];
		else
			(void)look_up(places, fn, entry);
	}
}

/* ---- What the output covers --------------------------------------------- */

struct extent {
	uint64_t low, high, cost;
};

static void
stretch(struct extent *extent, uint64_t addr)
{
	if (addr == 0)
		return;
	if (extent->low == 0 || addr < extent->low)
		extent->low = addr;
	if (addr > extent->high)
		extent->high = addr;
}

/* How far the addresses of each object reach, and their cost. */
static int
measure_objects(struct gmon_places *places, size_t event, struct extent *extent)
{
	const struct cg_graph *graph = places->graph;
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_cost cost;
	struct cg_call call;
	cg_fn fn;

	for (size_t i = 0; rows && cg_next_fn(graph, CG_ALL_PARTS, &i, &fn);) {
		struct extent *own = &extent[cg_fn_object(graph, fn)];

		if (!cg_rows_open(rows, CG_ALL_PARTS, fn))
			break;
		stretch(own, places->entry[fn]);
		while (cg_next_cost(rows, &cost)) {
			stretch(own, cost.pos.addr);
			if (cost.pos.addr != 0 && event < cost.n)
				own->cost += cost.cost[event];
		}
		while (cg_next_call(rows, &call))
			stretch(own, call.site.addr);
	}
	cg_rows_free(rows);
	return rows ? CG_OK : CG_ELIMIT;
}

/* Without an executable, the object in which most was spent is the program. */
static int
cover_dearest(struct gmon_places *places, size_t event, struct gmon_hist *hist)
{
	size_t objects = cg_object_count(places->graph) + 1, best = 0;
	struct extent *extent = calloc(objects, sizeof(*extent));
	int status = CG_ELIMIT;

	if (!extent)
		return cg_nomem(places->job);
	status = measure_objects(places, event, extent);
	for (size_t i = 1; i < objects; i++) {
		if (extent[best].high == 0 ||
		    extent[i].cost > extent[best].cost)
			best = i;
	}
	hist->low = extent[best].low & ~(uint64_t)15;
	hist->high = (extent[best].high & ~(uint64_t)15) + 16;
	for (size_t i = 0; i < objects; i++)
		places->ours[i] = i == best;
	if (status == CG_OK && extent[best].high == 0)
		status = cg_fail(places->job,
		    "gmon.out needs addresses: give the program with --exe");
	free(extent);
	return status;
}

static int
check_cover(struct gmon_places *places, struct gmon_hist *hist)
{
	uint64_t range = hist->high - hist->low;

	if (hist->high <= hist->low || range / BIN > GMON_BINS_MAX)
		return cg_fail(places->job,
		    "0x%" PRIx64 "-0x%" PRIx64 " is no range of a program's "
		    "code",
		    hist->low, hist->high);
	hist->bins = (range + BIN - 1) / BIN;
	return CG_OK;
}

/* A graph from elsewhere: one histogram of 4-byte bins over the program. */
static int
cover_program(struct gmon_places *places, size_t event, struct gmon *gmon)
{
	struct gmon_hist *hist = &gmon->hist[0];
	const struct cg_elf *elf;
	int status;

	*gmon = (struct gmon){
		.hist = gmon->hist, .hists = 1, .word = 8, .bucket = 1
	};
	*hist = (struct gmon_hist){ 0 };
	status = note_entries(places);
	if (status != CG_OK)
		return status;
	if (places->symbols) {
		elf = cg_symbols_elf(places->symbols);
		gmon->word = elf->word;
		gmon->big = elf->big_endian;
		gprof_text(places->symbols, &hist->low, &hist->high);
		find_bias(places);
	} else {
		status = cover_dearest(places, event, hist);
	}
	if (status == CG_OK)
		status = check_cover(places, hist);
	if (status == CG_OK)
		settle_entries(places);
	return status;
}

/* ---- Interface ---------------------------------------------------------- */

int
gprof_places_open(struct gmon_places *places, struct cg_job *job,
    const struct cg_graph *graph, size_t event, struct gmon *gmon)
{
	size_t objects = cg_object_count(graph) + 1;
	const char *program = cg_job_object(job, 0);
	int status = gprof_open_objects(job);

	*places = (struct gmon_places){ .job = job, .graph = graph };
	if (status != CG_OK)
		return status;
	if (program)
		places->symbols = cg_open_symbols(job, program, true);
	places->exact = gprof_recall(graph, gmon);
	places->shift = calloc(objects, sizeof(*places->shift));
	places->ours = calloc(objects, sizeof(*places->ours));
	places->entry = calloc(cg_fn_count(graph) + 1, sizeof(*places->entry));
	if (!places->shift || !places->ours || !places->entry)
		return cg_nomem(job);
	find_ours(places);
	if (!places->exact)
		return cover_program(places, event, gmon);
	status = note_entries(places);
	if (status == CG_OK)
		settle_entries(places);
	return status;
}

void
gprof_places_close(struct gmon_places *places)
{
	free(places->shift);
	free(places->ours);
	free(places->entry);
}

/*
 * What has no address of its own counts in the middle of the function: bins
 * of GNU gprof drift, so near its start the function before gets a share.
 */
static uint64_t
middle_of(const struct gmon_places *places, cg_fn fn)
{
	uint64_t entry = places->entry[fn];
	struct cg_function function;

	if (entry && places->symbols &&
	    cg_find_function(places->symbols, entry, &function))
		return function.start + (function.end - function.start) / 2;
	return entry;
}

uint64_t
gprof_cost_place(
    const struct gmon_places *places, cg_fn fn, const struct cg_pos *pos)
{
	cg_object object = cg_fn_object(places->graph, fn);

	if (!places->ours[object])
		return 0;
	if (pos->addr != 0)
		return pos->addr + places->shift[object];
	return middle_of(places, fn);
}

/* A return address stands behind the call, so that the call is found. */
uint64_t
gprof_site_place(
    const struct gmon_places *places, cg_fn fn, const struct cg_pos *pos)
{
	cg_object object = cg_fn_object(places->graph, fn);
	uint64_t addr =
	    pos->addr ? pos->addr + places->shift[object] : places->entry[fn];

	if (!places->ours[object] || addr == 0)
		return 0;
	return places->exact && pos->addr ? addr : addr + 1;
}

uint64_t
gprof_entry_place(
    const struct gmon_places *places, cg_fn fn, const struct cg_pos *pos)
{
	cg_object object = cg_fn_object(places->graph, fn);

	if (!places->ours[object])
		return 0;
	return pos->addr ? pos->addr + places->shift[object]
			 : places->entry[fn];
}
