/*
 * read.c - reads the document of the Firefox Profiler. Threads and the tables
 * that they use may come in any order. See firefox.h.
 */
#include <inttypes.h>
#include <string.h>

#include "firefox.h"

#define PROCESS_DEPTH 8

/* ---- Tables ------------------------------------------------------------- */

static void
begin_tables(struct firefox_tables *tables)
{
	tables->stacks.spec = &firefox_stacks;
	tables->frames.spec = &firefox_frames;
	tables->funcs.spec = &firefox_funcs;
	tables->resources.spec = &firefox_resources;
	tables->sources.spec = &firefox_sources;
	tables->places.spec = &firefox_places;
}

static void
drop_tables(struct cg_job *job, struct firefox_tables *tables)
{
	firefox_drop_table(job, &tables->stacks);
	firefox_drop_table(job, &tables->frames);
	firefox_drop_table(job, &tables->funcs);
	firefox_drop_table(job, &tables->resources);
	firefox_drop_table(job, &tables->sources);
	firefox_drop_table(job, &tables->places);
	cg_drop(job, &tables->string);
	cg_drop(job, &tables->lib);
	cg_drop(job, &tables->node);
	cg_drop(job, &tables->frame);
	cg_drop(job, &tables->id);
}

static bool
take_strings(struct cg_doc *doc, void *into)
{
	struct firefox_tables *tables = into;
	struct cg_slice text;

	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!cg_doc_text(doc, &text) ||
		    !cg_append(doc->job, &tables->string,
			cg_add_name(doc->build, text)))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_lib(struct cg_doc *doc, struct firefox_lib *lib)
{
	static const struct cg_field fields[] = {
		{ .name = "name",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct firefox_lib, name) },
		{ .name = "path",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct firefox_lib, path) },
		{ .name = "codeId",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct firefox_lib, id) },
		{ .name = "start",
		    .type = CG_FIELD_COUNT,
		    .offset = offsetof(struct firefox_lib, start) },
		{ .name = "end",
		    .type = CG_FIELD_COUNT,
		    .offset = offsetof(struct firefox_lib, end) },
		{ 0 },
	};

	*lib = (struct firefox_lib){ 0 };
	return cg_doc_fields(doc, fields, lib);
}

static bool
take_libs(struct cg_doc *doc, void *into)
{
	struct firefox_tables *tables = into;
	struct firefox_lib lib;

	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc))
		if (!take_lib(doc, &lib) ||
		    !cg_append(doc->job, &tables->lib, lib))
			return false;
	return doc->status == CG_OK;
}

#define TABLE(member, column)                                     \
	{                                                         \
		.name = (member), .type = CG_FIELD_CALL,          \
		.take = firefox_take_table,                       \
		.offset = offsetof(struct firefox_tables, column) \
	}
#define TABLE_FIELDS                                                         \
	TABLE("stackTable", stacks), TABLE("frameTable", frames),            \
	    TABLE("funcTable", funcs), TABLE("resourceTable", resources),    \
	    TABLE("sources", sources), TABLE("sourceLocationTable", places), \
	    { .name = "stringArray",                                         \
		    .type = CG_FIELD_CALL,                                   \
		    .take = take_strings },                                  \
	    { .name = "stringTable",                                         \
		    .type = CG_FIELD_CALL,                                   \
		    .take = take_strings },                                  \
	{                                                                    \
		.name = "libs", .type = CG_FIELD_CALL, .take = take_libs     \
	}

static bool
take_shared(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = { TABLE_FIELDS, { 0 } };
	struct firefox_reader *r = into;

	return cg_doc_fields(doc, fields, &r->shared);
}

/* ---- Threads ------------------------------------------------------------ */

/*
 * Reads the id of a process or thread, a number that may be in a string. Sets
 * *id to 0 for negative numbers, other strings ("123.1") and other values.
 * False: an error (reported).
 */
static bool
take_id(struct cg_doc *doc, uint64_t *id)
{
	struct cg_slice text;
	int64_t number;

	*id = 0;
	if (cg_doc_next(doc) == CG_JSON_NUMBER) {
		if (!cg_doc_number(doc, 0, &number))
			return false;
		*id = number > 0 ? (uint64_t)number : 0;
		return true;
	}
	if (cg_doc_next(doc) != CG_JSON_STRING)
		return cg_doc_skip(doc);
	if (!cg_doc_text(doc, &text))
		return false;
	if (!cg_get_u64(text, id))
		*id = 0;
	return true;
}

static bool
take_pid(struct cg_doc *doc, void *into)
{
	return take_id(doc, &((struct firefox_thread *)into)->pid);
}

static bool
take_tid(struct cg_doc *doc, void *into)
{
	return take_id(doc, &((struct firefox_thread *)into)->tid);
}

static bool
take_markers(struct cg_doc *doc, void *into)
{
	struct firefox_thread *thread = into;
	struct cg_slice key;

	if (cg_doc_next(doc) != CG_JSON_OBJECT)
		return cg_doc_skip(doc);
	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		bool counts =
		    (cg_equal(key, "name") || cg_equal(key, "data")) &&
		    cg_doc_next(doc) == CG_JSON_ARRAY;
		uint64_t items = 0;

		if (!counts) {
			if (!cg_doc_skip(doc))
				return false;
			continue;
		}
		(void)cg_doc_array(doc);
		for (; cg_doc_item(doc); items++)
			if (!cg_doc_skip(doc))
				return false;
		if (items > thread->markers)
			thread->markers = items;
	}
	return doc->status == CG_OK;
}

static const struct cg_field thread_fields[] = {
	TABLE_FIELDS,
	{ .name = "samples",
	    .type = CG_FIELD_CALL,
	    .take = firefox_take_table,
	    .offset = offsetof(struct firefox_thread, samples) },
	{ .name = "name",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct firefox_thread, name) },
	{ .name = "processName",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct firefox_thread, process) },
	{ .name = "pid", .type = CG_FIELD_CALL, .take = take_pid },
	{ .name = "tid", .type = CG_FIELD_CALL, .take = take_tid },
	{ .name = "markers", .type = CG_FIELD_CALL, .take = take_markers },
	{ 0 },
};

static bool
take_threads(struct cg_doc *doc, void *into)
{
	struct firefox_reader *r = into;

	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		struct firefox_thread *thread;

		/*
		 * Old raw profiles have threads of other processes as strings.
		 */
		if (cg_doc_next(doc) != CG_JSON_OBJECT) {
			r->foreign++;
			if (!cg_doc_skip(doc))
				return false;
			continue;
		}
		thread = cg_push(doc->job, &r->thread);
		if (!thread)
			return false;
		begin_tables(&thread->tables);
		thread->samples.spec = &firefox_samples;
		thread->part = r->current;
		/* Depending on the version, a field is here or in the table. */
		if (!cg_doc_fields(doc, thread_fields, thread))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- The document ------------------------------------------------------- */

static bool
take_meta(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "startTime",
		    .type = CG_FIELD_INT,
		    .digits = 6,
		    .offset = offsetof(struct firefox_process, start) },
		{ .name = "interval",
		    .type = CG_FIELD_INT,
		    .digits = 6,
		    .offset = offsetof(struct firefox_process, interval) },
		{ .name = "product",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct firefox_process, product) },
		{ .name = "preprocessedProfileVersion",
		    .type = CG_FIELD_COUNT,
		    .offset = offsetof(struct firefox_process, version) },
		{ 0 },
	};
	struct firefox_reader *r = into;

	return cg_doc_fields(doc, fields, &r->process.at[r->current]);
}

static bool
take_process_libs(struct cg_doc *doc, void *into)
{
	struct firefox_reader *r = into;
	struct firefox_lib lib;

	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc))
		if (!take_lib(doc, &lib) ||
		    !cg_append(doc->job, &r->process.at[r->current].lib, lib))
			return false;
	return doc->status == CG_OK;
}

static bool take_processes(struct cg_doc *, void *into);

static const struct cg_field fields[] = {
	{ .name = "meta", .type = CG_FIELD_CALL, .take = take_meta },
	{ .name = "libs", .type = CG_FIELD_CALL, .take = take_process_libs },
	{ .name = "shared", .type = CG_FIELD_CALL, .take = take_shared },
	{ .name = "threads", .type = CG_FIELD_CALL, .take = take_threads },
	{ .name = "processes", .type = CG_FIELD_CALL, .take = take_processes },
	{ 0 },
};

static bool
take_process(struct cg_doc *doc, struct firefox_reader *r)
{
	size_t outer = r->current;
	bool ok;

	if (!cg_push(doc->job, &r->process))
		return false;
	r->current = r->process.n - 1;
	ok = cg_doc_fields(doc, fields, r);
	r->current = outer;
	return ok;
}

/*
 * Reads the array of child processes of a raw profile. Each process is a
 * document of the same form, and is read like one. A value that is no array is
 * skipped. False: an error (reported), such as too many levels.
 */
static bool
take_processes(struct cg_doc *doc, void *into)
{
	struct firefox_reader *r = into;

	if (r->depth == PROCESS_DEPTH)
		return cg_doc_fail(doc, "fewer levels of processes");
	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	if (!cg_doc_array(doc))
		return false;
	r->depth++;
	while (cg_doc_item(doc))
		if (!take_process(doc, r))
			return false;
	r->depth--;
	return doc->status == CG_OK;
}

/*
 * Returns the tables (stacks, frames, strings) that a thread's samples refer
 * to. If the thread has no stacks of its own, these are the tables shared by
 * all threads. Otherwise they are the thread's own tables. If all threads
 * share strings but no stacks, a thread without strings gets the shared
 * strings.
 */
static struct firefox_tables *
tables_of(struct firefox_reader *r, struct firefox_thread *thread)
{
	if (firefox_rows(&thread->tables.stacks, STACK_FRAME) == 0)
		return &r->shared;
	if (thread->tables.string.n == 0 && r->shared.string.n > 0 &&
	    firefox_rows(&r->shared.stacks, STACK_FRAME) == 0)
		thread->tables.string = r->shared.string;
	return &thread->tables;
}

static bool
add_threads(struct cg_doc *doc, struct firefox_reader *r)
{
	bool ok = true;

	for (size_t i = 0; i < r->thread.n; i++) {
		r->weighs[r->thread.at[i].samples.weighs] = true;
		r->markers += r->thread.at[i].markers;
	}
	for (size_t i = 0; ok && i < r->thread.n; i++) {
		struct firefox_thread *thread = &r->thread.at[i];
		struct firefox_tables *tables = tables_of(r, thread);

		ok = firefox_add_thread(doc, r, thread, tables);
		if (tables == &r->shared)
			continue;
		if (tables->string.at == r->shared.string.at)
			tables->string.at = NULL;
		/* The thread's own tables: no later thread uses the nodes. */
		drop_tables(doc->job, tables);
		if (ok && cg_free_nodes(doc->job))
			r->shared.node.n = 0;
	}
	return ok;
}

static void
tell(struct cg_job *job, const struct firefox_reader *r)
{
	if (r->stackless > 0)
		cg_note(job, "samples without a stack: %" PRIu64, r->stackless);
	if (r->foreign > 0)
		cg_warn(job,
		    "threads of other processes that are not read: %" PRIu64,
		    r->foreign);
	if (r->markers > 0)
		cg_note(job, "markers are not converted: %" PRIu64, r->markers);
}

int
firefox_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct firefox_reader r = { .space = cg_space_new(job, build) };
	struct cg_doc doc;

	if (!r.space)
		return CG_ELIMIT;
	begin_tables(&r.shared);
	cg_doc_open(&doc, job, in, build, &r);
	if (take_process(&doc, &r) && add_threads(&doc, &r))
		tell(job, &r);
	return cg_doc_close(&doc);
}
