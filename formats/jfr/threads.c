/*
 * threads.c - data of samples besides their stack: thread, state, class of an
 * object or a lock. These become labels; the thread also becomes a track.
 */
#include "jfr.h"

#define LABELS 5

/*
 * Appends a thread to chunk->thread, and stores its number there, from 1, in
 * its constant. index: index + 1 of the constant. A virtual thread without a
 * name gets "thread ID". False: an error (reported).
 */
static bool
make_thread(struct jfr_chunk *chunk, uint64_t index)
{
	struct jfr_thread *thread;
	uint64_t slot[JFR_SLOTS];
	char number[CG_NUMBER_MAX + sizeof("thread ")];
	struct cg_slice name;

	if (!jfr_get_constant(chunk, JFR_THREAD, index, slot) ||
	    !jfr_get_text(chunk, slot[THREAD_NAME], &name) ||
	    (name.len == 0 &&
		!jfr_get_text(chunk, slot[THREAD_OS_NAME], &name)))
		return false;
	if (name.len == 0 && slot[THREAD_OS_ID] == 0 && slot[THREAD_ID] != 0) {
		strcpy(number, "thread ");
		name.ptr = number;
		name.len = (size_t)(cg_format_u64(number + strlen(number),
					slot[THREAD_ID]) -
				    number);
	}
	thread = cg_push(chunk->job, &chunk->thread);
	if (!thread)
		return false;
	*thread = (struct jfr_thread){ .tid = slot[THREAD_OS_ID],
		.name = cg_add_name(chunk->build, name) };
	chunk->constant.at[index - 1].made = (uint32_t)chunk->thread.n;
	return true;
}

static bool
get_thread(struct jfr_chunk *chunk, uint64_t index, struct jfr_thread *thread)
{
	*thread = (struct jfr_thread){ 0 };
	if (index == 0)
		return true;
	if (chunk->constant.at[index - 1].made == 0 &&
	    !make_thread(chunk, index))
		return false;
	*thread = chunk->thread.at[chunk->constant.at[index - 1].made - 1];
	return true;
}

static void
add_label(struct cg_sample_key *key, struct cg_label *label, const char *name,
    struct cg_slice value, uint64_t number)
{
	if (value.len == 0 && (number == 0 || number > INT64_MAX))
		return;
	label[key->labels++] = (struct cg_label){ .key = cg_slice(name),
		.value = value,
		.number = (int64_t)number,
		.unit = { "", 0 } };
}

bool
jfr_set_who(struct jfr_chunk *chunk, const struct jfr_who *who, bool timed)
{
	const struct cg_slice none = { "", 0 };
	struct cg_label label[LABELS];
	struct cg_sample_key key = { .pid = who->pid, .label = label };
	struct cg_track track = { .pid = who->pid, .unit = "ns" };
	struct jfr_thread thread;
	cg_name state, class;

	if (!get_thread(chunk, who->thread, &thread) ||
	    !jfr_get_constant_text(chunk, JFR_STATE, who->state, &state) ||
	    !jfr_get_class_name(chunk, who->class, &class))
		return false;
	key.tid = thread.tid;
	key.thread = cg_get_name(chunk->build, thread.name);
	add_label(&key, label, "pid", none, who->pid);
	add_label(&key, label, "tid", none, thread.tid);
	add_label(&key, label, "thread", key.thread, 0);
	add_label(&key, label, "state", cg_get_name(chunk->build, state), 0);
	add_label(&key, label, "class", cg_get_name(chunk->build, class), 0);
	cg_set_sample_part(chunk->build, &key);
	if (timed) {
		track.tid = thread.tid;
		track.name = key.thread.ptr;
		cg_set_track(chunk->build, &track);
	}
	return true;
}
