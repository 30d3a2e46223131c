/*
 * table.c - --help table: options and formats as a table for the completions of
 * shells, which ask the program so that they have no lists of their own.
 */
#include <string.h>

#include "cmd.h"

static void
print_row(const char *kind, const char *prefix, const char *name,
    const char *arg, const char *help)
{
	printf("%s\t%s%s\t%s\t%s\n", kind, prefix, name, arg, help);
}

static void
print_own(const struct cmd_option *own)
{
	const char letter[] = { own->letter, '\0' };
	const char *arg = own->arg ? own->arg : "";
	/* The end of this help depends on the target. */
	const char *help = own->target ? "output format" : own->help;

	if (own->letter != 0)
		print_row("letter", "-", letter, arg, help);
	print_row("option", "--", own->name, arg, help);
}

/*
 * Returns true if one of the formats 0 to n - 1 has an option of that name.
 * Then the row of that option has been printed already.
 */
static bool
is_repeated(const struct args *args, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		const struct cg_option *option =
		    cg_job_module(args->job, i)->options;

		for (; option && option->name; option++) {
			if (strcmp(option->name, name) == 0)
				return true;
		}
	}
	return false;
}

static bool
is_own(const char *name)
{
	for (const struct cmd_option *own = own_options; own->name; own++) {
		if (strcmp(own->name, name) == 0)
			return true;
	}
	return false;
}

/*
 * Prints the row of an option of a format. A flag that is set by default is
 * offered by the name that clears it; the help then says what it no longer
 * does.
 */
static void
print_option_of_format(const struct cg_option *option)
{
	const char *arg = option->arg ? option->arg : "";

	if (option->type == CG_FLAG && option->fallback &&
	    strcmp(option->fallback, "yes") == 0)
		printf(
		    "option\t--no-%s\t\tnot: %s\n", option->name, option->help);
	else
		print_row("option", "--", option->name, arg, option->help);
}

int
print_help_table(struct args *args)
{
	const struct cg_module *module;

	for (const struct cmd_option *own = own_options; own->name; own++)
		print_own(own);
	for (size_t i = 0; (module = cg_job_module(args->job, i)); i++) {
		const struct cg_option *option = module->options;

		for (; option && option->name; option++) {
			if (!is_own(option->name) &&
			    !is_repeated(args, i, option->name))
				print_option_of_format(option);
		}
	}
	for (size_t i = 0; (module = cg_job_module(args->job, i)); i++) {
		const char *can = module->read ? "read" : "write";

		if (module->read && module->write)
			can = "read,write";
		print_row("format", "", module->name, can, module->title);
	}
	return CG_OK;
}
