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

/* A cost centre on a stack of cost centres. */
struct ghc_frame {
	cg_name name, place;
	cg_fn fn; /* node 0: not added yet */
	cg_node node;
	struct cg_pos pos;
};

struct ghc {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	CG_ARRAY(char) name;              /* buffer for a function's name */
	CG_ARRAY(struct ghc_frame) frame; /* the open cost centres */
};

struct ghc_centre {
	struct cg_slice name, module, place; /* "src/Lib.hs:(14,1)-(15,41)" */
};
struct ghc_costs {
	uint64_t entries, ns, bytes;
};

/*
 * Opens a cost centre that the one at depth - 1 entered; closes the cost
 * centres from depth on. It becomes a function when it, or one that it
 * entered, has costs. False: an error (reported).
 */
bool ghc_enter(struct ghc *, size_t depth, const struct ghc_centre *);
/*
 * Adds the costs and entries of the centre at that depth. False: an error
 * (reported).
 */
bool ghc_add_costs(struct ghc *, size_t depth, const struct ghc_costs *);

int ghc_read_text(struct ghc *);
bool ghc_is_head(struct cg_slice line);
int ghc_read_json(struct ghc *);

#endif
