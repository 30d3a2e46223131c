/*
 * cpu.c - CPU profiles: records of words of any size and byte order. Source:
 * docs/cpuprofile-fileformat.html of gperftools 2.10.
 */
#include "gperftools.h"

#define DEPTH_MAX 0xffffff /* frames of a stack; gperftools writes 254 */

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

/*
 * True if the words after the header can be a record: count, depth of the
 * stack. Rejects files of vmprof, which have a marker and a name there. True
 * also if the head is too short.
 */
static bool
has_record(struct cg_slice head, struct words words)
{
	return head.len < (size_t)7 * words.size ||
	       (get_word(head, 5, words) <= UINT32_MAX &&
		   get_word(head, 6, words) <= DEPTH_MAX);
}

/*
 * Sets *words to the word size and byte order of the header, and *java (it is
 * Java's). Its words are 0, 3 (words that follow), 0 (1: Java), the sampling
 * period in us (at most 10^8), 0. A record must fit after it. False: another
 * format; *words and *java are undefined.
 */
static bool
find_words(struct cg_slice head, struct words *words, bool *java)
{
	static const struct words kinds[] = { { 8, false }, { 8, true },
		{ 4, false }, { 4, true } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		*words = kinds[i];
		if (head.len < (size_t)5 * words->size)
			continue;
		*java = get_word(head, 2, *words) == 1;
		if (get_word(head, 0, *words) == 0 &&
		    get_word(head, 1, *words) == 3 &&
		    get_word(head, 2, *words) <= 1 &&
		    get_word(head, 3, *words) - 1 < 100000000 &&
		    get_word(head, 4, *words) == 0)
			return has_record(head, *words);
	}
	return false;
}

bool
gperf_is_cpu(struct cg_slice head, bool *java)
{
	struct words words;

	return find_words(head, &words, java);
}

static bool
fail_truncated(struct gperf_reader *r)
{
	return cg_in_status(r->in) == CG_OK &&
	       cg_reject(r->job,
		   "expected the end mark 0 1 0: the file is truncated");
}

/*
 * Reads a record (count, depth, addresses), and adds its stack as a sample.
 * Sets *end to whether the record is the end mark, which is not added. False:
 * an error (reported).
 */
static bool
read_record(struct gperf_reader *r, struct words words, bool *end)
{
	struct cg_slice bytes;
	uint64_t count, depth;

	if (!cg_read_bytes(r->in, 2 * words.size, &bytes))
		return fail_truncated(r);
	count = get_word(bytes, 0, words);
	depth = get_word(bytes, 1, words);
	if (depth == 0 || depth > GPERF_DEPTH_MAX)
		return cg_reject(r->job, "expected a stack of 1 to %d frames",
		    GPERF_DEPTH_MAX);
	if (!cg_read_bytes(r->in, depth * words.size, &bytes))
		return fail_truncated(r);
	gperf_begin_sample(r);
	for (size_t i = 0; i < depth; i++)
		if (!gperf_add_address(r, get_word(bytes, i, words)))
			return false;
	*end = count == 0 && depth == 1 && r->addr[0] == 0;
	r->held = !*end;
	r->sample.samples = r->sample.cost[0] = count;
	if (__builtin_mul_overflow(count, r->period, &r->sample.cost[1]))
		return cg_reject(
		    r->job, "expected samples whose time fits in 64 bits");
	return gperf_end_sample(r);
}

bool
gperf_read_cpu(struct gperf_reader *r)
{
	static const struct cg_event event[] = { { .name = "samples" },
		{ .name = "cpu", .unit = "ns" } };
	struct cg_slice bytes, line;
	struct words words;
	bool end = false, good = true;

	(void)cg_look_bytes(r->in, 40, &bytes);
	(void)find_words(bytes, &words, &r->ids);
	(void)cg_read_bytes(r->in, (uint64_t)5 * words.size, &bytes);
	r->period = get_word(bytes, 3, words) * 1000;
	r->period_unit = "cpu nanoseconds";
	r->event[0] = event[0];
	r->event[1] = event[1];
	r->columns = 2;
	r->main_event = 1;
	r->exact_leaf = true;
	while (!end)
		if (!read_record(r, words, &end))
			return false;
	r->in_maps = true;
	while (good && cg_read_line(r->in, &line))
		good = r->ids ? gperf_take_java_function(r, cg_trim(line))
			      : gperf_add_mapping(r, line);
	return good && gperf_end_mappings(r) && gperf_add_graph(r);
}
