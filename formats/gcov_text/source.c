/*
 * source.c - reads the sources to annotate.
 *
 * If the source is not found, only lines with code are written. Their text is
 * then the mark with which old versions of gcov show lines past the end of a
 * file.
 */
#include <string.h>

#include "write.h"

bool
gcov_text_read_source(struct gcov_text_writer *w, cg_file file)
{
	struct gcov_text_source *source = &w->source;
	struct cg_slice rest, line;

	source->line.n = 0;
	(void)cg_open_source(w->job, w->graph, file, false, &source->in);
	if (!source->in || !cg_read_all(source->in, &source->text))
		source->text.len = 0;
	rest = source->text;
	while (cg_take_line(&rest, &line)) {
		if (!cg_append(w->job, &source->line, line.ptr))
			return false;
	}
	if (source->line.n > 0) {
		if (!cg_append(w->job, &source->line,
			source->text.ptr + source->text.len))
			return false;
		source->line.n--; /* the end of the text is not a line */
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

	if (number > source->line.n) {
		cg_puts(w->out, "/*EOF*/\n");
		return;
	}
	line.ptr = source->line.at[number - 1];
	line.len = (size_t)(source->line.at[number] - line.ptr);
	if (line.len > 0 && line.ptr[line.len - 1] == '\n')
		line.len--;
	cg_put(w->out, line);
	cg_putc(w->out, '\n');
}
