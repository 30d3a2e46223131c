/*
 * list.c - --list-formats: prints a table of the formats, from the modules'
 * data. Columns are at least two blanks apart, so scripts can split them.
 */
#include <string.h>

#include "cmd.h"

#define COLUMNS 4

/* The columns before the facts, which may be several words. */
struct cells {
	const char *text[COLUMNS];
};

static void
fill(struct cells *cells, const struct cg_module *module)
{
	const char *suffixes = module->suffixes;
	const char *can = "-";

	if (module->read != NULL)
		can = module->write != NULL ? "read,write" : "read";
	else if (module->write != NULL)
		can = "write";
	cells->text[0] = module->name;
	cells->text[1] = can;
	cells->text[2] = suffixes && suffixes[0] ? suffixes : "-";
	cells->text[3] = module->title;
}

static void
print_row(const struct cells *cells, const size_t *width, const char *facts)
{
	for (size_t i = 0; i < COLUMNS; i++)
		printf("%-*s  ", (int)width[i], cells->text[i]);
	puts(facts);
}

int
list_formats(struct args *args)
{
	static const struct cells head = {
		.text = { "FORMAT", "CAN", "SUFFIXES", "TITLE" },
	};
	const struct cg_module *module;
	struct cells cells;
	size_t width[COLUMNS];
	char facts[FACTS_ROOM];

	for (size_t i = 0; i < COLUMNS; i++)
		width[i] = strlen(head.text[i]);
	for (size_t n = 0; (module = cg_job_module(args->job, n)); n++) {
		fill(&cells, module);
		for (size_t i = 0; i < COLUMNS; i++)
			if (strlen(cells.text[i]) > width[i])
				width[i] = strlen(cells.text[i]);
	}
	print_row(&head, width, "CONTAINS");
	for (size_t n = 0; (module = cg_job_module(args->job, n)); n++) {
		fill(&cells, module);
		print_row(&cells, width, facts_text(facts, module->carries));
	}
	return CG_OK;
}
