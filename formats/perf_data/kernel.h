/*
 * kernel.h - numbers of the kernel's interface that files contain, from
 * linux/perf_event.h, which only Linux has.
 */
#ifndef PERF_KERNEL_H
#define PERF_KERNEL_H

#include <stdint.h>

enum { PERF_TYPE_HARDWARE = 0, PERF_TYPE_SOFTWARE = 1, PERF_TYPE_RAW = 4 };

/* What a sample has: bits of perf_event_attr's sample_type. */
enum {
	PERF_SAMPLE_IP = 1 << 0,
	PERF_SAMPLE_TID = 1 << 1,
	PERF_SAMPLE_TIME = 1 << 2,
	PERF_SAMPLE_ADDR = 1 << 3,
	PERF_SAMPLE_READ = 1 << 4,
	PERF_SAMPLE_CALLCHAIN = 1 << 5,
	PERF_SAMPLE_ID = 1 << 6,
	PERF_SAMPLE_CPU = 1 << 7,
	PERF_SAMPLE_PERIOD = 1 << 8,
	PERF_SAMPLE_STREAM_ID = 1 << 9,
	PERF_SAMPLE_RAW = 1 << 10,
	PERF_SAMPLE_BRANCH_STACK = 1 << 11,
	PERF_SAMPLE_REGS_USER = 1 << 12,
	PERF_SAMPLE_STACK_USER = 1 << 13,
	PERF_SAMPLE_IDENTIFIER = 1 << 16
};

/* Types of records, and bits of their header. */
enum {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_LOST_SAMPLES = 13
};

enum { PERF_RECORD_MISC_CPUMODE_MASK = 7, PERF_RECORD_MISC_KERNEL = 1 };

/* Among the addresses of a call chain: whose those that follow are. */
#define PERF_CONTEXT_HV ((uint64_t)-32)
#define PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define PERF_CONTEXT_USER ((uint64_t)-512)
#define PERF_CONTEXT_GUEST ((uint64_t)-2048)
#define PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER ((uint64_t)-2560)
#define PERF_CONTEXT_MAX ((uint64_t)-4095)

#endif
