/*
 * put.c - what the writers of this directory put into messages: fields, texts,
 * and descriptions that have a field.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* ---- Fields ------------------------------------------------------------- */

char *
pprof_put_more(struct pprof_writer *w, struct pprof_table *buf, size_t n)
{
	if (!cg_grow_raw(&buf->at, &buf->cap, buf->count + n, 1)) {
		(void)cg_reject_nomem(w->job);
		return NULL;
	}
	return (char *)buf->at + buf->count;
}

void
pprof_put_slice(
    struct pprof_writer *w, struct pprof_table *buf, struct cg_slice bytes)
{
	char *at = bytes.len > 0 ? pprof_put_room(w, buf, bytes.len) : NULL;

	if (!at)
		return;
	memcpy(at, bytes.ptr, bytes.len);
	buf->count += bytes.len;
}

void
pprof_put_number(struct pprof_writer *w, struct pprof_table *buf,
    unsigned field, uint64_t value)
{
	if (value == 0)
		return;
	pprof_put_varint(w, buf, field << 3 | WIRE_VARINT);
	pprof_put_varint(w, buf, value);
}

void
pprof_put_bytes(struct pprof_writer *w, struct pprof_table *buf, unsigned field,
    const struct pprof_table *bytes)
{
	pprof_put_varint(w, buf, field << 3 | WIRE_BYTES);
	pprof_put_varint(w, buf, bytes->count);
	pprof_put_slice(w, buf, (struct cg_slice){ bytes->at, bytes->count });
}

/* ---- Texts -------------------------------------------------------------- */

void
pprof_add_string(struct pprof_writer *w, struct cg_slice text)
{
	struct cg_slice *at;

	if (text.len == 0)
		return;
	at = pprof_out_append(w, &w->strings, sizeof(*at));
	if (at)
		*at = text;
}

static int
compare_strings(const void *a, const void *b)
{
	return cg_compare(
	    *(const struct cg_slice *)a, *(const struct cg_slice *)b);
}

void
pprof_sort_strings(struct pprof_writer *w)
{
	struct cg_slice *list = w->strings.at;
	size_t kept = 0;

	if (w->strings.count == 0)
		return;
	qsort(list, w->strings.count, sizeof(*list), compare_strings);
	for (size_t i = 0; i < w->strings.count; i++) {
		if (kept == 0 || cg_compare(list[i], list[kept - 1]) != 0)
			list[kept++] = list[i];
	}
	w->strings.count = kept;
}

uint64_t
pprof_find_string(const struct pprof_writer *w, struct cg_slice text)
{
	const struct cg_slice *list = w->strings.at, *found;

	if (text.len == 0)
		return 0;
	found = bsearch(
	    &text, list, w->strings.count, sizeof(*list), compare_strings);
	return found ? (uint64_t)(found - list) + 1 : 0;
}

void
pprof_add_table_strings(struct pprof_writer *w)
{
	const struct pprof_out_frame *frame = w->frames.at;
	const struct pprof_out_function *function = w->functions.at;
	const struct pprof_out_mapping *mapping = w->mappings.at;

	for (size_t i = 0; i < cg_event_count(w->graph); i++) {
		const struct cg_event *event = cg_get_event(w->graph, i);

		pprof_add_string(w, cg_slice(event->name));
		pprof_add_string(w, cg_slice(pprof_unit_out(event->unit)));
	}
	for (size_t i = 0; i < w->mappings.count; i++)
		pprof_add_string(w, mapping[i].path);
	for (size_t i = 0; i < w->frames.count; i++) {
		if (i == 0 || frame[i].object != frame[i - 1].object)
			pprof_add_string(
			    w, cg_object_path(w->graph, frame[i].object));
	}
	for (size_t i = 0; i < w->functions.count; i++) {
		pprof_add_string(w, cg_fn_name(w->graph, function[i].fn));
		pprof_add_string(w, cg_fn_symbol(w->graph, function[i].fn));
		pprof_add_string(w, cg_file_path(w->graph, function[i].file));
	}
}

/* ---- Descriptions ------------------------------------------------------- */

/* Description i of all parts with that key; false past the last. */
static bool
next_desc(const struct pprof_writer *w, const char *key, cg_part *part,
    size_t *i, struct cg_slice *text)
{
	const char *found, *value;

	for (; *part < cg_part_count(w->graph); ++*part, *i = 0) {
		while (cg_part_desc(w->graph, *part, (*i)++, &found, &value)) {
			if (strcmp(found, key) != 0)
				continue;
			*text = cg_slice(value);
			return true;
		}
	}
	return false;
}

struct cg_slice
pprof_first_desc(const struct pprof_writer *w, const char *key)
{
	struct cg_slice text = { "", 0 };
	cg_part part = 0;
	size_t i = 0;

	(void)next_desc(w, key, &part, &i, &text);
	return text;
}

static bool
take_i64(struct cg_slice *text, int64_t *number)
{
	bool minus = cg_take_char(text, '-');
	uint64_t value;

	if (!cg_take_u64(text, &value) || value > INT64_MAX)
		return false;
	*number = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

/* Of merged profiles: begin of the first one, sum of the durations. */
struct pprof_times
pprof_get_times(const struct pprof_writer *w)
{
	int64_t number, begin = 0, duration = 0;
	struct cg_slice text;
	cg_part part = 0;
	size_t i = 0;

	while (next_desc(w, PPROF_KEY_TIME, &part, &i, &text)) {
		if (take_i64(&text, &number) && (begin == 0 || number < begin))
			begin = number;
	}
	part = 0;
	i = 0;
	while (next_desc(w, PPROF_KEY_DURATION, &part, &i, &text)) {
		if (take_i64(&text, &number) &&
		    __builtin_add_overflow(duration, number, &duration))
			duration = 0;
	}
	return (struct pprof_times){ (uint64_t)begin, (uint64_t)duration };
}

/*
 * Of merged profiles the longest period of the first one's type:
 * combineHeaders() in merge.go of pprof, which rejects other types.
 */
struct pprof_period
pprof_get_period(const struct pprof_writer *w)
{
	struct pprof_period next, period = { 0 };
	struct cg_slice text;
	cg_part part = 0;
	bool any = false;
	size_t i = 0;

	while (next_desc(w, PPROF_KEY_PERIOD, &part, &i, &text)) {
		next = (struct pprof_period){ 0 };
		if (!take_i64(&text, &next.number) || !cg_take_char(&text, ' '))
			continue;
		(void)cg_take_until(&text, ' ', &next.type);
		next.unit = text;
		if (!any || (next.number > period.number &&
				cg_compare(next.type, period.type) == 0 &&
				cg_compare(next.unit, period.unit) == 0))
			period = next;
		any = true;
	}
	return period;
}
