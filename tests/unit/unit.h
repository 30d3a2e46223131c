/*
 * unit.h - for unit tests: checks that are counted, random numbers that are
 * the same everywhere, messages that are kept.
 *
 * A test is a program; its main() ends with return unit_end().
 */
#ifndef UNIT_H
#define UNIT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

static unsigned long unit_checks, unit_failures;

#define CHECK(cond) unit_check((cond), #cond, __FILE__, __LINE__)

static inline bool
unit_check(bool good, const char *cond, const char *file, int line)
{
	unit_checks++;
	if (!good) {
		unit_failures++;
		fprintf(stderr, "%s:%d: failed: %s\n", file, line, cond);
	}
	return good;
}

static inline int
unit_end(void)
{
	printf("%lu checks\n", unit_checks);
	return unit_failures > 0;
}

/* xorshift64*: the same sequence from the same seed (not 0). */
static inline uint64_t
unit_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* A number below n. */
static inline size_t
unit_below(uint64_t *state, size_t n)
{
	return (size_t)((unit_random(state) >> 11) % n);
}

/* A number of any width: small ones are as likely as big ones. */
static inline uint64_t
unit_number(uint64_t *state)
{
	size_t shift = unit_below(state, 64);

	return unit_random(state) >> shift;
}

/* Memory that a test cannot do without. */
static inline void *
unit_alloc(size_t size)
{
	void *ptr = malloc(size ? size : 1);

	if (!ptr) {
		fputs("unit: out of memory\n", stderr);
		exit(1);
	}
	return ptr;
}

static inline bool
unit_same(struct cg_slice a, struct cg_slice b)
{
	return a.len == b.len &&
	       (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* What was reported: how often, and the last message. */
struct unit_log {
	unsigned count;
	struct cg_message last; /* its file and text are below */
	char file[256], text[256];
};

static inline void
unit_report(void *arg, const struct cg_message *message)
{
	struct unit_log *log = arg;

	log->count++;
	log->last = *message;
	(void)snprintf(log->file, sizeof(log->file), "%s",
	    message->file ? message->file : "");
	(void)snprintf(log->text, sizeof(log->text), "%s", message->text);
	log->last.file = log->file;
	log->last.text = log->text;
}

#endif
