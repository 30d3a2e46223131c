/*
 * jit.c - names of code that a process made itself, from the files that its
 * just-in-time compiler wrote: perf-PID.map, else jit-PID.dump.
 *
 * Source: Documentation/jit-interface.txt and jitdump-specification.txt in
 * tools/perf of Linux 6.1. A line of a map has the start, the size, both in
 * hex, and the name. A dump has records of code that was loaded or moved; its
 * other records, lines and unwinding information, are lost. Where code replaced
 * other code, the later name counts for all samples.
 *
 * perf opens /tmp/perf-PID.map. Here the files have to be next to the
 * recording, or in the directory of --jit-dir: the recording may come from
 * elsewhere.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data.h"

#define PATH_ROOM 4096

static bool
add_symbol(struct perf_jit *jit, struct cg_job *job, uint64_t start,
    uint64_t size, struct cg_slice name)
{
	return cg_append(job, &jit->symbol,
	    (struct perf_jit_symbol){ start, size, jit->symbol.n, name });
}

/*
 * Compares symbols for qsort(): by address, then in the order of the file. Of
 * symbols with one address, the last one is used.
 */
static int
compare(const void *pa, const void *pb)
{
	const struct perf_jit_symbol *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* ---- perf-PID.map -------------------------------------------------------- */

/*
 * Takes a number in hex, of either case, and the blanks after it, off *line.
 * False: malformed (not reported); *line may have moved.
 */
static bool
take_hex(struct cg_slice *line, uint64_t *value)
{
	struct cg_slice word;
	char text[20];

	if (!cg_take_word(line, &word))
		return false;
	(void)cg_take_blanks(line);
	(void)(cg_take_prefix(&word, "0x") || cg_take_prefix(&word, "0X"));
	if (word.len == 0 || word.len >= sizeof(text))
		return false;
	for (size_t i = 0; i < word.len; i++)
		text[i] = (char)tolower((unsigned char)word.ptr[i]);
	text[word.len] = '\0';
	return cg_get_hex(text, value) == text + word.len;
}

static bool
add_map(struct perf_jit *jit, struct cg_job *job, struct cg_slice text)
{
	struct cg_slice line;
	uint64_t start, size, wrong = 0;

	while (cg_take_line(&text, &line)) {
		cg_cut_return(&line);
		if (line.len == 0)
			continue;
		if (!take_hex(&line, &start) || !take_hex(&line, &size) ||
		    line.len == 0)
			wrong++;
		else if (!add_symbol(jit, job, start, size, cg_trim(line)))
			return false;
	}
	if (wrong > 0)
		cg_warn(job,
		    "%" PRIu64 " lines are skipped: expected the start and the "
		    "size of code in hex, and its name",
		    wrong);
	return true;
}

/* ---- jit-PID.dump -------------------------------------------------------- */

enum { CODE_LOAD, CODE_MOVE };

static uint32_t
get_u32(const struct perf_jit *jit, const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return jit->swap ? __builtin_bswap32(value) : value;
}

static uint64_t
get_u64(const struct perf_jit *jit, const char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return jit->swap ? __builtin_bswap64(value) : value;
}

/*
 * Handles a record of code that was moved. Adds a symbol with the new address
 * and size. It gets the name of the moved code. The record has the index of
 * the code, and by_index maps it to the code's symbol. Ignores a short record
 * and an unknown index. False: out of memory (reported).
 */
static bool
move(struct perf_jit *jit, struct cg_job *job, struct cg_map *by_index,
    struct cg_slice record)
{
	enum { TO = 40, SIZE = 48, INDEX = 56, END = 64 };
	uint32_t known =
	    record.len < END
		? 0
		: cg_map_get(by_index, get_u64(jit, record.ptr + INDEX));

	return known == 0 || add_symbol(jit, job, get_u64(jit, record.ptr + TO),
				 get_u64(jit, record.ptr + SIZE),
				 jit->symbol.at[known - 1].name);
}

static bool
load(struct perf_jit *jit, struct cg_job *job, struct cg_map *by_index,
    struct cg_slice record)
{
	enum { START = 32, SIZE = 40, INDEX = 48, NAME = 56 };
	uint32_t *known;

	if (record.len < NAME)
		return true;
	if (!add_symbol(jit, job, get_u64(jit, record.ptr + START),
		get_u64(jit, record.ptr + SIZE),
		perf_data_text(
		    (struct cg_slice){ record.ptr + NAME, record.len - NAME })))
		return false;
	known = cg_map_at(by_index, get_u64(jit, record.ptr + INDEX));
	if (!known)
		return cg_reject_nomem(job);
	*known = (uint32_t)jit->symbol.n;
	return true;
}

static bool
add_dump(struct perf_jit *jit, struct cg_job *job, struct cg_slice bytes)
{
	enum { HEAD = 16, FILE_HEAD = 40, SIZE_AT = 8 };
	static const uint32_t magic = 0x4a695444;
	struct cg_map by_index = { 0 };
	struct cg_slice record;
	uint32_t size, type;
	bool good = true;

	if (bytes.len >= FILE_HEAD)
		jit->swap = memcmp(bytes.ptr, &magic, sizeof(magic)) != 0;
	if (bytes.len < FILE_HEAD || get_u32(jit, bytes.ptr) != magic ||
	    get_u32(jit, bytes.ptr + SIZE_AT) < FILE_HEAD) {
		cg_warn(job, "expected a jitdump");
		return true;
	}
	size = get_u32(jit, bytes.ptr + SIZE_AT);
	while (good && size <= bytes.len && bytes.len - size >= HEAD) {
		bytes.ptr += size;
		bytes.len -= size;
		type = get_u32(jit, bytes.ptr);
		size = get_u32(jit, bytes.ptr + 4);
		if (size < HEAD || size > bytes.len)
			break;
		record = (struct cg_slice){ bytes.ptr, size };
		if (type == CODE_LOAD)
			good = load(jit, job, &by_index, record);
		else if (type == CODE_MOVE)
			good = move(jit, job, &by_index, record);
	}
	/* A newline follows the last record: see read_file(). */
	if (good && (size > bytes.len || bytes.len - size > 1))
		cg_warn(job, "the jitdump ends within a record");
	cg_map_free(&by_index);
	return good;
}

/* ---- Files --------------------------------------------------------------- */

/*
 * Sets "path" to the path of the file named "kind" in the directory of option
 * jit-dir. Without the option, the directory is that of the recording. False:
 * there is no such file, or its path is too long.
 */
static bool
find_file(const struct perf_file *f, const char *kind, char path[PATH_ROOM])
{
	const char *dir = cg_opt(f->job, "jit-dir"), *name = cg_in_name(f->in);
	const char *slash = strrchr(name, '/');
	int len;

	if (dir)
		len = snprintf(path, PATH_ROOM, "%s/%s", dir, kind);
	else
		len = snprintf(path, PATH_ROOM, "%.*s%s",
		    slash ? (int)(slash - name) + 1 : 0, name, kind);
	return len > 0 && len < PATH_ROOM && cg_companion_exists(f->job, path);
}

/*
 * Reads a file of symbols and passes its bytes, with a newline added at the
 * end, to add(). The bytes stay allocated until the job's read() has returned,
 * as names point into them. True also if the file cannot be opened or read;
 * add() is then not called. False: an error (reported), such as a failure of
 * add().
 */
static bool
read_file(struct perf_jit *jit, struct perf_file *f, const char *path,
    bool (*add)(struct perf_jit *, struct cg_job *, struct cg_slice))
{
	struct cg_in *in;
	struct cg_slice bytes;
	char *copy;
	bool good = true;

	if (!cg_open_companion(f->job, path, &in) || !in)
		return cg_rejected(f->job) == CG_OK;
	if (cg_read_all(in, &bytes)) {
		copy = cg_alloc(f->job, bytes.len + 1);
		good = copy != NULL;
		if (copy) {
			memcpy(copy, bytes.ptr, bytes.len);
			copy[bytes.len] = '\n';
			good = add(jit, f->job,
			    (struct cg_slice){ copy, bytes.len + 1 });
		}
	}
	cg_close_companion(f->job, in);
	return good;
}

bool
perf_jit_is_map(struct cg_slice object)
{
	struct cg_slice digits = cg_base_name(object);
	size_t n;

	if (!cg_take_prefix(&digits, "perf-"))
		return false;
	for (n = 0; n < digits.len && isdigit((unsigned char)digits.ptr[n]);)
		n++;
	digits.ptr += n;
	digits.len -= n;
	return n > 0 && cg_equal(digits, ".map");
}

bool
perf_jit_open(struct perf_jit *jit, struct perf_file *f, struct cg_slice object)
{
	struct cg_slice name = cg_base_name(object), pid;
	char file[64], path[PATH_ROOM];
	bool good = true;

	pid.ptr = name.ptr + strlen("perf-");
	pid.len = name.len - strlen("perf-.map");
	(void)snprintf(file, sizeof(file), "%.*s", (int)name.len, name.ptr);
	if (find_file(f, file, path)) {
		good = read_file(jit, f, path, add_map);
	} else {
		(void)snprintf(
		    file, sizeof(file), "jit-%.*s.dump", (int)pid.len, pid.ptr);
		if (find_file(f, file, path))
			good = read_file(jit, f, path, add_dump);
	}
	if (jit->symbol.n > 0)
		qsort(jit->symbol.at, jit->symbol.n, sizeof(*jit->symbol.at),
		    compare);
	return good;
}

const struct perf_jit_symbol *
perf_jit_find(const struct perf_jit *jit, uint64_t addr)
{
	size_t low = 0, high = jit->symbol.n, middle;
	const struct perf_jit_symbol *symbol;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (jit->symbol.at[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	symbol = &jit->symbol.at[low - 1];
	return addr - symbol->start < symbol->size ? symbol : NULL;
}
