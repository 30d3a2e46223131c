/*
 * write.c - writes the graph as JSON Lines. json.h describes the format.
 *
 * Ids are numbered in canonical order, not in the input's order, so equal
 * graphs become equal files. Only stacks keep the order in which they were
 * added.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "json.h"

/*
 * Room for the longest line without names: tag, numbers and costs, all quoted,
 * with ','.
 */
#define NUMBERS_MAX 12
#define NUMBER_ROOM (CG_NUMBER_MAX + 3)
#define LINE_ROOM (64 + NUMBERS_MAX * NUMBER_ROOM)
_Static_assert(LINE_ROOM + CG_EVENT_MAX * NUMBER_ROOM <= CG_RESERVE_MAX,
    "a line must fit into one reservation");

/* The greatest integer n such that a double represents all up to n. */
#define SAFE_MAX (((uint64_t)1 << 53) - 1)

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	cg_part part;
	struct cg_rows *rows;
	size_t events;
	bool is_signed[CG_EVENT_MAX];
	size_t room;        /* bytes of a line of numbers, at most */
	uint64_t plain_max; /* greater numbers are written as strings */
	uint64_t lines;
	size_t tracks;                /* written before the current one */
	uint32_t *object, *file, *fn; /* the graph's id -> id in the output */
};

/* ---- Lines of numbers: most lines, formatted in place ------------------- */

static char *
put_word(char *at, const char *word)
{
	*at++ = '"';
	while (*word)
		*at++ = *word++;
	*at++ = '"';
	return at;
}

static char *
begin_line(struct writer *w, const char *tag)
{
	char *at = cg_out_reserve(w->out, w->room);

	*at++ = '[';
	return put_word(at, tag);
}

static void
end_line(struct writer *w, char *at)
{
	*at++ = ']';
	*at++ = '\n';
	cg_out_advance(w->out, at);
	w->lines++;
}

static inline char *
format_plain(const struct writer *w, char *at, uint64_t number)
{
	if (number <= w->plain_max)
		return cg_format_u64(at, number);
	*at++ = '"';
	at = cg_format_u64(at, number);
	*at++ = '"';
	return at;
}

static inline char *
put_number(const struct writer *w, char *at, uint64_t number)
{
	*at++ = ',';
	return format_plain(w, at, number);
}

static char *
format_signed(const struct writer *w, char *at, int64_t number)
{
	uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	bool quoted = size > w->plain_max;

	if (quoted)
		*at++ = '"';
	at = cg_format_i64(at, number);
	if (quoted)
		*at++ = '"';
	return at;
}

static char *
put_costs(const struct writer *w, char *at, const uint64_t *cost, size_t n)
{
	while (n > 0 && cost[n - 1] == 0)
		n--;
	*at++ = ',';
	*at++ = '[';
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			*at++ = ',';
		at = w->is_signed[i] ? format_signed(w, at, (int64_t)cost[i])
				     : format_plain(w, at, cost[i]);
	}
	*at++ = ']';
	return at;
}

static char *
put_pos(const struct writer *w, char *at, const struct cg_pos *pos)
{
	at = put_number(w, at, w->file[pos->file]);
	at = put_number(w, at, pos->line);
	return put_number(w, at, pos->addr);
}

static void
put_cost(struct writer *w, const struct cg_cost *cost)
{
	char *at = begin_line(w, "cost");

	at = put_pos(w, at, &cost->pos);
	end_line(w, put_costs(w, at, cost->cost, cost->n));
}

static void
put_call(struct writer *w, const struct cg_call *call)
{
	char *at = begin_line(w, "call");

	at = put_pos(w, at, &call->site);
	at = put_number(w, at, w->fn[call->callee]);
	at = put_number(w, at, call->entry.line);
	at = put_number(w, at, call->entry.addr);
	at = put_number(w, at, call->count);
	end_line(w, put_costs(w, at, call->cost, call->n));
}

static void
put_jump(struct writer *w, const struct cg_jump *jump)
{
	char *at = begin_line(w, "jump");

	at = put_pos(w, at, &jump->from);
	at = put_number(w, at, w->fn[jump->target]);
	at = put_pos(w, at, &jump->to);
	at = put_number(w, at, jump->executed);
	if (jump->conditional)
		at = put_number(w, at, jump->followed);
	end_line(w, at);
}

/*
 * Stores the letters of the given flags in "letters", and a NUL after them.
 * The order is that of json_flags. Returns the number of letters.
 */
static size_t
get_letters(unsigned flags, char letters[CG_BRANCH_FLAGS + 1])
{
	size_t n = 0;

	for (unsigned bit = 0; bit < CG_BRANCH_FLAGS; bit++) {
		if (flags & 1u << bit)
			letters[n++] = json_flags[bit];
	}
	letters[n] = '\0';
	return n;
}

/*
 * Ends the reserved output at the pointer `at`. Writes a comma after it, and
 * the label as a JSON string. Returns newly reserved output for the rest of
 * the line.
 */
static char *
put_word_of(struct writer *w, char *at, struct cg_slice label)
{
	*at++ = ',';
	cg_out_advance(w->out, at);
	cg_put_json(w->out, label);
	return cg_out_reserve(w->out, w->room);
}

static void
put_region(struct writer *w, const struct cg_branch *row)
{
	struct cg_slice label = cg_branch_label(w->graph, row);
	char *at = begin_line(w, "region"), flags[CG_BRANCH_FLAGS + 1];
	size_t n = get_letters(row->flags, flags);
	struct cg_region region;

	cg_get_region(row, &region);
	at = put_number(w, at, w->file[region.file]);
	at = put_number(w, at, region.line);
	at = put_number(w, at, region.column);
	at = put_number(w, at, region.last);
	at = put_number(w, at, region.last_column);
	*at++ = ',';
	at = format_signed(w, at, region.count);
	if (n > 0 || label.len > 0) {
		*at++ = ',';
		at = put_word(at, flags);
	}
	if (label.len > 0)
		at = put_word_of(w, at, label);
	end_line(w, at);
}

static void
put_branch(struct writer *w, const struct cg_branch *branch)
{
	struct cg_slice label = cg_branch_label(w->graph, branch);
	char *at = begin_line(w, "branch"), flags[CG_BRANCH_FLAGS + 1];
	size_t n = get_letters(branch->flags, flags);

	at = put_pos(w, at, &branch->pos);
	*at++ = ',';
	at = put_word(at, json_kind[branch->kind]);
	at = put_number(w, at, branch->block);
	at = put_number(w, at, branch->index);
	*at++ = ',';
	at = format_signed(w, at, branch->count);
	if (n > 0 || branch->target != 0 || label.len > 0) {
		*at++ = ',';
		at = put_word(at, flags);
	}
	if (branch->target != 0 || label.len > 0)
		at = put_number(w, at, branch->target);
	if (label.len > 0)
		at = put_word_of(w, at, label);
	end_line(w, at);
}

/* Writes a line with a tag and n costs. */
static void
put_sum(struct writer *w, const char *tag, const uint64_t *cost, size_t n)
{
	end_line(w, put_costs(w, begin_line(w, tag), cost, n));
}

static void
put_rows_of(struct writer *w, cg_fn fn)
{
	struct cg_rows *rows = w->rows;
	struct cg_cost cost;
	struct cg_call call;
	struct cg_jump jump;
	struct cg_branch branch;

	end_line(w, put_number(w, begin_line(w, "rows"), w->fn[fn]));
	if (cg_stated_inclusive(rows, &cost))
		put_sum(w, "inclusive", cost.cost, cost.n);
	while (cg_next_cost(rows, &cost))
		put_cost(w, &cost);
	while (cg_next_call(rows, &call))
		put_call(w, &call);
	while (cg_next_jump(rows, &jump))
		put_jump(w, &jump);
	while (cg_next_branch(rows, &branch)) {
		if (branch.kind == CG_BRANCH_REGION)
			put_region(w, &branch);
		else
			put_branch(w, &branch);
	}
}

static char *
put_true(char *at)
{
	memcpy(at, ",true", 5);
	return at + 5;
}

static void
put_frames(struct writer *w)
{
	for (cg_node node = 1; node <= cg_node_count(w->graph); node++) {
		char *at = begin_line(w, "frame");
		struct cg_stack stack;

		cg_get_node(w->graph, node, &stack);
		at = put_number(w, at, node);
		at = put_number(w, at, stack.parent);
		at = put_number(w, at, w->fn[stack.fn]);
		at = put_pos(w, at, &stack.pos);
		end_line(w, stack.inlined ? put_true(at) : at);
	}
}

/*
 * Writes the costs, calls, jumps and branches of all functions in the current
 * part (process or thread). A cursor that fails reports it to the job.
 */
static void
put_fns(struct writer *w)
{
	size_t i = 0;
	cg_fn fn;

	while (cg_next_fn(w->graph, w->part, &i, &fn) &&
	       cg_rows_open(w->rows, w->part, fn))
		put_rows_of(w, fn);
}

static void
put_stacks(struct writer *w, cg_part part)
{
	struct cg_stack_cost stack;

	for (size_t i = 0; cg_next_stack(w->graph, part, &i, &stack);) {
		char *at = put_number(w, begin_line(w, "stack"), stack.leaf);

		at = put_number(w, at, stack.samples);
		at = put_costs(w, at, stack.cost, stack.n);
		end_line(
		    w, stack.labels ? put_number(w, at, stack.labels) : at);
	}
}

/* ---- Lines with names --------------------------------------------------- */

static void
put_text(struct writer *w, const char *text)
{
	cg_putc(w->out, ',');
	cg_put_json(w->out, cg_slice(text));
}

/*
 * Ends the line of an event or a formula: writes the last fields, which are
 * the same for both.
 */
static void
put_event_rest(struct writer *w, const struct cg_event *event)
{
	put_text(w, event->long_name);
	put_text(w, event->unit);
	put_text(w, json_incl[event->incl]);
	cg_puts(w->out, event->is_signed ? ",true]\n" : ",false]\n");
	w->lines++;
}

static void
put_events(struct writer *w)
{
	for (size_t i = 0; i < w->events; i++) {
		const struct cg_event *event = cg_get_event(w->graph, i);

		w->is_signed[i] = event->is_signed;
		cg_putf(w->out, "[\"event\",%zu", i);
		put_text(w, event->name);
		put_event_rest(w, event);
	}
	for (size_t i = 0; i < cg_formula_count(w->graph); i++) {
		const struct cg_event *event = cg_get_formula(w->graph, i);

		cg_puts(w->out, "[\"formula\"");
		put_text(w, event->name);
		put_text(w, event->formula);
		put_event_rest(w, event);
	}
}

struct path {
	struct cg_slice text;
	uint32_t id;
};

static int
compare_paths(const void *pa, const void *pb)
{
	const struct path *a = pa, *b = pb;

	return cg_compare(a->text, b->text);
}

static void
put_path(struct writer *w, const char *tag, uint32_t id, struct cg_slice text,
    struct cg_slice given)
{
	cg_putf(w->out, "[\"%s\",%" PRIu32 ",", tag, id);
	cg_put_json(w->out, text);
	if (given.len > 0) {
		cg_putc(w->out, ',');
		cg_put_json(w->out, given);
	}
	cg_puts(w->out, "]\n");
	w->lines++;
}

/*
 * Returns "": unlike files, objects have no other spelling of the path in the
 * input. For put_paths().
 */
static struct cg_slice
no_given(const struct cg_graph *graph, uint32_t id)
{
	(void)graph;
	(void)id;
	return cg_slice("");
}

/*
 * Writes a line for each object or file, sorted by path, with new ids from 1.
 * get() returns its path, get_given() the spelling in the input. Returns the
 * new ids by old id; NULL: out of memory (reported).
 */
static uint32_t *
put_paths(struct writer *w, const char *tag, size_t count,
    struct cg_slice (*get)(const struct cg_graph *, uint32_t),
    struct cg_slice (*get_given)(const struct cg_graph *, uint32_t))
{
	uint32_t *ids = cg_alloc(w->job, (count + 1) * sizeof(*ids));
	CG_ARRAY(struct path) paths = { 0 };
	const struct path *path;

	if (!ids || !cg_resize(w->job, &paths, count + 1))
		return NULL;
	for (uint32_t id = 1; id <= count; id++)
		paths.at[id - 1] = (struct path){ get(w->graph, id), id };
	qsort(paths.at, count, sizeof(*path), compare_paths);
	for (uint32_t i = 0; i < count; i++) {
		path = &paths.at[i];
		ids[path->id] = i + 1;
		put_path(
		    w, tag, i + 1, path->text, get_given(w->graph, path->id));
	}
	cg_drop(w->job, &paths);
	return ids;
}

static void
put_function(struct writer *w, cg_fn fn)
{
	struct cg_slice symbol = cg_fn_symbol(w->graph, fn);
	struct cg_range range;
	bool columns;
	char *at;

	cg_putf(w->out, "[\"function\",%" PRIu32 ",", w->fn[fn]);
	cg_put_json(w->out, cg_fn_name(w->graph, fn));
	cg_fn_range(w->graph, fn, &range);
	columns =
	    range.first_column != 0 || range.last_column != 0 || symbol.len > 0;
	at = cg_out_reserve(w->out, w->room);
	at = put_number(w, at, w->file[cg_fn_file(w->graph, fn)]);
	at = put_number(w, at, w->object[cg_fn_object(w->graph, fn)]);
	if (range.first != 0 || range.last != 0 || range.addr != 0 || columns) {
		at = put_number(w, at, range.first);
		at = put_number(w, at, range.last);
		at = put_number(w, at, range.addr);
	}
	if (columns) {
		at = put_number(w, at, range.first_column);
		at = put_number(w, at, range.last_column);
	}
	if (symbol.len > 0) {
		*at++ = ',';
		cg_out_advance(w->out, at);
		cg_put_json(w->out, symbol);
		at = cg_out_reserve(w->out, w->room);
	}
	end_line(w, at);
}

static bool
put_names(struct writer *w)
{
	const struct cg_graph *graph = w->graph;
	size_t count = cg_fn_count(graph);
	uint32_t id = 0;

	w->object = put_paths(
	    w, "object", cg_object_count(graph), cg_object_path, no_given);
	w->file = put_paths(
	    w, "file", cg_file_count(graph), cg_file_path, cg_file_given);
	w->fn = cg_alloc(w->job, (count + 1) * sizeof(*w->fn));
	if (!w->object || !w->file || !w->fn)
		return false;
	for (size_t rank = 0; rank <= count; rank++) {
		cg_fn fn = cg_fn_ranked(graph, rank);

		if (fn == 0)
			continue;
		w->fn[fn] = ++id;
		put_function(w, fn);
	}
	return true;
}

static void
put_label(struct writer *w, const struct cg_label *label)
{
	char *at;

	cg_puts(w->out, ",[");
	cg_put_json(w->out, label->key);
	cg_putc(w->out, ',');
	cg_put_json(w->out, label->value);
	if (label->value.len == 0) {
		at = cg_out_reserve(w->out, w->room);
		*at++ = ',';
		cg_out_advance(w->out, format_signed(w, at, label->number));
	}
	if (label->unit.len > 0) {
		cg_putc(w->out, ',');
		cg_put_json(w->out, label->unit);
	}
	cg_putc(w->out, ']');
}

static void
put_labels(struct writer *w)
{
	for (cg_labels set = 1; set <= cg_labels_count(w->graph); set++) {
		struct cg_label label;

		cg_putf(w->out, "[\"labels\",%" PRIu32, set);
		for (size_t i = 0; cg_get_label(w->graph, set, i, &label); i++)
			put_label(w, &label);
		cg_puts(w->out, "]\n");
		w->lines++;
	}
}

static void
put_part_info(struct writer *w, cg_part part)
{
	const struct cg_part_info *info = cg_get_part(w->graph, part);
	const char *key, *value;
	const cg_file *file;
	size_t files = cg_part_files(w->graph, part, &file);
	char *at = begin_line(w, "part");

	at = put_number(w, at, info->pid);
	at = put_number(w, at, info->tid);
	at = put_number(w, at, info->part);
	cg_out_advance(w->out, at);
	put_text(w, info->cmd);
	cg_puts(w->out, "]\n");
	w->lines++;
	for (size_t i = 0; cg_part_desc(w->graph, part, i, &key, &value); i++) {
		cg_puts(w->out, "[\"desc\"");
		put_text(w, key);
		put_text(w, value);
		cg_puts(w->out, "]\n");
		w->lines++;
	}
	for (size_t i = 0; i < files; i++)
		end_line(w,
		    put_number(w, begin_line(w, "listed"), w->file[file[i]]));
}

/* ---- Timelines ---------------------------------------------------------- */

static void
put_track(struct writer *w, const struct cg_track *track)
{
	char *at = begin_line(w, "track");

	at = put_number(w, at, track->pid);
	at = put_number(w, at, track->tid);
	cg_out_advance(w->out, at);
	put_text(w, track->name);
	put_text(w, track->process);
	put_text(w, track->unit);
	at = cg_out_reserve(w->out, w->room);
	*at++ = ',';
	memcpy(at, track->spans ? "true," : "false,", 6);
	at = format_signed(w, at + (track->spans ? 5 : 6), track->begin);
	*at++ = ',';
	end_line(w, format_signed(w, at, track->end));
}

static void
put_moment(
    struct writer *w, const struct cg_track *track, struct cg_moment *moment)
{
	char *at = begin_line(w, "moment");

	*at++ = ',';
	at = format_signed(w, at, moment->time - track->begin);
	at = put_number(w, at, moment->node);
	end_line(
	    w, moment->n > 0 ? put_costs(w, at, moment->cost, moment->n) : at);
}

/*
 * Writes the samples or calls of the current track, the timeline of a thread,
 * in order of time.
 */
static void
put_moments(struct writer *w)
{
	const struct cg_track *track = cg_get_track(w->graph, w->tracks);
	struct cg_moments *moments = cg_moments_new(w->graph, w->tracks);
	struct cg_moment moment;

	while (moments && cg_next_moment(moments, &moment))
		put_moment(w, track, &moment);
	cg_moments_free(moments);
}

static void
put_tracks(struct writer *w, cg_part part)
{
	while (w->tracks < cg_track_count(w->graph) &&
	       cg_get_track(w->graph, w->tracks)->part == part) {
		put_track(w, cg_get_track(w->graph, w->tracks));
		put_moments(w);
		w->tracks++;
	}
}

/* ---- The file ----------------------------------------------------------- */

static void
put_header(struct writer *w)
{
	unsigned grain = cg_graph_grain(w->graph);
	int minor = cg_graph_facts(w->graph) & CG_REGIONS
			? 2
			: cg_track_count(w->graph) > 0;

	cg_putf(w->out,
	    JSON_MAGIC "\"graph\",\"version\":%d,\"minor\":%d,"
		       "\"creator\":\"cgconv %s\"",
	    JSON_VERSION, minor, CG_VERSION);
	if (grain != 1)
		cg_putf(w->out, ",\"grain\":%u", grain);
	cg_puts(w->out, "}\n");
	w->lines++;
}

/*
 * Writes all parts (processes or threads) with their costs, stacks and
 * timelines. If memory runs out, the job fails.
 */
static void
put_parts(struct writer *w)
{
	size_t count = cg_part_count(w->graph);

	w->rows = cg_rows_new(w->graph);
	for (w->part = 0; w->rows && w->part < count; w->part++) {
		put_part_info(w, w->part);
		put_fns(w);
		put_stacks(w, w->part);
		put_sum(
		    w, "total", cg_part_totals(w->graph, w->part), w->events);
		put_tracks(w, w->part);
	}
	cg_rows_free(w->rows);
}

int
json_write(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	bool safe = cg_opt_flag(job, "json-safe");
	struct writer w = { .job = job,
		.graph = graph,
		.out = out,
		.events = cg_event_count(graph),
		.plain_max = safe ? SAFE_MAX : UINT64_MAX };

	w.room = LINE_ROOM + w.events * NUMBER_ROOM;
	(void)cg_out_crc32(out);
	put_header(&w);
	put_events(&w);
	if (put_names(&w)) {
		put_frames(&w);
		put_labels(&w);
		put_parts(&w);
		cg_putf(out,
		    "[\"end\",{\"records\":%" PRIu64 ",\"crc32\":\"%08" PRIx32
		    "\"}]\n",
		    w.lines, cg_out_crc32(out));
	}
	return cg_out_status(out);
}
