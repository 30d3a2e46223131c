/*
 * xhprof.c - xhprof: profiles of PHP by XHProf and its successors, as JSON.
 *
 * Source: xhprof_lib.php and the extension of XHProf 2.3 (Tideways, uprofiler
 * write the same). {"caller==>callee": {"ct": calls, "wt": microseconds,
 * "cpu": microseconds, "mu": bytes, "pmu": bytes}}, "main()" has no caller.
 * Costs of calls are inclusive; the self cost of a function is the cost of
 * calls to it minus the cost of its calls. Recursive calls have the names
 * name@1, name@2, ...
 *
 * Calls, self and inclusive costs survive. Memory is signed, as a function may
 * free more than it allocates.
 */
#include <string.h>

#include "cgconv_parse.h"

#define ARROW "==>"
#define COSTS 4

/* A call, or main(), by the names with their levels. */
struct call {
	cg_name caller, callee; /* caller 0: none */
	uint64_t count;
	int64_t cost[COSTS];
};

/* A name with its level, and its function: "f@2" is f on level 2. */
struct name {
	cg_fn fn;
	uint64_t level;
	int64_t self[COSTS];
};

struct prof {
	CG_ARRAY(struct call) call;
	struct cg_map ids; /* cg_name -> index + 1 */
	CG_ARRAY(struct name) name;
	struct cg_map lowest; /* caller fn, callee fn -> level + 1 */
	bool has[COSTS];
};

static const struct cg_event events[COSTS] = {
	{ .name = "wt", .long_name = "Wall time", .unit = "us" },
	{ .name = "cpu", .long_name = "CPU time", .unit = "us" },
	{ .name = "mu",
	    .long_name = "Memory use",
	    .unit = "bytes",
	    .is_signed = true },
	{ .name = "pmu",
	    .long_name = "Peak memory use",
	    .unit = "bytes",
	    .is_signed = true },
};

/* ---- From JSON ----------------------------------------------------------- */

/*
 * Splits "caller==>callee" at the last arrow, and sets the names of the call.
 * Without an arrow, the whole key is the callee, and call->caller stays 0
 * (none).
 */
static void
split_key(struct cg_build *build, struct cg_slice key, struct call *call)
{
	struct cg_slice rest = key;

	for (size_t at = key.len; at > 0; at--) {
		rest = (struct cg_slice){ key.ptr + at, key.len - at };
		if (!cg_take_prefix(&rest, ARROW))
			continue;
		key.len = at;
		call->caller = cg_add_name(build, key);
		call->callee = cg_add_name(build, rest);
		return;
	}
	call->callee = cg_add_name(build, key);
}

static bool
take_cost(struct cg_doc *doc, struct prof *prof, struct cg_slice key,
    struct call *call)
{
	int64_t number;

	if (cg_equal(key, "ct")) {
		if (!cg_doc_number(doc, 0, &number))
			return false;
		if (number < 0)
			return cg_doc_fail(doc, "a number of calls");
		call->count = (uint64_t)number;
		return true;
	}
	for (size_t i = 0; i < COSTS; i++) {
		if (!cg_equal(key, events[i].name))
			continue;
		prof->has[i] = true;
		return cg_doc_number(doc, 0, &call->cost[i]);
	}
	cg_warn(doc->job, "only the costs ct, wt, cpu, mu and pmu are read: "
			  "another one is skipped");
	return cg_doc_skip(doc);
}

static bool
take_calls(struct cg_doc *doc, struct prof *prof)
{
	struct cg_slice key;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		struct call call = { 0 };

		split_key(doc->build, key, &call);
		(void)cg_doc_object(doc);
		while (cg_doc_key(doc, &key))
			if (!take_cost(doc, prof, key, &call))
				return false;
		if (doc->status != CG_OK ||
		    !cg_append(doc->job, &prof->call, call))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- Into the graph ------------------------------------------------------ */

static void
split_level(struct cg_slice *name, uint64_t *level)
{
	struct cg_slice digits;
	size_t at = name->len;

	*level = 0;
	while (at > 0 && name->ptr[at - 1] >= '0' && name->ptr[at - 1] <= '9')
		at--;
	if (at < 2 || name->ptr[at - 1] != '@')
		return;
	digits = (struct cg_slice){ name->ptr + at, name->len - at };
	if (cg_take_u64(&digits, level))
		name->len = at - 1;
}

static struct name *
get_name(struct cg_doc *doc, struct prof *prof, cg_name id)
{
	uint32_t *index = cg_map_in(doc->job, &prof->ids, id);
	struct cg_slice text = cg_get_name(doc->build, id);
	struct name name = { 0 };

	if (!index)
		return NULL;
	if (*index == 0) {
		split_level(&text, &name.level);
		name.fn = cg_add_fn(doc->build, text, 0, 0);
		if (!cg_append(doc->job, &prof->name, name))
			return NULL;
		*index = (uint32_t)prof->name.n;
	}
	return &prof->name.at[*index - 1];
}

/*
 * Copies costs from cost[], which has an element for each kind of cost, to
 * selected[]. Copies only the kinds that the input has. Returns the number of
 * copied costs. Negative times become 0, with a warning.
 */
static size_t
select_costs(struct cg_doc *doc, const struct prof *prof, const int64_t *cost,
    uint64_t *selected)
{
	size_t n = 0;

	for (size_t i = 0; i < COSTS; i++) {
		if (!prof->has[i])
			continue;
		selected[n] = (uint64_t)cost[i];
		if (cost[i] < 0 && !events[i].is_signed) {
			cg_warn(doc->job, "a negative time is read as 0");
			selected[n] = 0;
		}
		n++;
	}
	return n;
}

/*
 * Computes the self costs of functions, which must be 0 before: the costs of
 * all calls to a function, less those of calls that it makes. Stores the
 * lowest level of recursion of each caller and callee, for add_calls(). False:
 * an error (reported).
 */
static bool
sum_calls(struct cg_doc *doc, struct prof *prof)
{
	for (size_t i = 0; i < prof->call.n; i++) {
		const struct call *call = &prof->call.at[i];
		struct name *callee = get_name(doc, prof, call->callee),
			    *caller;
		cg_fn from = 0, to;
		uint64_t level;
		uint32_t *lowest;
		bool over = false;

		if (!callee)
			return false;
		to = callee->fn;
		level = callee->level;
		for (size_t k = 0; k < COSTS; k++)
			over |= __builtin_add_overflow(
			    callee->self[k], call->cost[k], &callee->self[k]);
		caller =
		    call->caller ? get_name(doc, prof, call->caller) : NULL;
		for (size_t k = 0; caller && k < COSTS; k++)
			over |= __builtin_sub_overflow(
			    caller->self[k], call->cost[k], &caller->self[k]);
		if (over)
			return cg_doc_fail(
			    doc, "costs whose sum fits in 64 bits");
		from = caller ? caller->fn : 0;
		lowest = cg_map_in(
		    doc->job, &prof->lowest, (uint64_t)from << 32 | to);
		if (!lowest)
			return false;
		if (level < UINT32_MAX && (*lowest == 0 || level < *lowest))
			*lowest = (uint32_t)level + 1;
	}
	return doc->status == CG_OK;
}

/*
 * Adds the calls and the functions' inclusive costs to the graph. The
 * outermost call includes recursive ones: inclusive costs are those of calls
 * on level 0, and only a pair's calls on its lowest level have a cost.
 */
static void
add_calls(struct cg_doc *doc, struct prof *prof)
{
	const struct cg_pos nowhere = { 0 };
	uint64_t cost[COSTS];

	for (size_t i = 0; i < prof->call.n; i++) {
		const struct call *call = &prof->call.at[i];
		const struct name *callee = get_name(doc, prof, call->callee);
		cg_fn to = callee ? callee->fn : 0, from = 0;
		uint64_t level = callee ? callee->level : 0;

		if (call->caller) {
			callee = get_name(doc, prof, call->caller);
			from = callee ? callee->fn : 0;
		}
		select_costs(doc, prof, call->cost, cost);
		if (level == 0)
			cg_add_inclusive(doc->build, to,
			    cg_columns_of(doc->build, cost),
			    cg_columns_width(doc->build));
		if (cg_map_get(&prof->lowest, (uint64_t)from << 32 | to) !=
		    level + 1)
			memset(cost, 0, sizeof(cost));
		cg_add_call(doc->build, from, &nowhere, to, &nowhere,
		    call->count, cg_columns_of(doc->build, cost),
		    cg_columns_width(doc->build));
	}
}

static void
add_profile(struct cg_doc *doc, struct prof *prof)
{
	const struct cg_pos nowhere = { 0 };
	uint64_t cost[COSTS];
	size_t n;

	for (size_t i = 0; i < COSTS; i++)
		if (prof->has[i])
			(void)cg_add_column(doc->build, &events[i]);
	if (!sum_calls(doc, prof))
		return;
	add_calls(doc, prof);
	for (size_t i = 0; i < prof->name.n; i++) {
		n = select_costs(doc, prof, prof->name.at[i].self, cost);
		while (n > 0 && cost[n - 1] == 0)
			n--;
		if (n > 0)
			cg_add_cost(doc->build, prof->name.at[i].fn, &nowhere,
			    cg_columns_of(doc->build, cost),
			    cg_columns_width(doc->build));
	}
}

static int
read_xhprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct prof prof = { 0 };
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &prof);
	if (take_calls(&doc, &prof))
		add_profile(&doc, &prof);
	return cg_doc_close(&doc);
}

/*
 * Returns CG_PROBE_SURE for a JSON object whose first key is a call, "A==>B",
 * or "main()". Its first value must be an object with a key. Else returns
 * CG_PROBE_NO.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_json json;
	bool call = false;

	cg_json_start(&json, head->text);
	if (cg_json_next(&json) != CG_JSON_OBJECT ||
	    cg_json_next(&json) != CG_JSON_KEY)
		return CG_PROBE_NO;
	for (size_t i = 0; i + 3 <= json.text.len; i++)
		call |= cg_starts(
		    (struct cg_slice){ json.text.ptr + i, json.text.len - i },
		    ARROW);
	if (!call && !cg_equal(json.text, "main()"))
		return CG_PROBE_NO;
	return cg_json_next(&json) == CG_JSON_OBJECT &&
		       cg_json_next(&json) == CG_JSON_KEY
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_xhprof = {
	CG_MODULE,
	.name = "xhprof",
	.title = "profiles of PHP by XHProf, as JSON",
	.text = true,
	.suffixes = "xhprof",
	.probe = probe,
	.read = read_xhprof,
};
