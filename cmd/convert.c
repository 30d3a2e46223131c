/*
 * convert.c - converts the inputs to one output, or runs a batch.
 */
#include <unistd.h>

#include "cmd.h"

int
add_inputs(struct args *args)
{
	if (args->inputs == 0 && isatty(STDIN_FILENO))
		return cg_usage(args->job,
		    "no input: name a file, or - for standard input; "
		    "see --help");
	if (args->inputs == 0)
		(void)cg_job_add_input(args->job, "-");
	for (size_t i = 0; i < args->inputs; i++)
		(void)cg_job_add_input(args->job, args->input[i]);
	return CG_OK;
}

/*
 * Prints a note that a batch (-j) skips inputs that fail. Called after an
 * input failed, so that nothing was written. Prints nothing with --quiet.
 */
static void
hint_at_batch(const struct args *args)
{
	const struct cg_message hint = { .severity = CG_NOTE,
		.text = "nothing written because an input failed; use -j "
			"with -o FILE to skip bad inputs" };

	if (args->quiet)
		return;
	wipe_conversion(args);
	put_message(stderr, &hint);
}

static bool
is_binary(const struct args *args)
{
	const struct cg_module *to = cg_job_target(args->job);

	return args->gzip || (to != NULL && !to->text);
}

int
convert(struct args *args)
{
	int status;

	if (is_batch(args))
		return args->directory || args->output
			   ? convert_batch(args)
			   : cg_usage(args->job,
				 "archives need -O, the directory to write "
				 "to, or -o, the file");
	status = add_inputs(args);

	if (status != CG_OK)
		return status;
	if (args->output == NULL && is_binary(args) && isatty(STDOUT_FILENO))
		return cg_usage(args->job,
		    "not writing %s to a terminal: name a file with -o, or "
		    "force with -o -",
		    args->gzip ? "compressed data" : "a binary profile");
	begin_conversion(args);
	(void)cg_job_read(args->job, NULL);
	if (cg_job_one_failed(args->job))
		hint_at_batch(args);
	status = cg_job_write(args->job);
	end_conversion(args);
	return status;
}
