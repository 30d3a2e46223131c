# threads.bats - several threads do what one does: same bytes, same messages.
load ../helper

# Folded stacks that compress to some 800 KiB: enough for the threads to begin.
setup_file()
{
	dir=$BATS_FILE_TMPDIR
	awk 'BEGIN {
		for (i = 0; i < 120000; i++) {
			x = (x * 1103515245 + 12345) % 2147483648
			y = (y * 69069 + 5) % 4294967296
			printf "main;f%d;g%d %d\n", x / 1024, y / 65536, i % 97
		}
	}' >"$dir/big.folded"
	gzip -c "$dir/big.folded" >"$dir/big.gz"
	[ "$(wc -c <"$dir/big.gz")" -gt 700000 ]
	make_callgrind >"$dir/big.cg"
	make_perf_script >"$dir/big.perf"
}

# Two parts of 2000 functions with inlined code, jumps and calls: several blocks
# of text.
make_callgrind()
{
	awk 'BEGIN {
		print "# callgrind format"
		for (part = 1; part <= 2; part++) {
			printf "part: %d\npositions: instr line\n", part
			print "events: Ir Dr\n"
			for (f = 1; f <= 2000; f++) {
				printf "ob=lib%d\nfl=f%d.c\nfn=f%d\n",
					f / 300, f / 7, f
				for (i = 0; i < 60; i++) {
					if (i % 20 == 7)
						printf "fi=h%d.h\n", f % 11
					if (i % 20 == 9)
						printf "fe=f%d.c\n", f / 7
					printf "0x%x %d %d %d\n", f * 4096 + i,
						i * 3, i * f, part
				}
				printf "jcnd=3/9 0x%x 4\n0x%x 5\n",
					f * 4096 + 9, f * 4096 + 2
				for (i = 1; i < 4 && f + i * 9 <= 2000; i++) {
					to = f + i * 9
					printf "cob=lib%d\ncfi=f%d.c\ncfn=f%d\n",
						to / 300, to / 7, to
					printf "calls=%d 0x%x 7\n0x%x 8 %d\n",
						i, to * 4096, f * 4096 + i, f
				}
				print ""
			}
		}
	}'
}

# Samples with call chains, of two threads and events; some lines are none.
make_perf_script()
{
	awk 'BEGIN {
		for (i = 0; i < 6000; i++) {
			printf "cc%d 7/%d %d.%06d: %d cycles%s: \n", i % 2,
				7 + i % 2, i / 100, i, i + 1, i % 3 ? "" : ":u"
			for (d = i % 9; d >= 0; d--)
				printf "\t%x f%d+0x%x (/lib/l%d.so)%s\n",
					4096 * d + i % 7, d * (i % 5), i % 7,
					d % 3, d % 4 == 1 ? " (inlined)" : ""
			print i % 1000 == 999 ? "no frame\n" : ""
			if (i % 4 == 0)
				printf "cc0 7/7 1.5: 3 faults: %x g%d (/lib/l)\n\n",
					i, i % 11
		}
	}'
}

setup()
{
	dir=$BATS_FILE_TMPDIR
	tmp=$BATS_TEST_TMPDIR
}

# alike ARG...: the command has one output, one status and the same messages
# with any number of threads. Sets status, and leaves out and err in $tmp.
alike()
{
	local n was

	for n in 1 2 3 8; do
		status=0
		timeout 100 "$CGCONV" -j "$n" "$@" >"$tmp/out" 2>"$tmp/err" ||
			status=$?
		if [ "$n" -eq 1 ]; then
			was=$status
			cp "$tmp/out" "$tmp/out1"
			cp "$tmp/err" "$tmp/err1"
		fi
		[ "$status" -eq "$was" ]
		same "$tmp/err1" "$tmp/err"
		cmp "$tmp/out1" "$tmp/out"
	done
}

@test "threads: compressed inputs and outputs have the same bytes for any -j" {
	"$CGCONV" -t json "$dir/big.folded" >"$tmp/right"
	for packer in gzip xz bzip2 zstd; do
		command -v "$packer" || continue
		"$packer" -c <"$dir/big.folded" >"$tmp/packed"
		alike -t json --gzip "$tmp/packed"
		gzip -dc "$tmp/out" | cmp - "$tmp/right"
	done
	# Two layers, from a pipe.
	gzip -c "$dir/big.gz" >"$tmp/twice"
	cat "$tmp/twice" | "$CGCONV" -j 2 -t json | cmp - "$tmp/right"
}

@test "threads: each sample, compressed, has the same output for any -j" {
	# Four processes each, too slow with sanitizers: every eighth then.
	every=1
	n=0
	case ${CFLAGS-} in *-fsanitize*) every=8 ;; esac
	for file in $(samples); do
		n=$((n + 1))
		[ $((n % every)) -eq 0 ] || continue
		# shellcheck disable=SC2046 # two words or none
		gzip -c "$file" | "$CGCONV" -q -j 1 -t json --gzip \
			$(exe_of "$file") - >"$tmp/one" 2>"$tmp/err1" || continue
		# shellcheck disable=SC2046
		gzip -c "$file" | "$CGCONV" -q -j 8 -t json --gzip \
			$(exe_of "$file") - >"$tmp/eight"
		cmp "$tmp/one" "$tmp/eight"
	done
}

@test "threads: a sum that is too large is told once, where it is found" {
	# The last jump of part 1, twice.
	awk '{ print } /^jcnd=/ && ++n == 2000 {
		getline at
		sub(/=[^ ]*/, "=18446744073709551615/18446744073709551615")
		print at "\n" $0 "\n" at
	}' "$dir/big.cg" >"$tmp/large.cg"
	alike -q -t callgrind -o "$tmp/none.cg" "$tmp/large.cg"
	[ "$status" -eq 1 ]
	[ ! -e "$tmp/none.cg" ]
	[ "$(wc -l <"$tmp/err")" -eq 1 ]
	grep -q 'the sum of jumps exceeds 64 bits' "$tmp/err"
}

@test "threads: a sum of branches that is too large ends a report, wherever it is" {
	local k

	for k in 1 32 1365 3000; do
		# The same branch, taken 2^63 - 1 times in one test, once in the other.
		awk -v k="$k" 'BEGIN {
			for (test = 1; test <= 2; test++) {
				print "TN:t" test "\nSF:/f.c"
				for (i = 1; i <= 3000; i++)
					printf "FN:%d,f%d\n", 2 * i, i
				for (i = 1; i <= 3000; i++)
					printf "DA:%d,1\nBRDA:%d,0,0,%s\n",
						2 * i, 2 * i, i == k ? \
						"9223372036854775807" : 1
				print "end_of_record"
			}
		}' >"$tmp/large.info"
		alike -q -t sonarqube "$tmp/large.info"
		[ "$status" -eq 1 ]
		[ ! -s "$tmp/out" ]
		[ "$(wc -l <"$tmp/err")" -eq 1 ]
		grep -q 'the sum of branches exceeds 64 bits' "$tmp/err"
	done
}

@test "threads: texts that they parse have the same output for any -j" {
	alike -t json "$dir/big.perf"
	[ "$status" -eq 0 ]
	grep -c 'is skipped' "$tmp/err" | same - <(echo 6)
	grep -q 'big.perf:[0-9]*:1: warning: expected a sample' "$tmp/err"
	alike -q -t callgrind --addresses "$dir/big.perf"
	alike -t json "$dir/big.folded"
	[ "$status" -eq 0 ]
	# Annotations, decimals, CRs, lines that are none, a long one.
	awk '{ sub(/ /, NR % 5 == 1 ? "_[k] " : NR % 5 == 2 ? "_[i] 0." : " ") }
		NR % 7 == 3 { sub(/$/, "\r") }
		NR == 90000 { for (i = 0; i < 200000; i++) printf "m%d;", i % 9 }
		NR % 40000 == 0 { print "malformed" }
		{ print }' "$dir/big.folded" >"$tmp/odd"
	alike -f folded -t json "$tmp/odd"
	[ "$status" -eq 0 ]
	grep -q 'odd:40000:1: warning: .* the line is skipped' "$tmp/err"
	alike -f folded -t json --frames line "$tmp/odd"
	# An error ends it, and what comes before it is told.
	{ sed 50000q "$tmp/odd"; echo ' 7'; cat "$tmp/odd"; } >"$tmp/bad"
	alike -f folded -t json "$tmp/bad"
	[ "$status" -eq 1 ]
	grep -q 'bad:50001:1: error: expected frames before' "$tmp/err"
	[ "$(grep -c warning "$tmp/err")" -eq 1 ]
}

@test "threads: lines of JSON have the same output for any -j" {
	"$CGCONV" -q -t json "$dir/big.cg" >"$tmp/big.cgj"
	alike -t json "$tmp/big.cgj"
	[ "$status" -eq 0 ]
	cmp "$tmp/out" "$tmp/big.cgj"
	alike -q -t callgrind "$tmp/big.cgj"
	"$CGCONV" -q -t json "$dir/big.folded" >"$tmp/stacks.cgj"
	alike -t json "$tmp/stacks.cgj"
	cmp "$tmp/out" "$tmp/stacks.cgj"
	# Numbers of all forms, unknown records, empty lines, other columns.
	sed 's/^\["end".*/["end"]/
		/^\["event",0/s/Ir/Dr/
		t
		/^\["event",1/s/Dr/Ir/' "$tmp/big.cgj" |
		awk 'NR % 4001 == 0 { print "[\"unknown\",1,[2]]" }
			NR % 3001 == 0 { print "" }
			NR % 7 == 1 && /^\["c/ { sub(/,/, ", ") }
			NR % 11 == 1 && /^\["cost/ { sub(/[0-9]+\]\]$/, "\"0x&")
				sub(/\]\]$/, "\"]]") }
			{ print }' >"$tmp/odd.cgj"
	alike -t json "$dir/big.cg" "$tmp/odd.cgj"
	[ "$status" -eq 0 ]
	grep -q 'odd.cgj:[0-9]*:2: warning: unknown record "unknown" is skipped' \
		"$tmp/err"
	# The first error is told, and what comes before it.
	for line in 60001 200001; do
		awk -v line="$line" 'NR >= line && /^\["cost/ {
			sub(/cost",[0-9]*/, "cost\",99999999") } { print }' \
			"$tmp/odd.cgj" >"$tmp/bad.cgj"
		alike -t json "$tmp/bad.cgj"
		[ "$status" -eq 1 ]
		[ "$(grep -c error "$tmp/err")" -eq 1 ]
		grep -q 'bad.cgj:[0-9]*:9: error: expected file id up to' "$tmp/err"
	done
	# The CRC is that of all blocks.
	sed '200000s/,[0-9]*,/,1,/' "$tmp/big.cgj" >"$tmp/bad.cgj"
	alike -t json "$tmp/bad.cgj"
	grep -q 'the lines above were changed' "$tmp/err"
}

@test "threads: compressed output is one member that other tools read" {
	"$CGCONV" -j 3 -t folded -o "$tmp/a.gz" "$dir/big.folded"
	"$CGCONV" -j 3 -t folded -o "$tmp/a" "$dir/big.folded"
	[ "$(wc -c <"$tmp/a")" -gt 2000000 ]
	gzip -t "$tmp/a.gz"
	gzip -dc "$tmp/a.gz" | cmp - "$tmp/a"
	command -v python3 || skip "python3 not found"
	python3 - "$tmp" <<-'END'
	import sys, zlib
	d = zlib.decompressobj(31)
	text = d.decompress(open(sys.argv[1] + '/a.gz', 'rb').read())
	assert d.eof and d.unused_data == b''
	assert text == open(sys.argv[1] + '/a', 'rb').read()
	END
}

@test "threads: truncated and damaged input has one message for any -j" {
	size=$(wc -c <"$dir/big.gz")
	for n in 200000 262144 400000 $((size - 9)); do
		head -c "$n" "$dir/big.gz" >"$tmp/cut.gz"
		alike -t json "$tmp/cut.gz"
		[ "$status" -eq 1 ]
		grep -q 'cut.gz:0x[0-9a-f]*: error: gzip data ends early' \
			"$tmp/err"
		{
			head -c "$n" "$dir/big.gz"
			printf 'damaged'
			tail -c +$((n + 8)) "$dir/big.gz"
		} >"$tmp/bad.gz"
		alike -t json "$tmp/bad.gz"
		[ "$status" -eq 1 ]
		grep -q 'bad.gz:.* error: ' "$tmp/err"
	done
	for packer in xz bzip2 zstd; do
		command -v "$packer" || continue
		"$packer" -c <"$dir/big.folded" | head -c 400000 >"$tmp/cut"
		alike -t json "$tmp/cut"
		[ "$status" -eq 1 ]
		grep -q "cut: error: $packer data" "$tmp/err"
	done
	{ cat "$dir/big.gz" && echo garbage; } >"$tmp/more.gz"
	alike -t json "$tmp/more.gz"
	[ "$status" -eq 1 ]
	grep -q 'error: expected nothing after the gzip data' "$tmp/err"
}

# The same as JSON, with a malformed line.
malformed()
{
	"$CGCONV" -t json "$dir/big.folded" | sed "$1s/.*/malformed/" | gzip -c
}

@test "threads: the first error in the order of the input is the one told" {
	malformed 60000 >"$tmp/bad.gz"
	alike -t json "$tmp/bad.gz"
	[ "$status" -eq 1 ]
	grep -q 'bad.gz:60000:1: error' "$tmp/err"
	# Behind it, within what is read ahead, the data ends.
	for n in 400000 450000 500000 550000; do
		head -c "$n" "$tmp/bad.gz" >"$tmp/cut.gz"
		alike -t json "$tmp/cut.gz"
		[ "$status" -eq 1 ]
		[ "$(grep -c error "$tmp/err")" -eq 1 ]
	done
	# A warning comes before the error.
	{ sed 100000q "$dir/big.folded"; echo malformed; cat "$dir/big.folded"; } |
		gzip -c | head -c 900000 >"$tmp/cut.gz"
	alike -t json "$tmp/cut.gz"
	[ "$status" -eq 1 ]
	[ "$(grep -o 'warning\|error' "$tmp/err" | tr '\n' ' ')" = "warning error " ]
}

@test "threads: a decompression bomb behind data is stopped, with any -j" {
	command -v xz || skip "xz not found"
	# The thread begins in the random names, before the ratio is too large.
	{ cat "$dir/big.folded" && head -c 1000000000 /dev/zero; } |
		xz -0 -T 1 >"$tmp/bomb"
	alike -f folded -t json "$tmp/bomb"
	[ "$status" -ne 0 ]
}

@test "threads: an output that fails is told once, by each target and any -j" {
	[ -w /dev/full ] || skip "no /dev/full"
	echo "<stdout>: error: cannot write: No space left on device" >"$tmp/want"
	failed=0
	for target in $("$CGCONV" --list-formats | awk '$2 ~ /write/ { print $1 }'); do
		for n in 1 2; do
			status=0
			"$CGCONV" -q -j "$n" -t "$target" --guess-stacks \
				"$dir/big.cg" >/dev/full 2>"$tmp/err" || status=$?
			# Some need what the input has not.
			[ "$status" -ne 3 ] || continue
			[ "$status" -eq 4 ]
			same "$tmp/want" "$tmp/err"
			failed=$((failed + 1))
		done
	done
	[ "$failed" -gt 40 ]
}

@test "threads: a pipe that stays open does not keep a failed job" {
	malformed 60000 | gzip -dc | sed "70000,\$d" | gzip -c >"$tmp/bad.gz"
	[ "$(wc -c <"$tmp/bad.gz")" -gt 270000 ]
	mkfifo "$tmp/pipe"
	{ cat "$tmp/bad.gz" && exec sleep 100; } >"$tmp/pipe" 3>&- &
	status=0
	timeout 60 "$CGCONV" -j 2 -t json "$tmp/pipe" \
		>"$tmp/out" 2>"$tmp/err" || status=$?
	kill $! || :
	[ "$status" -eq 1 ]
	grep -q 'pipe:60000:1: error' "$tmp/err"
}

# has_thread PROCESS: waits until it has more than one.
has_thread()
{
	local i

	for i in $(seq 300); do
		[ "$(find "/proc/$1/task" -maxdepth 1 -name '[0-9]*' | wc -l)" -lt 2 ] ||
			return 0
		sleep 0.1
	done
	echo "no thread was made"
	return 1
}

# with_threads ARG...: the command has threads while it writes, unless -j is 1.
with_threads()
{
	local n

	for n in 1 3; do
		rm -f "$tmp/pipe$n"
		mkfifo "$tmp/pipe$n"
		sleep 100 <"$tmp/pipe$n" 3>&- &
		reader=$!
		# It waits in the middle of its output, which nobody reads.
		"$CGCONV" -j "$n" "$@" >"$tmp/pipe$n" 3>&- &
		job=$!
		# Threads that read have ended by then.
		sleep 2
		if [ "$n" -eq 1 ]; then
			[ "$(find "/proc/$job/task" -maxdepth 1 -name '[0-9]*' |
				wc -l)" -eq 1 ]
		else
			has_thread "$job"
		fi
		kill "$job" "$reader"
		wait "$job" "$reader" || :
	done
}

@test "threads: they compress, unless -j is 1" {
	with_threads -t folded --gzip "$dir/big.folded"
}

@test "threads: they parse, unless -j is 1" {
	for file in big.perf big.folded; do
		for n in 1 3; do
			rm -f "$tmp/pipe"
			mkfifo "$tmp/pipe"
			# The input does not end.
			{ cat "$dir/$file" && exec sleep 100; } >"$tmp/pipe" 3>&- &
			feeder=$!
			"$CGCONV" -q -j "$n" -t json "$tmp/pipe" >"$tmp/out" 3>&- &
			job=$!
			if [ "$n" -eq 1 ]; then
				sleep 2
				[ "$(find "/proc/$job/task" -maxdepth 1 \
					-name '[0-9]*' | wc -l)" -eq 1 ]
			else
				has_thread "$job"
			fi
			kill "$job" "$feeder"
			wait "$job" "$feeder" || :
		done
	done
}

@test "threads: a signal ends a job whose thread waits for a pipe" {
	mkfifo "$tmp/pipe"
	{ head -c 600000 "$dir/big.gz" && exec sleep 100; } >"$tmp/pipe" 3>&- &
	sleeper=$!
	"$CGCONV" -j 2 -t json -o "$tmp/out" "$tmp/pipe" 2>"$tmp/err" 3>&- &
	job=$!
	# The thread waits, or will.
	has_thread "$job"
	kill "$job"
	for i in $(seq 100); do
		kill -0 "$job" 2>"$tmp/kill" || break
		sleep 0.1
	done
	status=0
	kill "$sleeper" || :
	wait "$job" || status=$?
	[ "$status" -eq $((128 + 15)) ]
	[ ! -e "$tmp/out" ]
	grep -q 'cannot read: Interrupted system call' "$tmp/err"
}

@test "threads: -j of one input is no batch" {
	"$CGCONV" -j 2 -t json "$dir/big.gz" >"$tmp/out"
	"$CGCONV" -j 2 -o "$tmp/out.cgj" "$dir/big.gz"
	cmp "$tmp/out" "$tmp/out.cgj"
	"$CGCONV" -j 2 --info "$dir/big.gz" >"$tmp/two"
	"$CGCONV" -j 1 --info "$dir/big.gz" | same - "$tmp/two"
}

@test "threads: -j and -o with one directory are one job, as without -j" {
	local n

	"$CGCONV" -q -t lcov samples/gcov/gcc-c >"$tmp/right"
	for n in 1 2; do
		"$CGCONV" -q -j "$n" -o "$tmp/$n.info" samples/gcov/gcc-c
		cmp "$tmp/right" "$tmp/$n.info"
	done
}
