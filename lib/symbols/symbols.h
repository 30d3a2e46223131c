/*
 * symbols.h - floor 1 of the library: what ELF objects say of addresses.
 *
 * The rest of the interface is section "Symbols" of cgconv.h.
 */
#ifndef CG_SYMBOLS_H
#define CG_SYMBOLS_H

#include "base/base.h"
#include "cgconv_expert.h"

/*
 * Opens an object with its separate debug file and reads its symbols; lines
 * are read when first asked for. NULL: with CG_EINPUT in *status it cannot be
 * opened or is no linked ELF file (a warning unless quiet), with CG_ELIMIT
 * memory is out (an error).
 */
struct cg_symbols *cg_symbols_load(
    struct cg_diag *, const char *path, bool quiet, int *status);
void cg_symbols_free(struct cg_symbols *);
/*
 * CG_OK, or CG_ELIMIT once memory ran out in a question asked later: answers
 * since then were "not known". Nothing is reported.
 */
int cg_symbols_status(const struct cg_symbols *);

/*
 * demangle.c: the name demangled, interned in any case; CG_STR_NONE, NULL: no
 * memory.
 */
cg_str cg_demangle_str(struct cg_strs *, const char *name);
const char *cg_demangle_in(struct cg_strs *, const char *name);

#endif
