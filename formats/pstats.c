/*
 * pstats.c - profiles of Python: what cProfile and profile write, and pstats
 * reads and dumps.
 *
 * Source: Python's Lib/cProfile.py, Lib/profile.py, Lib/pstats.py and, for the
 * bytes, Python/marshal.c of 2.7 and 3.0 to 3.14. A file is one marshalled
 * dictionary {(file, line, name): (primitive calls, calls, self seconds,
 * cumulative seconds, callers)}; callers are {(file, line, name): (calls,
 * primitive calls, self, cumulative)} of cProfile - the first two change places
 * - or {...: calls} of profile.
 *
 * Functions, calls, self and cumulative times survive, in whole nanoseconds.
 * The number of primitive calls and the self time per caller are lost. What
 * profile does not know, the cost of calls, is shared out by their counts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_format.h"

#define BUILT_IN "(built-in)" /* the object of what is written in C */
/* A little below 2^64 nanoseconds, some 584 years. */
#define SECONDS_MAX 1.8e10
#define FLAG_REF 0x80 /* the object may be referred to later */

/* ---- Marshal ------------------------------------------------------------ */

enum kind {
	PENDING, /* a reference to what has not ended, or that we do not keep */
	END,     /* of a dictionary */
	NUMBER,
	SECONDS,
	TEXT,
	TUPLE,
	DICT,
	FUNCTION,
	CALL
};

/* A function and where it is defined. */
struct place {
	cg_fn fn;
	struct cg_pos pos;
};

struct call {
	struct place caller;
	uint64_t count;
	uint64_t cost;
	bool has_cost;
};

/* A value, or the beginning of one that holds others. */
struct value {
	enum kind kind;
	size_t ref; /* its number among the references + 1, or 0 */
	union {
		int64_t number;
		double seconds;
		cg_name text;
		uint64_t length; /* of a tuple */
		struct place place;
		struct call call;
	};
};

struct reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct value *refs; /* objects with FLAG_REF, as they begin */
	size_t ref_count, ref_cap;
	cg_name *interned; /* Python 2: strings with type 't' */
	size_t interned_count, interned_cap;
	struct call *calls; /* of one function */
	size_t call_count, call_cap;
	struct cg_columns columns;
	bool shared; /* costs of calls were shared out */
	int status;
};

static bool
fail(struct reader *r, const char *expected)
{
	if (r->status == CG_OK)
		r->status = cg_in_status(r->in);
	if (r->status == CG_OK)
		r->status = cg_build_failed(r->build, NULL);
	if (r->status == CG_OK)
		r->status = cg_fail(r->job, "expected %s", expected);
	return false;
}

static bool
nomem(struct reader *r)
{
	r->status = cg_nomem(r->job);
	return false;
}

/* The next n bytes as a number, least first. */
static bool
take_bytes(struct reader *r, unsigned n, uint64_t *number)
{
	struct cg_slice bytes;

	*number = 0;
	if (!cg_read_bytes(r->in, n, &bytes))
		return fail(r, "more bytes: the file is cut short");
	while (n-- > 0)
		*number = *number << 8 | (unsigned char)bytes.ptr[n];
	return true;
}

static bool
take_int(struct reader *r, unsigned n, struct value *value)
{
	uint64_t number;

	if (!take_bytes(r, n, &number))
		return false;
	value->kind = NUMBER;
	value->number = n == 4 ? (int32_t)(uint32_t)number : (int64_t)number;
	return true;
}

/* A long integer: digits of 15 bits, their number negative if it is. */
static bool
take_long(struct reader *r, struct value *value)
{
	uint64_t count, digit, number = 0;
	bool negative;

	if (!take_bytes(r, 4, &count))
		return false;
	negative = count >> 31;
	if (negative)
		count = (1 + ~count) & UINT32_MAX;
	if (count > 4)
		return fail(r, "a number below 2^60");
	for (unsigned i = 0; i < count; i++) {
		if (!take_bytes(r, 2, &digit))
			return false;
		number |= (digit & 0x7fff) << 15 * i;
	}
	value->kind = NUMBER;
	value->number = negative ? -(int64_t)number : (int64_t)number;
	return true;
}

static bool
take_float(struct reader *r, struct value *value)
{
	uint64_t bits;

	if (!take_bytes(r, 8, &bits))
		return false;
	value->kind = SECONDS;
	memcpy(&value->seconds, &bits, sizeof(bits));
	return true;
}

/* Of Python before 2.5: as text. */
static bool
take_float_text(struct reader *r, struct value *value)
{
	char text[256], *end;
	struct cg_slice bytes;
	uint64_t len;

	if (!take_bytes(r, 1, &len))
		return false;
	if (!cg_read_bytes(r->in, len, &bytes))
		return fail(r, "more bytes: the file is cut short");
	memcpy(text, bytes.ptr, bytes.len);
	text[bytes.len] = '\0';
	value->kind = SECONDS;
	value->seconds = strtod(text, &end);
	return (len > 0 && *end == '\0') || fail(r, "a number of seconds");
}

/* wide: its length has four bytes, not one. */
static bool
take_text(struct reader *r, bool wide, bool interned, struct value *value)
{
	struct cg_slice bytes;
	uint64_t len;

	if (!take_bytes(r, wide ? 4 : 1, &len))
		return false;
	if (!cg_read_bytes(r->in, len, &bytes))
		return fail(r, "more bytes: the file is cut short");
	value->kind = TEXT;
	value->text = cg_add_name(r->build, bytes);
	if (!interned)
		return true;
	if (!cg_grow_raw(&r->interned, &r->interned_cap, r->interned_count + 1,
		sizeof(*r->interned)))
		return nomem(r);
	r->interned[r->interned_count++] = value->text;
	return true;
}

static bool
take_interned(struct reader *r, struct value *value)
{
	uint64_t i;

	if (!take_bytes(r, 4, &i))
		return false;
	if (i >= r->interned_count)
		return fail(r, "a reference to a string further up");
	value->kind = TEXT;
	value->text = r->interned[i];
	return true;
}

static bool
take_ref(struct reader *r, struct value *value)
{
	uint64_t i;

	if (!take_bytes(r, 4, &i))
		return false;
	if (i >= r->ref_count || r->refs[i].kind == PENDING)
		return fail(r, "a reference to a function or value further up");
	*value = r->refs[i];
	value->ref = 0;
	return true;
}

static bool
take_value(struct reader *r, int type, struct value *value)
{
	switch (type) {
	case '0': value->kind = END; return true;
	case '{': value->kind = DICT; return true;
	case '(':
	case ')':
		value->kind = TUPLE;
		return take_bytes(r, type == '(' ? 4 : 1, &value->length);
	case 'i': return take_int(r, 4, value);
	case 'I': return take_int(r, 8, value);
	case 'l': return take_long(r, value);
	case 'g': return take_float(r, value);
	case 'f': return take_float_text(r, value);
	case 's':
	case 'u':
	case 'a':
	case 'A': return take_text(r, true, false, value);
	case 't': return take_text(r, true, true, value);
	case 'z':
	case 'Z': return take_text(r, false, false, value);
	case 'R': return take_interned(r, value);
	case 'r': return take_ref(r, value);
	case 'c': /* what python3 -m profile gives instead of a name */
		return fail(r, "a name, not the code of a program: python3 -m "
			       "cProfile, or profile.run(), write that");
	}
	return fail(r, "a number, a string, a tuple or a dictionary");
}

/* A reference's number is that of its object's beginning. */
static bool
next(struct reader *r, struct value *value)
{
	uint64_t type;

	*value = (struct value){ .kind = PENDING };
	if (!take_bytes(r, 1, &type))
		return false;
	if (type & FLAG_REF) {
		if (!cg_grow_raw(&r->refs, &r->ref_cap, r->ref_count + 1,
			sizeof(*r->refs)))
			return nomem(r);
		r->refs[r->ref_count] = *value;
		value->ref = ++r->ref_count;
	}
	if (!take_value(r, (int)(type & ~(uint64_t)FLAG_REF), value))
		return false;
	/* What others are in is known when they are. */
	if (value->ref && value->kind != TUPLE && value->kind != DICT)
		r->refs[value->ref - 1] = *value;
	return true;
}

/* ---- What the values are ------------------------------------------------ */

static bool
next_text(struct reader *r, struct cg_slice *text, const char *expected)
{
	struct value value;

	if (!next(r, &value))
		return false;
	if (value.kind != TEXT)
		return fail(r, expected);
	*text = cg_get_name(r->build, value.text);
	return true;
}

static bool
get_count(struct reader *r, const struct value *value, uint64_t *count)
{
	*count = 0;
	if (value->kind != NUMBER || value->number < 0)
		return fail(r, "a number of calls");
	*count = (uint64_t)value->number;
	return true;
}

static bool
next_count(struct reader *r, uint64_t *count)
{
	struct value value;

	*count = 0;
	return next(r, &value) && get_count(r, &value, count);
}

/* Below zero is what profile makes of too much bias. */
static bool
next_time(struct reader *r, uint64_t *ns)
{
	struct value value;

	if (!next(r, &value))
		return false;
	if (value.kind == NUMBER) {
		value.kind = SECONDS;
		value.seconds = (double)value.number;
	}
	if (value.kind != SECONDS || !(fabs(value.seconds) <= SECONDS_MAX))
		return fail(r, "a number of seconds");
	*ns = 0;
	if (value.seconds < 0)
		cg_warn(r->job, "%g seconds are taken for 0", value.seconds);
	else
		*ns = (uint64_t)(value.seconds * 1e9 + 0.5);
	return true;
}

static bool
next_line(struct reader *r, uint32_t *line)
{
	struct value value;

	if (!next(r, &value))
		return false;
	if (value.kind != NUMBER || value.number > UINT32_MAX)
		return fail(r, "a line number");
	*line = value.number > 0 ? (uint32_t)value.number : 0;
	return true;
}

/* A function: (file, line, name), or a reference to one. */
static bool
get_function(struct reader *r, struct value *value, struct place *place)
{
	struct cg_slice file = { 0 }, name = { 0 };
	cg_object object = 0;

	*place = value->place;
	if (value->kind == FUNCTION)
		return true;
	if (value->kind != TUPLE || value->length != 3)
		return fail(r, "a function: (file, line, name)");
	*place = (struct place){ 0 };
	if (!next_text(r, &file, "the file of a function") ||
	    !next_line(r, &place->pos.line) ||
	    !next_text(r, &name, "the name of a function"))
		return false;
	if (cg_equal(file, "~"))
		object = cg_add_object(r->build, cg_slice(BUILT_IN));
	else
		place->pos.file = cg_add_file(r->build, file);
	place->fn = cg_add_fn_at(
	    r->build, name, place->pos.file, object, place->pos.line, 0);
	if (value->ref)
		r->refs[value->ref - 1] =
		    (struct value){ .kind = FUNCTION, .place = *place };
	return true;
}

/* A caller's value: (calls, primitive, self, cumulative), or calls. */
static bool
get_call(struct reader *r, struct value *value, struct call *call)
{
	uint64_t dropped;

	*call = (struct call){ 0 };
	if (value->kind == NUMBER)
		return get_count(r, value, &call->count);
	if (value->kind == CALL) {
		*call = value->call;
		return true;
	}
	if (value->kind != TUPLE || value->length != 4)
		return fail(r, "the calls of a caller: 4 numbers");
	call->has_cost = true;
	if (!next_count(r, &call->count) || !next_count(r, &dropped) ||
	    !next_time(r, &dropped) || !next_time(r, &call->cost))
		return false;
	if (value->ref)
		r->refs[value->ref - 1] =
		    (struct value){ .kind = CALL, .call = *call };
	return true;
}

static bool
read_callers(struct reader *r)
{
	struct value value;
	struct place caller;

	r->call_count = 0;
	if (!next(r, &value))
		return false;
	if (value.kind != DICT)
		return fail(r, "a dictionary of callers");
	for (;;) {
		if (!next(r, &value))
			return false;
		if (value.kind == END)
			return true;
		if (!get_function(r, &value, &caller) || !next(r, &value))
			return false;
		if (!cg_grow_raw(&r->calls, &r->call_cap, r->call_count + 1,
			sizeof(*r->calls)))
			return nomem(r);
		if (!get_call(r, &value, &r->calls[r->call_count]))
			return false;
		r->calls[r->call_count++].caller = caller;
	}
}

/* ---- Into the graph ----------------------------------------------------- */

/*
 * profile counts calls and no more: what a function took is shared out among
 * those that called it, but for itself.
 */
static void
share_cost(struct reader *r, cg_fn callee, uint64_t cost)
{
	uint64_t counts = 0, seen = 0, given = 0, upto;

	for (size_t i = 0; i < r->call_count; i++) {
		if (r->calls[i].has_cost)
			return;
		if (r->calls[i].caller.fn != callee)
			counts += r->calls[i].count;
	}
	for (size_t i = 0; i < r->call_count; i++) {
		struct call *call = &r->calls[i];

		if (call->caller.fn == callee || call->count == 0)
			continue;
		seen += call->count;
		upto = seen == counts ? cost
				      : (uint64_t)((double)cost * (double)seen /
						   (double)counts);
		call->cost = upto - given;
		given = upto;
		r->shared = true;
	}
}

/* Calls that no caller made come from outside, with what is left of the cost. */
static void
add_calls(
    struct reader *r, const struct place *callee, uint64_t count, uint64_t cost)
{
	const struct cg_pos nowhere = { 0 };

	for (size_t i = 0; i < r->call_count; i++) {
		const struct call *call = &r->calls[i];

		cg_add_call(r->build, call->caller.fn, &call->caller.pos,
		    callee->fn, &callee->pos, call->count,
		    cg_columns_of(&r->columns, &call->cost), r->columns.width);
		count -= call->count < count ? call->count : count;
		if (call->caller.fn != callee->fn)
			cost -= call->cost < cost ? call->cost : cost;
	}
	if (count > 0)
		cg_add_call(r->build, 0, &nowhere, callee->fn, &callee->pos,
		    count, cg_columns_of(&r->columns, &cost), r->columns.width);
}

/* One entry of the dictionary; *end: there was none any more. */
static bool
read_function(struct reader *r, bool *end)
{
	uint64_t primitive, count, self, inclusive;
	struct place place;
	struct value value;

	if (!next(r, &value))
		return false;
	*end = value.kind == END;
	if (*end)
		return true;
	if (!get_function(r, &value, &place) || !next(r, &value))
		return false;
	if (value.kind != TUPLE || value.length != 5)
		return fail(r, "the costs of a function: 5 values");
	if (!next_count(r, &primitive) || !next_count(r, &count) ||
	    !next_time(r, &self) || !next_time(r, &inclusive) ||
	    !read_callers(r))
		return false;
	if (self > 0) /* a row of 0 would say that it never ran */
		cg_add_cost(r->build, place.fn, &place.pos,
		    cg_columns_of(&r->columns, &self), r->columns.width);
	cg_add_inclusive(r->build, place.fn,
	    cg_columns_of(&r->columns, &inclusive), r->columns.width);
	share_cost(r, place.fn, inclusive);
	add_calls(r, &place, count, inclusive);
	return cg_build_status(r->build) == CG_OK || fail(r, "");
}

static void
read_file(struct reader *r)
{
	static const struct cg_event time = {
		.name = "ns", .long_name = "Time", .unit = "ns"
	};
	struct cg_slice more;
	struct value value;
	bool end = false;

	(void)cg_add_column(&r->columns, r->build, &time);
	if (!next(r, &value))
		return;
	if (value.kind != DICT) {
		fail(r, "a dictionary of functions");
		return;
	}
	while (!end && read_function(r, &end))
		;
	if (end && cg_look_bytes(r->in, 1, &more))
		cg_warn(r->job, "what comes after the dictionary is skipped");
	if (end && r->shared)
		cg_note(r->job, "the profile counts calls and does not say "
				"what they cost: it is shared out by counts");
}

static int
read_pstats(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .in = in, .build = build };

	read_file(&r);
	free(r.refs);
	free(r.interned);
	free(r.calls);
	return r.status;
}

/* A dictionary whose first key is a tuple of three, or that is empty. */
static int
probe(const struct cg_head *head)
{
	static const char *const tuples[] = { "(\3\0\0\0", ")\3" };
	const char *at = head->text.ptr;
	size_t len = head->text.len, n;

	if (len < 2 || (at[0] & 0x7f) != '{')
		return CG_PROBE_NO;
	if (at[1] == '0')
		return len == 2 ? CG_PROBE_LIKELY : CG_PROBE_NO;
	for (int i = 0; i < 2; i++) {
		n = i == 0 ? 5 : 2;
		if (len > n + 1 && (at[1] & 0x7f) == tuples[i][0] &&
		    memcmp(at + 2, tuples[i] + 1, n - 1) == 0 &&
		    strchr("stuaAzZ", at[n + 1] & 0x7f))
			return CG_PROBE_SURE;
	}
	return CG_PROBE_NO;
}

const struct cg_module cg_format_pstats = {
	CG_MODULE,
	.name = "pstats",
	.title = "profiles of Python's cProfile and profile",
	.suffixes = "pstats;prof",
	.probe = probe,
	.read = read_pstats,
};
