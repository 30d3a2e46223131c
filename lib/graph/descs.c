/*
 * descs.c - descriptions that are numbers of one input, such as the number of
 * samples of a recording. If several inputs are merged into a part, their
 * values are summed or dropped.
 */
#include <string.h>

#include "graph/build.h"

static const struct {
	const char *key;
	enum cg_desc_rule rule;
} rules[] = {
	{ "Samples", CG_DESC_ADD },         /* gmon.out: "6 at 100 Hz" */
	{ "duration_nanos", CG_DESC_ADD },  /* profile.proto */
	{ "Runs", CG_DESC_DROP },           /* .gcda, of one unit */
	{ "Snapshot", CG_DESC_DROP },       /* Massif */
	{ "Time", CG_DESC_DROP },           /* Massif, of the snapshot */
	{ "Timerange", CG_DESC_DROP },      /* Callgrind's desc: */
	{ "timeframe (BB)", CG_DESC_DROP }, /* before Callgrind 0.9.5 */
	{ "duration", CG_DESC_DROP },       /* Austin */
};

static enum cg_desc_rule
find_rule(const char *key)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (strcmp(rules[i].key, key) == 0)
			return rules[i].rule;
	}
	return CG_DESC_LIST;
}

bool
cg_desc_is_count(const char *key)
{
	return find_rule(key) != CG_DESC_LIST;
}

enum cg_desc_rule
cg_desc_rule_of(const struct cg_graph *graph, cg_str key)
{
	return find_rule(cg_strs_get(&graph->strs, key).ptr);
}

/*
 * Sets *to to the sum of two descriptions, such as "6 at 100 Hz" for 2 and 4.
 * False, *to unchanged: no numbers, different or long texts after them, or
 * overflow. Out of memory: true, and the builder has failed.
 */
static bool
add_values(struct cg_build *build, cg_str a, cg_str b, cg_str *to)
{
	struct cg_slice left = cg_strs_get(&build->graph->strs, a);
	struct cg_slice right = cg_strs_get(&build->graph->strs, b);
	char text[CG_NUMBER_MAX + CG_DESC_UNIT_MAX];
	uint64_t n, more;
	char *end;

	if (!cg_take_u64(&left, &n) || !cg_take_u64(&right, &more) ||
	    more > UINT64_MAX - n || left.len > CG_DESC_UNIT_MAX ||
	    cg_compare(left, right) != 0)
		return false;
	end = cg_format_u64(text, n + more);
	memcpy(end, left.ptr, left.len);
	*to = cg_add_name(
	    build, (struct cg_slice){ text, (size_t)(end - text) + left.len });
	return true;
}

bool
cg_part_desc_sum(
    struct cg_build *build, struct cg_part_entry *part, struct cg_desc desc)
{
	for (size_t i = 0; i < part->descs; i++) {
		if (part->desc[i].key == desc.key &&
		    add_values(build, part->desc[i].value, desc.value,
			&part->desc[i].value))
			return true;
	}
	return false;
}

void
cg_part_merged(struct cg_build *build, struct cg_part_entry *part)
{
	size_t kept = 0;

	if (part->merged)
		return;
	part->merged = true;
	for (size_t i = 0; i < part->descs; i++) {
		if (cg_desc_rule_of(build->graph, part->desc[i].key) !=
		    CG_DESC_DROP)
			part->desc[kept++] = part->desc[i];
	}
	part->descs = kept;
}
