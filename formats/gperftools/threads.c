/*
 * threads.c - the stacks of a process's threads:
 *
 *	--- threadz 1 ---
 *
 *	--- Thread 7f794ab90940 (name: main/14748) stack: ---
 *	  PC:  0x00bc8f1c: helper(arg *)
 *	  0x0040be31: main
 *	      creator: 0xa45b96 0xa460b4
 *	--- Thread 7f794964e700 (name: thread1/14751) stack: ---
 *	  [same as previous thread]
 *
 * As in pprof, the creator's stack is appended to the thread's stack.
 */
#include "gperftools.h"

bool
gperf_begin_threads(struct gperf_reader *r, struct cg_slice line)
{
	if (!cg_starts(line, "--- threadz "))
		return false;
	r->event[0] = (struct cg_event){ .name = "thread" };
	r->columns = 1;
	r->exact_leaf = true;
	r->needs_maps = true;
	return true;
}

/*
 * Reads "(name: main/14748) stack: ---", and begins the thread's sample. The
 * sample has cost 1, and the thread's name and id. Until an address is read,
 * it has the previous thread's stack. False: an error (reported).
 */
static bool
begin_thread(struct gperf_reader *r, struct cg_slice line)
{
	const char *at = cg_find(line, "(name: ");
	size_t depth = r->depth, end;
	struct gperf_group *group;

	if (!at)
		return cg_reject(
		    r->job, "expected '--- Thread ID (name: NAME/TID)'");
	gperf_begin_sample(r);
	r->sample.cost[0] = 1;
	/* A thread without addresses has the previous thread's stack. */
	r->depth = depth;
	r->same = true;
	at += strlen("(name: ");
	line.len -= (size_t)(at - line.ptr);
	line.ptr = at;
	end = line.len;
	while (end > 0 && line.ptr[end - 1] != '/')
		end--;
	group = gperf_set_group(r);
	if (!group || end == 0)
		return group != NULL;
	group->thread =
	    cg_add_name(r->build, (struct cg_slice){ line.ptr, end - 1 });
	line.ptr += end;
	line.len -= end;
	(void)cg_take_u64(&line, &group->tid);
	return true;
}

/*
 * Reads the name of the last address that was read, "main" of "0x0040be31:
 * main", and gives it to the address. Does nothing if the name is empty.
 * False: an error (reported).
 */
static bool
take_name(struct gperf_reader *r, struct cg_slice name)
{
	struct gperf_frame frame = { .pos.addr = r->addr[r->depth - 1] };

	name = cg_trim(name);
	if (name.len == 0)
		return true;
	frame.fn = cg_add_fn(r->build, name, 0, 0);
	return gperf_name_address(r, frame.pos.addr, &frame);
}

/*
 * Reads all hexadecimal numbers of a line, and adds them as addresses to the
 * current stack. The first address of a thread replaces the stack that was
 * copied from the thread before. If a colon follows an address, the rest of
 * the line is the name of this address. False: rejected (reported).
 */
static bool
take_addresses(struct gperf_reader *r, struct cg_slice line)
{
	uint64_t addr;

	(void)cg_take_prefix(&line, "PC:");
	(void)cg_take_prefix(&line, "creator:");
	(void)cg_take_blanks(&line);
	while (line.len > 0) {
		if (!cg_starts(line, "0x") || !cg_take_u64(&line, &addr))
			return cg_reject_at(
			    r->job, line.ptr, "expected an address of a stack");
		if (r->same)
			r->depth = 0;
		r->same = false;
		if (!gperf_add_address(r, addr))
			return false;
		if (cg_take_char(&line, ':'))
			return take_name(r, line);
		(void)cg_take_blanks(&line);
	}
	return true;
}

bool
gperf_take_threads(struct gperf_reader *r, struct cg_slice line)
{
	if (cg_starts(line, "---")) {
		r->in_samples = cg_starts(line, "--- Thread ");
		return gperf_end_sample(r) &&
		       (!r->in_samples || begin_thread(r, line));
	}
	if (cg_find(line, "same as previous thread"))
		r->in_samples = false;
	return !r->in_samples || take_addresses(r, line);
}
