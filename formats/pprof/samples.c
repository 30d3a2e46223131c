/*
 * samples.c - reads samples of a profile.proto into blocks, which a thread takes
 * to the sums (sums.c).
 */
#include <stdlib.h>
#include <string.h>

#include "pprof.h"

/* A block is full with so many samples, or bytes of paths or values. */
#define BLOCK_SAMPLES ((size_t)1024)
#define BLOCK_BYTES ((size_t)64 << 10)
#define BLOCK_VALUES ((size_t)64 << 10)
/* Of one sample: more have no types. */
#define VALUES_MAX ((size_t)64 << 10)

#define WORD sizeof(uint64_t)
#define LOW_BITS UINT64_C(0x0101010101010101)
#define HIGH_BITS (LOW_BITS << 7)

/* ---- What a sample says ------------------------------------------------- */

static bool
append_bytes(
    struct pprof_reader *r, struct pprof_list *list, struct cg_slice bytes)
{
	return pprof_add_bytes(list, bytes) || cg_reject_nomem(r->job);
}

/* Nonzero if one of eight bytes is 0, or a number may go on behind four of them. */
static uint64_t
find_odd(const char *at)
{
	uint64_t word, more;

	memcpy(&word, at, WORD);
	more = word & HIGH_BITS;
	more &= more >> 8;
	return ((word - LOW_BITS) & ~word & HIGH_BITS) | (more & more >> 16);
}

/*
 * Are these surely whole numbers other than 0? No byte is 0, the last one ends a
 * number, and none has more than seven.
 */
static bool
are_plain(struct cg_slice bytes)
{
	const char *at = bytes.ptr, *end = at + bytes.len;
	uint64_t odd = 0;

	if (bytes.len < WORD || (end[-1] & 0x80))
		return false;
	for (; end - at > (ptrdiff_t)WORD; at += WORD)
		odd |= find_odd(at);
	return (odd | find_odd(end - WORD)) == 0;
}

static bool
check_locations(struct pprof_reader *r, struct cg_slice bytes)
{
	uint64_t id;

	if (are_plain(bytes))
		return true;
	while (bytes.len > 0) {
		if (!pprof_take_varint(&bytes, &id))
			return cg_reject_at(
			    r->job, bytes.ptr, "expected a number");
		if (id == 0)
			return cg_reject_at(r->job, bytes.ptr,
			    "expected a location with an id");
	}
	return true;
}

/* The path of a sample: of its bytes, a thread decodes what is new. */
static bool
add_locations(struct pprof_reader *r, struct cg_slice bytes)
{
	if (bytes.len > UINT32_MAX - r->path.count)
		return cg_reject_at(
		    r->job, bytes.ptr, "expected a shorter stack");
	return check_locations(r, bytes) && append_bytes(r, &r->path, bytes);
}

/* Usually one packed field. */
static bool
take_locations(
    struct pprof_reader *r, const struct pprof_field *field, const char *end)
{
	struct cg_slice number = { field->at, (size_t)(end - field->at) };
	uint64_t tag;

	if (field->wire == WIRE_BYTES)
		return add_locations(r, field->bytes);
	if (field->wire == WIRE_VARINT && pprof_take_varint(&number, &tag))
		return add_locations(r, number);
	return cg_reject_at(r->job, field->at, "expected numbers");
}

static bool
add_value(struct pprof_reader *r, uint64_t value, const char *at)
{
	uint64_t *to;

	if (r->values.count >= VALUES_MAX)
		return cg_reject_at(r->job, at, "expected no more values");
	to = pprof_append(r, &r->values, sizeof(*to));
	if (to)
		*to = value;
	return to != NULL;
}

/* Keeps the bytes of the field until the string table is known. */
static bool
keep_label(struct pprof_reader *r, const struct pprof_field *field)
{
	struct cg_slice all = { field->at, 0 };

	if (field->wire != WIRE_BYTES)
		return cg_reject_at(r->job, field->at, "expected a label");
	all.len = (size_t)(field->bytes.ptr + field->bytes.len - field->at);
	return append_bytes(r, &r->labelled, all);
}

/* Reads the fields of a sample's message. */
static bool
take_fields(struct pprof_reader *r, struct cg_slice message)
{
	struct pprof_field field;
	bool ok = true;

	r->path.count = r->values.count = r->labelled.count = 0;
	while (ok && message.len > 0) {
		if (!pprof_take_field(&message, &field))
			return cg_reject_at(r->job, message.ptr,
			    "expected a whole field of a message");
		if (field.number == SAMPLE_LOCATION)
			ok = take_locations(r, &field, message.ptr);
		else if (field.number == SAMPLE_VALUE)
			ok = pprof_take_packed(r, &field, add_value);
		else if (field.number == SAMPLE_LABEL)
			ok = keep_label(r, &field);
		else
			pprof_skip_field(r, &field);
	}
	return ok;
}

/* ---- Blocks -------------------------------------------------------------- */

static void
work(void *arg, void *block)
{
	pprof_add_block(arg, block);
}

static void
close_block(void *own)
{
	struct pprof_block *block = own;

	free(block->waiting.at);
	free(block->path.at);
	free(block->values.at);
}

/* Before the first sample of a message. */
static bool
begin_samples(struct pprof_reader *r)
{
	const struct cg_stage_how how = { .job = r->job,
		.in = r->in,
		.own = sizeof(struct pprof_block),
		.arg = &r->sums,
		.work = work,
		.close = close_block };

	if (!r->stage)
		r->stage = cg_stage_new(&how);
	if (!r->stage || !pprof_begin_sums(&r->sums, r->values.count))
		return cg_reject_nomem(r->job);
	r->sampled = true;
	return true;
}

static bool
is_full(const struct pprof_block *block)
{
	return block->waiting.count >= BLOCK_SAMPLES ||
	       block->path.count >= BLOCK_BYTES ||
	       block->values.count >= BLOCK_VALUES;
}

bool
pprof_take_sample(struct pprof_reader *r, const struct pprof_field *field)
{
	struct pprof_block *block;
	uint32_t labels;

	if (!take_fields(r, field->bytes) || (!r->sampled && !begin_samples(r)))
		return false;
	if (r->values.count != r->sums.columns)
		return cg_reject_at(r->job, field->at,
		    "expected as many values as in other samples");
	if (!pprof_find_labels(r, &labels))
		return false;
	block = cg_stage_block(r->stage);
	if (!pprof_fill_block(block, r, labels))
		return cg_reject_nomem(r->job);
	if (is_full(block))
		cg_stage_put(r->stage);
	return true;
}

bool
pprof_end_samples(struct pprof_reader *r)
{
	if (!r->stage)
		return true;
	cg_stage_end(r->stage);
	if (r->sums.nomem)
		return cg_reject_nomem(r->job);
	return !r->sums.overflow ||
	       cg_reject(r->job, "expected values that add up to 64 bits");
}
