/*
 * threads.c - threads of version 6: rows with their size (u16) and an index,
 * then entries: a kind (1 byte), and a name, the id of the process, the id of
 * the thread, or a key and a value.
 */
#include "nettrace.h"
#include "proto/wire.h"

enum info { INFO_NAME = 1, INFO_PROCESS, INFO_THREAD, INFO_KEY };
#define FLUSH_FLAGS 8 /* offset in a sequence point */
#define FLUSH_THREADS 1

/*
 * Reads a row of the table of threads into *thread: name, pid and tid. Values
 * that it lacks stay. Stops at an unknown kind, which a later version may
 * write. False: malformed (not reported).
 */
static bool
take_infos(struct nettrace_file *file, struct cg_slice row,
    struct nettrace_thread *thread)
{
	struct cg_slice text;
	unsigned kind;

	while (row.len > 0) {
		kind = (uint8_t)*row.ptr++;
		row.len--;
		switch (kind) {
		case INFO_NAME:
			if (!nettrace_take_text(&row, &text))
				return false;
			thread->name = cg_add_name(file->build, text);
			break;
		case INFO_PROCESS:
			if (!proto_take_varint(&row, &thread->pid))
				return false;
			break;
		case INFO_THREAD:
			if (!proto_take_varint(&row, &thread->tid))
				return false;
			break;
		case INFO_KEY:
			if (!nettrace_take_text(&row, &text) ||
			    !nettrace_take_text(&row, &text))
				return false;
			break;
		default: return true; /* of a later minor version */
		}
	}
	return true;
}

bool
nettrace_read_threads(struct nettrace_file *file, struct cg_slice block)
{
	struct cg_slice head, row;
	uint64_t index;
	uint32_t *at;

	while (block.len > 0) {
		struct nettrace_thread thread = { .pid = file->pid };

		if (!nettrace_cut(&block, 2, &head) ||
		    !nettrace_cut(&block, nettrace_u16(head.ptr), &row) ||
		    !proto_take_varint(&row, &index) ||
		    !take_infos(file, row, &thread))
			return cg_reject_at(
			    file->job, block.ptr, "expected a thread");
		at = cg_map_in(file->job, &file->threads, index);
		if (!at || !cg_append(file->job, &file->thread, thread))
			return false;
		*at = (uint32_t)file->thread.n;
	}
	return true;
}

void
nettrace_end_threads(struct nettrace_file *file, struct cg_slice block)
{
	if (file->sixth && block.len > FLUSH_FLAGS &&
	    (block.ptr[FLUSH_FLAGS] & FLUSH_THREADS) != 0) {
		cg_map_clear(&file->threads);
		file->thread.n = 0;
	}
}

struct nettrace_thread
nettrace_thread_of(const struct nettrace_file *file, uint64_t index)
{
	const uint32_t at = cg_map_get(&file->threads, index);

	if (!file->sixth)
		return (
		    struct nettrace_thread){ .pid = file->pid, .tid = index };
	return at > 0 ? file->thread.at[at - 1] : (struct nettrace_thread){ 0 };
}
