/*
 * help.c - --help. It is made from the tables of options.
 */
#include <json-c/json.h>
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
 * Prints a heading and the options of a format whose flags have these values.
 * "reading" and "writing" tell whether an option is used for reading, for
 * writing or for both. Prints no heading if there are no such options.
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
print_option_of_program(const struct args *args, const struct cmd_option *own)
{
	print_option(own->letter, own->name, own->arg, own->help);
	if (own->target)
		printf(" %s]", cg_job_target(args->job)->name);
	putchar('\n');
}

static void
print_usage(void)
{
	fputs(
	    "Usage: cgconv [-f FORMAT] [-t FORMAT] [-o FILE] [--exe FILE]... "
	    "[OPTION]... [INPUT]...\n"
	    "Converts profiles. Several inputs are merged; without one, or as "
	    "-, stdin is read.\n",
	    stdout);
}

/* Prints what most people need, on one page. */
static void
print_first_page(const struct args *args)
{
	print_usage();
	fputs(
	    "The format of an input is recognised.\n"
	    "\nExamples:\n"
	    "  cgconv -o callgrind.out.prog ./prog gmon.out  # gprof's run, "
	    "for KCachegrind\n"
	    "  cgconv -o perf.svg perf.data                  # a flame graph\n"
	    "  cgconv -o report.html profile.pb.gz           # a page for any "
	    "browser\n"
	    "  cgconv -o cov.info build/                     # coverage, for "
	    "genhtml\n"
	    "  cgconv --info perf.data                       # the functions "
	    "that cost most\n"
	    "  cgconv --diff old.pb.gz new.pb.gz             # what changed\n"
	    "  cgconv -O out -t callgrind runs/*             # each file by "
	    "itself\n"
	    "\nOptions that most people use:\n",
	    stdout);
	for (const struct cmd_option *own = own_options; own->name; own++) {
		if (own->common)
			print_option_of_program(args, own);
	}
	fputs("\nMore:\n"
	      "  cgconv --help options    all options of the program\n"
	      "  cgconv --help FORMAT     the options of a format, such as "
	      "lcov\n"
	      "  cgconv --help all        both\n"
	      "  cgconv --help --json     the same for programs\n"
	      "  cgconv --list-formats    the formats, and what each can "
	      "represent\n"
	      "  man cgconv               all of it, explained\n",
	    stdout);
}

/* What an exit status means, by number. */
static const char *const exit_status[] = {
	"done",
	"an input failed",
	"usage error",
	"the target cannot represent the input",
	"the output cannot be written",
	"out of memory or a limit reached",
	"internal error",
	"a limit of --fail-under or --fail-over is not met",
};
#define EXIT_STATUSES (sizeof(exit_status) / sizeof(*exit_status))

static void
print_own_options(const struct args *args)
{
	print_usage();
	for (const struct cmd_option *own = own_options; own->name; own++) {
		if (own->group != NULL)
			printf("\n%s:\n", own->group);
		print_option_of_program(args, own);
	}
	fputs("\nFormats have options of their own: cgconv --help FORMAT. "
	      "--no-FLAG turns\noff a flag of a format.\n"
	      "\nExit status:\n",
	    stdout);
	for (size_t i = 0; i < EXIT_STATUSES; i++)
		printf("  %zu  %s\n", i, exit_status[i]);
}

/*
 * Prints options, by the name of a topic: "options" are those of the program,
 * a format's name those of the format, "all" both, for all formats. Returns
 * the status: an error if no format has the name.
 */
static int
print_topic(struct args *args, const char *name)
{
	const struct cg_module *module;
	bool all = strcmp(name, "all") == 0;
	bool found = all || strcmp(name, "options") == 0;

	if (found)
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

/* ---- JSON --------------------------------------------------------------- */

/*
 * Adds a member with this text to a JSON object, unless the text is NULL or
 * empty. False: out of memory.
 */
static bool
add_text(struct json_object *object, const char *key, const char *text)
{
	return text == NULL || *text == '\0' ||
	       add_json_text(object, key, cg_slice(text));
}

static bool
add_true(struct json_object *object, const char *key, bool value)
{
	return !value || add_json(object, key, json_object_new_boolean(true));
}

/*
 * Appends an object to a JSON array. The object describes an option: its name,
 * the name of its value ("arg", which may be NULL) and its help. Returns the
 * object, which the array owns. NULL: out of memory.
 */
static struct json_object *
append_option(struct json_object *array, const char *name, const char *arg,
    const char *help)
{
	struct json_object *object = json_object_new_object();

	if (!append_json(array, object) || !add_text(object, "name", name) ||
	    !add_text(object, "value", arg) || !add_text(object, "help", help))
		return NULL;
	return object;
}

static bool
append_own_options(struct json_object *array)
{
	const char *group = NULL;
	bool ok = true;

	for (const struct cmd_option *own = own_options; ok && own->name;
	     own++) {
		const char letter[] = { own->letter, '\0' };
		/* The end of this help depends on the target. */
		const char *help = own->target ? "output format" : own->help;
		struct json_object *option =
		    append_option(array, own->name, own->arg, help);

		group = own->group != NULL ? own->group : group;
		ok = option != NULL && add_text(option, "letter", letter) &&
		     add_text(option, "group", group) &&
		     add_true(option, "common", own->common);
	}
	return ok;
}

static bool
append_format_options(struct json_object *array, const struct cg_module *module)
{
	static const char *const type[] = {
		[CG_FLAG] = "flag",
		[CG_NUMBER] = "number",
		[CG_STRING] = "text",
	};
	const struct cg_option *option = module->options;
	bool ok = true;

	for (; ok && option != NULL && option->name != NULL; option++) {
		struct json_object *to = append_option(
		    array, option->name, option->arg, option->help);

		ok = to != NULL && add_text(to, "type", type[option->type]) &&
		     add_text(to, "default", option->fallback) &&
		     add_true(to, "reading", option->reading) &&
		     add_true(to, "writing", option->writing);
	}
	return ok;
}

/*
 * Appends each word of a list to a JSON array. The list is a text such as
 * "a;b", or NULL for no words. False: out of memory.
 */
static bool
append_words(struct json_object *array, const char *list)
{
	bool ok = true;

	while (ok && list != NULL && *list != '\0') {
		size_t n = strcspn(list, ";");

		ok = append_json(
		    array, json_slice((struct cg_slice){ list, n }));
		list += n + (list[n] == ';');
	}
	return ok;
}

static bool
append_facts(struct json_object *array, cg_facts facts)
{
	const char *name;
	bool ok = true;

	for (unsigned bit = 0; ok && (name = cg_fact_name(bit)) != NULL; bit++)
		ok = !(facts >> bit & 1) ||
		     append_json(array, json_slice(cg_slice(name)));
	return ok;
}

/*
 * Adds a member with an empty array to a JSON object. Returns the array, which
 * the object owns. NULL: out of memory.
 */
static struct json_object *
add_array(struct json_object *object, const char *key)
{
	struct json_object *array = json_object_new_array();

	return add_json(object, key, array) ? array : NULL;
}

static bool
append_format(struct json_object *array, const struct cg_module *module)
{
	struct json_object *object = json_object_new_object();

	return append_json(array, object) &&
	       add_text(object, "name", module->name) &&
	       add_text(object, "title", module->title) &&
	       add_true(object, "reads", module->read != NULL) &&
	       add_true(object, "writes", module->write != NULL) &&
	       append_words(add_array(object, "suffixes"), module->suffixes) &&
	       append_facts(add_array(object, "contains"), module->carries) &&
	       append_format_options(add_array(object, "options"), module);
}

static bool
append_statuses(struct json_object *array)
{
	bool ok = true;

	for (size_t i = 0; ok && i < EXIT_STATUSES; i++) {
		struct json_object *object = json_object_new_object();

		ok = append_json(array, object) &&
		     add_json_u64(object, "status", i) &&
		     add_text(object, "means", exit_status[i]);
	}
	return ok;
}

/*
 * Prints, as JSON, the options of the program, the formats with their options
 * and what each can represent, and the meaning of exit statuses. Returns the
 * status.
 */
static int
print_json_help(struct args *args)
{
	struct json_object *top = json_object_new_object();
	struct json_object *formats = json_object_new_array();
	const struct cg_module *module;
	bool ok = add_text(top, "program", "cgconv") &&
		  add_text(top, "version", CG_VERSION) &&
		  append_own_options(add_array(top, "options"));

	for (size_t i = 0; ok && (module = cg_job_module(args->job, i)); i++)
		ok = append_format(formats, module);
	ok = add_json(top, "formats", formats) && ok &&
	     append_statuses(add_array(top, "exit_status"));
	if (ok && write_json(stdout, top)) {
		putchar('\n');
		return CG_OK;
	}
	if (!ok)
		json_object_put(top);
	return cg_nomem(args->job);
}

/* ---- Both --------------------------------------------------------------- */

/* Returns true if --json stands before --help or after it. */
static bool
wants_json(const struct args *args)
{
	bool json = args->json;

	for (char **topic = args->topics; !json && *topic != NULL; topic++)
		json = strcmp(*topic, "--json") == 0;
	return json;
}

int
show_help(struct args *args)
{
	int status = CG_OK;

	if (wants_json(args))
		return print_json_help(args);
	if (*args->topics == NULL || **args->topics == '-')
		print_first_page(args);
	for (; status == CG_OK && *args->topics && **args->topics != '-';
	     args->topics++)
		status = strcmp(*args->topics, "table") == 0
			     ? print_help_table(args)
			     : print_topic(args, *args->topics);
	return status;
}
