/*
 * mappings.c - what is mapped where in the process, from the end of the file.
 */
#include <ctype.h>
#include <string.h>

#include "gperftools.h"

#define PATH_SIZE 4096 /* of a path with its variables replaced */

bool
gperf_expand(struct gperf_reader *r, uint64_t bytes)
{
	r->expanded += bytes;
	if (!cg_is_bomb(r->expanded, cg_in_offset(r->in), CG_EXPANSION_HELD))
		return true;
	return cg_reject(r->job,
	    "expected fewer inlined frames and shorter paths: they would take "
	    "more than %d times the size of the file",
	    CG_EXPANSION_HELD);
}

bool
gperf_get_hex(struct cg_slice word, uint64_t *value)
{
	char digits[CG_NUMBER_MAX] = "0x";

	if (word.len > 16)
		return false;
	memcpy(digits + 2, word.ptr, word.len);
	return cg_get_u64((struct cg_slice){ digits, word.len + 2 }, value);
}

static bool
take_hex(struct cg_slice *text, char end, uint64_t *value)
{
	struct cg_slice word;

	return cg_take_until(text, end, &word) && gperf_get_hex(word, value);
}

/*
 * Reads " path (@offset) build-id" into the mapping (a file's range of
 * addresses). Offset and build-id are optional. False: malformed.
 */
static bool
take_brief(struct cg_slice line, struct cg_mapping *mapping)
{
	struct cg_slice offset;

	(void)cg_take_blanks(&line);
	if (!cg_take_word(&line, &mapping->path))
		return false;
	(void)cg_take_blanks(&line);
	if (cg_take_prefix(&line, "(@") &&
	    (!cg_take_until(&line, ')', &offset) ||
		!gperf_get_hex(offset, &mapping->offset)))
		return false;
	(void)cg_take_blanks(&line);
	(void)cg_take_word(&line, &mapping->build_id);
	return true;
}

/*
 * Reads a mapping (a file's range of addresses). The line is "start-limit
 * perms offset device inode path", as in /proc/PID/maps. It may also be
 * "start-limit: path", which pprof's legacy parser (profile/legacy_profile.go)
 * reads, too. False: not a mapping.
 */
static bool
take_mapping(struct cg_slice line, struct cg_mapping *mapping)
{
	struct cg_slice word;

	*mapping =
	    (struct cg_mapping){ .path = { "", 0 }, .build_id = { "", 0 } };
	if (!take_hex(&line, '-', &mapping->start))
		return false;
	if (cg_take_word(&line, &word) && word.len > 0 &&
	    word.ptr[word.len - 1] == ':') {
		word.len--;
		return gperf_get_hex(word, &mapping->limit) &&
		       take_brief(line, mapping);
	}
	(void)cg_take_blanks(&line);
	if (!gperf_get_hex(word, &mapping->limit) ||
	    !cg_take_until(&line, ' ', &word) ||
	    !take_hex(&line, ' ', &mapping->offset) ||
	    !cg_take_until(&line, ' ', &word) || !cg_take_word(&line, &word))
		return false;
	mapping->path = cg_trim(line);
	return word.len > 0 && memchr("0123456789", *word.ptr, 10);
}

/* ---- Variables ---------------------------------------------------------- */

static bool
take_identifier(struct cg_slice *text, struct cg_slice *name)
{
	*name = (struct cg_slice){ text->ptr, 0 };
	while (text->len > 0 &&
	       (isalnum((unsigned char)*text->ptr) || *text->ptr == '_')) {
		text->ptr++;
		text->len--;
		name->len++;
	}
	return name->len > 0;
}

/*
 * Reads a line that sets a variable. After "build=/path", "$build" in a path
 * of a mapping means "/path". Ignores the variable if there are
 * GPERF_VARIABLES already. False: another line.
 */
static bool
set_variable(struct gperf_reader *r, struct cg_slice line)
{
	struct cg_slice name;

	if (!take_identifier(&line, &name) || !cg_take_char(&line, '='))
		return false;
	if (r->variables == GPERF_VARIABLES)
		return true;
	r->variable[r->variables].name = cg_add_name(r->build, name);
	r->variable[r->variables++].value =
	    cg_add_name(r->build, cg_trim(line));
	return true;
}

/*
 * Returns the path with its first variable replaced by its value. Returns the
 * path itself without a known variable, or if the result is too long. It also
 * does so if the input expands too much (reported).
 */
static struct cg_slice
expand(struct gperf_reader *r, struct cg_slice path)
{
	struct cg_slice before, name, value, rest = path;
	char text[PATH_SIZE];
	size_t i = 0;
	cg_name key;

	if (!cg_take_until(&rest, '$', &before) ||
	    !take_identifier(&rest, &name))
		return path;
	key = cg_add_name(r->build, name);
	while (i < r->variables && r->variable[i].name != key)
		i++;
	if (i == r->variables)
		return path;
	value = cg_get_name(r->build, r->variable[i].value);
	if (!gperf_expand(r, value.len))
		return path;
	if (before.len + value.len + rest.len > sizeof(text))
		return path;
	memcpy(text, before.ptr, before.len);
	memcpy(text + before.len, value.ptr, value.len);
	memcpy(text + before.len + value.len, rest.ptr, rest.len);
	return cg_get_name(r->build,
	    cg_add_name(r->build,
		(struct cg_slice){ text, before.len + value.len + rest.len }));
}

void
gperf_begin_part(struct gperf_reader *r, struct cg_slice path)
{
	struct cg_part_info info = { .cmd = "" };
	cg_name name;

	if (r->in_part)
		return;
	name = cg_add_name(r->build, path);
	if (path.len > 0)
		info.cmd = cg_get_name(r->build, name).ptr;
	(void)cg_add_part(r->build, &info);
	r->in_part = true;
}

bool
gperf_add_mapping(struct gperf_reader *r, struct cg_slice line)
{
	struct cg_mapping mapping;

	if (set_variable(r, line) || !take_mapping(line, &mapping))
		return true;
	mapping.path = expand(r, mapping.path);
	if (mapping.path.len > 0 && *mapping.path.ptr == '/')
		gperf_begin_part(r, mapping.path);
	r->mapped = true;
	return cg_rejected(r->job) == CG_OK &&
	       cg_space_add(r->space, &mapping) != 0;
}

/*
 * Maps the first executable of --exe at the addresses it was linked for. Go
 * writes no mappings, and its executables are not relocated. Does nothing
 * without --exe, or if opening fails (a warning). False: an error (reported).
 */
static bool
map_executable(struct gperf_reader *r)
{
	const char *path = cg_job_object(r->job, 0);
	const struct cg_symbols *symbols =
	    path ? cg_open_symbols(r->job, path, false) : NULL;
	struct cg_mapping mapping;

	if (!symbols)
		return true;
	mapping = (struct cg_mapping){ .start = symbols->exec_low,
		.limit = symbols->exec_high,
		.offset = symbols->exec_offset,
		.path = cg_slice(path),
		.build_id = { "", 0 } };
	return cg_rejected(r->job) == CG_OK &&
	       cg_space_add(r->space, &mapping) != 0;
}

bool
gperf_end_mappings(struct gperf_reader *r)
{
	if (cg_in_unterminated(r->in))
		cg_warn(r->job,
		    "the last %s is incomplete: the file may be "
		    "truncated",
		    r->in_maps ? "mapping" : "line");
	return r->mapped || r->ids || map_executable(r);
}
