/*
 * words.c - the words of our JSON for lines, enums and flags.
 */
#include "json.h"

const struct json_tag json_tags[JSON_TAGS] = {
	[JSON_COST] = { "cost", "Func", JSON_IN_ROWS },
	[JSON_CALL] = { "call", "Funfunnc", JSON_IN_ROWS },
	[JSON_JUMP] = { "jump", "FunfFunn?n", JSON_IN_ROWS },
	[JSON_ROWS] = { "rows", "f", JSON_IN_PART },
	[JSON_BRANCH] = { "branch", "Funkuud?lut", JSON_IN_ROWS },
	[JSON_FRAME] = { "frame", "nsfFun?b", JSON_ANYWHERE },
	[JSON_STACK] = { "stack", "snc?S", JSON_IN_PART },
	[JSON_MOMENT] = { "moment", "ds?c", JSON_IN_PART },
	[JSON_LABELS] = { "labels", "nL", JSON_ANYWHERE },
	[JSON_REGION] = { "region", "Fuuuud?lt", JSON_IN_ROWS },
	[JSON_FUNCTION] = { "function", "ntFO?uunuut", JSON_ANYWHERE },
	[JSON_FILE] = { "file", "nt?t", JSON_ANYWHERE },
	[JSON_OBJECT] = { "object", "nt", JSON_ANYWHERE },
	[JSON_INCLUSIVE] = { "inclusive", "c", JSON_IN_ROWS },
	[JSON_EVENT] = { "event", "nz?zzib", JSON_ANYWHERE },
	[JSON_FORMULA] = { "formula", "zz?zzib", JSON_ANYWHERE },
	[JSON_PART] = { "part", "?nnnz", JSON_ANYWHERE },
	[JSON_DESC] = { "desc", "zz", JSON_IN_PART },
	[JSON_LISTED] = { "listed", "F", JSON_IN_PART },
	[JSON_TOTAL] = { "total", "c", JSON_IN_PART },
	[JSON_TRACK] = { "track", "nn?zzzbdd", JSON_IN_PART },
};

/*
 * By enum cg_incl. Costs that were split by counts are in the rows, so they
 * are written as stated.
 */
const char *const json_incl[] = { "stated", "by-counts", "none", "stated",
	NULL };
const char *const json_kind[] = { "block", "arc", "call", "condition", "path",
	"counter", "step", NULL };
const char json_flags[] = "ftruxlne";
