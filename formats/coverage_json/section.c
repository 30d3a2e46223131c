/*
 * section.c - collects the functions, lines, branches and regions of a file,
 * and adds them to the graph at its end. A line belongs to the function stated
 * for it, else to the function whose range contains the line.
 */
#include "coverage_json.h"

bool
coverage_json_add_fn(struct cg_doc *doc, struct coverage_json_section *section,
    const struct coverage_json_fn *fn)
{
	return cg_append(doc->job, &section->fn, *fn);
}

bool
coverage_json_add_line(struct cg_doc *doc,
    struct coverage_json_section *section,
    const struct coverage_json_line *line)
{
	return cg_append(doc->job, &section->line, *line);
}

bool
coverage_json_add_branch(struct cg_doc *doc,
    struct coverage_json_section *section,
    const struct coverage_json_branch *branch)
{
	return cg_append(doc->job, &section->branch, *branch);
}

bool
coverage_json_take_counts(
    struct cg_doc *doc, struct coverage_json_section *section, uint32_t first)
{
	struct coverage_json_line line = { 0 };
	uint64_t number = first;

	(void)cg_doc_array(doc);
	for (; cg_doc_item(doc); number++) {
		if (cg_doc_next(doc) == CG_JSON_NULL) {
			if (!cg_doc_skip(doc))
				return false;
			continue;
		}
		if (!cg_doc_number(doc, 0, &line.count))
			return false;
		if (number > UINT32_MAX)
			return cg_doc_fail(doc, "fewer lines");
		line.line = (uint32_t)number;
		if (number > 0 && line.count >= 0 &&
		    !coverage_json_add_line(doc, section, &line))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
has_run(const struct coverage_json_section *section, uint32_t line)
{
	size_t low = 0, high = section->line.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (section->line.at[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low < section->line.n && section->line.at[low].line == line &&
	       section->line.at[low].count > 0;
}

void
coverage_json_mark_reached(struct coverage_json_section *section)
{
	for (size_t i = 0; i < section->branch.n; i++) {
		struct cg_branch *row = &section->branch.at[i].row;

		if (row->count > 0 || has_run(section, row->pos.line))
			row->flags |= CG_BRANCH_REACHED;
	}
}

static bool
map_names(struct cg_job *job, struct coverage_json_section *section)
{
	for (size_t i = 0; i < section->fn.n && i < UINT32_MAX; i++) {
		uint32_t *at =
		    cg_map_in(job, &section->by_name, section->fn.at[i].name);

		if (!at)
			return false;
		*at = (uint32_t)i + 1;
	}
	return true;
}

static cg_fn
owner_of(struct coverage_json_section *section, cg_name name, uint32_t line)
{
	uint32_t at = name ? cg_map_get(&section->by_name, name) : 0;

	if (at > 0 && at <= section->fn.n &&
	    section->fn.at[at - 1].name == name)
		return section->fn.at[at - 1].fn;
	return cg_owner_of(&section->owners, line);
}

bool
coverage_json_end_section(struct cg_doc *doc,
    struct coverage_json_section *section, struct cg_slice path)
{
	struct cg_pos pos = { .file = cg_add_file(doc->build, path) };
	uint64_t count;

	if (!coverage_json_open_file(doc, section, pos.file) ||
	    !map_names(doc->job, section))
		return false;
	for (size_t i = 0; i < section->line.n; i++) {
		const struct coverage_json_line *line = &section->line.at[i];

		pos.line = line->line;
		count = (uint64_t)line->count;
		if (!cg_add_cost(doc->build,
			owner_of(section, line->fn, line->line), &pos, &count,
			1))
			return false;
	}
	for (size_t i = 0; i < section->branch.n; i++) {
		struct coverage_json_branch *branch = &section->branch.at[i];

		branch->row.pos.file = pos.file;
		if (!cg_add_branch(doc->build,
			owner_of(section, branch->fn, branch->row.pos.line),
			&branch->row))
			return false;
	}
	for (size_t i = 0; i < section->region.n; i++) {
		struct cg_region *region = &section->region.at[i];

		region->file = pos.file;
		if (!cg_add_region(doc->build,
			cg_owner_of(&section->owners, region->line), region))
			return false;
	}
	section->fn.n = section->line.n = section->branch.n = 0;
	section->region.n = 0;
	return true;
}
