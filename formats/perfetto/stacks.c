/*
 * stacks.c - frames and call stacks of all sequences, each once; their nodes
 * in the graph are made at the end, when symbols of the file are known.
 */
#include "perfetto.h"

#define NODE_BYTES 64 /* about what a new node takes in memory */

static uint64_t
join(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* ---- Mappings ----------------------------------------------------------- */

/*
 * Adds a build-id as a name in hex digits. The bytes may already be text: at
 * least 32 hex digits. Such bytes, and more than 64 bytes, are taken as they
 * are.
 */
cg_name
perfetto_build_id(struct perfetto *r, struct cg_slice bytes)
{
	static const char digits[] = "0123456789abcdef";
	char hex[2 * 64];
	size_t n = 0;
	bool text = bytes.len >= 32;

	for (size_t i = 0; text && i < bytes.len; i++)
		text = bytes.ptr[i] != '\0' &&
		       strchr("0123456789abcdefABCDEF", bytes.ptr[i]) != NULL;
	if (text || bytes.len > sizeof(hex) / 2)
		return cg_add_name(r->build, bytes);
	for (size_t i = 0; i < bytes.len; i++) {
		hex[n++] = digits[(uint8_t)bytes.ptr[i] >> 4];
		hex[n++] = digits[bytes.ptr[i] & 15];
	}
	return cg_add_name(r->build, (struct cg_slice){ hex, n });
}

bool
perfetto_add_mapping(struct perfetto *r, const struct perfetto_mapping *mapping,
    uint32_t *number)
{
	struct perfetto_stacks *s = &r->stacks;
	uint32_t file, bias;

	if (!perfetto_number(
		r, &s->files, join(mapping->path, mapping->build_id), &file) ||
	    !perfetto_number(r, &s->wide, mapping->bias, &bias) ||
	    !perfetto_number(r, &s->mappings, join(file, bias), number))
		return false;
	return *number <= s->mapping.n ||
	       cg_append(r->job, &s->mapping, *mapping);
}

/* ---- Frames and stacks -------------------------------------------------- */

bool
perfetto_add_frame(
    struct perfetto *r, const struct perfetto_frame *frame, uint32_t *number)
{
	struct perfetto_stacks *s = &r->stacks;
	uint32_t name, place, addr, at;

	if (!perfetto_number(
		r, &s->names, join(frame->name, frame->source), &name) ||
	    !perfetto_number(r, &s->places,
		join(frame->line, frame->mapping << 1 | frame->inlined),
		&place) ||
	    !perfetto_number(r, &s->wide, frame->addr, &addr) ||
	    !perfetto_number(r, &s->named, join(name, place), &at) ||
	    !perfetto_number(r, &s->frames, join(at, addr), number))
		return false;
	return *number <= s->frame.n || cg_append(r->job, &s->frame, *frame);
}

bool
perfetto_add_stack(struct perfetto *r, uint32_t frame, uint32_t *stack)
{
	struct perfetto_stacks *s = &r->stacks;
	const struct perfetto_stack new = { .parent = *stack, .frame = frame };

	if (!perfetto_number(r, &s->stacks, join(*stack, frame), stack))
		return false;
	return *stack <= s->stack.n || cg_append(r->job, &s->stack, new);
}

/* ---- Symbols of the file ------------------------------------------------ */

static bool
read_symbol(
    struct perfetto *r, struct cg_slice message, struct perfetto_symbol *symbol)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == INLINE_FUNCTION && field.wire == WIRE_BYTES)
			symbol->name = cg_add_name(r->build, field.bytes);
		else if (field.number == INLINE_FILE &&
			 field.wire == WIRE_BYTES)
			symbol->source = cg_add_name(r->build, field.bytes);
		else if (field.number == INLINE_LINE)
			symbol->line = proto_line(field.value);
	}
	return true;
}

/*
 * Reads the symbols of one address of a file: a function with a line, or
 * several if functions are inlined there. "file" is the number of the file.
 * Appends the symbols to s->symbol, and marks the last one. They replace
 * earlier symbols of that address. If there are no symbols, changes nothing.
 * False: an error (reported).
 */
static bool
read_address(struct perfetto *r, struct cg_slice message, uint32_t file)
{
	struct perfetto_stacks *s = &r->stacks;
	size_t first = s->symbol.n;
	uint64_t addr = 0;
	struct proto_field field;
	uint32_t number, *at;

	while (message.len > 0) {
		struct perfetto_symbol symbol = { 0 };

		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == SYMBOLS_AT)
			addr = field.value;
		if (field.number != SYMBOLS_LINE || field.wire != WIRE_BYTES)
			continue;
		if (!read_symbol(r, field.bytes, &symbol) ||
		    !cg_append(r->job, &s->symbol, symbol))
			return false;
	}
	if (first == s->symbol.n)
		return true;
	s->symbol.at[s->symbol.n - 1].last = true;
	if (!perfetto_number(r, &s->wide, addr, &number))
		return false;
	at = cg_map_in(r->job, &s->symbol_ids, join(file, number));
	if (!at)
		return false;
	*at = (uint32_t)first + 1;
	return true;
}

bool
perfetto_read_symbols(struct perfetto *r, struct cg_slice message)
{
	struct cg_slice rest = message;
	struct proto_field field;
	cg_name path = 0, build_id = 0;
	uint32_t file;

	while (rest.len > 0) {
		if (!perfetto_take(r, &rest, &field))
			return false;
		if (field.wire != WIRE_BYTES)
			continue;
		if (field.number == SYMBOLS_PATH)
			path = cg_add_name(r->build, field.bytes);
		else if (field.number == SYMBOLS_BUILD_ID)
			build_id = perfetto_build_id(r, field.bytes);
	}
	if (!perfetto_number(r, &r->stacks.files, join(path, build_id), &file))
		return false;
	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == SYMBOLS_ADDRESS &&
		    field.wire == WIRE_BYTES &&
		    !read_address(r, field.bytes, file))
			return false;
	}
	return true;
}

/*
 * Returns the first of the trace's symbols for the address of a frame. The
 * symbols are adjacent, up to the one marked as last. NULL: none.
 */
static const struct perfetto_symbol *
find_symbols(
    const struct perfetto_stacks *s, const struct perfetto_frame *frame)
{
	const struct perfetto_mapping *mapping;
	uint32_t file, addr, first;

	if (frame->mapping == 0 || s->symbol.n == 0)
		return NULL;
	mapping = &s->mapping.at[frame->mapping - 1];
	file =
	    cg_map_get(&s->files.ids, join(mapping->path, mapping->build_id));
	addr = cg_map_get(&s->wide.ids, frame->addr);
	first = cg_map_get(&s->symbol_ids, join(file, addr));
	return first ? &s->symbol.at[first - 1] : NULL;
}

/* ---- Nodes -------------------------------------------------------------- */

/*
 * Adds a description of the profile with the path and build-id of a mapping.
 * It has the form of the pprof reader's descriptions. Its range is 0, because
 * frames have addresses in the file, not in the process. Does nothing if the
 * build-id is unknown. False: out of memory (reported).
 */
static bool
describe_mapping(struct perfetto *r, const struct cg_mapping *mapping)
{
	const struct cg_slice head = cg_slice("0x0-0x0 0x0 0x0 ");
	size_t len = head.len + mapping->build_id.len + 1 + mapping->path.len;
	char *text;

	if (mapping->build_id.len == 0)
		return true;
	text = cg_alloc(r->job, len);
	if (!text)
		return false;
	memcpy(text, head.ptr, head.len);
	memcpy(text + head.len, mapping->build_id.ptr, mapping->build_id.len);
	text[head.len + mapping->build_id.len] = ' ';
	memcpy(text + len - mapping->path.len, mapping->path.ptr,
	    mapping->path.len);
	cg_add_desc(r->build, cg_slice(PROTO_KEY_MAPPING),
	    (struct cg_slice){ text, len });
	return true;
}

/*
 * Adds a mapping to the address space, which finds symbols by address, and
 * stores its number there in mapping->number. Also adds a description of the
 * mapping to the graph. Does nothing if the mapping has a number. False: out
 * of memory (reported).
 */
static bool
place_mapping(struct perfetto *r, struct perfetto_mapping *mapping)
{
	/* Addresses of frames are those in the file: the bias becomes 0. */
	const struct cg_mapping added = { .start = mapping->bias,
		.limit = UINT64_MAX,
		.path = cg_get_name(r->build, mapping->path),
		.build_id = cg_get_name(r->build, mapping->build_id),
		.from = CG_FROM_PROCESS };

	if (mapping->number != 0)
		return true;
	if (!r->stacks.space)
		r->stacks.space = cg_space_new(r->job, r->build);
	if (!r->stacks.space)
		return false;
	mapping->number = cg_space_add(r->stacks.space, &added);
	return mapping->number != 0 && describe_mapping(r, &added);
}

/*
 * Adds a frame to the graph as a callee of *node, and sets *node to the new
 * node. "at" is a symbol with function, file and line.
 */
static void
put_fn(struct perfetto *r, const struct perfetto_symbol *at, uint64_t addr,
    cg_object object, bool inlined, cg_node *node)
{
	cg_name name = cg_add_demangled(r->build, at->name);
	const struct cg_pos pos = { .file = cg_add_file(r->build,
					cg_get_name(r->build, at->source)),
		.line = at->line,
		.addr = addr };
	cg_fn fn = cg_add_fn_symbol(
	    r->build, name, pos.file, object, name == at->name ? 0 : at->name);

	*node = cg_add_frame(r->build, *node, fn, &pos, inlined);
}

/*
 * Adds a frame for each function at an address to the graph, as callees of
 * *node. symbol[0] is the innermost; *node becomes its node. The file lists
 * the functions of an address once, but each stack gets nodes for all of them.
 * So it is an error if inlined functions get more nodes than the file's size
 * allows. The outermost function is not counted, as each stack has bytes of
 * its own for it. False: too many nodes (reported).
 */
static bool
put_symbols(struct perfetto *r, const struct perfetto_symbol *symbol,
    uint64_t addr, cg_object object, cg_node *node)
{
	size_t n = 1;

	while (!symbol[n - 1].last)
		n++;
	r->stacks.expanded += (n - 1) * NODE_BYTES;
	if (cg_is_bomb(
		r->stacks.expanded, cg_in_offset(r->in), CG_EXPANSION_HELD))
		return cg_reject(r->job,
		    "expected fewer inlined frames: those of the stacks would "
		    "take more than %d times the size of the file",
		    CG_EXPANSION_HELD);
	for (size_t i = n; i > 0; i--)
		put_fn(r, &symbol[i - 1], addr, object, i < n, node);
	return true;
}

/*
 * Adds a frame to the graph as a callee of *node, and sets *node to the
 * frame's node. If functions are inlined at the frame's address, adds a frame
 * for each, and sets *node to the innermost one. Names come from the trace's
 * symbols, else from the frame, else from the executable's symbols. False: an
 * error (reported).
 */
static bool
put_frame(struct perfetto *r, const struct perfetto_frame *frame, cg_node *node)
{
	struct perfetto_stacks *s = &r->stacks;
	const struct perfetto_symbol *symbol = find_symbols(s, frame);
	struct perfetto_mapping *mapping =
	    frame->mapping ? &s->mapping.at[frame->mapping - 1] : NULL;
	const struct perfetto_symbol own = { .name = frame->name,
		.source = frame->source,
		.line = frame->line };
	struct cg_stack found[CG_FRAME_MAX];
	cg_object object = 0;
	size_t n;

	if (mapping && !place_mapping(r, mapping))
		return false;
	if (mapping)
		object = cg_space_object(s->space, mapping->number);
	if (symbol)
		return put_symbols(r, symbol, frame->addr, object, node);
	if (frame->name != 0 || !mapping) {
		put_fn(r, &own, frame->addr, object, frame->inlined, node);
		return true;
	}
	n = cg_space_frames(s->space, mapping->number, frame->addr, found);
	for (; n > 0; n--)
		*node = cg_add_frame(r->build, *node, found[n - 1].fn,
		    &found[n - 1].pos, found[n - 1].inlined);
	return true;
}

bool
perfetto_add_nodes(struct perfetto *r)
{
	struct perfetto_stacks *s = &r->stacks;

	for (size_t i = 0; i < r->sums.pair.n; i++) {
		uint32_t stack = r->sums.pair.at[i].stack;

		if (stack != 0)
			s->stack.at[stack - 1].used = true;
	}
	/* Callers come before callees. */
	for (size_t i = s->stack.n; i > 0; i--) {
		const struct perfetto_stack *stack = &s->stack.at[i - 1];

		if (stack->used && stack->parent != 0)
			s->stack.at[stack->parent - 1].used = true;
	}
	for (size_t i = 0; i < s->stack.n; i++) {
		struct perfetto_stack *stack = &s->stack.at[i];

		if (!stack->used)
			continue;
		if (stack->parent != 0)
			stack->node = s->stack.at[stack->parent - 1].node;
		if (!put_frame(r, &s->frame.at[stack->frame - 1], &stack->node))
			return false;
	}
	return cg_build_status(r->build) == CG_OK;
}
