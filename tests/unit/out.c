/*
 * out.c - tests outputs: written text, atomic replacement of files, failures.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "io/io.h"
#include "unit.h"

static struct unit_log said;
static struct cg_diag diag = { .report = unit_report, .arg = &said };
/* The working directory, which has all files. */
static char directory[] = "/tmp/cgconv.XXXXXX";

/* ---- Helpers ------------------------------------------------------------ */

static struct cg_out *
open_out(const char *path, bool gzip)
{
	int status;
	struct cg_out *out;

	said = (struct unit_log){ 0 };
	out = cg_out_open(&diag, NULL, path, gzip, &status);
	CHECK(out ? status == CG_OK : status != CG_OK && said.count == 1);
	return out;
}

static bool
commit(struct cg_out *out)
{
	int status = cg_out_commit(out);

	cg_out_close(out);
	return status == CG_OK && said.count == 0;
}

static void
put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		exit(1);
}

static bool
file_is(const char *path, struct cg_slice text)
{
	char *bytes = unit_alloc(text.len + 1);
	FILE *file = fopen(path, "r");
	bool same = file && fread(bytes, 1, text.len + 1, file) == text.len &&
		    memcmp(bytes, text.ptr, text.len) == 0;

	if (file)
		(void)fclose(file);
	free(bytes);
	return same;
}

static mode_t
mode_of(const char *path)
{
	struct stat st = { 0 };

	(void)lstat(path, &st);
	return st.st_mode;
}

/* Removes all files and returns their number. */
static unsigned
clear(void)
{
	DIR *dir = opendir(".");
	struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		n++;
		(void)unlink(entry->d_name);
	}
	if (dir)
		(void)closedir(dir);
	return n;
}

/* ---- Writing ------------------------------------------------------------ */

/* Writes n random values by all functions. */
static void
put_things(struct cg_out *out, uint64_t seed, int n)
{
	static char text[300000];

	memset(text, 'x', sizeof(text) - 1);
	while (n-- > 0) {
		size_t len = unit_below(&seed, 60);
		uint64_t number = unit_number(&seed);
		char *to;

		if (unit_below(&seed, 100) == 0)
			len = unit_below(&seed, sizeof(text));
		switch (unit_below(&seed, 6)) {
		case 0: cg_putc(out, (char)number); break;
		case 1: cg_put(out, (struct cg_slice){ text, len }); break;
		case 2: cg_puts(out, "name\n"); break;
		case 3: cg_putu(out, number); break;
		case 4: cg_putf(out, "%.*s=%d;", (int)len, text, n); break;
		case 5:
			len %= CG_RESERVE_MAX + 1;
			to = cg_out_reserve(out, len);
			memset(to, (int)(number & 0xff), len);
			cg_out_advance(out, to + len);
			break;
		}
	}
}

static void
test_memory(void)
{
	struct cg_out *out = cg_out_memory(&diag);

	cg_putc(out, 'a');
	cg_put(out, (struct cg_slice){ 0 });
	cg_put(out, cg_slice("bc"));
	cg_puts(out, "d\n");
	cg_putu(out, 0);
	cg_putu(out, UINT64_MAX);
	cg_putf(out, " %s %d%%\n", "e", -7);
	memcpy(cg_out_reserve(out, 3), "fgh", 3);
	cg_out_advance(out, cg_out_reserve(out, 0) + 2);
	CHECK(cg_equal(
	    cg_out_bytes(out), "abcd\n018446744073709551615 e -7%\nfg"));
	CHECK(cg_out_status(out) == CG_OK && commit(out));
}

/* Texts on both sides of every limit in cg_putf(). */
static void
test_formats(void)
{
	static const int sizes[] = { 0, 1, 4092, 4093, 4094, 4095, 4096, 65535,
		65536, 300000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct cg_out *out = cg_out_memory(&diag);
		struct cg_slice bytes, line;

		cg_putf(out, "%*d;%d", sizes[i], 7, 8);
		bytes = cg_out_bytes(out);
		CHECK(cg_take_until(&bytes, ';', &line));
		CHECK(line.len == (size_t)(sizes[i] ? sizes[i] : 1));
		CHECK(cg_equal(cg_trim(line), "7") && cg_equal(bytes, "8"));
		cg_out_close(out);
	}
}

/* What printf() gives; %i is the first that is not plain. */
static void
test_conversions(void)
{
	char text[400];
	struct cg_out *out = cg_out_memory(&diag);

#define FORMAT                                                       \
	"%s,%c;%d %d %u|%ld %lld %lu %llu %zu%s%" PRId64 "/%" PRIu64 \
	"/%" PRIu32 "/%" PRId32 "%i%%%5d %-4u %02x %.1f %c"
#define VALUES                                                               \
	"", 'c', INT_MIN, INT_MAX, UINT_MAX, LONG_MIN, LLONG_MIN, ULONG_MAX, \
	    ULLONG_MAX, SIZE_MAX, "text", INT64_MIN, UINT64_MAX, UINT32_MAX, \
	    INT32_MIN, -5, 7, 8u, 9u, 1.25, 'd'
	(void)snprintf(text, sizeof(text), FORMAT, VALUES);
	cg_putf(out, FORMAT, VALUES);
	CHECK(cg_equal(cg_out_bytes(out), text));
	cg_out_close(out);
#undef FORMAT
#undef VALUES
	out = cg_out_memory(&diag);
	cg_putf(out, "%d%ld%lld%u%lu%llu%zu%s%c", -1, -2L, -3LL, 4u, 5ul, 6ull,
	    (size_t)7, "8", '9');
	cg_putf(out, "%s", "");
	cg_putf(out, "none");
	CHECK(cg_equal(cg_out_bytes(out), "-1-2-3456789none"));
	cg_out_close(out);
}

/* Characters that XML does not allow become U+FFFD. */
static void
test_xml(void)
{
	struct cg_out *out = cg_out_memory(&diag);
	char long_text[20001];

	cg_put_xml(out, (struct cg_slice){ NULL, 0 });
	cg_put_xml(out, (struct cg_slice){ "a<b>&\"'\t\r\n\x01\0z\x7f\xc3\xa9"
					   "\xff\xef\xbf\xbf\xe2\x82",
			    22 });
	CHECK(cg_equal(cg_out_bytes(out),
	    "a&lt;b&gt;&amp;&quot;'&#9;&#13;&#10;\xef\xbf\xbd\xef\xbf\xbdz\x7f"
	    "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"));
	cg_out_close(out);
	out = cg_out_memory(&diag);
	memset(long_text, '<', 20000);
	cg_put_xml(out, (struct cg_slice){ long_text, 20000 });
	CHECK(cg_out_bytes(out).len == 80000);
	cg_out_close(out);
}

/* Files, gzip files and memory have the same bytes and the same CRC. */
static void
test_same(void)
{
	struct cg_out *memory, *out;
	struct cg_slice bytes, all;
	struct cg_in *in;
	uint32_t crc;
	int status;

	for (uint64_t seed = 1; seed <= 8; seed++) {
		bool gzip = seed % 2;
		int n = (int)seed * 150;

		memory = cg_out_memory(&diag);
		out = open_out("same", gzip);
		put_things(memory, seed, 5);
		put_things(out, seed, 5);
		bytes = cg_out_bytes(memory);
		crc = (uint32_t)crc32_z(0, (const Bytef *)bytes.ptr, bytes.len);
		CHECK(cg_out_crc32(memory) == 0 && cg_out_crc32(out) == 0);
		put_things(memory, seed + 1, n);
		put_things(out, seed + 1, n);
		CHECK(cg_out_crc32(memory) == cg_out_crc32(out));
		all = cg_out_bytes(memory);
		crc = (uint32_t)crc32_z(
		    0, (const Bytef *)all.ptr + bytes.len, all.len - bytes.len);
		CHECK(cg_out_crc32(memory) == crc);
		put_things(memory, seed + 2, 20);
		put_things(out, seed + 2, 20);
		CHECK(commit(out));
		all = cg_out_bytes(memory);
		in = cg_in_open(&diag, "same", &status);
		CHECK(in && cg_read_all(in, &bytes) && unit_same(bytes, all));
		CHECK(strcmp(cg_in_filters(in), gzip ? "gzip" : "") == 0);
		CHECK(gzip || file_is("same", all));
		cg_in_close(in);
		cg_out_close(memory);
	}
	CHECK(clear() == 1);
}

/* What gzip output of n bytes of text is with so many threads. */
static struct cg_slice
compressed(const char *text, size_t n, size_t threads)
{
	struct cg_out *out = open_out("many.gz", true);
	struct cg_slice bytes;
	char *copy = NULL;
	FILE *file;

	cg_out_set_threads(out, threads);
	/* In parts that have nothing to do with blocks. */
	for (size_t at = 0; at < n; at += 777)
		cg_put(out, (struct cg_slice){
				text + at, n - at < 777 ? n - at : 777 });
	CHECK(commit(out));
	copy = unit_alloc(2 * n + 100);
	file = fopen("many.gz", "r");
	bytes = (struct cg_slice){ copy,
		file ? fread(copy, 1, 2 * n + 100, file) : 0 };
	if (file)
		(void)fclose(file);
	return bytes;
}

/* One member, which does not depend on the number of threads. */
static void
test_gzip_threads(void)
{
	static const size_t sizes[] = { 0, 1, 131071, 131072, 131073, 262143,
		262144, 262145, 393216, 1500000 };
	const size_t most = 1500000;
	char *text = unit_alloc(most), *back = unit_alloc(most + 1);
	uint64_t state = 7;

	/* Words of a few letters, then bytes that do not compress. */
	for (size_t i = 0; i < most; i++)
		text[i] = (char)(i < 700000 ? 'a' + unit_below(&state, 3)
					    : unit_below(&state, 256));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct cg_slice one = compressed(text, sizes[i], 1), other;
		z_stream z = { .next_in = (Bytef *)one.ptr,
			.avail_in = (uInt)one.len,
			.next_out = (Bytef *)back,
			.avail_out = (uInt)most + 1 };

		CHECK(inflateInit2(&z, 15 + 16) == Z_OK);
		CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
		CHECK(z.avail_in == 0 && z.total_out == sizes[i]);
		CHECK(memcmp(back, text, sizes[i]) == 0);
		(void)inflateEnd(&z);
		for (size_t threads = 2; threads < 10; threads += 3) {
			other = compressed(text, sizes[i], threads);
			CHECK(unit_same(one, other));
			free((char *)other.ptr);
		}
		free((char *)one.ptr);
	}
	free(text);
	free(back);
	CHECK(clear() == 1);
}

/* gzip output has no time: it is the same each time. */
static void
test_gzip(void)
{
	char bytes[100] = "";
	FILE *file;
	size_t n;

	for (int i = 0; i < 2; i++) {
		struct cg_out *out = open_out(i ? "b.gz" : "a.gz", true);

		cg_puts(out, "events: Ir\n");
		CHECK(commit(out));
	}
	file = fopen("a.gz", "r");
	n = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	CHECK(n > 18 && memcmp(bytes, "\x1f\x8b\x08\0\0\0\0\0", 8) == 0);
	CHECK(file_is("b.gz", (struct cg_slice){ bytes, n }));
	if (file)
		(void)fclose(file);
	CHECK(commit(open_out("empty.gz", true)));
	CHECK(!file_is("empty.gz", cg_slice("")));
	CHECK(clear() == 3);
}

/* ---- Files -------------------------------------------------------------- */

static void
test_commit(void)
{
	struct cg_out *out;
	mode_t mask = umask(027);

	out = open_out("new", false);
	cg_puts(out, "one");
	CHECK(mode_of("new") == 0);
	CHECK(commit(out));
	CHECK(file_is("new", cg_slice("one")));
	CHECK(mode_of("new") == (S_IFREG | 0640));
	CHECK(chmod("new", 0604) == 0);
	out = open_out("./new", false);
	cg_puts(out, "two");
	CHECK(file_is("new", cg_slice("one")));
	CHECK(commit(out));
	CHECK(file_is("new", cg_slice("two")));
	CHECK(mode_of("new") == (S_IFREG | 0604));
	CHECK(clear() == 1);
	(void)umask(mask);
}

static void
test_abandon(void)
{
	struct cg_out *out = open_out("new", false);

	put_things(out, 1, 1000);
	cg_out_close(out);
	CHECK(clear() == 0);
	put_file("old", "old");
	out = open_out("old", true);
	put_things(out, 1, 1000);
	cg_out_close(out);
	CHECK(file_is("old", cg_slice("old")) && clear() == 1);
	cg_out_close(NULL);
}

static void
test_links(void)
{
	char path[sizeof(directory) + 16];
	struct cg_out *out;

	put_file("real", "old");
	CHECK(symlink("real", "link") == 0 && symlink("link", "link2") == 0);
	(void)snprintf(path, sizeof(path), "%s/link2", directory);
	out = open_out(path, false);
	cg_puts(out, "new");
	CHECK(commit(out));
	CHECK(S_ISLNK(mode_of("link")) && S_ISLNK(mode_of("link2")));
	CHECK(file_is("real", cg_slice("new")));
	CHECK(unlink("real") == 0 && !open_out("link", false));
	CHECK(strcmp(said.text,
		  "cannot open for writing: No such file or directory") == 0);
	CHECK(clear() == 2);
}

/* The name of the temporary file is taken, by a symbolic link. */
static void
test_temp(void)
{
	char path[64], name[256];
	struct cg_out *out;

	(void)snprintf(path, sizeof(path), ".new.cgconv.%ld", (long)getpid());
	CHECK(symlink("victim", path) == 0);
	put_file("victim", "safe");
	out = open_out("new", false);
	cg_puts(out, "one");
	CHECK(commit(out) && file_is("new", cg_slice("one")));
	CHECK(file_is("victim", cg_slice("safe")) && S_ISLNK(mode_of(path)));
	CHECK(clear() == 3);
	memset(name, 'x', 255); /* NAME_MAX */
	name[255] = '\0';
	out = open_out(name, false);
	cg_puts(out, "long");
	CHECK(commit(out) && file_is(name, cg_slice("long")));
	CHECK(clear() == 1);
}

static void
test_refused(void)
{
	CHECK(!open_out("none/file", false) && said.count == 1);
	CHECK(!open_out(directory, false));
	CHECK(
	    strcmp(said.text, "cannot open for writing: Is a directory") == 0);
	CHECK(strcmp(said.file, directory) == 0 && clear() == 0);
	if (geteuid() == 0)
		return;
	put_file("mine", "old");
	CHECK(chmod("mine", 0400) == 0 && !open_out("mine", false));
	CHECK(file_is("mine", cg_slice("old")) && clear() == 1);
}

/* Devices and pipes are written, not replaced. */
static void
test_direct(void)
{
	char bytes[8];
	int fd;

	struct cg_out *out = open_out("/dev/null", false);
	put_things(out, 3, 1000);
	CHECK(commit(out) && S_ISCHR(mode_of("/dev/null")));
	CHECK(mkfifo("fifo", 0600) == 0);
	fd = open("fifo", O_RDWR);
	out = open_out("fifo", false);
	cg_puts(out, "piped");
	CHECK(commit(out) && S_ISFIFO(mode_of("fifo")));
	CHECK(read(fd, bytes, sizeof(bytes)) == 5);
	CHECK(memcmp(bytes, "piped", 5) == 0);
	(void)close(fd);
	CHECK(clear() == 1);
}

/* A failed write is reported once, at the end. */
static void
test_full(void)
{
	for (int gzip = 0; gzip < 2; gzip++) {
		struct cg_out *out = open_out("/dev/full", gzip);

		if (!out)
			return;
		put_things(out, 4, 2000);
		CHECK(cg_out_status(out) == CG_EOUTPUT && said.count == 0);
		put_things(out, 5, 1000);
		CHECK(cg_out_commit(out) == CG_EOUTPUT && said.count == 1);
		CHECK(cg_out_commit(out) == CG_EOUTPUT && said.count == 1);
		CHECK(strcmp(said.text,
			  "cannot write: No space left on device") == 0);
		CHECK(strcmp(said.file, "/dev/full") == 0);
		cg_out_close(out);
		out = open_out("/dev/full", gzip);
		cg_putc(out, 'x'); /* fails when flushed */
		CHECK(cg_out_commit(out) == CG_EOUTPUT && said.count == 1);
		cg_out_close(out);
	}
}

/* Standard output is a file, a pipe without a reader, closed. */
static void
test_stdout(void)
{
	int saved = dup(STDOUT_FILENO), fds[2], status;
	int fd = open("stdout", O_WRONLY | O_CREAT, 0600);
	struct cg_out *out;

	(void)dup2(fd, STDOUT_FILENO);
	(void)close(fd);
	out = open_out("-", false);
	cg_puts(out, "text");
	CHECK(commit(out) && file_is("stdout", cg_slice("text")));
	CHECK(pipe(fds) == 0 && dup2(fds[1], STDOUT_FILENO) >= 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
	out = open_out("-", false);
	cg_puts(out, "text");
	CHECK(cg_out_commit(out) == CG_EOUTPUT);
	CHECK(strcmp(said.text, "cannot write: Broken pipe") == 0);
	CHECK(strcmp(said.file, "<stdout>") == 0);
	cg_out_close(out);
	(void)close(STDOUT_FILENO);
	CHECK(!cg_out_open(&diag, NULL, "-", false, &status));
	CHECK(status == CG_EOUTPUT && strcmp(said.file, "<stdout>") == 0);
	(void)dup2(saved, STDOUT_FILENO);
	(void)close(saved);
	CHECK(clear() == 1);
}

int
main(void)
{
	if (!mkdtemp(directory) || chdir(directory) != 0)
		return 1;
	(void)signal(SIGPIPE, SIG_IGN);
	test_memory();
	test_formats();
	test_conversions();
	test_xml();
	test_same();
	test_gzip();
	test_gzip_threads();
	test_commit();
	test_abandon();
	test_links();
	test_temp();
	test_refused();
	test_direct();
	test_full();
	test_stdout();
	CHECK(chdir("/") == 0 && rmdir(directory) == 0);
	return unit_end();
}
