/*
 * batch_names.c - what the outputs of a batch are called.
 *
 * An output stands where tar would put its input, below the folder of
 * outputs; its last name is made of the input's by a template.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "batch.h"

/* "%0a" for control characters and for the dots of "..", as in URLs. */
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
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
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

/* Takes off what says how it is packed, then what says its format. */
static size_t
stem_length(const struct cg_job *job, char *base)
{
	const struct cg_module *module;
	size_t n = 0, longest = 0;

	while (find_suffix(base, "gz;xz;bz2;zst", &n))
		base[strlen(base) - n] = '\0';
	for (size_t i = 0; (module = cg_job_module(job, i)) != NULL; i++) {
		if (find_suffix(base, module->suffixes, &n) && n > longest)
			longest = n;
		if (find_suffix(base, module->gathers, &n) && n > longest)
			longest = n;
	}
	return strlen(base) - longest;
}

/* Puts the template with its {stem} and {base}. */
static void
put_name(FILE *to, const char *template, const char *base, const char *stem,
    size_t length)
{
	const char *first = strstr(template, "{stem}");
	size_t n = first != NULL ? (size_t)(first - template) : 0;

	/* What is called so already is not called so twice. */
	if (n > 0 && length > n && strncmp(stem, template, n) == 0) {
		stem += n;
		length -= n;
	}
	while (*template != '\0') {
		if (strncmp(template, "{stem}", 6) == 0) {
			fwrite(stem, 1, length, to);
			template += 6;
		} else if (strncmp(template, "{base}", 6) == 0) {
			fputs(base, to);
			template += 6;
		} else {
			putc(*template ++, to);
		}
	}
}

char *
output_name(const struct batch *batch, const char *name)
{
	const struct args *args = batch->args;
	const struct cg_module *to = cg_job_target(args->job);
	char *path = safe_path(name), *stem = NULL, *text = NULL;
	const char *slash, *base;
	FILE *file = NULL;
	size_t size, length;

	if (path != NULL) {
		slash = strrchr(path, '/');
		base = slash != NULL ? slash + 1 : path;
		stem = strdup(base);
		file = open_memstream(&text, &size);
	}
	if (stem == NULL || file == NULL) {
		free(stem);
		free(path);
		return NULL;
	}
	length = stem_length(args->job, stem);
	fwrite(path, 1, (size_t)(base - path), file);
	if (args->name != NULL || to->naming != NULL)
		put_name(file, args->name != NULL ? args->name : to->naming,
		    base, stem, length);
	else
		fprintf(file, "%.*s.%.*s", (int)length, stem,
		    (int)strcspn(to->suffixes, ";"), to->suffixes);
	if (args->gzip)
		fputs(".gz", file);
	free(stem);
	free(path);
	if (fclose(file) == 0)
		return text;
	free(text);
	return NULL;
}
