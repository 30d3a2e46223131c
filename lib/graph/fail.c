/*
 * fail.c - errors of graphs and builders.
 *
 * Only the first error is kept. A cursor reports its error at once and stores
 * the status in *graph->fault. A builder keeps the message until its reader,
 * which knows the location in the input, calls cg_build_failed().
 */
#include <stdio.h>

#include "graph/build.h"

void
cg_graph_nomem(const struct cg_graph *graph)
{
	if (*graph->fault != CG_OK)
		return;
	*graph->fault = CG_ELIMIT;
	cg_diag_say(graph->diag, CG_ERROR, NULL, "out of memory");
}

bool
cg_graph_failed(const struct cg_graph *graph)
{
	if (*graph->fault == CG_OK && cg_diag_stopped(graph->diag)) {
		*graph->fault = CG_EOUTPUT;
		cg_diag_say(graph->diag, CG_ERROR, NULL, "interrupted");
	}
	return *graph->fault != CG_OK;
}

void
cg_graph_overflow(const struct cg_graph *graph, const char *what)
{
	if (*graph->fault != CG_OK)
		return;
	*graph->fault = CG_EINPUT;
	cg_diag_say(
	    graph->diag, CG_ERROR, NULL, "the sum of %s exceeds 64 bits", what);
}

/* ---- Builders ----------------------------------------------------------- */

int
cg_build_status(const struct cg_build *build)
{
	return build->status;
}

void
cg_build_fail(struct cg_build *build, const char *fmt, ...)
{
	va_list args;

	if (build->status != CG_OK)
		return;
	build->status = CG_EINPUT;
	va_start(args, fmt);
	(void)vsnprintf(build->failure, sizeof(build->failure), fmt, args);
	va_end(args);
}

int
cg_build_failed(struct cg_build *build, const char *at)
{
	struct cg_location location = { 0 };

	if (!build->failure[0])
		return build->status;
	if (build->in)
		cg_in_locate(build->in, at, &location);
	cg_diag_say(
	    build->graph->diag, CG_ERROR, &location, "%s", build->failure);
	build->failure[0] = '\0';
	return build->status;
}

void
cg_build_nomem(struct cg_build *build)
{
	if (build->status != CG_OK)
		return;
	cg_graph_nomem(build->graph);
	build->status = *build->graph->fault;
}

bool
cg_build_refuse(struct cg_build *build, uint32_t id, const char *what)
{
	if (build->status != CG_OK)
		return false;
	cg_build_fail(build, "internal error: %s %lu does not exist", what,
	    (unsigned long)id);
	build->status = CG_EBUG;
	return false;
}
