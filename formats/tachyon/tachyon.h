/*
 * tachyon.h - profiles of Python 3.15's sampling profiler, called Tachyon.
 *
 *	tachyon.c  the module
 *	tables.c   the binary format: header, strings, frames
 *	samples.c  the binary format: samples
 *	jsonl.c    sums by line, as JSON Lines
 *	common.c   events, the mode, files
 *
 * Source: InternalDocs/profiling_binary_format.md, Modules/_remote_debugging/
 * binary_io.h, binary_io_writer.c and binary_io_reader.c,
 * Lib/profiling/sampling/jsonl_collector.py and dump.py of CPython, September
 * 2026 (3.15.0 and main).
 */
#ifndef FORMATS_TACHYON_TACHYON_H
#define FORMATS_TACHYON_TACHYON_H

#include "cgconv_parse.h"

/* ---- The binary format --------------------------------------------------- */

/* The magic, 0x54414348, in the byte order of the writer. */
#define TACHYON_BIG "TACH"
#define TACHYON_LITTLE "HCAT"
#define TACHYON_VERSION 1

enum tachyon_size { TACHYON_HEADER = 64, TACHYON_FOOTER = 32 };

struct tachyon_frame {
	cg_name file, name;
	uint32_t line;    /* 0: none, a synthetic frame */
	cg_frame_id id;   /* 0: not on a stack yet */
};

struct tachyon_file {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_slice bytes; /* of the whole file */
	bool big;              /* numbers are big-endian */
	uint64_t start, interval; /* us */
	uint64_t samples;
	uint32_t compression;
	uint32_t mode; /* 1 to 5, see tachyon.c; 0: unknown */
	uint8_t python[3]; /* version of the Python that wrote it */
	size_t strings_at, frames_at; /* offsets of the tables */
	CG_ARRAY(cg_name) string;
	CG_ARRAY(struct tachyon_frame) frame;
};

/* Return numbers in the byte order of the file, which need not be aligned. */
uint32_t tachyon_u32(const struct tachyon_file *, const char *);
uint64_t tachyon_u64(const struct tachyon_file *, const char *);

/*
 * Reads header, strings and frames, all but the samples. False: malformed, or
 * out of memory (reported).
 */
bool tachyon_read_tables(struct tachyon_file *);
bool tachyon_read_samples(struct tachyon_file *);

/* ---- Both ---------------------------------------------------------------- */

/*
 * Adds the events: the number of samples, and time as a formula of it by the
 * interval, in us.
 */
void tachyon_add_events(struct cg_build *, uint64_t interval);
/*
 * Adds a description of the profile: which threads were sampled when ("wall"),
 * unless that is "".
 */
void tachyon_add_mode(struct cg_build *, struct cg_slice mode);
/* Adds the file of a frame, and returns its id; 0 for "~" and "". */
cg_file tachyon_add_file(struct cg_build *, cg_name);

/* Reads the JSON Lines; returns the status, as read() of a module. */
int tachyon_read_jsonl(
    struct cg_job *, struct cg_in *, struct cg_build *);

#endif
