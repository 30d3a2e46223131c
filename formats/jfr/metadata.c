/*
 * metadata.c - the classes of a chunk: an event with a table of texts and a
 * tree of elements (root, metadata, class, field, annotation, setting).
 *
 * For each class the reader keeps its id and the ids of its fields' classes,
 * so that it can skip values of any class. For classes that it reads, it also
 * keeps which fields are used. Names of other classes are not kept.
 */
#include "jfr.h"

#define METADATA_TYPE 0
#define TREE_DEPTH 64 /* real ones have 5 levels */

/* ---- Classes and fields that are used ------------------------------------ */

/* A field that is used if it has that class: as a constant, or a value. */
struct jfr_want {
	const char *name;
	unsigned char slot;
	unsigned char pool; /* enum jfr_record; JFR_OTHER: a value */
	unsigned char form; /* of a value: enum jfr_form */
};
#define POOL(name, slot, record)      \
	{                             \
		name, slot, record, 0 \
	}
#define VALUE(name, slot, form)             \
	{                                   \
		name, slot, JFR_OTHER, form \
	}

static const struct jfr_want symbol_wants[] = {
	VALUE("string", SYMBOL_TEXT, JFR_TEXT),
	{ 0 },
};
static const struct jfr_want class_wants[] = {
	POOL("name", CLASS_NAME, JFR_SYMBOL),
	{ 0 },
};
static const struct jfr_want method_wants[] = {
	POOL("type", METHOD_CLASS, JFR_CLASS),
	POOL("name", METHOD_NAME, JFR_SYMBOL),
	POOL("descriptor", METHOD_DESCRIPTOR, JFR_SYMBOL),
	{ 0 },
};
static const struct jfr_want frame_type_wants[] = {
	VALUE("description", NAME_TEXT, JFR_TEXT),
	{ 0 },
};
static const struct jfr_want stack_wants[] = {
	VALUE("truncated", STACK_TRUNCATED, JFR_NUMBER),
	VALUE("frames", STACK_FRAMES, JFR_FIELDS),
	{ 0 },
};
static const struct jfr_want thread_wants[] = {
	VALUE("osName", THREAD_OS_NAME, JFR_TEXT),
	VALUE("osThreadId", THREAD_OS_ID, JFR_NUMBER),
	VALUE("javaName", THREAD_NAME, JFR_TEXT),
	VALUE("javaThreadId", THREAD_ID, JFR_NUMBER),
	{ 0 },
};
static const struct jfr_want state_wants[] = {
	VALUE("name", NAME_TEXT, JFR_TEXT),
	{ 0 },
};
static const struct jfr_want frame_wants[] = {
	POOL("method", FRAME_METHOD, JFR_METHOD),
	VALUE("lineNumber", FRAME_LINE, JFR_NUMBER),
	POOL("type", FRAME_TYPE, JFR_FRAME_TYPE),
	{ 0 },
};
static const struct jfr_want jvm_wants[] = {
	VALUE("jvmName", JVM_NAME, JFR_TEXT),
	VALUE("jvmVersion", JVM_VERSION, JFR_TEXT),
	VALUE("jvmArguments", JVM_ARGUMENTS, JFR_TEXT),
	VALUE("javaArguments", JVM_COMMAND, JFR_TEXT),
	VALUE("pid", JVM_PID, JFR_NUMBER),
	{ 0 },
};
static const struct jfr_want event_wants[] = {
	VALUE("startTime", EVENT_TIME, JFR_NUMBER),
	POOL("eventThread", EVENT_THREAD, JFR_THREAD),
	POOL("sampledThread", EVENT_THREAD, JFR_THREAD),
	POOL("stackTrace", EVENT_STACK, JFR_STACK),
	POOL("state", EVENT_STATE, JFR_STATE),
	POOL("objectClass", EVENT_CLASS, JFR_CLASS),
	POOL("monitorClass", EVENT_CLASS, JFR_CLASS),
	POOL("parkedClass", EVENT_CLASS, JFR_CLASS),
	POOL("thrownClass", EVENT_CLASS, JFR_CLASS),
	{ 0 },
};

static const struct record {
	const char *name;
	const struct jfr_want *want;
} records[JFR_EVENT] = {
	[JFR_STRING] = { "java.lang.String", NULL },
	[JFR_SYMBOL] = { "jdk.types.Symbol", symbol_wants },
	[JFR_CLASS] = { "java.lang.Class", class_wants },
	[JFR_METHOD] = { "jdk.types.Method", method_wants },
	[JFR_FRAME_TYPE] = { "jdk.types.FrameType", frame_type_wants },
	[JFR_STACK] = { "jdk.types.StackTrace", stack_wants },
	[JFR_THREAD] = { "java.lang.Thread", thread_wants },
	[JFR_STATE] = { "jdk.types.ThreadState", state_wants },
	[JFR_FRAME] = { "jdk.types.StackFrame", frame_wants },
	[JFR_JVM] = { "jdk.JVMInformation", jvm_wants },
};

/* Classes without fields: all others have some. */
static const struct {
	const char *name;
	enum jfr_form form;
	unsigned char width;
} primitives[] = {
	{ "boolean", JFR_NUMBER, 1 },
	{ "byte", JFR_NUMBER, 1 },
	{ "short", JFR_NUMBER, 2 },
	{ "char", JFR_NUMBER, 2 },
	{ "int", JFR_NUMBER, JFR_INT },
	{ "long", JFR_NUMBER, JFR_LONG },
	{ "float", JFR_FIXED, 4 },
	{ "double", JFR_FIXED, 8 },
	{ "java.lang.String", JFR_TEXT, 0 },
};

/* JDK 9 and 10 have other prefixes. */
static const struct {
	const char *old, *now;
} prefixes[] = {
	{ "com.oracle.jdk.", "jdk." },
	{ "com.oracle.jfr.types.", "jdk.types." },
};

static bool
is_class(struct cg_slice name, const char *want)
{
	struct cg_slice rest = name;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t len = strlen(prefixes[i].now);

		if (cg_take_prefix(&rest, prefixes[i].old))
			return strncmp(want, prefixes[i].now, len) == 0 &&
			       cg_equal(rest, want + len);
	}
	return cg_equal(name, want);
}

static unsigned char
find_record(struct cg_slice name)
{
	for (unsigned i = 0; i < JFR_EVENT; i++)
		if (is_class(name, records[i].name))
			return (unsigned char)i;
	for (unsigned i = 0; jfr_event_rows[i].type; i++)
		if (is_class(name, jfr_event_rows[i].type))
			return (unsigned char)(JFR_EVENT + i);
	return JFR_OTHER;
}

/*
 * Returns how the reader uses the field called "name" in a class of the kind
 * "record" (enum jfr_record). The result points to a constant table. NULL: the
 * reader does not need the field.
 */
static const struct jfr_want *
find_want(unsigned char record, struct cg_slice name)
{
	static const struct jfr_want weight =
	    VALUE(NULL, EVENT_WEIGHT, JFR_NUMBER);
	const struct jfr_want *want;

	if (record == JFR_OTHER)
		return NULL;
	want = record < JFR_EVENT ? records[record].want : event_wants;
	if (record >= JFR_EVENT) {
		const char *field = jfr_event_rows[record - JFR_EVENT].weight;

		if (field && cg_equal(name, field))
			return &weight;
	}
	while (want && want->name && !cg_equal(name, want->name))
		want++;
	return want && want->name ? want : NULL;
}

/* ---- The tree ----------------------------------------------------------- */

/*
 * Takes an index in the metadata's table of texts off *b. Sets *text to the
 * text with this index, valid until the next text is read. False: an error
 * (reported).
 */
static bool
take_string(struct jfr_chunk *chunk, struct jfr_bytes *b, struct cg_slice *text)
{
	const struct jfr_bytes at = *b;
	uint64_t index;

	if (!jfr_take_number(b, JFR_INT, &index) || index >= chunk->string.n)
		return jfr_expected(chunk, &at, "the number of a text");
	return jfr_get_text(chunk, chunk->string.at[index], text);
}

struct attributes {
	uint64_t id, type, dimension;
	unsigned char record, form, width;
	struct cg_slice name; /* valid until the next text */
	const struct jfr_want *want;
	bool pool;
};

static void
set_class_name(struct attributes *to, struct cg_slice name)
{
	to->record = find_record(name);
	for (size_t i = 0; i < sizeof(primitives) / sizeof(*primitives); i++) {
		if (!cg_equal(name, primitives[i].name))
			continue;
		to->form = (unsigned char)primitives[i].form;
		to->width = primitives[i].width;
	}
}

/*
 * Takes the attributes of an element of the metadata off *b, and stores known
 * ones in *to. class: the element is a class, else a field of a class whose
 * kind is record. False: an error (reported).
 */
static bool
take_attributes(struct jfr_chunk *chunk, struct jfr_bytes *b, bool class,
    unsigned char record, struct attributes *to)
{
	const struct jfr_bytes at = *b;
	struct cg_slice key = { 0 }, value = { 0 };
	uint64_t count;

	if (!jfr_take_number(b, JFR_INT, &count))
		return jfr_expected(chunk, &at, "a number of attributes");
	for (; count > 0; count--) {
		bool name, id, type, dimension, pool;

		if (!take_string(chunk, b, &key))
			return false;
		/* The key may be overwritten when the value is read. */
		name = cg_equal(key, "name");
		id = cg_equal(key, "id");
		type = cg_equal(key, "class");
		dimension = cg_equal(key, "dimension");
		pool = cg_equal(key, "constantPool");
		if (!take_string(chunk, b, &value))
			return false;
		if (name && class)
			set_class_name(to, value);
		else if (name)
			to->want = find_want(record, value);
		else if ((id && !cg_get_u64(value, &to->id)) ||
			 (type && !cg_get_u64(value, &to->type)) ||
			 (dimension && !cg_get_u64(value, &to->dimension)))
			return jfr_expected(chunk, &at, "a number as text");
		else if (pool)
			to->pool = cg_equal(value, "true");
	}
	return true;
}

static bool
add_class(struct jfr_chunk *chunk, struct jfr_bytes *b)
{
	struct attributes got = { .record = JFR_OTHER };
	struct jfr_class *new;
	uint32_t *index;

	if (!take_attributes(chunk, b, true, JFR_OTHER, &got))
		return false;
	index = cg_map_in(chunk->job, &chunk->class_ids, got.id);
	if (!index)
		return false;
	new = cg_push(chunk->job, &chunk->class);
	if (!new)
		return false;
	*new = (struct jfr_class){ .record = got.record,
		.form = got.form,
		.width = got.width,
		.first = (uint32_t)chunk->field.n };
	if (*index == 0)
		*index = (uint32_t)chunk->class.n;
	return true;
}

static bool
add_field(struct jfr_chunk *chunk, struct jfr_bytes *b)
{
	struct attributes got = { .record = JFR_OTHER };
	struct jfr_class *class;
	struct jfr_field *new;

	if (chunk->class.n == 0)
		return jfr_expected(chunk, b, "a field in a class");
	class = &chunk->class.at[chunk->class.n - 1];
	if (!take_attributes(chunk, b, false, class->record, &got))
		return false;
	new = cg_push(chunk->job, &chunk->field);
	if (!new)
		return false;
	*new = (struct jfr_field){ .type = got.type,
		.pool = got.pool,
		.array = got.dimension > 0,
		.want = got.want,
		.slot = JFR_NO_SLOT };
	class->fields++;
	return true;
}

static bool
take_element(struct jfr_chunk *chunk, struct jfr_bytes *b, unsigned depth)
{
	const struct jfr_bytes at = *b;
	struct attributes other = { .record = JFR_OTHER };
	struct cg_slice name = { 0 };
	uint64_t children = 0;
	bool good;

	if (depth > TREE_DEPTH)
		return jfr_expected(chunk, b, "fewer levels of elements");
	if (!take_string(chunk, b, &name))
		return false;
	if (cg_equal(name, "class"))
		good = add_class(chunk, b);
	else if (cg_equal(name, "field"))
		good = add_field(chunk, b);
	else
		good = take_attributes(chunk, b, true, JFR_OTHER, &other);
	if (good && !jfr_take_number(b, JFR_INT, &children))
		return jfr_expected(chunk, &at, "a whole element");
	for (; good && children > 0; children--)
		good = take_element(chunk, b, depth + 1);
	return good;
}

/* ---- The event ---------------------------------------------------------- */

static bool
read_strings(struct jfr_chunk *chunk, struct jfr_bytes *b)
{
	const struct jfr_bytes at = *b;
	struct jfr_text text;
	uint64_t count;

	if (!jfr_take_number(b, JFR_INT, &count))
		return jfr_expected(chunk, &at, "a number of texts");
	for (; count > 0; count--) {
		uint32_t *offset = cg_push(chunk->job, &chunk->string);

		if (!offset)
			return false;
		*offset = (uint32_t)(b->at - chunk->bytes.at);
		if (!jfr_take_text(b, &text))
			return jfr_expected(chunk, b, "a text");
	}
	return true;
}

/*
 * Returns true if the field's class has the form that field->want requires;
 * the reader can then use the field. Else the field has to be skipped.
 * field->want must not be NULL, and all classes must be known.
 */
static bool
is_wanted(const struct jfr_field *field, const struct jfr_class *class)
{
	const struct jfr_want *want = field->want;

	if (want->pool != JFR_OTHER)
		return field->pool && !field->array &&
		       class->record == want->pool;
	if (want->form == JFR_FIELDS)
		return !field->pool && field->array &&
		       class->record == JFR_FRAME;
	if (want->form == JFR_TEXT)
		return class->form == JFR_TEXT && !field->array;
	return !field->pool && !field->array && class->form == want->form;
}

static void
find_classes(struct jfr_chunk *chunk)
{
	for (size_t i = 0; i < chunk->class.n; i++) {
		unsigned char record = chunk->class.at[i].record;

		if (record < JFR_POOLS && chunk->pool[record] == 0)
			chunk->pool[record] = (uint32_t)(i + 1);
		if (record == JFR_FRAME && chunk->frame_class == 0)
			chunk->frame_class = (uint32_t)(i + 1);
	}
	for (size_t i = 0; i < chunk->field.n; i++) {
		struct jfr_field *field = &chunk->field.at[i];
		uint32_t index = cg_map_get(&chunk->class_ids, field->type);

		field->class = index;
		if (index != 0 && field->want &&
		    is_wanted(field, &chunk->class.at[index - 1]))
			field->slot = field->want->slot;
	}
}

const struct jfr_class *
jfr_find_class(const struct jfr_chunk *chunk, uint64_t id)
{
	uint32_t index = cg_map_get(&chunk->class_ids, id);

	return index != 0 ? &chunk->class.at[index - 1] : NULL;
}

bool
jfr_read_metadata(struct jfr_chunk *chunk)
{
	struct jfr_bytes b = jfr_bytes_at(chunk, chunk->metadata), at = b;
	uint64_t size, type, skip;

	if (!jfr_take_number(&b, JFR_INT, &size) ||
	    !jfr_take_number(&b, JFR_LONG, &type) || type != METADATA_TYPE ||
	    size > (uint64_t)(at.end - at.at))
		return jfr_expected(chunk, &at, "the metadata of the chunk");
	b.end = at.at + size;
	/* Skip start, duration and id. */
	for (int i = 0; i < 3; i++)
		if (b.at > b.end || !jfr_take_number(&b, JFR_LONG, &skip))
			return jfr_expected(
			    chunk, &at, "the metadata of the chunk");
	if (!read_strings(chunk, &b) || !take_element(chunk, &b, 0))
		return false;
	find_classes(chunk);
	return true;
}
