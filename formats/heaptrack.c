/*
 * heaptrack.c - heaptrack: recordings of heaptrack, a line of hex numbers for
 * each event, as heaptrack_interpret writes them:
 *
 *	v 10400 3             version of heaptrack, and of the file
 *	X ./heap              the profiled command
 *	s 4 main              string 1; up to file version 2 without its length
 *	i 55f2c0 1 14 15 8    place 1: address, module, then function, file and
 *	                      line of each frame, inlined code first
 *	t 1 0                 trace 1: place, and trace of the callers
 *	a 64 1                allocation 0: bytes and trace
 *	+ 0, - 0              a block of allocation 0 is allocated, is freed
 *	c 8, R 3cb            milliseconds so far, pages of memory
 *
 * Numbers of strings, places and traces begin at 1; 0 is none. An allocation
 * is temporary if the next event frees it. The peak is the first time at which
 * most bytes were allocated; it is found in one pass: the first event of a
 * stack after a peak keeps what the stack had then.
 *
 * Source: accumulatedtracedata.cpp and linereader.h of heaptrack 1.4, whose
 * heaptrack_print has the same sums. It differs in what it takes for temporary
 * (it also counts a block of allocation 0 that is freed after another one) and
 * omits callers of main, operator new, and leaks by its list of suppressions;
 * these are kept here. Stacks with lines, addresses and objects survive; times
 * and the resident memory are dropped.
 */
#include "cgconv_expert.h"
#include "cgconv_parse.h"

#define VERSION_MAX 3
#define VERSION_SIZED 3       /* strings have a length */
#define RELEASE_OF_1 0x010200 /* has no file version, which is 1 */
#define NODE_BYTES 64         /* about what a new node takes in memory */

/* Frames of a place, the innermost one first. */
struct place {
	size_t first, n;
};
struct trace {
	cg_node node;
	uint32_t site; /* index + 1; 0: it allocates nothing */
};
/* A stack that allocates. */
struct site {
	cg_node node;
	uint64_t allocations, temporary, bytes, leaked;
	uint64_t peak;  /* bytes at peak number peaks, if it has an event */
	uint64_t peaks; /* peaks before the last event */
};
struct allocation {
	uint64_t size;
	uint32_t site;
};

struct reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_space *space;
	uint64_t version; /* of the file; 0: not seen */
	CG_ARRAY(cg_name) string;
	CG_ARRAY(cg_frame_id) frame;
	CG_ARRAY(struct place) place;
	CG_ARRAY(struct trace) trace;
	CG_ARRAY(struct site) site;
	CG_ARRAY(struct allocation) allocation;
	uint64_t leaked, peak, peaks;
	uint64_t last; /* allocation of the last event + 1; 0: it was a free */
	uint64_t measured, suppressions;
	uint64_t expanded; /* bytes of inlined frames on traces */
	bool named, ended;
};

/* ---- Numbers and strings ------------------------------------------------- */

static bool
take_hex(struct cg_slice *text, uint64_t *number)
{
	const char *end;

	if (text->len == 0)
		return false;
	end = cg_get_hex(text->ptr, number);
	if (end == text->ptr)
		return false;
	text->len -= (size_t)(end - text->ptr);
	text->ptr = end;
	return text->len == 0 || cg_take_char(text, ' ');
}

static bool
take_version(struct reader *r, struct cg_slice line)
{
	uint64_t release;

	if (!take_hex(&line, &release))
		return cg_reject(r->job, "expected a version of heaptrack");
	if (!take_hex(&line, &r->version))
		r->version = release == RELEASE_OF_1 ? 1 : 0;
	if (r->version == 0 || r->version > VERSION_MAX)
		return cg_reject(r->job,
		    "expected file version 1 to %d, not %llu of heaptrack "
		    "%llx",
		    VERSION_MAX, (unsigned long long)r->version,
		    (unsigned long long)release);
	return true;
}

static bool
take_string(struct reader *r, struct cg_slice line)
{
	uint64_t len;

	if (r->version >= VERSION_SIZED) {
		if (!take_hex(&line, &len) || len > line.len)
			return cg_reject(
			    r->job, "expected a length and as many bytes");
		line.len = (size_t)len;
	}
	return cg_append(r->job, &r->string, cg_add_name(r->build, line));
}

/*
 * Sets *text to the string with this number. Strings count from 1; 0 stands
 * for "". False: there is no such string (reported).
 */
static bool
get_string(struct reader *r, uint64_t number, struct cg_slice *text)
{
	*text = (struct cg_slice){ "", 0 };
	if (number > r->string.n)
		return cg_reject(
		    r->job, "expected a string from 1 to %zu", r->string.n);
	if (number > 0)
		*text = cg_get_name(r->build, r->string.at[number - 1]);
	return true;
}

/* ---- Places and traces --------------------------------------------------- */

static bool
add_frame(struct reader *r, cg_fn fn, const struct cg_pos *pos, bool inlined)
{
	return cg_append(
	    r->job, &r->frame, cg_get_frame(r->build, fn, pos, inlined));
}

/*
 * Looks up an address of an object in the object's symbols, and appends its
 * frames to r->frame. There are several if functions are inlined there. If no
 * symbol is found, appends a function "[unknown]" of the object. False: an
 * error (reported).
 */
static bool
add_unnamed(struct reader *r, struct cg_slice object, uint64_t addr)
{
	const struct cg_pos pos = { .addr = addr };
	struct cg_stack found[CG_FRAME_MAX];
	size_t n;

	if (!r->space)
		r->space = cg_space_new(r->job, r->build);
	if (!r->space)
		return false;
	n = cg_space_text(r->space, object, addr, found);
	for (size_t i = 0; i < n; i++)
		if (!add_frame(r, found[i].fn, &found[i].pos, found[i].inlined))
			return false;
	return n > 0 || add_frame(r,
			    cg_add_fn(r->build, cg_slice("[unknown]"), 0,
				cg_add_object(r->build, object)),
			    &pos, false);
}

/*
 * Takes a frame off the line, and appends it to r->frame. It is a function
 * and, if known, a file and a line, in hexadecimal. Function and file are
 * numbers of their names among the strings. A frame that others follow is
 * inlined into the next. False: an error (reported).
 */
static bool
take_frame(struct reader *r, struct cg_slice *line, struct cg_slice object,
    uint64_t addr)
{
	struct cg_slice name, file;
	struct cg_pos pos = { .addr = addr };
	uint64_t number[3] = { 0 };

	if (!take_hex(line, &number[0]) ||
	    (line->len > 0 &&
		(!take_hex(line, &number[1]) || !take_hex(line, &number[2]))))
		return cg_reject(
		    r->job, "expected a function, a file and a line");
	if (!get_string(r, number[0], &name) ||
	    !get_string(r, number[1], &file))
		return false;
	if (name.len == 0)
		name = cg_slice("[unknown]");
	pos.file = cg_add_file(r->build, file);
	pos.line = number[2] <= INT32_MAX ? (uint32_t)number[2] : 0;
	return add_frame(r,
	    cg_add_fn(
		r->build, name, pos.file, cg_add_object(r->build, object)),
	    &pos, line->len > 0);
}

static bool
take_place(struct reader *r, struct cg_slice line)
{
	struct place *place = cg_push(r->job, &r->place);
	struct cg_slice object;
	uint64_t addr, module;

	if (!place)
		return false;
	place->first = r->frame.n;
	if (!take_hex(&line, &addr) || !take_hex(&line, &module))
		return cg_reject(r->job, "expected an address and a module");
	if (!get_string(r, module, &object))
		return false;
	if (line.len == 0 && !add_unnamed(r, object, addr))
		return false;
	while (line.len > 0)
		if (!take_frame(r, &line, object, addr))
			return false;
	place->n = r->frame.n - place->first;
	return cg_build_status(r->build) == CG_OK;
}

static bool
take_trace(struct reader *r, struct cg_slice line)
{
	struct trace trace = { .node = 0 };
	const struct place *place;
	uint64_t number, parent;

	if (!take_hex(&line, &number) || !take_hex(&line, &parent) ||
	    number == 0 || number > r->place.n || parent > r->trace.n)
		return cg_reject(r->job,
		    "expected a place from 1 to %zu and a trace up to %zu",
		    r->place.n, r->trace.n);
	place = &r->place.at[number - 1];
	/* A trace takes a few bytes, whatever the number of its frames is. */
	r->expanded += place->n > 0 ? (place->n - 1) * NODE_BYTES : 0;
	if (cg_is_bomb(r->expanded, cg_in_offset(r->in), CG_EXPANSION_HELD))
		return cg_reject(r->job,
		    "expected fewer inlined frames: those of the traces would "
		    "take more than %d times the size of the file",
		    CG_EXPANSION_HELD);
	if (parent > 0)
		trace.node = r->trace.at[parent - 1].node;
	for (size_t i = place->n; i-- > 0;)
		trace.node = cg_add_node(
		    r->build, trace.node, r->frame.at[place->first + i]);
	return cg_append(r->job, &r->trace, trace);
}

/* ---- Allocations --------------------------------------------------------- */

static bool
take_allocation(struct reader *r, struct cg_slice line)
{
	struct allocation allocation;
	struct trace *trace;
	struct site *site;
	uint64_t number;

	if (!take_hex(&line, &allocation.size) || !take_hex(&line, &number) ||
	    number == 0 || number > r->trace.n)
		return cg_reject(r->job,
		    "expected a size and a trace from 1 to %zu", r->trace.n);
	trace = &r->trace.at[number - 1];
	if (trace->site == 0) {
		site = cg_push(r->job, &r->site);
		if (!site)
			return false;
		site->node = trace->node;
		trace->site = (uint32_t)r->site.n;
	}
	allocation.site = trace->site - 1;
	return cg_append(r->job, &r->allocation, allocation);
}

/*
 * Stores in site->peak the bytes that a stack (site) had at the last peak of
 * the heap, if not done yet. Call it before the bytes change: a peak then need
 * not visit all stacks.
 */
static void
keep_peak(struct reader *r, struct site *site)
{
	if (site->peaks < r->peaks)
		site->peak = site->leaked;
	site->peaks = r->peaks;
}

static bool
allocate(struct reader *r, struct site *site, uint64_t size)
{
	if (__builtin_add_overflow(site->bytes, size, &site->bytes) ||
	    __builtin_add_overflow(r->leaked, size, &r->leaked))
		return cg_reject(
		    r->job, "expected sizes whose sum fits in 64 bits");
	keep_peak(r, site);
	site->allocations++;
	site->leaked += size;
	if (r->leaked > r->peak) {
		r->peak = r->leaked;
		r->peaks++;
	}
	return true;
}

static bool
take_event(struct reader *r, struct cg_slice line, bool frees)
{
	const struct allocation *allocation;
	struct site *site;
	uint64_t number;

	if (!take_hex(&line, &number) || number >= r->allocation.n)
		return cg_reject(r->job,
		    "expected the number of one of %zu allocations",
		    r->allocation.n);
	allocation = &r->allocation.at[number];
	site = &r->site.at[allocation->site];
	if (!frees) {
		r->last = number + 1;
		return allocate(r, site, allocation->size);
	}
	if (site->leaked < allocation->size)
		return cg_reject(
		    r->job, "expected the number of a block that is allocated");
	keep_peak(r, site);
	site->leaked -= allocation->size;
	r->leaked -= allocation->size;
	site->temporary += r->last == number + 1;
	r->last = 0;
	return true;
}

/* ---- The file ------------------------------------------------------------ */

static bool
take_command(struct reader *r, struct cg_slice line)
{
	struct cg_part_info info = { .pid = 0 };

	if (r->named)
		return cg_reject(r->job, "expected one command");
	r->named = true;
	info.cmd = cg_get_name(r->build, cg_add_name(r->build, line)).ptr;
	(void)cg_add_part(r->build, &info);
	return true;
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	const char kind = line.len > 0 ? *line.ptr : '#';

	if (kind == '#') { /* the last lines are "# strings: 34", "# ips: 19" */
		r->ended |= cg_starts(line, "# ips: ");
		return true;
	}
	line.ptr += line.len > 2 ? 2 : line.len;
	line.len -= line.len > 2 ? 2 : line.len;
	if (kind == 'v')
		return take_version(r, line);
	if (r->version == 0)
		return cg_reject(r->job, "expected 'v', and versions, first");
	switch (kind) {
	case '+': return take_event(r, line, false);
	case '-': return take_event(r, line, true);
	case 'a': return take_allocation(r, line);
	case 't': return take_trace(r, line);
	case 'i': return take_place(r, line);
	case 's': return take_string(r, line);
	case 'X': return take_command(r, line);
	case 'S': r->suppressions++; return true;
	case 'c':
	case 'R': r->measured++; return true;
	case 'A': /* attached to the process: earlier blocks are unknown */
	case 'I': return true;
	}
	return cg_reject(r->job,
	    "expected a line that begins with one of v X I A S s i t a + - c "
	    "R #");
}

static void
add_sites(struct reader *r)
{
	for (size_t i = 0; i < r->site.n; i++) {
		const struct site *site = &r->site.at[i];
		const uint64_t cost[] = { site->allocations, site->temporary,
			site->bytes, site->leaked,
			site->peaks < r->peaks ? site->leaked : site->peak };

		if (site->allocations > 0)
			cg_add_stack(r->build, site->node, site->allocations,
			    cg_columns_of(r->build, cost),
			    cg_columns_width(r->build));
	}
}

static void
add_events(struct cg_build *build)
{
	static const struct cg_event events[] = {
		{ .name = "allocations", .long_name = "Allocations" },
		{ .name = "temporary", .long_name = "Temporary allocations" },
		{ .name = "allocated",
		    .long_name = "Allocated bytes",
		    .unit = "bytes" },
		{ .name = "leaked",
		    .long_name = "Bytes not freed",
		    .unit = "bytes" },
		{ .name = "peak",
		    .long_name = "Bytes at the peak",
		    .unit = "bytes" },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		(void)cg_add_column(build, &events[i]);
}

static int
read_heaptrack(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .in = in, .build = build };
	struct cg_slice line;

	add_events(build);
	while (cg_read_line(in, &line)) {
		cg_cut_return(&line);
		if (!take_line(&r, line))
			break;
	}
	if (cg_in_status(in) == CG_OK && cg_rejected(job) == CG_OK) {
		if (!r.ended || cg_in_unterminated(in))
			cg_warn(job, "expected '# ips: ', a number and a "
				     "newline at the end: the file may be "
				     "truncated");
		if (r.measured > 0)
			cg_note(job,
			    "dropped times and resident memory at %llu moments",
			    (unsigned long long)r.measured);
		if (r.suppressions > 0)
			cg_note(job,
			    "leaks are kept that %llu suppressions of the "
			    "program would omit",
			    (unsigned long long)r.suppressions);
		if (r.allocation.n == 0)
			(void)cg_reject(job, "expected allocations");
		add_sites(&r);
	}
	cg_space_free(r.space);
	if (cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	return cg_rejected(job) != CG_OK ? cg_rejected(job)
					 : cg_build_status(build);
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	uint64_t release;

	if (!cg_take_line(&text, &line) || !cg_take_prefix(&line, "v ") ||
	    !take_hex(&line, &release) || release < 0x10000)
		return CG_PROBE_NO;
	return cg_starts(text, "X ") || cg_starts(text, "A\nX ") ? CG_PROBE_SURE
								 : CG_PROBE_NO;
}

const struct cg_module cg_format_heaptrack = {
	CG_MODULE,
	.name = "heaptrack",
	.title = "allocations, by heaptrack",
	.text = true,
	.suffixes = "heaptrack",
	.probe = probe,
	.read = read_heaptrack,
};
