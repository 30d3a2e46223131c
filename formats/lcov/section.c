/*
 * section.c - assigns the lines of a complete section to the functions that
 * contain them, and adds both to the graph.
 */
#include <inttypes.h>
#include <string.h>

#include "lcov.h"

struct lcov_fn *
lcov_get_fn(struct lcov_section *section, cg_name name)
{
	uint32_t *at = cg_map_in(section->job, &section->by_name, name);
	struct lcov_fn *fn;

	if (at && *at > 0 && *at <= section->fn.n &&
	    section->fn.at[*at - 1].name == name)
		return &section->fn.at[*at - 1];
	fn = at && section->fn.n < UINT32_MAX
		 ? cg_push(section->job, &section->fn)
		 : NULL;
	if (!fn) {
		(void)cg_reject_nomem(section->job);
		return NULL;
	}
	fn->name = name;
	*at = (uint32_t)section->fn.n;
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
 * Compares functions for qsort(): by first line, then the longer one first,
 * which contains the other. Of several names for the same lines, the one with
 * the highest count comes first, and gets the lines.
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
	return (a->nth > b->nth) - (a->nth < b->nth);
}

static void
sort_fns(struct lcov_section *section)
{
	for (size_t i = 0; i < section->fn.n; i++)
		section->fn.at[i].nth = i;
	cg_sort(
	    section->fn.at, section->fn.n, sizeof(struct lcov_fn), compare_fns);
}

/* ---- Adding to the graph ------------------------------------------------ */

/*
 * Adds a function to the graph, and returns its id. A mangled name becomes the
 * linker name of a function with the demangled name.
 */
static cg_fn
add_fn(struct cg_build *build, cg_file file, cg_name name)
{
	cg_name plain = cg_add_demangled(build, name);

	return cg_add_fn_symbol(
	    build, plain, file, 0, plain == name ? 0 : name);
}

/*
 * Adds the section's functions to the graph, each with its range of lines. If
 * a record stated a function's entry count, adds a call with this count from
 * an unknown caller. Stores each function and its lines in section->fn_lines,
 * which must have an element for each function of the section.
 */
static void
add_fns(struct cg_build *build, const struct lcov_section *section)
{
	struct cg_fn_lines *lines = section->fn_lines.at;
	const struct cg_pos nowhere = { 0 };

	for (size_t i = 0; i < section->fn.n; i++) {
		const struct lcov_fn *fn = &section->fn.at[i];
		const struct cg_range range = { .first = fn->first,
			.last = fn->last };
		const struct cg_pos entry = { .line = fn->first };

		lines[i] = (struct cg_fn_lines){ add_fn(build, section->file,
						     fn->name),
			fn->first, fn->last };
		cg_set_fn_range(build, lines[i].fn, &range);
		if (fn->counted)
			cg_add_call(build, 0, &nowhere, lines[i].fn, &entry,
			    fn->count, NULL, 0);
	}
}

static int
compare_lines(const void *pa, const void *pb)
{
	const struct lcov_line *a = pa, *b = pb;

	return (a->line > b->line) - (a->line < b->line);
}

/*
 * Warns if LF states another number of lines than the section has. Also warns
 * if LH states another number of lines that ran. The warning names the
 * position "at". Lines must be sorted. Several records of one line count as
 * one.
 */
static void
check_totals(const struct lcov_section *section, const char *at)
{
	const struct lcov_line *line = section->line.at;
	uint64_t found = 0, hit = 0;

	for (size_t i = 0, from = 0; i < section->line.n; i++) {
		bool ran = false;

		if (i + 1 < section->line.n && line[i + 1].line == line[i].line)
			continue;
		for (; from <= i; from++)
			ran |= line[from].count > 0;
		found++;
		hit += ran;
	}
	if (section->has_found && section->found != found)
		cg_warn_at(section->job, at,
		    "LF states %" PRIu64 " lines, the section has %" PRIu64,
		    section->found, found);
	if (section->has_hit && section->hit != hit)
		cg_warn_at(section->job, at,
		    "LH states %" PRIu64
		    " lines that ran, the section has %" PRIu64,
		    section->hit, hit);
}

static void
add_lines(struct cg_build *build, struct lcov_section *section)
{
	struct cg_pos pos = { .file = section->file };

	for (size_t i = 0; i < section->line.n; i++) {
		uint64_t count = (uint64_t)section->line.at[i].count;

		pos.line = section->line.at[i].line;
		if (!cg_add_cost(build, cg_owner_of(&section->owners, pos.line),
			&pos, &count, 1))
			return;
	}
}

/*
 * Compares branches for sorting: by line, kind and block, then as in the file.
 */
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
 * Sorts the section's branches and conditions, and adds them to the graph.
 * section->owners must be complete. If a branch has a label, not a number, its
 * whole block gets positions as indices.
 */
static void
add_branches(struct cg_build *build, struct lcov_section *section)
{
	const struct lcov_branch *branch = section->branch.at, *at;
	size_t n;
	bool named;

	cg_sort(section->branch.at, section->branch.n, sizeof(*branch),
	    compare_branches);
	for (size_t i = 0; i < section->branch.n; i += n) {
		cg_fn fn = cg_owner_of(&section->owners, branch[i].line);

		at = branch + i;
		named = at->label != 0;
		for (n = 1;
		     i + n < section->branch.n && at[n].line == at->line &&
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
    struct cg_build *build, struct lcov_section *section, const char *at)
{
	struct cg_job *job = section->job;

	if (!cg_resize(job, &section->fn_lines, section->fn.n))
		return false;
	sort_fns(section);
	add_fns(build, section);
	if (!cg_owners_find(job, &section->owners, section->fn_lines.at,
		section->fn.n,
		cg_add_fn(build, cg_slice(""), section->file, 0)))
		return false;
	cg_sort(section->line.at, section->line.n, sizeof(struct lcov_line),
	    compare_lines);
	check_totals(section, at);
	add_lines(build, section);
	add_branches(build, section);
	section->open = section->has_found = section->has_hit = false;
	section->fn.n = section->next = section->leader.n = 0;
	section->line.n = section->branch.n = 0;
	return true;
}
