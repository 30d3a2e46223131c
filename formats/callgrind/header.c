/*
 * header.c - header lines of callgrind files: "key: value".
 *
 * Source: "Callgrind Format Specification" (Valgrind manual, version 1, and
 * its older text in Valgrind 3.2.1). A file has one or more parts, each of a
 * header and a body, but header lines may stand anywhere. Producers use them
 * like this: after costs, the keys "part:", "pid:", "thread:", "events:" and
 * any key that begins a file begin a new part, which inherits event list,
 * positions, pid and command of the previous part.
 */
#include "read.h"

#include <string.h>

/* ---- Parts -------------------------------------------------------------- */

void
callgrind_end_part(struct callgrind_reader *r)
{
	/*
	 * With signal handlers or --cacheuse, Callgrind's summary: differs from
	 * its totals:, which are the sums.
	 */
	if (r->summaries > 0 && !r->has_totals && !r->is_xdebug)
		cg_state_total(r->build, r->at, r->summary, r->summaries, true);
	if (r->ends_with_totals && !r->has_end && r->status == CG_OK)
		cg_warn_at(r->job, r->at,
		    "expected 'totals:' at the end of the part: "
		    "the file may be truncated");
	r->summaries = 0;
	r->has_end = r->has_totals = false;
}

/*
 * Begins the header of a part (section of the file). Does nothing if a header
 * is open already. Otherwise ends the part before, all of whose lines have
 * been read, and resets what a header states: the thread, the number of the
 * part, and r->skip_root.
 */
static void
begin_header(struct callgrind_reader *r)
{
	if (r->in_header)
		return;
	callgrind_end_part(r);
	r->in_header = true;
	r->info.tid = r->info.part = 0;
	r->skip_root = false;
}

static void
add_descs(struct callgrind_reader *r)
{
	for (size_t i = 0; i < r->descs; i++)
		cg_add_desc(r->build, cg_get_name(r->build, r->desc[i].key),
		    cg_get_name(r->build, r->desc[i].value));
	r->descs = 0;
}

void
callgrind_begin_part(struct callgrind_reader *r)
{
	if (r->in_header) {
		r->info.cmd = cg_get_name(r->build, r->cmd).ptr;
		cg_add_part(r->build, &r->info);
	}
	r->in_header = false;
	add_descs(r);
}

/* ---- Keys --------------------------------------------------------------- */

static void
set_nothing(struct callgrind_reader *r, struct cg_slice value)
{
	(void)value;
	begin_header(r);
}

static void
set_version(struct callgrind_reader *r, struct cg_slice value)
{
	uint64_t version;

	begin_header(r);
	r->has_keys = true;
	if (!cg_take_u64(&value, &version) || version > 1)
		cg_warn_at(r->job, value.ptr,
		    "expected version 0 or 1; reading as version 1");
}

/*
 * Begins a header, and reads its line "creator:", which names the program that
 * wrote the file. Sets r->is_xdebug, r->is_ours (cgconv) and
 * r->ends_with_totals by this name. Only Callgrind and cgconv end each part
 * with totals. So a part of theirs without totals is truncated.
 */
static void
set_creator(struct callgrind_reader *r, struct cg_slice value)
{
	begin_header(r);
	r->has_keys = true;
	r->ends_with_totals =
	    cg_starts(value, "callgrind-") || cg_starts(value, "cgconv");
	r->is_xdebug = cg_starts(value, "xdebug");
	r->is_ours = cg_starts(value, "cgconv");
}

static void
set_cmd(struct callgrind_reader *r, struct cg_slice value)
{
	begin_header(r);
	r->cmd = cg_add_name(r->build, value);
	/*
	 * Cachegrind writes no other key before it, and a summary at the end.
	 */
	if (!r->has_keys)
		r->ends_with_totals = true;
}

static void
set_number(struct callgrind_reader *r, struct cg_slice value, uint64_t *number)
{
	begin_header(r);
	r->has_keys = true;
	if (!cg_take_u64(&value, number) || cg_trim(value).len > 0)
		cg_warn_at(r->job, value.ptr, "expected a number");
}

static void
set_pid(struct callgrind_reader *r, struct cg_slice value)
{
	set_number(r, value, &r->info.pid);
}

static void
set_part(struct callgrind_reader *r, struct cg_slice value)
{
	set_number(r, value, &r->info.part);
}

static void
set_thread(struct callgrind_reader *r, struct cg_slice value)
{
	set_number(r, value, &r->info.tid);
}

static void
add_desc(struct callgrind_reader *r, struct cg_slice key, struct cg_slice value)
{
	r->desc[r->descs].key = cg_add_name(r->build, key);
	r->desc[r->descs].value = cg_add_name(r->build, value);
	r->descs++;
	if (!r->in_header)
		add_descs(r);
	else if (r->descs == DESC_MAX)
		callgrind_begin_part(r);
}

static void
set_desc(struct callgrind_reader *r, struct cg_slice value)
{
	const char *colon = memchr(value.ptr, ':', value.len);
	struct cg_slice key = value;

	if (!colon) {
		add_desc(r, value, cg_slice(""));
		return;
	}
	key.len = (size_t)(colon - value.ptr);
	value.len -= key.len + 1;
	value.ptr = colon + 1;
	key = cg_trim(key);
	(void)cg_take_char(&value, ' '); /* more blanks are alignment */
	if (cg_equal(key, ROOT_KEY) && cg_equal(value, ROOT_VALUE))
		r->skip_root = true;
	else if (cg_equal(key, CMD_KEY) && r->in_header)
		r->cmd = cg_add_name(r->build, value);
	else
		add_desc(r, key, value);
}

static void
set_arch(struct callgrind_reader *r, struct cg_slice value)
{
	add_desc(r, cg_slice("arch"), value);
}

static void
set_timeframe(struct callgrind_reader *r, struct cg_slice value)
{
	add_desc(r, cg_slice("timeframe (BB)"), value);
}

/*
 * Reads the position columns from the value of "positions:" to r->instr, r->bb
 * and r->line. Cost lines always have them in this order. Warns of unknown
 * names, and that bb is dropped.
 */
static void
set_positions(struct callgrind_reader *r, struct cg_slice value)
{
	struct cg_slice word;

	r->instr = r->bb = r->line = false;
	while (cg_take_blanks(&value), cg_take_word(&value, &word)) {
		if (cg_equal(word, "instr"))
			r->instr = true;
		else if (cg_equal(word, "bb"))
			r->bb = true;
		else if (cg_equal(word, "line"))
			r->line = true;
		else
			cg_warn_at(r->job, word.ptr,
			    "expected 'instr', 'bb' or 'line'");
	}
	if (r->bb)
		cg_warn_at(
		    r->job, value.ptr, "dropped addresses of basic blocks");
}

static const char *
keep(struct callgrind_reader *r, struct cg_slice text)
{
	return cg_get_name(r->build, cg_add_name(r->build, text)).ptr;
}

/*
 * Reads "event:", which describes an event. The text is "Name", "Name : long
 * name", or "Name = formula : long name". Adds the description to the graph.
 * Warns if there is no name, and adds nothing.
 */
static void
set_event(struct callgrind_reader *r, struct cg_slice value)
{
	struct cg_slice name, formula = { 0 }, text, unit;
	struct cg_event event = { .incl = CG_INCL_STATED };
	const char *at;

	if (!cg_take_word(&value, &name)) {
		cg_warn_at(r->job, value.ptr, "expected an event's name");
		return;
	}
	/* "Sum=Ir+Dr" is one word. */
	at = memchr(name.ptr, '=', name.len);
	if (at) {
		value.len += (size_t)(name.ptr + name.len - at);
		value.ptr = at;
		name.len = (size_t)(at - name.ptr);
	}
	cg_take_blanks(&value);
	if (cg_take_char(&value, '='))
		(void)cg_take_until(&value, ':', &formula);
	else
		(void)cg_take_char(&value, ':');
	text = cg_trim(value);
	event.name = keep(r, name);
	event.unit = callgrind_take_unit(&text, r->is_ours, event.name, &unit)
			 ? keep(r, unit)
			 : "";
	event.formula = keep(r, cg_trim(formula));
	event.long_name = keep(r, text);
	if (cg_build_status(r->build) == CG_OK)
		cg_add_formula(r->build, &event);
}

static void
set_events(struct callgrind_reader *r, struct cg_slice value)
{
	struct cg_event event = { .incl = CG_INCL_STATED };
	struct cg_slice word, text, unit;

	begin_header(r);
	r->events = 0;
	r->straight = true;
	while (cg_take_blanks(&value), cg_take_word(&value, &word)) {
		if (r->events == CG_EVENT_MAX) {
			r->status = cg_fail_at(r->job, word.ptr,
			    "expected at most %d events", CG_EVENT_MAX);
			return;
		}
		event.name = keep(r, word);
		text = word;
		event.unit = callgrind_take_unit(&text, false, NULL, &unit)
				 ? keep(r, unit)
				 : "";
		if (cg_build_status(r->build) == CG_OK)
			r->column[r->events] = cg_add_event(r->build, &event);
		if (cg_build_status(r->build) != CG_OK) {
			r->status = cg_build_failed(r->build, word.ptr);
			return;
		}
		r->straight &= r->column[r->events] == r->events;
		for (size_t i = 0; i < r->events; i++) {
			if (r->column[i] == r->column[r->events])
				cg_warn_at(r->job, word.ptr,
				    "event %s is repeated; summing its costs",
				    event.name);
		}
		r->events++;
	}
	if (r->events == 0)
		r->status =
		    cg_fail_at(r->job, value.ptr, "expected names of events");
}

/*
 * Reads the sums of a line "totals:" or "summary:" to sum[]. Each sum belongs
 * to a column of the line "events:". Writers may omit sums of 0 at the end of
 * the line, so missing sums become 0. Returns the number of sums, with the
 * missing ones.
 */
static size_t
get_sums(struct callgrind_reader *r, struct cg_slice value, uint64_t *sum)
{
	size_t n = callgrind_costs(r, value.ptr, sum), all = 0;

	for (size_t i = 0; i < r->events; i++)
		all = r->column[i] < all ? all : r->column[i] + 1;
	for (; n < all; n++)
		sum[n] = 0;
	return n;
}

static void
set_summary(struct callgrind_reader *r, struct cg_slice value)
{
	/* After a body, summary: is the last line that Cachegrind writes. */
	r->has_end |= !r->in_header;
	if (r->events == 0)
		cg_warn_at(
		    r->job, value.ptr, "expected 'events:' before 'summary:'");
	else
		r->summaries = get_sums(r, value, r->summary);
}

static void
set_totals(struct callgrind_reader *r, struct cg_slice value)
{
	uint64_t totals[CG_EVENT_MAX];
	size_t n;

	if (r->events == 0) {
		cg_warn_at(
		    r->job, value.ptr, "expected 'events:' before 'totals:'");
		return;
	}
	callgrind_begin_part(r);
	n = get_sums(r, value, totals);
	cg_state_total(r->build, r->at, totals, n, false);
	r->has_end = r->has_totals = true;
}

static const struct key {
	const char *name;
	void (*set)(struct callgrind_reader *, struct cg_slice value);
} keys[] = {
	{ "version:", set_version }, { "creator:", set_creator },
	{ "pid:", set_pid }, { "cmd:", set_cmd }, { "part:", set_part },
	{ "thread:", set_thread }, { "desc:", set_desc },
	{ "positions:", set_positions }, { "event:", set_event },
	{ "events:", set_events }, { "summary:", set_summary },
	{ "totals:", set_totals }, { "arch:", set_arch }, /* KCachegrind's */
	{ "timeframe (BB):", set_timeframe },             /* of old producers */
	{ "==== NEW PROFILING FILE", set_nothing }, /* Xdebug's append mode */
};

bool
callgrind_header(struct callgrind_reader *r, struct cg_slice line)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!cg_take_prefix(&line, keys[i].name))
			continue;
		keys[i].set(r, cg_trim(line));
		return true;
	}
	return false;
}
