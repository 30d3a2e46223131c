/*
 * xml.c - a pull reader for XML, on top of libxml2.
 *
 * libxml2 is given one piece of the input at a time; its callbacks append to a
 * list of events, which cg_xml_next() returns one by one. Its push parser is
 * the fastest of its interfaces and builds no tree. libxml2 limits neither the
 * depth nor the length of a tag before its end; this reader does. Nothing but
 * the document itself is opened, and no entity is expanded.
 *
 * Source: XML 1.0, fifth edition; libxml2's parser.h and SAX2.
 */
#include <libxml/parser.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/load.h"
#include "io/io.h"
#include "syntax/syntax.h"

/*
 * Size of a piece that is parsed at once: the piece and its events stay in the
 * cache.
 */
#define PUSH_SIZE ((size_t)32 << 10)
/*
 * Maximum size of a tag or comment: libxml2 compares each attribute with all
 * others.
 */
#define TOKEN_MAX ((size_t)256 << 10)
#define TEXT_MAX ((size_t)1 << 20)
/* Cache of the lengths of names, by address: there are few names. */
#define KNOWN_NAMES 64

/* A range, by offsets, as the array may move. A piece has less than 4 GiB. */
struct span {
	uint32_t at, len;
};

struct attribute {
	const char *name; /* in libxml2's dictionary */
	struct span value;
};

struct event {
	const char *name;
	uint64_t seen;   /* it begins at this offset or later */
	struct span has; /* of OPEN: attributes; of TEXT: bytes */
	uint16_t depth;
	uint8_t type; /* cg_xml_type */
};

static const struct cg_slice nothing = { "", 0 };

/*
 * The functions of libxml2 that are called; it is loaded for the first XML
 * input.
 */
#define LIBXML(X)                  \
	X(xmlCreatePushParserCtxt) \
	X(xmlCtxtUseOptions)       \
	X(xmlFreeDoc)              \
	X(xmlFreeParserCtxt)       \
	X(xmlInitParser)           \
	X(xmlParseChunk)           \
	X(xmlStopParser)
struct libxml {
	LIBXML(CG_LOAD_MEMBER)
};

struct cg_xml {
	struct libxml lib;
	struct cg_job *job;
	struct cg_in *in;
	xmlParserCtxtPtr parser;
	int status;
	bool ended;

	struct cg_slice piece; /* of the input, from offset base on */
	size_t pushed;         /* bytes of the piece given to libxml2 */
	uint64_t base;
	size_t silent; /* bytes pushed since the last event */

	struct event *event;
	size_t events, event_cap, next;
	struct attribute *attribute;
	size_t attributes, attribute_cap;
	char *text; /* values and texts of the events */
	size_t text_len, text_cap;
	struct span pending; /* text that may continue */
	uint64_t seen;       /* the next event begins here or later */
	unsigned depth;
	bool begun; /* an element was seen */
	struct cg_slice known[KNOWN_NAMES];
	char *content; /* of cg_xml_content() */
	size_t content_len, content_cap;
};

/* ---- Failing ------------------------------------------------------------ */

/*
 * Returns the byte at an offset in the document as a pointer into the input,
 * for the location of messages; NULL: the piece of the input that is in memory
 * does not have it.
 */
static const char *
pointer(const struct cg_xml *xml, uint64_t offset)
{
	if (offset < xml->base || offset - xml->base > xml->piece.len)
		return NULL;
	return xml->piece.ptr + (offset - xml->base);
}

static void
stop(struct cg_xml *xml, int status)
{
	if (xml->status == CG_OK)
		xml->status = status;
	xml->lib.xmlStopParser(xml->parser);
}

static void
nomem(struct cg_xml *xml)
{
	if (xml->status == CG_OK)
		stop(xml, cg_nomem(xml->job));
}

static void
refuse(struct cg_xml *xml, const char *expected)
{
	if (xml->status == CG_OK)
		stop(xml, cg_fail_at(xml->job, pointer(xml, xml->seen),
			      "expected %s", expected));
}

static void
limit(struct cg_xml *xml, const char *expected)
{
	refuse(xml, expected);
	xml->status = CG_ELIMIT;
}

/* ---- Callbacks of libxml2 ----------------------------------------------- */

/* Returns the offset in the document up to which libxml2 has parsed it. */
static uint64_t
parsed(const struct cg_xml *xml)
{
	const xmlParserInput *input = xml->parser->input;

	return input->consumed + (uint64_t)(input->cur - input->base);
}

static inline bool
grow(struct cg_xml *xml, void *array, size_t *cap, size_t need, size_t width)
{
	if (need <= *cap || cg_grow_raw(array, cap, need, width))
		return true;
	nomem(xml);
	return false;
}

static bool
make_room(struct cg_xml *xml, size_t len)
{
	return grow(
	    xml, &xml->text, &xml->text_cap, xml->text_len + len + 1, 1);
}

/*
 * Appends a copy of a text to xml->text, where the caller has made room, and
 * returns its position there. Most texts are short: this is faster than
 * memcpy().
 */
static inline struct span
keep_text(struct cg_xml *xml, const xmlChar *text, size_t len)
{
	struct span span = { (uint32_t)xml->text_len, (uint32_t)len };
	char *to = xml->text + xml->text_len;

	if (len - 4 <= 4) { /* 4 to 8: two halves that may overlap */
		memcpy(to, text, 4);
		memcpy(to + len - 4, text + len - 4, 4);
	} else if (len - 1 <= 2) {
		to[0] = (char)text[0];
		to[len / 2] = (char)text[len / 2];
		to[len - 1] = (char)text[len - 1];
	} else {
		memcpy(to, text, len);
	}
	xml->text_len += len;
	return span;
}

/*
 * Appends an event (open or close tag, or text) to the list that cg_xml_next()
 * returns, and returns it; valid until the next one is added. NULL: out of
 * memory (recorded).
 */
static inline struct event *
add_event(struct cg_xml *xml, enum cg_xml_type type, const xmlChar *name)
{
	struct event *event;

	xml->silent = 0;
	if (!grow(xml, &xml->event, &xml->event_cap, xml->events + 1,
		sizeof(*xml->event)))
		return NULL;
	event = &xml->event[xml->events++];
	*event = (struct event){ .type = (uint8_t)type,
		.name = (const char *)name,
		.depth = (uint16_t)xml->depth,
		.seen = xml->seen };
	return event;
}

static bool
is_blank(const char *text, size_t len)
{
	while (len > 0 && (*text == ' ' || *text == '\n' || *text == '\t' ||
			      *text == '\r')) {
		text++;
		len--;
	}
	return len == 0;
}

/*
 * Ends the text that was collected before a tag: adds it as an event, or drops
 * it if it is white space only.
 */
static void
end_text(struct cg_xml *xml)
{
	struct event *event;

	if (xml->pending.len == 0)
		return;
	if (is_blank(xml->text + xml->pending.at, xml->pending.len)) {
		xml->text_len = xml->pending.at;
	} else if ((event = add_event(xml, CG_XML_TEXT, NULL))) {
		event->has = xml->pending;
	}
	xml->pending.len = 0;
}

static void
on_text(void *arg, const xmlChar *text, int len)
{
	struct cg_xml *xml = arg;

	xml->silent = 0;
	if (xml->pending.len == 0)
		xml->pending.at = (uint32_t)xml->text_len;
	if (xml->pending.len + (size_t)len > TEXT_MAX)
		limit(xml, "a text of at most 1 MiB");
	else if (make_room(xml, (size_t)len))
		xml->pending.len += keep_text(xml, text, (size_t)len).len;
}

/*
 * Copies the n attributes of a tag to xml->attribute, and sets the event's
 * range of them. Leaves the event without attributes if memory runs out, which
 * is recorded. given: SAX2's five pointers for each attribute.
 */
static void
add_attributes(
    struct cg_xml *xml, struct event *event, const xmlChar *const *given, int n)
{
	struct attribute *to;
	size_t len = 0;

	for (int i = 0; i < n; i++)
		len += (size_t)(given[5 * i + 4] - given[5 * i + 3]);
	if (!make_room(xml, len) ||
	    !grow(xml, &xml->attribute, &xml->attribute_cap,
		xml->attributes + (size_t)n, sizeof(*to)))
		return;
	event->has = (struct span){ (uint32_t)xml->attributes, (uint32_t)n };
	to = xml->attribute + xml->attributes;
	xml->attributes += (size_t)n;
	for (; n > 0; n--, given += 5) {
		to->name = (const char *)given[0];
		to->value =
		    keep_text(xml, given[3], (size_t)(given[4] - given[3]));
		to++;
	}
}

static void
on_open(void *arg, const xmlChar *name, const xmlChar *prefix,
    const xmlChar *uri, int namespaces, const xmlChar **ns, int attributes,
    int defaulted, const xmlChar **attribute)
{
	struct cg_xml *xml = arg;
	struct event *event;

	(void)prefix, (void)uri, (void)namespaces, (void)ns;
	end_text(xml);
	if (xml->depth == CG_XML_DEPTH) {
		limit(xml, "elements nested 256 deep at most");
		return;
	}
	xml->depth++;
	xml->begun = true;
	event = add_event(xml, CG_XML_OPEN, name);
	if (!event)
		return;
	/* Skip the defaults of a DTD, which come last. */
	if (attributes > defaulted)
		add_attributes(xml, event, attribute, attributes - defaulted);
	xml->seen = parsed(xml);
}

static void
on_close(
    void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct cg_xml *xml = arg;

	(void)prefix, (void)uri;
	end_text(xml);
	(void)add_event(xml, CG_XML_CLOSE, name);
	xml->depth--;
	xml->seen = parsed(xml);
}

/*
 * Callback for entity references: rejects the document, as no entity is
 * expanded, and returns NULL. libxml2 calls it for all references but &lt;
 * &gt; &amp; &quot; &apos;, which it replaces itself.
 */
static xmlEntityPtr
on_reference(void *arg, const xmlChar *name)
{
	(void)name;
	((struct cg_xml *)arg)->seen = parsed(arg); /* after it */
	refuse(arg, "no entity but &lt; &gt; &amp; &quot; and &apos;");
	return NULL;
}

static void
on_error(void *arg, xmlErrorPtr error)
{
	struct cg_xml *xml = arg;
	const char *text = error->message ? error->message : "";

	if (error->code == XML_ERR_NO_MEMORY)
		nomem(xml);
	if (xml->status != CG_OK || error->level != XML_ERR_FATAL)
		return; /* other errors concern namespaces and validity */
	xml->seen = parsed(xml);
	stop(xml, cg_fail_at(xml->job, pointer(xml, xml->seen),
		      "expected XML: %.*s", (int)strcspn(text, "\n"), text));
}

/* ---- Reading ------------------------------------------------------------ */

/*
 * Loads libxml2 and returns a new reader, zeroed but for the library's
 * functions, to be freed; NULL: an error (reported).
 */
static struct cg_xml *
load(struct cg_job *job)
{
	static const struct cg_loadable symbol[] = { LIBXML(CG_LOAD_NAME) };
	struct cg_xml *xml = calloc(1, sizeof(*xml));
	const char *reason;

	if (!xml) {
		(void)cg_nomem(job);
		return NULL;
	}
	reason = cg_load(CG_LIBXML2_SONAME, symbol,
	    sizeof(symbol) / sizeof(*symbol), &xml->lib);
	if (!reason)
		return xml;
	free(xml);
	(void)cg_reject(job, "cannot load libxml2: %s", reason);
	return NULL;
}

/*
 * True if the encoding in the XML declaration must be ignored. Input with a
 * byte order mark was already converted to UTF-8. .NET's StringWriter declares
 * UTF-16 for text written as UTF-8.
 */
static bool
is_mislabelled(struct cg_in *in)
{
	struct cg_slice text, before;
	struct cg_head head;

	if (strstr(cg_in_filters(in), "utf-"))
		return true;
	if (!cg_in_head(in, CG_HEAD_SIZE, &head) ||
	    !cg_starts(head.text, "<?xml") ||
	    !cg_take_until(&head.text, '>', &text) ||
	    !cg_take_until(&text, '=', &before) || /* version= */
	    !cg_take_until(&text, '=', &before))
		return false;
	text = cg_trim(text);
	return text.len > 6 && strncasecmp(text.ptr + 1, "utf-16", 6) == 0;
}

static void
release(void *what)
{
	struct cg_xml *xml = what;

	xml->lib.xmlFreeDoc(xml->parser->myDoc); /* made for a document type */
	xml->lib.xmlFreeParserCtxt(xml->parser);
	free(xml->event);
	free(xml->attribute);
	free(xml->text);
	free(xml->content);
	free(xml);
}

struct cg_xml *
cg_xml_new(struct cg_job *job, struct cg_in *in)
{
	xmlSAXHandler sax = { .initialized = XML_SAX2_MAGIC,
		.startElementNs = on_open,
		.endElementNs = on_close,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
		.getEntity = on_reference,
		.serror = on_error };
	struct cg_xml *xml = load(job);

	if (!xml)
		return NULL;
	xml->lib.xmlInitParser();
	/* Creating the parser may already report an error. */
	xml->job = job;
	xml->parser =
	    xml->lib.xmlCreatePushParserCtxt(&sax, xml, NULL, 0, NULL);
	if (!xml->parser) {
		if (xml->status == CG_OK)
			(void)cg_nomem(job);
		free(xml);
		return NULL;
	}
	/* NOENT is libxml2's name for replacing &amp; and the like. */
	(void)xml->lib.xmlCtxtUseOptions(
	    xml->parser, XML_PARSE_NOENT | XML_PARSE_NONET |
			     (is_mislabelled(in) ? XML_PARSE_IGNORE_ENC : 0));
	xml->in = in;
	return cg_at_end(job, release, xml) ? xml : NULL;
}

int
cg_xml_status(const struct cg_xml *xml)
{
	return xml->status;
}

/*
 * Drops all events, their texts and attributes after they were returned; keeps
 * the text that is not ended yet, moved to the start of xml->text.
 */
static void
forget(struct cg_xml *xml)
{
	struct span *pending = &xml->pending;

	if (pending->len > 0)
		memmove(xml->text, xml->text + pending->at, pending->len);
	pending->at = 0;
	xml->text_len = pending->len;
	xml->events = xml->next = xml->attributes = 0;
}

static void
end_document(struct cg_xml *xml)
{
	xml->ended = true;
	if (!xml->begun)
		refuse(xml, "an XML document");
	else if (xml->depth > 0)
		refuse(xml, "the end of all elements: the file is truncated");
	else
		(void)xml->lib.xmlParseChunk(xml->parser, "", 0, 1);
	if (xml->status == CG_OK && !xml->parser->wellFormed)
		refuse(xml, "XML");
}

/*
 * Gives libxml2 the next piece of the input, or tells it that the document has
 * ended; both may add events. False: the end was told before, or an error
 * (reported).
 */
static bool
push(struct cg_xml *xml)
{
	size_t n = xml->piece.len - xml->pushed;

	if (xml->ended || xml->status != CG_OK)
		return false;
	if (n == 0) {
		xml->base = cg_in_offset(xml->in);
		xml->pushed = 0;
		if (!cg_read_on(xml->in, NULL, &xml->piece)) {
			xml->status = cg_in_status(xml->in);
			if (xml->status == CG_OK)
				end_document(xml);
			return xml->status == CG_OK;
		}
		n = xml->piece.len;
	}
	if (n > PUSH_SIZE)
		n = PUSH_SIZE;
	xml->silent += n;
	(void)xml->lib.xmlParseChunk(
	    xml->parser, xml->piece.ptr + xml->pushed, (int)n, 0);
	xml->pushed += n;
	if (xml->silent > TOKEN_MAX)
		limit(xml, "a tag or comment of at most 256 KiB");
	return xml->status == CG_OK;
}

enum cg_xml_type
cg_xml_next(struct cg_xml *xml)
{
	while (xml->next == xml->events) {
		forget(xml);
		if (!push(xml)) {
			forget(xml);
			return CG_XML_END;
		}
	}
	return xml->event[xml->next++].type;
}

/*
 * Returns the event that cg_xml_next() returned last; NULL before the first
 * one and after the last one.
 */
static const struct event *
current(const struct cg_xml *xml)
{
	return xml->next > 0 ? &xml->event[xml->next - 1] : NULL;
}

static struct cg_slice
text_of(const struct cg_xml *xml, struct span span)
{
	return (struct cg_slice){ xml->text + span.at, span.len };
}

/*
 * Returns the name of an event as a slice. Its length is cached by the name's
 * address, as libxml2's dictionary has each name once.
 */
static struct cg_slice
name_of(struct cg_xml *xml, const struct event *event)
{
	uintptr_t hash = (uintptr_t)event->name;
	struct cg_slice *name = &xml->known[(hash ^ hash >> 6) % KNOWN_NAMES];

	if (name->ptr != event->name)
		*name = cg_slice(event->name);
	return *name;
}

struct cg_slice
cg_xml_name(struct cg_xml *xml)
{
	const struct event *event = current(xml);

	return event && event->name ? name_of(xml, event) : nothing;
}

struct cg_slice
cg_xml_text(const struct cg_xml *xml)
{
	const struct event *event = current(xml);

	return event && event->type == CG_XML_TEXT ? text_of(xml, event->has)
						   : nothing;
}

unsigned
cg_xml_depth(const struct cg_xml *xml)
{
	const struct event *event = current(xml);

	return event ? event->depth : 0;
}

const char *
cg_xml_at(const struct cg_xml *xml)
{
	const char *end = xml->piece.ptr + xml->piece.len, *at, *open;
	const struct event *event = current(xml);

	at = event ? pointer(xml, event->seen) : NULL;
	if (!at || at == end || event->type == CG_XML_TEXT)
		return at;
	/*
	 * seen is before the tag, so search the tag; <a/> closes where it
	 * opens.
	 */
	open = *at == '/' ? at : memchr(at, '<', (size_t)(end - at));
	return open ? open : at;
}

/* True if two names, which are short, are equal; faster than strcmp(). */
static inline bool
same_name(const char *a, const char *b)
{
	for (; *a == *b && *a != '\0'; a++)
		b++;
	return *a == *b;
}

bool
cg_xml_attribute(
    const struct cg_xml *xml, const char *name, struct cg_slice *value)
{
	const struct event *event = current(xml);
	const struct attribute *at, *end;

	*value = nothing;
	if (!event || event->type != CG_XML_OPEN || event->has.len == 0)
		return false;
	at = xml->attribute + event->has.at;
	for (end = at + event->has.len; at < end; at++) {
		if (same_name(at->name, name)) {
			*value = text_of(xml, at->value);
			return true;
		}
	}
	return false;
}

bool
cg_xml_number(const struct cg_xml *xml, const char *name, uint64_t *number)
{
	struct cg_slice text;

	*number = 0;
	return cg_xml_attribute(xml, name, &text) && cg_get_u64(text, number);
}

bool
cg_xml_reject(const struct cg_xml *xml, const char *expected)
{
	return cg_reject_at(xml->job, cg_xml_at(xml), "expected %s", expected);
}

static bool
add_content(struct cg_xml *xml, struct cg_slice text)
{
	if (!grow(xml, &xml->content, &xml->content_cap,
		xml->content_len + text.len, 1))
		return false;
	if (text.len > 0)
		memcpy(xml->content + xml->content_len, text.ptr, text.len);
	xml->content_len += text.len;
	return true;
}

/*
 * Consumes the content and end tag of an element with at most one text and no
 * elements. *text, unless NULL, points into xml->text. False: other content,
 * or not all of it is parsed yet; nothing is consumed.
 */
static bool
take_simple(struct cg_xml *xml, struct cg_slice *text)
{
	const struct event *event = xml->event + xml->next;
	size_t left = xml->events - xml->next;
	size_t texts = left > 0 && event->type == CG_XML_TEXT;

	if (left <= texts || event[texts].type != CG_XML_CLOSE)
		return false;
	xml->next += texts + 1;
	if (text)
		*text = texts > 0 ? text_of(xml, event->has) : nothing;
	return true;
}

bool
cg_xml_content(struct cg_xml *xml, struct cg_slice *text)
{
	unsigned depth = cg_xml_depth(xml);
	enum cg_xml_type type;

	if (take_simple(xml, text))
		return true;
	xml->content_len = 0;
	while ((type = cg_xml_next(xml)) != CG_XML_END) {
		if (type == CG_XML_CLOSE && cg_xml_depth(xml) == depth)
			break;
		if (type == CG_XML_TEXT && text &&
		    !add_content(xml, cg_xml_text(xml)))
			return false;
	}
	if (text)
		*text = (struct cg_slice){ xml->content, xml->content_len };
	return type == CG_XML_CLOSE;
}

bool
cg_xml_child(struct cg_xml *xml, struct cg_slice *name)
{
	enum cg_xml_type type;

	do
		type = cg_xml_next(xml);
	while (type == CG_XML_TEXT);
	*name = cg_xml_name(xml);
	return type == CG_XML_OPEN;
}
