/*
 * regions.c - nested regions of known work, for Caliper.
 */
#include <caliper/cali.h>

static volatile unsigned long sink;

static void
spin(unsigned long n)
{
	CALI_MARK_FUNCTION_BEGIN;
	for (unsigned long i = 0; i < n; i++)
		sink += i;
	CALI_MARK_FUNCTION_END;
}

static void
left(int depth)
{
	CALI_MARK_FUNCTION_BEGIN;
	spin(3000000);
	if (depth > 0)
		left(depth - 1);
	CALI_MARK_FUNCTION_END;
}

int
main(void)
{
	CALI_MARK_FUNCTION_BEGIN;
	CALI_MARK_BEGIN("setup, =phase");
	spin(1000000);
	CALI_MARK_END("setup, =phase");
	CALI_MARK_LOOP_BEGIN(loop, "steps");
	for (int i = 0; i < 4; i++) {
		CALI_MARK_ITERATION_BEGIN(loop, i);
		left(2);
		spin(2000000);
		CALI_MARK_ITERATION_END(loop);
	}
	CALI_MARK_LOOP_END(loop);
	CALI_MARK_FUNCTION_END;
	return 0;
}
