/*
 * map.c - builds the graph of a gmon.out: arcs and basic blocks here, self
 * costs by time.c, descriptions by desc.c.
 *
 * An arc states its caller only as a bucket, of 16 bytes with glibc. A
 * function may begin within the bucket, so the function at the bucket's
 * address, which GNU gprof takes, may be wrong. On x86, the call is visible in
 * the code: an e8 instruction whose target is the callee and whose return
 * address is in the bucket.
 */
#include <inttypes.h>
#include <stdio.h>

#include "desc.h"

#define CALL_SIZE 5 /* e8 and a relative address */
#define SUSPECT 20  /* warn if 1 of this many arcs enters past the prologue */
#define BATCH 16    /* arcs whose callees are prefetched together */

struct mapper {
	struct cg_job *job;
	struct cg_build *build;
	const struct gmon *gmon;
	struct gprof_funcs funcs;
	struct gprof_order order;
	bool x86;             /* calls are visible in the program's code */
	size_t late, entered; /* arcs that enter past the prologue; all arcs */
	size_t outside;       /* arcs into no known object */
	size_t dropped;       /* arcs that GNU gprof drops */
};

/* The call site of an arc. */
struct site {
	uint64_t addr; /* return address, or the bucket */
	uint64_t code; /* the address of its source line */
	bool known;    /* false: no caller */
	struct gprof_func caller;
};

/* ---- Sites -------------------------------------------------------------- */

/*
 * True if the code is an x86 call instruction (e8) that calls the callee. The
 * call's target may be any address from the callee's start to arc->self,
 * inclusive; arc->self is an address just after the callee's prologue. "ret"
 * is the return address of the call.
 */
static bool
calls_callee(const unsigned char *code, uint64_t ret,
    const struct gmon_arc *arc, const struct gprof_func *callee)
{
	uint32_t offset = (uint32_t)code[1] | (uint32_t)code[2] << 8 |
			  (uint32_t)code[3] << 16 | (uint32_t)code[4] << 24;
	uint64_t target = ret + (uint64_t)(int64_t)(int32_t)offset;

	return code[0] == 0xe8 && target >= callee->start &&
	       target <= arc->self;
}

/*
 * Searches for calls of the callee in the code before the return addresses
 * that round down to arc->from. Sets *site, unknown before, to the first one.
 * False: none, or calls in two functions; *site is undefined.
 */
static bool
find_call(struct mapper *map, const struct gmon_arc *arc,
    const struct gprof_func *callee, struct site *site)
{
	const struct gprof_image *program = &map->funcs.images->image[0];
	unsigned bucket = map->gmon->bucket;
	struct cg_slice code = cg_find_code(program->symbols,
	    arc->from - program->base - CALL_SIZE, bucket + CALL_SIZE - 1);
	const struct gprof_func *caller;

	for (size_t i = 0; i + CALL_SIZE <= code.len; i++) {
		if (!calls_callee((const unsigned char *)code.ptr + i,
			arc->from + i, arc, callee))
			continue;
		caller = gprof_func_at(&map->funcs, arc->from + i - 1);
		if (!caller)
			continue;
		if (site->known && site->caller.fn != caller->fn)
			return false;
		if (!site->known)
			*site = (struct site){ .addr = arc->from + i,
				.code = arc->from + i - 1,
				.known = true,
				.caller = *caller };
	}
	return site->known;
}

/*
 * Sets *site to the arc's address and the first function in its bucket
 * (addresses that round down to it). Without one, the function is named by the
 * address. False: out of memory (reported).
 */
static bool
find_in_bucket(
    struct mapper *map, const struct gmon_arc *arc, struct site *site)
{
	const struct gprof_func *caller = NULL;

	for (unsigned i = 0; i < map->gmon->bucket && !caller; i++)
		caller = gprof_func_at(&map->funcs, arc->from + i);
	if (!caller)
		caller = gprof_any_func(&map->funcs, arc->from);
	*site = (struct site){
		.addr = arc->from, .code = arc->from, .known = caller != NULL
	};
	if (caller)
		site->caller = *caller;
	return site->known;
}

/*
 * Sets *site to the caller of an arc and the address of the call. The file may
 * have a rounded address. Then the call is searched in x86 code. If it is not
 * found, or the code is not x86, the address is the rounded one. Addresses of
 * LD_PROFILE are exact. If the caller is unknown, site->known is false. False:
 * out of memory (reported).
 */
static bool
find_site(struct mapper *map, const struct gmon_arc *arc,
    const struct gprof_func *callee, struct site *site)
{
	const struct gprof_func *caller;

	*site = (struct site){ .known = false };
	if (arc->from == 0) /* LD_PROFILE: any caller outside the library */
		return true;
	if (map->gmon->kind == GMON_LD_PROFILE) {
		caller = gprof_any_func(&map->funcs, arc->from - 1);
		if (!caller)
			return false;
		*site = (struct site){ .addr = arc->from,
			.code = arc->from - 1,
			.known = true,
			.caller = *caller };
		return true;
	}
	if (map->x86 && map->gmon->bucket > 1 &&
	    find_call(map, arc, callee, site))
		return true;
	return find_in_bucket(map, arc, site);
}

/* ---- Arcs --------------------------------------------------------------- */

static uint64_t
file_address(const struct mapper *map, uint64_t addr)
{
	const struct gprof_image *image =
	    gprof_image_at(map->funcs.images, addr);

	return image ? addr - image->base : addr;
}

/*
 * Appends an arc to the order of the file, which the writer repeats. Counts
 * arcs into the middle of a callee, or to no known function, for warnings.
 * False: out of memory (reported).
 */
static bool
note_arc(struct mapper *map, const struct gmon_arc *arc,
    const struct gprof_func *callee, const struct site *site)
{
	const struct gprof_call call = { .from = arc->from,
		.self = arc->self,
		.offset = (uint32_t)(site->addr - arc->from) };

	if (callee->image && callee->end > callee->start) {
		map->entered++;
		map->late += arc->self - callee->start > GPROF_PROLOGUE;
	}
	map->outside += map->funcs.images->count > 0 && !callee->image;
	return gprof_order_add(&map->order, &call);
}

static void
add_call(struct mapper *map, const struct gmon_arc *arc,
    const struct gprof_func *callee, const struct site *site)
{
	struct cg_pos from = { 0 }, entry = { .line = callee->line };
	const struct gprof_line *line;

	entry.addr = file_address(map, arc->self);
	if (site->known) {
		line = gprof_line_at(&map->funcs, site->code);
		from.file = line->line ? line->file : site->caller.file;
		from.line = line->line;
		from.addr = file_address(map, site->addr);
	}
	cg_add_call(map->build, site->known ? site->caller.fn : 0, &from,
	    callee->fn, &entry, arc->count, NULL, 0);
}

/*
 * Adds an arc to the graph as a call, with its functions if they are new.
 * False: out of memory (reported).
 */
static bool
add_arc(struct mapper *map, const struct gmon_arc *arc)
{
	const struct gprof_func *found =
	    gprof_entered_func(&map->funcs, arc->self);
	struct gprof_func callee;
	struct site site;

	if (!found)
		return false;
	callee = *found;
	if (!find_site(map, arc, &callee, &site) ||
	    !note_arc(map, arc, &callee, &site))
		return false;
	add_call(map, arc, &callee, &site);
	return true;
}

/*
 * Adds an arc as a call as GNU gprof does (--gprof-compat): the caller is the
 * function at the rounded address. Drops and counts it if gprof does not see
 * both functions. False: an error (reported).
 */
static bool
add_gnu_arc(struct mapper *map, const struct gmon_arc *arc)
{
	const struct gprof_func *found = gprof_func_at(&map->funcs, arc->self);
	struct site site = { .addr = arc->from, .code = arc->from };
	struct gprof_func callee;

	if (found) {
		callee = *found;
		found = gprof_func_at(&map->funcs, arc->from);
	}
	if (!found) {
		map->dropped++;
		return !map->funcs.failed;
	}
	site.known = true;
	site.caller = *found;
	if (!note_arc(map, arc, &callee, &site))
		return false;
	add_call(map, arc, &callee, &site);
	return true;
}

/*
 * Adds the functions that calls enter to the graph, in order of their
 * addresses. So neighbours in the program are neighbours in tables. False: an
 * error (reported).
 */
static bool
add_entered_funcs(struct gprof_funcs *funcs)
{
	bool ok = true;

	for (size_t i = 0; ok && i < funcs->entries; i++)
		ok = gprof_entered_func(funcs, funcs->entry[i]) != NULL;
	return ok;
}

/*
 * Adds all arcs to the graph as calls, and describes their order in the file
 * unless an input has done so. Callees are prefetched in batches against cache
 * misses. False: an error (reported).
 */
static bool
add_arcs(struct mapper *map)
{
	struct gmon_iterator next = { 0 };
	struct gmon_arc arc[BATCH];
	struct cg_slice order;
	bool ok = true;
	size_t n;

	if (!add_entered_funcs(&map->funcs))
		return false;
	do {
		for (n = 0; n < BATCH; n++) {
			if (!gprof_next_arc(map->gmon, &next, &arc[n]))
				break;
		}
		if (!map->funcs.compat)
			gprof_prefetch_entered(&map->funcs, arc, n);
		for (size_t i = 0; ok && i < n; i++)
			ok = map->funcs.compat ? add_gnu_arc(map, &arc[i])
					       : add_arc(map, &arc[i]);
	} while (ok && n == BATCH);
	if (!ok)
		return false;
	if (!gprof_order_end(&map->order, &order))
		return false;
	if (order.len > 0 && !*cg_build_desc(map->build, GPROF_KEY_ORDER))
		cg_add_desc(map->build, cg_slice(GPROF_KEY_ORDER), order);
	return true;
}

static void
warn_arcs(struct mapper *map)
{
	const struct gprof_images *images = map->funcs.images;

	if (map->outside > 0)
		cg_warn(map->job,
		    "arcs that enter shared libraries: %zu (name the libraries "
		    "with {exe} to name their functions)",
		    map->outside);
	if (map->dropped > 0)
		cg_warn(map->job,
		    "arcs without functions, dropped as GNU gprof does: %zu",
		    map->dropped);
	if (!map->funcs.compat && map->late > map->entered / SUSPECT)
		cg_warn(map->job,
		    "%zu of %zu arcs enter a function more than %d bytes "
		    "after its start: %s may be a different executable",
		    map->late, map->entered, GPROF_PROLOGUE,
		    images->image[0].symbols->path);
}

/* ---- The whole ---------------------------------------------------------- */

static void
add_events(struct cg_build *build, const struct gmon *gmon)
{
	const struct gmon_hist *hist = gmon->hist;
	struct cg_event time = { .name = "ns",
		.long_name = "Time (gprof samples)",
		.unit = "ns",
		.incl = CG_INCL_BY_COUNTS };
	const struct cg_event blocks = { .name = GPROF_BLOCK_EVENT,
		.long_name = "Basic block executions",
		.incl = CG_INCL_NONE };
	char name[GMON_DIMENSION + 1], unit[2 * CG_NUMBER_MAX];

	if (gmon->hists > 0 && !gprof_is_time(hist)) {
		snprintf(name, sizeof(name), "%s", hist->dimension);
		for (size_t i = 0; name[i]; i++) {
			if (name[i] == ' ')
				name[i] = '_';
		}
		snprintf(unit, sizeof(unit), "%s/%" PRIu32, name, hist->rate);
		time.name = name;
		time.long_name = "gprof samples";
		time.unit = hist->rate == 1 ? name : unit;
	}
	cg_add_event(build, &time);
	if (gmon->blocks > 0)
		cg_add_event(build, &blocks);
}

static void
add_blocks(struct mapper *map)
{
	for (size_t i = 0; i < map->gmon->blocks; i++) {
		const struct gmon_block *block = &map->gmon->block[i];
		const uint64_t cost[2] = { 0, block->count };
		const struct gprof_func *func =
		    gprof_any_func(&map->funcs, block->addr);
		const struct gprof_line *line =
		    gprof_line_at(&map->funcs, block->addr);
		struct cg_pos pos = { .line = line->line };

		if (!func)
			return;
		pos.file = line->line ? line->file : func->file;
		pos.addr = file_address(map, block->addr);
		cg_add_cost(map->build, func->fn, &pos, cost, 2);
	}
}

static void
set_grain(struct cg_build *build, const struct gmon *gmon)
{
	const struct gmon_hist *hist = gmon->hist;

	if (gmon->hists > 0 && hist->bins > 0)
		cg_set_grain(
		    build, (unsigned)((hist->high - hist->low) / hist->bins));
}

bool
gprof_map(struct cg_job *job, struct cg_build *build, const struct gmon *gmon,
    const struct gprof_images *images)
{
	struct mapper map = {
		.job = job, .build = build, .gmon = gmon, .order.job = job
	};
	const struct cg_symbols *program =
	    images->count ? images->image[0].symbols : NULL;
	const struct cg_part_info part = { .cmd =
					       program ? program->path : "" };
	bool ok;

	map.x86 = program && gprof_is_x86(program);
	cg_add_part(build, &part);
	gprof_describe(build, gmon, images);
	add_events(build, gmon);
	set_grain(build, gmon);
	ok = gprof_funcs_open(&map.funcs, job, build, gmon, images) &&
	     gprof_add_times(&map.funcs, gmon) && add_arcs(&map);
	if (ok) {
		add_blocks(&map);
		warn_arcs(&map);
		ok = !map.funcs.failed;
	}
	return ok && cg_build_status(build) == CG_OK;
}
