/*
 * either.c - reads notes or data of a version with two possible layouts.
 */
#include "gcov.h"

/*
 * Reads notes or data with read(). If that fails for version 12 or later,
 * tries the layout of 11: clang writes it under newer version numbers. The
 * second attempt must find functions, as a truncated file may be only a
 * header. False: both failed; *bytes has the first error.
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
