/*
 * syntax.c - takes counts, annotations, line ends and header lines of folded
 * stacks.
 */
#include <string.h>

#include "folded.h"

static bool
get_count(struct cg_slice word, struct folded_count *count)
{
	uint32_t unit = FOLDED_MICRO;

	*count = (struct folded_count){ 0 };
	count->negative = cg_take_char(&word, '-');
	/* Hex numbers, which cg_take_u64() accepts, are not counts. */
	if (word.len == 0 || *word.ptr < '0' || *word.ptr > '9' ||
	    cg_starts(word, "0x") || cg_starts(word, "0X") ||
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
	return word.len == 0;
}

/*
 * Removes the last word, and the blanks before it, from the line and stores it
 * in *word. False: it is the only word, and the line is unchanged.
 */
static bool
take_last_word(struct cg_slice *line, struct cg_slice *word)
{
	const char *begin = line->ptr, *end = begin + line->len, *at = end;

	while (at > begin && at[-1] != ' ' && at[-1] != '\t')
		at--;
	*word = (struct cg_slice){ at, (size_t)(end - at) };
	if (at == begin)
		return false;
	while (at > begin && (at[-1] == ' ' || at[-1] == '\t'))
		at--;
	line->len = (size_t)(at - begin);
	return true;
}

bool
folded_take_count(struct cg_slice *line, struct folded_count *count)
{
	struct cg_slice rest = *line, word;

	if (!take_last_word(&rest, &word) || !get_count(word, count))
		return false;
	*line = rest;
	return true;
}

/* ---- Austin ------------------------------------------------------------- */

/*
 * Splits a change of memory, count[0], into two numbers that are not negative:
 * bytes gained (count[0]) and bytes freed (count[1]). One of them is 0.
 */
static void
split_change(struct folded_count count[2])
{
	count[1] = (struct folded_count){ 0 };
	if (count[0].negative) {
		count[1] = count[0];
		count[1].negative = false;
		count[0] = (struct folded_count){ 0 };
	}
}

bool
folded_take_metrics(struct cg_slice *line, enum folded_austin austin,
    struct folded_count count[4])
{
	struct cg_slice rest = *line, word, time, idle;

	if (!take_last_word(&rest, &word))
		return false;
	if (austin == FOLDED_FULL) {
		if (!cg_take_until(&word, ',', &time) ||
		    !cg_take_until(&word, ',', &idle) ||
		    !get_count(time, &count[0]) ||
		    !get_count(idle, &count[1]) || !get_count(word, &count[2]))
			return false;
		count[1] =
		    count[1].whole == 0 ? count[0] : (struct folded_count){ 0 };
		split_change(&count[2]);
	} else if (!get_count(word, &count[0])) {
		return false;
	} else if (austin == FOLDED_MEMORY) {
		split_change(count);
	}
	*line = rest;
	return true;
}

bool
folded_split_austin(
    struct cg_slice *name, struct cg_slice *file, uint32_t *line)
{
	struct cg_slice rest = *name;
	uint32_t number;
	size_t at;

	if (!cg_cut_number(&rest, ':', &number))
		return false;
	for (at = rest.len; at > 0 && rest.ptr[at - 1] != ':'; at--)
		;
	if (at < 2 || at == rest.len)
		return false;
	*file = (struct cg_slice){ rest.ptr, at - 1 };
	*line = number;
	*name = (struct cg_slice){ rest.ptr + at, rest.len - at };
	return true;
}

struct cg_slice
folded_austin_head(struct cg_slice stack)
{
	struct cg_slice rest = stack, thread;
	uint64_t number;

	if (!cg_take_prefix(&rest, "P") || !cg_take_u64(&rest, &number) ||
	    !cg_take_prefix(&rest, ";T") ||
	    !cg_take_until(&rest, ';', &thread) || thread.len == 0)
		return (struct cg_slice){ stack.ptr, 0 };
	return (struct cg_slice){ stack.ptr,
		(size_t)(thread.ptr + thread.len - stack.ptr) };
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
