/*
 * diag.c - messages: one line each, with a location, control bytes escaped.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

/*
 * Copies a text into the buffer `to` of size bytes (at least 5), with control
 * characters as \x1b: names come from the input and must not control a
 * terminal. A text that is too long is truncated.
 */
static void
escape_controls(const char *from, char *to, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	char *end = to + size - 5; /* room for \xNN and the NUL */

	for (; *from && to < end; from++) {
		unsigned char byte = (unsigned char)*from;

		if (byte >= 0x20 && byte != 0x7f) {
			*to++ = *from;
			continue;
		}
		*to++ = '\\';
		*to++ = 'x';
		*to++ = hex[byte >> 4];
		*to++ = hex[byte & 15];
	}
	*to = '\0';
}

/*
 * Returns the length of an option's name in "{name}", where text follows the
 * opening brace; 0: it is not an option. "%s" counts as a name.
 */
static size_t
option_length(const char *text)
{
	size_t len = strncmp(text, "%s", 2) == 0
			 ? 2
			 : strspn(text, "abcdefghijklmnopqrstuvwxyz-");

	return text[len] == '}' ? len : 0;
}

/*
 * Copies a message's format string into the buffer `to`, truncated to size.
 * Spells each {option} as the program does: "--option". Done before names are
 * inserted, as a name from the input may contain {main}.
 */
static void
spell_options(
    const struct cg_diag *diag, const char *fmt, char *to, size_t size)
{
	const char *prefix = diag->option_prefix;
	char *end = to + size - 1;

	while (*fmt && to < end) {
		size_t len = *fmt == '{' ? option_length(fmt + 1) : 0;
		size_t room = (size_t)(end - to), need;

		if (len == 0) {
			*to++ = *fmt++;
			continue;
		}
		need = (size_t)snprintf(to, room, "%s%.*s%s",
		    prefix ? prefix : "option '", (int)len, fmt + 1,
		    prefix ? "" : "'");
		to += need < room ? need : room;
		fmt += len + 2;
	}
	*to = '\0';
}

bool
cg_diag_stopped(const struct cg_diag *diag)
{
	return diag->stop && *diag->stop != 0;
}

void
cg_diag_progress(const struct cg_diag *diag, uint64_t read, uint64_t written)
{
	if (diag->progress)
		diag->progress(diag->progress_arg, read, written);
}

void
cg_diag_put(struct cg_diag *diag, enum cg_severity severity,
    const struct cg_location *location, const char *fmt, va_list args)
{
	char spelled[CG_DIAG_TEXT], raw[CG_DIAG_TEXT], text[CG_DIAG_TEXT];
	struct cg_message message = { .severity = severity, .text = text };

	spell_options(diag, fmt, spelled, sizeof(spelled));
	(void)vsnprintf(raw, sizeof(raw), spelled, args);
	escape_controls(raw, text, sizeof(text));
	if (location) {
		message.file = location->file;
		message.line = location->line;
		message.column = location->column;
		message.offset = location->offset;
		message.has_offset = location->has_offset;
	}
	if (diag->report)
		diag->report(diag->arg, &message);
}

const char cg_confined[] = "the sandbox does not allow it";

/*
 * Returns a text that tells why open() has failed, from errno, which keeps its
 * value. Valid until the next strerror(). A sandbox is the reason if access()
 * allows reading, as sandboxes do not apply to access().
 */
const char *
cg_open_error(const char *path)
{
	int error = errno;
	bool confined = error == EACCES && access(path, R_OK) == 0;

	errno = error;
	return confined ? cg_confined : strerror(error);
}

void
cg_diag_say(struct cg_diag *diag, enum cg_severity severity,
    const struct cg_location *location, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	cg_diag_put(diag, severity, location, fmt, args);
	va_end(args);
}

bool
cg_diag_count(struct cg_diag *diag, const char *fmt)
{
	size_t i = 0;

	while (i < diag->kinds && diag->kind[i].fmt != fmt)
		i++;
	if (i == CG_DIAG_KINDS)
		return true; /* cannot be counted: report it */
	if (i == diag->kinds) {
		diag->kind[i].fmt = fmt;
		diag->kind[i].count = 0;
		diag->kinds++;
	}
	return ++diag->kind[i].count <= CG_DIAG_SHOWN;
}

/*
 * Copies a message's format string into the buffer `to`, truncated to size.
 * Writes "..." for each conversion, for summaries of equal messages: "name ...
 * is not defined".
 */
static void
copy_words(const char *fmt, char *to, size_t size)
{
	char *end = to + size - 1;

	while (*fmt && to < end) {
		if (*fmt != '%') {
			*to++ = *fmt++;
			continue;
		}
		fmt++;
		fmt += strcspn(fmt, "diuxsc%");
		fmt += *fmt != '\0';
		to = end - to > 3 ? stpcpy(to, "...") : to;
	}
	*to = '\0';
}

void
cg_diag_flush(struct cg_diag *diag, const char *file)
{
	const struct cg_location location = { .file = file };
	char spelled[CG_DIAG_TEXT], words[CG_DIAG_TEXT];

	for (size_t i = 0; i < diag->kinds; i++) {
		if (diag->kind[i].count <= CG_DIAG_SHOWN)
			continue;
		spell_options(
		    diag, diag->kind[i].fmt, spelled, sizeof(spelled));
		copy_words(spelled, words, sizeof(words));
		cg_diag_say(diag, CG_WARNING, &location,
		    "and %llu more like '%s'",
		    (unsigned long long)(diag->kind[i].count - CG_DIAG_SHOWN),
		    words);
	}
	diag->kinds = 0;
}

/* ---- Messages for later -------------------------------------------------- */

static void
keep(void *arg, const struct cg_message *message)
{
	struct cg_kept *kept = arg;

	kept->severity = message->severity;
	kept->location = (struct cg_location){ .file = message->file,
		.line = message->line,
		.column = message->column,
		.offset = message->offset,
		.has_offset = message->has_offset };
	(void)snprintf(kept->text, sizeof(kept->text), "%s", message->text);
}

void
cg_kept_begin(struct cg_kept *kept, const struct cg_diag *of)
{
	kept->diag = (struct cg_diag){ .report = keep,
		.arg = kept,
		.stop = of->stop,
		.option_prefix = of->option_prefix };
	kept->text[0] = '\0';
}

void
cg_kept_say(struct cg_kept *kept, struct cg_diag *diag)
{
	if (kept->text[0] != '\0')
		cg_diag_say(
		    diag, kept->severity, &kept->location, "%s", kept->text);
	kept->text[0] = '\0';
}
