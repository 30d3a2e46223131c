/*
 * write.c - writes folded stacks. folded.c has the format.
 *
 * Stacks that differ only in what is not written (lines, addresses, parts)
 * become one line. So the tree of what is written is built first, then walked
 * in the order of names: graphs that mean the same become the same file.
 */
#include <stdlib.h>
#include <string.h>

#include "folded.h"

#define COLUMNS 2 /* before and after */

/* What a function is called here. */
struct label {
	struct cg_slice text;
	size_t at; /* if it is in the writer's text: where */
	bool own;
	cg_fn fn;
};

/* A frame as it is written, on top of its parent (0: none). */
struct frame {
	uint32_t parent;
	cg_fn fn;
	char note;    /* k, j, i, or 0 */
	bool counted; /* a stack ends here */
	uint64_t cost[COLUMNS];
};

/* Frames sorted by parent, then by what they are called. */
struct place {
	uint32_t parent, rank, frame;
	char note;
};

/* Where the walk is on one level of the tree. */
struct level {
	uint32_t parent;
	size_t at;       /* the next place */
	size_t path_len; /* of the parent */
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	size_t event[COLUMNS], columns;
	bool is_signed[COLUMNS], fraction[COLUMNS];
	bool annotate;
	size_t spelled;      /* functions whose names are written otherwise */
	struct label *label; /* by fn */
	char *text;          /* of labels that are not just names */
	size_t text_len, text_cap;
	uint32_t *rank;    /* by fn: equal for equal labels */
	uint32_t *written; /* by node: its frame */
	struct frame *frame;
	uint32_t frames;
	struct place *place;
	size_t *first; /* by frame: place of its first child */
	struct level *level;
	size_t level_cap;
	char *path;
	size_t path_len, path_cap;
};

/* ---- Names -------------------------------------------------------------- */

/* What would end a frame or a line becomes what it is read as by people. */
static char
clean(char c)
{
	if (c == ';')
		return ':';
	return c == '\n' || c == '\r' || c == '\t' || c == '\0' ? ' ' : c;
}

/*
 * Writes the name, so that it is read as it is meant: blanks at its ends would
 * vanish, a number at its end would become a count, "# " a comment.
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

/* A function without a name is called after its object. */
static bool
get_label(struct writer *w, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(w->graph, fn), clean_text;
	struct cg_slice object =
	    cg_object_path(w->graph, cg_fn_object(w->graph, fn));
	struct label *label = &w->label[fn];
	bool nameless = name.len == 0 || cg_equal(name, FOLDED_UNKNOWN);
	bool called_so = nameless && object.len > 0 && *object.ptr != '[';
	char *to;

	if (called_so)
		name = cg_base_name(object);
	else if (nameless)
		name = cg_slice(FOLDED_UNKNOWN);
	if (!cg_grow_raw(&w->text, &w->text_cap, w->text_len + name.len + 2, 1))
		return false;
	to = w->text + w->text_len;
	clean_text = clean_name(name, to + 1);
	*label = (struct label){ .text = name, .fn = fn };
	label->own = called_so || clean_text.len != name.len ||
		     memcmp(clean_text.ptr, name.ptr, name.len) != 0;
	w->spelled += label->own && !called_so;
	if (!label->own)
		return true;
	memmove(to + called_so, clean_text.ptr, clean_text.len);
	label->at = w->text_len;
	label->text.len = clean_text.len + (called_so ? 2 : 0);
	if (called_so) {
		to[0] = '[';
		to[label->text.len - 1] = ']';
	}
	w->text_len += label->text.len;
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
rank_names(struct writer *w)
{
	size_t count = cg_fn_count(w->graph) + 1;
	struct label *sorted = calloc(count, sizeof(*sorted));

	w->label = calloc(count, sizeof(*w->label));
	w->rank = calloc(count, sizeof(*w->rank));
	if (!sorted || !w->label || !w->rank) {
		free(sorted);
		return false;
	}
	for (cg_fn fn = 0; fn < count; fn++) {
		if (!get_label(w, fn)) {
			free(sorted);
			return false;
		}
	}
	for (cg_fn fn = 0; fn < count; fn++) {
		if (w->label[fn].own)
			w->label[fn].text.ptr = w->text + w->label[fn].at;
		sorted[fn] = w->label[fn];
	}
	qsort(sorted, count, sizeof(*sorted), compare_labels);
	for (size_t i = 1; i < count; i++)
		w->rank[sorted[i].fn] =
		    w->rank[sorted[i - 1].fn] +
		    (compare_labels(&sorted[i - 1], &sorted[i]) != 0);
	free(sorted);
	return true;
}

static bool
ends_with(struct cg_slice text, const char *end)
{
	size_t len = strlen(end);

	return text.len >= len &&
	       memcmp(text.ptr + text.len - len, end, len) == 0;
}

/*
 * As stackcollapse-perf.pl --all has it: code of the kernel and its modules,
 * of a map that a compiler at run time wrote for perf, inlined code.
 */
static char
get_note(const struct writer *w, const struct cg_stack *stack)
{
	struct cg_slice path = cg_object_path(
			    w->graph, cg_fn_object(w->graph, stack->fn)),
			base = cg_base_name(path);

	if (!w->annotate)
		return 0;
	if (stack->inlined)
		return 'i';
	if (cg_equal(path, FOLDED_JIT) ||
	    (cg_starts(base, "perf-") && ends_with(base, ".map")))
		return 'j';
	if (path.len > 0 && *path.ptr == '[')
		return cg_equal(path, FOLDED_UNKNOWN) ? 0 : 'k';
	return cg_starts(base, "vmlinux") || ends_with(base, ".ko") ? 'k' : 0;
}

/* ---- The tree ----------------------------------------------------------- */

static bool
add_frame(
    struct writer *w, struct cg_map *ranked, struct cg_map *known, cg_node node)
{
	struct cg_stack stack;
	uint32_t *id;
	char note;

	cg_get_node(w->graph, node, &stack);
	note = get_note(w, &stack);
	/* Numbers the pair of rank and note, then that under its parent. */
	id =
	    cg_map_at(ranked, (uint64_t)w->rank[stack.fn] << 8 | (uint8_t)note);
	if (!id)
		return false;
	if (*id == 0)
		*id = (uint32_t)ranked->count;
	id = cg_map_at(known, (uint64_t)w->written[stack.parent] << 32 | *id);
	if (!id)
		return false;
	if (*id == 0) {
		*id = w->frames;
		w->frame[w->frames++] =
		    (struct frame){ .parent = w->written[stack.parent],
			    .fn = stack.fn,
			    .note = note };
	}
	w->written[node] = *id;
	return true;
}

static bool
build_tree(struct writer *w)
{
	struct cg_map ranked = { 0 }, known = { 0 };
	size_t count = cg_node_count(w->graph) + 1;
	bool ok;

	w->written = calloc(count, sizeof(*w->written));
	w->frame = calloc(count, sizeof(*w->frame));
	w->frames = 1;
	ok = w->written && w->frame;
	for (cg_node node = 1; ok && node < count; node++)
		ok = add_frame(w, &ranked, &known, node);
	cg_map_free(&ranked);
	cg_map_free(&known);
	return ok;
}

static bool
add_cost(uint64_t *sum, uint64_t more, bool is_signed)
{
	int64_t value;

	if (!is_signed)
		return !__builtin_add_overflow(*sum, more, sum);
	if (__builtin_add_overflow((int64_t)*sum, (int64_t)more, &value))
		return false;
	*sum = (uint64_t)value;
	return true;
}

/* Of all parts; false if the sum of a stack overflows. */
static bool
add_costs(struct writer *w)
{
	struct cg_stack_cost stack;
	bool ok = true;

	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);) {
		struct frame *frame = &w->frame[w->written[stack.leaf]];

		frame->counted = true;
		for (size_t c = 0; c < w->columns; c++) {
			if (w->event[c] < stack.n)
				ok &= add_cost(&frame->cost[c],
				    stack.cost[w->event[c]], w->is_signed[c]);
		}
	}
	return ok;
}

static int
compare_places(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->note - b->note;
}

static bool
sort_tree(struct writer *w)
{
	w->place = calloc(w->frames, sizeof(*w->place));
	w->first = calloc(w->frames, sizeof(*w->first));
	if (!w->place || !w->first)
		return false;
	for (uint32_t i = 1; i < w->frames; i++)
		w->place[i - 1] = (struct place){ .parent = w->frame[i].parent,
			.rank = w->rank[w->frame[i].fn],
			.frame = i,
			.note = w->frame[i].note };
	qsort(w->place, w->frames - 1, sizeof(*w->place), compare_places);
	for (size_t i = w->frames - 1; i-- > 0;)
		w->first[w->place[i].parent] = i;
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

static bool
append_frame(struct writer *w, const struct frame *frame)
{
	struct cg_slice text = w->label[frame->fn].text;
	char *to;

	if (!cg_grow_raw(&w->path, &w->path_cap, w->path_len + text.len + 5, 1))
		return false;
	to = w->path + w->path_len;
	if (w->path_len > 0)
		*to++ = ';';
	memcpy(to, text.ptr, text.len);
	to += text.len;
	if (frame->note) {
		memcpy(to, "_[?]", 4);
		to[2] = frame->note;
		to += 4;
	}
	w->path_len = (size_t)(to - w->path);
	return true;
}

/* Millionths as a fraction: at least one digit, that tells them from units. */
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

static void
put_line(struct writer *w, const struct frame *frame)
{
	cg_put(w->out, (struct cg_slice){ w->path, w->path_len });
	for (size_t i = 0; i < w->columns; i++)
		put_cost(w, i, frame->cost[i]);
	cg_putc(w->out, '\n');
}

/* A stack that has costs of other events only is not of this one. */
static bool
is_written(const struct writer *w, const struct frame *frame)
{
	bool cost = w->columns == cg_event_count(w->graph);

	for (size_t i = 0; i < w->columns; i++)
		cost |= frame->cost[i] != 0;
	return cost && frame->counted;
}

static bool
enter(struct writer *w, size_t *depth, uint32_t parent)
{
	if (!cg_grow_raw(
		&w->level, &w->level_cap, *depth + 1, sizeof(*w->level)))
		return false;
	w->level[(*depth)++] =
	    (struct level){ parent, w->first[parent], w->path_len };
	return true;
}

/* In depth, without recursion: stacks may be as deep as they like. */
static bool
put_tree(struct writer *w)
{
	size_t depth = 0;
	bool ok = enter(w, &depth, 0);

	/* Samples without a stack. */
	if (ok && is_written(w, &w->frame[0])) {
		ok = append_frame(w, &w->frame[0]);
		put_line(w, &w->frame[0]);
	}

	while (ok && depth > 0) {
		struct level *level = &w->level[depth - 1];
		const struct place *place = &w->place[level->at];
		const struct frame *frame = &w->frame[place->frame];

		w->path_len = level->path_len;
		if (level->at == w->frames - 1 ||
		    place->parent != level->parent) {
			depth--;
			continue;
		}
		level->at++;
		ok = append_frame(w, frame);
		if (ok && is_written(w, frame))
			put_line(w, frame);
		/* first is 0 for a leaf too: whose child is that? */
		if (ok &&
		    w->place[w->first[place->frame]].parent == place->frame)
			ok = enter(w, &depth, place->frame);
	}
	return ok;
}

/* ---- The file ----------------------------------------------------------- */

static bool
add_column(struct writer *w, size_t event)
{
	const struct cg_event *info = cg_get_event(w->graph, event);
	size_t i = w->columns++;

	w->event[i] = event;
	w->is_signed[i] = info->is_signed;
	w->fraction[i] = ends_with(cg_slice(info->name), FOLDED_MICRO_SUFFIX);
	return true;
}

/* Two events of which one is before, the other after: which? */
static bool
is_pair(const struct cg_graph *graph, size_t *before, size_t *after)
{
	struct cg_slice name[2];

	if (cg_event_count(graph) != 2)
		return false;
	name[0] = cg_slice(cg_get_event(graph, 0)->name);
	name[1] = cg_slice(cg_get_event(graph, 1)->name);
	/* --diff --side-by-side calls them so. */
	*before = ends_with(name[1], "_before") && ends_with(name[0], "_after");
	*after = !*before;
	return *before == 1 ||
	       (cg_starts(name[0], "before") && cg_starts(name[1], "after"));
}

/* The event that was asked for, else both of a difference, else the first. */
static int
choose_events(struct writer *w)
{
	size_t before = 0, after = 0;
	bool pair =
	    !cg_opt(w->job, "event") && is_pair(w->graph, &before, &after);
	int status = CG_OK;

	if (!pair)
		status = cg_choose_event(w->job, w->graph, NULL, &before);
	add_column(w, before);
	if (pair)
		add_column(w, after);
	else if (cg_job_verbose(w->job) && !w->fraction[0] &&
		 cg_event_count(w->graph) == 1 &&
		 strcmp(cg_get_event(w->graph, 0)->name, FOLDED_EVENT) != 0)
		cg_note(w->job,
		    "%s is written, without its name: it is read as %s",
		    cg_get_event(w->graph, 0)->name, FOLDED_EVENT);
	return status;
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
	bool ok;

	if (status != CG_OK)
		return status;
	if (cg_stacks_guessed(graph, CG_ALL_PARTS))
		cg_puts(out, FOLDED_GUESSED "\n");
	ok = rank_names(&w) && build_tree(&w) && sort_tree(&w);
	if (ok && !add_costs(&w))
		status = cg_fail(job, "expected costs of a stack whose sum "
				      "fits into 64 bits");
	else
		status =
		    ok && put_tree(&w) ? cg_out_status(out) : cg_nomem(job);
	if (status == CG_OK && w.spelled > 0)
		cg_note(job,
		    "%zu names are written otherwise: they hold what "
		    "ends frames or counts",
		    w.spelled);
	free(w.label);
	free(w.text);
	free(w.rank);
	free(w.written);
	free(w.frame);
	free(w.place);
	free(w.first);
	free(w.level);
	free(w.path);
	return status;
}
