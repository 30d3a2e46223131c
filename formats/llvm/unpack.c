/*
 * unpack.c - lists of names, which are compressed by zlib (RFC 1950).
 */
#include <zlib.h>

#include "profile.h"

#define DEFLATE_MAX 1032 /* highest ratio of decompressed to compressed bytes */

bool
llvm_unpack(struct llvm_texts *texts, struct llvm_bytes *from, uint64_t size,
    uint64_t packed, struct llvm_bytes *to)
{
	const char *at = (const char *)from->at;
	struct llvm_bytes part;
	uLongf length;
	int result;

	if (!llvm_cut(from, packed > 0 ? packed : size, &part))
		return cg_reject(
		    texts->job, "expected a list of names in the executable");
	*to = part;
	if (packed == 0)
		return true;
	texts->packed += packed;
	texts->unpacked += size;
	if (size / DEFLATE_MAX > packed ||
	    cg_is_bomb(texts->unpacked, texts->packed, CG_EXPANSION_HELD))
		return cg_reject(texts->job,
		    "names in the executable expand to more than %d times "
		    "their size",
		    CG_EXPANSION_HELD);
	length = (uLongf)size;
	if (!cg_reserve(texts->job, &texts->text, length + 1))
		return false;
	result = uncompress(
	    (Bytef *)texts->text.at, &length, part.at, (uLong)packed);
	if (result == Z_MEM_ERROR)
		return cg_reject_nomem(texts->job);
	if (result != Z_OK || length != size)
		return cg_reject_at(
		    texts->job, at, "expected a list of names, packed by zlib");
	*to = llvm_bytes_of(
	    (struct cg_slice){ texts->text.at, length }, from->big);
	return true;
}
