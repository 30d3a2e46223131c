/*
 * xml.c - compares the XML reader and escaped text with libxml2's tree.
 */
#include <libxml/parser.h>

#include "job/job.h"
#include "syntax/syntax.h"
#include "unit.h"

static struct unit_log said;
static struct cg_job *job;

/* ---- Helpers ------------------------------------------------------------ */

static struct cg_xml *
start(struct cg_slice text)
{
	int status;

	said = (struct unit_log){ 0 };
	job->errors.in = cg_in_memory(&job->errors.diag, "test", text, &status);
	return job->errors.in ? cg_xml_new(job, job->errors.in) : NULL;
}

static void
finish(void)
{
	cg_scope_end(&job->errors.scope);
	cg_in_close(job->errors.in);
	job->errors.in = NULL;
}

/* Prints a line for each event: "<name", " text", ">name". */
static int
dump(struct cg_slice text, struct cg_out *to)
{
	static const char marks[] = { '.', '<', '>', ' ' };
	struct cg_xml *xml = start(text);
	enum cg_xml_type type;
	int status;

	while ((type = cg_xml_next(xml)) != CG_XML_END) {
		struct cg_slice value, name = cg_xml_name(xml);

		cg_putf(to, "%u%c", cg_xml_depth(xml), marks[type]);
		cg_put(to, type == CG_XML_TEXT ? cg_xml_text(xml) : name);
		for (char a[] = "a"; type == CG_XML_OPEN && *a < 'e'; ++*a) {
			if (cg_xml_attribute(xml, a, &value)) {
				cg_putf(to, " %s=", a);
				cg_put(to, value);
			}
		}
		cg_putc(to, '\n');
	}
	status = cg_xml_status(xml);
	CHECK(cg_xml_next(xml) == CG_XML_END && cg_xml_status(xml) == status);
	CHECK((said.count > 0) == (status != CG_OK));
	finish();
	return status;
}

/* ---- By hand ------------------------------------------------------------ */

static void
test_events(void)
{
	static const char text[] =
	    "<?xml version='1.0'?><!DOCTYPE r SYSTEM 'http://x/none.dtd'>\n"
	    "<r a='1' b=\"&lt;&#10;&amp;\"> x <![CDATA[<y>]]>&amp;z<!-- c -->t"
	    "\n <p:e c=''/><?pi x?>\n</r>\n";
	struct cg_out *out = cg_out_memory(&job->errors.diag);

	CHECK(dump(cg_slice(text), out) == CG_OK);
	CHECK(cg_equal(cg_out_bytes(out), "1<r a=1 b=<\n&\n"
					  "1  x <y>&zt\n \n"
					  "2<e c=\n2>e\n1>r\n"));
	cg_out_close(out);
}

static void
test_places(void)
{
	static const char text[] = "<r>\n <a/>\n  <b\n c='1'>x</b></r>";
	static const struct {
		enum cg_xml_type type;
		unsigned line, column;
	} want[] = { { CG_XML_OPEN, 1, 1 }, { CG_XML_OPEN, 2, 2 },
		{ CG_XML_CLOSE, 2, 0 }, { CG_XML_OPEN, 3, 3 },
		{ CG_XML_TEXT, 4, 0 }, { CG_XML_CLOSE, 4, 9 },
		{ CG_XML_CLOSE, 4, 13 } };
	struct cg_xml *xml = start(cg_slice(text));
	struct cg_location place;

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		CHECK(cg_xml_next(xml) == want[i].type);
		cg_in_locate(job->errors.in, cg_xml_at(xml), &place);
		CHECK(place.line == want[i].line);
		CHECK(!want[i].column || place.column == want[i].column);
	}
	CHECK(cg_xml_next(xml) == CG_XML_END && cg_xml_status(xml) == CG_OK);
	finish();
}

static void
test_content(void)
{
	struct cg_xml *xml = start(cg_slice("<r><a>x<b>y</b> z</a><c>u</c>"
					    "<d/><e>v&amp;w</e></r>"));
	struct cg_slice text = { 0 };

	CHECK(cg_xml_next(xml) == CG_XML_OPEN);
	CHECK(cg_xml_next(xml) == CG_XML_OPEN && cg_xml_content(xml, &text));
	CHECK(cg_equal(text, "xy z") && cg_equal(cg_xml_name(xml), "a"));
	CHECK(cg_xml_next(xml) == CG_XML_OPEN && cg_xml_content(xml, NULL));
	CHECK(cg_xml_next(xml) == CG_XML_OPEN && cg_xml_content(xml, &text));
	CHECK(text.len == 0 && cg_equal(cg_xml_name(xml), "d"));
	CHECK(cg_xml_next(xml) == CG_XML_OPEN && cg_xml_content(xml, &text));
	CHECK(cg_equal(text, "v&w") && cg_equal(cg_xml_name(xml), "e"));
	CHECK(cg_xml_next(xml) == CG_XML_CLOSE && !cg_xml_content(xml, &text));
	CHECK(cg_xml_status(xml) == CG_OK);
	finish();
}

static void
test_child(void)
{
	struct cg_xml *xml =
	    start(cg_slice("<r> <a n='7' x='7b' e=''>t</a> u <b><c/></b></r>"));
	struct cg_slice name;
	uint64_t n;

	CHECK(cg_xml_next(xml) == CG_XML_OPEN);
	CHECK(cg_xml_child(xml, &name) && cg_equal(name, "a"));
	CHECK(cg_xml_number(xml, "n", &n) && n == 7);
	CHECK(!cg_xml_number(xml, "x", &n) && n == 0);
	CHECK(!cg_xml_number(xml, "e", &n) && !cg_xml_number(xml, "o", &n));
	CHECK(cg_xml_content(xml, NULL));
	CHECK(cg_xml_child(xml, &name) && cg_equal(name, "b"));
	CHECK(cg_xml_child(xml, &name) && cg_equal(name, "c"));
	CHECK(!cg_xml_child(xml, &name) && cg_equal(name, "c"));
	CHECK(!cg_xml_child(xml, &name) && cg_equal(name, "b"));
	CHECK(!cg_xml_child(xml, &name) && cg_equal(name, "r"));
	CHECK(cg_xml_next(xml) == CG_XML_END && !cg_xml_child(xml, &name));
	CHECK(cg_xml_status(xml) == CG_OK);
	finish();
	xml = start(cg_slice("<r><a>"));
	CHECK(cg_xml_next(xml) == CG_XML_OPEN && cg_xml_child(xml, &name));
	CHECK(!cg_xml_child(xml, &name) && cg_xml_status(xml) == CG_EINPUT);
	finish();
}

/* Repeats a text into a document of its own. */
static int
repeat(const char *before, const char *text, size_t times, const char *after)
{
	struct cg_out *doc = cg_out_memory(&job->errors.diag);
	struct cg_out *out = cg_out_memory(&job->errors.diag);
	int status;

	cg_puts(doc, before);
	while (times-- > 0)
		cg_puts(doc, text);
	cg_puts(doc, after);
	status = dump(cg_out_bytes(doc), out);
	cg_out_close(doc);
	cg_out_close(out);
	return status;
}

static void
test_limits(void)
{
	CHECK(repeat("<r>", "<a>", 255, "") == CG_EINPUT);
	CHECK(strstr(said.text, "truncated"));
	CHECK(repeat("<r>", "<a>", 256, "") == CG_ELIMIT);
	CHECK(strstr(said.text, "256 deep"));
	CHECK(repeat("<r a='", "x", 100000, "'/>") == CG_OK);
	CHECK(repeat("<r a='", "x", 1000000, "'/>") == CG_ELIMIT);
	CHECK(strstr(said.text, "256 KiB"));
	CHECK(repeat("<r>", "x&amp;", 500000, "</r>") == CG_OK);
	CHECK(repeat("<r>", "x&amp;", 600000, "</r>") == CG_ELIMIT);
	CHECK(strstr(said.text, "1 MiB"));
	CHECK(repeat("<r>", "<!-- x -->\n ", 300000, "</r>") == CG_OK);
}

static void
test_errors(void)
{
	static const struct {
		const char *text, *message;
		unsigned line, column;
	} bad[] = {
		{ "", "expected an XML document", 0, 0 },
		{ "\n", "expected an XML document", 0, 0 },
		{ "x", "expected an XML document", 0, 0 },
		{ "<r>\n<a></r>", "expected XML", 2, 8 },
		{ "<r>\n", "truncated", 0, 0 },
		{ "<r", "expected an XML document", 0, 0 },
		{ "<r/>\n<r/>", "expected XML", 2, 1 },
		{ "<r a='1' a='2'/>", "redefined", 1, 0 },
		{ "<r>&e;</r>", "expected no entity", 1, 0 },
		{ "<r>\n<a>\n x</a>\n <b c='&e;'/></r>", "expected no entity",
		    4, 11 },
		{ "<!DOCTYPE r SYSTEM 'x'><r>&e;</r>", "expected no entity", 1,
		    0 },
		{ "<!DOCTYPE r [<!ENTITY e 'x'>]><r>&e;</r>",
		    "expected no entity", 1, 0 },
		{ "<!DOCTYPE r [<!ENTITY e SYSTEM '/etc/hostname'>]>"
		  "<r a='&e;'/>",
		    "expected no entity", 1, 0 },
		{ "<!DOCTYPE r [<!ENTITY % p '<!ENTITY e \"x\">'> %p;]>"
		  "<r>&e;</r>",
		    "expected XML", 1, 0 },
		{ "<r>\xff</r>", "expected XML", 1, 0 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cg_out *out = cg_out_memory(&job->errors.diag);

		CHECK(dump(cg_slice(bad[i].text), out) == CG_EINPUT);
		CHECK(said.count == 1 && strstr(said.text, bad[i].message));
		CHECK(!bad[i].line || said.last.line == bad[i].line);
		CHECK(!bad[i].column || said.last.column == bad[i].column);
		cg_out_close(out);
	}
}

/* Default attributes of a document type are ignored. */
static void
test_defaults(void)
{
	struct cg_out *out = cg_out_memory(&job->errors.diag);

	CHECK(dump(cg_slice("<!DOCTYPE r [<!ELEMENT r (s)><!ATTLIST r a CDATA "
			    "'1' b CDATA #IMPLIED>]><r b='2'/>"),
		  out) == CG_OK);
	CHECK(cg_equal(cg_out_bytes(out), "1<r b=2\n1>r\n"));
	cg_out_close(out);
}

/* ---- Against the tree --------------------------------------------------- */

/* Writes XML syntax, letters, or bytes that are not UTF-8. */
static void
put_random(struct cg_out *out, uint64_t *seed, bool raw)
{
	static const char *const words[] = { "&", "<", ">", "\"", "'", "]]>",
		"\t", "\r", "\n", " ", "x", "\xc3\xa9", "\xe2\x82\xac",
		"\xf0\x9f\x98\x80", "abcdefghijklmnop", "\x7f",
		"\xef\xbf\xbd" };
	static const char *const bad[] = { "\xff", "\xc3", "\xe2\x82", "\x01",
		"\x1f", "\xef\xbf\xbe", "\xed\xa0\x80", "\xc0\x80" };

	for (size_t n = unit_below(seed, 12); n > 0; n--) {
		size_t i = unit_below(seed, 17);

		if (raw && unit_below(seed, 20) == 0)
			cg_puts(out, bad[unit_below(seed, 8)]);
		else
			cg_puts(out, words[i]);
	}
}

static void
put_value(struct cg_out *out, uint64_t *seed)
{
	struct cg_out *value = cg_out_memory(&job->errors.diag);

	put_random(value, seed, true);
	cg_put_xml(out, cg_out_bytes(value));
	cg_out_close(value);
}

static void
put_tag(struct cg_out *out, uint64_t *seed, char stack[], unsigned *depth)
{
	char name = (char)('f' + unit_below(seed, 6));

	cg_putf(out, "<%c", name);
	for (char a = 'a'; a < 'e'; a++) {
		if (unit_below(seed, 3) != 0)
			continue;
		cg_putf(out, "%s%c = \"", unit_below(seed, 2) ? " " : "\n ", a);
		put_value(out, seed);
		cg_putc(out, '"');
	}
	if (*depth == 40 || unit_below(seed, 3) == 0) {
		cg_puts(out, "/>");
		return;
	}
	cg_putc(out, '>');
	stack[(*depth)++] = name;
}

/* Writes a random document of about n nodes. */
static void
put_document(struct cg_out *out, uint64_t *seed, size_t n)
{
	char stack[41] = "r";
	unsigned depth = 1;

	cg_puts(out, "<?xml version=\"1.0\"?>\n<!-- <> --><r>");
	while (n-- > 0) {
		switch (unit_below(seed, 8)) {
		case 0:
		case 1:
		case 2: put_tag(out, seed, stack, &depth); break;
		case 3:
		case 4: put_value(out, seed); break;
		case 5: cg_puts(out, unit_below(seed, 2) ? "\n  " : " "); break;
		case 6:
			cg_puts(out, unit_below(seed, 2) ? "<!-- <a> -->"
							 : "<![CDATA[ <&]]>");
			break;
		case 7:
			if (depth > 1)
				cg_putf(out, "</%c>", stack[--depth]);
			break;
		}
	}
	while (depth > 0)
		cg_putf(out, "</%c>", stack[--depth]);
	cg_putc(out, '\n');
}

/* Prints collected text before the next tag, unless it is blank. */
static void
put_text(struct cg_out *to, struct cg_out **text, unsigned depth)
{
	struct cg_slice bytes = cg_out_bytes(*text);

	for (size_t i = 0; i < bytes.len; i++) {
		if (!strchr(" \t\r\n", bytes.ptr[i])) {
			cg_putf(to, "%u ", depth);
			cg_put(to, bytes);
			cg_putc(to, '\n');
			break;
		}
	}
	cg_out_close(*text);
	*text = cg_out_memory(&job->errors.diag);
}

static void
put_open(struct cg_out *to, xmlNode *node, unsigned depth)
{
	cg_putf(to, "%u<%s", depth, (const char *)node->name);
	for (char a[] = "a"; *a < 'e'; ++*a) {
		xmlChar *value = xmlGetProp(node, (const xmlChar *)a);

		if (value)
			cg_putf(to, " %s=%s", a, (const char *)value);
		xmlFree(value);
	}
	cg_putc(to, '\n');
}

/* Prints libxml2's tree in the same form. */
static void
dump_tree(xmlNode *root, struct cg_out *to)
{
	struct cg_out *text = cg_out_memory(&job->errors.diag);
	xmlNode *node = root;
	unsigned depth = 0;

	while (node) {
		if (node->type == XML_TEXT_NODE ||
		    node->type == XML_CDATA_SECTION_NODE)
			cg_puts(text, (const char *)node->content);
		if (node->type == XML_ELEMENT_NODE) {
			put_text(to, &text, depth);
			put_open(to, node, ++depth);
			if (node->children) {
				node = node->children;
				continue;
			}
			cg_putf(
			    to, "%u>%s\n", depth--, (const char *)node->name);
		}
		while (node != root && !node->next) {
			node = node->parent;
			put_text(to, &text, depth);
			cg_putf(
			    to, "%u>%s\n", depth--, (const char *)node->name);
		}
		node = node == root ? NULL : node->next;
	}
	cg_out_close(text);
}

static void
test_random(uint64_t seed, size_t n)
{
	struct cg_out *doc = cg_out_memory(&job->errors.diag);
	struct cg_out *want = cg_out_memory(&job->errors.diag);
	struct cg_out *got = cg_out_memory(&job->errors.diag);
	struct cg_slice text;
	xmlDoc *tree;

	put_document(doc, &seed, n);
	text = cg_out_bytes(doc);
	tree =
	    xmlReadMemory(text.ptr, (int)text.len, NULL, NULL, XML_PARSE_NONET);
	CHECK(tree != NULL);
	if (tree)
		dump_tree(xmlDocGetRootElement(tree), want);
	CHECK(dump(text, got) == CG_OK);
	CHECK(unit_same(cg_out_bytes(want), cg_out_bytes(got)));
	/* Truncation is an error; a changed byte may be one. */
	for (int i = 0; n < 100 && i < 10; i++) {
		struct cg_out *cut = cg_out_memory(&job->errors.diag);

		CHECK(dump((struct cg_slice){ text.ptr,
			       unit_below(&seed, text.len - 1) },
			  cut) == CG_EINPUT);
		cg_out_close(cut);
	}
	xmlFreeDoc(tree);
	cg_out_close(doc);
	cg_out_close(want);
	cg_out_close(got);
}

int
main(void)
{
	job = cg_job_new(cg_formats(), unit_report, &said);
	if (!job)
		return 1;
	test_events();
	test_places();
	test_content();
	test_child();
	test_limits();
	test_errors();
	test_defaults();
	for (uint64_t seed = 1; seed <= 100; seed++)
		test_random(seed, 60);
	test_random(101, 200000);
	cg_job_free(job);
	xmlCleanupParser();
	return unit_end();
}
