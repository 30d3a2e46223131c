/*
 * map.c - a gmon.out becomes a graph.
 *
 * The caller of an arc is known to a bucket of 16 bytes only. A function may
 * begin within, so the bucket's own function, which GNU gprof blames, may be
 * the wrong one. On x86 the call can be seen in the code: an e8 whose target
 * is the callee and whose return address lies in the bucket.
 */
#include <inttypes.h>
#include <stdio.h>

#include "gprof.h"

#define EM_386 3 /* ELF */
#define EM_X86_64 62
#define CALL_SIZE 5 /* e8 and a relative address */
#define PROLOGUE 64 /* behind a function's start: it called mcount */
#define SUSPECT 20  /* more than one of so many arcs enter elsewhere */
#define BATCH 16    /* arcs whose callees are fetched together */

struct mapper {
	struct cg_job *job;
	struct cg_build *build;
	const struct gmon *gmon;
	struct gmon_funcs funcs;
	struct gmon_order order;
	bool x86;            /* calls can be seen in the program's code */
	size_t odd, entered; /* callees entered far behind their start; all */
	size_t outside;      /* callees that are in no known object */
	size_t dropped;      /* as GNU gprof does */
};

/* Where an arc is called from. */
struct site {
	uint64_t addr; /* return address, or the bucket */
	uint64_t code; /* what tells the source line */
	bool known;    /* caller is */
	struct gmon_func caller;
};

/* ---- Sites -------------------------------------------------------------- */

/* The call in code[i...] returns to ret: does it enter the callee? */
static bool
calls_callee(const unsigned char *code, uint64_t ret,
    const struct gmon_arc *arc, const struct gmon_func *callee)
{
	uint32_t offset = (uint32_t)code[1] | (uint32_t)code[2] << 8 |
			  (uint32_t)code[3] << 16 | (uint32_t)code[4] << 24;
	uint64_t target = ret + (uint64_t)(int64_t)(int32_t)offset;

	return code[0] == 0xe8 && target >= callee->start &&
	       target <= arc->self;
}

/*
 * Looks for the call in the code before the bucket's return addresses. False
 * if none enters the callee, or calls of two functions do.
 */
static bool
find_call(struct mapper *map, const struct gmon_arc *arc,
    const struct gmon_func *callee, struct site *site)
{
	const struct gmon_image *program = &map->funcs.images->image[0];
	unsigned bucket = map->gmon->bucket;
	struct cg_slice code = cg_find_code(program->symbols,
	    arc->from - program->base - CALL_SIZE, bucket + CALL_SIZE - 1);
	const struct gmon_func *caller;

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

/* The function of the bucket, or the first that begins in it. */
static bool
find_in_bucket(
    struct mapper *map, const struct gmon_arc *arc, struct site *site)
{
	const struct gmon_func *caller = NULL;

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

/* The caller, with the address and line of the call. False: out of memory. */
static bool
find_site(struct mapper *map, const struct gmon_arc *arc,
    const struct gmon_func *callee, struct site *site)
{
	const struct gmon_func *caller;

	*site = (struct site){ .known = false };
	if (arc->from == 0) /* the dynamic linker's "elsewhere" */
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
	const struct gmon_image *image =
	    gprof_image_at(map->funcs.images, addr);

	return image ? addr - image->base : addr;
}

/* Remembers the order of the file, and what is strange about the callee. */
static int
note_arc(struct mapper *map, const struct gmon_arc *arc,
    const struct gmon_func *callee, const struct site *site)
{
	const struct gmon_call call = { .from = arc->from,
		.self = arc->self,
		.offset = (uint32_t)(site->addr - arc->from) };

	if (callee->image && callee->end > callee->start) {
		map->entered++;
		map->odd += arc->self - callee->start > PROLOGUE;
	}
	map->outside += map->funcs.images->count > 0 && !callee->image;
	if (!gprof_order_add(&map->order, &call))
		return cg_nomem(map->job);
	return CG_OK;
}

static void
add_call(struct mapper *map, const struct gmon_arc *arc,
    const struct gmon_func *callee, const struct site *site)
{
	struct cg_pos from = { 0 }, entry = { .line = callee->line };
	const struct gmon_line *line;

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

static int
add_arc(struct mapper *map, const struct gmon_arc *arc)
{
	const struct gmon_func *found =
	    gprof_entered_func(&map->funcs, arc->self);
	struct gmon_func callee;
	struct site site;
	int status;

	if (!found)
		return map->funcs.status;
	callee = *found;
	if (!find_site(map, arc, &callee, &site))
		return map->funcs.status;
	status = note_arc(map, arc, &callee, &site);
	if (status == CG_OK)
		add_call(map, arc, &callee, &site);
	return status;
}

/* As GNU gprof: by bucket, and only between functions that it knows. */
static int
add_gnu_arc(struct mapper *map, const struct gmon_arc *arc)
{
	const struct gmon_func *found = gprof_func_at(&map->funcs, arc->self);
	struct site site = { .addr = arc->from, .code = arc->from };
	struct gmon_func callee;
	int status;

	if (found) {
		callee = *found;
		found = gprof_func_at(&map->funcs, arc->from);
	}
	if (!found) {
		map->dropped++;
		return map->funcs.status;
	}
	site.known = true;
	site.caller = *found;
	status = note_arc(map, arc, &callee, &site);
	if (status == CG_OK)
		add_call(map, arc, &callee, &site);
	return status;
}

/* Callees are all over a large table, which would be waited for each time. */
static int
add_arcs(struct mapper *map)
{
	struct gmon_place place = { 0 };
	struct gmon_arc arc[BATCH];
	struct cg_slice order;
	int status = CG_OK;
	size_t n;

	do {
		for (n = 0; n < BATCH; n++) {
			if (!gprof_next_arc(map->gmon, &place, &arc[n]))
				break;
			gprof_fetch_entered(&map->funcs, arc[n].self);
		}
		for (size_t i = 0; status == CG_OK && i < n; i++)
			status = map->funcs.compat ? add_gnu_arc(map, &arc[i])
						   : add_arc(map, &arc[i]);
	} while (status == CG_OK && n == BATCH);
	if (status != CG_OK)
		return status;
	if (!gprof_order_end(&map->order, &order))
		return cg_nomem(map->job);
	if (order.len > 0 && !*cg_get_desc(map->build, GMON_KEY_ORDER))
		cg_add_desc(map->build, cg_slice(GMON_KEY_ORDER), order);
	return CG_OK;
}

static void
warn_arcs(struct mapper *map)
{
	const struct gmon_images *images = map->funcs.images;

	if (map->outside > 0)
		cg_warn(map->job,
		    "%zu arcs enter shared libraries (give them with --exe "
		    "to name their functions)",
		    map->outside);
	if (map->dropped > 0)
		cg_warn(map->job,
		    "%zu arcs left out as GNU gprof does: no function there",
		    map->dropped);
	if (!map->funcs.compat && map->odd > map->entered / SUSPECT)
		cg_warn(map->job,
		    "%zu of %zu arcs enter functions more than %d bytes "
		    "behind their start: is it %s that ran?",
		    map->odd, map->entered, PROLOGUE,
		    images->image[0].elf->path);
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
	const struct cg_event blocks = { .name = GMON_BLOCK_EVENT,
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
		const struct gmon_func *func =
		    gprof_any_func(&map->funcs, block->addr);
		const struct gmon_line *line =
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

int
gprof_map(struct cg_job *job, struct cg_build *build, const struct gmon *gmon,
    const struct gmon_images *images)
{
	struct mapper map = { .job = job, .build = build, .gmon = gmon };
	const struct cg_elf *elf = images->count ? images->image[0].elf : NULL;
	const struct cg_part_info part = { .cmd = elf ? elf->path : "" };
	int status;

	cg_add_part(build, &part);
	status = gprof_describe(build, gmon, images);
	if (status != CG_OK)
		return status;
	map.x86 = elf && (elf->machine == EM_386 || elf->machine == EM_X86_64);
	add_events(build, gmon);
	set_grain(build, gmon);
	status = gprof_funcs_open(&map.funcs, job, build, gmon, images);
	if (status == CG_OK)
		status = gprof_add_times(&map.funcs, gmon);
	if (status == CG_OK)
		status = add_arcs(&map);
	if (status == CG_OK) {
		add_blocks(&map);
		warn_arcs(&map);
		status = map.funcs.status;
	}
	gprof_order_free(&map.order);
	gprof_funcs_close(&map.funcs);
	return status == CG_OK ? cg_build_status(build) : status;
}
