/*
 * source.c - finds and reads the sources to annotate.
 *
 * A file that the graph names is only opened in the directory of --sources, or
 * by a relative name in the directory of the first input. Without a source,
 * only lines with code are written, and their text is the mark of old versions
 * of gcov for lines past the end of a file.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

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

/* Opens directory/name; false if it is not there or may not be opened. */
static bool
open_at(
    struct gcov_text_writer *w, struct cg_slice directory, struct cg_slice name)
{
	char *path, *end;

	while (cg_take_char(&name, '/'))
		continue;
	if (name.len == 0 || leads_out(name))
		return false;
	path = malloc(directory.len + name.len + CG_JOIN_MORE + 1);
	if (!path)
		return cg_reject_nomem(w->job);
	end = cg_join_path(path, directory, name);
	*end = '\0';
	(void)cg_open_companion(w->job, path, &w->source.in);
	free(path);
	return w->source.in != NULL;
}

static void
open_source(struct gcov_text_writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->graph, file);
	struct cg_slice given = cg_file_given(w->graph, file), directory;
	const char *sources = cg_opt(w->job, "sources"), *input, *slash;
	struct cg_detected how;
	bool absolute;

	if (given.len == 0)
		given = path;
	absolute = cg_starts(given, "/");
	if (sources) {
		directory = cg_slice(sources);
		if (absolute || !open_at(w, directory, given))
			(void)open_at(w, directory, path);
		return;
	}
	input = cg_job_source(w->job, 0, &how);
	slash = input ? strrchr(input, '/') : NULL;
	if (!input || absolute)
		return;
	directory.ptr = slash ? input : "";
	directory.len = slash ? (size_t)(slash - input) + 1 : 0;
	(void)open_at(w, directory, given);
}

/* Adds the start of a line; false: out of memory, rejected. */
static bool
add_start(struct gcov_text_writer *w, const char *start)
{
	struct gcov_text_source *source = &w->source;

	if (!cg_grow_raw(&source->line, &source->cap, source->lines + 1,
		sizeof(*source->line)))
		return cg_reject_nomem(w->job);
	source->line[source->lines++] = start;
	return true;
}

bool
gcov_text_read_source(struct gcov_text_writer *w, cg_file file)
{
	struct gcov_text_source *source = &w->source;
	struct cg_slice rest, line;

	source->lines = 0;
	open_source(w, file);
	if (!source->in || !cg_read_all(source->in, &source->text))
		source->text.len = 0;
	if (!source->in && cg_rejected(w->job) == CG_OK)
		cg_warn(w->job,
		    "source %.*s not found: name its directory with --sources",
		    (int)cg_file_path(w->graph, file).len,
		    cg_file_path(w->graph, file).ptr);
	rest = source->text;
	while (cg_take_line(&rest, &line)) {
		if (!add_start(w, line.ptr))
			return false;
	}
	if (source->lines > 0) {
		if (!add_start(w, source->text.ptr + source->text.len))
			return false;
		source->lines--; /* the end of the text is not a line */
	}
	return cg_rejected(w->job) == CG_OK;
}

void
gcov_text_close_source(struct gcov_text_writer *w)
{
	if (w->source.in)
		cg_close_companion(w->job, w->source.in);
	w->source.in = NULL;
}

void
gcov_text_put_source(struct gcov_text_writer *w, uint32_t number)
{
	const struct gcov_text_source *source = &w->source;
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
