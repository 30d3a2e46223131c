/*
 * meant.c - finds the formats meant by a word that is not a format's name: by
 * a suffix of their files, by a word of their titles, or as a misspelt name.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "job/job.h"

static bool
is_able(const struct cg_module *module, unsigned how)
{
	return (!(how & CG_MEANT_READ) || module->read) &&
	       (!(how & CG_MEANT_WRITE) || module->write);
}

/*
 * True if the word is one of the format's suffixes, or the first part of one:
 * "x" of "x.json".
 */
static bool
has_suffix(const struct cg_module *module, struct cg_slice word)
{
	struct cg_slice list, suffix;

	list = cg_slice(module->suffixes ? module->suffixes : "");
	while (cg_take_until(&list, ';', &suffix)) {
		if (suffix.len >= word.len &&
		    memcmp(suffix.ptr, word.ptr, word.len) == 0 &&
		    (suffix.len == word.len || suffix.ptr[word.len] == '.'))
			return true;
	}
	return false;
}

/*
 * True if text begins with the word, and the word ends there; ignores case,
 * and blanks in the text ("flame graph" begins with "flamegraph").
 */
static bool
begins_with(const char *text, struct cg_slice word)
{
	size_t i = 0;

	for (; i < word.len && *text != '\0'; text++) {
		if (tolower((unsigned char)*text) ==
		    tolower((unsigned char)word.ptr[i]))
			i++;
		else if (*text != ' ' || i == 0)
			return false;
	}
	return i == word.len && !isalnum((unsigned char)*text);
}

/*
 * True if the format's title has the word: "flamegraph" is in "a flame graph
 * or chart".
 */
static bool
has_title_word(const struct cg_module *module, struct cg_slice word)
{
	const char *title = module->title;

	for (const char *at = title; *at != '\0'; at++) {
		if ((at == title || !isalnum((unsigned char)at[-1])) &&
		    begins_with(at, word))
			return true;
	}
	return false;
}

static bool
has_name(const struct cg_module *module, struct cg_slice word)
{
	return cg_equal(word, module->name);
}

static void
find_all(const struct cg_job *job, struct cg_slice word, unsigned how,
    bool (*fits)(const struct cg_module *, struct cg_slice),
    struct cg_meant *meant)
{
	meant->count = 0;
	for (size_t i = 0; i < job->modules; i++) {
		const struct cg_module *module = job->module[i];

		if (!is_able(module, how) || !fits(module, word))
			continue;
		if (meant->count == CG_MEANT_MAX) {
			meant->count = 0; /* the word is too ambiguous */
			return;
		}
		meant->module[meant->count++] = module;
	}
}

static void
find_nearest(const struct cg_job *job, struct cg_slice word, unsigned how,
    struct cg_meant *meant)
{
	struct cg_nearest nearest = { .to = word };

	for (size_t i = 0; i < job->modules; i++) {
		if (is_able(job->module[i], how))
			cg_nearest_offer(&nearest, job->module[i]->name);
	}
	if (nearest.word)
		find_all(job, cg_slice(nearest.word), how, has_name, meant);
}

void
cg_find_meant(const struct cg_job *job, struct cg_slice word, unsigned how,
    struct cg_meant *meant)
{
	bool (*const fits[])(const struct cg_module *,
	    struct cg_slice) = { has_name, has_suffix, has_title_word };

	meant->count = 0;
	for (size_t i = 0; word.len > 0 && meant->count == 0 &&
			   i < sizeof(fits) / sizeof(*fits);
	     i++)
		find_all(job, word, how, fits[i], meant);
	if (word.len > 0 && meant->count == 0)
		find_nearest(job, word, how, meant);
}

const char *
cg_list_meant(const struct cg_meant *meant, char list[CG_MEANT_ROOM])
{
	int len = 0;

	list[0] = '\0';
	for (size_t i = 0; i < meant->count && len < CG_MEANT_ROOM; i++)
		len +=
		    snprintf(list + len, (size_t)(CG_MEANT_ROOM - len), "%s%s",
			i == 0                  ? ""
			: i + 1 == meant->count ? " or "
						: ", ",
			meant->module[i]->name);
	return list;
}
