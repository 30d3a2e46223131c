/*
 * names.c - functions that the text itself names, by address. Go (debug=1)
 * writes a comment for each frame, below the sample:
 *
 *	1 @ 0x4375f6 0x40619b 0x4b51fe 0x4612e1
 *	#	0x4b51fd	main.wait+0x1d	/tmp/main.go:10
 *
 * The address in a comment is the address of the call. Go omits
 * runtime.goexit, and functions of the runtime at the leaf (printStackRecord()
 * of runtime/pprof).
 */
#include <string.h>

#include "gperftools.h"

/* ---- Comments ----------------------------------------------------------- */

/*
 * Sets *cell to the text before the next tab, and removes it and the tabs
 * after it from *text. False: no tab.
 */
static bool
take_cell(struct cg_slice *text, struct cg_slice *cell)
{
	if (!cg_take_until(text, '\t', cell))
		return false;
	while (cg_take_char(text, '\t'))
		continue;
	return true;
}

static void
cut_offset(struct cg_slice *name)
{
	size_t at = name->len;

	while (at > 0 && name->ptr[at - 1] != '+')
		at--;
	if (at > 1)
		name->len = at - 1;
}

bool
gperf_take_comment(struct gperf_reader *r, struct cg_slice line)
{
	struct cg_slice cell, name;
	struct gperf_frame frame = { 0 };
	uint64_t addr;

	if (!r->held || !cg_take_prefix(&line, "#\t") ||
	    !take_cell(&line, &cell) || !cg_get_u64(cell, &addr) ||
	    !take_cell(&line, &name))
		return true;
	cut_offset(&name);
	if (cg_cut_number(&line, ':', &frame.pos.line))
		frame.pos.file = cg_add_file(r->build, line);
	frame.pos.addr = addr;
	frame.fn = cg_add_fn(r->build, name, frame.pos.file, 0);
	r->hides = true;
	return cg_append(
	    r->job, &r->pending, (struct gperf_comment){ addr, frame });
}

/* ---- Addresses ---------------------------------------------------------- */

/*
 * Begins the list of the functions at an address, and returns it. The pointer
 * is valid until the next call. NULL and *good is true: the address has a list
 * already. NULL and *good is false: out of memory (reported).
 */
static struct gperf_names *
add_names(struct gperf_reader *r, uint64_t addr, bool *good)
{
	uint32_t *at = cg_map_in(r->job, &r->named, addr);
	struct gperf_names *names;

	*good = at != NULL;
	if (!at || *at != 0)
		return NULL;
	names = cg_push(r->job, &r->names);
	*good = names != NULL;
	if (!names)
		return NULL;
	names->first = r->frames.n;
	*at = (uint32_t)r->names.n;
	return names;
}

static bool
add_frame(struct gperf_reader *r, struct gperf_names *names,
    const struct gperf_frame *frame)
{
	if (!cg_append(r->job, &r->frames, *frame))
		return false;
	names->count++;
	return true;
}

bool
gperf_name_address(
    struct gperf_reader *r, uint64_t addr, const struct gperf_frame *frame)
{
	bool good;
	struct gperf_names *names = add_names(r, addr, &good);

	return names ? add_frame(r, names, frame) : good;
}

/*
 * Gives an address its functions, innermost first, from count comments, unless
 * it has some. If the stack has the address several times in a row (times),
 * the comments may repeat. If count is a multiple of times, one set is used.
 * False: an error (reported).
 */
static bool
name_run(struct gperf_reader *r, const struct gperf_comment *run, size_t count,
    size_t times)
{
	bool good;
	struct gperf_names *names = add_names(r, run->addr, &good);

	if (times > 1 && count % times == 0)
		count /= times;
	for (size_t i = 0; names && good && i < count; i++)
		good = add_frame(r, names, &run[i].frame);
	return good;
}

bool
gperf_name_stack(struct gperf_reader *r)
{
	const struct gperf_comment *comment = r->pending.at;
	size_t count = r->pending.n, depth = 0;
	bool good = true;

	for (size_t i = 0, end; good && i < count; i = end) {
		uint64_t addr = comment[i].addr;
		size_t times = 0;

		for (end = i + 1; end < count && comment[end].addr == addr;)
			end++;
		while (depth < r->depth && r->addr[depth] != addr)
			depth++;
		for (; depth < r->depth && r->addr[depth] == addr; depth++)
			times++;
		good = name_run(r, &comment[i], end - i, times);
	}
	r->pending.n = 0;
	return good;
}

size_t
gperf_find_names(const struct gperf_reader *r, uint64_t addr,
    const struct gperf_frame **frame)
{
	const struct gperf_names *names = r->names.at;
	uint32_t id = cg_map_get(&r->named, addr);

	if (id == 0)
		return 0;
	*frame = &r->frames.at[names[id - 1].first];
	return names[id - 1].count;
}
