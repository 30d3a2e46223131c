/*
 * oprofile_xml.c - oprofile-xml: the XML of OProfile's opreport --xml.
 *
 * Source: doc/opreport.xsd of OProfile, schema version 3. It has the samples
 * of each symbol of a binary or module, and after them the table of symbols;
 * with --callgraph also the samples of a symbol's callees when called by it.
 * The events are the events of the setup; samples of all CPUs and unit masks
 * of an event are summed. Processes and threads are parts on request
 * (--part-by).
 *
 * The samples of single instructions and lines (--details) are lost. Callers of
 * call graphs are skipped: they repeat the callees.
 */
#include <string.h>

#include "cgconv_parse.h"

#define NESTED 8   /* depth of binaries and modules */
#define CLASSES 16 /* classes that are compared before the map is searched */

/* The common properties of consecutive rows. */
struct scope {
	cg_object object, callee_object;
	uint32_t pid, tid;
};

/* Kept small: an input has many rows. */
struct row {
	uint32_t symbol, callee; /* indexes; callee 0: self samples */
	uint32_t scope, event;
	uint64_t count;
};

struct seen_class {
	struct cg_slice name;
	uint32_t event; /* its index + 1 */
};

/* fn is the symbol's function in object, the object it was last used in. */
struct symbol {
	cg_name name, path;
	uint32_t line;
	cg_file file;
	cg_object object;
	cg_fn fn;
	bool known; /* it is in the table of symbols */
};

/* An open binary or module. */
struct module {
	cg_object object;
	bool counted; /* elements inside it have counts */
	size_t rows;  /* number of rows before it */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_xml *xml;
	uint64_t cost[CG_EVENT_MAX]; /* of one position; otherwise 0 */
	/* id, name -> index of the event + 1 */
	struct cg_map events, class_ids;
	struct seen_class seen[CLASSES];
	size_t classes;
	CG_ARRAY(struct scope) scope;
	CG_ARRAY(struct row) row;
	struct cg_map symbol_ids;       /* id -> index */
	CG_ARRAY(struct symbol) symbol; /* 0: of binaries without symbols */
	struct module module[NESTED];
	size_t depth;
	struct scope now; /* of the next count */
	uint32_t caller, callee;
	bool in_symbol, in_callees, in_callee, skipped;
};

/*
 * Sets *number to the value of the attribute with this name, a number. If
 * there is no such attribute, *number becomes 0; if "needed" is true, that is
 * an error. False: rejected (reported).
 */
static bool
get_number(struct reader *r, const char *name, bool needed, uint64_t *number)
{
	struct cg_slice text;

	return cg_xml_number(r->xml, name, number) ||
	       (!needed && !cg_xml_attribute(r->xml, name, &text)) ||
	       cg_xml_reject(r->xml, "a number as attribute");
}

static bool
get_u32(struct reader *r, const char *name, bool needed, uint32_t *number)
{
	uint64_t value;

	if (!get_number(r, name, needed, &value))
		return false;
	if (value > UINT32_MAX)
		return cg_xml_reject(
		    r->xml, "a number of 32 bits as attribute");
	*number = (uint32_t)value;
	return true;
}

static cg_name
get_name(struct reader *r, const char *name)
{
	struct cg_slice text;

	(void)cg_xml_attribute(r->xml, name, &text);
	return cg_add_name(r->build, text);
}

/* ---- Tables -------------------------------------------------------------- */

static bool
add_event(struct reader *r, uint64_t id, cg_name name)
{
	const struct cg_event event = { .name = cg_get_name(r->build, name).ptr,
		.long_name = "Samples" };
	uint32_t *index = cg_map_in(r->job, &r->events, id);

	if (!index)
		return false;
	if (*index != 0)
		return cg_xml_reject(
		    r->xml, "an event id that occurs only once");
	*index = (uint32_t)cg_columns_added(r->build) + 1;
	return cg_add_column(r->build, &event) ||
	       cg_xml_reject(r->xml, "an event name that occurs only once");
}

static bool
take_event(struct reader *r)
{
	cg_name name = get_name(r, "eventname");
	uint64_t id;

	return get_number(r, "id", true, &id) && add_event(r, id, name);
}

static bool
take_timer(struct reader *r)
{
	return add_event(r, 0, cg_add_name(r->build, cg_slice("TIMER")));
}

/*
 * Reads an element <class>, a name for counts of one event, and maps the name
 * to the event in r->class_ids. Without the attribute "event" it is event 0.
 * False: rejected (reported).
 */
static bool
take_class(struct reader *r)
{
	cg_name name = get_name(r, "name");
	uint32_t event, *index;
	uint64_t id;

	if (!get_number(r, "event", false, &id))
		return false;
	event = cg_map_get(&r->events, id);
	if (event == 0)
		return cg_xml_reject(r->xml, "the id of an event in setup");
	index = cg_map_in(r->job, &r->class_ids, name);
	if (!index)
		return false;
	*index = event;
	r->classes = 0;
	return true;
}

/*
 * Returns the index + 1 of the event that belongs to a class with this name.
 * 0: there is no such class. Stores the results for the first CLASSES names in
 * r->seen, where they are found faster.
 */
static uint32_t
find_class(struct reader *r, struct cg_slice text)
{
	struct seen_class *seen;
	cg_name name;

	for (size_t i = 0; i < r->classes; i++) {
		if (cg_compare(r->seen[i].name, text) == 0)
			return r->seen[i].event;
	}
	name = cg_add_name(r->build, text);
	if (r->classes == CLASSES)
		return cg_map_get(&r->class_ids, name);
	seen = &r->seen[r->classes++];
	*seen = (struct seen_class){ .name = cg_get_name(r->build, name),
		.event = cg_map_get(&r->class_ids, name) };
	return seen->event;
}

static bool
add_symbol(struct reader *r)
{
	const struct symbol symbol = { .known = r->symbol.n == 0 };

	if (r->symbol.n == UINT32_MAX)
		return cg_reject_nomem(r->job);
	return cg_append(r->job, &r->symbol, symbol);
}

/*
 * Sets *symbol to the index of the symbol that an attribute refers to by an
 * id. The table of symbols follows the samples in the file. So if the id is
 * new, appends a symbol, whose name is read later. False: an error (reported).
 */
static bool
find_symbol(struct reader *r, const char *attribute, uint32_t *symbol)
{
	uint32_t *index;
	uint64_t id;

	if (!get_number(r, attribute, true, &id))
		return false;
	index = cg_map_in(r->job, &r->symbol_ids, id);
	if (!index)
		return false;
	if (*index == 0) {
		*index = (uint32_t)r->symbol.n;
		if (!add_symbol(r))
			return false;
	}
	*symbol = *index;
	return true;
}

static bool
take_symboldata(struct reader *r)
{
	struct symbol *symbol;
	uint32_t index = 0;

	if (!find_symbol(r, "id", &index))
		return false;
	symbol = &r->symbol.at[index];
	if (symbol->known)
		return cg_xml_reject(
		    r->xml, "a symbol id that occurs only once");
	symbol->known = true;
	symbol->name = get_name(r, "name");
	symbol->path = get_name(r, "file");
	return get_u32(r, "line", false, &symbol->line);
}

/* ---- Samples ------------------------------------------------------------- */

static bool
open_module(struct reader *r)
{
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, "name", &name);
	if (r->depth == NESTED)
		return cg_xml_reject(
		    r->xml, "at most 8 levels of binaries and modules");
	r->module[r->depth++] =
	    (struct module){ .object = cg_add_object(r->build, name),
		    .rows = r->row.n };
	return true;
}

static cg_object
get_object(const struct reader *r)
{
	return r->depth > 0 ? r->module[r->depth - 1].object : 0;
}

static bool
open_symbol(struct reader *r)
{
	uint32_t symbol = 0;

	if (!find_symbol(r, "idref", &symbol))
		return false;
	if (r->in_callees) {
		r->in_callee = true;
		r->callee = symbol;
		r->now.callee_object = get_object(r);
	} else {
		r->in_symbol = true;
		r->caller = symbol;
		r->now.object = get_object(r);
	}
	return true;
}

/*
 * Sets *index to the index of the current scope in r->scope. A scope is the
 * object, the process and the thread in which samples are counted. Appends it
 * unless the last element of r->scope is equal. False: out of memory
 * (reported).
 */
static bool
get_scope(struct reader *r, uint32_t *index)
{
	struct scope scope = r->now;

	if (!r->in_symbol)
		scope.object = get_object(r);
	if (r->scope.n == 0 ||
	    memcmp(&r->scope.at[r->scope.n - 1], &scope, sizeof(scope)) != 0) {
		if (r->scope.n == UINT32_MAX)
			return cg_reject_nomem(r->job);
		if (!cg_append(r->job, &r->scope, scope))
			return false;
	}
	*index = (uint32_t)(r->scope.n - 1);
	return true;
}

/*
 * Reads a number of samples, and appends a row for its symbol, callee, event
 * and scope. Skips counts of a process or thread; close_module() drops those
 * of a binary whose elements have counts. False: an error (reported).
 */
static bool
take_count(struct reader *r)
{
	struct row row = { .symbol = r->in_symbol ? r->caller : 0,
		.callee = r->in_callee ? r->callee : 0 };
	struct cg_slice text;
	uint32_t event = cg_columns_added(r->build) == 1;

	if (cg_xml_attribute(r->xml, "class", &text))
		event = find_class(r, text);
	if (event == 0)
		return cg_xml_reject(r->xml, "the class of a count");
	row.event = event - 1;
	if (!cg_xml_content(r->xml, &text))
		return false;
	if (!cg_get_u64(cg_trim(text), &row.count))
		return cg_xml_reject(r->xml, "a number of samples");
	if (!r->in_symbol && r->depth == 0) /* of a process or thread */
		return true;
	if (!get_scope(r, &row.scope) || !cg_append(r->job, &r->row, row))
		return false;
	if (r->in_symbol)
		for (size_t i = 0; i < r->depth; i++)
			r->module[i].counted = true;
	return true;
}

/*
 * Ends the innermost open module or binary, if there is one. If elements
 * inside it have counts, removes the rows of its own counts, as these are the
 * sum of the counts inside it. If it has rows at all, marks the module around
 * it as one with counts inside.
 */
static void
close_module(struct reader *r)
{
	const struct module *module;
	size_t to;

	if (r->depth == 0)
		return;
	module = &r->module[--r->depth];
	if (r->depth > 0 && r->row.n > module->rows)
		r->module[r->depth - 1].counted = true;
	if (!module->counted)
		return;
	to = module->rows;
	for (size_t i = module->rows; i < r->row.n; i++)
		if (r->row.at[i].symbol != 0 ||
		    r->scope.at[r->row.at[i].scope].object != module->object)
			r->row.at[to++] = r->row.at[i];
	r->row.n = to;
}

static bool
skip(struct reader *r)
{
	return cg_xml_content(r->xml, NULL);
}

static bool
skip_details(struct reader *r)
{
	r->skipped = true;
	return skip(r);
}

static bool
open_callees(struct reader *r)
{
	r->in_callees = true;
	return true;
}

static bool
open_process(struct reader *r)
{
	return get_u32(r, "pid", true, &r->now.pid);
}

static bool
open_thread(struct reader *r)
{
	return get_u32(r, "tid", true, &r->now.tid);
}

static const struct {
	const char *name;
	bool (*open)(struct reader *);
} elements[] = {
	{ "count", take_count },
	{ "symbol", open_symbol },
	{ "symboldata", take_symboldata },
	{ "module", open_module },
	{ "binary", open_module },
	{ "callees", open_callees },
	{ "callers", skip },
	{ "process", open_process },
	{ "thread", open_thread },
	{ "eventsetup", take_event },
	{ "timersetup", take_timer },
	{ "class", take_class },
	{ "detailtable", skip_details },
	{ "bytestable", skip },
};

static bool
open_element(struct reader *r)
{
	struct cg_slice name = cg_xml_name(r->xml);

	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++)
		if (cg_equal(name, elements[i].name))
			return elements[i].open(r);
	return true;
}

static void
close_element(struct reader *r)
{
	struct cg_slice name = cg_xml_name(r->xml);

	if (cg_equal(name, "module") || cg_equal(name, "binary"))
		close_module(r);
	else if (cg_equal(name, "callees"))
		r->in_callees = false;
	else if (cg_equal(name, "symbol") && r->in_callee)
		r->in_callee = false;
	else if (cg_equal(name, "symbol"))
		r->in_symbol = false;
}

/* ---- Into the graph ------------------------------------------------------ */

static bool
find_function(struct reader *r, uint32_t index, cg_object object, cg_fn *fn,
    struct cg_pos *pos)
{
	struct symbol *symbol = &r->symbol.at[index];
	cg_name name = symbol->name;

	if (!symbol->known)
		return cg_xml_reject(r->xml, "symboldata for every idref");
	if (symbol->fn == 0 || symbol->object != object) {
		if (name == 0)
			name = cg_add_name(r->build, cg_slice("(no symbols)"));
		symbol->file =
		    cg_add_file(r->build, cg_get_name(r->build, symbol->path));
		symbol->object = object;
		symbol->fn =
		    cg_add_fn_named(r->build, name, symbol->file, object);
	}
	*fn = symbol->fn;
	*pos = (struct cg_pos){ .file = symbol->file, .line = symbol->line };
	return true;
}

static bool
same_position(const struct row *a, const struct row *b)
{
	return a->symbol == b->symbol && a->callee == b->callee &&
	       a->scope == b->scope;
}

/*
 * Sets r->cost, 0 before, to the costs of one position from consecutive rows.
 * Stops before another position, a second row of an event, or an overflow.
 * Returns the number of rows; *sum is their total.
 */
static size_t
take_costs(struct reader *r, const struct row *row, size_t rows, uint64_t *sum)
{
	uint64_t more = row->count;
	size_t n = 0;

	do {
		r->cost[row[n].event] = row[n].count;
		*sum = more;
		n++;
	} while (n < rows && same_position(&row[n], row) &&
		 r->cost[row[n].event] == 0 &&
		 !__builtin_add_overflow(*sum, row[n].count, &more));
	return n;
}

static bool
add_costs(struct reader *r, const struct row *row, uint64_t sum)
{
	const struct scope *scope = &r->scope.at[row->scope];
	const struct cg_sample_key key = { .pid = scope->pid,
		.tid = scope->tid };
	const uint64_t *cost = cg_columns_of(r->build, r->cost);
	struct cg_pos pos = { 0 }, entry = { 0 };
	cg_fn fn = 0, callee = 0;

	if (scope->pid != 0)
		cg_set_sample_part(r->build, &key);
	if (!find_function(r, row->symbol, scope->object, &fn, &pos))
		return false;
	if (row->callee == 0)
		return cg_add_cost(
		    r->build, fn, &pos, cost, cg_columns_width(r->build));
	if (!find_function(
		r, row->callee, scope->callee_object, &callee, &entry))
		return false;
	return cg_add_call(r->build, fn, &pos, callee, &entry, sum, cost,
	    cg_columns_width(r->build));
}

static bool
add_rows(struct reader *r)
{
	const struct row *row = r->row.at, *end = r->row.at + r->row.n;
	bool good = true, calls = false;
	uint64_t sum;

	for (size_t n; good && row < end; row += n) {
		n = take_costs(r, row, (size_t)(end - row), &sum);
		good = add_costs(r, row, sum);
		calls |= row->callee != 0;
		for (size_t i = 0; i < n; i++)
			r->cost[row[i].event] = 0;
	}
	if (calls)
		cg_set_calls_sampled(r->build);
	return good;
}

static int
read_oprofile_xml(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	enum cg_xml_type type = CG_XML_END;
	bool good = add_symbol(&r); /* the symbol without a name */
	int status;

	r.xml = cg_xml_new(job, in);
	while (r.xml && good && (type = cg_xml_next(r.xml)) != CG_XML_END) {
		if (type == CG_XML_OPEN)
			good = open_element(&r);
		else if (type == CG_XML_CLOSE)
			close_element(&r);
	}
	status = r.xml ? cg_xml_status(r.xml) : CG_ELIMIT;
	if (good && status == CG_OK) {
		good = add_rows(&r);
		if (good && r.skipped)
			cg_warn(job, "samples of single instructions are "
				     "skipped: those of functions include "
				     "them");
	}
	return status;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	return cg_head_root(head, &tag, &rest) && cg_starts(tag, "profile") &&
		       cg_find(tag, "schemaversion=")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_oprofile_xml = {
	CG_MODULE,
	.name = "oprofile-xml",
	.title = "profiles of OProfile, as XML of opreport",
	.text = true,
	.suffixes = "oprofile.xml",
	.probe = probe,
	.read = read_oprofile_xml,
};
