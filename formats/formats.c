/*
 * formats.c - the table of all formats, generated from formats.def.
 */
#include "cgconv.h"

#define FORMAT(name) extern const struct cg_module cg_format_##name;
#include "formats.def"
#undef FORMAT

#define FORMAT(name) &cg_format_##name,
const struct cg_module *const *
cg_formats(void)
{
	static const struct cg_module *const table[] = {
#include "formats.def"
		NULL
	};

	return table;
}
