/*
 * disasm.c - the texts of instructions, from the output of objdump -d that
 * --disassembly names.
 *
 * Source: objdump(1) of GNU binutils and of LLVM. A file begins with "NAME:
 * file format ..."; an instruction is its address in hex, a colon, a tab, and
 * its text; unless --no-show-raw-insn was given, its bytes and another tab come
 * before that. Nothing is started to get it: no profile decides which program
 * reads which file.
 */
#include <string.h>

#include "cgconv_parse.h"
#include "html.h"

/* Limit of all texts: browsers cannot open a larger page. */
#define TEXTS_MAX ((size_t)256 << 20)

struct instr {
	uint64_t addr;
	size_t text, len; /* in the texts */
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
	uint64_t found;
};

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

/*
 * Appends the instruction on a line of the disassembly to d->instr and to the
 * current object file. If no object file has begun, begins one without a name.
 * Ignores other lines, and instructions whose text would exceed the limit of
 * all texts. False: out of memory (reported).
 */
static bool
add_line(struct html_disasm *d, struct cg_slice line)
{
	struct object *object;
	struct instr instr;
	struct cg_slice field, rest;
	const char *end;

	(void)cg_take_blanks(&line);
	end = cg_get_hex(line.ptr, &instr.addr);
	if (end == line.ptr || *end != ':')
		return true;
	line.len -= (size_t)(end + 1 - line.ptr);
	line.ptr = end + 1;
	(void)cg_take_blanks(&line);
	rest = line;
	if (cg_take_until(&rest, '\t', &field) && is_raw(field))
		line = rest;
	(void)cg_take_blanks(&line);
	while (line.len > 0 && line.ptr[line.len - 1] <= ' ')
		line.len--;
	if (line.len == 0 || d->text.n + line.len > TEXTS_MAX)
		return true;
	if (d->object.n == 0 && !begin_object(d, (struct cg_slice){ "", 0 }))
		return false;
	instr.len = line.len;
	object = &d->object.at[d->object.n - 1];
	if (!add_text(d, line, &instr.text) ||
	    !cg_append(d->job, &d->instr, instr))
		return false;
	object->count = d->instr.n - object->first;
	return true;
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
static const struct instr *
find_instr(
    const struct html_disasm *d, const struct object *object, uint64_t addr)
{
	size_t low = 0, high = object->count;
	const struct instr *at = d->instr.at + object->first;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (at[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < object->count && at[low].addr == addr ? at + low : NULL;
}

struct cg_slice
html_disasm_at(struct html_disasm *d, struct cg_slice object, uint64_t addr)
{
	const struct cg_slice name = cg_base_name(object);
	const struct instr *found = NULL;

	for (size_t i = 0; !found && i < d->object.n; i++) {
		const struct object *it = &d->object.at[i];
		const struct cg_slice is = { d->text.at + it->name, it->len };

		if (is.len == 0 || cg_compare(is, name) == 0 ||
		    (name.len == 0 && d->object.n == 1))
			found = find_instr(d, it, addr);
	}
	if (!found)
		return (struct cg_slice){ "", 0 };
	d->found++;
	return (struct cg_slice){ d->text.at + found->text, found->len };
}

void
html_close_disasm(struct html_writer *w)
{
	if (w->disasm && w->disasm->found == 0)
		cg_warn(
		    w->job, "{disassembly} has no instruction of the profile");
}
