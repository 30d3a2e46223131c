/*
 * section.c - assigns the lines of a complete section to the functions that
 * contain them, and adds both to the graph.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lcov.h"

struct lcov_fn *
lcov_get_fn(struct lcov_section *section, cg_name name)
{
	uint32_t *at = cg_map_at(&section->by_name, name);
	struct lcov_fn *fn;

	if (at && *at > 0 && *at <= section->fns &&
	    section->fn[*at - 1].name == name)
		return &section->fn[*at - 1];
	if (!at || section->fns >= UINT32_MAX ||
	    !cg_grow_raw(
		&section->fn, &section->fn_cap, section->fns + 1, sizeof(*fn)))
		return NULL;
	fn = &section->fn[section->fns++];
	*fn = (struct lcov_fn){ .name = name };
	*at = (uint32_t)section->fns;
	return fn;
}

bool
lcov_add_range(
    struct lcov_section *section, cg_name name, uint32_t first, uint32_t last)
{
	struct lcov_fn *fn = lcov_get_fn(section, name);

	if (!fn)
		return false;
	if (fn->first == 0 || first < fn->first)
		fn->first = first;
	if (last > fn->last)
		fn->last = last;
	return true;
}

/* ---- Owners of lines ---------------------------------------------------- */

/*
 * By first line, then the longer function, which contains the other. Of
 * several names for the same lines (a C++ constructor has two), the one with
 * the highest count comes first: it gets the lines.
 */
static int
compare_fns(const void *pa, const void *pb)
{
	const struct lcov_fn *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Makes fn the owner from line on; false: out of memory. */
static bool
add_owner(struct lcov_section *section, uint32_t line, cg_fn fn)
{
	struct lcov_owner *owner = section->owner;
	size_t n = section->owners;

	/* A function that begins here replaces one that would continue. */
	if (n > 0 && owner[n - 1].line == line) {
		owner[n - 1].fn = fn;
		return true;
	}
	if (!cg_grow_raw(&section->owner, &section->owner_cap, n + 1,
		sizeof(*section->owner)))
		return false;
	section->owner[n] = (struct lcov_owner){ line, fn };
	section->owners++;
	return true;
}

/*
 * Pops functions that end before line: the enclosing function owns what
 * follows each. A function without a known end ends where the next begins.
 */
static bool
leave_fns(struct lcov_section *section, const cg_fn *ids, size_t *depth,
    uint32_t line)
{
	const struct lcov_fn *fn = section->fn;

	while (*depth > 0) {
		size_t inner = section->nested[*depth - 1];
		uint32_t last = fn[inner].last;

		if (last >= line)
			break;
		--*depth;
		while (*depth > 0 && last > 0 &&
		       fn[section->nested[*depth - 1]].last <= last)
			--*depth;
		if (last > 0 &&
		    !add_owner(section, last + 1,
			*depth ? ids[section->nested[*depth - 1]] : ids[-1]))
			return false;
	}
	return true;
}

/*
 * Sweeps over the sorted functions. ids[i] is the id of function i in the
 * graph, ids[-1] that of lines outside of all functions.
 */
static bool
find_owners(struct lcov_section *section, const cg_fn *ids)
{
	const struct lcov_fn *fn = section->fn;
	size_t depth = 0, inner;

	section->owners = 0;
	for (size_t i = 0; i < section->fns; i++) {
		if (fn[i].first == 0)
			continue;
		if (!leave_fns(section, ids, &depth, fn[i].first))
			return false;
		/* Skip further names for the same lines. */
		inner = depth ? section->nested[depth - 1] : i;
		if (inner != i && fn[inner].first == fn[i].first &&
		    fn[inner].last == fn[i].last)
			continue;
		if (!cg_grow_raw(&section->nested, &section->nested_cap,
			depth + 1, sizeof(*section->nested)))
			return false;
		section->nested[depth++] = i;
		if (!add_owner(section, fn[i].first, ids[i]))
			return false;
	}
	return leave_fns(section, ids, &depth, UINT32_MAX);
}

/* Most lines come in order: *hint is the position of the last owner. */
static cg_fn
owner_of(const struct lcov_section *section, uint32_t line, size_t *hint,
    cg_fn outside)
{
	const struct lcov_owner *owner = section->owner;
	size_t low = *hint, high = section->owners, middle;

	if (low >= high || owner[low].line > line)
		low = 0;
	else if (low + 1 >= high || owner[low + 1].line > line)
		return owner[low].fn;
	if (high == 0 || owner[low].line > line)
		return outside;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (owner[middle].line <= line)
			low = middle;
		else
			high = middle;
	}
	*hint = low;
	return owner[low].fn;
}

/* ---- Adding to the graph ------------------------------------------------ */

/* A mangled name becomes the symbol of a function with a demangled name. */
static cg_fn
add_fn(struct cg_job *job, struct cg_build *build, cg_file file, cg_name name)
{
	struct cg_slice text = cg_get_name(build, name);
	cg_name plain = name;

	if (text.len > 1 && *text.ptr == '_')
		plain =
		    cg_add_name(build, cg_slice(cg_demangle(job, text.ptr)));
	return cg_add_fn_symbol(
	    build, plain, file, 0, plain == name ? 0 : name);
}

/* Adds functions with their lines and entry counts. */
static void
add_fns(struct cg_job *job, struct cg_build *build,
    const struct lcov_section *section, cg_fn *ids)
{
	const struct cg_pos nowhere = { 0 };

	for (size_t i = 0; i < section->fns; i++) {
		const struct lcov_fn *fn = &section->fn[i];
		const struct cg_range range = { .first = fn->first,
			.last = fn->last };
		const struct cg_pos entry = { .line = fn->first };

		ids[i] = add_fn(job, build, section->file, fn->name);
		cg_set_fn_range(build, ids[i], &range);
		if (fn->counted)
			cg_add_call(build, 0, &nowhere, ids[i], &entry,
			    fn->count, NULL, 0);
	}
}

static int
compare_lines(const void *pa, const void *pb)
{
	const struct lcov_line *a = pa, *b = pb;

	return (a->line > b->line) - (a->line < b->line);
}

static void
sort_lines(struct lcov_section *section)
{
	for (size_t i = 1; i < section->lines; i++) {
		if (compare_lines(&section->line[i - 1], &section->line[i]) >
		    0) {
			qsort(section->line, section->lines,
			    sizeof(*section->line), compare_lines);
			return;
		}
	}
}

/* Warns if LF or LH state other numbers of lines than there are. */
static void
check_totals(struct cg_job *job, const struct lcov_section *section)
{
	const struct lcov_line *line = section->line;
	uint64_t found = 0, hit = 0;

	for (size_t i = 0, from = 0; i < section->lines; i++) {
		bool ran = false;

		if (i + 1 < section->lines && line[i + 1].line == line[i].line)
			continue;
		for (; from <= i; from++)
			ran |= line[from].count > 0;
		found++;
		hit += ran;
	}
	if (section->has_found && section->found != found)
		cg_warn(job,
		    "LF states %" PRIu64 " lines, the section has %" PRIu64,
		    section->found, found);
	if (section->has_hit && section->hit != hit)
		cg_warn(job,
		    "LH states %" PRIu64
		    " lines that ran, the section has %" PRIu64,
		    section->hit, hit);
}

static void
add_lines(
    struct cg_build *build, const struct lcov_section *section, cg_fn outside)
{
	struct cg_pos pos = { .file = section->file };
	size_t hint = 0;

	for (size_t i = 0; i < section->lines; i++) {
		uint64_t count = (uint64_t)section->line[i].count;

		pos.line = section->line[i].line;
		if (!cg_add_cost(build,
			owner_of(section, pos.line, &hint, outside), &pos,
			&count, 1))
			return;
	}
}

/* By line, kind and block, then in the order of the file. */
static int
compare_branches(const void *pa, const void *pb)
{
	const struct lcov_branch *a = pa, *b = pb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	return (a->nth > b->nth) - (a->nth < b->nth);
}

static bool
add_branch(struct cg_build *build, const struct lcov_section *section,
    const struct lcov_branch *branch, uint32_t index, cg_fn fn)
{
	struct cg_branch row = { .pos = { .file = section->file,
				     .line = branch->line },
		.kind = branch->kind,
		.block = branch->block,
		.index = index,
		.flags = branch->flags,
		.label = branch->label,
		.count = branch->count };
	char number[CG_NUMBER_MAX], *end;

	/* A number other than the branch's position is kept as a label. */
	if (index != branch->index && branch->label == 0) {
		end = cg_format_u64(number, branch->index);
		row.label = cg_add_name(
		    build, (struct cg_slice){ number, (size_t)(end - number) });
	}
	return cg_add_branch(build, fn, &row);
}

/*
 * If a branch of a block has a label, position in the block is the index of
 * all its branches; else the numbers in the file are.
 */
static void
add_branches(
    struct cg_build *build, struct lcov_section *section, cg_fn outside)
{
	const struct lcov_branch *branch = section->branch, *at;
	size_t hint = 0, n;
	bool named;

	if (section->branches > 1)
		qsort(section->branch, section->branches,
		    sizeof(*section->branch), compare_branches);
	for (size_t i = 0; i < section->branches; i += n) {
		cg_fn fn = owner_of(section, branch[i].line, &hint, outside);

		at = branch + i;
		named = at->label != 0;
		for (n = 1;
		     i + n < section->branches && at[n].line == at->line &&
		     at[n].kind == at->kind && at[n].block == at->block;
		     n++)
			named |= at[n].label != 0;
		named &= at->kind == CG_BRANCH_ARC;
		for (uint32_t nth = 0; nth < n; nth++) {
			if (!add_branch(build, section, &at[nth],
				named ? nth : at[nth].index, fn))
				return;
		}
	}
}

bool
lcov_end_section(
    struct cg_job *job, struct cg_build *build, struct lcov_section *section)
{
	cg_fn *ids = calloc(section->fns + 1, sizeof(*ids)), *first;
	bool ok = ids != NULL;

	if (ok) {
		ids[0] = cg_add_fn(build, cg_slice(""), section->file, 0);
		first = ids + 1;
		if (section->fns > 1)
			qsort(section->fn, section->fns, sizeof(*section->fn),
			    compare_fns);
		add_fns(job, build, section, first);
		ok = find_owners(section, first);
	}
	if (ok) {
		sort_lines(section);
		check_totals(job, section);
		add_lines(build, section, ids[0]);
		add_branches(build, section, ids[0]);
	}
	free(ids);
	section->open = section->has_found = section->has_hit = false;
	section->fns = section->leaders = 0;
	section->lines = section->branches = 0;
	return ok || cg_reject_nomem(job);
}

void
lcov_free_section(struct lcov_section *section)
{
	free(section->fn);
	cg_map_free(&section->by_name);
	cg_map_free(&section->by_index);
	free(section->leader);
	free(section->line);
	free(section->branch);
	free(section->owner);
	free(section->nested);
}
