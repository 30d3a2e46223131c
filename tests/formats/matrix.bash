# matrix.bash ROOM PROPERTY - tests a property of every sample with every writer,
# for matrix.bats: bats traces each command of its tests, which takes longer than
# the conversions. ROOM has the conversions that "matrix.bash ROOM convert_samples"
# made.
set -eu
. tests/helper.bash
room=$1
dir=$room/test
mkdir -p "$dir"

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
		samples/coveralls/* | samples/codecov/* | samples/llvm-profile/* | \
		samples/dotnet/* | samples/scoverage/* | samples/simplecov/* | \
		samples/coverlet/* | samples/ctest/* | samples/sonarqube/* | \
		samples/v8/* | samples/verilator/* | samples/xccov/* | \
		samples/luacov/* | samples/ctc/* | samples/bullseye/*) ;;
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
	gcov-*:samples/codecov/* | gcov-*:samples/dotnet/*) return 1 ;;
	gcov-*:samples/scoverage/* | gcov-*:samples/simplecov/*) return 1 ;;
	gcov-*:samples/coverlet/* | gcov-*:samples/ctest/* | \
		gcov-*:samples/sonarqube/* | gcov-*:samples/v8/* | \
		gcov-*:samples/verilator/* | gcov-*:samples/xccov/* | \
		gcov-*:samples/luacov/* | gcov-*:samples/ctc/* | \
		gcov-*:samples/bullseye/*) return 1 ;;
	lcov:* | cobertura:* | clover:* | go-cover:* | jacoco:* | sonarqube:* | \
		gcovr-json:* | istanbul:* | coveralls:* | codecov:* | covdir:*)
		if is_coverage "$2"; then return 1; fi ;;
	otlp:samples/otlp/* | otlp:samples/pprof/*) return 1 ;;
	perfetto:samples/perfetto/*) return 1 ;;
	pprof:* | otlp:* | perfetto:* | svg:*) ;;
	trace-event:samples/trace-event/*) return 1 ;;
	cpuprofile:samples/cpuprofile/* | cpuprofile:samples/firefox/*) return 1 ;;
	firefox:samples/firefox/* | firefox:samples/cpuprofile/*) return 1 ;;
	gprof:* | folded:* | speedscope:* | trace-event:* | cpuprofile:* | firefox:* | dot:* | gcov-*:* | gcov:* | callgrind:samples/json/*) ;;
	*) return 1 ;;
	esac
}

# refused TO INPUT STATUS MESSAGE: notes a rejection without a reason in
# may_refuse().
refused()
{
	if ! may_refuse "$1" "$2" || { [ "$3" -ne 1 ] && [ "$3" -ne 3 ]; }; then
		echo "$1 refuses $2 with status $3: $4" >>"$room/failed"
	fi
}

# convert TO INPUT... >OUTPUT, with the sample's executable. Returns false if TO
# rejects it.
convert()
{
	local to=$1 status=0

	shift
	# shellcheck disable=SC2046 # two words or none
	"$CGCONV" -q -t "$to" $(exe_of "$1") "$@" 2>"$dir/messages" || status=$?
	[ "$status" -ne 0 ] || return 0
	refused "$to" "$1" "$status" "$(cat "$dir/messages")"
	return 1
}

# convert_all TO FROM INTO: converts the files of directory FROM that are named like
# samples to files of INTO, by one process: the start of processes takes most of
# the time of these tests. It knows no executables, and files of one unit of gcov
# are one input; what has no output has to be converted singly.
convert_all()
{
	# shellcheck disable=SC2046 # names without blanks
	mkdir -p "$3" && (cd "$3" && mkdir -p $(cd "$OLDPWD" && find samples -type d))
	for file in $(samples); do
		if is_tried "$1" "$file" && [ -e "$2/$file" ] &&
			! needs_company "$2" "$file"; then
			echo "$file"
		fi
	done >"$dir/names"
	(cd "$2" && "$CGCONV" -q -t "$1" -O "$3" --name '{dir}/{base}' -j 1 --force \
		--files-from "$dir/names" --manifest "$dir/manifest" \
		2>"$dir/messages") || true
}

# Does the file of the directory need an executable or notes?
needs_company()
{
	case $1:$2 in
	"$PWD":*.gcno | "$PWD":*.gcda | *.gz) ;;
	"$PWD":* | */gprof:*) [ -e "${2%/*}/prog" ] ;;
	*) return 1 ;;
	esac
}

# convert_again TO FROM INTO: the same, also singly.
convert_again()
{
	convert_all "$@"
	for file in $(samples); do
		if is_tried "$1" "$file" && [ -e "$2/$file" ] &&
			[ ! -e "$3/$file" ]; then
			convert_one "$@"
		fi
	done
}

# convert_one TO FROM INTO: converts $file.
convert_one()
{
	# shellcheck disable=SC2046 # two words or none
	"$CGCONV" -q -t "$1" $(exe_of "$file") "$2/$file" >"$3/$file" ||
		rm "$3/$file"
}

# list_changed ONE TWO: lists in $dir/changed the files of ONE that are not the same
# in TWO.
list_changed()
{
	(cd "$1" && find samples -type f -exec md5sum {} +) >"$dir/sums"
	[ -s "$dir/sums" ]
	(cd "$2" && { md5sum --quiet -c "$dir/sums" 2>"$dir/messages" || true; }) |
		sed 's/: FAILED.*//' | sort >"$dir/changed"
}

# made TO FILE: sets $one to the conversion by convert_samples(), if there is one.
made()
{
	one=$room/$1/$2
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

# Converts each sample with each writer, once for all properties.
convert_samples()
{
	for to in $writers; do
		convert_all "$to" "$PWD" "$room/$to"
		sed -n 's/^{"input":"\([^"]*\)".*"status":"failed".*"exit":\([0-9]*\),"error":"\(.*\)","file".*/\1 \2 \3/p' \
			"$dir/manifest" >"$dir/refused"
		while read -r file status message; do
			refused "$to" "$file" "$status" "$message"
		done <"$dir/refused"
		cut -d ' ' -f 1 "$dir/refused" >"$dir/tried"
		for file in $(samples | grep -vxFf "$dir/tried"); do
			is_tried "$to" "$file" || continue
			made "$to" "$file" && continue
			convert "$to" "$file" >"$one" || rm "$one"
		done
	done
}

# totals DIR: prints name, event and self cost of the files of DIR, which are
# callgrind's.
totals()
{
	(cd "$1" && find samples -type f -exec \
		perl "$OLDPWD/tests/oracle/callgrind.pl" --totals {} + | sort)
}

# A writer rejects a sample only for a known reason.
rejects()
{
	touch "$room/failed"
	cat "$room/failed"
	[ ! -s "$room/failed" ]
	for to in $writers; do
		[ "$(find "$room/$to" -type f | wc -l)" -ge 15 ]
	done
}

# Every writer conserves self cost.
conserves()
{
	totals "$room/callgrind" >"$dir/want"
	for to in $rereaders; do
		# Data without notes has no lines: see gcda.bats.
		# A line ran or did not.
		case $to in gcov | jacoco | codecov | sonarqube) continue ;; esac
		convert_again callgrind "$room/$to" "$dir/$to"
		for file in $(samples); do
			may_refuse callgrind "$file" && continue
			made "$to" "$file" || continue
			case $to:$file in
			# Coverage formats keep costs that have a line.
			lcov:* | cobertura:* | clover:* | go-cover:* | gcovr-json:* | istanbul:* | coveralls:*)
				is_coverage "$file" || continue ;;
			# Between calls the thread is idle; between samples it
			# may have waited for a processor.
			cpuprofile:samples/trace-event/* | cpuprofile:samples/perf-data/dwarf*) continue ;;
			# All memory is allocated in a library, and a gmon.out
			# is of the executable.
			gprof:samples/gperftools/growth/* | gprof:samples/gperftools/jemalloc/* | \
				gprof:samples/heaptrack/* | gprof:samples/otlp/* | \
				gprof:samples/perfetto/*) continue ;;
			esac
			echo "$file"
		done >"$dir/files"
		totals "$dir/$to" >"$dir/got"
		perl tests/oracle/conserved.pl "$to" "$dir/files" "$dir/want" "$dir/got"
	done
}

# --verify finds no unexpected difference.
verifies()
{
	# Each pair takes a process, too slow with sanitizers: every third then.
	every=1
	n=0
	case ${CFLAGS-} in *-fsanitize*) every=3 ;; esac
	for file in $(samples); do
		for to in $rereaders; do
			n=$((n + 1))
			[ $((n % every)) -eq 0 ] || continue
			case $to:$file in
			# Data without notes; names of an executable not given.
			gcov:* | gprof:samples/[!g]* | gprof:samples/gperf*) ;;
			# Names that end in blanks or numbers are changed.
			folded:*/shapes.folded | folded:*/evented/*) ;;
			# Costs become time, and idle time is added.
			cpuprofile:samples/[!c]* | cpuprofile:samples/caliper/*) ;;
			# Lines with branches lose their counts.
			codecov:samples/[!c]* | codecov:samples/clover/* | \
				codecov:samples/cobertura/* | codecov:samples/coverall* | \
				codecov:samples/coverlet/* | codecov:samples/ctc/*) ;;
			# Counts become 0 or 1.
			jacoco:samples/[!j]* | jacoco:samples/jfr/* | jacoco:samples/json/*) ;;
			sonarqube:*) ;;
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

# Does no call of the sample have an inclusive cost of the event, rightly?
has_self_only()
{
	case $1:$2 in
	# Coverage has none.
	samples/gcov/*) ;;
	# All stacks with delays have one function.
	samples/hprof/sites/*:delay | samples/hprof/sites/*:contentions) ;;
	# Callgrind counts the use of cache lines where they were loaded.
	samples/callgrind/cacheuse/*:AcCost? | samples/callgrind/cacheuse/*:SpLoss?) ;;
	# The one call of the sample is of the other event.
	samples/oprofile-xml/modules/*:LLC_MISSES) ;;
	*) return 1 ;;
	esac
}

# Calls from known callers have inclusive costs of every event that has self costs.
includes()
{
	for file in $(samples); do
		for table in calls flat; do
			# shellcheck disable=SC2046 # two words or none
			"$CGCONV" -q -t tsv --table $table $(exe_of "$file") \
				"$file" >"$dir/$table" 2>/dev/null &&
				[ "$(wc -l <"$dir/$table")" -gt 1 ] || continue 2
		done
		awk -F '\t' '
			FNR == 1 {
				for (at = 1; at <= NF && $at !~ /^calls/; at++) ;
				for (i = at + 1; i <= NF; i++)
					name[i] = $i
				next
			}
			FILENAME ~ /flat$/ { # and the number of the cycle
				for (i = at + 1; i <= NF; i++)
					if ($i != 0 && name[i] != "cycle")
						has[name[i]] = 1
				next
			}
			$3 != "" {
				calls = 1
				for (i = at + 1; i <= NF; i++)
					if ($i != 0)
						called[name[i]] = 1
			}
			END {
				for (i = at + 1; calls && i in name; i++) {
					event = name[i]
					sub(/ inclusive$/, "", event)
					if (has[event] && !called[name[i]])
						print event
				}
			}' "$dir/flat" "$dir/calls" >"$dir/events"
		while read -r event; do
			has_self_only "$file" "$event" || {
				echo "$file: calls have no inclusive $event"
				return 1
			}
		done <"$dir/events"
	done
}

# Converting X to X again changes nothing.
repeats()
{
	for to in $rereaders; do
		convert_again "$to" "$room/$to" "$dir/$to"
		list_changed "$room/$to" "$dir/$to"
		for file in $(cat "$dir/changed"); do
			made "$to" "$file"
			# V8's functions are where they are defined: a known
			# line that no sample had.
			# Firefox has no place for Java's signatures: methods
			# that differ only in these are one when read.
			case $to:$file in
			cpuprofile:samples/firefox/raw/* | \
				cpuprofile:samples/vmprof/* | \
				firefox:samples/jfr/*) continue ;;
			# The same data, but the first written one names
			# threads without samples of its event, and a process
			# at its main thread only; another profile is active.
			speedscope:samples/jfr/* | trace-event:samples/jfr/* | \
				trace-event:samples/otlp/* | \
				trace-event:samples/nettrace/sixth/* | \
				trace-event:samples/perfetto/events/*) continue ;;
			# A call without duration that began before a longer
			# one at the same time is below that one when read.
			trace-event:samples/xdebug/returns/*) continue ;;
			# Branches with one outcome each: Clover has only the
			# number of a line's outcomes.
			clover:samples/v8/*) continue ;;
			# Threads of samples are parts on request only.
			perfetto:samples/json/stacks/*) continue ;;
			# Calls of a process and of its main thread: when read,
			# both are of that thread, at the same times, and then
			# written without times, with a warning.
			otlp:samples/perfetto/sdk/*) continue ;;
			esac
			two=$dir/$to/$file
			case $to:$file in
			# Which lines functions share is not in the format, and
			# which branches of a line are of one condition.
			jacoco:samples/[!j]* | jacoco:samples/jfr/* | jacoco:samples/json/*)
				for made in "$one" "$two"; do
					sed '/<method/,/<.method>/ { /<counter/d; }
						/COMPLEXITY/d' "$made"
				done >"$dir/both"
				lines=$(($(wc -l <"$dir/both") / 2))
				head -n "$lines" "$dir/both" >"$dir/one"
				tail -n "$lines" "$dir/both" >"$dir/two"
				same "$dir/one" "$dir/two" ;;
			*) same "$one" "$two" ;;
			esac
		done
	done
}

# Converting through JSON or a second time changes nothing.
keeps_json()
{
	for to in $writers; do
		convert_all "$to" "$room/json" "$dir/$to"
		list_changed "$room/$to" "$dir/$to"
		for file in $(cat "$dir/changed"); do
			convert_one "$to" "$room/json" "$dir/$to"
			same "$room/$to/$file" "$dir/$to/$file"
		done
	done
}

# Merging a and a doubles a; merging is commutative.
merges()
{
	for file in $(cd "$room/callgrind" && find samples -type f | sort); do
		mkdir -p "$dir/twice/${file%/*}"
		convert callgrind "$file" "$file" >"$dir/twice/$file"
	done
	totals "$room/callgrind" |
		awk -F '\t' '{ printf "%s\t%s\t%d\n", $1, $2, $3 * 2 }' >"$dir/want"
	totals "$dir/twice" >"$dir/got"
	same "$dir/want" "$dir/got"
	a=samples/callgrind/plain/callgrind.out
	b=samples/callgrind/callers/callgrind.out
	convert callgrind "$a" "$b" >"$dir/one"
	convert callgrind "$b" "$a" >"$dir/two"
	same "$dir/one" "$dir/two"
}

# Exactly one format claims each sample.
claims()
{
	samples | awk -F / '{ print $0 "\t" $2 }' >"$dir/want"
	# shellcheck disable=SC2046 # names without blanks
	"$CGCONV" --detect $(samples) | cut -f 1,2 >"$dir/got"
	same "$dir/want" "$dir/got"
}

# Gzip and pipes make no difference.
pipes()
{
	for file in $(samples); do
		# Notes and data of coverage are found by file name.
		# Sources of V8's scripts are, too.
		# Members of an archive are, too.
		case $file in
		*.gcno | *.gcda | samples/v8/* | samples/sleepy/*) continue ;;
		esac
		made json "$file"
		# shellcheck disable=SC2046 # two words or none
		gzip -c "$file" | "$CGCONV" -q -t json $(exe_of "$file") - \
			>"$dir/two"
		same "$one" "$dir/two"
	done
}

# An input truncated at any byte is an error or a warning.
truncates()
{
	# Too slow with sanitizers, which the fuzzers have, too.
	few=1
	case ${CFLAGS-} in
	*-fsanitize*) few=10 ;;
	*) ! can_serve "$dir/server.so" || export PRELOAD=$dir/server.so ;;
	esac
	for file in $(samples); do
		# An archive may end in a member that is not needed.
		case $file in samples/sleepy/*) continue ;; esac
		made callgrind "$file" || continue
		cp "$one" "$dir/whole"
		# shellcheck disable=SC2046 # two words or none
		perl tests/formats/cuts.pl "$CGCONV" "$dir" "$few" "$file" \
			$(exe_of "$file")
	done
}

"$2"
