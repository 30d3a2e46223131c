/*
 * sources.c - the texts of source files as columns.
 *
 *	source_file source_text			by file whose source was found
 *
 * Only files that have lines in the profile are read: the author of a profile
 * chooses them.
 */

#include "html.h"

/* Limit of all texts: browsers cannot open a larger page. */
#define SOURCES_MAX ((size_t)256 << 20)

/*
 * Appends the text of the file's source to "text", and the file's index to
 * "at". Both are arrays (columns) of the page. Appends nothing if the source
 * is not found, or if all texts together would be too large. False: an error
 * (reported).
 */
static bool
add_source(struct html_writer *w, cg_file file, struct html_column *at,
    struct html_column *text)
{
	struct cg_in *in;
	struct cg_slice bytes;
	bool ok = cg_open_source(w->job, w->graph, file, true, &in);

	if (in && cg_read_all(in, &bytes) &&
	    text->text.n + bytes.len <= SOURCES_MAX)
		ok = html_add(w, at, html_file(w, file)) &&
		     html_add_text(w, text, bytes);
	if (in)
		cg_close_companion(w->job, in);
	return ok;
}

bool
html_put_sources(struct html_writer *w)
{
	struct html_column at = { .name = "source_file", .type = HTML_DELTA };
	struct html_column text = { .name = "source_text", .type = HTML_TEXT };
	size_t files = (size_t)w->file_path.count;
	cg_file *by_index = cg_alloc(w->job, (files + 1) * sizeof(*by_index));
	bool ok = by_index != NULL;

	for (cg_file i = 1; ok && i <= cg_file_count(w->graph); i++)
		by_index[w->file_at[i]] = i;
	for (size_t i = 1; ok && i <= files; i++)
		ok = !w->has_lines[by_index[i]] ||
		     add_source(w, by_index[i], &at, &text);
	if (ok && text.count == 0 && files > 0 &&
	    cg_opt(w->job, CG_SOURCES_OPTION))
		cg_warn(
		    w->job, "no source found in the directory of {sources}");
	ok = ok && html_begin_data(w, "sources");
	html_end(w, &at);
	html_end(w, &text);
	return ok && html_end_data(w);
}
