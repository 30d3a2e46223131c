/*
 * go_cover.c - the module for cover profiles of Go (go test -coverprofile).
 *
 * Source: src/cmd/vendor/golang.org/x/tools/cover/profile.go of Go 1.19, which
 * go tool cover uses, and go test of Go 1.19. After "mode: set" (or count, or
 * atomic) each line has a block of statements, with its columns and execution
 * count. Merged files may repeat the line with the mode.
 *
 * Blocks survive as regions whose labels are their numbers of statements, and
 * lines: a line has the largest count of the blocks on it, as in reports by
 * line. For data of other formats, or if lines of a file were dropped, the
 * writer writes a block of one statement for each line, so that go tool cover
 * shows percentages of lines. Functions and branches are not in the format.
 */
#include "go_cover.h"

static int
probe(const struct cg_head *head)
{
	struct cg_slice first = head->first;

	cg_cut_return(&first);
	if (!cg_take_prefix(&first, "mode: "))
		return CG_PROBE_NO;
	return cg_equal(first, "set") || cg_equal(first, "count") ||
		       cg_equal(first, "atomic")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ 0 },
};

const struct cg_module cg_format_go_cover = {
	CG_MODULE,
	.name = "go-cover",
	.title = "cover profiles of Go (go test -coverprofile)",
	.text = true,
	.suffixes = "coverprofile;cover.out;coverage.out",
	.carries =
	    CG_SELF | CG_LINES | CG_ZEROS | CG_SIGNED | CG_FILES | CG_REGIONS,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = go_cover_read,
	.write = go_cover_write,
};
