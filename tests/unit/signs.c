/*
 * signs.c - tests events that are signed in some inputs, unsigned in others.
 */
#include "graph/build.h"
#include "unit.h"

#define EVENTS 3
#define INPUTS 4

static int fault;
static struct unit_log message;
static struct cg_diag diag = { .report = unit_report, .arg = &message };
static uint64_t seed = 7;

enum where { SELF, CALL, STACK, INCLUSIVE, PLACES };

/* The inputs; one cost of an event may be above 2^63. */
struct plan {
	size_t inputs;
	bool is_signed[INPUTS][EVENTS];
	bool huge;
	size_t input, event;
	enum where where;
};

static struct plan
make_plan(void)
{
	struct plan plan = { .inputs = 1 + unit_below(&seed, INPUTS) };

	for (size_t k = 0; k < plan.inputs; k++)
		for (size_t i = 0; i < EVENTS; i++)
			plan.is_signed[k][i] = unit_below(&seed, 3) == 0;
	plan.input = unit_below(&seed, plan.inputs);
	plan.event = unit_below(&seed, EVENTS);
	plan.where = (enum where)unit_below(&seed, PLACES);
	plan.huge = unit_below(&seed, 2) == 0 &&
		    !plan.is_signed[plan.input][plan.event];
	return plan;
}

static bool
is_signed(const struct plan *plan, size_t event)
{
	bool any = false;

	for (size_t k = 0; k < plan->inputs; k++)
		any |= plan->is_signed[k][event];
	return any;
}

static void
add_row(struct cg_build *build, enum where where, const uint64_t *cost)
{
	const struct cg_pos pos = { .line = 1 };
	cg_fn fn = cg_add_fn(build, cg_slice("f"), 0, 0);
	cg_node node;

	switch (where) {
	case SELF: (void)cg_add_cost(build, fn, &pos, cost, EVENTS); break;
	case CALL:
		(void)cg_add_call(build, fn, &pos, fn, &pos, 1, cost, EVENTS);
		break;
	case STACK:
		node = cg_add_frame(build, 0, fn, &pos, false);
		cg_add_stack(build, node, 1, cost, EVENTS);
		break;
	case INCLUSIVE: cg_add_inclusive(build, fn, cost, EVENTS); break;
	case PLACES: break;
	}
}

static void
add_input(struct cg_build *build, const struct plan *plan, size_t k,
    uint64_t sum[EVENTS])
{
	uint64_t cost[EVENTS];

	cg_build_next(build, NULL);
	for (size_t i = 0; i < EVENTS; i++)
		CHECK(cg_add_event(build,
			  &(struct cg_event){ .name = &"c\0b\0a"[2 * i],
			      .is_signed = plan->is_signed[k][i] }) == i ||
		      build->status != CG_OK);
	for (int place = 0; place < PLACES; place++) {
		for (size_t i = 0; i < EVENTS; i++) {
			cost[i] = unit_below(&seed, 1000);
			if (plan->is_signed[k][i] && cost[i] % 2 == 0)
				cost[i] = -cost[i];
			if (plan->huge && k == plan->input &&
			    i == plan->event && place == (int)plan->where)
				cost[i] |= (uint64_t)1 << 63;
			if (place == SELF || place == STACK)
				sum[i] += cost[i];
		}
		add_row(build, (enum where)place, cost);
	}
}

static void
test_sum(void)
{
	struct plan plan = make_plan();
	struct cg_graph *graph = cg_graph_new(&diag, &fault);
	bool bad = plan.huge && is_signed(&plan, plan.event);
	uint64_t sum[EVENTS] = { 0 };
	struct cg_build build;

	if (!graph)
		exit(1);
	cg_build_init(&build, graph, CG_PARTS_SUM);
	for (size_t k = 0; k < plan.inputs; k++)
		add_input(&build, &plan, k, sum);
	CHECK((cg_build_failed(&build, NULL) != CG_OK) == bad);
	if (!bad && CHECK(cg_graph_seal(graph) == CG_OK)) {
		for (size_t i = 0; i < EVENTS; i++) {
			CHECK(graph->event[i].is_signed == is_signed(&plan, i));
			CHECK(cg_part_totals(graph, 0)[i] == sum[i]);
		}
	}
	cg_build_free(&build);
	cg_graph_free(graph);
}

/* Within one input an event is either signed or not. */
static void
test_contradiction(void)
{
	struct cg_graph *graph = cg_graph_new(&diag, &fault);
	struct cg_build build;

	if (!graph)
		exit(1);
	cg_build_init(&build, graph, CG_PARTS_SUM);
	cg_build_next(&build, NULL);
	cg_add_event(&build, &(struct cg_event){ .name = "a" });
	cg_add_event(
	    &build, &(struct cg_event){ .name = "a", .is_signed = true });
	CHECK(cg_build_failed(&build, NULL) == CG_EINPUT);
	CHECK(strstr(message.text, "signed in one place"));
	cg_build_free(&build);
	cg_graph_free(graph);
}

int
main(void)
{
	for (int i = 0; i < 3000; i++)
		test_sum();
	test_contradiction();
	return unit_end();
}
