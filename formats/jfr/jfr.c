/*
 * jfr.c - jfr: recordings of the JDK Flight Recorder, by the JDK (from 9 on,
 * and OpenJDK 8), by GraalVM and by async-profiler.
 *
 * Sources: jfrChunkWriter.cpp, jfrCheckpointManager.cpp and metadata.xml of
 * the JDK, its jdk.jfr.internal.consumer; flightRecorder.cpp, jfrMetadata.cpp
 * and JfrReader.java of async-profiler. A recording describes itself: classes
 * with their fields, and constants that events refer to by keys.
 *
 * Each kind of event is a column (see rows.c): samples, bytes, or nanoseconds
 * that a thread was blocked. Stacks with lines and inlining survive, and
 * times; threads, their states and the classes of objects and locks become
 * labels. All other events and fields, bytecode indices, and how a frame's
 * code was compiled are lost. Source files are not recorded.
 */
#include "jfr.h"

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text;

	return text.len >= JFR_MAGIC_LEN &&
		       memcmp(text.ptr, JFR_MAGIC, JFR_MAGIC_LEN) == 0
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_jfr = {
	CG_MODULE,
	.name = "jfr",
	.title = "recordings of Java's Flight Recorder, async-profiler",
	.suffixes = "jfr",
	.probe = probe,
	.read = jfr_read,
};
