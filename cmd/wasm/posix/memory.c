/*
 * memory.c - copies and fills memory by one instruction each, instead of the C
 * library's loops.
 */
#include <string.h>

void *
memcpy(void *restrict to, const void *restrict from, size_t size)
{
	return __builtin_memcpy(to, from, size);
}

void *
memmove(void *to, const void *from, size_t size)
{
	return __builtin_memmove(to, from, size);
}

void *
memset(void *to, int byte, size_t size)
{
	return __builtin_memset(to, byte, size);
}
