# layers.bats - layers of the code: which files may include and call which.
load ../helper

# The directories of lib/ are layers, listed from the lowest. A file includes
# and calls only its own layer and lower ones.
layers="base work io syntax symbols graph coverage lines algo job"

# Rank of a directory of lib/; the public headers are below all of them.
rank_of()
{
	local layer rank=1

	[ "$1" != . ] || { echo 0 && return; }
	for layer in $layers; do
		[ "${1%%/*}" != "$layer" ] || { echo "$rank" && return; }
		rank=$((rank + 1))
	done
	echo "lib/$1 is not in the list of layers" >&2 && return 1
}

# Prints the project's headers that a file includes.
includes()
{
	sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\(.*\)".*/\1/p' "$1"
}

# Prints the objects of directories that have a source; others may be stale.
objects()
{
	find "$@" -name '*.c' ! -path 'cmd/wasm/*' ! -path 'cmd/static/*' | sed "s|^|$B/|; s|c\$|o|"
}

public()
{
	case $1 in
	base/platform.h) ;; # about systems, not about the library
	cgconv.h | cgconv_format.h | cgconv_parse.h | cgconv_expert.h) ;;
	*) return 1 ;;
	esac
}

# The names of functions and tables that the public headers declare.
declared()
{
	local header

	for header in lib/*.h; do
		gcc -E -P "$header" -Ilib
	done | tr -d '\n' | tr ';' '\n' | sed 's/^.*}  *//' |
		grep -v typedef | grep -o '\bcg_[a-z0-9_]*\( *(\|\[\]\)' |
		tr -d ' ([]' | sort -u
}

# What is missing there is missing for everyone who tests the project.
@test "layers: tests run what make installs, or look for it first" {
	needs dpkg-query
	printf '%s\n' 'include Makefile' 'list:' "	@echo make \$(BUILD_PACKAGES)" \
		"	@echo \$(DEMO_PACKAGES) \$(TEST_PACKAGES)" >"$BATS_TEST_TMPDIR/list"
	packages=$(make -s -f "$BATS_TEST_TMPDIR/list" list)
	# shellcheck disable=SC2086 # several packages
	perl tests/lib/programs.pl $packages -- tests/*/*.bats \
		tests/*.bash tests/*/*.bash tests/fuzz/run samples/demo
	# The check sees unknown programs, but for those that are looked for.
	echo '#!/bin/sh' >"$BATS_TEST_TMPDIR/abacus"
	chmod +x "$BATS_TEST_TMPDIR/abacus"
	export PATH=$PATH:$BATS_TEST_TMPDIR
	printf '%s\n' 'f() {' 'x=$(echo "$(sed p | abacus 1)")' '}' \
		'@test "a" {' 'command -v abacus || skip' f '}' \
		'@test "b" {' 'abacus <<E' 'abacus' E '}' >"$BATS_TEST_TMPDIR/x"
	not perl tests/lib/programs.pl -- "$BATS_TEST_TMPDIR/x" \
		>"$BATS_TEST_TMPDIR/out"
	same "$BATS_TEST_TMPDIR/out" <(echo "$BATS_TEST_TMPDIR/x:9: abacus")
	echo f >>"$BATS_TEST_TMPDIR/x"
	not perl tests/lib/programs.pl -- "$BATS_TEST_TMPDIR/x" |
		grep -x "$BATS_TEST_TMPDIR/x:2: abacus"
}

@test "layers: cmd includes public headers and its own only" {
	count=0
	for file in cmd/*.[ch] cmd/*/*.[ch]; do
		for header in $(includes "$file"); do
			count=$((count + 1))
			public "$header" || [ -e "${file%/*}/$header" ] || {
				echo "$file includes $header" && false
			}
			case $header in ../*/*) echo "$file includes $header" && false ;; esac
		done
	done
	[ "$count" -gt 20 ]
}

# DIR/HEADER of a directory below formats/ that has no descriptor of a format.
shared()
{
	case $1 in
	*/*) [ -e "formats/$1" ] && not grep -q cg_module "formats/${1%/*}"/*.c ;;
	*) return 1 ;;
	esac
}

@test "layers: a format includes public, its own, and shared headers" {
	count=0
	for file in formats/*.[ch] formats/*/*.[ch]; do
		for header in $(includes "$file"); do
			count=$((count + 1))
			[ "$file:$header" != formats/formats.c:formats.def ] || continue
			public "$header" || shared "$header" || {
				[ "$header" = "${header##*/}" ] &&
					[ -e "${file%/*}/$header" ]
			} || {
				echo "$file includes $header" && false
			}
		done
	done
	[ "$count" -gt 100 ]
}

@test "layers: no file of the library includes one in a higher layer" {
	count=0
	for file in lib/*.h $(find lib -mindepth 2 -name '*.[ch]'); do
		dir=$(dirname "${file#lib/}")
		layer=$(rank_of "$dir")
		for header in $(includes "$file"); do
			count=$((count + 1))
			[ -e "lib/$header" ] && [ "$(rank_of "$(dirname "$header")")" -le "$layer" ] || {
				echo "$file includes $header"
				false
			}
		done
	done
	[ "$count" -gt 80 ]
}

@test "layers: no file of the library calls one in a higher layer" {
	command -v nm >/dev/null || skip "no nm"
	dir=$BATS_TEST_TMPDIR
	for file in $(find lib -name '*.c'); do
		at="$(rank_of "$(dirname "${file#lib/}")") $file"
		nm -g "$B/${file%.c}.o" >"$dir/symbols"
		awk -v at="$at" '$2 ~ /[TDRB]/ { print $3, at }' \
			"$dir/symbols" >>"$dir/defined"
		awk -v at="$at" '$1 == "U" && $2 ~ /^cg_/ { print $2, at }' \
			"$dir/symbols" >>"$dir/used"
	done
	[ "$(wc -l <"$dir/defined")" -gt 300 ] && [ "$(wc -l <"$dir/used")" -gt 500 ]
	awk 'NR == FNR { layer[$1] = $2; home[$1] = $3; next }
		$1 in layer && layer[$1] > $2 {
			print $3 " calls " $1 "() of " home[$1]; bad = 1
		}
		END { exit bad }' "$dir/defined" "$dir/used"
}

@test "layers: no files call each other in a cycle" {
	command -v nm >/dev/null || skip "no nm"
	command -v tsort >/dev/null || skip "no tsort"
	dir=$BATS_TEST_TMPDIR
	# shellcheck disable=SC2046 # many files
	nm -gA $(objects lib formats cmd) >"$dir/symbols"
	awk '{ sub(/:.*/, "", $1); name = $NF; type = $(NF - 1) }
		type ~ /[TDRB]/ { home[name] = $1 }
		type == "U" { user[++n] = $1; used[n] = name }
		END {
			for (i = 1; i <= n; i++)
				if (used[i] in home && home[used[i]] != user[i])
					print user[i], home[used[i]]
		}' "$dir/symbols" | sort -u >"$dir/edges"
	[ "$(wc -l <"$dir/edges")" -gt 1000 ]
	tsort "$dir/edges" 2>"$dir/loops" >/dev/null || true
	sed 's/^tsort: //' "$dir/loops"
	[ ! -s "$dir/loops" ]
}

@test "layers: formats and cmd call only what public headers declare" {
	command -v nm >/dev/null || skip "no nm"
	nm -g $(objects lib) | awk '$2 ~ /[TDRB]/ { print $3 }' |
		sort -u >"$BATS_TEST_TMPDIR/library"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/library")" -gt 300 ]
	declared >"$BATS_TEST_TMPDIR/public"
	# Symbols that the library defines but public headers do not declare.
	comm -23 "$BATS_TEST_TMPDIR/library" "$BATS_TEST_TMPDIR/public" \
		>"$BATS_TEST_TMPDIR/private"
	nm -guA $(objects formats cmd) |
		awk 'NR == FNR { private[$1]; next }
			$NF in private { print $1, "calls", $NF "()"; bad = 1 }
			END { exit bad }' "$BATS_TEST_TMPDIR/private" -
}

@test "layers: both libraries export what public headers declare, no more" {
	command -v nm >/dev/null || skip "no nm"
	case $CFLAGS in *-fsanitize*) skip "sanitizers export more" ;; esac
	declared >"$BATS_TEST_TMPDIR/declared"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -gt 200 ]
	nm -D --defined-only "$B/libcgconv.so" | awk '$2 != "A" { print $3 }' |
		sed 's/@.*//' | sort >"$BATS_TEST_TMPDIR/shared"
	same "$BATS_TEST_TMPDIR/declared" "$BATS_TEST_TMPDIR/shared"
	nm -g --defined-only "$B/libcgconv.a" | awk 'NF == 3 { print $3 }' |
		sort >"$BATS_TEST_TMPDIR/static"
	same "$BATS_TEST_TMPDIR/declared" "$BATS_TEST_TMPDIR/static"
}

# The linker copies exported data into programs, with the size that it has then.
@test "layers: the shared library exports functions only" {
	command -v nm >/dev/null || skip "no nm"
	case $CFLAGS in *-fsanitize*) skip "sanitizers export more" ;; esac
	nm -D --defined-only "$B/libcgconv.so" | awk '$2 != "A" && $2 != "T"' \
		>"$BATS_TEST_TMPDIR/data"
	same /dev/null "$BATS_TEST_TMPDIR/data"
}

@test "layers: each function that public headers declare is used or tested" {
	command -v nm >/dev/null || skip "no nm"
	nm -gu $(objects formats cmd) |
		awk '{ print $NF }' | sort -u >"$BATS_TEST_TMPDIR/used"
	grep -ohw 'cg_[a-z0-9_]*' tests/*/*.bats tests/*.c tests/unit/*.c \
		lib/libcgconv.3 | sort -u >"$BATS_TEST_TMPDIR/tested"
	declared >"$BATS_TEST_TMPDIR/declared"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/declared")" -gt 200 ]
	sort -u "$BATS_TEST_TMPDIR/used" "$BATS_TEST_TMPDIR/tested" |
		comm -23 "$BATS_TEST_TMPDIR/declared" - >"$BATS_TEST_TMPDIR/unused"
	not grep . "$BATS_TEST_TMPDIR/unused"
}

@test "layers: neither library nor program names a format" {
	formats=$(sed -n 's/^FORMAT(\(.*\)).*/\1/p' formats/formats.def |
		paste -sd '|')
	[ -n "$formats" ]
	names="\"([^\"]*[^a-z])?(${formats//_/-})\\b|cg_format_($formats)\\b"
	for file in $(find lib cmd -name '*.[ch]'); do
		# Words of markers in sources, tools, and files of examples are
		# named as formats are.
		case $file in
		lib/coverage/markers.c | cmd/like.c | cmd/help.c) continue ;;
		esac
		# Comments may name formats as sources of a rule.
		# Some are output syntaxes, too: --verify --json, a badge, --series; or keys.
		! gcc -fpreprocessed -dD -E -P "$file" 2>/dev/null |
			grep -v -e '"[^"]*--verify' -e 'args->json' -e '"--json and -o' -e '"json-c"' -e '</*svg' -e '</*html' -e 'FIELD(like)' -e 'TEST_KEY' -e '_SUFFIX "' | grep -inE "$names" || {
			echo "$file names a format"
			false
		}
	done
}

@test "layers: the library does not spell the program's options" {
	# {name} stands for one. Only commands to make another file may.
	names=$("$CGCONV" --help all | sed -n 's/^ *\(-., \)*--\([a-z-]*\).*/\2/p' |
		paste -sd '|')
	[ "${#names}" -gt 500 ]
	not grep -rnE --include="*.[ch]" "^[^*]*\"[^\"]*--($names)\\b" lib \
		$(ls formats/*.[ch] formats/*/*.[ch] | grep -v captures.c)
}

# Links $BATS_TEST_TMPDIR/cgconv without the format $1.
link_without()
{
	local dir=$BATS_TEST_TMPDIR

	grep -v "^FORMAT($1)" formats/formats.def >"$dir/formats.def"
	${CC:-cc} -std=c11 -Ilib -I"$dir" -c -o "$dir/formats.o" "$dir/formats.c" &&
		${CC:-cc} ${CFLAGS:--O3} -s -o "$dir/cgconv" "$dir/formats.o" \
			$objects $libs -lrt
}

@test "layers: the program works without any one of the formats" {
	dir=$BATS_TEST_TMPDIR
	cp formats/formats.c "$dir"
	objects=$(printf '%s\n' $(find lib -name '*.c') formats/*.c formats/*/*.c cmd/*.c cmd/*/*.c |
		grep -vx -e formats/formats.c -e 'cmd/static/.*' | sed "s|^|$B/|; s|c\$|o|")
	libs=$(make -s --eval='print-libs: ; @echo $(LIBS) $(JSON_LIBS)' print-libs)
	json=samples/json/stacks/stacks.cgj
	folded=samples/folded/collapsed/stacks.folded
	count=0
	for format in $(sed -n 's/^FORMAT(\(.*\))$/\1/p' formats/formats.def); do
		link_without "$format"
		# A conversion needs two of the remaining formats.
		from=$json to=folded
		[ "$format" != json ] || from=$folded
		[ "$format" != folded ] || to=json
		"$dir/cgconv" --list-formats >"$dir/list"
		not grep -q "^${format//_/-} " "$dir/list"
		"$dir/cgconv" -q -t $to "$from" >"$dir/out"
		[ -s "$dir/out" ]
		if [ "$format" != pstats ] && [ "$format" != folded ]; then
			"$dir/cgconv" -q --verify "$folded" samples/pstats/cprofile/cprofile.pstats \
				>"$dir/out" 2>"$dir/err" || [ $? -eq 1 ]
			not grep -q "unknown option" "$dir/err"
		fi
		count=$((count + 1))
	done
	[ "$count" -gt 20 ]
}

@test "layers: a program works with a later library of one more format" {
	case $CFLAGS in *-fsanitize*) skip "the program would need sanitizers" ;; esac
	dir=$BATS_TEST_TMPDIR
	mkdir "$dir/now" "$dir/later"
	cat >"$dir/list.c" <<-'END'
		#include <cgconv.h>
		#include <stdio.h>

		int
		main(void)
		{
			struct cg_job *job = cg_job_new(cg_formats(), NULL, NULL);
			const struct cg_module *module;

			for (size_t i = 0; (module = cg_job_module(job, i)); i++)
				puts(module->name);
			cg_job_free(job);
			return 0;
		}
	END
	cp "$B/libcgconv.so" "$dir/now/libcgconv.so.1"
	${CC:-cc} -Ilib -o "$dir/list" "$dir/list.c" "$dir/now/libcgconv.so.1"
	LD_LIBRARY_PATH=$dir/now "$dir/list" >"$dir/before"
	cp formats/formats.c "$dir"
	{ echo "FORMAT(added)" && cat formats/formats.def; } >"$dir/formats.def"
	cat >"$dir/added.c" <<-'END'
		#include "cgconv_format.h"

		extern const struct cg_module cg_format_added;
		const struct cg_module cg_format_added = {
			CG_MODULE, .name = "added", .title = "one more"
		};
	END
	for name in formats added; do
		${CC:-cc} -std=c11 -fPIC -fvisibility=hidden -Ilib -I"$dir" \
			-c -o "$dir/$name.o" "$dir/$name.c"
	done
	# shellcheck disable=SC2046 # many files, several flags
	${CC:-cc} -shared -Wl,--version-script=lib/libcgconv.map \
		-o "$dir/later/libcgconv.so.1" "$dir/formats.o" "$dir/added.o" \
		$(objects lib formats | grep -vx "$B/formats/formats.o") \
		$(make -s --eval='print-libs: ; @echo $(LIBS)' print-libs)
	LD_LIBRARY_PATH=$dir/later "$dir/list" >"$dir/after"
	{ echo added && cat "$dir/before"; } | same - "$dir/after"
}

@test "layers: the top directory has the expected entries only" {
	for entry in *; do
		case $entry in
		Makefile | lib | cmd | formats | tests | samples) ;;
		README.md | LICENSE) ;;
		*) [ "$PWD/$entry" = "$B" ] || [ "$entry" = build ] || {
			echo "what is $entry?"
			false
		} ;;
		esac
	done
}

# make check runs the tests in directories only.
@test "layers: the tests of a format have its name" {
	not compgen -G "tests/*.bats"
	for name in $(sed -n "s/^FORMAT(\(.*\)).*/\1/p" formats/formats.def); do
		case $name in
		bpftrace | dtrace | macos_sample) name=stack_text ;;
		tsv) name=csv ;;
		esac
		[ -e "tests/formats/${name//_/-}.bats" ]
	done
}

@test "layers: each public header lists its sections" {
	for header in lib/*.h; do
		sed '/^#ifndef/,$d' "$header" >"$BATS_TEST_TMPDIR/contents"
		sed -n 's|^/\* ---- \(.*[a-zA-Z]\) *-* \*/$|\1|p' "$header" |
			while IFS=: read -r name part; do
				grep -q "$name" "$BATS_TEST_TMPDIR/contents"
				grep -q "${part# }" "$BATS_TEST_TMPDIR/contents"
			done
	done
}

# bash's "set -e", by which tests fail, ignores commands after "!".
@test "layers: a test that negates can fail" {
	not grep -nE '^\s+! [^|]*$' tests/*/*.bats
}
