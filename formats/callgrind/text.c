/*
 * text.c - writes names and descriptions.
 *
 * Several functions may share name, file and object: the variants of a C++
 * constructor differ only in their linkage names. KCachegrind would merge
 * them, so their linkage names are appended.
 */
#include <string.h>

#include "write.h"

/*
 * Writes text with escapes for line breaks and NULs, and warns of them. A line
 * break would begin a new line of the format, and KCachegrind hangs at a NUL.
 */
void
callgrind_put_text(struct callgrind_writer *w, struct cg_slice text)
{
	if (cg_put_inline(w->out, text))
		cg_warn(w->job, "line breaks and NULs in names are written "
				"as \\n, \\r and \\0");
}

/* ---- Descriptions ------------------------------------------------------- */

/*
 * A merged profile may have many values of a key (gcov's "Data file"):
 * VALUES_MAX are written, then "(and N more)".
 */
#define VALUES_MAX 8
#define KEYS_MAX 32 /* of further keys, all values are written */
#define MORE "(and "

struct desc_key {
	const char *key;
	size_t values, done;
	bool more; /* a value is "(and N more)" of an earlier merge */
};

struct desc_keys {
	struct desc_key key[KEYS_MAX];
	size_t count;
};

/*
 * Returns the element of "keys" for the key of a description. Appends an
 * element if the key is new. Compares addresses of keys, as the graph stores
 * equal keys only once. NULL: there is no room for another key.
 */
static struct desc_key *
find_key(struct desc_keys *keys, const char *key)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->key[i].key == key)
			return &keys->key[i];
	}
	if (keys->count == KEYS_MAX)
		return NULL;
	keys->key[keys->count] = (struct desc_key){ .key = key };
	return &keys->key[keys->count++];
}

static void
put_desc(struct callgrind_writer *w, const char *key, const char *value)
{
	cg_puts(w->out, "desc: ");
	callgrind_put_text(w, cg_slice(key));
	cg_puts(w->out, ": ");
	callgrind_put_text(w, cg_slice(value));
	cg_putc(w->out, '\n');
}

/*
 * Writes "(and N more)" for values of a description that are not written.
 * Omits N if a value is such a text from an earlier merge: N would then be
 * unknown.
 */
static void
put_more(struct callgrind_writer *w, const struct desc_key *key)
{
	char text[sizeof(MORE) + CG_NUMBER_MAX + sizeof(" more)")] = MORE;
	char *at = text + strlen(MORE);

	if (!key->more) {
		at = cg_format_u64(at, key->values - VALUES_MAX);
		*at++ = ' ';
	}
	memcpy(at, "more)", sizeof("more)"));
	put_desc(w, key->key, text);
}

void
callgrind_put_descs(struct callgrind_writer *w, cg_part part)
{
	struct desc_keys keys = { .count = 0 };
	struct desc_key *known;
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(w->graph, part, i, &key, &value); i++) {
		known = find_key(&keys, key);
		if (!known)
			continue;
		known->values++;
		known->more |= cg_starts(cg_slice(value), MORE);
	}
	for (size_t i = 0; cg_part_desc(w->graph, part, i, &key, &value); i++) {
		known = find_key(&keys, key);
		if (!known || known->done++ < VALUES_MAX ||
		    known->values == VALUES_MAX + 1)
			put_desc(w, key, value);
		else if (known->done == VALUES_MAX + 1)
			put_more(w, known);
	}
}

/* ---- Ambiguous names ---------------------------------------------------- */

static bool
are_ambiguous(const struct cg_graph *graph, cg_fn a, cg_fn b)
{
	return cg_fn_object(graph, a) == cg_fn_object(graph, b) &&
	       cg_fn_file(graph, a) == cg_fn_file(graph, b) &&
	       cg_compare(cg_fn_name(graph, a), cg_fn_name(graph, b)) == 0;
}

/*
 * Marks in w->ambiguous each function that shares name, file and object with
 * another. The array stays NULL if the graph has no linkage names (CG_SYMBOLS)
 * to distinguish functions. False: out of memory (reported).
 */
bool
callgrind_find_ambiguous(struct callgrind_writer *w)
{
	size_t fns = cg_fn_count(w->graph);
	cg_fn before = 0, fn;

	if (!(cg_graph_facts(w->graph) & CG_SYMBOLS))
		return true;
	w->ambiguous = cg_alloc(w->job, (fns + 1) * sizeof(*w->ambiguous));
	if (!w->ambiguous)
		return false;
	for (size_t rank = 0; rank <= fns; rank++, before = fn) {
		fn = cg_fn_ranked(w->graph, rank);
		if (rank > 0 && fn != 0 && before != 0 &&
		    are_ambiguous(w->graph, before, fn))
			w->ambiguous[before] = w->ambiguous[fn] = true;
	}
	return true;
}

struct cg_slice
callgrind_distinct_symbol(const struct callgrind_writer *w, cg_fn fn)
{
	if (w->ambiguous && w->ambiguous[fn])
		return cg_fn_symbol(w->graph, fn);
	return (struct cg_slice){ "", 0 };
}
