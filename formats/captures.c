/*
 * captures.c - captures: recognises recordings that cgconv does not read, to
 * name the command that converts them.
 *
 * They are not profiles yet: their samples lack symbols, tables or unwinding.
 * The tools that made them have these, and export formats that cgconv reads.
 *
 * Sources: perf's data-convert-json.c; the magics in perf's header.h,
 * simpleperf's record_file_format.h, the JDK's hprof_b_spec.h, dotnet's
 * NetTraceFormat.md, Go's trace/parser.go, austin's MOJO specification, GHC's
 * EventLogFormat.h, heaptrack's trace.cpp, V8's log.cc,
 * Fuchsia's trace format, ART's trace.h, Sysprof's sysprof-capture-types.h; for
 * commands, the tools' documentation.
 */
#include <string.h>

#include "cgconv_parse.h"

struct capture {
	const char *magic; /* the first bytes; NULL: any */
	size_t len;
	const char *suffix; /* of the file's name; NULL: any */
	const char *what, *run;
};
#define MAGIC(text) text, sizeof(text) - 1
#define PERF_RUN                                                           \
	"perf script -F comm,pid,tid,time,period,event,ip,sym,symoff,dso " \
	"-i %s | cgconv -"

#define TRACECONV_RUN "traceconv json %s out.json && cgconv out.json"
#define HPROF_WHAT "a heap dump or binary HPROF"
#define HPROF_RUN                                                           \
	"(it has no costs of functions) asprof -o collapsed -f out.folded " \
	"PID && cgconv out.folded"

/* The first match counts. %s is the file's name. */
static const struct capture captures[] = {
	{ MAGIC("PERFFILE"), NULL, "a recording of perf before Linux 3.7",
	    PERF_RUN },
	{ MAGIC("SIMPLEPERF"), NULL, "a report of simpleperf, as protobuf",
	    "gecko_profile_generator.py -i perf.data >out.json && cgconv "
	    "out.json, of the recording" },
	{ MAGIC("JAVA PROFILE 1.0.1\0"), NULL, HPROF_WHAT, HPROF_RUN },
	{ MAGIC("JAVA PROFILE 1.0.2\0"), NULL, HPROF_WHAT, HPROF_RUN },
	{ MAGIC("Nettrace"), NULL, "a trace of .NET",
	    "dotnet-trace convert --format Speedscope %s" },
	{ MAGIC("go 1."), NULL, "an execution trace of Go",
	    "go tool trace -pprof=sync %s >out.pb && cgconv out.pb" },
	{ MAGIC("MOJ"), NULL, "a binary file of austin",
	    "mojo2austin %s out.folded && cgconv out.folded" },
	{ MAGIC("memray"), NULL, "a recording of memray",
	    "memray transform gprof2dot -o out.json %s && cgconv out.json" },
	{ MAGIC("v 10"), NULL, "a recording of heaptrack",
	    "heaptrack_print -f %s -F out.folded && cgconv out.folded" },
	{ MAGIC("\x10\0\x04\x46\x78\x54\x16\0"), NULL,
	    "a trace in Fuchsia's format, as of magic-trace", TRACECONV_RUN },
	{ MAGIC("*version\n"), NULL, "a method trace of Android",
	    TRACECONV_RUN },
	{ MAGIC("SLOW"), ".trace", "a method trace of Android", TRACECONV_RUN },
	{ MAGIC("\x5e\x97\xca\xfd"), NULL, "a recording of Sysprof",
	    "perf record -g PROGRAM, which records the program again" },
	{ MAGIC("Date/Time: "), NULL, "a report of macOS's spindump",
	    "sample PID -file out.sample.txt && cgconv out.sample.txt, which "
	    "records the program again" },
	{ MAGIC("v8-version,"), NULL, "a log of V8",
	    "node --cpu-prof PROGRAM && cgconv *.cpuprofile, which records "
	    "the program again" },
	{ MAGIC("hdrb"), NULL, "an event log of GHC", "hs-speedscope %s" },
	{ MAGIC(CG_DIRECTORY_MAGIC), ".trace", "a recording of Instruments",
	    "xctrace export --input %s --output out.xml --xpath "
	    "'/trace-toc/run[1]/data/table[@schema=\"time-profile\"]' && "
	    "cgconv out.xml" },
	{ NULL, 0, ".etl", "an event trace log of Windows",
	    "wpaexporter, or PerfView /NoGui and SpeedScope export, of %s" },
	{ NULL, 0, ".perfetto-trace", "a trace of Perfetto", TRACECONV_RUN },
	{ NULL, 0, ".pftrace", "a trace of Perfetto", TRACECONV_RUN },
};
#define CAPTURES (sizeof(captures) / sizeof(*captures))
#define HEAD_MAX 65536 /* the head of a directory lists its files */

/* perf record --threads or --kcore makes a directory with a file "data". */
static const struct capture perf_directory = { MAGIC(CG_DIRECTORY_MAGIC), NULL,
	"a recording of Linux's perf", PERF_RUN };
#define PERF_ENTRY "data"
/* Not read: its samples have neither an event nor a period. */
static const struct capture perf_json = { MAGIC("{"), NULL,
	"JSON of perf data convert",
	"perf script -F comm,pid,tid,time,period,event,ip,sym,symoff,dso | "
	"cgconv -, of the recording" };
#define PERF_JSON_KEY "linux-perf-json-version"

static bool
ends_with(const char *name, const char *suffix)
{
	size_t len = strlen(name), cut = strlen(suffix);

	return len >= cut && strcmp(name + len - cut, suffix) == 0;
}

static bool
has_line(struct cg_slice text, const char *want)
{
	struct cg_slice line;

	while (cg_take_line(&text, &line)) {
		if (cg_equal(line, want))
			return true;
	}
	return false;
}

static bool
is_perf_json(struct cg_slice text)
{
	static const char *const keys[] = { PERF_JSON_KEY, NULL };
	const struct cg_head head = { .text = text };

	return cg_starts(text, perf_json.magic) &&
	       cg_head_keys(&head, keys) != 0;
}

/* Others begin so, too: go.work with "go 1.21", texts with "v 10". */
static bool
is_other(struct cg_slice text)
{
	struct cg_slice line, rest = text;

	if (cg_starts(text, "go 1."))
		return !memchr(text.ptr, '\0', text.len);
	if (cg_starts(text, "Date/Time: "))
		return !cg_find(text, "\nReport Version: ");
	return cg_starts(text, "v 10") &&
	       (!cg_take_line(&rest, &line) || !cg_starts(rest, "X "));
}

static const struct capture *
find(struct cg_slice text, const char *name)
{
	for (size_t i = 0; i < CAPTURES; i++) {
		const struct capture *capture = &captures[i];

		if (capture->magic &&
		    (text.len < capture->len ||
			memcmp(text.ptr, capture->magic, capture->len) != 0))
			continue;
		if (capture->magic && is_other(text))
			continue;
		if (!capture->suffix || ends_with(name, capture->suffix))
			return capture;
	}
	if (is_perf_json(text))
		return &perf_json;
	if (cg_starts(text, perf_directory.magic) && has_line(text, PERF_ENTRY))
		return &perf_directory;
	return NULL;
}

static int
probe(const struct cg_head *head)
{
	const struct capture *capture = find(head->text, head->name);

	if (!capture)
		return CG_PROBE_NO;
	return capture->magic ? CG_PROBE_SURE : CG_PROBE_WEAK;
}

/* Puts the name into the command; truncates it to size. */
static void
put_name(char *buf, size_t size, const char *run, const char *name)
{
	size_t used = 0;

	for (; *run && used + 1 < size; run++) {
		if (run[0] != '%' || run[1] != 's') {
			buf[used++] = *run;
			continue;
		}
		for (const char *at = name; *at && used + 1 < size; at++)
			buf[used++] = *at;
		run++;
	}
	buf[used] = '\0';
}

static int
refuse(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct capture *capture;
	struct cg_slice head;
	char run[1024];

	(void)build;
	(void)cg_look_bytes(in, HEAD_MAX, &head);
	capture = find(head, cg_in_name(in));
	if (!capture)
		return cg_fail(job, "expected a recording of a known tool");
	put_name(run, sizeof(run), capture->run, cg_in_name(in));
	return cg_fail(job, "this is %s, which cgconv does not read; run: %s",
	    capture->what, run);
}

const struct cg_module cg_format_captures = {
	CG_MODULE,
	.name = "captures",
	.title = "recordings of .NET and others: says what to run",
	.probe = probe,
	.read = refuse,
};
