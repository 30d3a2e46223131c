/*
 * markup.c - the summary of coverage as Markdown, for comments of pull
 * requests, and as a badge.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

/* ---- Markdown ------------------------------------------------------------ */

static void
print_head(const struct summary *summary, const char *title)
{
	static const char *const names[METRICS] = { "Lines", "Functions",
		"Branches", "Conditions", "Regions" };

	printf("| %s |", title);
	for (size_t i = 0; i < summary->metrics; i++)
		printf(" %s |", names[summary->metric[i]]);
	fputs("\n|---|", stdout);
	for (size_t i = 0; i < summary->metrics; i++)
		fputs("---:|", stdout);
	putchar('\n');
}

static void
print_row(const struct summary *summary, const struct covered *covered)
{
	char text[AMOUNT_ROOM];

	fputs("| ", stdout);
	if (covered == &summary->total)
		fputs("**all files**", stdout);
	else
		put_markdown(stdout, row_name(summary, covered, text));
	fputs(" |", stdout);
	for (size_t i = 0; i < summary->metrics; i++) {
		const struct cg_hits *hits = &covered->hits[summary->metric[i]];

		printf(" %s", rate_text(text, hits));
		if (hits->found > 0)
			printf(" (%" PRIu64 "/%" PRIu64 ")", hits->hit,
			    hits->found);
		fputs(" |", stdout);
	}
	putchar('\n');
}

void
print_markdown(const struct summary *summary)
{
	puts("### Coverage\n");
	print_head(summary, "Directory");
	print_row(summary, &summary->total);
	for (size_t i = 0; i < summary->directory.n; i++)
		print_row(summary, &summary->directory.at[i]);
	if (summary->tests > 0) {
		putchar('\n');
		print_head(summary, "Test");
	}
	for (size_t i = 0; i < summary->tests; i++)
		print_row(summary, &summary->test[i]);
	if (summary->shown == 0)
		return;
	printf("\n<details><summary>%zu of %zu file%s, least covered first"
	       "</summary>\n\n",
	    summary->shown, summary->file.n, summary->file.n == 1 ? "" : "s");
	print_head(summary, "File");
	for (size_t i = 0; i < summary->shown; i++)
		print_row(summary, &summary->file.at[i]);
	puts("\n</details>");
}

/* ---- Badge --------------------------------------------------------------- */

/* Pixels: width of the two halves, and the average width of a character. */
#define LABEL_WIDTH 61
#define MARGIN 10
#define CHARACTER 7

/*
 * Returns the colour of a badge: green from 90%, yellow from 75%, else red, the
 * limits of genhtml; grey if there is nothing to cover.
 */
static const char *
colour_of(const struct cg_hits *hits)
{
	if (hits->found == 0)
		return "#9f9f9f";
	if (hits->hit >= hits->found - hits->found / 10)
		return "#2da44e";
	return hits->hit >= hits->found - hits->found / 4 ? "#bf8700"
							  : "#cf222e";
}

void
print_badge(const struct summary *summary)
{
	const struct cg_hits *lines = &summary->total.hits[LINES];
	char text[AMOUNT_ROOM];
	int width = MARGIN;

	rate_text(text, lines);
	if (lines->found == 0)
		snprintf(text, sizeof(text), "unknown");
	width += CHARACTER * (int)strlen(text);
	printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	       "height=\"20\" role=\"img\">\n"
	       "<title>coverage: %s of lines</title>\n"
	       "<rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"%s\"/>\n"
	       "<path d=\"M3 0h%dv20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z\" "
	       "fill=\"#555\"/>\n"
	       "<g fill=\"#fff\" text-anchor=\"middle\" font-size=\"11\" "
	       "font-family=\"Verdana,DejaVu Sans,sans-serif\">\n"
	       "<text x=\"%d\" y=\"14\">coverage</text>\n"
	       "<text x=\"%d\" y=\"14\">%s</text>\n</g>\n</svg>\n",
	    LABEL_WIDTH + width, text, LABEL_WIDTH + width, colour_of(lines),
	    LABEL_WIDTH - 3, LABEL_WIDTH / 2, LABEL_WIDTH + width / 2, text);
}
