/*
 * read.c - reads folded stacks. folded.c describes the format.
 *
 * One pass. Consecutive lines usually share their first frames, so only frames
 * that differ from the line before are looked up. Counts are summed here until
 * the end, because only then is it known whether there are fractions or
 * negative counts. Memory grows with the distinct stacks, not with the lines.
 */
#include <stdlib.h>
#include <string.h>

#include "folded.h"

/* A frame of the line before. */
struct frame {
	cg_node node;
	uint32_t end; /* offset of its ';' in the line, which has a limit */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	bool split_lines; /* --frames=line */
	size_t columns;
	struct cg_event event[FOLDED_COLUMNS];
	bool fraction, negative; /* some count is */

	struct cg_slice last; /* frames of the line before */
	struct frame *frame;
	size_t frames, frame_cap;

	/* Sums by stack, in the order of first appearance. */
	struct cg_map ids; /* leaf -> index of the stack + 1 */
	cg_node *leaf;
	uint64_t *samples;
	uint64_t *sum;   /* by stack and column; two's complement */
	uint32_t *micro; /* by stack and column: millionths to add to sum */
	size_t stacks, cap;
	int status;
};

/* ---- Frames ------------------------------------------------------------- */

/* "name (file:line)" becomes "name". */
static struct cg_slice
split_line(struct reader *r, struct cg_slice name, struct cg_pos *pos)
{
	const char *end = name.ptr + name.len, *colon = end - 1, *open;
	struct cg_slice number, file;
	uint64_t line;

	if (name.len < 6 || end[-1] != ')')
		return name;
	while (colon > name.ptr && *colon != ':')
		colon--;
	number = (struct cg_slice){ colon + 1, (size_t)(end - colon - 1) };
	if (colon == name.ptr || !cg_take_u64(&number, &line) ||
	    !cg_equal(number, ")") || line > UINT32_MAX)
		return name;
	for (open = colon; open > name.ptr; open--) {
		if (open[0] == '(' && open[-1] == ' ')
			break;
	}
	if (open <= name.ptr + 1)
		return name;
	file = (struct cg_slice){ open + 1, (size_t)(colon - open - 1) };
	pos->file = cg_add_file(r->build, file);
	pos->line = (uint32_t)line;
	name.len = (size_t)(open - 1 - name.ptr);
	return name;
}

static const struct annotation {
	char letter;
	const char *object;
	bool inlined;
} annotations[] = {
	{ 'k', FOLDED_KERNEL, false },
	{ 'j', FOLDED_JIT, false },
	{ 'i', "", true },
	{ 0 },
};

static cg_node
add_frame(struct reader *r, cg_node parent, struct cg_slice name)
{
	static const struct annotation none = { 0, "", false };
	const struct annotation *note = &none;
	struct cg_pos pos = { 0 };
	cg_object object = 0;

	/* Blanks before the count are not part of the leaf. */
	name = cg_trim(name);
	if (name.len > 4 && name.ptr[name.len - 1] == ']' &&
	    name.ptr[name.len - 3] == '[' && name.ptr[name.len - 4] == '_') {
		note = annotations;
		while (note->letter && note->letter != name.ptr[name.len - 2])
			note++;
		if (note->letter)
			name.len -= 4;
		else
			note = &none;
	}
	if (note->object[0])
		object = cg_add_object(r->build, cg_slice(note->object));
	if (r->split_lines)
		name = split_line(r, name, &pos);
	if (name.len == 0)
		name = cg_slice(FOLDED_UNKNOWN);
	return cg_add_frame(r->build, parent,
	    cg_add_fn(r->build, name, pos.file, object), &pos, note->inlined);
}

/* Length of the common prefix, in bytes. */
static size_t
common_prefix(struct cg_slice a, struct cg_slice b)
{
	size_t n = a.len < b.len ? a.len : b.len, i = 0;
	uint64_t x, y;

	for (; i + sizeof(x) <= n; i += sizeof(x)) {
		memcpy(&x, a.ptr + i, sizeof(x));
		memcpy(&y, b.ptr + i, sizeof(y));
		if (x != y)
			break;
	}
	while (i < n && a.ptr[i] == b.ptr[i])
		i++;
	return i;
}

/* Drops the frames of the line before that text does not begin with. */
static void
keep_common(struct reader *r, struct cg_slice text)
{
	size_t same = common_prefix(r->last, text);

	for (; r->frames > 0; r->frames--) {
		size_t end = r->frame[r->frames - 1].end;

		if (end < same ||
		    (end == same && (end == text.len || text.ptr[end] == ';')))
			break;
	}
}

static bool
push_frame(struct reader *r, cg_node node, size_t end)
{
	if (!cg_grow_raw(
		&r->frame, &r->frame_cap, r->frames + 1, sizeof(*r->frame))) {
		r->status = cg_nomem(r->job);
		return false;
	}
	r->frame[r->frames++] = (struct frame){ node, (uint32_t)end };
	return true;
}

/* Returns the leaf of the stack; 0: failed. */
static cg_node
add_frames(struct reader *r, struct cg_slice text)
{
	cg_node node = 0;
	size_t at = 0, end;

	keep_common(r, text);
	if (r->frames > 0) {
		node = r->frame[r->frames - 1].node;
		at = r->frame[r->frames - 1].end + 1;
	}
	r->last = text;
	for (; at <= text.len; at = end + 1) {
		const char *sep = memchr(text.ptr + at, ';', text.len - at);

		end = sep ? (size_t)(sep - text.ptr) : text.len;
		node = add_frame(
		    r, node, (struct cg_slice){ text.ptr + at, end - at });
		if (node == 0 || !push_frame(r, node, end))
			return 0;
	}
	return node;
}

/* ---- Counts ------------------------------------------------------------- */

/* Room for one more stack; new sums are zero. */
static bool
grow_sums(struct reader *r)
{
	size_t cap[4] = { r->cap, r->cap, r->cap, r->cap };
	size_t need = r->cap + 1, n = r->columns * sizeof(uint64_t);

	if (!cg_grow_raw(&r->leaf, &cap[0], need, sizeof(*r->leaf)) ||
	    !cg_grow(&r->samples, &cap[1], need, sizeof(*r->samples)) ||
	    !cg_grow(&r->sum, &cap[2], need, n) ||
	    !cg_grow(&r->micro, &cap[3], need, n))
		return false;
	r->cap = cap[0]; /* the same for all */
	return true;
}

/* Index of the leaf's stack, added if it is new; SIZE_MAX: out of memory. */
static size_t
find_stack(struct reader *r, cg_node leaf)
{
	uint32_t *id = cg_map_at(&r->ids, leaf);

	if (!id)
		return SIZE_MAX;
	if (*id == 0) {
		if (r->stacks == r->cap && !grow_sums(r))
			return SIZE_MAX;
		r->leaf[r->stacks] = leaf;
		*id = (uint32_t)++r->stacks;
	}
	return *id - 1;
}

static bool
too_big(struct reader *r, const char *at)
{
	r->status = cg_fail_at(r->job, at,
	    "expected counts whose sum fits into 64 bits%s",
	    r->negative ? ", with signs" : "");
	return false;
}

/* Makes all sums signed; the present ones must fit. */
static bool
allow_negative(struct reader *r, const char *at)
{
	r->negative = true;
	for (size_t i = 0; i < r->stacks * r->columns; i++) {
		if (r->sum[i] > INT64_MAX)
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
	/*
	 * The carry of the millionths is added apart: whole may be UINT64_MAX.
	 */
	micro += r->micro[i];
	if (micro >= FOLDED_MICRO) {
		const struct folded_count one = { .whole = 1 };

		micro -= FOLDED_MICRO;
		if (r->negative ? !add_signed(&r->sum[i], &one)
				: ++r->sum[i] == 0)
			return too_big(r, at);
	}
	r->micro[i] = micro;
	if (r->negative
		? !add_signed(&r->sum[i], count)
		: __builtin_add_overflow(r->sum[i], count->whole, &r->sum[i]))
		return too_big(r, at);
	return true;
}

/* A single whole count is a number of samples; any other is one sample. */
static bool
add_samples(struct reader *r, size_t stack, const struct folded_count *count,
    const char *at)
{
	bool known = r->columns == 1 && !count->negative && !count->fraction &&
		     count->whole > 0;

	return !__builtin_add_overflow(r->samples[stack],
		   known ? count->whole : 1, &r->samples[stack]) ||
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

static bool
read_line(struct reader *r, struct cg_slice line)
{
	struct folded_count count[FOLDED_COLUMNS];
	struct cg_slice text = line;
	size_t stack, columns = r->columns;
	cg_node leaf;

	count[0] = (struct folded_count){ 0 };
	for (size_t i = columns; i-- > 0;) {
		if (folded_take_count(&text, &count[i]))
			continue;
		cg_warn_at(r->job, line.ptr,
		    columns == 1
			? "expected 'frame;frame count'; the line is skipped"
			: "expected 'frame;frame' and a count for each event; "
			  "the line is skipped");
		return true;
	}
	if (text.len == 0) {
		r->status = cg_fail_at(
		    r->job, line.ptr, "expected frames before the count");
		return false;
	}
	leaf = add_frames(r, text);
	if (leaf == 0)
		return false;
	stack = find_stack(r, leaf);
	if (stack == SIZE_MAX) {
		r->status = cg_nomem(r->job);
		return false;
	}
	if (!add_samples(r, stack, count, text.ptr + text.len))
		return false;
	for (size_t i = 0; i < columns; i++) {
		if (!add_count(
			r, stack * columns + i, &count[i], text.ptr + text.len))
			return false;
	}
	return true;
}

static void
read_block(struct reader *r, struct cg_slice block)
{
	struct cg_slice line;

	r->frames = 0; /* the line before is no longer in memory */
	r->last.len = 0;
	while (r->status == CG_OK && cg_take_line(&block, &line)) {
		line = folded_trim_line(line);
		if (line.len == 0)
			continue;
		if (cg_starts(line, "# "))
			take_comment(r, line);
		else if (!read_line(r, line))
			break;
	}
	if (r->status == CG_OK)
		r->status = cg_build_failed(r->build, line.ptr);
}

/* ---- Columns ------------------------------------------------------------ */

static const char *
keep_name(struct cg_build *build, struct cg_slice text)
{
	return cg_get_name(build, cg_add_name(build, text)).ptr;
}

/* Events of a header line, and how many; 0: it is no header. */
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

/* A single line proves nothing: "Thread 7 12" has one count. */
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
 * Finds the number of counts in a line, and their events, from the first block:
 * by --counts, else by a header line, which is then taken off the block, else
 * by the lines.
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
		    job, "--counts: expected 1 or 2, not '%s'", option);
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

/* ---- The file ----------------------------------------------------------- */

/* The name of the event of millionths, kept by the builder. */
static const char *
micro_name(struct reader *r, const char *name)
{
	size_t len = strlen(name);
	char *text = malloc(len + sizeof(FOLDED_MICRO_SUFFIX));
	const char *kept = name;

	if (text) {
		memcpy(text, name, len);
		memcpy(text + len, FOLDED_MICRO_SUFFIX,
		    sizeof(FOLDED_MICRO_SUFFIX));
		kept =
		    cg_get_name(r->build, cg_add_name(r->build, cg_slice(text)))
			.ptr;
	} else {
		r->status = cg_nomem(r->job);
	}
	free(text);
	return kept;
}

static void
add_events(struct reader *r, unsigned *column)
{
	for (size_t i = 0; i < r->columns; i++) {
		struct cg_event *event = &r->event[i];

		event->is_signed = r->negative;
		if (r->fraction) {
			event->name = micro_name(r, event->name);
			event->unit = FOLDED_MICRO_UNIT;
		}
		column[i] = cg_add_event(r->build, event);
	}
}

/* Turns a sum of units into one of millionths. */
static bool
scale(struct reader *r, size_t i)
{
	int64_t value;

	if (!r->negative)
		return !__builtin_mul_overflow(
			   r->sum[i], FOLDED_MICRO, &r->sum[i]) &&
		       !__builtin_add_overflow(
			   r->sum[i], r->micro[i], &r->sum[i]);
	if (__builtin_mul_overflow(
		(int64_t)r->sum[i], (int64_t)FOLDED_MICRO, &value) ||
	    __builtin_add_overflow(value, (int64_t)r->micro[i], &value))
		return false;
	r->sum[i] = (uint64_t)value;
	return true;
}

static void
add_stacks(struct reader *r)
{
	unsigned column[FOLDED_COLUMNS] = { 0 };
	uint64_t cost[CG_EVENT_MAX] = { 0 };
	size_t n = 0;

	add_events(r, column);
	if (r->status == CG_OK)
		r->status = cg_build_failed(r->build, NULL);
	for (size_t i = 0; i < r->columns; i++)
		n = column[i] >= n ? column[i] + 1 : n;
	for (size_t i = 0; r->status == CG_OK && i < r->stacks; i++) {
		for (size_t j = 0; j < r->columns; j++) {
			size_t at = i * r->columns + j;

			if (r->fraction && !scale(r, at)) {
				(void)too_big(r, NULL);
				return;
			}
			cost[column[j]] = r->sum[at];
		}
		cg_add_stack(r->build, r->leaf[i], r->samples[i], cost, n);
	}
}

static void
read_file(struct reader *r, struct cg_in *in)
{
	struct cg_slice block;
	bool first = true;

	while (r->status == CG_OK && cg_read_block(in, &block)) {
		if (first)
			r->status = find_columns(
			    r->job, r->build, &block, r->event, &r->columns);
		first = false;
		if (r->status == CG_OK)
			read_block(r, block);
	}
	if (r->status == CG_OK)
		r->status = cg_in_status(in);
	if (r->status != CG_OK)
		return;
	if (cg_in_unterminated(in))
		cg_warn(r->job, "expected a newline at the end: the file may "
				"be truncated");
	if (r->stacks == 0)
		r->status = cg_fail(r->job, "expected 'frame;frame count'");
}

int
folded_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const char *event = cg_opt(job, "event"), *frames;
	struct reader r = { .job = job, .build = build, .columns = 1 };

	frames = cg_opt(job, "frames");
	r.split_lines = strcmp(frames, "line") == 0;
	if (!r.split_lines && strcmp(frames, "name") != 0)
		return cg_usage(
		    job, "--frames: expected name or line, not '%s'", frames);
	r.event[0].name = event ? event : FOLDED_EVENT;
	read_file(&r, in);
	if (r.status == CG_OK)
		add_stacks(&r);
	free(r.frame);
	free(r.leaf);
	free(r.samples);
	free(r.sum);
	free(r.micro);
	cg_map_free(&r.ids);
	return r.status;
}
