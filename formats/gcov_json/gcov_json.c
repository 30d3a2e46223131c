/*
 * gcov_json.c - gcov's JSON: what it is called and how it is recognised, and
 * the versions of compilers.
 *
 * The format is described in gcovjson.h. It carries lines, functions, blocks,
 * branches, calls, conditions and prime paths, but not how often blocks ran.
 */
#include <string.h>

#include "gcov_json.h"

/* 12.2.0 is "B22*", 9.3.0 "A93*", 4.8.0 "408*". */
struct cg_slice
gcov_json_word(struct cg_slice version, char *room)
{
	struct cg_slice rest = version;
	uint64_t major, minor;
	char *at = room;

	if (!cg_take_u64(&rest, &major) || !cg_take_char(&rest, '.') ||
	    !cg_take_u64(&rest, &minor) || !cg_equal(rest, ".0") ||
	    major == 0 || major > 99 || minor > (major < 7 ? 99 : 9))
		return version;
	if (major < 7) {
		*at++ = (char)('0' + major);
		*at++ = (char)('0' + minor / 10);
	} else {
		*at++ = (char)('A' + major / 10);
		*at++ = (char)('0' + major % 10);
	}
	*at++ = (char)('0' + minor % 10);
	*at++ = '*';
	return (struct cg_slice){ room, (size_t)(at - room) };
}

static bool
take_word(struct cg_slice word, unsigned *major, unsigned *minor)
{
	unsigned digit[3];

	for (size_t i = 0; i < 3; i++) {
		digit[i] = word.len == 4 ? (unsigned)word.ptr[i] - '0' : 10;
		if (digit[i] > 9 && (i > 0 || digit[i] - ('A' - '0') > 25))
			return false;
	}
	if (digit[0] > 9) {
		*major = (digit[0] - ('A' - '0')) * 10 + digit[1];
		*minor = digit[2];
	} else {
		*major = digit[0];
		*minor = digit[1] * 10 + digit[2];
	}
	return true;
}

struct cg_slice
gcov_json_version(struct cg_slice word, char *room)
{
	unsigned major, minor;
	char *at = room;

	if (!take_word(word, &major, &minor))
		return word;
	at = cg_format_u64(at, major);
	*at++ = '.';
	at = cg_format_u64(at, minor);
	*at++ = '.';
	*at++ = '0';
	return (struct cg_slice){ room, (size_t)(at - room) };
}

unsigned
gcov_json_major(struct cg_slice word)
{
	unsigned major, minor;
	uint64_t number;

	if (take_word(word, &major, &minor))
		return major;
	return cg_take_u64(&word, &number) && number < 100 ? (unsigned)number
							   : 0;
}

/* The keys of a document, the first of which others hardly have. */
static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "gcc_version", "format_version",
		"current_working_directory", "data_file", "files", NULL };
	struct cg_json json;
	int known = 0;
	size_t i;

	cg_json_start(&json, head->text);
	if (cg_json_next(&json) != CG_JSON_OBJECT)
		return CG_PROBE_NO;
	while (cg_json_next(&json) == CG_JSON_KEY) {
		for (i = 0; keys[i] && !cg_equal(json.text, keys[i]);)
			i++;
		if (i == 0)
			return CG_PROBE_SURE;
		known += keys[i] != NULL;
		if (!keys[i] || !cg_json_skip(&json, cg_json_next(&json)))
			break;
	}
	return known > 1 ? CG_PROBE_LIKELY : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	{ .name = "format-version",
	    .type = CG_STRING,
	    .arg = "N",
	    .help = "version to write: 1 or 2; else that of the compiler",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_gcov_json = {
	CG_MODULE,
	.name = "gcov-json",
	.title = "gcov's JSON (.gcov.json.gz), versions 1 and 2",
	.suffixes = "gcov.json",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_SIGNED | CG_PARTS |
		   CG_BRANCHES | CG_BLOCKS | CG_CONDITIONS | CG_FILES |
		   CG_SYMBOLS | CG_DEFINITIONS | CG_DESCRIPTIONS,
	.options = options,
	.probe = probe,
	.read = gcov_json_read,
	.write = gcov_json_write,
};
