/*
 * go_write.c - writes cover profiles: a block of one statement for each line.
 */
#include "coverage.h"

/*
 * From the first column to the last that go tool cover can number. Its reports
 * end a block at the latest with its line.
 */
#define WHOLE_LINE_FROM ".1,"
#define WHOLE_LINE_TO ".65535 1 "

static void
put_block(struct coverage_writer *w, struct cg_slice path,
    const struct cg_line_sum *line)
{
	(void)cg_put_inline(w->out, path);
	cg_putc(w->out, ':');
	cg_putu(w->out, line->line);
	cg_puts(w->out, WHOLE_LINE_FROM);
	cg_putu(w->out, line->line);
	cg_puts(w->out, WHOLE_LINE_TO);
	cg_putu(w->out, line->hits);
	cg_putc(w->out, '\n');
	w->any = true;
}

int
go_cover_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct coverage_writer w;
	struct cg_line_sum line;
	cg_file file;
	int status = coverage_open(&w, job, graph, out);

	if (status != CG_OK)
		return status;
	cg_puts(out, "mode: count\n");
	while (coverage_next_file(&w, &file)) {
		struct cg_slice path = cg_file_path(graph, file);

		while (coverage_next_line(&w, &line))
			put_block(&w, path, &line);
	}
	return coverage_close(&w, true);
}
