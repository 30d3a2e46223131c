/*
 * setjmp.c - what clang calls for setjmp() and longjmp() in WebAssembly: a
 * longjmp() is an exception, which a function that called setjmp() catches and
 * keeps if its table has the environment's number.
 *
 * Source: lib/Target/WebAssembly/WebAssemblyLowerEmscriptenEHSjLj.cpp of LLVM
 * 14, whose comments describe the calls.
 */
#include <stdint.h>
#include <stdlib.h>

/* The exception of C's longjmp(), as LLVM numbers them. */
#define LONGJMP 1

/* An array of them ends with id 0. */
struct entry {
	uint32_t id;
	uint32_t label; /* of the setjmp() in its function; from 1 on */
};

struct arguments {
	void *env;
	int value;
};

struct entry *saveSetjmp(uint32_t *, uint32_t, struct entry *, uint32_t);
uint32_t testSetjmp(uint32_t, const struct entry *, uint32_t);
uint32_t getTempRet0(void);
void __wasm_longjmp(void *, int);

static uint32_t last_id;
static uint32_t second; /* the second result of a call */
static struct arguments arguments;

uint32_t
getTempRet0(void)
{
	return second;
}

/*
 * Gives *env a new number, and adds it with its label to the table of the
 * function that calls setjmp(). Returns the table, which may move; its size
 * goes to getTempRet0(). Aborts if memory runs out.
 */
struct entry *
saveSetjmp(uint32_t *env, uint32_t label, struct entry *table, uint32_t size)
{
	uint32_t i = 0;

	*env = ++last_id;
	while (i < size && table[i].id != 0)
		i++;
	if (i + 1 >= size) {
		size *= 2;
		table = realloc(table, (size + 1) * sizeof(*table));
		if (!table)
			abort();
	}
	table[i] = (struct entry){ last_id, label };
	table[i + 1].id = 0;
	second = size;
	return table;
}

/*
 * Returns the label that a function's table has for the number of an
 * environment. 0: the table does not have the number, so another function has
 * called setjmp(). "size" is the number of entries of the table; an entry with
 * id 0 ends it earlier.
 */
uint32_t
testSetjmp(uint32_t id, const struct entry *table, uint32_t size)
{
	for (uint32_t i = 0; i < size && table[i].id != 0; i++) {
		if (table[i].id == id)
			return table[i].label;
	}
	return 0;
}

void
__wasm_longjmp(void *env, int value)
{
	arguments.env = env;
	arguments.value = value != 0 ? value : 1;
	__builtin_wasm_throw(LONGJMP, &arguments);
}
