/*
 * write.c - writes callgrind files.
 *
 * KCachegrind and callgrind_annotate need more than the specification says:
 * "events:" is the last header line that they use; a part begins with pid,
 * part and thread and defines its names again; ids are dense from 1, one per
 * (object, file, name); ob=, fl=, fn= come in this order, cob= and cfi= before
 * cfn=; position differences are below 2^31; lines and names contain no tabs,
 * CRs or NULs.
 */
#include <string.h>

#include "write.h"

/* MaxRealIndexValue of KCachegrind's libcore/costitem.h. */
#define KCACHEGRIND_EVENTS 200

/* Copies text without its NUL; returns the end of the copy. */
#define LITERAL(to, text) \
	((char *)memcpy(to, text, sizeof(text) - 1) + sizeof(text) - 1)

/* ---- Events ------------------------------------------------------------- */

/*
 * Returns the event to write in column i. KCachegrind shows the first event,
 * so the main event moves to the front.
 */
static size_t
event_at(const struct callgrind_writer *w, size_t i)
{
	return i == 0 ? w->main : i <= w->main ? i - 1 : i;
}

/*
 * Returns the costs of a line in the order of writing, main event first; *n is
 * their number, in and out. Returns "cost" itself if it has that order; else
 * an array valid until the next call.
 */
static const uint64_t *
arrange(struct callgrind_writer *w, const uint64_t *cost, size_t *n)
{
	size_t last = 0;

	if (w->main == 0)
		return cost;
	for (size_t i = 0; i < w->lines.most; i++) {
		size_t event = event_at(w, i);

		w->row[i] = event < *n ? cost[event] : 0;
		if (w->row[i] != 0)
			last = i + 1;
	}
	*n = last;
	return w->row;
}

/* ---- Header ------------------------------------------------------------- */

static void
put_values(struct callgrind_writer *w, const char *key, const uint64_t *value)
{
	cg_puts(w->out, key);
	for (size_t i = 0; i < w->lines.most; i++) {
		cg_putc(w->out, ' ');
		cg_putu(w->out, value ? value[event_at(w, i)] : 0);
	}
	cg_putc(w->out, '\n');
}

static void
put_number(struct callgrind_writer *w, const char *key, uint64_t value)
{
	cg_puts(w->out, key);
	cg_putu(w->out, value);
	cg_putc(w->out, '\n');
}

static void
put_line(struct callgrind_writer *w, const char *key, const char *value)
{
	cg_puts(w->out, key);
	callgrind_put_text(w, cg_slice(value));
	cg_putc(w->out, '\n');
}

/* True for names that KCachegrind accepts in event: lines and formulas. */
static bool
is_identifier(struct cg_slice name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c != '_' && !(c >= 'a' && c <= 'z') &&
		    !(c >= 'A' && c <= 'Z') && !(i > 0 && c >= '0' && c <= '9'))
			return false;
	}
	return name.len > 0;
}

/*
 * True if each word of the formula is an identifier, a number, "+" or "-".
 * Words are separated by blanks.
 */
static bool
is_plain_formula(const char *formula)
{
	struct cg_slice rest = cg_slice(formula), word;
	uint64_t number;

	while (cg_take_blanks(&rest), cg_take_word(&rest, &word)) {
		struct cg_slice text = word;

		if (cg_equal(word, "+") || cg_equal(word, "-") ||
		    cg_get_u64(text, &number))
			continue;
		if (!is_identifier(word))
			return false;
	}
	return true;
}

static bool
names_unit(const char *name, const char *unit)
{
	struct cg_slice text = cg_slice(name), found;

	return callgrind_take_unit(&text, false, NULL, &found) &&
	       cg_equal(found, unit);
}

/*
 * Writes the end of an "event:" line: the long name (or the name) and, if
 * "unit" is true, the unit in parentheses. Without long name and unit, writes
 * nothing. Pass false if a name states the unit already.
 */
static void
put_long_name(
    struct callgrind_writer *w, const struct cg_event *event, bool unit)
{
	if (!*event->long_name && !unit)
		return;
	cg_puts(w->out, " : ");
	callgrind_put_text(
	    w, cg_slice(*event->long_name ? event->long_name : event->name));
	if (!unit)
		return;
	cg_puts(w->out, " (");
	callgrind_put_text(w, cg_slice(event->unit));
	cg_putc(w->out, ')');
}

static void
put_event(struct callgrind_writer *w, const struct cg_event *event)
{
	struct cg_slice name = cg_slice(event->name);
	bool unit = *event->unit && !names_unit(event->name, event->unit) &&
		    !names_unit(event->long_name, event->unit);

	if (!*event->long_name && !*event->formula && !unit)
		return;
	if (!is_identifier(name) || !is_plain_formula(event->formula)) {
		if (cg_job_verbose(w->job))
			cg_note(w->job,
			    "event %s: dropped its long name, unit or formula: "
			    "KCachegrind expects names of letters, digits and "
			    "_",
			    event->name);
		return;
	}
	cg_puts(w->out, "event: ");
	cg_puts(w->out, event->name);
	if (*event->formula) {
		cg_puts(w->out, " = ");
		callgrind_put_text(w, cg_slice(event->formula));
	}
	put_long_name(w, event, unit);
	cg_putc(w->out, '\n');
}

static void
put_events(struct callgrind_writer *w)
{
	for (size_t i = 0; i < w->lines.most; i++)
		put_event(w, cg_get_event(w->graph, event_at(w, i)));
	for (size_t i = 0; i < cg_formula_count(w->graph); i++)
		put_event(w, cg_get_formula(w->graph, i));
	cg_puts(w->out, "events:");
	for (size_t i = 0; i < w->lines.most; i++) {
		cg_putc(w->out, ' ');
		cg_puts(w->out, cg_get_event(w->graph, event_at(w, i))->name);
	}
	cg_putc(w->out, '\n');
}

static bool
same_command(const struct cg_graph *graph)
{
	const char *cmd = cg_get_part(graph, 0)->cmd;

	for (cg_part part = 1; part < cg_part_count(graph); part++) {
		if (strcmp(cmd, cg_get_part(graph, part)->cmd) != 0)
			return false;
	}
	return true;
}

static void
put_header(struct callgrind_writer *w, cg_part part, bool root)
{
	const struct cg_part_info *info = cg_get_part(w->graph, part);
	bool many = cg_part_count(w->graph) > 1;
	bool same = w->one_command;

	if (part > 0)
		cg_putc(w->out, '\n');
	/* Without this line, readers take the value of the previous part. */
	if (info->pid || (part > 0 && cg_get_part(w->graph, part - 1)->pid))
		put_number(w, "pid: ", info->pid);
	if (*info->cmd && same)
		put_line(w, "cmd: ", info->cmd);
	if (info->part || many)
		put_number(w, "part: ", info->part);
	if (info->tid)
		put_number(w, "thread: ", info->tid);
	if (!same)
		put_line(w, "desc: " CMD_KEY ": ", info->cmd);
	callgrind_put_descs(w, part);
	if (root)
		cg_puts(w->out, "desc: " ROOT_KEY ": " ROOT_VALUE "\n");
	cg_puts(w->out, w->lines.addrs && w->lines.lines
			    ? "positions: instr line\n"
			: w->lines.addrs ? "positions: instr\n"
					 : "positions: line\n");
	put_events(w);
	put_values(w, "summary:", cg_part_totals(w->graph, part));
	cg_putc(w->out, '\n');
}

/* ---- Rows --------------------------------------------------------------- */

static void
begin_fn(struct callgrind_writer *w, cg_fn fn)
{
	cg_object object = w->fn[fn].object;
	cg_file file = w->fn[fn].file;

	if (!w->has_object || object != w->object)
		callgrind_put_spec(w, SPEC_OB, object);
	/*
	 * After fi=, callgrind_annotate assigns a function without fl= to the
	 * file of the inlined code; Valgrind always writes fl= here.
	 */
	if (!w->has_file || file != w->file || file != w->lines.pos.file)
		callgrind_put_spec(w, SPEC_FL, file);
	callgrind_put_spec(w, SPEC_FN, fn);
	w->object = object;
	w->file = w->lines.pos.file = file;
	w->has_object = w->has_file = true;
	w->lines.begun = false;
}

/*
 * Sets the source file of the cost lines that follow. If it changes, writes a
 * line fi= or, back in the function's own file, fe=. Costs of inlined code are
 * in another file than their function.
 */
static void
set_file(struct callgrind_writer *w, cg_file file)
{
	if (file == w->lines.pos.file)
		return;
	callgrind_put_spec(w, file == w->file ? SPEC_FE : SPEC_FI, file);
	w->lines.pos.file = file;
}

static void
put_call(struct callgrind_writer *w, const struct cg_call *call)
{
	cg_object object = w->fn[call->callee].object;
	cg_file file = w->fn[call->callee].file;
	size_t n = call->n;
	const uint64_t *cost = arrange(w, call->cost, &n);
	char *to;

	set_file(w, call->site.file);
	if (object != w->object)
		callgrind_put_spec(w, SPEC_COB, object);
	if (file != w->lines.pos.file)
		callgrind_put_spec(w, SPEC_CFI, file);
	callgrind_put_spec(w, SPEC_CFN, call->callee);
	to = cg_out_reserve(w->out, CG_COST_LINE_MAX(1) + CG_COST_LINE_MAX(n));
	to = cg_format_u64(LITERAL(to, "calls="), call->count);
	*to++ = ' ';
	if (w->lines.addrs) {
		to = call->entry.addr ? cg_format_hex(to, call->entry.addr)
				      : cg_format_u64(to, 0);
		*to++ = ' ';
	}
	if (w->lines.lines)
		to = cg_format_u64(to, call->entry.line);
	*to++ = '\n';
	to = cg_format_cost_line(&w->lines, to, &call->site, cost, n);
	cg_out_advance(w->out, to);
}

static void
put_jump(struct callgrind_writer *w, cg_fn fn, const struct cg_jump *jump)
{
	char *to;

	set_file(w, jump->from.file);
	if (jump->to.file != w->lines.pos.file)
		callgrind_put_spec(w, SPEC_JFI, jump->to.file);
	if (jump->target != fn)
		callgrind_put_spec(w, SPEC_JFN, jump->target);
	to = cg_out_reserve(w->out, 2 * CG_COST_LINE_MAX(2));
	if (jump->conditional) {
		to = cg_format_u64(LITERAL(to, "jcnd="), jump->followed);
		*to++ = '/';
	} else {
		to = LITERAL(to, "jump=");
	}
	to = cg_format_u64(to, jump->executed);
	*to++ = ' ';
	to = cg_format_pos(&w->lines, to, &jump->to);
	*to++ = '\n';
	to = cg_format_pos(&w->lines, to, &jump->from);
	*to++ = '\n';
	cg_out_advance(w->out, to);
	w->lines.pos = jump->from;
	w->lines.begun = true;
}

/*
 * Writes the cost lines of a function like cg_put_cost_lines(), but with the
 * main event first.
 */
static void
put_arranged_costs(struct callgrind_writer *w, struct cg_rows *rows)
{
	struct cg_cost cost;
	char *to;

	while (cg_next_cost(rows, &cost)) {
		size_t n = cost.n;
		const uint64_t *row = arrange(w, cost.cost, &n);

		set_file(w, cost.pos.file);
		to = cg_out_reserve(w->out, CG_COST_LINE_MAX(n));
		to = cg_format_cost_line(&w->lines, to, &cost.pos, row, n);
		cg_out_advance(w->out, to);
	}
}

static void
put_rows(struct callgrind_writer *w, cg_fn fn)
{
	struct cg_rows *rows = w->rows;
	struct cg_call call;
	struct cg_jump jump;
	cg_file file;

	if (w->main != 0)
		put_arranged_costs(w, rows);
	while (cg_put_cost_lines(rows, &w->lines, w->out, &file))
		set_file(w, file);
	while (cg_next_jump(rows, &jump))
		put_jump(w, fn, &jump);
	while (cg_next_call(rows, &call)) {
		if (w->self && fn == 0 &&
		    !callgrind_add_self(w->self, w->part, &call))
			return;
		put_call(w, &call);
	}
}

static bool
put_fns(struct callgrind_writer *w)
{
	struct cg_rows *rows = w->rows;
	size_t i = 0;
	cg_fn fn;

	while (cg_next_fn(w->graph, w->part, &i, &fn)) {
		if (!cg_rows_open(rows, w->part, fn))
			return false;
		if (!cg_rows_any(rows))
			continue;
		begin_fn(w, fn);
		put_rows(w, fn);
		cg_putc(w->out, '\n');
	}
	return true;
}

/* ---- Parts -------------------------------------------------------------- */

/*
 * Forgets which names have ids, as a new part (section of the file) begins.
 * KCachegrind forgets ids there, too. So each name is written out again when
 * the new part first uses it.
 */
static void
forget_names(struct callgrind_writer *w, cg_part part)
{
	w->objects.base = w->objects.count;
	w->files.base = w->files.count;
	w->fns_base = w->fns;
	w->object = 0;
	w->has_file = false;
	/*
	 * Without ob=, objects of the first part are unknown. KCachegrind
	 * needs ob= even then, as it lists "???" among other objects.
	 */
	w->has_object = part == 0 && cg_object_count(w->graph) == 0;
}

static bool
put_root(struct callgrind_writer *w)
{
	struct cg_call call;
	size_t i = 0;

	begin_fn(w, 0);
	while (callgrind_next_root_call(w->root, w->rows, w->part, &i, &call))
		put_call(w, &call);
	cg_putc(w->out, '\n');
	return cg_rejected(w->job) == CG_OK;
}

static bool
write_part(struct callgrind_writer *w, cg_part part)
{
	w->part = part;
	forget_names(w, part);
	put_header(w, part, w->root != NULL);
	if ((w->root && !put_root(w)) || !put_fns(w))
		return false;
	put_values(w, "totals:", cg_part_totals(w->graph, part));
	return cg_out_status(w->out) == CG_OK;
}

/*
 * True if cost lines get addresses. Never true for a graph without addresses.
 * Otherwise option --dump-instr decides. Without the option, true if each
 * address is that of one instruction. Other addresses are buckets of a
 * histogram, which a disassembly cannot show.
 */
static bool
wants_instr(const struct cg_job *job, const struct cg_graph *graph)
{
	if (!(cg_graph_facts(graph) & CG_INSTRS))
		return false;
	if (!cg_opt(job, "dump-instr"))
		return cg_graph_grain(graph) <= 1;
	return cg_opt_flag(job, "dump-instr");
}

static bool
open_names(struct callgrind_writer *w)
{
	const struct cg_graph *graph = w->graph;
	size_t fns = cg_fn_count(graph);

	w->objects.id =
	    cg_alloc(w->job, (cg_object_count(graph) + 1) * sizeof(uint32_t));
	w->files.id =
	    cg_alloc(w->job, (cg_file_count(graph) + 1) * sizeof(uint32_t));
	w->fn = cg_alloc(w->job, (fns + 1) * sizeof(*w->fn));
	w->row = cg_alloc(w->job, w->lines.most * sizeof(*w->row));
	if (!w->objects.id || !w->files.id || !w->fn || !w->row)
		return false;
	for (cg_fn fn = 0; fn <= fns; fn++)
		w->fn[fn] =
		    (struct callgrind_callee){ .file = cg_fn_file(graph, fn),
			    .object = cg_fn_object(graph, fn) };
	return callgrind_find_ambiguous(w);
}

/*
 * True if the function's inclusive cost in the input is greater than its self
 * cost. Only the main event is compared. False also if the input states no
 * inclusive cost.
 */
static bool
states_more(struct callgrind_writer *w, cg_part part, cg_fn fn)
{
	uint64_t self = 0;
	struct cg_cost cost;

	if (!cg_rows_open(w->rows, part, fn))
		return false;
	while (cg_next_cost(w->rows, &cost))
		self += w->main < cost.n ? cost.cost[w->main] : 0;
	return cg_stated_inclusive(w->rows, &cost) && w->main < cost.n &&
	       cost.cost[w->main] > self;
}

/*
 * Warns of inclusive costs that are lost. An input without calls may state
 * them, but KCachegrind computes inclusive costs from calls. Does nothing if
 * the graph has calls.
 */
static void
tell_inclusive(struct callgrind_writer *w)
{
	size_t fns = 0, i;
	cg_fn fn;

	if (cg_graph_facts(w->graph) & CG_CALLS)
		return;
	for (cg_part part = 0; part < cg_part_count(w->graph); part++)
		for (i = 0; cg_next_fn(w->graph, part, &i, &fn);)
			fns += states_more(w, part, fn);
	if (fns > 0)
		cg_warn(w->job,
		    "inclusive costs of %zu function%s are lost: the input "
		    "states no calls, from which KCachegrind computes them",
		    fns, fns == 1 ? "" : "s");
}

int
callgrind_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct callgrind_writer w = { .job = job,
		.graph = graph,
		.out = out,
		.short_names = cg_opt_flag(job, "compress-strings"),
		.lines = { .addrs = wants_instr(job, graph),
		    .lines = true,
		    .steps = cg_opt_flag(job, "compress-pos"),
		    .most = cg_event_count(graph) },
		.main = cg_main_event(graph) };
	bool ok;

	if (w.lines.most == 0)
		return cg_lacks(
		    job, "callgrind needs an event; the input has none");
	if (w.lines.most > KCACHEGRIND_EVENTS)
		cg_warn(job,
		    "writing %zu events, but KCachegrind opens files of at "
		    "most %d",
		    w.lines.most, KCACHEGRIND_EVENTS);
	w.rows = cg_rows_new(graph);
	if (w.rows && !w.lines.addrs)
		cg_rows_drop_addresses(w.rows);
	ok = w.rows && open_names(&w) &&
	     callgrind_open_root(job, graph, &w.root) &&
	     callgrind_open_self(job, graph, &w.self);
	if (ok)
		tell_inclusive(&w);
	w.one_command = same_command(graph);
	cg_puts(out, "# callgrind format\nversion: 1\n"
		     "creator: cgconv-" CG_VERSION "\n");
	for (cg_part part = 0; ok && part < cg_part_count(graph); part++)
		ok = write_part(&w, part);
	cg_rows_free(w.rows);
	return cg_out_status(out);
}
