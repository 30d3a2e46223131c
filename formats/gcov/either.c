/*
 * either.c - reads notes or data of a version with two possible layouts.
 */
#include "gcov.h"

/*
 * Reads notes or data with read(), in the layout of the version that the file
 * states. If that fails and the version is 12 or later, reads them again in
 * the layout of version 11. The reason is clang. With an option for version 12
 * or later, clang states this version, but uses the layout of 11. The second
 * attempt must find functions, as a truncated file of version 12 may consist
 * of just a header. False: no attempt succeeded; *bytes has the error of the
 * first.
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
