/*
 * oprofilexml.c - oprofile-xml: what OProfile's opreport --xml writes.
 *
 * Source: doc/opreport.xsd of OProfile, schema version 3. Samples of each
 * symbol of a binary or module, the symbols themselves come later in a table;
 * with --callgraph also the samples that a symbol's callees have from it. Events
 * are those of the setup, samples of all CPUs and unit masks of one are added
 * up. Processes and threads are parts on request (--part-by).
 *
 * The samples of single instructions and lines (--details) are lost, of call
 * graphs what callers say once more.
 */
#include <stdlib.h>
#include <string.h>

#include "cgconv_parse.h"

#define NESTED 8   /* binaries and modules in each other */
#define CLASSES 16 /* so many are compared before they are looked up */

/* Where rows stand, many of them one after the other. */
struct scope {
	cg_object object, callee_object;
	uint32_t pid, tid;
};

/* There are many: they are kept small. */
struct row {
	uint32_t symbol, callee; /* places; callee 0: samples of its own */
	uint32_t scope, event;
	uint64_t count;
};

struct seen_class {
	struct cg_slice name;
	uint32_t event; /* its place + 1 */
};

/* Its function once it was needed, in the object that it was needed for. */
struct symbol {
	cg_name name, path;
	uint32_t line;
	cg_file file;
	cg_object object;
	cg_fn fn;
	bool known; /* the table of symbols has it */
};

/* A binary or module that is open. */
struct module {
	cg_object object;
	bool counted; /* what is in it has counts */
	size_t rows;  /* that were there when it began */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_xml *xml;
	struct cg_columns columns;
	uint64_t cost[CG_EVENT_MAX]; /* of one place; else 0 */
	/* id, name -> place of the event + 1 */
	struct cg_map events, class_ids;
	struct seen_class seen[CLASSES];
	size_t classes;
	struct scope *scope;
	size_t scopes, scope_cap;
	struct row *row;
	size_t rows, row_cap;
	struct cg_map symbol_ids; /* -> place */
	struct symbol *symbol;    /* 0: of a binary without any */
	size_t symbols, symbol_cap;
	struct module module[NESTED];
	size_t depth;
	struct scope now; /* what the next count belongs to */
	uint32_t caller, callee;
	bool in_symbol, in_callees, in_callee, skipped;
	int status;
};

static bool
fail(struct reader *r, const char *expected)
{
	r->status = cg_xml_fail(r->xml, expected);
	return false;
}

static bool
nomem(struct reader *r)
{
	r->status = cg_nomem(r->job);
	return false;
}

/* A number in an attribute; absent is 0 where it need not be there. */
static bool
get_number(struct reader *r, const char *name, bool needed, uint64_t *number)
{
	struct cg_slice text;

	return cg_xml_number(r->xml, name, number) ||
	       (!needed && !cg_xml_attribute(r->xml, name, &text)) ||
	       fail(r, "a number as attribute");
}

static bool
get_u32(struct reader *r, const char *name, bool needed, uint32_t *number)
{
	uint64_t value;

	if (!get_number(r, name, needed, &value))
		return false;
	if (value > UINT32_MAX)
		return fail(r, "a number of 32 bits as attribute");
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
	uint32_t *place = cg_map_at(&r->events, id);

	if (!place)
		return nomem(r);
	if (*place != 0)
		return fail(r, "another id of an event");
	*place = (uint32_t)r->columns.events + 1;
	return cg_add_column(&r->columns, r->build, &event) ||
	       fail(r, "another name of an event");
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

/* Without event: the only one. */
static bool
take_class(struct reader *r)
{
	cg_name name = get_name(r, "name");
	uint32_t event, *place;
	uint64_t id;

	if (!get_number(r, "event", false, &id))
		return false;
	event = cg_map_get(&r->events, id);
	if (event == 0)
		return fail(r, "the id of an event in setup");
	place = cg_map_at(&r->class_ids, name);
	if (!place)
		return nomem(r);
	*place = event;
	r->classes = 0;
	return true;
}

/* The place of a class's event + 1; 0: there is no such class. */
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
	if (r->symbols == UINT32_MAX || !cg_grow_raw(&r->symbol, &r->symbol_cap,
					    r->symbols + 1, sizeof(*r->symbol)))
		return nomem(r);
	r->symbol[r->symbols] = (struct symbol){ .known = r->symbols == 0 };
	r->symbols++;
	return true;
}

/* The symbol's place by its id, which its samples tell before the table. */
static bool
find_symbol(struct reader *r, const char *attribute, uint32_t *symbol)
{
	uint32_t *place;
	uint64_t id;

	if (!get_number(r, attribute, true, &id))
		return false;
	place = cg_map_at(&r->symbol_ids, id);
	if (!place)
		return nomem(r);
	if (*place == 0) {
		*place = (uint32_t)r->symbols;
		if (!add_symbol(r))
			return false;
	}
	*symbol = *place;
	return true;
}

static bool
take_symboldata(struct reader *r)
{
	struct symbol *symbol;
	uint32_t place;

	if (!find_symbol(r, "id", &place))
		return false;
	symbol = &r->symbol[place];
	if (symbol->known)
		return fail(r, "another id of a symbol");
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
		return fail(r, "fewer modules in modules");
	r->module[r->depth++] =
	    (struct module){ .object = cg_add_object(r->build, name),
		    .rows = r->rows };
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
	uint32_t symbol;

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

/* The place of what rows of this count's place have in common. */
static bool
get_scope(struct reader *r, uint32_t *place)
{
	struct scope scope = r->now;

	if (!r->in_symbol)
		scope.object = get_object(r);
	if (r->scopes == 0 ||
	    memcmp(&r->scope[r->scopes - 1], &scope, sizeof(scope)) != 0) {
		if (r->scopes == UINT32_MAX ||
		    !cg_grow_raw(
			&r->scope, &r->scope_cap, r->scopes + 1, sizeof(scope)))
			return nomem(r);
		r->scope[r->scopes++] = scope;
	}
	*place = (uint32_t)(r->scopes - 1);
	return true;
}

/* Of a symbol or callee; of a binary only if nothing in it has one. */
static bool
take_count(struct reader *r)
{
	struct row row = { .symbol = r->in_symbol ? r->caller : 0,
		.callee = r->in_callee ? r->callee : 0 };
	struct cg_slice text;
	uint32_t event = r->columns.events == 1;

	if (cg_xml_attribute(r->xml, "class", &text))
		event = find_class(r, text);
	if (event == 0)
		return fail(r, "the class of a count");
	row.event = event - 1;
	if (!cg_xml_content(r->xml, &text))
		return false;
	if (!cg_get_u64(cg_trim(text), &row.count))
		return fail(r, "a number of samples");
	if (!r->in_symbol && r->depth == 0) /* of a process or thread */
		return true;
	if (!get_scope(r, &row.scope))
		return false;
	if (!cg_grow_raw(&r->row, &r->row_cap, r->rows + 1, sizeof(row)))
		return nomem(r);
	r->row[r->rows++] = row;
	if (r->in_symbol)
		for (size_t i = 0; i < r->depth; i++)
			r->module[i].counted = true;
	return true;
}

/* What stands in it says its count in detail: the sum is dropped. */
static void
close_module(struct reader *r)
{
	const struct module *module;
	size_t to;

	if (r->depth == 0)
		return;
	module = &r->module[--r->depth];
	if (r->depth > 0 && r->rows > module->rows)
		r->module[r->depth - 1].counted = true;
	if (!module->counted)
		return;
	to = module->rows;
	for (size_t i = module->rows; i < r->rows; i++)
		if (r->row[i].symbol != 0 ||
		    r->scope[r->row[i].scope].object != module->object)
			r->row[to++] = r->row[i];
	r->rows = to;
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
find_function(struct reader *r, uint32_t place, cg_object object, cg_fn *fn,
    struct cg_pos *pos)
{
	struct symbol *symbol = &r->symbol[place];
	cg_name name = symbol->name;

	if (!symbol->known)
		return fail(r, "symbols with all ids that are referred to");
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
same_place(const struct row *a, const struct row *b)
{
	return a->symbol == b->symbol && a->callee == b->callee &&
	       a->scope == b->scope;
}

/* How many rows from here on are of one place, as a rule one of each event. */
static size_t
take_costs(struct reader *r, const struct row *row, size_t rows, uint64_t *sum)
{
	uint64_t more = row->count;
	size_t n = 0;

	do {
		r->cost[row[n].event] = row[n].count;
		*sum = more;
		n++;
	} while (n < rows && same_place(&row[n], row) &&
		 r->cost[row[n].event] == 0 &&
		 !__builtin_add_overflow(*sum, row[n].count, &more));
	return n;
}

static bool
add_costs(struct reader *r, const struct row *row, uint64_t sum)
{
	const struct scope *scope = &r->scope[row->scope];
	const struct cg_sample_key key = { .pid = scope->pid,
		.tid = scope->tid };
	const uint64_t *cost = cg_columns_of(&r->columns, r->cost);
	struct cg_pos pos, entry;
	cg_fn fn, callee;

	if (scope->pid != 0)
		cg_set_sample_part(r->build, &key);
	if (!find_function(r, row->symbol, scope->object, &fn, &pos))
		return false;
	if (row->callee == 0)
		return cg_add_cost(r->build, fn, &pos, cost, r->columns.width);
	if (!find_function(
		r, row->callee, scope->callee_object, &callee, &entry))
		return false;
	return cg_add_call(
	    r->build, fn, &pos, callee, &entry, sum, cost, r->columns.width);
}

static void
add_rows(struct reader *r)
{
	const struct row *row = r->row, *end = r->row + r->rows;
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
}

static int
read_oprofile_xml(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	enum cg_xml_type type = CG_XML_END;
	bool good = add_symbol(&r); /* the one without a name */

	r.xml = cg_xml_new(job, in);
	while (r.xml && good && (type = cg_xml_next(r.xml)) != CG_XML_END) {
		if (type == CG_XML_OPEN)
			good = open_element(&r);
		else if (type == CG_XML_CLOSE)
			close_element(&r);
	}
	if (r.status == CG_OK)
		r.status = r.xml ? cg_xml_status(r.xml) : CG_ELIMIT;
	if (r.status == CG_OK)
		add_rows(&r);
	if (r.status == CG_OK && r.skipped)
		cg_warn(job, "samples of single instructions are skipped: "
			     "functions have them all");
	cg_xml_free(r.xml);
	cg_map_free(&r.events);
	cg_map_free(&r.class_ids);
	cg_map_free(&r.symbol_ids);
	free(r.scope);
	free(r.row);
	free(r.symbol);
	return r.status;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text;
	bool profile = false;

	if (!cg_starts(text, "<"))
		return CG_PROBE_NO;
	for (; text.len > 0; text.ptr++, text.len--) {
		profile |= cg_starts(text, "<profile");
		if (profile && cg_starts(text, "schemaversion="))
			return CG_PROBE_SURE;
	}
	return CG_PROBE_NO;
}

const struct cg_module cg_format_oprofile_xml = {
	CG_MODULE,
	.name = "oprofile-xml",
	.title = "profiles of OProfile, by opreport's XML",
	.suffixes = "oprofile.xml",
	.probe = probe,
	.read = read_oprofile_xml,
};
