/*
 * demangle.c - demangles names of C++, Rust and D with libiberty, and of Java.
 *
 * Names come from the input, and a back reference in a mangled name may double
 * the result: 250 bytes can become 200 MB. libiberty limits depth, not length,
 * and except in its interfaces with callbacks it ends the process when memory
 * runs out.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/symbols.h"

/* Longer names stay mangled. */
#define NAME_MAX_SHOWN ((size_t)64 << 10)
/*
 * Limits for names of D, whose demangler has no callback. With so few back
 * references the result is at most some hundred times as long as the name;
 * real names have a few.
 */
#define D_LENGTH_MAX 1024
#define D_REFERENCES_MAX 16

struct text {
	char *ptr;
	size_t len, cap;
	bool nomem, too_long;
	jmp_buf stop;
};

/*
 * Stops a demangler by longjmp(), as its callback cannot return an error. Does
 * nothing at a piece that is not ASCII. There the Rust demangler may have
 * memory that would leak, as it decodes punycode.
 */
static void
stop(struct text *text, const char *piece, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)piece[i] >= 0x80)
			return;
	}
	longjmp(text->stop, 1);
}

static void
add_piece(const char *piece, size_t len, void *arg)
{
	struct text *text = arg;

	if (len == 0)
		return; /* there may be no text yet */
	if (!text->too_long && !text->nomem) {
		if (len >= NAME_MAX_SHOWN - text->len)
			text->too_long = true;
		else if (!cg_grow(&text->ptr, &text->cap, text->len + len, 1))
			text->nomem = true;
	}
	if (text->too_long || text->nomem) {
		stop(text, piece, len);
		return;
	}
	memcpy(text->ptr + text->len, piece, len);
	text->len += len;
}

/*
 * True if a name that begins with "_" may be one of Rust: it begins with "_R",
 * or has "17h", which begins the hash in a legacy name ("_ZN...17h").
 */
static bool
may_be_rust(const char *name)
{
	return name[1] == 'R' || strstr(name, "17h");
}

static bool
demangle(struct text *text, const char *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(text->stop) != 0)
		return false;
	/* Try Rust first: its legacy names look like those of C++. */
	if (may_be_rust(name) &&
	    rust_demangle_callback(name, options, add_piece, text))
		return !text->too_long && !text->nomem;
	text->len = 0;
	return name[1] != 'R' &&
	       cplus_demangle_v3_callback(name, options, add_piece, text) &&
	       !text->too_long && !text->nomem;
}

/*
 * Returns the demangled name of a symbol of D, to be freed. NULL: it is not
 * one, or is too long or complex. libiberty ends the process when memory runs
 * out, so the limits are needed.
 */
static char *
demangle_d(const char *name)
{
	size_t references = 0, i;

	for (i = 0; name[i] != '\0'; i++)
		references += name[i] == 'Q';
	if (i > D_LENGTH_MAX || references > D_REFERENCES_MAX)
		return NULL;
	return dlang_demangle(name, DMGL_PARAMS | DMGL_ANSI);
}

/*
 * Sets *result to the demangled name, or to name if it cannot be demangled.
 * *result may point into *made, which the caller frees, also after a failure.
 * False: out of memory.
 */
static bool
demangle_any(const char *name, struct cg_slice *result, char **made)
{
	struct text text = { 0 };

	*result = cg_slice(name);
	*made = NULL;
	if (!cg_may_be_mangled(*result))
		return true;
	if (name[0] != '_') {
		text.ptr = malloc(result->len + 1);
		text.nomem = !text.ptr;
		if (text.ptr && cg_demangle_java(name, text.ptr))
			*result = cg_slice(text.ptr);
	} else if (name[1] == 'D') {
		text.ptr = demangle_d(name);
		if (text.ptr)
			*result = cg_slice(text.ptr);
	} else if (demangle(&text, name) && text.len > 0) {
		*result = (struct cg_slice){ text.ptr, text.len };
	}
	*made = text.ptr;
	return !text.nomem;
}

cg_str
cg_demangle_str(struct cg_strs *strs, const char *name)
{
	struct cg_slice result;
	char *made;
	cg_str str = CG_STR_NONE;

	if (demangle_any(name, &result, &made))
		str = cg_strs_add(strs, result);
	free(made);
	return str;
}

const char *
cg_demangle_in(struct cg_strs *strs, const char *name)
{
	cg_str str = cg_demangle_str(strs, name);

	return str == CG_STR_NONE ? NULL : cg_strs_get(strs, str).ptr;
}

char *
cg_demangle_copy(struct cg_slice name)
{
	char *mangled = strndup(name.ptr, name.len), *made, *copy = NULL;
	struct cg_slice result;

	if (!mangled)
		return NULL;
	if (demangle_any(mangled, &result, &made))
		copy = strndup(result.ptr, result.len);
	free(made);
	free(mangled);
	return copy;
}
