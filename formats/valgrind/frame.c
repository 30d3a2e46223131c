/*
 * frame.c - the function and the source line of an address, in the form that
 * Valgrind prints.
 *
 * Source: VG_(describe_IP) in coregrind/m_debuginfo/debuginfo.c of Valgrind
 * 3.19. Addresses are those of the process, not of the object file: they
 * distinguish frames and are then dropped.
 */
#include "valgrind.h"

void
valgrind_set_frame(struct cg_build *build, struct cg_space *space,
    struct valgrind_frame *frame, cg_name name, cg_file file, uint32_t line,
    cg_object object)
{
	char text[CG_NUMBER_MAX], *end;

	if (name == 0 || cg_equal(cg_get_name(build, name), "???")) {
		(void)cg_space_symbols(space, 0, frame->addr, NULL);
		end = cg_format_hex(text, frame->addr);
		name = cg_add_name(
		    build, (struct cg_slice){ text, (size_t)(end - text) });
	}
	frame->pos = (struct cg_pos){ .file = file, .line = line };
	frame->fn = cg_add_fn_named(build, name, file, object);
}

/*
 * Splits "file.c:12" at the last colon into *file and *line. False: another
 * form, and both are unchanged.
 */
static bool
split_line(struct cg_slice text, struct cg_slice *file, uint32_t *line)
{
	size_t colon = text.len;
	struct cg_slice digits;
	uint64_t number;

	while (colon > 0 && text.ptr[colon - 1] != ':')
		colon--;
	if (colon < 2)
		return false;
	digits = (struct cg_slice){ text.ptr + colon, text.len - colon };
	if (!cg_get_u64(digits, &number) || number > UINT32_MAX)
		return false;
	*file = (struct cg_slice){ text.ptr, colon - 1 };
	*line = (uint32_t)number;
	return true;
}

bool
valgrind_take_frame(struct cg_build *build, struct cg_space *space,
    struct cg_slice text, struct valgrind_frame *frame)
{
	struct cg_slice name, where, file = { 0 }, object = { 0 };
	uint32_t line = 0;
	size_t at;

	*frame = (struct valgrind_frame){ 0 };
	if (!cg_starts(text, "0x") || !cg_take_u64(&text, &frame->addr) ||
	    !cg_take_prefix(&text, ": "))
		return false;
	name = cg_trim(text);
	/* The last group in parentheses: paths do not contain " (". */
	for (at = name.len; at > 1; at--)
		if (name.ptr[at - 2] == ' ' && name.ptr[at - 1] == '(')
			break;
	if (at > 1 && name.ptr[name.len - 1] == ')') {
		where = (struct cg_slice){ name.ptr + at, name.len - at - 1 };
		if (cg_take_prefix(&where, "in "))
			object = where;
		if (object.len > 0 || split_line(where, &file, &line))
			name.len = at - 2;
	}
	valgrind_set_frame(build, space, frame, cg_add_name(build, name),
	    cg_add_file(build, file), line, cg_add_object(build, object));
	return true;
}
