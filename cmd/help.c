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

	if (option == NULL || option->name == NULL)
		return;
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

int
show_help(struct args *args)
{
	const struct cg_module *module;

	fputs("Usage: cgconv [-f FORMAT] [-t FORMAT] [-o FILE] [--exe FILE]... "
	      "[OPTION]... [INPUT]...\n"
	      "Converts profiles. Several inputs are added up; without one, or "
	      "as -, standard\ninput is read.\n\nOptions:\n",
	    stdout);
	for (const struct option *own = own_options; own->name; own++) {
		print_option(own->letter, own->name, own->arg, own->help);
		putchar('\n');
	}
	for (size_t i = 0; (module = cg_job_module(args->job, i)); i++)
		print_format_options(module);
	fputs("\nA flag of a format is turned off by --no-FLAG. Exit status: "
	      "0 done, 1 an input\nfailed, 2 usage, 3 loss under --strict, "
	      "4 the output could not be written,\n5 a limit or out of "
	      "memory, 6 a fault of ours.\n",
	    stdout);
	return CG_OK;
}

int
show_version(struct args *args)
{
	(void)args;
	puts("cgconv " CG_VERSION);
	return CG_OK;
}
