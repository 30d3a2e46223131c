/*
 * read.c - reads folded stacks from the lines that lines.c has parsed.
 * folded.c describes the format.
 *
 * One pass. Counts are summed here until the end, as it is only known then
 * whether any count is a fraction or negative. Memory grows with the distinct
 * stacks, not with the lines.
 */
#include <string.h>

#include "folded.h"

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct folded_input input;
	struct cg_event event[FOLDED_COLUMNS];
	bool fraction, negative; /* whether a count is */

	CG_ARRAY(cg_node) node; /* by frame of the previous line */

	/* Sums by stack, in order of first appearance. */
	struct cg_map ids; /* thread and leaf -> index of the stack + 1 */
	CG_ARRAY(cg_node) leaf;
	CG_ARRAY(cg_name) thread; /* Austin: head of the lines */
	CG_ARRAY(uint64_t) samples;
	CG_ARRAY(uint64_t) sum; /* by stack and column; two's complement */
	/* By stack and column: millionths to add to sum. */
	CG_ARRAY(uint32_t) micro;
	int status; /* of options */
};

/* ---- Frames ------------------------------------------------------------- */

/*
 * Splits "name (file:line)", py-spy's form of a frame. *whole becomes the
 * name, *path the file, and *number_of the line. False: another form, such as
 * "operator()(int)", and nothing changes.
 */
static bool
split_line(struct cg_slice *whole, struct cg_slice *path, uint32_t *number_of)
{
	struct cg_slice name = *whole;
	const char *end = name.ptr + name.len, *colon = end - 1, *open;
	struct cg_slice number, file;
	uint64_t line;

	if (name.len < 6 || end[-1] != ')')
		return false;
	while (colon > name.ptr && *colon != ':')
		colon--;
	number = (struct cg_slice){ colon + 1, (size_t)(end - colon - 1) };
	if (colon == name.ptr || !cg_take_u64(&number, &line) ||
	    !cg_equal(number, ")") || line > UINT32_MAX)
		return false;
	for (open = colon; open > name.ptr; open--) {
		if (open[0] == '(' && open[-1] == ' ')
			break;
	}
	if (open <= name.ptr + 1)
		return false;
	file = (struct cg_slice){ open + 1, (size_t)(colon - open - 1) };
	*path = file;
	*number_of = (uint32_t)line;
	whole->len = (size_t)(open - 1 - name.ptr);
	return true;
}

/*
 * Adds the function of a frame to the graph and returns it. note is the index
 * in folded_notes of its annotation, such as "_[k]". Sets file and line of
 * *pos if the frame states them. With r->input.fns, names are whole: *pos is
 * unchanged.
 */
static cg_fn
add_fn(
    struct reader *r, struct cg_slice name, unsigned note, struct cg_pos *pos)
{
	const struct cg_slice object = cg_slice(folded_notes[note].object);
	struct cg_slice file;
	cg_object id;

	if (!r->input.fns &&
	    (r->input.austin == FOLDED_PLAIN
		    ? split_line(&name, &file, &pos->line)
		    : folded_split_austin(&name, &file, &pos->line)))
		pos->file = cg_add_file(r->build, file);
	if (name.len == 0)
		name = cg_slice(FOLDED_UNKNOWN);
	if (r->input.fns)
		return cg_add_known_fn(r->input.fns, name, object);
	id = object.len > 0 ? cg_add_object(r->build, object) : 0;
	return cg_add_fn_named(r->build,
	    cg_add_demangled(r->build, cg_add_name(r->build, name)), pos->file,
	    id);
}

static cg_node
add_frame(struct reader *r, cg_node parent, const struct folded_line *line,
    const struct folded_frame *frame)
{
	struct cg_slice name = { line->text.ptr + frame->begin, frame->len };
	struct cg_pos pos = { 0 };
	cg_fn fn = frame->fn;

	if (fn == 0)
		fn = add_fn(r, name, frame->note, &pos);
	return cg_add_frame(
	    r->build, parent, fn, &pos, folded_notes[frame->note].inlined);
}

/* The process and thread in an Austin stack are not frames. */
#define HEAD_FRAMES 2

/*
 * Adds a frame of the function [unknown], for a thread of Austin without a
 * stack, and returns its node.
 */
static cg_node
add_unknown(struct reader *r)
{
	const struct cg_pos nowhere = { 0 };

	return cg_add_frame(r->build, 0,
	    cg_add_fn(r->build, cg_slice(FOLDED_UNKNOWN), 0, 0), &nowhere,
	    false);
}

/*
 * Adds a line's frames to the graph, above those shared with the last stack.
 * Process and thread, which begin Austin's stacks, are not added. Returns the
 * leaf, [unknown] if no frame is added; 0: an error (reported).
 */
static cg_node
add_frames(struct reader *r, const struct folded_lines *lines,
    const struct folded_line *line)
{
	const struct folded_frame *frame = lines->frame + line->frame;
	size_t n = line->keep;
	cg_node node = n > 0 ? r->node.at[n - 1] : 0;

	if (!cg_reserve(r->job, &r->node, n + line->frames))
		return 0;
	for (uint32_t i = 0; i < line->frames; i++) {
		if (r->input.austin == FOLDED_PLAIN || n >= HEAD_FRAMES) {
			node = add_frame(r, node, line, &frame[i]);
			if (node == 0)
				return 0;
		}
		r->node.at[n++] = node;
	}
	return node != 0 ? node : add_unknown(r);
}

/* ---- Counts ------------------------------------------------------------- */

static bool
add_stack(struct reader *r, cg_node leaf, cg_name thread)
{
	return cg_append(r->job, &r->leaf, leaf) &&
	       cg_append(r->job, &r->thread, thread) &&
	       cg_append(r->job, &r->samples, 0) &&
	       cg_resize(r->job, &r->sum, r->leaf.n * r->input.columns) &&
	       cg_resize(r->job, &r->micro, r->leaf.n * r->input.columns);
}

/*
 * Returns the index of a stack in the list of sums. A stack is identified by
 * its leaf and, for Austin, its thread. Appends the stack if it is new.
 * SIZE_MAX: out of memory (reported).
 */
static size_t
find_stack(struct reader *r, cg_node leaf, cg_name thread)
{
	uint32_t *id =
	    cg_map_in(r->job, &r->ids, (uint64_t)thread << 32 | leaf);

	if (!id)
		return SIZE_MAX;
	if (*id == 0) {
		if (!add_stack(r, leaf, thread))
			return SIZE_MAX;
		*id = (uint32_t)r->leaf.n;
	}
	return *id - 1;
}

static bool
too_big(struct reader *r, const char *at)
{
	return cg_reject_at(r->job, at,
	    "expected counts whose sum fits into 64 bits%s",
	    r->negative ? ", with signs" : "");
}

/*
 * Makes all sums signed. Called when the first negative count was read. False:
 * one of the sums is above INT64_MAX already. Reports this at the position in
 * the input that "at" points to.
 */
static bool
allow_negative(struct reader *r, const char *at)
{
	r->negative = true;
	for (size_t i = 0; i < r->leaf.n * r->input.columns; i++) {
		if (r->sum.at[i] > INT64_MAX)
			return too_big(r, at);
	}
	return true;
}

static bool
add_signed(uint64_t *sum, const struct folded_count *count)
{
	int64_t more;

	if (count->whole > (uint64_t)INT64_MAX + count->negative)
		return false;
	more = (int64_t)(count->negative ? 0 - count->whole : count->whole);
	if (__builtin_add_overflow((int64_t)*sum, more, &more))
		return false;
	*sum = (uint64_t)more;
	return true;
}

static bool
add_count(
    struct reader *r, size_t i, struct folded_count *count, const char *at)
{
	uint32_t micro = count->micro;

	if (count->rounded)
		cg_warn_at(r->job, at,
		    "digits after the %dth decimal are dropped", FOLDED_DIGITS);
	r->fraction |= count->fraction;
	if (count->negative && !r->negative && !allow_negative(r, at))
		return false;
	if (count->negative && count->whole > (uint64_t)INT64_MAX + 1)
		return too_big(r, at);
	if (count->negative && micro > 0) {
		count->whole++;
		micro = FOLDED_MICRO - micro;
	}
	/* The carry is added separately, as whole may be UINT64_MAX. */
	micro += r->micro.at[i];
	if (micro >= FOLDED_MICRO) {
		const struct folded_count one = { .whole = 1 };

		micro -= FOLDED_MICRO;
		if (r->negative ? !add_signed(&r->sum.at[i], &one)
				: ++r->sum.at[i] == 0)
			return too_big(r, at);
	}
	r->micro.at[i] = micro;
	if (r->negative ? !add_signed(&r->sum.at[i], count)
			: __builtin_add_overflow(
			      r->sum.at[i], count->whole, &r->sum.at[i]))
		return too_big(r, at);
	return true;
}

/*
 * Adds a line's samples to those of its stack. They are the line's count if it
 * is positive, whole and the only one; else, and for Austin, 1. False:
 * overflow (reported).
 */
static bool
add_samples(struct reader *r, size_t stack, const struct folded_count *count,
    const char *at)
{
	bool known = r->input.columns == 1 && r->input.austin == FOLDED_PLAIN &&
		     !count->negative && !count->fraction && count->whole > 0;

	return !__builtin_add_overflow(r->samples.at[stack],
		   known ? count->whole : 1, &r->samples.at[stack]) ||
	       too_big(r, at);
}

/* ---- Lines -------------------------------------------------------------- */

static void
take_comment(struct reader *r, struct cg_slice line)
{
	struct cg_slice key;

	(void)cg_take_prefix(&line, "#");
	line = cg_trim(line);
	if (cg_take_until(&line, ':', &key) && line.len > 0 && key.len > 0)
		cg_add_desc(r->build, key, cg_trim(line));
}

/*
 * Handles a line that is neither a stack nor a comment nor empty. If it has
 * counts but no frames, rejects it: returns false (reported). Else skips it
 * with a warning, and returns true.
 */
static bool
refuse_line(struct reader *r, struct cg_slice line)
{
	struct folded_count count;
	struct cg_slice text = line;
	size_t i = r->input.columns;

	while (i > 0 && folded_take_count(&text, &count))
		i--;
	if (i == 0)
		return cg_reject_at(
		    r->job, line.ptr, "expected frames before the count");
	cg_warn_at(r->job, line.ptr,
	    r->input.columns == 1
		? "expected 'frame;frame count'; the line is skipped"
		: "expected 'frame;frame' and a count for each event; "
		  "the line is skipped");
	return true;
}

static bool
read_stack(struct reader *r, const struct folded_lines *lines,
    const struct folded_line *line, struct folded_count *count)
{
	const char *at = line->text.ptr + line->stack;
	cg_node leaf = add_frames(r, lines, line);
	struct cg_slice stacked = { line->text.ptr, line->stack };
	cg_name thread = 0;
	size_t stack;

	if (leaf == 0)
		return false;
	if (r->input.austin != FOLDED_PLAIN)
		thread = cg_add_name(r->build, folded_austin_head(stacked));
	stack = find_stack(r, leaf, thread);
	if (stack == SIZE_MAX || !add_samples(r, stack, count, at))
		return false;
	for (size_t i = 0; i < r->input.columns; i++) {
		if (!add_count(r, stack * r->input.columns + i, &count[i], at))
			return false;
	}
	return true;
}

static bool
read_lines(struct reader *r, const struct folded_lines *lines)
{
	struct folded_count *count = lines->count;
	const char *at = NULL;
	bool ok = true;

	for (size_t i = 0; ok && i < lines->lines; i++) {
		const struct folded_line *line = &lines->line[i];

		at = line->text.ptr;
		if (line->stack > 0) {
			ok = read_stack(r, lines, line, count);
			count += r->input.columns;
		} else if (cg_starts(line->text, "# ")) {
			take_comment(r, line->text);
		} else if (line->text.len > 0) {
			ok = refuse_line(r, line->text);
		}
	}
	return cg_build_failed(r->build, at) == CG_OK && ok;
}

/* ---- Columns ------------------------------------------------------------ */

static const char *
keep_name(struct cg_build *build, struct cg_slice text)
{
	return cg_get_name(build, cg_add_name(build, text)).ptr;
}

/*
 * Reads a header line, "samples/count cpu/nanoseconds", into event[], and
 * returns the number of events; 0: not a header.
 */
static size_t
take_header(struct cg_build *build, struct cg_slice line,
    struct cg_event event[FOLDED_COLUMNS])
{
	struct cg_slice name[FOLDED_COLUMNS], unit[FOLDED_COLUMNS];
	size_t n = folded_get_header(line, name, unit);

	for (size_t i = 0; i < n; i++) {
		if (cg_equal(unit[i], "count"))
			unit[i].len = 0;
		event[i] = (struct cg_event){
			.name = keep_name(build, name[i]),
			.unit = keep_name(build, unit[i]),
		};
	}
	return n;
}

static bool
has_two_counts(struct cg_slice line)
{
	struct folded_count count;

	return folded_take_count(&line, &count) &&
	       folded_take_count(&line, &count) && line.len > 0;
}

/*
 * True if the block has stacks and all of them have two counts (a difference).
 * The first stack alone does not tell: "Thread 7 12" can be a frame "Thread 7"
 * with one count.
 */
static bool
all_have_two(struct cg_slice block)
{
	struct cg_slice line;
	bool any = false;

	while (cg_take_line(&block, &line)) {
		line = folded_trim_line(line);
		if (line.len == 0 || cg_starts(line, "# "))
			continue;
		if (!has_two_counts(line))
			return false;
		any = true;
	}
	return any;
}

/*
 * Finds out how many counts lines have, and their events. Option counts
 * decides, else a header, which is removed from the block, else the lines.
 * Leaves *columns and event[] unchanged for one count that no header names.
 * Returns CG_OK, or the status of an invalid option.
 */
static int
find_columns(struct cg_job *job, struct cg_build *build, struct cg_slice *block,
    struct cg_event event[FOLDED_COLUMNS], size_t *columns)
{
	const char *option = cg_opt(job, "counts");
	struct cg_slice rest = *block, line;
	size_t named = 0;

	if (option && strcmp(option, "1") != 0 && strcmp(option, "2") != 0)
		return cg_usage(
		    job, "{counts}: expected 1 or 2, not '%s'", option);
	if (!option && cg_take_line(&rest, &line))
		named = take_header(build, line, event);
	if (named > 0) {
		*block = rest;
		*columns = named;
	} else if (option ? *option == '2' : all_have_two(*block)) {
		event[0].name = "before";
		event[1].name = "after";
		*columns = 2;
	}
	return CG_OK;
}

/*
 * True if each frame of a stack has py-spy's form "name (file:line)". An
 * annotation such as "_[k]" may follow the form. True also for an empty stack.
 */
static bool
all_have_lines(struct cg_slice stack)
{
	struct cg_slice frame, file;
	uint32_t line;

	while (cg_take_until(&stack, ';', &frame)) {
		frame = cg_trim(frame);
		(void)folded_take_note(&frame);
		if (!split_line(&frame, &file, &line))
			return false;
	}
	return true;
}

/*
 * True if the block, the first one, has frames, and all of them have py-spy's
 * form "name (file:line)". "columns" is the number of counts in a line. False
 * also if a line, except comments and empty lines, has fewer counts.
 */
static bool
finds_lines(struct cg_slice block, size_t columns)
{
	struct folded_count count;
	struct cg_slice line;
	bool any = false;

	while (cg_take_line(&block, &line)) {
		line = folded_trim_line(line);
		if (line.len == 0 || cg_starts(line, "# "))
			continue;
		for (size_t i = 0; i < columns; i++)
			if (!folded_take_count(&line, &count))
				return false;
		if (!all_have_lines(line))
			return false;
		any = true;
	}
	return any;
}

/* ---- Austin ------------------------------------------------------------- */

/*
 * Sets *mode from a line "# mode: wall" (or cpu, memory, full). Ignores other
 * lines. Old files have no such line.
 */
static void
take_mode(struct cg_slice line, struct cg_slice *mode)
{
	if (cg_take_prefix(&line, "# mode: "))
		*mode = cg_trim(line);
}

/*
 * Returns the dialect of Austin (a profiler of Python) of the block;
 * FOLDED_PLAIN if it has no stack or another tool's. Sets *mode to the mode
 * that a comment states, if any.
 */
static enum folded_austin
find_austin(struct cg_slice block, struct cg_slice *mode)
{
	enum folded_austin found = FOLDED_PLAIN;
	struct folded_count count[4];
	struct cg_slice line;

	while (cg_take_line(&block, &line)) {
		line = folded_trim_line(line);
		take_mode(line, mode);
		if (line.len == 0 || cg_starts(line, "# "))
			continue;
		if (folded_austin_head(line).len == 0)
			return FOLDED_PLAIN;
		if (found != FOLDED_PLAIN)
			continue;
		found = FOLDED_TIME;
		if (cg_equal(*mode, "memory"))
			found = FOLDED_MEMORY;
		else if (folded_take_metrics(&line, FOLDED_FULL, count))
			found = FOLDED_FULL;
	}
	return found;
}

/*
 * Prepares for a dialect of Austin. Sets the events by dialect and mode.
 * Option "event" renames the event if it is the only one. Frees the table by
 * which threads look up functions. The table does not fit, as Austin's frames
 * have lines.
 */
static void
begin_austin(struct reader *r, enum folded_austin austin, struct cg_slice mode)
{
	static const struct cg_event wall = { .name = "wall",
		.long_name = "Wall time",
		.unit = "us" },
				     cpu = { .name = "cpu",
					     .long_name = "CPU time",
					     .unit = "us" },
				     gained = { .name = "gained",
					     .long_name = "Memory gained",
					     .unit = "bytes" },
				     freed = { .name = "freed",
					     .long_name = "Memory freed",
					     .unit = "bytes" };
	struct cg_event *to = r->event;

	if (austin == FOLDED_FULL || !cg_equal(mode, "cpu"))
		*to++ = wall;
	if (austin == FOLDED_FULL || cg_equal(mode, "cpu"))
		*to++ = cpu;
	if (austin == FOLDED_MEMORY)
		to = r->event;
	if (austin != FOLDED_TIME) {
		*to++ = gained;
		*to++ = freed;
	}
	r->input.columns = (size_t)(to - r->event);
	if (r->input.columns == 1 && cg_opt(r->job, "event"))
		r->event[0].name = cg_opt(r->job, "event");
	r->input.austin = austin;
	cg_known_fns_free(r->input.fns);
	r->input.fns = NULL;
	cg_note(r->job, "frames are Austin's \"file:function:line\"; "
			"{frames} name keeps them whole");
}

/* ---- The file ----------------------------------------------------------- */

/*
 * Returns the name of an event whose costs are written in millionths of their
 * unit. The name is the given one and a suffix, stored in the builder. Returns
 * the given name itself if memory runs out (reported).
 */
static const char *
micro_name(struct reader *r, const char *name)
{
	size_t len = strlen(name);
	char *text = cg_alloc(r->job, len + sizeof(FOLDED_MICRO_SUFFIX));

	if (!text)
		return name;
	memcpy(text, name, len);
	memcpy(text + len, FOLDED_MICRO_SUFFIX, sizeof(FOLDED_MICRO_SUFFIX));
	return keep_name(r->build, cg_slice(text));
}

static void
add_events(struct reader *r, unsigned *column)
{
	for (size_t i = 0; i < r->input.columns; i++) {
		struct cg_event *event = &r->event[i];

		event->is_signed = r->negative;
		if (r->fraction) {
			event->name = micro_name(r, event->name);
			event->unit = FOLDED_MICRO_UNIT;
		}
		column[i] = cg_add_event(r->build, event);
	}
}

/*
 * Converts r->sum.at[i], a sum of counts, to millionths, and adds
 * r->micro.at[i], the millionths of its fraction. False: the result overflows
 * (not reported).
 */
static bool
scale(struct reader *r, size_t i)
{
	int64_t value;

	if (!r->negative)
		return !__builtin_mul_overflow(
			   r->sum.at[i], FOLDED_MICRO, &r->sum.at[i]) &&
		       !__builtin_add_overflow(
			   r->sum.at[i], r->micro.at[i], &r->sum.at[i]);
	if (__builtin_mul_overflow(
		(int64_t)r->sum.at[i], (int64_t)FOLDED_MICRO, &value) ||
	    __builtin_add_overflow(value, (int64_t)r->micro.at[i], &value))
		return false;
	r->sum.at[i] = (uint64_t)value;
	return true;
}

/*
 * Sets process and thread of the samples that follow. The text "P42;T0:0x7f",
 * the begin of Austin's stacks, names them. The number of an interpreter, 0
 * here, may precede the thread's.
 */
static void
set_thread(struct reader *r, cg_name thread)
{
	struct cg_slice text = cg_get_name(r->build, thread), word;
	struct cg_sample_key key = { .pid = 0 };

	(void)cg_take_prefix(&text, "P");
	(void)cg_take_u64(&text, &key.pid);
	(void)cg_take_prefix(&text, ";T");
	if (memchr(text.ptr, ':', text.len))
		(void)cg_take_until(&text, ':', &word);
	if (!cg_get_u64(text, &key.tid))
		(void)cg_get_hex(text.ptr, &key.tid);
	cg_set_sample_part(r->build, &key);
}

static void
add_stacks(struct reader *r)
{
	unsigned column[FOLDED_COLUMNS] = { 0 };
	uint64_t cost[CG_EVENT_MAX] = { 0 };
	size_t n = 0;

	add_events(r, column);
	for (size_t i = 0; i < r->input.columns; i++)
		n = column[i] >= n ? column[i] + 1 : n;
	for (size_t i = 0; i < r->leaf.n; i++) {
		for (size_t j = 0; j < r->input.columns; j++) {
			size_t at = i * r->input.columns + j;

			if (r->fraction && !scale(r, at)) {
				(void)too_big(r, NULL);
				return;
			}
			cost[column[j]] = r->sum.at[at];
		}
		if (r->thread.at[i] != 0)
			set_thread(r, r->thread.at[i]);
		cg_add_stack(
		    r->build, r->leaf.at[i], r->samples.at[i], cost, n);
	}
}

/*
 * Reads the first block of the input, and adds its lines. The block determines
 * the columns, events and the form of frames. Returns true also for an empty
 * input. False: an error (reported).
 */
static bool
read_first(struct reader *r, struct cg_in *in)
{
	struct folded_lines lines = { 0 };
	struct cg_text text = { .own = &lines };
	struct cg_slice mode = { "", 0 };
	enum folded_austin austin = FOLDED_PLAIN;
	bool ok;

	if (!cg_read_block(in, &text.text))
		return true;
	r->status = find_columns(
	    r->job, r->build, &text.text, r->event, &r->input.columns);
	if (r->status != CG_OK)
		return false;
	if (!cg_opt(r->job, "frames"))
		austin = find_austin(text.text, &mode);
	if (austin != FOLDED_PLAIN) {
		begin_austin(r, austin, mode);
	} else if (r->input.fns && !cg_opt(r->job, "frames") &&
		   finds_lines(text.text, r->input.columns)) {
		cg_known_fns_free(r->input.fns);
		r->input.fns = NULL;
		cg_note(r->job, "frames are \"name (file:line)\"; "
				"{frames} name keeps them whole");
	}
	ok = folded_parse(&r->input, &text) ? read_lines(r, &lines)
					    : cg_reject_nomem(r->job);
	folded_close(&lines);
	return ok;
}

static bool
read_texts(struct reader *r, struct cg_in *in)
{
	const struct cg_texts_how how = { .job = r->job,
		.in = in,
		.own = sizeof(struct folded_lines),
		.arg = &r->input,
		.parse = folded_parse,
		.close = folded_close };
	struct cg_texts *texts = cg_texts_new(&how);
	struct cg_text *text;
	bool ok = texts || cg_reject_nomem(r->job);

	while (ok && cg_next_text(texts, &text)) {
		ok = read_lines(r, text->own);
		folded_trim(text->own);
	}
	cg_texts_free(texts);
	return ok && cg_rejected(r->job) == CG_OK;
}

static bool
read_file(struct reader *r, struct cg_in *in)
{
	if (!read_first(r, in) || !read_texts(r, in) ||
	    cg_in_status(in) != CG_OK)
		return false;
	if (cg_in_unterminated(in))
		cg_warn(r->job, "expected a newline at the end: the file may "
				"be truncated");
	return r->leaf.n > 0 ||
	       cg_reject(r->job, "expected 'frame;frame count'");
}

int
folded_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const char *event = cg_opt(job, "event"), *frames;
	struct reader r = { .job = job, .build = build, .input.columns = 1 };
	bool lines;

	frames = cg_opt(job, "frames");
	lines = frames && strcmp(frames, "line") == 0;
	if (frames && !lines && strcmp(frames, "name") != 0)
		return cg_usage(
		    job, "{frames}: expected name or line, not '%s'", frames);
	r.event[0].name = event ? event : FOLDED_EVENT;
	if (!lines)
		r.input.fns = cg_known_fns_new(build);
	if (!lines && !r.input.fns)
		(void)cg_reject_nomem(job);
	else if (read_file(&r, in))
		add_stacks(&r);
	cg_known_fns_free(r.input.fns);
	return r.status;
}
