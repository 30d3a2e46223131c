/*
 * order.c - the order of arcs.
 *
 * GNU gprof prints callers and callees of equal time and count in the order
 * of the file, so a gmon.out that says the same in another order prints
 * differently. A graph has no such order. But glibc writes the arcs of a
 * bucket with the latest call first, so most of it follows from addresses:
 * buckets go up, and call sites in a bucket down, sites that are not known
 * before them (mostly jumps at the end of a function that was called there).
 * Where a file differs from this rule, gmon.order says so:
 *
 *	0x9960:2.0.1 0xb1e0:1.0
 *
 * In bucket 0x9960, the file has what the rule puts third, first, second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gprof.h"

#define BUCKET_MAX 1000 /* arcs of a bucket that is described */
#define TEXT_MAX 65536  /* of the whole: beyond it, order is lost */
#define NUMBER_MAX 8    /* ".999" and more */

int
gprof_compare_calls(const void *va, const void *vb)
{
	const struct gmon_call *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->offset != b->offset) {
		if (a->offset == 0 || b->offset == 0)
			return a->offset == 0 ? -1 : 1;
		return a->offset > b->offset ? -1 : 1;
	}
	if (a->self != b->self)
		return a->self < b->self ? -1 : 1;
	return a->index == b->index ? 0 : a->index < b->index ? -1 : 1;
}

/* ---- From a file -------------------------------------------------------- */

/* Is the bucket as the rule says, or not to be described? */
static bool
is_regular(const struct gmon_order *order)
{
	bool regular = true;

	for (size_t i = 1; i < order->calls; i++) {
		regular &= order->call[i - 1].index < order->call[i].index;
		if (order->call[i - 1].self == order->call[i].self)
			return true;
	}
	return regular || order->calls > BUCKET_MAX;
}

/* Ends a bucket: writes down how it differs from the rule. */
static bool
end_bucket(struct gmon_order *order)
{
	size_t need = CG_NUMBER_MAX + NUMBER_MAX * (order->calls + 1);
	char place = ':';
	char *to;

	if (order->calls > 1)
		qsort(order->call, order->calls, sizeof(*order->call),
		    gprof_compare_calls);
	if (is_regular(order) || order->len + need > TEXT_MAX)
		return true;
	if (!cg_grow_raw(&order->text, &order->cap, order->len + need, 1))
		return false;
	to = order->text + order->len;
	if (order->len > 0)
		*to++ = ' ';
	to = cg_format_hex(to, order->call[0].from);
	/* index is the place in the file; wanted is the inverse. */
	for (uint32_t i = 0; i < order->calls; i++) {
		for (uint32_t j = 0; j < order->calls; j++) {
			if (order->call[j].index != i)
				continue;
			*to++ = place;
			to = cg_format_u64(to, j);
		}
		place = '.';
	}
	order->len = (size_t)(to - order->text);
	return true;
}

bool
gprof_order_add(struct gmon_order *order, const struct gmon_call *call)
{
	if (order->calls > 0 && order->call[0].from != call->from) {
		if (!end_bucket(order))
			return false;
		order->calls = 0;
	}
	if (!cg_grow_raw(&order->call, &order->call_cap, order->calls + 1,
		sizeof(*order->call)))
		return false;
	order->call[order->calls] = *call;
	order->call[order->calls].index = (uint32_t)order->calls;
	order->calls++;
	return true;
}

bool
gprof_order_end(struct gmon_order *order, struct cg_slice *text)
{
	bool ok = order->calls == 0 || end_bucket(order);

	*text = (struct cg_slice){ order->text, order->len };
	return ok;
}

void
gprof_order_free(struct gmon_order *order)
{
	free(order->call);
	free(order->text);
	*order = (struct gmon_order){ 0 };
}

/* ---- Back to a file ----------------------------------------------------- */

/*
 * Gives the n calls of a bucket, in the rule's order, the places that text
 * says. False, with places in any state, if it is no permutation of n.
 */
static bool
take_places(struct cg_slice text, struct gmon_call *call, size_t n)
{
	uint32_t place = 0;
	uint64_t which;

	for (size_t i = 0; i < n; i++)
		call[i].index = UINT32_MAX;
	do {
		if (!cg_take_u64(&text, &which) || which >= n ||
		    call[which].index != UINT32_MAX)
			return false;
		call[which].index = place++;
	} while (cg_take_char(&text, '.'));
	return place == n && text.len == 0;
}

static int
compare_places(const void *va, const void *vb)
{
	const struct gmon_call *a = va, *b = vb;

	return a->index == b->index ? 0 : a->index < b->index ? -1 : 1;
}

void
gprof_order_apply(const char *order, struct gmon_call *call, size_t n)
{
	struct cg_slice text = cg_slice(order), word;
	uint64_t from;
	size_t i = 0, end;

	while (cg_take_until(&text, ' ', &word)) {
		if (!cg_take_u64(&word, &from) || !cg_take_char(&word, ':'))
			return;
		while (i < n && call[i].from < from)
			i++;
		for (end = i; end < n && call[end].from == from;)
			end++;
		if (end > i && take_places(word, call + i, end - i))
			qsort(call + i, end - i, sizeof(*call), compare_places);
		i = end;
	}
}
