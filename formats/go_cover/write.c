/*
 * write.c - writes cover profiles: the blocks of Go, else a block of one
 * statement for each line.
 */
#include "go_cover.h"

/*
 * A block from the first column to the last one that go tool cover can number.
 * Reports of go tool cover end a block at the end of its line.
 */
#define LAST_COLUMN 65535

/*
 * Blocks of Go overlap only where one ends on the line on which another
 * begins: regions that have more lines in sum, for each line of the file, are
 * no blocks.
 */
#define SPANS_MAX 8

struct line {
	uint32_t line;
	bool covered;  /* by a block */
	uint64_t hits; /* of the graph */
	uint64_t most; /* of the blocks that cover it */
};

struct block {
	size_t line; /* index of its first one */
	uint64_t statements;
	struct cg_region region;
};

struct writer {
	struct cg_report r;
	CG_ARRAY(struct line) line; /* of the file */
	CG_ARRAY(struct block) block;
	bool mixed;  /* the file has other regions, too */
	size_t lost; /* files whose regions are not written */
};

/* ---- Collecting --------------------------------------------------------- */

/*
 * Appends the regions that begin on the current line to w->block. This line
 * must be the last one in w->line. Regions from Go have their number of
 * statements as label, and no flags. Sets w->mixed if a region is different.
 * False: an error (reported).
 */
static bool
add_blocks(struct writer *w)
{
	const struct cg_branch *row;
	struct block block = { .line = w->line.n - 1 };
	size_t n;

	if (!cg_line_regions(w->r.lines, &row, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		w->mixed |= row[i].flags != 0 ||
			    !cg_get_u64(cg_branch_label(w->r.graph, &row[i]),
				&block.statements);
		cg_get_region(&row[i], &block.region);
		if (!cg_append(w->r.job, &w->block, block))
			return false;
	}
	return true;
}

static bool
collect(struct writer *w)
{
	struct cg_line_sum line;

	w->line.n = w->block.n = 0;
	w->mixed = false;
	while (cg_report_line(&w->r, &line)) {
		if (!cg_append(w->r.job, &w->line,
			(struct line){ .line = line.line, .hits = line.hits }))
			return false;
		if (!add_blocks(w))
			return false;
	}
	return true;
}

/*
 * Marks the lines in a block as covered, and raises their line.most to at
 * least the block's count. Adds the number of lines to *spans, the work so
 * far. False: the file lacks one of them, or the work is too much.
 */
static bool
cover(struct writer *w, const struct block *block, uint64_t *spans)
{
	const struct cg_region *region = &block->region;
	uint64_t count = cg_report_count(&w->r, region->count);
	uint64_t n = (uint64_t)region->last - region->line + 1;

	*spans += n;
	if (n > w->line.n - block->line || *spans > SPANS_MAX * w->line.n)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct line *line = &w->line.at[block->line + i];

		if (line->line != region->line + i)
			return false;
		line->covered = true;
		if (line->most < count)
			line->most = count;
	}
	return true;
}

/*
 * True if the file's blocks of Go imply its lines and counts, and can be
 * written instead. Each line must be inside a block, and have its blocks'
 * largest count. Blocks must have no other lines. False without blocks, or
 * with other regions (w->mixed).
 */
static bool
give_lines(struct writer *w)
{
	uint64_t spans = 0;

	if (w->block.n == 0 || w->mixed)
		return false;
	for (size_t i = 0; i < w->block.n; i++) {
		if (!cover(w, &w->block.at[i], &spans))
			return false;
	}
	for (size_t i = 0; i < w->line.n; i++) {
		const struct line *line = &w->line.at[i];

		if (!line->covered || line->most != line->hits)
			return false;
	}
	return true;
}

/* ---- Writing ------------------------------------------------------------ */

/*
 * Writes a line of the format, "FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS
 * COUNT".
 */
static void
put_block(struct writer *w, struct cg_slice path,
    const struct cg_region *region, uint64_t statements, uint64_t count)
{
	struct cg_out *out = w->r.out;

	(void)cg_put_inline(out, path);
	cg_putc(out, ':');
	cg_putu(out, region->line);
	cg_putc(out, '.');
	cg_putu(out, region->column);
	cg_putc(out, ',');
	cg_putu(out, region->last);
	cg_putc(out, '.');
	cg_putu(out, region->last_column);
	cg_putc(out, ' ');
	cg_putu(out, statements);
	cg_putc(out, ' ');
	cg_putu(out, count);
	cg_putc(out, '\n');
}

static void
put_lines(struct writer *w, struct cg_slice path)
{
	for (size_t i = 0; i < w->line.n; i++) {
		const struct line *line = &w->line.at[i];
		const struct cg_region whole = { .line = line->line,
			.column = 1,
			.last = line->line,
			.last_column = LAST_COLUMN };

		put_block(w, path, &whole, 1, line->hits);
	}
}

static bool
put_file(struct writer *w, struct cg_slice path)
{
	if (!collect(w))
		return false;
	if (!give_lines(w)) {
		w->lost += w->block.n > 0;
		put_lines(w, path);
		return true;
	}
	for (size_t i = 0; i < w->block.n; i++) {
		const struct block *block = &w->block.at[i];

		put_block(w, path, &block->region, block->statements,
		    cg_report_count(&w->r, block->region.count));
	}
	return true;
}

int
go_cover_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS } };
	int status = cg_report_open(&w.r);
	bool ok = true;
	cg_file file;

	if (status != CG_OK)
		return status;
	cg_puts(out, "mode: count\n");
	while (ok && cg_report_file(&w.r, &file))
		ok = put_file(&w, cg_file_path(graph, file));
	if (w.lost > 0 && cg_job_verbose(job))
		cg_note(job,
		    "wrote a block for each line of %zu file%s, as regions do "
		    "not give the counts of the lines",
		    w.lost, w.lost == 1 ? "" : "s");
	return cg_report_close(&w.r, ok);
}
