/*
 * io.c - tests inputs: lines across windows, gzip complete and corrupt, bytes,
 * locations, errors. tests/unit/out.c tests outputs.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "cgconv_expert.h"
#include "io/io.h"
#include "unit.h"

#define WINDOW ((size_t)256 << 10) /* what in.c reads at once */

static struct unit_log said;
static struct cg_diag diag = { .report = unit_report, .arg = &said };

/* ---- Helpers ------------------------------------------------------------ */

/* Appends a gzip member to *len bytes at to, which has room. */
static void
add_gzip(unsigned char *to, size_t *len, struct cg_slice text)
{
	z_stream z = { 0 };

	(void)deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, 0);
	z.next_in = (Bytef *)(uintptr_t)text.ptr;
	z.avail_in = (uInt)text.len;
	z.next_out = to + *len;
	z.avail_out = UINT32_MAX;
	CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
	*len += z.total_out;
	(void)deflateEnd(&z);
}

static struct cg_in *
open_bytes(const void *bytes, size_t len)
{
	int status;

	said = (struct unit_log){ 0 };
	return cg_in_memory(
	    &diag, "dir/mem.txt", (struct cg_slice){ bytes, len }, &status);
}

/* Reads an input to its end, closes it, returns its status. */
static int
drain(struct cg_in *in, struct cg_slice want, bool *same)
{
	struct cg_slice all;
	int status;

	*same = false;
	if (!in)
		return CG_EINPUT; /* opening has failed */
	if (cg_read_all(in, &all))
		*same = unit_same(all, want);
	status = cg_in_status(in);
	cg_in_close(in);
	return status;
}

/* ---- Text --------------------------------------------------------------- */

static void
test_lines(void)
{
	static const struct {
		const char *text;
		const char *lines[4];
	} cases[] = {
		{ "", { NULL } },
		{ "\n", { "" } },
		{ "a", { "a" } },
		{ "a\n", { "a" } },
		{ "a\n\n", { "a", "" } },
		{ "\n\r\nb", { "", "\r", "b" } },
	};
	struct cg_slice line, block;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *text = cases[i].text;
		struct cg_in *in = open_bytes(text, strlen(text));
		size_t n = 0;

		for (; cg_read_line(in, &line); n++)
			CHECK(cases[i].lines[n] &&
			      cg_equal(line, cases[i].lines[n]));
		CHECK(!cases[i].lines[n]);
		CHECK(!cg_read_line(in, &line) && !cg_read_block(in, &block));
		CHECK(cg_in_offset(in) == strlen(text));
		CHECK(cg_in_status(in) == CG_OK && said.count == 0);
		cg_in_close(in);
	}
}

/* Lines of all lengths; some as long as a window, or longer. */
static char *
make_text(uint64_t *seed, size_t size)
{
	char *text = unit_alloc(size);
	size_t len = 0;

	while (len < size) {
		size_t n = unit_below(seed, 80);

		if (unit_below(seed, 4000) == 0)
			n = WINDOW - 40 + unit_below(seed, 80);
		else if (unit_below(seed, 8000) == 0)
			n = 3 * WINDOW;
		for (; n > 0 && len < size; n--, len++)
			text[len] = (char)('a' + len % 26);
		if (len < size)
			text[len++] = '\n';
	}
	return text;
}

/* Reads to the end, lines and blocks mixed, and compares the text. */
static void
check_text(struct cg_in *in, struct cg_slice text, uint64_t seed)
{
	struct cg_slice got;
	struct cg_location place;
	uint64_t line = 1, at = 0;
	bool good = true, blocks = seed % 3 == 0;

	while (blocks ? cg_read_block(in, &got) : cg_read_line(in, &got)) {
		size_t have = got.len + (blocks ? 0 : 1); /* with newline */

		good &= got.ptr[have - 1] == '\n';
		if (at + have > text.len)
			have--; /* the added newline */
		good &= at + have <= text.len &&
			memcmp(got.ptr, text.ptr + at, have) == 0;
		at += have;
		good &= cg_in_offset(in) == at;
		if (blocks || line % 97 == 0) {
			cg_in_locate(in, got.ptr, &place);
			good &= place.line == line && place.column == 1;
		}
		for (size_t i = blocks ? 0 : have - 1; i < have; i++)
			line += got.ptr[i] == '\n';
		if (seed % 3 == 2 && line % 50 == 0)
			blocks = unit_below(&seed, 400) == 0;
	}
	CHECK(good);
	CHECK(at == text.len);
	CHECK(cg_in_status(in) == CG_OK && said.count == 0);
	cg_in_locate(in, NULL, &place);
	CHECK(place.line == line - (text.ptr[text.len - 1] == '\n'));
	cg_in_close(in);
}

/* Opens a pipe through which a child writes the text in random pieces. */
static struct cg_in *
open_pipe(struct cg_slice text, uint64_t seed, pid_t *child)
{
	int fds[2], status;
	ptrdiff_t n;

	if (pipe(fds) != 0)
		exit(1);
	*child = fork();
	if (*child == 0) {
		for (; text.len > 0; text.ptr += n, text.len -= (size_t)n) {
			size_t piece = 1 + unit_below(&seed, 100000);

			n = write(fds[1], text.ptr,
			    piece < text.len ? piece : text.len);
			if (n < 0)
				_exit(1);
		}
		_exit(0);
	}
	(void)dup2(fds[0], STDIN_FILENO);
	(void)close(fds[0]);
	(void)close(fds[1]);
	said = (struct unit_log){ 0 };
	return cg_in_open(&diag, "-", &status);
}

/* Reads pieces; both ends of each have the right location. */
static void
check_pieces(struct cg_in *in, struct cg_slice text)
{
	uint64_t line = 1, column = 1, at = 0;
	struct cg_location place;
	struct cg_slice got;
	bool good = true;

	while (cg_read_on(in, NULL, &got)) {
		good &= at + got.len <= text.len &&
			memcmp(got.ptr, text.ptr + at, got.len) == 0;
		at += got.len;
		for (int end = 0; good && end < 2; end++) {
			cg_in_locate(in, got.ptr + (end ? got.len : 0), &place);
			good &= place.line == line && place.column == column;
			for (size_t i = 0; end == 0 && i < got.len; i++) {
				line += got.ptr[i] == '\n';
				column = got.ptr[i] == '\n' ? 1 : column + 1;
			}
		}
	}
	CHECK(good && at == text.len && cg_in_offset(in) == at);
	CHECK(cg_in_status(in) == CG_OK && said.count == 0);
	cg_in_close(in);
}

/* Text at an offset of the input, and where it is. */
struct piece {
	struct cg_slice got;
	uint64_t at, line;
};

/* What the piece had is there still, and has its location. */
static bool
is_intact(const struct cg_in *in, const struct piece *piece,
    struct cg_slice text, uint64_t *seed)
{
	const char *from = text.ptr + piece->at;
	size_t n = unit_below(seed, piece->got.len), start = n;
	struct cg_location place;
	uint64_t line = piece->line;

	/* The last byte may be an added newline. */
	if (memcmp(piece->got.ptr, from, piece->got.len - 1) != 0)
		return false;
	cg_in_locate(in, piece->got.ptr + n, &place);
	for (size_t i = 0; i < n; i++)
		line += from[i] == '\n';
	while (start > 0 && from[start - 1] != '\n')
		start--;
	return place.line == line && place.column == n - start + 1;
}

/* Reads windows beside others: the one before stays as it was. */
static void
check_beside(struct cg_in *in, struct cg_slice text, uint64_t seed)
{
	struct piece piece = { .line = 1 }, before;
	unsigned beside = 0;
	bool good = true;

	while (good) {
		const size_t n = 1 + unit_below(&seed, 3 * WINDOW);

		before = piece;
		piece.at += piece.got.len;
		for (size_t i = 0; i < piece.got.len; i++)
			piece.line += piece.got.ptr[i] == '\n';
		if (before.got.len > 0 && unit_below(&seed, 5) > 0 &&
		    cg_read_more_lines(in, n, &piece.got)) {
			good = is_intact(in, &before, text, &seed);
			beside++;
		} else if (!cg_read_lines(in, n, &piece.got)) {
			break;
		}
		good = good && is_intact(in, &piece, text, &seed);
	}
	CHECK(good && beside > 0);
	CHECK(piece.at - cg_in_unterminated(in) == text.len);
	CHECK(cg_in_status(in) == CG_OK && said.count == 0);
	cg_in_close(in);
}

/* An error behind lines is told when these are not needed any more. */
static void
test_beside_error(void)
{
	const size_t size = 600000;
	unsigned char *compressed = unit_alloc(2 * size);
	uint64_t seed = 3;
	char *text = make_text(&seed, size);
	struct cg_slice first, more;
	struct cg_in *in;
	size_t len = 0, got;

	add_gzip(compressed, &len, (struct cg_slice){ text, size });
	in = open_bytes(compressed, len - 2000);
	CHECK(cg_read_lines(in, 1, &first));
	got = first.len;
	while (cg_read_more_lines(in, WINDOW, &more))
		got += more.len;
	CHECK(cg_in_status(in) == CG_OK && said.count == 0);
	while (cg_read_lines(in, WINDOW, &more))
		got += more.len;
	CHECK(cg_in_status(in) != CG_OK && said.count == 1);
	CHECK(got > size / 2 && got < size);
	cg_in_close(in);
	free(text);
	free(compressed);
}

static void
test_windows(void)
{
	const size_t size = 2000000;
	unsigned char *compressed = unit_alloc(2 * size);

	for (uint64_t seed = 1; seed <= 9; seed++) {
		uint64_t state = seed;
		char *bytes = make_text(&state, size);
		struct cg_slice text = { bytes, size - seed };
		size_t len = 0;
		struct cg_in *in;
		pid_t child;
		int status;

		check_text(open_bytes(text.ptr, text.len), text, seed);
		add_gzip(compressed, &len, text);
		check_text(open_bytes(compressed, len), text, seed);
		check_beside(open_bytes(compressed, len), text, seed);
		in = open_pipe(text, seed, &child);
		CHECK(strcmp(cg_in_name(in), "<stdin>") == 0);
		check_text(in, text, seed);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		check_pieces(open_pipe(text, seed, &child), text);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		free(bytes);
	}
	free(compressed);
}

static void
test_places(void)
{
	struct cg_in *in = open_bytes("ab\ncd\nef", 8);
	struct cg_slice line, bytes;
	struct cg_location place;

	cg_in_locate(in, NULL, &place);
	CHECK(place.line == 0 && !place.has_offset);
	CHECK(strcmp(place.file, "dir/mem.txt") == 0);
	CHECK(cg_read_line(in, &line) && cg_read_line(in, &line));
	cg_in_locate(in, NULL, &place);
	CHECK(place.line == 2 && place.column == 0);
	cg_in_locate(in, line.ptr + 1, &place);
	CHECK(place.line == 2 && place.column == 2 && !place.has_offset);
	CHECK(cg_read_bytes(in, 2, &bytes) && cg_equal(bytes, "ef"));
	cg_in_locate(in, NULL, &place);
	CHECK(place.line == 0 && place.has_offset && place.offset == 6);
	cg_in_locate(in, bytes.ptr + 1, &place);
	CHECK(place.offset == 7);
	cg_in_close(in);
	in = open_bytes("ab\n\ncd\nef", 9);
	CHECK(cg_read_block(in, &line) && line.len == 7);
	cg_in_locate(in, line.ptr + 5, &place);
	CHECK(place.line == 3 && place.column == 2);
	CHECK(cg_read_block(in, &line) && cg_equal(line, "ef\n"));
	cg_in_locate(in, line.ptr, &place);
	CHECK(place.line == 4 && place.column == 1);
	cg_in_close(in);
}

/* Lines of up to 64 MiB are accepted. */
static void
test_limit(void)
{
	size_t limit = (size_t)64 << 20, size = limit + 8;
	char *bytes = unit_alloc(size);
	struct cg_slice line;
	struct cg_in *in;

	memset(bytes, 'a', size);
	bytes[1] = bytes[limit + 2] = '\n';
	in = open_bytes(bytes, size);
	CHECK(cg_read_line(in, &line) && cg_read_line(in, &line));
	CHECK(line.len == limit);
	cg_in_close(in);
	bytes[limit + 2] = 'a';
	for (int blocks = 0; blocks < 2; blocks++) {
		in = open_bytes(bytes, size);
		CHECK(cg_read_line(in, &line));
		CHECK(!(blocks ? cg_read_block(in, &line)
			       : cg_read_line(in, &line)));
		CHECK(cg_in_status(in) == CG_ELIMIT && said.count == 1);
		CHECK(said.last.line == 2);
		CHECK(strcmp(said.text, "line is longer than 64 MiB") == 0);
		CHECK(!cg_read_line(in, &line) && said.count == 1);
		cg_in_close(in);
	}
	free(bytes);
}

/* ---- Bytes -------------------------------------------------------------- */

static void
test_bytes(void)
{
	const size_t size = 1500000;
	uint64_t seed = 11, at = 0;
	char *text = make_text(&seed, size);
	struct cg_in *in = open_bytes(text, size);
	struct cg_slice got;

	for (;;) {
		size_t n = unit_below(&seed, 100), left = size - at;
		bool look = unit_below(&seed, 2), good;

		if (unit_below(&seed, 100) == 0)
			n = unit_below(&seed, 3 * WINDOW);
		good = look ? cg_look_bytes(in, n, &got)
			    : cg_read_bytes(in, n, &got);
		CHECK(good == (n <= left));
		CHECK(got.len == (good ? n : left));
		CHECK(memcmp(got.ptr, text + at, got.len) == 0);
		at += look ? 0 : got.len;
		CHECK(cg_in_offset(in) == at);
		if (!good && !look)
			break;
	}
	CHECK(at == size && cg_in_status(in) == CG_OK);
	CHECK(!cg_read_bytes(in, UINT64_MAX, &got) && got.len == 0);
	CHECK(cg_read_bytes(in, 0, &got) && got.len == 0);
	CHECK(cg_read_all(in, &got) && got.len == 0);
	cg_in_close(in);
	in = open_bytes(text, size);
	CHECK(cg_read_bytes(in, 5, &got) && cg_read_all(in, &got));
	CHECK(unit_same(got, (struct cg_slice){ text + 5, size - 5 }));
	cg_in_close(in);
	free(text);
}

static void
test_head(void)
{
	const size_t limit = (size_t)64 << 10;
	char *text = unit_alloc(limit + 1);
	struct cg_head head;
	struct cg_slice line;
	struct cg_in *in = open_bytes("one\r\ntwo", 8);

	CHECK(cg_in_head(in, CG_HEAD_SIZE, &head) && head.whole);
	CHECK(cg_equal(head.first, "one") && cg_equal(head.text, "one\r\ntwo"));
	CHECK(strcmp(head.name, "mem.txt") == 0);
	CHECK(strcmp(cg_in_filters(in), "") == 0);
	CHECK(cg_read_line(in, &line) && cg_equal(line, "one\r"));
	cg_in_close(in);
	in = open_bytes("", 0);
	CHECK(cg_in_head(in, CG_HEAD_SIZE, &head) && head.whole);
	CHECK(head.text.len == 0 && head.first.len == 0);
	cg_in_close(in);
	memset(text, 'x', limit + 1);
	for (size_t extra = 0; extra < 2; extra++) {
		in = open_bytes(text, limit + extra);
		CHECK(cg_in_head(in, CG_HEAD_SIZE, &head) && head.whole == (extra == 0));
		CHECK(head.text.len == limit && head.first.len == limit);
		cg_in_close(in);
	}
	free(text);
}

/* ---- gzip --------------------------------------------------------------- */

static void
test_gzip(void)
{
	static const struct cg_slice text = { "one\ntwo\n", 8 };
	unsigned char bytes[2000], twice[2000], thrice[2000];
	size_t len = 0, len2 = 0, len3 = 0, one;
	struct cg_in *in;
	bool same;

	add_gzip(bytes, &len, (struct cg_slice){ text.ptr, 5 });
	one = len;
	add_gzip(bytes, &len, (struct cg_slice){ NULL, 0 });
	add_gzip(bytes, &len, (struct cg_slice){ text.ptr + 5, 3 });
	in = open_bytes(bytes, len);
	CHECK(strcmp(cg_in_filters(in), "gzip") == 0);
	CHECK(drain(in, text, &same) == CG_OK && same);
	memset(bytes + len, 0, 1000);
	CHECK(drain(open_bytes(bytes, len + 1000), text, &same) == CG_OK);
	CHECK(same);
	bytes[len + 999] = 1; /* after 999 zeros */
	CHECK(drain(open_bytes(bytes, len + 1000), text, &same) == CG_EINPUT);
	CHECK(said.count == 1 && said.last.offset == len + 999);
	CHECK(strcmp(said.text, "expected nothing after the gzip data") == 0);
	bytes[len] = 'x';
	CHECK(drain(open_bytes(bytes, len + 1), text, &same) == CG_EINPUT);
	bytes[len] = 0x1f;
	CHECK(drain(open_bytes(bytes, len + 1), text, &same) == CG_EINPUT);
	CHECK(strcmp(said.text, "gzip data ends early") == 0);
	add_gzip(twice, &len2, (struct cg_slice){ (char *)bytes, one });
	in = open_bytes(twice, len2);
	CHECK(strcmp(cg_in_filters(in), "gzip gzip") == 0);
	CHECK(drain(in, (struct cg_slice){ text.ptr, 5 }, &same) == CG_OK);
	CHECK(same);
	add_gzip(thrice, &len3, (struct cg_slice){ (char *)twice, len2 });
	CHECK(!open_bytes(thrice, len3) && said.count == 1);
}

/* The compressed data of members ends at every offset of a window. */
static void
test_many_members(void)
{
	static const char word[] = "member\n";
	unsigned char *bytes = unit_alloc(4 * WINDOW);
	size_t len = 0, count = 0;
	struct cg_slice line;
	struct cg_in *in;

	for (; len < 2 * WINDOW; count++)
		add_gzip(
		    bytes, &len, (struct cg_slice){ word, count % 3 ? 7 : 0 });
	in = open_bytes(bytes, len);
	for (size_t i = 0; i < count; i++)
		CHECK(i % 3 == 0 ||
		      (cg_read_line(in, &line) && cg_equal(line, "member")));
	CHECK(!cg_read_line(in, &line) && cg_in_status(in) == CG_OK);
	cg_in_close(in);
	free(bytes);
}

/* Truncation at any byte is an error with an offset, except between members. */
static void
test_truncated(void)
{
	uint64_t seed = 5;
	char *bytes = make_text(&seed, 3000);
	struct cg_slice text = { bytes, 3000 };
	unsigned char compressed[8000];
	size_t len = 0, first;
	bool same;

	add_gzip(compressed, &len, text);
	first = len;
	add_gzip(compressed, &len, text);
	for (size_t n = 2; n < len; n++) { /* shorter: no gzip magic */
		unsigned char *copy = unit_alloc(n);
		int status;

		memcpy(copy, compressed, n);
		status = drain(open_bytes(copy, n), text, &same);
		if (n == first)
			CHECK(status == CG_OK && same && said.count == 0);
		else
			CHECK(status == CG_EINPUT && said.count == 1 &&
			      said.last.has_offset && said.last.offset == n &&
			      strcmp(said.text, "gzip data ends early") == 0);
		free(copy);
	}
	free(bytes);
}

/* A flipped bit is an error, or has no meaning (time, padding). */
static void
test_corrupt(void)
{
	uint64_t seed = 6;
	char *bytes = make_text(&seed, 1000);
	struct cg_slice text = { bytes, 1000 };
	unsigned char compressed[4000];
	size_t len = 0;
	bool same;

	add_gzip(compressed, &len, text);
	for (size_t bit = 16; bit < len * 8; bit++) {
		int status;

		compressed[bit / 8] ^= (unsigned char)(1 << bit % 8);
		status = drain(open_bytes(compressed, len), text, &same);
		CHECK(status == CG_OK ? same
				      : status == CG_EINPUT && said.count == 1);
		compressed[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	compressed[len - 5] ^= 1;
	CHECK(drain(open_bytes(compressed, len), text, &same) == CG_EINPUT);
	CHECK(strncmp(said.text, "gzip data is corrupt (", 22) == 0);
	free(bytes);
}

static void
test_garbage(void)
{
	unsigned char bytes[300] = { 0x1f, 0x8b, 8, 0 };
	uint64_t seed = 7;
	struct cg_slice got;

	for (int i = 0; i < 2000; i++) {
		struct cg_in *in;

		for (size_t j = 10; j < sizeof(bytes); j++)
			bytes[j] = (unsigned char)unit_random(&seed);
		in = open_bytes(bytes, sizeof(bytes));
		if (!in) {
			CHECK(said.count == 1);
			continue;
		}
		while (cg_read_line(in, &got))
			;
		CHECK(said.count == (cg_in_status(in) != CG_OK));
		cg_in_close(in);
	}
}

/* ---- Files -------------------------------------------------------------- */

static void
test_file(void)
{
	char path[] = "/tmp/cgconv.XXXXXX";
	int fd = mkstemp(path), status;
	struct cg_head head;
	struct cg_slice line;
	struct cg_in *in;

	if (!CHECK(fd >= 0) || !CHECK(write(fd, "one\ntwo", 7) == 7))
		return;
	(void)close(fd);
	said = (struct unit_log){ 0 };
	in = cg_in_open(&diag, path, &status);
	if (CHECK(in && status == CG_OK)) {
		CHECK(strcmp(cg_in_name(in), path) == 0);
		CHECK(
		    cg_in_head(in, CG_HEAD_SIZE, &head) && strcmp(head.name, path + 5) == 0);
		CHECK(cg_read_line(in, &line) && cg_read_line(in, &line) &&
		      cg_equal(line, "two"));
		CHECK(!cg_read_line(in, &line));
		cg_in_close(in);
	}
	(void)unlink(path);
	CHECK(!cg_in_open(&diag, path, &status) && status == CG_EINPUT);
	CHECK(said.count == 1 && strcmp(said.file, path) == 0);
	CHECK(strcmp(said.text, "cannot open: No such file or directory") == 0);
	CHECK(!cg_in_open(&diag, "/tmp", &status) && status == CG_EINPUT);
	CHECK(said.count == 2 && strcmp(said.text, "is a directory") == 0);
	if (access("/proc/self/mem", R_OK) == 0) { /* nothing is at address 0 */
		CHECK(!cg_in_open(&diag, "/proc/self/mem", &status));
		CHECK(said.count == 3 && status == CG_EINPUT);
		CHECK(
		    strcmp(said.text, "cannot read: Input/output error") == 0);
	}
	cg_in_close(NULL);
}

int
main(void)
{
	test_lines();
	test_windows();
	test_beside_error();
	test_places();
	test_limit();
	test_bytes();
	test_head();
	test_gzip();
	test_many_members();
	test_truncated();
	test_corrupt();
	test_garbage();
	test_file();
	return unit_end();
}
