# layers.bats - the floors of the house: who may include and call whom.
load helper

# The floor of a file of the library. Whoever adds one says here where it
# stands.
floor_of()
{
	case ${1%.[ch]} in
	cgconv | base | mem | str | diag) echo 0 ;;
	io | in | source | unpack | unicode | archive_filter | out | text | escape | json | json_bytes | json_string) echo 1 ;;
	symbols | functions | plt | spans | demangle) echo 1 ;;
	elffile | debugfile | dwarf | dwarf_units) echo 1 ;;
	graph | rows | pack | add | cost_lines | cost_text | build | rules | homes | columns | view | view_order | costs | scan) echo 2 ;;
	coverage) echo 2 ;;
	events | join | paths | facts) echo 2 ;;
	lines | line_batch | line_order | line_sums) echo 2 ;;
	copy | match | diff | signs) echo 2 ;;
	parts | shards | samples | stacks | stack_order | labels | fold | clamp | guess) echo 2 ;;
	cycles | inclusive | propagate) echo 2 ;;
	job | settings | inputs | kept | message | options | module | derive | twin | doc | xml) echo 3 ;;
	space) echo 3 ;;
	archive) echo 3 ;;
	*) echo "on which floor is $1?" >&2 && return 1 ;;
	esac
}

# The project's own headers that a file includes.
includes()
{
	sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\(.*\)".*/\1/p' "$1"
}

@test "layers: cmd includes cgconv.h and its own header only" {
	for file in cmd/*.[ch]; do
		for header in $(includes "$file"); do
			case $header in
			cgconv.h | cmd.h | batch.h) ;;
			*) echo "$file includes $header" && false ;;
			esac
		done
	done
}

@test "layers: a format includes cgconv.h and headers of its own only" {
	for file in formats/*.[ch]; do
		own=$(basename "$file" | sed 's/[_.].*//')
		for header in $(includes "$file"); do
			case $file:$header in
			*:cgconv.h | *:"$own".h | *:"$own"_*.h) ;;
			formats/formats.c:formats.def) ;;
			*) echo "$file includes $header" && false ;;
			esac
		done
	done
}

@test "layers: no file of the library includes one above it" {
	for file in lib/*.[ch]; do
		floor=$(floor_of "${file#lib/}")
		for header in $(includes "$file"); do
			[ "$(floor_of "$header")" -le "$floor" ] || {
				echo "$file includes $header"
				false
			}
		done
	done
}

@test "layers: no file of the library calls one above it" {
	command -v nm >/dev/null || skip "no nm"
	dir=$BATS_TEST_TMPDIR
	for file in lib/*.c; do
		name=${file#lib/}
		at="$(floor_of "$name") $name"
		nm -g "$B/lib/${name%.c}.o" >"$dir/symbols"
		awk -v at="$at" '$2 ~ /[TDRB]/ { print $3, at }' \
			"$dir/symbols" >>"$dir/defined"
		awk -v at="$at" '$1 == "U" && $2 ~ /^cg_/ { print $2, at }' \
			"$dir/symbols" >>"$dir/used"
	done
	[ -s "$dir/defined" ] && [ -s "$dir/used" ]
	awk 'NR == FNR { floor[$1] = $2; home[$1] = $3; next }
		$1 in floor && floor[$1] > $2 {
			print $3 " calls " $1 "() of " home[$1]; bad = 1
		}
		END { exit bad }' "$dir/defined" "$dir/used"
}

@test "layers: formats and cmd call nothing but what cgconv.h declares" {
	command -v nm >/dev/null || skip "no nm"
	nm -g "$B"/lib/*.o | awk '$2 ~ /[TDRB]/ { print $3 }' |
		sort >"$BATS_TEST_TMPDIR/library"
	[ -s "$BATS_TEST_TMPDIR/library" ]
	grep -ow 'cg_[a-z0-9_]*' lib/cgconv.h | sort -u >"$BATS_TEST_TMPDIR/public"
	# What the library defines and does not declare there.
	comm -23 "$BATS_TEST_TMPDIR/library" "$BATS_TEST_TMPDIR/public" \
		>"$BATS_TEST_TMPDIR/private"
	nm -guA "$B"/formats/*.o "$B"/cmd/*.o |
		awk 'NR == FNR { private[$1]; next }
			$NF in private { print $1, "calls", $NF "()"; bad = 1 }
			END { exit bad }' "$BATS_TEST_TMPDIR/private" -
}

@test "layers: the shared library exports what cgconv.h declares, no more" {
	command -v nm >/dev/null || skip "no nm"
	case $CFLAGS in *-fsanitize*) skip "sanitizers export more" ;; esac
	nm -D --defined-only "$B/libcgconv.so" | awk '{ print $3 }' |
		sort >"$BATS_TEST_TMPDIR/exported"
	gcc -E -P lib/cgconv.h | tr -d '\n' | tr ';' '\n' |
		grep -o '\bcg_[a-z0-9_]*\( *(\|\[\]\)' | tr -d ' ([]' |
		grep -vx cg_reporter | sort -u >"$BATS_TEST_TMPDIR/declared"
	same "$BATS_TEST_TMPDIR/declared" "$BATS_TEST_TMPDIR/exported"
}

@test "layers: neither library nor program names a format" {
	formats=$(sed -n 's/^FORMAT(\(.*\)).*/\1/p' formats/formats.def |
		paste -sd '|')
	[ -n "$formats" ]
	names="\"([^\"]*[^a-z])?(${formats//_/-})\\b|cg_format_($formats)\\b"
	for file in lib/*.[ch] cmd/*.[ch]; do
		# Comments may: they say where a rule comes from.
		# JSON is a notation, too: --verify answers in it with --json.
		! gcc -fpreprocessed -dD -E -P "$file" 2>/dev/null |
			grep -v -e '"[^"]*--verify' | grep -inE "$names" || {
			echo "$file names a format"
			false
		}
	done
}

@test "layers: everything on the top level has its place" {
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

@test "layers: the contents of cgconv.h name its sections" {
	sed '/^#ifndef/,$d' lib/cgconv.h >"$BATS_TEST_TMPDIR/contents"
	sed -n 's|^/\* ---- \(.*[a-zA-Z]\) *-* \*/$|\1|p' lib/cgconv.h |
		while IFS=: read -r name part; do
			grep -q "$name" "$BATS_TEST_TMPDIR/contents"
			grep -q "${part# }" "$BATS_TEST_TMPDIR/contents"
		done
}

# bash's "set -e", by which tests fail, does not look at what "!" negates.
@test "layers: a test that negates can fail" {
	not grep -nE '^\s+! [^|]*$' tests/*.bats
}

@test "layers: no file of C has more than 600 lines" {
	wc -l lib/*.c formats/*.c cmd/*.c | not grep -vE '^ *([1-5]?[0-9]{1,2}|600) |total$'
}
