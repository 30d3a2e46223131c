/*
 * options.c - options of formats: tables in the modules, values in the job.
 */
#include <stdio.h>
#include <string.h>

#include "job/job.h"

static int
check_value(
    struct cg_job *job, const struct cg_option *option, const char **value)
{
	struct cg_slice text;
	uint64_t number;

	if (option->type == CG_FLAG && !*value)
		*value = "yes";
	if (!*value)
		return cg_usage(job, "{%s} needs %s", option->name,
		    option->arg ? option->arg : "a value");
	text = cg_slice(*value);
	switch (option->type) {
	case CG_STRING: return CG_OK;
	case CG_FLAG:
		if (cg_equal(text, "yes") || cg_equal(text, "no"))
			return CG_OK;
		return cg_usage(job, "{%s}: expected yes or no, not '%s'",
		    option->name, *value);
	case CG_NUMBER:
		if (cg_get_u64(text, &number))
			return CG_OK;
		return cg_usage(job, "{%s}: expected a number, not '%s'",
		    option->name, *value);
	}
	return CG_EBUG;
}

static int
set_option(struct cg_job *job, const struct cg_option *option,
    const char *value, bool usual)
{
	const char *copy;
	size_t i = 0;
	int status = check_value(job, option, &value);

	if (status != CG_OK)
		return status;
	while (i < job->options &&
	       strcmp(job->option[i].option->name, option->name) != 0)
		i++;
	if (usual && i < job->options && !job->option[i].usual)
		return CG_OK;
	copy = cg_job_keep(job, value);
	if (!copy)
		return CG_ELIMIT;
	if (!cg_grow(
		&job->option, &job->option_cap, i + 1, sizeof(*job->option)))
		return cg_nomem(job);
	job->option[i] = (struct cg_option_value){ option, copy, usual };
	if (i == job->options)
		job->options++;
	return CG_OK;
}

int
cg_job_set_option(struct cg_job *job, const char *name, const char *value)
{
	const struct cg_option *option = cg_find_option(job, name);

	if (!option)
		return cg_usage(job, "there is no {%s}", name);
	return set_option(job, option, value, false);
}

int
cg_job_set_default(struct cg_job *job, const char *name, const char *value)
{
	const struct cg_option *option = cg_find_option(job, name);

	return option ? set_option(job, option, value, true) : CG_OK;
}

/*
 * Returns the description of an option in the format that is reading or
 * writing now, as defaults differ between formats; if that format does not
 * have the option, the description in any other format. NULL: no format has
 * it.
 */
static const struct cg_option *
current_option(const struct cg_job *job, const char *name)
{
	const struct cg_option *option = cg_module_option(
	    job->errors.in ? job->reading : cg_job_target(job), name);

	return option ? option : cg_find_option(job, name);
}

const char *
cg_job_option(const struct cg_job *job, const char *name)
{
	for (size_t i = 0; i < job->options; i++) {
		if (strcmp(job->option[i].option->name, name) == 0)
			return job->option[i].value;
	}
	return NULL;
}

const char *
cg_opt(const struct cg_job *job, const char *name)
{
	const struct cg_option *option;
	const char *value = cg_job_option(job, name);

	if (value)
		return value;
	option = current_option(job, name);
	return option ? option->fallback : NULL;
}

bool
cg_opt_flag(const struct cg_job *job, const char *name)
{
	const char *value = cg_opt(job, name);

	return value && strcmp(value, "yes") == 0;
}

/*
 * True if the option is a flag with the value "yes", set by the user or by
 * default.
 */
static bool
is_set(const struct cg_job *job, const struct cg_option *option)
{
	const char *value = cg_job_option(job, option->name);

	value = value ? value : option->fallback;
	return option->type == CG_FLAG && value && strcmp(value, "yes") == 0;
}

struct cg_ability
cg_target_ability(const struct cg_job *job, const struct cg_module *to)
{
	struct cg_ability can = { to->carries, to->needs, NULL };
	const struct cg_option *option = to->options;

	for (; option && option->name; option++) {
		if (!(option->carries | option->needs) || !is_set(job, option))
			continue;
		can.carries |= option->carries;
		can.needs |= option->needs;
		can.flag = option->name;
	}
	return can;
}

static bool
option_reads(const struct cg_job *job, const char *name)
{
	const struct cg_option *option;

	for (size_t i = 0; i < job->sources; i++) {
		option = cg_module_option(job->source[i].found.module, name);
		if (option && option->reading)
			return true;
	}
	return false;
}

/*
 * True if an option has an effect: for writing the output format `to`, or for
 * reading an input. If graphs of other jobs are merged, any option for reading
 * has.
 */
static bool
option_fits(
    const struct cg_job *job, const char *name, const struct cg_module *to)
{
	const struct cg_option *option = cg_module_option(to, name);

	/* The jobs that are merged here have used the options for reading. */
	if (job->adds && cg_find_option(job, name)->reading)
		return true;
	return (option && option->writing) || option_reads(job, name);
}

/* Enough for the names of all formats; messages are truncated, too. */
#define OWNERS_MAX 800

/*
 * Writes the names of the formats that have an option into list, for a
 * message: "reading a, b". If "reading", lists the formats that have it for
 * reading, else those that have it for writing. Writes "" if there are none.
 */
static void
list_owners(const struct cg_job *job, const char *name, bool reading,
    char list[OWNERS_MAX])
{
	const char *side = reading ? "reading" : "writing";
	const struct cg_option *option;
	int len = 0;

	list[0] = '\0';
	for (size_t i = 0; i < job->modules && len < OWNERS_MAX; i++) {
		option = cg_module_option(job->module[i], name);
		if (!option || !(reading ? option->reading : option->writing))
			continue;
		len += snprintf(list + len, (size_t)(OWNERS_MAX - len), "%s %s",
		    len > 0 ? "," : side, job->module[i]->name);
	}
}

int
cg_check_options(struct cg_job *job, const struct cg_module *to)
{
	char reading[OWNERS_MAX], writing[OWNERS_MAX];

	for (size_t i = 0; i < job->options; i++) {
		const char *name = job->option[i].option->name;

		if (job->option[i].usual || option_fits(job, name, to) ||
		    (job->sum_for && option_fits(job, name, job->sum_for)))
			continue;
		list_owners(job, name, true, reading);
		list_owners(job, name, false, writing);
		return cg_usage(job, "{%s} applies only when %s%s%s", name,
		    reading, *reading && *writing ? " or " : "", writing);
	}
	return CG_OK;
}

int
cg_job_set_event(struct cg_job *job, const char *name)
{
	if (cg_find_option(job, CG_EVENT_OPTION))
		return cg_job_set_option(job, CG_EVENT_OPTION, name);
	return cg_usage(job, "no format has an option --" CG_EVENT_OPTION);
}

bool
cg_job_writes_one_event(const struct cg_job *job)
{
	const struct cg_option *option =
	    cg_module_option(cg_job_target(job), CG_EVENT_OPTION);

	return option && option->writing;
}

/*
 * True if two event names are columns of one event in a difference:
 * "Ir_before" and "Ir_after". *len becomes the length of the event's name. It
 * is 0 for "before" and "after", which may have a common suffix.
 */
static bool
is_pair(const char *before, const char *after, size_t *len)
{
	size_t same = 0;

	while (before[same] && before[same] == after[same])
		same++;
	*len = same > 0 ? same - 1 : 0;
	if ((same > 0 && before[same - 1] != '_') ||
	    strncmp(before + same, "before", 6) != 0 ||
	    strncmp(after + same, "after", 5) != 0)
		return false;
	return strcmp(before + same + 6, after + same + 5) == 0 &&
	       (same == 0 || before[same + 6] == '\0');
}

/*
 * Finds the columns before and after, one of which is `one`, and sets column[]
 * to them. *len becomes the length of the event's name, which must be name
 * unless that is NULL. False: none; column[] and *len are undefined.
 */
static bool
find_pair(const struct cg_graph *graph, const char *name, size_t one,
    size_t column[2], size_t *len)
{
	const char *this = cg_get_event(graph, one)->name, *other;

	for (size_t i = 0; i < cg_event_count(graph); i++) {
		other = cg_get_event(graph, i)->name;
		column[0] = i;
		column[1] = one;
		if (!is_pair(other, this, len)) {
			column[0] = one;
			column[1] = i;
			if (!is_pair(this, other, len))
				continue;
		}
		if (!name ||
		    (strlen(name) == *len && strncmp(name, this, *len) == 0))
			return true;
	}
	return false;
}

bool
cg_choose_pair(
    struct cg_job *job, const struct cg_graph *graph, size_t column[2])
{
	const char *name = cg_opt(job, CG_EVENT_OPTION);
	size_t count = cg_event_count(graph), len;
	bool found = false;

	if (count < 2 || (name && cg_find_event(graph, name) < count))
		return false;
	found = find_pair(graph, name, cg_main_event(graph), column, &len);
	for (size_t i = 0; i < count && !found; i++)
		found = find_pair(graph, name, i, column, &len);
	if (found && !name && count > 2)
		cg_note(job, "event %.*s of %zu written; choose with {event}",
		    (int)len, cg_get_event(graph, column[0])->name, count / 2);
	return found;
}

int
cg_choose_event(struct cg_job *job, const struct cg_graph *graph,
    const char *usual, size_t *event)
{
	const char *name = cg_opt(job, CG_EVENT_OPTION);
	size_t count = cg_event_count(graph), i = count;

	if (name || usual)
		i = cg_find_event(graph, name ? name : usual);
	if (name && i == count)
		return cg_usage(job,
		    "{event}: expected an event of the input (see {info}), "
		    "not '%s'",
		    name);
	if (count == 0)
		return cg_lacks(job, "%s needs an event; the input has none",
		    cg_job_target(job)->name);
	*event = i < count ? i : cg_main_event(graph);
	if (!name && count > 1 && (i == count || job->verbose))
		cg_note(job, "event %s of %zu written; choose with {event}",
		    cg_get_event(graph, *event)->name, count);
	return CG_OK;
}
