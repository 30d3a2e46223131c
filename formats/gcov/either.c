/*
 * either.c - reads notes or data of a version that does not tell its layout.
 */
#include "gcov.h"

/*
 * clang asked for version 12 or later writes that version, but the layout of
 * 11. So a file that cannot be read as the one is read as the other, and must
 * then have functions: a truncated file of version 12 may be just a header.
 */
bool
gcov_read_either(
    struct gcov_unit *unit, struct gcov_bytes *bytes, gcov_read_fn *read)
{
	const unsigned old = GCOV_VERSION(11, 0);
	struct gcov_bytes first = *bytes, again = *bytes;

	if (read(unit, &first, 0)) {
		*bytes = first;
		return true;
	}
	if (!unit->nomem && first.byte_lengths && read(unit, &again, old) &&
	    (read == gcov_read_notes ? unit->fns : unit->data.fns) > 0) {
		*bytes = again;
		return true;
	}
	*bytes = first;
	return false;
}

bool
gcov_is_cut(const struct gcov_data *data)
{
	return !data->ended && data->head.layout >= GCOV_VERSION(4, 0);
}
