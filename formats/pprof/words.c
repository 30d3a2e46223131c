/*
 * words.c - units and texts of a profile, as pprof and cgconv call them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.h"

const struct pprof_text_key pprof_text_keys[] = {
	{ "drop_frames", PPROF_DROP_FRAMES },
	{ "keep_frames", PPROF_KEEP_FRAMES },
	{ CG_MAIN_EVENT_KEY, PPROF_DEFAULT_TYPE },
	{ "doc_url", PPROF_DOC_URL },
	{ NULL, PPROF_FIELDS },
};

/* Ours, pprof's. */
static const char *const units[][2] = {
	{ "", "count" },
	{ "ns", "nanoseconds" },
	{ "us", "microseconds" },
	{ "ms", "milliseconds" },
	{ "s", "seconds" },
};
#define UNITS (sizeof(units) / sizeof(*units))

const char *
pprof_unit_in(const char *unit)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (strcmp(unit, units[i][1]) == 0)
			return units[i][0];
	}
	return unit;
}

const char *
pprof_unit_out(const char *unit)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (strcmp(unit, units[i][0]) == 0)
			return units[i][1];
	}
	return unit;
}

char *
pprof_event_word(struct cg_job *job, struct cg_slice type, size_t number)
{
	char *word = malloc(type.len + 2 * CG_NUMBER_MAX);

	if (!word) {
		(void)cg_reject_nomem(job);
		return NULL;
	}
	if (type.len == 0)
		type = cg_slice("value");
	memcpy(word, type.ptr, type.len);
	word[type.len] = '\0';
	for (char *at = word; *at; at++) {
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			*at = '_';
	}
	if (number != 0)
		(void)sprintf(word + type.len, "_%zu", number);
	return word;
}
