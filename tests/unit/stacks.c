/*
 * stacks.c - call stacks: tree, order, folding, guessing, compared with brute
 * force on small random samples.
 */
#include "algo/algo.h"
#include "unit.h"

#define FNS 5
#define EVENTS 3
#define PARTS 3
#define DEPTH 9
#define SAMPLES 14
#define LINES 3
#define LABELS 4

static int fault;
static bool unsigned_only; /* no event is signed */
static uint64_t row;       /* cost of the first function that is of no stack */
static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };

struct sample {
	cg_part part;
	size_t depth, n;
	cg_fn fn[DEPTH];
	uint32_t line[DEPTH];
	bool inlined[DEPTH];
	uint64_t samples, cost[EVENTS];
	cg_labels labels; /* below LABELS */
};

/* Sets of two labels in either order of keys are equal. */
static const struct cg_label some[3] = { { .key = { "k", 1 }, .number = 3 },
	{ .key = { "a", 1 }, .value = { "x", 1 } },
	{ .key = { "k", 1 }, .number = 3 } };
static const struct {
	const struct cg_label *label;
	size_t n;
} label_sets[LABELS] = { { some, 0 }, { some, 2 }, { some + 1, 2 },
	{ some + 2, 1 } };

static void
make_samples(struct sample *sample, uint64_t *random)
{
	for (size_t i = 0; i < SAMPLES; i++, sample++) {
		*sample = (struct sample){
			.part = (cg_part)unit_below(random, PARTS),
			.depth = unit_below(random, DEPTH) + 1,
			.n = unit_below(random, EVENTS) + 1,
			.samples = unit_below(random, 4),
			.labels = (cg_labels)unit_below(random, LABELS),
		};
		for (size_t k = 0; k < sample->depth; k++) {
			sample->fn[k] = (cg_fn)unit_below(random, FNS) + 1;
			sample->line[k] = (uint32_t)unit_below(random, LINES);
			sample->inlined[k] = unit_below(random, 4) == 0;
		}
		/* The second event may be signed. */
		for (size_t k = 0; k < sample->n; k++)
			sample->cost[k] = unit_below(random, 9) -
					  (k == 1 && !unsigned_only ? 4u : 0u);
	}
}

static struct cg_graph *
begin(struct cg_build *build)
{
	struct cg_graph *graph = cg_graph_new(&diag, &fault);
	char name[16];

	if (!graph)
		exit(1);
	cg_build_init(build, graph, CG_PARTS_KEEP);
	for (int i = 0; i < EVENTS; i++) {
		(void)snprintf(name, sizeof(name), "e%d", i);
		cg_add_event(
		    build, &(struct cg_event){ .name = name,
			       .is_signed = i == 1 && !unsigned_only });
	}
	for (int i = 0; i < PARTS; i++)
		CHECK(cg_add_part(build, &(struct cg_part_info){ .cmd = "" }) ==
		      (cg_part)i);
	for (int i = 1; i <= FNS; i++) {
		/* Ids and names in opposite order. */
		(void)snprintf(name, sizeof(name), "f%d", FNS - i);
		CHECK(cg_add_fn(build, cg_slice(name), 0, 0) == (cg_fn)i);
	}
	return graph;
}

static void
end(struct cg_build *build, struct cg_graph *graph)
{
	CHECK(cg_build_status(build) == CG_OK && fault == CG_OK);
	cg_build_free(build);
	cg_graph_free(graph);
	fault = CG_OK;
}

static void
add_sample(struct cg_build *build, const struct sample *sample)
{
	cg_frame_id frame[DEPTH];
	cg_node node = 0;

	cg_set_part(build, sample->part);
	cg_set_labels(
	    build, cg_add_labels(build, label_sets[sample->labels].label,
		       label_sets[sample->labels].n));
	/* One by one, or all at once. */
	for (size_t k = 0; k < sample->depth; k++) {
		const struct cg_pos pos = { .line = sample->line[k] };

		frame[k] = cg_get_frame(
		    build, sample->fn[k], &pos, sample->inlined[k]);
		if (sample->depth % 2)
			node = cg_add_frame(build, node, sample->fn[k], &pos,
			    sample->inlined[k]);
	}
	if (sample->depth % 2 == 0)
		CHECK(cg_add_paths(build, frame, &sample->depth, 1, &node));
	cg_add_stack(build, node, sample->samples, sample->cost, sample->n);
}

/* ---- The tree ------------------------------------------------------------ */

static bool
same_stack(const struct sample *a, const struct sample *b)
{
	bool same = a->part == b->part && a->depth == b->depth &&
		    label_sets[a->labels].n == label_sets[b->labels].n;

	for (size_t k = 0; same && k < a->depth; k++)
		same = a->fn[k] == b->fn[k] && a->line[k] == b->line[k] &&
		       a->inlined[k] == b->inlined[k];
	return same;
}

/* Sums of all samples of a stack. */
static void
sum_alike(const struct sample *sample, const struct sample *of,
    uint64_t *samples, uint64_t *cost)
{
	*samples = 0;
	memset(cost, 0, EVENTS * sizeof(*cost));
	for (size_t i = 0; i < SAMPLES; i++) {
		if (!same_stack(&sample[i], of))
			continue;
		*samples += sample[i].samples;
		for (size_t k = 0; k < sample[i].n; k++)
			cost[k] += sample[i].cost[k];
	}
}

/* Finds the sample that has the stack. */
static const struct sample *
find_sample(const struct cg_graph *graph, const struct sample *sample,
    cg_part part, const struct cg_stack_cost *cost)
{
	struct sample got = { .part = part };
	struct cg_label label;
	cg_node leaf = cost->leaf;
	struct cg_stack stack;
	size_t depth = 0;

	for (cg_node node = leaf; node != 0; node = stack.parent, depth++)
		cg_get_node(graph, node, &stack);
	got.depth = depth;
	/* {}, {k}, {a, k}: sets of 0, 1, 2 labels, a before k. */
	for (size_t i = 0; cg_get_label(graph, cost->labels, i, &label); i++) {
		got.labels = i == 0 ? 3 : 1;
		CHECK(i == 0 || label.number == 3);
	}
	for (cg_node node = leaf; depth-- > 0; node = stack.parent) {
		cg_get_node(graph, node, &stack);
		CHECK(stack.parent < node && stack.node == node);
		got.fn[depth] = stack.fn;
		got.line[depth] = stack.pos.line;
		got.inlined[depth] = stack.inlined;
	}
	for (size_t i = 0; i < SAMPLES; i++) {
		if (same_stack(&sample[i], &got))
			return &sample[i];
	}
	return NULL;
}

static void
compare_stacks(const struct cg_graph *graph, const struct sample *sample)
{
	uint64_t samples, cost[EVENTS];
	struct cg_stack_cost stack;
	const struct sample *found;
	size_t distinct = 0, count = 0;

	for (cg_part part = 0; part < PARTS; part++) {
		cg_node last = 0;
		cg_labels labels = 0;

		for (size_t i = 0; cg_next_stack(graph, part, &i, &stack);) {
			CHECK(stack.leaf > last ||
			      (stack.leaf == last && stack.labels > labels));
			last = stack.leaf;
			labels = stack.labels;
			count++;
			found = find_sample(graph, sample, part, &stack);
			if (!CHECK(found != NULL))
				continue;
			sum_alike(sample, found, &samples, cost);
			CHECK(stack.samples == samples);
			for (size_t k = 0; k < EVENTS; k++)
				CHECK(cost[k] ==
				      (k < stack.n ? stack.cost[k] : 0));
		}
	}
	for (size_t i = 0; i < SAMPLES; i++) {
		size_t before = 0;

		while (before < i && !same_stack(&sample[before], &sample[i]))
			before++;
		distinct += before == i;
	}
	CHECK(count == distinct);
	count = 0;
	for (size_t i = 0; cg_next_stack(graph, CG_ALL_PARTS, &i, &stack);)
		count++;
	CHECK(count == distinct);
}

/* The order of samples does not change the nodes. */
static void
compare_order(const struct cg_graph *graph, const struct sample *sample)
{
	struct cg_build build;
	struct cg_graph *other = begin(&build);
	struct cg_stack a, b;

	for (size_t i = SAMPLES; i-- > 0;)
		add_sample(&build, &sample[i]);
	CHECK(cg_graph_seal(other) == CG_OK);
	CHECK(cg_node_count(other) == cg_node_count(graph));
	for (cg_node node = 1; node <= cg_node_count(graph); node++) {
		cg_get_node(graph, node, &a);
		cg_get_node(other, node, &b);
		CHECK(a.parent == b.parent && a.fn == b.fn &&
		      a.pos.line == b.pos.line && a.inlined == b.inlined);
	}
	/* Frames added to a sealed graph get the existing nodes. */
	add_sample(&build, &sample[0]);
	CHECK(cg_graph_seal(other) == CG_OK);
	CHECK(cg_node_count(other) == cg_node_count(graph));
	CHECK(other->stacks == graph->stacks);
	CHECK(cg_labels_count(other) == cg_labels_count(graph));
	for (size_t i = 0; i < other->stacks && i < graph->stacks; i++)
		CHECK(other->stack[i].labels == graph->stack[i].labels);
	end(&build, other);
}

/* Dropping labels gives the stacks of samples without labels. */
static void
compare_unlabelled(struct cg_build *build, const struct sample *sample)
{
	struct sample plain[SAMPLES];

	for (size_t i = 0; i < SAMPLES; i++) {
		plain[i] = sample[i];
		plain[i].labels = 0;
	}
	CHECK(cg_stacks_unlabel(build) == CG_OK);
	CHECK(!(cg_graph_facts(build->graph) & CG_LABELS));
	compare_stacks(build->graph, plain);
	/* Further samples are added to the existing stacks. */
	add_sample(build, &plain[0]);
	plain[0].samples *= 2;
	for (size_t k = 0; k < plain[0].n; k++)
		plain[0].cost[k] *= 2;
	compare_stacks(build->graph, plain);
}

/* ---- Folding ------------------------------------------------------------- */

/* Functions of a level are numbered (level - 1) * FNS + fn. */
#define ALL (DEPTH * FNS + 1)

struct model {
	uint64_t self[ALL][LINES][EVENTS], inclusive[ALL][EVENTS];
	uint64_t call[ALL][LINES][ALL][EVENTS], count[ALL][LINES][ALL];
	bool called[ALL][LINES][ALL];
	bool is_called[ALL], is_root[ALL];
};

static void
add_to(uint64_t *sum, const struct sample *sample)
{
	for (size_t k = 0; k < sample->n; k++)
		sum[k] += sample->cost[k];
}

static void
fold_model(struct model *model, const struct sample *sample, uint64_t levels)
{
	size_t fn[DEPTH], i;

	for (size_t k = 0; k < sample->depth; k++) {
		uint64_t level = 1;

		for (i = 0; i < k; i++)
			level += sample->fn[i] == sample->fn[k];
		level = level < levels ? level : levels;
		fn[k] = (level - 1) * FNS + sample->fn[k];
		for (i = 0; i < k && fn[i] != fn[k]; i++)
			;
		if (i == k)
			add_to(model->inclusive[fn[k]], sample);
		for (i = 1; i < k && (fn[i] != fn[k] || fn[i - 1] != fn[k - 1]);
		     i++)
			;
		if (k > 0 && i == k) {
			uint32_t line = sample->line[k - 1];

			add_to(model->call[fn[k - 1]][line][fn[k]], sample);
			model->called[fn[k - 1]][line][fn[k]] = true;
			model->is_called[fn[k]] = true;
			model->count[fn[k - 1]][line][fn[k]] += sample->samples;
		}
	}
	/* Function 0 calls the functions that begin stacks, */
	add_to(model->call[0][0][fn[0]], sample);
	model->count[0][0][fn[0]] += sample->samples;
	model->is_root[fn[0]] = true;
	i = sample->depth - 1;
	add_to(model->self[fn[i]][sample->line[i]], sample);
}

/* ... if one of these is also called in some part. */
static bool
has_called_root(const struct sample *sample, uint64_t levels)
{
	struct model *model = unit_alloc(sizeof(*model));
	bool has = false;

	for (cg_part part = 0; part < PARTS; part++) {
		memset(model, 0, sizeof(*model));
		for (size_t i = 0; i < SAMPLES; i++) {
			if (sample[i].part == part)
				fold_model(model, &sample[i], levels);
		}
		for (size_t i = 0; i < ALL; i++)
			has |= model->is_called[i] && model->is_root[i];
	}
	free(model);
	return has;
}

static cg_fn
fn_number(const struct cg_graph *graph, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(graph, fn);
	uint64_t number = 0, level = 1;

	if (fn == 0)
		return 0;
	CHECK(cg_take_char(&name, 'f') && cg_take_u64(&name, &number));
	if (cg_take_char(&name, '\''))
		CHECK(cg_take_u64(&name, &level) && level > 1);
	return (cg_fn)((level - 1) * FNS + FNS - number);
}

static void
compare_costs(const uint64_t *a, const uint64_t *b, size_t n)
{
	for (size_t k = 0; k < EVENTS; k++)
		CHECK(a[k] == (k < n ? b[k] : 0));
}

static void
compare_rows(struct cg_rows *rows, struct model *model, cg_fn fn,
    const struct cg_graph *graph)
{
	struct cg_cost cost;
	struct cg_call call;

	while (cg_next_cost(rows, &cost)) {
		uint64_t *self = model->self[fn][cost.pos.line];

		compare_costs(self, cost.cost, cost.n);
		memset(self, 0, EVENTS * sizeof(*self));
	}
	while (cg_next_call(rows, &call)) {
		cg_fn to = fn_number(graph, call.callee);
		uint32_t line = call.site.line;

		CHECK(model->called[fn][line][to]);
		compare_costs(model->call[fn][line][to], call.cost, call.n);
		CHECK(call.count == model->count[fn][line][to]);
		model->called[fn][line][to] = false;
	}
	if (cg_stated_inclusive(rows, &cost)) {
		compare_costs(model->inclusive[fn], cost.cost, cost.n);
		memset(model->inclusive[fn], 0, sizeof(model->inclusive[fn]));
	}
}

/* Every expected call was found and removed. */
static bool
is_empty(const struct model *model)
{
	const uint64_t *number = &model->self[0][0][0];
	bool left = false;

	for (size_t i = 0; i < (size_t)ALL * LINES * EVENTS; i++)
		left |= number[i] != 0;
	number = &model->inclusive[0][0];
	for (size_t i = 0; i < (size_t)ALL * EVENTS; i++)
		left |= number[i] != 0;
	for (size_t i = 0; i < (size_t)ALL * LINES * ALL; i++)
		left |= (&model->called[0][0][0])[i];
	return !left;
}

static void
compare_part(const struct cg_graph *graph, const struct sample *sample,
    cg_part part, uint64_t levels)
{
	const uint64_t parts = part == CG_ALL_PARTS ? PARTS : 1;
	struct model *model = unit_alloc(sizeof(*model));
	struct cg_rows *rows = cg_rows_new(graph);
	cg_fn fn;

	memset(model, 0, sizeof(*model));
	for (size_t i = 0; i < SAMPLES; i++) {
		if (part == CG_ALL_PARTS || sample[i].part == part)
			fold_model(model, &sample[i], levels);
	}
	model->self[1][0][0] += row * parts;
	if (has_called_root(sample, levels))
		memcpy(model->called[0][0], model->is_root,
		    sizeof(model->is_root));
	for (size_t i = 0; rows && cg_next_fn(graph, part, &i, &fn);) {
		CHECK(cg_rows_open(rows, part, fn));
		compare_rows(rows, model, fn_number(graph, fn), graph);
	}
	CHECK(is_empty(model));
	cg_rows_free(rows);
	free(model);
}

/* The calls of a first level outside of cycles sum up to its cost. */
static void
compare_sums(const struct cg_graph *graph, const struct sample *sample)
{
	struct model *model = unit_alloc(sizeof(*model));
	struct cg_sums *sums = cg_sums_new(graph, CG_ALL_PARTS, true);

	memset(model, 0, sizeof(*model));
	for (size_t i = 0; i < SAMPLES; i++)
		fold_model(model, &sample[i], 1);
	for (cg_fn fn = 1; sums && fn <= FNS; fn++) {
		for (size_t k = 0; k < EVENTS; k++)
			CHECK(cg_sum_inclusive(sums, fn, k) ==
			      model->inclusive[fn][k]);
	}
	cg_sums_free(sums);
	free(model);
}

/* The sum of rows, if any, is the total; none is negative. */
static void
check_sums_of_rows(const struct cg_graph *graph)
{
	struct cg_rows *rows = cg_rows_new(graph);
	uint64_t sum[EVENTS] = { 0 };
	struct cg_cost cost;
	bool any = false;
	cg_fn fn;

	for (size_t i = 0; rows && cg_next_fn(graph, 0, &i, &fn);) {
		CHECK(cg_rows_open(rows, 0, fn));
		while (cg_next_cost(rows, &cost)) {
			any = true;
			for (size_t k = 0; k < cost.n; k++) {
				CHECK((int64_t)cost.cost[k] >= 0);
				sum[k] += cost.cost[k];
			}
		}
	}
	for (size_t k = 0; any && k < EVENTS; k++)
		CHECK(cg_part_totals(graph, 0)[k] == sum[k]);
	cg_rows_free(rows);
}

static void
test_random(uint64_t seed)
{
	uint64_t random = seed, levels = 1 + unit_below(&random, 4);
	struct sample sample[SAMPLES];
	struct cg_build build;
	struct cg_graph *graph = begin(&build);

	make_samples(sample, &random);
	for (size_t i = 0; i < SAMPLES; i++)
		add_sample(&build, &sample[i]);
	CHECK(cg_graph_seal(graph) == CG_OK);
	compare_stacks(graph, sample);
	compare_order(graph, sample);
	if (seed % 2 == 0) {
		compare_unlabelled(&build, sample);
		end(&build, graph);
		return;
	}
	CHECK(cg_fold_stacks(&build, levels) == CG_OK);
	CHECK(cg_graph_seal(graph) == CG_OK);
	CHECK(cg_node_count(graph) == 0);
	for (cg_part part = 0; part < PARTS; part++)
		compare_part(graph, sample, part, levels);
	compare_part(graph, sample, CG_ALL_PARTS, levels);
	compare_sums(graph, sample);
	end(&build, graph);
}

static void
add_row(struct cg_build *build)
{
	row = 7;
	for (cg_part part = 0; part < PARTS; part++) {
		cg_set_part(build, part);
		cg_add_cost(build, 1, &(const struct cg_pos){ 0 }, &row, 1);
	}
}

/*
 * Folds in steps, while functions are added. Rows may be in the graph before or
 * come meanwhile.
 */
static void
test_steps(uint64_t seed)
{
	uint64_t random = seed, levels = 1 + unit_below(&random, 4);
	size_t early = unit_below(&random, 3 * SAMPLES);
	struct sample sample[SAMPLES];
	struct cg_fold *fold;
	struct cg_build build;
	struct cg_graph *graph;
	bool calls = false;
	char name[16];

	unsigned_only = seed % 3 != 0;
	graph = begin(&build);
	make_samples(sample, &random);
	/* In some, no function that begins a stack is called. */
	for (size_t i = 0; seed % 5 == 0 && i < SAMPLES; i++) {
		for (size_t k = 1; k < sample[i].depth; k++)
			sample[i].fn[k] = sample[i].fn[k] % (FNS - 1) + 1;
		sample[i].fn[0] = FNS;
	}
	fold = cg_fold_new(&build, levels, 1 + unit_below(&random, 9));
	for (size_t i = 0; CHECK(fold != NULL) && i < SAMPLES; i++) {
		if (i == early)
			add_row(&build);
		add_sample(&build, &sample[i]);
		calls |= sample[i].depth > 1;
		(void)snprintf(name, sizeof(name), "new%zu", i);
		cg_add_fn(&build, cg_slice(name), 0, 0);
		if (unit_below(&random, 3) == 0)
			CHECK(cg_fold_some(fold));
	}
	CHECK(cg_graph_seal(graph) == CG_OK);
	CHECK(cg_fold_end(fold) == CG_OK);
	CHECK(cg_graph_seal(graph) == CG_OK);
	for (cg_part part = 0; part < PARTS; part++)
		compare_part(graph, sample, part, levels);
	compare_part(graph, sample, CG_ALL_PARTS, levels);
	CHECK(!calls || (cg_graph_facts(graph) & CG_CALLS));
	if (row == 0)
		compare_sums(graph, sample);
	cg_fold_free(fold);
	end(&build, graph);
	unsigned_only = false;
	row = 0;
}

/* A sum beyond 64 bits is reported in the step that it is in. */
static void
test_overflow(void)
{
	const struct cg_pos nowhere = { 0 };
	const uint64_t cost = 1;
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	struct cg_fold *fold = cg_fold_new(&build, 1, SIZE_MAX);
	cg_node root = cg_add_frame(&build, 0, 1, &nowhere, false);

	message.count = 0;
	for (cg_fn fn = 2; fn < 4; fn++)
		cg_add_stack(&build,
		    cg_add_frame(&build, root, fn, &nowhere, false),
		    UINT64_MAX / 4 * 3, &cost, 1);
	CHECK(fold && !cg_fold_some(fold) && message.count == 1);
	CHECK(strstr(message.text, "exceeds 64 bits") != NULL);
	CHECK(cg_build_status(&build) == CG_EINPUT && fault == CG_EINPUT);
	cg_fold_free(fold);
	cg_build_free(&build);
	cg_graph_free(graph);
	fault = CG_OK;
}

/* ---- Negative costs ------------------------------------------------------ */

/* Clamps stacks, or the rows they fold into; sums must follow. */
static void
test_clamp(uint64_t seed, bool fold)
{
	uint64_t random = seed, sum[EVENTS] = { 0 }, samples, cost[EVENTS];
	struct sample sample[SAMPLES];
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	struct cg_stack_cost stack;

	make_samples(sample, &random);
	for (size_t i = 0; i < SAMPLES; i++) {
		sample[i].part = 0;
		sample[i].cost[1] -= 1;
		add_sample(&build, &sample[i]);
	}
	CHECK(cg_graph_seal(graph) == CG_OK);
	for (size_t i = 0; cg_next_stack(graph, 0, &i, &stack);) {
		sum_alike(sample, find_sample(graph, sample, 0, &stack),
		    &samples, cost);
		cost[1] = (int64_t)cost[1] < 0 ? 0 : cost[1];
		for (size_t k = 0; k < EVENTS; k++)
			sum[k] += cost[k];
	}
	if (fold)
		CHECK(cg_fold_stacks(&build, 1) == CG_OK &&
		      cg_graph_seal(graph) == CG_OK);
	CHECK(cg_graph_clamp(graph) == CG_OK);
	CHECK(!(cg_graph_facts(graph) & CG_SIGNED));
	for (size_t k = 0; !fold && k < EVENTS; k++)
		CHECK(cg_part_totals(graph, 0)[k] == sum[k]);
	for (size_t i = 0; cg_next_stack(graph, 0, &i, &stack);) {
		sum_alike(sample, find_sample(graph, sample, 0, &stack),
		    &samples, cost);
		for (size_t k = 0; k < stack.n; k++)
			CHECK(stack.cost[k] ==
			      ((int64_t)cost[k] < 0 ? 0 : cost[k]));
	}
	check_sums_of_rows(graph);
	end(&build, graph);
}

/* ---- Guessing ------------------------------------------------------------ */

static void
add_random_calls(struct cg_build *build, uint64_t *random)
{
	const struct cg_pos nowhere = { 0 };
	uint64_t cost[EVENTS];

	for (size_t i = 0; i < 4 * FNS; i++) {
		cg_fn fn = (cg_fn)unit_below(random, FNS) + 1;
		cg_fn to = (cg_fn)unit_below(random, FNS) + 1;
		const struct cg_pos pos = { .line = (uint32_t)unit_below(
						random, LINES) };

		cg_set_part(build, (cg_part)unit_below(random, PARTS));
		for (size_t k = 0; k < EVENTS; k++)
			cost[k] =
			    unit_below(random, 3) * unit_below(random, 90) -
			    (k == 1 ? 30u : 0u);
		cg_add_cost(build, fn, &pos, cost, EVENTS);
		cost[1] = unit_below(random, 9);
		if (unit_below(random, 3) > 0)
			cg_add_call(build, unit_below(random, 9) ? fn : 0, &pos,
			    to, &nowhere, unit_below(random, 5), cost, EVENTS);
	}
}

/* Sums by function and line, of rows or of stacks. */
struct place_sums {
	uint64_t sum[PARTS][FNS + 1][LINES][EVENTS];
};

static void
sum_guessed(const struct cg_graph *graph, struct place_sums *to)
{
	struct cg_stack_cost cost;
	struct cg_stack stack;

	for (cg_part part = 0; part < PARTS; part++)
		for (size_t i = 0; cg_next_stack(graph, part, &i, &cost);) {
			unsigned seen = 0;

			cg_get_node(graph, cost.leaf, &stack);
			for (size_t k = 0; k < cost.n; k++)
				to->sum[part][stack.fn][stack.pos.line][k] +=
				    cost.cost[k];
			for (cg_node node = cost.leaf; node != 0;
			     node = stack.parent) {
				cg_get_node(graph, node, &stack);
				CHECK(!(seen & 1u << stack.fn));
				seen |= 1u << stack.fn;
			}
		}
}

static void
sum_rows(const struct cg_graph *graph, struct place_sums *to)
{
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_cost cost;
	cg_fn fn;

	for (cg_part part = 0; rows && part < PARTS; part++)
		for (size_t i = 0; cg_next_fn(graph, part, &i, &fn);) {
			CHECK(cg_rows_open(rows, part, fn));
			while (cg_next_cost(rows, &cost))
				for (size_t k = 0; k < cost.n; k++)
					to->sum[part][fn][cost.pos.line][k] +=
					    cost.cost[k];
		}
	cg_rows_free(rows);
}

/* Costs are conserved. */
static void
test_guess(uint64_t seed)
{
	struct place_sums *rows = unit_alloc(sizeof(*rows));
	struct place_sums *stacks = unit_alloc(sizeof(*stacks));
	uint64_t random = seed;
	struct cg_build build;
	struct cg_graph *graph = begin(&build);

	memset(rows, 0, sizeof(*rows));
	memset(stacks, 0, sizeof(*stacks));
	add_random_calls(&build, &random);
	CHECK(cg_graph_seal(graph) == CG_OK);
	sum_rows(graph, rows);
	CHECK(cg_guess_stacks(&build, ~(cg_facts)0) == CG_OK);
	CHECK(cg_graph_seal(graph) == CG_OK);
	sum_guessed(graph, stacks);
	CHECK(memcmp(rows, stacks, sizeof(*rows)) == 0);
	free(rows);
	free(stacks);
	end(&build, graph);
}

/* ---- Size ---------------------------------------------------------------- */

#define DEEP 1000000

/* A chain of a million frames, of fns functions in turn. */
static void
test_deep(size_t fns, uint64_t levels)
{
	const struct cg_pos nowhere = { 0 };
	const uint64_t cost[EVENTS] = { 1, 2, 3 };
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	struct cg_sums *sums;
	cg_node node = 0;

	for (size_t i = 0; i < DEEP; i++)
		node = cg_add_frame(
		    &build, node, (cg_fn)(i % fns) + 1, &nowhere, false);
	cg_add_stack(&build, node, 1, cost, EVENTS);
	CHECK(cg_graph_seal(graph) == CG_OK);
	CHECK(cg_node_count(graph) == DEEP);
	CHECK(cg_fold_stacks(&build, levels) == CG_OK);
	CHECK(cg_graph_seal(graph) == CG_OK);
	sums = cg_sums_new(graph, CG_ALL_PARTS, true);
	for (cg_fn fn = 1; sums && fn <= fns; fn++)
		CHECK(cg_sum_inclusive(sums, fn, 2) == 3);
	cg_sums_free(sums);
	end(&build, graph);
}

/* Many paths at once get the nodes that they get frame by frame. */
static void
test_paths(uint64_t seed)
{
	enum { PATHS = 70, DEEPEST = 7 };
	cg_frame_id frame[PATHS * DEEPEST];
	size_t end_of[PATHS], paths, frames;
	cg_node leaf[PATHS], node;
	struct cg_build build, other;
	struct cg_graph *graph = begin(&build), *one = begin(&other);
	uint64_t random = seed;

	for (cg_fn fn = 1; fn <= FNS; fn++) {
		const struct cg_pos pos = { 0 };

		CHECK(cg_get_frame(&build, fn, &pos, false) == fn);
		CHECK(cg_get_frame(&other, fn, &pos, false) == fn);
	}
	for (int round = 0; round < 4; round++) {
		paths = unit_below(&random, PATHS + 1);
		frames = 0;
		for (size_t i = 0; i < paths; i++) {
			size_t depth = unit_below(&random, DEEPEST + 1);

			while (depth-- > 0)
				frame[frames++] =
				    (cg_frame_id)unit_below(&random, 3) + 1;
			end_of[i] = frames;
		}
		CHECK(cg_add_paths(&build, frame, end_of, paths, leaf));
		for (size_t i = 0, at = 0; i < paths; i++) {
			node = 0;
			while (at < end_of[i])
				node = cg_add_node(&other, node, frame[at++]);
			CHECK(leaf[i] == node);
		}
		CHECK(graph->nodes == one->nodes);
		/* Nodes get other ids, and their table is made again. */
		if (unit_below(&random, 2) == 0)
			CHECK(cg_graph_seal(graph) == CG_OK &&
			      cg_graph_seal(one) == CG_OK);
	}
	end(&other, one);
	/* A frame that there is not. */
	frame[1] = frame[0] = 1;
	frame[2] = FNS + 1;
	end_of[0] = 3;
	CHECK(!cg_add_paths(&build, frame, end_of, 1, leaf));
	CHECK(cg_build_status(&build) == CG_EBUG);
	cg_build_free(&build);
	cg_graph_free(graph);
	fault = CG_OK;
}

static void
test_wide(void)
{
	const uint64_t cost[EVENTS] = { 1 };
	struct cg_build build;
	struct cg_graph *graph = begin(&build);
	struct cg_stack_cost stack;
	uint64_t sum = 0;

	for (size_t i = 0; i < 2 * DEEP; i++) {
		const struct cg_pos pos = { .addr = i * 7 % DEEP };

		cg_add_stack(&build, cg_add_frame(&build, 0, 1, &pos, false), 1,
		    cost, 1);
	}
	CHECK(cg_graph_seal(graph) == CG_OK);
	CHECK(cg_node_count(graph) == DEEP);
	for (size_t i = 0; cg_next_stack(graph, CG_ALL_PARTS, &i, &stack);)
		sum += stack.cost[0] * stack.samples;
	CHECK(sum == 4 * (uint64_t)DEEP);
	CHECK(cg_fold_stacks(&build, 2) == CG_OK);
	CHECK(cg_graph_seal(graph) == CG_OK);
	end(&build, graph);
}

int
main(void)
{
	for (uint64_t seed = 1; seed <= 300; seed++)
		test_random(seed);
	for (uint64_t seed = 1; seed <= 2000; seed++)
		test_steps(seed);
	test_overflow();
	for (uint64_t seed = 1; seed <= 50; seed++) {
		test_clamp(seed, false);
		test_clamp(seed, true);
	}
	for (uint64_t seed = 1; seed <= 300; seed++)
		test_guess(seed);
	for (uint64_t seed = 1; seed <= 200; seed++)
		test_paths(seed);
	test_deep(1, 1);
	test_deep(2, 2);
	test_deep(FNS, 7);
	test_wide();
	return unit_end();
}
