/*
 * chrome.h - what V8's profiles have in common: a tree of call frames.
 */
#ifndef FORMATS_CHROME_CHROME_H
#define FORMATS_CHROME_CHROME_H

#include "cgconv_parse.h"

struct node {
	uint64_t id; /* 0: none */
	cg_name name, url;
	int64_t line, column; /* from 0; -1: not known */
	bool builtin;         /* belongs to no script */
	uint64_t cost;        /* hits, or bytes */
	uint64_t samples, ns; /* of CPU profiles */
	uint64_t parent;      /* its place in the tree + 1 */
	uint64_t parent_id;
	uint32_t tick, ticks; /* first and number of its ticks */
	cg_fn fn;
	cg_node below, frame; /* its caller's stack and its own */
	struct cg_pos pos;
	bool old, framed;
};

/* Samples on a line of a node's function. */
struct tick {
	uint64_t line, count;
};

/* "The node has that child." */
struct child {
	uint64_t id, parent;
};

/* Nodes, children and parents in any order. The reader's arg begins with it. */
struct tree {
	struct node *node;
	size_t nodes, node_cap;
	struct cg_map ids; /* id -> place + 1 */
	struct child *child;
	size_t children, child_cap;
	struct tick *tick;
	size_t ticks, tick_cap;
	size_t *path; /* nodes without a frame, leaf first */
	size_t path_cap;
};

void chrome_free_tree(struct tree *);
/* A node, and all that it holds; as a cg_field's take. */
bool chrome_take_node(struct cg_doc *, void *into);
/* When all nodes are there: finds their parents. */
bool chrome_link_tree(struct cg_doc *, struct tree *);
/* The node with that id; NULL: fails, there is none. */
struct node *chrome_find_node(struct cg_doc *, struct tree *, uint64_t id);
/* Its call stack, and those of its callers; 0: fails. */
cg_node chrome_add_frames(struct cg_doc *, struct tree *, struct node *);

#endif
