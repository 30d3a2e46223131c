/*
 * task_log.c - the messages of a task or a sum: as printed, and as members of
 * the line in the manifest; the worker's answer has both.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

/* Bytes of warnings of one input in the manifest; later ones are dropped. */
#define WARNINGS_MAX 1000000

/*
 * Returns the message as it is printed, without the newline. The caller frees
 * the text; NULL: out of memory.
 */
static char *
message_text(const struct cg_message *message)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return NULL;
	put_message(to, message);
	if (close_text(to, &text))
		text[size - 1] = '\0'; /* remove the newline */
	return text;
}

void
collect_message(void *arg, const struct cg_message *message)
{
	struct task_log *log = arg;
	struct cg_message named = *message;
	char *text, *name = NULL;

	/* The archive's error is the cause of one in reading a member. */
	if (message->severity == CG_ERROR && members_error(log->members))
		named.text = members_error(log->members);
	if (log->task == NULL) {
		if (!log->unread || named.file == NULL)
			named.file = log->output;
	} else if (named.file == NULL) {
		named.file = name = task_name(log->task);
	} else if (is_member(log->task)) {
		named.file = name = join_path(log->task->archive, named.file);
	}
	text = message_text(&named);
	if (text == NULL) {
		free(name);
		return;
	}
	if (message->severity == CG_WARNING &&
	    log->warning_bytes < WARNINGS_MAX) {
		(void)append_json(log->warnings, json_slice(cg_slice(text)));
		log->warning_bytes += strlen(text);
	}
	if (message->severity == CG_ERROR || !log->args->quiet)
		fprintf(log->log, "%s\n", text);
	if (message->severity == CG_ERROR && log->error == NULL) {
		log->error = text;
		log->details = json_object_new_object();
		(void)add_json_message(log->details, &named);
	} else {
		free(text);
	}
	free(name);
}

/*
 * Adds a member "totals" to "result": an object with the sum of each event
 * over all parts of the graph. Adds nothing if a sum does not fit into 64
 * bits. False: out of memory.
 */
bool
add_totals(struct json_object *result, const struct cg_graph *graph)
{
	size_t count = cg_event_count(graph);
	uint64_t *cost = calloc(count + 1, sizeof(*cost));
	struct json_object *totals = NULL;
	bool ok = cost != NULL;

	if (ok && sum_parts(graph, cost)) {
		totals = json_object_new_object();
		for (size_t i = 0; ok && i < count; i++)
			ok = add_json_amount(totals,
			    cg_get_event(graph, i)->name,
			    column_amount(graph, i, cost));
		ok = ok && add_json(result, "totals", totals);
	}
	free(cost);
	return ok;
}

bool
open_task_log(struct task_log *log)
{
	log->log = open_memstream(&log->log_text, &log->log_size);
	log->warnings = json_object_new_array();
	return log->log != NULL && log->warnings != NULL;
}

/*
 * Completes the text of a task's log. Adds the warnings to "result", a JSON
 * object. Also adds the error and its details. The member of the error is
 * "reason" for a skipped task. False: out of memory.
 */
bool
close_task_log(
    struct task_log *log, struct json_object *result, enum state state)
{
	struct json_object_iter at;
	bool ok = close_text(log->log, &log->log_text);

	log->log = NULL;
	if (json_object_array_length(log->warnings) > 0)
		ok = ok && add_json(result, "warnings",
			       json_object_get(log->warnings));
	if (log->error == NULL)
		return ok;
	ok = ok && add_json_text(result, state == SKIPPED ? "reason" : "error",
		       cg_slice(log->error));
	json_object_object_foreachC(log->details, at)
	{
		ok = ok && add_json(result, at.key, json_object_get(at.val));
	}
	return ok;
}

bool
send_answer(
    int to, struct worker_answer *answer, struct task_log *log, char *result)
{
	char *all;
	size_t size;
	bool ok;

	/* Messages for inputs that are no profiles are printed only with -v. */
	answer->log = log->log_text == NULL ||
			      (answer->state == SKIPPED && !log->args->verbose)
			  ? 0
			  : log->log_size;
	answer->result = result != NULL ? strlen(result) : 0;
	/* One write wakes the parent once. */
	size = sizeof(*answer) + answer->log + answer->result;
	all = malloc(size);
	ok = all != NULL;
	if (ok) {
		memcpy(all, answer, sizeof(*answer));
		if (answer->log > 0)
			memcpy(
			    all + sizeof(*answer), log->log_text, answer->log);
		if (answer->result > 0)
			memcpy(all + size - answer->result, result,
			    answer->result);
		ok = write_all(to, all, size);
	}
	free(all);
	free(result);
	free(log->log_text);
	json_object_put(log->warnings);
	json_object_put(log->details);
	free(log->error);
	free(log->output);
	return ok;
}
