/*
 * samples.c - makes parts of the processes, threads, commands or labels of
 * samples (--part-by).
 */
#include <string.h>

#include "graph/build.h"

bool
cg_part_by_parse(struct cg_part_by *by, const char *text)
{
	static const char *const word[] = {
		[CG_BY_NOTHING] = "none",
		[CG_BY_PID] = "pid",
		[CG_BY_TID] = "tid",
		[CG_BY_COMM] = "comm",
	};
	struct cg_slice rest = cg_slice(text);

	*by = (struct cg_part_by){ .text = text };
	/* "cpu" is handled as a label. */
	if (cg_equal(rest, "cpu") || cg_take_prefix(&rest, "label:")) {
		by->what = CG_BY_LABEL;
		by->label = rest;
		return rest.len > 0;
	}
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		if (!cg_equal(rest, word[i]))
			continue;
		by->what = (enum cg_part_by_what)i;
		return true;
	}
	return false;
}

unsigned
cg_part_by_who(const struct cg_part_by *by)
{
	return by->what == CG_BY_LABEL && cg_equal(by->label, "cpu")
		   ? CG_WHO_CPU
		   : 0;
}

static bool
equal_text(struct cg_slice a, struct cg_slice b)
{
	return a.len == b.len &&
	       (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/*
 * Returns the name of the part (group of samples) that a sample belongs to:
 * the command of its process or, if that is unknown, the name of its thread;
 * empty if both are unknown.
 */
static struct cg_slice
name_of(const struct cg_sample_key *key)
{
	return key->comm.len > 0 ? key->comm : key->thread;
}

static enum cg_part_by_what
part_by(const struct cg_build *build)
{
	return build->by ? build->by->what : CG_BY_NOTHING;
}

/* ---- Labels -------------------------------------------------------------- */

/*
 * Writes what identifies a sample's thread as labels to label[], with room for
 * CG_WHO_KEYS. The bits of `who` select comm, pid, tid, thread and cpu;
 * unknown ones are skipped. Returns their number.
 */
static size_t
label_who(unsigned who, const struct cg_sample_key *key, struct cg_label *label)
{
	const struct cg_slice none = { "", 0 };
	const struct cg_label known[CG_WHO_KEYS] = { { .value = key->comm },
		{ .value = none, .number = (int64_t)key->pid },
		{ .value = none, .number = (int64_t)key->tid },
		{ .value = key->thread },
		{ .value = none, .number = key->cpu } };
	size_t n = 0;

	for (size_t i = 0; i < CG_WHO_KEYS; i++) {
		unsigned bit = 1u << i;

		if (!(who & bit) ||
		    (bit == CG_WHO_CPU
			    ? !key->has_cpu
			    : known[i].value.len == 0 && known[i].number == 0))
			continue;
		label[n] = known[i];
		label[n].key = cg_slice(cg_who_key[i]);
		label[n++].unit = none;
	}
	return n;
}

/*
 * Returns the value of a label as text. A text is the label's own; a number,
 * in decimal and with its unit, is valid as long as the graph, and empty if
 * the builder fails.
 */
static struct cg_slice
label_text(struct cg_build *build, const struct cg_label *label)
{
	if (label->value.len > 0)
		return label->value;
	return cg_get_name(
	    build, cg_add_name(build, cg_slice(cg_label_text(build, label))));
}

/*
 * Returns the sample's label whose key --part-by=label:KEY names; NULL: it has
 * none, or samples are not split by a label.
 */
static const struct cg_label *
find_label(const struct cg_build *build, const struct cg_sample_key *key)
{
	if (part_by(build) != CG_BY_LABEL)
		return NULL;
	for (size_t i = 0; i < key->labels; i++) {
		if (equal_text(key->label[i].key, build->by->label))
			return &key->label[i];
	}
	return NULL;
}

static bool
says_number(const struct cg_label *label, const char *key, uint64_t number)
{
	return number != 0 && (uint64_t)label->number == number &&
	       label->value.len == 0 && label->unit.len == 0 &&
	       cg_equal(label->key, key);
}

/*
 * True if a label need not be stored, as the sample's part (--part-by) states
 * the same. The label is then `by`, that of --part-by. If by is NULL, the
 * label repeats the pid or, if parts are threads, the tid.
 */
static bool
is_told(const struct cg_build *build, const struct cg_sample_key *key,
    const struct cg_label *label, const struct cg_label *by)
{
	if (by)
		return label == by;
	return says_number(label, "pid", key->pid) ||
	       (part_by(build) == CG_BY_TID &&
		   says_number(label, "tid", key->tid));
}

/*
 * Stores the sample's labels that its part does not state, see is_told(), and
 * returns their set's id. 0: none are left, or the builder has failed. by: the
 * label of --part-by, or NULL.
 */
static cg_labels
keep_labels(struct cg_build *build, const struct cg_sample_key *key,
    const struct cg_label *by)
{
	enum cg_part_by_what what = part_by(build);
	size_t n = 0;

	if (!by && what != CG_BY_PID && what != CG_BY_TID)
		return cg_add_labels(build, key->label, key->labels);
	if (!cg_grow_raw(&build->kept, &build->kept_cap, key->labels + 1,
		sizeof(*build->kept))) {
		cg_build_nomem(build);
		return 0;
	}
	for (size_t i = 0; i < key->labels; i++) {
		if (!is_told(build, key, &key->label[i], by))
			build->kept[n++] = key->label[i];
	}
	return cg_add_labels(build, build->kept, n);
}

/* ---- Counts of calls ----------------------------------------------------- */

#define COUNTS_KEY "Call counts"
#define COUNTS_VALUE "numbers of samples"

void
cg_set_calls_sampled(struct cg_build *build)
{
	cg_add_desc(build, cg_slice(COUNTS_KEY), cg_slice(COUNTS_VALUE));
}

bool
cg_calls_sampled(const struct cg_graph *graph)
{
	return cg_part_says(graph, CG_ALL_PARTS, COUNTS_KEY, COUNTS_VALUE);
}

/* ---- Parts --------------------------------------------------------------- */

/*
 * Returns the text that identifies the sample's part: the base part, and what
 * --part-by names. value: that of the label, if labelled. Valid until the next
 * call. "": out of memory (the builder fails).
 */
static struct cg_slice
key_text(struct cg_build *build, const struct cg_sample_key *key,
    struct cg_slice value, bool labelled)
{
	enum cg_part_by_what what = part_by(build);
	size_t room;
	char *to;

	if (what == CG_BY_COMM)
		value = name_of(key);
	room = 4 * CG_NUMBER_MAX + value.len;
	if (!cg_grow_raw(&build->text, &build->text_cap, room, 1)) {
		cg_build_nomem(build);
		return (struct cg_slice){ "", 0 };
	}
	to = cg_format_u64(build->text, build->base);
	*to++ = ' ';
	if (what == CG_BY_PID || what == CG_BY_TID)
		to = cg_format_u64(to, key->pid);
	*to++ = ' ';
	if (what == CG_BY_TID)
		to = cg_format_u64(to, key->tid);
	/* A label with an empty value differs from no label. */
	*to++ = labelled ? '=' : ' ';
	if (value.len > 0)
		memcpy(to, value.ptr, value.len);
	to += value.len;
	return (struct cg_slice){ build->text, (size_t)(to - build->text) };
}

/*
 * Returns a new part for a group of samples (--part-by). It is the input's own
 * part while that is empty. If adding one fails, also returns that one; the
 * builder has failed.
 */
static cg_part
new_sample_part(struct cg_build *build)
{
	struct cg_graph *graph = build->graph;
	cg_part part = build->base;

	if (graph->part[part].sampled || graph->part[part].totals > 0) {
		part = (cg_part)graph->parts;
		if (!cg_part_new(build))
			return build->base;
	}
	graph->part[part].sampled = true;
	graph->part[part].base = build->base;
	return part;
}

/*
 * Returns the part (group by --part-by) of the sample, added if it is new.
 * value: the sample's value of the label of --part-by, if labelled; a new part
 * records it. Returns the input's own part if the builder fails.
 */
static cg_part
find_part(struct cg_build *build, const struct cg_sample_key *key,
    struct cg_slice value, bool labelled)
{
	struct cg_slice text = key_text(build, key, value, labelled);
	cg_str id = cg_strs_add(&build->sample_keys, text);
	uint32_t *slot =
	    id != CG_STR_NONE ? cg_map_at(&build->sample_parts, id) : NULL;
	struct cg_part_entry *part;

	if (!slot) {
		cg_build_nomem(build);
		return build->base;
	}
	if (*slot != 0)
		return *slot - 1;
	*slot = new_sample_part(build) + 1;
	part = &build->graph->part[*slot - 1];
	if (labelled) {
		part->label.key = cg_add_name(build, build->by->label);
		part->label.value = cg_add_name(build, value);
	}
	return *slot - 1;
}

/*
 * Sets *to to the pid or tid that all samples of a part have. Once they
 * differ, sets *differs, and *to is 0 from then on. first: no sample has set
 * it yet.
 */
static void
agree(uint64_t *to, uint64_t number, bool first, bool *differs)
{
	if (first && *to == 0)
		*to = number;
	*differs |= *to != number;
	if (*differs)
		*to = 0;
}

/*
 * Sets pid, tid and command of a part (group of samples) from a sample. Values
 * on which samples differ become unknown, but a command that the input states
 * stays. A process is named after its main thread. A thread's own name is
 * preferred.
 */
static void
describe_part(struct cg_build *build, struct cg_part_entry *part,
    const struct cg_sample_key *key)
{
	enum cg_part_by_what what = part_by(build);
	bool of_thread = what == CG_BY_TID && key->thread.len > 0;
	cg_str comm =
	    cg_add_name(build, of_thread ? key->thread : name_of(key));
	bool first = !part->described && !part->nameless;

	if (!part->pid_stated || key->pid != 0)
		agree(&part->info.pid, key->pid, first, &part->pid_differs);
	if (!part->tid_stated || key->tid != 0)
		agree(&part->info.tid, key->tid, first, &part->tid_differs);
	part->described = true;
	part->unconfirmed = false;
	/* A command that the input states takes precedence. */
	if (part->cmd_stated)
		return;
	if (first && part->cmd == 0 && !part->cmd_differs)
		part->cmd = comm;
	if (what == CG_BY_PID || what == CG_BY_TID) {
		if (key->pid == key->tid && comm != 0)
			part->cmd = comm;
	} else {
		part->cmd_differs |= part->cmd != comm;
	}
	if (part->cmd_differs)
		part->cmd = 0;
	part->info.cmd = cg_strs_get(&build->graph->strs, part->cmd).ptr;
}

/*
 * True if the sample has the pid, tid, command and thread name of the last
 * sample.
 */
static bool
is_same_thread(const struct cg_build *build, const struct cg_sample_key *key)
{
	const struct cg_strs *strs = &build->graph->strs;
	const struct cg_last_sample *last = &build->last;

	return last->known && last->pid == key->pid && last->tid == key->tid &&
	       equal_text(cg_strs_get(strs, last->comm), key->comm) &&
	       equal_text(cg_strs_get(strs, last->thread), key->thread);
}

/*
 * True if the sample is of the last sample's thread and, if the CPU matters,
 * of its CPU. The labels made for that sample are then right for this one.
 */
static bool
is_known(const struct cg_build *build, const struct cg_sample_key *key)
{
	const struct cg_last_sample *last = &build->last;

	return is_same_thread(build, key) &&
	       (!((build->who & CG_WHO_CPU) || build->label_filters) ||
		   (last->cpu == key->cpu && last->has_cpu == key->has_cpu));
}

/*
 * True if is_known(), and the sample has the last one's value of the label of
 * --part-by. It then has the same part, without a look-up. labelled: the label
 * exists.
 */
static bool
is_like_last(const struct cg_build *build, const struct cg_sample_key *key,
    struct cg_slice value, bool labelled)
{
	const struct cg_last_sample *last = &build->last;

	return is_known(build, key) && last->labelled == labelled &&
	       equal_text(cg_strs_get(&build->graph->strs, last->label), value);
}

/*
 * True if there was a last sample, and it was of another thread. Threads with
 * a pid or tid may change their names, as exec() does. Others are
 * distinguished by name.
 */
static bool
is_other_thread(const struct cg_build *build, const struct cg_sample_key *key)
{
	const struct cg_last_sample *last = &build->last;

	if (!last->known)
		return false;
	if (key->pid != 0 || key->tid != 0)
		return last->pid != key->pid || last->tid != key->tid;
	return !is_same_thread(build, key);
}

/*
 * Makes the sample's part current, describes it from the sample, and remembers
 * the sample. value, labelled: see find_part(). Sets build->joined if samples
 * of several threads share part and labels, build->found if --part-by applies.
 */
static void
change_part(struct cg_build *build, const struct cg_sample_key *key,
    struct cg_slice value, bool labelled, cg_labels labels)
{
	cg_part part = build->base;

	build->found |= labelled || (key->pid && part_by(build) == CG_BY_PID) ||
			(key->tid && part_by(build) == CG_BY_TID) ||
			(name_of(key).len && part_by(build) == CG_BY_COMM);
	if (part_by(build) != CG_BY_NOTHING)
		part = find_part(build, key, value, labelled);
	(void)cg_build_end_run(build);
	if (build->part == part && build->labels == labels &&
	    is_other_thread(build, key))
		build->joined = true;
	build->part = part;
	describe_part(build, &build->graph->part[part], key);
	build->last = (struct cg_last_sample){ .known = true,
		.labelled = labelled,
		.pid = key->pid,
		.tid = key->tid,
		.comm = cg_add_name(build, key->comm),
		.thread = cg_add_name(build, key->thread),
		.label = cg_add_name(build, value),
		.cpu = key->cpu,
		.has_cpu = key->has_cpu };
}

static void
set_sample(struct cg_build *build, const struct cg_sample_key *key)
{
	const struct cg_label *label = find_label(build, key);
	struct cg_slice value = { "", 0 };
	cg_labels labels;

	if (label)
		value = label_text(build, label);
	labels = keep_labels(build, key, label);
	if (!is_like_last(build, key, value, label != NULL))
		change_part(build, key, value, label != NULL, labels);
	build->labels = build->last.labels = labels;
}

void
cg_set_sample_part(struct cg_build *build, const struct cg_sample_key *key)
{
	struct cg_label label[CG_WHO_KEYS];
	struct cg_sample_key who = *key;
	bool plain = key->labels == 0;

	if (build->status != CG_OK)
		return;
	if (plain && build->last.plain && is_known(build, key)) {
		build->labels = build->last.labels;
		return;
	}
	if (plain)
		who.label = label;
	if (plain && build->label_filters)
		who.labels = label_who(CG_WHO_ALL, key, label);
	cg_filter_labels(build, who.label, who.labels);
	if (plain)
		who.labels = label_who(build->who, key, label);
	set_sample(build, &who);
	build->last.plain = plain;
}

void
cg_set_labels(struct cg_build *build, cg_labels labels)
{
	size_t n = 0;

	if (labels != 0 && !cg_build_check(build, labels,
			       build->graph->label_sets + 1, "set of labels"))
		return;
	build->labels = labels;
	if (!build->label_filters)
		return;
	build->sets_labels = true;
	do {
		if (!cg_grow_raw(&build->kept, &build->kept_cap, n + 1,
			sizeof(*build->kept))) {
			cg_build_nomem(build);
			return;
		}
	} while (cg_get_label(build->graph, labels, n, &build->kept[n]) && ++n);
	cg_filter_labels(build, build->kept, n);
}

/* ---- The end ------------------------------------------------------------- */

/*
 * True if the description is a number for the whole input, such as a number of
 * samples, which would be wrong for a part with only some of the samples.
 */
static bool
is_count(const struct cg_graph *graph, const struct cg_desc *desc)
{
	return cg_desc_rule_of(graph, desc->key) != CG_DESC_LIST;
}

/*
 * Copies the descriptions of an input's own part to all parts that --part-by
 * made of its samples, except numbers for the whole input. Then adds to each
 * part its label of --part-by as a description.
 */
static void
share_descs(struct cg_build *build)
{
	const struct cg_graph *graph = build->graph;

	for (cg_part part = 0; part < graph->parts; part++) {
		cg_part base = graph->part[part].base;
		size_t descs = graph->part[base].descs;

		if (!graph->part[part].sampled || base == part)
			continue;
		for (size_t i = 0; i < descs; i++)
			if (!is_count(graph, &graph->part[base].desc[i]))
				cg_part_desc_add(
				    build, part, graph->part[base].desc[i]);
	}
	for (cg_part part = 0; part < graph->parts; part++) {
		if (graph->part[part].label.key != 0)
			cg_part_desc_add(build, part, graph->part[part].label);
	}
}

bool
cg_tell_joined(struct cg_diag *diag, bool strict, bool verbose)
{
	if (strict || verbose)
		cg_diag_say(diag, strict ? CG_ERROR : CG_NOTE, NULL,
		    "samples of different threads are merged ({part-by} "
		    "keeps them separate)");
	return strict;
}

int
cg_samples_end(struct cg_build *build, bool strict, bool verbose)
{
	for (cg_part part = 0; part < build->graph->parts; part++)
		cg_part_confirm(&build->graph->part[part]);
	if (part_by(build) != CG_BY_NOTHING)
		share_descs(build);
	/* Tracks keep the threads apart. */
	if (build->joined && build->graph->tracks == 0 &&
	    cg_tell_joined(build->graph->diag, strict, verbose))
		return CG_ELOSS;
	if (cg_label_filters_end(build, strict) != CG_OK)
		return CG_ELOSS;
	if (part_by(build) != CG_BY_NOTHING && !build->found)
		cg_diag_say(build->graph->diag, CG_WARNING, NULL,
		    "no sample has a value for {part-by} %s", build->by->text);
	return build->status;
}
