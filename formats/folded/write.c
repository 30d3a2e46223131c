/*
 * write.c - writes folded stacks. folded.c describes the format.
 *
 * Stacks that differ only in data that is not written (lines, addresses,
 * parts) are merged into one line. Lines are sorted by the names of their
 * frames, so that equal graphs become equal files.
 */
#include <stdlib.h>
#include <string.h>

#include "folded.h"

#define COLUMNS 2 /* before and after */

/* A function's name as written. */
struct label {
	struct cg_slice text;
	size_t at;    /* if changed: offset in writer.text */
	bool changed; /* text differs from the graph's name */
	cg_fn fn;
};

/* The children of a frame that are not written yet. */
struct level {
	const uint32_t *child, *end;
	size_t path_len; /* of the parent */
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	size_t event[COLUMNS], columns;
	bool is_signed[COLUMNS], fraction[COLUMNS];
	bool annotate;
	size_t respelled;    /* functions with changed names */
	struct label *label; /* by fn */
	CG_ARRAY(char) text; /* of changed names */
	uint32_t *rank;      /* by fn: order of labels; may be equal */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *frame;
	uint64_t *cost[COLUMNS];      /* by frame */
	CG_ARRAY(struct level) level; /* a stack */
	CG_ARRAY(char) path;          /* the line without costs */
};

/* Keys sort frames by label, then annotation: rank * NOTES + index in notes. */
static const char notes[] = { 0, 'i', 'j', 'k' };
#define NOTES sizeof(notes)
#define NAMES_MAX (UINT32_MAX / NOTES)

/* ---- Names -------------------------------------------------------------- */

/*
 * Returns a character for use in a frame. A character that would end a frame
 * or a line is replaced: ';' by ':', and line breaks, tabs and NULs by a
 * blank.
 */
static char
clean(char c)
{
	if (c == ';')
		return ':';
	return c == '\n' || c == '\r' || c == '\t' || c == '\0' ? ' ' : c;
}

/*
 * Copies a name to a buffer of its length ("to"), changed so that readers take
 * it as one frame. A number at the end would be a count, "# " a comment.
 * Returns the text; [unknown] if empty.
 */
static struct cg_slice
clean_name(struct cg_slice name, char *to)
{
	struct folded_count count;
	struct cg_slice text = { to, name.len }, left;

	for (size_t i = 0; i < name.len; i++)
		to[i] = clean(name.ptr[i]);
	left = text = cg_trim(text);
	if (folded_take_count(&left, &count)) {
		size_t at = (size_t)(text.ptr - to) + text.len;

		while (to[at - 1] != ' ')
			at--;
		to[at - 1] = '_';
	}
	if (cg_starts(text, "# ") || cg_equal(text, "#"))
		to[text.ptr - to] = '_';
	return text.len > 0 ? text : cg_slice(FOLDED_UNKNOWN);
}

/*
 * Sets w->label[fn] to the text of a function's frames: its cleaned name. A
 * nameless function gets its object's base name in brackets. It gets [unknown]
 * without object, or if that begins with '['. Counts changed names in
 * w->respelled. False: out of memory (reported).
 */
static bool
get_label(struct writer *w, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(w->graph, fn), clean_text;
	struct cg_slice object =
	    cg_object_path(w->graph, cg_fn_object(w->graph, fn));
	struct label *label = &w->label[fn];
	bool nameless = name.len == 0 || cg_equal(name, FOLDED_UNKNOWN);
	bool from_object = nameless && object.len > 0 && *object.ptr != '[';
	size_t room;
	char *to;

	if (from_object)
		name = cg_base_name(object);
	else if (nameless)
		name = cg_slice(FOLDED_UNKNOWN);
	/* A name of only blanks becomes FOLDED_UNKNOWN. */
	room = name.len + sizeof(FOLDED_UNKNOWN) + 2;
	if (!cg_reserve(w->job, &w->text, w->text.n + room))
		return false;
	to = w->text.at + w->text.n;
	clean_text = clean_name(name, to + 1);
	*label = (struct label){ .text = name, .fn = fn };
	label->changed = from_object || clean_text.len != name.len ||
			 memcmp(clean_text.ptr, name.ptr, name.len) != 0;
	w->respelled += label->changed && !from_object;
	if (!label->changed)
		return true;
	memmove(to + from_object, clean_text.ptr, clean_text.len);
	label->at = w->text.n;
	label->text.len = clean_text.len + (from_object ? 2 : 0);
	if (from_object) {
		to[0] = '[';
		to[label->text.len - 1] = ']';
	}
	w->text.n += label->text.len;
	return true;
}

static int
compare_labels(const void *pa, const void *pb)
{
	const struct cg_slice *a = &((const struct label *)pa)->text;
	const struct cg_slice *b = &((const struct label *)pb)->text;
	int order = memcmp(a->ptr, b->ptr, a->len < b->len ? a->len : b->len);

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static bool
get_labels(struct writer *w, size_t count)
{
	if (count > NAMES_MAX)
		return cg_reject_nomem(w->job);
	w->label = cg_alloc(w->job, count * sizeof(*w->label));
	if (!w->label)
		return false;
	for (cg_fn fn = 0; fn < count; fn++) {
		if (!get_label(w, fn))
			return false;
	}
	/* Pointers are set at the end, as w->text moves while it grows. */
	for (cg_fn fn = 0; fn < count; fn++) {
		if (w->label[fn].changed)
			w->label[fn].text.ptr = w->text.at + w->label[fn].at;
	}
	return true;
}

static bool
rank_names(struct writer *w)
{
	size_t count = cg_fn_count(w->graph) + 1;
	CG_ARRAY(struct label) labels = { 0 };
	struct label *sorted;

	if (!get_labels(w, count))
		return false;
	w->rank = cg_alloc(w->job, count * sizeof(*w->rank));
	if (!w->rank || !cg_reserve(w->job, &labels, count))
		return false;
	sorted = labels.at;
	memcpy(sorted, w->label, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_labels);
	for (size_t i = 1; i < count; i++)
		w->rank[sorted[i].fn] =
		    w->rank[sorted[i - 1].fn] +
		    (compare_labels(&sorted[i - 1], &sorted[i]) != 0);
	cg_drop(w->job, &labels); /* large if there are many names */
	return true;
}

static bool
ends_with(struct cg_slice text, const char *end)
{
	size_t len = strlen(end);

	return text.len >= len &&
	       memcmp(text.ptr + text.len - len, end, len) == 0;
}

/* ---- Merging ------------------------------------------------------------ */

static uint32_t
get_key(void *arg, cg_node node, const struct cg_stack *stack)
{
	const struct writer *w = arg;
	char letter = w->annotate ? cg_frame_kind(w->graph, stack) : 0;
	uint32_t note = 0;

	(void)node;
	while (notes[note] != letter)
		note++;
	return w->rank[stack->fn] * (uint32_t)NOTES + note;
}

static bool
merge_stacks(struct writer *w)
{
	size_t count;

	w->merged = cg_merged_stacks_new(w->graph, get_key, w);
	if (!w->merged)
		return false;
	w->frame = cg_merged_frames(w->merged, &count);
	for (size_t i = 0; i < w->columns; i++) {
		w->cost[i] = cg_alloc(w->job, count * sizeof(*w->cost[i]));
		if (!w->cost[i])
			return false;
		if (!cg_merged_costs(w->merged, w->event[i], w->cost[i]))
			return cg_reject(w->job,
			    "expected costs of a stack whose sum fits into "
			    "64 bits");
	}
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

static bool
append_frame(struct writer *w, const struct cg_merged_frame *frame)
{
	struct cg_slice text = w->label[frame->fn].text;
	char note = notes[frame->key % NOTES], *to;

	if (!cg_reserve(w->job, &w->path, w->path.n + text.len + 5))
		return false;
	to = w->path.at + w->path.n;
	if (w->path.n > 0)
		*to++ = ';';
	memcpy(to, text.ptr, text.len);
	to += text.len;
	if (note) {
		memcpy(to, "_[?]", 4);
		to[2] = note;
		to += 4;
	}
	w->path.n = (size_t)(to - w->path.at);
	return true;
}

/*
 * Writes a point and decimals to the buffer "to"; "micro" is the fraction in
 * millionths. Returns the end of the text. At least one decimal is written, so
 * that readers know that the column has fractions.
 */
static char *
format_fraction(char *to, uint64_t micro)
{
	uint32_t unit = FOLDED_MICRO / 10;

	*to++ = '.';
	do {
		*to++ = (char)('0' + micro / unit);
		micro %= unit;
		unit /= 10;
	} while (micro > 0);
	return to;
}

static void
put_cost(struct writer *w, size_t column, uint64_t cost)
{
	char *to = cg_out_reserve(w->out, 2 * CG_NUMBER_MAX);

	*to++ = ' ';
	if (w->is_signed[column] && (int64_t)cost < 0) {
		*to++ = '-';
		cost = 0 - cost;
	}
	if (w->fraction[column]) {
		to = cg_format_u64(to, cost / FOLDED_MICRO);
		to = format_fraction(to, cost % FOLDED_MICRO);
	} else {
		to = cg_format_u64(to, cost);
	}
	cg_out_advance(w->out, to);
}

/*
 * True if a stack that ends at the frame gets a line. It needs a cost in an
 * event that is written. If all events are written, each stack of the graph
 * gets a line, even without costs.
 */
static bool
is_written(const struct writer *w, uint32_t frame)
{
	bool written = w->columns == cg_event_count(w->graph) &&
		       w->frame[frame].ends_stack;

	for (size_t i = 0; i < w->columns; i++)
		written |= w->cost[i][frame] != 0;
	return written;
}

/*
 * Appends a frame to the current path. If the stack that ends at the frame
 * gets a line, writes this line. False: out of memory (reported).
 */
static bool
put_stack(struct writer *w, uint32_t frame)
{
	if (!append_frame(w, &w->frame[frame]))
		return false;
	if (!is_written(w, frame))
		return true;
	cg_put(w->out, (struct cg_slice){ w->path.at, w->path.n });
	for (size_t i = 0; i < w->columns; i++)
		put_cost(w, i, w->cost[i][frame]);
	cg_putc(w->out, '\n');
	return true;
}

static bool
enter(struct writer *w, uint32_t frame)
{
	const uint32_t *child;
	size_t n = cg_merged_children(w->merged, frame, &child);

	return n == 0 || cg_append(w->job, &w->level,
			     (struct level){ child, child + n, w->path.n });
}

/*
 * Writes the lines of all stacks depth first. Uses a loop, as stacks can be
 * too deep for recursion. False: out of memory (reported).
 */
static bool
put_stacks(struct writer *w)
{
	/* Puts costs without a stack. */
	bool ok = !is_written(w, 0) || put_stack(w, 0);

	w->path.n = 0;
	ok = ok && enter(w, 0);
	while (ok && w->level.n > 0) {
		struct level *level = &w->level.at[w->level.n - 1];

		if (level->child == level->end) {
			w->level.n--;
			continue;
		}
		w->path.n = level->path_len;
		ok = put_stack(w, *level->child) && enter(w, *level->child++);
	}
	return ok;
}

/* ---- The file ----------------------------------------------------------- */

static void
add_column(struct writer *w, size_t event)
{
	const struct cg_event *info = cg_get_event(w->graph, event);
	size_t i = w->columns++;

	w->event[i] = event;
	w->is_signed[i] = info->is_signed;
	w->fraction[i] = ends_with(cg_slice(info->name), FOLDED_MICRO_SUFFIX);
}

/*
 * Chooses the events to write, and adds their columns. If --event names an
 * event of the graph, chooses this event. Otherwise chooses both sides of a
 * difference, if the graph has one, else the main event. Returns CG_OK, or the
 * status of an error (reported).
 */
static int
choose_events(struct writer *w)
{
	size_t column[2];
	bool pair = cg_choose_pair(w->job, w->graph, column);
	int status = CG_OK;

	if (!pair)
		status = cg_choose_event(w->job, w->graph, NULL, column);
	if (status != CG_OK)
		return status;
	add_column(w, column[0]);
	if (pair)
		add_column(w, column[1]);
	else if (cg_job_verbose(w->job) && !w->fraction[0] &&
		 cg_event_count(w->graph) == 1 &&
		 strcmp(cg_get_event(w->graph, 0)->name, FOLDED_EVENT) != 0)
		cg_note(w->job,
		    "folded stacks do not name the event: %s is read back as "
		    "%s",
		    cg_get_event(w->graph, 0)->name, FOLDED_EVENT);
	return CG_OK;
}

int
folded_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job,
		.graph = graph,
		.out = out,
		.annotate = cg_opt_flag(job, "annotate") };
	int status = choose_events(&w);

	if (status != CG_OK)
		return status;
	if (cg_stacks_guessed(graph, CG_ALL_PARTS))
		cg_puts(out, FOLDED_GUESSED "\n");
	if (rank_names(&w) && merge_stacks(&w) && put_stacks(&w) &&
	    w.respelled > 0 && cg_out_status(out) == CG_OK)
		cg_note(job,
		    w.respelled == 1
			? "%zu name is changed: it contains what ends a frame "
			  "or a count"
			: "%zu names are changed: they contain what ends a "
			  "frame or a count",
		    w.respelled);
	cg_merged_stacks_free(w.merged);
	return cg_out_status(out);
}
