/*
 * ghc.h - profiles of Haskell programs by GHC, as a table or as JSON.
 *
 *	ghc.c         detection
 *	ghc_text.c    the table of +RTS -p, -P, -pa
 *	ghc_json.c    the document of +RTS -pj
 *	ghc_centre.c  a cost centre as a function, with its costs and entries
 */
#ifndef FORMATS_TABLES_GHC_H
#define FORMATS_TABLES_GHC_H

#include "tables.h"

struct ghc {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	char *name; /* a function's, while it is joined */
	size_t name_cap;
};

/* A cost centre on a stack of others. */
struct ghc_centre {
	struct cg_slice name, module, place; /* "src/Lib.hs:(14,1)-(15,41)" */
};
struct ghc_costs {
	uint64_t entries, ns, bytes;
};

/* The cost centre's function, which begins where the cost centre does. */
cg_fn ghc_add_centre(struct ghc *, const struct ghc_centre *);
/* Puts a centre on top of a stack of others. */
cg_node ghc_add_frame(struct cg_build *, cg_node parent, cg_fn);
/* Adds what the centre costs there, and who entered it. */
void ghc_add_costs(struct cg_build *, cg_fn caller, cg_node, cg_fn,
    const struct ghc_costs *);

int ghc_read_text(struct ghc *);
bool ghc_is_head(struct cg_slice line);
int ghc_read_json(struct ghc *);

#endif
