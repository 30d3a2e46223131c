/*
 * syntax.c - takes counts, annotations, line ends and header lines of folded
 * stacks.
 */
#include <string.h>

#include "folded.h"

bool
folded_take_count(struct cg_slice *line, struct folded_count *count)
{
	const char *begin = line->ptr, *at = begin + line->len, *end = at;
	uint32_t unit = FOLDED_MICRO;
	struct cg_slice word;

	while (at > begin && at[-1] != ' ' && at[-1] != '\t')
		at--;
	*count = (struct folded_count){ 0 };
	word = (struct cg_slice){ at, (size_t)(end - at) };
	count->negative = cg_take_char(&word, '-');
	/* No hex numbers, which cg_take_u64() would take. */
	if (word.len == 0 || at == begin || *word.ptr < '0' ||
	    *word.ptr > '9' || cg_starts(word, "0x") || cg_starts(word, "0X") ||
	    !cg_take_u64(&word, &count->whole))
		return false;
	count->fraction = cg_take_char(&word, '.');
	for (; word.len > 0 && *word.ptr >= '0' && *word.ptr <= '9';
	     word.ptr++, word.len--) {
		unsigned digit = (unsigned)(*word.ptr - '0');

		unit /= 10;
		count->micro += digit * unit;
		count->rounded |= unit == 0 && digit != 0;
	}
	if (word.len > 0)
		return false;
	while (at > begin && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	line->len = (size_t)(at - begin);
	return true;
}

struct cg_slice
folded_trim_line(struct cg_slice line)
{
	while (line.len > 0 && (line.ptr[line.len - 1] == ' ' ||
				   line.ptr[line.len - 1] == '\t' ||
				   line.ptr[line.len - 1] == '\r'))
		line.len--;
	return line;
}

const struct folded_note folded_notes[4] = { { 0, "", false },
	{ 'k', FOLDED_KERNEL, false }, { 'j', FOLDED_JIT, false },
	{ 'i', "", true } };

unsigned
folded_take_note(struct cg_slice *name)
{
	const char *end = name->ptr + name->len;
	unsigned i = sizeof(folded_notes) / sizeof(folded_notes[0]) - 1;

	if (name->len <= 4 || end[-1] != ']' || end[-3] != '[' ||
	    end[-4] != '_')
		return 0;
	while (i > 0 && folded_notes[i].letter != end[-2])
		i--;
	name->len -= i > 0 ? 4 : 0;
	return i;
}

static bool
take_type(struct cg_slice *word, struct cg_slice *unit)
{
	const char *slash = memchr(word->ptr, '/', word->len);

	if (!slash || slash == word->ptr)
		return false;
	*unit = (struct cg_slice){ slash + 1,
		(size_t)(word->ptr + word->len - slash - 1) };
	word->len = (size_t)(slash - word->ptr);
	return unit->len > 0 && !memchr(unit->ptr, '/', unit->len);
}

size_t
folded_get_header(struct cg_slice line, struct cg_slice name[FOLDED_COLUMNS],
    struct cg_slice unit[FOLDED_COLUMNS])
{
	struct cg_slice rest = folded_trim_line(line);
	size_t n = 0;

	for (; rest.len > 0; n++) {
		if (n == FOLDED_COLUMNS || !cg_take_word(&rest, &name[n]) ||
		    !take_type(&name[n], &unit[n]))
			return 0;
		(void)cg_take_blanks(&rest);
	}
	return n;
}
