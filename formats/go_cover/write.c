/*
 * write.c - writes cover profiles: a block of one statement for each line.
 */
#include "go_cover.h"

/*
 * A block from the first column to the last one that go tool cover can number.
 * Reports of go tool cover end a block at the end of its line.
 */
#define WHOLE_LINE_FROM ".1,"
#define WHOLE_LINE_TO ".65535 1 "

static void
put_block(
    struct cg_out *out, struct cg_slice path, const struct cg_line_sum *line)
{
	(void)cg_put_inline(out, path);
	cg_putc(out, ':');
	cg_putu(out, line->line);
	cg_puts(out, WHOLE_LINE_FROM);
	cg_putu(out, line->line);
	cg_puts(out, WHOLE_LINE_TO);
	cg_putu(out, line->hits);
	cg_putc(out, '\n');
}

int
go_cover_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct cg_report r = {
		.job = job, .graph = graph, .out = out, .part = CG_ALL_PARTS
	};
	int status = cg_report_open(&r);
	struct cg_line_sum line;
	cg_file file;

	if (status != CG_OK)
		return status;
	cg_puts(out, "mode: count\n");
	while (cg_report_file(&r, &file)) {
		while (cg_report_line(&r, &line))
			put_block(out, cg_file_path(graph, file), &line);
	}
	return cg_report_close(&r, true);
}
