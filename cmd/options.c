/*
 * options.c - the table of the program's own options.
 */
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/*
 * Sets *to to the value of the option -letter. Fails if the option was given
 * before, or if the value is empty, which often is an unset shell variable.
 * Returns the status.
 */
static int
set_once(struct args *args, const char **to, const char *value, char letter)
{
	if (*value == '\0')
		return cg_usage(args->job, "-%c needs a value, not ''", letter);
	if (*to != NULL)
		return cg_usage(args->job, "-%c is given twice: '%s' and '%s'",
		    letter, *to, value);
	*to = value;
	return CG_OK;
}

static int
set_from(struct args *args, const char *value)
{
	return set_once(args, &args->from, value, 'f');
}

static int
set_to(struct args *args, const char *value)
{
	return set_once(args, &args->to, value, 't');
}

static int
set_output(struct args *args, const char *value)
{
	return set_once(args, &args->output, value, 'o');
}

static int
add_exe(struct args *args, const char *value)
{
	return cg_job_add_object(args->job, value);
}

static int
load_module(struct args *args, const char *value)
{
	return cg_job_load_modules(args->job, value);
}

static int
set_gzip(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_gzip(args->job, true);
	args->gzip = true;
	return CG_OK;
}

static int
set_no_demangle(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_demangle(args->job, false);
	return CG_OK;
}

static int
set_parts(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_parts(args->job, true);
	return CG_OK;
}

static int
map_path(struct args *args, const char *value)
{
	const char *equals = strrchr(value, '=');
	char *old;
	int status;

	if (equals == NULL)
		return cg_usage(
		    args->job, "--map: expected OLD=NEW, not '%s'", value);
	old = strndup(value, (size_t)(equals - value));
	if (old == NULL)
		return cg_nomem(args->job);
	status = cg_job_map_path(args->job, old, equals + 1);
	free(old);
	return status;
}

static int
strip_prefix(struct args *args, const char *value)
{
	return cg_job_map_path(args->job, value, "");
}

static int
include(struct args *args, const char *value)
{
	args->selects_files = true;
	return cg_job_include(args->job, value);
}

static int
exclude(struct args *args, const char *value)
{
	args->selects_files = true;
	return cg_job_exclude(args->job, value);
}

static int
add_root(struct args *args, const char *value)
{
	args->root = value;
	args->roots++;
	args->selects_files = true;
	return cg_job_include_directory(args->job, value);
}

static int
set_no_external(struct args *args, const char *value)
{
	(void)value;
	return add_root(args, ".");
}

static int
drop_branches(struct args *args, const char *value)
{
	(void)value;
	cg_job_drop_branches(args->job, false);
	return CG_OK;
}

static int
drop_throws(struct args *args, const char *value)
{
	(void)value;
	cg_job_drop_branches(args->job, true);
	return CG_OK;
}

static int
set_part_by(struct args *args, const char *value)
{
	args->part_by = true;
	return cg_job_set_part_by(args->job, value);
}

static int
set_between(struct args *args, const char *value)
{
	return cg_job_set_between(args->job, value);
}

static int
add_root_by(struct args *args, const char *value)
{
	return cg_job_add_root_by(args->job, value);
}

static int
set_no_root_by(struct args *args, const char *value)
{
	(void)value;
	return cg_job_add_root_by(args->job, "none");
}

static int
set_strict(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_strict(args->job, true);
	return CG_OK;
}

static int
set_clamp(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_clamp(args->job, true);
	return CG_OK;
}

static int
set_guess(struct args *args, const char *value)
{
	(void)value;
	cg_job_set_guess(args->job, true);
	return CG_OK;
}

static int
set_verbose(struct args *args, const char *value)
{
	(void)value;
	args->verbose = true;
	cg_job_set_verbose(args->job, true);
	return CG_OK;
}

/* ---- Batches ------------------------------------------------------------ */

static int
set_number(struct args *args, const char *name, const char *text, uint64_t most,
    uint64_t *to)
{
	if (cg_get_u64(cg_slice(text), to) && *to > 0 && *to <= most)
		return CG_OK;
	return cg_usage(args->job,
	    "--%s: expected a number from 1 to %" PRIu64 ", not '%s'", name,
	    most, text);
}

static int
set_directory(struct args *args, const char *value)
{
	return set_once(args, &args->directory, value, 'O');
}

static int
set_name(struct args *args, const char *value)
{
	const char *wrong = find_bad_placeholder(value);

	args->name = value;
	if (wrong != NULL)
		return cg_usage(args->job, "--name: expected %s, not '%.*s'",
		    "{dir}, {base}, {stem} or {group}",
		    (int)(strcspn(wrong, "}") + 1), wrong);
	if (*value != '\0' && *value != '/' && strstr(value, "..") == NULL)
		return CG_OK;
	return cg_usage(args->job,
	    "--name: expected a path below the output directory, not '%s'",
	    value);
}

static int
set_jobs(struct args *args, const char *value)
{
	uint64_t jobs;
	int status = set_number(args, "jobs", value, JOBS_MAX, &jobs);

	args->jobs = (size_t)jobs;
	return status;
}

static int
set_shard(struct args *args, const char *value)
{
	struct cg_slice text = cg_slice(value);

	if (cg_take_u64(&text, &args->shard) && cg_take_char(&text, '/') &&
	    cg_take_u64(&text, &args->shards) && text.len == 0 &&
	    args->shard > 0 && args->shard <= args->shards &&
	    args->shards <= CG_SHARD_MAX)
		return CG_OK;
	return cg_usage(args->job,
	    "--shard: expected I/N, with I from 1 to N, and N up to %d, not "
	    "'%s'",
	    CG_SHARD_MAX, value);
}

static int
set_partial(struct args *args, const char *value)
{
	(void)value;
	args->partial = true;
	cg_job_set_partial(args->job, true);
	return CG_OK;
}

static int
set_timeout(struct args *args, const char *value)
{
	uint64_t seconds;
	int status = set_number(args, "timeout", value, INT_MAX, &seconds);

	args->timeout = (unsigned)seconds;
	return status;
}

static int
set_memory(struct args *args, const char *value)
{
	int status;

	if (strcmp(value, "0") == 0) {
		args->max_memory = UINT64_MAX;
		return CG_OK;
	}
	status = set_number(
	    args, "max-memory", value, UINT64_MAX >> 20, &args->max_memory);
	args->max_memory <<= 20;
	return status;
}

static int
set_retry(struct args *args, const char *value)
{
	(void)value;
	args->retry = args->resume = true;
	return CG_OK;
}

#define FIELD(name) .field = offsetof(struct args, name)

/* In the order of the help. */
const struct cmd_option own_options[] = {
	{ 'f', "from", "FORMAT", "input format [default: detected]",
	    .set = set_from, .group = "Conversion", .common = true },
	{ 't', "to", "FORMAT",
	    "output format [default: by the suffix of -o, or", .set = set_to,
	    .target = true, .common = true },
	{ 'o', "output", "FILE", "write to FILE; compressed if it ends in .gz",
	    .set = set_output, .unrecorded = true, .common = true },
	{ 0, "open", NULL, "then open FILE in the viewer for its kind",
	    FIELD(open), .unrecorded = true, .common = true },
	{ 0, "exe", "FILE", "read symbols and lines from FILE; repeatable",
	    .set = add_exe, .common = true },
	{ 0, "gzip", NULL, "compress the output", .set = set_gzip },
	{ 0, "strict", NULL, "fail if the target cannot represent everything",
	    .set = set_strict },
	{ 0, "clamp", NULL, "write negative costs as 0 if the target has none",
	    .set = set_clamp },
	{ 0, "guess-stacks", NULL, "estimate call stacks from calls",
	    .set = set_guess },
	{ 0, "parts", NULL, "keep inputs apart as parts, do not merge them",
	    .set = set_parts, .group = "Parts" },
	{ 0, "part-by", "KEY",
	    "split samples by pid, tid, comm, cpu, label:NAME",
	    .set = set_part_by, .common = true },
	{ 0, "root-by", "KEY",
	    "frame below stacks: comm, pid, tid, cpu, part, label:NAME",
	    .set = add_root_by },
	{ 0, "no-root-by", NULL, "no such frame where it is the default",
	    .set = set_no_root_by },
	{ 0, "between", "FROM,TO",
	    "only what was between two times: 1.5,3 or 10%,20%",
	    .set = set_between },
	{ 0, "label", "KEY=RE", "only samples with such a label",
	    .filter = true },
	{ 0, "no-label", "KEY=RE", "drop samples with such a label",
	    .filter = true },
	{ 0, "focus", "REGEX", "only stacks with a function, file or object",
	    .filter = true, .group = "Functions", .common = true },
	{ 0, "ignore", "REGEX", "drop stacks with such a frame",
	    .filter = true },
	{ 0, "hide", "REGEX", "drop such frames, keep their costs in callers",
	    .filter = true },
	{ 0, "show", "REGEX", "drop all other frames", .filter = true },
	{ 0, "show-from", "REGEX", "drop the callers of the outermost match",
	    .filter = true },
	{ 0, "prune-from", "REGEX", "drop what the innermost match calls",
	    .filter = true },
	{ 0, "only-object", "REGEX", "drop frames of other objects",
	    .filter = true },
	{ 0, "collapse-object", "REGEX", "make one function of an object",
	    .filter = true },
	{ 0, "granularity", "WHAT",
	    "merge to function, file, object, line or class", .filter = true },
	{ 0, "trim-recursion", NULL, "f;f;f becomes f", .filter = true },
	{ 0, "no-demangle", NULL, "keep mangled names of functions",
	    .set = set_no_demangle },
	{ 0, "strip-prefix", "DIR", "remove DIR from paths of source files",
	    .set = strip_prefix, .group = "Sources" },
	{ 0, "map", "OLD=NEW", "replace directory OLD of source files by NEW",
	    .set = map_path },
	{ 0, "include", "PATTERN", "keep only costs in matching source files",
	    .set = include },
	{ 0, "exclude", "PATTERN", "drop costs in matching source files",
	    .set = exclude },
	{ 0, "root", "DIR", "drop costs in source files outside of DIR",
	    .set = add_root },
	{ 0, "no-external", NULL, "the same, outside of the current directory",
	    .set = set_no_external },
	{ 0, "like", "TOOL",
	    "count as lcov, gcovr, gcov, grcov or llvm-cov does", FIELD(like) },
	{ 0, "branches", NULL, "with --like: keep branches, if it drops them",
	    FIELD(branches) },
	{ 0, "no-branches", NULL, "drop branches from coverage",
	    .set = drop_branches },
	{ 0, "no-throw-branches", NULL, "drop exception branches from coverage",
	    .set = drop_throws },
	{ 'O', "output-dir", "DIR", "convert each input to a file in DIR",
	    .set = set_directory, .unrecorded = true, .group = "Batches",
	    .common = true },
	{ 'r', "recursive", NULL, "read all files in directories, at any depth",
	    FIELD(recursive), .unrecorded = true },
	{ 0, "files-from", "FILE", "read names of inputs from FILE, or from -",
	    FIELD(list), .unrecorded = true },
	{ '0', "null", NULL, "names of --files-from end in NUL, not newline",
	    FIELD(nul), .unrecorded = true },
	{ 0, "name", "TEMPLATE", "output names, from {dir}, {base}, {stem}",
	    .set = set_name },
	{ 0, "group-by", "KEY",
	    "merge inputs of one directory (dir), or match of a regex",
	    FIELD(group_by) },
	{ 'j', "jobs", "N", "use N CPUs: threads or workers [default: all]",
	    .set = set_jobs, .unrecorded = true },
	{ 0, "shard", "I/N", "convert shard I of N of the inputs only",
	    .set = set_shard, .unrecorded = true },
	{ 0, "partial", NULL, "merge shards even if some are missing",
	    .set = set_partial },
	{ 0, "timeout", "SECONDS",
	    "stop the conversion of an input after SECONDS", .set = set_timeout,
	    .unrecorded = true },
	{ 0, "max-memory", "MIB",
	    "stop it if it needs more memory; 0: no limit", .set = set_memory,
	    .unrecorded = true },
	{ 0, "force", NULL, "convert even if the output is newer",
	    FIELD(overwrite), .unrecorded = true },
	{ 0, "fail-fast", NULL, "stop after the first failure",
	    FIELD(fail_fast), .unrecorded = true },
	{ 0, "dry-run", NULL, "only show what would be done", FIELD(dry_run),
	    .unrecorded = true },
	{ 0, "manifest", "FILE", "log the result of each input to FILE",
	    FIELD(manifest), .unrecorded = true },
	{ 0, "resume", NULL, "continue the batch of the manifest",
	    FIELD(resume), .unrecorded = true },
	{ 0, "retry-failed", NULL, "like --resume, and retry failed inputs",
	    .set = set_retry, .unrecorded = true },
	{ 0, "info", NULL, "print a summary of the inputs", .command = CMD_INFO,
	    .group = "Other tasks", .common = true },
	{ 0, "summary", NULL, "print how much of the source was covered",
	    .command = CMD_SUMMARY, .common = true },
	{ 0, "fail-under", "LIMITS",
	    "with --summary: exit status 7 below lines=80,branches=70",
	    FIELD(fail_under) },
	{ 0, "markdown", NULL,
	    "with --summary, --diff: tables for a pull request",
	    FIELD(markdown) },
	{ 0, "badge", NULL, "with --summary: an image of the percentage",
	    FIELD(badge) },
	{ 0, "per-test", NULL, "with --summary: also what each test covers",
	    FIELD(per_test) },
	{ 0, "diff", NULL,
	    "show what changed: A B, or several runs: A... -- B...",
	    .command = CMD_DIFF, .common = true },
	{ 0, "series", NULL,
	    "show many runs in their order, and where levels change",
	    .command = CMD_SERIES },
	{ 0, "order", "ORDER",
	    "with --series: name, time or given [default: name]",
	    FIELD(order) },
	{ 0, "fail-over", "LIMITS",
	    "with --diff: exit status 7 above total=3%,function=10%",
	    FIELD(fail_over) },
	{ 0, "error-rate", "SHARE",
	    "with --diff, --series: how often noise may count [default: 1%]",
	    FIELD(error_rate) },
	{ 0, "side-by-side", NULL,
	    "with --diff: write both costs instead of the difference",
	    FIELD(side_by_side) },
	{ 0, "normalize", NULL,
	    "with --diff: scale the first to the total of the second",
	    FIELD(normalize) },
	{ 0, "event", "NAME",
	    "with --info, --diff, --series, --summary: the event", FIELD(event) },
	{ 0, "top", "N",
	    "with the same: how many lines [default: 10]",
	    FIELD(top) },
	{ 0, "tree", "SHARE",
	    "with --info: call tree of frames from SHARE on, such as 1%",
	    FIELD(tree) },
	{ 0, "detect", NULL, "print each input's format, one line per input",
	    .command = CMD_DETECT },
	{ 0, "verify", NULL, "compare two profiles and report differences",
	    .command = CMD_VERIFY },
	{ 0, "json", NULL, "with the same, and --verify: JSON",
	    FIELD(json) },
	{ 0, "merge-manifests", NULL,
	    "merge shard manifests and check for completeness",
	    .command = CMD_MERGE_MANIFESTS },
	{ 0, "list-formats", NULL, "list formats and what each can represent",
	    .command = CMD_LIST_FORMATS },
	{ 'h', "help", NULL,
	    "show the common options; --help options, FORMAT, all",
	    .command = CMD_HELP },
	{ 'V', "version", NULL, "show the version", .command = CMD_VERSION },
	{ 0, "module", "FILE.so",
	    "load more formats; put it before their options",
	    .set = load_module, .group = "In general" },
	{ 0, "no-sandbox", NULL, "allow access to other files than named",
	    FIELD(no_sandbox), .unrecorded = true },
	{ 'q', "quiet", NULL, "print no warnings and notes", FIELD(quiet),
	    .unrecorded = true },
	{ 'v', "verbose", NULL, "print more messages", .set = set_verbose,
	    .unrecorded = true },
	{ 0 },
};
