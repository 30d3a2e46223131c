/*
 * convert.c - what cgconv is for.
 */
#include <unistd.h>

#include "cmd.h"

int
add_inputs(struct args *args)
{
	int status = CG_OK;

	if (args->inputs == 0) {
		if (isatty(STDIN_FILENO))
			return cg_usage(args->job,
			    "no input: name a file, or - for standard input; "
			    "--help tells more");
		return cg_job_add_input(args->job, "-");
	}
	for (size_t i = 0; i < args->inputs && status == CG_OK; i++)
		status = cg_job_add_input(args->job, args->input[i]);
	return status;
}

int
convert(struct args *args)
{
	int status;

	if (is_batch(args))
		return args->folder || args->output
			   ? convert_batch(args)
			   : cg_usage(args->job,
				 "archives need -O or -o, where to write");
	status = add_inputs(args);

	if (status != CG_OK)
		return status;
	if (args->output == NULL && isatty(STDOUT_FILENO))
		return cg_usage(args->job,
		    "not writing a profile to a terminal: "
		    "name a file with -o, or insist with -o -");
	return cg_job_run(args->job);
}
