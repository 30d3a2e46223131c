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
 * Several profiles in one file are summed by counter, as llvm-profdata does;
 * several inputs are summed by line.
 */
#include <string.h>

#include "profile.h"

/* From this version on, llvm-cov lists branches of a macro also on its line. */
#define CLANG_ON_MACRO 21

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

struct executables {
	size_t named, mapped, matched; /* given; with mapping; matching */
};

static bool
add_executable(struct llvm_mapping *mapping, const struct cg_symbols *symbols,
    struct executables *count)
{
	struct cg_slice comment;
	bool found;

	if (!llvm_find_section(
		mapping->report->job, symbols, ".comment", &comment))
		return false;
	mapping->on_macro = clang_version(comment) >= CLANG_ON_MACRO;
	if (!llvm_add_executable(mapping, symbols, &found))
		return false;
	count->mapped += found;
	count->matched +=
	    has_id(mapping->profile, symbols) || *symbols->build_id == '\0';
	return true;
}

/*
 * Sets *path to the profile's name without .profraw or .profdata, a guess of
 * the executable's name, in memory of read(); NULL if the name has no such
 * suffix. False: out of memory (reported).
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
 * Looks for the executable if option --exe is not given: first by the
 * profile's name without its suffix, then a.out. Adds the first one with a
 * coverage mapping whose build id is in the profile, and counts it in *count.
 * If the profile has no build ids, adds the one by name, if it exists, but
 * never a.out, which may be any program. False: an error (reported).
 */
static bool
guess_executable(struct llvm_mapping *mapping, const struct cg_in *in,
    struct executables *count)
{
	struct cg_job *job = mapping->report->job;
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
		if (symbols && (has_id(mapping->profile, symbols) ||
				   (i == 0 && mapping->profile->id.n == 0)))
			ok = add_executable(mapping, symbols, count);
	}
	return ok;
}

static bool
add_executables(struct llvm_mapping *mapping, const struct cg_in *in)
{
	struct cg_job *job = mapping->report->job;
	struct executables count = { 0 };
	const char *path;

	for (; (path = cg_job_object(job, count.named)); count.named++) {
		const struct cg_symbols *symbols =
		    cg_open_symbols(job, path, false);

		if (!symbols)
			return cg_reject(
			    job, "cannot read the executable '%s'", path);
		if (!add_executable(mapping, symbols, &count))
			return false;
	}
	if (count.named == 0 && !guess_executable(mapping, in, &count))
		return false;
	if (count.mapped == 0 && count.named == 0)
		return cg_reject(job,
		    "regions and names are in the executable: name it, and "
		    "shared libraries, with {exe}");
	if (count.mapped == 0)
		return cg_reject(job,
		    "no executable has a coverage mapping: expected one built "
		    "with -fprofile-instr-generate -fcoverage-mapping");
	if (mapping->profile->id.n > 0 && count.matched == 0)
		cg_warn(job, "no executable has a build id of the profile");
	return true;
}

/* ---- Reading ------------------------------------------------------------ */

static void
report_losses(struct cg_job *job, const struct llvm_mapping *mapping)
{
	if (mapping->mismatched > 0)
		cg_warn(job,
		    "dropped %zu function%s that the profile has of another "
		    "build",
		    mapping->mismatched, mapping->mismatched == 1 ? "" : "s");
	if (mapping->profile->named > mapping->profile->found)
		cg_warn(job,
		    "dropped %zu function%s of the profile that no executable "
		    "has; name executables and shared libraries with {exe}",
		    mapping->profile->named - mapping->profile->found,
		    mapping->profile->named - mapping->profile->found == 1
			? ""
			: "s");
	if (mapping->profile->unlike > 0)
		cg_warn(job,
		    "dropped %zu record%s whose function has more or fewer "
		    "counters in another run",
		    mapping->profile->unlike,
		    mapping->profile->unlike == 1 ? "" : "s");
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
read_profile(
    struct llvm_mapping *mapping, const struct cg_in *in, struct cg_slice text)
{
	struct llvm_profile *profile = mapping->profile;
	bool ok;

	if (llvm_is_raw(text))
		ok = llvm_read_raw(profile, text);
	else if (llvm_is_indexed(text))
		ok = llvm_read_indexed(profile, text);
	else
		ok = cg_reject(profile->job, "expected .profraw or .profdata");
	return ok && add_executables(mapping, in) && llvm_move_sources(mapping);
}

static int
read_llvm(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct llvm_report report = { .job = job, .in = in, .build = build };
	struct llvm_profile profile = { .job = job };
	struct llvm_mapping mapping = {
		.report = &report, .profile = &profile, .texts = { .job = job }
	};
	struct cg_slice text;
	bool ok;

	if (!cg_read_all(in, &text) && cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	ok = llvm_add_event(build) && read_profile(&mapping, in, text);
	if (ok)
		report_losses(job, &mapping);
	llvm_end_report(&report, ok);
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
};
