/*
 * write.h - the tables that the files of the writer share, with ids from 1 in
 * the order of first use.
 */
#ifndef FORMATS_PPROF_WRITE_H
#define FORMATS_PPROF_WRITE_H

#include "pprof.h"

/* A growing array, elements not cleared. */
struct pprof_table {
	void *at;
	size_t count, cap;
};

/* A function as written: one name in two source files is two functions. */
struct pprof_out_function {
	uint32_t name; /* number of name and symbol */
	cg_fn fn;      /* one that has them */
	cg_file file;
};
/*
 * A frame on top of the one that it is inlined into; locations are such frames.
 * Object and address are those of the outermost frame.
 */
struct pprof_out_frame {
	uint32_t below; /* frame + 1; 0: not inlined */
	cg_object object;
	uint64_t addr;
	uint32_t function; /* id; 0: it is known by its address only */
	uint32_t line;
	uint32_t location; /* id, once a stack has used it as one */
	uint32_t rank;     /* among frames, by what is written */
};
/* Stacks of a node with the same labels; their costs are summed. */
struct pprof_out_row {
	uint32_t node;
	cg_labels labels;
	uint32_t next; /* row + 1 of the same node, or 0 */
};
struct pprof_out_location {
	uint32_t frame, mapping;
};
struct pprof_out_mapping {
	uint64_t start, limit, offset, bias;
	struct cg_slice path, build_id;
	cg_object object;
	bool equal; /* to one before it */
	bool used, nameless, files, lines;
};
/* Mappings + 1 of an object; 0: none. */
struct pprof_object {
	uint32_t first;
	uint32_t rest; /* has the addresses that no range has */
};

struct pprof_out_comment {
	size_t at, len; /* in the writer's text */
};

struct pprof_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;

	struct pprof_table functions, frames, locations, mappings;
	struct cg_map name_ids, function_ids, place_ids, at_ids, addr_ids;
	struct cg_map frame_ids;
	uint32_t places, addrs, ats; /* how many */
	uint32_t *fn_name;           /* fn -> number of name and symbol */
	bool *has_inlined;           /* fn: something is inlined into it */
	/* The stacks: frames that are equal in the file share a node. */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *node; /* key: frame + 1 */
	size_t nodes;                /* with node 0, of stacks without a frame */
	struct pprof_object *objects; /* by object */
	struct pprof_table edges;    /* struct edge of mappings.c */
	struct pprof_table rows;     /* struct pprof_out_row */
	uint32_t *last_row;          /* by node: row + 1; 0: it has none */
	struct cg_map row_ids;       /* labels << 32 | node -> row + 1 */
	uint32_t *order;             /* rows, as written */
	size_t elsewhere; /* frames in other files than their functions */
	uint64_t *cost;              /* of rows: all events */
	struct pprof_table labels;   /* fields of samples, set by set */
	size_t *labels_end;          /* by set: where they are over */
	struct pprof_table strings;  /* struct cg_slice, sorted, distinct */
	struct pprof_table comments; /* struct pprof_out_comment */
	struct pprof_table text;     /* of these */
	struct cg_map comment_ids;   /* hash -> comment + 1 */
	struct pprof_table buf[3];   /* messages, one for each level */
};

/* ---- tables.c ------------------------------------------------------------ */

/* Appends an element; NULL: out of memory, reported. */
void *pprof_out_append(
    struct pprof_writer *, struct pprof_table *, size_t width);
void pprof_out_free(struct pprof_writer *);

/* ---- mappings.c ---------------------------------------------------------- */

/* Lists the mappings that the graph describes, or one for the main program. */
bool pprof_list_mappings(struct pprof_writer *);
/*
 * The mapping + 1 of an address of an object, or of the object if the address is
 * 0; makes one if there is none. 0: no object, or out of memory.
 */
uint32_t pprof_find_mapping(struct pprof_writer *, cg_object, uint64_t addr);

/* ---- frames.c ------------------------------------------------------------ */

/* Lists functions, frames and mappings, and nodes of frames. */
bool pprof_list_frames(struct pprof_writer *);
/* The id of a frame's location, 0: out of memory. */
uint32_t pprof_out_location(struct pprof_writer *, uint32_t frame);
/* Puts the locations of the stack of a node, leaf first. */
void pprof_put_stack(
    struct pprof_writer *, struct pprof_table *, uint32_t node);

/* ---- comments.c ---------------------------------------------------------- */

/* Adds comments for what no field represents. */
bool pprof_list_comments(struct pprof_writer *);
struct cg_slice pprof_out_comment(const struct pprof_writer *, size_t i);
/* Several parts become one, of which is known what they agree on. */
struct cg_part_info pprof_common_part(const struct pprof_writer *);
/* True if a field of the profile represents descriptions with that key. */
bool pprof_has_field(const char *key);

/* ---- order.c ------------------------------------------------------------- */

/* Sums costs by node and sorts the nodes. */
bool pprof_order(struct pprof_writer *);

/* ---- put.c --------------------------------------------------------------- */

static inline char *
pprof_format_varint(char *to, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*to++ = (char)(value | 0x80);
	*to++ = (char)value;
	return to;
}
/* Room for n more bytes; NULL: out of memory, reported. */
char *pprof_put_more(struct pprof_writer *, struct pprof_table *, size_t n);
static inline char *
pprof_put_room(struct pprof_writer *w, struct pprof_table *buf, size_t n)
{
	if (buf->cap - buf->count < n)
		return pprof_put_more(w, buf, n);
	return (char *)buf->at + buf->count;
}
static inline void
pprof_put_varint(
    struct pprof_writer *w, struct pprof_table *buf, uint64_t value)
{
	char *at = pprof_put_room(w, buf, VARINT_MAX);

	if (at)
		buf->count += (size_t)(pprof_format_varint(at, value) - at);
}
void pprof_put_slice(
    struct pprof_writer *, struct pprof_table *, struct cg_slice);
/* Puts a number; 0 is not written, because a missing field means 0. */
void pprof_put_number(struct pprof_writer *, struct pprof_table *,
    unsigned field, uint64_t);
/* Puts a message or packed numbers. */
void pprof_put_bytes(struct pprof_writer *, struct pprof_table *,
    unsigned field, const struct pprof_table *);

/* Texts are collected and sorted before any is looked up. */
void pprof_add_string(struct pprof_writer *, struct cg_slice);
/* Those of events, mappings and functions. */
void pprof_add_table_strings(struct pprof_writer *);
void pprof_sort_strings(struct pprof_writer *);
/* Index in the table; "" is the first text. */
uint64_t pprof_find_string(const struct pprof_writer *, struct cg_slice);

/* The first description with that key; "": none. */
struct cg_slice pprof_first_desc(const struct pprof_writer *, const char *key);
struct pprof_times {
	uint64_t begin, duration;
};
struct pprof_times pprof_get_times(const struct pprof_writer *);
struct pprof_period {
	int64_t number;
	struct cg_slice type, unit;
};
struct pprof_period pprof_get_period(const struct pprof_writer *);

#endif
