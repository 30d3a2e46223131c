/*
 * read.c - reads Cobertura's XML, of whichever tool.
 *
 * A class has each line once; its methods have those that are theirs once
 * more. So the lines of a class are kept until its end, when each method gets
 * what it has of a line, and what is left goes to nobody.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cobertura.h"

/* Each outcome is a row; there are less than bytes, and this many. */
#define OUTCOMES_MORE 65536

/* A line of a class or of a method. */
struct line {
	uint32_t line;
	cg_fn fn;   /* 0: the class's */
	size_t nth; /* of them */
	int64_t hits;
	uint32_t outcomes, hit; /* of its decision; 0: none */
	size_t pair, pairs;     /* its conditions: see struct reader */
};

/* Most come in order. */
struct lines {
	struct line *line;
	size_t count, cap;
	bool mixed;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_in *in;
	struct cg_xml *xml;
	uint64_t outcomes; /* of all decisions */
	char *source; /* folder of the files; NULL: not one, but none or many */
	size_t sources;
	cg_file file;
	cg_fn outside, method; /* of the class; 0: in no method */
	bool in_class;
	struct lines own, methods,
	    *last;     /* of the class; of one line or none */
	uint8_t *pair; /* of decisions of two outcomes each: how many hit */
	size_t pairs, pair_cap;
	int status;
};

static bool
nomem(struct reader *r)
{
	r->status = cg_nomem(r->job);
	return false;
}

static bool
refuse(struct reader *r, const char *expected)
{
	r->status = cg_xml_fail(r->xml, expected);
	return false;
}

/* ---- Attributes --------------------------------------------------------- */

static bool
get_u32(
    struct reader *r, const char *name, const char *expected, uint32_t *number)
{
	uint64_t value;

	if (!cg_xml_number(r->xml, name, &value) || value > UINT32_MAX)
		return refuse(r, expected);
	*number = (uint32_t)value;
	return true;
}

/* From 2^63 on, something has counted below zero. */
static bool
get_hits(struct reader *r, int64_t *hits)
{
	struct cg_slice text;
	uint64_t value;
	bool negative;

	(void)cg_xml_attribute(r->xml, "hits", &text);
	negative = cg_take_char(&text, '-');
	if (!cg_get_u64(text, &value) ||
	    (negative && value > (uint64_t)INT64_MAX))
		return refuse(r, "hits=\"...\" with a number of 64 bits");
	*hits = (int64_t)(negative ? 0 - value : value);
	if (!negative && *hits < 0)
		cg_warn_at(r->job, cg_xml_at(r->xml),
		    "hits %" PRIu64 " are taken as %" PRId64, value, *hits);
	return true;
}

/* "50% (1/2)", or "50%", of a decision that then has two outcomes. */
static bool
get_outcomes(struct reader *r, struct line *line)
{
	struct cg_slice text, rest;
	uint64_t percent, hit, all;

	if (!cg_xml_attribute(r->xml, "condition-coverage", &text))
		text = cg_slice("100%"); /* says the DTD */
	if (!cg_take_u64(&text, &percent) || percent > 100)
		return refuse(r, "condition-coverage=\"...\" with a per cent");
	line->outcomes = 2;
	line->hit = (uint32_t)(percent / 50);
	if (!cg_take_until(&text, '(', &rest) || text.len == 0)
		return true;
	if (!cg_take_u64(&text, &hit) || !cg_take_char(&text, '/') ||
	    !cg_take_u64(&text, &all) || hit > all)
		return refuse(r, "condition-coverage=\"...\" with (hit/all)");
	r->outcomes += all < UINT32_MAX ? all : UINT32_MAX;
	if (r->outcomes > cg_in_offset(r->in) + OUTCOMES_MORE)
		return refuse(r, "fewer outcomes in so short a file");
	line->outcomes = (uint32_t)all;
	line->hit = (uint32_t)hit;
	return true;
}

/* ---- A class ------------------------------------------------------------ */

static int
compare_lines(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->nth > b->nth) - (a->nth < b->nth);
}

static bool
add_hits(struct reader *r, cg_fn fn, uint32_t line, int64_t hits)
{
	const struct cg_pos pos = { .file = r->file, .line = line };
	const uint64_t cost = (uint64_t)hits;

	return cg_add_cost(r->build, fn, &pos, &cost, 1);
}

static bool
add_outcome(struct reader *r, cg_fn fn, const struct line *line, uint32_t block,
    uint32_t index, bool hit)
{
	return cg_add_branch(r->build, fn,
	    &(struct cg_branch){ .pos = { .file = r->file, .line = line->line },
		.kind = CG_BRANCH_ARC,
		.block = block,
		.index = index,
		.flags = line->hits > 0 ? CG_BRANCH_REACHED : 0,
		.count = hit });
}

/* Conditions of two outcomes each, if they add up; else one of them all. */
static bool
add_decision(struct reader *r, cg_fn fn, const struct line *line)
{
	uint64_t hit = 0;

	for (size_t i = 0; i < line->pairs; i++)
		hit += r->pair[line->pair + i];
	if (line->outcomes != 2 * line->pairs || hit != line->hit) {
		for (uint32_t i = 0; i < line->outcomes; i++) {
			if (!add_outcome(r, fn, line, 0, i, i < line->hit))
				return false;
		}
		return true;
	}
	for (uint32_t i = 0; i < line->outcomes; i++) {
		if (!add_outcome(r, fn, line, i / 2, i % 2,
			i % 2 < r->pair[line->pair + i / 2]))
			return false;
	}
	return true;
}

/* The first of the entries of a line that has a decision, else NULL. */
static const struct line *
find_decision(const struct line *line, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (line[i].outcomes > 0)
			return &line[i];
	}
	return NULL;
}

/*
 * What the class has of one line, and the methods; not both are none. A
 * decision is told by all of them or by some: it is one.
 */
static bool
add_line(struct reader *r, const struct line *own, size_t owns,
    const struct line *method, size_t methods)
{
	const struct line *first = owns > 0 ? own : method, *decision;
	/* It does not see that one of the two has the line. */
	/* NOLINTNEXTLINE(clang-analyzer-core.*) */
	int64_t left = first->hits;

	for (size_t i = 1; i < owns; i++) {
		if (__builtin_add_overflow(left, own[i].hits, &left))
			return refuse(r, "hits whose sum fits 64 bits");
	}
	for (size_t i = 0; i < methods; i++) {
		int64_t hits = method[i].hits;

		if (owns > 0 && hits > left)
			hits = left;
		if (!add_hits(r, method[i].fn, first->line, hits))
			return false;
		if (owns > 0 && __builtin_sub_overflow(left, hits, &left))
			return refuse(r, "hits whose sum fits 64 bits");
	}
	if (owns > 0 && (left != 0 || methods == 0) &&
	    !add_hits(r, r->outside, first->line, left))
		return false;
	decision = find_decision(own, owns);
	if (!decision)
		decision = find_decision(method, methods);
	return !decision ||
	       add_decision(r, methods > 0 ? method->fn : r->outside, decision);
}

static void
sort_lines(struct lines *lines)
{
	if (lines->mixed)
		qsort(lines->line, lines->count, sizeof(*lines->line),
		    compare_lines);
	lines->mixed = false;
}

/* How many entries from there on are of that line. */
static size_t
count_same(const struct lines *lines, size_t from, uint32_t line)
{
	size_t to = from;

	while (to < lines->count && lines->line[to].line == line)
		to++;
	return to - from;
}

static bool
end_class(struct reader *r)
{
	struct lines *own = &r->own, *methods = &r->methods;
	size_t o = 0, m = 0, owns, in_methods;
	uint32_t line;

	sort_lines(own);
	sort_lines(methods);
	while (o < own->count || m < methods->count) {
		line = o < own->count ? own->line[o].line : UINT32_MAX;
		if (m < methods->count && methods->line[m].line < line)
			line = methods->line[m].line;
		owns = count_same(own, o, line);
		in_methods = count_same(methods, m, line);
		if (!add_line(r, owns ? own->line + o : NULL, owns,
			in_methods ? methods->line + m : NULL, in_methods))
			return false;
		o += owns;
		m += in_methods;
	}
	own->count = methods->count = r->pairs = 0;
	r->last = NULL;
	r->in_class = false;
	return true;
}

/* ---- Elements ----------------------------------------------------------- */

/* Of several folders, a file may be in any: then its name is all there is. */
static bool
open_source(struct reader *r)
{
	struct cg_slice text;
	char *copy;

	if (!cg_xml_content(r->xml, &text))
		return true; /* the file ends here */
	text = cg_trim(text);
	if (text.len == 0 || cg_equal(text, "."))
		return true;
	copy = malloc(text.len + 1);
	if (!copy)
		return nomem(r);
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	free(r->source);
	r->source = copy;
	r->sources++;
	return true;
}

static bool
open_class(struct reader *r)
{
	bool one = r->sources == 1;
	struct cg_slice name;

	if (r->in_class)
		return refuse(r, "the end of the class before");
	if (!cg_xml_attribute(r->xml, "filename", &name) || name.len == 0)
		return refuse(r, "filename=\"...\"");
	r->file = one ? cg_add_file_in(r->build, cg_slice(r->source), name)
		      : cg_add_file(r->build, name);
	r->outside = cg_add_fn(r->build, cg_slice(""), r->file, 0);
	r->method = 0;
	r->in_class = true;
	return true;
}

/*
 * The signature is part of the linkage name where it is not that itself: what
 * Java has, or what C++ has behind the name.
 */
static bool
open_method(struct reader *r)
{
	struct cg_slice name, signature;
	cg_name id, symbol = 0;
	char *text;

	if (!r->in_class)
		return refuse(r, "<class> before");
	(void)cg_xml_attribute(r->xml, "name", &name);
	(void)cg_xml_attribute(r->xml, "signature", &signature);
	id = cg_add_name(r->build, name);
	if (signature.len > 0 && *signature.ptr != '(') {
		symbol = cg_add_name(r->build, signature);
	} else if (signature.len > 0) {
		text = malloc(name.len + signature.len);
		if (!text)
			return nomem(r);
		memcpy(text, name.ptr, name.len);
		memcpy(text + name.len, signature.ptr, signature.len);
		symbol = cg_add_name(r->build,
		    (struct cg_slice){ text, name.len + signature.len });
		free(text);
	}
	r->method = cg_add_fn_symbol(r->build, id, r->file, 0, symbol);
	return true;
}

static bool
open_line(struct reader *r)
{
	struct lines *lines = r->method ? &r->methods : &r->own;
	struct line *line;
	struct cg_slice text;

	if (!r->in_class)
		return refuse(r, "<class> before");
	if (!cg_grow_raw(
		&lines->line, &lines->cap, lines->count + 1, sizeof(*line)))
		return nomem(r);
	line = &lines->line[lines->count];
	*line = (struct line){
		.fn = r->method, .nth = lines->count, .pair = r->pairs
	};
	if (!get_u32(r, "number", "number=\"...\" with a line", &line->line) ||
	    !get_hits(r, &line->hits))
		return false;
	if (cg_xml_attribute(r->xml, "branch", &text) && text.len > 0 &&
	    (*text.ptr | 0x20) == 't' && !get_outcomes(r, line))
		return false;
	if (lines->count > 0 && line->line < line[-1].line)
		lines->mixed = true;
	lines->count++;
	r->last = lines;
	return true;
}

/* Only those of two outcomes say how many were hit. */
static bool
open_condition(struct reader *r)
{
	struct cg_slice type, text;
	uint64_t percent;

	if (!r->last)
		return refuse(r, "<line> before");
	(void)cg_xml_attribute(r->xml, "type", &type);
	if (!cg_xml_attribute(r->xml, "coverage", &text) ||
	    !cg_take_u64(&text, &percent) || percent > 100)
		return refuse(r, "coverage=\"...\" with a per cent");
	if (!cg_equal(type, "jump"))
		return true;
	if (!cg_grow_raw(
		&r->pair, &r->pair_cap, r->pairs + 1, sizeof(*r->pair)))
		return nomem(r);
	r->pair[r->pairs++] = (uint8_t)(percent / 50);
	r->last->line[r->last->count - 1].pairs++;
	return true;
}

static bool
close_method(struct reader *r)
{
	r->method = 0;
	return true;
}

/* Others say nothing of their own. The most frequent come first. */
static const struct element {
	const char *name;
	bool (*open)(struct reader *), (*close)(struct reader *);
} elements[] = {
	{ "line", open_line, NULL },
	{ "condition", open_condition, NULL },
	{ "lines", NULL, NULL },
	{ "conditions", NULL, NULL },
	{ "method", open_method, close_method },
	{ "methods", NULL, NULL },
	{ "class", open_class, end_class },
	{ "source", open_source, NULL },
	{ "coverage", NULL, NULL },
	{ "sources", NULL, NULL },
	{ "packages", NULL, NULL },
	{ "package", NULL, NULL },
	{ "classes", NULL, NULL },
	{ NULL, NULL, NULL },
};

static bool
take_element(struct reader *r, enum cg_xml_type type)
{
	const struct element *element = elements;
	struct cg_slice name = cg_xml_name(r->xml);

	while (element->name && !cg_equal(name, element->name))
		element++;
	if (cg_xml_depth(r->xml) == 1 && !cg_equal(name, "coverage"))
		return refuse(r, "<coverage>");
	if (!element->name && type == CG_XML_OPEN) {
		cg_warn_at(r->job, cg_xml_at(r->xml),
		    "unknown element <%.*s> is skipped",
		    name.len < 40 ? (int)name.len : 40, name.ptr);
		(void)cg_xml_content(r->xml, NULL);
		return true;
	}
	if (type == CG_XML_OPEN && element->open)
		return element->open(r);
	return type != CG_XML_CLOSE || !element->close || element->close(r);
}

static void
read_document(struct reader *r)
{
	enum cg_xml_type type;

	while ((type = cg_xml_next(r->xml)) != CG_XML_END) {
		if (type != CG_XML_TEXT && !take_element(r, type))
			break;
		if (cg_build_status(r->build) != CG_OK)
			break;
	}
	if (r->status == CG_OK)
		r->status = cg_build_failed(r->build, cg_xml_at(r->xml));
	if (r->status == CG_OK)
		r->status = cg_xml_status(r->xml);
}

int
cobertura_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = { .name = "Exec",
		.long_name = "Line executions",
		.is_signed = true,
		.incl = CG_INCL_NONE };
	struct reader r = { .job = job, .in = in, .build = build };

	r.xml = cg_xml_new(job, in);
	if (!r.xml)
		return CG_ELIMIT;
	(void)cg_add_event(build, &event);
	read_document(&r);
	cg_xml_free(r.xml);
	free(r.source);
	free(r.own.line);
	free(r.methods.line);
	free(r.pair);
	return r.status;
}
