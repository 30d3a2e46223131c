/*
 * mapping.c - the coverage mapping of an executable: its functions, each with
 * the files of its unit. Versions 4 to 7 (LLVM 11 to 22).
 *
 * Source: docs/CoverageMappingFormat.rst and CoverageMappingReader.cpp of LLVM.
 *
 *	__llvm_prf_names, else __llvm_covnames: names of functions
 *	__llvm_covmap: by unit, the names of its files
 *	__llvm_covfun: by function, hashes of its name and files, its regions
 *
 * A function of several units (inline, templates) has several records. The
 * first one counts; if that only says that the function was not used there, the
 * first real one.
 */
#include <string.h>

#include "profile.h"

#define OLDEST 3 /* versions are written less one: this is 4 */
#define NEWEST 6
#define WITH_DIRECTORY 5 /* from this version on, file 0 is the directory */
#define CHUNK_SEPARATOR '\1'

struct unit {
	size_t file, files; /* of executable.file */
};

struct executable {
	struct llvm_mapping *mapping;
	struct cg_job *job;
	const char *path;
	bool big;
	CG_ARRAY(cg_name) file; /* of all units */
	CG_ARRAY(struct unit) unit;
	struct cg_map by_ref; /* hash of a list of files -> unit, from 1 */
	CG_ARRAY(struct llvm_function) fn;
	struct cg_map by_name; /* hash of a name -> function, from 1 */
	CG_ARRAY(char) path_buf;
	uint64_t listed,
	    joined; /* bytes of names, and of names with directories */
};

/*
 * Limit of file names with their directories: free bytes, as large programs
 * need, and a multiple of the names' bytes.
 */
#define JOINED_FREE (UINT64_C(16) << 20)
#define JOINED_MAX 8 /* times the names */

static bool
fail(const struct executable *exe, const char *expected)
{
	return cg_reject(exe->job, "%s: expected %s", exe->path, expected);
}

/*
 * Returns LLVM's hash of a text: the first 8 bytes of its MD5, little endian.
 */
static uint64_t
hash_of(const struct llvm_bytes *text)
{
	unsigned char digest[CG_MD5_SIZE];

	cg_md5((struct cg_slice){ (const char *)text->at, llvm_left(text) },
	    digest);
	return llvm_get(digest, 8, false);
}

/* ---- Names of functions ------------------------------------------------- */

static bool
add_names(struct executable *exe, struct llvm_bytes list)
{
	struct cg_build *build = exe->mapping->report->build;

	while (llvm_left(&list) > 0) {
		const unsigned char *end =
		    memchr(list.at, CHUNK_SEPARATOR, llvm_left(&list));
		struct llvm_bytes name = { list.at, end ? end : list.end,
			false };
		uint64_t hash = hash_of(&name);
		uint32_t *at = cg_map_in(exe->job, &exe->mapping->names, hash);

		if (!at)
			return false;
		/* Functions of system headers may have no mapping. */
		llvm_note_found(exe->mapping->sums, hash);
		*at =
		    cg_add_name(build, (struct cg_slice){ (const char *)name.at,
					   llvm_left(&name) });
		list.at = end ? end + 1 : list.end;
	}
	return true;
}

static bool
take_names(struct executable *exe, struct llvm_bytes bytes)
{
	struct llvm_bytes list;
	uint64_t size, packed;

	while (llvm_left(&bytes) > 0) {
		if (!llvm_take_leb(&bytes, &size) ||
		    !llvm_take_leb(&bytes, &packed))
			return fail(exe, "names of functions");
		if (!llvm_unpack(
			&exe->mapping->texts, &bytes, size, packed, &list) ||
		    !add_names(exe, list))
			return false;
		while (llvm_left(&bytes) > 0 && *bytes.at == 0)
			bytes.at++;
	}
	return true;
}

/* ---- Names of files ----------------------------------------------------- */

/*
 * Appends a path to exe->file. A relative path is joined to its unit's
 * directory, unless that is empty. A few bytes may state a long directory for
 * many files. So it is an error if joined paths are much longer than the
 * names. False: an error (reported).
 */
static bool
add_file(
    struct executable *exe, struct llvm_bytes text, struct llvm_bytes directory)
{
	struct cg_slice name = { (const char *)text.at, llvm_left(&text) };
	struct cg_slice dir = { (const char *)directory.at,
		llvm_left(&directory) };
	cg_name *file;

	exe->listed += name.len + 1;
	exe->joined += dir.len + name.len;
	if (exe->joined > JOINED_FREE + exe->listed * JOINED_MAX)
		return fail(exe, "shorter directories of its units");
	if (dir.len > 0 && (name.len == 0 || name.ptr[0] != '/')) {
		if (!cg_reserve(exe->job, &exe->path_buf,
			dir.len + name.len + CG_JOIN_MORE))
			return false;
		name.len = (size_t)(cg_join_path(exe->path_buf.at, dir, name) -
				    exe->path_buf.at);
		name.ptr = exe->path_buf.at;
	}
	file = cg_push(exe->job, &exe->file);
	if (!file)
		return false;
	*file = cg_add_name(exe->mapping->report->build, name);
	return true;
}

/*
 * Takes the list of files of a unit: number, sizes, and names, which may be
 * compressed. Appends their paths to exe->file. From version WITH_DIRECTORY
 * on, the first name is the unit's directory. Then joins each later relative
 * name to this directory. False: an error (reported).
 */
static bool
take_files(struct executable *exe, struct llvm_bytes bytes, uint64_t version)
{
	struct llvm_bytes list, text, directory = { 0 };
	uint64_t n, size, packed;

	if (!llvm_take_leb(&bytes, &n) || !llvm_take_leb(&bytes, &size) ||
	    !llvm_take_leb(&bytes, &packed))
		return fail(exe, "files of a unit");
	if (packed == 0)
		size = llvm_left(&bytes);
	if (!llvm_unpack(&exe->mapping->texts, &bytes, size, packed, &list))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		if (!llvm_take_leb(&list, &size) ||
		    !llvm_cut(&list, size, &text))
			return fail(exe, "names of files");
		if (!add_file(exe, text, directory))
			return false;
		if (i == 0 && version >= WITH_DIRECTORY)
			directory = text;
	}
	return true;
}

static bool
take_unit(struct executable *exe, struct llvm_bytes *bytes)
{
	struct unit unit = { .file = exe->file.n }, *new;
	uint64_t records, size, coverage, version;
	struct llvm_bytes files;
	uint32_t *at;

	if (!llvm_take(bytes, 4, &records) || !llvm_take(bytes, 4, &size) ||
	    !llvm_take(bytes, 4, &coverage) || !llvm_take(bytes, 4, &version))
		return fail(exe, "the header of a unit");
	if (version < OLDEST || version > NEWEST)
		return cg_reject(exe->job,
		    "%s: version %llu of the coverage mapping is not known (%d "
		    "to %d are): use llvm-profdata merge and llvm-cov export "
		    "of the same LLVM",
		    exe->path, (unsigned long long)version + 1, OLDEST + 1,
		    NEWEST + 1);
	if (!llvm_cut(bytes, size, &files) || coverage != 0)
		return fail(exe, "the files of a unit");
	at = cg_map_in(exe->job, &exe->by_ref, hash_of(&files));
	if (!at)
		return false;
	if (*at > 0)
		return true; /* another unit has the same files */
	*at = (uint32_t)exe->unit.n + 1;
	new = cg_push(exe->job, &exe->unit);
	if (!new || !take_files(exe, files, version))
		return false;
	unit.files = exe->file.n - unit.file;
	*new = unit;
	return true;
}

static void
align(struct llvm_bytes *bytes, const unsigned char *begin)
{
	size_t more = -(size_t)(bytes->at - begin) & 7;

	bytes->at += more < llvm_left(bytes) ? more : llvm_left(bytes);
}

static bool
take_units(struct executable *exe, struct llvm_bytes bytes)
{
	const unsigned char *begin = bytes.at;

	while (llvm_left(&bytes) > 0) {
		if (!take_unit(exe, &bytes))
			return false;
		align(&bytes, begin);
	}
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

static bool
keep_function(struct executable *exe, const struct llvm_function *fn)
{
	uint32_t *at = cg_map_in(exe->job, &exe->by_name, fn->name);
	struct llvm_function *new;

	if (!at || exe->fn.n >= UINT32_MAX)
		return cg_reject_nomem(exe->job);
	if (*at == 0) {
		new = cg_push(exe->job, &exe->fn);
		if (!new)
			return false;
		*new = *fn;
		*at = (uint32_t)exe->fn.n;
	} else if (llvm_is_dummy(&exe->fn.at[*at - 1]) && !llvm_is_dummy(fn)) {
		exe->fn.at[*at - 1] = *fn;
	}
	return true;
}

/*
 * Takes a function's record, and passes it to keep_function(), which chooses
 * one of several records of a function. A record has a hash of the name, the
 * size, a hash of the structure, a hash of a unit's list of files, and
 * regions. The hash of the list finds the unit, and so the function's files.
 * The regions are read later. False: an error (reported).
 */
static bool
take_function(struct executable *exe, struct llvm_bytes *bytes)
{
	struct llvm_function fn = { 0 };
	const struct unit *unit;
	uint64_t size, ref;
	uint32_t at;

	if (!llvm_take(bytes, 8, &fn.name) || !llvm_take(bytes, 4, &size) ||
	    !llvm_take(bytes, 8, &fn.hash) || !llvm_take(bytes, 8, &ref) ||
	    !llvm_cut(bytes, size, &fn.mapping))
		return fail(exe, "a function of the coverage mapping");
	at = cg_map_get(&exe->by_ref, ref);
	if (at == 0)
		return fail(exe, "the files of a function");
	unit = &exe->unit.at[at - 1];
	fn.files = unit->files;
	if (fn.files > 0)
		fn.file = exe->file.at + unit->file;
	return keep_function(exe, &fn);
}

static bool
take_functions(struct executable *exe, struct llvm_bytes bytes)
{
	const unsigned char *begin = bytes.at;

	while (llvm_left(&bytes) > 0) {
		if (!take_function(exe, &bytes))
			return false;
		align(&bytes, begin);
	}
	for (size_t i = 0; i < exe->fn.n; i++) {
		if (!llvm_add_function(exe->mapping, &exe->fn.at[i]))
			return false;
	}
	return true;
}

/* ---- Executables -------------------------------------------------------- */

bool
llvm_find_section(struct cg_job *job, const struct cg_symbols *symbols,
    const char *name, struct cg_slice *bytes)
{
	int status = cg_find_section(symbols, name, bytes);

	if (status == CG_ELIMIT)
		return cg_reject_nomem(job);
	return status == CG_OK ||
	       cg_reject(job, "cannot read section %s of the executable", name);
}

/*
 * Sets *units and *functions to the sections of the coverage mapping, empty if
 * there is none. False: an error (reported).
 */
static bool
find_mapping(struct cg_job *job, const struct cg_symbols *symbols,
    struct cg_slice *units, struct cg_slice *functions)
{
	if (!llvm_find_section(job, symbols, "__llvm_covmap", units) ||
	    !llvm_find_section(job, symbols, "__llvm_covfun", functions))
		return false;
	if (units->len == 0 || functions->len == 0)
		*units = *functions = (struct cg_slice){ 0 };
	return true;
}

bool
llvm_has_mapping(
    struct cg_job *job, const struct cg_symbols *symbols, bool *found)
{
	struct cg_slice units = { 0 }, functions;
	bool ok = find_mapping(job, symbols, &units, &functions);

	*found = ok && units.len > 0;
	return ok;
}

bool
llvm_add_executable(
    struct llvm_mapping *mapping, const struct cg_symbols *symbols)
{
	struct executable exe = { .mapping = mapping,
		.job = mapping->report->job,
		.path = symbols->path };
	struct cg_slice names, units, functions;
	bool big = symbols->big_endian, ok;

	if (!find_mapping(exe.job, symbols, &units, &functions))
		return false;
	if (units.len == 0)
		return true;
	if (!llvm_find_section(exe.job, symbols, "__llvm_prf_names", &names) ||
	    (names.len == 0 && !llvm_find_section(exe.job, symbols,
				   "__llvm_covnames", &names)))
		return false;
	if (names.len == 0)
		return fail(&exe, "names of functions (__llvm_prf_names)");
	mapping->report->more += names.len + units.len + functions.len;
	ok = take_names(&exe, llvm_bytes_of(names, big)) &&
	     take_units(&exe, llvm_bytes_of(units, big)) &&
	     take_functions(&exe, llvm_bytes_of(functions, big));
	/* Free tables first: sources take much memory, too. */
	cg_drop(exe.job, &exe.file);
	cg_drop(exe.job, &exe.unit);
	cg_drop(exe.job, &exe.fn);
	cg_drop(exe.job, &mapping->texts.text);
	cg_map_clear(&exe.by_ref);
	cg_map_clear(&exe.by_name);
	return ok;
}
