/*
 * build.c - adds the samples of a thread and their times to the graph.
 *
 * Samples without a stack are dropped, as the Firefox Profiler does not show
 * them. Lines of frames are call sites; the lines of functions are where they
 * are defined.
 */
#include <string.h>

#include "firefox.h"

#define TYPE_LIBRARY 1 /* of a resource */

/* ---- Functions ---------------------------------------------------------- */

static cg_name
string_at(const struct firefox_tables *tables, int64_t index)
{
	return index >= 0 && (uint64_t)index < tables->string.n
		   ? tables->string.at[index]
		   : 0;
}

static uint32_t
line_of(int64_t number)
{
	return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

/*
 * Returns the library with an index. The index refers to the thread's tables
 * or, if these have no libraries, to its process. NULL: no such library.
 */
static struct firefox_lib *
get_lib(struct firefox_reader *r, const struct firefox_thread *thread,
    const struct firefox_tables *tables, int64_t index)
{
	const struct firefox_process *process = &r->process.at[thread->part];
	struct firefox_lib *lib = tables->lib.at;
	size_t libs = tables->lib.n;

	if (libs == 0) {
		lib = process->lib.at;
		libs = process->lib.n;
	}
	return index >= 0 && (uint64_t)index < libs ? &lib[index] : NULL;
}

static int64_t
resource_of(const struct firefox_tables *tables, int64_t frame)
{
	return firefox_cell(&tables->funcs, FUNC_RESOURCE,
	    firefox_cell(&tables->frames, FRAME_FUNC, frame));
}

/*
 * Returns the library of a row of the frames' table; NULL: unknown. Profiles
 * of Firefox up to version 69 do not state the frame's library, but that of
 * its function's resource.
 */
static struct firefox_lib *
lib_of(struct firefox_reader *r, const struct firefox_thread *thread,
    const struct firefox_tables *tables, int64_t frame)
{
	int64_t lib = firefox_cell(&tables->frames, FRAME_LIB, frame);

	if (lib == FIREFOX_NONE)
		lib = firefox_cell(&tables->resources, RESOURCE_LIB,
		    resource_of(tables, frame));
	return get_lib(r, thread, tables, lib);
}

static struct cg_slice
path_of(struct cg_doc *doc, const struct firefox_lib *lib)
{
	return cg_get_name(doc->build, lib->path ? lib->path : lib->name);
}

static cg_object
add_object(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *thread, const struct firefox_tables *tables,
    int64_t frame)
{
	const struct firefox_table *resources = &tables->resources;
	int64_t resource = resource_of(tables, frame);
	const struct firefox_lib *lib = lib_of(r, thread, tables, frame);
	cg_name name;

	if (lib)
		return cg_add_object(doc->build, path_of(doc, lib));
	if (firefox_cell(resources, RESOURCE_TYPE, resource) != TYPE_LIBRARY)
		return 0;
	name =
	    string_at(tables, firefox_cell(resources, RESOURCE_NAME, resource));
	return cg_add_object(doc->build, cg_get_name(doc->build, name));
}

/* ---- Addresses without names -------------------------------------------- */

/*
 * Returns the library that contains an address, from the libraries of the
 * process. NULL: no library contains the address.
 */
static struct firefox_lib *
find_lib(const struct firefox_process *process, uint64_t addr)
{
	for (size_t i = 0; i < process->lib.n; i++) {
		struct firefox_lib *lib = &process->lib.at[i];

		if (addr >= lib->start && addr < lib->end)
			return lib;
	}
	return NULL;
}

static bool
is_address(struct cg_slice name, uint64_t *addr)
{
	return cg_starts(name, "0x") && cg_get_u64(name, addr);
}

/*
 * Finds by symbols the functions of a frame that is only named by an address
 * in a library. Sets stack[] to them, innermost first. Returns their number, 0
 * if none. samply's addresses are relative to the library (FrameAddress of
 * fxprof-processed-profile).
 */
static size_t
find_symbols(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *thread, const struct firefox_tables *tables,
    int64_t row, struct cg_stack stack[CG_FRAME_MAX])
{
	const struct firefox_table *frames = &tables->frames;
	bool raw = firefox_rows(frames, FRAME_LOCATION) > 0;
	int64_t func = firefox_cell(frames, FRAME_FUNC, row);
	int64_t number = firefox_cell(frames, FRAME_ADDRESS, row);
	int64_t text = raw ? firefox_cell(frames, FRAME_LOCATION, row)
			   : firefox_cell(&tables->funcs, FUNC_NAME, func);
	struct firefox_lib *lib;
	uint64_t addr;

	if (!is_address(
		cg_get_name(doc->build, string_at(tables, text)), &addr))
		return 0;
	lib = raw ? find_lib(&r->process.at[thread->part], addr)
		  : lib_of(r, thread, tables, row);
	if (!lib || (!raw && number < 0))
		return 0;
	if (lib->mapping == 0)
		lib->mapping = cg_space_add(r->space,
		    &(const struct cg_mapping){ .path = path_of(doc, lib),
			.build_id = cg_get_name(doc->build, lib->id),
			.from = CG_FROM_LOAD });
	addr = raw ? addr - lib->start : (uint64_t)number;
	return lib->mapping == 0
		   ? 0
		   : cg_space_symbols(r->space, lib->mapping, addr, stack);
}

/* ---- Named functions ---------------------------------------------------- */

/*
 * Adds and returns the function for script code outside of functions. It is
 * named "(root scope) FILE", as the Firefox Profiler names it. Its file is
 * pos->file. 0: out of memory (reported).
 */
static cg_fn
add_script(struct cg_doc *doc, const struct firefox_location *location,
    struct cg_pos *pos)
{
	static const char prefix[] = "(root scope) ";
	struct cg_slice file = location->file;
	size_t len = strlen(prefix) + file.len;
	CG_ARRAY(char) text = { 0 };
	cg_fn fn;

	if (!cg_reserve(doc->job, &text, len + 1))
		return 0;
	memcpy(text.at, prefix, strlen(prefix));
	memcpy(text.at + strlen(prefix), file.ptr, file.len);
	fn = cg_add_fn_at(doc->build, (struct cg_slice){ text.at, len },
	    pos->file, 0, location->line, location->column);
	cg_drop(doc->job, &text);
	return fn;
}

static cg_fn
add_location(struct cg_doc *doc, const struct firefox_process *process,
    const struct firefox_tables *tables, int64_t frame, struct cg_pos *pos)
{
	struct firefox_location location;
	int64_t text = firefox_cell(&tables->frames, FRAME_LOCATION, frame);
	const struct firefox_lib *lib = NULL;
	uint64_t addr;

	firefox_parse_location(
	    cg_get_name(doc->build, string_at(tables, text)), &location);
	pos->file = cg_add_file(doc->build, location.file);
	if (location.script)
		return add_script(doc, &location, pos);
	if (is_address(location.name, &addr))
		lib = find_lib(process, addr);
	if (lib)
		pos->addr = addr - lib->start;
	return cg_add_fn_at(doc->build, location.name, pos->file,
	    lib ? cg_add_object(doc->build, path_of(doc, lib)) : 0,
	    location.line, location.column);
}

/*
 * Sets *pos to the frame's original source position, if a tool has found one
 * (originalLocation); leaves it otherwise.
 */
static void
take_place(struct cg_doc *doc, const struct firefox_tables *tables,
    int64_t frame, struct cg_pos *pos)
{
	int64_t row = firefox_cell(&tables->frames, FRAME_ORIGINAL, frame);
	int64_t source = firefox_cell(&tables->places, PLACE_SOURCE, row);
	int64_t file = firefox_cell(&tables->sources, SOURCE_FILE, source);
	uint32_t line = line_of(firefox_cell(&tables->places, PLACE_LINE, row));

	if (line == 0 || file == FIREFOX_NONE)
		return;
	pos->file = cg_add_file(
	    doc->build, cg_get_name(doc->build, string_at(tables, file)));
	pos->line = line;
}

/*
 * Adds the function of a row of the frames' table to the graph and returns it.
 * Sets *pos to the frame's place in the function: file, line and address.
 */
static cg_fn
add_function(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *thread, const struct firefox_tables *tables,
    int64_t frame, struct cg_pos *pos)
{
	const struct firefox_table *funcs = &tables->funcs;
	int64_t func = firefox_cell(&tables->frames, FRAME_FUNC, frame);
	int64_t source = firefox_cell(funcs, FUNC_SOURCE, func);
	int64_t file = firefox_cell(funcs, FUNC_FILE, func);
	int64_t addr = firefox_cell(&tables->frames, FRAME_ADDRESS, frame);
	uint32_t line = line_of(firefox_cell(funcs, FUNC_LINE, func));
	struct cg_slice name;
	cg_object object;
	cg_file file_of_fn;

	pos->line = line_of(firefox_cell(&tables->frames, FRAME_LINE, frame));
	pos->addr = addr > 0 ? (uint64_t)addr : 0;
	if (firefox_rows(&tables->frames, FRAME_LOCATION) > 0)
		return add_location(
		    doc, &r->process.at[thread->part], tables, frame, pos);
	if (source >= 0)
		file = firefox_cell(&tables->sources, SOURCE_FILE, source);
	pos->file = cg_add_file(
	    doc->build, cg_get_name(doc->build, string_at(tables, file)));
	file_of_fn = pos->file;
	take_place(doc, tables, frame, pos);
	name = cg_get_name(doc->build,
	    string_at(tables, firefox_cell(funcs, FUNC_NAME, func)));
	object = add_object(doc, r, thread, tables, frame);
	if (line == 0)
		return cg_add_fn(doc->build, name, file_of_fn, object);
	return cg_add_fn_at(doc->build, name, file_of_fn, object, line,
	    line_of(firefox_cell(funcs, FUNC_COLUMN, func)));
}

/*
 * Returns the number of rows in the table of frames. In raw profiles each
 * frame has a location, in others a function.
 */
static size_t
count_frames(const struct firefox_table *frames)
{
	size_t raw = firefox_rows(frames, FRAME_LOCATION);

	return raw > 0 ? raw : firefox_rows(frames, FRAME_FUNC);
}

static bool
append_frame(struct cg_doc *doc, struct firefox_tables *tables, cg_fn fn,
    const struct cg_pos *pos, bool inlined)
{
	return cg_append(
	    doc->job, &tables->id, cg_get_frame(doc->build, fn, pos, inlined));
}

/*
 * Appends the graph's frames for a row of the frames' table to tables->id,
 * outermost first. There are several if functions are inlined. False: an error
 * (reported).
 */
static bool
add_frames(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *thread, struct firefox_tables *tables,
    int64_t row)
{
	bool inlined = firefox_cell(&tables->frames, FRAME_DEPTH, row) > 0;
	struct cg_stack stack[CG_FRAME_MAX];
	size_t n = find_symbols(doc, r, thread, tables, row, stack);
	struct cg_pos pos = { 0 };
	bool ok = true;
	cg_fn fn;

	for (size_t i = n; ok && i > 0; i--)
		ok = append_frame(doc, tables, stack[i - 1].fn,
		    &stack[i - 1].pos, stack[i - 1].inlined);
	if (n > 0)
		return ok;
	fn = add_function(doc, r, thread, tables, row, &pos);
	return append_frame(doc, tables, fn, &pos, inlined);
}

/*
 * Adds the frames of a row of the frames' table on top of the stack *node,
 * which becomes the new stack. Stores the list of the frames in tables->frame,
 * as many stacks contain the row. False: an error (reported).
 */
static bool
put_row(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *thread, struct firefox_tables *tables,
    int64_t row, cg_node *node)
{
	bool listed = row >= 0 && (uint64_t)row < tables->frame.n;
	struct firefox_row at = { 0 };

	if (listed)
		at = tables->frame.at[row];
	if (at.count == 0) {
		at.first = (uint32_t)tables->id.n;
		if (!add_frames(doc, r, thread, tables, row))
			return false;
		at.count = (uint32_t)tables->id.n - at.first;
	}
	if (listed)
		tables->frame.at[row] = at;
	for (uint32_t i = 0; i < at.count; i++)
		*node =
		    cg_add_node(doc->build, *node, tables->id.at[at.first + i]);
	return true;
}

/* ---- Stacks ------------------------------------------------------------- */

/*
 * Returns the row of the caller's stack; the table states it as a row or an
 * offset. -1: no caller. -2: invalid, as it does not precede the callee's.
 */
static int64_t
prefix_of(const struct firefox_table *stacks, int64_t row)
{
	int64_t prefix = firefox_cell(stacks, STACK_PREFIX, row);
	int64_t offset = firefox_cell(stacks, STACK_OFFSET, row);

	if (offset > 0)
		prefix = row - offset;
	if (prefix == FIREFOX_NONE)
		return -1;
	return prefix >= 0 && prefix < row ? prefix : -2;
}

/*
 * Adds the rows of the table of stacks to the graph, and appends their nodes
 * to tables->node. Threads can share the table, so rows that have a node
 * already are skipped. The stack of a caller must precede those of its
 * callees. False: an error (reported).
 */
static bool
add_stacks(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *thread, struct firefox_tables *tables)
{
	size_t rows = firefox_rows(&tables->stacks, STACK_FRAME);

	if (!cg_resize(doc->job, &tables->frame, count_frames(&tables->frames)))
		return false;
	for (size_t i = tables->node.n; i < rows; i++) {
		int64_t frame =
		    firefox_cell(&tables->stacks, STACK_FRAME, (int64_t)i);
		int64_t prefix = prefix_of(&tables->stacks, (int64_t)i);
		cg_node node;

		if (prefix < -1)
			return cg_reject(doc->job,
			    "expected a prefix of stack %zu that precedes it",
			    i);
		node = prefix < 0 ? 0 : tables->node.at[prefix];
		if (!put_row(doc, r, thread, tables, frame, &node) ||
		    !cg_append(doc->job, &tables->node, node))
			return false;
		if (cg_build_status(doc->build) != CG_OK)
			return false;
	}
	return true;
}

/* ---- Samples ------------------------------------------------------------ */

/*
 * Adds an event for each kind of weight that threads have. The order is
 * samples, time, bytes. Does nothing if events were added before.
 */
static void
add_columns(struct cg_doc *doc, const struct firefox_reader *r)
{
	static const struct cg_event event[FIREFOX_WEIGHTS] = {
		[FIREFOX_SAMPLES] = { .name = "samples",
		    .long_name = "Samples" },
		[FIREFOX_TIME] = { .name = "ns",
		    .long_name = "Time",
		    .unit = "ns" },
		[FIREFOX_BYTES] = { .name = "bytes",
		    .long_name = "Bytes",
		    .unit = "bytes",
		    .is_signed = true },
	};

	if (cg_columns_added(doc->build) > 0)
		return;
	for (size_t i = 0; i < FIREFOX_WEIGHTS; i++)
		if (r->weighs[i])
			(void)cg_add_column(doc->build, &event[i]);
}

/*
 * Sets cost[] to the sample's weight in the event of its kind, 0 in others. A
 * missing weight is 1, a negative one 0, except for bytes. When read, weights
 * were multiplied by a million, which only times keep.
 */
static void
weigh(const struct firefox_reader *r, const struct firefox_table *samples,
    int64_t row, uint64_t *cost)
{
	int64_t weight = firefox_cell(samples, SAMPLE_WEIGHT, row);
	unsigned column = 0;

	memset(cost, 0, FIREFOX_WEIGHTS * sizeof(*cost));
	if (weight == FIREFOX_NONE)
		weight = FIREFOX_NANO;
	if (samples->weighs != FIREFOX_TIME)
		weight /= FIREFOX_NANO;
	if (weight < 0 && samples->weighs != FIREFOX_BYTES)
		weight = 0;
	for (size_t i = 0; i < samples->weighs; i++)
		column += r->weighs[i];
	cost[column] = (uint64_t)weight;
}

static void
begin_thread(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *t)
{
	cg_name process =
	    t->process ? t->process : r->process.at[t->part].product;
	const struct cg_sample_key key = { .pid = t->pid,
		.tid = t->tid,
		.comm = cg_get_name(doc->build, process),
		.thread = cg_get_name(doc->build, t->name) };

	add_columns(doc, r);
	cg_set_sample_part(doc->build, &key);
}

static bool
begin_times(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *t)
{
	cg_name process =
	    t->process ? t->process : r->process.at[t->part].product;
	const struct cg_track track = { .pid = t->pid,
		.tid = t->tid,
		.name = cg_get_name(doc->build, t->name).ptr,
		.process = cg_get_name(doc->build, process).ptr,
		.unit = "ns" };

	if (!cg_begin_timeline(doc->build))
		return false;
	(void)cg_add_track(doc->build, &track);
	return true;
}

bool
firefox_add_thread(struct cg_doc *doc, struct firefox_reader *r,
    const struct firefox_thread *thread, struct firefox_tables *tables)
{
	const struct firefox_table *samples = &thread->samples;
	size_t rows = firefox_rows(samples, SAMPLE_STACK);
	int64_t now = 0;
	bool timed;

	if (rows == 0)
		return true;
	if (!add_stacks(doc, r, thread, tables))
		return false;
	begin_thread(doc, r, thread);
	timed = begin_times(doc, r, thread);
	for (size_t i = 0; i < rows; i++) {
		int64_t stack = firefox_cell(samples, SAMPLE_STACK, (int64_t)i);
		int64_t time = firefox_cell(samples, SAMPLE_TIME, (int64_t)i);
		int64_t delta = firefox_cell(samples, SAMPLE_DELTA, (int64_t)i);
		struct cg_moment moment = { .n = 0 };
		uint64_t cost[FIREFOX_WEIGHTS];

		if (delta != FIREFOX_NONE &&
		    __builtin_add_overflow(now, delta, &now))
			now = INT64_MAX;
		if (time == FIREFOX_NONE)
			time = now;
		if (stack == FIREFOX_NONE) {
			r->stackless++;
			continue;
		}
		if (stack < 0 || (uint64_t)stack >= tables->node.n)
			return cg_reject(doc->job,
			    "expected a stack of sample %zu that is in the "
			    "stackTable",
			    i);
		weigh(r, samples, (int64_t)i, cost);
		moment.cost = cg_columns_of(doc->build, cost);
		moment.n = cg_columns_width(doc->build);
		moment.node = tables->node.at[stack];
		cg_add_stack(doc->build, moment.node, 1, moment.cost, moment.n);
		if (!timed)
			continue;
		if (__builtin_add_overflow(
			r->process.at[thread->part].start, time, &moment.time))
			moment.time = INT64_MAX;
		cg_add_moment(doc->build, &moment);
	}
	return cg_build_status(doc->build) == CG_OK;
}
