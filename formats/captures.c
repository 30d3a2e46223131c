/*
 * captures.c - captures: recognises recordings that cgconv does not read, to
 * name the command that converts them.
 *
 * A recording is not a profile: its samples lack symbols, tables or unwinding.
 * The tool that recorded it has this information, and exports a format that
 * cgconv reads.
 *
 * Sources: perf's data-convert-json.c; the magics in perf's header.h, the
 * JDK's hprof_b_spec.h, Go's trace/parser.go, austin's MOJO specification,
 * GHC's EventLogFormat.h, heaptrack's trace.cpp, V8's log.cc, Ruby's marshal.c,
 * gprofng's Print.cc, Fuchsia's trace format, ART's trace.h, Sysprof's
 * sysprof-capture-types.h, coverage.py's sqldata.py, JaCoCo's
 * ExecutionDataWriter.java, LLVM's XRayRecord.h, Go's internal/coverage/defs.go;
 * for commands, the tools' documentation.
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
#define COVDATA_WHAT "coverage data of Go"
#define COVDATA_RUN                                                         \
	"go tool covdata textfmt -i=DIR -o=cover.out && cgconv cover.out, " \
	"of the directory with %s"

#define GPROFNG_WHAT "a report of gprofng without callers"
#define GPROFNG_RUN \
	"gprofng display text -calltree DIR | cgconv -, of its experiment"

/* The first match counts; %s stands for the name of the file. */
static const struct capture captures[] = {
	{ MAGIC("PERFFILE"), NULL, "a recording of perf before Linux 3.7",
	    PERF_RUN },
	{ MAGIC("JAVA PROFILE 1.0.1\0"), NULL, HPROF_WHAT, HPROF_RUN },
	{ MAGIC("JAVA PROFILE 1.0.2\0"), NULL, HPROF_WHAT, HPROF_RUN },
	{ MAGIC("go 1."), NULL, "an execution trace of Go",
	    "go tool trace -pprof=sync %s >out.pb && cgconv out.pb" },
	{ MAGIC("MOJ"), NULL, "a binary file of austin",
	    "mojo2austin %s out.folded && cgconv out.folded" },
	{ MAGIC("memray"), NULL, "a recording of memray",
	    "memray transform csv -o out.csv %s && cgconv out.csv" },
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
	{ MAGIC("\1\xc0\xc0\x10\x07"), NULL, "execution data of JaCoCo",
	    "java -jar jacococli.jar report %s --classfiles CLASSES "
	    "--xml jacoco.xml && cgconv jacoco.xml" },
	{ MAGIC("\0cvm"), NULL, COVDATA_WHAT, COVDATA_RUN },
	{ MAGIC("\0cwm"), NULL, COVDATA_WHAT, COVDATA_RUN },
	{ MAGIC("!coverage.py: "), NULL, "data of coverage.py before 5.0",
	    "coverage xml -o coverage.xml && cgconv coverage.xml, in the "
	    "directory of %s" },
	{ MAGIC("\4\10{"), NULL, "a dump of stackprof, as Ruby marshals it",
	    "stackprof --json %s >out.json && cgconv out.json" },
	{ MAGIC(CG_DIRECTORY_MAGIC), ".er", "an experiment of gprofng",
	    "gprofng display text -calltree %s | cgconv -" },
	{ MAGIC("Lines sorted by metric: "), NULL, GPROFNG_WHAT, GPROFNG_RUN },
	{ MAGIC("PCs sorted by metric: "), NULL, GPROFNG_WHAT, GPROFNG_RUN },
	{ NULL, 0, ".etl", "an event trace log of Windows",
	    "wpaexporter, or PerfView /NoGui and SpeedScope export, of %s" },
};
#define CAPTURES (sizeof(captures) / sizeof(*captures))
#define HEAD_MAX 65536 /* the head of a directory lists its files */

/* perf record --threads or --kcore makes a directory with a file "data". */
static const struct capture perf_directory = { MAGIC(CG_DIRECTORY_MAGIC), NULL,
	"a recording of Linux's perf", PERF_RUN };
#define PERF_ENTRY "data"
/* Not converted: its samples have neither an event nor a period. */
static const struct capture perf_json = { MAGIC("{"), NULL,
	"JSON of perf data convert",
	"perf script -F comm,pid,tid,time,period,event,ip,sym,symoff,dso | "
	"cgconv -, of the recording" };
/* As the profiled program writes it, to a pipe to heaptrack_interpret. */
static const struct capture heaptrack_raw = { MAGIC("v 10"), NULL,
	"a raw recording of heaptrack",
	"/usr/lib/heaptrack/libexec/heaptrack_interpret <%s >out.heaptrack && "
	"cgconv out.heaptrack" };
/* Version 1 to 5, type 0 (basic) or 1 (flight data recorder). */
static const struct capture xray = { MAGIC(""), "xray-log.",
	"a log of LLVM's XRay",
	"llvm-xray convert -symbolize -instr_map=PROGRAM "
	"-output-format=trace_event -o out.json %s && cgconv out.json" };
#define PERF_JSON_KEY "linux-perf-json-version"

/* A directory that GOCOVERDIR names has files covmeta.HASH, covcounters.*. */
static const struct capture covdata = { MAGIC(CG_DIRECTORY_MAGIC), NULL,
	COVDATA_WHAT,
	"go tool covdata textfmt -i=%s -o=cover.out && cgconv cover.out" };
#define COVDATA_ENTRY "covmeta."

/* Files that begin with begin and contain every word. */
static const struct worded {
	const char *begin, *word[3];
	struct capture capture;
} worded[] = {
	{ "SQLite format 3", { "coverage_schema", "line_bits", "context" },
	    { NULL, 0, NULL, "data of coverage.py",
		"coverage json --data-file %s -o coverage.json && cgconv "
		"coverage.json" } },
};

/*
 * True for a log of XRay. The text must begin like the header of a log. The
 * path must contain "xray-log.", as in xray-log.PROGRAM.RANDOM.
 */
static bool
is_xray(struct cg_slice text, const char *name)
{
	return text.len >= 32 && strstr(name, xray.suffix) && text.ptr[0] > 0 &&
	       text.ptr[0] < 6 && text.ptr[1] == 0 && (text.ptr[2] & ~1) == 0 &&
	       text.ptr[3] == 0;
}

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

/*
 * True for a file that is no recording, although it begins like one. For
 * example, go.work begins with "go 1.21", as a Go trace does.
 */
static bool
is_other(struct cg_slice text)
{
	struct cg_slice line, rest = text;

	if (cg_starts(text, "\4\10{"))
		return !cg_find(text, ":\tmode");
	if (cg_starts(text, "go 1."))
		return !memchr(text.ptr, '\0', text.len);
	if (cg_starts(text, "Date/Time: "))
		return !cg_find(text, "\nReport Version: ");
	if (cg_starts(text, "memory profiling: ") ||
	    cg_starts(text, "GC profiling: "))
		return !cg_take_line(&rest, &line) ||
		       !cg_find(line, "sample.interval=");
	return false;
}

static bool
is_raw_heaptrack(struct cg_slice text)
{
	struct cg_slice line;

	return cg_starts(text, heaptrack_raw.magic) &&
	       cg_take_line(&text, &line) && cg_starts(text, "x ");
}

static const struct capture *
find_worded(struct cg_slice text)
{
	for (size_t i = 0; i < sizeof(worded) / sizeof(*worded); i++) {
		if (cg_starts(text, worded[i].begin) &&
		    cg_find(text, worded[i].word[0]) &&
		    cg_find(text, worded[i].word[1]) &&
		    cg_find(text, worded[i].word[2]))
			return &worded[i].capture;
	}
	return NULL;
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
	if (is_raw_heaptrack(text))
		return &heaptrack_raw;
	if (is_xray(text, name))
		return &xray;
	if (cg_starts(text, perf_directory.magic) && has_line(text, PERF_ENTRY))
		return &perf_directory;
	if (cg_starts(text, covdata.magic) && cg_find(text, COVDATA_ENTRY))
		return &covdata;
	return find_worded(text);
}

static int
probe(const struct cg_head *head)
{
	const struct capture *capture = find(head->text, head->name);

	if (!capture)
		return CG_PROBE_NO;
	if (find_worded(head->text) == capture)
		return CG_PROBE_LIKELY;
	return capture->magic ? CG_PROBE_SURE : CG_PROBE_WEAK;
}

/*
 * Writes the command "run" into buf, with "name" in place of each %s. buf has
 * "size" bytes, at least one. The text is always terminated, and truncated if
 * it is too long.
 */
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
	.title = "recordings of other tools: says what to run",
	.probe = probe,
	.read = refuse,
};
