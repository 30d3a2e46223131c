/*
 * gperftools.c - gperftools: the binary CPU profiles of gperftools, and the
 * text of its heap profiler, also with sampling (heap_v2).
 *
 * Sources: docs/cpuprofile-fileformat.html and src/heap-profile-table.cc of
 * gperftools 2.10; profile/legacy_profile.go of go1.19 for the estimates from
 * sampled heaps. Both kinds have addresses of a process and, at the end, its
 * /proc/self/maps: names come from the executables of --exe.
 *
 * All addresses but the first of a CPU profile's stack are return addresses:
 * the address before is within the call. Stacks are kept whole; pprof drops the
 * second frame if most samples share it.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "cgconv_parse.h"

#define DEPTH_MAX 4096 /* frames of a stack; the tools stop at 254 */
#define COLUMNS 4
#define VARIABLES 8    /* of paths; more are ignored */
#define PATH_SIZE 4096 /* of a path with variables */

/* A growing array of T, not cleared. */
struct list {
	void *at;
	size_t count, cap;
};
struct node {
	uint32_t parent, addr; /* node + 1, address + 1 */
};
struct sample {
	uint32_t leaf; /* node + 1 */
	uint64_t samples, cost[COLUMNS];
};

struct reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_space *space;
	bool in_part;
	size_t columns;
	struct {
		cg_name name, value;
	} variable[VARIABLES];
	size_t variables;
	struct list addrs, nodes, samples;
	struct cg_map addr_ids, children, by_leaf;
	uint64_t addr[DEPTH_MAX]; /* of the current stack, leaf first */
	size_t depth;
};

/* ---- Stacks ------------------------------------------------------------- */

static void *
append(struct reader *r, struct list *list, size_t width)
{
	if (list->count == UINT32_MAX ||
	    !cg_grow_raw(&list->at, &list->cap, list->count + 1, width)) {
		(void)cg_reject_nomem(r->job);
		return NULL;
	}
	return (char *)list->at + list->count++ * width;
}

/*
 * The number of a key, from 1; 0: out of memory. *is_new: it is count + 1, and
 * the caller must add the element.
 */
static uint32_t
number(struct reader *r, struct cg_map *ids, uint64_t key, size_t count,
    bool *is_new)
{
	uint32_t *id = cg_map_at(ids, key);

	if (!id) {
		(void)cg_reject_nomem(r->job);
		return 0;
	}
	*is_new = *id == 0;
	if (*is_new)
		*id = (uint32_t)count + 1;
	return *id;
}

/* The index of an address + 1; 0: out of memory. */
static uint32_t
find_addr(struct reader *r, uint64_t addr)
{
	bool is_new;
	uint32_t id = number(r, &r->addr_ids, addr, r->addrs.count, &is_new);
	uint64_t *new;

	if (id == 0 || !is_new)
		return id;
	new = append(r, &r->addrs, sizeof(*new));
	if (!new)
		return 0;
	*new = addr;
	return id;
}

/* Sets the index + 1 of the current stack's node; 0: it has no frames. */
static bool
find_leaf(struct reader *r, uint32_t *leaf)
{
	uint32_t at = 0, addr;
	struct node *node;
	bool is_new;

	for (size_t i = r->depth; i > 0; i--) {
		uint32_t parent = at;

		addr = find_addr(r, r->addr[i - 1]);
		if (addr == 0)
			return false;
		at = number(r, &r->children, (uint64_t)parent << 32 | addr,
		    r->nodes.count, &is_new);
		if (at == 0)
			return false;
		if (!is_new)
			continue;
		node = append(r, &r->nodes, sizeof(*node));
		if (!node)
			return false;
		*node = (struct node){ .parent = parent, .addr = addr };
	}
	*leaf = at;
	return true;
}

/* Adds the costs of the current stack; at: its position in the input. */
static bool
add_sample(
    struct reader *r, const char *at, uint64_t samples, const uint64_t *cost)
{
	uint32_t leaf, id;
	struct sample *sample;
	bool is_new, fits = true;

	if (!find_leaf(r, &leaf))
		return false;
	id = number(r, &r->by_leaf, leaf, r->samples.count, &is_new);
	if (id == 0)
		return false;
	if (is_new) {
		sample = append(r, &r->samples, sizeof(*sample));
		if (!sample)
			return false;
		*sample = (struct sample){ .leaf = leaf };
	}
	sample = (struct sample *)r->samples.at + id - 1;
	fits =
	    !__builtin_add_overflow(sample->samples, samples, &sample->samples);
	for (size_t i = 0; i < r->columns; i++)
		fits &= !__builtin_add_overflow(
		    sample->cost[i], cost[i], &sample->cost[i]);
	return fits || cg_reject_at(r->job, at,
			   "expected costs whose sum fits in 64 bits");
}

/* ---- Mappings ----------------------------------------------------------- */

static bool
get_hex(struct cg_slice word, uint64_t *value)
{
	char digits[CG_NUMBER_MAX] = "0x";

	if (word.len > 16)
		return false;
	memcpy(digits + 2, word.ptr, word.len);
	return cg_get_u64((struct cg_slice){ digits, word.len + 2 }, value);
}

static bool
take_hex(struct cg_slice *text, char end, uint64_t *value)
{
	struct cg_slice word;

	return cg_take_until(text, end, &word) && get_hex(word, value);
}

/* Takes " path (@offset) build-id"; all but the path may be missing. */
static bool
take_brief(struct cg_slice line, struct cg_mapping *mapping)
{
	struct cg_slice offset;

	(void)cg_take_blanks(&line);
	if (!cg_take_word(&line, &mapping->path))
		return false;
	(void)cg_take_blanks(&line);
	if (cg_take_prefix(&line, "(@") &&
	    (!cg_take_until(&line, ')', &offset) ||
		!get_hex(offset, &mapping->offset)))
		return false;
	(void)cg_take_blanks(&line);
	(void)cg_take_word(&line, &mapping->build_id);
	return true;
}

/*
 * "start-limit perms offset device inode  path", as in /proc/PID/maps, or
 * "start-limit: path", which pprof's legacy parser (profile/legacy_profile.go)
 * reads, too.
 */
static bool
take_mapping(struct cg_slice line, struct cg_mapping *mapping)
{
	struct cg_slice word;

	*mapping =
	    (struct cg_mapping){ .path = { "", 0 }, .build_id = { "", 0 } };
	if (!take_hex(&line, '-', &mapping->start))
		return false;
	if (cg_take_word(&line, &word) && word.len > 0 &&
	    word.ptr[word.len - 1] == ':') {
		word.len--;
		return get_hex(word, &mapping->limit) &&
		       take_brief(line, mapping);
	}
	(void)cg_take_blanks(&line);
	if (!get_hex(word, &mapping->limit) ||
	    !cg_take_until(&line, ' ', &word) ||
	    !take_hex(&line, ' ', &mapping->offset) ||
	    !cg_take_until(&line, ' ', &word) || !cg_take_word(&line, &word))
		return false;
	mapping->path = cg_trim(line);
	return word.len > 0 && memchr("0123456789", *word.ptr, 10);
}

/* ---- Variables ---------------------------------------------------------- */

static bool
take_identifier(struct cg_slice *text, struct cg_slice *name)
{
	*name = (struct cg_slice){ text->ptr, 0 };
	while (text->len > 0 &&
	       (isalnum((unsigned char)*text->ptr) || *text->ptr == '_')) {
		text->ptr++;
		text->len--;
		name->len++;
	}
	return name->len > 0;
}

/* "build=/path" before the mappings: "$build" in a path stands for it. */
static bool
set_variable(struct reader *r, struct cg_slice line)
{
	struct cg_slice name;

	if (!take_identifier(&line, &name) || !cg_take_char(&line, '='))
		return false;
	if (r->variables == VARIABLES)
		return true;
	r->variable[r->variables].name = cg_add_name(r->build, name);
	r->variable[r->variables++].value =
	    cg_add_name(r->build, cg_trim(line));
	return true;
}

/* The path with the first variable in it replaced; unknown ones stay. */
static struct cg_slice
expand(struct reader *r, struct cg_slice path)
{
	struct cg_slice before, name, value, rest = path;
	char text[PATH_SIZE];
	size_t i = 0;
	cg_name key;

	if (!cg_take_until(&rest, '$', &before) ||
	    !take_identifier(&rest, &name))
		return path;
	key = cg_add_name(r->build, name);
	while (i < r->variables && r->variable[i].name != key)
		i++;
	if (i == r->variables)
		return path;
	value = cg_get_name(r->build, r->variable[i].value);
	if (before.len + value.len + rest.len > sizeof(text))
		return path;
	memcpy(text, before.ptr, before.len);
	memcpy(text + before.len, value.ptr, value.len);
	memcpy(text + before.len + value.len, rest.ptr, rest.len);
	return cg_get_name(r->build,
	    cg_add_name(r->build,
		(struct cg_slice){ text, before.len + value.len + rest.len }));
}

static void
begin_part(struct reader *r, struct cg_slice path)
{
	struct cg_part_info info = { .cmd = "" };
	cg_name name;

	if (r->in_part)
		return;
	name = cg_add_name(r->build, path);
	if (path.len > 0)
		info.cmd = cg_get_name(r->build, name).ptr;
	(void)cg_add_part(r->build, &info);
	r->in_part = true;
}

/* Adds a mapping of code. The first with a path is the executable's. */
static bool
add_mapping(struct reader *r, struct cg_slice line)
{
	struct cg_mapping mapping;

	if (set_variable(r, line) || !take_mapping(line, &mapping))
		return true;
	mapping.path = expand(r, mapping.path);
	if (mapping.path.len > 0 && *mapping.path.ptr == '/')
		begin_part(r, mapping.path);
	return cg_space_add(r->space, &mapping) != 0;
}

static void
check_end(struct reader *r)
{
	if (cg_in_unterminated(r->in))
		cg_warn(r->job, "the last mapping is incomplete: the file may "
				"be truncated");
}

/* ---- The graph ---------------------------------------------------------- */

static bool
add_events(struct reader *r, const struct cg_event *event, unsigned *column)
{
	for (size_t i = 0; i < r->columns; i++)
		column[i] = cg_add_event(r->build, &event[i]);
	return cg_build_status(r->build) == CG_OK;
}

/* The columns need not be 0, 1, ...: other inputs may have other events. */
static void
add_stack(struct reader *r, const struct sample *sample, cg_node leaf,
    const unsigned *column)
{
	uint64_t row[CG_EVENT_MAX];
	size_t n = 0;

	for (size_t i = 0; i < r->columns; i++) {
		while (n <= column[i])
			row[n++] = 0;
		row[column[i]] = sample->cost[i];
	}
	cg_add_stack(r->build, leaf, sample->samples, row, n);
}

/* Puts a node's frames on its parent's. */
static cg_node
add_frames(struct reader *r, cg_node at, uint64_t addr)
{
	struct cg_stack frame[CG_FRAME_MAX];
	uint32_t mapping = cg_space_find(r->space, addr);
	size_t n = cg_space_frames(r->space, mapping, addr, frame);

	for (size_t i = n; i > 0; i--)
		at = cg_add_frame(r->build, at, frame[i - 1].fn,
		    &frame[i - 1].pos, frame[i - 1].inlined);
	return at;
}

/* As the reader of pprof describes it; of 0 and 1 nothing. */
static void
describe_period(struct reader *r, uint64_t period, const char *unit)
{
	char text[60];

	if (period <= 1)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " %s", period, unit);
	cg_add_desc(r->build, cg_slice("period"), cg_slice(text));
}

/*
 * Adds all stacks: addresses need the mappings at the end of the file. The
 * period of samples has a unit like "cpu nanoseconds".
 */
static bool
finish(struct reader *r, const struct cg_event *event, uint64_t period,
    const char *unit)
{
	const struct node *node = r->nodes.at;
	const uint64_t *addr = r->addrs.at;
	const struct sample *sample = r->samples.at;
	cg_node *id = calloc(r->nodes.count + 1, sizeof(*id));
	unsigned column[COLUMNS] = { 0 };

	begin_part(r, (struct cg_slice){ "", 0 });
	/* pprof shows time, and bytes in use. */
	cg_add_desc(
	    r->build, cg_slice(CG_MAIN_EVENT_KEY), cg_slice(event[1].name));
	describe_period(r, period, unit);
	if (!id)
		return cg_reject_nomem(r->job);
	if (add_events(r, event, column)) {
		for (size_t i = 0; node && i < r->nodes.count; i++)
			id[i + 1] = add_frames(
			    r, id[node[i].parent], addr[node[i].addr - 1]);
		for (size_t i = 0; sample && i < r->samples.count; i++)
			add_stack(r, &sample[i], id[sample[i].leaf], column);
	}
	free(id);
	return true;
}

/* ---- CPU profiles ------------------------------------------------------- */

struct words {
	unsigned size; /* bytes of a word */
	bool big;
};

static uint64_t
get_word(struct cg_slice bytes, size_t i, struct words words)
{
	const uint8_t *at = (const uint8_t *)bytes.ptr + i * words.size;
	uint64_t value = 0;

	for (unsigned b = 0; b < words.size; b++)
		value = value << 8 | at[words.big ? b : words.size - 1 - b];
	return value;
}

/* 0, 3 or more words that follow, 0, period in us, padding. */
static bool
find_words(struct cg_slice head, struct words *words)
{
	static const struct words kinds[] = { { 8, false }, { 8, true },
		{ 4, false }, { 4, true } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		*words = kinds[i];
		if (head.len >= (size_t)5 * words->size &&
		    get_word(head, 0, *words) == 0 &&
		    get_word(head, 1, *words) == 3 &&
		    get_word(head, 2, *words) == 0 &&
		    get_word(head, 3, *words) - 1 < 100000000 &&
		    get_word(head, 4, *words) == 0)
			return true;
	}
	return false;
}

static bool
fail_truncated(struct reader *r)
{
	return cg_in_status(r->in) == CG_OK &&
	       cg_reject(r->job,
		   "expected the end mark 0 1 0: the file is truncated");
}

/* Reads a record, or the end mark. */
static bool
read_record(struct reader *r, struct words words, uint64_t period, bool *end)
{
	struct cg_slice bytes;
	uint64_t count, depth, cost[2];

	if (!cg_read_bytes(r->in, 2 * words.size, &bytes))
		return fail_truncated(r);
	count = get_word(bytes, 0, words);
	depth = get_word(bytes, 1, words);
	if (depth == 0 || depth > DEPTH_MAX)
		return cg_reject(
		    r->job, "expected a stack of 1 to %d frames", DEPTH_MAX);
	if (!cg_read_bytes(r->in, depth * words.size, &bytes))
		return fail_truncated(r);
	r->depth = (size_t)depth;
	for (size_t i = 0; i < depth; i++)
		r->addr[i] = get_word(bytes, i, words) - (i > 0);
	*end = count == 0 && depth == 1 && r->addr[0] == 0;
	if (*end)
		return true;
	/* The leaf may be there twice, from the signal and the unwinder. */
	if (depth > 1 && r->addr[0] == r->addr[1] + 1) {
		memmove(&r->addr[1], &r->addr[2],
		    (r->depth - 2) * sizeof(*r->addr));
		r->depth--;
	}
	cost[0] = count;
	if (__builtin_mul_overflow(count, period, &cost[1]))
		return cg_reject(
		    r->job, "expected samples whose time fits in 64 bits");
	return add_sample(r, bytes.ptr, count, cost);
}

static bool
read_cpu(struct reader *r, struct words words)
{
	static const struct cg_event event[] = { { .name = "samples" },
		{ .name = "cpu", .unit = "ns" } };
	struct cg_slice bytes, line;
	uint64_t period;
	bool end = false;

	(void)cg_read_bytes(r->in, (uint64_t)5 * words.size, &bytes);
	period = get_word(bytes, 3, words) * 1000;
	r->columns = 2;
	while (!end)
		if (!read_record(r, words, period, &end))
			return false;
	while (cg_read_line(r->in, &line))
		if (!add_mapping(r, line))
			return false;
	check_end(r);
	return finish(r, event, period, "cpu nanoseconds");
}

/* ---- Heap profiles ------------------------------------------------------ */

struct heap {
	bool allocs;   /* costs of all allocations, not only live ones */
	uint64_t rate; /* bytes between samples; 0, 1: no sampling */
};

static bool
take_number(struct cg_slice *text, uint64_t *value, char end)
{
	(void)cg_take_blanks(text);
	if (!cg_take_u64(text, value))
		return false;
	(void)cg_take_blanks(text);
	return end == ' ' || cg_take_char(text, end);
}

/* "1: 300 [ 1: 300] @ rest": objects, bytes, of all allocations. */
static bool
take_counts(struct cg_slice *text, uint64_t count[4])
{
	bool ok = take_number(text, &count[0], ':') &&
		  take_number(text, &count[1], ' ');

	(void)cg_take_blanks(text);
	ok = ok && cg_take_char(text, '[') &&
	     take_number(text, &count[2], ':') &&
	     take_number(text, &count[3], ']');
	(void)cg_take_blanks(text);
	ok = ok && cg_take_char(text, '@');
	(void)cg_take_blanks(text);
	return ok;
}

static bool
take_header(struct cg_slice line, struct heap *heap)
{
	static const struct {
		const char *name;
		uint64_t divide; /* the number after it; 0: no sampling */
	} kinds[] = { { "heapz_v2", 1 }, { "heap_v2", 1 }, { "heapprofile", 0 },
		{ "heap", 2 }, { "growthz", 0 }, { "growth", 0 },
		{ "fragmentationz", 0 } };
	struct cg_slice word;
	uint64_t count[4], rate = 0;

	if (!cg_take_prefix(&line, "heap profile:") ||
	    !take_counts(&line, count) || !cg_take_until(&line, '/', &word))
		return false;
	(void)cg_take_u64(&line, &rate);
	word = cg_trim(word);
	*heap =
	    (struct heap){ .allocs = (count[2] != count[0] && count[2] != 0) ||
				     (count[3] != count[1] && count[3] != 0) };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!cg_equal(word, kinds[i].name))
			continue;
		heap->rate = kinds[i].divide ? rate / kinds[i].divide : 0;
		return true;
	}
	return false;
}

/* Estimates the counts of all objects: small ones are sampled seldom. */
static void
unsample(uint64_t rate, uint64_t *objects, uint64_t *bytes)
{
	double size, scale;

	if (*objects == 0 || *bytes == 0 || rate <= 1)
		return;
	size = (double)*bytes / (double)*objects;
	scale = 1 / (1 - exp(-size / (double)rate));
	if ((double)*bytes * scale < 9e18 && (double)*objects * scale < 9e18) {
		*objects = (uint64_t)((double)*objects * scale);
		*bytes = (uint64_t)((double)*bytes * scale);
	}
}

static bool
take_stack(struct reader *r, struct cg_slice text)
{
	const char *at = text.ptr;
	uint64_t addr;

	r->depth = 0;
	while (text.len > 0) {
		if (r->depth == DEPTH_MAX || !cg_take_u64(&text, &addr))
			return cg_reject_at(r->job, text.len ? text.ptr : at,
			    "expected an address of a stack");
		r->addr[r->depth++] = addr - 1;
		(void)cg_take_blanks(&text);
	}
	return true;
}

static bool
read_sample(struct reader *r, const struct heap *heap, struct cg_slice line)
{
	const char *at = line.ptr;
	uint64_t count[4];

	if (!take_counts(&line, count))
		return cg_reject_at(r->job, line.len ? line.ptr : at,
		    "expected 'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESS...'");
	if (!take_stack(r, line))
		return false;
	unsample(heap->rate, &count[0], &count[1]);
	unsample(heap->rate, &count[2], &count[3]);
	return add_sample(r, at, 1, count);
}

static bool
read_heap(struct reader *r, struct cg_slice line)
{
	static const struct cg_event event[] = { { .name = "inuse_objects" },
		{ .name = "inuse_space", .unit = "bytes" },
		{ .name = "alloc_objects" },
		{ .name = "alloc_space", .unit = "bytes" } };
	bool in_maps = false, good = true;
	struct heap heap;

	if (!take_header(line, &heap))
		return cg_reject_at(r->job, line.ptr,
		    "expected a header like 'heap profile: COUNTS @ "
		    "heapprofile'");
	r->columns = heap.allocs ? 4 : 2;
	while (good && cg_read_line(r->in, &line)) {
		line = cg_trim(line);
		if (cg_starts(line, "MAPPED_LIBRARIES:") ||
		    cg_starts(line, "--- Memory map:"))
			in_maps = true;
		else if (in_maps)
			good = add_mapping(r, line);
		else if (cg_starts(line, "#\t0x"))
			cg_warn(r->job, "names in comments are not read: "
					"name the executables with --exe");
		else if (line.len > 0 && *line.ptr != '#')
			good = read_sample(r, &heap, line);
	}
	if (!good)
		return false;
	if (!in_maps)
		cg_warn(r->job, "expected MAPPED_LIBRARIES: at the end: the "
				"file may be truncated");
	else
		check_end(r);
	return finish(r, event, heap.rate, "space bytes");
}

/* ---- The format --------------------------------------------------------- */

static int
probe(const struct cg_head *head)
{
	struct words words;
	struct heap heap;

	if (find_words(head->text, &words))
		return CG_PROBE_SURE;
	return take_header(head->first, &heap) ? CG_PROBE_SURE : CG_PROBE_NO;
}

static int
read_gperftools(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct words words;
	struct cg_slice head;
	bool good;

	if (!r)
		return cg_nomem(job);
	*r = (struct reader){ .job = job, .in = in, .build = build };
	r->space = cg_space_new(job, build);
	good = r->space != NULL;
	(void)cg_look_bytes(in, 40, &head);
	if (good && find_words(head, &words))
		good = read_cpu(r, words);
	else if (good && cg_read_line(in, &head))
		good = read_heap(r, head);
	cg_space_free(r->space);
	cg_map_free(&r->addr_ids);
	cg_map_free(&r->children);
	cg_map_free(&r->by_leaf);
	free(r->addrs.at);
	free(r->nodes.at);
	free(r->samples.at);
	free(r);
	return good ? cg_in_status(in) : CG_ELIMIT;
}

const struct cg_module cg_format_gperftools = {
	CG_MODULE,
	.name = "gperftools",
	.title = "CPU and heap profiles of gperftools (tcmalloc)",
	.suffixes = "heap",
	.probe = probe,
	.read = read_gperftools,
};
