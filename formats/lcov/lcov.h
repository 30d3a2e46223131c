/*
 * lcov.h - tracefiles of lcov: what the files of the format share.
 *
 * Source: geninfo(1) of lcov 1.16 and of lcov 2.5, section "Tracefile
 * format"; what their readers accept was tried with both.
 */
#ifndef FORMATS_LCOV_LCOV_H
#define FORMATS_LCOV_LCOV_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

/* Part descriptions: a test's name, and a file's version (VER:) by its path. */
#define LCOV_TEST "lcov test"
#define LCOV_VERSION "lcov version of "

/*
 * One section of a tracefile, from SF: to end_of_record. Functions come before
 * or behind the lines that they own, so it is kept until its end.
 */
struct lcov_fn {
	cg_name name;         /* as in the file */
	uint32_t first, last; /* lines, 0: not said */
	uint64_t count;
	bool counted; /* a record has said count */
};

struct lcov_line {
	uint32_t line;
	int64_t count;
};

/* BRDA or MCDC. */
struct lcov_branch {
	uint32_t line, block;
	size_t nth;     /* in the section */
	uint32_t index; /* of a branch without label */
	enum cg_branch_kind kind;
	unsigned flags;
	cg_name label;
	int64_t count;
};

/* From that line on, lines are the function's; 0: nobody's. */
struct lcov_owner {
	uint32_t line;
	cg_fn fn;
};

struct lcov_section {
	cg_file file;
	bool open;
	struct lcov_fn *fn;
	size_t fns, fn_cap;
	struct cg_map by_name;  /* name -> number in fn + 1, maybe outdated */
	struct cg_map by_index; /* of FNL -> number in leader + 1, likewise */
	struct lcov_leader {
		uint64_t index;
		uint32_t first, last;
	} * leader;
	size_t leaders, leader_cap;
	struct lcov_line *line;
	size_t lines, line_cap;
	struct lcov_branch *branch;
	size_t branches, branch_cap;
	struct lcov_owner *owner;
	size_t owners, owner_cap;
	size_t *nested; /* functions around a line, outermost first */
	size_t nested_cap;
	uint64_t found, hit; /* what LF and LH say */
	bool has_found, has_hit;
};

/* The section's function of that name, a new one if need be. */
struct lcov_fn *lcov_get_fn(struct lcov_section *, cg_name);
/* Says where a function is; false: out of memory. */
bool lcov_add_range(
    struct lcov_section *, cg_name, uint32_t first, uint32_t last);
/* Adds what the section holds to the graph, and empties it. */
int lcov_end_section(
    struct cg_job *, struct cg_build *, struct lcov_section *);
void lcov_free_section(struct lcov_section *);

/*
 * Takes a count, which may be below zero or a fraction; false if it is none of
 * 64 bits.
 */
bool lcov_take_count(struct cg_job *, struct cg_slice *, int64_t *);
/* Behind the digits at at; NULL if there are none or more than most. */
const char *lcov_skip_number(const char *at, uint64_t *, int most);

int lcov_read(struct cg_job *, struct cg_in *, struct cg_build *);
int lcov_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
