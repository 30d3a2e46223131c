/*
 * info.c - --info: a summary of the inputs, as text or (info_json.c) as JSON.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

/* Parts that are listed without -v. */
#define PARTS_SHOWN 10

static void
print_inputs(const struct cg_job *job)
{
	struct cg_detected found;
	const char *path;

	for (size_t i = 0; (path = cg_job_source(job, i, &found)); i++) {
		fputs("Input     ", stdout);
		put_safe(stdout, cg_slice(path));
		printf(": %s", found.module->name);
		if (found.filters[0] != '\0')
			printf(" (%s)", found.filters);
		putchar('\n');
	}
	for (size_t i = 0; (path = cg_job_object(job, i)) != NULL; i++) {
		fputs("Object    ", stdout);
		put_safe(stdout, cg_slice(path));
		putchar('\n');
	}
}

static void
print_count(const char *before, size_t count, const char *noun)
{
	printf("%s%zu %s%s", before, count, noun, count == 1 ? "" : "s");
}

static void
print_overview(
    const struct cg_graph *graph, const struct cg_sums *sums, cg_facts facts)
{
	char text[FACTS_ROOM];

	printf("Contains  %s\n", facts_text(text, facts));
	print_count("Size      ", cg_object_count(graph), "object");
	print_count(", ", cg_file_count(graph), "file");
	print_count(", ", cg_fn_count(graph), "function");
	print_count(", ", cg_cycle_count(sums), "cycle");
	print_count(", ", cg_part_count(graph), "part");
	putchar('\n');
}

static void
print_event(const struct cg_event *event, const char *total, int name_width,
    int total_width)
{
	int padding = name_width - (int)strlen(event->name);

	fputs("  ", stdout);
	put_safe(stdout, cg_slice(event->name));
	printf("%*s  %*s", padding, "", total_width, total);
	if (event->unit[0] != '\0') {
		putchar(' ');
		put_safe(stdout, cg_slice(event->unit));
	}
	if (event->long_name[0] != '\0') {
		fputs("  ", stdout);
		put_safe(stdout, cg_slice(event->long_name));
	}
	if (event->formula[0] != '\0') {
		fputs("  = ", stdout);
		put_safe(stdout, cg_slice(event->formula));
	}
	putchar('\n');
}

/*
 * Prints the total of each event and formula over all parts of the profile
 * (threads, processes). totals is NULL if a total does not fit into 64 bits;
 * then all totals are printed as unknown.
 */
static void
print_events(const struct cg_graph *graph, const uint64_t *totals)
{
	size_t columns = cg_event_count(graph) + cg_formula_count(graph);
	struct amount unknown = { 0 };
	char text[AMOUNT_ROOM];
	int names = 0, numbers = 0;

	puts("\nEvents");
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < columns; i++) {
			const struct cg_event *event = column_event(graph, i);
			int length = (int)strlen(event->name);

			amount_text(text,
			    totals ? column_amount(graph, i, totals) : unknown);
			if (pass == 1)
				print_event(event, text, names, numbers);
			if (length > names)
				names = length;
			if ((int)strlen(text) > numbers)
				numbers = (int)strlen(text);
		}
}

static void
print_part(const struct cg_graph *graph, cg_part part)
{
	const struct cg_part_info *info = cg_get_part(graph, part);
	const char *key, *value;

	printf("  %" PRIu32, part + 1);
	if (info->pid != 0)
		printf("  pid %" PRIu64, info->pid);
	if (info->tid != 0)
		printf("  tid %" PRIu64, info->tid);
	if (info->part != 0)
		printf("  part %" PRIu64, info->part);
	if (info->cmd[0] != '\0') {
		fputs("  ", stdout);
		put_safe(stdout, cg_slice(info->cmd));
	}
	putchar('\n');
	for (size_t i = 0; cg_part_desc(graph, part, i, &key, &value); i++) {
		fputs("       ", stdout);
		put_safe(stdout, cg_slice(key));
		fputs(": ", stdout);
		put_safe(stdout, cg_slice(value));
		putchar('\n');
	}
}

static void
print_parts(const struct cg_graph *graph, bool all)
{
	size_t count = cg_part_count(graph);
	size_t shown = all || count <= PARTS_SHOWN ? count : PARTS_SHOWN;

	puts("\nParts");
	for (cg_part part = 0; part < shown; part++)
		print_part(graph, part);
	if (shown < count)
		printf("  and %zu more; use -v to list all\n", count - shown);
}

/*
 * Sets *column to the event or formula of --event (default: the main event),
 * and *count to the number of --top. Formulas are numbered after all events.
 * Returns a usage error, or CG_OK.
 */
static int
choose_column(const struct args *args, const struct cg_graph *graph,
    size_t *column, size_t *count)
{
	size_t columns = cg_event_count(graph) + cg_formula_count(graph);
	int status =
	    parse_top(args, args->json ? SIZE_MAX : TOP_DEFAULT, count);

	*column = cg_main_event(graph);
	if (status != CG_OK || args->event == NULL)
		return status;
	*column = 0;
	while (*column < columns &&
	       strcmp(column_event(graph, *column)->name, args->event) != 0)
		++*column;
	if (*column == columns)
		return cg_usage(args->job,
		    "--event: expected an event of the input (see --info), "
		    "not '%s'",
		    args->event);
	return CG_OK;
}

static int
show_graph(const struct args *args, const struct cg_graph *graph,
    const struct cg_sums *sums, const struct contents *contents, size_t column,
    size_t count)
{
	uint64_t *totals =
	    cg_alloc(args->job, cg_event_count(graph) * sizeof *totals);
	int status;

	if (totals == NULL)
		return CG_ELIMIT;
	print_inputs(args->job);
	print_overview(graph, sums, contents->facts);
	if (contents->coverage != NULL)
		print_counts(contents->coverage, args->top != NULL ? count : 0);
	print_labels(&contents->labels);
	print_events(graph, sum_parts(graph, totals) ? totals : NULL);
	print_parts(graph, args->verbose);
	print_tracks(&contents->tracks, args->verbose);
	status = show_top(args, graph, sums, column, count);
	if (status == CG_OK && contents->tree != NULL)
		print_tree(args, contents->tree);
	return status;
}

/*
 * Returns the costs of functions, summed over all parts, for the caller to
 * free: of the event `column` or, for JSON and formulas, of all events. NULL:
 * out of memory.
 */
static struct cg_sums *
sum_functions(
    const struct args *args, const struct cg_graph *graph, size_t column)
{
	if (args->json)
		return cg_sums_new(graph, CG_ALL_PARTS, true);
	/* A formula may name any event. */
	if (column >= cg_event_count(graph))
		return cg_sums_of(
		    graph, CG_ALL_PARTS, 0, cg_event_count(graph));
	return cg_sums_of(graph, CG_ALL_PARTS, column, 1);
}

int
show_info(struct args *args)
{
	const struct cg_graph *graph;
	struct cg_sums *sums = NULL;
	struct contents contents = { 0 };
	size_t column, count;
	int status = add_inputs(args);

	cg_job_set_sums_only(args->job, true);
	if (status == CG_OK)
		status = cg_job_read(args->job, &graph);
	if (status == CG_OK)
		status = choose_column(args, graph, &column, &count);
	if (status != CG_OK)
		return status;
	/* Before deriving: facts of the inputs, not derived ones. */
	contents.facts = cg_graph_facts(graph);
	contents.coverage = count_all(graph, args);
	if (!list_labels(&contents.labels, args->job, graph, 0) ||
	    !list_tracks(&contents.tracks, args->job, graph))
		status = cg_nomem(args->job);
	if (status == CG_OK) /* a sum may be too large */
		status = cg_job_status(args->job);
	if (status == CG_OK && args->tree != NULL)
		status = list_tree(args, graph, column, &contents.tree);
	if (status == CG_OK)
		status = cg_job_derive(args->job, CG_INCL | CG_CALLS);
	if (status == CG_OK) {
		sums = sum_functions(args, graph, column);
		status = sums == NULL
			     ? cg_job_status(args->job)
			     : (args->json ? print_info_json : show_graph)(
				   args, graph, sums, &contents, column, count);
	}
	cg_sums_free(sums);
	return status;
}
