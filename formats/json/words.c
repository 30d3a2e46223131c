/*
 * words.c - the words that our JSON uses for enums and flags.
 */
#include "json.h"

const char *const json_incl[] = { "stated", "by-counts", "none", NULL };
const char *const json_kind[] = { "block", "arc", "call", "condition", "path",
	"counter", "step", NULL };
const char json_flags[] = "ftruxlne";
