/*
 * header.c - writes the keys before the samples of a profile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "write.h"

#define GUESSED " (" CG_GUESSED_VALUE ")"

/*
 * Returns speedscope's name of a unit; "none" for units that it does not know.
 */
static const char *
find_unit(const char *unit)
{
	static const struct {
		const char *ours, *theirs;
	} units[] = {
		{ "ns", "nanoseconds" },
		{ "nanoseconds", "nanoseconds" },
		{ "us", "microseconds" },
		{ "microseconds", "microseconds" },
		{ "ms", "milliseconds" },
		{ "milliseconds", "milliseconds" },
		{ "s", "seconds" },
		{ "seconds", "seconds" },
		{ "B", "bytes" },
		{ "bytes", "bytes" },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(units[i].ours, unit) == 0)
			return units[i].theirs;
	}
	return "none";
}

static void
put_key(struct cg_out *out, const char *key, const char *value)
{
	if (*value == '\0')
		return;
	cg_putf(out, ",\"%s\":", key);
	cg_put_json(out, cg_slice(value));
}

static void
put_number(struct cg_out *out, const char *key, uint64_t value)
{
	if (value != 0)
		cg_putf(out, ",\"%s\":%" PRIu64, key, value);
}

/*
 * Writes a profile's name as a JSON string, "cycles of prog". With several
 * parts, or if head->named asks for it, adds thread, process or part: "cycles
 * of prog, thread 7". Marks guessed stacks. If memory runs out, writes nothing,
 * and the job fails.
 */
static void
put_profile_name(struct writer *w, const struct profile_head *head)
{
	const struct cg_graph *graph = w->graph;
	const char *event = cg_get_event(graph, head->event)->name;
	const struct cg_part_info *info = cg_get_part(graph, head->part);
	const struct cg_track *track = head->track;
	const char *cmd = track && *track->name ? track->name : info->cmd;
	uint64_t tid = track && track->tid ? track->tid : info->tid;
	uint64_t pid = track && track->pid ? track->pid : info->pid;
	char number[64] = "";
	size_t len =
	    strlen(event) + strlen(cmd) + sizeof(number) + sizeof(GUESSED) + 8;

	if (cg_part_count(graph) > 1 || (head->named && (tid || pid))) {
		uint64_t id = tid ? tid : pid;

		snprintf(number, sizeof(number),
		    id ? ", %s %" PRIu64 : ", part %.0s%" PRIu64,
		    tid ? "thread" : "process",
		    id ? id : (uint64_t)head->part + 1);
	}
	if (!cg_reserve(w->job, &w->name, len))
		return;
	snprintf(w->name.at, len, "%s%s%s%s%s", event, *cmd ? " of " : "", cmd,
	    number, cg_stacks_guessed(graph, head->part) ? GUESSED : "");
	cg_put_json(w->out, cg_slice(w->name.at));
}

static void
put_descs(const struct cg_graph *graph, struct cg_out *out, cg_part part)
{
	const char *key, *value;
	size_t i = 0;

	while (cg_part_desc(graph, part, i, &key, &value)) {
		cg_puts(out, i++ ? ",\n[" : ",\"desc\":[[");
		cg_put_json(out, cg_slice(key));
		cg_putc(out, ',');
		cg_put_json(out, cg_slice(value));
		cg_putc(out, ']');
	}
	if (i > 0)
		cg_putc(out, ']');
}

/*
 * Returns true if the process or thread has no costs of events before "event".
 * total[] has the sums of its costs by event.
 */
static bool
is_first(const uint64_t *total, size_t event)
{
	while (event > 0 && total[event - 1] == 0)
		event--;
	return event == 0;
}

static void
put_track(struct cg_out *out, const struct profile_head *head)
{
	const struct cg_track *track = head->track;

	cg_putf(out, ",\"track\":{\"pid\":%" PRIu64, track->pid);
	put_number(out, "tid", track->tid);
	put_key(out, "name", track->name);
	put_key(out, "process", track->process);
	if (head->again)
		cg_puts(out, ",\"again\":true");
	cg_puts(out, head->gaps ? ",\"gaps\":true}" : "}");
}

void
speedscope_put_head(struct writer *w, const struct profile_head *head)
{
	const struct cg_graph *graph = w->graph;
	struct cg_out *out = w->out;
	cg_part part = head->part;
	size_t event = head->event;
	const uint64_t *total = cg_part_totals(graph, part);
	const struct cg_event *info = cg_get_event(graph, event);
	const struct cg_part_info *part_info = cg_get_part(graph, part);
	bool spans = head->track && head->track->spans;

	cg_putf(
	    out, "{\"type\":\"%s\",\"name\":", spans ? "evented" : "sampled");
	put_profile_name(w, head);
	cg_putf(out,
	    ",\"unit\":\"%s\",\"startValue\":%" PRId64 ",\"endValue\":",
	    find_unit(info->unit), head->begin);
	/* A sum of costs may exceed INT64_MAX. */
	if (head->begin < 0)
		cg_putf(out, "%" PRId64, head->end);
	else
		cg_putu(out, (uint64_t)head->end);
	cg_putf(out, ",\n\"cgconv\":{\"part\":%" PRIu32, part);
	put_key(out, "event", info->name);
	put_key(out, "long", info->long_name);
	put_key(out, "unit", info->unit);
	put_number(out, "pid", part_info->pid);
	put_number(out, "tid", part_info->tid);
	put_number(out, "number", part_info->part);
	put_key(out, "cmd", part_info->cmd);
	if (head->counted)
		cg_puts(out, ",\"counted\":true");
	if (head->track)
		put_track(out, head);
	if (is_first(total, event))
		put_descs(graph, out, part);
	cg_puts(out, "},\n");
}
