/*
 * methods.c - which events are samples, methods or modules, and the methods by
 * their addresses.
 *
 * Metadata of an event: its id, name of the provider, id of the event there;
 * the rest is not needed. Texts are UTF-16 that a zero ends. A method: id,
 * module, address of its code (u64 each), size of the code, token, flags,
 * namespace, name, signature. A module: id, assembly (u64), flags, reserved,
 * path. At the end of a recording, the runtime reports all methods and modules
 * (rundown).
 */
#include "nettrace.h"

enum method {
	METHOD_MODULE = 8,
	METHOD_START = 16,
	METHOD_SIZE = 24,
	METHOD_NAMES = 36
};
enum module { MODULE_PATH = 24 };

/* Events of both providers of the runtime have the same fields. */
static const struct {
	const char *provider;
	uint32_t id; /* 0: any */
	enum nettrace_kind kind;
	const char *name; /* NULL: any */
} known[] = {
	{ "Universal.Events", 0, NETTRACE_CPU, "cpu" },
	{ "Universal.System", 0, NETTRACE_PROCESS, "ProcessCreate" },
	{ "Universal.System", 0, NETTRACE_PROCESS, "ExistingProcess" },
	{ "Universal.System", 0, NETTRACE_MAPPING, "ProcessMapping" },
	{ "Universal.System", 0, NETTRACE_SYMBOL, "ProcessSymbol" },
	{ "Universal.System", 0, NETTRACE_RUNDOWN, NULL },
	{ "Microsoft-DotNETCore-SampleProfiler", 0, NETTRACE_SAMPLE, NULL },
	{ "Microsoft-Windows-DotNETRuntime", 143, NETTRACE_METHOD, NULL },
	{ "Microsoft-Windows-DotNETRuntime", 144, NETTRACE_METHOD, NULL },
	{ "Microsoft-Windows-DotNETRuntime", 152, NETTRACE_MODULE, NULL },
	{ "Microsoft-Windows-DotNETRuntime", 153, NETTRACE_MODULE, NULL },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 143, NETTRACE_METHOD,
	    NULL },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 144, NETTRACE_METHOD,
	    NULL },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 153, NETTRACE_MODULE,
	    NULL },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 154, NETTRACE_MODULE,
	    NULL },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 0, NETTRACE_RUNDOWN, NULL },
	{ "Microsoft-DotNETCore-EventPipe", 0, NETTRACE_RUNDOWN, NULL },
};

/* ---- UTF-16 -------------------------------------------------------------- */

static unsigned
unit_at(const struct cg_slice *text, size_t i)
{
	return (uint8_t)text->ptr[i] | (unsigned)(uint8_t)text->ptr[i + 1] << 8;
}

/*
 * Takes a text of UTF-16, and the zero that ends it, off *rest; *text is
 * without the zero. False: there is no zero, and nothing is taken.
 */
static bool
take_text(struct cg_slice *rest, struct cg_slice *text)
{
	struct cg_slice zero;

	for (size_t i = 0; i + 1 < rest->len; i += 2)
		if (unit_at(rest, i) == 0)
			return nettrace_cut(rest, i, text) &&
			       nettrace_cut(rest, 2, &zero);
	return false;
}

static bool
is_ascii(const struct cg_slice *text, const char *ascii)
{
	size_t len = strlen(ascii);

	if (text->len != 2 * len)
		return false;
	for (size_t i = 0; i < len; i++)
		if (unit_at(text, 2 * i) != (uint8_t)ascii[i])
			return false;
	return true;
}

/*
 * Appends a UTF-16 text to m->text as UTF-8. A surrogate without its other
 * half becomes U+FFFD. False: out of memory (reported).
 */
static bool
append_text(struct nettrace_methods *m, struct cg_slice text)
{
	if (!cg_reserve(m->file->job, &m->text, m->text.n + text.len / 2 * 3))
		return false;
	for (size_t i = 0; i + 1 < text.len; i += 2) {
		unsigned c = unit_at(&text, i), low;
		char *to = m->text.at + m->text.n;

		if (c < 0x80) {
			*to++ = (char)c;
		} else if (c < 0x800) {
			*to++ = (char)(0xc0 | c >> 6);
			*to++ = (char)(0x80 | (c & 0x3f));
		} else {
			low = i + 3 < text.len ? unit_at(&text, i + 2) : 0;
			if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 &&
			    low < 0xe000) {
				c = 0x10000 +
				    ((c & 0x3ff) << 10 | (low & 0x3ff));
				i += 2;
				*to++ = (char)(0xf0 | c >> 18);
				*to++ = (char)(0x80 | (c >> 12 & 0x3f));
			} else {
				if (c >= 0xd800 && c < 0xe000)
					c = 0xfffd;
				*to++ = (char)(0xe0 | c >> 12);
			}
			*to++ = (char)(0x80 | (c >> 6 & 0x3f));
			*to++ = (char)(0x80 | (c & 0x3f));
		}
		m->text.n = (size_t)(to - m->text.at);
	}
	return true;
}

/* ---- Events -------------------------------------------------------------- */

static bool
read_metadata(struct nettrace_methods *m, const struct nettrace_event *event)
{
	struct cg_slice rest = event->payload, id, provider, number;
	const size_t count = sizeof(known) / sizeof(*known);
	uint32_t *kind;
	size_t i = 0;

	if (!nettrace_cut(&rest, 4, &id) || !take_text(&rest, &provider) ||
	    !nettrace_cut(&rest, 4, &number))
		return cg_reject_at(m->file->job, event->payload.ptr,
		    "expected metadata of an event");
	while (i < count && (!is_ascii(&provider, known[i].provider) ||
				(known[i].id != 0 &&
				    known[i].id != nettrace_u32(number.ptr))))
		i++;
	kind = cg_map_in(m->file->job, &m->kinds, nettrace_u32(id.ptr));
	if (!kind)
		return false;
	*kind = (i < count ? known[i].kind : NETTRACE_OTHER) + 1;
	return true;
}

bool
nettrace_read_kinds(struct nettrace_methods *m, struct cg_slice block)
{
	struct nettrace_events rows = { .rest = block };
	const size_t count = sizeof(known) / sizeof(*known);
	struct nettrace_metadata metadata;
	uint32_t *kind;

	while (nettrace_next_metadata(m->file, &rows, &metadata)) {
		size_t i = 0;

		while (
		    i < count &&
		    (!cg_equal(metadata.provider, known[i].provider) ||
			(known[i].id != 0 && known[i].id != metadata.event) ||
			(known[i].name &&
			    !cg_equal(metadata.name, known[i].name))))
			i++;
		kind = cg_map_in(m->file->job, &m->kinds, metadata.id);
		if (!kind)
			return false;
		*kind = (i < count ? known[i].kind : NETTRACE_OTHER) + 1;
	}
	return cg_rejected(m->file->job) == CG_OK;
}

static bool
read_method(struct nettrace_methods *m, struct cg_slice payload)
{
	struct nettrace_method method = { 0 };
	struct cg_slice rest, text;

	if (payload.len < METHOD_NAMES)
		return cg_reject_at(
		    m->file->job, payload.ptr, "expected a method");
	rest = (struct cg_slice){ payload.ptr + METHOD_NAMES,
		payload.len - METHOD_NAMES };
	method.module = nettrace_u64(payload.ptr + METHOD_MODULE);
	method.start = nettrace_u64(payload.ptr + METHOD_START);
	method.size = nettrace_u32(payload.ptr + METHOD_SIZE);
	method.names = rest;
	for (int i = 0; i < 3; i++)
		if (!take_text(&rest, &text))
			return cg_reject_at(m->file->job, payload.ptr,
			    "expected a method with three names");
	return cg_append(m->file->job, &m->method, method);
}

static bool
read_module(struct nettrace_methods *m, struct cg_slice payload)
{
	struct cg_slice rest, path;
	uint32_t *object;

	if (payload.len < MODULE_PATH)
		return cg_reject_at(
		    m->file->job, payload.ptr, "expected a module");
	rest = (struct cg_slice){ payload.ptr + MODULE_PATH,
		payload.len - MODULE_PATH };
	if (!take_text(&rest, &path))
		return cg_reject_at(
		    m->file->job, payload.ptr, "expected a module with a path");
	object =
	    cg_map_in(m->file->job, &m->modules, nettrace_u64(payload.ptr));
	m->text.n = 0;
	if (!object || !append_text(m, path))
		return false;
	*object = cg_add_object(m->file->build,
	    (struct cg_slice){ m->text.n > 0 ? m->text.at : "", m->text.n });
	return true;
}

static bool
read_event(struct nettrace_methods *m, const struct nettrace_event *event)
{
	const uint64_t pid = nettrace_thread_of(m->file, event->thread).pid;

	switch (nettrace_kind_of(m, event->metadata)) {
	case NETTRACE_METHOD: return read_method(m, event->payload);
	case NETTRACE_MODULE: return read_module(m, event->payload);
	case NETTRACE_MAPPING:
		return nettrace_read_mapping(
		    m->file, &m->universal, pid, event->payload);
	case NETTRACE_SYMBOL:
		return nettrace_read_symbol(
		    m->file, &m->universal, event->payload);
	case NETTRACE_PROCESS:
		return nettrace_read_process(
		    m->file, &m->universal, pid, event->payload);
	case NETTRACE_OTHER: m->others++; break;
	case NETTRACE_RUNDOWN:
	case NETTRACE_SAMPLE:
	case NETTRACE_CPU: break;
	}
	return true;
}

static bool
read_events(struct nettrace_methods *m, struct cg_slice block)
{
	struct nettrace_events events = { .rest = block };
	struct nettrace_event event;

	while (nettrace_next_event(m->file, &events, &event))
		if (!read_event(m, &event))
			return false;
	return cg_rejected(m->file->job) == CG_OK;
}

bool
nettrace_read_methods(struct nettrace_methods *m)
{
	struct cg_slice rest = m->file->blocks, block;
	struct nettrace_event event;
	enum nettrace_block kind;

	while (nettrace_next_block(m->file, &rest, &kind, &block)) {
		struct nettrace_events events = { .rest = block };

		if ((kind == NETTRACE_EVENTS && !read_events(m, block)) ||
		    (kind == NETTRACE_THREADS &&
			!nettrace_read_threads(m->file, block)) ||
		    (kind == NETTRACE_METADATA && m->file->sixth &&
			!nettrace_read_kinds(m, block)))
			return false;
		if (kind == NETTRACE_SEQUENCE)
			nettrace_end_threads(m->file, block);
		while (kind == NETTRACE_METADATA && !m->file->sixth &&
		       nettrace_next_event(m->file, &events, &event))
			if (!read_metadata(m, &event))
				return false;
	}
	if (cg_rejected(m->file->job) != CG_OK)
		return false;
	if (!m->file->sixth && rest.len > 0) {
		rest.ptr++; /* the tag that ends the file */
		rest.len--;
	}
	if (rest.len > 0)
		cg_warn_at(m->file->job, rest.ptr,
		    "%zu bytes after the last block are skipped", rest.len);
	nettrace_sort_symbols(&m->universal);
	return m->method.n == 0 ||
	       cg_sort_by_u64(m->method.at, m->method.n, sizeof(*m->method.at),
		   offsetof(struct nettrace_method, start)) ||
	       cg_reject_nomem(m->file->job);
}

enum nettrace_kind
nettrace_kind_of(const struct nettrace_methods *m, uint32_t metadata)
{
	uint32_t kind = cg_map_get(&m->kinds, metadata);

	return kind == 0 ? NETTRACE_OTHER : (enum nettrace_kind)(kind - 1);
}

/* ---- Functions ----------------------------------------------------------- */

/*
 * Returns the method whose code contains the address, or NULL if there is
 * none. m->method must be sorted by start.
 */
static struct nettrace_method *
find_method(const struct nettrace_methods *m, uint64_t addr)
{
	size_t low = 0, high = m->method.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->method.at[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 ||
	    addr - m->method.at[low - 1].start >= m->method.at[low - 1].size)
		return NULL;
	return &m->method.at[low - 1];
}

/*
 * Sets m->text to a method's name in UTF-8,
 * "Namespace.Class.Method(arguments)". False: out of memory (reported).
 */
static bool
append_name(struct nettrace_methods *m, const struct nettrace_method *method)
{
	const struct cg_slice dot = { ".\0", 2 };
	struct cg_slice rest = method->names, name[3];

	for (int i = 0; i < 3; i++)
		(void)take_text(&rest, &name[i]);
	/* The signature is "type (arguments)". */
	while (name[2].len > 0 && unit_at(&name[2], 0) != '(') {
		name[2].ptr += 2;
		name[2].len -= 2;
	}
	m->text.n = 0;
	return append_text(m, name[0]) &&
	       (name[0].len == 0 || append_text(m, dot)) &&
	       append_text(m, name[1]) && append_text(m, name[2]);
}

/*
 * Adds the function of a method to the graph, and stores its id in method->fn;
 * false: out of memory (reported).
 */
static bool
add_fn(struct nettrace_methods *m, struct nettrace_method *method)
{
	struct cg_slice name;

	if (!append_name(m, method))
		return false;
	name = (struct cg_slice){ m->text.at, m->text.n };
	if (name.len == 0)
		name = cg_slice(NETTRACE_UNKNOWN);
	method->fn = cg_add_fn(
	    m->file->build, name, 0, cg_map_get(&m->modules, method->module));
	return true;
}

bool
nettrace_find_fn(
    struct nettrace_methods *m, uint64_t pid, uint64_t addr, cg_fn *fn)
{
	struct cg_build *build = m->file->build;
	struct nettrace_method *method;
	uint32_t *known_fn;

	if (m->universal.mapping.n > 0) {
		if (!nettrace_find_symbol(
			m->file, &m->universal, pid, addr, fn))
			return false;
		if (*fn != 0)
			return cg_build_status(build) == CG_OK;
	}
	known_fn = cg_map_in(m->file->job, &m->fns, addr);
	if (!known_fn)
		return false;
	if (*known_fn == 0) {
		method = find_method(m, addr);
		if (!method)
			*known_fn =
			    cg_add_fn(build, cg_slice(NETTRACE_UNKNOWN), 0, 0);
		else if (method->fn != 0 || add_fn(m, method))
			*known_fn = method->fn;
	}
	*fn = *known_fn;
	return cg_rejected(m->file->job) == CG_OK &&
	       cg_build_status(build) == CG_OK;
}
