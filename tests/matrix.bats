# matrix.bats - what holds for every sample and every writer.
load helper

setup()
{
	cd "$BATS_TEST_DIRNAME/.." || return 1
	dir=$BATS_TEST_TMPDIR
}

writers()
{
	"$CGCONV" --list-formats | awk '$2 ~ /write/ { print $1 }'
}

# Those whose output can be read again.
rereaders()
{
	"$CGCONV" --list-formats | awk '$2 == "read,write" { print $1 }'
}

# May a writer refuse the sample? A gmon.out needs addresses, folded stacks
# need stacks, and only few hold costs below zero and what has no event.
may_refuse()
{
	case $1:$2 in
	gprof:samples/gprof/*) return 1 ;;
	folded:samples/folded/* | folded:samples/perf-script/*) return 1 ;;
	folded:samples/speedscope/* | speedscope:samples/speedscope/*) return 1 ;;
	speedscope:samples/folded/* | speedscope:samples/perf-script/*) return 1 ;;
	folded:samples/pprof/* | pprof:samples/pprof/*) return 1 ;;
	folded:samples/gperftools/* | pprof:samples/gperftools/*) return 1 ;;
	pprof:samples/folded/* | pprof:samples/perf-script/*) return 1 ;;
	gcov:samples/gcov/never/*) ;;
	gcov:samples/gcov/*) return 1 ;;
	gcov-*:samples/gcov* | gcov-*:samples/lcov/*) return 1 ;;
	gcov-*:samples/cobertura/*) return 1 ;;
	lcov:samples/lcov/* | lcov:samples/cobertura/*) return 1 ;;
	cobertura:samples/lcov/* | cobertura:samples/cobertura/*) return 1 ;;
	lcov:* | cobertura:*) ;;
	pprof:* | svg:*) ;;
	gprof:* | folded:* | speedscope:* | dot:* | gcov-*:* | gcov:* | callgrind:samples/json/*) ;;
	*) return 1 ;;
	esac
}

# convert TO INPUT... >OUTPUT, with a sample's program; false if TO refuses,
# which it may not do but for a reason. Each conversion is counted.
convert()
{
	local to=$1 status=0

	shift
	# shellcheck disable=SC2046 # two words or none
	"$CGCONV" -q -t "$to" $(exe_of "$1") "$@" 2>"$dir/refusal" || status=$?
	if [ "$status" -eq 0 ]; then
		echo >>"$dir/converted"
		return 0
	fi
	if ! may_refuse "$to" "$1" || { [ "$status" -ne 1 ] &&
		[ "$status" -ne 3 ]; }; then
		echo "$to refuses $1 with status $status:"
		cat "$dir/refusal"
		echo failed >>"$dir/failed"
	fi >&2
	return 1
}

# No writer may have refused without a reason, and most conversions worked.
teardown()
{
	[ ! -e "$dir/failed" ]
	[ ! -e "$dir/converted" ] || [ "$(wc -l <"$dir/converted")" -ge 15 ]
}

# Self cost by event, as callgrind says it.
totals()
{
	"$CGCONV" -q -t callgrind $(exe_of "$2") "$1" |
		perl tests/oracle/callgrind.pl --all-parts-as-one - |
		grep '^total'
}

@test "matrix: self cost is conserved by every writer" {
	for file in $(samples); do
		may_refuse callgrind "$file" && continue
		totals "$file" "$file" >"$dir/want"
		for to in $(rereaders); do
			# Data alone says nothing of lines: see gcda.bats.
			[ "$to" = gcov ] && continue
			convert "$to" "$file" >"$dir/out" || continue
			totals "$dir/out" "$file" >"$dir/got"
			# A writer may hold one event only; that one it keeps,
			# folded stacks without its name.
			# Of profiles, coverage keeps what has a line.
			case $to:$file in
			lcov:samples/lcov/* | lcov:samples/cobertura/*) ;;
			cobertura:samples/lcov/*) ;;
			cobertura:samples/cobertura/*) ;;
			lcov:* | cobertura:*) continue ;;
			esac
			case $to in
			gprof | gcov-json | gcov-text)
				grep -qxFf "$dir/got" "$dir/want" ;;
			folded) [ "$(cut -f 3 "$dir/got")" = \
				"$(cut -f 3 "$dir/want")" ] ||
				cut -f 3 "$dir/want" |
				grep -qxF "$(cut -f 3 "$dir/got")" ;;
			*) same "$dir/want" "$dir/got" ;;
			esac
		done
	done
}

@test "matrix: X to X to X is the same as X to X" {
	for to in $(rereaders); do
		for file in $(samples); do
			convert "$to" "$file" >"$dir/one" || continue
			# shellcheck disable=SC2046 # two words or none
			"$CGCONV" -q -t "$to" $(exe_of "$file") "$dir/one" \
				>"$dir/two"
			same "$dir/one" "$dir/two"
		done
	done
}

@test "matrix: by way of JSON nothing changes" {
	for file in $(samples); do
		convert json "$file" >"$dir/json"
		for to in $(writers); do
			convert "$to" "$file" >"$dir/one" || continue
			# shellcheck disable=SC2046 # two words or none
			"$CGCONV" -q -t "$to" $(exe_of "$file") "$dir/json" \
				>"$dir/two"
			same "$dir/one" "$dir/two"
		done
	done
}

@test "matrix: two runs write the same bytes" {
	for file in $(samples); do
		for to in $(writers); do
			convert "$to" "$file" >"$dir/one" || continue
			convert "$to" "$file" >"$dir/two"
			same "$dir/one" "$dir/two"
		done
	done
}

@test "matrix: a and a are twice a, b and a are a and b" {
	for file in $(samples); do
		may_refuse callgrind "$file" && continue
		totals "$file" "$file" >"$dir/one"
		awk '{ printf "%s %d\n", $2, $3 * 2 }' "$dir/one" >"$dir/want"
		convert callgrind "$file" "$file" |
			perl tests/oracle/callgrind.pl - | grep '^total' |
			awk '{ print $2, $3 }' >"$dir/got"
		same "$dir/want" "$dir/got"
	done
	a=samples/callgrind/plain/callgrind.out
	b=samples/callgrind/callers/callgrind.out
	convert callgrind "$a" "$b" >"$dir/one"
	convert callgrind "$b" "$a" >"$dir/two"
	same "$dir/one" "$dir/two"
}

@test "matrix: exactly one format claims each sample" {
	for file in $(samples); do
		want=${file#samples/}
		want=${want%%/*}
		"$CGCONV" --detect "$file" >"$dir/got"
		[ "$(cut -f 2 "$dir/got")" = "$want" ] || {
			cat "$dir/got"
			return 1
		}
	done
}

# Notes and data of coverage find each other by their names.
is_pair()
{
	[ "$1" != "${1%.gcda}" ] || [ -e "${1%.gcno}.gcda" ]
}

@test "matrix: gzip and a pipe make no difference" {
	for file in $(samples); do
		is_pair "$file" && continue
		convert json "$file" >"$dir/one"
		# shellcheck disable=SC2046 # two words or none
		gzip -c "$file" | "$CGCONV" -q -t json $(exe_of "$file") - \
			>"$dir/two"
		same "$dir/one" "$dir/two"
	done
}

# There is no end mark in a gmon.out, nor in folded stacks or samples of perf:
# behind a whole record a cut does not show.
at_record()
{
	case $1 in
	samples/gprof/*/gmon*) ;;
	samples/gcov/*.gcno)
		perl tests/oracle/gcno-ends.pl "$1" |
			grep -qx $(($(wc -c <"$1") - $2))
		return
		;;
	samples/folded/* | samples/perf-script/*/lines.perf | \
		samples/gcov-text/*)
		[ -z "$(tail -c 1 "$dir/cut")" ] && return
		;;
	samples/perf-script/*)
		[ "$(tail -c 2 "$dir/cut" | wc -l)" -eq 2 ] && return
		;;
	samples/lcov/*)
		# Behind a section, or what begins one.
		case $(tail -n 1 "$dir/cut") in
		end_of_record | TN*) return ;;
		esac
		return 1
		;;
	*) return 1 ;;
	esac
	(($2 % 13 == 0 || $2 % 21 == 0))
}

@test "matrix: cut at any byte, an input is an error or a warning" {
	# Sanitizers take their time; the fuzzers run with them, too.
	few=1
	case ${CFLAGS-} in *-fsanitize*) few=5 ;; esac
	for file in $(samples); do
		size=$(wc -c <"$file")
		convert callgrind "$file" >"$dir/whole" || continue
		step=$(((size > 300 ? size / 50 + 1 : 1) * few))
		for ((i = 0; i < size - 1; i += step)); do
			head -c "$i" "$file" >"$dir/cut"
			status=0
			# shellcheck disable=SC2046 # two words or none
			"$CGCONV" -t callgrind $(exe_of "$file") "$dir/cut" \
				-o "$dir/out" 2>"$dir/err" || status=$?
			# Silence is right where nothing was lost: zeros, a
			# last newline.
			[ "$status" -le 1 ] && [ -s "$dir/err" ] ||
				cmp -s "$dir/out" "$dir/whole" ||
				at_record "$file" $((size - i)) || {
				echo "$file cut at $i: status $status"
				cat "$dir/err"
				return 1
			}
			if [ "$status" -ne 0 ]; then
				[ ! -e "$dir/out" ]
			fi
			rm -f "$dir/out"
		done
	done
}
