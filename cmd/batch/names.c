/*
 * names.c - derives the paths of outputs in a batch from those of inputs.
 *
 * An output has the path, below the output directory, at which tar would
 * extract its input; the template of --name gives its base name.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

/* ---- Texts -------------------------------------------------------------- */

#define TEXTS_BLOCK ((size_t)64 << 10)

struct texts_block {
	struct texts_block *next;
	char bytes[];
};

const char *
keep_text(struct batch *batch, const char *text)
{
	struct texts *texts = &batch->texts;
	size_t n = strlen(text) + 1;
	struct texts_block *block;
	size_t size = n < TEXTS_BLOCK ? TEXTS_BLOCK : n;

	if (n > texts->left) {
		block = malloc(sizeof(*block) + size);
		if (block == NULL)
			return NULL;
		block->next = texts->block;
		*texts = (struct texts){ block, block->bytes, size };
	}
	memcpy(texts->at, text, n);
	texts->at += n;
	texts->left -= n;
	return texts->at - n;
}

void
free_texts(struct batch *batch)
{
	struct texts_block *block;

	while ((block = batch->texts.block) != NULL) {
		batch->texts.block = block->next;
		free(block);
	}
}

/* A path under construction. */
struct path {
	char *text;
	size_t length, room;
	bool failed; /* out of memory */
};

static void
put_bytes(struct path *to, const char *bytes, size_t n)
{
	if (!cg_grow_raw(&to->text, &to->room, to->length + n + 1, 1)) {
		to->failed = true;
		return;
	}
	memcpy(to->text + to->length, bytes, n);
	to->length += n;
	to->text[to->length] = '\0';
}

static void
put_name(struct path *to, const char *name)
{
	put_bytes(to, name, strlen(name));
}

/*
 * Ends a path, to which parts were appended, with a NUL. Returns its text,
 * which the caller frees. NULL: out of memory now, or when a part was
 * appended.
 */
static char *
end_path(struct path *path)
{
	put_name(path, "");
	if (!path->failed)
		return path->text;
	free(path->text);
	return NULL;
}

/*
 * Appends a component of a path, name[0] to name[length - 1], to the path of
 * an output. Writes control characters as "%" and two hexadecimal digits, as
 * in URLs. Writes the component ".." in this way, too, as it would lead out of
 * the output directory.
 */
static void
put_component(struct path *to, const char *name, size_t length)
{
	bool dots = length == 2 && name[0] == '.' && name[1] == '.';
	size_t plain = 0; /* where unescaped characters begin */
	char text[4];

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)name[i];

		if (!dots && c >= 0x20 && c != 0x7f)
			continue;
		put_bytes(to, name + plain, i - plain);
		snprintf(text, sizeof(text), "%%%02x", c);
		put_bytes(to, text, 3);
		plain = i + 1;
	}
	put_bytes(to, name + plain, length - plain);
}

char *
safe_path(const char *name)
{
	struct path path = { 0 };
	const char *before = "";
	size_t length;

	for (; *name != '\0'; name += length + (name[length] == '/')) {
		length = strcspn(name, "/");
		if (length == 0 || (length == 1 && name[0] == '.'))
			continue;
		put_name(&path, before);
		put_component(&path, name, length);
		before = "/";
	}
	return end_path(&path);
}

/* ---- Suffixes ----------------------------------------------------------- */

/*
 * True if the name, of n bytes, ends with a dot and the suffix, after at least
 * one character.
 */
static bool
has_suffix(const char *name, size_t n, const struct suffix *suffix)
{
	size_t length = suffix->length;

	return n > length + 1 && name[n - 1] == suffix->text[length - 1] &&
	       name[n - length - 1] == '.' &&
	       memcmp(name + n - length, suffix->text, length) == 0;
}

/*
 * True if the name has one of the suffixes in a list such as "a;b". Sets
 * *length to the length of the first suffix that it has, together with its
 * dot. If it has none, *length has no meaning.
 */
static bool
find_suffix(const char *name, const char *suffixes, size_t *length)
{
	size_t n = strlen(name);

	while (*suffixes != '\0') {
		const struct suffix suffix = { .text = suffixes,
			.length = strcspn(suffixes, ";") };

		*length = suffix.length + 1;
		if (has_suffix(name, n, &suffix))
			return true;
		suffixes += suffix.length + (suffixes[suffix.length] == ';');
	}
	return false;
}

/*
 * Appends a suffix to batch->suffix, the suffixes that are removed from names
 * of inputs to name outputs; ignores an empty one. The text is not copied.
 * False: out of memory.
 */
static bool
add_suffix(struct batch *batch, struct suffix suffix)
{
	if (suffix.length == 0)
		return true;
	if (!cg_grow(&batch->suffix, &batch->suffix_cap, batch->suffixes + 1,
		sizeof(suffix)))
		return false;
	batch->suffix[batch->suffixes++] = suffix;
	return true;
}

static bool
add_suffixes(
    struct batch *batch, const char *suffixes, bool gathered, bool summed)
{
	bool ok = true;

	for (size_t i = 1, n; ok && suffixes && *suffixes != '\0'; i++) {
		n = strcspn(suffixes, ";");
		ok = add_suffix(batch,
		    (struct suffix){ suffixes, n, gathered ? i : 0, summed });
		suffixes += n + (suffixes[n] == ';');
	}
	return ok;
}

bool
list_suffixes(struct batch *batch)
{
	const struct cg_job *job = batch->args->job;
	const struct cg_module *module;
	bool ok = true;

	for (size_t i = 0; ok && (module = cg_job_module(job, i)) != NULL; i++)
		ok = add_suffixes(batch, module->suffixes, false,
			 module->finish != NULL) &&
		     add_suffixes(batch, module->gathers, true, false);
	return ok;
}

/*
 * Removes suffixes of compression, such as ".gz", from "base", in place.
 * Returns the length of the rest without the suffix of a format. If several
 * suffixes in batch->suffix match, the longest one counts. If none does,
 * returns the length of the rest.
 */
static size_t
stem_length(const struct batch *batch, char *base)
{
	size_t n = 0, longest = 0, length;

	while (find_suffix(base, "gz;" CG_COMPRESSED_SUFFIXES, &n))
		base[strlen(base) - n] = '\0';
	length = strlen(base);
	for (size_t i = 0; i < batch->suffixes; i++)
		if (batch->suffix[i].length >= longest &&
		    has_suffix(base, length, &batch->suffix[i]))
			longest = batch->suffix[i].length + 1;
	return length - longest;
}

size_t
gathered_rank(const struct batch *batch, const char *name, size_t *stem)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < batch->suffixes; i++) {
		const struct suffix *suffix = &batch->suffix[i];

		if (suffix->rank == 0 || !has_suffix(name, length, suffix))
			continue;
		*stem = length - suffix->length - 1;
		return suffix->rank;
	}
	return 0;
}

bool
is_gathered(const struct batch *batch, const struct task *task)
{
	size_t stem;

	return gathered_rank(batch, task->path, &stem) > 0;
}

bool
is_summed_by_format(const struct batch *batch, const struct task *task)
{
	size_t length = strlen(task->path);

	for (size_t i = 0; i < batch->suffixes; i++)
		if (batch->suffix[i].summed &&
		    has_suffix(task->path, length, &batch->suffix[i]))
			return true;
	return false;
}

bool
looks_like_archive(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	return strstr(slash != NULL ? slash : path, ".tar.") != NULL ||
	       find_suffix(path, "tar;tgz;tbz;tbz2;txz;tzst;zip", &n);
}

/* ---- Names of outputs --------------------------------------------------- */

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

/*
 * Returns the number of the placeholder ("{dir}") with which the template
 * begins; PLACEHOLDERS: none.
 */
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

/*
 * Appends the value of the placeholder with which the template of --name
 * begins, such as "{stem}", to the path. Returns the rest of the template;
 * NULL: it begins with no placeholder.
 */
static const char *
put_placeholder(
    struct path *to, const char *template, const struct parts *parts)
{
	size_t i = find_placeholder(template);
	const struct cg_slice *text;

	if (i == PLACEHOLDERS)
		return NULL;
	text = (const struct cg_slice *)((const char *)parts +
					 placeholders[i].value);
	put_bytes(to, text->ptr, text->len);
	return template + strlen(placeholders[i].name);
}

static void
put_template(struct path *to, const char *template, struct parts parts)
{
	const char *first = strstr(template, "{stem}"), *after;
	size_t n = first != NULL ? (size_t)(first - template) : 0;

	/*
	 * "callgrind.out.{stem}" does not repeat a prefix that stem already
	 * has.
	 */
	if (n > 0 && parts.stem.len > n &&
	    strncmp(parts.stem.ptr, template, n) == 0) {
		parts.stem.ptr += n;
		parts.stem.len -= n;
	}
	while (*template != '\0') {
		after = put_placeholder(to, template, &parts);
		if (after == NULL)
			put_bytes(to, template, 1);
		template = after != NULL ? after : template + 1;
	}
}

/* True if the template has a directory: a slash, or the placeholder {dir}. */
static bool
has_directory(const char *template)
{
	return strchr(template, '/') != NULL || strstr(template, "{dir}");
}

static void
put_output(struct path *to, const struct args *args, struct parts parts)
{
	const struct cg_module *target = cg_job_target(args->job);
	const char *template = args->name != NULL ? args->name : target->naming;

	if (template == NULL || !has_directory(template)) {
		put_bytes(to, parts.dir.ptr, parts.dir.len);
		put_bytes(to, "/", 1);
	}
	if (template != NULL) {
		put_template(to, template, parts);
	} else {
		put_bytes(to, parts.stem.ptr, parts.stem.len);
		put_bytes(to, ".", 1);
		put_bytes(to, target->suffixes, strcspn(target->suffixes, ";"));
	}
	if (args->gzip)
		put_name(to, ".gz");
}

char *
output_name(const struct batch *batch, const char *name)
{
	char *path = safe_path(name), *stem = NULL, *text = NULL, *safe = NULL;
	struct parts parts = { 0 };
	struct path output = { 0 };
	const char *slash;

	if (path != NULL) {
		slash = strrchr(path, '/');
		parts.base = cg_slice(slash != NULL ? slash + 1 : path);
		parts.dir = (struct cg_slice){ path,
			slash != NULL ? (size_t)(slash - path) : 0 };
		stem = strdup(parts.base.ptr);
	}
	if (stem != NULL) {
		parts.stem.ptr = stem;
		parts.stem.len = stem_length(batch, stem);
		put_output(&output, batch->args, parts);
		text = end_path(&output);
	}
	if (text != NULL)
		safe = safe_path(text);
	free(text);
	free(stem);
	free(path);
	return safe;
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

char *
task_name(const struct task *task)
{
	return is_member(task) ? join_path(task->archive, task->path)
			       : strdup(task->path);
}

char *
task_output(const struct batch *batch, const struct task *task)
{
	if (task->group > 0)
		return strdup(batch->group[task->group - 1].output);
	return task->claim == 0
		   ? NULL
		   : claimed_name(output_name(batch, task->path), task->claim);
}

char *
output_path(const struct batch *batch, const char *output)
{
	return batch->args->directory != NULL
		   ? join_path(batch->args->directory, output)
		   : strdup(output);
}

char *
task_output_path(const struct batch *batch, const struct task *task)
{
	char *output = task_output(batch, task), *path = NULL;

	if (output != NULL)
		path = output_path(batch, output);
	free(output);
	return path;
}

/* ---- Set of claimed output names ---------------------------------------- */

static uint32_t
hash(const struct batch *batch, const char *text)
{
	return (uint32_t)cg_hash_bytes(batch->key, text, strlen(text));
}

/*
 * Returns true if the output of the slot's owner, a task or a group, has that
 * name. To save memory, slots store no names: that of a task is derived again.
 * Sets batch->outputs.failed if memory runs out.
 */
static bool
has_name(struct batch *batch, const struct name *slot, const char *name)
{
	size_t owner = slot->owner - 1;
	char *output;
	bool same;

	if (owner >= batch->tasks)
		return strcmp(batch->group[owner - batch->tasks].output,
			   name) == 0;
	output = task_output(batch, &batch->task[owner]);
	batch->outputs.failed = batch->outputs.failed || output == NULL;
	same = output != NULL && strcmp(output, name) == 0;
	free(output);
	return same;
}

/*
 * Returns the slot that has the output's name in the hash table of outputs. If
 * no slot has the name, returns the free slot for it. "h" is the hash of the
 * name. There always is a free slot, as the table is never full.
 */
static struct name *
find_slot(struct batch *batch, const char *name, uint32_t h)
{
	const struct names *names = &batch->outputs;
	size_t i = (size_t)((uint64_t)h * names->slots >> 32);

	while (names->slot[i].owner != 0 &&
	       (names->slot[i].hash != h ||
		   !has_name(batch, &names->slot[i], name)))
		i = i + 1 < names->slots ? i + 1 : 0;
	return &names->slot[i];
}

char *
claimed_name(char *name, uint32_t claim)
{
	size_t size;
	char *output;

	if (claim <= 1 || name == NULL)
		return name;
	size = strlen(name) + CG_NUMBER_MAX + 2;
	output = malloc(size);
	if (output != NULL)
		snprintf(output, size, "%s~%" PRIu32, name, claim);
	free(name);
	return output;
}

/*
 * Allocates the hash table of output names, unless it exists. The table need
 * not grow, as there are no more outputs than tasks. False: out of memory.
 */
static bool
make_names(struct batch *batch)
{
	struct names *names = &batch->outputs;

	if (names->slot != NULL)
		return true;
	names->slots = batch->tasks + batch->tasks / 4 + 2;
	names->slot = calloc(names->slots, sizeof(*names->slot));
	return names->slot != NULL;
}

uint32_t
claim_output(struct batch *batch, size_t owner, const char *name)
{
	struct name *slot, *first;
	uint32_t claim = 1, h;
	char *other;

	if (!make_names(batch))
		return 0;
	h = hash(batch, name);
	slot = first = find_slot(batch, name, h);
	while (slot->owner != 0) {
		claim = first->next++;
		other = claimed_name(strdup(name), claim);
		if (other == NULL)
			return 0;
		h = hash(batch, other);
		slot = find_slot(batch, other, h);
		free(other);
	}
	*slot = (struct name){ h, (uint32_t)owner + 1, 2 };
	return batch->outputs.failed ? 0 : claim;
}

bool
has_output(struct batch *batch, const char *output)
{
	return batch->outputs.slots > 0 &&
	       find_slot(batch, output, hash(batch, output))->owner != 0;
}
