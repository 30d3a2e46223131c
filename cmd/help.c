/*
 * help.c - --help and --version. The help is made from the tables of options.
 */
#include <string.h>

#include "cmd.h"

/* Column of the help texts. */
#define HELP_COLUMN 27
/* Column at which lines end. A default beyond it gets a line of its own. */
#define DEFAULT_END 80

static void
print_option(char letter, const char *name, const char *arg, const char *help)
{
	int used = 0;

	if (letter != 0)
		used = printf("  -%c, --%s", letter, name);
	else
		used = printf("      --%s", name);
	if (arg != NULL)
		used += printf(" %s", arg);
	if (used + 2 > HELP_COLUMN)
		used = printf("\n") - 1;
	printf("%*s%s", HELP_COLUMN - used, "", help);
}

static void
print_default(const struct cg_option *option)
{
	const char *text = option->fallback;

	if (text == NULL || *text == '\0') {
		putchar('\n');
		return;
	}
	if (HELP_COLUMN + strlen(option->help) + strlen(text) > DEFAULT_END)
		printf("\n%*s", HELP_COLUMN - 1, "");
	printf(" [default: %s]\n", text);
}

/*
 * Prints the options of a format below a heading: those with exactly these
 * flags, for reading only, for writing only, or for both; no heading if there
 * are none.
 */
static void
print_direction(const struct cg_module *module, bool reading, bool writing,
    const char *heading)
{
	const struct cg_option *option = module->options;
	bool first = true;

	for (; option->name != NULL; option++) {
		if (option->reading != reading || option->writing != writing)
			continue;
		if (first)
			printf("  %s:\n", heading);
		first = false;
		print_option(0, option->name, option->arg, option->help);
		print_default(option);
	}
}

static void
print_format_options(const struct cg_module *module)
{
	printf("\nOptions of %s (%s):\n", module->name, module->title);
	print_direction(module, true, true, "Reading and writing");
	print_direction(module, true, false, "Reading");
	print_direction(module, false, true, "Writing");
}

static void
print_own_options(const struct args *args)
{
	fputs(
	    "Usage: cgconv [-f FORMAT] [-t FORMAT] [-o FILE] [--exe FILE]... "
	    "[OPTION]... [INPUT]...\n"
	    "Converts profiles. Several inputs are merged; without one, or as "
	    "-, stdin is read.\n",
	    stdout);
	for (const struct cmd_option *own = own_options; own->name; own++) {
		if (own->group != NULL)
			printf("\n%s:\n", own->group);
		print_option(own->letter, own->name, own->arg, own->help);
		if (own->target)
			printf(" %s]", cg_job_target(args->job)->name);
		putchar('\n');
	}
	fputs("\nFormats have options of their own: cgconv --help FORMAT. "
	      "--no-FLAG turns\noff a flag of a format. Exit status: 0 done, "
	      "1 an input failed, 2 usage error,\n3 the target cannot "
	      "represent the input, 4 the output cannot be written,\n5 out "
	      "of memory or a limit reached, 6 internal error, 7 a limit of "
	      "--fail-under\nor --fail-over is not met.\n",
	    stdout);
}

/*
 * Prints the options of the format of that name, or of "all". Returns the
 * status: an error if there is no such format.
 */
static int
print_options_of(struct args *args, const char *name)
{
	const struct cg_module *module;
	bool all = strcmp(name, "all") == 0, found = all;

	if (all)
		print_own_options(args);
	for (size_t i = 0; (module = cg_job_module(args->job, i)); i++) {
		if (!all && strcmp(module->name, name) != 0)
			continue;
		found = true;
		if (module->options != NULL && module->options->name != NULL)
			print_format_options(module);
		else if (!all)
			printf(
			    "%s (%s) has no options.\n", name, module->title);
	}
	return found ? CG_OK : cg_unknown_format(args->job, name);
}

int
show_help(struct args *args)
{
	int status = CG_OK;

	/* Arguments after --help name formats. */
	if (*args->topics == NULL || **args->topics == '-')
		print_own_options(args);
	while (status == CG_OK && *args->topics && **args->topics != '-')
		status = print_options_of(args, *args->topics++);
	return status;
}

int
show_version(struct args *args)
{
	(void)args;
	puts("cgconv " CG_VERSION);
	return CG_OK;
}
