/*
 * rows.c - the events that become costs.
 */
#include "jfr.h"

/*
 * Sources: metadata.xml of the JDK; jfrMetadata.cpp of async-profiler. This is
 * the order of the columns, the most useful events first. The memory of a
 * thread's new buffer (TLAB) represents all objects in it.
 */
const struct jfr_event_row jfr_event_rows[JFR_ROWS + 1] = {
	{ "jdk.ExecutionSample", "ExecutionSample", "Method Profiling Sample",
	    "", NULL, false },
	{ "jdk.CPUTimeSample", "CPUTimeSample", "CPU Time Sample", "ns",
	    "samplingPeriod", true },
	{ "profiler.WallClockSample", "WallClockSample", "Wall Clock Sample",
	    "", "samples", false },
	{ "jdk.NativeMethodSample", "NativeMethodSample",
	    "Method Profiling Sample Native", "", NULL, false },
	{ "jdk.ObjectAllocationSample", "ObjectAllocationSample",
	    "Object Allocation Sample", "bytes", "weight", false },
	{ "jdk.ObjectAllocationInNewTLAB", "ObjectAllocationInNewTLAB",
	    "Allocation in new TLAB", "bytes", "tlabSize", false },
	{ "jdk.ObjectAllocationOutsideTLAB", "ObjectAllocationOutsideTLAB",
	    "Allocation outside TLAB", "bytes", "allocationSize", false },
	{ "profiler.LiveObject", "LiveObject", "Live Object", "bytes",
	    "allocationSize", false },
	{ "profiler.Malloc", "Malloc", "malloc", "bytes", "size", false },
	{ "profiler.Free", NULL, NULL, NULL, NULL, false },
	{ "jdk.JavaMonitorEnter", "JavaMonitorEnter", "Java Monitor Blocked",
	    "ns", "duration", true },
	{ "profiler.NativeLock", "NativeLock", "Native Lock", "ns", "duration",
	    true },
	{ "jdk.ThreadPark", "ThreadPark", "Java Thread Park", "ns", "duration",
	    true },
	{ "jdk.JavaMonitorWait", "JavaMonitorWait", "Java Monitor Wait", "ns",
	    "duration", true },
	{ "jdk.ThreadSleep", "ThreadSleep", "Java Thread Sleep", "ns",
	    "duration", true },
	{ "jdk.VirtualThreadPinned", "VirtualThreadPinned",
	    "Virtual Thread Pinned", "ns", "duration", true },
	{ "jdk.SocketRead", "SocketRead", "Socket Read", "ns", "duration",
	    true },
	{ "jdk.SocketWrite", "SocketWrite", "Socket Write", "ns", "duration",
	    true },
	{ "jdk.FileRead", "FileRead", "File Read", "ns", "duration", true },
	{ "jdk.FileWrite", "FileWrite", "File Write", "ns", "duration", true },
	{ "jdk.MethodTrace", "MethodTrace", "Method Trace", "ns", "duration",
	    true },
	{ "jdk.JavaExceptionThrow", "JavaExceptionThrow", "Java Exception", "",
	    NULL, false },
	{ 0 },
};
