/*
 * libdw.c - loads libdw.
 */
#include <pthread.h>
#include <stdio.h>

#include "symbols/libdw.h"

struct cg_libdw cg_dw;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[512]; /* "": it was loaded */

static void
load(void)
{
	static const struct cg_loadable symbol[] = { CG_LIBDW(CG_LOAD_NAME) };
	const char *reason = cg_load(
	    CG_LIBDW_SONAME, symbol, sizeof(symbol) / sizeof(*symbol), &cg_dw);

	if (reason)
		(void)snprintf(failure, sizeof(failure), "%s", reason);
}

const char *
cg_libdw_load(void)
{
	(void)pthread_once(&once, load);
	return *failure ? failure : NULL;
}
