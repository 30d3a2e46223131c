/*
 * pprof.c - profile.proto, the profiles of pprof, Go's runtime/pprof and many
 * others: the module and its detection.
 *
 * Source: proto/profile.proto of github.com/google/pprof, which pprof.h
 * quotes, and the output of go1.19 and its pprof. All sample types become
 * events; stacks keep lines, addresses, objects and inlining. Times, comments
 * and mappings are descriptions; other descriptions are written as comments.
 * Samples keep their labels. Columns are lost, which is reported. Files
 * contain the message as it is or compressed by gzip, which --gzip or a name
 * that ends in .gz selects when writing: pprof reads both. The text of
 * "pprof -raw" is read, too.
 */
#include "pprof.h"

/* There is no magic, but few other files look like this. */
#define PROBE_SHAPE (CG_PROBE_LIKELY + 20)
#define RAW_HEAD 65536 /* bytes in which the header of a text ends */

/*
 * The types of a message's fields: 'v' a varint, 'b' bytes, 'p' numbers,
 * packed or not, or the letter of a message.
 */
struct shape {
	char name;
	const char *fields; /* from field 1 on */
};
static const struct shape shapes[] = {
	{ 'P', "TSMLFbvvvvTvpvv" },
	{ 'T', "vv" },
	{ 'S', "ppb" },
	{ 'M', "vvvvvvvvvv" },
	{ 'L', "vvvNv" },
	{ 'N', "vvv" },
	{ 'F', "vvvvv" },
};

static const struct shape *
find_shape(char name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		if (shapes[i].name == name)
			return &shapes[i];
	}
	return NULL;
}

static bool
fits(char kind, unsigned wire)
{
	if (kind == 'p')
		return wire == WIRE_VARINT || wire == WIRE_BYTES;
	return wire == (kind == 'v' ? WIRE_VARINT : WIRE_BYTES);
}

/*
 * Returns true if all fields of a message fit a shape. The shape describes a
 * type of message: the numbers and wire types of its fields. Does not examine
 * messages inside the message.
 */
static bool
has_shape(struct cg_slice message, const struct shape *shape)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!proto_take_field(&message, &field) ||
		    field.number > strlen(shape->fields) ||
		    !fits(shape->fields[field.number - 1], field.wire))
			return false;
	}
	return true;
}

/*
 * Returns true if the text is only the beginning of a field, whose bytes end
 * beyond the text. The field must be one of the message type in "shape".
 * "text" is what follows the last complete field in a file's first bytes.
 */
static bool
is_cut(struct cg_slice text, const struct shape *shape)
{
	struct proto_field field;

	return proto_take_tag(&text, &field) &&
	       field.number <= strlen(shape->fields) &&
	       field.wire == WIRE_BYTES && field.value > text.len;
}

/*
 * Returns true if the text is the output of pprof -raw. It must begin with one
 * of the lines of the header, and have the line "Samples:".
 */
static bool
is_raw(struct cg_slice text)
{
	static const char *const first[] = {
		"Comment: ", "Doc: ", "PeriodType: ", "Period: "
	};
	size_t i = 0;

	while (i < 4 && !cg_starts(text, first[i]))
		i++;
	return i < 4 &&
	       (cg_find(text, "\nSamples:\n") || cg_find(text, "\nSamples:\r"));
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text;
	const struct shape *profile = find_shape('P'), *shape;
	struct proto_field field;
	unsigned known = 0;
	char kind;

	if (is_raw(text))
		return CG_PROBE_SURE;
	while (text.len > 0 && proto_take_field(&text, &field)) {
		if (field.number > strlen(profile->fields))
			return CG_PROBE_NO;
		kind = profile->fields[field.number - 1];
		shape = find_shape(kind);
		if (!fits(shape ? 'b' : kind, field.wire) ||
		    (shape && !has_shape(field.bytes, shape)))
			return CG_PROBE_NO;
		known += shape != NULL;
	}
	/*
	 * Accept a truncated file if its known fields leave no doubt: the
	 * reader rejects it.
	 */
	if (text.len > 0 && head->whole && known < 2)
		return CG_PROBE_NO;
	if (known == 0 && !head->whole && is_cut(text, profile))
		return CG_PROBE_MORE; /* so far only strings */
	return known > 0 ? PROBE_SHAPE : CG_PROBE_NO;
}

static int
read_any(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct cg_slice head;

	(void)cg_look_bytes(in, RAW_HEAD, &head);
	return is_raw(head) ? pprof_read_raw(job, in, build)
			    : pprof_read(job, in, build);
}

const struct cg_module cg_format_pprof = {
	CG_MODULE,
	.name = "pprof",
	.title = "profile.proto of pprof and Go",
	.suffixes = "pb;pprof;prof",
	.carries = CG_SELF | CG_LINES | CG_INSTRS | CG_STACKS | CG_EVENTS |
		   CG_SIGNED | CG_FILES | CG_OBJECTS | CG_SYMBOLS |
		   CG_DEFINITIONS | CG_INLINING | CG_DESCRIPTIONS | CG_LABELS,
	.needs = CG_STACKS,
	.probe = probe,
	.read = read_any,
	.write = pprof_write,
};
