/*
 * dotnet.c - the module for coverage of .NET, as XML: OpenCover, coveragexml
 * of Visual Studio, dotCover, NCover, PartCover.
 *
 * Source: OpenCover.Framework/Model of OpenCover 4.7 (classes that it
 * serializes), coverlet.core/Reporters/OpenCoverReporter.cs of coverlet 6, the
 * parsers of ReportGenerator 5.4, which is the usual converter of the reports,
 * NCover3ReportParser of sonar-dotnet; and reports of OpenCover 4.6, coverlet,
 * AltCover, Visual Studio 2010 to 2022, dotnet-coverage, dotCover 10 and
 * 2023.3, NCover 1.5, PartCover 2.2 to 4.0. Visual Studio has two shapes: the
 * data set CoverageDSPriv, whose files come last, and results, in which each
 * module lists its files after its functions.
 *
 * A method lists statements, which have lines, and how often they ran; dotCover
 * and Visual Studio state only whether they ran, which is count 1. As in
 * ReportGenerator, the count of a line is the sum of its statements. OpenCover
 * also has branches and how often methods were entered. Several reports in one
 * element <root> are merged, as by ReportGenerator.
 *
 * Lines, methods and branches survive, and statements with their columns as
 * regions. coverlet states columns 1 to 2 of all statements, as it does not
 * know them: these are no regions. Lost are assemblies, metrics, blocks, and
 * the tests that OpenCover's option coverbytest lists.
 */
#include <inttypes.h>
#include <string.h>

#include "coverage_xml.h"

struct dotnet {
	struct coverage_xml_methods methods;
	/* Names of the open namespaces and types, and where each ends. */
	CG_ARRAY(char) scope;
	CG_ARRAY(size_t) end;
	size_t types;      /* open types of dotCover */
	uint64_t file, id; /* of the method (FileRef), of the report's file */
	uint64_t state;    /* Visual Studio: 0 ran, 1 partly, 2 did not */
	struct coverage_xml_statement lines; /* of Visual Studio */
	uint64_t tests, lineless; /* dropped: rows of tests, branches */
};

/* ---- Names -------------------------------------------------------------- */

/*
 * Appends a name to d->scope, the dotted name of the open namespaces and
 * types; an empty name is ignored. False: out of memory (reported).
 */
static bool
append_name(struct coverage_xml_reader *r, struct cg_slice name)
{
	struct dotnet *d = r->arg;
	size_t n = d->scope.n;

	if (name.len == 0)
		return true;
	if (!cg_resize(r->job, &d->scope, n + (n > 0) + name.len))
		return false;
	if (n > 0)
		d->scope.at[n++] = '.';
	memcpy(d->scope.at + n, name.ptr, name.len);
	return true;
}

/*
 * Cuts d->scope, the dotted name of the open namespaces and types, to its
 * first "level" components. Then appends "name" as the next component. False:
 * out of memory (reported).
 */
static bool
set_scope(struct coverage_xml_reader *r, size_t level, struct cg_slice name)
{
	struct dotnet *d = r->arg;

	if (d->end.n > level)
		d->end.n = level;
	d->scope.n = d->end.n > 0 ? d->end.at[d->end.n - 1] : 0;
	return append_name(r, name) && cg_append(r->job, &d->end, d->scope.n);
}

static bool
set_scope_to(struct coverage_xml_reader *r, size_t level, const char *attribute)
{
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, attribute, &name);
	return set_scope(r, level, name);
}

/*
 * Begins a method; its name is d->scope (the open namespaces and types), a
 * dot, and the name. False: out of memory (reported).
 */
static bool
begin_method(struct coverage_xml_reader *r, struct cg_slice name)
{
	struct dotnet *d = r->arg;
	const size_t n = d->scope.n;
	bool ok;

	ok = append_name(r, name) &&
	     coverage_xml_begin_method(r, &d->methods,
		 cg_add_name(
		     r->build, (struct cg_slice){ d->scope.at, d->scope.n }));
	d->scope.n = n;
	return ok;
}

/*
 * Reads the content of an element as a number of at most "most". False:
 * rejected (reported). At the end of the input, returns true and leaves
 * *number unchanged; cg_xml_status() then tells why.
 */
static bool
take_number(struct coverage_xml_reader *r, uint64_t most, uint64_t *number)
{
	struct cg_slice text;

	if (!cg_xml_content(r->xml, &text))
		return true; /* end of input: cg_xml_status() tells why */
	if (cg_get_u64(cg_trim(text), number) && *number <= most)
		return true;
	return cg_reject_at(r->job, cg_xml_at(r->xml),
	    "expected a number up to %llu", (unsigned long long)most);
}

/* ---- Statements --------------------------------------------------------- */

/* Names of a statement's attributes; NULL: it has none. */
struct names {
	const char *first, *last, *count, *column, *last_column;
};

/*
 * Returns the column, from 1, in the named attribute; 0: it is absent, or no
 * number.
 */
static uint32_t
get_column(const struct coverage_xml_reader *r, const char *name)
{
	struct cg_slice text;
	uint64_t column;

	return cg_xml_attribute(r->xml, name, &text) &&
		       cg_get_u64(text, &column) && column <= UINT32_MAX
		   ? (uint32_t)column
		   : 0;
}

/*
 * Reads first and last column of a statement from the attributes in names.
 * coverlet, which does not know columns, writes 1 and 2 in all statements:
 * then statement->column is 0 (unknown).
 */
static void
take_columns(struct coverage_xml_reader *r, const struct names *names,
    struct coverage_xml_statement *statement)
{
	statement->column = get_column(r, names->column);
	statement->last_column = get_column(r, names->last_column);
	if (statement->column == 1 && statement->last_column == 2)
		statement->column = 0;
}

/*
 * Reads the lines of a statement from the attributes in names. Without a last
 * line, it is the first. Also reads the count, unless names->count is NULL,
 * and the columns, if the target has regions. False: rejected (reported).
 */
static bool
take_statement(struct coverage_xml_reader *r, const struct names *names,
    struct coverage_xml_statement *statement)
{
	uint64_t first, last;

	if (!coverage_xml_get_number(
		r, names->first, false, UINT32_MAX, &first) ||
	    !coverage_xml_get_number(r, names->last, true, UINT32_MAX, &last))
		return false;
	statement->first = (uint32_t)first;
	statement->last = (uint32_t)(last ? last : first);
	if (cg_wants_rows(r->build, CG_REGIONS))
		take_columns(r, names, statement);
	return !names->count || coverage_xml_get_number(r, names->count, false,
				    INT64_MAX, &statement->count);
}

static bool
end_methods(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;

	return coverage_xml_end_methods(r, &d->methods);
}

static bool
list_file(struct coverage_xml_reader *r, const char *id, const char *name)
{
	struct dotnet *d = r->arg;
	struct cg_slice path;
	uint64_t number;

	(void)cg_xml_attribute(r->xml, name, &path);
	return coverage_xml_get_number(r, id, false, UINT64_MAX, &number) &&
	       coverage_xml_list_file(r, &d->methods, number, path);
}

/* Ends a report, after which another one may begin. */
static bool end_report(struct coverage_xml_reader *);

/* ---- OpenCover ---------------------------------------------------------- */

static bool
open_opencover_file(struct coverage_xml_reader *r)
{
	return list_file(r, "uid", "fullPath");
}

static bool
open_opencover_method(struct coverage_xml_reader *r)
{
	((struct dotnet *)r->arg)->file = 0;
	return coverage_xml_begin_method(
	    r, &((struct dotnet *)r->arg)->methods, 0);
}

static bool
open_opencover_name(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;
	struct coverage_xml_method *method =
	    coverage_xml_last_method(r, &d->methods);
	struct cg_slice name;

	if (!method)
		return false;
	if (cg_xml_content(r->xml, &name))
		method->name = cg_add_name(r->build, cg_trim(name));
	return true;
}

/*
 * Reads the number of a method's file (FileRef) to d->file, for statements
 * that state none, in reports of old versions. False: rejected (reported).
 */
static bool
open_file_ref(struct coverage_xml_reader *r)
{
	return coverage_xml_get_number(
	    r, "uid", false, UINT64_MAX, &((struct dotnet *)r->arg)->file);
}

static bool
take_opencover_file(struct coverage_xml_reader *r, uint64_t *file)
{
	struct dotnet *d = r->arg;
	struct cg_slice text;

	*file = d->file;
	return !cg_xml_attribute(r->xml, "fileid", &text) ||
	       coverage_xml_get_number(r, "fileid", false, UINT64_MAX, file);
}

static bool
open_sequence_point(struct coverage_xml_reader *r)
{
	static const struct names names = { "sl", "el", "vc", "sc", "ec" };
	struct dotnet *d = r->arg;
	struct coverage_xml_statement statement = { 0 };

	return take_opencover_file(r, &statement.file) &&
	       take_statement(r, &names, &statement) &&
	       coverage_xml_add_statement(r, &d->methods, &statement);
}

static bool
open_branch_point(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;
	struct coverage_xml_outcome outcome = { 0 };
	struct cg_slice text;
	uint64_t line;

	if (!cg_xml_attribute(r->xml, "sl", &text)) {
		d->lineless++; /* before version 4.5.3207 */
		return true;
	}
	if (!take_opencover_file(r, &outcome.file) ||
	    !coverage_xml_get_number(r, "sl", false, UINT32_MAX, &line) ||
	    !coverage_xml_get_number(
		r, "offset", true, UINT64_MAX, &outcome.group) ||
	    !coverage_xml_get_number(r, "vc", false, INT64_MAX, &outcome.count))
		return false;
	outcome.line = (uint32_t)line;
	return coverage_xml_add_outcome(r, &d->methods, &outcome);
}

/*
 * Sets the entries of the last method from the attribute vc: how often the
 * method was entered. Without the attribute, the number is unknown
 * (method->counted is false). False: rejected (reported).
 */
static bool
open_method_point(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;
	struct coverage_xml_method *method =
	    coverage_xml_last_method(r, &d->methods);
	struct cg_slice text;

	if (!method)
		return false;
	method->counted = cg_xml_attribute(r->xml, "vc", &text);
	return coverage_xml_get_number(
	    r, "vc", true, INT64_MAX, &method->entries);
}

static bool
open_tracked(struct coverage_xml_reader *r)
{
	((struct dotnet *)r->arg)->tests++;
	return true;
}

static const struct coverage_xml_element opencover[] = {
	{ "CoverageSession", NULL, end_report },
	{ "SequencePoint", open_sequence_point, NULL },
	{ "BranchPoint", open_branch_point, NULL },
	{ "Summary", NULL, NULL },
	{ "Method", open_opencover_method, NULL },
	{ "MetadataToken", NULL, NULL },
	{ "Name", open_opencover_name, NULL },
	{ "FileRef", open_file_ref, NULL },
	{ "SequencePoints", NULL, NULL },
	{ "BranchPoints", NULL, NULL },
	{ "MethodPoint", open_method_point, NULL },
	{ "TrackedMethodRefs", NULL, NULL },
	{ "TrackedMethodRef", open_tracked, NULL },
	{ "Methods", NULL, NULL },
	{ "Class", NULL, NULL },
	{ "FullName", NULL, NULL },
	{ "Classes", NULL, NULL },
	{ "File", open_opencover_file, NULL },
	{ "Files", NULL, NULL },
	{ "TrackedMethods", coverage_xml_skip, NULL },
	{ "ModulePath", NULL, NULL },
	{ "ModuleTime", NULL, NULL },
	{ "ModuleName", NULL, NULL },
	{ "Aliases", coverage_xml_skip, NULL },
	{ "Module", NULL, end_methods },
	{ "Modules", NULL, NULL },
	{ NULL, NULL, NULL },
};

/* ---- dotCover ----------------------------------------------------------- */

static bool
open_dotcover_file(struct coverage_xml_reader *r)
{
	return list_file(r, "Index", "Name");
}

static bool
open_dotcover_scope(struct coverage_xml_reader *r)
{
	return set_scope_to(r, ((struct dotnet *)r->arg)->types++, "Name");
}

static bool
close_dotcover_scope(struct coverage_xml_reader *r)
{
	((struct dotnet *)r->arg)->types--;
	return true;
}

/*
 * Begins a method of the innermost open type. Types nest, and one inside this
 * type may just have ended. So first cuts d->scope back to the names of the
 * open types. False: out of memory (reported).
 */
static bool
open_dotcover_method(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, "Name", &name);
	d->end.n = d->types;
	d->scope.n = d->end.n > 0 ? d->end.at[d->end.n - 1] : 0;
	return begin_method(r, name);
}

static bool
open_dotcover_statement(struct coverage_xml_reader *r)
{
	static const struct names names = { "Line", "EndLine", NULL, "Column",
		"EndColumn" };
	struct dotnet *d = r->arg;
	struct coverage_xml_statement statement = { 0 };
	struct cg_slice covered;

	if (!cg_xml_attribute(r->xml, "Covered", &covered) ||
	    (!cg_equal(covered, "True") && !cg_equal(covered, "False")))
		return cg_xml_reject(
		    r->xml, "Covered=\"...\" with True or False");
	statement.count = cg_equal(covered, "True");
	return coverage_xml_get_number(
		   r, "FileIndex", false, UINT64_MAX, &statement.file) &&
	       take_statement(r, &names, &statement) &&
	       coverage_xml_add_statement(r, &d->methods, &statement);
}

static const struct coverage_xml_element dotcover[] = {
	{ "Root", NULL, end_report },
	{ "Statement", open_dotcover_statement, NULL },
	{ "Method", open_dotcover_method, NULL },
	{ "Member", open_dotcover_method, NULL },
	{ "Property", open_dotcover_scope, close_dotcover_scope },
	{ "Event", open_dotcover_scope, close_dotcover_scope },
	{ "OwnCoverage", NULL, NULL },
	{ "AnonymousMethod", open_dotcover_method, NULL },
	{ "Type", open_dotcover_scope, close_dotcover_scope },
	{ "Namespace", open_dotcover_scope, close_dotcover_scope },
	{ "Assembly", NULL, NULL },
	{ "File", open_dotcover_file, NULL },
	{ "FileIndices", NULL, NULL },
	{ NULL, NULL, NULL },
};

/* ---- Visual Studio: results --------------------------------------------- */

static bool
open_source_file(struct coverage_xml_reader *r)
{
	return list_file(r, "id", "path");
}

static bool
open_function(struct coverage_xml_reader *r)
{
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, "name", &name);
	return set_scope_to(r, 0, "namespace") &&
	       set_scope_to(r, 1, "type_name") && begin_method(r, name);
}

static bool
open_range(struct coverage_xml_reader *r)
{
	static const struct names names = { "start_line", "end_line", NULL,
		"start_column", "end_column" };
	struct dotnet *d = r->arg;
	struct coverage_xml_statement statement = { 0 };
	struct cg_slice covered;

	(void)cg_xml_attribute(r->xml, "covered", &covered);
	statement.count = !cg_equal(covered, "no");
	if (statement.count && !cg_equal(covered, "yes") &&
	    !cg_equal(covered, "partial"))
		return cg_xml_reject(
		    r->xml, "covered=\"...\" with yes, partial or no");
	return coverage_xml_get_number(
		   r, "source_id", false, UINT64_MAX, &statement.file) &&
	       take_statement(r, &names, &statement) &&
	       coverage_xml_add_statement(r, &d->methods, &statement);
}

/*
 * Adds the methods of a module to the graph. Forgets the numbers of its files,
 * as each module numbers its own. False: an error (reported).
 */
static bool
close_results_module(struct coverage_xml_reader *r)
{
	const bool ok = end_methods(r);

	cg_map_clear(&((struct dotnet *)r->arg)->methods.files);
	return ok;
}

static const struct coverage_xml_element results[] = {
	{ "results", NULL, end_report },
	{ "range", open_range, NULL },
	{ "function", open_function, NULL },
	{ "ranges", NULL, NULL },
	{ "functions", NULL, NULL },
	{ "source_file", open_source_file, NULL },
	{ "source_files", NULL, NULL },
	{ "skipped_functions", coverage_xml_skip, NULL },
	{ "skipped_modules", coverage_xml_skip, NULL },
	{ "module", NULL, close_results_module },
	{ "modules", NULL, NULL },
	{ NULL, NULL, NULL },
};

/* ---- Visual Studio: CoverageDSPriv -------------------------------------- */

static bool
take_name(struct coverage_xml_reader *r, size_t level)
{
	struct cg_slice name;

	return !cg_xml_content(r->xml, &name) || set_scope(r, level, name);
}

static bool
open_namespace_name(struct coverage_xml_reader *r)
{
	return take_name(r, 0);
}

static bool
open_class_name(struct coverage_xml_reader *r)
{
	return take_name(r, 1);
}

static bool
open_method_name(struct coverage_xml_reader *r)
{
	struct cg_slice name;

	return !cg_xml_content(r->xml, &name) || begin_method(r, name);
}

static bool
open_lines(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;

	d->lines = (struct coverage_xml_statement){ 0 };
	d->state = 2;
	return true;
}

static bool
open_first(struct coverage_xml_reader *r)
{
	uint64_t line = 0;
	bool ok = take_number(r, UINT32_MAX, &line);

	((struct dotnet *)r->arg)->lines.first = (uint32_t)line;
	return ok;
}

static bool
open_last(struct coverage_xml_reader *r)
{
	uint64_t line = 0;
	bool ok = take_number(r, UINT32_MAX, &line);

	((struct dotnet *)r->arg)->lines.last = (uint32_t)line;
	return ok;
}

/* Returns the column, from 1, that is the content of an element; 0: unknown. */
static uint32_t
take_column(struct coverage_xml_reader *r)
{
	struct cg_slice text;
	uint64_t column;

	return cg_xml_content(r->xml, &text) &&
		       cg_get_u64(cg_trim(text), &column) &&
		       column <= UINT32_MAX
		   ? (uint32_t)column
		   : 0;
}

static bool
open_column(struct coverage_xml_reader *r)
{
	((struct dotnet *)r->arg)->lines.column = take_column(r);
	return true;
}

static bool
open_last_column(struct coverage_xml_reader *r)
{
	((struct dotnet *)r->arg)->lines.last_column = take_column(r);
	return true;
}

static bool
open_coverage(struct coverage_xml_reader *r)
{
	return take_number(r, 2, &((struct dotnet *)r->arg)->state);
}

/*
 * Reads the number of a file to d->id and d->lines.file. In <Lines> the number
 * refers to a file, in <SourceFileNames> it defines one. False: rejected
 * (reported).
 */
static bool
open_source_file_id(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;

	if (!take_number(r, UINT64_MAX, &d->id))
		return false;
	d->lines.file = d->id;
	return true;
}

static bool
close_lines(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;

	d->lines.count = d->state < 2;
	return coverage_xml_add_statement(r, &d->methods, &d->lines);
}

static bool
open_source_file_name(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;
	struct cg_slice path;

	return !cg_xml_content(r->xml, &path) ||
	       coverage_xml_list_file(r, &d->methods, d->id, cg_trim(path));
}

static const struct coverage_xml_element data_set[] = {
	{ "CoverageDSPriv", NULL, end_report },
	{ "Lines", open_lines, close_lines },
	{ "LnStart", open_first, NULL },
	{ "ColStart", open_column, NULL },
	{ "LnEnd", open_last, NULL },
	{ "ColEnd", open_last_column, NULL },
	{ "Coverage", open_coverage, NULL },
	{ "SourceFileID", open_source_file_id, NULL },
	{ "LineID", NULL, NULL },
	{ "BlocksCovered", NULL, NULL },
	{ "BlocksNotCovered", NULL, NULL },
	{ "LinesCovered", NULL, NULL },
	{ "LinesNotCovered", NULL, NULL },
	{ "LinesPartiallyCovered", NULL, NULL },
	{ "Method", NULL, NULL },
	{ "MethodKeyName", NULL, NULL },
	{ "MethodName", open_method_name, NULL },
	{ "MethodFullName", NULL, NULL },
	{ "Class", NULL, NULL },
	{ "ClassKeyName", NULL, NULL },
	{ "ClassName", open_class_name, NULL },
	{ "NamespaceKeyName", NULL, NULL },
	{ "NamespaceName", open_namespace_name, NULL },
	{ "NamespaceTable", NULL, NULL },
	{ "SourceFileName", open_source_file_name, NULL },
	{ "SourceFileNames", NULL, NULL },
	{ "Module", NULL, NULL },
	{ "ModuleName", NULL, NULL },
	{ "ImageSize", NULL, NULL },
	{ "ImageLinkTime", NULL, NULL },
	{ "schema", coverage_xml_skip, NULL },
	{ NULL, NULL, NULL },
};

/* ---- NCover ------------------------------------------------------------- */

static bool
open_ncover_class(struct coverage_xml_reader *r)
{
	return set_scope_to(r, 0, "name");
}

static bool
open_ncover_method(struct coverage_xml_reader *r)
{
	struct cg_slice name;

	if (cg_xml_attribute(r->xml, "class", &name) && !set_scope(r, 0, name))
		return false;
	(void)cg_xml_attribute(r->xml, "name", &name);
	return begin_method(r, name);
}

/*
 * Adds a statement to the last method, unless it is excluded. Version 3 states
 * its file by number; earlier versions state the path, whose id as a name
 * replaces the number. False: an error (reported).
 */
static bool
open_ncover_point(struct coverage_xml_reader *r)
{
	static const struct names one = { "line", "endline", "visitcount",
		"column", "endcolumn" },
				  three = { "l", "el", "vc", "c", "ec" };
	struct dotnet *d = r->arg;
	struct coverage_xml_statement statement = { 0 };
	struct cg_slice path, excluded;

	if (cg_xml_attribute(r->xml, "excluded", &excluded) &&
	    cg_equal(excluded, "true"))
		return true;
	if (!cg_xml_attribute(r->xml, "document", &path))
		return coverage_xml_get_number(
			   r, "doc", false, UINT64_MAX, &statement.file) &&
		       take_statement(r, &three, &statement) &&
		       coverage_xml_add_statement(r, &d->methods, &statement);
	statement.file = cg_add_name(r->build, path);
	return coverage_xml_list_file(r, &d->methods, statement.file, path) &&
	       take_statement(r, &one, &statement) &&
	       coverage_xml_add_statement(r, &d->methods, &statement);
}

static bool
open_document(struct coverage_xml_reader *r)
{
	return list_file(r, "id", "url");
}

static const struct coverage_xml_element ncover[] = {
	{ "coverage", NULL, end_report },
	{ "seqpnt", open_ncover_point, NULL },
	{ "method", open_ncover_method, NULL },
	{ "class", open_ncover_class, NULL },
	{ "module", NULL, NULL },
	{ "doc", open_document, NULL },
	{ "documents", NULL, NULL },
	{ NULL, NULL, NULL },
};

/* ---- PartCover ---------------------------------------------------------- */

static bool
open_partcover_file(struct coverage_xml_reader *r)
{
	return list_file(r, "id", "url");
}

static bool
open_partcover_type(struct coverage_xml_reader *r)
{
	return set_scope_to(r, 0, "name");
}

/*
 * Begins a method. Appends the parameters of the signature to its name,
 * "(string)" of "void (string)", to tell overloads apart. False: out of memory
 * (reported).
 */
static bool
open_partcover_method(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;
	struct cg_slice name, signature;
	const char *at;

	(void)cg_xml_attribute(r->xml, "name", &name);
	(void)cg_xml_attribute(r->xml, "sig", &signature);
	at = cg_find(signature, "(");
	if (!at)
		return begin_method(r, name);
	signature.len -= (size_t)(at - signature.ptr);
	signature.ptr = at;
	if (!cg_resize(r->job, &d->methods.text, name.len + signature.len))
		return false;
	memcpy(d->methods.text.at, name.ptr, name.len);
	memcpy(d->methods.text.at + name.len, signature.ptr, signature.len);
	return begin_method(
	    r, (struct cg_slice){ d->methods.text.at, d->methods.text.n });
}

/*
 * Adds a statement to the last method. Skips a statement without a file, as
 * the compiler made its code. False: an error (reported).
 */
static bool
open_partcover_point(struct coverage_xml_reader *r)
{
	static const struct names names = { "sl", "el", "visit", "sc", "ec" };
	struct dotnet *d = r->arg;
	struct coverage_xml_statement statement = { 0 };
	struct cg_slice text;

	if (!cg_xml_attribute(r->xml, "fid", &text))
		return true;
	return coverage_xml_get_number(
		   r, "fid", false, UINT64_MAX, &statement.file) &&
	       take_statement(r, &names, &statement) &&
	       coverage_xml_add_statement(r, &d->methods, &statement);
}

/* Version 2.2 writes small letters. */
static const struct coverage_xml_element partcover[] = {
	{ "PartCoverReport", NULL, end_report },
	{ "pt", open_partcover_point, NULL },
	{ "Method", open_partcover_method, NULL },
	{ "method", open_partcover_method, NULL },
	{ "code", NULL, NULL },
	{ "Type", open_partcover_type, NULL },
	{ "type", open_partcover_type, NULL },
	{ "File", open_partcover_file, NULL },
	{ "file", open_partcover_file, NULL },
	{ "Assembly", NULL, NULL },
	{ "run", coverage_xml_skip, NULL },
	{ "Run", coverage_xml_skip, NULL },
	{ "SkippedItem", NULL, NULL },
	{ NULL, NULL, NULL },
};

/* ---- The document ------------------------------------------------------- */

/*
 * Begins a report with these elements, and resets the state in r->arg.
 * largest: statements only say whether they ran, so their largest count is the
 * line's, not their sum. Returns true.
 */
static bool
begin_report(struct coverage_xml_reader *r,
    const struct coverage_xml_element *elements, bool largest)
{
	struct dotnet *d = r->arg;

	r->elements = elements;
	d->methods.largest = largest;
	d->end.n = d->scope.n = d->types = 0;
	return true;
}

static bool
open_opencover(struct coverage_xml_reader *r)
{
	return begin_report(r, opencover, false);
}

static bool
open_dotcover(struct coverage_xml_reader *r)
{
	struct cg_slice type;

	if (!cg_xml_attribute(r->xml, "ReportType", &type) ||
	    !cg_equal(type, "DetailedXml"))
		return cg_xml_reject(r->xml,
		    "a report of dotCover with statements: "
		    "ReportType=\"DetailedXml\"");
	return begin_report(r, dotcover, true);
}

static bool
open_results(struct coverage_xml_reader *r)
{
	return begin_report(r, results, true);
}

static bool
open_data_set(struct coverage_xml_reader *r)
{
	return begin_report(r, data_set, true);
}

static bool
open_ncover(struct coverage_xml_reader *r)
{
	return begin_report(r, ncover, false);
}

static bool
open_partcover(struct coverage_xml_reader *r)
{
	return begin_report(r, partcover, false);
}

static const struct coverage_xml_element reports[] = {
	{ "CoverageSession", open_opencover, NULL },
	{ "Root", open_dotcover, NULL },
	{ "results", open_results, NULL },
	{ "CoverageDSPriv", open_data_set, NULL },
	{ "coverage", open_ncover, NULL },
	{ "PartCoverReport", open_partcover, NULL },
	{ "root", NULL, NULL },
	{ NULL, NULL, NULL },
};

static bool
end_report(struct coverage_xml_reader *r)
{
	struct dotnet *d = r->arg;

	r->elements = reports;
	if (!end_methods(r))
		return false;
	cg_map_clear(&d->methods.files);
	return true;
}

static int
read_dotnet(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = COVERAGE_XML_EVENT;
	struct dotnet d = { 0 };
	struct coverage_xml_reader r = { .job = job,
		.in = in,
		.build = build,
		.any_root = true,
		.arg = &d };
	int status;

	(void)cg_add_event(build, &event);
	status = coverage_xml_read_document(&r, reports);
	coverage_xml_tell_dropped(&r, &d.methods);
	if (d.tests > 0)
		cg_warn(job,
		    "dropped %" PRIu64 " count%s by test (TrackedMethodRef)",
		    d.tests, d.tests == 1 ? "" : "s");
	if (d.lineless > 0)
		cg_warn(job,
		    "dropped %" PRIu64 " outcome%s of branches without a line",
		    d.lineless, d.lineless == 1 ? "" : "s");
	return status;
}

/* Roots, and what tells them from those of other formats; NULL: nothing. */
static const struct {
	const char *root, *in_tag, *after;
} roots[] = {
	{ "CoverageSession", NULL, NULL },
	{ "Root", " ReportType=", NULL },
	{ "results", NULL, "<module " },
	{ "CoverageDSPriv", NULL, NULL },
	{ "coverage", " profilerVersion=", NULL },
	{ "PartCoverReport", NULL, NULL },
	{ "root", NULL, "<CoverageSession" },
	{ "root", NULL, "<Root " },
	{ "root", NULL, "<results>" },
	{ "root", NULL, "<CoverageDSPriv" },
	{ "root", NULL, " profilerVersion=" },
	{ "root", NULL, "<PartCoverReport" },
};

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest, name;

	if (!cg_head_root(head, &tag, &rest))
		return CG_PROBE_NO;
	name = tag;
	for (size_t i = 0; i < name.len; i++) {
		if (strchr(" \t\r\n/", name.ptr[i]))
			name.len = i;
	}
	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		if (cg_equal(name, roots[i].root) &&
		    (!roots[i].in_tag || cg_find(tag, roots[i].in_tag)) &&
		    (!roots[i].after || cg_find(rest, roots[i].after)))
			return CG_PROBE_SURE;
	}
	return CG_PROBE_NO;
}

const struct cg_module cg_format_dotnet = {
	CG_MODULE,
	.name = "dotnet",
	.title = "coverage of .NET: OpenCover, Visual Studio, dotCover, NCover",
	.text = true,
	.suffixes = "opencover.xml;coveragexml",
	.probe = probe,
	.read = read_dotnet,
};
