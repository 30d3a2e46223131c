/*
 * options.c - the program's own options, and what each sets.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/*
 * What is said twice is a slip: the first would be lost without a word. So is
 * no name, as of a variable that is not set: of a folder it would mean "/".
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
		    args->job, "--map expected OLD=NEW, not '%s'", value);
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
	return cg_job_include(args->job, value);
}

static int
exclude(struct args *args, const char *value)
{
	return cg_job_exclude(args->job, value);
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
set_json(struct args *args, const char *value)
{
	(void)value;
	args->json = true;
	return CG_OK;
}

static int
set_beside(struct args *args, const char *value)
{
	(void)value;
	args->beside = true;
	return CG_OK;
}

static int
set_normalize(struct args *args, const char *value)
{
	(void)value;
	args->normalize = true;
	return CG_OK;
}

static int
set_quiet(struct args *args, const char *value)
{
	(void)value;
	args->quiet = true;
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

static int
set_event(struct args *args, const char *value)
{
	args->event = value;
	return CG_OK;
}

static int
set_top(struct args *args, const char *value)
{
	args->top = value;
	return CG_OK;
}

/* ---- Of a batch ---------------------------------------------------------- */

static int
set_number(struct args *args, const char *name, const char *text, uint64_t most,
    uint64_t *to)
{
	if (cg_get_u64(cg_slice(text), to) && *to > 0 && *to <= most)
		return CG_OK;
	return cg_usage(args->job,
	    "--%s expected a number from 1 to %" PRIu64 ", not '%s'", name,
	    most, text);
}

static int
set_folder(struct args *args, const char *value)
{
	return set_once(args, &args->folder, value, 'O');
}

static int
set_recursive(struct args *args, const char *value)
{
	(void)value;
	args->recursive = true;
	return CG_OK;
}

static int
set_list(struct args *args, const char *value)
{
	args->list = value;
	return CG_OK;
}

static int
set_nul(struct args *args, const char *value)
{
	(void)value;
	args->nul = true;
	return CG_OK;
}

static int
set_name(struct args *args, const char *value)
{
	args->name = value;
	if (*value != '\0' && *value != '/' && strstr(value, "..") == NULL)
		return CG_OK;
	return cg_usage(args->job,
	    "--name expected a name, or a path below the folder of outputs");
}

static int
set_group_by(struct args *args, const char *value)
{
	args->group_by = value;
	return CG_OK;
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
	    "--shard expected I/N, with I from 1 to N, and N up to %d, not "
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
	int status = set_number(
	    args, "max-memory", value, UINT64_MAX >> 20, &args->max_memory);

	args->max_memory <<= 20;
	return status;
}

static int
set_overwrite(struct args *args, const char *value)
{
	(void)value;
	args->overwrite = true;
	return CG_OK;
}

static int
set_fail_fast(struct args *args, const char *value)
{
	(void)value;
	args->fail_fast = true;
	return CG_OK;
}

static int
set_dry_run(struct args *args, const char *value)
{
	(void)value;
	args->dry_run = true;
	return CG_OK;
}

static int
set_manifest(struct args *args, const char *value)
{
	args->manifest = value;
	return CG_OK;
}

static int
set_resume(struct args *args, const char *value)
{
	(void)value;
	args->resume = true;
	return CG_OK;
}

static int
set_retry(struct args *args, const char *value)
{
	(void)value;
	args->retry = args->resume = true;
	return CG_OK;
}

/* In the order of the help. */
const struct option own_options[] = {
	{ 'f', "from", "FORMAT", "format of the inputs; else found by content",
	    .set = set_from, .group = "Conversion" },
	{ 't', "to", "FORMAT",
	    "format to write; else by the suffix of -o, else", .set = set_to,
	    .target = true },
	{ 'o', "output", "FILE", "write to FILE; FILE.gz is packed",
	    .set = set_output, .aside = true },
	{ 0, "exe", "FILE", "take symbols and lines from FILE; may be repeated",
	    .set = add_exe },
	{ 0, "gzip", NULL, "pack the output", .set = set_gzip },
	{ 0, "strict", NULL, "fail if the target cannot hold everything",
	    .set = set_strict },
	{ 0, "clamp", NULL, "write costs below 0 as 0 where there is no place",
	    .set = set_clamp },
	{ 0, "guess-stacks", NULL, "estimate call stacks from calls",
	    .set = set_guess },
	{ 0, "parts", NULL, "keep inputs apart as parts instead of adding up",
	    .set = set_parts, .group = "Parts" },
	{ 0, "part-by", "KEY",
	    "samples become parts by pid, tid, comm or label:NAME",
	    .set = set_part_by },
	{ 0, "strip-prefix", "DIR", "take DIR off the paths of source files",
	    .set = strip_prefix, .group = "Sources" },
	{ 0, "map", "OLD=NEW", "source files of folder OLD are in folder NEW",
	    .set = map_path },
	{ 0, "include", "PATTERN", "keep only costs in source files that fit",
	    .set = include },
	{ 0, "exclude", "PATTERN", "leave out costs in source files that fit",
	    .set = exclude },
	{ 0, "no-branches", NULL, "leave decisions out of coverage",
	    .set = drop_branches },
	{ 0, "no-throw-branches", NULL,
	    "leave ways of exceptions out of coverage", .set = drop_throws },
	{ 'O', "output-dir", "DIR", "convert each input by itself, into DIR",
	    .set = set_folder, .aside = true, .group = "Batches" },
	{ 'r', "recursive", NULL, "all files in folders, at any depth",
	    .set = set_recursive, .aside = true },
	{ 0, "files-from", "FILE", "inputs are listed in FILE, or -",
	    .set = set_list, .aside = true },
	{ '0', "null", NULL, "NUL ends a name of the list, not newline",
	    .set = set_nul, .aside = true },
	{ 0, "name", "TEMPLATE", "name outputs so: {dir}, {base}, {stem}",
	    .set = set_name },
	{ 0, "group-by", "KEY",
	    "one output for each folder (dir), or match of a regex",
	    .set = set_group_by },
	{ 'j', "jobs", "N", "N at once; else as many as cores", .set = set_jobs,
	    .aside = true },
	{ 0, "shard", "I/N", "only share I of N of the inputs, by their paths",
	    .set = set_shard, .aside = true },
	{ 0, "partial", NULL, "add up shares even if some are missing",
	    .set = set_partial },
	{ 0, "timeout", "SECONDS", "give up an input after SECONDS",
	    .set = set_timeout, .aside = true },
	{ 0, "max-memory", "MIB", "give up an input that needs more",
	    .set = set_memory, .aside = true },
	{ 0, "force", NULL, "convert even if the output is newer",
	    .set = set_overwrite, .aside = true },
	{ 0, "fail-fast", NULL, "stop after the first failure",
	    .set = set_fail_fast, .aside = true },
	{ 0, "dry-run", NULL, "only show what would be done",
	    .set = set_dry_run, .aside = true },
	{ 0, "manifest", "FILE", "tell in FILE what became of each input",
	    .set = set_manifest, .aside = true },
	{ 0, "resume", NULL, "go on where the manifest ends", .set = set_resume,
	    .aside = true },
	{ 0, "retry-failed", NULL, "the same, and failures once more",
	    .set = set_retry, .aside = true },
	{ 0, "info", NULL, "show what is in the inputs, for people",
	    .action = show_info, .group = "Other tasks" },
	{ 0, "diff", NULL, "what costs more in the second profile, what less?",
	    .action = diff },
	{ 0, "side-by-side", NULL, "of --diff: write both, not the difference",
	    .set = set_beside },
	{ 0, "normalize", NULL,
	    "of --diff: scale the first to the second's sum",
	    .set = set_normalize },
	{ 0, "event", "NAME", "of --info, --diff: rank functions by this event",
	    .set = set_event },
	{ 0, "top", "N", "of --info, --diff: show N functions, not 10",
	    .set = set_top },
	{ 0, "detect", NULL, "tell each input's format, a line for scripts",
	    .action = detect },
	{ 0, "verify", NULL, "does the second profile say what the first does?",
	    .action = verify },
	{ 0, "json", NULL, "with --info, --diff, --verify: print JSON",
	    .set = set_json },
	{ 0, "merge-manifests", NULL,
	    "add up the books of all shares: is every input done?",
	    .action = merge_manifests },
	{ 0, "list-formats", NULL, "list formats and what each can carry",
	    .action = list_formats },
	{ 'h', "help", NULL,
	    "show this; --help FORMAT: its options; --help all",
	    .action = show_help },
	{ 0, "version", NULL, "show the version", .action = show_version },
	{ 0, "module", "FILE.so", "load more formats; before their options",
	    .set = load_module, .group = "In general" },
	{ 'q', "quiet", NULL, "no warnings and notes", .set = set_quiet,
	    .aside = true },
	{ 'v', "verbose", NULL, "say more", .set = set_verbose, .aside = true },
	{ 0 },
};
