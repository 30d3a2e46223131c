/*
 * pstats.c - pstats: profiles of Python's cProfile and profile, in the format
 * of its module pstats.
 *
 * Source: Python's Lib/cProfile.py, Lib/profile.py, Lib/pstats.py and, for the
 * bytes, Python/marshal.c of 2.7 and 3.0 to 3.14. A file is one marshalled
 * dictionary {(file, line, name): (primitive calls, calls, self seconds,
 * cumulative seconds, callers)}; callers are {(file, line, name): (calls,
 * primitive calls, self, cumulative)} of cProfile, where calls come first, or
 * {...: calls} of profile.
 *
 * Functions, calls, self and cumulative times survive, in whole nanoseconds.
 * The number of primitive calls determines the cost of calls without a caller,
 * then it is lost, like the self time per caller. profile does not record the
 * cost of calls: a function's time is divided among its callers by their
 * counts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_format.h"

#define BUILT_IN "(built-in)" /* the object of functions written in C */
/* A little below 2^64 nanoseconds, some 584 years. */
#define SECONDS_MAX 1.8e10
#define FLAG_REF 0x80 /* the object may be referred to later */

/* ---- Marshal ------------------------------------------------------------ */

enum kind {
	PENDING, /* an object that has not ended, or is not stored */
	END,     /* of a dictionary */
	NUMBER,
	SECONDS,
	TEXT,
	TUPLE,
	DICT,
	FUNCTION,
	CALL
};

struct function {
	cg_fn fn;
	struct cg_pos pos; /* of its definition */
};

struct call {
	struct function caller;
	uint64_t count;
	uint64_t cost;
	bool has_cost;
};

/* A value; for a tuple or dictionary, only its beginning. */
struct value {
	enum kind kind;
	size_t ref; /* its number among the references + 1, or 0 */
	union {
		int64_t number;
		double seconds;
		cg_name text;
		uint64_t length; /* of a tuple */
		struct function function;
		struct call call;
	};
};

struct reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	CG_ARRAY(struct value) ref; /* objects with FLAG_REF, as they begin */
	CG_ARRAY(cg_name) interned; /* Python 2: strings with type 't' */
	CG_ARRAY(struct call) call; /* of one function */
	bool divided;               /* costs of calls are estimates */
};

static bool
fail(struct reader *r, const char *expected)
{
	/* The job has reported a failure of the input or the builder. */
	if (cg_in_status(r->in) != CG_OK || cg_build_status(r->build) != CG_OK)
		return false;
	return cg_reject(r->job, "expected %s", expected);
}

/*
 * Reads the next n bytes of the file as a little-endian number. False:
 * truncated (reported).
 */
static bool
take_bytes(struct reader *r, unsigned n, uint64_t *number)
{
	struct cg_slice bytes;

	*number = 0;
	if (!cg_read_bytes(r->in, n, &bytes))
		return fail(r, "more bytes: the file is truncated");
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

/*
 * Takes a long integer of marshal into *value. Its bytes are the number of
 * digits, negative for a negative integer, and then digits of 15 bits. False:
 * more than four digits, or truncated (reported).
 */
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

/*
 * Takes a number of seconds as text, as Python before 2.5 writes it, into
 * *value. False: malformed (reported).
 */
static bool
take_float_text(struct reader *r, struct value *value)
{
	char text[256], *end;
	struct cg_slice bytes;
	uint64_t len;

	if (!take_bytes(r, 1, &len))
		return false;
	if (!cg_read_bytes(r->in, len, &bytes))
		return fail(r, "more bytes: the file is truncated");
	memcpy(text, bytes.ptr, bytes.len);
	text[bytes.len] = '\0';
	value->kind = SECONDS;
	value->seconds = strtod(text, &end);
	return (len > 0 && *end == '\0') || fail(r, "a number of seconds");
}

/*
 * Takes a string into *value. wide: its length has four bytes, not one.
 * interned: it is also appended to the strings to which later values may
 * refer. False: truncated, or out of memory (reported).
 */
static bool
take_text(struct reader *r, bool wide, bool interned, struct value *value)
{
	struct cg_slice bytes;
	uint64_t len;

	if (!take_bytes(r, wide ? 4 : 1, &len))
		return false;
	if (!cg_read_bytes(r->in, len, &bytes))
		return fail(r, "more bytes: the file is truncated");
	value->kind = TEXT;
	value->text = cg_add_name(r->build, bytes);
	if (!interned)
		return true;
	return cg_append(r->job, &r->interned, value->text);
}

static bool
take_interned(struct reader *r, struct value *value)
{
	uint64_t i;

	if (!take_bytes(r, 4, &i))
		return false;
	if (i >= r->interned.n)
		return fail(r, "a reference to an earlier string");
	value->kind = TEXT;
	value->text = r->interned.at[i];
	return true;
}

static bool
take_ref(struct reader *r, struct value *value)
{
	uint64_t i;

	if (!take_bytes(r, 4, &i))
		return false;
	if (i >= r->ref.n || r->ref.at[i].kind == PENDING)
		return fail(r, "a reference to an earlier function or value");
	*value = r->ref.at[i];
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
	case 'c': /* python3 -m profile: the code object of the program */
		return fail(r, "a name, not a code object: use python3 -m "
			       "cProfile, or profile.run()");
	}
	return fail(r, "a number, a string, a tuple or a dictionary");
}

/*
 * Takes the next object of marshal into *value; of a tuple or dictionary only
 * the begin. Numbers objects with FLAG_REF, to which later ones may refer, and
 * stores them. Tuples and dictionaries are left for the caller to store.
 * False: an error (reported).
 */
static bool
next(struct reader *r, struct value *value)
{
	uint64_t type;

	*value = (struct value){ .kind = PENDING };
	if (!take_bytes(r, 1, &type))
		return false;
	if (type & FLAG_REF) {
		if (!cg_push(r->job, &r->ref)) /* its kind is PENDING */
			return false;
		value->ref = r->ref.n;
	}
	if (!take_value(r, (int)(type & ~(uint64_t)FLAG_REF), value))
		return false;
	/* References to tuples and dictionaries are set after reading them. */
	if (value->ref && value->kind != TUPLE && value->kind != DICT)
		r->ref.at[value->ref - 1] = *value;
	return true;
}

/* ---- Values of known types ---------------------------------------------- */

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

/*
 * Takes the next object, a number of seconds, and stores it in *ns, in
 * nanoseconds. Negative times become 0, with a warning. The module profile
 * writes them if its bias is too large. False: an error (reported).
 */
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
		cg_warn(r->job, "%g seconds are read as 0", value.seconds);
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

/*
 * Sets *function from a value. The value may be the begin of a tuple (file,
 * line, name): then reads these three items. Or it is a reference to such a
 * tuple, whose function is copied. The file "~" stands for built-in functions,
 * which get an object instead of a file. If later values may refer to the
 * tuple, stores the function in r->ref. False: an error (reported).
 */
static bool
get_function(struct reader *r, struct value *value, struct function *function)
{
	struct cg_slice file = { 0 }, name = { 0 };
	cg_object object = 0;

	*function = value->function;
	if (value->kind == FUNCTION)
		return true;
	if (value->kind != TUPLE || value->length != 3)
		return fail(r, "a function: (file, line, name)");
	*function = (struct function){ 0 };
	if (!next_text(r, &file, "the file of a function") ||
	    !next_line(r, &function->pos.line) ||
	    !next_text(r, &name, "the name of a function"))
		return false;
	if (cg_equal(file, "~"))
		object = cg_add_object(r->build, cg_slice(BUILT_IN));
	else
		function->pos.file = cg_add_file(r->build, file);
	function->fn = cg_add_fn_at(
	    r->build, name, function->pos.file, object, function->pos.line, 0);
	if (value->ref)
		r->ref.at[value->ref - 1] =
		    (struct value){ .kind = FUNCTION, .function = *function };
	return true;
}

/*
 * Sets *call from the value of a caller. The value may be the begin of a tuple
 * (calls, primitive calls, self time, cumulative time): then reads these four
 * items. Stores the number of calls and the cumulative time. Or it is a
 * reference to such a tuple, whose call is copied. Or it is only the number of
 * calls: then call->has_cost is false. False: an error (reported).
 */
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
		r->ref.at[value->ref - 1] =
		    (struct value){ .kind = CALL, .call = *call };
	return true;
}

static bool
read_callers(struct reader *r)
{
	struct value value;
	struct function caller;
	struct call *call;

	r->call.n = 0;
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
		call = cg_push(r->job, &r->call);
		if (!call || !get_call(r, &value, call))
			return false;
		call->caller = caller;
	}
}

/* ---- Into the graph ----------------------------------------------------- */

/*
 * Numbers of calls of a function. A function that calls itself through others
 * is on the stack more than once: the cost of an inner call is part of the
 * cost of the outer one. Primitive calls are the outermost calls.
 */
struct counts {
	uint64_t unknown;   /* calls without a known caller: always outermost */
	uint64_t known;     /* by other functions */
	uint64_t outermost; /* of the known ones */
};

/*
 * Adds a number to *sum. If the sum does not fit into 64 bits, *sum becomes
 * UINT64_MAX, as a file may state any numbers.
 */
static void
add_capped(uint64_t *sum, uint64_t number)
{
	*sum = number < UINT64_MAX - *sum ? *sum + number : UINT64_MAX;
}

static struct counts
count_calls(
    const struct reader *r, cg_fn callee, uint64_t count, uint64_t primitive)
{
	struct counts counts = { .unknown = count };

	for (size_t i = 0; i < r->call.n; i++) {
		const struct call *call = &r->call.at[i];

		counts.unknown -=
		    call->count < counts.unknown ? call->count : counts.unknown;
		if (call->caller.fn != callee)
			add_capped(&counts.known, call->count);
	}
	counts.outermost =
	    primitive > counts.unknown ? primitive - counts.unknown : 0;
	if (counts.outermost > counts.known)
		counts.outermost = counts.known;
	return counts;
}

/*
 * Returns cost * part / whole, rounded down; "part" is at most "whole".
 * Computes in floating point, as the product may not fit into 64 bits.
 */
static uint64_t
share(uint64_t cost, uint64_t part, uint64_t whole)
{
	double less = (double)cost * (double)part / (double)whole;

	return part < whole && less < (double)cost ? (uint64_t)less : cost;
}

/*
 * Divides the callee's inclusive cost among calls from other functions in
 * r->call, by their numbers. Calls from unknown callers keep their share. Does
 * nothing if a call states its cost; files of the module profile state none.
 */
static void
divide_cost(
    struct reader *r, cg_fn callee, const struct counts *counts, uint64_t cost)
{
	uint64_t all = counts->known, seen = 0, given = 0, upto;

	for (size_t i = 0; i < r->call.n; i++)
		if (r->call.at[i].has_cost)
			return;
	add_capped(&all, counts->unknown);
	for (size_t i = 0; i < r->call.n; i++) {
		struct call *call = &r->call.at[i];

		if (call->caller.fn == callee || call->count == 0)
			continue;
		add_capped(&seen, call->count);
		upto = share(cost, seen, all);
		call->cost = upto - given;
		given = upto;
		r->divided = true;
	}
}

/*
 * Adds the calls of a function to the graph. Calls without a caller are from
 * fn 0, and get the rest of the inclusive cost. As profiles do not state which
 * calls are outermost, the rest is estimated.
 */
static void
add_calls(struct reader *r, const struct function *callee,
    const struct counts *counts, uint64_t cost)
{
	const struct cg_pos nowhere = { 0 };
	uint64_t known = 0, off;

	for (size_t i = 0; i < r->call.n; i++) {
		const struct call *call = &r->call.at[i];

		cg_add_call(r->build, call->caller.fn, &call->caller.pos,
		    callee->fn, &callee->pos, call->count,
		    cg_columns_of(r->build, &call->cost),
		    cg_columns_width(r->build));
		if (call->caller.fn != callee->fn)
			add_capped(&known, call->cost);
	}
	if (counts->unknown == 0)
		return;
	off =
	    counts->known ? share(known, counts->outermost, counts->known) : 0;
	cost -= off < cost ? off : cost;
	cg_add_call(r->build, 0, &nowhere, callee->fn, &callee->pos,
	    counts->unknown, cg_columns_of(r->build, &cost),
	    cg_columns_width(r->build));
}

/*
 * Reads an entry of the dictionary, and adds it to the graph. An entry is a
 * function with its costs and callers. Sets *end to whether the dictionary
 * ends here instead of having an entry. False: an error (reported).
 */
static bool
read_function(struct reader *r, bool *end)
{
	uint64_t primitive = 0, count = 0, self = 0, inclusive = 0;
	struct function function;
	struct counts counts;
	struct value value;

	if (!next(r, &value))
		return false;
	*end = value.kind == END;
	if (*end)
		return true;
	if (!get_function(r, &value, &function) || !next(r, &value))
		return false;
	if (value.kind != TUPLE || value.length != 5)
		return fail(r, "the costs of a function: 5 values");
	if (!next_count(r, &primitive) || !next_count(r, &count) ||
	    !next_time(r, &self) || !next_time(r, &inclusive) ||
	    !read_callers(r))
		return false;
	if (self > 0) /* a row of 0 means: never executed */
		cg_add_cost(r->build, function.fn, &function.pos,
		    cg_columns_of(r->build, &self), cg_columns_width(r->build));
	cg_add_inclusive(r->build, function.fn,
	    cg_columns_of(r->build, &inclusive), cg_columns_width(r->build));
	counts = count_calls(r, function.fn, count, primitive);
	divide_cost(r, function.fn, &counts, inclusive);
	add_calls(r, &function, &counts, inclusive);
	return cg_build_status(r->build) == CG_OK;
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

	(void)cg_add_column(r->build, &time);
	if (!next(r, &value))
		return;
	if (value.kind != DICT) {
		fail(r, "a dictionary of functions");
		return;
	}
	while (!end && read_function(r, &end))
		;
	if (end && cg_look_bytes(r->in, 1, &more))
		cg_warn(r->job, "data after the dictionary is skipped");
	if (end && r->divided)
		cg_note(r->job, "the profile has counts but no costs of calls: "
				"costs are divided by the counts");
}

static int
read_pstats(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .in = in, .build = build };

	read_file(&r);
	return cg_in_status(in);
}

/*
 * Returns CG_PROBE_SURE for a marshalled dictionary whose first key is a tuple
 * of three that begins with a string. Returns CG_PROBE_LIKELY for an empty
 * dictionary that is the whole file. Else returns CG_PROBE_NO.
 */
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
