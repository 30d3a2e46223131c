/*
 * line.c - parses the lines of perf script's text.
 *
 * Source: builtin-script.c of Linux 3.2 to 6.1 (process_event,
 * perf_sample__fprintf_start), evsel_fprintf.c (sample__fprintf_callchain), and
 * the output of perf 6.1 with every -F.
 */
#include <string.h>

#include "perf_script.h"

/* Hex digits of an address at most. */
#define IP_DIGITS 16

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* ---- The first line of a sample ----------------------------------------- */

static bool
is_number(struct cg_slice word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (!is_digit(word.ptr[i]))
			return false;
	}
	return word.len > 0;
}

/* Returns true for a time as perf prints it, "916.089109:". */
static bool
is_time(struct cg_slice word)
{
	size_t i = 0, point;

	while (i < word.len && is_digit(word.ptr[i]))
		i++;
	point = i;
	if (i == 0 || i == word.len || word.ptr[i] != '.')
		return false;
	for (i++; i < word.len && is_digit(word.ptr[i]); i++)
		continue;
	return i > point + 1 && i + 1 == word.len && word.ptr[i] == ':';
}

/*
 * Cuts the last word, and the blanks before it, off the text; returns the
 * word.
 */
static struct cg_slice
cut_word(struct cg_slice *text)
{
	struct cg_slice word = { text->ptr + text->len, 0 };

	while (text->len > 0 && !is_blank(text->ptr[text->len - 1])) {
		text->len--;
		word.ptr--;
		word.len++;
	}
	while (text->len > 0 && is_blank(text->ptr[text->len - 1]))
		text->len--;
	return word;
}

static bool
take_number(struct cg_slice word, uint64_t *number)
{
	return is_number(word) && cg_take_u64(&word, number);
}

/* Returns true for the number of a processor as perf prints it, "[003]". */
static bool
is_cpu(struct cg_slice word)
{
	return word.len > 2 && *word.ptr == '[' &&
	       word.ptr[word.len - 1] == ']' &&
	       is_number((struct cg_slice){ word.ptr + 1, word.len - 2 });
}

/*
 * Reads the number of a processor, "[003]", into head->cpu, and sets
 * head->has_cpu. If the number does not fit into 32 bits, clears both. False:
 * another word, and *head is unchanged.
 */
static bool
take_cpu(struct cg_slice word, struct perf_head *head)
{
	struct cg_slice number = { word.ptr + 1, word.len };
	uint64_t cpu;

	if (!is_cpu(word))
		return false;
	head->has_cpu = cg_take_u64(&number, &cpu) && cpu <= UINT32_MAX;
	head->cpu = head->has_cpu ? (uint32_t)cpu : 0;
	return true;
}

/*
 * Returns true for a word such as "d..1.", which may follow "[003]": the state
 * of interrupts and preemption (the latency-format of ftrace).
 */
static bool
is_flags(struct cg_slice word)
{
	static const char letters[] = ".#dDXnNpPlLbBhHsSzZ0123456789abcdef";

	for (size_t i = 0; i < word.len; i++) {
		if (!strchr(letters, word.ptr[i]))
			return false;
	}
	return (word.len == 4 || word.len == 5) && !is_number(word);
}

/*
 * Reads "5791/5860" (process and thread) into *pid and *tid, or "5860"
 * (thread) into *tid alone. A thread of -1 means none, and sets both to 0.
 * False: another word; *tid may have changed.
 */
static bool
take_ids(struct cg_slice word, uint64_t *pid, uint64_t *tid)
{
	const char *slash = memchr(word.ptr, '/', word.len);
	struct cg_slice first = word;

	if (slash) {
		first.len = (size_t)(slash - word.ptr);
		word.ptr = slash + 1;
		word.len -= first.len + 1;
	}
	if (cg_equal(word, "-1")) {
		*pid = *tid = 0;
		return true;
	}
	return take_number(word, tid) &&
	       (slash ? take_number(first, pid) : true);
}

/*
 * Parses the text before the time, "comm pid/tid [cpu]", into *head. All but
 * the command may be missing. "whole" tells that the text is the whole line.
 * Then a number directly after pid/tid is the period.
 */
static void
take_task(struct cg_slice text, bool whole, struct perf_head *head)
{
	struct cg_slice left = text, word = cut_word(&left), more;
	uint64_t number, ignored;

	more = left;
	if (is_flags(word) && is_cpu(cut_word(&more))) {
		text = left;
		word = cut_word(&left);
	}
	if (take_cpu(word, head)) {
		text = left;
		word = cut_word(&left);
	}
	more = left;
	if (whole && take_number(word, &number) &&
	    take_ids(cut_word(&more), &ignored, &ignored)) {
		head->period = number;
		head->has_period = true;
		text = left;
		word = cut_word(&left);
		if (take_cpu(word, head)) {
			text = left;
			word = cut_word(&left);
		}
	}
	if (take_ids(word, &head->pid, &head->tid))
		text = left;
	head->comm = text;
}

/*
 * Takes the event off a text "cycles:u: rest": sets *event to "cycles:u", and
 * *text to the rest, without blanks around it. False: the first word does not
 * end with ':'; *text is then without that word.
 */
static bool
take_event(struct cg_slice *text, struct cg_slice *event)
{
	struct cg_slice word;

	if (!cg_take_word(text, &word))
		return false;
	if (word.len < 2 || word.ptr[word.len - 1] != ':')
		return false;
	word.len--;
	*event = word;
	*text = cg_trim(*text);
	return true;
}

/*
 * Parses the text after the time, "period event: rest", into *head. Period and
 * event may be missing. head->rest becomes the text after them.
 */
static void
take_after_time(struct cg_slice text, struct perf_head *head)
{
	struct cg_slice left = cg_trim(text), word;

	head->rest = text = left;
	if (left.len == 0)
		return;
	if (cg_take_word(&left, &word) && take_number(word, &head->period)) {
		head->has_period = true;
		(void)cg_take_blanks(&left);
		head->rest = text = left;
	}
	if (take_event(&text, &head->event))
		head->rest = text;
}

/*
 * Cuts the last number, a period, off the text, if a task's or processor's
 * number comes before it. Sets the period of *head, and returns the text
 * without it. Otherwise returns the whole text, and leaves *head as it is.
 */
static struct cg_slice
cut_period(struct cg_slice text, struct perf_head *head)
{
	struct cg_slice task = text, more, ids;
	uint64_t number, pid, tid;

	if (!take_number(cut_word(&task), &number))
		return text;
	more = task;
	ids = cut_word(&more);
	if (!is_cpu(ids) && !take_ids(ids, &pid, &tid))
		return text;
	head->period = number;
	head->has_period = true;
	return task;
}

/*
 * Parses a line without a time into *head. The first word that ends in a colon
 * is the event, the text before it the task. Without one, the line is a task.
 * False: the line begins no sample.
 */
static bool
take_timeless(struct cg_slice line, struct perf_head *head)
{
	struct cg_slice left = line, before = line, event;

	while (left.len > 0) {
		before.len = (size_t)(left.ptr - before.ptr);
		event = left;
		if (take_event(&event, &head->event)) {
			head->rest = event;
			before = cut_period(cg_trim(before), head);
			take_task(before, false, head);
			return true;
		}
		(void)cg_take_word(&left, &event);
		(void)cg_take_blanks(&left);
	}
	take_task(line, true, head);
	return head->tid != 0 || head->has_period;
}

/*
 * Splits a line into the text before the time, the time with its colon, and
 * the rest. Commands may look like a time. So one that begins the line, or
 * follows a thread or processor, is preferred. False: no time.
 */
static bool
find_time(struct cg_slice line, struct cg_slice *task, struct cg_slice *time,
    struct cg_slice *after)
{
	struct cg_slice left = line, word, last = { line.ptr, 0 };
	uint64_t pid, tid;
	bool found = false;

	while (left.len > 0 && cg_take_word(&left, &word)) {
		bool follows =
		    last.len == 0 || is_cpu(last) || take_ids(last, &pid, &tid);

		if (is_time(word) && (follows || !found)) {
			*task = cg_trim((struct cg_slice){
			    line.ptr, (size_t)(word.ptr - line.ptr) });
			*time = word;
			*after = left;
			found = true;
			if (follows)
				break;
		}
		last = word;
		(void)cg_take_blanks(&left);
	}
	return found;
}

int64_t
perf_script_get_time(struct cg_slice time)
{
	uint64_t ns;

	return cg_take_fixed(&time, 9, &ns) && ns <= INT64_MAX ? (int64_t)ns
							       : 0;
}

bool
perf_script_is_record(const struct perf_head *head)
{
	return cg_starts(
	    head->event.len > 0 ? head->event : head->rest, "PERF_RECORD_");
}

/* ---- Frames ------------------------------------------------------------- */

/* Returns the value of a hex digit of either case; 16 for other characters. */
static unsigned
hex_digit(char c)
{
	unsigned digit = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';

	return digit <= 9 ? digit : letter <= 5 ? letter + 10 : 16;
}

static bool
take_ip(struct cg_slice *text, uint64_t *ip)
{
	uint64_t value = 0;
	size_t n = 0;
	unsigned digit;

	for (; n < text->len && (digit = hex_digit(text->ptr[n])) < 16; n++)
		value = value << 4 | digit;
	if (n == 0 || n > IP_DIGITS ||
	    (n < text->len && !is_blank(text->ptr[n])))
		return false;
	*ip = value;
	text->ptr += n;
	text->len -= n;
	(void)cg_take_blanks(text);
	return true;
}

/*
 * Cuts balanced parentheses, " (/lib/x.so (deleted))", with the blanks before
 * them, off the end; *group is their content. After text without a blank, they
 * belong to a name. False: there are none, and *text is unchanged.
 */
static bool
cut_group(struct cg_slice *text, struct cg_slice *group)
{
	const char *end = text->ptr + text->len, *at = end - 1;
	int open = 1;

	if (text->len < 2 || *at != ')')
		return false;
	while (at > text->ptr && open > 0) {
		do
			at--;
		while (at > text->ptr && *at != '(' && *at != ')');
		open += (*at == ')') - (*at == '(');
	}
	if (open > 0 || (at > text->ptr && !is_blank(at[-1])))
		return false;
	*group = (struct cg_slice){ at + 1, (size_t)(end - at - 2) };
	text->len = (size_t)(at - text->ptr);
	while (text->len > 0 && is_blank(text->ptr[text->len - 1]))
		text->len--;
	return true;
}

/* Cuts an offset, "+0x3e", off the end, if there is one. */
static void
cut_offset(struct cg_slice *text)
{
	size_t at = text->len;

	while (at > 0 && hex_digit(text->ptr[at - 1]) < 16)
		at--;
	if (at < text->len && at > 2 && text->ptr[at - 1] == 'x' &&
	    text->ptr[at - 2] == '0' && text->ptr[at - 3] == '+')
		text->len = at - 3;
}

bool
perf_script_take_frame(struct cg_slice line, struct perf_frame *frame)
{
	struct cg_slice group;

	(void)cg_take_blanks(&line);
	if (!take_ip(&line, &frame->ip))
		return false;
	frame->object = (struct cg_slice){ line.ptr, 0 };
	frame->inlined = false;
	while (line.len > 0 && is_blank(line.ptr[line.len - 1]))
		line.len--;
	if (cut_group(&line, &group)) {
		frame->inlined = cg_equal(group, "inlined");
		if (!frame->inlined) {
			frame->object = group;
			cut_offset(&frame->object);
		}
	}
	cut_offset(&line);
	frame->name = line;
	if (cg_equal(frame->object, PERF_UNKNOWN))
		frame->object.len = 0;
	return true;
}

/* ---- A frame on the first line ------------------------------------------ */

/* The fewest digits of an address that is not at the beginning of a text. */
#define SURE_DIGITS 6

/*
 * Cuts " => " and the target of a branch after it off the text, and sets
 * *target. False: there is none, and *text is unchanged.
 */
static bool
cut_target(struct cg_slice *text, struct cg_slice *target)
{
	for (size_t i = 1; i + 3 < text->len; i++) {
		if (text->ptr[i] != '=' || text->ptr[i + 1] != '>' ||
		    !is_blank(text->ptr[i - 1]) || !is_blank(text->ptr[i + 2]))
			continue;
		*target = cg_trim(
		    (struct cg_slice){ text->ptr + i + 2, text->len - i - 2 });
		text->len = i;
		return true;
	}
	return false;
}

/*
 * Finds a frame within other words, and sets *frame to the text from it on. A
 * branch has the first frame, a tracepoint the last one with an object and a
 * long address. False: there is none.
 */
static bool
take_inner_frame(struct cg_slice text, bool branch, struct cg_slice *frame)
{
	struct cg_slice word;
	struct perf_frame found;
	bool any = false;

	while (text.len > 0 && !(any && branch)) {
		struct cg_slice from = text;

		if (!cg_take_word(&text, &word))
			break;
		(void)cg_take_blanks(&text);
		if (!perf_script_take_frame(from, &found))
			continue;
		if (!branch &&
		    (word.len < SURE_DIGITS || found.object.len == 0))
			continue;
		*frame = from;
		any = true;
	}
	return any;
}

/*
 * Sets head->rest to the frame of a sample on a single line, if there is one.
 * It follows a tracepoint's text or a branch's kind. Sets head->branch. The
 * frame of a branch is its source, as in perf report, or, without one, its
 * target.
 */
static void
find_frame(struct perf_head *head)
{
	struct cg_slice text = head->rest, target, frame;
	struct perf_frame found;

	if (text.len == 0 || text.ptr[text.len - 1] != ')')
		return;
	head->branch = cut_target(&text, &target);
	if (!head->branch && perf_script_take_frame(text, &found))
		return;
	if (!take_inner_frame(text, head->branch, &frame)) {
		head->branch = false;
		return;
	}
	head->rest = cg_trim(frame);
	/* Where a trace begins, only the target is known. */
	if (head->branch && perf_script_take_frame(head->rest, &found) &&
	    found.ip == 0 && perf_script_take_frame(target, &found))
		head->rest = target;
}

bool
perf_script_take_head(struct cg_slice line, struct perf_head *head)
{
	struct cg_slice task, after;

	*head = (struct perf_head){ .period = 1 };
	line = cg_trim(line);
	if (!find_time(line, &task, &head->time, &after)) {
		if (!take_timeless(line, head))
			return false;
	} else {
		head->has_time = true;
		take_task(task, false, head);
		take_after_time(after, head);
	}
	if (head->event.len > 0)
		find_frame(head);
	return true;
}

/* ---- Source lines ------------------------------------------------------- */

bool
perf_script_take_srcline(struct cg_slice line, struct cg_slice *file,
    uint32_t *number, bool *inlined)
{
	struct cg_slice group, text = cg_trim(line);
	uint32_t value;

	*file = (struct cg_slice){ text.ptr, 0 };
	*number = 0;
	*inlined = cut_group(&text, &group) && cg_equal(group, "inlined");
	if (text.len == 0)
		return false;
	if (text.ptr[text.len - 1] == ']')
		return true;
	if (!cg_cut_number(&text, ':', &value))
		return false;
	if (text.len > 0 && !cg_equal(text, "??")) {
		*file = text;
		*number = value;
	}
	return true;
}
