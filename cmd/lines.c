/*
 * lines.c - reads files of lines: names of inputs (--files-from), manifests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

int
visit_lines(const struct args *args, const char *path, int end,
    int (*add)(void *arg, char *line, size_t n), void *arg)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	int status = CG_OK;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (file == NULL)
		return cg_usage(
		    args->job, "cannot open %s: %s", path, strerror(errno));
	while (status == CG_OK && (n = getdelim(&line, &size, end, file)) > 0)
		status = add(arg, line, (size_t)n);
	if (status == CG_OK && !feof(file) &&
	    (args->stop == NULL || *args->stop == 0))
		status = cg_usage(
		    args->job, "cannot read %s: %s", path, strerror(errno));
	free(line);
	if (!is_stdin)
		(void)fclose(file);
	return status;
}

struct names {
	const struct args *args;
	int (*add)(void *arg, const char *name);
	void *arg;
};

/*
 * Passes a name of n bytes to names->add without its newline or NUL, unless it
 * is empty. A NUL within the name is an error: the list needs -0. arg is a
 * struct names. Returns the status.
 */
static int
add_name(void *arg, char *name, size_t n)
{
	const struct names *names = arg;

	if (name[n - 1] == (names->args->nul ? '\0' : '\n'))
		name[--n] = '\0';
	if (strlen(name) < n)
		return cg_usage(names->args->job,
		    "%s: names end in NUL, not newline; use -0",
		    names->args->list);
	return n > 0 ? names->add(names->arg, name) : CG_OK;
}

int
visit_names(
    const struct args *args, int (*add)(void *arg, const char *name), void *arg)
{
	struct names names = { args, add, arg };

	return visit_lines(
	    args, args->list, args->nul ? '\0' : '\n', add_name, &names);
}
