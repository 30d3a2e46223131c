/*
 * profile.c - profiles of programs that clang (or Rust, Swift) built with
 * -fprofile-instr-generate -fcoverage-mapping: .profraw, .profdata.
 *
 * Source: see profile.h for the files and their sources; output of LLVM 14,
 * 15, 16, 19 and 22. A profile has counters only: regions, names and files are
 * in the executable. Lines, branches, conditions and functions equal those of
 * llvm-cov export of the compiler's version, with two exceptions: branches of
 * one macro (see llvm_cov.c), and negative counts (after data races), which
 * become 0. Columns, values and data for compilers only are lost.
 *
 * Several profiles, in one file or in several inputs, are summed by counter, as
 * llvm-profdata does: read() adds the counters of an input to sums, which need
 * memory by functions, and finish() looks at the executables, once.
 */
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* From this version on, llvm-cov lists branches of a macro also on its line. */
#define CLANG_ON_MACRO 21

/* ---- From one input to the next ------------------------------------------ */

struct kept {
	struct llvm_sums sums[LLVM_SETS];
	const struct cg_symbols **exe; /* executables of all inputs */
	size_t exes, exe_cap;
	uint64_t bytes; /* of all inputs */
};

static void
clear(struct kept *kept)
{
	for (int i = 0; i < LLVM_SETS; i++)
		llvm_free_sums(&kept->sums[i]);
	free(kept->exe);
	*kept = (struct kept){ 0 };
}

static void
release(void *memory)
{
	clear(memory);
}

/*
 * Returns what the reader keeps for the job: bytes, sums and executables. It
 * is empty the first time. NULL: out of memory (reported).
 */
static struct kept *
get_kept(struct cg_job *job)
{
	static const char key;

	return cg_job_state(job, &key, sizeof(struct kept), release);
}

/* ---- Executables -------------------------------------------------------- */

/*
 * Returns true if the profile lists the build id of this executable, and so
 * has counts of the executable's functions.
 */
static bool
has_id(const struct llvm_profile *profile, const struct cg_symbols *elf)
{
	for (size_t i = 0; i < profile->id.n; i++) {
		const char *hex = elf->build_id;
		size_t n = 0;
		uint64_t byte = 0;

		if (strlen(hex) != 2 * profile->id.at[i].len)
			continue;
		for (; n < profile->id.at[i].len; n++, hex += 2) {
			char digits[3] = { hex[0], hex[1], '\0' };

			(void)cg_get_hex(digits, &byte);
			if ((unsigned char)profile->id.at[i].ptr[n] != byte)
				break;
		}
		if (n == profile->id.at[i].len)
			return true;
	}
	return false;
}

/*
 * Returns the major version of the clang that built the executable, from the
 * text of its section .comment; UINT64_MAX: unknown.
 */
static uint64_t
clang_version(struct cg_slice text)
{
	static const char word[] = "clang version ";
	const char *at;
	uint64_t version;

	at = cg_find(text, word);
	if (!at)
		return UINT64_MAX;
	text.len -= (size_t)(at + sizeof(word) - 1 - text.ptr);
	text.ptr = at + sizeof(word) - 1;
	return cg_take_u64(&text, &version) ? version : UINT64_MAX;
}

/* Those of an input. */
struct executables {
	size_t named, mapped, matched; /* given; with mapping; matching */
};

/*
 * Adds the executable to kept->exe, unless it is there. Adds 1 to
 * count->mapped if it has a coverage mapping. Adds 1 to count->matched if the
 * profile lists its build id, or if it has no build id. False: an error
 * (reported).
 */
static bool
keep_executable(struct kept *kept, const struct llvm_profile *profile,
    const struct cg_symbols *symbols, struct executables *count)
{
	size_t i = 0;
	bool found;

	if (!llvm_has_mapping(profile->job, symbols, &found))
		return false;
	count->mapped += found;
	count->matched +=
	    has_id(profile, symbols) || *symbols->build_id == '\0';
	while (i < kept->exes && kept->exe[i] != symbols)
		i++;
	if (i < kept->exes)
		return true;
	if (!cg_grow(&kept->exe, &kept->exe_cap, i + 1, sizeof(*kept->exe)))
		return cg_reject_nomem(profile->job);
	kept->exe[kept->exes++] = symbols;
	return true;
}

/*
 * Guesses the executable's name from the profile's. Sets *path to the
 * profile's name without .profraw or .profdata. *path is NULL if the name has
 * no such suffix. The text is from cg_alloc(), so the caller does not free it.
 * False: out of memory (reported).
 */
static bool
find_program_name(struct cg_job *job, const char *name, char **path)
{
	static const char *const suffixes[] = { ".profraw", ".profdata" };
	size_t len = strlen(name);

	*path = NULL;
	for (size_t i = 0; i < 2; i++) {
		size_t cut = strlen(suffixes[i]);

		if (len <= cut || strcmp(name + len - cut, suffixes[i]) != 0)
			continue;
		*path = cg_alloc(job, len - cut + 1);
		if (!*path)
			return false;
		memcpy(*path, name, len - cut);
		return true;
	}
	return true;
}

/*
 * Looks for the executable if option --exe is not given. Tries two files: the
 * profile's name without its suffix, then a.out. Uses a file if the profile
 * lists its build id. If the profile has no build ids, only uses the file with
 * the profile's name, as a.out may be any program. Does not try a.out if it
 * uses the first file, and this has a coverage mapping. keep_executable()
 * counts in *count. False: an error (reported).
 */
static bool
guess_executable(struct kept *kept, const struct llvm_profile *profile,
    const struct cg_in *in, struct executables *count)
{
	struct cg_job *job = profile->job;
	char *name;
	bool ok = find_program_name(job, cg_in_name(in), &name);
	const char *const path[] = { name, "a.out" };

	for (size_t i = 0; i < 2 && ok && count->mapped == 0; i++) {
		const struct cg_symbols *symbols =
		    path[i] ? cg_open_symbols(job, path[i], true) : NULL;

		/*
		 * Without build ids, take the first one only: a.out may be any
		 * program.
		 */
		if (symbols && (has_id(profile, symbols) ||
				   (i == 0 && profile->id.n == 0)))
			ok = keep_executable(kept, profile, symbols, count);
	}
	return ok;
}

/*
 * Adds the executables that an input needs to *kept: those of option --exe,
 * else the ones that guess_executable() finds. Warns if the profile lists
 * build ids, but none of these executables has one of them. False: one cannot
 * be read, none has a coverage mapping, or another error (reported).
 */
static bool
find_executables(struct kept *kept, const struct llvm_profile *profile,
    const struct cg_in *in)
{
	struct cg_job *job = profile->job;
	struct executables count = { 0 };
	const char *path;

	for (; (path = cg_job_object(job, count.named)); count.named++) {
		const struct cg_symbols *symbols =
		    cg_open_symbols(job, path, false);

		if (!symbols)
			return cg_reject(
			    job, "cannot read the executable '%s'", path);
		if (!keep_executable(kept, profile, symbols, &count))
			return false;
	}
	if (count.named == 0 && !guess_executable(kept, profile, in, &count))
		return false;
	if (count.mapped == 0 && count.named == 0)
		return cg_reject(job,
		    "regions and names are in the executable: name it, and "
		    "shared libraries, with {exe}");
	if (count.mapped == 0)
		return cg_reject(job,
		    "no executable has a coverage mapping: expected one built "
		    "with -fprofile-instr-generate -fcoverage-mapping");
	if (profile->id.n > 0 && count.matched == 0)
		cg_warn(job, "no executable has a build id of the profile");
	return true;
}

/* ---- Reading ------------------------------------------------------------ */

static bool
read_profile(struct llvm_profile *profile, struct cg_slice text)
{
	if (llvm_is_raw(text))
		return llvm_read_raw(profile, text);
	if (llvm_is_indexed(text))
		return llvm_read_indexed(profile, text);
	return cg_reject(profile->job, "expected .profraw or .profdata");
}

static int
read_llvm(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct kept *kept = get_kept(job);
	struct llvm_profile profile = { .job = job };
	struct cg_slice text;

	(void)build;
	if (!kept)
		return CG_ELIMIT;
	if (!cg_read_all(in, &text) && cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	profile.sums = kept->sums;
	kept->bytes += text.len;
	return read_profile(&profile, text) &&
		       find_executables(kept, &profile, in)
		   ? CG_OK
		   : CG_EINPUT;
}

/* ---- Adding -------------------------------------------------------------- */

static void
report_losses(struct cg_job *job, const struct llvm_mapping *mapping)
{
	if (mapping->mismatched > 0)
		cg_warn(job,
		    "dropped %zu function%s that the profile has of another "
		    "build",
		    mapping->mismatched, mapping->mismatched == 1 ? "" : "s");
	if (mapping->sums->named > mapping->sums->found)
		cg_warn(job,
		    "dropped %zu function%s of the profile that no executable "
		    "has; name executables and shared libraries with {exe}",
		    mapping->sums->named - mapping->sums->found,
		    mapping->sums->named - mapping->sums->found == 1 ? ""
								     : "s");
	if (mapping->sums->unlike > 0)
		cg_warn(job,
		    "dropped %zu record%s whose function has more or fewer "
		    "counters in another run",
		    mapping->sums->unlike,
		    mapping->sums->unlike == 1 ? "" : "s");
	if (mapping->negative > 0)
		cg_warn(job,
		    "%zu negative count%s of threads that ran at once %s 0 "
		    "(-fprofile-update=atomic avoids them)",
		    mapping->negative, mapping->negative == 1 ? "" : "s",
		    mapping->negative == 1 ? "is" : "are");
	if (mapping->decisions_lost > 0)
		cg_warn(job,
		    "dropped conditions of %zu decision%s that %s too large",
		    mapping->decisions_lost,
		    mapping->decisions_lost == 1 ? "" : "s",
		    mapping->decisions_lost == 1 ? "is" : "are");
}

static bool
add_executable(struct llvm_mapping *mapping, const struct cg_symbols *symbols)
{
	struct cg_slice comment;

	if (!llvm_find_section(
		mapping->report->job, symbols, ".comment", &comment))
		return false;
	mapping->on_macro = clang_version(comment) >= CLANG_ON_MACRO;
	return llvm_add_executable(mapping, symbols);
}

/*
 * Adds one build of each function of all executables to the report.
 * mapping->pass selects the build. Then adds the lines of all sources. False:
 * an error (reported).
 */
static bool
add_pass(const struct kept *kept, struct llvm_mapping *mapping)
{
	bool ok = true;

	for (size_t i = 0; ok && i < kept->exes; i++)
		ok = add_executable(mapping, kept->exe[i]);
	ok = ok && llvm_move_sources(mapping);
	llvm_end_report(mapping->report, ok);
	return ok;
}

/*
 * Adds the sums of counters to the graph. An executable may have been built
 * anew between two runs. A function then has several builds. Each pass adds
 * one build of each function. So there are as many passes as the function with
 * the most builds needs. False: an error (reported).
 */
static bool
add_sums(const struct kept *kept, struct llvm_sums *sums, struct cg_job *job,
    struct cg_build *build)
{
	struct llvm_seen seen = { 0 };
	struct llvm_mapping mapping = { .mismatched = 0 };
	bool ok = true;

	for (uint32_t pass = 0; ok && (pass == 0 || pass < seen.most); pass++) {
		struct llvm_report report = {
			.job = job, .build = build, .more = kept->bytes
		};

		mapping = (struct llvm_mapping){ .report = &report,
			.sums = sums,
			.seen = &seen,
			.pass = pass,
			.texts = { .job = job },
			.mismatched = mapping.mismatched,
			.negative = mapping.negative,
			.decisions_lost = mapping.decisions_lost };
		ok = add_pass(kept, &mapping);
	}
	if (ok)
		report_losses(job, &mapping);
	return ok;
}

static int
finish(struct cg_job *job, struct cg_build *build)
{
	struct kept *kept = get_kept(job);
	bool ok = kept && llvm_add_event(build);

	for (int i = 0; ok && i < LLVM_SETS; i++) {
		kept->sums[i].by_terms = i & LLVM_BY_TERMS;
		/* Lines of functions that never ran come with the first. */
		if (i == 0 || kept->sums[i].fns > 0)
			ok = add_sums(kept, &kept->sums[i], job, build);
	}
	if (kept)
		clear(kept);
	return ok ? CG_OK : CG_EINPUT;
}

static int
probe(const struct cg_head *head)
{
	return llvm_is_raw(head->text) || llvm_is_indexed(head->text)
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_llvm_profile = {
	CG_MODULE,
	.name = "llvm-profile",
	.title = "coverage of clang: .profraw and .profdata",
	.suffixes = "profraw;profdata",
	.probe = probe,
	.read = read_llvm,
	.finish = finish,
};
