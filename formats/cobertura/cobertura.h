/*
 * cobertura.h - the way of the data through formats/cobertura/:
 *
 *	cobertura.c  recognises the format, lists its options
 *	read.c       XML elements -> lines of a class -> graph
 *	write.c      graph -> totals of all files -> XML elements
 *
 * The library reads and escapes the XML (cg_xml_*(), cg_put_xml()) and merges
 * the rows of a source line (cg_lines_*()).
 */
#ifndef FORMATS_COBERTURA_COBERTURA_H
#define FORMATS_COBERTURA_COBERTURA_H

#include "cgconv_parse.h"

int cobertura_read(struct cg_job *, struct cg_in *, struct cg_build *);
int cobertura_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

/* True if the path has a drive, or is on a network share. */
bool cobertura_is_windows(struct cg_slice path);
/*
 * Adds a file of a document written on Windows, and returns it. root: the
 * directory that names are relative to, or NULL.
 */
cg_file cobertura_windows_file(struct cg_job *, struct cg_build *,
    const char *root, struct cg_slice name);

#endif
