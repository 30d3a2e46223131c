/*
 * java.c - heap and contention of Java, by Google's agent:
 *
 *	--- heapz 1 ---
 *	format = java
 *	resolution = bytes
 *	          7048     1 @ 0x00000003 0x00000004
 *
 *	 0x00000003 com.example.f (F.java:7)
 *
 * A line has bytes or delays, then a count. Addresses are numbers of
 * functions, whose names are at the end of the file; frames have no addresses.
 * Source: legacy_java_profile.go.
 */
#include "gperftools.h"

#define HEAP_RATE 524288 /* bytes between two samples; not in the text */

static void
begin(struct gperf_reader *r, const char *count, const char *value)
{
	r->ids = true;
	r->needs_maps = false;
	r->event[0] = (struct cg_event){ .name = count };
	r->event[1] = (struct cg_event){ .name = value };
	r->columns = 2;
	r->main_event = 1;
}

bool
gperf_begin_java_heap(struct gperf_reader *r, struct cg_slice line)
{
	if (!cg_equal(line, "--- heapz 1 ---"))
		return false;
	begin(r, "inuse_objects", "inuse_space");
	return true;
}

void
gperf_begin_java_contention(struct gperf_reader *r)
{
	begin(r, "contentions", "delay");
}

/*
 * Reads an attribute of the header. "resolution = microseconds" sets the unit
 * of costs; an unknown resolution is the unit itself. "sampling period" sets
 * the period. "format" must be "java". Ignores others. False: rejected
 * (reported).
 */
static bool
take_attribute(
    struct gperf_reader *r, struct cg_slice key, struct cg_slice value)
{
	static const char *const units[][2] = { { "nanoseconds", "ns" },
		{ "microseconds", "us" }, { "milliseconds", "ms" },
		{ "seconds", "s" } };
	uint64_t number;

	if (cg_equal(key, "format") && !cg_equal(value, "java"))
		return cg_reject_at(r->job, value.ptr, "expected 'java'");
	if (cg_equal(key, "resolution")) {
		r->event[1].unit =
		    cg_get_name(r->build, cg_add_name(r->build, value)).ptr;
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (cg_equal(value, units[i][0]))
				r->event[1].unit = units[i][1];
	}
	if (!cg_equal(key, "sampling period"))
		return true;
	if (!cg_get_u64(value, &number))
		return cg_reject_at(r->job, value.ptr, "expected a number");
	r->period = r->rate = number;
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * If *text ends with text in parentheses after a blank, as in "a.c:1
 * (/lib/b.so)", cuts this end off. Removes blanks from both ends of the
 * remaining *text. *inner becomes the text within the parentheses. False:
 * *text has no such end, and nothing changes.
 */
static bool
cut_parentheses(struct cg_slice *text, struct cg_slice *inner)
{
	size_t at = text->len;

	if (at < 3 || text->ptr[at - 1] != ')')
		return false;
	while (at > 0 && text->ptr[at - 1] != '(')
		at--;
	if (at < 2 || text->ptr[at - 2] != ' ')
		return false;
	*inner = (struct cg_slice){ text->ptr + at, text->len - at - 1 };
	text->len = at - 1;
	*text = cg_trim(*text);
	return true;
}

bool
gperf_take_java_function(struct gperf_reader *r, struct cg_slice line)
{
	struct gperf_frame frame = { 0 };
	struct cg_slice word, file;
	uint64_t addr;

	if (!cg_take_prefix(&line, "0x") || !cg_take_word(&line, &word) ||
	    !gperf_get_hex(word, &addr))
		return true;
	line = cg_trim(line);
	if (cut_parentheses(&line, &file)) {
		if (!cg_cut_number(&file, ':', &frame.pos.line))
			file = cg_base_name(file);
		frame.pos.file = cg_add_file(r->build, file);
	} else if (cg_find(line, "generated stub/JIT")) {
		line = cg_slice("STUB");
	}
	if (line.len == 0)
		return true;
	frame.fn = cg_add_fn(r->build, line, frame.pos.file, 0);
	return gperf_name_address(r, addr, &frame);
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Reads a line of any kind: an address's function, an attribute or a sample.
 * Sets *held to whether the line was a sample. The sample becomes the current
 * one (r->sample), with two costs. False: rejected (reported).
 */
static bool
take_line(struct gperf_reader *r, struct cg_slice line, bool *held)
{
	struct cg_slice key, value = line;
	uint64_t *cost = r->sample.cost;

	*held = false;
	if (cg_starts(line, "0x"))
		return gperf_take_java_function(r, line);
	if (!r->in_samples && cg_take_until(&value, '=', &key) &&
	    key.len < line.len)
		return take_attribute(r, cg_trim(key), cg_trim(value));
	gperf_begin_sample(r);
	if (!gperf_take_number(&line, &cost[1], ' ') ||
	    !gperf_take_number(&line, &cost[0], '@'))
		return cg_reject(r->job, "expected 'COST COUNT @ ADDRESS...'");
	r->in_samples = *held = true;
	return gperf_take_stack(r, line);
}

bool
gperf_take_java_heap(struct gperf_reader *r, struct cg_slice line)
{
	uint64_t *cost = r->sample.cost, size;
	bool held;

	if (!gperf_end_sample(r) || !take_line(r, line, &held))
		return false;
	if (!held)
		return true;
	if (cost[0] == 0)
		return cg_reject(r->job, "expected a number of objects");
	size = cost[1] / cost[0];
	gperf_unsample(HEAP_RATE, &cost[0], &cost[1]);
	return gperf_set_size(r, size);
}

bool
gperf_take_java_contention(struct gperf_reader *r, struct cg_slice line)
{
	uint64_t *cost = r->sample.cost;
	bool held;

	if (!gperf_end_sample(r) || !take_line(r, line, &held))
		return false;
	if (!held || r->rate == 0)
		return true;
	if (__builtin_mul_overflow(cost[0], r->rate, &cost[0]) ||
	    __builtin_mul_overflow(cost[1], r->rate, &cost[1]))
		return cg_reject(r->job, "expected delays that fit in 64 bits");
	return true;
}
