/*
 * samples.c - reads samples of a profile.proto, and passes them to the sums
 * (sums.c) in batches.
 */
#include <string.h>

#include "pprof.h"

/* A batch is full when it has this many bytes of paths, or this many values. */
#define BATCH_BYTES ((size_t)64 << 10)
#define BATCH_VALUES ((size_t)8 << 10)
/* Limit of values of one sample: no profile has so many sample types. */
#define VALUES_MAX ((size_t)64 << 10)

#define WORD sizeof(uint64_t)
#define LOW_BITS UINT64_C(0x0101010101010101)
#define HIGH_BITS (LOW_BITS << 7)

/* ---- Fields of a sample -------------------------------------------------- */

/*
 * Returns a number other than 0 if one of the eight bytes at the pointer `at`
 * is 0, or four in a row have their highest bit set, as in a varint of more
 * than four bytes.
 */
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
 * Returns true only if the bytes are complete varints other than 0, of at most
 * seven bytes each. Checks eight bytes at a time. False if in doubt, and for
 * fewer than eight bytes.
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
		if (!proto_take_varint(&bytes, &id))
			return cg_reject_at(
			    r->job, bytes.ptr, "expected a number");
		if (id == 0)
			return cg_reject_at(r->job, bytes.ptr,
			    "expected a location with an id");
	}
	return true;
}

/*
 * Checks that the bytes are locations, and appends them to the path of the
 * current sample in the batch. They are not decoded, because most paths are
 * known by their bytes. False: an error (reported).
 */
static bool
add_locations(struct pprof_reader *r, struct cg_slice bytes)
{
	return check_locations(r, bytes) &&
	       proto_append_bytes(r->job, &r->batch.path, bytes);
}

/*
 * Appends the locations in a field to the path of the current sample in the
 * batch. Usually one packed field has all of them. Else the field is one
 * number, whose bytes stop at the pointer "end". False: an error (reported).
 */
static bool
take_locations(
    struct pprof_reader *r, const struct proto_field *field, const char *end)
{
	struct cg_slice number = { field->at, (size_t)(end - field->at) };
	uint64_t tag;

	if (field->wire == WIRE_BYTES)
		return add_locations(r, field->bytes);
	if (field->wire == WIRE_VARINT && proto_take_varint(&number, &tag))
		return add_locations(r, number);
	return cg_reject_at(r->job, field->at, "expected numbers");
}

static bool
add_value(struct pprof_reader *r, uint64_t value, const char *at)
{
	if (r->batch.values.n - r->value >= VALUES_MAX)
		return cg_reject_at(r->job, at, "expected no more values");
	return cg_append(r->job, &r->batch.values, (int64_t)value);
}

/*
 * Appends a label's field, with its tag, to r->labelled. The label is read
 * later, when the string table with its texts is known. False: an error
 * (reported).
 */
static bool
keep_label(struct pprof_reader *r, const struct proto_field *field)
{
	struct cg_slice all = { field->at, 0 };

	if (field->wire != WIRE_BYTES)
		return cg_reject_at(r->job, field->at, "expected a label");
	all.len = (size_t)(field->bytes.ptr + field->bytes.len - field->at);
	return proto_append_bytes(r->job, &r->labelled, all);
}

/*
 * Reads the fields of a sample: appends its locations and values to the batch,
 * and sets r->labelled to the fields of its labels. False: an error
 * (reported).
 */
static bool
take_fields(struct pprof_reader *r, struct cg_slice message)
{
	struct proto_field field;
	bool ok = true;

	r->labelled.n = 0;
	while (ok && message.len > 0) {
		if (!proto_take_field(&message, &field))
			return cg_reject_at(r->job, message.ptr,
			    "expected a whole field of a message");
		if (field.number == SAMPLE_LOCATION)
			ok = take_locations(r, &field, message.ptr);
		else if (field.number == SAMPLE_VALUE)
			ok = pprof_take_packed(r, &field, add_value);
		else if (field.number == SAMPLE_LABEL)
			ok = keep_label(r, &field);
		else
			proto_skip_field(r->job, &field);
	}
	return ok;
}

/* ---- Batches ------------------------------------------------------------- */

static bool
is_full(const struct pprof_batch *batch)
{
	return batch->count == PPROF_BATCH || batch->path.n >= BATCH_BYTES ||
	       batch->values.n >= BATCH_VALUES;
}

bool
pprof_take_sample(struct pprof_reader *r, const struct proto_field *field)
{
	struct pprof_batch *batch = &r->batch;
	struct pprof_waiting *sample = &batch->sample[batch->count];

	sample->path = batch->path.n;
	r->value = sample->value = batch->values.n;
	if (!take_fields(r, field->bytes))
		return false;
	sample->len = (uint32_t)(batch->path.n - sample->path);
	if (r->sums.paths.n == 0 &&
	    !pprof_begin_sums(&r->sums, batch->values.n))
		return false;
	if (batch->values.n - r->value != r->sums.columns)
		return cg_reject_at(r->job, field->at,
		    "expected as many values as in other samples");
	if (!pprof_find_labels(r, &sample->labels))
		return false;
	batch->count++;
	return !is_full(batch) || pprof_add_batch(&r->sums, batch);
}

bool
pprof_end_samples(struct pprof_reader *r)
{
	if (!pprof_add_batch(&r->sums, &r->batch))
		return false;
	return !r->sums.overflow ||
	       cg_reject(r->job, "expected values that add up to 64 bits");
}
