/*
 * thread_dump.c - thread-dump: stacks of a process' threads, as debuggers and
 * runtimes print them. Any number of dumps may follow each other, also within a
 * log: each thread of each dump is a sample.
 *
 *	Thread 2 (Thread 0x7fe82333d6c0 (LWP 2678) "worker"):    gdb, pstack
 *	TID 2678:                                                eu-stack
 *	"worker" #9 daemon prio=5 ... nid=0x18e2 runnable [0x0]  jstack, jcmd
 *	Thread 6370: (state = BLOCKED)                           jstack -F
 *	Thread 0x00007f8d5c1516c0 (most recent call first):      faulthandler
 *
 * Frames follow, leaf first; those of gdb may also have no thread before them.
 * Names and ids of threads describe the samples, states become labels; values
 * of arguments and variables, locks, and all other text are dropped.
 *
 * Sources: print_thread_info() and print_frame_info() of gdb, src/stack.c of
 * elfutils, JavaThread::print_on() and java_lang_Throwable of OpenJDK,
 * traceback.c of CPython 3.6 to 3.14, stackcollapse-gdb.pl, -jstack.pl,
 * -elfutils.pl and -faulthandler.pl, and dumps of the tools.
 */
#include <string.h>

#include "stack_text.h"

#define LABELS 4
#define ELIDED "[frames elided]"

enum dialect { NOTHING, NATIVE, JAVA, PYTHON };

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct text_frames frames;
	CG_ARRAY(char) text;  /* a frame of gdb or eu-stack that may go on */
	enum dialect dialect; /* of the thread that is read */
	bool headed;          /* the thread has a line before its frames */
	bool stopped;         /* gdb has shown a source line after a frame */
	struct cg_sample_key key;
	struct cg_slice state;
	uint64_t threads;
};

static struct cg_slice
keep(struct reader *r, struct cg_slice text)
{
	return cg_get_name(r->build, cg_add_name(r->build, text));
}

/* ---- Threads ------------------------------------------------------------- */

/*
 * Sets process, thread and state (r->key, r->state) of the sample that is
 * added next. Labels replace those made of the key, so with a state, all are
 * passed as labels.
 */
static void
set_sample(struct reader *r)
{
	const struct cg_slice none = { "", 0 };
	const struct cg_label all[LABELS] = { { cg_slice("pid"), none,
						  (int64_t)r->key.pid, none },
		{ cg_slice("tid"), none, (int64_t)r->key.tid, none },
		{ cg_slice("thread"), r->key.thread, 0, none },
		{ cg_slice("state"), r->state, 0, none } };
	struct cg_label label[LABELS];
	struct cg_sample_key key = r->key;

	for (size_t i = 0; r->state.len > 0 && i < LABELS; i++) {
		if (all[i].value.len > 0 || all[i].number > 0)
			label[key.labels++] = all[i];
	}
	key.label = label;
	cg_set_sample_part(r->build, &key);
}

static bool
end_frame(struct reader *r)
{
	const size_t len = r->text.n;

	r->text.n = 0;
	return len == 0 || text_add_native(&r->frames, r->text.at, len);
}

static bool
end_thread(struct reader *r)
{
	if (!end_frame(r))
		return false;
	if (r->dialect == NOTHING)
		return true;
	r->dialect = NOTHING;
	r->threads++;
	set_sample(r);
	return text_end_stack(&r->frames, 1, "[no frames]");
}

/*
 * Ends the current thread, adding its stack, and begins another one of the
 * process. dialect: the tool whose frames follow; headed: a line of its own
 * introduces the thread. False: an error (reported).
 */
static bool
begin_thread(struct reader *r, enum dialect dialect, bool headed)
{
	const struct cg_slice none = { "", 0 };

	/*
	 * gdb shows where a program stopped, with its source line, before it
	 * shows stacks: one frame that no thread precedes.
	 */
	if (r->dialect == NATIVE && !r->headed && r->frames.frame.n == 0 &&
	    (headed || r->stopped)) {
		r->text.n = 0;
		r->dialect = NOTHING;
	}
	if (!end_thread(r))
		return false;
	r->dialect = dialect;
	r->headed = headed;
	r->stopped = false;
	r->key.tid = 0;
	r->key.thread = r->state = none;
	return true;
}

/* ---- Lines before threads ------------------------------------------------ */

static bool
take_digits(struct cg_slice *text, uint64_t *number)
{
	return !cg_starts(*text, "0x") && cg_take_u64(text, number);
}

/*
 * Sets *number to the number after the first occurrence of "word" in the text.
 * Leaves it as it was if there is none.
 */
static void
find_number(struct cg_slice text, const char *word, uint64_t *number)
{
	const char *at = cg_find(text, word);
	struct cg_slice rest;

	if (!at)
		return;
	rest.ptr = at + strlen(word);
	rest.len = text.len - (size_t)(rest.ptr - text.ptr);
	(void)cg_take_u64(&rest, number);
}

/*
 * Returns the text between the first "open" and the last "close", which are
 * quotes or brackets. "": there is no such text.
 */
static struct cg_slice
between(struct cg_slice text, char open, char close)
{
	const char *begin = memchr(text.ptr, open, text.len);
	size_t end = text.len;

	while (end > 0 && text.ptr[end - 1] != close)
		end--;
	if (!begin || end == 0 || text.ptr + end - 1 <= begin)
		return (struct cg_slice){ "", 0 };
	begin++;
	return (struct cg_slice){ begin, (size_t)(text.ptr + end - 1 - begin) };
}

/* A line that may begin a thread. Its slices are parts of the line. */
struct header {
	enum dialect dialect;
	uint64_t pid, tid;
	struct cg_slice thread, state;
};

/*
 * Reads the line of gdb that begins a thread, "Thread 2 (Thread 0x7fe8 (LWP
 * 2678) "worker"):", into *h. False: another line.
 */
static bool
take_gdb(struct cg_slice line, struct header *h)
{
	struct cg_slice rest = line;
	uint64_t number;

	if (!cg_take_prefix(&rest, "Thread ") || !take_digits(&rest, &number) ||
	    !cg_take_prefix(&rest, " (") || rest.len < 2 ||
	    memcmp(rest.ptr + rest.len - 2, "):", 2) != 0)
		return false;
	h->dialect = NATIVE;
	h->thread = between(rest, '"', '"');
	if (h->thread.len > 0)
		rest.len = (size_t)(h->thread.ptr - 1 - rest.ptr);
	find_number(rest, "LWP ", &h->tid);
	find_number(rest, "process ", &h->pid);
	return true;
}

/*
 * Reads the line of jstack -F that begins a thread, "Thread 6370: (state =
 * BLOCKED)", into *h. False: another line; *h may have changed.
 */
static bool
take_forced(struct cg_slice line, struct header *h)
{
	if (!cg_take_prefix(&line, "Thread ") || !take_digits(&line, &h->tid) ||
	    !cg_take_prefix(&line, ": (state = "))
		return false;
	h->dialect = JAVA;
	(void)cg_take_until(&line, ')', &h->state);
	return true;
}

/*
 * Returns the quote that ends a Java thread's name; "line" begins with the
 * name. Names may have quotes, too. So this is the first quote with a field of
 * the line behind it. NULL: there is none.
 */
static const char *
find_quote(struct cg_slice line)
{
	static const char *const next[] = { "\" #", "\" daemon ",
		"\" prio=", "\" os_prio=" };
	const char *first = NULL;

	for (size_t i = 0; i < sizeof(next) / sizeof(*next); i++) {
		const char *at = cg_find(line, next[i]);

		if (at && (!first || at < first))
			first = at;
	}
	return first;
}

/*
 * Reads jstack's line that begins a thread, "worker" #9 [6370] daemon prio=5
 * nid=0x18e2, into *h. The tid is nid or, if that is missing, the number in
 * brackets. False: another line; *h may have changed.
 */
static bool
take_java(struct cg_slice line, struct header *h)
{
	const char *quote;

	if (!cg_take_char(&line, '"') || !(quote = find_quote(line)))
		return false;
	h->thread = (struct cg_slice){ line.ptr, (size_t)(quote - line.ptr) };
	line.len -= h->thread.len;
	line.ptr = quote;
	if (!cg_find(line, "prio=") && !cg_find(line, " tid="))
		return false;
	h->dialect = JAVA;
	find_number(line, " [", &h->tid);
	find_number(line, " nid=", &h->tid);
	return true;
}

/*
 * Reads the line of faulthandler that begins a thread, "Current thread
 * 0x00007f [name] (most recent call first):", into *h. Without a name, the
 * address is the name. False: another line; *h may have changed.
 */
static bool
take_python(struct cg_slice line, struct header *h)
{
	static const char first[] = " (most recent call first):";
	const char *end = cg_find(line, first);
	struct cg_slice name;

	if (!end || end + strlen(first) != line.ptr + line.len)
		return false;
	line.len = (size_t)(end - line.ptr);
	h->dialect = PYTHON;
	if (cg_take_prefix(&line, "Current thread 0x"))
		h->state = cg_slice("current");
	else if (!cg_take_prefix(&line, "Thread 0x"))
		return false;
	name = between(line, '[', ']');
	line.ptr -= strlen("0x");
	line.len += strlen("0x");
	h->thread = name.len > 0 ? name : line;
	return true;
}

/*
 * Reads the line of eu-stack that begins a thread, "TID 2678:", into *h.
 * False: another line; *h may have changed.
 */
static bool
take_elfutils(struct cg_slice line, struct header *h)
{
	h->dialect = NATIVE;
	return cg_take_prefix(&line, "TID ") && take_digits(&line, &h->tid) &&
	       cg_equal(line, ":");
}

/*
 * Reads a line that begins a thread, in any of the dialects, into *h. The
 * texts in *h are parts of the line. False: another line; *h is then
 * undefined.
 */
static bool
take_header(struct cg_slice line, struct header *h)
{
	*h = (struct header){ .thread = { "", 0 }, .state = { "", 0 } };
	if (line.len == 0)
		return false;
	switch (*line.ptr) {
	case '"': return take_java(line, h);
	case 'C': return take_python(line, h);
	case 'T':
		return take_gdb(line, h) || take_elfutils(line, h) ||
		       take_forced(line, h) || take_python(line, h);
	default: return false;
	}
}

/*
 * Sets *pid from a line of eu-stack or jcmd that states the process before its
 * threads. False: another line, and *pid is unchanged.
 */
static bool
take_process(struct cg_slice line, uint64_t *pid)
{
	struct cg_slice rest = line;
	uint64_t number;

	/* "PID 2677 - process" or "... - core". */
	if (cg_take_prefix(&rest, "PID ") && take_digits(&rest, &number) &&
	    cg_starts(rest, " - ")) {
		*pid = number;
		return true;
	}
	/* jcmd's "6359:". */
	rest = line;
	if (!take_digits(&rest, &number) || !cg_equal(rest, ":"))
		return false;
	*pid = number;
	return true;
}

/* ---- Frames -------------------------------------------------------------- */

/*
 * Appends a line of a frame, with a newline, to r->text, where further lines
 * may continue the frame. False: out of memory (reported).
 */
static bool
keep_line(struct reader *r, struct cg_slice text)
{
	const size_t at = r->text.n;

	if (!cg_resize(r->job, &r->text, at + text.len + 1))
		return false;
	memcpy(r->text.at + at, text.ptr, text.len);
	r->text.at[at + text.len] = '\n';
	r->text.n = at + text.len + 1;
	return true;
}

/*
 * Reads a frame of gdb or eu-stack, "3 0x00005604c52b53b7 in ...": ends the
 * frame before it, and keeps the line. Frame 0 begins a thread, unless this
 * one has no frame. Ignores other text, and other frames outside of such
 * threads. False: an error (reported).
 */
static bool
take_native(struct reader *r, struct cg_slice line)
{
	uint64_t number;

	if (!take_digits(&line, &number) || !cg_take_blanks(&line))
		return true;
	if (number == 0 &&
	    (r->dialect != NATIVE || r->text.n > 0 || r->frames.frame.n > 0)) {
		if (!begin_thread(r, NATIVE, false))
			return false;
	} else if (r->dialect != NATIVE) {
		return true;
	}
	return end_frame(r) && keep_line(r, line);
}

static bool
push(struct reader *r, struct cg_slice name, const struct cg_pos *pos)
{
	const struct text_frame frame = {
		.fn = cg_add_fn(r->build, name, pos->file, 0), .pos = *pos
	};

	return text_push_frame(&r->frames, &frame);
}

static bool
push_elided(struct reader *r)
{
	const struct cg_pos nowhere = { 0 };

	return push(r, cg_slice(ELIDED), &nowhere);
}

/*
 * Reads a frame of faulthandler, "File "/tmp/a.py", line 3 in main", and
 * appends it to the stack; unknown parts are "???". Ignores other text. False:
 * an error (reported).
 */
static bool
take_python_frame(struct reader *r, struct cg_slice text)
{
	static const char word[] = ", line ";
	const char *quote = cg_find(text, "\", line ");
	const char *at = quote ? quote + 1 : cg_find(text, word);
	struct cg_slice name, file = text;
	struct cg_pos pos = { 0 };
	uint64_t line;

	if (!at)
		return true;
	name.ptr = at + strlen(word);
	name.len = text.len - (size_t)(name.ptr - text.ptr);
	file.len = (size_t)(at - text.ptr);
	if (cg_take_u64(&name, &line) && line <= UINT32_MAX)
		pos.line = (uint32_t)line;
	else
		(void)cg_take_prefix(&name, "???");
	if (!cg_take_prefix(&name, " in ") || name.len == 0)
		return true;
	file = between(file, '"', '"');
	if (file.len > 0)
		pos.file = cg_add_file(r->build, file);
	return push(r, name, &pos);
}

static bool
take_python_line(struct reader *r, struct cg_slice text)
{
	if (cg_starts(text, "File "))
		return take_python_frame(r, text);
	if (cg_equal(text, "...") ||
	    cg_equal(text, "<truncated rest of calls>"))
		return push_elided(r);
	if (cg_equal(text, "Garbage-collecting"))
		r->state = cg_slice("garbage-collecting");
	return true;
}

/*
 * Sets *pos from the text between a frame's brackets,
 * "java.base@17.0.21/Thread.java:840"; leaves it as it was for native methods
 * and unknown sources.
 */
static void
take_java_place(struct reader *r, struct cg_slice text, struct cg_pos *pos)
{
	size_t at = text.len;

	while (at > 0 && text.ptr[at - 1] != '/')
		at--;
	text.ptr += at;
	text.len -= at;
	if (cg_equal(text, "Native Method") || cg_equal(text, "Unknown Source"))
		return;
	(void)cg_cut_number(&text, ':', &pos->line);
	if (text.len > 0)
		pos->file = cg_add_file(r->build, text);
}

/*
 * Reads a frame of jstack, "java.lang.Thread.run(Thread.java:840)", and
 * appends it to the stack. Ignores other text. False: an error (reported).
 */
static bool
take_java_frame(struct reader *r, struct cg_slice text)
{
	struct cg_pos pos = { 0 };
	size_t at = text.len;

	while (at > 0 && text.ptr[at - 1] != '(')
		at--;
	if (at < 2)
		return true;
	take_java_place(r,
	    between((struct cg_slice){ text.ptr + at - 1, text.len - at + 1 },
		'(', ')'),
	    &pos);
	text.len = at - 1;
	return push(r, text, &pos);
}

/*
 * Reads a frame of jstack -F, "java.lang.Thread.run() @bci=11, line=829
 * (Compiled frame)", and appends it to the stack. "bci" points to its " @bci".
 * False: an error (reported).
 */
static bool
take_forced_frame(struct reader *r, struct cg_slice text, const char *bci)
{
	struct cg_slice name = text;
	struct cg_pos pos = { 0 };
	const char *bracket;
	uint64_t line = 0;

	find_number(
	    (struct cg_slice){ bci, text.len - (size_t)(bci - text.ptr) },
	    ", line=", &line);
	name.len = (size_t)(bci - text.ptr);
	bracket = memchr(name.ptr, '(', name.len);
	if (bracket)
		name.len = (size_t)(bracket - name.ptr);
	if (line <= UINT32_MAX)
		pos.line = (uint32_t)line;
	return push(r, name, &pos);
}

static bool
take_java_line(struct reader *r, struct cg_slice text)
{
	const char *bci;

	if (cg_take_prefix(&text, "at "))
		return take_java_frame(r, text);
	if (cg_take_prefix(&text, "java.lang.Thread.State: "))
		r->state = keep(r, text);
	else if (cg_equal(text, "..."))
		return push_elided(r);
	else if (cg_take_prefix(&text, "- ") &&
		 (bci = cg_find(text, " @bci=")) != NULL)
		return take_forced_frame(r, text, bci);
	return true;
}

/* ---- Lines --------------------------------------------------------------- */

/*
 * Returns true if the line continues the current frame of gdb or eu-stack.
 * Such a line is indented by exactly four blanks.
 */
static bool
continues(const struct reader *r, struct cg_slice line)
{
	return r->text.n > 0 && line.len > 4 && cg_starts(line, "    ") &&
	       line.ptr[4] != ' ' && line.ptr[4] != '\t';
}

static bool
start(struct reader *r, const struct header *h)
{
	if (!begin_thread(r, h->dialect, true))
		return false;
	if (h->pid != 0)
		r->key.pid = h->pid;
	r->key.tid = h->tid;
	r->key.thread = keep(r, h->thread);
	r->state = keep(r, h->state);
	return true;
}

/*
 * Reads a line that neither begins a thread nor is a frame of gdb: a frame of
 * Java or Python, or the process. Other text ends a thread; only the process
 * ends one of gdb. False: an error (reported).
 */
static bool
take_other(struct reader *r, struct cg_slice line)
{
	const bool inner =
	    line.len > 0 && (*line.ptr == ' ' || *line.ptr == '\t');

	if (r->dialect == NATIVE) {
		/* A line of the source, below the place where it stopped. */
		r->stopped |=
		    line.len > 0 && *line.ptr >= '0' && *line.ptr <= '9';
		if (cg_starts(line, "(More stack frames follow"))
			return end_frame(r) && push_elided(r);
		return !take_process(line, &r->key.pid) || end_thread(r);
	}
	if (inner && r->dialect == JAVA)
		return take_java_line(r, cg_trim(line));
	if (inner && r->dialect == PYTHON)
		return take_python_line(r, cg_trim(line));
	if (!end_thread(r))
		return false;
	(void)take_process(line, &r->key.pid);
	return true;
}

static bool
take_line(void *reader, struct cg_slice line)
{
	struct reader *r = reader;
	struct header h;

	while (cg_take_prefix(&line, "(gdb) "))
		continue;
	if (continues(r, line))
		return keep_line(r, cg_trim(line));
	if (cg_take_char(&line, '#'))
		return take_native(r, line);
	return take_header(line, &h) ? start(r, &h) : take_other(r, line);
}

/* ---- The format ---------------------------------------------------------- */

static int
read_threads(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_slice none = { "", 0 };
	struct reader r = { .job = job,
		.build = build,
		.frames = { .job = job, .build = build },
		.key = { .comm = none, .thread = none },
		.state = none };
	bool open;

	if (text_read(job, in, build, &text_samples, take_line, &r)) {
		open = r.dialect != NOTHING && r.headed &&
		       r.frames.frame.n == 0 && r.text.n == 0;
		if (cg_in_unterminated(in) || open)
			cg_warn(job, "the last stack is incomplete: the file "
				     "may be truncated");
		if (end_thread(&r) && r.threads == 0)
			(void)cg_reject(job,
			    "expected stacks of threads, as "
			    "gdb, eu-stack, jstack or Python's "
			    "faulthandler print them");
	}
	return text_status(job, build);
}

/*
 * Returns true if the line looks like a frame of a dump, or a line about a
 * Java lock. For format detection.
 */
static bool
is_frame(struct cg_slice line)
{
	struct cg_slice text = cg_trim(line);

	if (cg_take_char(&line, '#'))
		return line.len > 0 && *line.ptr >= '0' && *line.ptr <= '9';
	return text.ptr > line.ptr &&
	       (cg_starts(text, "at ") || cg_starts(text, "- ") ||
		   cg_starts(text, "File \""));
}

/*
 * Detects a dump of threads. Returns CG_PROBE_SURE if the first line begins a
 * dump. A dump may also be in a log, after other lines. A text that only
 * quotes a dump has few frames. So returns CG_PROBE_LIKELY if there is a
 * header of a thread, and about one frame for every two other lines. With so
 * many frames but without a header, returns CG_PROBE_WEAK if the first line is
 * frame #0 of gdb. Otherwise returns CG_PROBE_NO.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	size_t headers = 0, frames = 0, others = 0;
	struct header h;

	if (take_header(head->first, &h) ||
	    cg_starts(head->first, "Fatal Python error: ") ||
	    cg_starts(head->first, "Full thread dump "))
		return CG_PROBE_SURE;
	while (cg_take_line(&text, &line)) {
		cg_cut_return(&line);
		if (take_header(line, &h))
			headers++;
		else if (is_frame(line))
			frames++;
		/* Locals, elements of a list, source lines are indented. */
		else if (line.len > 0 && *line.ptr != ' ' && *line.ptr != '0')
			others++;
	}
	if (frames == 0 || others > 2 * frames + 8)
		return CG_PROBE_NO;
	if (headers > 0)
		return CG_PROBE_LIKELY;
	return cg_starts(head->first, "#0  ") ? CG_PROBE_WEAK : CG_PROBE_NO;
}

const struct cg_module cg_format_thread_dump = {
	CG_MODULE,
	.name = "thread-dump",
	.title = "stacks of threads by gdb, pstack, eu-stack, jstack, Python",
	.text = true,
	.suffixes = "jstack;pstack",
	.probe = probe,
	.read = read_threads,
};
