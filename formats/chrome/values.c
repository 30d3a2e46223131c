/*
 * values.c - values of a trace's events, which producers write in more
 * than one way.
 */
#include "trace_event.h"

bool
chrome_take_number(struct cg_doc *doc, unsigned digits, int64_t *number)
{
	struct cg_slice text;
	bool negative;
	uint64_t value;

	if (cg_doc_next(doc) != CG_JSON_STRING)
		return cg_doc_number(doc, digits, number);
	if (!cg_doc_text(doc, &text))
		return false;
	negative = cg_take_char(&text, '-');
	if (!cg_take_u64(&text, &value) || value > INT64_MAX / 1000)
		return cg_doc_fail(doc, "a number");
	*number = negative ? -(int64_t)value : (int64_t)value;
	for (; digits > 0; digits--)
		*number *= 10;
	return true;
}

bool
chrome_take_id(struct cg_doc *doc, uint64_t *id)
{
	struct cg_slice text, rest;
	int64_t number;

	if (cg_doc_next(doc) != CG_JSON_STRING) {
		if (!cg_doc_number(doc, 0, &number))
			return false;
		*id = (uint64_t)number;
		return true;
	}
	if (!cg_doc_text(doc, &text))
		return false;
	rest = text;
	if (!cg_get_u64(rest, id))
		*id = cg_add_name(doc->build, text);
	return true;
}

bool
chrome_take_name(struct cg_doc *doc, cg_name *id)
{
	char digits[CG_NUMBER_MAX];
	struct cg_slice text = { digits, 0 };
	int64_t number;

	if (cg_doc_next(doc) == CG_JSON_STRING) {
		if (!cg_doc_text(doc, &text))
			return false;
	} else {
		if (!cg_doc_number(doc, 0, &number))
			return false;
		text.len = (size_t)(cg_format_i64(digits, number) - digits);
	}
	*id = cg_add_name(doc->build, text);
	return true;
}
