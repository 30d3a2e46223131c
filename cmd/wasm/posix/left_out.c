/*
 * left_out.c - functions that libraries call in their parts that are not built:
 * libdwfl, which looks at processes, disassemblers, and filters that are
 * programs. cgconv reaches only error(), when libdw runs out of memory.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void error(int, int, const char *, ...);
void __archive_check_child(int, int);
int __archive_create_child(const char *, int *, int *, int *);
int __libdwfl_relocate_value(void *, void *, size_t *, size_t, void *);
void __libdwfl_seterrno(int);
int bpf_disasm(void);
int i386_disasm(void);
int riscv_disasm(void);
int x86_64_disasm(void);

/*
 * Prints a message to standard error, and ends the program unless status is 0.
 * Replaces that of the GNU C library, which also prints the text of errno
 * `why`.
 */
void
error(int status, int why, const char *format, ...)
{
	va_list args;

	(void)why;
	va_start(args, format);
	(void)fputs("cgconv: error: ", stderr);
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
	va_end(args);
	if (status != 0)
		exit(status);
}

void
__archive_check_child(int in, int out)
{
	(void)in, (void)out;
}

int
__archive_create_child(const char *command, int *in, int *out, int *child)
{
	(void)command, (void)in, (void)out, (void)child;
	return -25; /* ARCHIVE_FAILED */
}

int
__libdwfl_relocate_value(
    void *module, void *elf, size_t *number, size_t symbol, void *value)
{
	(void)module, (void)elf, (void)number, (void)symbol, (void)value;
	return -1;
}

void
__libdwfl_seterrno(int number)
{
	(void)number;
}

int
bpf_disasm(void)
{
	return -1;
}

int
i386_disasm(void)
{
	return -1;
}

int
riscv_disasm(void)
{
	return -1;
}

int
x86_64_disasm(void)
{
	return -1;
}
