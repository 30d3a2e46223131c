/*
 * words.c - units, names and descriptions, in the words of pprof and of
 * cgconv.
 */
#include <inttypes.h>
#include <stdio.h>

#include "proto.h"

/* cgconv's, pprof's. */
static const char *const units[][2] = {
	{ "", "count" },
	{ "ns", "nanoseconds" },
	{ "us", "microseconds" },
	{ "ms", "milliseconds" },
	{ "s", "seconds" },
};
#define UNITS (sizeof(units) / sizeof(*units))

const char *
proto_unit_in(const char *unit)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (strcmp(unit, units[i][1]) == 0)
			return units[i][0];
	}
	return unit;
}

const char *
proto_unit_out(const char *unit)
{
	for (size_t i = 0; i < UNITS; i++) {
		if (strcmp(unit, units[i][0]) == 0)
			return units[i][1];
	}
	return unit;
}

const char *
proto_event_word(struct cg_job *job, struct cg_slice type, size_t number)
{
	char *word = cg_alloc(job, type.len + 2 * CG_NUMBER_MAX);

	if (!word)
		return NULL;
	if (type.len == 0)
		type = cg_slice("value");
	memcpy(word, type.ptr, type.len);
	for (char *at = word; *at; at++) {
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			*at = '_';
	}
	if (number != 0)
		(void)sprintf(word + type.len, "_%zu", number);
	return word;
}

const char *
proto_period_text(struct cg_job *job, int64_t period, struct cg_slice type,
    struct cg_slice unit)
{
	char *text = cg_alloc(job, type.len + unit.len + CG_NUMBER_MAX + 3);

	if (text)
		(void)sprintf(text, "%" PRId64 " %.*s %.*s", period,
		    (int)type.len, type.ptr, (int)unit.len, unit.ptr);
	return text;
}

bool
proto_has_field(const char *key)
{
	static const char *const keys[] = { PROTO_KEY_TIME, PROTO_KEY_DURATION,
		PROTO_KEY_PERIOD, PROTO_KEY_MAPPING };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (strcmp(keys[i], key) == 0)
			return true;
	}
	return false;
}
