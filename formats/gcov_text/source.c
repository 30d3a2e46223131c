/*
 * source.c - the sources that are written with counts.
 *
 * A file that the graph names is only opened where that was asked for:
 * --sources, or a relative name beside the first input. Of a source that is
 * not there, lines with code are written, with the mark that old versions of
 * gcov have for what is behind the end of a file.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

static bool
nomem(struct writer *w)
{
	w->status = cg_nomem(w->job);
	return false;
}

/* A name that leads out of its folder is nobody's business. */
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

/* Opens folder/name if it is there, and in the folder. */
static bool
open_at(struct writer *w, struct cg_slice folder, struct cg_slice name)
{
	char *path, *end;

	while (cg_take_char(&name, '/'))
		continue;
	if (name.len == 0 || leads_out(name))
		return false;
	path = malloc(folder.len + name.len + CG_JOIN_MORE + 1);
	if (!path)
		return nomem(w);
	end = cg_join_path(path, folder, name);
	*end = '\0';
	(void)cg_open_companion(w->job, path, &w->source.in);
	free(path);
	return w->source.in != NULL;
}

static void
open_source(struct writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->graph, file);
	struct cg_slice given = cg_file_given(w->graph, file), folder;
	const char *sources = cg_opt(w->job, "sources"), *input, *slash;
	struct cg_detected how;
	bool absolute;

	if (given.len == 0)
		given = path;
	absolute = cg_starts(given, "/");
	if (sources) {
		folder = cg_slice(sources);
		if (absolute || !open_at(w, folder, given))
			(void)open_at(w, folder, path);
		return;
	}
	input = cg_job_source(w->job, 0, &how);
	slash = input ? strrchr(input, '/') : NULL;
	if (!input || absolute)
		return;
	folder.ptr = slash ? input : "";
	folder.len = slash ? (size_t)(slash - input) + 1 : 0;
	(void)open_at(w, folder, given);
}

static bool
add_start(struct writer *w, const char *start)
{
	struct source *source = &w->source;

	if (!cg_grow_raw(&source->line, &source->cap, source->lines + 1,
		sizeof(*source->line)))
		return nomem(w);
	source->line[source->lines++] = start;
	return true;
}

bool
gcov_text_read_source(struct writer *w, cg_file file)
{
	struct source *source = &w->source;
	struct cg_slice rest, line;

	source->lines = 0;
	open_source(w, file);
	if (!source->in || !cg_read_all(source->in, &source->text))
		source->text.len = 0;
	if (!source->in && w->status == CG_OK)
		cg_warn(w->job, "no source of %.*s: see --sources",
		    (int)cg_file_path(w->graph, file).len,
		    cg_file_path(w->graph, file).ptr);
	rest = source->text;
	while (cg_take_line(&rest, &line)) {
		if (!add_start(w, line.ptr))
			return false;
	}
	return w->status == CG_OK &&
	       (source->lines == 0 ||
		   (add_start(w, source->text.ptr + source->text.len) &&
		       source->lines-- > 0));
}

void
gcov_text_close_source(struct writer *w)
{
	if (w->source.in)
		cg_close_companion(w->job, w->source.in);
	w->source.in = NULL;
}

void
gcov_text_put_source(struct writer *w, uint32_t number)
{
	const struct source *source = &w->source;
	struct cg_slice line;

	if (number > source->lines) {
		cg_puts(w->out, "/*EOF*/\n");
		return;
	}
	line.ptr = source->line[number - 1];
	line.len = (size_t)(source->line[number] - line.ptr);
	if (line.len > 0 && line.ptr[line.len - 1] == '\n')
		line.len--;
	cg_put(w->out, line);
	cg_putc(w->out, '\n');
}
