/*
 * layout.c - converts positions of a graph to addresses in a gmon.out.
 *
 * The graph of a gmon.out has exactly its addresses. Other graphs have
 * addresses of a running program, which differ by its load bias, or only
 * names; then the executable states the addresses of functions. A gmon.out
 * describes one program, so positions in other objects have no address in it.
 */
#include <inttypes.h>
#include <string.h>

#include "layout.h"

#define PAGE 4096
#define BIN 4 /* bytes of a bin, as in glibc */

/* ---- Which objects ------------------------------------------------------ */

static struct cg_slice
base_name(struct cg_slice path)
{
	for (size_t i = path.len; i > 0; i--) {
		if (path.ptr[i - 1] == '/')
			return (struct cg_slice){ path.ptr + i, path.len - i };
	}
	return path;
}

static bool
same_base_name(struct cg_slice a, struct cg_slice b)
{
	a = base_name(a);
	b = base_name(b);
	return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/*
 * Sets layout->is_covered[object]: whether a gmon.out can have its addresses.
 * It can if the object is unknown or has the program's base name. If the graph
 * comes from a gmon.out, all can. Sets layout->shift, to be added to an
 * object's addresses.
 */
static void
set_covered(struct gprof_layout *layout)
{
	const struct cg_graph *graph = layout->graph;
	struct cg_slice program =
	    cg_slice(layout->symbols ? layout->symbols->path : "");

	for (cg_object i = 0; i <= cg_object_count(graph); i++) {
		struct cg_slice path = cg_object_path(graph, i);

		layout->is_covered[i] =
		    layout->exact || path.len == 0 ||
		    (layout->symbols && same_base_name(path, program));
		layout->shift[i] =
		    layout->exact ? gprof_recall_base(graph, path) : 0;
	}
}

/* ---- Entries ------------------------------------------------------------ */

/*
 * Sets layout->entry of each function to its address in the graph. This is the
 * begin of the function or, if the begin is unknown, an address at which calls
 * enter the function. The entry stays 0 if neither is known. False: out of
 * memory (reported).
 */
static bool
find_entries(struct gprof_layout *layout)
{
	const struct cg_graph *graph = layout->graph;
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_call call;
	cg_fn fn;

	for (size_t i = 0; rows && cg_next_fn(graph, CG_ALL_PARTS, &i, &fn);) {
		if (!cg_rows_open(rows, CG_ALL_PARTS, fn))
			break;
		while (cg_next_call(rows, &call)) {
			if (call.entry.addr != 0)
				layout->entry[call.callee] = call.entry.addr;
		}
	}
	cg_rows_free(rows);
	for (fn = 1; rows && fn <= cg_fn_count(graph); fn++) {
		struct cg_range range;

		cg_fn_range(graph, fn, &range);
		if (range.addr != 0)
			layout->entry[fn] = range.addr;
	}
	return rows != NULL;
}

static bool
look_up(const struct gprof_layout *layout, cg_fn fn, uint64_t *addr)
{
	struct cg_slice name = cg_fn_base_name(layout->graph, fn);
	struct cg_function function;

	if (!layout->symbols ||
	    !layout->is_covered[cg_fn_object(layout->graph, fn)] ||
	    !cg_find_name(layout->symbols, name, &function))
		return false;
	*addr = function.start;
	return true;
}

/*
 * Sets the shift from the graph's addresses to the executable's, the negative
 * load bias. Functions with both addresses vote for their difference, if it is
 * a multiple of PAGE. The bias is the difference with more than half of the
 * votes. Without such a majority it is one of the differences, or 0.
 */
static void
find_bias(struct gprof_layout *layout)
{
	uint64_t bias = 0, votes = 0, addr, differs;

	for (cg_fn fn = 1; fn <= cg_fn_count(layout->graph); fn++) {
		if (layout->entry[fn] == 0 || !look_up(layout, fn, &addr))
			continue;
		differs = layout->entry[fn] - addr;
		if (differs % PAGE != 0)
			continue;
		if (votes == 0)
			bias = differs;
		votes += differs == bias ? 1 : UINT64_MAX;
	}
	for (size_t i = 0; i <= cg_object_count(layout->graph); i++)
		layout->shift[i] = votes > 0 ? -bias : 0;
}

/*
 * Converts the functions' entry addresses from the graph's to the output's.
 * Functions of objects that are not covered get 0 (none). If a function's
 * address is unknown, looks its name up in the executable.
 */
static void
shift_entries(struct gprof_layout *layout)
{
	for (cg_fn fn = 1; fn <= cg_fn_count(layout->graph); fn++) {
		cg_object object = cg_fn_object(layout->graph, fn);
		uint64_t *entry = &layout->entry[fn];

		if (!layout->is_covered[object])
			*entry = 0;
		else if (*entry != 0)
			*entry += layout->shift[object];
		else
			(void)look_up(layout, fn, entry);
	}
}

/* ---- What the output covers --------------------------------------------- */

struct extent {
	uint64_t low, high, cost;
};

static void
extend(struct extent *extent, uint64_t addr)
{
	if (addr == 0)
		return;
	if (extent->low == 0 || addr < extent->low)
		extent->low = addr;
	if (addr > extent->high)
		extent->high = addr;
}

/*
 * Extends extent[] of each object to the range of its addresses. Adds the
 * object's costs in the event to extent[].cost, except costs without an
 * address. The caller sets extent[] to zero before. False: out of memory
 * (reported).
 */
static bool
measure_objects(
    struct gprof_layout *layout, size_t event, struct extent *extent)
{
	const struct cg_graph *graph = layout->graph;
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_cost cost;
	struct cg_call call;
	cg_fn fn;

	for (size_t i = 0; rows && cg_next_fn(graph, CG_ALL_PARTS, &i, &fn);) {
		struct extent *own = &extent[cg_fn_object(graph, fn)];

		if (!cg_rows_open(rows, CG_ALL_PARTS, fn))
			break;
		extend(own, layout->entry[fn]);
		while (cg_next_cost(rows, &cost)) {
			extend(own, cost.pos.addr);
			if (cost.pos.addr != 0 && event < cost.n)
				own->cost += cost.cost[event];
		}
		while (cg_next_call(rows, &call))
			extend(own, call.site.addr);
	}
	cg_rows_free(rows);
	return rows != NULL;
}

/*
 * Without an executable, makes the output cover the object with the highest
 * cost. Sets is_covered, and the histogram's range: the object's addresses,
 * extended to multiples of 16. False: no addresses are known, or another error
 * (reported).
 */
static bool
cover_hottest_object(
    struct gprof_layout *layout, size_t event, struct gmon_hist *hist)
{
	size_t objects = cg_object_count(layout->graph) + 1, best = 0;
	struct extent *extent =
	    cg_alloc(layout->job, objects * sizeof(*extent));

	if (!extent || !measure_objects(layout, event, extent))
		return false;
	for (size_t i = 1; i < objects; i++) {
		if (extent[best].high == 0 ||
		    extent[i].cost > extent[best].cost)
			best = i;
	}
	hist->low = extent[best].low & ~(uint64_t)15;
	hist->high = (extent[best].high & ~(uint64_t)15) + 16;
	for (size_t i = 0; i < objects; i++)
		layout->is_covered[i] = i == best;
	return extent[best].high != 0 ||
	       cg_reject(layout->job,
		   "gmon.out needs addresses; name the executable with {exe}");
}

static bool
set_bins(struct gprof_layout *layout, struct gmon_hist *hist)
{
	uint64_t range = hist->high - hist->low;

	if (hist->high <= hist->low || range / BIN > GPROF_BINS_MAX)
		return cg_reject(layout->job,
		    "0x%" PRIx64 "-0x%" PRIx64 " is no possible range of code",
		    hist->low, hist->high);
	hist->bins = (range + BIN - 1) / BIN;
	return true;
}

/*
 * Sets up gmon for a graph of another format. It has one histogram, over the
 * executable or the hottest object; gmon->hist must have room for it. Takes
 * word size and byte order of the executable, else 64-bit, little endian.
 * False: an error (reported).
 */
static bool
cover_program(struct gprof_layout *layout, size_t event, struct gmon *gmon)
{
	struct gmon_hist *hist = &gmon->hist[0];

	*gmon = (struct gmon){
		.hist = gmon->hist, .hists = 1, .word = 8, .bucket = 1
	};
	*hist = (struct gmon_hist){ 0 };
	if (layout->symbols) {
		gmon->word = layout->symbols->word;
		gmon->big = layout->symbols->big_endian;
		gprof_text(layout->symbols, &hist->low, &hist->high);
		find_bias(layout);
	} else if (!cover_hottest_object(layout, event, hist)) {
		return false;
	}
	return set_bins(layout, hist);
}

/* ---- Interface ---------------------------------------------------------- */

bool
gprof_layout_open(struct gprof_layout *layout, struct cg_job *job,
    const struct cg_graph *graph, size_t event, struct gmon *gmon)
{
	size_t objects = cg_object_count(graph) + 1;
	const char *program = cg_job_object(job, 0);

	*layout = (struct gprof_layout){ .job = job, .graph = graph };
	if (!gprof_open_objects(job))
		return false;
	if (program)
		layout->symbols = cg_open_symbols(job, program, true);
	layout->exact = gprof_recall(graph, gmon);
	layout->shift = cg_alloc(job, objects * sizeof(*layout->shift));
	layout->is_covered = cg_alloc(job, objects);
	layout->entry =
	    cg_alloc(job, (cg_fn_count(graph) + 1) * sizeof(*layout->entry));
	if (!layout->shift || !layout->is_covered || !layout->entry)
		return false;
	set_covered(layout);
	if (!find_entries(layout) ||
	    (!layout->exact && !cover_program(layout, event, gmon)))
		return false;
	shift_entries(layout);
	return true;
}

/*
 * Returns an address for costs of fn that have none: the middle of fn, its
 * entry if its size is unknown, 0 without an entry. Near the start, GNU
 * gprof's bins could give them to the preceding function.
 */
static uint64_t
middle_of(const struct gprof_layout *layout, cg_fn fn)
{
	uint64_t entry = layout->entry[fn];
	struct cg_function function;

	if (entry && layout->symbols &&
	    cg_find_function(layout->symbols, entry, &function))
		return function.start + (function.end - function.start) / 2;
	return entry;
}

uint64_t
gprof_cost_address(
    const struct gprof_layout *layout, cg_fn fn, const struct cg_pos *pos)
{
	cg_object object = cg_fn_object(layout->graph, fn);

	if (!layout->is_covered[object])
		return 0;
	if (pos->addr != 0)
		return pos->addr + layout->shift[object];
	return middle_of(layout, fn);
}

/*
 * Returns the address after a call, as gmon.out has it; 0: unknown, or the
 * output lacks the object. Other formats state the call's own address, so 1 is
 * added. Without an address of the call, uses the function's entry.
 */
uint64_t
gprof_site_address(
    const struct gprof_layout *layout, cg_fn fn, const struct cg_pos *pos)
{
	cg_object object = cg_fn_object(layout->graph, fn);
	uint64_t addr =
	    pos->addr ? pos->addr + layout->shift[object] : layout->entry[fn];

	if (!layout->is_covered[object] || addr == 0)
		return 0;
	return layout->exact && pos->addr ? addr : addr + 1;
}

uint64_t
gprof_entry_address(
    const struct gprof_layout *layout, cg_fn fn, const struct cg_pos *pos)
{
	cg_object object = cg_fn_object(layout->graph, fn);

	if (!layout->is_covered[object])
		return 0;
	return pos->addr ? pos->addr + layout->shift[object]
			 : layout->entry[fn];
}
