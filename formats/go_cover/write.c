/*
 * write.c - writes cover profiles: a block of one statement for each line.
 */
#include "go_cover.h"

/*
 * From the first column to the last that go tool cover can number. Its reports
 * end a block at the latest with its line.
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

static bool
put_file(struct cg_report *r, cg_file file)
{
	struct cg_slice path = cg_file_path(r->graph, file);
	struct cg_line_sum line;

	while (cg_report_line(r, &line))
		put_block(r->out, path, &line);
	return true;
}

int
go_cover_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct cg_report r = {
		.job = job, .graph = graph, .out = out, .part = CG_ALL_PARTS
	};
	const struct cg_report_files_how how = {
		.r = &r, .size = sizeof(r), .put = put_file
	};
	int status = cg_report_open(&r);

	if (status != CG_OK)
		return status;
	cg_puts(out, "mode: count\n");
	return cg_report_close(&r, cg_report_files(&how));
}
