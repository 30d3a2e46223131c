/*
 * setjmp.h - non-local jumps, which the C library for WASI lacks: see setjmp.c.
 */
#ifndef CG_WASM_SETJMP_H
#define CG_WASM_SETJMP_H

typedef unsigned long jmp_buf[6];

int setjmp(jmp_buf) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf, int);

#endif
