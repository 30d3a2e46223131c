/*
 * compare.h - declarations shared by the files of --verify and --diff.
 *
 * profile.c reads one of the two profiles. For --verify, match.c finds what
 * both contain, match_times.c compares their timelines, regions.c the regions
 * of their sources, alike.c finds functions that are the same, compare_fns.c
 * compares the others, report.c prints the differences. diff.c does --diff;
 * the library makes the difference of two graphs for it. lost_lines.c compares
 * coverage for it. noise.h has the comparison of several runs.
 */
#ifndef COMPARE_H
#define COMPARE_H

#include "../cmd.h"

/* ---- profile.c ---------------------------------------------------------- */

/* One of the two profiles. */
struct profile {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_sums *sums;
	struct cg_rows *rows;
	const char *path;
	const struct cg_module *format;
	cg_facts found;         /* what it contains */
	cg_facts can_represent; /* the format can have, or can be derived */
};
/* Reads the file with the profile's job. */
int open_profile(struct profile *, const char *path);
/* Frees its sums and rows; the job stays. */
void close_profile(struct profile *);

/* ---- lost_lines.c ------------------------------------------------------- */

struct lost;
/*
 * Compares the lines that ran in two runs, in memory of the job that has the
 * difference; NULL if one of the profiles is no coverage.
 */
int find_lost(struct cg_job *, const struct profile[2], struct lost **);
/* Prints the lines of at most `most` files. */
void print_lost(FILE *, const struct lost *, size_t most);
/*
 * Writes a member of a JSON object and a comma after it. False: out of memory.
 */
bool write_lost(FILE *, const struct lost *, size_t most);

/* ---- verify.c ----------------------------------------------------------- */

/*
 * A function to match: by name, and by file and object if both profiles have
 * them.
 */
struct matched_fn {
	struct cg_slice name, file, object;
	uint32_t path; /* the file's number in both */
	uint32_t profile;
	cg_fn fn;
};

/* How the inclusive costs of an event are compared. */
enum inclusive {
	INCLUSIVE_EXACT,
	INCLUSIVE_ROUNDED, /* both follow from counts of calls */
	INCLUSIVE_UNSURE,  /* one does, the other is stated */
	INCLUSIVE_NONE     /* it has no meaning (coverage) */
};

/* An event of both profiles. */
struct common {
	size_t column[2];
	enum inclusive inclusive;
};

enum difference {
	DIFF_TOTAL, DIFF_SELF, DIFF_INCLUSIVE, DIFF_COUNT, DIFF_CALL,
	DIFF_LINE, DIFF_LABEL, DIFF_TIME, DIFF_REGION
};
#define DIFFERENCES 9

/* The cost of all samples with a label. */
struct label_difference {
	struct cg_label label;
	size_t event;
	uint64_t value[2];
};

/* The first difference of a track, or of the numbers of tracks. */
struct time_difference {
	enum { TIME_TRACKS, TIME_COUNT, TIME_STACK, TIME_BEGIN, TIME_COST } what;
	size_t event;
	struct cg_track track; /* of A; valid as long as its graph */
	uint64_t number;       /* of the sample, from 1 */
	char *stack[2];        /* of TIME_STACK: "main;a" */
	uint64_t value[2];     /* of others; TIME_COUNT: is there an entry? */
};

/* Its memory is that of the first job. */
struct verify {
	struct args *args;
	struct profile profile[2];
	struct common *event;
	size_t events;
	cg_facts common; /* what both can represent */
	bool counts;     /* compare the numbers of calls */
	bool of_files[2]; /* lines belong to files, not to functions */
	bool by_file;     /* in one of them: compare lines, not functions */
	struct matched_fn *fns; /* sorted by name, object, file, profile */
	size_t fn_count;
	uint32_t *group[2]; /* by fn: number of its group, + 1 */
	size_t *first;      /* by group: index of its first function in fns */
	size_t groups;
	bool *alike;        /* by group: its rows are the same in both */
	bool all_alike;     /* all groups are alike */
	uint32_t *file[2];  /* by file: number of its path in both */
	char *names[2];     /* of functions that are named by their object */
	CG_ARRAY(struct label_difference) label;
	CG_ARRAY(struct time_difference) time;
	uint64_t count[DIFFERENCES];
	size_t missing;     /* events that one lacks but could represent */
	size_t elements;    /* written to JSON */
	bool no_memory;     /* some elements are incomplete */
	size_t unsure;      /* inclusive costs that calls do not determine */
};

/* ---- match.c: false: out of memory -------------------------------------- */

/*
 * Matches events by name; a single event also by its total. False: out of
 * memory.
 */
bool match_events(struct verify *);
/*
 * Groups functions that are the same in both, numbers files. False: out of
 * memory.
 */
bool match_functions(struct verify *);
/*
 * Compares the costs of samples by label and keeps the differences. Call it
 * before cg_job_derive(), which replaces stacks by calls. False: out of
 * memory.
 */
bool match_labels(struct verify *);

/* ---- match_times.c ------------------------------------------------------ */

/* Compares timelines and keeps the differences; false: out of memory. */
bool match_times(struct verify *);

/* ---- alike.c ------------------------------------------------------------ */

/* Sets alike and all_alike; false: out of memory. */
bool find_alike(struct verify *);

/* ---- compare_fns.c ------------------------------------------------------ */

/* Compares totals, functions, calls and lines; CG_OK, or why it ended early. */
int compare_all(struct verify *);

/* ---- regions.c ----------------------------------------------------------- */

/* Compares regions, by file; false: out of memory, or a cursor failed. */
bool compare_regions(struct verify *);

/* ---- report.c ----------------------------------------------------------- */

/* Where a difference is; group SIZE_MAX: in no function. */
struct where {
	size_t group;       /* SIZE_MAX: no function */
	size_t callee;      /* of calls: a group */
	struct cg_slice file;
	uint32_t line;
	const struct cg_label *label;
};

void report_head(struct verify *);
/*
 * Reports an event that only profile p has; could: the other one can represent
 * it.
 */
void report_event(struct verify *, int p, size_t event, bool could);
/*
 * Reports units ("": none) of an event that differ; could: both formats have
 * units.
 */
void report_unit(
    struct verify *, size_t event, const char *const unit[2], bool could);
/* Reports a difference, or totals even if they are equal. */
void report_difference(struct verify *, enum difference, const struct where *,
    size_t event, const uint64_t value[2]);
void report_time(struct verify *, const struct time_difference *);
/* has: which profiles have the region. */
void report_region(struct verify *, struct cg_slice file,
    const struct cg_region *, const bool has[2], const uint64_t count[2]);
/*
 * Reports costs without file or line, which one of the formats cannot
 * represent.
 */
void report_unlocated(struct verify *, const struct where *, size_t event,
    const uint64_t value[2]);
uint64_t sum_differences(const struct verify *);
/* complete: the comparison did not fail. */
void report_end(const struct verify *, bool complete);

#endif
