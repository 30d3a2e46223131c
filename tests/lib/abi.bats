# abi.bats - the shared library keeps what programs of its last release use.
load ../helper

# lib/libcgconv.abi: the soname, then the declarations of the public headers with
# the version that has added them. "make golden" renews it.
setup()
{
	dir=$BATS_TEST_TMPDIR
	list=lib/libcgconv.abi
	version=$("$CGCONV" --version | cut -d ' ' -f 2)
	soname=$(sed -n 's/^SONAME := //p' Makefile)
	CC="${CC:-cc}" perl tests/lib/abi.pl "$version" lib/*.h |
		LC_ALL=C sort -k 2 >"$dir/now"
	[ -z "$UPDATE" ] || renew >"$dir/list"
	[ -z "$UPDATE" ] || cp "$dir/list" "$list"
}

# What stays keeps its version, unless the soname is new.
renew()
{
	echo "$soname"
	awk -v soname="$soname" 'NR == 1 && $0 != soname { exit }
		{ print }' "$list" 2>/dev/null | tail -n +2 >"$dir/old"
	awk '{ version = $1; sub(/^[^ ]* /, "") }
		FILENAME == ARGV[1] { first[$0] = version; next }
		{ print ($0 in first ? first[$0] : version), $0 }' \
		"$dir/old" "$dir/now"
}

@test "abi: no declaration is lost or changed under the same soname" {
	head -n 1 "$list" | says "$soname"
	tail -n +2 "$list" | cut -d ' ' -f 2- >"$dir/then"
	[ "$(wc -l <"$dir/then")" -gt 400 ]
	cut -d ' ' -f 2- "$dir/now" | LC_ALL=C sort |
		LC_ALL=C comm -23 <(LC_ALL=C sort "$dir/then") - >"$dir/lost"
	[ ! -s "$dir/lost" ] || {
		echo "lost or changed since the release: if programs notice," \
			"the soname has to change; then: make golden"
		cat "$dir/lost"
		return 1
	}
	cut -d ' ' -f 2- "$dir/now" | LC_ALL=C sort |
		LC_ALL=C comm -13 <(LC_ALL=C sort "$dir/then") - >"$dir/new"
	[ ! -s "$dir/new" ] || {
		echo "not in $list: make golden"
		cat "$dir/new"
		return 1
	}
}

@test "abi: a changed struct, function or enum is noticed" {
	cp lib/cgconv.h "$dir"
	for change in 's/^int cg_job_run(struct cg_job \*)/void cg_job_run(struct cg_job *)/' \
		's/^	uint64_t count;/	uint32_t count;/' \
		's/^	CG_EOUTPUT = 4,/	CG_EOUTPUT = 5,/' \
		's/^const char \*cg_version(void);//'; do
		sed "$change" lib/cgconv.h >"$dir/cgconv.h"
		not cmp -s lib/cgconv.h "$dir/cgconv.h"
		CC="${CC:-cc}" perl tests/lib/abi.pl "$version" "$dir/cgconv.h" \
			>"$dir/changed"
		CC="${CC:-cc}" perl tests/lib/abi.pl "$version" lib/cgconv.h |
			not cmp -s - "$dir/changed"
	done
}

@test "abi: the library exports the functions of the list, and nothing else" {
	needs nm
	case $CFLAGS in *-fsanitize*) skip "a build with sanitizers" ;; esac
	nm -D --defined-only "$B/libcgconv.so" | awk '$2 != "A" { print $3 }' |
		sed 's/@.*//' | LC_ALL=C sort >"$dir/exported"
	# Not types of functions.
	sed '1d; / typedef /d' "$list" | grep -o '\bcg_[a-z0-9_]*(' | tr -d '(' |
		LC_ALL=C sort -u | same - "$dir/exported"
	readelf -d "$B/libcgconv.so" | grep -q "(SONAME).*\[$soname\]"
	# The version of the symbols is that of the soname.
	nm -D "$B/libcgconv.so" | grep -q " cg_job_run@@CGCONV_${soname##*.}\$"
}
