/*
 * unwind.c - finds the caller of a frame, by call frame information (CFI).
 *
 * Source: DWARF 5, section 6.4; the psABI of x86-64, section 3.7; DWARF for the
 * Arm 64-bit Architecture. libdw finds and interprets the CFI of an address,
 * once: what it says is kept as rules. libdwfl, which unwinds whole processes,
 * interprets it again for each frame.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elffile.h"

#define STACK_MAX 64  /* values of a DWARF expression */
#define STEPS_MAX 512 /* its operations, with those that repeat */
/* A frame without CFI is at most that large: the limit of libunwind. */
#define GUESS_MAX 0x4000
/* Bits of addresses; pointer authentication uses those above. */
#define ARM_PC_MASK ((UINT64_C(1) << 48) - 1)

enum kind {
	UNDEFINED, /* the register's value is lost */
	AT_CFA,    /* it was saved at the canonical frame address + offset */
	CFA_PLUS,  /* it is that address + offset */
	REGISTER,  /* it is the value of reg + offset */
	EXPRESSION /* of DWARF */
};
struct rule {
	uint8_t to; /* the register */
	uint8_t kind;
	uint16_t reg;
	uint32_t ops; /* operations of the expression */
	union {
		uint64_t offset;
		const Dwarf_Op *op; /* of libdw, as long as its CFI */
	};
};
struct cg_frame_rules {
	unsigned machine;
	bool found;  /* there is CFI; if not, the frame pointer is used */
	bool end;    /* the frame has no caller */
	bool signal; /* it was interrupted by a signal */
	uint8_t ra;  /* the register with the return address */
	struct rule cfa;
	uint64_t lost; /* bits: the registers that are UNDEFINED */
	size_t count;  /* of rules for other registers */
	struct rule rule[];
};
struct cg_unwinder {
	Dwarf_CFI *cfi[2]; /* .eh_frame, .debug_frame */
	unsigned machine;
	struct cg_map by_addr; /* to an index of known, from 1 */
	const struct cg_frame_rules **known;
	size_t count, cap;
	struct cg_arena arena; /* of the rules */
};

/* What is special to a machine. */
struct machine {
	unsigned machine;
	unsigned registers; /* that calls may save */
	unsigned sp, fp;
};
static const struct machine machines[] = {
	{ EM_X86_64, 17, 7, 6 },
	{ EM_AARCH64, 32, 31, 29 },
};

static const struct machine *
get_machine(unsigned machine)
{
	return &machines[machine == EM_AARCH64];
}

unsigned
cg_stack_pointer(unsigned machine)
{
	return get_machine(machine)->sp;
}

/* ---- Rules -------------------------------------------------------------- */

/*
 * Returns the rule for register `to` of the caller, from libdw's n DWARF
 * operations. Common forms have their own kinds; others are kept as
 * expressions. UNDEFINED: n is 0 or too large, or the value is in a register
 * that is not tracked.
 */
static struct rule
make_rule(unsigned to, const Dwarf_Op *op, size_t n)
{
	struct rule rule = { .to = (uint8_t)to, .kind = UNDEFINED };
	const bool value = n > 1 && op[n - 1].atom == DW_OP_stack_value;
	const size_t used = n - value;

	if (n == 0 || n > STEPS_MAX)
		return rule;
	if (n == 1 && op->atom == DW_OP_regx) {
		rule.kind = REGISTER;
		rule.reg = (uint16_t)op->number;
		if (op->number >= CG_REGISTERS)
			rule.kind = UNDEFINED;
	} else if (op->atom == DW_OP_call_frame_cfa &&
		   (used == 1 ||
		       (used == 2 && op[1].atom == DW_OP_plus_uconst))) {
		rule.kind = value ? CFA_PLUS : AT_CFA;
		rule.offset = used == 2 ? op[1].number : 0;
	} else {
		rule.kind = EXPRESSION;
		rule.op = op;
		rule.ops = (uint32_t)n;
	}
	return rule;
}

/*
 * Sets the rule for the canonical frame address (CFA), relative to which the
 * frame's registers are stored. False: libdw states none, it is too long, or
 * its register is not tracked.
 */
static bool
set_cfa(struct cg_frame_rules *rules, Dwarf_Frame *frame)
{
	Dwarf_Op *op;
	size_t n;

	if (cg_dw.dwarf_frame_cfa(frame, &op, &n) != 0 || n == 0 ||
	    n > STEPS_MAX)
		return false;
	if (n > 1 || op->atom != DW_OP_bregx) {
		rules->cfa = (struct rule){
			.kind = EXPRESSION, .op = op, .ops = (uint32_t)n
		};
		return true;
	}
	/* This operation is part of the frame, which is freed. */
	if (op->number >= CG_REGISTERS)
		return false;
	rules->cfa = (struct rule){ .kind = REGISTER,
		.reg = (uint16_t)op->number,
		.offset = op->number2 };
	return true;
}

/*
 * Adds the rules for the caller's registers, as libdw's frame states them.
 * Registers that keep their value get none; those lost or not understood get a
 * bit in rules->lost. Either sets rules->found. Sets rules->end if there is no
 * return address, and so no caller.
 */
static void
set_rules(struct cg_frame_rules *rules, Dwarf_Frame *frame)
{
	Dwarf_Op memory[3], *op;
	struct rule rule;
	size_t n;

	for (unsigned i = 0; i < get_machine(rules->machine)->registers; i++) {
		/* What cannot be interpreted counts as undefined. */
		if (cg_dw.dwarf_frame_register(
			frame, (int)i, memory, &op, &n) != 0) {
			op = memory;
			n = 0;
		}
		if (n == 0 && op == NULL)
			continue; /* it has the same value */
		rules->found = true;
		rules->end |= i == rules->ra && n == 0;
		rule = make_rule(i, op, n);
		if (rule.kind == UNDEFINED)
			rules->lost |= UINT64_C(1) << i;
		else
			rules->rule[rules->count++] = rule;
	}
}

/*
 * Sets the rules for an address by call frame information. Of .eh_frame and
 * .debug_frame, the first that has the address is used. If none has it, or the
 * frame address cannot be computed, rules->found stays false. rules->machine
 * must be set, and rules->rule[] have room for CG_REGISTERS rules. False: out
 * of memory.
 */
static bool
find_rules(struct cg_unwinder *u, uint64_t addr, struct cg_frame_rules *rules)
{
	Dwarf_Frame *frame = NULL;
	int ra;

	errno = 0;
	for (size_t i = 0; i < 2 && !frame; i++) {
		if (u->cfi[i] &&
		    cg_dw.dwarf_cfi_addrframe(u->cfi[i], addr, &frame) != 0)
			frame = NULL;
	}
	if (!frame && errno == ENOMEM)
		return false;
	if (frame) {
		ra = cg_dw.dwarf_frame_info(frame, NULL, NULL, &rules->signal);
		rules->ra = ra < 0 ? 0 : (uint8_t)ra;
		if (ra >= 0 && ra < CG_REGISTERS && set_cfa(rules, frame))
			set_rules(rules, frame);
	}
	free(frame);
	return true;
}

/*
 * Finds the rules for an address and keeps them as the last of u->known.
 * Returns them; valid as long as the unwinder. NULL: out of memory.
 */
static const struct cg_frame_rules *
add_rules(struct cg_unwinder *u, uint64_t addr)
{
	union {
		struct cg_frame_rules rules;
		char room[sizeof(struct cg_frame_rules) +
			  CG_REGISTERS * sizeof(struct rule)];
	} found = { .rules.machine = u->machine };
	struct cg_frame_rules *rules;
	size_t size;

	if (!find_rules(u, addr, &found.rules) ||
	    !cg_grow(&u->known, &u->cap, u->count + 1, sizeof(*u->known)))
		return NULL;
	size = sizeof(*rules) + found.rules.count * sizeof(*rules->rule);
	rules = cg_arena_alloc(&u->arena, size);
	if (!rules)
		return NULL;
	memcpy(rules, &found, size);
	u->known[u->count++] = rules;
	return rules;
}

const struct cg_frame_rules *
cg_unwinder_rules(struct cg_unwinder *u, uint64_t addr)
{
	uint32_t *id = cg_map_at(&u->by_addr, addr);
	const struct cg_frame_rules *rules;

	if (!id || *id)
		return id ? u->known[*id - 1] : NULL;
	rules = add_rules(u, addr);
	if (rules)
		*id = (uint32_t)u->count;
	return rules;
}

/* ---- Expressions -------------------------------------------------------- */

struct state {
	const struct cg_memory *memory;
	const struct cg_registers *regs;
	uint64_t cfa;
};
struct values {
	uint64_t at[STACK_MAX];
	size_t n;
};

static bool
read_memory(const struct cg_memory *memory, uint64_t addr, uint64_t *value)
{
	uint64_t at = addr - memory->start;

	if (memory->bytes.len < sizeof(*value) ||
	    at > memory->bytes.len - sizeof(*value))
		return false;
	memcpy(value, memory->bytes.ptr + at, sizeof(*value));
	if (memory->swap)
		*value = __builtin_bswap64(*value);
	return true;
}

static bool
read_register(const struct cg_registers *regs, uint64_t reg, uint64_t *value)
{
	if (reg >= CG_REGISTERS || !(regs->known >> reg & 1))
		return false;
	*value = regs->value[reg];
	return true;
}

/*
 * Sets *result to the value of a DWARF operation with two operands: b is the
 * top of the stack, and a the value below it. False: op is another operation.
 */
static bool
compute(const Dwarf_Op *op, uint64_t a, uint64_t b, uint64_t *result)
{
	const int64_t left = (int64_t)a, right = (int64_t)b;

	switch (op->atom) {
	case DW_OP_plus: *result = a + b; return true;
	case DW_OP_minus: *result = a - b; return true;
	case DW_OP_mul: *result = a * b; return true;
	case DW_OP_and: *result = a & b; return true;
	case DW_OP_or: *result = a | b; return true;
	case DW_OP_xor: *result = a ^ b; return true;
	case DW_OP_shl: *result = b < 64 ? a << b : 0; return true;
	case DW_OP_shr: *result = b < 64 ? a >> b : 0; return true;
	case DW_OP_le: *result = left <= right; return true;
	case DW_OP_ge: *result = left >= right; return true;
	case DW_OP_eq: *result = left == right; return true;
	case DW_OP_lt: *result = left < right; return true;
	case DW_OP_gt: *result = left > right; return true;
	case DW_OP_ne: *result = left != right; return true;
	default: return false;
	}
}

static bool
push(struct values *values, uint64_t value)
{
	if (values->n == STACK_MAX)
		return false;
	values->at[values->n++] = value;
	return true;
}

/*
 * Executes a DWARF operation if it is one that only pushes a value (*known
 * becomes true). False: it is another one (*known is false), or it cannot be
 * executed, as a register is unknown or the stack is full.
 */
static bool
push_operand(const struct state *state, const Dwarf_Op *op,
    struct values *values, bool *known)
{
	uint64_t value = op->number;

	*known = true;
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(values, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
		return push(values, value);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return read_register(
			   state->regs, op->atom - DW_OP_breg0, &value) &&
		       push(values, value + op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return read_register(state->regs, op->number, &value) &&
		       push(values, value + op->number2);
	case DW_OP_call_frame_cfa: return push(values, state->cfa);
	case DW_OP_dup:
		return values->n > 0 && push(values, values->at[values->n - 1]);
	case DW_OP_over:
		return values->n > 1 && push(values, values->at[values->n - 2]);
	case DW_OP_pick:
		return op->number < values->n &&
		       push(values, values->at[values->n - 1 - op->number]);
	default: *known = false; return false;
	}
}

/*
 * Executes one operation of a DWARF expression on the stack in values; jumps
 * are left to the caller. False: it cannot be executed.
 */
static bool
execute(const struct state *state, const Dwarf_Op *op, struct values *values)
{
	uint64_t *top, swap;
	bool known;

	if (push_operand(state, op, values, &known))
		return true;
	if (known || values->n == 0)
		return false;
	top = &values->at[values->n - 1];
	switch (op->atom) {
	case DW_OP_nop: return true;
	case DW_OP_drop: values->n--; return true;
	case DW_OP_deref: return read_memory(state->memory, *top, top);
	case DW_OP_plus_uconst: *top += op->number; return true;
	case DW_OP_neg: *top = 0 - *top; return true;
	case DW_OP_not: *top = ~*top; return true;
	default: break;
	}
	if (values->n < 2)
		return false;
	if (op->atom == DW_OP_swap) {
		swap = top[-1];
		top[-1] = *top;
		*top = swap;
		return true;
	}
	values->n--;
	return compute(op, top[-1], *top, &top[-1]);
}

/*
 * Returns the index in rule->op of the operation to which a jump (DW_OP_skip,
 * DW_OP_bra) leads; rule->ops: there is none, the expression ends. The offset
 * of a jump is relative to the next operation, 3 bytes later.
 */
static size_t
jump(const struct rule *rule, const Dwarf_Op *op)
{
	uint64_t offset = op->offset + 3 + (uint64_t)(int16_t)op->number;
	size_t i = 0;

	while (i < rule->ops && rule->op[i].offset != offset)
		i++;
	return i;
}

/*
 * Sets *result to the value of a rule's DWARF expression, the top of its
 * stack. False: it has no value here, or takes too many steps.
 */
static bool
evaluate(const struct state *state, const struct rule *rule, uint64_t *result)
{
	struct values values;
	size_t steps = 0;

	values.n = 0;
	for (size_t i = 0; i < rule->ops; steps++) {
		const Dwarf_Op *op = &rule->op[i++];

		if (steps == STEPS_MAX)
			return false;
		if (op->atom == DW_OP_stack_value)
			break;
		if (op->atom == DW_OP_skip) {
			i = jump(rule, op);
		} else if (op->atom == DW_OP_bra) {
			if (values.n == 0)
				return false;
			if (values.at[--values.n] != 0)
				i = jump(rule, op);
		} else if (!execute(state, op, &values)) {
			return false;
		}
	}
	if (values.n == 0)
		return false;
	*result = values.at[values.n - 1];
	return true;
}

/* ---- One step ----------------------------------------------------------- */

static bool
get_cfa(struct state *state, const struct rule *rule)
{
	uint64_t value;

	if (rule->kind == EXPRESSION)
		return evaluate(state, rule, &state->cfa);
	if (!read_register(state->regs, rule->reg, &value))
		return false;
	state->cfa = value + rule->offset;
	return true;
}

/*
 * Sets *value to the value that a register has in the caller, computed by its
 * rule from the registers and memory of the current frame; false: it is
 * unknown.
 */
static bool
apply(const struct state *state, const struct rule *rule, uint64_t *value)
{
	switch ((enum kind)rule->kind) {
	case UNDEFINED: return false;
	case AT_CFA:
		return read_memory(
		    state->memory, state->cfa + rule->offset, value);
	case CFA_PLUS: *value = state->cfa + rule->offset; return true;
	case REGISTER: return read_register(state->regs, rule->reg, value);
	case EXPRESSION:
		/* It has the address, unless it states a value. */
		return evaluate(state, rule, value) &&
		       (rule->op[rule->ops - 1].atom == DW_OP_stack_value ||
			   read_memory(state->memory, *value, value));
	}
	return false;
}

/*
 * Ends a step from a callee, with sp and pc, to its caller, with regs. Sets
 * regs->called. The stack must shrink, or stay equal at another pc, except to
 * a caller that a signal interrupted. Returns CG_UNWOUND, CG_UNWOUND_END: no
 * caller, or CG_UNWOUND_UNKNOWN: regs are wrong.
 */
static enum cg_unwound
finish(struct cg_registers *regs, uint64_t sp, uint64_t pc, bool signal)
{
	const unsigned number = get_machine(regs->machine)->sp;
	uint64_t next;

	if (regs->machine == EM_AARCH64)
		regs->pc &= ARM_PC_MASK;
	if (regs->pc == 0)
		return CG_UNWOUND_END;
	/* The stack shrinks, but for a leaf, and to that of a signal. */
	if (!read_register(regs, number, &next) ||
	    (next == sp && regs->pc == pc) || (next < sp && !signal))
		return CG_UNWOUND_UNKNOWN;
	regs->called = !signal;
	return CG_UNWOUND;
}

static enum cg_unwound
step(const struct cg_frame_rules *rules, const struct cg_memory *memory,
    struct cg_registers *regs)
{
	const struct rule *rule = rules->rule;
	const uint64_t sp = regs->value[get_machine(regs->machine)->sp];
	const uint64_t pc = regs->pc;
	struct state state = { .memory = memory, .regs = regs };
	uint64_t value[CG_REGISTERS], lost = rules->lost, known = 0;

	if (rules->end)
		return CG_UNWOUND_END;
	if (!get_cfa(&state, &rules->cfa))
		return CG_UNWOUND_UNKNOWN;
	for (size_t i = 0; i < rules->count; i++) {
		const uint64_t bit = UINT64_C(1) << rule[i].to;

		if (apply(&state, &rule[i], &value[i]))
			known |= bit;
		else
			lost |= bit;
	}
	/* All rules are about the registers as they were. */
	for (size_t i = 0; i < rules->count; i++) {
		if (known >> rule[i].to & 1)
			regs->value[rule[i].to] = value[i];
	}
	regs->known = (regs->known & ~lost) | known;
	if (!read_register(regs, rules->ra, &regs->pc))
		return CG_UNWOUND_SHORT;
	return finish(regs, sp, pc, rules->signal);
}

/*
 * Replaces the registers by the caller's, by the frame pointer alone. Returns
 * CG_UNWOUND_GUESSED; CG_UNWOUND_END: no caller, CG_UNWOUND_UNKNOWN: registers
 * unknown or wrong, CG_UNWOUND_SHORT: memory is missing. Without a caller,
 * registers may be changed in part.
 */
static enum cg_unwound
step_by_fp(const struct cg_memory *memory, struct cg_registers *regs)
{
	const struct machine *machine = get_machine(regs->machine);
	const uint64_t pc = regs->pc;
	uint64_t fp, sp;
	enum cg_unwound unwound;

	if (!read_register(regs, machine->fp, &fp) ||
	    !read_register(regs, machine->sp, &sp))
		return CG_UNWOUND_UNKNOWN;
	if (fp == 0)
		return CG_UNWOUND_END;
	if (fp < sp || fp - sp > GUESS_MAX)
		return CG_UNWOUND_UNKNOWN;
	if (!read_memory(memory, fp, &regs->value[machine->fp]) ||
	    !read_memory(memory, fp + 8, &regs->pc))
		return CG_UNWOUND_SHORT;
	regs->value[machine->sp] = fp + 16;
	regs->known = UINT64_C(1) << machine->fp | UINT64_C(1) << machine->sp;
	unwound = finish(regs, sp, pc, false);
	return unwound == CG_UNWOUND ? CG_UNWOUND_GUESSED : unwound;
}

const struct cg_frame_rules *
cg_rules_by_fp(void)
{
	static const struct cg_frame_rules none;

	return &none;
}

enum cg_unwound
cg_unwind(const struct cg_frame_rules *rules, const struct cg_memory *memory,
    struct cg_registers *regs)
{
	return rules->found && rules->machine == regs->machine
		   ? step(rules, memory, regs)
		   : step_by_fp(memory, regs);
}

/* ---- Files -------------------------------------------------------------- */

struct cg_unwinder *
cg_unwinder_open(
    const struct cg_elffile *file, Dwarf_CFI *debug_frame, int *status)
{
	struct cg_unwinder *u = calloc(1, sizeof(*u));

	*status = u ? CG_OK : CG_ELIMIT;
	if (!u)
		return NULL;
	u->machine = file->head.e_machine;
	if (u->machine != EM_X86_64 && u->machine != EM_AARCH64)
		return u;
	errno = 0;
	u->cfi[0] = cg_dw.dwarf_getcfi_elf(file->elf);
	if (!u->cfi[0])
		*status = cg_libelf_status();
	u->cfi[1] = debug_frame;
	return u;
}

void
cg_unwinder_close(struct cg_unwinder *u)
{
	if (!u)
		return;
	if (u->cfi[0])
		(void)cg_dw.dwarf_cfi_end(u->cfi[0]);
	cg_map_free(&u->by_addr);
	cg_arena_free(&u->arena);
	free(u->known);
	free(u);
}
