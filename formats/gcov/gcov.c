/*
 * gcov.c - coverage of gcc and clang: reads .gcda files with their .gcno files,
 * writes .gcda files.
 *
 * Sources: the files that gcc 3.4 to 16 and clang 9 to 23 write, gcov-io.h and
 * gcov.c of these versions of gcc, GCOV.cpp of LLVM, gcc's documentation of
 * -fprofile-*. Any version and byte order is read on any machine. Notes and
 * data each have their own byte order (the notes of a cross compiler have that
 * of its host). Counts are the ones shown by the gcov of the compiler's
 * version or, for clang's files, by llvm-cov.
 *
 * An input is one of these:
 *	.gcda	data; its notes are searched (see gcov_notes_path())
 *	.gcno	notes; data next to them is read, otherwise nothing was executed
 *	stream	data of programs without files (gcc 13: "gcfn" name data, ...)
 *	.da, .bbg	data or notes until gcc 3.3
 *
 * The output is the merged data of one unit, as if all runs had written to one
 * file.
 *
 * Everything survives except counters that are not coverage (values, times).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "gcov.h"
#include "raw.h"

/* ---- Units -------------------------------------------------------------- */

/*
 * Reports why the bytes could not be read, and that the unit (object file) is
 * skipped. Returns CG_OK if the job goes on with its other inputs, else the
 * status with which it ends.
 */
static int
skip(struct gcov_unit *unit, const struct gcov_bytes *bytes)
{
	if (unit->nomem)
		return cg_nomem(unit->job);
	return cg_skip_at(unit->job, bytes->error_at, "%s",
	    bytes->error ? bytes->error : "expected gcov's records");
}

static bool
process_fn(struct gcov_emit *emit, struct gcov_fn *fn)
{
	struct gcov_unit *unit = emit->unit;

	return gcov_solve(unit, fn) && gcov_count_lines(unit, fn) &&
	       gcov_add_fn(emit, fn) &&
	       gcov_add_targets(unit, emit->build, fn) &&
	       gcov_emit_fn(emit, fn) &&
	       (!unit->wants_paths || gcov_add_paths(unit, emit->build, fn));
}

static bool
process_fns(struct gcov_emit *emit, const char *notes, const char *data)
{
	struct gcov_unit *unit = emit->unit;

	gcov_load_counters(unit);
	if (!gcov_begin_emit(emit, notes, data) ||
	    (unit->compat && !gcov_find_shared_lines(unit)))
		return false;
	gcov_find_known(unit);
	for (size_t i = 0; i < unit->fns; i++) {
		if (gcov_is_reported(unit, &unit->fn[i]) &&
		    !process_fn(emit, &unit->fn[i]))
			return false;
	}
	gcov_emit_entries(emit);
	return true;
}

static void
report_problems(const struct gcov_unit *unit)
{
	const struct gcov_scratch *scratch = &unit->scratch;

	if (unit->negative > 0)
		cg_warn(unit->job,
		    "%llu negative count%s became 0: threads raced for the "
		    "counters (compile with -fprofile-update=atomic)",
		    (unsigned long long)unit->negative,
		    unit->negative > 1 ? "s" : "");
	if (scratch->unsolved)
		cg_warn(unit->job,
		    "the counters do not determine all counts; the others are "
		    "0");
	if (scratch->inconsistent && cg_job_verbose(unit->job))
		cg_note(unit->job,
		    "inconsistent counts: clang did not count all arcs; using "
		    "those of llvm-cov");
	if (scratch->saturated)
		cg_warn(unit->job, "some counts do not fit into 64 bits");
	if (scratch->work_limit_hit)
		cg_warn(unit->job,
		    "some lines have too many blocks and arcs: their counts "
		    "are too low");
	if (unit->lost_repeats > 0)
		cg_warn(unit->job,
		    "dropped %llu branches: blocks list a line too often",
		    (unsigned long long)unit->lost_repeats);
	if (unit->lost_paths > 0)
		cg_warn(unit->job,
		    "dropped the blocks of the paths of %llu function%s: there "
		    "are too many paths, or not as many as in the notes",
		    (unsigned long long)unit->lost_paths,
		    unit->lost_paths > 1 ? "s" : "");
}

/*
 * Joins a unit's data, if any, with its notes, which have been read. Adds the
 * counts to the graph. Skips units without data if --only-run is set, and
 * always checks of configure. Returns CG_OK unless the job must end.
 */
static int
process_unit(struct gcov_unit *unit, struct cg_build *build, const char *notes,
    const char *data)
{
	struct gcov_emit emit = { .unit = unit, .build = build };
	struct cg_slice source;
	int status = CG_OK;

	if (unit->has_data)
		status = gcov_match(unit, data);
	if (status != CG_OK)
		return status;
	if (!unit->has_data && cg_opt_flag(unit->job, "only-run"))
		return CG_OK;
	if (gcov_is_check(unit, notes, &source)) {
		if (unit->program->checks++ == 0)
			(void)snprintf(unit->program->first_check, PATH_SHOWN,
			    "%.*s", (int)source.len, source.ptr);
		return CG_OK;
	}
	unit->program->units++;
	unit->program->never += !unit->has_data;
	/* gcov 8 and later count like this; there must be counts. */
	unit->compat = unit->has_data && !unit->llvm &&
		       !cg_opt_flag(unit->job, "exact-lines") &&
		       unit->head.layout >= GCOV_VERSION(8, 0);
	if (!process_fns(&emit, notes, data))
		return cg_nomem(unit->job);
	report_problems(unit);
	status = cg_build_status(build);
	if (status == CG_OK && unit->has_data && unit->wants_counters)
		status = gcov_add_raw(unit, build);
	if (status == CG_OK)
		status = gcov_read_ci(unit, build, notes);
	return status;
}

/* ---- Files -------------------------------------------------------------- */

static bool
read_data(struct gcov_unit *unit, struct gcov_bytes *bytes)
{
	if (!gcov_read_either(unit, bytes, gcov_read_data))
		return false;
	if (gcov_is_cut(&unit->data))
		cg_warn(unit->job,
		    "expected an end mark: the file may be truncated");
	return true;
}

static int
read_notes(struct gcov_unit *unit, struct cg_in *in, struct cg_build *build,
    const char *data)
{
	struct cg_slice text;
	struct gcov_bytes bytes;

	if (!cg_read_all(in, &text) && cg_in_status(in) != CG_OK)
		return CG_OK; /* reported; the unit is skipped */
	bytes = gcov_bytes_of(text);
	if (!gcov_read_either(unit, &bytes, gcov_read_notes))
		return skip(unit, &bytes);
	return process_unit(unit, build, cg_in_name(in), data);
}

/*
 * Reads the notes (.gcno) of data that was read, and adds the unit (object
 * file). Skips it with a message if there are none; raw counters alone need
 * none. Returns CG_OK unless the job must end.
 */
static int
read_notes_of(struct gcov_unit *unit, const char *data, struct cg_build *build)
{
	struct cg_in *in;
	int status;

	unit->has_data = true;
	if (unit->counters_only)
		return gcov_add_raw(unit, build);
	if (!gcov_open_notes(unit, data, &in))
		return unit->nomem ? cg_nomem(unit->job)
				   : CG_OK; /* reported; the unit is skipped */
	if (!in)
		return cg_skip_at(unit->job, NULL,
		    "expected the notes (.gcno) of %s next to it; name their "
		    "directory or archive with {object-directory}",
		    data);
	status = read_notes(unit, in, build, data);
	cg_close_companion(unit->job, in);
	return status;
}

/* ---- Inputs ------------------------------------------------------------- */

static int
read_gcda(struct gcov_unit *unit, struct cg_in *in, struct gcov_bytes *bytes,
    struct cg_build *build)
{
	if (!read_data(unit, bytes))
		return skip(unit, bytes);
	return read_notes_of(unit, cg_in_name(in), build);
}

static int
read_stream(struct gcov_unit *unit, struct cg_in *in, struct gcov_bytes *bytes,
    struct cg_build *build)
{
	struct gcov_head head;
	struct cg_slice name;
	int status = CG_OK;

	unit->in_stream = true;
	if (!gcov_set_stream_directory(unit, cg_in_name(in)))
		return cg_nomem(unit->job);
	while (status == CG_OK && bytes->at < bytes->end) {
		if (!gcov_take_magic(bytes, &head, 0) ||
		    head.magic != GCOV_STREAM) {
			(void)gcov_error(bytes, bytes->at - 8,
			    "expected the name of a data file (gcfn)");
			return skip(unit, bytes);
		}
		if (!gcov_take_string(bytes, &name))
			return skip(unit, bytes);
		if (!gcov_set_name(unit, name))
			return cg_nomem(unit->job);
		if (!read_data(unit, bytes))
			return skip(unit, bytes);
		status = read_notes_of(unit, unit->name, build);
	}
	return status;
}

/*
 * Reads data (NULL: the unit never ran) and notes, and adds the unit (object
 * file). Raw counters alone need no notes. path is the name of the data.
 * Returns CG_OK unless the job must end.
 */
static int
read_pair(struct gcov_unit *unit, struct cg_in *in, struct gcov_bytes *notes,
    struct cg_in *data, const char *path, struct cg_build *build)
{
	struct gcov_bytes bytes;
	struct cg_slice text;

	if (data) {
		if (!cg_read_all(data, &text) && cg_in_status(data) != CG_OK)
			return CG_OK; /* reported; the unit is skipped */
		bytes = gcov_bytes_of(text);
		unit->has_data = read_data(unit, &bytes);
		if (!unit->has_data)
			return skip(unit, &bytes);
	}
	if (unit->counters_only)
		return data ? gcov_add_raw(unit, build) : CG_OK;
	if (!gcov_read_either(unit, notes, gcov_read_notes))
		return skip(unit, notes);
	return process_unit(unit, build, cg_in_name(in), path);
}

/*
 * Reads the unit (object file) of a .gcno input and the data next to it. Does
 * nothing if this data is an input itself, as the unit is read then. Returns
 * CG_OK unless the job must end.
 */
static int
read_gcno(struct gcov_unit *unit, struct cg_in *in, struct gcov_bytes *bytes,
    struct cg_build *build)
{
	const char *path =
	    gcov_swap_suffix(unit, cg_in_name(in), ".gcno", ".gcda");
	struct cg_in *data;
	int status;

	if (!path)
		return cg_nomem(unit->job);
	if (cg_job_has_input(unit->job, path))
		return CG_OK;
	if (!cg_open_companion(unit->job, path, &data))
		return CG_OK; /* reported; the unit is skipped */
	status = read_pair(unit, in, bytes, data, path, build);
	cg_close_companion(unit->job, data);
	return status;
}

/* ---- Inputs before gcc 3.4 ---------------------------------------------- */

enum { GRAPH, LINES, DATA, OLD_FILES };

/*
 * Adds a unit (object file) of gcc before 3.4 from its graph, lines and data;
 * the latter two may be NULL. "input" is the text of file[own], already read.
 * Returns CG_OK unless the job must end.
 */
static int
read_old_unit(struct gcov_unit *unit, struct cg_in *const file[OLD_FILES],
    int own, struct cg_slice input, struct cg_build *build)
{
	struct gcov_bytes bytes[OLD_FILES];
	struct cg_slice text;

	for (int i = 0; i < OLD_FILES; i++) {
		text = input;
		if (i != own && file[i] && !cg_read_all(file[i], &text))
			return CG_OK; /* reported; the unit is skipped */
		bytes[i] = gcov_bytes_of(text);
	}
	if (!gcov_read_old_notes(
		unit, &bytes[GRAPH], file[LINES] ? &bytes[LINES] : NULL))
		return skip(unit, &bytes[bytes[GRAPH].error ? GRAPH : LINES]);
	unit->has_data = file[DATA] != NULL;
	unit->data.records.at = NULL;
	if (unit->has_data && !gcov_read_old_data(unit, &bytes[DATA]))
		return skip(unit, &bytes[DATA]);
	return process_unit(unit, build, cg_in_name(file[GRAPH]),
	    file[DATA] ? cg_in_name(file[DATA]) : "");
}

/*
 * Fills file[] with a unit's graph (.bbg), lines (.bb) and data (.da), NULL if
 * absent. It must be all NULL before. file[own] is the input; the caller
 * closes the others, also after false. False: an error (reported), or out of
 * memory (unit->nomem).
 */
static bool
open_old_files(struct gcov_unit *unit, struct cg_in *in, int own,
    struct cg_in *file[OLD_FILES])
{
	static const char *const suffix[OLD_FILES] = { ".bbg", ".bb", ".da" };
	const char *path;

	for (int i = 0; i < OLD_FILES; i++) {
		if (i == own) {
			file[i] = in;
			continue;
		}
		path = gcov_swap_suffix(
		    unit, cg_in_name(in), suffix[own], suffix[i]);
		if (!path || !cg_open_companion(unit->job, path, &file[i]))
			return false;
	}
	return true;
}

/*
 * Reads the unit (object file) of a .da or .bbg input, of gcc before 3.4.
 * Ignores a .bbg file whose .da file is an input, too. Skips a .da file
 * without a .bbg file, with a message. Returns CG_OK unless the job must end.
 */
static int
read_old(struct gcov_unit *unit, struct cg_in *in, struct cg_slice text,
    struct cg_build *build)
{
	const char *name = cg_in_name(in), *data;
	int own = name[strlen(name) - 1] == 'a' ? DATA : GRAPH;
	struct cg_in *file[OLD_FILES] = { NULL };
	int status = CG_OK;

	if (own == GRAPH) {
		data = gcov_swap_suffix(unit, name, ".bbg", ".da");
		if (data && cg_job_has_input(unit->job, data))
			return CG_OK;
	}
	if (!open_old_files(unit, in, own, file))
		status = unit->nomem ? cg_nomem(unit->job) : CG_OK;
	else if (file[GRAPH])
		status = read_old_unit(unit, file, own, text, build);
	else
		status = cg_skip_at(unit->job, NULL,
		    "expected the graph (.bbg) of %s next to it", name);
	for (int i = OLD_FILES; i-- > 0;) {
		if (file[i] && file[i] != in)
			cg_close_companion(unit->job, file[i]);
	}
	return status;
}

/* ---- The module --------------------------------------------------------- */

static int
probe(const struct cg_head *head)
{
	struct gcov_bytes bytes = gcov_bytes_of(head->text);
	struct gcov_head gcov;

	if (gcov_take_magic(&bytes, &gcov, 0))
		return CG_PROBE_SURE;
	return gcov_probe_old(head);
}

/* State that is kept between inputs. */
struct state {
	struct gcov_unit unit;
	struct gcov_program program;
};

static void
release(void *memory)
{
	struct state *state = memory;
	const struct gcov_program *program = &state->program;

	if (program->newer > 0)
		cg_warn(state->unit.job,
		    "%zu source%s newer than the notes, the first is %s: lines "
		    "may have moved; compile and run again",
		    program->newer, program->newer == 1 ? " is" : "s are",
		    program->first_newer);
	if (program->checks > 0)
		cg_note(state->unit.job,
		    "skipped %zu unit%s without data, the first is of %s: "
		    "the source is gone, or a check of the build's "
		    "configuration",
		    program->checks, program->checks == 1 ? "" : "s",
		    program->first_check);
	if (program->never > 0)
		cg_note(state->unit.job,
		    "%zu of %zu unit%s never ran: the counts are 0; {only-run} "
		    "leaves such units out",
		    program->never, program->units,
		    program->units == 1 ? "" : "s");
	gcov_unit_free(&state->unit);
	gcov_program_free(&state->program);
}

static void
begin_unit(
    struct state *state, struct cg_job *job, const struct cg_build *build)
{
	struct gcov_unit *unit = &state->unit;

	unit->job = job;
	unit->program = &state->program;
	unit->in_stream = false;
	unit->wants_counters = cg_wants_fact(build, CG_COUNTERS);
	unit->counters_only =
	    unit->wants_counters && !cg_wants_fact(build, CG_LINES);
	unit->wants_paths = cg_wants_fact(build, CG_BLOCKS);
	unit->wants_negative = cg_wants_fact(build, CG_SIGNED);
}

static int
read_gcov(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct {
		uint32_t magic;
		int (*read)(struct gcov_unit *, struct cg_in *,
		    struct gcov_bytes *, struct cg_build *);
	} kinds[] = {
		{ GCOV_DATA, read_gcda },
		{ GCOV_NOTES, read_gcno },
		{ GCOV_STREAM, read_stream },
	};
	struct state *state = cg_job_state(job, kinds, sizeof(*state), release);
	struct gcov_bytes bytes, look;
	struct gcov_head head;
	struct cg_slice text;
	int status = CG_OK;

	if (!state)
		return CG_ELIMIT;
	begin_unit(state, job, build);
	if (!cg_read_all(in, &text) && cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	bytes = look = gcov_bytes_of(text);
	if (!gcov_take_magic(&look, &head, 0))
		return gcov_is_old(cg_in_name(in))
			   ? read_old(&state->unit, in, text, build)
			   : skip(&state->unit, &look);
	state->unit.has_data = false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].magic == head.magic)
			status = kinds[i].read(&state->unit, in, &bytes, build);
	}
	return status;
}

static const struct cg_option options[] = {
	{ .name = "object-directory",
	    .type = CG_STRING,
	    .arg = "DIR",
	    .help = "directory or archive of notes (.gcno) that are not next "
		    "to the "
		    "data",
	    .reading = true },
	{ .name = "exact-lines",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "add the counts of all functions that share a line",
	    .reading = true },
	{ .name = "only-run",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "leave out units that never ran: notes without data",
	    .reading = true },
	{ .name = "relative-to-notes",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "find relative source names from the notes' directory",
	    .reading = true },
	{ 0 },
};

const struct cg_module cg_format_gcov = {
	CG_MODULE,
	.name = "gcov",
	.title = "coverage data of gcc and clang (.gcda with .gcno)",
	.suffixes = "gcda",
	.gathers = "gcda;gcno;da;bbg",
	/* All these facts are derived from the counters. */
	.carries = CG_SELF | CG_LINES | CG_CALLS | CG_JUMPS | CG_EVENTS |
		   CG_ZEROS | CG_BRANCHES | CG_SIGNED | CG_BLOCKS |
		   CG_CONDITIONS | CG_COUNTERS | CG_FILES | CG_SYMBOLS |
		   CG_DEFINITIONS | CG_DESCRIPTIONS,
	.needs = CG_COUNTERS,
	.options = options,
	.probe = probe,
	.read = read_gcov,
	.write = gcov_write_gcda,
};
