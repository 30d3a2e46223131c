/*
 * report.c - the summary of coverage as text for people and as JSON.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "summary.h"

/* ---- Text ---------------------------------------------------------------- */

struct table {
	const struct summary *summary;
	const struct covered *row;
};

/*
 * Writes a cell of the table to buf: "85.7% 12/14" (share, hit, found), "-" if
 * nothing was found. i: the row; cell: index of the metric among those shown.
 */
static void
put_cell(char buf[AMOUNT_ROOM], const void *arg, size_t i, size_t cell)
{
	const struct table *table = arg;
	const struct cg_hits *hits =
	    &table->row[i].hits[table->summary->metric[cell]];
	char rate[AMOUNT_ROOM];

	if (hits->found == 0)
		snprintf(buf, AMOUNT_ROOM, "-");
	else
		/* buf has room for nine digits of each number. */
		snprintf(buf, AMOUNT_ROOM, "%.6s %" PRIu64 "/%" PRIu64,
		    rate_text(rate, hits), hits->hit % 1000000000,
		    hits->found % 1000000000);
}

static void
put_name(FILE *to, const void *arg, size_t i)
{
	const struct table *table = arg;
	char buf[AMOUNT_ROOM];

	put_safe(to, row_name(table->summary, &table->row[i], buf));
}

static void
print_table(const struct summary *summary, const char *title,
    const struct covered *row, size_t rows)
{
	const struct table table = { summary, row };
	const char *head[METRICS + 2] = { NULL };

	for (size_t i = 0; i < summary->metrics; i++)
		head[i] = metric_name[summary->metric[i]];
	head[summary->metrics] = title;
	put_table(stdout, head, rows, put_cell, put_name, &table);
}

void
print_text(const struct summary *summary)
{
	fputs("Coverage", stdout);
	if (summary->root.len > 0) {
		fputs(" below ", stdout);
		put_safe(stdout, summary->root);
	}
	putchar('\n');
	print_table(summary, "total", &summary->total, 1);
	putchar('\n');
	print_table(
	    summary, "directory", summary->directory.at, summary->directory.n);
	if (summary->tests > 0) {
		putchar('\n');
		print_table(summary, "test", summary->test, summary->tests);
	}
	if (summary->shown == 0)
		return;
	putchar('\n');
	print_table(summary, "file, least covered first", summary->file.at,
	    summary->shown);
	if (summary->shown < summary->file.n)
		printf("  and %zu more; use --top to list them\n",
		    summary->file.n - summary->shown);
}

/*
 * Prints the coverage of all metrics found, such as "90.0% of 10 lines". Then
 * prints a table of at most `directories` directories, least covered first,
 * for which it sorts summary->directory.
 */
void
print_counts(struct summary *summary, size_t directories)
{
	const struct cg_hits *hits = summary->total.hits;
	const char *before = "Coverage  ";
	char text[AMOUNT_ROOM];

	for (size_t i = 0; i < METRICS; i++) {
		if (hits[i].found == 0)
			continue;
		printf("%s%s of %" PRIu64 " %s", before,
		    rate_text(text, &hits[i]), hits[i].found, metric_name[i]);
		before = ", ";
	}
	putchar('\n');
	if (directories == 0)
		return;
	rank_directories(summary);
	if (directories > summary->directory.n)
		directories = summary->directory.n;
	putchar('\n');
	print_table(summary, "directory, least covered first",
	    summary->directory.at, directories);
}

/* ---- JSON ---------------------------------------------------------------- */

static struct json_object *
json_rate(const struct cg_hits *hits)
{
	char text[AMOUNT_ROOM];
	double rate = 0;

	rate_text(text, hits);
	text[strcspn(text, "%")] = '\0';
	if (hits->found > 0)
		rate = (double)hits->hit * 100 / (double)hits->found;
	return json_object_new_double_s(rate, text);
}

/*
 * Returns a JSON object with the numbers hit and found, and their percentage.
 * The percentage is null if nothing was found. The caller releases the object.
 * NULL: out of memory.
 */
static struct json_object *
json_hits(const struct cg_hits *hits)
{
	struct json_object *json = json_object_new_object();
	bool ok = add_json_u64(json, "hit", hits->hit) &&
		  add_json_u64(json, "found", hits->found);

	if (ok && hits->found == 0)
		ok = json_object_object_add(json, "percent", NULL) == 0;
	else
		ok = ok && add_json(json, "percent", json_rate(hits));
	if (ok)
		return json;
	json_object_put(json);
	return NULL;
}

static struct json_object *
json_covered(const struct summary *summary, const struct covered *covered)
{
	struct json_object *json = json_object_new_object();
	const char *key = is_test(summary, covered) ? "name" : "path";
	char buf[AMOUNT_ROOM];
	bool ok =
	    covered == &summary->total ||
	    add_json_text(json, key,
		is_test(summary, covered) ? row_name(summary, covered, buf)
					  : covered->path);

	for (size_t i = 0; ok && i < summary->metrics; i++) {
		size_t metric = summary->metric[i];

		ok = add_json(json, metric_name[metric],
		    json_hits(&covered->hits[metric]));
	}
	if (ok)
		return json;
	json_object_put(json);
	return NULL;
}

struct json_object *
json_counts(struct summary *summary, size_t directories)
{
	struct json_object *json = json_covered(summary, &summary->total);
	struct json_object *list = json_object_new_array();
	bool ok = json != NULL && list != NULL;

	rank_directories(summary);
	for (size_t i = 0; ok && i < directories && i < summary->directory.n;
	     i++)
		ok = append_json(
		    list, json_covered(summary, &summary->directory.at[i]));
	if (ok && json_object_object_add(json, "directories", list) == 0)
		return json;
	json_object_put(list);
	json_object_put(json);
	return NULL;
}

static bool
write_list(const struct summary *summary, const char *name,
    const struct covered *list, size_t count)
{
	bool ok = true;

	printf(",\n\"%s\":[", name);
	for (size_t i = 0; ok && i < count; i++) {
		puts(i > 0 ? "," : "");
		ok = write_json(stdout, json_covered(summary, &list[i]));
	}
	putchar(']');
	return ok;
}

bool
print_json(const struct summary *summary)
{
	bool ok;

	fputs("{\"summary\":1,\n\"total\":", stdout);
	ok = write_json(stdout, json_covered(summary, &summary->total)) &&
	     write_list(summary, "directories", summary->directory.at,
		 summary->directory.n) &&
	     write_list(summary, "files", summary->file.at, summary->shown) &&
	     (summary->tests == 0 ||
		 write_list(summary, "tests", summary->test, summary->tests));
	puts("}");
	return ok;
}
