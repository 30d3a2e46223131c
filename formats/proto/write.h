/*
 * write.h - the tables of a file that is written, with ids from 1 in the order
 * of first use: frames.c and mappings.c number the entries, order.c sums costs
 * of stacks and sorts them, put.c puts fields and texts into messages.
 */
#ifndef FORMATS_PROTO_WRITE_H
#define FORMATS_PROTO_WRITE_H

#include "proto.h"

/* A function as written: one name in two source files is two functions. */
struct proto_out_function {
	uint32_t name; /* number of name and symbol */
	cg_fn fn;      /* a function that has them */
	cg_file file;
};
/*
 * A frame on top of the frame that it is inlined into; each such frame is a
 * location. Object and address are those of the outermost frame.
 */
struct proto_out_frame {
	uint32_t below; /* frame + 1; 0: not inlined */
	cg_object object;
	uint64_t addr;
	uint32_t function; /* id; 0: only the address is known */
	uint32_t line;
	uint32_t location; /* id, once a stack uses it as a location */
	uint32_t rank;     /* among frames, by the written fields */
};
/* Stacks of a node with the same labels; their costs are summed. */
struct proto_out_row {
	uint32_t node;
	cg_labels labels;
	uint32_t next; /* row + 1 of the same node, or 0 */
};
struct proto_out_location {
	uint32_t frame, mapping;
};
struct proto_out_mapping {
	uint64_t start, limit, offset, bias;
	struct cg_slice path, build_id;
	cg_object object;
	bool equal; /* to an earlier row */
	bool used, nameless, files, lines;
};
/* Mappings of an object, + 1; 0: none. */
struct proto_object {
	uint32_t first;
	uint32_t rest; /* of addresses outside of all ranges */
};

struct proto_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;

	CG_ARRAY(struct proto_out_function) functions;
	CG_ARRAY(struct proto_out_frame) frames;
	CG_ARRAY(struct proto_out_location) locations;
	CG_ARRAY(struct proto_out_mapping) mappings;
	struct cg_map name_ids, function_ids, place_ids, at_ids, addr_ids;
	struct cg_map frame_ids;
	uint32_t places, addrs, ats; /* numbers of keys in the maps */
	uint32_t *fn_name;           /* fn -> number of name and symbol */
	bool *has_inlined;           /* fn: something is inlined into it */
	/* The stacks: frames that are equal in the file share a node. */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *node; /* key: frame + 1 */
	size_t nodes; /* including node 0, of stacks without a frame */
	struct proto_object *objects; /* by object */
	CG_ARRAY(struct proto_edge) edges; /* sorted: see mappings.c */
	CG_ARRAY(struct proto_out_row) rows;
	uint32_t *last_row;           /* by node: last row + 1; 0: none */
	struct cg_map row_ids;        /* labels << 32 | node -> row + 1 */
	uint32_t *order;              /* rows, as written */
	size_t elsewhere;       /* frames in other files than their functions */
	uint64_t *cost;         /* of rows: all events */
	struct proto_bytes sets; /* labels, as written, set by set */
	size_t *set_end;        /* by set: end of its bytes in sets */
	CG_ARRAY(struct cg_slice) strings; /* sorted, distinct */
	struct proto_bytes buf[3]; /* messages, one for each level */
};

/* ---- mappings.c ---------------------------------------------------------- */

/*
 * Lists the mappings that the graph describes, or one for the main program.
 * False: out of memory (reported).
 */
bool proto_list_mappings(struct proto_writer *);
/*
 * Returns the mapping + 1 of an address of an object, or of the object if the
 * address is 0. Adds a mapping if there is none. 0: no object, or out of
 * memory.
 */
uint32_t proto_find_mapping(struct proto_writer *, cg_object, uint64_t addr);

/* ---- frames.c ----------------------------------------------------------- */

/*
 * Lists functions, frames and mappings, and nodes of frames. False: out of
 * memory (reported).
 */
bool proto_list_frames(struct proto_writer *);
/* Returns the id of a frame's location, 0: out of memory. */
uint32_t proto_out_location(struct proto_writer *, uint32_t frame);
/* Puts the locations of the stack of a node, leaf first. */
void proto_put_stack(struct proto_writer *, struct proto_bytes *, uint32_t node);

/* ---- order.c ------------------------------------------------------------- */

/* Sums costs by node and sorts the nodes. False: out of memory (reported). */
bool proto_order(struct proto_writer *);

/* ---- put.c --------------------------------------------------------------- */

/* Reserves n more bytes; NULL: out of memory (reported). */
char *proto_put_more(struct proto_writer *, struct proto_bytes *, size_t n);
static inline char *
proto_put_room(struct proto_writer *w, struct proto_bytes *buf, size_t n)
{
	if (buf->cap - buf->n < n)
		return proto_put_more(w, buf, n);
	return buf->at + buf->n;
}
static inline void
proto_put_varint(struct proto_writer *w, struct proto_bytes *buf, uint64_t value)
{
	char *at = proto_put_room(w, buf, VARINT_MAX);

	if (at)
		buf->n += (size_t)(proto_format_varint(at, value) - at);
}
void proto_put_slice(
    struct proto_writer *, struct proto_bytes *, struct cg_slice);
/* Puts a number. 0 is not written, because a missing field means 0. */
void proto_put_number(
    struct proto_writer *, struct proto_bytes *, unsigned field, uint64_t);
/* Puts a message or packed numbers. */
void proto_put_bytes(struct proto_writer *, struct proto_bytes *, unsigned field,
    const struct proto_bytes *);

/* Puts location or function i; ids: with its id, which OpenTelemetry lacks. */
void proto_put_location(
    struct proto_writer *, struct proto_bytes *, size_t i, bool ids);
void proto_put_function(
    struct proto_writer *, struct proto_bytes *, size_t i, bool ids);
/* Writes a message, a text or packed numbers. */
void proto_write_bytes(struct proto_writer *, unsigned field, struct cg_slice);

/* Adds a text. All texts are added and sorted before any is looked up. */
void proto_add_string(struct proto_writer *, struct cg_slice);
/* Adds the texts of events, mappings and functions. */
void proto_add_table_strings(struct proto_writer *);
void proto_sort_strings(struct proto_writer *);
/* Returns the index of a text in the table; "" is the first. */
uint64_t proto_find_string(const struct proto_writer *, struct cg_slice);
/* Puts the index of a text. */
void proto_put_text(struct proto_writer *, struct proto_bytes *, unsigned field,
    struct cg_slice);

/*
 * Returns the common identity of all parts, which are written as one: values
 * that differ are dropped.
 */
struct cg_part_info proto_common_part(const struct proto_writer *);
/* Returns the first description with that key; "": none. */
struct cg_slice proto_first_desc(const struct proto_writer *, const char *key);
struct proto_times {
	uint64_t begin, duration;
};
struct proto_times proto_get_times(const struct proto_writer *);
struct proto_period {
	int64_t number;
	struct cg_slice type, unit;
};
struct proto_period proto_get_period(const struct proto_writer *);
/* Warns about lost data, and frees maps and the merged stacks. */
void proto_end_writer(struct proto_writer *);

#endif
