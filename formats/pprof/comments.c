/*
 * comments.c - writes comments for what no field of profile.proto can
 * represent: see pprof.h. pprof -comments shows them.
 */
#include <string.h>

#include "write.h"

struct cg_slice
pprof_out_comment(const struct pprof_writer *w, size_t i)
{
	const struct pprof_out_comment *comment = w->comments.at;
	const char *text = w->text.at;

	return (struct cg_slice){ text + comment[i].at, comment[i].len };
}

static void
append(struct pprof_writer *w, const char *text)
{
	for (; *text; text++) {
		char *at = pprof_out_append(w, &w->text, 1);

		if (!at)
			return;
		*at = *text;
	}
}

/* Adds a comment once: parts often have equal ones. */
static void
end_comment(struct pprof_writer *w, size_t begin)
{
	const char *text = w->text.at;
	struct cg_slice new = { text + begin, w->text.count - begin };
	struct pprof_out_comment *comment;
	uint32_t *id;

	if (cg_rejected(w->job) != CG_OK || new.len == 0)
		return;
	id = cg_map_at(&w->comment_ids, pprof_hash(0, new));
	if (!id) {
		(void)cg_reject_nomem(w->job);
		return;
	}
	if (*id != 0 && cg_compare(pprof_out_comment(w, *id - 1), new) == 0) {
		w->text.count = begin;
		return;
	}
	comment = pprof_out_append(w, &w->comments, sizeof(*comment));
	if (!comment)
		return;
	*comment = (struct pprof_out_comment){ begin, new.len };
	*id = (uint32_t)w->comments.count;
}

static void
add_comment(struct pprof_writer *w, const char *prefix, const char *key,
    const char *value)
{
	size_t begin = w->text.count;

	append(w, prefix);
	append(w, key);
	append(w, *key ? ": " : "");
	append(w, value);
	end_comment(w, begin);
}

bool
pprof_has_field(const char *key)
{
	static const char *const keys[] = { PPROF_KEY_TIME, PPROF_KEY_DURATION,
		PPROF_KEY_PERIOD, PPROF_KEY_MAPPING };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strcmp(keys[i], key) == 0)
			return true;
	}
	for (const struct pprof_text_key *text = pprof_text_keys; text->name;
	     text++) {
		if (strcmp(text->name, key) == 0)
			return true;
	}
	return false;
}

static void
add_descs(struct pprof_writer *w)
{
	const char *key, *value;
	bool several = cg_part_count(w->graph) > 1;

	for (cg_part part = 0; part < cg_part_count(w->graph); part++) {
		for (size_t i = 0;
		     cg_part_desc(w->graph, part, i, &key, &value); i++) {
			if (strcmp(key, PPROF_KEY_COMMENT) == 0)
				add_comment(w, "", "", value);
			else if (!pprof_has_field(key) &&
				 !(several && cg_desc_is_count(key)))
				add_comment(w, PPROF_SAYS, key, value);
		}
	}
}

static void
add_number(struct pprof_writer *w, const char *key, uint64_t number)
{
	char text[CG_NUMBER_MAX + 1];

	*cg_format_u64(text, number) = '\0';
	if (number != 0)
		add_comment(w, PPROF_SAYS_PART, key, text);
}

/* The command that readers derive from the first mapping. */
static struct cg_slice
usual_cmd(const struct pprof_writer *w)
{
	const struct pprof_out_mapping *mapping = w->mappings.at;

	return w->mappings.count > 0 ? mapping->path : cg_slice("");
}

struct cg_part_info
pprof_common_part(const struct pprof_writer *w)
{
	struct cg_part_info all = *cg_get_part(w->graph, 0);

	for (cg_part part = 1; part < cg_part_count(w->graph); part++) {
		const struct cg_part_info *info = cg_get_part(w->graph, part);

		if (strcmp(info->cmd, all.cmd) != 0)
			all.cmd = "";
		all.pid = info->pid == all.pid ? all.pid : 0;
		all.tid = info->tid == all.tid ? all.tid : 0;
		all.part = info->part == all.part ? all.part : 0;
	}
	return all;
}

static void
add_part(struct pprof_writer *w)
{
	struct cg_part_info all = pprof_common_part(w);

	if (!cg_equal(usual_cmd(w), all.cmd))
		add_comment(w, PPROF_SAYS_PART, "cmd", all.cmd);
	add_number(w, "pid", all.pid);
	add_number(w, "tid", all.tid);
	add_number(w, "part", all.part);
}

bool
pprof_list_comments(struct pprof_writer *w)
{
	for (size_t i = 0; i < cg_event_count(w->graph); i++) {
		const struct cg_event *event = cg_get_event(w->graph, i);

		if (*event->long_name)
			add_comment(
			    w, PPROF_SAYS_EVENT, event->name, event->long_name);
	}
	add_part(w);
	add_descs(w);
	return cg_rejected(w->job) == CG_OK;
}
