/*
 * write.c - writes processed profiles of the Firefox Profiler: see firefox.h.
 *
 * Version 64 has the tables of all threads in "shared", and source positions
 * of frames in other files than their functions (originalLocation), such as
 * inlined code. The Firefox Profiler upgrades it to later versions. Each track
 * is a thread. If some costs have no times, sums are written: a sample for
 * each stack, whose time is the sum of the previous costs.
 */
#include <inttypes.h>
#include <string.h>

#include "cgconv_expert.h"
#include "firefox.h"

#define VERSION 64

/* A row of frameTable. */
struct frame {
	cg_fn fn;
	struct cg_pos pos;
	bool inlined;
	uint32_t location; /* position in another file: row + 1; else 0 */
};

#define ADDRESS_MAX ((UINT64_C(1) << 53) - 1) /* exact in a double */

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	size_t event;
	const char *weights; /* weightType */
	bool timed;          /* weights are milliseconds */
	bool in_order;       /* tracks have all costs */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *stack; /* by row + 1; key: its frame */
	size_t stacks;
	CG_ARRAY(struct frame) frame;
	struct cg_map frame_ids; /* hash of a frame -> row + 1 */
	uint32_t *func;          /* by function: row + 1 */
	cg_fn *fn;               /* by row */
	uint32_t *lib;           /* by object: row + 1 */
	cg_object *object;       /* by row */
	uint32_t *source;        /* by file: row + 1 */
	cg_file *file;           /* by row */
	uint32_t funcs, libs, sources, locations;
	int64_t begin;    /* first time of all samples */
	int64_t interval; /* average for the first thread */
	enum cell {
		CELL_STACK,
		CELL_TIME,
		CELL_WEIGHT,
		CELLS
	} cell; /* part of samples to write; CELLS: none */
	struct samples {
		uint64_t count; /* so far */
		int64_t first;  /* time of the first sample */
		int64_t now;    /* time of the last sample */
	} so_far, *thread;      /* current thread; total by thread */
	size_t threads;
	const char *separator; /* before the next thread */
};

/* ---- Tables ------------------------------------------------------------- */

static bool
open_tables(struct writer *w)
{
	size_t fns = cg_fn_count(w->graph) + 1;
	size_t objects = cg_object_count(w->graph) + 1;
	size_t files = cg_file_count(w->graph) + 1;

	w->func = cg_alloc(w->job, fns * sizeof(*w->func));
	w->fn = cg_alloc(w->job, fns * sizeof(*w->fn));
	w->lib = cg_alloc(w->job, objects * sizeof(*w->lib));
	w->object = cg_alloc(w->job, objects * sizeof(*w->object));
	w->source = cg_alloc(w->job, files * sizeof(*w->source));
	w->file = cg_alloc(w->job, files * sizeof(*w->file));
	return w->func && w->fn && w->lib && w->object && w->source && w->file;
}

static void
add_source(struct writer *w, cg_file file)
{
	if (file == 0 || w->source[file] != 0)
		return;
	w->file[w->sources] = file;
	w->source[file] = ++w->sources;
}

static void
add_func(struct writer *w, cg_fn fn)
{
	cg_object object = cg_fn_object(w->graph, fn);

	if (w->func[fn] != 0)
		return;
	w->fn[w->funcs] = fn;
	w->func[fn] = ++w->funcs;
	if (object != 0 && w->lib[object] == 0) {
		w->object[w->libs] = object;
		w->lib[object] = ++w->libs;
	}
	add_source(w, cg_fn_file(w->graph, fn));
}

/* True if the frame's line is in another file than its function. */
static bool
is_elsewhere(const struct writer *w, const struct frame *frame)
{
	return frame->pos.line != 0 && frame->pos.file != 0 &&
	       frame->pos.file != cg_fn_file(w->graph, frame->fn);
}

static bool
same_frame(const struct frame *frame, const struct cg_stack *at)
{
	return frame->fn == at->fn && frame->pos.line == at->pos.line &&
	       frame->pos.file == at->pos.file &&
	       frame->pos.addr == at->pos.addr && frame->inlined == at->inlined;
}

/*
 * Returns the row of a node's frame in frameTable; appends it if it is new. As
 * get_key() of cg_merged_stacks_new(), it merges siblings of one row. If
 * memory runs out, which is reported, the row means nothing.
 */
static uint32_t
add_frame(void *arg, cg_node node, const struct cg_stack *at)
{
	struct writer *w = arg;
	uint64_t hash = at->pos.addr * UINT64_C(0x9e3779b97f4a7c15) +
			((uint64_t)at->fn << 32 | at->pos.line) + at->inlined;
	struct frame *frame;
	uint32_t *id;

	(void)node;
	do
		id = cg_map_in(w->job, &w->frame_ids, hash++);
	while (id && *id != 0 && !same_frame(&w->frame.at[*id - 1], at));
	if (id && *id != 0)
		return *id - 1;
	frame = id ? cg_push(w->job, &w->frame) : NULL;
	if (!frame)
		return 0;
	*frame = (struct frame){ at->fn, at->pos, at->inlined, 0 };
	*id = (uint32_t)w->frame.n;
	add_func(w, at->fn);
	if (is_elsewhere(w, frame)) {
		add_source(w, at->pos.file);
		frame->location = ++w->locations;
	}
	return *id - 1;
}

static bool
merge_stacks(struct writer *w)
{
	size_t count;

	w->merged = cg_merged_stacks_new(w->graph, add_frame, w);
	if (!w->merged || cg_rejected(w->job) != CG_OK)
		return false;
	w->stack = cg_merged_frames(w->merged, &count);
	w->stacks = count - 1;
	return true;
}

/* ---- JSON --------------------------------------------------------------- */

/*
 * Writes a column of a table: its name, and an array of n cells. put() writes
 * the cell of a row.
 */
static void
put_column(struct writer *w, const char *name, size_t n,
    void (*put)(struct writer *, size_t row))
{
	cg_putf(w->out, ",\n\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			cg_putc(w->out, ',');
		put(w, i);
	}
	cg_putc(w->out, ']');
}

static void
put_number(struct writer *w, uint64_t number)
{
	cg_putu(w->out, number);
}

/*
 * Writes a reference to a row of a table. "row" counts from 1; the output
 * counts from 0. If "row" is 0 (no row), writes the text "none", which is "-1"
 * or "null".
 */
static void
put_row(struct writer *w, uint32_t row, const char *none)
{
	if (row == 0)
		cg_puts(w->out, none);
	else
		put_number(w, row - 1);
}

static void
put_zero(struct writer *w, size_t row)
{
	(void)row;
	cg_putc(w->out, '0');
}

static void
put_null(struct writer *w, size_t row)
{
	(void)row;
	cg_puts(w->out, "null");
}

static void
put_false(struct writer *w, size_t row)
{
	(void)row;
	cg_puts(w->out, "false");
}

static void
put_index(struct writer *w, size_t row)
{
	put_number(w, row);
}

/* ---- Shared tables ------------------------------------------------------ */

static void
put_stack_frame(struct writer *w, size_t row)
{
	put_number(w, w->stack[row + 1].key);
}

static void
put_prefix(struct writer *w, size_t row)
{
	put_row(w, w->stack[row + 1].parent, "null");
}

/*
 * True for addresses that the format cannot represent (above 2^53). The kernel
 * has such addresses, while its base address is unknown.
 */
static bool
is_far(uint64_t addr)
{
	return addr > ADDRESS_MAX;
}

static void
put_address(struct writer *w, size_t row)
{
	uint64_t addr = w->frame.at[row].pos.addr;

	if (addr == 0 || is_far(addr))
		cg_puts(w->out, "-1");
	else
		put_number(w, addr);
}

static void
tell_far(const struct writer *w)
{
	size_t far = 0;

	for (size_t row = 0; row < w->frame.n; row++)
		far += is_far(w->frame.at[row].pos.addr);
	if (far > 0)
		cg_warn(w->job,
		    "dropped the address of %zu frame%s: above 2^53 - 1", far,
		    far == 1 ? "" : "s");
}

static void
put_depth(struct writer *w, size_t row)
{
	cg_putc(w->out, w->frame.at[row].inlined ? '1' : '0');
}

static void
put_func(struct writer *w, size_t row)
{
	put_number(w, w->func[w->frame.at[row].fn] - 1);
}

static void
put_line(struct writer *w, size_t row)
{
	uint32_t line = w->frame.at[row].pos.line;

	put_row(w, line ? line + 1 : 0, "null");
}

static void
put_location(struct writer *w, size_t row)
{
	put_row(w, w->frame.at[row].location, "null");
}

/*
 * Writes a column of sourceLocationTable. The table has a row for each frame
 * whose position is in another file than its function. If "source" is true,
 * the column has the source files, as rows of the table of sources. Otherwise
 * it has the lines.
 */
static void
put_locations(struct writer *w, const char *name, bool source)
{
	const char *separator = "";

	cg_putf(w->out, ",\n\"%s\":[", name);
	for (size_t i = 0; i < w->frame.n; i++) {
		const struct frame *frame = &w->frame.at[i];

		if (frame->location == 0)
			continue;
		cg_puts(w->out, separator);
		separator = ",";
		put_number(w,
		    source ? w->source[frame->pos.file] - 1 : frame->pos.line);
	}
	cg_putc(w->out, ']');
}

static void
put_resource(struct writer *w, size_t row)
{
	put_row(w, w->lib[cg_fn_object(w->graph, w->fn[row])], "-1");
}

static void
put_source(struct writer *w, size_t row)
{
	put_row(w, w->source[cg_fn_file(w->graph, w->fn[row])], "null");
}

static void
put_fn_line(struct writer *w, size_t row)
{
	struct cg_range range;

	cg_fn_range(w->graph, w->fn[row], &range);
	put_row(w, range.first ? range.first + 1 : 0, "null");
}

static void
put_fn_column(struct writer *w, size_t row)
{
	struct cg_range range;

	cg_fn_range(w->graph, w->fn[row], &range);
	put_row(w, range.first_column ? range.first_column + 1 : 0, "null");
}

static void
put_one(struct writer *w, size_t row)
{
	(void)row;
	cg_putc(w->out, '1');
}

/*
 * Writes the index of the name of library "row" in the table of strings. That
 * table has the names of functions, then of libraries, then of files.
 */
static void
put_lib_name(struct writer *w, size_t row)
{
	put_number(w, w->funcs + row);
}

static void
put_file_name(struct writer *w, size_t row)
{
	put_number(w, (uint64_t)w->funcs + w->libs + row);
}

static void
put_string(struct writer *w, size_t row)
{
	struct cg_slice text;

	if (row < w->funcs)
		text = cg_fn_name(w->graph, w->fn[row]);
	else if (row < (size_t)w->funcs + w->libs)
		text = cg_base_name(
		    cg_object_path(w->graph, w->object[row - w->funcs]));
	else
		text =
		    cg_file_path(w->graph, w->file[row - w->funcs - w->libs]);
	cg_put_json(w->out, text);
}

static void
put_shared(struct writer *w)
{
	tell_far(w);
	cg_putf(
	    w->out, "\"shared\":{\n\"stackTable\":{\"length\":%zu", w->stacks);
	put_column(w, "frame", w->stacks, put_stack_frame);
	put_column(w, "prefix", w->stacks, put_prefix);
	cg_putf(w->out, "},\n\"frameTable\":{\"length\":%zu", w->frame.n);
	put_column(w, "address", w->frame.n, put_address);
	put_column(w, "inlineDepth", w->frame.n, put_depth);
	put_column(w, "category", w->frame.n, put_zero);
	put_column(w, "subcategory", w->frame.n, put_zero);
	put_column(w, "func", w->frame.n, put_func);
	put_column(w, "nativeSymbol", w->frame.n, put_null);
	put_column(w, "innerWindowID", w->frame.n, put_null);
	put_column(w, "line", w->frame.n, put_line);
	put_column(w, "column", w->frame.n, put_null);
	put_column(w, "originalLocation", w->frame.n, put_location);
	cg_putf(w->out, "},\n\"funcTable\":{\"length\":%" PRIu32, w->funcs);
	put_column(w, "name", w->funcs, put_index);
	put_column(w, "isJS", w->funcs, put_false);
	put_column(w, "relevantForJS", w->funcs, put_false);
	put_column(w, "resource", w->funcs, put_resource);
	put_column(w, "source", w->funcs, put_source);
	put_column(w, "lineNumber", w->funcs, put_fn_line);
	put_column(w, "columnNumber", w->funcs, put_fn_column);
	put_column(w, "originalLocation", w->funcs, put_null);
	cg_putf(w->out, "},\n\"resourceTable\":{\"length\":%" PRIu32, w->libs);
	put_column(w, "lib", w->libs, put_index);
	put_column(w, "name", w->libs, put_lib_name);
	put_column(w, "host", w->libs, put_null);
	put_column(w, "type", w->libs, put_one);
	cg_puts(w->out, "},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],"
			"\"address\":[],\"name\":[],\"functionSize\":[]");
	cg_putf(w->out, "},\n\"sources\":{\"length\":%" PRIu32, w->sources);
	put_column(w, "id", w->sources, put_null);
	put_column(w, "filename", w->sources, put_file_name);
	put_column(w, "startLine", w->sources, put_one);
	put_column(w, "startColumn", w->sources, put_one);
	put_column(w, "sourceMapURL", w->sources, put_null);
	put_column(w, "content", w->sources, put_null);
	cg_putf(w->out, "},\n\"sourceLocationTable\":{\"length\":%" PRIu32,
	    w->locations);
	put_locations(w, "source", true);
	put_locations(w, "line", false);
	cg_puts(w->out, ",\n\"column\":[");
	for (uint32_t i = 0; i < w->locations; i++)
		cg_puts(w->out, i > 0 ? ",1" : "1");
	cg_puts(w->out, "]}");
	put_column(w, "stringArray", (size_t)w->funcs + w->libs + w->sources,
	    put_string);
	cg_puts(w->out, "},\n");
}

static void
put_libs(struct writer *w)
{
	cg_puts(w->out, "\"libs\":[");
	for (uint32_t i = 0; i < w->libs; i++) {
		struct cg_slice path = cg_object_path(w->graph, w->object[i]);
		const struct {
			const char *key;
			struct cg_slice text;
		} member[] = { { "name", cg_base_name(path) }, { "path", path },
			{ "debugName", cg_base_name(path) },
			{ "debugPath", path } };

		cg_puts(w->out, i > 0 ? ",\n{" : "\n{");
		for (size_t k = 0; k < sizeof(member) / sizeof(*member); k++) {
			cg_putf(w->out, "\"%s\":", member[k].key);
			cg_put_json(w->out, member[k].text);
			cg_putc(w->out, ',');
		}
		cg_puts(w->out,
		    "\"arch\":\"\",\"breakpadId\":\"\",\"codeId\":null}");
	}
	cg_puts(w->out, "],\n");
}

/* ---- Samples ------------------------------------------------------------ */

static void
put_cell(struct writer *w, cg_node node, int64_t time, uint64_t cost)
{
	int64_t before;

	switch (w->cell) {
	case CELL_STACK:
		put_row(w, cg_merged_of(w->merged, node), "null");
		break;
	case CELL_TIME:
		/* Differences have fewer digits than times. */
		before = w->so_far.count > 0 ? w->so_far.now : w->begin;
		cg_put_fixed(w->out,
		    (int64_t)((uint64_t)time - (uint64_t)before),
		    FIREFOX_DIGITS);
		break;
	case CELL_WEIGHT:
		if (w->timed)
			cg_put_fixed(w->out, (int64_t)cost, FIREFOX_DIGITS);
		else if (cg_get_event(w->graph, w->event)->is_signed)
			cg_putf(w->out, "%" PRId64, (int64_t)cost);
		else
			put_number(w, cost);
		break;
	case CELLS: break;
	}
}

/*
 * Writes the sample's cell in the column w->cell, after a comma if needed.
 * Writes nothing if w->cell is CELLS. Also updates w->so_far, the number of
 * samples so far and their first and last time.
 */
static void
put_sample(struct writer *w, cg_node node, int64_t time, uint64_t cost)
{
	if (w->so_far.count == 0)
		w->so_far.first = time;
	else if (w->cell < CELLS)
		cg_putc(w->out, ',');
	put_cell(w, node, time, cost);
	w->so_far.count++;
	w->so_far.now = time;
}

static uint64_t
cost_of(const struct writer *w, const uint64_t *cost, size_t n)
{
	return w->event < n ? cost[w->event] : 0;
}

/*
 * Passes the samples of a track (timeline of a thread) to put_sample(). Skips
 * samples with cost 0. In a track of begins and ends of calls, the time
 * between two of them is a sample.
 */
static void
visit_track(struct writer *w, size_t number)
{
	const bool spans = cg_get_track(w->graph, number)->spans;
	struct cg_moments *moments = cg_moments_new(w->graph, number);
	struct cg_moment moment;
	struct cg_time_span span;

	while (moments && !spans && cg_next_moment(moments, &moment)) {
		uint64_t cost = cost_of(w, moment.cost, moment.n);

		if (cost != 0)
			put_sample(w, moment.node, moment.time, cost);
	}
	while (moments && spans && cg_next_span(moments, &span))
		put_sample(w, span.node, span.begin,
		    (uint64_t)span.end - (uint64_t)span.begin);
	cg_moments_free(moments);
}

/*
 * Passes a sample to put_sample() for each stack with a cost in a part
 * (section of the graph). Its time is the sum of the positive costs before. A
 * cost of 1 that is no time lasts 1 ms.
 */
static void
visit_part(struct writer *w, cg_part part)
{
	struct cg_stack_cost stack;
	uint64_t so_far = 0;

	for (size_t i = 0; cg_next_stack(w->graph, part, &i, &stack);) {
		uint64_t cost = cost_of(w, stack.cost, stack.n);
		uint64_t unit = w->timed ? 1 : FIREFOX_NANO;

		if (cost == 0)
			continue;
		put_sample(w, stack.leaf,
		    so_far < INT64_MAX / unit ? (int64_t)(so_far * unit)
					      : INT64_MAX,
		    cost);
		if ((int64_t)cost > 0)
			so_far += cost;
	}
}

/*
 * Passes the samples of a thread to put_sample(). If w->in_order, these are
 * the samples of a track (a thread's timeline). Otherwise they are the sums of
 * a part (section of the graph). Resets w->so_far first.
 */
static void
visit_samples(struct writer *w, size_t thread)
{
	w->so_far = (struct samples){ 0 };
	if (w->in_order)
		visit_track(w, thread);
	else
		visit_part(w, (cg_part)thread);
}

/* ---- Threads ------------------------------------------------------------ */

static void
put_samples(struct writer *w, size_t thread)
{
	static const char *const name[] = { "stack", "timeDeltas", "weight" };

	cg_putf(w->out,
	    ",\n\"samples\":{\"length\":%" PRIu64 ",\"weightType\":\"%s\"",
	    w->thread[thread].count, w->weights);
	for (w->cell = CELL_STACK; w->cell < CELLS; w->cell++) {
		cg_putf(w->out, ",\n\"%s\":[", name[w->cell]);
		visit_samples(w, thread);
		cg_putc(w->out, ']');
	}
	cg_putc(w->out, '}');
}

static void
put_text(struct writer *w, const char *key, const char *text)
{
	cg_putf(w->out, ",\"%s\":", key);
	cg_put_json(w->out, cg_slice(text));
}

static void
put_thread(struct writer *w, size_t thread)
{
	static const struct cg_track none = { .name = "", .process = "" };
	const struct cg_track *track =
	    w->in_order ? cg_get_track(w->graph, thread) : &none;
	const struct cg_part_info *part =
	    cg_get_part(w->graph, w->in_order ? track->part : (cg_part)thread);
	uint64_t pid = track->pid ? track->pid : part->pid;
	uint64_t tid = track->tid ? track->tid : part->tid;

	/* The thread has only samples of other events. */
	if (w->thread[thread].count == 0)
		return;
	cg_puts(w->out, w->separator);
	w->separator = ",\n{";
	cg_putf(w->out,
	    "\"processType\":\"default\",\"pid\":\"%" PRIu64
	    "\",\"tid\":%" PRIu64 ",\"isMainThread\":%s",
	    pid, tid, pid == tid ? "true" : "false");
	put_text(w, "name", *track->name ? track->name : part->cmd);
	/* perf names no processes, so the thread's name stands in. */
	put_text(w, "processName",
	    *track->process ? track->process
	    : *track->name  ? track->name
			    : part->cmd);
	cg_puts(w->out,
	    ",\"processStartupTime\":0,\"processShutdownTime\":null,"
	    "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],"
	    "\n\"markers\":{\"length\":0,\"data\":[],\"name\":[],"
	    "\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]}");
	put_samples(w, thread);
	cg_putc(w->out, '}');
}

/*
 * Returns the index of the thread that viewers show first, the one with the
 * largest cost. The index counts only the threads that are written, those with
 * samples.
 */
static size_t
find_main_thread(const struct writer *w)
{
	size_t main = w->in_order ? cg_main_track(w->graph, w->event)
				  : cg_main_part(w->graph, w->event);
	size_t number = 0;

	for (size_t i = 0; i < main; i++)
		number += w->thread[i].count > 0;
	return number;
}

static void
put_meta(struct writer *w)
{
	cg_puts(w->out, "{\"meta\":{\"interval\":");
	cg_put_fixed(w->out, w->interval, FIREFOX_DIGITS);
	cg_puts(w->out, ",\"startTime\":");
	cg_put_fixed(w->out, w->begin, FIREFOX_DIGITS);
	cg_putf(w->out,
	    ",\"preprocessedProfileVersion\":%d,\"version\":34,"
	    "\"processType\":0,\"product\":\"\",\"stackwalk\":1,"
	    "\"symbolicated\":true,\"debug\":false,\n"
	    "\"importedFrom\":\"cgconv " CG_VERSION "\",\"markerSchema\":[],"
	    "\"initialSelectedThreads\":[%zu],"
	    "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
	    "\"subcategories\":[\"Other\"]}]},\n",
	    VERSION, find_main_thread(w));
}

/* ---- What is written ---------------------------------------------------- */

/*
 * Sets w->threads, the number of threads. Fills w->thread with the number of
 * samples of each thread, and their first and last time. For this, visits all
 * samples without writing anything. False: out of memory (reported).
 */
static bool
count_samples(struct writer *w)
{
	w->threads =
	    w->in_order ? cg_track_count(w->graph) : cg_part_count(w->graph);
	w->thread = cg_alloc(w->job, (w->threads + 1) * sizeof(*w->thread));
	if (!w->thread)
		return false;
	w->cell = CELLS;
	for (size_t i = 0; i < w->threads; i++) {
		visit_samples(w, i);
		w->thread[i] = w->so_far;
	}
	return true;
}

/*
 * Sets w->in_order (samples are written in order of time) if all costs have
 * times in ns. On tracks of calls, costs must be times, too. Warns if only
 * some costs have times. Counts the samples in any case. False: out of memory
 * (reported).
 */
static bool
choose_order(struct writer *w)
{
	size_t tracks = cg_track_count(w->graph);

	w->in_order = tracks > 0 && cg_all_timed(w->graph, w->event);
	if (!w->in_order && tracks > 0)
		cg_warn(w->job, "not all costs have times: samples are not in "
				"their order");
	for (size_t i = 0; i < tracks; i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);

		w->in_order &= strcmp(track->unit, "ns") == 0 &&
			       (w->timed || !track->spans);
	}
	return count_samples(w);
}

/*
 * Sets w->begin to the time of the first sample of all threads. Sets
 * w->interval to the average interval between samples of the first thread that
 * has samples. The interval is 1 ms if that thread has only one sample, or if
 * the average is not positive.
 */
static void
find_times(struct writer *w)
{
	bool any = false;

	for (size_t i = 0; i < w->threads; i++) {
		const struct samples *all = &w->thread[i];

		if (all->count == 0)
			continue;
		if (!any || all->first < w->begin)
			w->begin = all->first;
		if (!any && all->count > 1)
			w->interval =
			    (all->now - all->first) / (int64_t)(all->count - 1);
		any = true;
	}
	if (w->interval <= 0)
		w->interval = FIREFOX_NANO;
}

static void
choose_weights(struct writer *w)
{
	const char *unit = cg_get_event(w->graph, w->event)->unit;

	w->timed = strcmp(unit, "ns") == 0;
	w->weights = w->timed                     ? "tracing-ms"
		     : strcmp(unit, "bytes") == 0 ? "bytes"
						  : "samples";
}

int
firefox_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = {
		.job = job, .graph = graph, .out = out, .separator = "\n{"
	};
	int status = cg_choose_event(job, graph, CG_TIME_EVENT, &w.event);

	if (status != CG_OK)
		return status;
	choose_weights(&w);
	if (open_tables(&w) && merge_stacks(&w) && choose_order(&w)) {
		find_times(&w);
		put_meta(&w);
		put_libs(&w);
		put_shared(&w);
		cg_puts(out, "\"threads\":[");
		for (size_t i = 0; i < w.threads; i++)
			put_thread(&w, i);
		cg_puts(out, "]}\n");
	}
	cg_merged_stacks_free(w.merged);
	return cg_out_status(out);
}
