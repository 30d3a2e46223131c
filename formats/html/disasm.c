/*
 * disasm.c - the texts of instructions, from the output of objdump -d that
 * --disassembly names, as columns.
 *
 *	asm_object asm_high asm_low asm_count	by range of instructions that
 *						follow each other: the number of
 *						its object file in the output,
 *						its address in two halves, its
 *						instructions
 *	asm_step asm_ran asm_text asm_bytes	by instruction: bytes to the
 *						next one, whether the profile
 *						has it, its text and its bytes
 *
 * Of a symbol with an instruction of the profile all instructions are written,
 * so that those that never ran are seen between the others. Only long ranges
 * without any are cut: without symbols, a library is one.
 *
 * Source: objdump(1) of GNU binutils and of LLVM. A file begins with "NAME:
 * file format ...", a section with "Disassembly of section ...", a symbol with
 * its address and "<NAME>:". An instruction is its address in hex, a colon, a
 * tab, and its text; unless --no-show-raw-insn was given, its bytes and another
 * tab come before that, and bytes for which a line has no room follow on a line
 * without a text. Nothing is started to get it: no profile decides which
 * program reads which file.
 */
#include <string.h>

#include "cgconv_parse.h"
#include "html.h"

/* Limit of all texts: browsers cannot open a larger page. */
#define TEXTS_MAX ((size_t)256 << 20)
/*
 * Instructions in a row that the profile does not have: more of them are cut
 * to those next to one that it has.
 */
#define GAP_MAX 5000
#define GAP_EDGE 100

struct instr {
	uint64_t addr;
	size_t text;       /* in the texts: its text, then its bytes */
	uint32_t len, raw; /* lengths of them */
	bool begins;       /* a symbol or section */
	bool ran;          /* the profile has it */
};

/* The instructions of a file that was disassembled. */
struct object {
	size_t name, len; /* its base name, in the texts */
	size_t first, count;
};

struct html_disasm {
	struct cg_job *job;
	CG_ARRAY(struct object) object;
	CG_ARRAY(struct instr) instr;
	CG_ARRAY(char) text;
	bool begins; /* so does the next instruction */
	uint64_t found;
};

enum { OBJECT, HIGH, LOW, COUNT, STEP, RAN, TEXT, BYTES, NUMBERS };

/*
 * Appends a text to d->text, with blanks for tabs, and sets *at to its offset
 * there. False: out of memory (reported).
 */
static bool
add_text(struct html_disasm *d, struct cg_slice text, size_t *at)
{
	*at = d->text.n;
	if (!cg_reserve(d->job, &d->text, d->text.n + text.len + 1))
		return false;
	for (size_t i = 0; i < text.len; i++)
		d->text.at[d->text.n++] =
		    text.ptr[i] == '\t' ? ' ' : text.ptr[i];
	return true;
}

static bool
begin_object(struct html_disasm *d, struct cg_slice path)
{
	const struct cg_slice name = cg_base_name(path);
	struct object *object = cg_push(d->job, &d->object);

	if (!object)
		return false;
	object->first = d->instr.n;
	object->len = name.len;
	return add_text(d, name, &object->name);
}

/*
 * Returns true if the field of a line has the bytes of an instruction, in
 * lower-case hex. It ends with a blank, unlike a text such as "add".
 */
static bool
is_raw(struct cg_slice field)
{
	bool raw = field.len > 0 && field.ptr[field.len - 1] == ' ';

	for (size_t i = 0; raw && i < field.len; i++)
		raw = strchr("0123456789abcdef ", field.ptr[i]) != NULL;
	return raw;
}

static struct cg_slice
trim(struct cg_slice text)
{
	(void)cg_take_blanks(&text);
	while (text.len > 0 && text.ptr[text.len - 1] <= ' ')
		text.len--;
	return text;
}

/* Returns true if another text has room. */
static bool
has_room(const struct html_disasm *d, size_t len)
{
	return d->text.n + len <= TEXTS_MAX;
}

/*
 * Appends bytes to those of the last instruction, whose texts are the last
 * ones. False: out of memory (reported).
 */
static bool
add_bytes(struct html_disasm *d, struct cg_slice raw)
{
	const struct object *object =
	    d->object.n ? &d->object.at[d->object.n - 1] : NULL;
	struct instr *last;
	size_t at;

	if (!object || object->count == 0 || !has_room(d, raw.len + 1))
		return true;
	last = &d->instr.at[d->instr.n - 1];
	if (!add_text(d, (struct cg_slice){ " ", last->raw > 0 }, &at) ||
	    !add_text(d, raw, &at))
		return false;
	last->raw = (uint32_t)(d->text.n - last->text - last->len);
	return true;
}

/*
 * Appends an instruction to d->instr and to the current object file. If no
 * object file has begun, begins one without a name. Ignores instructions whose
 * texts would exceed the limit of all texts. False: out of memory (reported).
 */
static bool
add_instr(struct html_disasm *d, uint64_t addr, struct cg_slice text,
    struct cg_slice raw)
{
	struct instr instr = { .addr = addr,
		.len = (uint32_t)text.len,
		.raw = (uint32_t)raw.len,
		.begins = d->begins };
	struct object *object;
	size_t at;

	if (text.len == 0 || !has_room(d, text.len + raw.len))
		return true;
	if (d->object.n == 0 && !begin_object(d, (struct cg_slice){ "", 0 }))
		return false;
	object = &d->object.at[d->object.n - 1];
	instr.begins |= object->count == 0;
	d->begins = false;
	if (!add_text(d, text, &instr.text) || !add_text(d, raw, &at) ||
	    !cg_append(d->job, &d->instr, instr))
		return false;
	object->count = d->instr.n - object->first;
	return true;
}

/*
 * Returns true for "Disassembly of section ..." and "0000000000401000 <main>:";
 * end: behind the address that a line begins with.
 */
static bool
begins_symbol(struct cg_slice line, const char *end)
{
	return (end > line.ptr && *end == ' ' &&
		   line.ptr[line.len - 1] == ':') ||
	       cg_take_prefix(&line, "Disassembly of ");
}

/* Adds what a line of the disassembly has. False: out of memory (reported). */
static bool
add_line(struct html_disasm *d, struct cg_slice line)
{
	struct cg_slice field, rest, raw = { "", 0 };
	uint64_t addr;
	const char *end;

	(void)cg_take_blanks(&line);
	end = cg_get_hex(line.ptr, &addr);
	if (end == line.ptr || *end != ':') {
		d->begins |= begins_symbol(line, end);
		return true;
	}
	line.len -= (size_t)(end + 1 - line.ptr);
	line.ptr = end + 1;
	(void)cg_take_blanks(&line);
	if (is_raw(line))
		return add_bytes(d, trim(line));
	rest = line;
	if (cg_take_until(&rest, '\t', &field) && is_raw(field)) {
		raw = trim(field);
		line = rest;
	}
	return add_instr(d, addr, trim(line), raw);
}

/*
 * Sets *name to NAME of a line "NAME: file format ...", which begins an object
 * file. False: another line; *name is then undefined.
 */
static bool
get_name(struct cg_slice line, struct cg_slice *name)
{
	struct cg_slice rest;
	size_t colon = line.len;

	while (colon > 0 && line.ptr[colon - 1] != ':')
		colon--;
	rest = (struct cg_slice){ line.ptr + colon, line.len - colon };
	*name = (struct cg_slice){ line.ptr, colon > 0 ? colon - 1 : 0 };
	return colon > 0 && cg_take_blanks(&rest) &&
	       cg_take_prefix(&rest, "file format ");
}

static bool
read_disasm(struct html_disasm *d, struct cg_in *in)
{
	struct cg_slice line, name;
	bool ok = true;

	while (ok && cg_read_line(in, &line))
		ok = get_name(line, &name) ? begin_object(d, name)
					   : add_line(d, line);
	return ok;
}

static bool
sort_instrs(struct html_disasm *d)
{
	bool ok = true;

	for (size_t i = 0; ok && i < d->object.n; i++)
		ok = cg_sort_by_u64(d->instr.at + d->object.at[i].first,
		    d->object.at[i].count, sizeof(*d->instr.at),
		    offsetof(struct instr, addr));
	return ok || cg_reject_nomem(d->job);
}

int
html_open_disasm(struct html_writer *w)
{
	const char *path = cg_opt(w->job, "disassembly");
	struct html_disasm *d;
	struct cg_in *in;
	bool ok;

	if (!path)
		return CG_OK;
	d = cg_alloc(w->job, sizeof(*d));
	if (!d)
		return cg_rejected(w->job);
	if (!cg_open_companion(w->job, path, &in))
		return CG_EINPUT;
	if (!in)
		return cg_usage(
		    w->job, "{disassembly}: no such file: '%s'", path);
	d->job = w->job;
	ok = read_disasm(d, in);
	cg_close_companion(w->job, in);
	w->disasm = d;
	return ok && sort_instrs(d) ? CG_OK : cg_rejected(w->job);
}

/*
 * Returns the instruction of the object file at an address; NULL: there is
 * none. Instructions are sorted by address.
 */
static struct instr *
find_instr(
    const struct html_disasm *d, const struct object *object, uint64_t addr)
{
	size_t low = 0, high = object->count;
	struct instr *at = d->instr.at + object->first;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (at[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < object->count && at[low].addr == addr ? at + low : NULL;
}

uint32_t
html_disasm_find(
    struct html_disasm *d, struct cg_slice object, uint32_t at, uint64_t addr)
{
	const struct cg_slice name = cg_base_name(object);
	struct instr *found = NULL;
	size_t i = at > 0 ? at - 1 : 0;

	for (; !found && i < d->object.n; i++) {
		const struct object *it = &d->object.at[i];
		const struct cg_slice is = { d->text.at + it->name, it->len };

		if (is.len == 0 || cg_compare(is, name) == 0 ||
		    (name.len == 0 && d->object.n == 1))
			found = find_instr(d, it, addr);
		if (at > 0)
			break;
	}
	if (!found)
		return at;
	found->ran = true;
	d->found++;
	return at > 0 ? at : (uint32_t)i;
}

/* ---- Columns -------------------------------------------------------------- */

struct listing {
	struct html_writer *w;
	const struct html_disasm *d;
	struct html_column column[NUMBERS];
	uint64_t count; /* instructions of the range */
};

static void
name_columns(struct html_column column[NUMBERS])
{
	static const struct html_column of[NUMBERS] = {
		[OBJECT] = { .name = "asm_object", .type = HTML_DELTA },
		[HIGH] = { .name = "asm_high", .type = HTML_NUMBER },
		[LOW] = { .name = "asm_low", .type = HTML_NUMBER },
		[COUNT] = { .name = "asm_count", .type = HTML_NUMBER },
		[STEP] = { .name = "asm_step", .type = HTML_NUMBER },
		[RAN] = { .name = "asm_ran", .type = HTML_NUMBER },
		[TEXT] = { .name = "asm_text", .type = HTML_TEXT },
		[BYTES] = { .name = "asm_bytes", .type = HTML_TEXT },
	};

	memcpy(column, of, sizeof(of));
}

/*
 * Returns the bytes to the next instruction if it follows in the same range;
 * else 0.
 */
static uint32_t
step_of(const struct instr *at, const struct instr *next)
{
	const uint64_t step = next ? next->addr - at->addr : 0;

	return step > 0 && step < 64 && !next->begins ? (uint32_t)step : 0;
}

/*
 * Adds instructions, as ranges. At each of them that does not follow the one
 * before a range begins.
 */
static bool
list_range(struct listing *l, size_t object, const struct instr *at, size_t n)
{
	struct html_writer *w = l->w;
	struct html_column *to = l->column;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		const struct instr *it = at + i;
		const char *text = l->d->text.at + it->text;
		uint32_t step = step_of(it, i + 1 < n ? it + 1 : NULL);

		if (l->count++ == 0)
			ok = html_add(w, &to[OBJECT], object + 1) &&
			     html_add(w, &to[HIGH], it->addr >> 32) &&
			     html_add(w, &to[LOW], (uint32_t)it->addr);
		ok = ok && html_add(w, &to[STEP], step) &&
		     html_add(w, &to[RAN], it->ran) &&
		     html_add_text(
			 w, &to[TEXT], (struct cg_slice){ text, it->len }) &&
		     html_add_text(w, &to[BYTES],
			 (struct cg_slice){ text + it->len, it->raw });
		if (step > 0)
			continue;
		ok = ok && html_add(w, &to[COUNT], l->count);
		l->count = 0;
	}
	return ok;
}

/* Adds the instructions of a symbol, if the profile has one of them. */
static bool
list_symbol(struct listing *l, size_t object, const struct instr *at, size_t n)
{
	size_t from = 0, ran = 0, gap = 0;

	for (size_t i = 0; i < n; i++) {
		gap = at[i].ran ? 0 : gap + 1;
		if (gap <= GAP_MAX) {
			ran += at[i].ran;
			continue;
		}
		/* The gap is too long: what is before it, and its end. */
		if (ran > 0 && !list_range(l, object, at + from,
				   i + 1 - gap + GAP_EDGE - from))
			return false;
		while (i < n && !at[i].ran)
			i++;
		from = i - GAP_EDGE;
		ran = i < n;
		gap = 0;
	}
	return ran == 0 || list_range(l, object, at + from, n - from);
}

bool
html_put_disasm(struct html_writer *w)
{
	const struct html_disasm *d = w->disasm;
	struct listing l = { .w = w, .d = d };
	bool ok = true, bytes = false;

	if (!d)
		return true;
	name_columns(l.column);
	for (size_t i = 0; ok && i < d->object.n; i++) {
		const struct object *object = &d->object.at[i];
		const struct instr *at = d->instr.at + object->first;
		size_t from = 0;

		for (size_t k = 1; ok && k <= object->count; k++) {
			if (k < object->count && !at[k].begins)
				continue;
			ok = list_symbol(&l, i, at + from, k - from);
			from = k;
		}
	}
	for (size_t i = 0; !bytes && i < d->instr.n; i++)
		bytes = d->instr.at[i].raw > 0;
	if (!bytes)
		l.column[BYTES].count = 0;
	html_end_columns(w, l.column, NUMBERS);
	return ok;
}

void
html_close_disasm(struct html_writer *w)
{
	if (w->disasm && w->disasm->found == 0)
		cg_warn(
		    w->job, "{disassembly} has no instruction of the profile");
}
