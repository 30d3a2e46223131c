/*
 * roots.c - puts frames below the outermost frames of stacks, to name their
 * origin (--root-by).
 */
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"

struct rooting {
	struct cg_build *build;
	const struct cg_roots *roots;
	struct cg_map root;   /* part << 32 | labels -> root's node + 1 */
	struct cg_map moved;  /* root's node << 32 | old node -> new node */
	struct cg_map thread; /* part << 32 | root's node -> labels + 1 */
	struct cg_map named;  /* part << 32 | root's name -> root's node */
	const struct cg_node_entry *node; /* old */
	cg_node *path; /* nodes to be moved, the outermost last */
	size_t paths, path_cap;
	char *text;
	size_t len, cap;
	cg_node root_of_track; /* root of the track whose moments are moved */
	bool unlabel;          /* drop labels */
	bool joined;           /* stacks of several threads have one root */
};

/* ---- Option --root-by --------------------------------------------------- */

bool
cg_roots_add(struct cg_roots *roots, const char *by)
{
	static const char *const word[] = { "comm", "pid", "tid", "cpu" };
	struct cg_slice rest = cg_slice(by);
	const char *key = NULL;

	if (roots->count == CG_ROOTS_MAX)
		return false;
	if (cg_take_prefix(&rest, "label:") && rest.len > 0)
		key = rest.ptr;
	if (cg_equal(rest, "part"))
		key = "";
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (cg_equal(rest, word[i]))
			key = word[i];
	if (!key)
		return false;
	roots->key[roots->count++] = key;
	return true;
}

unsigned
cg_roots_who(const struct cg_roots *roots)
{
	unsigned who = 0;

	for (size_t i = 0; i < roots->count; i++)
		for (unsigned k = 0; k < CG_WHO_KEYS; k++)
			if (strcmp(roots->key[i], cg_who_key[k]) == 0)
				who |= 1u << k;
	return who;
}

/* ---- Names of frames ---------------------------------------------------- */

static bool
append(struct rooting *r, struct cg_slice text)
{
	if (!cg_grow_raw(&r->text, &r->cap, r->len + text.len, 1)) {
		cg_build_nomem(r->build);
		return false;
	}
	if (text.len > 0)
		memcpy(r->text + r->len, text.ptr, text.len);
	r->len += text.len;
	return true;
}

static bool
append_number(struct rooting *r, const char *key, int64_t number, bool first)
{
	char digits[CG_NUMBER_MAX];
	size_t n = (size_t)(cg_format_i64(digits, number) - digits);

	return (!first ||
		   (append(r, cg_slice(key)) && append(r, cg_slice("=")))) &&
	       append(r, (struct cg_slice){ digits, n });
}

/*
 * Replaces blanks in r->text by '_', as stackcollapse-perf.pl and inferno do.
 */
static void
replace_blanks(struct rooting *r)
{
	for (size_t i = 0; i < r->len; i++)
		if (r->text[i] == ' ')
			r->text[i] = '_';
}

/*
 * Appends the values of the labels with the key to r->text, which is empty,
 * separated by commas. Numbers have their unit. If the first value is a
 * number, the key comes first: "pid=5". Appends nothing if there are none.
 * Replaces blanks by '_'. False: out of memory.
 */
static bool
append_labels(struct rooting *r, const char *key, cg_labels labels)
{
	struct cg_label label;
	bool ok = true;

	for (size_t i = 0;
	     ok && cg_get_label(r->build->graph, labels, i, &label); i++) {
		bool first = r->len == 0;

		if (!cg_equal(label.key, key))
			continue;
		ok = first || append(r, cg_slice(","));
		if (label.value.len > 0)
			ok = ok && append(r, label.value);
		else
			ok = ok && append_number(r, key, label.number, first) &&
			     append(r, label.unit);
	}
	replace_blanks(r);
	return ok;
}

/*
 * Appends what the part (thread or process) states for a key of --root-by to
 * r->text. Appends nothing if it is unknown. A format's default roots use only
 * the number of the part (key ""). False: out of memory.
 */
static bool
append_part(struct rooting *r, const char *key, cg_part part)
{
	const struct cg_part_info *info = cg_get_part(r->build->graph, part);

	if (*key == '\0')
		return append_number(r, "part", (int64_t)part + 1, true);
	if (r->roots->usual)
		return true;
	if (strcmp(key, "comm") == 0) {
		if (!append(r, cg_slice(info->cmd)))
			return false;
		replace_blanks(r);
	}
	if (strcmp(key, "pid") == 0 && info->pid != 0)
		return append_number(r, key, (int64_t)info->pid, true);
	if (strcmp(key, "tid") == 0 && info->tid != 0)
		return append_number(r, key, (int64_t)info->tid, true);
	return true;
}

/*
 * Adds a frame for each key of --root-by whose value is known, from the labels
 * or the part. Returns the innermost frame's node. 0: no value is known, or
 * out of memory.
 */
static cg_node
add_root(struct rooting *r, cg_part part, cg_labels labels)
{
	const struct cg_pos nowhere = { 0 };
	cg_node node = 0;
	cg_fn fn;

	for (size_t i = 0; i < r->roots->count; i++) {
		const char *key = r->roots->key[i];

		r->len = 0;
		if (!append_labels(r, key, labels) ||
		    (r->len == 0 && !append_part(r, key, part)))
			return 0;
		if (r->len == 0)
			continue;
		fn = cg_add_fn(
		    r->build, (struct cg_slice){ r->text, r->len }, 0, 0);
		r->build->graph->fn[fn].is_root = true;
		node = cg_add_frame(r->build, node, fn, &nowhere, false);
	}
	return node;
}

/* ---- Stacks ------------------------------------------------------------- */

static bool
fail(struct rooting *r)
{
	cg_build_nomem(r->build);
	return false;
}

static bool
note_name(struct rooting *r, cg_part part, cg_node root)
{
	const struct cg_graph *graph = r->build->graph;
	cg_str name = graph->fn[cg_frame_of(graph, root)->fn].name;
	uint32_t *node = cg_map_at(&r->named, (uint64_t)part << 32 | name);

	if (node)
		*node = root;
	return node != NULL;
}

static bool
find_root(struct rooting *r, const struct cg_stack_entry *stack, cg_node *root)
{
	uint32_t *found =
	    cg_map_at(&r->root, (uint64_t)stack->part << 32 | stack->labels);

	if (!found)
		return fail(r);
	if (*found == 0) {
		*found = add_root(r, stack->part, stack->labels) + 1;
		if (*found != 1 && !note_name(r, stack->part, *found - 1))
			return fail(r);
	}
	*root = *found - 1;
	return cg_build_status(r->build) == CG_OK;
}

/*
 * Sets *new to the node that has the frames of node old below `root`, the
 * frame that --root-by has added (0: none). Adds the nodes that do not exist
 * yet, and records them in r->moved. False: an error.
 */
static bool
move_node(struct rooting *r, cg_node root, cg_node old, cg_node *new)
{
	uint32_t *slot;

	r->paths = 0;
	*new = root;
	for (cg_node at = old; at != 0; at = r->node[at].parent) {
		*new = cg_map_get(&r->moved, (uint64_t)root << 32 | at);
		if (*new != 0)
			break;
		*new = root;
		if (!cg_grow_raw(
			&r->path, &r->path_cap, r->paths + 1, sizeof(*r->path)))
			return fail(r);
		r->path[r->paths++] = at;
	}
	while (r->paths > 0) {
		uint32_t number = r->node[r->path[--r->paths]].frame;
		/* Copy the frame: adding one may move the array. */
		const struct cg_frame_entry frame =
		    r->build->graph->frame[number];

		*new = cg_add_frame(
		    r->build, *new, frame.fn, &frame.pos, frame.inlined);
		slot = cg_map_at(
		    &r->moved, (uint64_t)root << 32 | r->path[r->paths]);
		if (!slot)
			return fail(r);
		*slot = *new;
	}
	return cg_build_status(r->build) == CG_OK;
}

/*
 * Sets r->joined if two stacks with equal part and root are of different
 * threads, by their labels. Without labels the threads could not be
 * distinguished. False: out of memory.
 */
static bool
note_thread(struct rooting *r, const struct cg_stack_entry *stack, cg_node root)
{
	const struct cg_graph *graph = r->build->graph;
	uint32_t *found;
	cg_labels first;

	if (r->joined)
		return true;
	found = cg_map_at(&r->thread, (uint64_t)stack->part << 32 | root);
	if (!found)
		return fail(r);
	if (*found == 0)
		*found = stack->labels + 1;
	first = *found - 1;
	r->joined = first != stack->labels &&
		    (cg_labels_number(graph, first, "pid") !=
			    cg_labels_number(graph, stack->labels, "pid") ||
			cg_labels_number(graph, first, "tid") !=
			    cg_labels_number(graph, stack->labels, "tid"));
	return true;
}

/*
 * Adds n stacks to the graph again, from which they were removed. Each is
 * added below the frames that --root-by adds for it, and without labels if
 * r->unlabel. False: an error.
 */
static bool
move_stacks(struct rooting *r, const struct cg_stack_entry *stack, size_t n)
{
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		struct cg_stack_entry new = stack[i];
		cg_node root;

		if (r->unlabel)
			new.labels = 0;
		ok = find_root(r, &stack[i], &root) &&
		     move_node(r, root, stack[i].leaf, &new.leaf) &&
		     note_thread(r, &stack[i], root) &&
		     cg_stacks_put(r->build, &new);
	}
	return ok;
}

/*
 * Sets r->joined if a part has stacks of several threads, which only their
 * labels tell apart. Called if --root-by adds no frames, which would tell them
 * apart. False: out of memory.
 */
static bool
look_at_threads(struct rooting *r)
{
	const struct cg_graph *graph = r->build->graph;
	bool ok = true;

	for (size_t i = 0; ok && !r->joined && i < graph->stacks; i++)
		ok = note_thread(r, &graph->stack[i], 0);
	return ok;
}

/* ---- Timelines ----------------------------------------------------------- */

/*
 * Returns the node of the frame that --root-by has added for a track (the
 * timeline of a thread). It is the one in the track's part that has the name
 * of the track's process or, if that is empty, of its thread. 0: there is
 * none, or out of memory.
 */
static cg_node
find_root_of_track(struct rooting *r, const struct cg_track *track)
{
	cg_name name;

	r->len = 0;
	if (!append(
		r, cg_slice(*track->process ? track->process : track->name)))
		return 0;
	replace_blanks(r);
	name = cg_add_name(r->build, (struct cg_slice){ r->text, r->len });
	return cg_map_get(&r->named, (uint64_t)track->part << 32 | name);
}

static bool
move_moment(void *arg, cg_node old, cg_node *new)
{
	struct rooting *r = arg;

	return move_node(r, r->root_of_track, old, new);
}

/*
 * Sets *new to the node for `old` below the root that --root-by has added for
 * the current track, a timeline of calls. Node 0, when no call runs, stays 0.
 * For cg_track_move(). False: an error.
 */
static bool
move_call(void *arg, cg_node old, cg_node *new)
{
	struct rooting *r = arg;

	return move_node(r, old ? r->root_of_track : 0, old, new);
}

/*
 * Moves the moments of all timelines to nodes with the frames of --root-by as
 * outermost frames. If a process changed its name, its last name is used, as
 * moments have no labels. False: an error.
 */
static bool
move_tracks(struct rooting *r)
{
	struct cg_graph *graph = r->build->graph;
	bool ok = true;

	for (size_t i = 0; ok && i < cg_track_count(graph); i++) {
		const struct cg_track *track = cg_get_track(graph, i);

		r->root_of_track = find_root_of_track(r, track);
		ok = cg_track_move(
		    graph, i, track->spans ? move_call : move_moment, r);
	}
	return ok || fail(r);
}

/* ---- All ----------------------------------------------------------------- */

static bool
root_stacks(struct rooting *r)
{
	struct cg_graph *graph = r->build->graph;
	struct cg_node_entry *node = graph->node;
	struct cg_stack_entry *stack = graph->stack;
	size_t stacks = graph->stacks;
	bool ok;

	graph->node = calloc(1, sizeof(*node));
	if (!graph->node) {
		graph->node = node;
		return fail(r);
	}
	graph->nodes = graph->node_cap = 1;
	cg_stacks_drop_slots(graph);
	cg_map_free(&graph->stack_ids);
	graph->stack = NULL;
	graph->stacks = graph->stack_cap = 0;
	r->node = node;
	ok = move_stacks(r, stack, stacks);
	if (!r->roots->usual)
		cg_tracks_clear(graph);
	ok = ok && move_tracks(r);
	free(node);
	free(stack);
	return ok;
}

int
cg_root_stacks(struct cg_build *build, const struct cg_roots *roots,
    bool unlabel, bool *joined)
{
	struct rooting r = {
		.build = build, .roots = roots, .unlabel = unlabel
	};
	bool ok;

	ok = roots->count > 0 ? root_stacks(&r) : look_at_threads(&r);
	if (ok && roots->count > 0 && unlabel)
		cg_labels_clear(build->graph);
	cg_map_free(&r.root);
	cg_map_free(&r.moved);
	cg_map_free(&r.thread);
	cg_map_free(&r.named);
	free(r.path);
	free(r.text);
	*joined = r.joined;
	return cg_build_failed(build, NULL);
}

bool
cg_fn_is_root(const struct cg_graph *graph, cg_fn fn)
{
	return graph->fn[fn].is_root;
}
