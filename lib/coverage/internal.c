/*
 * internal.c - functions of the compiler or the implementation, recognised by
 * their names.
 *
 * Source: gcovr 5.2 and 8, _function_can_be_excluded(), which looks at linker
 * names and at demangled ones.
 */
#include "coverage/coverage.h"

bool
cg_drops_internal(const struct cg_graph *graph, cg_fn fn)
{
	struct cg_slice symbol;

	if (!graph->excluded || !graph->excluded->internal_fns)
		return false;
	symbol = cg_fn_symbol(graph, fn);
	return cg_starts(symbol, "__") ||
	       cg_starts(symbol, "_GLOBAL__sub_I_") ||
	       cg_starts(cg_fn_name(graph, fn), "__");
}
