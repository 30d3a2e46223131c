/*
 * xray.c - xray: what llvm-xray prints of a log of LLVM's XRay:
 *
 * - llvm-xray account, as text or CSV: how often functions were called, and
 *   the sum of the times of these calls
 *
 *	funcid   count [   min,   med,   90p,   99p,   max]    sum  function
 *	     1       9 [ 0.01,  0.02,  0.04,  0.05,  0.05]  0.301  a.cc:3:0: f()
 *
 * - llvm-xray stack: ten stacks by sum and by count
 *
 *	lvl   function                                   count           sum
 *	#0    main                                           1          9125
 *	#1    f()                                            3          4753
 *
 * - llvm-xray stack -all-stacks -stack-format=flame -aggregation-type=time
 *
 *	thread_28135;main; 9125
 *	thread_28135;main;f(); 4753
 *
 * Sums of stacks are cycles of the processor's time stamp counter, which
 * include callees. Callees that are not among the ten stacks are reported, and
 * their costs stay with their callers. Numbers of calls
 * (-aggregation-type=count) look the same, but callees may have more than
 * callers; they are no inclusive costs then. Minima and percentiles are
 * dropped.
 *
 * Source: xray-account.cpp and xray-stacks.cpp of LLVM 14, and their output.
 */
#include <string.h>

#include "tables.h"

#define ACCOUNT "Functions with latencies: "
#define CSV "funcid,count,min,"
#define UNIQUE "Unique Stacks: "
#define LEVEL "lvl   function "
#define THREAD "thread_"
#define NS_OF_S 9 /* digits */
#define FIELDS 10 /* of CSV */
#define TOP 10    /* stacks that are printed */

enum shape { UNKNOWN, TEXT, TABLE, STACKS, FLAME };

/* A call of a function in a stack. */
struct call {
	uint32_t parent; /* number; 0: none */
	cg_fn fn;
	uint64_t thread, count;
	uint64_t sum;      /* what tells calls of one function apart, else 0 */
	uint64_t total;    /* with callees */
	uint64_t children; /* sum of totals of callees; at last the node */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	enum shape shape;
	struct table_row fields;
	CG_ARRAY(struct call) call; /* number i is at i - 1 */
	struct cg_slots slots;
	uint64_t key[2];         /* of hashes */
	CG_ARRAY(uint32_t) open; /* numbers of the last stack, by level */
	uint64_t rows, missing;
	bool counts; /* callees have more than their callers */
};

/* ---- llvm-xray account --------------------------------------------------- */

static void
add_event(struct reader *r)
{
	static const struct cg_event time = {
		.name = CG_TIME_EVENT, .long_name = "Time", .unit = "ns"
	};
	static const struct cg_event cycles = { .name = "cycles",
		.long_name = "Cycles" };
	static const struct cg_event calls = { .name = "calls",
		.long_name = "Calls" };

	if (r->shape == TEXT || r->shape == TABLE)
		(void)cg_add_column(r->build, &time);
	else
		(void)cg_add_column(r->build, r->counts ? &calls : &cycles);
}

/*
 * Adds a function of llvm-xray account to the graph. Its calls and their
 * inclusive time are known, but neither its callers nor its self time. "place"
 * is "a.cc:3:0" or "(unknown)". False: the builder has failed.
 */
static bool
add_function(struct reader *r, struct cg_slice name, struct cg_slice place,
    uint64_t count, uint64_t sum)
{
	const struct cg_pos nowhere = { 0 };
	uint32_t column, line = 0;
	cg_file file = 0;
	cg_fn fn;

	if (cg_cut_number(&place, ':', &column) &&
	    cg_cut_number(&place, ':', &line))
		file = cg_add_file(r->build, place);
	fn = cg_add_fn(r->build, name, file, 0);
	cg_set_fn_range(r->build, fn, &(struct cg_range){ .first = line });
	/* Its self time is unknown: 0, or all of it. */
	(void)cg_add_cost(r->build, fn, &nowhere, NULL, 0);
	cg_add_inclusive(r->build, fn, cg_columns_of(r->build, &sum),
	    cg_columns_width(r->build));
	r->rows++;
	return cg_add_call(r->build, 0, &nowhere, fn, &nowhere, count,
	    cg_columns_of(r->build, &sum), cg_columns_width(r->build));
}

/*
 * Reads a row of llvm-xray account as text, and adds its function; skips the
 * head line and empty lines. False: an error (reported).
 */
static bool
take_account(struct reader *r, struct cg_slice line)
{
	struct cg_slice times, place, name, word;
	uint64_t id, count, sum;
	const char *at;

	(void)cg_take_blanks(&line);
	if (line.len == 0 || cg_starts(line, "funcid"))
		return true;
	if (!cg_take_u64(&line, &id) || !cg_take_blanks(&line) ||
	    !cg_take_u64(&line, &count) || !cg_take_until(&line, ']', &times) ||
	    !cg_take_blanks(&line) || !cg_take_word(&line, &word) ||
	    !table_get_number(word, NS_OF_S, &sum) || !cg_take_blanks(&line) ||
	    line.len == 0)
		return cg_reject(r->job, "expected an id, a count, five times "
					 "in [], their sum and a function");
	at = cg_find(line, ": ");
	place = name = line;
	place.len = at ? (size_t)(at - line.ptr) : 0;
	if (at) {
		name.ptr = at + 2;
		name.len = line.len - place.len - 2;
	}
	return add_function(r, name, place, count, sum);
}

static bool
take_csv(struct reader *r, struct cg_slice line)
{
	uint64_t count, sum;

	if (line.len == 0)
		return true;
	if (!table_split(r->job, &r->fields, line, ','))
		return false;
	if (r->fields.field.n != FIELDS ||
	    !cg_get_u64(table_field(&r->fields, 1), &count) ||
	    !table_get_number(table_field(&r->fields, 7), NS_OF_S, &sum))
		return cg_reject(r->job,
		    "expected %d fields: an id, a count, "
		    "five times, their sum, a place and "
		    "a function",
		    FIELDS);
	return add_function(r, table_field(&r->fields, 9),
	    table_field(&r->fields, 8), count, sum);
}

/* ---- llvm-xray stack ----------------------------------------------------- */

static uint32_t
hash_call(const struct reader *r, const struct call *call)
{
	const uint64_t words[] = { call->parent, call->fn, call->thread,
		call->count, call->sum };

	return (uint32_t)cg_hash_bytes(
	    r->key, (const char *)words, sizeof(words));
}

/*
 * Returns the number of a call (node of the call tree), from 1. Several tables
 * list a call, so an equal one is returned; *is_new: there is none, and it is
 * added. 0: out of memory (reported).
 */
static uint32_t
find_call(struct reader *r, const struct call *want, bool *is_new)
{
	const uint32_t hash = hash_call(r, want);
	size_t at = hash;
	uint32_t id;

	*is_new = false;
	while ((id = cg_slots_next(&r->slots, hash, &at)) != 0) {
		const struct call *call = &r->call.at[id - 1];

		if (call->parent == want->parent && call->fn == want->fn &&
		    call->thread == want->thread &&
		    call->count == want->count && call->sum == want->sum)
			return id;
	}
	*is_new = true;
	if (!cg_slots_grow(&r->slots)) {
		(void)cg_reject_nomem(r->job);
		return 0;
	}
	if (r->call.n == UINT32_MAX || !cg_append(r->job, &r->call, *want))
		return 0;
	cg_slots_fill(
	    &r->slots, (struct cg_id_slot){ (uint32_t)r->call.n, hash });
	return (uint32_t)r->call.n;
}

/*
 * Adds the cost of a new call to the callees' sum of its caller. The rest is
 * then the caller's self cost. "parent" 0: no caller. False: the sum overflows
 * (reported).
 */
static bool
add_to_caller(struct reader *r, uint32_t parent, uint64_t sum)
{
	struct call *caller;

	if (parent == 0)
		return true;
	caller = &r->call.at[parent - 1];
	if (__builtin_add_overflow(caller->children, sum, &caller->children))
		return cg_reject(r->job, "expected sums that fit in 64 bits");
	return true;
}

/*
 * Reads a row of a stack, "#1 f() 3 4753". Adds its call below the last call
 * of the level above, unless an earlier table has listed it. False: an error
 * (reported).
 */
static bool
take_level(struct reader *r, struct cg_slice line)
{
	struct call call = { .parent = 0 };
	uint64_t level;
	uint32_t id;
	bool is_new;

	if (!cg_get_u64(table_cut_word(&line), &call.sum) ||
	    !cg_get_u64(table_cut_word(&line), &call.count) ||
	    !cg_take_char(&line, '#') || !cg_take_u64(&line, &level) ||
	    cg_trim(line).len == 0)
		return cg_reject(
		    r->job, "expected a level, a function, a count and a sum");
	if (level > r->open.n)
		return cg_reject(
		    r->job, "expected a level up to #%zu", r->open.n);
	r->open.n = (size_t)level;
	call.parent = level > 0 ? r->open.at[level - 1] : 0;
	call.fn = cg_add_fn(r->build, cg_trim(line), 0, 0);
	call.total = call.sum;
	id = find_call(r, &call, &is_new);
	r->rows++;
	return id != 0 && cg_append(r->job, &r->open, id) &&
	       (!is_new || add_to_caller(r, call.parent, call.sum));
}

static bool
take_stack(struct reader *r, struct cg_slice line)
{
	uint64_t stacks;

	if (cg_take_prefix(&line, UNIQUE)) {
		if (cg_get_u64(line, &stacks) && stacks > TOP)
			r->missing += stacks - TOP;
		return true;
	}
	if (line.len > 0 && *line.ptr == '#')
		return take_level(r, line);
	r->open.n = 0;
	return true;
}

/*
 * Cuts the number off "main;f(); 4753", and sets *sum; false: the line has
 * another form, and is unchanged.
 */
static bool
cut_flame(struct cg_slice *line, uint64_t *sum)
{
	size_t at = line->len;

	while (at > 0 && line->ptr[at - 1] != ' ')
		at--;
	if (at < 3 || line->ptr[at - 2] != ';' ||
	    !cg_get_u64(
		(struct cg_slice){ line->ptr + at, line->len - at }, sum))
		return false;
	line->len = at - 2;
	return true;
}

/*
 * Reads a line of a stack, "thread_7;main;f(); 4753", and adds the call of its
 * last function. The lines of its callers must precede it. Skips an empty
 * line. False: an error (reported).
 */
static bool
take_flame(struct reader *r, struct cg_slice line)
{
	struct call call = { .parent = 0 };
	struct cg_slice name, first;
	bool is_new = true;
	uint64_t sum;
	uint32_t id = 0;

	if (line.len == 0)
		return true;
	if (!cut_flame(&line, &sum))
		return cg_reject(r->job, "expected 'f;g; SUM'");
	first = line;
	if (cg_take_prefix(&first, THREAD) &&
	    cg_take_u64(&first, &call.thread) && cg_take_char(&first, ';'))
		line = first;
	else
		call.thread = 0;
	while (cg_take_until(&line, ';', &name)) {
		if (is_new && id != 0)
			return cg_reject(r->job,
			    "expected the line of the caller before its "
			    "callees");
		call.parent = id;
		call.fn = cg_add_fn(r->build, name, 0, 0);
		id = find_call(r, &call, &is_new);
		if (id == 0)
			return false;
	}
	if (id == 0 || !is_new)
		return cg_reject(r->job, "expected each stack once");
	r->call.at[id - 1].total = sum;
	r->rows++;
	return add_to_caller(r, call.parent, sum);
}

/* ---- Stacks -------------------------------------------------------------- */

/*
 * Adds all calls to the graph, as stacks; in r->call, callers precede callees.
 * The self cost is a call's sum less that of its callees. If any callees have
 * more, sets r->counts: the sums are no inclusive costs, but self costs.
 */
static void
add_calls(struct reader *r)
{
	const struct cg_pos nowhere = { 0 };

	for (size_t i = 0; i < r->call.n; i++)
		r->counts |= r->call.at[i].children > r->call.at[i].total;
	add_event(r);
	for (size_t i = 0; i < r->call.n; i++) {
		struct call *call = &r->call.at[i];
		const struct call *caller =
		    call->parent > 0 ? &r->call.at[call->parent - 1] : NULL;
		const struct cg_sample_key key = { .tid = call->thread };
		uint64_t self = call->total;
		cg_node node;

		if (!r->counts)
			self -= call->children;
		cg_set_sample_part(r->build, &key);
		node = cg_add_frame(r->build,
		    caller ? (cg_node)caller->children : 0, call->fn, &nowhere,
		    false);
		/* From now on the node: the sum of the callees was used. */
		call->children = node;
		if (self > 0)
			table_add_stack(r->build, node, 0, &self);
		if (call->count > 0)
			(void)cg_add_call(r->build, caller ? caller->fn : 0,
			    &nowhere, call->fn, &nowhere, call->count, NULL, 0);
	}
}

/* ---- The file ------------------------------------------------------------ */

static enum shape
get_shape(struct cg_slice line)
{
	uint64_t sum;

	if (cg_starts(line, ACCOUNT))
		return TEXT;
	if (cg_starts(line, CSV))
		return TABLE;
	if (cg_starts(line, UNIQUE))
		return STACKS;
	return cut_flame(&line, &sum) ? FLAME : UNKNOWN;
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	switch (r->shape) {
	case TEXT: return take_account(r, line);
	case TABLE: return take_csv(r, line);
	case STACKS: return take_stack(r, line);
	case FLAME: return take_flame(r, line);
	case UNKNOWN: break;
	}
	r->shape = get_shape(line);
	if (r->shape == UNKNOWN) /* "Thread 28135:" */
		return true;
	if (r->shape == STACKS || r->shape == FLAME)
		return take_line(r, line);
	add_event(r);
	return true;
}

static void
end_slots(void *slots)
{
	cg_slots_free(slots);
}

static int
read_xray(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader *r = cg_alloc(job, sizeof(*r));
	struct cg_slice line;
	bool ok = true;

	if (!r || !cg_at_end(job, end_slots, &r->slots))
		return CG_ELIMIT;
	r->job = job;
	r->build = build;
	cg_random_key(r->key, r);
	while (ok && table_line(in, &line))
		ok = take_line(r, line);
	if (ok && cg_in_status(in) == CG_OK) {
		if (r->rows == 0)
			(void)cg_reject(job, "expected what llvm-xray account "
					     "or stack prints");
		else if (cg_in_unterminated(in))
			cg_warn(job, "expected a newline at the end: the file "
				     "may be truncated");
		if (r->missing > 0)
			cg_warn(job,
			    "%llu stacks are missing, their callers have "
			    "their costs; print them with -all-stacks "
			    "-stack-format=flame",
			    (unsigned long long)r->missing);
		if (r->call.n > 0)
			add_calls(r);
		if (r->counts)
			cg_note(job, "callees have more than callers: costs "
				     "are numbers of calls");
	}
	return table_status(job, in, build);
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line = cg_head_line(head);
	uint64_t sum;
	int lines = 0;

	if (cg_starts(line, "Thread ")) {
		while (cg_take_line(&text, &line))
			if (cg_starts(line, UNIQUE))
				return CG_PROBE_LIKELY;
		return CG_PROBE_NO;
	}
	if (get_shape(line) != FLAME)
		return get_shape(line) != UNKNOWN ? CG_PROBE_SURE : CG_PROBE_NO;
	/* Folded stacks have no ';' before the number. */
	while (lines < 20 && cg_take_line(&text, &line)) {
		cg_cut_return(&line);
		if (line.len > 0 && !cut_flame(&line, &sum))
			return CG_PROBE_NO;
		lines++;
	}
	return CG_PROBE_LIKELY;
}

const struct cg_module cg_format_xray = {
	CG_MODULE,
	.name = "xray",
	.title = "what llvm-xray account and stack print",
	.text = true,
	.suffixes = "xray",
	.probe = probe,
	.read = read_xray,
};
