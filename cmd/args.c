/*
 * args.c - the command line, read by getopt_long().
 *
 * The program's own options are in options.c; each format has a table of its
 * own, and --module adds formats while the command line is read. An option
 * that several formats have is one option here: it has the same type in all of
 * them.
 */
#include <getopt.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* getopt_long() returns letters, or LONG plus an index into the table. */
#define LONG 256
#define OPERAND 1 /* returned for an operand, as optstring begins with '-' */

/*
 * A long option: one of the program, one of a format, or --no-FLAG of a
 * format's flag.
 */
struct meaning {
	const struct cmd_option *own;
	const struct cg_option *format;
	bool negated;
};

struct table {
	struct cg_job *job; /* has its memory */
	char letters[128];
	CG_ARRAY(struct option) option; /* a NULL name follows the last */
	CG_ARRAY(struct meaning) meaning;
	struct cg_map number; /* by a hash of the name: number + 1 */
	size_t modules; /* number of formats whose options are in the table */
};

/* ---- The table ---------------------------------------------------------- */

/*
 * Returns the address of the number (from 1) of the option `name`, valid until
 * the next call. The number is 0 if the name is new; the caller then sets it.
 * NULL: out of memory (reported).
 */
static uint32_t *
find_entry(struct table *table, const char *name)
{
	uint64_t key = cg_hash_ends(cg_slice(name)); /* or a higher key */
	uint32_t *number;

	do
		number = cg_map_in(table->job, &table->number, key++);
	while (number != NULL && *number != 0 &&
	       strcmp(table->option.at[*number - 1].name, name) != 0);
	return number;
}

/*
 * Adds an option and its meaning to the table, unless the table has an option
 * of this name. Keeps the pointer to the name. False: out of memory, here or
 * when name (then NULL) was allocated.
 */
static bool
add_entry(
    struct table *table, const char *name, int has_arg, struct meaning meaning)
{
	uint32_t *number = name != NULL ? find_entry(table, name) : NULL;
	size_t count = table->option.n;

	if (number != NULL && *number != 0)
		return true;
	if (number == NULL ||
	    !cg_append(table->job, &table->option,
		(struct option){ name, has_arg, NULL, LONG + (int)count }) ||
	    !cg_reserve(table->job, &table->option, count + 2) ||
	    !cg_append(table->job, &table->meaning, meaning))
		return false;
	table->option.at[count + 1] = (struct option){ 0 };
	*number = (uint32_t)table->option.n;
	return true;
}

static bool
add_own_options(struct table *table)
{
	char *letters = table->letters;
	bool ok = true;

	*letters++ = '-'; /* return operands in their order */
	*letters++ = ':'; /* report missing values as ':' */
	for (const struct cmd_option *own = own_options; ok && own->name;
	     own++) {
		if (own->letter != '\0')
			*letters++ = own->letter;
		if (own->letter != '\0' && own->arg != NULL)
			*letters++ = ':';
		ok = add_entry(table, own->name,
		    own->arg != NULL ? required_argument : no_argument,
		    (struct meaning){ .own = own });
	}
	*letters = '\0';
	return ok;
}

static char *
negated_name(struct cg_job *job, const char *flag)
{
	size_t size = strlen(flag) + 4;
	char *name = cg_alloc(job, size);

	if (name != NULL)
		snprintf(name, size, "no-%s", flag);
	return name;
}

/*
 * Adds one option of a format to the table. A flag may have a value after '=',
 * yes or no. For a flag, also adds the option --no-NAME. Does not replace an
 * option that has the same name already. False: out of memory (reported).
 */
static bool
add_format_option(struct table *table, const struct cg_option *option)
{
	bool flag = option->type == CG_FLAG;

	return add_entry(table, option->name,
		   flag ? optional_argument : required_argument,
		   (struct meaning){ .format = option }) &&
	       (!flag ||
		   add_entry(table, negated_name(table->job, option->name),
		       no_argument,
		       (struct meaning){ .format = option, .negated = true }));
}

/*
 * Adds the options of the formats that were added to the job since the last
 * call. False: out of memory (reported).
 */
static bool
add_format_options(struct table *table, const struct cg_job *job)
{
	const struct cg_module *module;
	const struct cg_option *option;
	bool ok = true;

	while (ok && (module = cg_job_module(job, table->modules)) != NULL) {
		option = module->options;
		for (; ok && option != NULL && option->name != NULL; option++)
			ok = add_format_option(table, option);
		table->modules++;
	}
	return ok;
}

/* ---- One option --------------------------------------------------------- */

/*
 * Appends the option to args->options, the list for the header of the batch's
 * manifest. The text is "--name=value", or "--name" if value is NULL. The list
 * is compared later: a batch can be resumed, and its shards merged, only with
 * the same options. Returns the status.
 */
static int
record_option(struct args *args, const char *name, const char *value)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool ok;

	if (to != NULL)
		fprintf(to, "--%s%s%s", name, value != NULL ? "=" : "",
		    value != NULL ? value : "");
	ok = close_text(to, &text) &&
	     append_json(args->options, json_slice(cg_slice(text)));
	free(text);
	return ok ? CG_OK : cg_nomem(args->job);
}

static int
set_command(struct args *args, const struct cmd_option *option)
{
	if (args->command_name != NULL && args->command != option->command)
		return cg_usage(args->job,
		    "--%s and --%s cannot be used together", args->command_name,
		    option->name);
	args->command = option->command;
	args->command_name = option->name;
	return CG_OK;
}

static int
apply_own(struct args *args, const struct cmd_option *option, const char *value)
{
	int status = CG_OK;

	if (option->command != CMD_CONVERT)
		return set_command(args, option);
	if (!option->unrecorded)
		status = record_option(args, option->name, value);
	if (status != CG_OK)
		return status;
	if (option->filter)
		return cg_job_set_filter(args->job, option->name, value);
	if (option->set != NULL)
		return option->set(args, value);
	if (option->arg != NULL)
		*(const char **)((char *)args + option->field) = value;
	else
		*(bool *)((char *)args + option->field) = true;
	return CG_OK;
}

static int
apply_long(struct args *args, const struct table *table, int at, char *value)
{
	const struct meaning *meaning = &table->meaning.at[at];
	int status;

	/* The analyzer does not see that the table has options. */
	/* NOLINTNEXTLINE(clang-analyzer-core.*) */
	if (meaning->own != NULL)
		return apply_own(args, meaning->own, value);
	status = record_option(args, table->option.at[at].name, value);
	if (status != CG_OK)
		return status;
	return cg_job_set_option(
	    args->job, meaning->format->name, meaning->negated ? "no" : value);
}

static const struct cmd_option *
find_letter(int letter)
{
	const struct cmd_option *option = own_options;

	while (option->letter != letter)
		option++;
	return option;
}

/* ---- Errors of getopt_long() -------------------------------------------- */

static int
refuse_missing_value(const struct args *args, const struct table *table)
{
	const struct meaning *meaning;

	if (optopt < LONG)
		return cg_usage(args->job, "-%c needs a value: %s", optopt,
		    find_letter(optopt)->arg);
	meaning = &table->meaning.at[optopt - LONG];
	return cg_usage(args->job, "--%s needs a value: %s",
	    /* NOLINTNEXTLINE(clang-analyzer-core.*): see apply_long() */
	    table->option.at[optopt - LONG].name,
	    meaning->own != NULL ? meaning->own->arg : meaning->format->arg);
}

/*
 * Reports an option that the table does not have. If options begin with this
 * name, the message says that it is ambiguous, and lists them. Otherwise the
 * message suggests the option with the most similar name, if one is similar.
 * Returns the status of the error.
 */
static int
refuse_name(
    const struct args *args, const struct table *table, struct cg_slice name)
{
	struct cg_nearest nearest = { .to = name };
	char *found = NULL;
	size_t size, matches = 0;
	FILE *to = open_memstream(&found, &size);
	int status;

	for (size_t i = 0; to != NULL && i < table->option.n; i++) {
		const char *other = table->option.at[i].name;

		if (name.len > 0 && strncmp(other, name.ptr, name.len) == 0)
			fprintf(to, "%s--%s", matches++ > 0 ? ", " : "", other);
		cg_nearest_offer(&nearest, other);
	}
	if (!close_text(to, &found))
		status = cg_nomem(args->job);
	else if (matches > 0)
		status = cg_usage(args->job, "option --%.*s is ambiguous: %s",
		    (int)name.len, name.ptr, found);
	else if (nearest.word != NULL)
		status = cg_usage(args->job,
		    "unknown option --%.*s: did you mean --%s? See --help all",
		    (int)name.len, name.ptr, nearest.word);
	else
		status =
		    cg_usage(args->job, "unknown option --%.*s; see --help all",
			(int)name.len, name.ptr);
	free(found);
	return status;
}

static int
refuse_option(
    const struct args *args, const struct table *table, const char *arg)
{
	struct cg_slice name;

	if (optopt >= LONG)
		return cg_usage(args->job, "--%s takes no value",
		    /* NOLINTNEXTLINE(clang-analyzer-core.*): as above */
		    table->option.at[optopt - LONG].name);
	if (optopt != 0)
		return cg_usage(
		    args->job, "unknown option -%c; see --help", optopt);
	name = cg_slice(arg + 2);
	name.len = strcspn(name.ptr, "=");
	return refuse_name(args, table, name);
}

/* ---- The whole command line --------------------------------------------- */

size_t
count_jobs(const struct args *args)
{
	long cpus;

	if (args->jobs > 0)
		return args->jobs;
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	return cpus > 0 && cpus < JOBS_MAX ? (size_t)cpus : 1;
}

/*
 * Returns true if -j N makes a batch, in which N workers merge the inputs into
 * the file of -o. This needs -o and several inputs. With one input, -j is the
 * number of threads.
 */
static bool
has_jobs_for_batch(const struct args *args)
{
	return args->jobs > 0 && args->command == CMD_CONVERT && args->output &&
	       args->inputs > 1;
}

static bool
asks_for_batch(const struct args *args)
{
	return args->recursive || args->list || args->manifest ||
	       args->resume || args->dry_run || has_jobs_for_batch(args) ||
	       args->timeout || args->max_memory || args->fail_fast ||
	       args->shards;
}

bool
is_batch(const struct args *args)
{
	bool batch = args->directory != NULL || asks_for_batch(args);

	/* --series reads lists, manifests and archives itself. */
	if (args->command == CMD_SERIES)
		return false;
	if (args->command == CMD_SUMMARY)
		return batch; /* --summary reads archives without a batch */
	for (size_t i = 0; !batch && i < args->inputs; i++)
		batch = looks_like_archive(args->input[i]);
	return batch;
}

/*
 * Reports the first option that does not apply to the command, such as --badge
 * without --summary. Returns the status of the usage error; CG_OK if all
 * options apply.
 */
static int
check_command(const struct args *args)
{
	const unsigned info = 1u << CMD_INFO, compare = 1u << CMD_DIFF,
		       check = 1u << CMD_VERIFY, sum = 1u << CMD_SUMMARY,
		       series = 1u << CMD_SERIES;
	const struct {
		bool given;
		const char *name, *with;
		unsigned commands;
	} rules[] = {
		{ args->json, "json",
		    "--info, --diff, --series, --summary or --verify",
		    info | compare | series | sum | check },
		{ args->top, "top", "--info, --diff, --series or --summary",
		    info | compare | series | sum },
		{ args->fail_under, "fail-under", "--summary", sum },
		{ cg_job_option(args->job, CG_PATCH_OPTION) != NULL,
		    CG_PATCH_OPTION,
		    "conversions, --diff, --series or --summary",
		    1u << CMD_CONVERT | compare | series | sum },
		{ args->fail_over, "fail-over", "--diff", compare },
		{ args->error_rate, "error-rate", "--diff or --series",
		    compare | series },
		{ args->order, "order", "--series", series },
		{ args->markdown, "markdown", "--summary or --diff",
		    sum | compare },
		{ args->badge, "badge", "--summary", sum },
		{ args->per_test, "per-test", "--summary", sum },
		{ args->tree, "tree", "--info", info },
		{ args->side_by_side, "side-by-side", "--diff", compare },
		{ args->normalize, "normalize", "--diff", compare },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (rules[i].given &&
		    (rules[i].commands & 1u << args->command) == 0)
			return cg_usage(args->job, "--%s applies only with %s",
			    rules[i].name, rules[i].with);
	}
	return CG_OK;
}

/*
 * Returns true if standard input is the patch (--patch -), and would be read a
 * second time. It would be if it is also an input, which it is if no input is
 * named. It would also be in a batch, in which each worker reads the patch.
 */
static bool
reads_patch_twice(const struct args *args)
{
	const char *patch = cg_job_option(args->job, CG_PATCH_OPTION);

	if (patch == NULL || strcmp(patch, "-") != 0)
		return false;
	for (size_t i = 0; i < args->inputs; i++) {
		if (strcmp(args->input[i], "-") == 0)
			return true;
	}
	return args->inputs == 0 || is_batch(args);
}

/*
 * Checks that the options for the output fit the command and each other.
 * Returns the status of the usage error, or CG_OK.
 */
static int
check_output(const struct args *args)
{
	bool converts = args->command == CMD_CONVERT;
	bool series = args->command == CMD_SERIES;

	if (!converts && args->command != CMD_DIFF &&
	    (args->to || (args->output && !series)))
		return cg_usage(args->job,
		    "-%c and --%s cannot be used together",
		    args->to ? 't' : 'o', args->command_name);
	if (args->directory != NULL && !converts)
		return cg_usage(args->job,
		    "-O and --%s cannot be used together", args->command_name);
	if (args->directory != NULL && args->output != NULL)
		return cg_usage(args->job, "-O and -o cannot be used together");
	if (args->open && (args->output == NULL || is_batch(args) ||
			      strcmp(args->output, "-") == 0))
		return cg_usage(args->job,
		    "--open needs -o FILE, and cannot be used with batches");
	if (args->directory == NULL && (args->name || args->group_by))
		return cg_usage(args->job,
		    "--%s needs -O, the directory to write to",
		    args->name ? "name" : "group-by");
	if (series && (args->recursive || args->resume || args->dry_run ||
			  args->timeout || args->max_memory ||
			  args->fail_fast || args->shards))
		return cg_usage(args->job,
		    "--series takes --files-from and --manifest of the options "
		    "for batches, no others");
	if (!series && asks_for_batch(args) && !args->directory &&
	    (!args->output || args->command == CMD_DIFF))
		return cg_usage(args->job,
		    "a batch needs -O, the directory to write to, or -o, the "
		    "file");
	if (reads_patch_twice(args))
		return cg_usage(args->job,
		    "--patch - cannot be used with batches, nor with input -");
	if ((args->command == CMD_INFO || args->command == CMD_DIFF ||
		args->command == CMD_SUMMARY || args->command == CMD_VERIFY) &&
	    is_batch(args))
		return cg_usage(args->job,
		    "--%s cannot read archives; convert them with -O or -o",
		    args->command_name);
	return CG_OK;
}

/*
 * Tells the job the name of the output, whose suffix selects the format.
 * Without -o, this is the template of --name, if it has a fixed suffix. Does
 * nothing for --series. Returns the status.
 */
static int
set_output_format(const struct args *args)
{
	const char *name = args->output ? args->output : args->name;
	const char *suffix = name ? strrchr(name, '.') : NULL;

	/* --series writes forms of its own. */
	if (args->command == CMD_SERIES ||
	    (args->output == NULL && (suffix == NULL || strpbrk(suffix, "{/"))))
		return CG_OK;
	return cg_job_set_output(args->job, name);
}

/*
 * Checks options against each other after all were read. Sets the job's
 * formats and output directory, and the defaults of --like. Sets the job's
 * event, except for --info, --diff, --series and --summary, which use --event
 * themselves. Returns the status of the first step that fails.
 */
static int
validate_args(struct args *args)
{
	int status = check_output(args);

	if (status == CG_OK && args->from != NULL)
		status = cg_job_set_from(args->job, args->from);
	if (status == CG_OK && args->to != NULL)
		status = cg_job_set_to(args->job, args->to);
	if (status == CG_OK)
		status = set_output_format(args);
	if (status == CG_OK && args->directory != NULL)
		status = cg_job_set_output_root(args->job, args->directory);
	if (status == CG_OK)
		status = check_command(args);
	if (status == CG_OK)
		status = apply_like(args);
	/*
	 * With --info and --diff, --event is the event that functions are
	 * sorted by.
	 */
	if (status == CG_OK && args->event != NULL &&
	    args->command != CMD_INFO && args->command != CMD_DIFF &&
	    args->command != CMD_SERIES && args->command != CMD_SUMMARY)
		status = cg_job_set_option(args->job, "event", args->event);
	return status;
}

static int
parse_option(struct args *args, struct table *table, int found, char **argv)
{
	switch (found) {
	case OPERAND: args->input[args->inputs++] = optarg; return CG_OK;
	case ':': return refuse_missing_value(args, table);
	case '?': return refuse_option(args, table, argv[optind - 1]);
	}
	return found >= LONG ? apply_long(args, table, found - LONG, optarg)
			     : apply_own(args, find_letter(found), optarg);
}

static int
parse(struct args *args, struct table *table, int argc, char **argv)
{
	int status = CG_OK, found = 0, before = 1;

	optind = opterr = 0;
	while (status == CG_OK) {
		if (!add_format_options(table, args->job))
			return cg_nomem(args->job);
		found = getopt_long(
		    argc, argv, table->letters, table->option.at, NULL);
		if (found == -1)
			break;
		status = parse_option(args, table, found, argv);
		/* Print the help even if other arguments are invalid. */
		if (args->command == CMD_HELP || args->command == CMD_VERSION) {
			/* In a bundle (-hq), optind is still at the bundle. */
			args->topics =
			    argv + (optind > before ? optind : before + 1);
			return status;
		}
		before = optind;
	}
	/* The end of the options separates runs of --diff. */
	if (found == -1 && optind > before)
		args->split = args->inputs;
	while (status == CG_OK && optind < argc)
		args->input[args->inputs++] = argv[optind++];
	return status == CG_OK ? validate_args(args) : status;
}

int
parse_args(struct args *args, int argc, char **argv)
{
	struct table table = { .job = args->job };

	args->input = argv + (argc > 0);
	args->options = json_object_new_array();
	return args->options != NULL && add_own_options(&table)
		   ? parse(args, &table, argc, argv)
		   : cg_nomem(args->job);
}
