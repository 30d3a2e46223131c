/*
 * spec.c - writes the lines that name objects, files and functions. Ids are
 * assigned in the order in which names are written.
 */

#include "write.h"

enum kind { OBJECT, FILE_NAME, FN };

static const struct {
	const char *text;
	enum kind kind;
} specs[] = {
	[SPEC_OB] = { "ob=", OBJECT },
	[SPEC_COB] = { "cob=", OBJECT },
	[SPEC_FL] = { "fl=", FILE_NAME },
	[SPEC_FI] = { "fi=", FILE_NAME },
	[SPEC_FE] = { "fe=", FILE_NAME },
	[SPEC_CFI] = { "cfi=", FILE_NAME },
	[SPEC_JFI] = { "jfi=", FILE_NAME },
	[SPEC_FN] = { "fn=", FN },
	[SPEC_CFN] = { "cfn=", FN },
	[SPEC_JFN] = { "jfn=", FN },
};

/*
 * Writes the short form of a name, "fn=(7)", in place of a line with the name.
 * "spec" is the key, such as "fn=". The short form is possible only if this
 * part has the name already (id above base), and if short names are wanted.
 * Otherwise writes nothing and returns false.
 */
static bool
put_id(struct callgrind_writer *w, const char *spec, uint32_t id, uint32_t base)
{
	char *to;

	if (id <= base || !w->short_names)
		return false;
	to = cg_out_reserve(w->out, 2 * CG_NUMBER_MAX);
	while (*spec)
		*to++ = *spec++;
	*to++ = '(';
	to = cg_format_u64(to, id - base);
	*to++ = ')';
	*to++ = '\n';
	cg_out_advance(w->out, to);
	return true;
}

/*
 * Writes the line of a name. It is "fn=(7) name", or "fn=(7)" if *id is known
 * in this part (above base). Without short names it is "fn=name", unless the
 * name begins like an id, "(1) x". A new id is ++*count. A symbol (linkage
 * name) follows the name in brackets.
 */
static void
put_name(struct callgrind_writer *w, const char *spec, uint32_t *id,
    uint32_t *count, uint32_t base, struct cg_slice name,
    struct cg_slice symbol)
{
	/* A plain name such as "(1) x" would be read as an id. */
	bool like_id = name.len > 1 && name.ptr[0] == '(' &&
		       name.ptr[1] >= '0' && name.ptr[1] <= '9';
	bool known = *id > base;

	cg_puts(w->out, spec);
	if (w->short_names || like_id) {
		if (!known)
			*id = ++*count;
		cg_putc(w->out, '(');
		cg_putu(w->out, *id - base);
		cg_putc(w->out, ')');
		if (!known)
			cg_putc(w->out, ' ');
	}
	if (!known || !(w->short_names || like_id)) {
		callgrind_put_text(w, name.len ? name : cg_slice("???"));
		if (symbol.len > 0) {
			cg_puts(w->out, " [");
			callgrind_put_text(w, symbol);
			cg_putc(w->out, ']');
		}
	}
	cg_putc(w->out, '\n');
}

static void
put_path(struct callgrind_writer *w, const char *spec,
    struct callgrind_names *names, uint32_t i, struct cg_slice path)
{
	put_name(w, spec, &names->id[i], &names->count, names->base, path,
	    cg_slice(""));
}

static void
put_object(struct callgrind_writer *w, const char *spec, cg_object object)
{
	if (!put_id(w, spec, w->objects.id[object], w->objects.base))
		put_path(w, spec, &w->objects, object,
		    cg_object_path(w->graph, object));
}

static void
put_file(struct callgrind_writer *w, const char *spec, cg_file file)
{
	if (!put_id(w, spec, w->files.id[file], w->files.base))
		put_path(
		    w, spec, &w->files, file, cg_file_path(w->graph, file));
}

static void
put_fn(struct callgrind_writer *w, const char *spec, cg_fn fn)
{
	if (!put_id(w, spec, w->fn[fn].id, w->fns_base))
		put_name(w, spec, &w->fn[fn].id, &w->fns, w->fns_base,
		    fn ? cg_fn_name(w->graph, fn) : cg_slice(SPONTANEOUS),
		    callgrind_distinct_symbol(w, fn));
}

void
callgrind_put_spec(
    struct callgrind_writer *w, enum callgrind_spec spec, uint32_t id)
{
	switch (specs[spec].kind) {
	case OBJECT: put_object(w, specs[spec].text, id); break;
	case FILE_NAME: put_file(w, specs[spec].text, id); break;
	case FN: put_fn(w, specs[spec].text, id); break;
	}
}
