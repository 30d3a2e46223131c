/*
 * samples.c - tests splitting samples by process, thread, command or label.
 */
#include "graph/build.h"
#include "unit.h"

static int fault;
static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };

#define WORD(text)                     \
	{                              \
		text, sizeof(text) - 1 \
	}

static const struct cg_label red = { .key = WORD("color"),
	.value = WORD("red") };
static const struct cg_label blue[] = { { .key = WORD("size"), .number = 9 },
	{ .key = WORD("color"), .value = WORD("blue") },
	{ .key = WORD("pid"), .number = 9 },
	{ .key = WORD("color"), .value = WORD("navy") },
	{ .key = WORD("tid"), .number = 9 } };

static const struct sample {
	struct cg_sample_key key;
	uint64_t cost;
} samples[] = {
	{ { .pid = 7, .tid = 8, .comm = { "work", 4 } }, 1 },
	{ { .pid = 7, .tid = 7, .comm = { "app", 3 } }, 2 },
	{ { .pid = 7, .tid = 8, .comm = { "work", 4 } }, 4 },
	{ { .pid = 9,
	      .tid = 9,
	      .comm = { "app", 3 },
	      .label = &red,
	      .labels = 1 },
	    8 },
	{ { .pid = 9,
	      .tid = 9,
	      .comm = { "app", 3 },
	      .label = blue,
	      .labels = 5 },
	    16 },
	{ { .pid = 9,
	      .tid = 9,
	      .comm = { "app", 3 },
	      .label = &red,
	      .labels = 1 },
	    32 },
	{ { .comm = { "", 0 } }, 64 },
};

static struct cg_graph *
begin(struct cg_build *build, struct cg_part_by *by, const char *text)
{
	struct cg_graph *graph = cg_graph_new(&diag, &fault);

	if (!graph)
		exit(1);
	message.count = 0;
	CHECK(cg_part_by_parse(by, text));
	cg_build_init(build, graph, CG_PARTS_SUM);
	build->by = by;
	return graph;
}

/* An input with a description before and one after its samples. */
static void
read_input(struct cg_build *build)
{
	const struct cg_pos nowhere = { 0 };
	cg_fn fn;

	cg_build_next(build, NULL);
	cg_add_event(build, &(struct cg_event){ .name = "samples" });
	fn = cg_add_fn(build, cg_slice("f"), 0, 0);
	cg_add_desc(build, cg_slice("Host"), cg_slice("here"));
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		cg_node node = cg_add_frame(build, 0, fn, &nowhere, false);

		cg_set_sample_part(build, &samples[i].key);
		cg_add_stack(build, node, 1, &samples[i].cost, 1);
	}
	cg_add_desc(build, cg_slice("End"), cg_slice("now"));
}

static void
end(struct cg_build *build, struct cg_graph *graph)
{
	CHECK(cg_build_status(build) == CG_OK && fault == CG_OK);
	cg_build_free(build);
	cg_graph_free(graph);
}

static void
check_part(const struct cg_graph *graph, cg_part part,
    const struct cg_part_info *want, uint64_t cost, const char *color)
{
	const struct cg_part_info *info = cg_get_part(graph, part);
	const char *key = "", *value = "";
	size_t i = 0;

	CHECK(info && info->pid == want->pid && info->tid == want->tid);
	CHECK(info && strcmp(info->cmd, want->cmd) == 0);
	CHECK(cg_part_totals(graph, part)[0] == cost);
	CHECK(cg_part_desc(graph, part, i++, &key, &value) &&
	      strcmp(key, "Host") == 0);
	CHECK(cg_part_desc(graph, part, i++, &key, &value) &&
	      strcmp(key, "End") == 0);
	if (color) {
		CHECK(cg_part_desc(graph, part, i++, &key, &value));
		CHECK(strcmp(key, "color") == 0 && strcmp(value, color) == 0);
	}
	CHECK(!cg_part_desc(graph, part, i, &key, &value));
}

struct want {
	struct cg_part_info info;
	uint64_t cost;
	const char *color;
};

/* Checks all sets of labels: "key=text key#number | ...". */
static void
check_labels(const struct cg_graph *graph, const char *want)
{
	char text[256] = "";
	struct cg_label label;
	size_t len = 0, sets = cg_labels_count(graph);

	for (cg_labels set = 1; set <= sets; set++) {
		for (size_t i = 0; cg_get_label(graph, set, i, &label); i++)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
			    "%s%s%s ", label.key.ptr,
			    label.value.len ? "=" : "#", label.value.ptr);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "| ");
	}
	if (!CHECK(strcmp(text, want) == 0))
		fprintf(stderr, "labels: %s\n", text);
}

/* Merging two inputs merges parts with the same key. */
static void
test_parts(const char *by_text, const struct want *want, size_t parts,
    const char *labels)
{
	struct cg_part_by by;
	struct cg_build build;
	struct cg_graph *graph = begin(&build, &by, by_text);

	read_input(&build);
	read_input(&build);
	CHECK(cg_samples_end(&build, false, false) == CG_OK);
	CHECK(cg_graph_seal(graph) == CG_OK);
	if (CHECK(cg_part_count(graph) == parts))
		for (cg_part part = 0; part < parts; part++)
			check_part(graph, part, &want[part].info,
			    2 * want[part].cost, want[part].color);
	check_labels(graph, labels);
	end(&build, graph);
}

static void
test_all(void)
{
	static const struct want none[] = { { { .cmd = "" }, 127, NULL } };
	static const struct want pid[] = { { { .pid = 7, .cmd = "app" }, 7,
					       NULL },
		{ { .pid = 9, .tid = 9, .cmd = "app" }, 56, NULL },
		{ { .cmd = "" }, 64, NULL } };
	static const struct want tid[] = {
		{ { .pid = 7, .tid = 8, .cmd = "work" }, 5, NULL },
		{ { .pid = 7, .tid = 7, .cmd = "app" }, 2, NULL },
		{ { .pid = 9, .tid = 9, .cmd = "app" }, 56, NULL },
		{ { .cmd = "" }, 64, NULL }
	};
	static const struct want comm[] = {
		{ { .pid = 7, .tid = 8, .cmd = "work" }, 5, NULL },
		{ { .cmd = "app" }, 58, NULL }, { { .cmd = "" }, 64, NULL }
	};
	static const struct want label[] = { { { .cmd = "" }, 71, NULL },
		{ { .pid = 9, .tid = 9, .cmd = "app" }, 40, "red" },
		{ { .pid = 9, .tid = 9, .cmd = "app" }, 16, "blue" } };

	/* Labels that the part has are dropped: see cg_set_sample_part(). */
	test_parts("none", none, 1,
	    "color=blue color=navy pid# size# tid# | color=red | ");
	test_parts(
	    "pid", pid, 3, "color=blue color=navy size# tid# | color=red | ");
	test_parts("tid", tid, 4, "color=blue color=navy size# | color=red | ");
	test_parts("comm", comm, 3,
	    "color=blue color=navy pid# size# tid# | color=red | ");
	test_parts("label:color", label, 3, "color=navy pid# size# tid# | ");
}

/* Warns if no sample has the property of --part-by. */
static void
test_missing(void)
{
	struct cg_part_by by;
	struct cg_build build;
	struct cg_graph *graph = begin(&build, &by, "label:shape");

	read_input(&build);
	CHECK(cg_samples_end(&build, false, false) == CG_OK);
	CHECK(cg_part_count(graph) == 1 && message.count == 1);
	CHECK(strstr(
	    message.text, "no sample has a value for option 'part-by' label:shape"));
	CHECK(!cg_part_by_parse(&by, "label:"));
	CHECK(!cg_part_by_parse(&by, "pids"));
	CHECK(!cg_part_by_parse(&by, ""));
	end(&build, graph);
}

int
main(void)
{
	test_all();
	test_missing();
	return unit_end();
}
