/*
 * raw.c - reads the text that "pprof -raw" and Profile.String() of Go print:
 *
 *	PeriodType: cpu nanoseconds
 *	Period: 10000000
 *	Time: 2026-11-24 10:47:36.857338 +0000 UTC
 *	Samples:
 *	samples/count cpu/nanoseconds[dflt]
 *	          7   70000000: 1 2 3
 *	                key:[value] other:[value]
 *	                bytes:[32 bytes]
 *	Locations
 *	     1: 0x4b51fd M=1 main.spin /tmp/main.go:10:0 s=8
 *	             main.main /tmp/main.go:20:0 s=18(main.main.1)
 *	Mappings
 *	1: 0x400000/0x4c0000/0x0 /tmp/main 5f3c [FN][FL][LN][IN]
 *
 * Source: String() of profile/profile.go of google/pprof, also before columns
 * were added. Each line becomes a field of profile.proto, which read.c takes.
 *
 * The text does not keep durations (it cuts them to four characters), several
 * values of one label (they are one with blanks), and whether a label is a
 * number: one that looks like a number is one.
 */
#include <string.h>

#include "pprof.h"

#define LABEL_INDENT "                "
#define LINE_INDENT "             "

struct raw {
	struct pprof_reader *r;
	struct proto_bytes sample;         /* sample that may get labels */
	struct proto_bytes part, location; /* messages */
	struct cg_map texts;               /* name -> index of the string + 1 */
	uint64_t functions;
	enum { HEADER, TYPES, SAMPLES, LOCATIONS, MAPPINGS } at;
};

/* ---- Messages ------------------------------------------------------------ */

static bool
put_varint(struct raw *raw, struct proto_bytes *to, uint64_t value)
{
	char text[VARINT_MAX];
	const size_t len = (size_t)(proto_format_varint(text, value) - text);

	return proto_append_bytes(
	    raw->r->job, to, (struct cg_slice){ text, len });
}

static bool
put_number(
    struct raw *raw, struct proto_bytes *to, unsigned field, uint64_t value)
{
	return put_varint(raw, to, field << 3 | WIRE_VARINT) &&
	       put_varint(raw, to, value);
}

static bool
put_message(struct raw *raw, struct proto_bytes *to, unsigned field,
    const struct proto_bytes *message)
{
	return put_varint(raw, to, field << 3 | WIRE_BYTES) &&
	       put_varint(raw, to, message->n) &&
	       proto_append_bytes(raw->r->job, to,
		   (struct cg_slice){ message->at, message->n });
}

/*
 * Passes a message to the reader, as the profile's field with number "number",
 * and empties the message. False: an error (reported).
 */
static bool
add_message(struct raw *raw, unsigned number, struct proto_bytes *message)
{
	const struct proto_field field = { .number = number,
		.wire = WIRE_BYTES,
		.value = message->n,
		.bytes = { message->at, message->n },
		.at = message->at };

	message->n = 0;
	return pprof_add_field(raw->r, &field);
}

static bool
add_number(struct raw *raw, unsigned number, uint64_t value)
{
	const struct proto_field field = {
		.number = number, .wire = WIRE_VARINT, .value = value
	};

	return pprof_add_field(raw->r, &field);
}

/*
 * Finds a text in the string table, and adds it if it is new. Sets *index to
 * its index there; 0 for "". False: out of memory (reported).
 */
static bool
get_text(struct raw *raw, struct cg_slice text, uint64_t *index)
{
	const cg_name name = cg_add_name(raw->r->build, text);
	uint32_t *at;
	cg_name *to;

	*index = 0;
	if (name == 0)
		return true;
	at = cg_map_in(raw->r->job, &raw->texts, name);
	if (!at)
		return false;
	if (*at == 0) {
		to = proto_push(raw->r->job, &raw->r->tables.strings);
		if (!to)
			return false;
		*to = name;
		*at = (uint32_t)raw->r->tables.strings.n;
	}
	*index = *at - 1;
	return true;
}

static bool
put_text(struct raw *raw, struct proto_bytes *to, unsigned field,
    struct cg_slice text)
{
	uint64_t index;

	return get_text(raw, text, &index) && put_number(raw, to, field, index);
}

/* ---- Header -------------------------------------------------------------- */

/* Returns the days from 1970-01-01 to a date of the Gregorian calendar. */
static int64_t
days_of(int64_t year, uint64_t month, uint64_t day)
{
	const int64_t from_march = (int64_t)(month + 9) % 12;

	year -= month <= 2;
	return 365 * year + year / 4 - year / 100 + year / 400 +
	       (153 * from_march + 2) / 5 + (int64_t)day - 1 - 719468;
}

static bool
take_part(struct cg_slice *text, char end, uint64_t *number)
{
	struct cg_slice word;

	return cg_take_until(text, end, &word) && cg_get_u64(word, number);
}

/*
 * Reads a time, "2026-11-24 10:47:36.857338 +0000 UTC", and sets *ns to the
 * nanoseconds since 1970. False: malformed, or not from 1970 to 2261 (not
 * reported).
 */
static bool
take_time(struct cg_slice text, uint64_t *ns)
{
	uint64_t year, month, day, hour, minute, fraction, zone;
	struct cg_slice word;
	int64_t seconds, offset;
	bool west;

	if (!take_part(&text, '-', &year) || !take_part(&text, '-', &month) ||
	    !take_part(&text, ' ', &day) || !take_part(&text, ':', &hour) ||
	    !take_part(&text, ':', &minute) ||
	    !cg_take_until(&text, ' ', &word) ||
	    !cg_take_fixed(&word, 9, &fraction) || word.len > 0 ||
	    year < 1970 || year > 2261 || month < 1 || month > 12 || day > 31 ||
	    hour > 24 || minute > 60)
		return false;
	west = cg_take_char(&text, '-');
	if (!west && !cg_take_char(&text, '+'))
		return false;
	if (!cg_take_until(&text, ' ', &word) || !cg_get_u64(word, &zone))
		return false;
	offset = (int64_t)(zone / 100 % 100 * 3600 + zone % 100 * 60);
	seconds = days_of((int64_t)year, month, day) * 86400 +
		  (int64_t)(hour * 3600 + minute * 60) +
		  (west ? offset : -offset);
	if (seconds < 0)
		return false;
	*ns = (uint64_t)seconds * 1000000000 + fraction;
	return true;
}

static bool
take_period_type(struct raw *raw, struct cg_slice text)
{
	struct cg_slice type;

	(void)cg_take_until(&text, ' ', &type);
	return put_text(raw, &raw->part, VALUE_TYPE, type) &&
	       put_text(raw, &raw->part, VALUE_UNIT, cg_trim(text)) &&
	       add_message(raw, PPROF_PERIOD_TYPE, &raw->part);
}

static bool
add_text(struct raw *raw, unsigned field, struct cg_slice text)
{
	uint64_t index;

	return get_text(raw, text, &index) && add_number(raw, field, index);
}

static bool
take_header(struct raw *raw, struct cg_slice line)
{
	uint64_t number;

	if (cg_equal(line, "Samples:"))
		raw->at = TYPES;
	else if (cg_take_prefix(&line, "Comment: "))
		return add_text(raw, PPROF_COMMENT, line);
	else if (cg_take_prefix(&line, "Doc: "))
		return add_text(raw, PPROF_DOC_URL, line);
	else if (cg_take_prefix(&line, "PeriodType: "))
		return take_period_type(raw, line);
	else if (cg_take_prefix(&line, "Period: ") && cg_get_u64(line, &number))
		return add_number(raw, PPROF_PERIOD, number);
	else if (cg_take_prefix(&line, "Time: ") && take_time(line, &number))
		return add_number(raw, PPROF_TIME_NANOS, number);
	else if (!cg_starts(line, "Duration: "))
		return cg_reject_at(raw->r->job, line.ptr,
		    "expected a line of the header, or 'Samples:'");
	return true;
}

/*
 * Reads the line of sample types, "samples/count cpu/nanoseconds[dflt]", and
 * adds each type to the profile. A type with the mark [dflt] becomes the
 * default type. Sets raw->at, so that later lines are read as samples. False:
 * an error (reported).
 */
static bool
take_types(struct raw *raw, struct cg_slice line)
{
	struct cg_slice word, unit;
	const char *slash, *mark;

	raw->at = SAMPLES;
	while (cg_take_until(&line, ' ', &word)) {
		slash = memchr(word.ptr, '/', word.len);
		if (!slash)
			return cg_reject_at(
			    raw->r->job, word.ptr, "expected TYPE/UNIT");
		unit.ptr = slash + 1;
		unit.len = word.len - (size_t)(unit.ptr - word.ptr);
		word.len -= unit.len + 1;
		mark = cg_find(unit, "[dflt]");
		if (mark)
			unit.len = (size_t)(mark - unit.ptr);
		if (!put_text(raw, &raw->part, VALUE_TYPE, word) ||
		    !put_text(raw, &raw->part, VALUE_UNIT, unit) ||
		    !add_message(raw, PPROF_SAMPLE_TYPE, &raw->part) ||
		    (mark && !add_text(raw, PPROF_DEFAULT_TYPE, word)))
			return false;
	}
	return true;
}

/* ---- Samples ------------------------------------------------------------- */

static bool
end_sample(struct raw *raw)
{
	return raw->sample.n == 0 ||
	       add_message(raw, PPROF_SAMPLE, &raw->sample);
}

static bool
take_value(struct cg_slice *text, uint64_t *value)
{
	const bool negative = cg_take_char(text, '-');

	if (!cg_take_u64(text, value))
		return false;
	if (negative)
		*value = -*value;
	return true;
}

/*
 * Reads a line of a sample, " 7 70000000: 1 2 3" (values and locations), into
 * raw->sample. Adds the sample before it to the profile, as labels may follow
 * a line. False: an error (reported).
 */
static bool
take_sample(struct raw *raw, struct cg_slice line)
{
	uint64_t value;

	if (!end_sample(raw))
		return false;
	do {
		(void)cg_take_blanks(&line);
		if (!take_value(&line, &value))
			return cg_reject_at(raw->r->job, line.ptr,
			    "expected 'VALUE...: LOCATION...'");
		if (!put_number(raw, &raw->sample, SAMPLE_VALUE, value))
			return false;
	} while (!cg_take_char(&line, ':'));
	while (cg_take_blanks(&line) && line.len > 0) {
		if (!cg_take_u64(&line, &value))
			return cg_reject_at(raw->r->job, line.ptr,
			    "expected the number of a location");
		if (!put_number(raw, &raw->sample, SAMPLE_LOCATION, value))
			return false;
	}
	return line.len == 0 || cg_reject_at(raw->r->job, line.ptr,
				    "expected blanks between numbers");
}

/*
 * Reads the value of a label as a number with an optional unit: "32" or "32
 * bytes". *unit is "" without a unit. False: the value is a text; *number and
 * *unit then have no meaning.
 */
static bool
get_number(struct cg_slice text, uint64_t *number, struct cg_slice *unit)
{
	*unit = (struct cg_slice){ "", 0 };
	if (!take_value(&text, number))
		return false;
	if (text.len == 0)
		return true;
	if (!cg_take_char(&text, ' ') || text.len == 0 ||
	    memchr(text.ptr, ' ', text.len))
		return false;
	*unit = text;
	return true;
}

static bool
add_label(struct raw *raw, struct cg_slice key, struct cg_slice value)
{
	struct cg_slice unit;
	uint64_t number;
	bool ok = put_text(raw, &raw->part, LABEL_KEY, key);

	if (get_number(value, &number, &unit))
		ok = ok && put_number(raw, &raw->part, LABEL_NUM, number) &&
		     (unit.len == 0 ||
			 put_text(raw, &raw->part, LABEL_NUM_UNIT, unit));
	else
		ok = ok && put_text(raw, &raw->part, LABEL_STR, value);
	ok = ok && put_message(raw, &raw->sample, SAMPLE_LABEL, &raw->part);
	raw->part.n = 0;
	return ok;
}

/*
 * Reads a line of labels, "key:[value] other:[32 bytes]", and adds them to the
 * current sample. False: an error (reported).
 */
static bool
take_labels(struct raw *raw, struct cg_slice line)
{
	struct cg_slice key, value;
	const char *open, *close;

	line = cg_trim(line);
	while (line.len > 0) {
		open = cg_find(line, ":[");
		close = open ? cg_find(line, "] ") : NULL;
		if (close && close < open)
			close = NULL;
		if (!close && line.ptr[line.len - 1] == ']')
			close = line.ptr + line.len - 1;
		if (!open || !close || raw->sample.n == 0)
			return cg_reject_at(raw->r->job, line.ptr,
			    "expected 'KEY:[VALUE]' of a sample");
		key = (struct cg_slice){ line.ptr, (size_t)(open - line.ptr) };
		value.ptr = open + 2;
		value.len = (size_t)(close - value.ptr);
		line.len -= (size_t)(close + 1 - line.ptr);
		line.ptr = close + 1;
		(void)cg_take_blanks(&line);
		if (!add_label(raw, key, value))
			return false;
	}
	return true;
}

/* ---- Locations ----------------------------------------------------------- */

static bool
end_location(struct raw *raw)
{
	return raw->location.n == 0 ||
	       add_message(raw, PPROF_LOCATION, &raw->location);
}

/*
 * Finds the first line of a function, " s=8" or " s=8(system name)", at the
 * end of a text. Sets *line, and *system (may be ""). Returns a pointer to "
 * s="; NULL: there is none.
 */
static const char *
find_start(struct cg_slice text, uint64_t *line, struct cg_slice *system)
{
	struct cg_slice rest = text;
	const char *at;

	while ((at = cg_find(rest, " s=")) != NULL) {
		rest.ptr = at + 3;
		rest.len = text.len - (size_t)(rest.ptr - text.ptr);
		*system = rest;
		if (!take_value(system, line))
			continue;
		if (system->len == 0)
			return at;
		if (cg_take_char(system, '(') && system->len > 0 &&
		    system->ptr[system->len - 1] == ')') {
			system->len--;
			return at;
		}
	}
	return NULL;
}

/*
 * Splits "name /file" at the blank before the file: shortens *name, and sets
 * *file ("": no blank). As both may have blanks, the last blank before a slash
 * counts, or else the last one.
 */
static void
split_file(struct cg_slice *name, struct cg_slice *file)
{
	size_t at = name->len, slash = 0;

	while (at > 0 && name->ptr[at - 1] != ' ')
		at--;
	for (size_t i = name->len; i > 1 && slash == 0; i--)
		if (name->ptr[i - 1] == '/' && name->ptr[i - 2] == ' ')
			slash = i - 1;
	at = slash > 0 ? slash : at;
	*file = (struct cg_slice){ name->ptr + at, name->len - at };
	name->len = at > 0 ? at - 1 : name->len;
	if (at == 0)
		*file = (struct cg_slice){ "", 0 };
}

/*
 * Reads a line of the current location, "main.main /tmp/main.go:20:0
 * s=18(main.main.1)". Adds a function to the profile, and a line with this
 * function to raw->location. The text "??" becomes a line without a function.
 * False: an error (reported).
 */
static bool
take_line(struct raw *raw, struct cg_slice text)
{
	struct cg_slice name = text, file, system;
	uint32_t line = 0, column = 0;
	uint64_t start = 0;
	const char *end;

	if (cg_equal(text, "??"))
		return put_number(raw, &raw->part, LINE_LINE, 0) &&
		       put_message(
			   raw, &raw->location, LOCATION_LINE, &raw->part);
	end = find_start(text, &start, &system);
	if (!end)
		return cg_reject_at(raw->r->job, text.ptr,
		    "expected 'FUNCTION FILE:LINE:COLUMN s=LINE'");
	name.len = (size_t)(end - text.ptr);
	(void)cg_cut_number(&name, ':', &column);
	if (!cg_cut_number(&name, ':', &line)) {
		line = column;
		column = 0;
	}
	split_file(&name, &file);
	if (!put_number(raw, &raw->part, FUNCTION_ID, ++raw->functions) ||
	    !put_text(raw, &raw->part, FUNCTION_NAME, name) ||
	    !put_text(raw, &raw->part, FUNCTION_SYSTEM_NAME,
		system.len > 0 ? system : name) ||
	    !put_text(raw, &raw->part, FUNCTION_FILENAME, file) ||
	    !put_number(raw, &raw->part, FUNCTION_START_LINE, start) ||
	    !add_message(raw, PPROF_FUNCTION, &raw->part))
		return false;
	return put_number(raw, &raw->part, LINE_FUNCTION, raw->functions) &&
	       put_number(raw, &raw->part, LINE_LINE, line) &&
	       put_number(raw, &raw->part, LINE_COLUMN, column) &&
	       put_message(raw, &raw->location, LOCATION_LINE, &raw->part);
}

/*
 * Reads the first line of a location, " 1: 0x4b51fd M=1 [F] main.main ...",
 * into the message raw->location. First adds the location before it to the
 * profile. False: an error (reported).
 */
static bool
take_location(struct raw *raw, struct cg_slice line)
{
	uint64_t id, addr, mapping = 0;
	bool ok = end_location(raw), folded;

	(void)cg_take_blanks(&line);
	if (!cg_take_u64(&line, &id) || !cg_take_prefix(&line, ": ") ||
	    !cg_take_u64(&line, &addr))
		return cg_reject_at(raw->r->job, line.ptr,
		    "expected 'NUMBER: ADDRESS' of a location");
	(void)cg_take_blanks(&line);
	if (cg_take_prefix(&line, "M=") && !cg_take_u64(&line, &mapping))
		return cg_reject_at(
		    raw->r->job, line.ptr, "expected the number of a mapping");
	(void)cg_take_blanks(&line);
	folded = cg_take_prefix(&line, "[F]");
	(void)cg_take_blanks(&line);
	ok = ok && put_number(raw, &raw->location, LOCATION_ID, id) &&
	     put_number(raw, &raw->location, LOCATION_MAPPING, mapping) &&
	     put_number(raw, &raw->location, LOCATION_ADDRESS, addr) &&
	     put_number(raw, &raw->location, LOCATION_FOLDED, folded);
	if (ok && line.len > 0)
		ok = take_line(raw, line);
	raw->part.n = 0;
	return ok;
}

static bool
take_more_lines(struct raw *raw, struct cg_slice line)
{
	const bool ok = raw->location.n > 0
			    ? take_line(raw, line)
			    : cg_reject(raw->r->job,
				  "expected a location before its lines");

	raw->part.n = 0;
	return ok;
}

/* ---- Mappings ------------------------------------------------------------ */

/*
 * Cuts the last word, and the blank before it, off the text; returns the word,
 * which may be empty.
 */
static struct cg_slice
cut_word(struct cg_slice *text)
{
	struct cg_slice word;
	size_t at = text->len;

	while (at > 0 && text->ptr[at - 1] != ' ')
		at--;
	word = (struct cg_slice){ text->ptr + at, text->len - at };
	text->len = at > 0 ? at - 1 : 0;
	return word;
}

/*
 * Reads a line "1: 0x400000/0x4c0000/0x0 /tmp/main 5f3c [FN][FL][LN][IN]", and
 * adds the mapping to the profile. Notes whether the line has the flag [FN],
 * which tells that functions of the mapping are known. Ignores the other
 * flags. False: an error (reported).
 */
static bool
take_mapping(struct raw *raw, struct cg_slice line)
{
	struct cg_slice flags, build_id;
	uint64_t id, start, limit, offset;

	if (!cg_take_u64(&line, &id) || !cg_take_prefix(&line, ": ") ||
	    !cg_take_u64(&line, &start) || !cg_take_char(&line, '/') ||
	    !cg_take_u64(&line, &limit) || !cg_take_char(&line, '/') ||
	    !cg_take_u64(&line, &offset) || !cg_take_char(&line, ' '))
		return cg_reject_at(raw->r->job, line.ptr,
		    "expected 'NUMBER: START/LIMIT/OFFSET FILE BUILD-ID'");
	flags = cut_word(&line);
	build_id = cut_word(&line);
	return put_number(raw, &raw->part, MAPPING_ID, id) &&
	       put_number(raw, &raw->part, MAPPING_START, start) &&
	       put_number(raw, &raw->part, MAPPING_LIMIT, limit) &&
	       put_number(raw, &raw->part, MAPPING_OFFSET, offset) &&
	       put_text(raw, &raw->part, MAPPING_FILENAME, line) &&
	       put_text(raw, &raw->part, MAPPING_BUILD_ID, build_id) &&
	       put_number(raw, &raw->part, MAPPING_HAS_FUNCTIONS,
		   cg_find(flags, "[FN]") != NULL) &&
	       add_message(raw, PPROF_MAPPING, &raw->part);
}

/* ---- Lines --------------------------------------------------------------- */

static bool
take_text(struct raw *raw, struct cg_slice line)
{
	switch (raw->at) {
	case HEADER: return take_header(raw, line);
	case TYPES: return take_types(raw, line);
	case SAMPLES:
		if (cg_equal(line, "Locations")) {
			raw->at = LOCATIONS;
			return end_sample(raw);
		}
		if (cg_starts(line, LABEL_INDENT))
			return take_labels(raw, line);
		return take_sample(raw, line);
	case LOCATIONS:
		if (cg_equal(line, "Mappings")) {
			raw->at = MAPPINGS;
			return end_location(raw);
		}
		if (cg_take_prefix(&line, LINE_INDENT))
			return take_more_lines(raw, line);
		return take_location(raw, line);
	case MAPPINGS: break;
	}
	return line.len == 0 || take_mapping(raw, line);
}

int
pprof_read_raw(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct pprof_reader r = { .job = job,
		.in = in,
		.build = build,
		.tables = { .job = job, .in = in, .build = build },
		.sums.job = job };
	struct raw raw = { .r = &r };
	struct cg_slice line;
	bool good = proto_push(job, &r.tables.strings) != NULL;

	while (good && cg_read_line(in, &line)) {
		cg_cut_return(&line);
		good = take_text(&raw, line) && cg_build_status(build) == CG_OK;
	}
	if (good && cg_in_status(in) == CG_OK) {
		if (raw.at != MAPPINGS || cg_in_unterminated(in))
			cg_warn(job,
			    "expected 'Mappings' and whole lines at the "
			    "end: the file may be truncated");
		if (end_sample(&raw) && end_location(&raw))
			(void)pprof_finish(&r);
	}
	pprof_free(&r);
	return cg_in_status(in);
}
