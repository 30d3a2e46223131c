/*
 * kallsyms.c - symbols of the kernel, of a copy of /proc/kallsyms, or of that
 * itself if the recorded kernel still runs:
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0201000 t helper	[module]
 *
 * Of symbols with one address perf's choice counts (choose_best_symbol() in
 * util/symbol.c of perf 6.1): the one that is global, that has the fewest
 * underscores before its name, and then the longest.
 */
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_data.h"

#define CODE_AND_DATA "TWDB" /* types that perf reads; lower case: local */

static bool
take_symbol(struct cg_slice line, struct perf_kallsym *symbol)
{
	const char *end = cg_get_hex(line.ptr, &symbol->addr);
	struct cg_slice type;

	/* A newline ends each line. */
	line.len -= (size_t)(end - line.ptr);
	line.ptr = end;
	(void)cg_take_blanks(&line);
	if (!cg_take_word(&line, &type) || type.len != 1 ||
	    !strchr(CODE_AND_DATA, toupper((unsigned char)*type.ptr)))
		return false;
	symbol->global = isupper((unsigned char)*type.ptr);
	(void)cg_take_blanks(&line);
	if (!cg_take_word(&line, &symbol->name))
		return false;
	symbol->module = cg_trim(line);
	return symbol->addr != 0;
}

static size_t
underscores(struct cg_slice name)
{
	size_t n = 0;

	while (n < name.len && name.ptr[n] == '_')
		n++;
	return n;
}

/*
 * Compares symbols for qsort(): by address; of symbols with one address, the
 * symbol that perf would choose comes last.
 */
static int
compare(const void *pa, const void *pb)
{
	const struct perf_kallsym *a = pa, *b = pb;
	size_t left, right;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->global != b->global)
		return a->global ? 1 : -1;
	left = underscores(a->name);
	right = underscores(b->name);
	if (left != right)
		return left < right ? 1 : -1;
	if (a->name.len != b->name.len)
		return a->name.len < b->name.len ? -1 : 1;
	/* Of equal symbols perf keeps the first; the text is in one block. */
	return a->name.ptr < b->name.ptr ? 1 : -1;
}

static bool
add_symbols(
    struct perf_kallsyms *kallsyms, struct cg_job *job, struct cg_slice text)
{
	struct perf_kallsym symbol, *new;
	struct cg_slice line;

	while (cg_take_line(&text, &line)) {
		if (!take_symbol(line, &symbol))
			continue;
		new = cg_push(job, &kallsyms->symbol);
		if (!new)
			return false;
		*new = symbol;
	}
	if (kallsyms->symbol.n > 0)
		qsort(kallsyms->symbol.at, kallsyms->symbol.n, sizeof(symbol),
		    compare);
	return true;
}

/*
 * Adds the symbols of a text in the form of /proc/kallsyms. Copies the text,
 * and ends it with a newline. Names of symbols point into the copy, which
 * stays allocated as long as the job's read() runs. False: out of memory
 * (reported).
 */
static bool
load(struct perf_kallsyms *kallsyms, struct cg_job *job, struct cg_slice text)
{
	char *copy = cg_alloc(job, text.len + 1);

	if (!copy)
		return false;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\n';
	return add_symbols(
	    kallsyms, job, (struct cg_slice){ copy, text.len + 1 });
}

bool
perf_kallsyms_open(struct perf_kallsyms *kallsyms, struct cg_job *job,
    const char *path, bool asked)
{
	struct cg_in *in;
	struct cg_slice text;
	bool good;

	if (!cg_open_companion(job, path, &in))
		return true;
	if (!in)
		return !asked || cg_reject(job, "cannot open %s", path);
	good = !cg_read_all(in, &text) || load(kallsyms, job, text);
	if (good && asked && kallsyms->symbol.n == 0)
		cg_warn(job, "expected symbols with addresses, which only "
			     "root can read in /proc/kallsyms");
	cg_close_companion(job, in);
	return good;
}

/* ---- This machine's ------------------------------------------------------ */

#define NOTES "/sys/kernel/notes"
#define KALLSYMS "/proc/kallsyms"

/*
 * Takes a field of "size" bytes of an ELF note off *notes, and its padding to
 * a multiple of 4 bytes. *field is without the padding. False: truncated;
 * nothing is taken.
 */
static bool
take_field(struct cg_slice *notes, uint32_t size, struct cg_slice *field)
{
	const uint64_t padded = ((uint64_t)size + 3) & ~UINT64_C(3);

	if (padded > notes->len)
		return false;
	*field = (struct cg_slice){ notes->ptr, size };
	notes->ptr += padded;
	notes->len -= (size_t)padded;
	return true;
}

/*
 * Finds the build-id among ELF notes. Sets *id to its bytes, a part of
 * "notes". False: there is none, or the notes are truncated.
 */
static bool
find_build_id(struct cg_slice notes, struct cg_slice *id)
{
	struct cg_slice name;
	Elf64_Nhdr head; /* that of 32-bit files is the same */

	while (notes.len >= sizeof(head)) {
		memcpy(&head, notes.ptr, sizeof(head));
		notes.ptr += sizeof(head);
		notes.len -= sizeof(head);
		if (!take_field(&notes, head.n_namesz, &name) ||
		    !take_field(&notes, head.n_descsz, id))
			return false;
		if (head.n_type == NT_GNU_BUILD_ID && name.len == 4 &&
		    memcmp(name.ptr, "GNU", 4) == 0)
			return true;
	}
	return false;
}

bool
perf_kallsyms_open_own(
    struct perf_kallsyms *kallsyms, struct perf_file *file, cg_name build_id)
{
	struct cg_slice notes, id;
	struct cg_in *in;
	bool same;

	if (build_id == 0 || access(NOTES, R_OK) != 0 ||
	    access(KALLSYMS, R_OK) != 0)
		return true;
	if (!cg_open_companion(file->job, NOTES, &in) || !in)
		return cg_rejected(file->job) == CG_OK;
	same = cg_read_all(in, &notes) && find_build_id(notes, &id) &&
	       perf_data_hex(file, id.ptr, id.len) == build_id;
	cg_close_companion(file->job, in);
	return !same ||
	       perf_kallsyms_open(kallsyms, file->job, KALLSYMS, false);
}

/* ---- Lookup -------------------------------------------------------------- */

const struct perf_kallsym *
perf_kallsyms_find(const struct perf_kallsyms *kallsyms, uint64_t addr)
{
	size_t low = 0, high = kallsyms->symbol.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (kallsyms->symbol.at[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? &kallsyms->symbol.at[low - 1] : NULL;
}
