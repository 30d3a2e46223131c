/*
 * cpuprofile.h - a CPU profile of V8 while it is read: a file of its own, or in
 * pieces in a trace.
 */
#ifndef FORMATS_CHROME_CPUPROFILE_H
#define FORMATS_CHROME_CPUPROFILE_H

#include "chrome.h"

/* Numbers as bytes: differences, zigzag, seven bits each, least first. */
struct pack {
	unsigned char *byte;
	size_t len, cap, at;
	uint64_t count;
	int64_t last; /* when packed, when unpacked */
};

/* What the samples of one node add up to. */
struct sum {
	uint64_t samples, ns;
};

struct far_sum {
	uint64_t id;
	struct sum sum;
};

struct cpu {
	struct tree tree;           /* first, see chrome.h */
	struct cg_columns *columns; /* profiles of one input share them */
	int64_t start, end;
	bool hits;
	/* Whichever comes first waits for the other. */
	struct pack samples, deltas;
	bool has_samples, has_deltas;
	/*
	 * By id, where it is not much more than there are nodes: V8 counts
	 * them, and most samples are near the one before.
	 */
	struct sum *near;
	size_t nears;
	struct far_sum *far;
	size_t fars, far_cap;
	struct cg_map far_ids; /* id -> place in far + 1 */
	struct sum *running;   /* of the last sample; NULL: none */
	int64_t now, latest;
};

/* Sample of the node with that id, ns after the one before. False: fails. */
bool chrome_add_sample(struct cg_doc *, struct cpu *, int64_t id, int64_t ns);
/* Of the nodes that have samples the next id and its sum; begins with *i 0. */
bool chrome_next_sum(const struct cpu *, size_t *i, struct far_sum *);
/* All has come: its stacks, to the builder's current part. */
void chrome_add_profile(struct cg_doc *, struct cpu *);
void chrome_free_cpu(struct cpu *);

/* ---- chrome_chunk.c: profiles in pieces --------------------------------- */

/* What the arguments of an event hold of a profile. */
struct chunk {
	struct tree tree; /* first, see chrome.h */
	bool found;       /* anything */
	int64_t *sample, *delta;
	size_t samples, sample_cap, deltas, delta_cap;
	int64_t start, end; /* ns; 0: not said */
};
struct profile {
	uint64_t pid, tid; /* tid where there is no id */
	cg_name id;
	uint32_t thread; /* + 1, once it is known */
	struct cpu cpu;
};
struct profiles {
	struct cg_columns columns;
	struct chunk chunk; /* of the current event */
	struct profile **profile;
	size_t count, cap;
};

/* The value of "data" among the arguments of an event, into the chunk. */
bool chrome_take_chunk(struct cg_doc *, struct profiles *);
/* Is that an event of profiles? Then the chunk is one's. */
bool chrome_is_profile(struct cg_slice event);
/* Adds the chunk to the profile that the event names; NULL: fails. */
struct profile *chrome_add_chunk(
    struct cg_doc *, struct profiles *, uint64_t pid, uint64_t tid, cg_name id);
/* All pieces have come; what is missing is called so. False: fails. */
bool chrome_end_profile(struct cg_doc *, struct profile *);
void chrome_free_profiles(struct profiles *);

#endif
