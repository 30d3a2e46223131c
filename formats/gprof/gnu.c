/*
 * gnu.c - the functions that GNU gprof sees, for --gprof-compat.
 *
 * Source: the behaviour of gprof 2.40 (corefile.c, symtab.c), measured on 44
 * programs. It leaves out many local symbols, so that their time and calls go
 * to the function before; sizes do not matter to it.
 */
#include <stdlib.h>
#include <string.h>

#include "gprof.h"

#define STB_LOCAL 0 /* ELF */
#define STB_WEAK 2
#define STB_GNU_UNIQUE 10
#define STT_OBJECT 1
#define STT_FUNC 2
#define STT_SECTION 3
#define STT_FILE 4
#define STT_GNU_IFUNC 10

bool
gprof_is_overhead(const char *name)
{
	static const char *const names[] = { "mcount", "_mcount", "__mcount",
		"_gprof_mcount", "__mcount_internal", "__mcleanup" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* The length of a suffix ".5", ".clone.5", ".constprop.5"; 0: another. */
static size_t
suffix_length(const char *text)
{
	static const char *const words[] = { ".clone.", ".constprop." };
	bool digit = false;
	size_t i = 0;

	for (size_t w = 0; w < 2; w++) {
		size_t len = strlen(words[w]);

		if (strncmp(text, words[w], len) == 0 && text[len])
			i = len - 1;
	}
	for (i++; text[i] && !(digit && text[i] == '.'); i++) {
		if (text[i] < '0' || text[i] > '9')
			return 0;
		digit = true;
	}
	return i;
}

/*
 * Local names with '$', and those with a suffix of the compiler that is not
 * known. Behind a suffix gprof passes the NUL and goes on in the name that
 * follows in the string table, so what is there decides as well.
 */
static bool
is_local_name(const char *name, size_t room)
{
	size_t i = 0, len;

	while (i < room && name[i] != '\0') {
		if (name[i] == '$')
			return false;
		if (name[i] != '.') {
			i++;
			continue;
		}
		for (; name[i] == '.'; i += len) {
			len = suffix_length(name + i);
			if (len == 0)
				return false;
		}
		i++;
	}
	return true;
}

static bool
is_function(const struct cg_symbol *symbol)
{
	if (symbol->undefined || symbol->absolute ||
	    symbol->type == STT_SECTION || symbol->type == STT_FILE ||
	    symbol->type == STT_GNU_IFUNC || symbol->bind == STB_GNU_UNIQUE)
		return false;
	if (symbol->bind == STB_WEAK)
		return symbol->type != STT_OBJECT;
	if (symbol->bind == STB_LOCAL)
		return symbol->exec &&
		       is_local_name(symbol->name, symbol->room);
	return symbol->exec;
}

static unsigned
underscores(const char *name)
{
	return name[0] != '_' ? 0 : name[1] != '_' ? 1 : 2;
}

/* By address, then the name that stands for it first. */
static int
compare_symbols(const void *va, const void *vb)
{
	const struct gmon_symbol *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->global != b->global)
		return a->global ? -1 : 1;
	if (a->func != b->func)
		return a->func ? -1 : 1;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) < underscores(b->name) ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* One symbol an address; each reaches to the next, the last to .text's end. */
static void
settle_symbols(struct gmon_symbols *symbols, const struct cg_elf *elf)
{
	uint64_t last = elf->text_end ? elf->text_end : elf->exec_high;
	struct gmon_symbol *at = symbols->at;
	size_t kept = 0;

	if (symbols->count > 0)
		qsort(at, symbols->count, sizeof(*at), compare_symbols);
	for (size_t i = 0; i < symbols->count; i++) {
		if (i == 0 || at[i].addr != at[kept - 1].addr)
			at[kept++] = at[i];
	}
	symbols->count = kept;
	for (size_t i = 0; i < kept; i++)
		at[i].end = i + 1 < kept ? at[i + 1].addr : last;
}

int
gprof_gnu_symbols(struct cg_job *job, const struct cg_symbols *table,
    struct gmon_symbols *symbols)
{
	const struct cg_elf *elf = cg_symbols_elf(table);
	struct cg_symbol symbol;

	symbols->at = calloc(elf->symbol_count + 1, sizeof(*symbols->at));
	if (!symbols->at)
		return cg_nomem(job);
	for (size_t i = 0; i < elf->symbol_count; i++) {
		if (!cg_get_symbol(table, i, &symbol) || !is_function(&symbol))
			continue;
		symbols->at[symbols->count++] = (struct gmon_symbol){
			.addr = symbol.addr,
			.name = symbol.name,
			.index = i,
			.global = symbol.bind != STB_LOCAL,
			.func = symbol.type == STT_FUNC,
		};
	}
	settle_symbols(symbols, elf);
	return CG_OK;
}

size_t
gprof_gnu_find(const struct gmon_symbols *symbols, uint64_t addr)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->at[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || addr >= symbols->at[low - 1].end)
		return SIZE_MAX;
	return low - 1;
}
