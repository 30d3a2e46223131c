/*
 * help.c - --help and --version, made from the tables that the options
 * themselves are parsed by.
 */
#include <string.h>

#include "cmd.h"

/* Where the help text begins. */
#define HELP_COLUMN 26

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
print_format_options(const struct cg_module *module)
{
	const struct cg_option *option = module->options;

	printf("\nOptions of %s (%s):\n", module->name, module->title);
	for (; option->name != NULL; option++) {
		print_option(0, option->name, option->arg, option->help);
		if (option->fallback != NULL && option->fallback[0] != '\0')
			printf(" [%s]", option->fallback);
		if (option->reading != option->writing)
			printf(
			    " (%s)", option->reading ? "reading" : "writing");
		putchar('\n');
	}
}

static void
print_own_options(const struct args *args)
{
	fputs("Usage: cgconv [-f FORMAT] [-t FORMAT] [-o FILE] [--exe FILE]... "
	      "[OPTION]... [INPUT]...\n"
	      "Converts profiles. Several inputs are added up; without one, or "
	      "as -, standard\ninput is read.\n",
	    stdout);
	for (const struct option *own = own_options; own->name; own++) {
		if (own->group != NULL)
			printf("\n%s:\n", own->group);
		print_option(own->letter, own->name, own->arg, own->help);
		if (own->target)
			printf(" %s", cg_job_target(args->job)->name);
		putchar('\n');
	}
	fputs("\nFormats have options of their own: cgconv --help FORMAT. "
	      "A flag of a format is\nturned off by --no-FLAG. Exit status: "
	      "0 done, 1 an input failed, 2 usage,\n3 loss under --strict, "
	      "4 the output could not be written, 5 a limit or out of\n"
	      "memory, 6 a fault of ours.\n",
	    stdout);
}

/* Of one format, or of all. */
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
	return found ? CG_OK
		     : cg_usage(
			   args->job, "--help: no format is called '%s'", name);
}

int
show_help(struct args *args)
{
	int status = CG_OK;

	/* Formats are asked for by the words behind it. */
	if (*args->next == NULL || **args->next == '-')
		print_own_options(args);
	while (status == CG_OK && *args->next && **args->next != '-')
		status = print_options_of(args, *args->next++);
	return status;
}

int
show_version(struct args *args)
{
	(void)args;
	puts("cgconv " CG_VERSION);
	return CG_OK;
}
