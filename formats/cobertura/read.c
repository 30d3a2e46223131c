/*
 * read.c - reads Cobertura XML of any tool.
 *
 * A class lists each line once; methods repeat the lines that they contain. So
 * the reader collects the lines of a class. At the end of the class each
 * method gets its own hits of a line and the unknown function of the file gets
 * the rest. Where the two differ, the class is right: consumers of the format
 * count its lines. Istanbul (reports/cobertura in istanbul-reports) lists the
 * statements of a file as lines of the class, and for each function the line
 * where it begins. If this line has no statement, it is not a line of the
 * class, but states where the function begins and how often it was entered.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cobertura.h"

/*
 * Each branch becomes a row. A document may state one branch for each of its
 * bytes, plus this number, so that a number in a short input cannot use much
 * memory.
 */
#define BRANCHES_MORE 65536

#define SUM_EXPECTED "hits whose sum fits in 64 bits"

/* A <line> of a class or of a method. */
struct line {
	uint32_t line;
	cg_fn fn;   /* 0: the class itself lists the line */
	bool head;  /* first line of the method */
	size_t nth; /* position in struct lines */
	int64_t hits;
	uint32_t branches, hit; /* number of branches, and of those taken */
	size_t pair, pairs;     /* its conditions in reader.pair */
};

struct lines {
	CG_ARRAY(struct line) line;
	bool unsorted;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_in *in;
	struct cg_xml *xml;
	uint64_t branches;      /* of all lines so far */
	CG_ARRAY(char) source;  /* the last <source> other than "."; or empty */
	CG_ARRAY(char) text;    /* scratch */
	size_t sources;         /* number of such elements */
	bool windows;           /* one of them is a Windows path */
	cg_file file;           /* of the class */
	cg_fn unknown;          /* the file's function without a name */
	cg_fn method;           /* the open method; 0: none */
	bool in_class, in_head; /* in_head: method before its lines */
	struct lines own,
	    methods;        /* lines of the class, lines of its methods */
	struct lines *last; /* has the last line; or NULL */
	uint64_t skipped; /* lines of methods that their class does not list */
	CG_ARRAY(uint8_t) pair; /* by condition: branches taken, of two */
};

/* ---- Attributes --------------------------------------------------------- */

static bool
get_u32(
    struct reader *r, const char *name, const char *expected, uint32_t *number)
{
	uint64_t value;

	if (!cg_xml_number(r->xml, name, &value) || value > UINT32_MAX)
		return cg_xml_reject(r->xml, expected);
	*number = (uint32_t)value;
	return true;
}

/*
 * Reads the attribute "hits" of a <line>, which may be negative. A number from
 * 2^63 on is a negative count that wrapped. It is read as 1, as the line ran,
 * with a warning. Returns false if the attribute is malformed (reported).
 */
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
		return cg_xml_reject(
		    r->xml, "hits=\"...\" with a number of 64 bits");
	*hits = (int64_t)(negative ? 0 - value : value);
	if (negative || value <= (uint64_t)INT64_MAX)
		return true;
	*hits = 1;
	cg_warn_at(r->job, cg_xml_at(r->xml),
	    "hits %" PRIu64 " are a wrapped negative count: they are read as 1",
	    value);
	return true;
}

/*
 * Reads the attribute condition-coverage, such as "50% (1/2)". Sets
 * line->branches to the number of branches, and line->hit to the number of
 * taken ones. Without "(1/2)", the line has two branches, of which the
 * percentage is taken. Without the attribute, the percentage is 100 if the
 * line ran, else 0. An input with more branches than bytes, apart from some,
 * is rejected. False: rejected (reported).
 */
static bool
get_branches(struct reader *r, struct line *line)
{
	struct cg_slice text, rest;
	uint64_t percent, hit, all;

	/* The DTD's default is 100%, which applies to lines that ran. */
	if (!cg_xml_attribute(r->xml, "condition-coverage", &text))
		text = cg_slice(line->hits != 0 ? "100%" : "0%");
	if (!cg_take_u64(&text, &percent) || percent > 100)
		return cg_xml_reject(
		    r->xml, "condition-coverage=\"...\" with a percentage");
	line->branches = 2;
	line->hit = (uint32_t)(percent / 50);
	if (!cg_take_until(&text, '(', &rest) || text.len == 0)
		return true;
	if (!cg_take_u64(&text, &hit) || !cg_take_char(&text, '/') ||
	    !cg_take_u64(&text, &all) || hit > all)
		return cg_xml_reject(
		    r->xml, "condition-coverage=\"...\" with (hit/all)");
	r->branches += all < UINT32_MAX ? all : UINT32_MAX;
	if (r->branches > cg_in_offset(r->in) + BRANCHES_MORE)
		return cg_xml_reject(r->xml,
		    "fewer branches: at most one for each byte of the input");
	line->branches = (uint32_t)all;
	line->hit = (uint32_t)hit;
	return true;
}

/* ---- A class ------------------------------------------------------------ */

/* Orders the lines of a class for qsort(): by number, then as in the input. */
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
add_branch(struct reader *r, cg_fn fn, const struct line *line, uint32_t block,
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

/*
 * Adds the branches of a line to the graph. Each <condition> becomes a block
 * (group) of two, unless condition-coverage contradicts: then one block has
 * all. False: an error (reported).
 */
static bool
add_branches(struct reader *r, cg_fn fn, const struct line *line)
{
	uint64_t hit = 0;

	for (size_t i = 0; i < line->pairs; i++)
		hit += r->pair.at[line->pair + i];
	if (line->branches != 2 * line->pairs || hit != line->hit) {
		for (uint32_t i = 0; i < line->branches; i++) {
			if (!add_branch(r, fn, line, 0, i, i < line->hit))
				return false;
		}
		return true;
	}
	for (uint32_t i = 0; i < line->branches; i++) {
		if (!add_branch(r, fn, line, i / 2, i % 2,
			i % 2 < r->pair.at[line->pair + i / 2]))
			return false;
	}
	return true;
}

/*
 * Returns the element with the most taken branches, of n <line> elements for
 * one line. gcovr 8 repeats a line for each instance of a template. NULL: none
 * has branches.
 */
static const struct line *
find_branches(const struct line *line, size_t n)
{
	const struct line *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (line[i].branches > 0 && (!best || line[i].hit > best->hit))
			best = &line[i];
	}
	return best;
}

/*
 * Adds a line to the graph from its elements in the class (own) and in
 * methods. Methods' hits go to their functions. What remains of the class's
 * sum goes to a nameless function. False: an error (reported).
 */
static bool
add_line(struct reader *r, const struct line *own, size_t owns,
    const struct line *method, size_t methods)
{
	const struct line *first = owns > 0 ? own : method, *branches;
	/* The analyzer does not see that first is not NULL. */
	/* NOLINTNEXTLINE(clang-analyzer-core.*) */
	int64_t left = first->hits;

	for (size_t i = 1; i < owns; i++) {
		if (__builtin_add_overflow(left, own[i].hits, &left))
			return cg_xml_reject(r->xml, SUM_EXPECTED);
	}
	for (size_t i = 0; i < methods; i++) {
		int64_t hits = method[i].hits;

		if (owns > 0 && hits > left)
			hits = left;
		if (!add_hits(r, method[i].fn, first->line, hits))
			return false;
		if (owns > 0 && __builtin_sub_overflow(left, hits, &left))
			return cg_xml_reject(r->xml, SUM_EXPECTED);
	}
	if (owns > 0 && (left != 0 || methods == 0) &&
	    !add_hits(r, r->unknown, first->line, left))
		return false;
	branches = find_branches(own, owns);
	if (!branches)
		branches = find_branches(method, methods);
	return !branches ||
	       add_branches(r, methods > 0 ? method->fn : r->unknown, branches);
}

/*
 * Handles a line's elements in methods if the class has none. Hits of a
 * method's first line count its entries: they become calls from an unknown
 * caller. Other elements, and negative hits, are counted as skipped.
 */
static void
add_heads(struct reader *r, const struct line *method, size_t methods)
{
	const struct cg_pos nowhere = { 0 }, entry = { .line = method->line };
	const struct cg_range range = { .first = method->line };

	for (size_t i = 0; i < methods; i++) {
		if (!method[i].head || method[i].hits < 0) {
			r->skipped++;
			continue;
		}
		cg_set_fn_range(r->build, method[i].fn, &range);
		cg_add_call(r->build, 0, &nowhere, method[i].fn, &entry,
		    (uint64_t)method[i].hits, NULL, 0);
	}
}

static void
sort_lines(struct lines *lines)
{
	if (lines->unsorted)
		qsort(lines->line.at, lines->line.n, sizeof(*lines->line.at),
		    compare_lines);
	lines->unsorted = false;
}

/*
 * Returns how many consecutive elements of the list, from the index "from" on,
 * are for this line. The list must be sorted by line.
 */
static size_t
count_entries(const struct lines *lines, size_t from, uint32_t line)
{
	size_t to = from;

	while (to < lines->line.n && lines->line.at[to].line == line)
		to++;
	return to - from;
}

/*
 * Adds the lines that were collected for a class and its methods to the graph,
 * in order, and clears the lists. If the class lists lines, a line that only
 * its methods list gets no cost. Such a line is handled by add_heads(). False:
 * an error (reported).
 */
static bool
close_class(struct reader *r)
{
	struct lines *own = &r->own, *methods = &r->methods;
	size_t o = 0, m = 0, owns, in_methods;
	uint32_t line;

	sort_lines(own);
	sort_lines(methods);
	while (o < own->line.n || m < methods->line.n) {
		line = o < own->line.n ? own->line.at[o].line : UINT32_MAX;
		if (m < methods->line.n && methods->line.at[m].line < line)
			line = methods->line.at[m].line;
		owns = count_entries(own, o, line);
		in_methods = count_entries(methods, m, line);
		if (owns == 0 && own->line.n > 0)
			add_heads(r, methods->line.at + m, in_methods);
		else if (!add_line(r, owns ? own->line.at + o : NULL, owns,
			     in_methods ? methods->line.at + m : NULL,
			     in_methods))
			return false;
		o += owns;
		m += in_methods;
	}
	own->line.n = methods->line.n = r->pair.n = 0;
	r->last = NULL;
	r->in_class = false;
	return true;
}

/* ---- Elements ----------------------------------------------------------- */

/*
 * Reads <source>, the directory of the files, to r->source. Counts it in
 * r->sources: of several directories, open_class() uses none. Ignores "" and
 * ".". False: out of memory (reported).
 */
static bool
open_source(struct reader *r)
{
	struct cg_slice text;

	if (!cg_xml_content(r->xml, &text))
		return true; /* end of input: cg_xml_status() tells why */
	text = cg_trim(text);
	if (text.len == 0 || cg_equal(text, "."))
		return true;
	if (!cg_resize(r->job, &r->source, text.len + 1))
		return false;
	memcpy(r->source.at, text.ptr, text.len);
	r->source.at[text.len] = '\0';
	r->sources++;
	r->windows |= cobertura_is_windows(text);
	return true;
}

static bool
open_class(struct reader *r)
{
	const char *root = r->sources == 1 ? r->source.at : NULL;
	struct cg_slice name;

	if (r->in_class)
		return cg_xml_reject(
		    r->xml, "</class> before the next <class>");
	if (!cg_xml_attribute(r->xml, "filename", &name) || name.len == 0)
		return cg_xml_reject(r->xml, "filename=\"...\"");
	if (r->windows || cobertura_is_windows(name))
		r->file = cobertura_windows_file(r->job, r->build, root, name);
	else if (root)
		r->file = cg_add_file_in(r->build, cg_slice(root), name);
	else
		r->file = cg_add_file(r->build, name);
	r->unknown = cg_add_fn(r->build, cg_slice(""), r->file, 0);
	r->method = 0;
	r->in_class = true;
	return true;
}

/*
 * Begins a method: adds its function to the graph. The signature is the
 * linkage name. If it begins with '(' (Java, C++), the linkage name is name
 * and signature together. False: an error (reported).
 */
static bool
open_method(struct reader *r)
{
	struct cg_slice name, signature;
	cg_name id, symbol = 0;

	if (!r->in_class)
		return cg_xml_reject(r->xml, "<class> before <method>");
	(void)cg_xml_attribute(r->xml, "name", &name);
	(void)cg_xml_attribute(r->xml, "signature", &signature);
	id = cg_add_name(r->build, name);
	if (signature.len > 0 && *signature.ptr != '(') {
		symbol = cg_add_name(r->build, signature);
	} else if (signature.len > 0) {
		if (!cg_resize(r->job, &r->text, name.len + signature.len))
			return false;
		memcpy(r->text.at, name.ptr, name.len);
		memcpy(r->text.at + name.len, signature.ptr, signature.len);
		symbol = cg_add_name(
		    r->build, (struct cg_slice){ r->text.at, r->text.n });
	}
	r->method = cg_add_fn_symbol(r->build, id, r->file, 0, symbol);
	r->in_head = true;
	return true;
}

static bool
open_line(struct reader *r)
{
	struct lines *lines = r->method ? &r->methods : &r->own;
	struct line *line;
	struct cg_slice text;

	if (!r->in_class)
		return cg_xml_reject(r->xml, "<class> before <line>");
	line = cg_push(r->job, &lines->line);
	if (!line)
		return false;
	*line = (struct line){ .fn = r->method,
		.head = r->method && r->in_head,
		.nth = lines->line.n - 1,
		.pair = r->pair.n };
	r->in_head = false;
	if (!get_u32(r, "number", "number=\"...\" with a line", &line->line) ||
	    !get_hits(r, &line->hits))
		return false;
	if (cg_xml_attribute(r->xml, "branch", &text) && text.len > 0 &&
	    (*text.ptr | 0x20) == 't' && !get_branches(r, line))
		return false;
	if (lines->line.n > 1 && line->line < line[-1].line)
		lines->unsorted = true;
	r->last = lines;
	return true;
}

/*
 * Reads a <condition> of the last <line>. A jump has two branches; r->pair
 * gets the number of taken ones. Ignores other types, whose number of branches
 * is unknown. False: an error (reported).
 */
static bool
open_condition(struct reader *r)
{
	struct cg_slice type, text;
	uint64_t percent;

	if (!r->last)
		return cg_xml_reject(r->xml, "<line> before <condition>");
	(void)cg_xml_attribute(r->xml, "type", &type);
	if (!cg_xml_attribute(r->xml, "coverage", &text) ||
	    !cg_take_u64(&text, &percent) || percent > 100)
		return cg_xml_reject(
		    r->xml, "coverage=\"...\" with a percentage");
	if (!cg_equal(type, "jump"))
		return true;
	if (!cg_append(r->job, &r->pair, (uint8_t)(percent / 50)))
		return false;
	r->last->line.at[r->last->line.n - 1].pairs++;
	return true;
}

static bool
close_method(struct reader *r)
{
	r->method = 0;
	return true;
}

/* All elements of the DTD, the most frequent first. */
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
	{ "class", open_class, close_class },
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
		return cg_xml_reject(r->xml, "<coverage>");
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

static int
read_document(struct reader *r)
{
	enum cg_xml_type type;

	while ((type = cg_xml_next(r->xml)) != CG_XML_END) {
		if (type != CG_XML_TEXT && !take_element(r, type))
			break;
		if (cg_build_status(r->build) != CG_OK)
			break;
	}
	if (cg_rejected(r->job) == CG_OK &&
	    cg_build_failed(r->build, cg_xml_at(r->xml)) == CG_OK)
		return cg_xml_status(r->xml);
	return CG_OK; /* the job has the status */
}

int
cobertura_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = { .name = "Exec",
		.long_name = "Line executions",
		.is_signed = true,
		.incl = CG_INCL_NONE };
	struct reader r = { .job = job, .in = in, .build = build };
	int status;

	r.xml = cg_xml_new(job, in);
	if (!r.xml)
		return CG_ELIMIT;
	(void)cg_add_event(build, &event);
	status = read_document(&r);
	if (r.skipped > 0)
		cg_warn(job,
		    "%" PRIu64 " line%s of methods that their classes do not "
		    "list %s skipped",
		    r.skipped, r.skipped == 1 ? "" : "s",
		    r.skipped == 1 ? "is" : "are");
	return status;
}
