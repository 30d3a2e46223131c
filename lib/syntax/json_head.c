/* json_head.c - finds the keys in the head of a JSON document, for probe(). */
#include <string.h>

#include "cgconv_parse.h"

#define KEYS_MAX 4 /* levels of a key */

/*
 * True if key is the first n keys of the path, joined by dots ("a.b" for a,
 * b).
 */
static bool
is_path(const char *key, const struct cg_slice *path, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (i > 0 && *key++ != '.')
			return false;
		/* The analyzer does not see that each level has a key. */
		/* NOLINTNEXTLINE(clang-analyzer-core.*) */
		if (strncmp(key, path[i].ptr, path[i].len) != 0)
			return false;
		key += path[i].len;
	}
	return *key == '\0';
}

unsigned
cg_head_keys(const struct cg_head *head, const char *const *keys)
{
	struct cg_slice path[KEYS_MAX];
	enum cg_json_type type;
	struct cg_json json;
	unsigned level = 0, found = 0;

	cg_json_start(&json, head->text);
	while ((type = cg_json_next(&json)) > CG_JSON_BAD) {
		if (type == CG_JSON_OBJECT)
			level++;
		else if (type == CG_JSON_OBJECT_END)
			level--;
		if (type != CG_JSON_KEY || level > KEYS_MAX)
			continue;
		path[level - 1] = json.text;
		for (unsigned i = 0; keys[i]; i++)
			if (is_path(keys[i], path, level))
				found |= 1u << i;
	}
	return found;
}
