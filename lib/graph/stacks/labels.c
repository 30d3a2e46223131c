/*
 * labels.c - sets of labels of samples.
 *
 * Each set is stored once, with sorted labels, so that equal sets have the same
 * id. A stack without labels has set 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"

const char *const cg_who_key[CG_WHO_KEYS] = { "comm", "pid", "tid", "thread",
	"cpu" };

/* ---- Order --------------------------------------------------------------- */

/*
 * Compares labels for qsort(): texts before numbers, as pprof writes them,
 * then by key; labels with equal keys keep their order.
 */
static int
compare_labels(const void *pa, const void *pb)
{
	const struct cg_label *a = *(const struct cg_label *const *)pa;
	const struct cg_label *b = *(const struct cg_label *const *)pb;
	int order = (a->value.len == 0) - (b->value.len == 0);

	if (order == 0)
		order = cg_compare(a->key, b->key);
	return order ? order : (a > b) - (a < b);
}

static bool
is_sorted(const struct cg_label *label, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct cg_label *a = &label[i - 1], *b = &label[i];

		if (compare_labels(&a, &b) > 0)
			return false;
	}
	return true;
}

int
cg_compare_labels(const struct cg_label *a, const struct cg_label *b)
{
	int order = cg_compare(a->key, b->key);

	if (order == 0)
		order = cg_compare(a->value, b->value);
	if (order == 0)
		order = (a->number > b->number) - (a->number < b->number);
	return order != 0 ? order : cg_compare(a->unit, b->unit);
}

/* ---- Adding -------------------------------------------------------------- */

static void
append_label(struct cg_build *build, const struct cg_label *label)
{
	const struct cg_slice none = { "", 0 };
	bool number = label->value.len == 0;
	const struct cg_label_entry entry = { .key = cg_add_name(
						  build, label->key),
		.value = cg_add_name(build, label->value),
		.number = number ? label->number : 0,
		.unit = cg_add_name(build, number ? label->unit : none) };

	build->graph->label[build->graph->labels++] = entry;
}

/*
 * Appends n labels to graph->label, where sets of labels follow each other,
 * sorted within each set. False: too many, out of memory, or the builder had
 * failed; the caller must let it fail.
 */
static bool
append_labels(struct cg_build *build, const struct cg_label *label, size_t n)
{
	struct cg_graph *graph = build->graph;
	const struct cg_label **order = NULL;

	if (n > CG_LABELS_MAX || n > UINT32_MAX - graph->labels ||
	    !cg_grow_raw(&graph->label, &graph->label_cap, graph->labels + n,
		sizeof(*graph->label)))
		return false;
	if (!is_sorted(label, n)) {
		order = calloc(n, sizeof(*order));
		if (!order)
			return false;
		for (size_t i = 0; i < n; i++)
			order[i] = &label[i];
		qsort(order, n, sizeof(*order), compare_labels);
	}
	for (size_t i = 0; i < n; i++)
		append_label(build, order ? order[i] : &label[i]);
	free(order);
	return build->status == CG_OK;
}

/*
 * Returns the hash of a set of labels. It is seeded by the graph's address, so
 * that inputs cannot provoke collisions.
 */
static uint64_t
hash_set(const struct cg_graph *graph, struct cg_label_set set)
{
	uint64_t hash = cg_hash_seed(graph) + set.n;

	for (size_t i = set.first; i < set.first + (size_t)set.n; i++) {
		const struct cg_label_entry *label = &graph->label[i];

		hash ^= (uint64_t)label->key << 32 | label->value;
		hash = cg_hash_u64(hash) ^ (uint64_t)label->number;
		hash = cg_hash_u64(hash) + label->unit;
	}
	return hash;
}

static bool
same_set(
    const struct cg_graph *graph, struct cg_label_set a, struct cg_label_set b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++) {
		const struct cg_label_entry *x = &graph->label[a.first + i];
		const struct cg_label_entry *y = &graph->label[b.first + i];

		if (x->key != y->key || x->value != y->value ||
		    x->number != y->number || x->unit != y->unit)
			return false;
	}
	return true;
}

/*
 * Returns where the hash table stores the id of the set with these labels. If
 * 0 is stored there, the caller must store the new set's id. Valid until the
 * next look-up. NULL: out of memory.
 */
static uint32_t *
find_set(struct cg_graph *graph, struct cg_label_set set)
{
	for (uint64_t hash = hash_set(graph, set);; hash++) {
		uint32_t *id = cg_map_at(&graph->label_ids, hash);

		if (!id || *id == 0 ||
		    same_set(graph, set, graph->label_set[*id - 1]))
			return id;
	}
}

static cg_labels
add_set(struct cg_graph *graph, struct cg_label_set set, uint32_t *id)
{
	if (!id || graph->label_sets == UINT32_MAX ||
	    !cg_grow_raw(&graph->label_set, &graph->label_set_cap,
		graph->label_sets + 1, sizeof(set)))
		return 0;
	graph->label_set[graph->label_sets++] = set;
	return *id = (uint32_t)graph->label_sets;
}

/*
 * Returns the entry of build->recent where the set of the n labels would be.
 * The caller must compare, as sets share entries. Hashes only what is quick to
 * read, as most samples repeat recent labels.
 */
static cg_labels *
recent_set(struct cg_build *build, const struct cg_label *label, size_t n)
{
	uint64_t hash = n;

	for (size_t i = 0; i < n; i++) {
		const struct cg_slice value = label[i].value;

		hash = hash * 31 + (uint64_t)label[i].number + value.len;
		if (value.len > 0)
			hash += (unsigned char)value.ptr[value.len - 1];
	}
	return &build->recent[cg_hash_u64(hash) & (CG_RECENT_SETS - 1)];
}

/*
 * True if the set `id` consists of the n labels at `label`, in the order of
 * the set. False also if there is no such set (0 is none).
 */
static bool
has_labels(const struct cg_graph *graph, cg_labels id,
    const struct cg_label *label, size_t n)
{
	const struct cg_label_entry *entry;

	if (id == 0 || id > graph->label_sets ||
	    graph->label_set[id - 1].n != n)
		return false;
	entry = &graph->label[graph->label_set[id - 1].first];
	for (size_t i = 0; i < n; i++) {
		const bool number = label[i].value.len == 0;

		if (entry[i].number != (number ? label[i].number : 0) ||
		    cg_compare(cg_strs_get(&graph->strs, entry[i].key),
			label[i].key) != 0 ||
		    cg_compare(cg_strs_get(&graph->strs, entry[i].value),
			label[i].value) != 0 ||
		    (number &&
			cg_compare(cg_strs_get(&graph->strs, entry[i].unit),
			    label[i].unit) != 0))
			return false;
	}
	return true;
}

cg_labels
cg_add_labels(struct cg_build *build, const struct cg_label *label, size_t n)
{
	struct cg_graph *graph = build->graph;
	struct cg_label_set set = { .first = (uint32_t)graph->labels,
		.n = (uint32_t)n & CG_LABELS_MAX };
	cg_labels id = 0, *recent;
	uint32_t *found;

	if (n == 0 || build->status != CG_OK)
		return 0;
	recent = recent_set(build, label, n);
	if (has_labels(graph, *recent, label, n))
		return *recent;
	if (append_labels(build, label, n)) {
		found = find_set(graph, set);
		if (found && *found != 0)
			graph->labels = set.first;
		id = found && *found != 0 ? *found : add_set(graph, set, found);
	}
	if (id == 0)
		cg_build_nomem(build);
	*recent = id;
	return id;
}

char *
cg_format_label(char *to, const struct cg_label *label)
{
	bool number = label->value.len == 0;
	struct cg_slice text = number ? label->unit : label->value;

	if (number)
		to = cg_format_i64(to, label->number);
	if (number && text.len > 0)
		*to++ = ' ';
	if (text.len > 0)
		memcpy(to, text.ptr, text.len);
	return to + text.len;
}

const char *
cg_label_text(struct cg_build *build, const struct cg_label *label)
{
	if (!cg_grow_raw(
		&build->text, &build->text_cap, CG_LABEL_ROOM(label), 1)) {
		cg_build_nomem(build);
		return "";
	}
	*cg_format_label(build->text, label) = '\0';
	return build->text;
}

/* ---- Canonical order ----------------------------------------------------- */

/* A set to sort. */
struct ranked {
	const struct cg_label_entry *label; /* the first */
	const uint32_t *rank;               /* by string */
	struct cg_label_set set;
	cg_labels id;
};

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_entries(const struct cg_label_entry *a, const struct cg_label_entry *b,
    const uint32_t *rank)
{
	int order = compare_numbers(a->value == 0, b->value == 0);

	if (order == 0)
		order = compare_numbers(rank[a->key], rank[b->key]);
	if (order == 0)
		order = compare_numbers(rank[a->value], rank[b->value]);
	if (order == 0)
		order = (a->number > b->number) - (a->number < b->number);
	return order ? order : compare_numbers(rank[a->unit], rank[b->unit]);
}

static int
compare_sets(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	for (size_t i = 0; i < a->set.n && i < b->set.n; i++) {
		int order =
		    compare_entries(&a->label[i], &b->label[i], a->rank);

		if (order != 0)
			return order;
	}
	return compare_numbers(a->set.n, b->set.n);
}

/*
 * Gives the sets in list, in that order, the ids from 1 on, and drops other
 * sets. The sets of all stacks must be in list, and new_id[0] must be 0. Sets
 * new_id[old id], and replaces the ids in all stacks. False: out of memory.
 */
static bool
renumber_sets(struct cg_graph *graph, const struct ranked *list, size_t count,
    cg_labels *new_id)
{
	bool ok = true;

	cg_map_free(&graph->label_ids);
	graph->label_sets = 0;
	for (size_t i = 0; ok && i < count; i++) {
		new_id[list[i].id] =
		    add_set(graph, list[i].set, find_set(graph, list[i].set));
		ok = new_id[list[i].id] != 0;
	}
	for (size_t i = 0; i < graph->stacks; i++)
		graph->stack[i].labels = new_id[graph->stack[i].labels];
	return ok;
}

/*
 * Lists the sets that a stack has or had, with their sort keys, and returns
 * their number. The caller drops the others. used[]: scratch space by set, all
 * 0, which is not cleared afterwards.
 */
static size_t
list_sets(const struct cg_graph *graph, const uint32_t *rank, cg_labels *used,
    struct ranked *list)
{
	size_t count = 0;

	for (size_t i = 0; i < graph->stacks; i++)
		used[graph->stack[i].labels] = 1;
	used[0] = 0;
	for (cg_labels id = 1; id <= graph->label_sets; id++) {
		struct cg_label_set set = graph->label_set[id - 1];

		if (used[id] != 0 || set.used)
			list[count++] =
			    (struct ranked){ &graph->label[set.first], rank,
				    set, id };
	}
	return count;
}

bool
cg_labels_seal(struct cg_graph *graph)
{
	uint32_t *rank;
	struct ranked *list;
	cg_labels *new_id;
	size_t count;
	bool ok;

	if (graph->label_sets == 0)
		return true;
	rank = cg_rank_strings(graph, NULL, graph->strs.count);
	list = malloc(graph->label_sets * sizeof(*list));
	new_id = calloc(graph->label_sets + 1, sizeof(*new_id));
	ok = rank && list && new_id;
	if (ok) {
		count = list_sets(graph, rank, new_id, list);
		qsort(list, count, sizeof(*list), compare_sets);
		ok = renumber_sets(graph, list, count, new_id);
	}
	free(rank);
	free(list);
	free(new_id);
	return ok;
}

void
cg_labels_clear(struct cg_graph *graph)
{
	free(graph->label);
	free(graph->label_set);
	cg_map_free(&graph->label_ids);
	graph->label = NULL;
	graph->label_set = NULL;
	graph->labels = graph->label_cap = 0;
	graph->label_sets = graph->label_set_cap = 0;
}

/* ---- Cursors ------------------------------------------------------------- */

size_t
cg_labels_count(const struct cg_graph *graph)
{
	return graph->label_sets;
}

bool
cg_get_label(const struct cg_graph *graph, cg_labels labels, size_t i,
    struct cg_label *label)
{
	const struct cg_label_entry *entry;
	struct cg_label_set set;

	if (labels == 0)
		return false;
	set = graph->label_set[labels - 1];
	if (i >= set.n)
		return false;
	entry = &graph->label[set.first + i];
	*label = (struct cg_label){ cg_strs_get(&graph->strs, entry->key),
		cg_strs_get(&graph->strs, entry->value), entry->number,
		cg_strs_get(&graph->strs, entry->unit) };
	return true;
}

int64_t
cg_labels_number(
    const struct cg_graph *graph, cg_labels labels, const char *key)
{
	struct cg_label label;

	for (size_t i = 0; cg_get_label(graph, labels, i, &label); i++)
		if (cg_equal(label.key, key) && label.value.len == 0)
			return label.number;
	return 0;
}

/* ---- Loss ---------------------------------------------------------------- */

#define KEYS_LISTED 8

/*
 * True if an output without labels may lose labels with the key without a
 * warning by this code. cg_tell_joined() warns of the loss of labels that name
 * the thread. Labels with keys of --root-by are not lost, as they became
 * frames.
 */
static bool
is_told(const struct cg_graph *graph, const struct cg_roots *roots, cg_str key)
{
	struct cg_slice text = cg_strs_get(&graph->strs, key);
	bool told = false;

	for (size_t i = 0; i < CG_WHO_KEYS; i++)
		told |= cg_equal(text, cg_who_key[i]);
	for (size_t i = 0; i < roots->count; i++)
		told |= cg_equal(text, roots->key[i]);
	return told;
}

/*
 * Adds a set's label keys whose loss needs a warning to key[], which has
 * `keys` different keys. Returns the new number; KEYS_LISTED + 1 if there are
 * more than KEYS_LISTED.
 */
static size_t
list_keys(const struct cg_graph *graph, struct cg_label_set set,
    const struct cg_roots *roots, cg_str *key, size_t keys)
{
	for (size_t i = set.first; i < set.first + (size_t)set.n; i++) {
		size_t at = 0;

		if (is_told(graph, roots, graph->label[i].key))
			continue;
		while (at < keys && key[at] != graph->label[i].key)
			at++;
		if (at < keys)
			continue;
		if (keys == KEYS_LISTED)
			return KEYS_LISTED + 1;
		key[keys++] = graph->label[i].key;
	}
	return keys;
}

const char *
cg_list_label_keys(const struct cg_graph *graph, const cg_str *key, size_t keys,
    size_t most, char *text)
{
	size_t len = 0;

	for (size_t i = 0; i < keys && i < most; i++)
		len += (size_t)snprintf(text + len, CG_KEYS_ROOM(most) - len,
		    "%s%.40s", i ? ", " : "",
		    cg_strs_get(&graph->strs, key[i]).ptr);
	if (keys > most)
		strcpy(text + len, ", ...");
	return text;
}

bool
cg_labels_tell_loss(
    const struct cg_graph *graph, const struct cg_roots *roots, bool quiet)
{
	char text[CG_KEYS_ROOM(KEYS_LISTED)];
	cg_str key[KEYS_LISTED];
	size_t keys = 0;

	for (size_t i = 0; i < graph->label_sets && keys <= KEYS_LISTED; i++)
		keys = list_keys(graph, graph->label_set[i], roots, key, keys);
	if (keys == 0 || quiet)
		return keys > 0;
	cg_diag_say(graph->diag, CG_NOTE, NULL,
	    "labels of samples dropped: %s ({part-by} label:NAME makes "
	    "parts of a label)",
	    cg_list_label_keys(graph, key, keys, KEYS_LISTED, text));
	return true;
}
