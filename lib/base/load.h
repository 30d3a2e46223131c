/*
 * load.h - shared libraries that are loaded when they are first needed.
 *
 * libxml2 and libarchive depend on ICU, libstdc++ and others. Loading them
 * takes longer than a small conversion, and most conversions use neither.
 * Loading libdw takes a seventh of the time of one.
 *
 * A library is a list of its functions, LIST(X) X(function) X(function) ...
 *
 *	struct library { LIST(CG_LOAD_MEMBER) };
 *	static const struct cg_loadable symbols[] = { LIST(CG_LOAD_NAME) };
 */
#ifndef CG_LOAD_H
#define CG_LOAD_H

#include <stddef.h>

/* NOLINTNEXTLINE(bugprone-macro-parentheses): it declares a name */
#define CG_LOAD_MEMBER(name) __typeof__(name) *name;
#ifdef CG_LINKED /* the libraries are in the program, and are not loaded */
#define CG_LOAD_NAME(name) { #name, (void (*)(void))name },
#else
#define CG_LOAD_NAME(name) { #name, NULL },
#endif

struct cg_loadable {
	const char *name;
	void (*function)(void); /* with CG_LINKED */
};

/*
 * Loads the library with that soname and stores the addresses of count
 * functions in functions, an array of pointers to functions or a struct of
 * them. Returns NULL, or the reason of a failure, which is valid until the
 * next dlopen() or similar call in this thread. A library stays loaded.
 */
const char *cg_load(const char *soname, const struct cg_loadable *symbol,
    size_t count, void *functions);

#endif
