/*
 * java.c - names of Java methods, as agents of the JVM write them.
 *
 * perf-map-agent writes the class as a signature, its separator, the method,
 * and on request a descriptor or a position (sig_string() in its
 * perf-map-agent.c), and for inlined methods " in " and the compiled method;
 * perf's own agent writes no separator (tools/perf/jvmti/libjvmti.c):
 *
 *	Lio/netty/Loop;.run(I)V  Lio/netty/Loop;::run  Lio/netty/Loop;run(I)V
 *
 * stackcollapse-perf.pl replaces the semicolon by a colon, and drops the first
 * L and the descriptor: "io/netty/Loop:.run". All of them become
 * "io.netty.Loop.run".
 */
#include <string.h>

#include "symbols/symbols.h"

/*
 * True for a character of a name. Names of classes made at run time also have
 * '.', '+' and '-', which are not accepted here.
 */
static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$' ||
	       (c & 0x80) != 0;
}

/*
 * Returns the end of the class name, such as "io/netty/Loop", that begins at
 * `at`; `at` itself if there is none.
 */
static const char *
end_of_class(const char *at)
{
	while (is_word(*at) || (*at != '\0' && strchr("/.+-", *at)))
		at++;
	return at;
}

/*
 * Returns the start of the method, after the separator at `at` (";", ";." or
 * ";::", or a colon). NULL: name is not a class and a method. Only
 * stackcollapse-perf.pl's "io/netty/Loop:.run" has no L before the class.
 */
static const char *
skip_separator(const char *name, const char *at)
{
	bool path = memchr(name, '/', (size_t)(at - name)) != NULL;
	bool semicolon = *at == ';';

	if (at == name || *name == '/' || (!semicolon && *at != ':') ||
	    (*name != 'L' && (semicolon || !path)))
		return NULL;
	at++;
	if (strncmp(at, "::", 2) == 0)
		at += 2;
	else if (*at == '.')
		at++;
	else if (!semicolon || !path)
		return NULL;
	return (is_word(*at) && (*at < '0' || *at > '9')) || *at == '<' ? at
									: NULL;
}

/*
 * Skips a type of a method descriptor, "I" or "[Ljava/lang/Object;", and
 * returns its end. A truncated type at the end of the text is accepted.
 * semicolon: the character after a class. NULL: not a type.
 */
static const char *
skip_type(const char *at, char semicolon)
{
	while (*at == '[')
		at++;
	if (*at == 'L') {
		at = end_of_class(at);
		return *at == semicolon ? at + 1 : *at == '\0' ? at : NULL;
	}
	if (*at == '\0')
		return at;
	return strchr("BCDFIJSZV", *at) ? at + 1 : NULL;
}

/*
 * Skips the descriptor of a method, "(ILjava/lang/Object;)V", which may be
 * truncated, and returns its end. Returns text if there is none, as in
 * "(Loop.java:12)".
 */
static const char *
skip_descriptor(const char *text, char semicolon)
{
	const char *at = text, *end;

	if (*at != '(')
		return text;
	for (at++; *at != '\0' && *at != ')';) {
		at = skip_type(at, semicolon);
		if (!at)
			return text;
	}
	if (*at == '\0')
		return at;
	end = skip_type(++at, semicolon);
	return end ? end : at;
}

/*
 * Writes the name of one Java method at *to, as "io.netty.Loop.run" without a
 * NUL, and moves *to. Returns the end of the method in name, after its
 * descriptor. NULL: no method, nothing written.
 */
static const char *
convert(const char *name, char **to)
{
	const char *end = end_of_class(name);
	const char *method = skip_separator(name, end);
	size_t len;

	if (!method)
		return NULL;
	if (*name == 'L')
		name++;
	for (; name < end; name++)
		*(*to)++ = *name == '/' ? '.' : *name;
	*(*to)++ = '.';
	len = strcspn(method, "( ");
	memcpy(*to, method, len);
	*to += len;
	return skip_descriptor(method + len, *end);
}

bool
cg_demangle_java(const char *name, char *to)
{
	static const char in[] = " in ";
	const size_t len = sizeof(in) - 1;
	const char *rest = convert(name, &to), *more;

	if (!rest)
		return false;
	while (strncmp(rest, in, len) == 0) {
		memcpy(to, in, len);
		to += len;
		more = convert(rest + len, &to);
		rest = more ? more : rest + len;
	}
	memcpy(to, rest, strlen(rest) + 1);
	return true;
}
