/*
 * args.c - the command line.
 *
 * What is not in the program's own table is looked up in the tables of the
 * formats: no format's option is known here by name.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/*
 * Adds the option to those in the manifest's header: a batch can only be
 * resumed, and shards merged, with the same ones.
 */
static int
record_option(struct args *args, const char *name, const char *value)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool ok = to != NULL;

	if (ok)
		fprintf(to, "--%s%s%s", name, value != NULL ? "=" : "",
		    value != NULL ? value : "");
	if (to != NULL && fclose(to) != 0)
		ok = false;
	ok = ok && append_json(args->options, json_slice(cg_slice(text)));
	free(text);
	return ok ? CG_OK : cg_nomem(args->job);
}

static int
apply(struct args *args, const struct option *option, const char *value)
{
	int status = CG_OK;

	if (option->set != NULL && !option->aside)
		status = record_option(args, option->name, value);
	if (option->set != NULL)
		return status == CG_OK ? option->set(args, value) : status;
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
	int status;

	if (option == NULL && value == NULL && strncmp(name, "no-", 3) == 0) {
		option = find_format_option(args->job, name + 3);
		if (option != NULL && option->type == CG_FLAG) {
			status = record_option(args, name, NULL);
			return status == CG_OK ? cg_job_set_option(
						     args->job, name + 3, "no")
					       : status;
		}
	} else if (option != NULL && option->type != CG_FLAG && !value) {
		value = take_value(args, name, option->arg);
		if (value == NULL)
			return CG_EUSAGE;
	}
	status = record_option(args, name, value);
	return status == CG_OK ? cg_job_set_option(args->job, name, value)
			       : status;
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
	       args->max_memory || args->fail_fast || args->shards;
}

bool
is_batch(const struct args *args)
{
	bool batch = args->folder != NULL || asks_for_batch(args);

	for (size_t i = 0; !batch && i < args->inputs; i++)
		batch = looks_like_archive(args->input[i]);
	return batch;
}

/* Options that mean something with one or two actions only. */
static int
check_company(const struct args *args)
{
	const struct {
		bool given;
		const char *name, *with;
		int (*action[3])(struct args *);
	} rules[] = {
		{ args->json, "json", "--info, --diff or --verify",
		    { show_info, diff, verify } },
		{ args->top, "top", "--info or --diff", { show_info, diff } },
		{ args->beside, "side-by-side", "--diff", { diff, diff } },
		{ args->normalize, "normalize", "--diff", { diff, diff } },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (rules[i].given && args->action != rules[i].action[0] &&
		    args->action != rules[i].action[1] &&
		    args->action != rules[i].action[2])
			return cg_usage(args->job, "--%s goes with %s",
			    rules[i].name, rules[i].with);
	}
	return CG_OK;
}

/*
 * The name of the outputs may tell what to write: of a template the suffix, as
 * long as that is not an input's.
 */
static int
settle_output(struct args *args)
{
	const char *name = args->output ? args->output : args->name;
	const char *suffix = name ? strrchr(name, '.') : NULL;

	if (args->output == NULL && (suffix == NULL || strpbrk(suffix, "{/")))
		return CG_OK;
	return cg_job_set_output(args->job, name);
}

/*
 * --event means --info's and --diff's; where something else is done it is what
 * a format makes of it. -t and -o have no meaning but to write.
 */
static int
settle(struct args *args)
{
	int status = CG_OK;

	if (args->action == NULL)
		args->action = convert;
	if (args->action != convert && args->action != diff &&
	    (args->to || args->output))
		return cg_usage(args->job, "-%c and --%s do not go together",
		    args->to ? 't' : 'o', args->action_name);
	if (args->folder != NULL && (args->output || args->action != convert))
		return cg_usage(
		    args->job, "-O goes with converting, without -o");
	if (args->folder == NULL && (args->name || args->group_by))
		return cg_usage(args->job, "--%s needs -O, where to write",
		    args->name ? "name" : "group-by");
	if (asks_for_batch(args) && !args->folder &&
	    (!args->output || args->action == diff))
		return cg_usage(
		    args->job, "a batch needs -O or -o, where to write");
	if ((args->action == show_info || args->action == diff ||
		args->action == verify) &&
	    is_batch(args))
		return cg_usage(args->job,
		    "--%s reads no archives: -O or -o converts them",
		    args->action_name);
	if (args->from != NULL)
		status = cg_job_set_from(args->job, args->from);
	if (status == CG_OK && args->to != NULL)
		status = cg_job_set_to(args->job, args->to);
	if (status == CG_OK)
		status = settle_output(args);
	if (status == CG_OK)
		status = check_company(args);
	if (status == CG_OK && args->event != NULL &&
	    args->action != show_info && args->action != diff)
		status = cg_job_set_event(args->job, args->event);
	return status;
}

static int
parse(struct args *args, char **argv)
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

int
parse_args(struct args *args, char **argv)
{
	args->options = json_object_new_array();
	return args->options != NULL ? parse(args, argv) : cg_nomem(args->job);
}
