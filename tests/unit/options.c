/*
 * options.c - an option that several formats have has one type, one name for
 * its value, and one meaning of --no-.
 */
#include "cgconv.h"
#include "unit.h"

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void
compare(const struct cg_option *a, const struct cg_option *b)
{
	if (strcmp(a->name, b->name) != 0)
		return;
	if (!CHECK(a->type == b->type) || !CHECK(same_text(a->arg, b->arg)))
		fprintf(stderr, "--%s differs in two formats\n", a->name);
}

static void
compare_with_all(const struct cg_option *option)
{
	const struct cg_module *const *module = cg_formats();

	for (; *module; module++) {
		const struct cg_option *other = (*module)->options;

		for (; other && other->name; other++)
			compare(option, other);
	}
}

int
main(void)
{
	const struct cg_module *const *module = cg_formats();

	for (; *module; module++) {
		const struct cg_option *option = (*module)->options;

		for (; option && option->name; option++) {
			CHECK((option->type == CG_FLAG) == !option->arg);
			compare_with_all(option);
		}
	}
	return unit_end();
}
