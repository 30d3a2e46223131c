/*
 * text.c - formats names, messages, tables, numbers and facts for people.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/*
 * Decodes the first UTF-8 sequence of the text, which must begin with a byte
 * of 0x80 or more. Sets *character to its code point. Returns its length in
 * bytes. 0: the sequence is invalid, and *character has no meaning.
 */
static size_t
decode_utf8(struct cg_slice text, uint32_t *character)
{
	/*
	 * By length: the smallest code point; a smaller one is an overlong
	 * encoding.
	 */
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)text.ptr;
	size_t n = 2u + (at[0] >= 0xe0) + (at[0] >= 0xf0);
	uint32_t c = at[0] & (0x7fu >> n);

	if (at[0] < 0xc0 || at[0] > 0xf7 || n > text.len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[i] & 0x3fu);
	}
	*character = c;
	if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return n;
}

/*
 * Returns the length in bytes of the first character of text; 0: it is not
 * printable, or not UTF-8, and must be escaped on a terminal.
 */
static size_t
printable_length(struct cg_slice text)
{
	unsigned char first = (unsigned char)text.ptr[0];
	uint32_t c;
	size_t n;

	if (first < 0x80)
		return first >= 0x20 && first != 0x7f;
	n = decode_utf8(text, &c);
	/* C1 controls, line separators, bidirectional marks. */
	if (n == 0 || c < 0xa0 || c == 0x061c || (c >= 0x200e && c <= 0x200f) ||
	    (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return 0;
	return n;
}

static void
put_escaped(FILE *to, unsigned char c)
{
	static const char letters[] = "t\tn\nr\r";

	for (const char *at = letters; *at != '\0'; at += 2)
		if ((unsigned char)at[1] == c) {
			fprintf(to, "\\%c", at[0]);
			return;
		}
	fprintf(to, "\\x%02x", c);
}

void
put_safe(FILE *to, struct cg_slice text)
{
	while (text.len > 0) {
		size_t n = printable_length(text);

		if (n > 0)
			fwrite(text.ptr, 1, n, to);
		else
			put_escaped(to, (unsigned char)text.ptr[0]);
		text.ptr += n > 0 ? n : 1;
		text.len -= n > 0 ? n : 1;
	}
}

size_t
utf8_length(struct cg_slice text)
{
	uint32_t c;

	return (unsigned char)*text.ptr < 0x80 ? 1 : decode_utf8(text, &c);
}

static void
put_referenced(FILE *to, struct cg_slice text, const char *underscore)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ/.+-=, ";

	while (text.len > 0) {
		unsigned char c = (unsigned char)*text.ptr;
		size_t n = utf8_length(text);

		if (n > 1)
			fwrite(text.ptr, 1, n, to);
		else if (n == 0 || c < ' ' || c == 0x7f)
			fputs("&#65533;", to);
		else if (c == '_')
			fputs(underscore, to);
		else if (strchr(plain, c) != NULL)
			putc(c, to);
		else
			fprintf(to, "&#%u;", c);
		n = n > 0 ? n : 1;
		text.ptr += n;
		text.len -= n;
	}
}

void
put_markdown(FILE *to, struct cg_slice text)
{
	put_referenced(to, text, "\\_");
}

void
put_html(FILE *to, struct cg_slice text)
{
	put_referenced(to, text, "_");
}

/*
 * Closes a stream of open_memstream() (or NULL), and leaves its text in *text
 * for the caller to free. False: out of memory, with *text NULL.
 */
bool
close_text(FILE *to, char **text)
{
	bool ok = to != NULL && !ferror(to);

	/* fclose() returns 0 even if the last allocation failed. */
	if (to != NULL && fclose(to) == 0 && ok && *text != NULL)
		return true;
	free(*text);
	*text = NULL;
	return false;
}

const char *const severity_name[] = {
	[CG_NOTE] = "note",
	[CG_WARNING] = "warning",
	[CG_ERROR] = "error",
};

void
put_message(FILE *to, const struct cg_message *message)
{
	put_safe(to, cg_slice(message->file ? message->file : "cgconv"));
	if (message->line != 0)
		fprintf(to, ":%llu", (unsigned long long)message->line);
	if (message->line != 0 && message->column != 0)
		fprintf(to, ":%llu", (unsigned long long)message->column);
	if (message->has_offset)
		fprintf(to, ":0x%llx", (unsigned long long)message->offset);
	fprintf(to, ": %s: ", severity_name[message->severity]);
	put_safe(to, cg_slice(message->text));
	putc('\n', to);
}

void
put_function(FILE *to, struct cg_slice name, uint32_t cycle,
    struct cg_slice file, struct cg_slice object)
{
	put_safe(to, name.len > 0 ? name : cg_slice("???"));
	if (cycle != 0)
		fprintf(to, " <cycle %" PRIu32 ">", cycle);
	if (file.len > 0) {
		fputs(" (", to);
		put_safe(to, file);
		putc(')', to);
	}
	if (object.len > 0) {
		fputs(" [", to);
		put_safe(to, object);
		putc(']', to);
	}
}

char *
copy_text(struct cg_job *job, struct cg_slice text)
{
	char *copy = cg_alloc(job, text.len + 1);

	if (copy == NULL)
		return NULL;
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	return copy;
}

/*
 * Returns the escape sequence of perf's colour for the percentage in cell: red
 * from 5, green from 0.5, whatever the sign. "": no colour, also if `to` is no
 * terminal or NO_COLOR is set (no-color.org).
 */
static const char *
colour_of(FILE *to, const char *cell)
{
	const char *off = getenv("NO_COLOR");
	size_t len = strlen(cell);

	if (len == 0 || cell[len - 1] != '%' || (off != NULL && *off != '\0') ||
	    isatty(fileno(to)) != 1)
		return "";
	if (fabs(strtod(cell, NULL)) >= 5)
		return "\x1b[31m";
	return fabs(strtod(cell, NULL)) >= 0.5 ? "\x1b[32m" : "";
}

void
put_table(FILE *to, const char *const *head, size_t rows,
    void (*put_cell)(char[AMOUNT_ROOM], const void *, size_t, size_t),
    void (*put_name)(FILE *, const void *, size_t), const void *arg)
{
	char text[AMOUNT_ROOM];
	int width[CELLS_MAX];
	size_t cells = 0;

	for (; head[cells + 1] != NULL; cells++) {
		width[cells] = (int)strlen(head[cells]);
		for (size_t i = 0; i < rows; i++) {
			put_cell(text, arg, i, cells);
			if ((int)strlen(text) > width[cells])
				width[cells] = (int)strlen(text);
		}
	}
	for (size_t cell = 0; cell < cells; cell++)
		fprintf(to, "  %*s", width[cell], head[cell]);
	fprintf(to, "  %s\n", head[cells]);
	for (size_t i = 0; i < rows; i++) {
		for (size_t cell = 0; cell < cells; cell++) {
			const char *colour;

			put_cell(text, arg, i, cell);
			colour = colour_of(to, text);
			fprintf(to, "  %s%*s%s", colour, width[cell], text,
			    *colour != '\0' ? "\x1b[0m" : "");
		}
		fputs("  ", to);
		put_name(to, arg, i);
		putc('\n', to);
	}
}

struct amount
amount_u64(uint64_t value)
{
	struct amount amount = { .known = true, .size = value };

	return amount;
}

struct amount
amount_i64(int64_t value)
{
	struct amount amount = { .known = true, .minus = value < 0 };

	amount.size = (uint64_t)value;
	if (value < 0)
		amount.size = 0 - amount.size;
	return amount;
}

struct amount
amount_minus(struct amount a, struct amount b)
{
	struct amount difference = { .known = a.known && b.known };

	if (a.minus != b.minus) {
		difference.minus = a.minus;
		difference.size = a.size + b.size;
		difference.known &= difference.size >= a.size;
	} else if (a.size >= b.size) {
		difference.minus = a.minus && a.size > b.size;
		difference.size = a.size - b.size;
	} else {
		difference.minus = !a.minus;
		difference.size = b.size - a.size;
	}
	return difference;
}

int
compare_amounts(struct amount a, struct amount b)
{
	int larger = (a.size > b.size) - (a.size < b.size);

	if (!a.known || !b.known)
		return a.known - b.known;
	if (a.minus != b.minus)
		return b.minus - a.minus;
	return a.minus ? -larger : larger;
}

static const char *
none(char *buf)
{
	buf[0] = '-';
	buf[1] = '\0';
	return buf;
}

const char *
amount_text(char buf[AMOUNT_ROOM], struct amount amount)
{
	char digits[CG_NUMBER_MAX];
	size_t n = (size_t)(cg_format_u64(digits, amount.size) - digits);
	char *to = buf;

	if (!amount.known)
		return none(buf);
	if (amount.minus)
		*to++ = '-';
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return buf;
}

const char *
percent_text(char buf[AMOUNT_ROOM], struct amount part, struct amount whole)
{
	double percent;

	if (!part.known || !whole.known || whole.size == 0)
		return none(buf);
	percent = 100.0 * (double)part.size / (double)whole.size;
	if (part.minus != whole.minus)
		percent = -percent;
	/* A larger value does not fit the buffer. */
	if (percent > 1e9 || percent < -1e9)
		return none(buf);
	snprintf(buf, AMOUNT_ROOM, "%.2f%%", percent);
	return buf;
}

const char *
facts_text(char buf[FACTS_ROOM], cg_facts facts)
{
	const char *name;
	size_t used = 0;

	none(buf);
	for (unsigned bit = 0; (name = cg_fact_name(bit)) != NULL; bit++) {
		size_t length = strlen(name);

		if (!(facts >> bit & 1) || used + length + 2 > FACTS_ROOM)
			continue;
		if (used > 0)
			buf[used++] = ' ';
		memcpy(buf + used, name, length + 1);
		used += length;
	}
	return buf;
}
