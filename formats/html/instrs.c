/*
 * instrs.c - instructions and jumps as columns.
 *
 *	code_fn code_high code_low code_instrs code_sites code_asm
 *						by function with addresses: its
 *						lowest address in two halves, as
 *						a browser's numbers are too
 *						short; its rows of the next two;
 *						its asm_object, see disasm.c, 0
 *						if it has none
 *	instr_offset instr_file instr_line instr_cost
 *						by address and line
 *	site_offset site_file site_line site_to site_count site_cost
 *						by address of a call and callee
 *	jump_fn jump_offset jump_file jump_line jump_flags jump_distance
 *	jump_to jump_to_file jump_to_line jump_executed jump_followed
 *						by jump
 *	instrs jumps grain			numbers of rows; bytes that an
 *						address stands for
 *
 * Offsets are from the lowest address, plus 1; 0: no address. A distance is
 * that of both addresses of a jump.
 */

#include <string.h>

#include "html.h"

#define JUMP_CONDITIONAL 1u
#define JUMP_ADDRESSES 2u /* both are known */

enum { FN, HIGH, LOW, INSTRS, SITES, ASM, CODE_NUMBERS };
enum { OFFSET, FILE_AT, LINE, INSTR_NUMBERS };
enum { SITE_OFFSET, SITE_FILE, SITE_LINE, SITE_TO, SITE_COUNT, SITE_NUMBERS };
enum {
	JUMP_FN,
	JUMP_OFFSET,
	JUMP_FILE,
	JUMP_LINE,
	JUMP_FLAGS,
	JUMP_DISTANCE,
	JUMP_TO,
	JUMP_TO_FILE,
	JUMP_TO_LINE,
	JUMP_EXECUTED,
	JUMP_FOLLOWED,
	JUMP_NUMBERS
};

struct instrs {
	struct html_writer *w;
	const struct cg_sums *sums;
	const bool *dropped; /* by fn */
	struct cg_rows *rows;
	bool jumps;      /* the page shows jumps */
	bool addresses;  /* the graph has addresses of costs */
	cg_fn fn;        /* the function that is added */
	uint64_t lowest; /* its lowest address; 0: it has none */
	uint32_t listed; /* its object file in the disassembly; 0: none */
	uint64_t *cost;  /* one for each event */
	struct html_column code[CODE_NUMBERS], instr[INSTR_NUMBERS],
	    site[SITE_NUMBERS], jump[JUMP_NUMBERS];
	struct html_column *instr_cost, *site_cost;
};

static uint64_t
offset_of(const struct instrs *at, uint64_t addr)
{
	return addr == 0 || at->lowest == 0 ? 0 : addr - at->lowest + 1;
}

static uint32_t
index_of(const struct instrs *at, cg_fn fn)
{
	return at->dropped[fn] ? at->w->fns : at->w->rank[fn];
}

static void
lower(struct instrs *at, uint64_t addr)
{
	if (addr != 0 && (at->lowest == 0 || addr < at->lowest))
		at->lowest = addr;
}

/*
 * Sets at->lowest to the lowest address of the costs, calls and jumps of the
 * function at->fn. Address 0 does not count. at->lowest is 0 if there is no
 * other, or if the page shows no addresses. Offsets in the page are relative
 * to it. Costs are sorted by address, so the first one with an address
 * suffices. Opens and reads at->rows, so the caller has to open them again.
 * False: an error (reported).
 */
static bool
find_lowest(struct instrs *at)
{
	struct cg_cost cost;
	struct cg_call call;
	struct cg_jump jump;

	at->lowest = 0;
	if (!at->addresses)
		return true;
	if (!cg_rows_open(at->rows, CG_ALL_PARTS, at->fn))
		return false;
	while (at->lowest == 0 && cg_next_cost(at->rows, &cost))
		lower(at, cost.pos.addr);
	while (cg_next_call(at->rows, &call))
		lower(at, call.site.addr);
	while (cg_next_jump(at->rows, &jump))
		lower(at, jump.from.addr);
	return true;
}

/* ---- Rows --------------------------------------------------------------- */

/* Notes an instruction for the listing of --disassembly. */
static void
find_text(struct instrs *at, uint64_t addr)
{
	const struct cg_graph *graph = at->w->graph;

	if (at->w->disasm && addr != 0)
		at->listed = html_disasm_find(at->w->disasm,
		    cg_object_path(graph, cg_fn_object(graph, at->fn)),
		    at->listed, addr);
}

static bool
add_instr(struct instrs *at, const struct cg_cost *row)
{
	struct html_writer *w = at->w;
	const struct html_key key = { .addr = row->pos.addr,
		.file = row->pos.file,
		.line = row->pos.line };

	find_text(at, row->pos.addr);
	return html_note(w, HTML_INSTRS, at->fn, &key) &&
	       html_add(w, &at->instr[OFFSET], offset_of(at, row->pos.addr)) &&
	       html_add(w, &at->instr[FILE_AT], html_file(w, row->pos.file)) &&
	       html_add(w, &at->instr[LINE], row->pos.line) &&
	       html_add_costs(w, at->instr_cost, row->cost, row->n);
}

static bool
add_site(struct instrs *at, const struct cg_call *call)
{
	struct html_writer *w = at->w;
	struct html_column *site = at->site;
	const struct html_key key = html_key_of_call(call);

	find_text(at, call->site.addr);
	for (size_t i = 0; i < w->events; i++)
		at->cost[i] = cg_sum_call(at->sums, at->fn, call, i);
	return html_note(w, HTML_SITES, at->fn, &key) &&
	       html_add(
		   w, &site[SITE_OFFSET], offset_of(at, call->site.addr)) &&
	       html_add(w, &site[SITE_FILE], html_file(w, call->site.file)) &&
	       html_add(w, &site[SITE_LINE], call->site.line) &&
	       html_add(w, &site[SITE_TO], index_of(at, call->callee)) &&
	       html_add(w, &site[SITE_COUNT], call->count) &&
	       html_add_costs(w, at->site_cost, at->cost, w->events);
}

static bool
add_jump(struct instrs *at, const struct cg_jump *jump)
{
	struct html_writer *w = at->w;
	struct html_column *to = at->jump;
	bool known =
	    at->lowest != 0 && jump->from.addr != 0 && jump->to.addr != 0;
	unsigned flags = (jump->conditional ? JUMP_CONDITIONAL : 0) |
			 (known ? JUMP_ADDRESSES : 0);

	const struct html_key key = html_key_of_jump(jump);

	find_text(at, jump->from.addr);
	return html_note(w, HTML_JUMPS, at->fn, &key) &&
	       html_add(w, &to[JUMP_FN], w->rank[at->fn]) &&
	       html_add(w, &to[JUMP_OFFSET], offset_of(at, jump->from.addr)) &&
	       html_add(w, &to[JUMP_FILE], html_file(w, jump->from.file)) &&
	       html_add(w, &to[JUMP_LINE], jump->from.line) &&
	       html_add(w, &to[JUMP_FLAGS], flags) &&
	       html_add_signed(w, &to[JUMP_DISTANCE],
		   known ? (int64_t)(jump->to.addr - jump->from.addr) : 0) &&
	       html_add(w, &to[JUMP_TO], index_of(at, jump->target)) &&
	       html_add(w, &to[JUMP_TO_FILE], html_file(w, jump->to.file)) &&
	       html_add(w, &to[JUMP_TO_LINE], jump->to.line) &&
	       html_add(w, &to[JUMP_EXECUTED], jump->executed) &&
	       html_add(w, &to[JUMP_FOLLOWED], jump->followed);
}

/*
 * Adds the instructions and call sites of the function at->fn to the page's
 * arrays (columns). Then adds an element for the function to the arrays
 * at->code: its lowest address, and the numbers of its instructions and call
 * sites. The caller has opened the function's rows, and checked that it has
 * addresses. False: out of memory (reported).
 */
static bool
add_code(struct instrs *at)
{
	struct html_writer *w = at->w;
	const uint64_t instrs = at->instr[OFFSET].count;
	const uint64_t sites = at->site[SITE_OFFSET].count;
	struct cg_cost cost;
	struct cg_call call;
	bool ok = true;

	while (ok && cg_next_cost(at->rows, &cost))
		ok = add_instr(at, &cost);
	while (ok && cg_next_call(at->rows, &call))
		ok = add_site(at, &call);
	return ok && html_add(w, &at->code[FN], w->rank[at->fn]) &&
	       html_add(w, &at->code[HIGH], at->lowest >> 32) &&
	       html_add(w, &at->code[LOW], (uint32_t)at->lowest) &&
	       html_add(
		   w, &at->code[INSTRS], at->instr[OFFSET].count - instrs) &&
	       html_add(
		   w, &at->code[SITES], at->site[SITE_OFFSET].count - sites) &&
	       (!w->disasm || html_add(w, &at->code[ASM], at->listed));
}

static bool
add_fn(struct instrs *at)
{
	struct cg_jump jump;
	bool ok =
	    find_lowest(at) && cg_rows_open(at->rows, CG_ALL_PARTS, at->fn);

	at->listed = 0;
	ok = ok && (at->lowest == 0 || add_code(at));
	while (ok && at->jumps && cg_next_jump(at->rows, &jump))
		ok = add_jump(at, &jump);
	return ok;
}

/* ---- Columns ------------------------------------------------------------ */

static void
name_columns(struct instrs *at)
{
	static const struct html_column code[CODE_NUMBERS] = {
		[FN] = { .name = "code_fn", .type = HTML_DELTA },
		[HIGH] = { .name = "code_high", .type = HTML_NUMBER },
		[LOW] = { .name = "code_low", .type = HTML_NUMBER },
		[INSTRS] = { .name = "code_instrs", .type = HTML_NUMBER },
		[SITES] = { .name = "code_sites", .type = HTML_NUMBER },
		[ASM] = { .name = "code_asm", .type = HTML_NUMBER },
	};
	static const struct html_column instr[INSTR_NUMBERS] = {
		[OFFSET] = { .name = "instr_offset", .type = HTML_TIME },
		[FILE_AT] = { .name = "instr_file", .type = HTML_DELTA },
		[LINE] = { .name = "instr_line", .type = HTML_DELTA },
	};
	static const struct html_column site[SITE_NUMBERS] = {
		[SITE_OFFSET] = { .name = "site_offset", .type = HTML_TIME },
		[SITE_FILE] = { .name = "site_file", .type = HTML_DELTA },
		[SITE_LINE] = { .name = "site_line", .type = HTML_DELTA },
		[SITE_TO] = { .name = "site_to", .type = HTML_NUMBER },
		[SITE_COUNT] = { .name = "site_count", .type = HTML_COST },
	};
	static const struct html_column jump[JUMP_NUMBERS] = {
		[JUMP_FN] = { .name = "jump_fn", .type = HTML_DELTA },
		[JUMP_OFFSET] = { .name = "jump_offset", .type = HTML_TIME },
		[JUMP_FILE] = { .name = "jump_file", .type = HTML_DELTA },
		[JUMP_LINE] = { .name = "jump_line", .type = HTML_DELTA },
		[JUMP_FLAGS] = { .name = "jump_flags", .type = HTML_NUMBER },
		[JUMP_DISTANCE] = { .name = "jump_distance",
		    .type = HTML_SIGNED },
		[JUMP_TO] = { .name = "jump_to", .type = HTML_DELTA },
		[JUMP_TO_FILE] = { .name = "jump_to_file", .type = HTML_DELTA },
		[JUMP_TO_LINE] = { .name = "jump_to_line", .type = HTML_DELTA },
		[JUMP_EXECUTED] = { .name = "jump_executed",
		    .type = HTML_COST },
		[JUMP_FOLLOWED] = { .name = "jump_followed",
		    .type = HTML_COST },
	};

	memcpy(at->code, code, sizeof(code));
	memcpy(at->instr, instr, sizeof(instr));
	memcpy(at->site, site, sizeof(site));
	memcpy(at->jump, jump, sizeof(jump));
}

static bool
open_instrs(struct instrs *at)
{
	struct html_writer *w = at->w;

	name_columns(at);
	at->rows = cg_rows_new(w->graph);
	at->cost = cg_alloc(w->job, w->events * sizeof(*at->cost));
	at->instr_cost = html_new_costs(w, "instr_cost");
	at->site_cost = html_new_costs(w, "site_cost");
	return at->rows && at->cost && at->instr_cost && at->site_cost;
}

static bool
put_instrs(struct instrs *at)
{
	struct html_writer *w = at->w;
	const uint64_t n =
	    at->instr[OFFSET].count + at->site[SITE_OFFSET].count;

	if (n == 0)
		return true;
	if (!html_begin_data(w, "instrs"))
		return false;
	html_end_columns(w, at->code, CODE_NUMBERS);
	html_end_columns(w, at->instr, INSTR_NUMBERS);
	html_end_costs(w, at->instr_cost);
	html_end_columns(w, at->site, SITE_NUMBERS);
	html_end_costs(w, at->site_cost);
	return html_put_disasm(w) && html_end_data(w) &&
	       html_put_number(w, "instrs", n) &&
	       html_put_number(w, "grain", cg_graph_grain(w->graph));
}

static bool
put_jumps(struct instrs *at)
{
	struct html_writer *w = at->w;
	const uint64_t n = at->jump[JUMP_FN].count;

	if (n == 0)
		return true;
	if (!html_begin_data(w, "jumps"))
		return false;
	html_end_columns(w, at->jump, JUMP_NUMBERS);
	return html_end_data(w) && html_put_number(w, "jumps", n);
}

bool
html_has_jumps(cg_facts facts)
{
	return facts & CG_JUMPS && !(facts & CG_BRANCHES);
}

bool
html_put_instrs(
    struct html_writer *w, const struct cg_sums *sums, const bool *dropped)
{
	const cg_facts facts = cg_graph_facts(w->graph);
	struct instrs at = { .w = w,
		.sums = sums,
		.dropped = dropped,
		.jumps = html_has_jumps(facts),
		.addresses = facts & CG_INSTRS };
	bool ok;

	if (!at.jumps && !at.addresses)
		return true;
	ok = open_instrs(&at);
	for (size_t i = 0;
	     ok && cg_next_fn(w->graph, CG_ALL_PARTS, &i, &at.fn);)
		ok = dropped[at.fn] || add_fn(&at);
	ok = ok && put_instrs(&at) && put_jumps(&at);
	cg_rows_free(at.rows);
	return ok;
}
