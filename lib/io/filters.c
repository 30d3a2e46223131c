/*
 * filters.c - chooses the filter that decodes an input by its first bytes.
 */
#include "io/io.h"

static const struct filter {
	const char *magic; /* at most CG_FILTER_MAGIC bytes */
	struct cg_stream *(*open)(struct cg_stream *, struct cg_slice head);
} filters[] = {
	{ "\x1f\x8b", cg_gzip_open },
	{ "\xfd"
	  "7zXZ",
	    cg_xz_open },
	{ "BZh", cg_bzip2_open },
	{ "\x28\xb5\x2f\xfd", cg_zstd_open },
	{ "\x04\x22\x4d\x18", cg_lz4_open },
	{ "\xff\xfe", cg_unicode_open },
	{ "\xfe\xff", cg_unicode_open },
	{ "\xef\xbb\xbf", cg_unicode_open },
};

/*
 * True if head begins with the magic number. For bzip2, a level and a block
 * must follow, as a text may begin with "BZh", too.
 */
static bool
matches(const struct filter *filter, struct cg_slice head)
{
	if (!cg_starts(head, filter->magic))
		return false;
	return filter->open != cg_bzip2_open ||
	       (head.len >= 5 && head.ptr[3] >= '1' && head.ptr[3] <= '9' &&
		   (head.ptr[4] == '1' || head.ptr[4] == '\x17'));
}

struct cg_stream *
cg_filter_open(struct cg_stream *source, struct cg_slice head, int *status)
{
	const struct cg_location location = { .file = source->name };
	struct cg_stream *stream;

	*status = CG_OK;
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		if (!matches(&filters[i], head))
			continue;
		stream = filters[i].open(source, head);
		if (!stream) {
			cg_diag_say(
			    source->diag, CG_ERROR, &location, "out of memory");
			*status = CG_ELIMIT;
			return NULL;
		}
		stream->diag = source->diag;
		stream->name = source->name;
		return stream;
	}
	return NULL;
}
