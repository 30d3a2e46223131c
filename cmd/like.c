/*
 * like.c - applies --like: sets defaults with which cgconv counts coverage as
 * another tool does.
 *
 * Sources: geninfo(1) of lcov 1.16 and 2.5; gcovr 5.2 and a snapshot after
 * 8.4; gcov(1) of gcc 12; llvm-cov(1) of LLVM 14; the README of grcov. The man
 * page lists the remaining differences.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define OPTIONS_MAX 4

static const struct tool {
	const char *name;
	bool no_branches; /* unless the user asks for branches */
	bool inside;      /* only files in a root, with paths relative to it */
	struct {
		const char *name, *value;
	} option[OPTIONS_MAX];
} tools[] = {
	{ .name = "lcov",
	    .no_branches = true,
	    .option = { { "only-run", "yes" }, { "marker-words", "LCOV" } } },
	{ .name = "gcovr",
	    .inside = true,
	    .option = { { "exclude-internal-functions", "yes" },
		{ "functions-by-name", "yes" } } },
	{ .name = "gcovr-5",
	    .inside = true,
	    .option = { { "exclude-internal-functions", "yes" },
		{ "functions-by-name", "yes" }, { "exclude-noncode", "yes" },
		{ "methods", "no" } } },
	{ .name = "gcov",
	    .no_branches = true,
	    .option = { { "markers", "no" } } },
	{ .name = "grcov",
	    .no_branches = true,
	    .option = { { "markers", "no" } } },
	{ .name = "llvm-cov", .option = { { "markers", "no" } } },
};
#define TOOLS (sizeof(tools) / sizeof(*tools))

/*
 * Makes the job write paths below the directory "root" as paths relative to
 * it. Does so for no path if the root is "/". "root" may be a directory of
 * another machine, which does not exist here, if it is absolute. Returns the
 * status.
 */
static int
map_root(struct args *args, const char *root)
{
	char *real = realpath(root, NULL);
	int status = CG_OK;

	if (real == NULL && errno == ENOMEM)
		return cg_nomem(args->job);
	if (real == NULL && *root != '/')
		return cg_usage(args->job, "--root: cannot find '%s': %s", root,
		    strerror(errno));
	if (strcmp(real != NULL ? real : root, "/") != 0)
		status =
		    cg_job_map_path(args->job, real != NULL ? real : root, "");
	free(real);
	return status;
}

/*
 * Makes the job drop files outside of one directory, and write paths of the
 * other files relative to that directory. It is the directory of --root, whose
 * option has set already which files are dropped. Without --root, it is the
 * current directory. More than one --root is an error, because two files could
 * get the same path. Returns the status.
 */
static int
stay_inside(struct args *args)
{
	int status = CG_OK;

	/* Files of two roots could get the same path. */
	if (args->roots > 1)
		return cg_usage(args->job,
		    "--like %s takes one --root (or --no-external)",
		    args->like);
	if (args->roots == 0)
		status = cg_job_include_directory(args->job, ".");
	return status == CG_OK
		   ? map_root(args, args->roots > 0 ? args->root : ".")
		   : status;
}

static int
apply(struct args *args, const struct tool *tool)
{
	int status = CG_OK;

	if (tool->no_branches && !args->branches)
		cg_job_drop_branches(args->job, false);
	if (tool->inside)
		status = stay_inside(args);
	for (size_t i = 0; i < OPTIONS_MAX && tool->option[i].name; i++) {
		if (status == CG_OK)
			status = cg_job_set_default(args->job,
			    tool->option[i].name, tool->option[i].value);
	}
	return status;
}

int
apply_like(struct args *args)
{
	if (args->like == NULL)
		return args->branches
			   ? cg_usage(args->job,
				 "--branches applies only with --like")
			   : CG_OK;
	for (size_t i = 0; i < TOOLS; i++) {
		if (strcmp(args->like, tools[i].name) == 0)
			return apply(args, &tools[i]);
	}
	return cg_usage(args->job,
	    "--like: expected lcov, gcovr, gcovr-5, gcov, grcov or llvm-cov, "
	    "not '%s'",
	    args->like);
}
