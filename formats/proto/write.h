/*
 * write.h - the tables that a file lists, with ids from 1 in the order of first
 * use: frames.c and mappings.c number what there is, order.c sums costs of
 * stacks and sorts them, put.c puts fields and texts into messages.
 */
#ifndef FORMATS_PROTO_WRITE_H
#define FORMATS_PROTO_WRITE_H

#include "proto.h"

/* A function as written: one name in two source files is two functions. */
struct proto_out_function {
	uint32_t name; /* number of name and symbol */
	cg_fn fn;      /* one that has them */
	cg_file file;
};
/*
 * A frame on top of the one that it is inlined into; locations are such frames.
 * Object and address are those of the outermost frame.
 */
struct proto_out_frame {
	uint32_t below; /* frame + 1; 0: not inlined */
	cg_object object;
	uint64_t addr;
	uint32_t function; /* id; 0: it is known by its address only */
	uint32_t line;
	uint32_t location; /* id, once a stack has used it as one */
	uint32_t rank;     /* among frames, by what is written */
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
	bool equal; /* to one before it */
	bool used, nameless, files, lines;
};
/* Mappings + 1 of an object; 0: none. */
struct proto_object {
	uint32_t first;
	uint32_t rest; /* has the addresses that no range has */
};

struct proto_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;

	struct proto_list functions, frames, locations, mappings;
	struct cg_map name_ids, function_ids, place_ids, at_ids, addr_ids;
	struct cg_map frame_ids;
	uint32_t places, addrs, ats; /* how many */
	uint32_t *fn_name;           /* fn -> number of name and symbol */
	bool *has_inlined;           /* fn: something is inlined into it */
	/* The stacks: frames that are equal in the file share a node. */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *node; /* key: frame + 1 */
	size_t nodes; /* with node 0, of stacks without a frame */
	struct proto_object *objects; /* by object */
	struct proto_list edges;      /* struct edge of mappings.c */
	struct proto_list rows;       /* struct proto_out_row */
	uint32_t *last_row;           /* by node: row + 1; 0: it has none */
	struct cg_map row_ids;        /* labels << 32 | node -> row + 1 */
	uint32_t *order;              /* rows, as written */
	size_t elsewhere;       /* frames in other files than their functions */
	uint64_t *cost;         /* of rows: all events */
	struct proto_list sets; /* labels, as written, set by set */
	size_t *set_end;        /* by set: where they are over */
	struct proto_list strings; /* struct cg_slice, sorted, distinct */
	struct proto_list buf[3];  /* messages, one for each level */
};

/* ---- mappings.c ---------------------------------------------------------- */

/* Lists the mappings that the graph describes, or one for the main program. */
bool proto_list_mappings(struct proto_writer *);
/*
 * The mapping + 1 of an address of an object, or of the object if the address
 * is 0; makes one if there is none. 0: no object, or out of memory.
 */
uint32_t proto_find_mapping(struct proto_writer *, cg_object, uint64_t addr);

/* ---- frames.c ------------------------------------------------------------ */

/* Lists functions, frames and mappings, and nodes of frames. */
bool proto_list_frames(struct proto_writer *);
/* The id of a frame's location, 0: out of memory. */
uint32_t proto_out_location(struct proto_writer *, uint32_t frame);
/* Puts the locations of the stack of a node, leaf first. */
void proto_put_stack(struct proto_writer *, struct proto_list *, uint32_t node);

/* ---- order.c ------------------------------------------------------------- */

/* Sums costs by node and sorts the nodes. */
bool proto_order(struct proto_writer *);

/* ---- put.c --------------------------------------------------------------- */

/* Room for n more bytes; NULL: out of memory, reported. */
char *proto_put_more(struct proto_writer *, struct proto_list *, size_t n);
static inline char *
proto_put_room(struct proto_writer *w, struct proto_list *buf, size_t n)
{
	if (buf->cap - buf->count < n)
		return proto_put_more(w, buf, n);
	return (char *)buf->at + buf->count;
}
static inline void
proto_put_varint(struct proto_writer *w, struct proto_list *buf, uint64_t value)
{
	char *at = proto_put_room(w, buf, VARINT_MAX);

	if (at)
		buf->count += (size_t)(proto_format_varint(at, value) - at);
}
void proto_put_slice(
    struct proto_writer *, struct proto_list *, struct cg_slice);
/* Puts a number; 0 is not written, because a missing field means 0. */
void proto_put_number(
    struct proto_writer *, struct proto_list *, unsigned field, uint64_t);
/* Puts a message or packed numbers. */
void proto_put_bytes(struct proto_writer *, struct proto_list *, unsigned field,
    const struct proto_list *);

/* Puts location or function i; OpenTelemetry's have no ids. */
void proto_put_location(
    struct proto_writer *, struct proto_list *, size_t i, bool ids);
void proto_put_function(
    struct proto_writer *, struct proto_list *, size_t i, bool ids);
/* Writes a message, a text or packed numbers. */
void proto_write_bytes(struct proto_writer *, unsigned field, struct cg_slice);

/* Texts are collected and sorted before any is looked up. */
void proto_add_string(struct proto_writer *, struct cg_slice);
/* Those of events, mappings and functions. */
void proto_add_table_strings(struct proto_writer *);
void proto_sort_strings(struct proto_writer *);
/* Index in the table; "" is the first text. */
uint64_t proto_find_string(const struct proto_writer *, struct cg_slice);
/* Puts that. */
void proto_put_text(struct proto_writer *, struct proto_list *, unsigned field,
    struct cg_slice);

/* Several parts become one, of which is known what they agree on. */
struct cg_part_info proto_common_part(const struct proto_writer *);
/* The first description with that key; "": none. */
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
/* Warns about what was lost, and frees what cg_alloc() does not. */
void proto_end_writer(struct proto_writer *);

#endif
