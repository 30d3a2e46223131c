/*
 * unwind.c - user stacks of samples that have the registers of the process and
 * a copy of the top of its stack (--call-graph dwarf).
 *
 * Source: linux/perf_event.h, evsel__parse_sample() in util/evsel.c and
 * util/unwind-libunwind-local.c of perf 6.1; asm/perf_regs.h of x86 and arm64.
 * As in perf, the address of a caller is that of the last byte of its call.
 */
#include <elf.h>

#include "perf_data.h"

enum { ABI_NONE, ABI_32, ABI_64 }; /* PERF_SAMPLE_REGS_ABI_... */

/* ---- Registers ---------------------------------------------------------- */

#define NONE UINT8_MAX
/* DWARF's numbers of perf's registers; the program counter is one of both. */
#define X86_64_PC 16
static const uint8_t x86_64[] = { 0, 3, 2, 1, 4, 5, 6, 7, X86_64_PC, NONE, NONE,
	NONE, NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12, 13, 14, 15 };
/* Those of arm64 are DWARF's, up to the program counter. */
#define ARM64_PC 32

static uint8_t
number_of(unsigned machine, unsigned reg)
{
	if (machine == EM_X86_64)
		return reg < sizeof(x86_64) ? x86_64[reg] : NONE;
	return reg <= ARM64_PC ? (uint8_t)reg : NONE;
}

/*
 * Returns the machine (EM_...) of the recording. If the file does not state
 * it, returns the machine that has the sampled registers.
 */
static unsigned
get_machine(const struct perf_file *f, const struct perf_event *event)
{
	if (f->machine != EM_NONE)
		return f->machine;
	return event->user_regs >> ARM64_PC & 1 ? EM_AARCH64 : EM_X86_64;
}

/*
 * Sets regs->value, regs->known and regs->pc from the words of 8 bytes at
 * "at". regs->machine must be set. There is one word for each bit of the mask,
 * lowest bit first. The number of a bit is perf's number of a register, and
 * becomes that of DWARF. Skips registers without a number in DWARF.
 */
static void
get_registers(const struct perf_file *f, uint64_t mask, const char *at,
    struct cg_registers *regs)
{
	const bool arm = regs->machine == EM_AARCH64;

	for (unsigned i = 0; i < 64; i++) {
		uint8_t number = number_of(regs->machine, i);

		if (!(mask >> i & 1))
			continue;
		if (number < CG_REGISTERS) {
			regs->value[number] = perf_u64(f, at);
			regs->known |= UINT64_C(1) << number;
		}
		at += 8;
	}
	regs->pc = regs->value[arm ? ARM64_PC : X86_64_PC];
}

/* ---- The parts of a sample ---------------------------------------------- */

static bool
take(struct cg_slice *rest, uint64_t n, const char **at)
{
	if (n > rest->len)
		return false;
	*at = rest->ptr;
	rest->ptr += n;
	rest->len -= (size_t)n;
	return true;
}

static bool
take_u64(const struct perf_file *f, struct cg_slice *rest, uint64_t *value)
{
	const char *at;

	if (!take(rest, sizeof(*value), &at))
		return false;
	*value = perf_u64(f, at);
	return true;
}

/*
 * Skips the parts of a sample between its call chain and its registers. These
 * are raw data and a branch stack, if the event has them. Advances *rest to
 * the registers. False: the sample is truncated.
 */
static bool
skip_parts(const struct perf_file *f, const struct perf_event *event,
    struct cg_slice *rest)
{
	const char *at;
	uint64_t count;

	if (event->has_raw) {
		if (rest->len < 4)
			return false;
		count = perf_u32(f, rest->ptr);
		if (!take(rest, 4 + count, &at))
			return false;
	}
	if (event->branch_size == 0)
		return true;
	return take_u64(f, rest, &count) && count <= rest->len &&
	       take(rest, event->branch_head + count * event->branch_size, &at);
}

/*
 * Reads the registers and the copy of the stack from the rest of a sample,
 * after its call chain. If the sample has no registers, sets *abi to ABI_NONE,
 * and keeps *regs. regs->machine must be set. Sets *memory to the used bytes
 * of the copy, which stay in the sample. They begin at the address in the
 * stack pointer of *regs. False: the sample is truncated, or states a wrong
 * size.
 */
static bool
take_state(const struct perf_file *f, const struct perf_event *event,
    struct cg_slice rest, struct cg_registers *regs, struct cg_memory *memory,
    uint64_t *abi)
{
	const char *at;
	uint64_t size, used = 0;

	if (!skip_parts(f, event, &rest) || !take_u64(f, &rest, abi))
		return false;
	if (*abi != ABI_NONE) {
		if (!take(&rest,
			8 * (uint64_t)__builtin_popcountll(event->user_regs),
			&at))
			return false;
		get_registers(f, event->user_regs, at, regs);
	}
	/* The part of the copy that is used follows it. */
	if (!take_u64(f, &rest, &size) || !take(&rest, size, &at) ||
	    (size > 0 && !take_u64(f, &rest, &used)) || used > size)
		return false;
	memory->start = regs->value[cg_stack_pointer(regs->machine)];
	memory->bytes = (struct cg_slice){ at, (size_t)used };
	memory->swap = f->swap;
	return true;
}

/* ---- Rules -------------------------------------------------------------- */

/* Entries of the cache; a power of two. 4096 take 96 KiB. */
#define CACHE_SIZE ((size_t)1 << 12)

/* Rules for an address of processes with these mappings. */
struct perf_known_rules {
	uint64_t ip;
	const struct cg_frame_rules *rules; /* NULL: the entry is empty */
	uint32_t version;                   /* of the mappings */
};

/*
 * Returns the rules that find the caller of a frame at an address, from a
 * cache of recent ones. They live as long as the address space. NULL: out of
 * memory, or the object's file cannot be read.
 */
static const struct cg_frame_rules *
get_rules(struct perf_unwinding *u, const struct perf_maps *maps, uint64_t ip)
{
	const uint32_t version = maps ? maps->version : 0;
	const uint64_t hash = (ip + version) * UINT64_C(0x9e3779b97f4a7c15);
	struct perf_known_rules *known =
	    &u->known[hash >> 40 & (CACHE_SIZE - 1)];

	if (!known->rules || known->ip != ip || known->version != version)
		*known = (struct perf_known_rules){ ip,
			perf_places_rules(u->places, maps, ip), version };
	return known->rules;
}

/* ---- Stacks ------------------------------------------------------------- */

/*
 * Counts in u->cut or u->unknown a stack whose unwinding ended early: its copy
 * is too short, or a caller is unknown. Other ends are not counted.
 */
static void
note_end(struct perf_unwinding *u, enum cg_unwound how)
{
	u->cut += how == CG_UNWOUND_SHORT;
	u->unknown += how == CG_UNWOUND_UNKNOWN;
}

/*
 * Unwinds the stack frame by frame, and appends the callers' addresses to
 * u->ip. Before the call, the last address in u->ip is that of the innermost
 * frame, and *regs has its registers. Changes *regs. The number of steps is
 * limited. A frame takes at least 8 bytes of the stack, so one step for each 8
 * bytes is enough. The limit is twice as high, as signals may change to
 * another stack. False: out of memory (reported).
 */
static bool
add_callers(struct perf_unwinding *u, const struct perf_maps *maps,
    const struct cg_memory *memory, struct cg_registers *regs)
{
	struct cg_job *job = u->places->file->job;
	size_t most = memory->bytes.len / 4 + 1;
	enum cg_unwound how = CG_UNWOUND_UNKNOWN;
	const struct cg_frame_rules *rules;
	uint64_t pc;

	if (!u->known)
		u->known = cg_alloc(job, CACHE_SIZE * sizeof(*u->known));
	if (!u->known)
		return false;
	while (most-- > 0) {
		pc = regs->pc;
		rules = get_rules(u, maps, pc - regs->called);
		how =
		    rules ? cg_unwind(rules, memory, regs) : CG_UNWOUND_UNKNOWN;
		if (how == CG_UNWOUND_GUESSED &&
		    !(maps && perf_maps_find(maps, regs->pc - 1)))
			how = CG_UNWOUND_UNKNOWN;
		if (how != CG_UNWOUND && how != CG_UNWOUND_GUESSED)
			break;
		/* A handler returns to the start of its frame, not into it. */
		if (!regs->called)
			u->ip.at[u->ip.n - 1] = pc;
		if (!cg_append(job, &u->ip, regs->pc - regs->called))
			return false;
	}
	note_end(u, how);
	return true;
}

bool
perf_unwind(struct perf_unwinding *u, const struct perf_maps *maps,
    const struct perf_event *event, struct cg_slice rest)
{
	const struct perf_file *f = u->places->file;
	struct cg_registers regs = { .machine = get_machine(f, event) };
	struct cg_memory memory = { 0 };
	uint64_t abi;

	u->ip.n = 0;
	if (!take_state(f, event, rest, &regs, &memory, &abi))
		return cg_reject(f->job,
		    "expected registers and a stack that fit into their "
		    "sample");
	if (abi == ABI_NONE)
		return true; /* a thread of the kernel */
	u->stacks++;
	if (!cg_append(f->job, &u->ip, regs.pc))
		return false;
	if (abi != ABI_64 ||
	    (regs.machine != EM_X86_64 && regs.machine != EM_AARCH64)) {
		u->foreign++;
		return true;
	}
	return add_callers(u, maps, &memory, &regs);
}
