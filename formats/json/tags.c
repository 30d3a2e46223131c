/*
 * tags.c - what the lines of our JSON say, in the builder's words: tables
 * of ids, events, functions, frames; then parts and their rows.
 */
#include <inttypes.h>
#include <string.h>

#include "fields.h"

/* ---- Definitions -------------------------------------------------------- */

static bool
set_list(struct list *list, size_t i, uint32_t value)
{
	if (!cg_grow(&list->at, &list->cap, i + 1, sizeof(*list->at)))
		return false;
	list->at[i] = value;
	return true;
}

/* Field 0 must be the id that comes next. */
static bool
check_new_id(struct reader *r, const struct ids *ids)
{
	if (r->field[0].number == ids->count + 1)
		return true;
	r->status = cg_fail_at(r->job, r->field[0].at,
	    "expected %s id %zu, got %" PRIu64, ids->what, ids->count + 1,
	    r->field[0].number);
	return false;
}

/* The line has defined what the builder calls id. */
static bool
define(struct reader *r, struct ids *ids, uint32_t id)
{
	if (cg_build_status(r->build) != CG_OK)
		return false;
	if (id < ids->number.cap && ids->number.at[id] != 0) {
		r->status = cg_fail_at(r->job, r->field[1].at,
		    "expected another %s, this is number %" PRIu32, ids->what,
		    ids->number.at[id]);
		return false;
	}
	if (!set_list(&ids->number, id, (uint32_t)ids->count + 1) ||
	    !set_list(&ids->id, ids->count + 1, id)) {
		r->status = cg_nomem(r->job);
		return false;
	}
	ids->count++;
	return true;
}

/* Of an event or a formula: the name is in field 0 or 1. */
static bool
get_event(struct reader *r, const struct field *name, const struct field *rest,
    struct cg_event *event)
{
	*event = (struct cg_event){ .name = name->text.ptr,
		.long_name = rest[0].text.ptr,
		.unit = rest[1].text.ptr,
		.formula = "",
		.incl = (enum cg_incl)rest[2].number,
		.is_signed = rest[3].number };
	if (*event->name && !strpbrk(event->name, " \t\r\n"))
		return true;
	r->status =
	    cg_fail_at(r->job, name->at, "expected a name without blanks");
	return false;
}

static bool
add_event(struct reader *r)
{
	const struct field *f = r->field;
	struct cg_event event;
	unsigned column;

	if (f[0].number != r->events || r->events == CG_EVENT_MAX) {
		r->status = cg_fail_at(r->job, f[0].at,
		    r->events < CG_EVENT_MAX ? "expected column %zu"
					     : "expected at most %zu events",
		    r->events);
		return false;
	}
	if (!get_event(r, &f[1], &f[2], &event))
		return false;
	column = cg_add_event(r->build, &event);
	if (cg_build_status(r->build) != CG_OK)
		return false;
	for (size_t i = 0; i < r->events; i++) {
		if (r->column[i] != column)
			continue;
		r->status = cg_fail_at(r->job, f[1].at,
		    "expected another event, this is column %zu", i);
		return false;
	}
	r->is_signed[r->events] = event.is_signed;
	r->column[r->events] = column;
	r->moved |= column != r->events;
	r->events++;
	if (column >= r->columns)
		r->columns = column + 1;
	return true;
}

static bool
add_formula(struct reader *r)
{
	const struct field *f = r->field;
	struct cg_event event;

	if (!get_event(r, &f[0], &f[2], &event))
		return false;
	event.formula = f[1].text.ptr;
	cg_add_formula(r->build, &event);
	return true;
}

static bool
add_path(struct reader *r, struct ids *ids,
    uint32_t (*add)(struct cg_build *, struct cg_slice))
{
	const struct field *path = &r->field[1];

	if (!check_new_id(r, ids))
		return false;
	if (path->text.len > 0)
		return define(r, ids, add(r->build, path->text));
	r->status = cg_fail_at(r->job, path->at, "expected a path");
	return false;
}

static bool
add_object(struct reader *r)
{
	return add_path(r, &r->objects, cg_add_object);
}

static bool
add_file(struct reader *r)
{
	if (!add_path(r, &r->files, cg_add_file))
		return false;
	cg_set_file_given(
	    r->build, r->files.id.at[r->files.count], r->field[2].text);
	return true;
}

static bool
add_function(struct reader *r)
{
	const struct field *f = r->field;
	cg_file file = (cg_file)f[2].number;
	cg_object object = (cg_object)f[3].number;
	const struct cg_range range = { .first = (uint32_t)f[4].number,
		.last = (uint32_t)f[5].number,
		.addr = f[6].number,
		.first_column = (uint32_t)f[7].number,
		.last_column = (uint32_t)f[8].number };
	cg_fn fn;

	if (!check_new_id(r, &r->fns))
		return false;
	if (f[1].text.len == 0 && file == 0 && object == 0 &&
	    f[9].text.len == 0) {
		r->status = cg_fail_at(
		    r->job, f[1].at, "expected a name, a file or an object");
		return false;
	}
	fn = cg_add_fn_symbol(r->build, cg_add_name(r->build, f[1].text), file,
	    object, cg_add_name(r->build, f[9].text));
	cg_set_fn_range(r->build, fn, &range);
	return define(r, &r->fns, fn);
}

static struct cg_pos
get_pos(const struct field *f)
{
	return (struct cg_pos){ .file = (cg_file)f[0].number,
		.line = (uint32_t)f[1].number,
		.addr = f[2].number };
}

static bool
add_frame(struct reader *r)
{
	const struct field *f = r->field;
	struct cg_pos pos = get_pos(&f[3]);

	return check_new_id(r, &r->nodes) &&
	       define(r, &r->nodes,
		   cg_add_frame(r->build, (cg_node)f[1].number,
		       (cg_fn)f[2].number, &pos, f[6].number != 0));
}

static bool
add_labels(struct reader *r)
{
	return check_new_id(r, &r->labels) &&
	       define(r, &r->labels,
		   cg_add_labels(r->build, r->label, r->label_count));
}

/* ---- Parts and rows ----------------------------------------------------- */

static bool
add_part(struct reader *r)
{
	const struct field *f = r->field;
	const struct cg_part_info info = { .pid = f[0].number,
		.tid = f[1].number,
		.part = f[2].number,
		.cmd = f[3].text.ptr };

	(void)cg_add_part(r->build, &info);
	r->in_part = true;
	r->in_rows = false;
	return true;
}

static bool
add_desc(struct reader *r)
{
	cg_add_desc(r->build, r->field[0].text, r->field[1].text);
	return true;
}

static bool
list_file(struct reader *r)
{
	cg_list_file(r->build, (cg_file)r->field[0].number);
	return true;
}

static bool
add_total(struct reader *r)
{
	cg_state_total(r->build, r->line.ptr, r->cost, r->costs, false);
	return true;
}

static bool
set_rows(struct reader *r)
{
	r->fn = (cg_fn)r->field[0].number;
	r->in_rows = true;
	return true;
}

static bool
add_cost(struct reader *r)
{
	const struct cg_pos pos = get_pos(r->field);

	cg_add_cost(r->build, r->fn, &pos, r->cost, r->costs);
	return true;
}

static bool
add_call(struct reader *r)
{
	const struct field *f = r->field;
	const struct cg_pos site = get_pos(f);
	const struct cg_pos entry = { .line = (uint32_t)f[4].number,
		.addr = f[5].number };

	cg_add_call(r->build, r->fn, &site, (cg_fn)f[3].number, &entry,
	    f[6].number, r->cost, r->costs);
	return true;
}

static bool
add_jump(struct reader *r)
{
	const struct field *f = r->field;
	const struct cg_pos from = get_pos(f), to = get_pos(&f[4]);
	bool conditional = r->given == 9; /* it says "followed" */

	cg_add_jump(r->build, r->fn, &from, (cg_fn)f[3].number, &to,
	    conditional, f[7].number, f[conditional ? 8 : 7].number);
	return true;
}

static bool
add_branch(struct reader *r)
{
	const struct field *f = r->field;
	const struct cg_branch branch = { .pos = get_pos(f),
		.kind = (enum cg_branch_kind)f[3].number,
		.block = (uint32_t)f[4].number,
		.index = (uint32_t)f[5].number,
		.count = (int64_t)f[6].number,
		.flags = (unsigned)f[7].number,
		.target = (uint32_t)f[8].number,
		.label = cg_add_name(r->build, f[9].text) };

	(void)cg_add_branch(r->build, r->fn, &branch);
	return true;
}

static bool
add_inclusive(struct reader *r)
{
	cg_add_inclusive(r->build, r->fn, r->cost, r->costs);
	return true;
}

static bool
add_stack(struct reader *r)
{
	const struct field *f = r->field;

	cg_set_labels(r->build, (cg_labels)f[3].number);
	cg_add_stack(
	    r->build, (cg_node)f[0].number, f[1].number, r->cost, r->costs);
	return true;
}

/* ---- The table ---------------------------------------------------------- */

/* The most frequent come first. */
const struct json_tag json_tags[] = {
	{ "cost", "Func", JSON_IN_ROWS, add_cost },
	{ "call", "Funfunnc", JSON_IN_ROWS, add_call },
	{ "jump", "FunfFunn?n", JSON_IN_ROWS, add_jump },
	{ "rows", "f", JSON_IN_PART, set_rows },
	{ "branch", "Funkuud?lut", JSON_IN_ROWS, add_branch },
	{ "frame", "nsfFun?b", JSON_ANYWHERE, add_frame },
	{ "stack", "snc?S", JSON_IN_PART, add_stack },
	{ "labels", "nL", JSON_ANYWHERE, add_labels },
	{ "function", "ntFO?uunuut", JSON_ANYWHERE, add_function },
	{ "file", "nt?t", JSON_ANYWHERE, add_file },
	{ "object", "nt", JSON_ANYWHERE, add_object },
	{ "inclusive", "c", JSON_IN_ROWS, add_inclusive },
	{ "event", "nz?zzib", JSON_ANYWHERE, add_event },
	{ "formula", "zz?zzib", JSON_ANYWHERE, add_formula },
	{ "part", "?nnnz", JSON_ANYWHERE, add_part },
	{ "desc", "zz", JSON_IN_PART, add_desc },
	{ "listed", "F", JSON_IN_PART, list_file },
	{ "total", "c", JSON_IN_PART, add_total },
	{ NULL, NULL, JSON_ANYWHERE, NULL },
};
