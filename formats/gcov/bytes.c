/*
 * bytes.c - reads words, strings, counters and headers of gcov's files.
 *
 * Sources: gcov-io.h and gcov-io.c of gcc 3.4 to 16. Words have the byte order
 * of the machine that wrote the file; the magic shows which. A counter is two
 * words, the lower one first. Lengths of records and strings count words; from
 * gcc 12 on they count bytes, and strings are not padded any more.
 */
#include <string.h>

#include "bytes.h"

int64_t
gcov_get_counter(const unsigned char *at, enum gcov_order order)
{
	bool big = order == GCOV_BIG || order == GCOV_BIG64;
	uint64_t low = gcov_get_u32(at, big), high = gcov_get_u32(at + 4, big),
		 value;

	if (order == GCOV_BIG64)
		return (int64_t)(low << 32 | high);
	value = high << 32 | low;
	if (order == GCOV_SIGN && value >> 63)
		return -(int64_t)(value & INT64_MAX);
	return (int64_t)value;
}

bool
gcov_take_string(struct gcov_bytes *bytes, struct cg_slice *text)
{
	const unsigned char *start = bytes->at, *nul;
	uint32_t n;
	uint64_t size;

	if (!gcov_take_u32(bytes, &n))
		return false;
	size = bytes->byte_lengths ? n : (uint64_t)n * 4;
	if (size > (uint64_t)(bytes->end - bytes->at))
		return gcov_error(bytes, start,
		    "expected a string that ends within its record");
	nul = memchr(bytes->at, '\0', (size_t)size);
	*text = (struct cg_slice){ (const char *)bytes->at,
		nul ? (size_t)(nul - bytes->at) : (size_t)size };
	bytes->at += size;
	return true;
}

bool
gcov_take_fields(struct gcov_bytes *bytes, unsigned layout,
    const struct gcov_field *field, void *to)
{
	for (; field->expected; field++) {
		char *at = (char *)to + field->offset;
		struct cg_slice text = { 0 };
		uint32_t word = 0;
		bool present;

		if (layout < field->since)
			continue;
		if (field->type == GCOV_WORD) {
			present = gcov_take_u32(bytes, &word);
			memcpy(at, &word, sizeof(word));
		} else {
			present = gcov_take_string(bytes, &text);
			memcpy(at, &text, sizeof(text));
		}
		if (!present) {
			bytes->error = field->expected;
			return false;
		}
	}
	return true;
}

/*
 * Sets head->version (the text) and head->number from a version word. "304*"
 * is 3.4, "407*" is 4.7, "A94*" is 9.4, "B22*" is 12.2. The last character is
 * the status of the release. False: not a version from 3.4 on.
 */
static bool
set_version(struct gcov_head *head, uint32_t word)
{
	const int c[3] = { (int)(word >> 24), (int)(word >> 16 & 255),
		(int)(word >> 8 & 255) };
	bool letter = c[0] >= 'A' && c[0] <= 'Z';

	for (int i = 0; i < 4; i++) {
		head->version[i] = (char)(word >> (24 - 8 * i));
		if (head->version[i] < ' ' || head->version[i] > '~')
			return false;
	}
	head->version[4] = '\0';
	if ((!letter && (c[0] < '3' || c[0] > '9')) || c[1] < '0' ||
	    c[1] > '9' || c[2] < '0' || c[2] > '9')
		return false;
	if (letter)
		head->number =
		    GCOV_VERSION((unsigned)(10 * (c[0] - 'A') + c[1] - '0'),
			(unsigned)(c[2] - '0'));
	else
		head->number = GCOV_VERSION((unsigned)(c[0] - '0'),
		    (unsigned)(10 * (c[1] - '0') + c[2] - '0'));
	return head->number >= GCOV_VERSION(3, 4);
}

bool
gcov_take_magic(
    struct gcov_bytes *bytes, struct gcov_head *head, unsigned layout)
{
	static const uint32_t magics[] = { GCOV_NOTES, GCOV_DATA, GCOV_STREAM };
	const unsigned char *start = bytes->at;
	uint32_t word, version;

	*head = (struct gcov_head){ 0 };
	bytes->big = true;
	if (!gcov_take_u32(bytes, &word))
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (word == magics[i])
			head->magic = word;
		if (gcov_get_u32(start, false) == magics[i]) {
			head->magic = magics[i];
			bytes->big = false;
		}
	}
	if (!head->magic)
		return gcov_error(
		    bytes, start, "expected a .gcno or .gcda file");
	if (!gcov_take_u32(bytes, &version))
		return false;
	if (!set_version(head, version))
		return gcov_error(bytes, start + 4,
		    "expected the version of a compiler, as in \"B22*\"");
	head->layout = layout ? layout : head->number;
	bytes->byte_lengths = head->layout >= GCOV_VERSION(12, 0);
	return true;
}

uint32_t
gcov_ident(struct cg_slice name)
{
	uint32_t crc = 0;

	for (size_t i = 0; i <= name.len; i++) {
		uint32_t c = i < name.len ? (unsigned char)name.ptr[i] : 0;

		crc ^= c << 24;
		for (int bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
	}
	return crc & INT32_MAX;
}
