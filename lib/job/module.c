/*
 * module.c - the formats of a job: names, options, plug-ins.
 */
#include <dlfcn.h>
#include <string.h>

#include "cgconv_expert.h"
#include "cgconv_parse.h"
#include "job/job.h"

/*
 * Plug-ins allocate these structs, or are passed them: a change of size
 * requires another CG_MODULE_ABI, by which the library refuses older plug-ins.
 */
#define SIZE(name, bytes)                                                     \
	_Static_assert(sizeof(void *) != 8 || sizeof(struct name) == (bytes), \
	    "raise CG_MODULE_ABI: the size of struct " #name " changed")
SIZE(cg_branch, 48);
SIZE(cg_call, 64);
SIZE(cg_cost, 32);
SIZE(cg_cost_lines, 32);
SIZE(cg_counts, 80);
SIZE(cg_coverage, 72);
SIZE(cg_detected, 24);
SIZE(cg_doc, 272);
SIZE(cg_event, 40);
SIZE(cg_field, 40);
SIZE(cg_function, 40);
SIZE(cg_head, 48);
SIZE(cg_hits, 16);
SIZE(cg_json, 216);
SIZE(cg_jump, 56);
SIZE(cg_label, 56);
SIZE(cg_line, 48);
SIZE(cg_line_sum, 40);
SIZE(cg_map, 8);
SIZE(cg_mapping, 72);
SIZE(cg_member, 32);
SIZE(cg_merged_condition, 24);
SIZE(cg_merged_fn, 32);
SIZE(cg_merged_frame, 16);
SIZE(cg_message, 56);
SIZE(cg_option, 56);
SIZE(cg_part_info, 32);
SIZE(cg_pos, 16);
SIZE(cg_range, 24);
SIZE(cg_region, 40);
SIZE(cg_report, 112);
SIZE(cg_sample_key, 72);
SIZE(cg_slice, 16);
SIZE(cg_stack, 40);
SIZE(cg_stack_cost, 32);
SIZE(cg_symbol, 40);
SIZE(cg_symbols, 120);

static const char *const fact_names[CG_FACT_COUNT] = { "self", "lines",
	"instrs", "calls", "inclusive", "stacks", "jumps", "parts", "events",
	"zeros", "branches", "signed", "blocks", "conditions", "counters",
	"files", "objects", "symbols", "definitions", "inlining", "samples",
	"formulas", "descriptions", "labels", "timeline", "regions" };

const char *
cg_fact_name(unsigned bit)
{
	return bit < CG_FACT_COUNT ? fact_names[bit] : NULL;
}

const struct cg_module *
cg_find_module(const struct cg_module *const *module, struct cg_slice name)
{
	for (; module && *module; module++) {
		if (cg_equal(name, (*module)->name))
			return *module;
	}
	return NULL;
}

int
cg_modules_add(struct cg_job *job, const struct cg_module *const *table)
{
	for (; table && *table; table++) {
		const struct cg_module *new = *table;

		if (new->abi != CG_MODULE_ABI || new->size != sizeof(*new))
			return cg_usage(job,
			    "module is built for another "
			    "version of this library (ABI %u, not %d)",
			    new->abi, CG_MODULE_ABI);
		/* cg_grow() adds zeros, so the list ends with NULL. */
		if (cg_find_module(job->module, cg_slice(new->name)))
			return cg_usage(
			    job, "two modules are called %s", new->name);
		if (!cg_grow(&job->module, &job->module_cap, job->modules + 2,
			sizeof(*job->module)))
			return cg_nomem(job);
		job->module[job->modules++] = new;
	}
	return CG_OK;
}

#ifdef CG_LINKED
bool
cg_has_modules(void)
{
	return false;
}

int
cg_job_load_modules(struct cg_job *job, const char *path)
{
	return cg_usage(job, "this build loads no modules: %s", path);
}
#else
bool
cg_has_modules(void)
{
	return true;
}

int
cg_job_load_modules(struct cg_job *job, const char *path)
{
	const struct cg_module *const *table;
	void *handle;

	/* Without a slash dlopen() would search the system's directories. */
	if (!strchr(path, '/'))
		return cg_usage(
		    job, "expected a path with a '/', not %s", path);
	if (!cg_grow(&job->plugin, &job->plugin_cap, job->plugins + 1,
		sizeof(*job->plugin)))
		return cg_nomem(job);
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return cg_usage(job, "cannot load module: %s", dlerror());
	job->plugin[job->plugins++] = handle;
	table = dlsym(handle, "cg_modules");
	if (!table)
		return cg_usage(job, "%s has no symbol cg_modules", path);
	return cg_modules_add(job, table);
}
#endif

/*
 * Returns the length of the longest suffix in the list ("a;b") with which path
 * ends after a dot; 0: none.
 */
static size_t
suffix_length(struct cg_slice path, const char *suffixes)
{
	struct cg_slice list = cg_slice(suffixes ? suffixes : ""), suffix;
	size_t longest = 0;

	while (cg_take_until(&list, ';', &suffix)) {
		if (suffix.len > longest && path.len > suffix.len &&
		    path.ptr[path.len - suffix.len - 1] == '.' &&
		    memcmp(path.ptr + path.len - suffix.len, suffix.ptr,
			suffix.len) == 0)
			longest = suffix.len;
	}
	return longest;
}

bool
cg_has_suffix(struct cg_slice path, const char *suffixes)
{
	return suffix_length(path, suffixes) > 0;
}

const struct cg_module *
cg_module_by_name(const struct cg_job *job, const char *path)
{
	struct cg_slice name = cg_slice(path);
	const struct cg_module *best = NULL;
	size_t length, longest = 0;

	if (cg_has_suffix(name, "gz"))
		name.len -= strlen(".gz");
	/*
	 * The longest suffix wins: one format's .b.json ends in another's
	 * .json.
	 */
	for (size_t i = 0; i < job->modules; i++) {
		if (job->module[i]->write == NULL)
			continue;
		length = suffix_length(name, job->module[i]->suffixes);
		if (length > longest) {
			longest = length;
			best = job->module[i];
		}
	}
	return best;
}

/* ---- The target ------- */

const struct cg_module *
cg_default_target(const struct cg_job *job)
{
	for (size_t i = 0; i < job->modules; i++) {
		if (job->module[i]->write)
			return job->module[i]; /* the first writer */
	}
	return NULL;
}

const struct cg_module *
cg_job_target(const struct cg_job *job)
{
	const struct cg_module *module = job->to;

	if (!module && job->output)
		module = cg_module_by_name(job, job->output);
	return module ? module : cg_default_target(job);
}

/*
 * True if an output's name is usual for the default format: it begins as that
 * format's own names do ("callgrind.out"), ends in ".123" (a process id), or
 * has no suffix.
 */
static bool
is_default_name(const struct cg_module *module, struct cg_slice path)
{
	struct cg_slice name = cg_base_name(path);
	const char *usual = module->naming ? module->naming : "{";
	size_t at = name.len, len = strcspn(usual, "{");

	/* "callgrind.out.{stem}" matches without the dot, too. */
	if (len > 1 && name.len >= len - 1 &&
	    memcmp(name.ptr, usual, len - 1) == 0)
		return true;
	while (at > 0 && name.ptr[at - 1] >= '0' && name.ptr[at - 1] <= '9')
		at--; /* a process id */
	if (at > 0 && at < name.len && name.ptr[at - 1] == '.')
		return true;
	return !memchr(name.ptr, '.', name.len) ||
	       (name.ptr[0] == '.' && !memchr(name.ptr + 1, '.', name.len - 1));
}

/*
 * Prints a note if an output's name, such as callgrind.out.pprof, is
 * ambiguous: its suffix selects a format, but it is also a usual name of the
 * default format. The note says how to choose the default format.
 */
static void
note_ambiguous(struct cg_job *job, struct cg_slice path)
{
	struct cg_slice name = cg_base_name(path);
	const struct cg_module *usual = cg_default_target(job);
	const struct cg_module *to = cg_job_target(job);
	size_t len = usual->naming ? strcspn(usual->naming, "{") : 0;

	if (to == usual || len == 0 || name.len <= len ||
	    memcmp(name.ptr, usual->naming, len) != 0 ||
	    memchr(name.ptr + len, '.', name.len - len))
		return;
	cg_note(job,
	    "%.*s is written as %s because of its suffix; use {to} %s "
	    "otherwise",
	    (int)name.len, name.ptr, to->name, usual->name);
}

/*
 * Returns the usual suffix of a format: its name if that is one of its
 * suffixes, else its first suffix.
 */
static struct cg_slice
usual_suffix(const struct cg_module *module)
{
	struct cg_slice list = cg_slice(module->suffixes), suffix,
			first = { 0 };

	while (cg_take_until(&list, ';', &suffix)) {
		if (cg_equal(suffix, module->name))
			return suffix;
		if (!first.ptr)
			first = suffix;
	}
	return first;
}

/*
 * Reports that the suffix of the output's path is not known, and returns
 * CG_EUSAGE. If the suffix is part of one format's suffix or name, the message
 * suggests a path: x.firefox.json for x.firefox. If it is part of several, the
 * message lists these formats. "name" is path without a suffix of compression.
 */
static int
refuse_output(struct cg_job *job, const char *path, struct cg_slice name)
{
	struct cg_slice word = cg_base_name(name), stem = name;
	char list[CG_MEANT_ROOM];
	struct cg_meant meant;
	struct cg_slice suffix;

	while (cg_take_until(&word, '.', &stem) && word.len > 0 &&
	       memchr(word.ptr, '.', word.len))
		continue;
	cg_find_meant(job, word, CG_MEANT_WRITE, &meant);
	if (meant.count == 0)
		return cg_usage(job,
		    "cannot tell the output format from '%s'; use {to}", path);
	if (meant.count > 1)
		return cg_usage(job,
		    "cannot tell the output format from '%s'; use {to} with %s",
		    path, cg_list_meant(&meant, list));
	suffix = usual_suffix(meant.module[0]);
	return cg_usage(job,
	    "cannot tell the output format from '%s': did you mean "
	    "%.*s%.*s%s? Or use {to}",
	    path, (int)(name.len - word.len), name.ptr, (int)suffix.len,
	    suffix.ptr, path + name.len);
}

int
cg_check_output(struct cg_job *job, const char *path)
{
	const struct cg_module *to = cg_job_target(job);
	struct cg_slice name = cg_slice(path);

	if (cg_has_suffix(name, "gz"))
		name.len -= strlen(".gz");
	if (job->to || !to || strcmp(path, "-") == 0 || name.len == 0)
		return CG_OK;
	if (cg_module_by_name(job, path)) {
		note_ambiguous(job, name);
		return CG_OK;
	}
	if (is_default_name(to, name))
		return CG_OK;
	return refuse_output(job, path, name);
}

const struct cg_option *
cg_module_option(const struct cg_module *module, const char *name)
{
	const struct cg_option *option = module ? module->options : NULL;

	for (; option && option->name; option++) {
		if (strcmp(option->name, name) == 0)
			return option;
	}
	return NULL;
}

const struct cg_option *
cg_find_option(const struct cg_job *job, const char *name)
{
	const struct cg_option *option;

	for (size_t i = 0; i < job->modules; i++) {
		option = cg_module_option(job->module[i], name);
		if (option)
			return option;
	}
	return NULL;
}

const char *
cg_version(void)
{
	return CG_VERSION;
}
