/*
 * detect.c - --detect: prints one line per input for scripts: name, format,
 * compression and score, separated by tabs. Control characters in a name, such
 * as tab and newline, are escaped; "-" stands for none.
 */
#include "cmd.h"

static int
detect_one(struct args *args, const char *path)
{
	struct cg_detected found = { 0 };
	int status = cg_job_detect(args->job, path, &found);

	put_safe(stdout, cg_slice(path));
	printf("\t%s\t%s\t%d\n", found.module ? found.module->name : "-",
	    found.filters && found.filters[0] ? found.filters : "-",
	    found.score);
	if (status == CG_OK && found.module == NULL)
		status = CG_EINPUT;
	return status;
}

int
detect(struct args *args)
{
	int status = CG_OK, one;

	if (args->inputs == 0)
		return detect_one(args, "-");
	for (size_t i = 0; i < args->inputs; i++) {
		one = detect_one(args, args->input[i]);
		if (status == CG_OK)
			status = one;
	}
	return status;
}
