/*
 * archive.c - reads tar and zip archives member by member. Nothing is
 * extracted to disk.
 *
 * libarchive reads the bytes after the input's filters, so that the limits of
 * the filters apply. It reads a zip from its beginning, as from a pipe,
 * without the directory at its end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "io/libarchive.h"

#define READ_SIZE ((size_t)64 << 10)
/* A tar ends with two blocks of zeros (POSIX). */
#define TAR_END 1024

struct cg_archive {
	struct cg_diag *diag;
	struct cg_in *in;
	struct cg_libarchive lib;
	struct archive *archive;
	uint64_t given;  /* bytes of members */
	uint64_t left;   /* unread bytes of the member, if its size is known */
	uint64_t zeros;  /* zero bytes at the end so far */
	unsigned number; /* of the current member */
	int status;
};

/* ---- Callbacks of libarchive --------------------------------------------- */

static void
count_zeros(struct cg_archive *archive, struct cg_slice bytes)
{
	size_t zeros = 0;

	while (zeros < TAR_END && zeros < bytes.len &&
	       bytes.ptr[bytes.len - 1 - zeros] == '\0')
		zeros++;
	archive->zeros = zeros + (zeros == bytes.len ? archive->zeros : 0);
}

static la_ssize_t
give_bytes(struct archive *handle, void *arg, const void **bytes)
{
	struct cg_archive *archive = arg;
	struct cg_slice text;

	(void)cg_read_bytes(archive->in, READ_SIZE, &text);
	*bytes = text.ptr;
	count_zeros(archive, text);
	if (cg_in_status(archive->in) == CG_OK)
		return (la_ssize_t)text.len;
	archive->status = cg_in_status(archive->in);
	archive->lib.archive_set_error(handle, EIO, "source failed");
	return ARCHIVE_FATAL;
}

/* ---- Members ------------------------------------------------------------- */

/*
 * Reports an error of libarchive in the current member, and sets
 * archive->status; does nothing if an error was reported before, which is then
 * the cause.
 */
static void
fail(struct cg_archive *archive)
{
	const struct cg_location location = { .file = cg_in_name(archive->in) };
	const char *text = archive->lib.archive_error_string(archive->archive);
	bool nomem = archive->lib.archive_errno(archive->archive) == ENOMEM;

	if (archive->status != CG_OK)
		return;
	archive->status = nomem ? CG_ELIMIT : CG_EINPUT;
	if (nomem)
		text = "out of memory";
	cg_diag_say(archive->diag, CG_ERROR, &location, "member %u: %s",
	    archive->number, text ? text : "archive is damaged");
}

/*
 * Reads the rest of the input after the last member, so that its checksum and
 * its end are verified, and sets archive->status. Warns of a tar archive
 * without its end of zeros.
 */
static void
finish(struct cg_archive *archive)
{
	const struct cg_location location = { .file = cg_in_name(archive->in) };
	int format = archive->lib.archive_format(archive->archive) &
		     ARCHIVE_FORMAT_BASE_MASK;
	struct cg_slice rest;

	do {
		(void)cg_read_bytes(archive->in, READ_SIZE, &rest);
		count_zeros(archive, rest);
	} while (rest.len == READ_SIZE);
	archive->status = cg_in_status(archive->in);
	if (archive->status == CG_OK && format == ARCHIVE_FORMAT_TAR &&
	    archive->zeros < TAR_END)
		cg_diag_say(archive->diag, CG_WARNING, &location,
		    "the archive has no end and may be truncated");
}

bool
cg_archive_next(struct cg_archive *archive, struct cg_member *member)
{
	struct archive_entry *entry;
	int result;

	if (archive->status != CG_OK)
		return false;
	archive->number++;
	result =
	    archive->lib.archive_read_next_header(archive->archive, &entry);
	if (result == ARCHIVE_EOF) {
		finish(archive);
		return false;
	}
	if (result != ARCHIVE_OK && result != ARCHIVE_WARN) {
		fail(archive);
		return false;
	}
	*member = (struct cg_member){
		.name = archive->lib.archive_entry_pathname(entry),
		.mtime = archive->lib.archive_entry_mtime(entry),
		.directory =
		    archive->lib.archive_entry_filetype(entry) == AE_IFDIR,
		.file =
		    archive->lib.archive_entry_filetype(entry) == AE_IFREG &&
		    !archive->lib.archive_entry_hardlink(entry),
	};
	archive->left = 0;
	if (member->file && archive->lib.archive_entry_size_is_set(entry))
		archive->left =
		    (uint64_t)archive->lib.archive_entry_size(entry);
	member->size = archive->left;
	if (!member->name)
		member->name = archive->lib.archive_entry_pathname_utf8(entry);
	if (!member->name)
		member->name = "";
	return true;
}

ptrdiff_t
cg_archive_read(struct cg_archive *archive, char *buf, size_t size)
{
	const struct cg_location location = { .file = cg_in_name(archive->in) };
	la_ssize_t got;
	uint64_t taken;

	if (archive->status != CG_OK)
		return -1;
	got = archive->lib.archive_read_data(archive->archive, buf, size);
	if (got < 0) {
		fail(archive);
		return -1;
	}
	taken = cg_in_taken(archive->in);
	/* libarchive does not return a hole at the end of a member. */
	if (got == 0 && size > 0 && archive->left > 0) {
		cg_diag_say(archive->diag, CG_ERROR, &location,
		    "member %u: expected %llu more bytes", archive->number,
		    (unsigned long long)archive->left);
		return -1;
	}
	archive->left -=
	    (uint64_t)got < archive->left ? (uint64_t)got : archive->left;
	archive->given += (uint64_t)got;
	if (!cg_is_bomb(archive->given, taken, CG_EXPANSION_MAX))
		return (ptrdiff_t)got;
	cg_diag_say(archive->diag, CG_ERROR, &location,
	    "expected members that expand to at most %d times its size",
	    CG_EXPANSION_MAX);
	archive->status = CG_ELIMIT;
	return -1;
}

int
cg_archive_status(const struct cg_archive *archive)
{
	return archive->status;
}

/* ---- Opening ------------------------------------------------------------- */

/*
 * True if the input begins like a tar or zip archive; consumes nothing. POSIX
 * tar has "ustar" in its first header; a zip begins with PK.
 */
static bool
is_archive(struct cg_in *in)
{
	struct cg_slice head;

	(void)cg_look_bytes(in, 512, &head);
	if (head.len == 512 && memcmp(head.ptr + 257, "ustar", 5) == 0)
		return true;
	return cg_starts(head, "PK\x03\x04") || cg_starts(head, "PK\x05\x06");
}

static bool
create_handle(struct cg_archive *archive)
{
	struct archive *handle = archive->lib.archive_read_new();

	archive->archive = handle;
	return handle &&
	       archive->lib.archive_read_support_format_tar(handle) ==
		   ARCHIVE_OK &&
	       archive->lib.archive_read_support_format_zip_streamable(
		   handle) == ARCHIVE_OK;
}

struct cg_archive *
cg_archive_new(struct cg_job *job, struct cg_in *in, int *status)
{
	const struct cg_location location = { .file = cg_in_name(in) };
	struct cg_archive *archive;
	const char *reason;

	if (!is_archive(in)) {
		*status = cg_in_status(in);
		cg_in_close(in);
		return NULL;
	}
	archive = calloc(1, sizeof(*archive));
	if (!archive) {
		cg_in_close(in);
		*status = cg_nomem(job);
		return NULL;
	}
	archive->diag = &cg_job_errors(job)->diag;
	archive->in = in;
	reason = cg_libarchive_load(&archive->lib);
	if (reason) {
		*status = CG_EINPUT;
		cg_diag_say(archive->diag, CG_ERROR, &location,
		    "cannot load libarchive: %s", reason);
		cg_archive_close(archive);
		return NULL;
	}
	if (!create_handle(archive)) {
		*status = cg_nomem(job);
		cg_archive_close(archive);
		return NULL;
	}
	if (archive->lib.archive_read_open(archive->archive, archive, NULL,
		give_bytes, NULL) != ARCHIVE_OK)
		fail(archive);
	*status = archive->status;
	if (*status == CG_OK)
		return archive;
	cg_archive_close(archive);
	return NULL;
}

void
cg_archive_close(struct cg_archive *archive)
{
	if (!archive)
		return;
	if (archive->archive)
		(void)archive->lib.archive_read_free(archive->archive);
	cg_in_close(archive->in);
	free(archive);
}
