/*
 * args.c - the command line.
 *
 * What is not in the program's own table is looked up in the tables of the
 * formats: no format's option is known here by name.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* What is said twice is a slip: the first would be lost without a word. */
static int
set_once(struct args *args, const char **to, const char *value, char letter)
{
	if (*to != NULL)
		return cg_usage(args->job, "-%c is given twice: '%s' and '%s'",
		    letter, *to, value);
	*to = value;
	return CG_OK;
}

static int
set_from(struct args *args, const char *value)
{
	return set_once(args, &args->from, value, 'f');
}

static int
set_to(struct args *args, const char *value)
{
	return set_once(args, &args->to, value, 't');
}

static int
set_output(struct args *args, const char *value)
{
	return set_once(args, &args->output, value, 'o');
}

static int
add_exe(struct args *args, const char *value)
{
	return cg_job_add_object(args->job, value);
}

static int
load_module(struct args *args, const char *value)
{
	return cg_job_load_modules(args->job, value);
}

static int
set_gzip(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_gzip(args->job, true);
	args->gzip = true;
	return CG_OK;
}

static int
set_parts(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_parts(args->job, true);
	return CG_OK;
}

static int
map_path(struct args *args, const char *value)
{
	const char *equals = strrchr(value, '=');
	char *old;
	int status;

	if (equals == NULL)
		return cg_usage(
		    args->job, "--map expected OLD=NEW, not '%s'", value);
	old = strndup(value, (size_t)(equals - value));
	if (old == NULL)
		return cg_nomem(args->job);
	status = cg_job_map_path(args->job, old, equals + 1);
	free(old);
	return status;
}

static int
strip_prefix(struct args *args, const char *value)
{
	return cg_job_map_path(args->job, value, "");
}

static int
include(struct args *args, const char *value)
{
	return cg_job_include(args->job, value);
}

static int
exclude(struct args *args, const char *value)
{
	return cg_job_exclude(args->job, value);
}

static int
drop_branches(struct args *args, const char *value)
{
	(void)value;
	cg_job_drop_branches(args->job, false);
	return CG_OK;
}

static int
drop_throws(struct args *args, const char *value)
{
	(void)value;
	cg_job_drop_branches(args->job, true);
	return CG_OK;
}

static int
set_part_by(struct args *args, const char *value)
{
	args->part_by = true;
	return cg_job_set_part_by(args->job, value);
}

static int
set_strict(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_strict(args->job, true);
	return CG_OK;
}

static int
set_clamp(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_clamp(args->job, true);
	return CG_OK;
}

static int
set_guess(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_guess(args->job, true);
	return CG_OK;
}

static int
set_json(struct args *args, const char *value)
{
	(void)value;
	args->json = true;
	return CG_OK;
}

static int
set_quiet(struct args *args, const char *value)
{
	(void)value;
	args->quiet = true;
	return CG_OK;
}

static int
set_verbose(struct args *args, const char *value)
{
	(void)value;
	args->verbose = true;
	cg_job_set_verbose(args->job, true);
	return CG_OK;
}

static int
set_event(struct args *args, const char *value)
{
	args->event = value;
	return CG_OK;
}

static int
set_top(struct args *args, const char *value)
{
	args->top = value;
	return CG_OK;
}

/* ---- Of a batch ---------------------------------------------------------- */

static int
set_number(struct args *args, const char *text, uint64_t most, uint64_t *to)
{
	struct cg_slice rest = cg_slice(text);

	if (cg_get_u64(rest, to) && *to > 0 && *to <= most)
		return CG_OK;
	return cg_usage(args->job, "expected a number, not '%s'", text);
}

static int
set_folder(struct args *args, const char *value)
{
	return set_once(args, &args->folder, value, 'O');
}

static int
set_recursive(struct args *args, const char *value)
{
	(void)value;
	args->recursive = true;
	return CG_OK;
}

static int
set_list(struct args *args, const char *value)
{
	args->list = value;
	return CG_OK;
}

static int
set_nul(struct args *args, const char *value)
{
	(void)value;
	args->nul = true;
	return CG_OK;
}

static int
set_name(struct args *args, const char *value)
{
	args->name = value;
	if (*value != '\0' && *value != '/' && strstr(value, "..") == NULL)
		return CG_OK;
	return cg_usage(args->job,
	    "--name expected a name, or a path below the folder of outputs");
}

static int
set_group_by(struct args *args, const char *value)
{
	args->group_by = value;
	return CG_OK;
}

static int
set_jobs(struct args *args, const char *value)
{
	uint64_t jobs;
	int status = set_number(args, value, SIZE_MAX, &jobs);

	args->jobs = (size_t)jobs;
	return status;
}

static int
set_timeout(struct args *args, const char *value)
{
	uint64_t seconds;
	int status = set_number(args, value, INT_MAX, &seconds);

	args->timeout = (unsigned)seconds;
	return status;
}

static int
set_memory(struct args *args, const char *value)
{
	int status =
	    set_number(args, value, UINT64_MAX >> 20, &args->max_memory);

	args->max_memory <<= 20;
	return status;
}

static int
set_overwrite(struct args *args, const char *value)
{
	(void)value;
	args->overwrite = true;
	return CG_OK;
}

static int
set_fail_fast(struct args *args, const char *value)
{
	(void)value;
	args->fail_fast = true;
	return CG_OK;
}

static int
set_dry_run(struct args *args, const char *value)
{
	(void)value;
	args->dry_run = true;
	return CG_OK;
}

static int
set_manifest(struct args *args, const char *value)
{
	args->manifest = value;
	return CG_OK;
}

static int
set_resume(struct args *args, const char *value)
{
	(void)value;
	args->resume = true;
	return CG_OK;
}

static int
set_retry(struct args *args, const char *value)
{
	(void)value;
	args->retry = args->resume = true;
	return CG_OK;
}

/* In the order of the help. */
const struct option own_options[] = {
	{ 'f', "from", "FORMAT", "format of the inputs; else found by content",
	    .set = set_from, .group = "Conversion" },
	{ 't', "to", "FORMAT",
	    "format to write; else by -o, else the first listed",
	    .set = set_to },
	{ 'o', "output", "FILE", "write to FILE; FILE.gz is packed",
	    .set = set_output },
	{ 0, "exe", "FILE", "take symbols and lines from FILE; may be repeated",
	    .set = add_exe },
	{ 0, "gzip", NULL, "pack the output", .set = set_gzip },
	{ 0, "strict", NULL, "fail if the target cannot hold everything",
	    .set = set_strict },
	{ 0, "clamp", NULL, "write costs below 0 as 0 where there is no place",
	    .set = set_clamp },
	{ 0, "guess-stacks", NULL, "estimate call stacks from calls",
	    .set = set_guess },
	{ 0, "parts", NULL, "keep inputs apart as parts instead of adding up",
	    .set = set_parts, .group = "Parts" },
	{ 0, "part-by", "KEY",
	    "samples become parts by pid, tid, comm or label:NAME",
	    .set = set_part_by },
	{ 0, "strip-prefix", "DIR", "take DIR off the paths of source files",
	    .set = strip_prefix, .group = "Sources" },
	{ 0, "map", "OLD=NEW", "source files of folder OLD are in folder NEW",
	    .set = map_path },
	{ 0, "include", "PATTERN", "keep only costs in source files that fit",
	    .set = include },
	{ 0, "exclude", "PATTERN", "leave out costs in source files that fit",
	    .set = exclude },
	{ 0, "no-branches", NULL, "leave decisions out of coverage",
	    .set = drop_branches },
	{ 0, "no-throw-branches", NULL,
	    "leave ways of exceptions out of coverage", .set = drop_throws },
	{ 'O', "output-dir", "DIR", "convert each input by itself, into DIR",
	    .set = set_folder, .group = "Batches" },
	{ 'r', "recursive", NULL, "all files in folders, at any depth",
	    .set = set_recursive },
	{ 0, "files-from", "FILE", "inputs are listed in FILE, or -",
	    .set = set_list },
	{ '0', "null", NULL, "NUL ends a name of the list, not newline",
	    .set = set_nul },
	{ 0, "name", "TEMPLATE", "name outputs so: {dir}, {base}, {stem}",
	    .set = set_name },
	{ 0, "group-by", "dir|REGEX",
	    "one output for all of a folder, or of what REGEX matches",
	    .set = set_group_by },
	{ 'j', "jobs", "N", "N at once; else as many as cores",
	    .set = set_jobs },
	{ 0, "timeout", "SECONDS", "give up an input after SECONDS",
	    .set = set_timeout },
	{ 0, "max-memory", "MIB", "give up an input that needs more",
	    .set = set_memory },
	{ 0, "overwrite", NULL, "convert even if the output is newer",
	    .set = set_overwrite },
	{ 0, "fail-fast", NULL, "stop after the first failure",
	    .set = set_fail_fast },
	{ 0, "dry-run", NULL, "only show what would be done",
	    .set = set_dry_run },
	{ 0, "manifest", "FILE", "tell in FILE what became of each input",
	    .set = set_manifest },
	{ 0, "resume", NULL, "go on where the manifest ends",
	    .set = set_resume },
	{ 0, "retry-failed", NULL, "the same, and failures once more",
	    .set = set_retry },
	{ 0, "info", NULL, "show what is in the inputs, for people",
	    .action = show_info, .group = "Other tasks" },
	{ 0, "event", "NAME", "of --info: rank functions by this event",
	    .set = set_event },
	{ 0, "top", "N", "of --info: show N functions, not 10",
	    .set = set_top },
	{ 0, "detect", NULL, "tell each input's format, a line for scripts",
	    .action = detect },
	{ 0, "verify", NULL, "does the second profile say what the first does?",
	    .action = verify },
	{ 0, "json", NULL, "of --verify: answer in JSON", .set = set_json },
	{ 0, "list-formats", NULL, "list formats and what each can carry",
	    .action = list_formats },
	{ 'h', "help", NULL,
	    "show this; --help FORMAT: its options; --help all",
	    .action = show_help },
	{ 0, "version", NULL, "show the version", .action = show_version },
	{ 0, "module", "FILE.so", "load more formats; before their options",
	    .set = load_module, .group = "In general" },
	{ 'q', "quiet", NULL, "no warnings and notes", .set = set_quiet },
	{ 'v', "verbose", NULL, "say more", .set = set_verbose },
	{ 0 },
};

static int
apply(struct args *args, const struct option *option, const char *value)
{
	if (option->set != NULL)
		return option->set(args, value);
	if (args->action != NULL && args->action != option->action)
		return cg_usage(args->job, "--%s and --%s do not go together",
		    args->action_name, option->name);
	args->action = option->action;
	args->action_name = option->name;
	return CG_OK;
}

/* A cluster: -qv, -ofile, -qo file. */
static int
take_letters(struct args *args, const char *letters)
{
	const struct option *option;
	const char *value;
	int status = CG_OK;

	while (status == CG_OK && *letters != '\0') {
		option = own_options;
		while (option->name != NULL && option->letter != *letters)
			option++;
		if (option->name == NULL)
			return cg_usage(
			    args->job, "unknown option -%c", *letters);
		letters++;
		if (option->arg == NULL) {
			status = apply(args, option, NULL);
			continue;
		}
		value = *letters != '\0' ? letters : *args->next;
		if (value == NULL)
			return cg_usage(args->job, "-%c needs a value: %s",
			    option->letter, option->arg);
		args->next += *letters == '\0';
		return apply(args, option, value);
	}
	return status;
}

/* A name has one type wherever it stands, so the first one will do. */
static const struct cg_option *
find_format_option(const struct cg_job *job, const char *name)
{
	const struct cg_module *module;
	const struct cg_option *option;

	for (size_t i = 0; (module = cg_job_module(job, i)) != NULL; i++) {
		option = module->options;
		for (; option != NULL && option->name != NULL; option++)
			if (strcmp(option->name, name) == 0)
				return option;
	}
	return NULL;
}

static const struct option *
find_own_option(const char *name)
{
	const struct option *option = own_options;

	while (option->name != NULL && strcmp(option->name, name) != 0)
		option++;
	return option->name != NULL ? option : NULL;
}

/* The value that stands after an option in an argument of its own. */
static const char *
take_value(struct args *args, const char *name, const char *what)
{
	const char *value = *args->next;

	if (value == NULL)
		cg_usage(args->job, "--%s needs a value: %s", name, what);
	else
		args->next++;
	return value;
}

static int
take_own(struct args *args, const struct option *option, const char *value)
{
	if (option->arg == NULL && value != NULL)
		return cg_usage(args->job, "--%s takes no value", option->name);
	if (option->arg != NULL && value == NULL) {
		value = take_value(args, option->name, option->arg);
		if (value == NULL)
			return CG_EUSAGE;
	}
	return apply(args, option, value);
}

static int
take_format_option(struct args *args, const char *name, const char *value)
{
	const struct cg_option *option = find_format_option(args->job, name);

	if (option == NULL && value == NULL && strncmp(name, "no-", 3) == 0) {
		option = find_format_option(args->job, name + 3);
		if (option != NULL && option->type == CG_FLAG)
			return cg_job_set_option(args->job, name + 3, "no");
	} else if (option != NULL && option->type != CG_FLAG && !value) {
		value = take_value(args, name, option->arg);
		if (value == NULL)
			return CG_EUSAGE;
	}
	return cg_job_set_option(args->job, name, value);
}

static int
take_long(struct args *args, char *name)
{
	const struct option *own;
	char *value = strchr(name, '=');

	if (value != NULL)
		*value++ = '\0';
	own = find_own_option(name);
	return own != NULL ? take_own(args, own, value)
			   : take_format_option(args, name, value);
}

bool
asks_for_batch(const struct args *args)
{
	return args->recursive || args->list || args->manifest ||
	       args->resume || args->dry_run || args->jobs || args->timeout ||
	       args->max_memory || args->fail_fast;
}

/*
 * --event means --info's; where something else is done it is what a format
 * makes of it, and --top means nothing. -t and -o have no meaning but to convert.
 */
static int
settle(struct args *args)
{
	int status = CG_OK;

	if (args->action == NULL)
		args->action = convert;
	if (args->action != convert && (args->to || args->output))
		return cg_usage(args->job, "-%c and --%s do not go together",
		    args->to ? 't' : 'o', args->action_name);
	if (args->folder != NULL && (args->output || args->action != convert))
		return cg_usage(
		    args->job, "-O goes with converting, without -o");
	if (args->folder == NULL && (args->name || args->group_by))
		return cg_usage(args->job, "--%s needs -O, where to write",
		    args->name ? "name" : "group-by");
	if (asks_for_batch(args) && !args->folder && !args->output)
		return cg_usage(
		    args->job, "a batch needs -O or -o, where to write");
	if (args->from != NULL)
		status = cg_job_set_from(args->job, args->from);
	if (status == CG_OK && args->to != NULL)
		status = cg_job_set_to(args->job, args->to);
	if (status == CG_OK && args->output != NULL)
		status = cg_job_set_output(args->job, args->output);
	if (status == CG_OK && args->json && args->action != verify)
		return cg_usage(args->job, "--json goes with --verify");
	if (args->action == show_info)
		return status;
	if (status == CG_OK && args->event != NULL)
		status = cg_job_set_option(args->job, "event", args->event);
	if (status == CG_OK && args->top != NULL)
		status = cg_usage(args->job, "--top goes with --info");
	return status;
}

int
parse_args(struct args *args, char **argv)
{
	bool options = true;
	int status = CG_OK;
	char *arg;

	args->input = args->next = argv;
	while (status == CG_OK && (arg = *args->next) != NULL) {
		args->next++;
		if (!options || arg[0] != '-' || arg[1] == '\0')
			args->input[args->inputs++] = arg;
		else if (arg[1] != '-')
			status = take_letters(args, arg + 1);
		else if (arg[2] != '\0')
			status = take_long(args, arg + 2);
		else
			options = false;
		/* Help is given whatever else stands on the line. */
		if (args->action == show_help || args->action == show_version)
			return status;
	}
	return status == CG_OK ? settle(args) : status;
}
