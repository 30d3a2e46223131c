/*
 * lcov.h - the way of the data through formats/lcov/:
 *
 *	lcov.c     recognises the format, lists its options
 *	read.c     records -> struct lcov_section
 *	section.c  complete section -> owner of each line -> graph
 *	write.c    graph -> functions, lines and branches of each file -> records
 *
 * Source: geninfo(1) of lcov 1.16 and of lcov 2.5, section "Tracefile
 * format"; what their readers accept was tried with both.
 */
#ifndef FORMATS_LCOV_LCOV_H
#define FORMATS_LCOV_LCOV_H

#include "cgconv_format.h"
#include "cgconv_parse.h"

/* Descriptions of parts: a test's name; a file's version (VER:) by path. */
#define LCOV_TEST "lcov test"
#define LCOV_VERSION "lcov version of "

/*
 * A section of a tracefile, from SF: to end_of_record. It is collected until
 * its end because functions may come before or after the lines they contain.
 */
struct lcov_fn {
	cg_name name;         /* as in the file, maybe mangled */
	uint32_t first, last; /* lines, 0: unknown */
	uint64_t count;
	bool counted; /* a record states the count */
	size_t nth;   /* position in the file, for sorting */
};

struct lcov_line {
	uint32_t line;
	int64_t count;
};

/* A record BRDA or MCDC. */
struct lcov_branch {
	uint32_t line, block;
	size_t nth;     /* position in the section */
	uint32_t index; /* of a branch without label */
	enum cg_branch_kind kind;
	unsigned flags;
	cg_name label;
	int64_t count;
};

/* A record FNL. */
struct lcov_leader {
	uint64_t index;
	uint32_t first, last;
};

struct lcov_section {
	struct cg_job *job;
	cg_file file;
	bool open;
	CG_ARRAY(struct lcov_fn) fn;
	size_t next; /* function whose count is expected */
	/*
	 * name -> position in fn + 1, and index of FNL -> position in leader
	 * + 1. Both may have entries of earlier sections: compare the key.
	 */
	struct cg_map by_name, by_index;
	CG_ARRAY(struct lcov_leader) leader;
	CG_ARRAY(struct lcov_line) line;
	CG_ARRAY(struct lcov_branch) branch;
	CG_ARRAY(struct cg_fn_lines) fn_lines; /* of fn */
	struct cg_owners owners;
	uint64_t found, hit; /* totals that LF and LH state */
	bool has_found, has_hit;
};

/* Finds or adds the function of that name; NULL: out of memory (reported). */
struct lcov_fn *lcov_get_fn(struct lcov_section *, cg_name);
/* Widens the lines of a function; false: out of memory (reported). */
bool lcov_add_range(
    struct lcov_section *, cg_name, uint32_t first, uint32_t last);
/*
 * Moves the section's contents to the graph; false: rejected. at: end of the
 * section, for messages.
 */
bool lcov_end_section(
    struct cg_build *, struct lcov_section *, const char *at);

int lcov_read(struct cg_job *, struct cg_in *, struct cg_build *);
int lcov_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
