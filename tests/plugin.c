/*
 * plugin.c - a plug-in, as README.md describes one: a line is a function and
 * its cost.
 */
#include "cgconv_parse.h"

static int
probe(const struct cg_head *head)
{
	return cg_starts(head->first, "flat ") ? CG_PROBE_SURE : CG_PROBE_NO;
}

static int
read_flat(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = { .name = cg_opt(job, "event") };
	const struct cg_pos nowhere = { 0 };
	struct cg_slice line, name;
	uint64_t cost;

	cg_add_event(build, &event);
	if (!cg_read_line(in, &line))
		return cg_in_status(in);
	while (cg_read_line(in, &line)) {
		if (!cg_take_word(&line, &name) || !cg_take_blanks(&line) ||
		    !cg_take_u64(&line, &cost) || line.len > 0)
			return cg_fail_at(
			    job, line.ptr, "expected 'FUNCTION COST'");
		cg_add_cost(
		    build, cg_add_fn(build, name, 0, 0), &nowhere, &cost, 1);
	}
	return cg_in_status(in);
}

static int
write_flat(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct cg_sums *sums = cg_sums_new(graph, CG_ALL_PARTS, true);

	if (sums == NULL)
		return cg_nomem(job);
	cg_puts(out, "flat ");
	cg_puts(out, cg_get_event(graph, 0)->name);
	cg_putc(out, '\n');
	for (cg_fn fn = 1; fn <= cg_fn_count(graph); fn++) {
		if (cg_opt_flag(job, "shout"))
			cg_putc(out, '!');
		cg_put(out, cg_fn_name(graph, fn));
		cg_putc(out, ' ');
		cg_putu(out, cg_sum_self(sums, fn, 0));
		cg_putc(out, '\n');
	}
	cg_sums_free(sums);
	return cg_out_status(out);
}

static const struct cg_option options[] = {
	{ .name = "event",
	    .type = CG_STRING,
	    .fallback = "cost",
	    .arg = "NAME",
	    .help = "what is counted",
	    .reading = true },
	{ .name = "shout",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "write names with a bang",
	    .writing = true },
	{ 0 },
};

static const struct cg_module flat = {
	CG_MODULE,
	.name = "flat",
	.title = "functions and costs",
	.suffixes = "flat",
	.gathers = "flat",
	.carries = CG_SELF,
	.options = options,
	.probe = probe,
	.read = read_flat,
	.write = write_flat,
};

extern const struct cg_module *const cg_modules[];
const struct cg_module *const cg_modules[] = { &flat, NULL };
