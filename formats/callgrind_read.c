/*
 * callgrind_read.c - bodies of callgrind, cachegrind and compatible files.
 *
 * Source: "Callgrind Format Specification" (Valgrind manual) for the grammar;
 * where producers and KCachegrind differ from it, they are followed:
 *
 * - jcnd= is followed/executed in what Valgrind writes and KCachegrind reads;
 *   the specification's "executed followed" is taken as well.
 * - A callee without cfi= is in the current file, without cob= in the current
 *   object; both are forgotten after one call, the callee's name is not.
 * - fn= returns to the file of fl=. jfi= and jfn= hold for one jump.
 * - Xdebug writes negative memory costs, others fractions: warnings.
 * - A function is the triple of object, file, name, whatever id is used.
 */
#include <stdlib.h>
#include <string.h>

#include "callgrind_read.h"

/* ---- Numbers ------------------------------------------------------------ */

/* Lines end with '\n', which stops every loop below. */

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *
skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/*
 * Takes digits, as many as surely fit: whoever asks looks for what ends a
 * number anyway. False if there is none.
 */
static inline bool
take_digits(const char **at, uint64_t *value)
{
	uint64_t number = (unsigned char)**at - (unsigned)'0';
	unsigned digit;

	if (number > 9)
		return false;
	for (++*at; (digit = (unsigned char)**at - (unsigned)'0') < 10 &&
		    number < UINT64_MAX / 100;
	     ++*at)
		number = number * 10 + digit;
	*value = number;
	return true;
}

/* The same for "0x19cb", as Valgrind writes it. */
static inline bool
take_hex(const char **at, uint64_t *value)
{
	const char *from = *at += 2;
	uint64_t number = 0;
	unsigned digit;

	for (;; ++*at) {
		digit = (unsigned char)**at - (unsigned)'0';
		if (digit >= 10) {
			digit = (unsigned char)**at - (unsigned)'a' + 10;
			if (digit < 10 || digit >= 16)
				break;
		}
		if (number > UINT64_MAX / 32)
			break;
		number = number << 4 | digit;
	}
	*value = number;
	return *at > from;
}

/* The rare forms, and more digits than surely fit. */
static const char *
get_long_number(struct reader *r, const char *at, uint64_t *value)
{
	struct cg_slice text = { at, 0 };

	while (text.ptr[text.len] != '\n' && !is_blank(text.ptr[text.len]))
		text.len++;
	if (cg_take_u64(&text, value))
		return text.ptr;
	if (r->status == CG_OK)
		r->status = cg_fail_at(
		    r->job, at, "expected a number of at most 64 bits");
	return at;
}

/* A number at at; returns what follows it, at itself if there is none. */
static inline const char *
get_number(struct reader *r, const char *at, uint64_t *value)
{
	const char *from = at;

	*value = 0;
	if (at[0] == '0' && at[1] == 'x' && take_hex(&at, value) &&
	    (is_blank(*at) || *at == '\n'))
		return at;
	at = from;
	if (take_digits(&at, value) &&
	    ((*at >= '0' && *at <= '9') || *at == 'x' || *at == 'X'))
		return get_long_number(r, from, value);
	return at;
}

/* "5-9", "5+4", "5:9": a range; only where it begins is kept. */
static const char *
skip_range(struct reader *r, const char *at)
{
	uint64_t end;
	const char *from = at;

	if (*at != '-' && *at != '+' && *at != ':')
		return at;
	at = get_number(r, at + 1, &end);
	if (at == from + 1)
		return from;
	cg_warn_at(r->job, from, "only the beginning of a range is kept");
	return at;
}

/* One subposition: absolute, +n, -n or * from base. NULL: there is none. */
static const char *
get_any_position(
    struct reader *r, const char *at, uint64_t base, uint64_t *position)
{
	const char *from = at;
	uint64_t number;
	char sign = *at;

	if (sign == '*') {
		*position = base;
		return skip_blanks(at + 1);
	}
	at += sign == '+' || sign == '-';
	from = at;
	at = get_number(r, at, &number);
	if (at == from)
		return NULL;
	if (sign == '-' && number > base) {
		cg_warn_at(r->job, from, "a position below 0 is taken as 0");
		number = base;
	}
	*position = sign == '+'   ? base + number
		    : sign == '-' ? base - number
				  : number;
	if (!is_blank(*at) && *at != '\n')
		at = skip_range(r, at);
	return skip_blanks(at);
}

/* The same for nearly all that there are: "+12", "*", "0", one blank. */
static inline const char *
get_position(
    struct reader *r, const char *from, uint64_t base, uint64_t *position)
{
	char sign = *from;
	const char *at = from + (sign == '+' || sign == '-' || sign == '*');
	uint64_t number = 0;

	if ((sign != '*' && !take_digits(&at, &number)) || *at != ' ' ||
	    (sign == '-' && number > base))
		return get_any_position(r, from, base, position);
	if (sign == '-')
		number = 0 - number;
	*position = sign >= '0' ? number : base + number;
	return at + 1;
}

/* The subpositions of a line, relative to the last cost line's. */
static inline const char *
get_positions(
    struct reader *r, const char *at, struct cg_pos *pos, uint64_t *bb)
{
	const char *from = at;
	uint64_t line = 0;

	pos->addr = 0;
	*bb = 0;
	if (r->instr)
		at = get_position(r, at, r->base.addr, &pos->addr);
	if (at && r->bb)
		at = get_any_position(r, at, r->base_bb, bb);
	if (at && r->line)
		at = get_position(r, at, r->base.line, &line);
	if (!at) {
		r->status = cg_fail_at(r->job, from,
		    "expected %d positions (a number, +n, -n or *)",
		    r->instr + r->bb + r->line);
		return NULL;
	}
	if (line > UINT32_MAX) {
		cg_warn_at(r->job, from,
		    "line number is too large, taken "
		    "as unknown");
		line = 0;
	}
	pos->line = (uint32_t)line;
	return at;
}

/* What is no plain cost: taken as well as can be, never in silence. */
static const char *
get_odd_cost(struct reader *r, const char *from, uint64_t *value)
{
	bool minus = *from == '-';
	const char *at = get_number(r, from + minus, value);

	if (minus && at > from + 1) {
		cg_warn_at(r->job, from, "a cost below 0 is taken as 0");
		*value = 0;
	}
	if (*at == '.') {
		cg_warn_at(r->job, from, "the fraction of a cost is cut off");
		at++;
		while (*at >= '0' && *at <= '9')
			at++;
	}
	if (at == from + minus || (!is_blank(*at) && *at != '\n')) {
		cg_warn_at(r->job, from,
		    "expected a cost; the rest of the line is ignored");
		return NULL;
	}
	return at;
}

/* What is no short number with one blank behind it; NULL: no cost at all. */
static const char *
get_any_cost(struct reader *r, const char *from, uint64_t *value)
{
	const char *at = get_number(r, from, value);

	if ((at == from || (!is_blank(*at) && *at != '\n')) &&
	    r->status == CG_OK)
		at = get_odd_cost(r, from, value);
	return at && r->status == CG_OK ? skip_blanks(at) : NULL;
}

/*
 * Costs as nearly all are: short, one blank between them. Takes up to max and
 * returns what is behind them. This loop sees most bytes of most files.
 */
static inline const char *
get_plain_costs(const char *at, uint64_t *cost, size_t max, size_t *count)
{
	const char *done = at;
	size_t n = 0;

	while (n < max && take_digits(&at, &cost[n])) {
		if (*at == ' ')
			at++;
		else if (*at != '\n')
			break;
		done = at;
		n++;
	}
	*count = n;
	return done;
}

/* What is left of a line after *count costs: any form, or too many. */
static const char *
get_other_costs(struct reader *r, const char *at, uint64_t *cost, size_t *count)
{
	const char *from = skip_blanks(at);
	uint64_t value;

	while (*from != '\n') {
		at = get_any_cost(r, from, &value);
		if (!at)
			return from;
		if (*count < r->events)
			cost[(*count)++] = value;
		else
			cg_warn_at(r->job, from, "expected at most %zu costs",
			    r->events);
		from = at;
	}
	return from;
}

/*
 * Costs up to the newline, in the order of the events: line. Returns where
 * that is, or what could not be understood.
 */
static inline const char *
get_costs(struct reader *r, const char *at, uint64_t *cost, size_t *count)
{
	at = get_plain_costs(at, cost, r->events, count);
	return *at == '\n' ? at : get_other_costs(r, at, cost, count);
}

/* From the order of the events: line to that of columns. */
static size_t
map_costs(struct reader *r, const uint64_t *cost, size_t n, uint64_t *to)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t *sum = &to[r->column[i]];

		for (; count <= r->column[i]; count++)
			to[count] = 0;
		/* An event that is listed twice is summed. */
		if (__builtin_add_overflow(*sum, cost[i], sum))
			r->status = cg_fail(r->job,
			    "costs of an event that "
			    "comes twice are more than 64 bits hold");
	}
	return count;
}

size_t
cg_callgrind_costs(
    struct reader *r, const char *at, uint64_t cost[CG_EVENT_MAX])
{
	uint64_t raw[CG_EVENT_MAX];
	size_t n;

	(void)get_costs(r, at, raw, &n);
	return map_costs(r, raw, n, cost);
}

/* ---- Names -------------------------------------------------------------- */

/*
 * "(id) name" defines, "(id)" refers, all else is a name. Returns true if
 * there is an id; name is then what is left, maybe nothing.
 */
static bool
take_id(struct cg_slice *name, uint64_t *id)
{
	struct cg_slice text = *name;
	const char *at = text.ptr + 1;

	if (!cg_take_char(&text, '('))
		return false;
	if (take_digits(&at, id) && *at == ')')
		text =
		    (struct cg_slice){ at, (size_t)(text.ptr + text.len - at) };
	else if (!cg_take_u64(&text, id))
		return false;
	if (!cg_take_char(&text, ')'))
		return false;
	if (text.len > 0 && !cg_take_blanks(&text))
		return false;
	*name = text;
	return true;
}

/* The place of a name id's value (plus 1; 0: not defined), or NULL. */
static uint32_t *
find_id(struct reader *r, struct cg_map *map, uint64_t id)
{
	uint32_t *value = cg_map_at(map, id);

	if (!value)
		r->status = cg_nomem(r->job);
	return value;
}

static uint32_t
undefined(struct reader *r, struct cg_slice text, uint64_t id)
{
	cg_warn_at(r->job, text.ptr, "name id %llu is not defined",
	    (unsigned long long)id);
	return 0;
}

typedef uint32_t add_path(struct cg_build *, struct cg_slice);

static uint32_t
add_known(struct reader *r, add_path *add, struct cg_slice path)
{
	return cg_equal(path, "???") ? 0 : add(r->build, path);
}

/* The object or file of "(id) path", "(id)" or "path". */
static uint32_t
get_path(
    struct reader *r, struct cg_map *map, struct cg_slice text, add_path *add)
{
	struct cg_slice path = text;
	uint32_t *value;
	uint64_t id;

	(void)cg_take_blanks(&path);
	if (!take_id(&path, &id))
		return add_known(r, add, path);
	value = find_id(r, map, id);
	if (!value)
		return 0;
	if (path.len > 0)
		*value = 1 + add_known(r, add, path);
	return *value ? *value - 1 : undefined(r, text, id);
}

/* A new element of named[]; 0 if out of memory. */
static uint32_t
add_named(struct reader *r)
{
	size_t cap = r->named_cap ? r->named_cap * 2 : 64;
	struct named *more;

	if (r->named_count == r->named_cap) {
		more = cap > UINT32_MAX
			   ? NULL
			   : realloc(r->named, cap * sizeof(*more));
		if (!more) {
			r->status = cg_nomem(r->job);
			return 0;
		}
		r->named = more;
		r->named_cap = cap;
	}
	return (uint32_t)r->named_count++;
}

static uint32_t
name_it(struct reader *r, uint32_t index, struct cg_slice text)
{
	cg_name name = cg_add_name(r->build, text);

	r->named[index] = (struct named){ .name = name ? name : r->unknown };
	return index;
}

/* A name that is written out each time. */
static uint32_t
get_plain_name(struct reader *r, struct cg_slice text)
{
	uint32_t *value = find_id(r, &r->plain, cg_add_name(r->build, text));

	if (!value)
		return 0;
	if (*value == 0)
		*value = name_it(r, add_named(r), text);
	return *value;
}

/* The index in named[] of "(id) name", "(id)" or "name". */
static uint32_t
get_fn_name(struct reader *r, struct cg_slice text)
{
	struct cg_slice name = text;
	uint32_t *value;
	uint64_t id;

	(void)cg_take_blanks(&name);
	if (!take_id(&name, &id))
		return get_plain_name(r, name);
	value = find_id(r, &r->names, id);
	if (!value)
		return 0;
	if (*value == 0) {
		*value = add_named(r);
		if (*value == 0)
			return 0;
		if (name.len == 0)
			(void)undefined(r, text, id);
		return name_it(r, *value, name);
	}
	return name.len > 0 ? name_it(r, *value, name) : *value;
}

/* Mostly an id means one function; only the first time asks the builder. */
static cg_fn
add_fn(struct reader *r, uint32_t index, cg_file file, cg_object object)
{
	struct named *named = &r->named[index];

	if (named->bound && named->file == file && named->object == object)
		return named->fn;
	named->bound = true;
	named->file = file;
	named->object = object;
	if (named->name == r->spontaneous && file == 0 && object == 0)
		named->fn = 0;
	else
		named->fn =
		    cg_add_fn_named(r->build, named->name, file, object);
	return named->fn;
}

/* ---- Position specifications -------------------------------------------- */

static void
set_ob(struct reader *r, struct cg_slice text)
{
	r->object = get_path(r, &r->objects, text, cg_add_object);
	r->has_fn = false;
}

static void
set_fl(struct reader *r, struct cg_slice text)
{
	r->file = r->here = get_path(r, &r->files, text, cg_add_file);
}

static void
set_fi(struct reader *r, struct cg_slice text)
{
	r->here = get_path(r, &r->files, text, cg_add_file);
}

static void
set_fn(struct reader *r, struct cg_slice text)
{
	r->name = get_fn_name(r, text);
	r->here = r->file;
	r->has_fn = true;
	r->fn = add_fn(r, r->name, r->file, r->object);
}

static void
set_cob(struct reader *r, struct cg_slice text)
{
	r->callee.object = get_path(r, &r->objects, text, cg_add_object);
	r->callee.has_object = true;
	r->callee.bound = false;
}

static void
set_cfi(struct reader *r, struct cg_slice text)
{
	r->callee.file = get_path(r, &r->files, text, cg_add_file);
	r->callee.has_file = true;
	r->callee.bound = false;
}

static void
set_cfn(struct reader *r, struct cg_slice text)
{
	r->callee.name = get_fn_name(r, text);
	r->callee.has_name = true;
	r->callee.bound = false;
}

static void
set_jfi(struct reader *r, struct cg_slice text)
{
	r->jump.file = get_path(r, &r->files, text, cg_add_file);
	r->jump.has_file = true;
}

static void
set_jfn(struct reader *r, struct cg_slice text)
{
	r->jump.name = get_fn_name(r, text);
	r->jump.has_name = true;
}

/* ---- Calls and jumps ---------------------------------------------------- */

/* The target of a call or jump: positions that do not move the base. */
static void
set_target(struct reader *r, const char *at)
{
	uint64_t bb;

	r->to = (struct cg_pos){ 0 };
	at = skip_blanks(at);
	if (*at != '\n')
		(void)get_positions(r, at, &r->to, &bb);
}

static void
set_calls(struct reader *r, struct cg_slice text)
{
	const char *at = skip_blanks(text.ptr), *from = at;

	at = get_number(r, at, &r->count);
	if (at == from) {
		r->status =
		    cg_fail_at(r->job, from, "expected 'calls=COUNT TARGET'");
		return;
	}
	if (!r->callee.has_name) {
		r->status = cg_fail_at(
		    r->job, text.ptr, "expected 'cfn=' before 'calls='");
		return;
	}
	set_target(r, at);
	if (!r->callee.bound)
		r->callee.fn = add_fn(r, r->callee.name,
		    r->callee.has_file ? r->callee.file : r->here,
		    r->callee.has_object ? r->callee.object : r->object);
	r->callee.bound = true;
	r->expect = EXPECT_CALL;
}

static void
set_rcalls(struct reader *r, struct cg_slice text)
{
	cg_warn_at(r->job, text.ptr, "'rcalls=' is read as 'calls='");
	set_calls(r, text);
}

static void
set_jump(struct reader *r, struct cg_slice text)
{
	const char *at = skip_blanks(text.ptr), *from = at;

	at = get_number(r, at, &r->count);
	if (at == from) {
		r->status =
		    cg_fail_at(r->job, from, "expected 'jump=COUNT TARGET'");
		return;
	}
	r->jump.conditional = false;
	r->jump.followed = r->count;
	set_target(r, at);
	r->expect = EXPECT_JUMP;
}

/* "followed/executed target", or "executed followed target". */
static void
set_jcnd(struct reader *r, struct cg_slice text)
{
	const char *at = skip_blanks(text.ptr), *second;
	uint64_t a, b;
	bool slash;

	second = get_number(r, at, &a);
	slash = *second == '/';
	second = skip_blanks(second + slash);
	at = get_number(r, second, &b);
	if (at == second) {
		r->status = cg_fail_at(r->job, text.ptr,
		    "expected 'jcnd=FOLLOWED/EXECUTED TARGET'");
		return;
	}
	r->jump.conditional = true;
	r->jump.followed = slash ? a : b;
	r->count = slash ? b : a;
	set_target(r, at);
	r->expect = EXPECT_JUMP;
}

static void
add_call(struct reader *r, const char *at, const struct cg_pos *pos,
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
add_jump(struct reader *r, const char *at, const struct cg_pos *pos, size_t n)
{
	cg_fn target = r->fn;

	if (n > 0)
		cg_warn_at(r->job, at, "the cost of a jump is not kept");
	r->to.file = r->jump.has_file ? r->jump.file : r->here;
	if (r->jump.has_name)
		target = add_fn(r, r->jump.name, r->to.file, r->object);
	cg_add_jump(r->build, r->fn, pos, target, &r->to, r->jump.conditional,
	    r->count, r->jump.followed);
	r->expect = EXPECT_COST;
	r->jump.has_file = r->jump.has_name = false;
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * A line of numbers; what it means was said by the line before. Returns where
 * it was read to, at best the newline.
 */
static const char *
read_cost_line(struct reader *r, const char *from)
{
	uint64_t raw[CG_EVENT_MAX], mapped[CG_EVENT_MAX], *cost = raw;
	struct cg_pos pos;
	const char *at;
	uint64_t bb;
	size_t n;

	at = get_positions(r, from, &pos, &bb);
	if (!at)
		return from;
	pos.file = r->here;
	at = get_costs(r, at, raw, &n);
	if (!r->straight) {
		n = map_costs(r, raw, n, mapped);
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

static const struct spec {
	const char *name;
	void (*set)(struct reader *, struct cg_slice text);
} specs[] = {
	{ "fn=", set_fn },
	{ "cfn=", set_cfn },
	{ "calls=", set_calls },
	{ "jcnd=", set_jcnd },
	{ "jump=", set_jump },
	{ "fi=", set_fi },
	{ "fe=", set_fi },
	{ "cfi=", set_cfi },
	{ "cob=", set_cob },
	{ "fl=", set_fl },
	{ "ob=", set_ob },
	{ "cfl=", set_cfi }, /* the older name of cfi= */
	{ "jfi=", set_jfi },
	{ "jfn=", set_jfn },
	{ "rcalls=", set_rcalls },
};

static bool
read_spec(struct reader *r, struct cg_slice line)
{
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		if (*specs[i].name != *line.ptr ||
		    !cg_take_prefix(&line, specs[i].name))
			continue;
		if (r->in_header)
			cg_callgrind_begin_part(r);
		specs[i].set(r, line);
		return true;
	}
	return false;
}

/* Any line that does not begin with a digit, sign or star. */
static void
read_word_line(struct reader *r, struct cg_slice line)
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
	if (read_spec(r, text) || cg_callgrind_header(r, text))
		return;
	cg_warn_at(r->job, text.ptr, "line is not understood and left out");
}

static const char *
read_number_line(struct reader *r, const char *at)
{
	if (r->events == 0) {
		r->status = cg_fail_at(r->job, at,
		    "expected 'events:' before the first cost line");
		return at;
	}
	if (r->in_header)
		cg_callgrind_begin_part(r);
	if (!r->has_fn) {
		/*
		 * No fn= since ob=, or at all: the function goes on in the new
		 * object, and costs of no function are still costs.
		 */
		r->has_fn = true;
		r->fn = add_fn(r, r->name, r->file, r->object);
	}
	return read_cost_line(r, at);
}

static inline bool
begins_number(char c)
{
	return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
}

static void
read_block(struct reader *r, struct cg_slice block)
{
	const char *at = block.ptr, *end = at + block.len, *newline;

	while (at < end && r->status == CG_OK) {
		at = skip_blanks(at);
		if (begins_number(*at)) {
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

static void
read_lines(struct reader *r, struct cg_in *in)
{
	struct cg_slice block;
	bool first = true;

	while (r->status == CG_OK && cg_read_block(in, &block)) {
		/* Some editors put a mark before the first line. */
		if (first)
			(void)cg_take_prefix(&block, "\xef\xbb\xbf");
		first = false;
		read_block(r, block);
		if (cg_build_status(r->build) != CG_OK)
			r->status = cg_build_failed(r->build, r->at);
	}
	r->at = NULL;
	if (r->status != CG_OK || cg_in_status(in) != CG_OK)
		return;
	if (r->expect != EXPECT_COST)
		r->status = cg_fail(r->job, "expected a cost line, but the "
					    "file ends: it is cut short");
	else if (r->events == 0)
		r->status = cg_fail(r->job,
		    "expected 'events:', but the file "
		    "ends: it is cut short or no callgrind file");
	else
		cg_callgrind_begin_part(r);
	cg_callgrind_end_part(r);
}

int
cg_callgrind_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = {
		.job = job, .build = build, .in_header = true, .line = true
	};

	r.spontaneous = cg_add_name(build, cg_slice(SPONTANEOUS));
	r.unknown = cg_add_name(build, cg_slice("???"));
	/* Element 0: costs before any fn=. */
	(void)add_named(&r);
	if (r.status == CG_OK) {
		(void)name_it(&r, 0, cg_slice("???"));
		read_lines(&r, in);
	}
	free(r.named);
	cg_map_free(&r.objects);
	cg_map_free(&r.files);
	cg_map_free(&r.names);
	cg_map_free(&r.plain);
	return r.status;
}
