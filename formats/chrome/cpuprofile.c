/*
 * cpuprofile.c - cpuprofile: the CPU profiles of V8, of node --cpu-prof and of
 * Chrome's developer tools.
 *
 * Source: js_protocol.pdl of V8 (Profiler.Profile). Samples are ids of nodes;
 * sample i was taken timeDeltas[i] microseconds after the previous one, the
 * first sample after startTime. samples.c computes how long samples last.
 *
 * Stacks, the number of samples per function and line (positionTicks) and the
 * time per function survive; a function's time is divided among its lines by
 * their samples. Frames stand at the line where their function begins: V8 does
 * not record call sites.
 */
#include "chrome.h"

/* A list of numbers, stored as differences. */
struct packed {
	struct cg_numbers numbers;
	size_t at;
	int64_t last; /* last number packed or unpacked */
};

/*
 * Samples and times are in two arrays. The array that comes first is packed
 * until the other one is read.
 */
struct reader {
	struct chrome_profile profile; /* first: has doc->arg's tree */
	struct packed samples, deltas;
	bool has_samples, has_deltas;
};

/* ---- Samples and times -------------------------------------------------- */

static bool
pack(struct cg_doc *doc, struct packed *to, int64_t number)
{
	uint64_t step = (uint64_t)number - (uint64_t)to->last;

	to->last = number;
	return cg_numbers_in_signed(doc->job, &to->numbers, (int64_t)step);
}

/*
 * Sets *number to the next number of an array that is stored as differences,
 * and advances from->at. The caller sets from->at to 0 before the first
 * number. False: there are no more numbers, and *number is unchanged.
 */
static bool
unpack(struct packed *from, int64_t *number)
{
	int64_t step;

	if (from->at == 0)
		from->last = 0;
	if (!cg_numbers_get_signed(&from->numbers, &from->at, &step))
		return false;
	from->last = (int64_t)((uint64_t)from->last + (uint64_t)step);
	*number = from->last;
	return true;
}

static bool
take_sample(struct cg_doc *doc, struct reader *r, int64_t id)
{
	int64_t delta;

	if (!r->has_deltas)
		return pack(doc, &r->samples, id);
	if (unpack(&r->deltas, &delta))
		return chrome_add_sample(doc, &r->profile, id, delta);
	return cg_doc_fail(doc, "as many samples as times");
}

static bool
take_samples(struct cg_doc *doc, void *into)
{
	struct reader *r = into;
	int64_t id;

	if (r->has_samples || !cg_doc_array(doc))
		return cg_doc_fail(doc, "samples only once");
	r->has_samples = true;
	while (cg_doc_item(doc))
		if (!cg_doc_number(doc, 0, &id) || !take_sample(doc, r, id))
			return false;
	return doc->status == CG_OK;
}

static bool
take_time(struct cg_doc *doc, struct reader *r, int64_t delta)
{
	int64_t id;

	if (!r->has_samples)
		return pack(doc, &r->deltas, delta);
	if (unpack(&r->samples, &id))
		return chrome_add_sample(doc, &r->profile, id, delta);
	if (!r->profile.ended)
		return chrome_end_samples(doc, &r->profile, delta);
	return cg_doc_fail(doc, "as many times as samples");
}

static int64_t
begin_times(struct reader *r, int64_t time)
{
	r->profile.base = time;
	return 0;
}

/*
 * Reads the array of times of samples, and adds them to the profile. They are
 * differences or, if "absolute", the samples' own times (Chrome before 58).
 * False: an error (reported).
 */
static bool
take_times(struct cg_doc *doc, struct reader *r, bool absolute)
{
	int64_t time, last = 0;

	if (r->has_deltas || !cg_doc_array(doc))
		return cg_doc_fail(doc, "times only once");
	r->has_deltas = true;
	for (bool first = true; cg_doc_item(doc); first = false) {
		if (!cg_doc_number(doc, 3, &time) ||
		    !take_time(doc, r,
			!absolute ? time
			: first   ? begin_times(r, time)
				  : (int64_t)((uint64_t)time - (uint64_t)last)))
			return false;
		last = time;
	}
	if (absolute)
		r->profile.start = r->profile.end = 0;
	return doc->status == CG_OK;
}

static bool
take_deltas(struct cg_doc *doc, void *into)
{
	return take_times(doc, into, false);
}

static bool
take_timestamps(struct cg_doc *doc, void *into)
{
	return take_times(doc, into, true);
}

/* ---- The document ------------------------------------------------------- */

static const struct cg_field fields[] = {
	{ .name = "nodes", .type = CG_FIELD_EACH, .take = chrome_take_node },
	{ .name = "head", .type = CG_FIELD_CALL, .take = chrome_take_node },
	{ .name = "samples", .type = CG_FIELD_CALL, .take = take_samples },
	{ .name = "timeDeltas", .type = CG_FIELD_CALL, .take = take_deltas },
	{ .name = "timestamps",
	    .type = CG_FIELD_CALL,
	    .take = take_timestamps },
	{ .name = "startTime",
	    .type = CG_FIELD_INT,
	    .offset = offsetof(struct reader, profile.start),
	    .digits = 3 },
	{ .name = "endTime",
	    .type = CG_FIELD_INT,
	    .offset = offsetof(struct reader, profile.end),
	    .digits = 3 },
	{ 0 },
};

static int
read_cpuprofile(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { 0 };
	struct cg_doc doc;
	int64_t number;

	cg_doc_open(&doc, job, in, build, &r);
	if (cg_doc_fields(&doc, fields, &r)) {
		if (r.has_samples && unpack(&r.deltas, &number))
			(void)chrome_end_samples(&doc, &r.profile, number);
		if (unpack(&r.samples, &number) || unpack(&r.deltas, &number))
			cg_warn(job, "there are not as many samples as times");
		r.profile.timed = r.has_samples && r.has_deltas;
		chrome_add_profile(&doc, &r.profile);
	}
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "nodes.callFrame", "nodes.hitCount",
		"timeDeltas", "head.hitCount", NULL };
	unsigned found = cg_head_keys(head, keys);

	if ((found & 1 && found & 6) || found & 8)
		return CG_PROBE_SURE;
	return found & 1 ? CG_PROBE_LIKELY : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	{ 0 },
};

const struct cg_module cg_format_cpuprofile = {
	CG_MODULE,
	.name = "cpuprofile",
	.title = "CPU profiles of V8, by node or Chrome",
	.text = true,
	.suffixes = "cpuprofile",
	.carries = CG_SELF | CG_LINES | CG_STACKS | CG_FILES | CG_DEFINITIONS |
		   CG_TIMELINE,
	.needs = CG_STACKS,
	.probe = probe,
	.read = read_cpuprofile,
	.write = chrome_write_profile,
	.options = options,
};
