/*
 * comments.c - writes comments for data that no field of profile.proto can
 * represent: see pprof.h. pprof -comments shows them.
 */
#include "pprof.h"

struct lister {
	struct proto_writer *w;
	struct pprof_texts *list;
	struct cg_map ids; /* hash -> comment + 1 */
};

static bool
append(struct lister *l, struct cg_slice text)
{
	char *copy = cg_alloc(l->w->job, text.len);

	return copy && cg_append(l->w->job, l->list,
			   (struct cg_slice){
			       memcpy(copy, text.ptr, text.len), text.len });
}

/*
 * Adds a comment PREFIX KEY ": " VALUE to the list, without ": " if the key is
 * "". Skips empty comments, and those in the list, as threads often have equal
 * ones. The job keeps a failure.
 */
static void
add_comment(
    struct lister *l, const char *prefix, const char *key, const char *value)
{
	struct proto_bytes *buf = &l->w->buf[0];
	const struct cg_slice *known = l->list->at;
	struct cg_slice text;
	uint32_t *id;

	buf->n = 0;
	proto_put_slice(l->w, buf, cg_slice(prefix));
	proto_put_slice(l->w, buf, cg_slice(key));
	proto_put_slice(l->w, buf, cg_slice(*key ? ": " : ""));
	proto_put_slice(l->w, buf, cg_slice(value));
	text = (struct cg_slice){ buf->at, buf->n };
	if (cg_rejected(l->w->job) != CG_OK || text.len == 0)
		return;
	id = cg_map_in(l->w->job, &l->ids, proto_hash(0, text));
	if (id && (*id == 0 || cg_compare(known[*id - 1], text) != 0) &&
	    append(l, text))
		*id = (uint32_t)l->list->n;
}

static bool
has_field(const char *key)
{
	const struct pprof_text_key *text = pprof_text_keys;

	while (text->name && strcmp(text->name, key) != 0)
		text++;
	return text->name || proto_has_field(key);
}

static void
add_descs(struct lister *l)
{
	const struct cg_graph *graph = l->w->graph;
	bool several = cg_part_count(graph) > 1;
	const char *key, *value;

	for (cg_part part = 0; part < cg_part_count(graph); part++) {
		for (size_t i = 0; cg_part_desc(graph, part, i, &key, &value);
		     i++) {
			if (strcmp(key, PROTO_KEY_COMMENT) == 0)
				add_comment(l, "", "", value);
			else if (!has_field(key) &&
				 !(several && cg_desc_is_count(key)))
				add_comment(l, PPROF_SAYS, key, value);
		}
	}
}

static void
add_number(struct lister *l, const char *key, uint64_t number)
{
	char text[CG_NUMBER_MAX + 1];

	*cg_format_u64(text, number) = '\0';
	if (number != 0)
		add_comment(l, PPROF_SAYS_PART, key, text);
}

/*
 * Returns the command that readers assume if no comment states it: the path of
 * the first mapping; "" without mappings.
 */
static struct cg_slice
usual_cmd(const struct proto_writer *w)
{
	const struct proto_out_mapping *mapping = w->mappings.at;

	return w->mappings.n > 0 ? mapping->path : cg_slice("");
}

static void
add_part(struct lister *l)
{
	struct cg_part_info all = proto_common_part(l->w);

	if (!cg_equal(usual_cmd(l->w), all.cmd))
		add_comment(l, PPROF_SAYS_PART, "cmd", all.cmd);
	add_number(l, "pid", all.pid);
	add_number(l, "tid", all.tid);
	add_number(l, "part", all.part);
}

bool
pprof_list_comments(struct proto_writer *w, struct pprof_texts *comments)
{
	struct lister l = { .w = w, .list = comments };

	for (size_t i = 0; i < cg_event_count(w->graph); i++) {
		const struct cg_event *event = cg_get_event(w->graph, i);

		if (*event->long_name)
			add_comment(&l, PPROF_SAYS_EVENT, event->name,
			    event->long_name);
	}
	add_part(&l);
	add_descs(&l);
	return cg_rejected(w->job) == CG_OK;
}
