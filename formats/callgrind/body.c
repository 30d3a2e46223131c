/*
 * body.c - reads the lines of the body of a part.
 *
 * Source: "Callgrind Format Specification" (Valgrind manual) for the grammar.
 * Where producers and KCachegrind differ from the specification, the reader
 * follows the producers and KCachegrind:
 *
 * - jcnd= is followed/executed in what Valgrind writes and KCachegrind reads;
 *   the specification's "executed followed" is accepted as well.
 * - A callee without cfi= is in the current file, without cob= in the current
 *   object. Both apply to one call only, cfn= up to the next cfn=.
 * - fn= returns to the file of fl=. jfi= and jfn= apply to one jump.
 * - Xdebug writes negative costs of memory, others write fractions: both are
 *   read, with a warning.
 * - A function is the triple of object, file, name, whatever id is used.
 */
#include <string.h>

#include "number.h"

/* ---- Position specifications -------------------------------------------- */

static void
set_ob(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->object = callgrind_path(r, &r->objects, ref, cg_add_object);
	r->has_fn = false;
}

static void
set_fl(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->file = r->here = callgrind_path(r, &r->files, ref, cg_add_file);
	r->has_fl = true;
}

static void
set_fi(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->here = callgrind_path(r, &r->files, ref, cg_add_file);
	r->after_fi = true;
}

static void
set_fn(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->name = callgrind_name(r, ref);
	/* Writers of lsprof files (Bazaar, Mercurial) write no fl=. */
	if (r->after_fi && !r->has_fl)
		r->file = r->here;
	r->after_fi = false;
	r->here = r->file;
	r->has_fn = true;
	r->fn = callgrind_fn(r, r->name, r->file, r->object);
}

static void
set_cob(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->callee.object = callgrind_path(r, &r->objects, ref, cg_add_object);
	r->callee.has_object = true;
	r->callee.bound = false;
}

static void
set_cfi(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->callee.file = callgrind_path(r, &r->files, ref, cg_add_file);
	r->callee.has_file = true;
	r->callee.bound = false;
}

static void
set_cfn(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->callee.name = callgrind_name(r, ref);
	r->callee.has_name = true;
	r->callee.bound = false;
}

static void
set_jfi(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->jump.file = callgrind_path(r, &r->files, ref, cg_add_file);
	r->jump.has_file = true;
}

static void
set_jfn(struct callgrind_reader *r, const struct callgrind_ref *ref)
{
	r->jump.name = callgrind_name(r, ref);
	r->jump.has_name = true;
}

/* ---- Calls and jumps ---------------------------------------------------- */

/*
 * Sets r->to to the positions that follow calls= or jump=; to zeros if there
 * are none. r->base stays as it is: later relative positions do not refer to
 * the target.
 */
static void
set_target(struct callgrind_reader *r, const char *at)
{
	uint64_t bb;

	r->to = (struct cg_pos){ 0 };
	at = skip_blanks(at);
	if (*at != '\n')
		(void)get_positions(r, at, &r->to, &bb);
}

static void
bind_callee(struct callgrind_reader *r)
{
	if (!r->callee.bound)
		r->callee.fn = callgrind_fn(r, r->callee.name,
		    r->callee.has_file ? r->callee.file : r->here,
		    r->callee.has_object ? r->callee.object : r->object);
	r->callee.bound = true;
}

static void
set_calls(struct callgrind_reader *r, struct cg_slice text)
{
	const char *at = skip_blanks(text.ptr), *from = at;

	at = callgrind_number(r, at, &r->count);
	if (at == from) {
		callgrind_fail(r, from, "'calls=COUNT TARGET'");
		return;
	}
	if (!r->callee.has_name) {
		callgrind_fail(r, text.ptr, "'cfn=' before 'calls='");
		return;
	}
	set_target(r, at);
	bind_callee(r);
	r->expect = EXPECT_CALL;
}

static void
set_rcalls(struct callgrind_reader *r, struct cg_slice text)
{
	cg_warn_at(
	    r->job, text.ptr, "expected 'calls='; reading 'rcalls=' as such");
	set_calls(r, text);
}

static void
set_jump(struct callgrind_reader *r, struct cg_slice text)
{
	const char *at = skip_blanks(text.ptr), *from = at;

	at = callgrind_number(r, at, &r->count);
	if (at == from) {
		callgrind_fail(r, from, "'jump=COUNT TARGET'");
		return;
	}
	r->jump.conditional = false;
	r->jump.followed = r->count;
	set_target(r, at);
	r->expect = EXPECT_JUMP;
}

/*
 * Reads the value of "jcnd=", a conditional jump: "followed/executed target"
 * or "executed followed target". Sets r->jump and r->count to the numbers, and
 * r->to to the target. Sets r->expect, as the next line has the position of
 * the jump itself. A malformed value is reported.
 */
static void
set_jcnd(struct callgrind_reader *r, struct cg_slice text)
{
	const char *at = skip_blanks(text.ptr), *second;
	uint64_t a, b;
	bool slash;

	second = callgrind_number(r, at, &a);
	slash = *second == '/';
	second = skip_blanks(second + slash);
	at = callgrind_number(r, second, &b);
	if (at == second) {
		callgrind_fail(r, text.ptr, "'jcnd=FOLLOWED/EXECUTED TARGET'");
		return;
	}
	r->jump.conditional = true;
	r->jump.followed = slash ? a : b;
	r->count = slash ? b : a;
	set_target(r, at);
	r->expect = EXPECT_JUMP;
}

static void
add_call(struct callgrind_reader *r, const char *at, const struct cg_pos *pos,
    const uint64_t *cost, size_t n)
{
	r->expect = EXPECT_COST;
	r->callee.has_object = r->callee.has_file = false;
	if (r->fn == 0 && r->skip_root)
		return;
	if (!cg_add_call(
		r->build, r->fn, pos, r->callee.fn, &r->to, r->count, cost, n))
		r->status = cg_build_failed(r->build, at);
}

static void
add_jump(struct callgrind_reader *r, const char *at, const struct cg_pos *pos,
    size_t n)
{
	cg_fn target = r->fn;

	if (n > 0)
		cg_warn_at(r->job, at, "dropped the cost of a jump");
	r->to.file = r->jump.has_file ? r->jump.file : r->here;
	if (r->jump.has_name)
		target = callgrind_fn(r, r->jump.name, r->to.file, r->object);
	cg_add_jump(r->build, r->fn, pos, target, &r->to, r->jump.conditional,
	    r->count, r->jump.followed);
	r->expect = EXPECT_COST;
	r->jump.has_file = r->jump.has_name = false;
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Adds a line that begins with positions to the graph. It has costs of the
 * current function, or completes a pending call or jump (r->expect). Drops
 * costs of the unknown function (fn 0) if r->skip_root is set. Returns where
 * reading stopped: the newline or a malformed item.
 */
static const char *
read_cost_line(struct callgrind_reader *r, const char *from)
{
	uint64_t raw[CG_EVENT_MAX], mapped[CG_EVENT_MAX], *cost = raw;
	struct cg_pos pos;
	const char *at;
	uint64_t bb;
	size_t n;

	at = get_same_positions(r, from);
	if (at) {
		pos = r->base;
		bb = 0;
	} else {
		at = get_positions(r, from, &pos, &bb);
		if (!at)
			return from;
	}
	pos.file = r->here;
	at = get_costs(r, at, raw, &n);
	if (!r->straight) {
		n = callgrind_map_costs(r, from, raw, n, mapped);
		cost = mapped;
	}
	r->base = pos;
	r->base_bb = bb;
	switch (r->expect) {
	case EXPECT_COST:
		if ((r->fn != 0 || !r->skip_root) &&
		    !cg_add_cost(r->build, r->fn, &pos, cost, n))
			r->status = cg_build_failed(r->build, from);
		break;
	case EXPECT_CALL: add_call(r, from, &pos, cost, n); break;
	case EXPECT_JUMP: add_jump(r, from, &pos, n); break;
	}
	return at;
}

/* The lines that name an object, file or function, or describe a call. */
static const struct spec_line {
	const char *name; /* "fn=" */
	/* One of these two functions takes the value. */
	void (*refer)(struct callgrind_reader *, const struct callgrind_ref *);
	void (*set)(struct callgrind_reader *, struct cg_slice text);
} specs[] = {
	{ "jcnd=", NULL, set_jcnd }, /* by frequency in real files */
	{ "cfn=", set_cfn, NULL },
	{ "calls=", NULL, set_calls },
	{ "jump=", NULL, set_jump },
	{ "fn=", set_fn, NULL },
	{ "fi=", set_fi, NULL },
	{ "fe=", set_fi, NULL },
	{ "cfi=", set_cfi, NULL },
	{ "cob=", set_cob, NULL },
	{ "fl=", set_fl, NULL },
	{ "ob=", set_ob, NULL },
	{ "cfl=", set_cfi, NULL }, /* the older name of cfi= */
	{ "jfi=", set_jfi, NULL },
	{ "jfn=", set_jfn, NULL },
	{ "rcalls=", NULL, set_rcalls },
};

/*
 * Removes "name" from the begin of the line. Returns false if the line begins
 * with another text, and leaves the line unchanged then. The line must end in
 * a newline, as line->len is not checked. This is an inline variant of
 * cg_take_prefix(), as it is called several times for each line.
 */
static inline bool
take_name(struct cg_slice *line, const char *name)
{
	const char *at = line->ptr;

	while (*name && *at == *name)
		at++, name++;
	if (*name)
		return false;
	line->len -= (size_t)(at - line->ptr);
	line->ptr = at;
	return true;
}

/*
 * Removes a key such as "fn=" from the begin of the line and returns its table
 * entry. NULL: the line begins with none of the keys.
 */
static const struct spec_line *
take_spec(struct cg_slice *line)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (take_name(line, specs[i].name))
			return &specs[i];
	}
	return NULL;
}

static bool
read_spec(struct callgrind_reader *r, struct cg_slice line)
{
	const struct spec_line *spec = take_spec(&line);
	struct callgrind_ref ref;

	if (!spec)
		return false;
	if (r->in_header)
		callgrind_begin_part(r);
	if (spec->set) {
		spec->set(r, line);
	} else {
		ref = callgrind_get_ref(line);
		spec->refer(r, &ref);
	}
	return true;
}

/*
 * Reads a line without positions, such as a key or a comment. If a cost line
 * must come next (r->expect), allows only a comment or an empty line. Any
 * other line sets r->status then. Drops unknown lines, and lines with a NUL,
 * with a warning.
 */
static void
read_word_line(struct callgrind_reader *r, struct cg_slice line)
{
	struct cg_slice text = line;

	while (text.len > 0 && text.ptr[text.len - 1] == '\r')
		text.len--;
	r->at = text.ptr;
	if (text.len == 0 || *text.ptr == '#')
		return;
	if (r->expect != EXPECT_COST) {
		r->status = cg_fail_at(r->job, text.ptr,
		    "expected the cost line of '%s'",
		    r->expect == EXPECT_CALL ? "calls=" : "jump= or jcnd=");
		return;
	}
	/* No name contains a NUL; KCachegrind hangs on one. */
	if (r->has_nul && memchr(text.ptr, '\0', text.len)) {
		cg_warn_at(r->job, text.ptr,
		    "dropped a line with a NUL: the file is damaged");
		return;
	}
	if (read_spec(r, text) || callgrind_header(r, text))
		return;
	cg_warn_at(r->job, text.ptr, "dropped an unknown line");
}

static void
begin_numbers(struct callgrind_reader *r)
{
	r->after_fi = false;
	if (r->has_fn)
		return;
	/*
	 * Without fn= after ob=, the function continues in the new object;
	 * without any fn=, costs belong to no function.
	 */
	r->has_fn = true;
	r->fn = callgrind_fn(r, r->name, r->file, r->object);
}

static const char *
read_number_line(struct callgrind_reader *r, const char *at)
{
	if (r->events == 0) {
		r->status = cg_fail_at(r->job, at,
		    "expected 'events:' before the first cost line");
		return at;
	}
	if (r->in_header)
		callgrind_begin_part(r);
	begin_numbers(r);
	return read_cost_line(r, at);
}

/*
 * True if a line with this first byte may be plain costs of the current
 * function. False in the header, after calls= or jump=, and without a
 * function. False also if costs are dropped (r->skip_root), or if
 * cg_add_cost_lines() cannot read the part's columns.
 */
static inline bool
expects_costs(const struct callgrind_reader *r, char first)
{
	return r->expect == EXPECT_COST && callgrind_begins_number(first) &&
	       !r->in_header && r->has_fn && !r->bb && r->straight &&
	       (r->fn != 0 || !r->skip_root);
}

/*
 * Adds cost lines to the current function, as long as cg_add_cost_lines() can
 * read their form. r->base becomes the last line's position. Returns the first
 * line of another form, or "end". Adds nothing and returns "line" if
 * expects_costs() is false.
 */
static const char *
read_plain_lines(struct callgrind_reader *r, const char *line, const char *end)
{
	struct cg_cost_lines lines;

	if (!expects_costs(r, *line))
		return line;
	lines = (struct cg_cost_lines){ .addrs = r->instr,
		.lines = r->line,
		.most = r->events,
		.pos = { r->here, r->base.line, r->base.addr } };
	r->after_fi = false;
	line = cg_add_cost_lines(r->build, r->fn, &lines, line, end);
	r->base = lines.pos;
	return line;
}

void
callgrind_read_range(
    struct callgrind_reader *r, const char *at, const char *end)
{
	const char *newline;

	while (at < end && r->status == CG_OK) {
		at = read_plain_lines(r, at, end);
		if (at == end)
			break;
		at = skip_blanks(at);
		if (callgrind_begins_number(*at)) {
			newline = read_number_line(r, at);
			if (*newline != '\n')
				newline = memchr(
				    newline, '\n', (size_t)(end - newline));
		} else {
			newline = memchr(at, '\n', (size_t)(end - at));
			read_word_line(
			    r, (struct cg_slice){ at, (size_t)(newline - at) });
		}
		at = newline + 1;
	}
}
