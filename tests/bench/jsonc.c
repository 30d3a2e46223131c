/*
 * jsonc.c - reads a JSON file with json-c: what the pull reader of lib/syntax
 * is compared with. json-c builds the whole document in memory.
 *
 *	jsonc FILE
 */
#include <json-c/json.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
	struct json_object *document =
	    argc == 2 ? json_object_from_file(argv[1]) : NULL;

	if (!document) {
		fprintf(stderr, "jsonc: %s\n", json_util_get_last_err());
		return 1;
	}
	printf("%d\n", (int)json_object_get_type(document));
	json_object_put(document);
	return 0;
}
