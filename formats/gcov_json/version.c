/*
 * version.c - versions of gcc: "12.2.0" in JSON, the word "B22*" in gcov's
 * data files and in the graph.
 */
#include "gcov_json.h"

/*
 * Returns a version of gcc as in data files: "B22*" for "12.2.0", "A93*" for
 * "9.3.0", "408*" for "4.8.0". Other forms are returned unchanged. The result
 * may be in room, a buffer of 4 bytes.
 */
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

/*
 * Parses the word for a version of gcc: "A93*" is 9.3, "B22*" is 12.2 and,
 * before gcc 7, "408*" is 4.8. False: malformed.
 */
static bool
parse_word(struct cg_slice word, unsigned *major, unsigned *minor)
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

	if (!parse_word(word, &major, &minor))
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

	if (parse_word(word, &major, &minor))
		return major;
	return cg_take_u64(&word, &number) && number < 100 ? (unsigned)number
							   : 0;
}
