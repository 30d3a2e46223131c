/*
 * caliper_tree.c - the tree that runtime-report prints.
 */
#include <string.h>

#include "caliper.h"

#define HEADER "Path "
#define EXCLUSIVE "Time (E)" /* in seconds */
#define INDENT 2

bool
caliper_is_tree(struct cg_slice line)
{
	return cg_starts(line, HEADER) && cg_find(line, " " EXCLUSIVE);
}

bool
caliper_read_tree(struct caliper *c)
{
	CG_ARRAY(uint32_t) open = { 0 }; /* paths, by depth */
	struct cg_slice line, name;
	struct caliper_metric time;
	size_t first, column, last, depth;
	const char *at;

	if (!table_line(c->in, &line) || !cg_starts(line, HEADER) ||
	    (at = cg_find(line, " " EXCLUSIVE)) == NULL)
		return cg_reject(
		    c->job, "expected 'Path' and a column '" EXCLUSIVE "'");
	column = (size_t)(at + 1 - line.ptr);
	for (first = strlen(HEADER); line.ptr[first] == ' ';)
		first++;
	/* A row may lack the time, but have values of later columns. */
	for (last = column + strlen(EXCLUSIVE);
	     last < line.len && line.ptr[last] == ' ';)
		last++;
	if (last == line.len)
		last = SIZE_MAX;
	time = caliper_get_metric(c, cg_slice(EXCLUSIVE), cg_slice(""), false);
	if (!cg_append(c->job, &open, 0))
		return false;
	while (table_line(c->in, &line)) {
		struct cg_slice cell;
		uint32_t path;

		if (line.len <= column)
			return cg_reject(c->job, "expected a row of the tree");
		name = (struct cg_slice){ line.ptr, first };
		for (depth = 0; depth < first && name.ptr[depth] == ' ';)
			depth++;
		name = cg_trim(name);
		if (name.len == 0 || depth % INDENT != 0 ||
		    depth / INDENT >= open.n)
			return cg_reject(
			    c->job, "expected a region in the one above it");
		depth /= INDENT;
		path = caliper_add_path(
		    c, open.at[depth], cg_add_name(c->build, name));
		open.n = depth + 1;
		if (path == 0 || !cg_append(c->job, &open, path))
			return false;
		line.len = line.len < last ? line.len : last;
		line.ptr += column;
		line.len -= column;
		(void)cg_take_blanks(&line);
		if (cg_take_word(&line, &cell) &&
		    !caliper_add_value(c, path, &time, cell))
			return false;
	}
	if (cg_in_unterminated(c->in))
		cg_warn(c->job, "the last row may be truncated");
	return cg_in_status(c->in) == CG_OK;
}
