/*
 * names.c - derives the paths of outputs in a batch from those of inputs.
 *
 * An output has the path, below the output directory, at which tar would
 * extract its input; the template of --name gives its base name.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "batch.h"

/* Escapes control characters and the component ".." as in URLs: "%0a". */
static void
put_component(FILE *to, const char *name, size_t length)
{
	bool dots = length == 2 && name[0] == '.' && name[1] == '.';

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)name[i];

		if (dots || c < 0x20 || c == 0x7f)
			fprintf(to, "%%%02x", c);
		else
			putc(c, to);
	}
}

char *
safe_path(const char *name)
{
	char *text = NULL;
	size_t size, length;
	FILE *to = open_memstream(&text, &size);
	const char *before = "";

	if (to == NULL)
		return NULL;
	for (; *name != '\0'; name += length + (name[length] == '/')) {
		length = strcspn(name, "/");
		if (length == 0 || (length == 1 && name[0] == '.'))
			continue;
		fputs(before, to);
		put_component(to, name, length);
		before = "/";
	}
	(void)close_text(to, &text);
	return text;
}

size_t
find_suffix(const char *name, const char *suffixes, size_t *length)
{
	size_t have = strlen(name), n;

	for (size_t i = 1; suffixes != NULL && *suffixes != '\0'; i++) {
		n = strcspn(suffixes, ";");
		if (have > n + 1 && name[have - n - 1] == '.' &&
		    strncmp(name + have - n, suffixes, n) == 0) {
			*length = n + 1;
			return i;
		}
		suffixes += n + (suffixes[n] == ';');
	}
	return 0;
}

/*
 * Removes suffixes of compression from base; returns its length without the
 * longest suffix of a format.
 */
static size_t
stem_length(const struct cg_job *job, char *base)
{
	const struct cg_module *module;
	size_t n = 0, longest = 0;

	while (find_suffix(base, "gz;" CG_COMPRESSED_SUFFIXES, &n))
		base[strlen(base) - n] = '\0';
	for (size_t i = 0; (module = cg_job_module(job, i)) != NULL; i++) {
		if (find_suffix(base, module->suffixes, &n) && n > longest)
			longest = n;
		if (find_suffix(base, module->gathers, &n) && n > longest)
			longest = n;
	}
	return strlen(base) - longest;
}

/* Values of the placeholders {dir}, {base}, {stem}. */
struct parts {
	struct cg_slice dir, base, stem;
};

static const struct {
	const char *name;
	size_t value; /* offset in struct parts */
} placeholders[] = {
	{ "{dir}", offsetof(struct parts, dir) },
	{ "{base}", offsetof(struct parts, base) },
	{ "{stem}", offsetof(struct parts, stem) },
	{ "{group}", offsetof(struct parts, base) },
};

#define PLACEHOLDERS (sizeof(placeholders) / sizeof(placeholders[0]))

/* The number of the one that begins here, PLACEHOLDERS if none does. */
static size_t
find_placeholder(const char *template)
{
	size_t i = 0;

	while (i < PLACEHOLDERS &&
	       !cg_starts(cg_slice(template), placeholders[i].name))
		i++;
	return i;
}

const char *
find_bad_placeholder(const char *template)
{
	while ((template = strchr(template, '{')) != NULL) {
		if (find_placeholder(template) == PLACEHOLDERS)
			return template;
		template ++;
	}
	return NULL;
}

/* Expands a placeholder; returns what follows it, NULL if there is none. */
static const char *
put_placeholder(FILE *to, const char *template, const struct parts *parts)
{
	size_t i = find_placeholder(template);
	const struct cg_slice *text;

	if (i == PLACEHOLDERS)
		return NULL;
	text = (const struct cg_slice *)((const char *)parts +
					 placeholders[i].value);
	fwrite(text->ptr, 1, text->len, to);
	return template + strlen(placeholders[i].name);
}

static void
put_template(FILE *to, const char *template, struct parts parts)
{
	const char *first = strstr(template, "{stem}"), *after;
	size_t n = first != NULL ? (size_t)(first - template) : 0;

	/* "callgrind.out.{stem}" does not repeat a prefix that stem has. */
	if (n > 0 && parts.stem.len > n &&
	    strncmp(parts.stem.ptr, template, n) == 0) {
		parts.stem.ptr += n;
		parts.stem.len -= n;
	}
	while (*template != '\0') {
		after = put_placeholder(to, template, &parts);
		if (after == NULL)
			putc(*template, to);
		template = after != NULL ? after : template + 1;
	}
}

/* True if the template gives the directory as well. */
static bool
has_directory(const char *template)
{
	return strchr(template, '/') != NULL || strstr(template, "{dir}");
}

static void
put_output(FILE *file, const struct args *args, struct parts parts)
{
	const struct cg_module *to = cg_job_target(args->job);
	const char *template = args->name != NULL ? args->name : to->naming;

	if (template == NULL || !has_directory(template)) {
		fwrite(parts.dir.ptr, 1, parts.dir.len, file);
		putc('/', file);
	}
	if (template != NULL)
		put_template(file, template, parts);
	else
		fprintf(file, "%.*s.%.*s", (int)parts.stem.len, parts.stem.ptr,
		    (int)strcspn(to->suffixes, ";"), to->suffixes);
	if (args->gzip)
		fputs(".gz", file);
}

char *
output_name(const struct batch *batch, const char *name)
{
	const struct args *args = batch->args;
	char *path = safe_path(name), *stem = NULL, *text = NULL, *safe = NULL;
	struct parts parts = { 0 };
	const char *slash;
	FILE *file = NULL;
	size_t size;

	if (path != NULL) {
		slash = strrchr(path, '/');
		parts.base = cg_slice(slash != NULL ? slash + 1 : path);
		parts.dir = (struct cg_slice){ path,
			slash != NULL ? (size_t)(slash - path) : 0 };
		stem = strdup(parts.base.ptr);
		file = open_memstream(&text, &size);
	}
	if (stem != NULL && file != NULL) {
		parts.stem.ptr = stem;
		parts.stem.len = stem_length(args->job, stem);
		put_output(file, args, parts);
	}
	if (close_text(file, &text) && stem != NULL)
		safe = safe_path(text);
	free(text);
	free(stem);
	free(path);
	return safe;
}

bool
looks_like_archive(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	return strstr(slash != NULL ? slash : path, ".tar.") != NULL ||
	       find_suffix(path, "tar;tgz;tbz;tbz2;txz;tzst;zip", &n) != 0;
}

size_t
gathered_rank(const struct cg_job *job, const char *name, size_t *stem)
{
	const struct cg_module *module;
	size_t rank, n;

	for (size_t i = 0; (module = cg_job_module(job, i)) != NULL; i++) {
		rank = find_suffix(name, module->gathers, &n);
		if (rank == 0)
			continue;
		*stem = strlen(name) - n;
		return rank;
	}
	return 0;
}

bool
is_gathered(const struct batch *batch, const struct task *task)
{
	size_t stem;

	return gathered_rank(batch->args->job, task_path(task), &stem) > 0;
}

/* ---- Paths of tasks and outputs ----------------------------------------- */

char *
join_path(const char *directory, const char *name)
{
	size_t n = strlen(directory), size = n + strlen(name) + 2;
	char *path = malloc(size);

	while (n > 1 && directory[n - 1] == '/')
		n--;
	if (path != NULL)
		snprintf(path, size, "%.*s%s%s", (int)n, directory,
		    n == 1 && directory[0] == '/' ? "" : "/", name);
	return path;
}

const char *
task_path(const struct task *task)
{
	return task->member != NULL ? task->member : task->path;
}

char *
task_name(const struct task *task)
{
	return task->member != NULL ? join_path(task->path, task->member)
				    : strdup(task->path);
}

const char *
task_output(const struct batch *batch, const struct task *task)
{
	return task->group > 0 ? batch->group[task->group - 1].output
			       : task->output;
}

char *
output_path(const struct batch *batch, const char *output)
{
	return batch->args->directory != NULL
		   ? join_path(batch->args->directory, output)
		   : strdup(output);
}

/* ---- Set of claimed output names ---------------------------------------- */

static size_t
hash(const char *text)
{
	size_t h = 5381;

	for (; *text != '\0'; text++)
		h = h * 33 ^ (unsigned char)*text;
	return (size_t)(h * 0x9e3779b97f4a7c15u >> 7);
}

/* The slot of the name, or the free one for it; the table is never full. */
static struct name *
find_slot(const struct names *names, const char *name)
{
	size_t i = hash(name) & (names->slots - 1);

	while (names->slot[i].text != NULL &&
	       strcmp(names->slot[i].text, name) != 0)
		i = (i + 1) & (names->slots - 1);
	return &names->slot[i];
}

static bool
grow_names(struct names *names)
{
	struct names more = { .slots =
				  names->slots > 0 ? names->slots * 2 : 1024,
		.count = names->count };

	if (names->count * 2 < names->slots)
		return true;
	more.slot = calloc(more.slots, sizeof(*more.slot));
	if (more.slot == NULL)
		return false;
	for (size_t i = 0; i < names->slots; i++)
		if (names->slot[i].text != NULL)
			*find_slot(&more, names->slot[i].text) = names->slot[i];
	free(names->slot);
	*names = more;
	return true;
}

char *
claim_output(struct batch *batch, char *name)
{
	struct name *slot, *first;
	char *output;
	size_t size;

	if (name == NULL || !grow_names(&batch->outputs)) {
		free(name);
		return NULL;
	}
	size = strlen(name) + CG_NUMBER_MAX + 2;
	output = malloc(size);
	slot = first = find_slot(&batch->outputs, name);
	if (output != NULL)
		snprintf(output, size, "%s", name);
	while (output != NULL && slot->text != NULL) {
		snprintf(output, size, "%s~%zu", name, first->next++);
		slot = find_slot(&batch->outputs, output);
	}
	free(name);
	if (output == NULL)
		return NULL;
	*slot = (struct name){ output, 2 };
	batch->outputs.count++;
	return output;
}

bool
has_output(struct batch *batch, const char *output)
{
	return batch->outputs.slots > 0 &&
	       find_slot(&batch->outputs, output)->text != NULL;
}
