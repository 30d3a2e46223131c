# matrix.bats - properties of every sample with every writer.
load helper

# All writers; writers whose output can be read again.
writers=$("$CGCONV" --list-formats | awk '$2 ~ /write/ { print $1 }')
rereaders=$("$CGCONV" --list-formats | awk '$2 == "read,write" { print $1 }')

# Does the sample list lines of sources with their counts?
is_coverage()
{
	case $1 in
	samples/lcov/* | samples/cobertura/* | samples/clover/* | \
		samples/go-cover/* | samples/jacoco/* | samples/llvm-cov/* | \
		samples/gcovr-json/* | samples/istanbul/* | samples/coveragepy/* | \
		samples/coveralls/* | samples/codecov/* | samples/llvm-profile/*) ;;
	*) return 1 ;;
	esac
}

# May a writer reject the sample? A gmon.out needs addresses, folded stacks
# need stacks, and few formats can represent negative costs or a missing event.
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
	gcov-*:samples/cobertura/* | gcov-*:samples/llvm-*/*) return 1 ;;
	gcov-*:samples/gcovr-json/* | gcov-*:samples/istanbul/*) return 1 ;;
	gcov-*:samples/coveragepy/* | gcov-*:samples/coveralls/*) return 1 ;;
	gcov-*:samples/codecov/*) return 1 ;;
	lcov:* | cobertura:* | clover:* | go-cover:* | jacoco:* | sonarqube:* | \
		gcovr-json:* | istanbul:* | coveralls:* | codecov:* | covdir:*)
		if is_coverage "$2"; then return 1; fi ;;
	otlp:samples/otlp/* | otlp:samples/pprof/*) return 1 ;;
	pprof:* | otlp:* | svg:*) ;;
	trace-event:samples/trace-event/*) return 1 ;;
	cpuprofile:samples/cpuprofile/* | cpuprofile:samples/firefox/*) return 1 ;;
	firefox:samples/firefox/* | firefox:samples/cpuprofile/*) return 1 ;;
	gprof:* | folded:* | speedscope:* | trace-event:* | cpuprofile:* | firefox:* | dot:* | gcov-*:* | gcov:* | callgrind:samples/json/*) ;;
	*) return 1 ;;
	esac
}

# convert TO INPUT... >OUTPUT, with the sample's executable. Returns false if TO
# rejects it; rejecting without a reason in may_refuse() fails the test.
convert()
{
	local to=$1 status=0

	shift
	# shellcheck disable=SC2046 # two words or none
	"$CGCONV" -q -t "$to" $(exe_of "$1") "$@" 2>"$refusal" || status=$?
	[ "$status" -ne 0 ] || return 0
	if ! may_refuse "$to" "$1" || { [ "$status" -ne 1 ] &&
		[ "$status" -ne 3 ]; }; then
		echo "$to refuses $1 with status $status:"
		cat "$refusal"
	fi >>"$BATS_FILE_TMPDIR/failed"
	return 1
}

# made TO FILE: sets $one to the conversion by setup_file(), if there is one.
made()
{
	one=$BATS_FILE_TMPDIR/$1/$2
	[ -e "$one" ]
}

# Is the conversion one of those that are tried? What formats of coverage do with
# profiles is up to the library: lcov and cobertura stand for all of them.
is_tried()
{
	case $1:$2 in
	*:samples/json/* | *:samples/gcov/*) ;;
	clover:* | go-cover:* | jacoco:* | sonarqube:* | gcovr-json:* | \
		istanbul:* | coveralls:* | codecov:* | covdir:*) is_coverage "$2" ;;
	esac
}

# Converts each sample with each writer, once for all tests.
setup_file()
{
	cd "$BATS_TEST_DIRNAME/.." || return 1
	refusal=$BATS_FILE_TMPDIR/refusal
	for to in $writers; do
		mkdir -p "$BATS_FILE_TMPDIR/$to"
		for file in $(samples); do
			is_tried "$to" "$file" || continue
			made "$to" "$file" || mkdir -p "${one%/*}"
			convert "$to" "$file" >"$one" || rm "$one"
		done
	done
}

setup()
{
	cd "$BATS_TEST_DIRNAME/.." || return 1
	dir=$BATS_TEST_TMPDIR
	refusal=$dir/refusal
}

# Prints self cost by event, from a conversion to callgrind.
totals()
{
	"$CGCONV" -q -t callgrind $(exe_of "$2") "$1" |
		perl tests/oracle/callgrind.pl --all-parts-as-one - |
		grep '^total'
}

@test "matrix: a writer rejects a sample only for a known reason" {
	cat "$BATS_FILE_TMPDIR/failed"
	[ ! -s "$BATS_FILE_TMPDIR/failed" ]
	for to in $writers; do
		[ "$(find "$BATS_FILE_TMPDIR/$to" -type f | wc -l)" -ge 15 ]
	done
}

@test "matrix: every writer conserves self cost" {
	for file in $(samples); do
		may_refuse callgrind "$file" && continue
		totals "$file" "$file" >"$dir/want"
		for to in $rereaders; do
			# Data without notes has no lines: see gcda.bats.
			[ "$to" = gcov ] && continue
			made "$to" "$file" || continue
			totals "$one" "$file" >"$dir/got"
			# A writer may be limited to one event, which it keeps;
			# folded stacks drop its name.
			# Coverage formats keep costs that have a line.
			case $to:$file in
			lcov:* | cobertura:* | clover:* | go-cover:* | gcovr-json:* | istanbul:* | coveralls:*)
				is_coverage "$file" || continue ;;
			# A line ran or did not.
			jacoco:* | codecov:*) continue ;;
			# Between calls the thread is idle.
			cpuprofile:samples/trace-event/*) continue ;;
			# All memory is allocated in a library, and a gmon.out
			# is of the executable.
			gprof:samples/gperftools/growth/* | gprof:samples/otlp/*) continue ;;
			esac
			case $to:$file in
			gcov-json:* | gcov-text:* | *:samples/jacoco/*)
				grep -qxFf "$dir/got" "$dir/want" ;;
			# Its counters have 16 bits: of larger costs it keeps
			# the first digits, in nanoseconds or powers of ten.
			# Costs that are not time are microseconds there.
			gprof:* | cpuprofile:*) cat "$dir/want" "$dir/got" | awk -F '\t' \
				-v wants="$(wc -l <"$dir/want")" '
				NR <= wants { want[NR] = $3; next }
				{ for (unit = 1; unit <= 1e12; unit *= 10)
					for (i in want) {
						off = 1 - $3 * unit / (want[i] + 1e-9)
						found += off * off < 1e-6
						off = 1 - $3 / unit / (want[i] + 1e-9)
						found += off * off < 1e-6
					} }
				END { exit !found }' || {
				echo "$to $file"; return 1; } ;;
			folded:* | trace-event:* | firefox:*) [ "$(cut -f 3 "$dir/got")" = \
				"$(cut -f 3 "$dir/want")" ] ||
				cut -f 3 "$dir/want" |
				grep -qxF "$(cut -f 3 "$dir/got")" ;;
			*) same "$dir/want" "$dir/got" ;;
			esac
		done
	done
}

@test "matrix: --verify finds no unexpected difference" {
	for file in $(samples); do
		for to in $rereaders; do
			case $to:$file in
			# Data without notes; names of an executable not given.
			gcov:* | gprof:samples/[!g]* | gprof:samples/gperf*) ;;
			# Names that end in blanks or numbers are changed.
			folded:*/shapes.folded | folded:*/evented/*) ;;
			# Costs become time, and idle time is added.
			cpuprofile:samples/[!c]*) ;;
			# Lines with branches lose their counts.
			codecov:samples/[!c]* | codecov:samples/clover/* | \
				codecov:samples/cobertura/* | codecov:samples/coverall*) ;;
			# Counts become 0 or 1.
			jacoco:samples/[!j]* | jacoco:samples/jfr/* | jacoco:samples/json/*) ;;
			*)
				made "$to" "$file" || continue
				# shellcheck disable=SC2046 # two words or none
				"$CGCONV" --verify $(exe_of "$file") "$file" \
					"$one" >"$dir/out" 2>&1 ||
					{ cat "$dir/out"; return 1; }
				;;
			esac
		done
	done
}

@test "matrix: converting X to X again changes nothing" {
	for to in $rereaders; do
		for file in $(samples); do
			made "$to" "$file" || continue
			# V8's functions are where they are defined: a known
			# line that no sample had.
			# Firefox has no place for Java's signatures: methods
			# that differ only in these are one when read.
			case $to:$file in
			cpuprofile:samples/firefox/raw/* | \
				firefox:samples/jfr/*) continue ;;
			# The same data, but the first written one names
			# threads without samples of its event, and a process
			# at its main thread only; another profile is active.
			speedscope:samples/jfr/* | trace-event:samples/jfr/* | \
				trace-event:samples/otlp/agent/*) continue ;;
			esac
			# shellcheck disable=SC2046 # two words or none
			"$CGCONV" -q -t "$to" $(exe_of "$file") "$one" \
				>"$dir/two"
			case $to:$file in
			# Which lines functions share is not in the format, and
			# which branches of a line are of one condition.
			jacoco:samples/[!j]* | jacoco:samples/jfr/* | jacoco:samples/json/*)
				for two in "$one" "$dir/two"; do
					sed '/<method/,/<.method>/ { /<counter/d; }
						/COMPLEXITY/d' "$two"
				done >"$dir/both"
				lines=$(($(wc -l <"$dir/both") / 2))
				head -n "$lines" "$dir/both" >"$dir/one"
				tail -n "$lines" "$dir/both" >"$dir/two"
				same "$dir/one" "$dir/two" ;;
			*) same "$one" "$dir/two" ;;
			esac
		done
	done
}

@test "matrix: converting through JSON or a second time changes nothing" {
	for file in $(samples); do
		exe=$(exe_of "$file")
		for to in $writers; do
			made "$to" "$file" || continue
			# shellcheck disable=SC2086 # two words or none
			"$CGCONV" -q -t "$to" $exe \
				"$BATS_FILE_TMPDIR/json/$file" >"$dir/two"
			same "$one" "$dir/two"
		done
	done
}

@test "matrix: merging a and a doubles a; merging is commutative" {
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

@test "matrix: gzip and pipes make no difference" {
	for file in $(samples); do
		# Notes and data of coverage are found by file name.
		case $file in *.gcno | *.gcda) continue ;; esac
		made json "$file"
		# shellcheck disable=SC2046 # two words or none
		gzip -c "$file" | "$CGCONV" -q -t json $(exe_of "$file") - \
			>"$dir/two"
		same "$one" "$dir/two"
	done
}

@test "matrix: an input truncated at any byte is an error or a warning" {
	# Too slow with sanitizers, which the fuzzers cover.
	few=1
	case ${CFLAGS-} in *-fsanitize*) few=5 ;; esac
	for file in $(samples); do
		made callgrind "$file" || continue
		cp "$one" "$dir/whole"
		# shellcheck disable=SC2046 # two words or none
		perl tests/cuts.pl "$CGCONV" "$dir" "$few" "$file" \
			$(exe_of "$file")
	done
}
