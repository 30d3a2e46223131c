/*
 * elements.c - shared by the readers of coverage in XML: a table of elements,
 * numbers in attributes, branches of which only the numbers are known.
 */
#include "coverage_xml.h"

/*
 * Each outcome becomes a row. A document may state one outcome for each of its
 * bytes, plus this number, so that a number in a short input cannot use much
 * memory.
 */
#define BRANCHES_MORE 65536

bool
coverage_xml_skip(struct coverage_xml_reader *r)
{
	(void)cg_xml_content(r->xml, NULL);
	return true;
}

static bool
take_element(struct coverage_xml_reader *r, enum cg_xml_type type)
{
	const struct coverage_xml_element *element = r->elements;
	struct cg_slice name = cg_xml_name(r->xml);

	while (element->name && !cg_equal(name, element->name))
		element++;
	if (cg_xml_depth(r->xml) == 1 && element != r->elements &&
	    (!r->any_root || !element->name)) {
		return cg_reject_at(r->job, cg_xml_at(r->xml), "expected <%s>",
		    r->elements->name);
	}
	if (!element->name && type == CG_XML_OPEN) {
		cg_warn_at(r->job, cg_xml_at(r->xml),
		    "unknown element <%.*s> is skipped",
		    name.len < 40 ? (int)name.len : 40, name.ptr);
		return coverage_xml_skip(r);
	}
	if (type == CG_XML_OPEN)
		return !element->open || element->open(r);
	return !element->close || element->close(r);
}

int
coverage_xml_read_document(
    struct coverage_xml_reader *r, const struct coverage_xml_element *elements)
{
	enum cg_xml_type type;
	int status;

	r->elements = elements;
	r->xml = cg_xml_new(r->job, r->in);
	if (!r->xml)
		return CG_ELIMIT;
	while ((type = cg_xml_next(r->xml)) != CG_XML_END) {
		if (type != CG_XML_TEXT && !take_element(r, type))
			break;
		if (cg_build_status(r->build) != CG_OK)
			break;
	}
	status = cg_xml_status(r->xml);
	if (cg_rejected(r->job) == CG_OK)
		(void)cg_build_failed(r->build, cg_xml_at(r->xml));
	return status; /* the job has the errors of reader and builder */
}

bool
coverage_xml_get_number(struct coverage_xml_reader *r, const char *name,
    bool optional, uint64_t most, uint64_t *number)
{
	struct cg_slice text;

	if (!cg_xml_attribute(r->xml, name, &text) && optional) {
		*number = 0;
		return true;
	}
	if (cg_xml_number(r->xml, name, number) && *number <= most)
		return true;
	return cg_reject_at(r->job, cg_xml_at(r->xml),
	    "expected %s=\"...\" with a number up to %llu", name,
	    (unsigned long long)most);
}

bool
coverage_xml_allow_branches(struct coverage_xml_reader *r, uint64_t n)
{
	r->branches += n; /* n is at most twice 2^32 */
	return r->branches <= cg_in_offset(r->in) + BRANCHES_MORE ||
	       cg_xml_reject(r->xml,
		   "fewer branches: at most one for each byte of the input");
}

bool
coverage_xml_add_outcomes(struct coverage_xml_reader *r, cg_fn fn,
    const struct cg_branch *first, uint64_t hit, uint64_t missed)
{
	struct cg_branch branch = *first;

	for (uint64_t i = 0; i < hit + missed; i++) {
		branch.count = i < hit;
		if (!cg_add_branch(r->build, fn, &branch))
			return false;
		branch.index++;
	}
	return true;
}
