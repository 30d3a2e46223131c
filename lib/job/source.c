/*
 * source.c - finds the source files that a graph names, for targets that show
 * them.
 */
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "job/job.h"

/* Names with ".." are not opened: they lead out of the directory. */
static bool
leads_out(struct cg_slice name)
{
	struct cg_slice part;

	while (cg_take_until(&name, '/', &part)) {
		if (cg_equal(part, ".."))
			return true;
	}
	return false;
}

/* Opens directory/name; NULL if it is not there or may not be opened. */
static struct cg_in *
open_at(struct cg_job *job, struct cg_slice directory, struct cg_slice name)
{
	struct cg_in *in = NULL;
	char *path, *end;

	while (cg_take_char(&name, '/'))
		continue;
	if (name.len == 0 || leads_out(name))
		return NULL;
	path = malloc(directory.len + name.len + CG_JOIN_MORE + 1);
	if (!path) {
		(void)cg_reject_nomem(job);
		return NULL;
	}
	end = cg_join_path(path, directory, name);
	*end = '\0';
	(void)cg_open_companion(job, path, &in);
	free(path);
	return in;
}

struct cg_in *
cg_open_source(struct cg_job *job, const struct cg_graph *graph, cg_file file)
{
	struct cg_slice path = cg_file_path(graph, file), directory;
	struct cg_slice given = cg_file_given(graph, file);
	const char *sources = cg_opt(job, CG_SOURCES_OPTION), *input, *slash;
	struct cg_detected how;
	struct cg_in *in = NULL;
	bool absolute;

	if (given.len == 0)
		given = path;
	absolute = cg_starts(given, "/");
	if (sources) {
		directory = cg_slice(sources);
		if (!absolute)
			in = open_at(job, directory, given);
		return in ? in : open_at(job, directory, path);
	}
	input = cg_job_source(job, 0, &how);
	slash = input ? strrchr(input, '/') : NULL;
	if (!input || absolute)
		return NULL;
	directory.ptr = slash ? input : "";
	directory.len = slash ? (size_t)(slash - input) + 1 : 0;
	return open_at(job, directory, given);
}
