/*
 * version.c - --version: with -v, also what this program was built with, and
 * what the system offers it.
 */
#include <json-c/json.h>
#include <string.h>

#include "cgconv_expert.h"
#include "cmd.h"

/* Returns true if -v stands before --version or after it. */
static bool
is_verbose(const struct args *args)
{
	bool verbose = args->verbose;

	for (char **arg = args->topics; !verbose && *arg != NULL; arg++)
		verbose =
		    strcmp(*arg, "-v") == 0 || strcmp(*arg, "--verbose") == 0;
	return verbose;
}

static void
print_formats(const struct args *args)
{
	const struct cg_module *module;
	size_t reads = 0, writes = 0, i;

	for (i = 0; (module = cg_job_module(args->job, i)); i++) {
		reads += module->read != NULL;
		writes += module->write != NULL;
	}
	printf("Formats    %zu; reads %zu, writes %zu\n", i, reads, writes);
}

/*
 * Prints a blank and the number in a library's version, without a name before
 * it or a date after it; nothing if there is no number.
 */
static void
print_number(const char *version)
{
	version += strcspn(version, "0123456789");
	if (*version != '\0')
		printf(" %.*s", (int)strcspn(version, ", "), version);
}

static void
print_library(const struct cg_library *library, const char *heading)
{
	printf("%-10s %s", heading, library->name);
	if (library->failure != NULL) {
		printf(": cannot be loaded: %s\n", library->failure);
		return;
	}
	print_number(library->version);
	printf(", %s; %s\n", library->loaded ? "loaded when needed" : "linked",
	    library->licence);
}

static void
print_libraries(void)
{
	struct cg_library library = {
		.name = "json-c", .version = json_c_version(), .licence = "MIT"
	};

	print_library(&library, "Libraries");
	for (size_t i = 0; cg_get_library(i, &library); i++)
		print_library(&library, "");
}

/*
 * Prints what the sandbox limits, or what it lacks on this system. Enters the
 * sandbox, since only that tells what the system can do.
 */
static void
print_sandbox(void)
{
	struct sandbox box;
	const char *lack;

	sandbox_begin(&box);
	lack = sandbox_enter(&box);
	printf("Sandbox    %s\n",
	    lack != NULL ? lack : "files by landlock, system calls by seccomp");
}

int
show_version(struct args *args)
{
	puts("cgconv " CG_VERSION);
	if (!is_verbose(args))
		return CG_OK;
	puts("Licence    BSD-2-Clause");
	print_formats(args);
	print_libraries();
	printf("Plug-ins   %s\n",
	    cg_has_modules() ? "loaded by --module" : "not in this build");
	printf("Threads    %zu\n", count_jobs(args));
	print_sandbox();
	return CG_OK;
}
