/*
 * load.c - shared libraries that are loaded when they are first needed.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "base/load.h"

#ifdef CG_LINKED
const char *
cg_load(const char *soname, const struct cg_loadable *symbol, size_t count,
    void *functions)
{
	(void)soname;
	for (size_t i = 0; i < count; i++)
		memcpy((char *)functions + i * sizeof(symbol->function),
		    &symbol[i].function, sizeof(symbol->function));
	return NULL;
}
#else
/*
 * POSIX guarantees that a function's address fits into the pointer that
 * dlsym() returns.
 */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "addresses");

const char *
cg_load(const char *soname, const struct cg_loadable *symbol, size_t count,
    void *functions)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_NODELETE);
	const char *reason = NULL;

	if (!library)
		return dlerror();
	for (size_t i = 0; i < count && !reason; i++) {
		void *address = dlsym(library, symbol[i].name);

		if (!address)
			reason = dlerror();
		memcpy((char *)functions + i * sizeof(address), &address,
		    sizeof(address));
	}
	/* Only on success: after a failure this would free the reason. */
	if (!reason)
		(void)dlclose(library);
	return reason;
}
#endif
