/*
 * gcov.c - coverage of gcc and clang: .gcda files with their .gcno files.
 *
 * Sources: the files that gcc 3.4 to 16 and clang 9 to 23 write, gcov-io.h
 * and gcov.c of those versions of gcc, GCOV.cpp of LLVM; docs of -fprofile-*.
 * Any version and byte order is read, on any machine; notes and data each have
 * their own (a cross compiler's notes have its host's). What comes out is what
 * the gcov of the compiler's version says, for clang's files llvm-cov.
 *
 * An input is a .gcda, whose notes are found, a .gcno, whose data is taken
 * where it lies beside (else nothing ran), or a stream of data that a program
 * without files sent (gcc 13: "gcfn" name data, ...).
 *
 * Written is the sum of data of one unit, as its runs would have left it.
 *
 * Survives: all of it but counters that are no coverage (values, times).
 * Lost: nothing else; what gcov derives is derived from the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "raw.h"

static int
probe(const struct cg_head *head)
{
	struct gcov_bytes bytes = { .at = (const unsigned char *)head->text.ptr,
		.end = (const unsigned char *)head->text.ptr + head->text.len };
	struct gcov_head gcov;

	if (gcov_take_magic(&bytes, &gcov, 0))
		return CG_PROBE_SURE;
	return gcov_probe_old(head);
}

static struct gcov_bytes
bytes_of(struct cg_slice text)
{
	return (struct gcov_bytes){ .at = (const unsigned char *)text.ptr,
		.end = (const unsigned char *)text.ptr + text.len };
}

/*
 * clang asked for a version from 12 on says so, but writes as for 11. So what
 * cannot be read as the one is tried as the other; a head alone, which may be
 * one of 12 cut short, proves nothing.
 */
static bool
read_either(struct gcov_unit *unit, struct gcov_bytes *bytes,
    bool (*read)(struct gcov_unit *, struct gcov_bytes *, unsigned))
{
	const unsigned old = GCOV_VERSION(11, 0);
	struct gcov_bytes first = *bytes, again = *bytes;

	if (read(unit, &first, 0)) {
		*bytes = first;
		return true;
	}
	if (!unit->nomem && first.exact && read(unit, &again, old) &&
	    (read == gcov_read_notes ? unit->fns : unit->data.fns) > 0) {
		*bytes = again;
		return true;
	}
	*bytes = first;
	return false;
}

/* Reports why bytes could not be read, and leaves them out. */
static int
skip(struct gcov_unit *unit, const struct gcov_bytes *bytes)
{
	if (unit->nomem)
		return cg_nomem(unit->job);
	return cg_skip_at(unit->job, bytes->wrong_at, "%s",
	    bytes->wrong ? bytes->wrong : "expected gcov's records");
}

/* ---- Units -------------------------------------------------------------- */

static int
add_unit(struct gcov_unit *unit, struct cg_build *build, const char *notes,
    const char *data)
{
	int status = CG_OK;

	if (unit->has_data)
		status = gcov_match(unit, data);
	if (status == CG_OK)
		status = gcov_emit_unit(unit, build, notes, data);
	if (status == CG_OK && unit->has_data && unit->raw)
		status = gcov_add_raw(unit, build);
	if (status == CG_OK)
		status = gcov_read_ci(unit, build, notes);
	return status;
}

/* Notes are open; data has been read, if there is any. */
static int
read_notes(struct gcov_unit *unit, struct cg_in *in, struct cg_build *build,
    const char *data)
{
	struct cg_slice text;
	struct gcov_bytes bytes;

	if (!cg_read_all(in, &text) && cg_in_status(in) != CG_OK)
		return CG_OK; /* reported; the unit is left out */
	bytes = bytes_of(text);
	if (!read_either(unit, &bytes, gcov_read_notes))
		return skip(unit, &bytes);
	return add_unit(unit, build, cg_in_name(in), data);
}

/* Data has been read: finds its notes. */
static int
read_with_notes(
    struct gcov_unit *unit, const char *data, struct cg_build *build)
{
	struct cg_in *in = NULL;
	const char *path;
	int status;

	unit->has_data = true;
	if (unit->raw_only)
		return gcov_add_raw(unit, build);
	for (size_t i = 0; !in; i++) {
		path = gcov_notes_path(unit, data, i);
		if (unit->nomem)
			return cg_nomem(unit->job);
		if (!path)
			return cg_skip_at(unit->job, NULL,
			    "expected the notes of %s beside it or in "
			    "--object-directory",
			    data);
		if (!cg_open_companion(unit->job, path, &in))
			return CG_OK; /* reported; the unit is left out */
	}
	status = read_notes(unit, in, build, data);
	cg_close_companion(unit->job, in);
	return status;
}

/* ---- Inputs ------------------------------------------------------------- */

/* Takes data apart; gcc 3.4's alone ends with its file. */
static bool
take_data(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	if (!read_either(unit, bytes, gcov_read_data))
		return false;
	if (!unit->data.ended && unit->data.head.layout >= GCOV_VERSION(4, 0))
		cg_warn(unit->job, "expected an end mark: is the file cut?");
	return true;
}

static int
read_data(struct gcov_unit *unit, struct cg_in *in, struct gcov_bytes *bytes,
    struct cg_build *build)
{
	if (!take_data(unit, bytes))
		return skip(unit, bytes);
	return read_with_notes(unit, cg_in_name(in), build);
}

static int
read_stream(struct gcov_unit *unit, struct cg_in *in, struct gcov_bytes *bytes,
    struct cg_build *build)
{
	struct gcov_head head;
	struct cg_slice name;
	int status = CG_OK;

	unit->in_stream = true;
	if (!gcov_keep_folder(unit, cg_in_name(in)))
		return cg_nomem(unit->job);
	while (status == CG_OK && bytes->at < bytes->end) {
		if (!gcov_take_magic(bytes, &head, 0) ||
		    head.magic != GCOV_STREAM) {
			(void)gcov_wrong(bytes, bytes->at - 8,
			    "expected the name of a data file (gcfn)");
			return skip(unit, bytes);
		}
		if (!gcov_take_string(bytes, &name))
			return skip(unit, bytes);
		if (!gcov_keep_name(unit, name))
			return cg_nomem(unit->job);
		if (!take_data(unit, bytes))
			return skip(unit, bytes);
		status = read_with_notes(unit, unit->name, build);
	}
	return status;
}

/* Notes and, unless nothing ran, the data beside them at path (or NULL). */
static int
read_both(struct gcov_unit *unit, struct cg_in *in, struct gcov_bytes *notes,
    struct cg_in *data, const char *path, struct cg_build *build)
{
	struct gcov_bytes bytes;
	struct cg_slice text;

	if (data) {
		if (!cg_read_all(data, &text) && cg_in_status(data) != CG_OK)
			return CG_OK; /* reported; the unit is left out */
		bytes = bytes_of(text);
		unit->has_data = take_data(unit, &bytes);
		if (!unit->has_data)
			return skip(unit, &bytes);
	}
	if (unit->raw_only)
		return data ? gcov_add_raw(unit, build) : CG_OK;
	if (!read_either(unit, notes, gcov_read_notes))
		return skip(unit, notes);
	return add_unit(unit, build, cg_in_name(in), path);
}

/* A .gcno: data beside it counts, unless it is an input of its own. */
static int
read_alone(struct gcov_unit *unit, struct cg_in *in, struct gcov_bytes *bytes,
    struct cg_build *build)
{
	const char *path = gcov_data_path(unit, cg_in_name(in));
	struct cg_in *data;
	int status;

	if (!path)
		return cg_nomem(unit->job);
	if (cg_job_has_input(unit->job, path))
		return CG_OK;
	if (!cg_open_companion(unit->job, path, &data))
		return CG_OK; /* reported; the unit is left out */
	status = read_both(unit, in, bytes, data, path, build);
	cg_close_companion(unit->job, data);
	return status;
}

/* Files are graph, lines, data (NULL: never run); one is the input's text. */
static int
read_old_unit(struct gcov_unit *unit, struct cg_in *const file[3], int own,
    struct cg_slice input, struct cg_build *build)
{
	struct gcov_bytes bytes[3];
	struct cg_slice text;

	for (int i = 0; i < 3; i++) {
		text = input;
		if (i != own && file[i] && !cg_read_all(file[i], &text))
			return CG_OK; /* reported; the unit is left out */
		bytes[i] = bytes_of(text);
	}
	if (!gcov_read_old_notes(unit, &bytes[0], file[1] ? &bytes[1] : NULL))
		return skip(unit, &bytes[bytes[0].wrong ? 0 : 1]);
	unit->has_data = file[2] != NULL;
	unit->data.records.at = NULL;
	if (unit->has_data && !gcov_read_old_data(unit, &bytes[2]))
		return skip(unit, &bytes[2]);
	return add_unit(unit, build, cg_in_name(file[0]),
	    file[2] ? cg_in_name(file[2]) : "");
}

/* Opens what belongs to a .da or .bbg; false: it cannot be read (reported). */
static bool
open_old(struct gcov_unit *unit, struct cg_in *in, const char *own,
    struct cg_in *file[3])
{
	static const char *const suffix[] = { ".bbg", ".bb", ".da" };
	const char *path;

	for (int i = 0; i < 3; i++) {
		if (strcmp(suffix[i], own) == 0) {
			file[i] = in;
			continue;
		}
		path = gcov_swap(unit, cg_in_name(in), own, suffix[i]);
		if (!path || !cg_open_companion(unit->job, path, &file[i]))
			return false;
	}
	return true;
}

/* A .da or .bbg of gcc until 3.3. */
static int
read_old(struct gcov_unit *unit, struct cg_in *in, struct cg_slice text,
    struct cg_build *build)
{
	const char *name = cg_in_name(in);
	bool is_data = name[strlen(name) - 1] == 'a';
	struct cg_in *file[3] = { NULL, NULL, NULL };
	int status = CG_OK;

	if (!is_data) {
		const char *data = gcov_swap(unit, name, ".bbg", ".da");

		if (data && cg_job_has_input(unit->job, data))
			return CG_OK;
	}
	if (!open_old(unit, in, is_data ? ".da" : ".bbg", file))
		status = unit->nomem ? cg_nomem(unit->job) : CG_OK;
	else if (file[0])
		status =
		    read_old_unit(unit, file, is_data ? 2 : 0, text, build);
	else
		status = cg_skip_at(unit->job, NULL,
		    "expected the graph of %s beside it (.bbg)", name);
	for (int i = 3; i-- > 0;) {
		if (file[i] && file[i] != in)
			cg_close_companion(unit->job, file[i]);
	}
	return status;
}

/* What is kept from one unit to the next: memory, and functions by ident. */
struct kept {
	struct gcov_unit unit;
	struct gcov_fns all;
};

static void
release(void *memory)
{
	struct kept *kept = memory;

	gcov_unit_free(&kept->unit);
	cg_map_free(&kept->all.idents);
	free(kept->all.known);
	cg_map_free(&kept->all.waiting);
	free(kept->all.call);
	cg_map_free(&kept->all.sources);
	free(kept->all.place);
}

static int
read_gcov(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct {
		uint32_t magic;
		int (*read)(struct gcov_unit *, struct cg_in *,
		    struct gcov_bytes *, struct cg_build *);
	} kinds[] = {
		{ GCOV_DATA, read_data },
		{ GCOV_NOTES, read_alone },
		{ GCOV_STREAM, read_stream },
	};
	const struct cg_module *to = cg_job_target(job);
	struct kept *kept = cg_job_state(job, kinds, sizeof(*kept), release);
	struct gcov_bytes bytes, look;
	struct gcov_head head;
	struct cg_slice text;
	int status = CG_OK;

	if (!kept)
		return CG_ELIMIT;
	kept->unit.job = job;
	kept->unit.all = &kept->all;
	kept->unit.has_data = kept->unit.in_stream = false;
	kept->unit.raw = to && to->carries & CG_COUNTERS;
	kept->unit.raw_only = to && to->read == read_gcov;
	if (!cg_read_all(in, &text) && cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	bytes = look = bytes_of(text);
	if (!gcov_take_magic(&look, &head, 0))
		return gcov_is_old(cg_in_name(in))
			   ? read_old(&kept->unit, in, text, build)
			   : skip(&kept->unit, &look);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].magic == head.magic)
			status = kinds[i].read(&kept->unit, in, &bytes, build);
	}
	return status;
}

static const struct cg_option options[] = {
	{ .name = "object-directory",
	    .type = CG_STRING,
	    .arg = "DIR",
	    .help = "folder of the notes (.gcno) that are not beside the data",
	    .reading = true },
	{ .name = "gcov-compat",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "count lines that functions share exactly as gcov does",
	    .reading = true },
	{ .name = "relative-to-notes",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "take relative names of sources from the notes' folder",
	    .reading = true },
	{ 0 },
};

const struct cg_module cg_format_gcov = {
	CG_MODULE,
	.name = "gcov",
	.title = "coverage data of gcc and clang (.gcda with .gcno)",
	.suffixes = "gcda",
	.gathers = "gcda;gcno;da;bbg",
	/* Counters tell all of this. */
	.carries = CG_SELF | CG_LINES | CG_CALLS | CG_JUMPS | CG_EVENTS |
		   CG_ZEROS | CG_BRANCHES | CG_SIGNED | CG_BLOCKS |
		   CG_CONDITIONS | CG_COUNTERS | CG_FILES | CG_SYMBOLS |
		   CG_DEFINITIONS | CG_DESCRIPTIONS,
	.needs = CG_COUNTERS,
	.options = options,
	.probe = probe,
	.read = read_gcov,
	.write = gcov_write,
};
