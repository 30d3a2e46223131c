/*
 * stacks.c - turns stacks of a chunk into stacks of functions.
 *
 * A function is named as Java's users know it: package.Class.method. Overloads
 * have the same name, and their descriptor in the linker name:
 * package.Class.method(I)V. async-profiler's frames of native code have no
 * class; frames of the kernel are functions of the object [kernel]. A
 * compiler's inlining survives; whether code was interpreted or compiled is
 * lost.
 */
#include "jfr.h"

#define UNKNOWN "[unknown]"
#define KERNEL "[kernel]"

/* The kind of a frame by its type; the names are those of both producers. */
enum kind { OTHER = 1, INLINED, MAYBE_NATIVE, NATIVE, IN_KERNEL };
static const struct {
	const char *name;
	enum kind kind;
} kinds[] = {
	{ "Inlined", INLINED },
	{ "Native", MAYBE_NATIVE },
	{ "C++", NATIVE },
	{ "Kernel", IN_KERNEL },
};

/* A frame, leaf first. */
struct jfr_frame {
	cg_fn fn;
	uint32_t line;
	bool inlined;
};

/*
 * The JDK's type Native is a Java method that is written in another language;
 * async-profiler's is a function of native code. Only the JDK's has a class.
 */
#define KERNEL_KEY 5 /* of the frame type that only async-profiler has */
static bool
is_async_profiler(struct jfr_chunk *chunk)
{
	cg_name name;

	return jfr_get_constant_text(chunk, JFR_FRAME_TYPE,
		   jfr_find_constant(chunk, JFR_FRAME_TYPE, KERNEL_KEY),
		   &name) &&
	       cg_equal(cg_get_name(chunk->build, name), "Kernel");
}

static enum kind
kind_of(struct jfr_chunk *chunk, uint64_t type)
{
	cg_name name;
	struct cg_slice text;

	if (!jfr_get_constant_text(chunk, JFR_FRAME_TYPE, type, &name))
		return OTHER;
	text = cg_get_name(chunk->build, name);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!cg_equal(text, kinds[i].name))
			continue;
		if (kinds[i].kind == MAYBE_NATIVE)
			return is_async_profiler(chunk) ? NATIVE : OTHER;
		return kinds[i].kind;
	}
	return OTHER;
}

/* ---- Names -------------------------------------------------------------- */

static const char *
primitive_name(char letter)
{
	static const char *const names[] = { "Bbyte", "Cchar", "Ddouble",
		"Ffloat", "Iint", "Jlong", "Sshort", "Zboolean" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (*names[i] == letter)
			return names[i] + 1;
	return NULL;
}

/*
 * Appends a text to chunk->name, the name that is being joined. False: the
 * names get too long for the file's size, or out of memory (reported).
 */
static bool
append(struct jfr_chunk *chunk, struct cg_slice text)
{
	if (!jfr_expand(chunk, text.len) ||
	    !cg_reserve(chunk->job, &chunk->name, chunk->name.n + text.len + 1))
		return false;
	if (text.len > 0)
		memcpy(chunk->name.at + chunk->name.n, text.ptr, text.len);
	chunk->name.n += text.len;
	return true;
}

static cg_name
add_joined(struct jfr_chunk *chunk)
{
	return cg_add_name(
	    chunk->build, (struct cg_slice){ chunk->name.at, chunk->name.n });
}

/*
 * Converts the name of a class from the JVM's notation ("stored") to Java's.
 * Adds the result to the graph's names, and sets *name to it.
 * "java/lang/Thread" gets dots, "[I" becomes int[], "[Lx/Y;" becomes x.Y[].
 * False: an error (reported).
 */
static bool
join_class(struct jfr_chunk *chunk, struct cg_slice stored, cg_name *name)
{
	const char *primitive = NULL;
	size_t levels = 0;

	chunk->name.n = 0;
	while (cg_take_char(&stored, '['))
		levels++;
	if (levels > 0 && stored.len == 1)
		primitive = primitive_name(*stored.ptr);
	else if (levels > 0 && cg_take_char(&stored, 'L') && stored.len > 0 &&
		 stored.ptr[stored.len - 1] == ';')
		stored.len--;
	if (!append(chunk, primitive ? cg_slice(primitive) : stored))
		return false;
	for (size_t i = 0; i < chunk->name.n; i++)
		if (chunk->name.at[i] == '/')
			chunk->name.at[i] = '.';
	for (; levels > 0; levels--)
		if (!append(chunk, cg_slice("[]")))
			return false;
	*name = add_joined(chunk);
	return true;
}

bool
jfr_get_class_name(struct jfr_chunk *chunk, uint64_t index, cg_name *name)
{
	struct jfr_constant *constant;
	uint64_t slot[JFR_SLOTS];
	cg_name stored;

	*name = 0;
	if (index == 0)
		return true;
	constant = &chunk->constant.at[index - 1];
	if (!constant->known) {
		if (!jfr_get_constant(chunk, JFR_CLASS, index, slot) ||
		    !jfr_get_constant_text(
			chunk, JFR_SYMBOL, slot[CLASS_NAME], &stored) ||
		    !join_class(chunk, cg_get_name(chunk->build, stored), name))
			return false;
		constant->made = *name;
		constant->known = true;
	}
	*name = constant->made;
	return true;
}

/*
 * Sets name[0] to package.Class.method, or to the method alone if its class is
 * unknown. Sets name[1], the linker name, to the same with the descriptor of
 * the method's parameters. False: an error (reported).
 */
static bool
join_method(struct jfr_chunk *chunk, cg_name class, cg_name method,
    cg_name descriptor, cg_name name[2])
{
	const struct cg_slice none = { "", 0 };

	chunk->name.n = 0;
	if (!append(chunk, cg_get_name(chunk->build, class)) ||
	    !append(chunk, class && method ? cg_slice(".") : none) ||
	    !append(chunk, cg_get_name(chunk->build, method)))
		return false;
	name[0] = add_joined(chunk);
	if (!append(chunk, cg_get_name(chunk->build, descriptor)))
		return false;
	name[1] = add_joined(chunk);
	return true;
}

static cg_fn
unknown_fn(struct jfr_chunk *chunk)
{
	return cg_add_fn(chunk->build, cg_slice(UNKNOWN), 0, 0);
}

/*
 * Adds the function of a method to the graph, and sets *fn. index: index + 1
 * of the method's constant. The class of a native frame is its library, and
 * becomes the object. Without a name, *fn is the unknown function. False: an
 * error (reported).
 */
static bool
make_fn(struct jfr_chunk *chunk, uint64_t index, enum kind kind, cg_fn *fn)
{
	cg_name class, method, descriptor, name[2];
	uint64_t slot[JFR_SLOTS];
	cg_object object = 0;

	if (!jfr_get_constant(chunk, JFR_METHOD, index, slot) ||
	    !jfr_get_class_name(chunk, slot[METHOD_CLASS], &class) ||
	    !jfr_get_constant_text(
		chunk, JFR_SYMBOL, slot[METHOD_NAME], &method) ||
	    !jfr_get_constant_text(
		chunk, JFR_SYMBOL, slot[METHOD_DESCRIPTOR], &descriptor))
		return false;
	if (kind == NATIVE || kind == IN_KERNEL) {
		object = cg_add_object(chunk->build,
		    kind == IN_KERNEL ? cg_slice(KERNEL)
				      : cg_get_name(chunk->build, class));
		class = descriptor = 0;
	}
	if (!join_method(chunk, class, method, descriptor, name))
		return false;
	if (name[0] == 0)
		*fn = unknown_fn(chunk);
	else if (class == 0)
		*fn = cg_add_fn_symbol(chunk->build,
		    cg_add_demangled(chunk->build, name[0]), 0, object,
		    name[0]);
	else
		*fn =
		    cg_add_fn_symbol(chunk->build, name[0], 0, object, name[1]);
	return true;
}

static bool
get_fn(struct jfr_chunk *chunk, uint64_t index, enum kind kind, cg_fn *fn)
{
	if (index == 0) {
		*fn = unknown_fn(chunk);
		return true;
	}
	if (chunk->constant.at[index - 1].made == 0) {
		if (!make_fn(chunk, index, kind, fn))
			return false;
		chunk->constant.at[index - 1].made = *fn;
	}
	*fn = chunk->constant.at[index - 1].made;
	return true;
}

/* ---- Stacks ------------------------------------------------------------- */

static bool
take_frame(struct jfr_chunk *chunk, const struct jfr_class *class,
    struct jfr_bytes *b, struct jfr_frame *frame)
{
	uint64_t slot[JFR_SLOTS];
	enum kind kind;

	if (!jfr_take_record(chunk, class, b, slot))
		return false;
	kind = kind_of(chunk, slot[FRAME_TYPE]);
	frame->inlined = kind == INLINED;
	/* A native method has line -1. */
	frame->line =
	    slot[FRAME_LINE] <= INT32_MAX ? (uint32_t)slot[FRAME_LINE] : 0;
	return get_fn(chunk, slot[FRAME_METHOD], kind, &frame->fn);
}

/*
 * Reads all frames of the stack at an offset of the chunk, leaf first, into
 * chunk->frame. Offset 0: no frames. False: an error in a frame (reported), or
 * no stack is there (not reported).
 */
static bool
take_frames(struct jfr_chunk *chunk, uint64_t at)
{
	struct jfr_bytes b = jfr_bytes_at(chunk, at);
	const struct jfr_class *class;
	struct jfr_frame *frame;
	uint64_t count = 0;

	chunk->frame.n = 0;
	if (at == 0)
		return true;
	/* Without that class, the field is not one of stacks. */
	if (chunk->frame_class == 0 || !jfr_take_number(&b, JFR_INT, &count))
		return false;
	class = &chunk->class.at[chunk->frame_class - 1];
	while (chunk->frame.n < count) {
		frame = cg_push(chunk->job, &chunk->frame);
		if (!frame || !take_frame(chunk, class, &b, frame))
			return false;
	}
	return true;
}

static cg_node
add_frames(struct jfr_chunk *chunk, size_t n)
{
	struct cg_pos pos = { 0 };
	cg_node node = 0;

	if (n == 0)
		return cg_add_frame(
		    chunk->build, 0, unknown_fn(chunk), &pos, false);
	while (n-- > 0) {
		const struct jfr_frame *frame = &chunk->frame.at[n];

		pos.line = frame->line;
		node = cg_add_frame(chunk->build, node, frame->fn, &pos,
		    node != 0 && frame->inlined);
	}
	return node;
}

cg_node
jfr_get_stack(struct jfr_chunk *chunk, uint64_t index, bool *truncated)
{
	struct jfr_constant *constant;
	uint64_t slot[JFR_SLOTS];

	*truncated = false;
	if (index == 0)
		return add_frames(chunk, 0);
	constant = &chunk->constant.at[index - 1];
	if (constant->made == 0) {
		if (!jfr_get_constant(chunk, JFR_STACK, index, slot) ||
		    !take_frames(chunk, slot[STACK_FRAMES]))
			return 0;
		constant->truncated = slot[STACK_TRUNCATED] != 0;
		constant->made = add_frames(chunk, chunk->frame.n);
	}
	*truncated = constant->truncated;
	return constant->made;
}
