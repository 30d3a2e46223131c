/*
 * probe.c - detects the format of an input: by its first 64 KiB, else by more.
 *
 * In two kinds of files a long value may come before the distinguishing part:
 * JSON, which is shortened for all formats, and binary files, for which
 * formats ask for more. More is read in steps, as it stays in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "syntax/syntax.h"

#define MORE_FIRST ((size_t)1 << 20) /* bytes of the first step */
#define MORE_STEP 16                 /* factor from step to step */

/*
 * Calls the probes of formats that may read the input, or if `only`, of those
 * in wants[]. A higher score replaces *found; an equal one becomes its rival.
 * Sets wants[] of formats that need more input. True: some do.
 */
static bool
ask(const struct cg_job *job, const struct cg_head *head, bool *wants,
    bool only, struct cg_found *found)
{
	bool text = !memchr(head->text.ptr, '\0', head->text.len);
	bool more = false;

	for (size_t i = 0; i < job->modules; i++) {
		const struct cg_module *module = job->module[i];
		int bid;

		if (!module->read || (!text && module->text) ||
		    (only && !wants[i]))
			continue;
		bid = module->probe(head);
		wants[i] = bid == CG_PROBE_MORE;
		more |= wants[i];
		if (bid > found->score) {
			found->score = bid;
			found->rival = NULL;
			found->module = module;
		} else if (bid == found->score && bid > CG_PROBE_NO &&
			   module != found->module) {
			found->rival = module;
		}
	}
	return more;
}

/* True if the text is or may become JSON, which blanks may precede. */
static bool
may_be_json(struct cg_slice text)
{
	while (text.len > 0 && (*text.ptr == ' ' || *text.ptr == '\t' ||
				   *text.ptr == '\n' || *text.ptr == '\r')) {
		text.ptr++;
		text.len--;
	}
	return text.len == 0 || *text.ptr == '{' || *text.ptr == '[';
}

/*
 * Calls probes again with more of the input, in growing steps. Ends when a
 * format is likely, or the input or the limit CG_PROBE_BYTES is reached. If
 * "json", calls the probes of all formats, with a shortened document. Else
 * calls only the probes that asked for more, and also ends when none asks
 * again. Returns the status of reading, or CG_ELIMIT if memory runs out.
 */
static int
ask_more(struct cg_job *job, struct cg_in *in, bool *wants, bool json,
    struct cg_found *found)
{
	char *outline = json ? malloc(CG_HEAD_SIZE) : NULL;
	struct cg_head head = { .whole = false };
	size_t size = MORE_FIRST;
	int status = CG_OK;
	bool more = true;

	if (json && !outline)
		return cg_nomem(job);
	for (; more && !head.whole && size <= CG_PROBE_BYTES &&
	       found->score < CG_PROBE_LIKELY;
	     size *= MORE_STEP) {
		if (!cg_in_head(in, size, &head)) {
			status = cg_in_status(in);
			break;
		}
		if (outline) {
			head.text.len =
			    cg_json_outline(head.text, outline, CG_HEAD_SIZE);
			head.text.ptr = outline;
		}
		more = ask(job, &head, wants, !outline, found) || outline;
	}
	free(outline);
	return status;
}

int
cg_probe(struct cg_job *job, struct cg_in *in, struct cg_found *found)
{
	struct cg_head head;
	bool *wants, more, json;
	int status = CG_OK;

	*found = (struct cg_found){ .score = CG_PROBE_NO };
	if (!cg_in_head(in, CG_HEAD_SIZE, &head))
		return cg_in_status(in);
	wants = calloc(job->modules + 1, sizeof(*wants));
	if (!wants)
		return cg_nomem(job);
	found->empty = head.text.len == 0;
	more = ask(job, &head, wants, false, found);
	json = may_be_json(head.text);
	if (!head.whole && (more || json))
		status = ask_more(job, in, wants, json, found);
	free(wants);
	return status;
}
