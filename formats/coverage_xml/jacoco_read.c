/*
 * jacoco_read.c - reads JaCoCo XML.
 *
 * Methods are in classes, lines in source files; the DTD lets both come in any
 * order in a package. So both are collected up to the end of the package.
 * Packages in groups, the modules of a build, are collected up to the end of
 * the report: if several groups have a file of one path, the group becomes
 * part of the path.
 *
 * A report states not the lines of a method, but their number and the sums of
 * their counters. So a method gets this number of lines from its first line
 * on, skipping lines of other methods, if the sums agree. The last method of a
 * file goes first. Other lines belong to no function: lambdas and initializers
 * of fields can share lines with a method.
 */
#include <stdlib.h>
#include <string.h>

#include "coverage_xml.h"

enum { INSTRUCTION, BRANCH, LINE, METHOD, COUNTERS };
static const char *const counters[COUNTERS] = {
	[INSTRUCTION] = "INSTRUCTION",
	[BRANCH] = "BRANCH",
	[LINE] = "LINE",
	[METHOD] = "METHOD",
};

struct counter {
	uint64_t missed, covered;
};

/*
 * Limits the lines that are examined to this number for each line of a source
 * file, so that methods with overlapping lines do not take quadratic time.
 */
#define LOOKS_MAX 16
#define SHARED UINT32_MAX /* a path of several groups */
#define GROUP_MAX 4096    /* bytes of the names of open groups */

struct line {
	uint32_t line;
	uint32_t missed, covered; /* instructions */
	uint32_t missed_branches, covered_branches;
	cg_fn fn;    /* method of the line; 0: none */
	size_t next; /* if fn is set: lines to skip */
};

struct source {
	cg_name path;
	cg_file file;
	size_t line, lines; /* index in reader.line, number */
	bool unsorted;
};

struct method {
	cg_name path; /* 0: not stated */
	cg_file file;
	cg_name stem; /* base name of the file, if no path */
	cg_name name, symbol;
	uint32_t first; /* 0: unknown */
	cg_fn fn;
	struct counter counter[COUNTERS];
};

struct package {
	cg_name group;           /* its group, or 0 */
	size_t sources, methods; /* end of its sources, methods */
	struct cg_map stems;     /* stem of a source -> path */
};

struct name {
	CG_ARRAY(char) text;
};

struct reader {
	struct coverage_xml_reader *r;
	CG_ARRAY(struct package) package; /* until the report ends */
	CG_ARRAY(struct source) source;   /* sources of packages */
	CG_ARRAY(struct line) line;
	CG_ARRAY(struct method) method;
	struct name directory, class; /* the open package, class */
	CG_ARRAY(char) group; /* names of open groups, each with a slash */
	struct cg_map owners; /* path -> group, or SHARED */
	CG_ARRAY(char) text;  /* scratch for names */
	cg_name path;         /* of the class; 0: not stated */
	cg_name stem;
	struct cg_map stems; /* of the open package */
	bool in_class, in_source, in_method;
	size_t open; /* number of open packages */
};

/* ---- Names -------------------------------------------------------------- */

static bool
keep(struct cg_job *job, struct cg_slice from, struct name *to)
{
	if (!cg_reserve(job, &to->text, from.len + 1))
		return false;
	memcpy(to->text.at, from.ptr, from.len);
	to->text.n = from.len;
	return true;
}

/*
 * Sets *joined to "a/b", which reader->text holds until its next use. Adds no
 * slash if a is empty or ends with one. False: out of memory (reported).
 */
static bool
join(struct reader *reader, struct cg_slice a, struct cg_slice b,
    struct cg_slice *joined)
{
	char *to;

	if (!cg_reserve(reader->r->job, &reader->text, a.len + b.len + 1))
		return false;
	/* Not normalized, as paths may be URLs. */
	to = reader->text.at;
	if (a.len > 0)
		memcpy(to, a.ptr, a.len);
	to += a.len;
	if (a.len > 0 && to[-1] != '/')
		*to++ = '/';
	if (b.len > 0)
		memcpy(to, b.ptr, b.len);
	*joined = (struct cg_slice){ reader->text.at,
		(size_t)(to - reader->text.at) + b.len };
	return true;
}

/*
 * Returns the id of the joined name of the open groups (JaCoCo's modules of a
 * build). 0: no group is open.
 */
static cg_name
group_name(struct reader *reader)
{
	return reader->group.n == 0 ? 0
				    : cg_add_name(reader->r->build,
					  (struct cg_slice){ reader->group.at,
					      reader->group.n });
}

/*
 * Sets *path to the id of a file's path in the open package. If a group
 * (module) is open, stores it as the owner of the path. If several groups have
 * the path, its owner is SHARED. False: out of memory (reported).
 */
static bool
add_path(struct reader *reader, struct cg_slice name, cg_name *path)
{
	struct cg_slice package = { reader->directory.text.at,
		reader->directory.text.n };
	cg_name group = group_name(reader);
	uint32_t *owner;

	if (!join(reader, package, name, &name))
		return false;
	*path = cg_add_name(reader->r->build, name);
	if (group == 0)
		return true;
	owner = cg_map_in(reader->r->job, &reader->owners, *path);
	if (!owner)
		return false;
	*owner = *owner == 0 || *owner == group ? group : SHARED;
	return true;
}

/*
 * Maps a source's name without suffix, and that name plus "Kt", to its path.
 * The first source of a name counts; a name without suffix is skipped. Older
 * reports of JaCoCo do not state a class's file; most files are named after
 * their class. False: out of memory (reported).
 */
static bool
add_stem(struct reader *reader, struct cg_slice name, cg_name path)
{
	static const char *const ends[] = { "", "Kt" };
	size_t len = name.len;
	uint32_t *value;

	while (len > 0 && name.ptr[len - 1] != '.')
		len--;
	if (len < 2)
		return true;
	len--;
	if (!cg_reserve(reader->r->job, &reader->text, len + 2))
		return false;
	memcpy(reader->text.at, name.ptr, len);
	for (unsigned i = 0; i < 2; i++) {
		size_t end = strlen(ends[i]);

		memcpy(reader->text.at + len, ends[i], end);
		value = cg_map_in(reader->r->job, &reader->stems,
		    cg_add_name(reader->r->build,
			(struct cg_slice){ reader->text.at, len + end }));
		if (!value)
			return false;
		if (*value == 0)
			*value = path;
	}
	return true;
}

/*
 * Returns the name of the outermost class, without its package: "Cover" of
 * "demo/Cover$Adder".
 */
static struct cg_slice stem_of(struct cg_slice class)
{
	struct cg_slice stem = cg_base_name(class), outer = stem;

	return cg_take_until(&stem, '$', &outer) && outer.len > 0
		   ? outer
		   : cg_base_name(class);
}

/*
 * Sets method->name and method->symbol (linker name) of a method of the open
 * class. For push(I)Z of demo/Cover, the name is "demo.Cover.push", and the
 * linker name "demo/Cover.push(I)Z". A Java descriptor begins with '('. Any
 * other descriptor becomes the linker name itself, and the name gets no class.
 * False: out of memory (reported).
 */
static bool
name_method(struct reader *reader, struct cg_slice name,
    struct cg_slice descriptor, struct method *method)
{
	struct cg_build *build = reader->r->build;
	size_t class_len = reader->class.text.n, name_len = class_len + 1;
	char *text;

	if (descriptor.len == 0 || *descriptor.ptr != '(') {
		/*
		 * Not Java's: the writer writes the linker name as descriptor.
		 */
		method->name = cg_add_name(build, name);
		method->symbol = cg_add_name(build, descriptor);
		return true;
	}
	if (!cg_reserve(reader->r->job, &reader->text,
		name_len + name.len + descriptor.len))
		return false;
	text = reader->text.at;
	memcpy(text, reader->class.text.at, class_len);
	text[class_len] = '.';
	memcpy(text + name_len, name.ptr, name.len);
	name_len += name.len;
	memcpy(text + name_len, descriptor.ptr, descriptor.len);
	method->symbol = cg_add_name(
	    build, (struct cg_slice){ text, name_len + descriptor.len });
	for (size_t i = 0; i < class_len; i++) {
		if (text[i] == '/')
			text[i] = '.';
	}
	method->name = cg_add_name(build, (struct cg_slice){ text, name_len });
	return true;
}

/* ---- A package ---------------------------------------------------------- */

static int
compare_methods(const void *pa, const void *pb)
{
	const struct method *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static int
compare_lines(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	return (a->line > b->line) - (a->line < b->line);
}

static bool
add_line(struct reader *reader, cg_file file, cg_fn fn, const struct line *line)
{
	struct coverage_xml_reader *r = reader->r;
	const uint64_t cost[] = { line->covered > 0, line->covered,
		line->missed };
	const struct cg_branch first = {
		.pos = { .file = file, .line = line->line },
		.kind = CG_BRANCH_ARC,
		.flags = line->covered > 0 ? CG_BRANCH_REACHED : 0,
	};

	return cg_add_cost(r->build, fn, &first.pos,
		   cg_columns_of(r->build, cost), cg_columns_width(r->build)) &&
	       coverage_xml_add_outcomes(r, fn, &first, line->covered_branches,
		   line->missed_branches);
}

static bool
is_equal(struct counter a, struct counter b)
{
	return a.missed == b.missed && a.covered == b.covered;
}

/*
 * Returns the index of the first line, from index i on, that no method owns
 * yet. Returns n if there is none. Shortens the links (line.next) that it
 * follows, as union-find does.
 */
static size_t
next_free(struct line *line, size_t i, size_t n)
{
	size_t free = i;

	while (free < n && line[free].fn != 0)
		free += line[free].next;
	for (size_t next; i < free; i = next) {
		next = i + line[i].next;
		line[i].next = free - i;
	}
	return free;
}

/*
 * Returns the index of the first of n sorted lines whose number is at least
 * "number". Returns n if there is none.
 */
static size_t
find_line(const struct line *line, size_t n, uint32_t number)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (line[middle].line < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * True if a method's counters equal the sums of as many lines as it has, from
 * its first line on. Skips lines of other methods. *looks, the file's limit of
 * work, counts down; false if it runs out.
 */
static bool
is_sum(const struct method *method, struct line *line, size_t n, size_t *looks)
{
	const struct counter *want = method->counter;
	struct counter sum[COUNTERS] = { 0 };
	uint64_t lines = want[LINE].missed + want[LINE].covered;
	size_t i = next_free(line, find_line(line, n, method->first), n);

	for (; *looks > 0 && lines > 0 && i < n; lines--, --*looks) {
		sum[INSTRUCTION].missed += line[i].missed;
		sum[INSTRUCTION].covered += line[i].covered;
		sum[BRANCH].missed += line[i].missed_branches;
		sum[BRANCH].covered += line[i].covered_branches;
		sum[LINE].missed += line[i].covered == 0;
		sum[LINE].covered += line[i].covered > 0;
		i = next_free(line, i + 1, n);
	}
	for (unsigned j = 0; j <= LINE; j++) {
		if (!is_equal(sum[j], want[j]))
			return false;
	}
	return lines == 0;
}

/*
 * Sets line[].fn, the method of a line, as reports list lines only by file. A
 * method gets lines whose sums equal its counters. Later methods are matched
 * first: they may be inside of earlier ones. Methods with the same first line,
 * or after LOOKS_MAX looks per line, get none.
 */
static void
give_lines(
    const struct method *method, size_t methods, struct line *line, size_t n)
{
	size_t looks = n * LOOKS_MAX;

	for (size_t i = methods; i-- > 0 && looks > 0;) {
		const struct counter *lines = &method[i].counter[LINE];
		size_t at = find_line(line, n, method[i].first);

		/* Methods with the same first line are ambiguous. */
		if ((i > 0 && method[i - 1].first == method[i].first) ||
		    (i + 1 < methods &&
			method[i + 1].first == method[i].first) ||
		    !is_sum(&method[i], line, n, &looks))
			continue;
		for (uint64_t left = lines->missed + lines->covered; left > 0;
		     left--) {
			at = next_free(line, at, n);
			line[at].fn = method[i].fn;
			line[at].next = 1;
		}
	}
}

/*
 * Returns the index of the first of n methods, sorted by file, whose file's id
 * is at least "file". Returns n if there is none.
 */
static size_t
find_method(const struct method *method, size_t n, cg_file file)
{
	size_t low = 0, high = n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (method[middle].file < file)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Adds the lines of a source to the graph: to the method that owns them, else
 * to a nameless function. method has the package's n methods, sorted by file.
 * False: an error (reported).
 */
static bool
add_source(struct reader *reader, const struct source *source,
    const struct method *method, size_t n)
{
	struct line *line = &reader->line.at[source->line];
	cg_fn unknown =
	    cg_add_fn(reader->r->build, cg_slice(""), source->file, 0);
	size_t from = find_method(method, n, source->file);
	size_t to = find_method(method, n, source->file + 1);

	if (source->lines == 0)
		return true;
	if (source->unsorted)
		qsort(line, source->lines, sizeof(*line), compare_lines);
	if (from < to)
		give_lines(&method[from], to - from, line, source->lines);
	for (size_t i = 0; i < source->lines; i++) {
		if (!add_line(reader, source->file,
			line[i].fn ? line[i].fn : unknown, &line[i]))
			return false;
	}
	return true;
}

/*
 * Adds the method to the graph as a function and sets method->fn. If its
 * METHOD counter is known, adds a call of the method by the unknown caller.
 * The call's count is 1 if the method ran, else 0.
 */
static void
add_method(struct reader *reader, struct method *method)
{
	const struct cg_pos nowhere = { 0 }, entry = { .line = method->first };
	const struct cg_range range = { .first = method->first };
	const struct counter *runs = &method->counter[METHOD];
	struct cg_build *build = reader->r->build;

	method->fn = cg_add_fn_symbol(
	    build, method->name, method->file, 0, method->symbol);
	cg_set_fn_range(build, method->fn, &range);
	if (runs->missed + runs->covered > 0)
		cg_add_call(build, 0, &nowhere, method->fn, &entry,
		    runs->covered > 0, NULL, 0);
}

/*
 * Adds a file to the graph by its path, and sets *file. If several groups
 * (modules) have a file with this path, puts the group's name before the path.
 * False: out of memory (reported).
 */
static bool
add_file(struct reader *reader, cg_name path, cg_name group, cg_file *file)
{
	struct cg_build *build = reader->r->build;
	struct cg_slice given = cg_get_name(build, path), name = given;
	bool shared = group != 0 && path != 0 &&
		      cg_map_get(&reader->owners, path) == SHARED;

	if (shared && !join(reader, cg_get_name(build, group), given, &name))
		return false;
	*file = cg_add_file(build, name);
	if (shared)
		cg_set_file_given(build, *file, cg_get_name(build, path));
	return true;
}

/*
 * Adds a package's methods and sources to the graph. Both are ranges of the
 * reader's lists: from index "methods" or "sources" up to the index in
 * package. A method without a path gets the source that fits its class's name.
 * False: an error (reported).
 */
static bool
add_package(struct reader *reader, const struct package *package,
    size_t methods, size_t sources)
{
	size_t n = package->methods - methods;
	struct method *method = n > 0 ? &reader->method.at[methods] : NULL;

	for (size_t i = 0; i < n; i++) {
		if (!method[i].path)
			method[i].path =
			    cg_map_get(&package->stems, method[i].stem);
		if (!add_file(reader, method[i].path, package->group,
			&method[i].file))
			return false;
		add_method(reader, &method[i]);
	}
	if (n > 1)
		qsort(method, n, sizeof(*method), compare_methods);
	for (size_t i = sources; i < package->sources; i++) {
		struct source *source = &reader->source.at[i];

		if (!add_file(
			reader, source->path, package->group, &source->file) ||
		    !add_source(reader, source, method, n))
			return false;
	}
	return true;
}

static void
forget_packages(struct reader *reader)
{
	for (size_t i = 0; i < reader->package.n; i++)
		cg_map_clear(&reader->package.at[i].stems);
	reader->package.n = reader->method.n = reader->source.n = 0;
	reader->line.n = 0;
}

static bool
add_packages(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	size_t methods = 0, sources = 0;

	for (size_t i = 0; i < reader->package.n; i++) {
		const struct package *package = &reader->package.at[i];

		if (!add_package(reader, package, methods, sources))
			return false;
		methods = package->methods;
		sources = package->sources;
	}
	forget_packages(reader);
	return true;
}

static bool
close_package(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;

	if (!cg_append(r->job, &reader->package,
		(struct package){ .group = group_name(reader),
		    .sources = reader->source.n,
		    .methods = reader->method.n,
		    .stems = reader->stems }))
		return false;
	reader->stems = (struct cg_map){ 0 };
	reader->directory.text.n = 0;
	reader->in_class = reader->in_method = reader->in_source = false;
	reader->open--;
	return reader->group.n > 0 || add_packages(r);
}

/* ---- Elements ----------------------------------------------------------- */

static bool
open_package(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct cg_slice name;

	if (!cg_xml_attribute(r->xml, "name", &name))
		return cg_xml_reject(r->xml, "name=\"...\"");
	reader->open++;
	return keep(r->job, name, &reader->directory);
}

static bool
open_group(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct cg_slice name;
	char *to;

	if (!cg_xml_attribute(r->xml, "name", &name) || name.len == 0)
		return cg_xml_reject(r->xml, "name=\"...\"");
	if (name.len >= GROUP_MAX - reader->group.n)
		return cg_xml_reject(
		    r->xml, "groups whose names have less than 4 KiB");
	if (!cg_reserve(r->job, &reader->group, reader->group.n + name.len + 1))
		return false;
	to = reader->group.at + reader->group.n;
	for (size_t i = 0; i < name.len; i++)
		to[i] = name.ptr[i] == '/' ? '_' : name.ptr[i];
	to[name.len] = '/';
	reader->group.n += name.len + 1;
	return true;
}

/*
 * Adds all packages to the graph at the end of the report. Ignores the end of
 * a nested element of the same name. False: an error (reported).
 */
static bool
close_report(struct coverage_xml_reader *r)
{
	return cg_xml_depth(r->xml) > 1 || add_packages(r);
}

static bool
close_group(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;

	do
		reader->group.n--;
	while (reader->group.n > 0 &&
	       reader->group.at[reader->group.n - 1] != '/');
	return true;
}

static bool
open_class(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct cg_slice name, source;

	if (!cg_xml_attribute(r->xml, "name", &name) || name.len == 0)
		return cg_xml_reject(r->xml, "name=\"...\"");
	reader->path = 0;
	reader->in_class = true;
	if (cg_xml_attribute(r->xml, "sourcefilename", &source) &&
	    source.len > 0 && !add_path(reader, source, &reader->path))
		return false;
	if (!reader->path)
		reader->stem = cg_add_name(r->build, stem_of(name));
	return keep(r->job, name, &reader->class);
}

static bool
close_class(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;

	reader->in_class = false;
	return true;
}

static bool
open_method(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct cg_slice name, descriptor;
	struct method method = { .path = reader->path, .stem = reader->stem };
	uint64_t line;

	if (!reader->in_class)
		return cg_xml_reject(r->xml, "<class> before <method>");
	if (!cg_xml_attribute(r->xml, "name", &name) || name.len == 0)
		return cg_xml_reject(r->xml, "name=\"...\"");
	(void)cg_xml_attribute(r->xml, "desc", &descriptor);
	if (!coverage_xml_get_number(r, "line", true, UINT32_MAX, &line) ||
	    !name_method(reader, name, descriptor, &method))
		return false;
	method.first = (uint32_t)line;
	if (!cg_append(r->job, &reader->method, method))
		return false;
	reader->in_method = true;
	return true;
}

static bool
close_method(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;

	reader->in_method = false;
	return true;
}

/*
 * Reads a counter (missed, covered) of the open method. Counters elsewhere are
 * sums of the methods' counters, and are ignored. False: rejected (reported).
 */
static bool
open_counter(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct counter counter;
	struct cg_slice type;

	if (!reader->in_method)
		return true;
	(void)cg_xml_attribute(r->xml, "type", &type);
	if (!coverage_xml_get_number(
		r, "missed", false, UINT32_MAX, &counter.missed) ||
	    !coverage_xml_get_number(
		r, "covered", false, UINT32_MAX, &counter.covered))
		return false;
	for (unsigned i = 0; i < COUNTERS; i++) {
		if (cg_equal(type, counters[i]))
			reader->method.at[reader->method.n - 1].counter[i] =
			    counter;
	}
	return true;
}

static bool
open_source(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct source source = { .line = reader->line.n };
	struct cg_slice name;

	if (!cg_xml_attribute(r->xml, "name", &name) || name.len == 0)
		return cg_xml_reject(r->xml, "name=\"...\"");
	if (reader->open == 0)
		return cg_xml_reject(r->xml, "<package> before <sourcefile>");
	if (!add_path(reader, name, &source.path) ||
	    !add_stem(reader, name, source.path))
		return false;
	if (!cg_append(r->job, &reader->source, source))
		return false;
	reader->in_source = true;
	return true;
}

static bool
close_source(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;

	reader->in_source = false;
	return true;
}

static bool
open_line(struct coverage_xml_reader *r)
{
	static const char *const names[] = { "nr", "mi", "ci", "mb", "cb" };
	struct reader *reader = r->arg;
	struct cg_slice text;
	struct source *source;
	uint64_t number[5];

	if (!reader->in_source)
		return cg_xml_reject(r->xml, "<sourcefile> before <line>");
	for (unsigned i = 0; i < 5; i++) {
		if (!coverage_xml_get_number(
			r, names[i], i > 0, UINT32_MAX, &number[i]))
			return false;
	}
	if (!cg_xml_attribute(r->xml, "mi", &text) &&
	    !cg_xml_attribute(r->xml, "ci", &text))
		cg_warn_at(r->job, cg_xml_at(r->xml),
		    "line without mi=\"...\" and ci=\"...\" is read as one "
		    "that never ran");
	source = &reader->source.at[reader->source.n - 1];
	if (source->lines > 0 &&
	    number[0] < reader->line.at[reader->line.n - 1].line)
		source->unsorted = true;
	if (!cg_append(r->job, &reader->line,
		(struct line){ .line = (uint32_t)number[0],
		    .missed = (uint32_t)number[1],
		    .covered = (uint32_t)number[2],
		    .missed_branches = (uint32_t)number[3],
		    .covered_branches = (uint32_t)number[4] }))
		return false;
	source->lines++;
	return coverage_xml_allow_branches(r, number[3] + number[4]);
}

/* All elements of the DTD. */
static const struct coverage_xml_element elements[] = {
	{ "report", NULL, close_report },
	{ "counter", open_counter, NULL },
	{ "line", open_line, NULL },
	{ "method", open_method, close_method },
	{ "class", open_class, close_class },
	{ "sourcefile", open_source, close_source },
	{ "package", open_package, close_package },
	{ "group", open_group, close_group },
	{ "sessioninfo", NULL, NULL },
	{ NULL, NULL, NULL },
};

static const struct cg_event events[] = { COVERAGE_XML_EVENT,
	{ .name = JACOCO_COVERED,
	    .long_name = "Instructions covered",
	    .incl = CG_INCL_NONE },
	{ .name = JACOCO_MISSED,
	    .long_name = "Instructions missed",
	    .incl = CG_INCL_NONE } };

int
jacoco_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader reader = { 0 };
	struct coverage_xml_reader r = {
		.job = job, .in = in, .build = build, .arg = &reader
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		(void)cg_add_column(build, &events[i]);
	reader.r = &r;
	return coverage_xml_read_document(&r, elements);
}
