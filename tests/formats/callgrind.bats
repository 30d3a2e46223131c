# callgrind.bats - reads the dialects of all producers, and writes callgrind.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# The facts of a file, read independently, without the root added by cgconv.
facts()
{
	perl tests/oracle/callgrind.pl "$@" 2>/dev/null |
		grep -v '(<spontaneous>)' || true
}

# The conversion of standard input has these facts, among others.
has()
{
	cat >"$dir/in.cg"
	"$CGCONV" -f callgrind -o "$dir/out.cg" "$dir/in.cg" 2>"$dir/err"
	facts "$dir/out.cg" >"$dir/facts"
	for fact; do
		# shellcheck disable=SC2059 # tabs are written \t
		printf "$fact\n" | grep -qxFf - "$dir/facts" || {
			echo "expected: $fact"
			cat "$dir/facts" "$dir/err"
			return 1
		}
	done
}

# The previous conversion printed this warning.
warns()
{
	grep -qF -- "$1" "$dir/err" || {
		echo "expected: $1"
		cat "$dir/err"
		return 1
	}
}

# Standard input is rejected with this message.
refused()
{
	cat >"$dir/in.cg"
	refuses 1 "in.cg:$1" -f callgrind "$dir/in.cg"
}

# ---- Conservation ------------------------------------------------------------

@test "callgrind: every sample keeps all its facts" {
	for file in $(samples callgrind); do
		"$CGCONV" -t callgrind -o "$dir/out" "$file"
		facts "$file" >"$dir/one"
		facts "$dir/out" >"$dir/two"
		[ -s "$dir/one" ]
		same "$dir/one" "$dir/two"
	done
}

@test "callgrind: every sample keeps all its facts without compression" {
	for file in $(samples callgrind); do
		"$CGCONV" -t callgrind --no-compress-strings \
			--no-compress-pos -o "$dir/out" "$file"
		not grep -E '^c?(fn|fi|fl|ob)=\([0-9]+\)$' "$dir/out"
		not grep -E '^[+*-]' "$dir/out"
		facts "$file" >"$dir/one"
		facts "$dir/out" >"$dir/two"
		same "$dir/one" "$dir/two"
	done
}

@test "callgrind: converting an output again changes nothing" {
	for file in $(samples callgrind); do
		"$CGCONV" -t callgrind -o "$dir/one" "$file"
		"$CGCONV" -t callgrind -o "$dir/two" "$dir/one"
		same "$dir/one" "$dir/two"
	done
}

@test "callgrind: totals equal those of callgrind_annotate" {
	command -v callgrind_annotate >/dev/null || skip "no callgrind_annotate"
	for file in samples/callgrind/{plain,callers,names,instr-jumps}/*.out; do
		"$CGCONV" -t callgrind -o "$dir/out" "$file"
		callgrind_annotate "$file" | grep 'PROGRAM TOTALS' >"$dir/one"
		callgrind_annotate "$dir/out" | grep 'PROGRAM TOTALS' \
			>"$dir/two"
		[ -s "$dir/one" ]
		same "$dir/one" "$dir/two"
	done
}

# Costs by file and function, without the root that we add.
annotated()
{
	callgrind_annotate --threshold=100 --show-percs=no "$1" |
		sed '1,/file:function/d' | grep -v '(<spontaneous>)' | sort
}

@test "callgrind: callgrind_annotate finds functions in the same files" {
	command -v callgrind_annotate >/dev/null || skip "no callgrind_annotate"
	cat >"$dir/inlined" <<-'END'
		# callgrind format
		events: Ir
		fl=a.c
		fn=main
		1 10
		fi=a.h
		5 20
		fl=a.c
		fn=work
		7 30
	END
	for file in samples/callgrind/{plain,callers,instr-jumps}/*.out \
		"$dir/inlined"; do
		"$CGCONV" -t callgrind -o "$dir/out" "$file"
		annotated "$file" >"$dir/one"
		annotated "$dir/out" >"$dir/two"
		[ -s "$dir/one" ]
		same "$dir/one" "$dir/two"
	done
}

@test "callgrind: names the file of a function after inlined code" {
	printf 'events: Ir\nfl=a\nfn=f\n1 1\nfi=b\n2 2\nfl=a\nfn=g\n3 3\n' \
		>"$dir/in.cg"
	"$CGCONV" -t callgrind --no-compress-strings -o "$dir/out" "$dir/in.cg"
	sed -n '/^fi=b/,/^fn=g/p' "$dir/out" | grep -qx 'fl=a'
}

@test "callgrind: fi before fn names the function's file if there is no fl" {
	has 'self\t1\t???\ta.py\tmain\ta.py\t0\t0x0\tTicks=10' \
		'self\t1\t???\tb.py\twork\tb.py\t0\t0x0\tTicks=30' \
		'self\t1\t???\tb.py\tlast\tb.py\t1\t0x0\tTicks=2' <<-'END'
		events: Ticks
		fi=a.py
		fn=main
		0 10
		cfn=work
		cfi=b.py
		calls=3 5
		0 30

		fi=b.py
		fn=work
		0 30
		fi=inlined.py
		7 1
		fn=last
		1 2
	END
	[ "$(grep -c '^fn' "$dir/out.cg")" = 3 ]
}

@test "callgrind: an unknown object next to known ones is ???" {
	printf 'events: Ir\nob=???\nfn=f\n1 1\nob=o\nfn=g\n2 2\n' |
		has 'self\t1\t???\t???\tf\t???\t1\t0x0\tIr=1'
	grep -qx 'ob=(1) ???' "$dir/out.cg"
	printf 'events: Ir\nfn=f\n1 1\n' | has 'self\t1\t???\t???\tf\t???\t1\t0x0\tIr=1'
	not grep -q ob= "$dir/out.cg"
}

# ---- Lines -------------------------------------------------------------------

@test "callgrind: tabs, blanks and CRs may separate anywhere" {
	printf 'events: Ir\t Dr \r\nfl= x.c\r\nfn=\ta\r\n 1\t5 6\r\n2  7   8  \r\n' |
		has 'self\t1\t???\tx.c\ta\tx.c\t1\t0x0\tIr=5\tDr=6' \
			'self\t1\t???\tx.c\ta\tx.c\t2\t0x0\tIr=7\tDr=8'
	[ ! -s "$dir/err" ]
}

@test "callgrind: any number of blanks between positions" {
	has 'self\t1\t???\t???\ta\t???\t5\t0x10\tIr=100' \
		'self\t1\t???\t???\ta\t???\t6\t0x13\tIr=203' <<-'END'
		positions: instr line
		events: Ir
		fn=a
		0x10  5 100
		+3  +1  200
		*   * 2
		* 	*	1
	END
}

@test "callgrind: numbers may be hexadecimal anywhere" {
	has 'self\t1\t???\t???\ta\t???\t5\t0x10\tIr=32' \
		'self\t1\t???\t???\ta\t???\t6\t0x20\tIr=1' \
		'self\t1\t???\t???\ta\t???\t9\t0xffffffffffffffff\tIr=1' \
		<<-'END'
		positions: instr line
		events: Ir
		fn=a
		0x10 5 0x20
		+0x10 +1 1
		0xFFFFFFFFFFFFFFFF 9 1
	END
}

@test "callgrind: a position may be a range; its start counts" {
	has 'self\t1\t???\t???\ta\t???\t5\t0x0\tIr=10' \
		'self\t1\t???\t???\ta\t???\t7\t0x0\tIr=7' <<-'END'
		events: Ir
		fn=a
		5+3 10
		7-9 4
		7:12 3
	END
	warns "in.cg:3:2: warning: using only the start of a range"
}

@test "callgrind: columns are instr, bb, line, however positions: orders them" {
	has 'self\t1\t???\t???\ta\t???\t7\t0x10\tIr=3' <<-'END'
		positions: line bb instr
		events: Ir
		fn=a
		0x10 0x8 7 3
	END
	warns "dropped addresses of basic blocks"
}

@test "callgrind: reads addresses without lines" {
	has 'self\t1\t???\t???\ta\t???\t0\t0x10\tIr=3' \
		'self\t1\t???\t???\ta\t???\t0\t0x14\tIr=4' <<-'END'
		positions: instr
		events: Ir
		fn=a
		0x10 3
		+4 4
	END
}

@test "callgrind: event: lines may come before or after events:" {
	has 'event\tIr\t\tInstructions' 'event\tDr\t\tlate' \
		'event\tSum\tIr + 2 Dr - Dw\tMy sum' 'event\tTen\t10 Ir\t' <<-'END'
		event: Sum = Ir + 2 Dr - Dw : My sum
		event: Ten = Ir*10
		event: Ir : Instructions
		events: Ir Dr Dw
		event: Dr : late
		fn=a
		1 10 20 3
	END
}

@test "callgrind: inherited events may use others, in any order" {
	"$CGCONV" --info --event X - >"$dir/info" <<-'END'
		event: X = Ir + Y
		event: Y = 3 Dr
		events: Ir Dr
		fn=a
		1 5 9
	END
	grep -q '\bX\b.*\b32\b' "$dir/info"
}

@test "callgrind: warns of an inherited event of itself or of nothing" {
	has 'event\tIr\t\t' <<-'END'
		event: X = Ir + Y
		event: Y = X
		event: Z = Nope
		events: Ir
		fn=a
		1 5
	END
	warns "inherited event X dropped"
	warns "inherited event Z dropped"
}

@test "callgrind: sums the costs of a repeated event" {
	has 'total\tIr\t30' <<-'END'
		events: Ir Ir
		fn=a
		1 10 20
	END
	warns "in.cg:1:12: warning: event Ir is repeated"
}

@test "callgrind: reads 64 events and costs of 64 bits" {
	{
		printf 'events:'
		printf ' e%d' $(seq 64)
		printf '\nfn=a\n1'
		printf ' %s' 18446744073709551615 $(seq 2 64)
		echo
	} | has 'total\te1\t18446744073709551615' 'total\te64\t64'
}

@test "callgrind: warns of more events than KCachegrind opens" {
	local count

	for count in 200 201; do
		{
			printf 'events:'
			printf ' e%d' $(seq $count)
			printf '\nfn=a\n1 7\n'
		} | has 'total\te1\t7'
		[ $count = 201 ] || [ ! -s "$dir/err" ]
	done
	warns "writing 201 events, but KCachegrind opens files of at most 200"
}

# ---- Calls and jumps ---------------------------------------------------------

@test "callgrind: a callee is in the current file and object by default" {
	has 'call\t1\tA\tx.c\tmain\ty.h\t1\t0x0\t->\tA\ty.h\tb\t9\t0x0\t2\tIr=7' \
		<<-'END'
		events: Ir
		ob=A
		fl=x.c
		fn=main
		fi=y.h
		cfn=b
		calls=2 9
		1 7
	END
}

@test "callgrind: cob and cfi apply to one call, cfn to all that follow" {
	has 'call\t1\tO\tx.c\ta\tx.c\t1\t0x0\t->\tP\tz.c\tr\t1\t0x0\t1\tIr=3' \
		'call\t1\tO\tx.c\ta\tx.c\t2\t0x0\t->\tP\tz.c\tr\t1\t0x0\t2\tIr=4' \
		'call\t1\tO\tx.c\ta\tx.c\t3\t0x0\t->\tO\tx.c\ts\t1\t0x0\t1\tIr=5' \
		<<-'END'
		events: Ir
		ob=O
		fl=x.c
		fn=a
		cob=P
		cfi=z.c
		cfn=r
		calls=1 1
		1 3
		calls=2 1
		2 4
		cfn=s
		calls=1 1
		3 5
	END
}

@test "callgrind: cfl is cfi, and either may come after cfn" {
	has 'call\t1\t???\tx.c\tmain\tx.c\t1\t0x0\t->\t???\ty.c\tb\t1\t0x0\t1\tIr=3' \
		<<-'END'
		events: Ir
		fl=x.c
		fn=main
		cfn=b
		cfl=y.c
		calls=1 1
		1 3
	END
}

@test "callgrind: rcalls and calls without a target are calls" {
	has 'call\t1\t???\tx.c\ta\tx.c\t1\t0x0\t->\t???\tx.c\tb\t0\t0x0\t3\tIr=6' \
		<<-'END'
		events: Ir
		fl=x.c
		fn=a
		cfn=b
		rcalls=2
		1 2
		calls=1
		1 4
	END
	warns "in.cg:5:8: warning: expected 'calls='; reading 'rcalls=' as such"
}

@test "callgrind: targets are relative to the last cost line, and do not change it" {
	has 'call\t1\t???\t???\ta\t???\t12\t0x0\t->\t???\t???\tb\t15\t0x0\t1\tIr=7' \
		'self\t1\t???\t???\ta\t???\t13\t0x0\tIr=3' <<-'END'
		events: Ir
		fn=a
		10 5
		cfn=b
		calls=1 +5
		+2 7
		+1 3
	END
}

@test "callgrind: reads conditional jumps in both spellings, into other files" {
	has 'jump\t1\t???\tx.c\ta\tx.c\t1\t0x0\t->\t???\tx.c\ta\tx.c\t7\t0x0\tcond\t9\t3' \
		'jump\t1\t???\tx.c\ta\tx.c\t2\t0x0\t->\t???\tx.c\ta\tx.c\t7\t0x0\tcond\t8\t2' \
		'jump\t1\t???\tx.c\ta\tx.c\t7\t0x0\t->\t???\ty.c\tb\ty.c\t50\t0x0\tjump\t2\t2' \
		<<-'END'
		events: Ir
		fl=x.c
		fn=a
		1 5
		jcnd=3/9 7
		1
		jcnd=8 2 7
		2
		jfi=y.c
		jfn=b
		jump=2 50
		7
	END
}

# ---- Names and parts ---------------------------------------------------------

@test "callgrind: an id stands for its name in every object and file" {
	has 'self\t1\t???\tx.c\tinit\tx.c\t1\t0x0\tIr=5' \
		'self\t1\t???\ty.c\tinit\ty.c\t2\t0x0\tIr=7' <<-'END'
		events: Ir
		fl=(1) x.c
		fn=(1) init
		1 5
		fl=(2) y.c
		fn=(1)
		2 7
	END
}

@test "callgrind: ids stay defined across parts, may be redefined, may be huge" {
	has 'self\t1\t???\t???\ta\t???\t1\t0x0\tIr=5' \
		'self\t2\t???\t???\ta\t???\t1\t0x0\tIr=6' \
		'self\t2\t???\t???\tb\t???\t1\t0x0\tIr=7' <<-'END'
		part: 1
		events: Ir
		fn=(18446744073709551615) a
		1 5
		part: 2
		events: Ir
		fn=(18446744073709551615)
		1 6
		fn=(18446744073709551615) b
		1 7
	END
}

@test "callgrind: names that look like ids are names" {
	has 'self\t1\t???\t???\t(1x) foo\t???\t1\t0x0\tIr=5' \
		'self\t1\t???\t???\t(2\t???\t1\t0x0\tIr=6' \
		'self\t1\t???\t???\t(below main)\t???\t1\t0x0\tIr=7' <<-'END'
		events: Ir
		fn=(1x) foo
		1 5
		fn=(2
		1 6
		fn=(below main)
		1 7
	END
	"$CGCONV" --no-compress-strings -o "$dir/two" "$dir/in.cg"
	facts "$dir/two" | same - "$dir/facts"
}

@test "callgrind: warns of an undefined name id" {
	has 'self\t1\t???\t???\t???\t???\t1\t0x0\tIr=5' <<-'END'
		events: Ir
		fn=(3)
		1 5
	END
	warns "in.cg:2:4: warning: name id 3 is not defined"
}

@test "callgrind: parts may have different events, in any order" {
	has 'self\t1\t???\tx.c\ta\tx.c\t1\t0x0\tIr=5\tDr=6' \
		'self\t2\t???\tx.c\ta\tx.c\t1\t0x0\tIr=2\tDw=1' <<-'END'
		pid: 7
		part: 1
		events: Ir Dr
		fl=x.c
		fn=a
		1 5 6
		totals: 5 6
		pid: 7
		part: 2
		events: Dw Ir
		fl=x.c
		fn=a
		1 1 2
		totals: 1 2
	END
	[ ! -s "$dir/err" ]
}

@test "callgrind: commands, threads and descriptions belong to their part" {
	has 'part\t1\t3\t1\t1\t' 'desc\t1\tcmd: ./one' 'part\t2\t4\t0\t2\t' \
		'desc\t2\tcmd: ./two' 'desc\t2\tTrigger: two' <<-'END'
		pid: 3
		cmd: ./one
		part: 1
		thread: 1
		events: Ir
		fn=a
		1 5
		pid: 4
		cmd: ./two
		part: 2
		desc: Trigger: two
		events: Ir
		fn=a
		1 6
	END
	"$CGCONV" -t json "$dir/in.cg" | "$CGCONV" -t callgrind -o "$dir/two"
	same "$dir/out.cg" "$dir/two"
	# A command that all parts share is written as cmd:.
	"$CGCONV" -o "$dir/two" "$dir/out.cg"
	same "$dir/out.cg" "$dir/two"
}

@test "callgrind: merges Xdebug's records, one for each call" {
	{
		printf 'version: 1\ncreator: xdebug 3.2.0\ncmd: t.php\n'
		printf 'part: 1\npositions: line\n\nevents: Time_(10ns)\n\n'
		for i in $(seq 500); do
			printf 'fl=(1) t.php\nfn=(%d) f\n3 2\n\n' 1
			printf 'fl=(1)\nfn=(2) {main}\n1 1\ncfl=(1)\ncfn=(1)\n'
			printf 'calls=1 0 0\n%d 2\n\n' $((i % 2))
		done
		printf 'summary: 2000\n\n'
	} | has 'self\t1\t???\tt.php\tf\tt.php\t3\t0x0\tTime_(10ns)=1000' \
		'call\t1\t???\tt.php\t{main}\tt.php\t1\t0x0\t->\t???\tt.php\tf\t0\t0x0\t250\tTime_(10ns)=500'
	[ "$(wc -l <"$dir/out.cg")" -lt 40 ]
}

@test "callgrind: Xdebug's appended profiles are parts" {
	{
		for i in 1 2; do
			printf '==== NEW PROFILING FILE ====\n' | tail -n $((i - 1))
			printf 'version: 1\ncmd: t.php\npart: 1\nevents: T\n'
			printf 'fl=(1) t.php\nfn=(1) f\n3 %d\n\nsummary: 2\n' "$i"
		done
	} | has 'self\t1\t???\tt.php\tf\tt.php\t3\t0x0\tT=1' \
		'self\t2\t???\tt.php\tf\tt.php\t3\t0x0\tT=2'
}

# ---- Errors and warnings -----------------------------------------------------

@test "callgrind: drops unknown lines with a warning" {
	has 'self\t1\t???\t???\ta\t???\t1\t0x0\tIr=5' <<-'END'
		events: Ir
		foo: bar
		fn=a
		1 5
		bar=3
	END
	warns "in.cg:2:1: warning: dropped an unknown line"
	warns "in.cg:5:1: warning: dropped an unknown line"
}

@test "callgrind: reads negative, fractional and surplus costs with a warning" {
	has 'total\tIr\t16' <<-'END'
		events: Ir Dr
		fn=a
		1 -5 3
		2 5.7
		3 5 6 7
		4 6 # no
	END
	warns "in.cg:3:3: warning: negative cost; using 0"
	warns "in.cg:4:3: warning: dropped the fraction of a cost"
	warns "in.cg:5:7: warning: expected at most 2 costs"
	warns "in.cg:6:5: warning: expected a cost"
}

@test "callgrind: units of events end their names or long names" {
	cat >"$dir/in.cg" <<-'END'
		event: sys : sysTime (elapsed us)
		event: cpu : Time (ns)
		event: Ir : Instructions (all)
		events: sys cpu Ir Time_(10ns) Memory_(bytes)
		fn=f
		1 1 2 3 4 5
	END
	"$CGCONV" -q -t json -o "$dir/json" "$dir/in.cg"
	grep '^\["event"' "$dir/json" | cut -d, -f3-5 >"$dir/got"
	cat >"$dir/want" <<-'END'
		"sys","sysTime (elapsed us)","us"
		"cpu","Time","ns"
		"Ir","Instructions (all)",""
		"Time_(10ns)","","10ns"
		"Memory_(bytes)","","bytes"
	END
	same "$dir/want" "$dir/got"
	"$CGCONV" -t callgrind -o "$dir/out" "$dir/in.cg"
	grep '^event' "$dir/out" >"$dir/got"
	head -n 4 "$dir/in.cg" >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "callgrind: keeps the units of other formats" {
	printf 'f 3\n' >"$dir/a.folded"
	"$CGCONV" -q -t callgrind -o "$dir/cg" samples/pprof/cpu/cpu.pb.gz
	grep -qx 'event: cpu : cpu (ns)' "$dir/cg"
	"$CGCONV" -q -t callgrind -o "$dir/again" "$dir/cg"
	same "$dir/cg" "$dir/again"
	"$CGCONV" -q -t pprof --guess-stacks -o "$dir/pb" "$dir/cg"
	"$CGCONV" --verify samples/pprof/cpu/cpu.pb.gz "$dir/pb" >"$dir/got" ||
		[ $? -eq 1 ]
	not grep -q 'unit of event' "$dir/got"
}

@test "callgrind: a line events: in other text is no profile" {
	printf 'import x\n\nevents: list[E] = list(E)\nlast\n' >"$dir/x.py"
	"$CGCONV" --detect "$dir/x.py" | grep -q '	-	-	0$'
	printf 'events: Ir\n1 5\n' >"$dir/costs"
	printf 'version: 1\nevents: Ir\n\n' >"$dir/empty"
	for file in costs empty; do
		"$CGCONV" --detect "$dir/$file" | grep -q '	callgrind	'
	done
}

@test "callgrind: a summary is compared only where it states a sum" {
	# With signal handlers, Callgrind's totals are the sum.
	printf 'events: Ir\nsummary: 5\nfn=a\n1 10\ntotals: 10\n' |
		has 'total\tIr\t10'
	[ ! -s "$dir/err" ]
	printf 'creator: xdebug 3.2.0\nevents: Ir\nfn=a\n1 10\nsummary: 5\n' |
		has 'total\tIr\t10'
	[ ! -s "$dir/err" ]
	printf 'events: Ir\nsummary: 5\nfn=a\n1 10\ntotals: 11\n' |
		has 'total\tIr\t10'
	[ "$(grep -c 'but the input states' "$dir/err")" = 1 ]
}

@test "callgrind: a mismatch of totals and sum is reported with both numbers" {
	printf 'events: Ir\nfn=a\n1 5\ntotals: 7\n' | has 'total\tIr\t5'
	warns "the sum of Ir is 5, but the input states 7"
	printf 'events: Ir\nsummary: 4\nfn=a\n1 5\n' | has 'total\tIr\t5'
	warns "the sum of Ir is 5, but the input states 4"
	printf 'events: Ir\nsummary: 6\nfn=a\n1 5\n' | has 'total\tIr\t5'
	[ ! -s "$dir/err" ]
}

@test "callgrind: a truncated file is always reported" {
	file=samples/callgrind/plain/callgrind.out
	mkdir "$dir/cuts"
	perl -e 'local $/; my $all = <STDIN>;
		for my $size (0 .. length($all) - 2) {
			open my $out, ">", "$ARGV[0]/$size" or die;
			print {$out} substr $all, 0, $size;
		}' "$dir/cuts" <"$file"
	[ "$(ls "$dir/cuts" | wc -l)" -eq $(($(wc -c <"$file") - 1)) ]
	"$CGCONV" -q -f callgrind -t callgrind -O "$dir/out" -r \
		--manifest "$dir/manifest" "$dir/cuts" || [ $? -eq 1 ]
	# Fails if there is neither an error nor a warning.
	sed 1d "$dir/manifest" >"$dir/lines"
	[ "$(wc -l <"$dir/lines")" -eq "$(ls "$dir/cuts" | wc -l)" ]
	[ -z "$(grep -v '"status":"failed".*"error":"\|"warnings":\["' \
		"$dir/lines")" ]
	[ "$(find "$dir/out" -type f | wc -l)" -eq \
		"$(grep -c '"status":"done"' "$dir/lines")" ]
}

@test "callgrind: errors have a location and say what was expected" {
	printf 'fn=a\n1 5\n' |
		refused "2:1: error: expected 'events:' before the first cost line"
	printf 'events: Ir\nfn=a\n1 99999999999999999999\n' |
		refused "3:3: error: expected a number of at most 64 bits"
	printf 'events: Ir\nfn=a\ncalls=1 1\n1 5\n' |
		refused "3:7: error: expected 'cfn=' before 'calls='"
	printf 'events: Ir\nfn=a\ncfn=b\ncalls=x\n1 5\n' |
		refused "4:7: error: expected 'calls=COUNT TARGET'"
	printf 'events: Ir\nfn=a\ncfn=b\ncalls=1 1\nfn=b\n' |
		refused "5:1: error: expected the cost line of 'calls='"
	printf 'events: Ir\nfn=a\njump=1 1\n' |
		refused "3: error: expected a cost line, but the file ends"
	printf 'events: Ir\nfn=a\njcnd=1 \n1\n' |
		refused "3:6: error: expected 'jcnd=FOLLOWED/EXECUTED TARGET'"
	printf 'events:\nfn=a\n1\n' |
		refused "1:8: error: expected names of events"
	printf 'events: Ir\nfn=a\n+ 5\n' |
		refused "3:1: error: expected each position to be a number"
	printf 'events: Ir\nfn=a\n5 1\n+18446744073709551615 1\n' |
		refused "4:2: error: expected a position of at most 64 bits"
	printf 'events: I\001r\nfn=a\n5 1\n' |
		refused "1:9: error: expected an event name without blanks"
	# Each error is reported once.
	for line in calls=N jump=N jcnd=N/1 jcnd=1/N 'jump=1 N' 'N 1' '+N 1' \
		'1 N'; do
		printf 'events: Ir\nfn=a\ncfn=b\n%s\n1 5\n' \
			"${line/N/99999999999999999999}" >"$dir/in.cg"
		refuses 1 "expected a number of at most 64 bits" "$dir/in.cg"
		[ "$(wc -l <"$dir/refuses.err")" -eq 1 ]
	done
}

@test "callgrind: rejects sums beyond 64 bits" {
	printf 'events: Ir\nfn=a\n1 18446744073709551615\n2 2\n' |
		refused "4:1: error: the sum of costs exceeds 64 bits"
	printf '%s\n' 'events: Ir' fn=a cfn=b 'calls=18446744073709551615 1' \
		'1 1' 'calls=1 1' '1 1' >"$dir/in.cg"
	refuses 1 "calls of a function exceeds 64 bits" -o "$dir/out" \
		"$dir/in.cg"
	[ ! -e "$dir/out" ]
	for to in csv dot graphml; do
		refuses 1 "calls of a function exceeds 64 bits" \
			-t "$to" -o "$dir/out" "$dir/in.cg"
		not grep "out of memory" "$dir/refuses.err"
	done
}

# ---- For KCachegrind ----------------------------------------------------------

@test "callgrind: a cycle gets a root whose name sorts first" {
	has 'total\tIr\t105' <<-'END'
		events: Ir
		fl=x.c
		fn=zmain
		1 5
		cfn=a
		calls=1 0
		1 100
		fn=a
		7 60
		cfn=b
		calls=3 0
		7 90
		fn=b
		8 40
		cfn=a
		calls=2 0
		8 70
	END
	grep -A4 -F '(<spontaneous>)' "$dir/out.cg" | grep -qx '0 105'
	grep -q '^desc: Root: ' "$dir/out.cg"
	"$CGCONV" -o "$dir/two" --no-spontaneous "$dir/out.cg"
	not grep -F '(<spontaneous>)' "$dir/two"
	facts "$dir/two" | grep -v Root | same - "$dir/facts"
}

# A cycle a, b that NAME calls. KCachegrind's search begins at the name that
# sorts first: at a it misses the cycle, at main it does not.
cycle_of() {
	printf '%s\n' 'events: Ir' "fn=$1" '1 5' "cfn=$2" 'calls=1 0' '1 100' \
		"fn=$2" '7 60' "cfn=$3" 'calls=3 0' '7 90' \
		"fn=$3" '8 40' "cfn=$2" 'calls=2 0' '8 70' >"$dir/in"
	"$CGCONV" -f callgrind "$dir/in" -o "$dir/out"
}

@test "callgrind: only a cycle that KCachegrind would miss gets a root" {
	cycle_of main n o
	not grep -F '(<spontaneous>)' "$dir/out"
	not grep '^desc: Root' "$dir/out"
	cycle_of main a o
	grep -F '(<spontaneous>)' "$dir/out"
	cycle_of main o a
	grep -F '(<spontaneous>)' "$dir/out"
	cycle_of '$main' '(<a' '(<b' # sorts before "(<spontaneous>)"
	not grep -F '(<spontaneous>)' "$dir/out"
	# A name is compared together with the base names of file and object.
	printf '%s\n' 'events: Ir' fl=/x/c fn=n '1 5' cfi=/a/b cfn=n \
		'calls=1 0' '1 9' fl=/a/b fn=n '7 6' cfn=o 'calls=3 0' '7 9' \
		fl=/a/b fn=o '8 4' cfn=n 'calls=2 0' '8 7' >"$dir/in"
	"$CGCONV" -f callgrind "$dir/in" -o "$dir/out"
	grep -F '(<spontaneous>)' "$dir/out"
	sed 's,/x/c,/x/a,; s,=/a/b,=/a/c,' "$dir/in" >"$dir/in2"
	"$CGCONV" -f callgrind "$dir/in2" -o "$dir/out"
	not grep -F '(<spontaneous>)' "$dir/out"
}

@test "callgrind: without a cycle there is no root" {
	printf '%s\n' 'events: Ir' fn=a cfn=b 'calls=1 1' '1 5' cfn=a \
		'calls=1 1' '1 5' fn=b '1 5' >"$dir/in"
	"$CGCONV" -f callgrind "$dir/in" -o "$dir/out"
	not grep -F '(<spontaneous>)' "$dir/out"
}

# clone is called in the first file and begins the second, as with
# --separate-threads: its calls alone have 6 of its 6 + 47.
@test "callgrind: sums keep the inclusive cost of what began an input" {
	printf '%s\n' 'events: Ir Dr' fn=main '1 10 1' cfn=clone 'calls=2 1' \
		'2 6 2' fn=clone '1 6 2' >"$dir/one.cg"
	printf '%s\n' 'events: Ir Dr' fn=clone '1 7 1' cfn=work 'calls=1 1' \
		'2 40 4' fn=work '1 40 4' >"$dir/two.cg"
	"$CGCONV" -q -o "$dir/out.cg" "$dir/one.cg" "$dir/two.cg"
	sed -n '/(<spontaneous>)/,/^$/p' "$dir/out.cg" | tail -n +2 |
		same - <(printf '%s\n' 'cfn=(2) clone' 'calls=0 0' '0 47 5' '')
	# The same in any order, in two steps, and in parallel.
	"$CGCONV" -q -o "$dir/x.cg" "$dir/two.cg" "$dir/one.cg"
	same "$dir/out.cg" "$dir/x.cg"
	"$CGCONV" -q -o "$dir/x.cg" "$dir/out.cg" && same "$dir/out.cg" "$dir/x.cg"
	"$CGCONV" -q -j2 -o "$dir/x.cg" "$dir/one.cg" "$dir/two.cg"
	same "$dir/out.cg" "$dir/x.cg"
	"$CGCONV" -q -o "$dir/x.cg" "$dir/out.cg" "$dir/one.cg" "$dir/two.cg"
	sed -n '/(<spontaneous>)/,/^$/p' "$dir/x.cg" | grep -qx '0 94 10'
	# One file alone, and functions that no file calls, stay as they are.
	"$CGCONV" -q -o "$dir/x.cg" "$dir/two.cg" "$dir/two.cg"
	not grep -F '(<spontaneous>)' "$dir/x.cg"
	sed 's/2 6 2/2 5 1/' "$dir/one.cg" >"$dir/low.cg"
	"$CGCONV" -q -o "$dir/x.cg" "$dir/low.cg"
	not grep -F '(<spontaneous>)' "$dir/x.cg"
}

# KCachegrind takes the inclusive cost of a called function from its calls.
@test "callgrind: called functions of coverage have their self cost" {
	printf '%s\n' TN: SF:/x/a.c FN:1,main FN:5,f FN:9,never FNDA:1,main \
		FNDA:3,f FNDA:0,never DA:1,1 DA:2,7 DA:5,3 DA:6,30 DA:9,0 \
		end_of_record >"$dir/in.info"
	"$CGCONV" -q -t callgrind --no-compress-strings \
		--no-compress-pos "$dir/in.info" >"$dir/out"
	grep -A2 'cfn=main$' "$dir/out" | tr '\n' ' ' |
		grep -q 'calls=1 1 0 8 $'
	grep -A2 'cfn=f$' "$dir/out" | tr '\n' ' ' | grep -q 'calls=3 5 0 33 '
	# Reading it again changes nothing.
	"$CGCONV" -q -f callgrind -t callgrind --no-compress-strings \
		--no-compress-pos "$dir/out" | same "$dir/out" -
}

@test "callgrind: escapes line breaks and NULs in names" {
	printf '%s\n' '{"cgconv":"graph","version":1}' '["event",0,"Ir"]' \
		'["function",1,"evil\nfn=x\u0000y\r",0,0]' '["rows",1]' \
		'["cost",0,1,0,[5]]' '["end"]' >"$dir/in.cgj"
	"$CGCONV" -t callgrind "$dir/in.cgj" >"$dir/out" 2>"$dir/err"
	grep -qxF 'fn=(1) evil\nfn=x\0y\r' "$dir/out"
	warns "line breaks and NULs in names are written"
}

@test "callgrind: header keys have the order that readers expect" {
	printf '%s\n' 'events: Ir' 'positions: line' 'event: Ir : long' \
		'desc: x: y' 'cmd: c' 'thread: 2' 'part: 1' 'pid: 9' fn=a \
		'1 5' >"$dir/in"
	"$CGCONV" -f callgrind "$dir/in" -t callgrind | sed '/^$/,$d' |
		sed 's/:.*//' | tr '\n' ' ' |
		grep -qx '# callgrind format version creator pid cmd part thread desc positions event events summary '
}

@test "callgrind: --no-dump-instr sums the addresses of a line" {
	printf '%s\n' 'positions: instr line' 'events: Ir' fn=a '0x1 1 5' \
		'0x2 1 6' '0x3 2 7' >"$dir/in"
	"$CGCONV" -f callgrind --no-dump-instr "$dir/in" -o "$dir/out"
	facts "$dir/out" | grep -P '^self\t' |
		same - <(printf 'self\t1\t???\t???\ta\t???\t%d\t0x0\tIr=%d\n' \
			1 11 2 7)
}

# ---- Large and deep ------------------------------------------------------------

@test "callgrind: reads a chain of 200,000 calls, a function of 100,000 callees" {
	perl -e '
		print "events: Ir\nfl=x\n";
		for $i (1 .. 200000) {
			print "fn=($i) c$i\n1 1\n";
			printf "cfn=(%d) c%d\ncalls=1 1\n1 1\n", $i + 1, $i + 1
				if $i < 200000;
		}
		print "fn=(300000) wide\n";
		for $i (1 .. 100000) {
			printf "cfn=(%d) w%d\ncalls=1 1\n1 1\n", 300000 + $i, $i;
		}
		print "cfn=(300001)\ncalls=1 1\n2 0\nfn=(300001)\n",
			"cfn=(300000)\ncalls=1 1\n1 1\n"' >"$dir/in"
	"$CGCONV" -f callgrind "$dir/in" -o "$dir/out"
	[ "$(grep -c ^calls= "$dir/out")" -gt 300000 ]
	"$CGCONV" --info "$dir/out" | grep -q 200,000
}

@test "callgrind: reads 20,000 parts with a cycle" {
	perl -e '
		for $i (1 .. 20000) {
			print "part: $i\nevents: Ir\nfn=f\n1 1\ncfn=g\n",
				"calls=1 1\n1 1\nfn=g\n1 1\ncfn=f\n",
				"calls=1 1\n1 1\n";
		}' >"$dir/in"
	"$CGCONV" -f callgrind "$dir/in" -o "$dir/out"
	[ "$(grep -c '^cfn=(2)$' "$dir/out")" -ge 20000 ]
}

@test "callgrind: reads 3,000 parts" {
	perl -e '
		for $i (1 .. 3000) {
			print "part: $i\nevents: Ir\nfl=x\n";
			printf "fn=f%d\n1 1\n", $_ for 1 .. 5;
			print "totals: 5\n";
		}' >"$dir/in"
	"$CGCONV" -f callgrind "$dir/in" -o "$dir/out"
	[ "$(grep -c '^totals: 5$' "$dir/out")" -eq 3000 ]
	"$CGCONV" -o "$dir/two" "$dir/out"
	same "$dir/out" "$dir/two"
}

@test "callgrind: a text that quotes a profile is not taken for one" {
	printf '<pre>\nevents: Ir\nfl=a.c\nfn=main\n1 1\n</pre>\n' >"$dir/in"
	"$CGCONV" --detect "$dir/in" | grep '	-	-	0$'
	printf '\n# by hand\n\nevents: Ir\nfl=a.c\nfn=main\n1 1\n' >"$dir/in"
	"$CGCONV" --detect "$dir/in" | grep '	callgrind	'
}

@test "callgrind: says that inclusive costs without calls are lost" {
	"$CGCONV" -t callgrind -o "$dir/out" \
		samples/gprofng/functions/grab.gprofng 2>"$dir/err"
	grep -q 'warning: inclusive costs of 5 functions are lost: the input states no calls' \
		"$dir/err"
	"$CGCONV" -t callgrind -o "$dir/out" samples/eprof/total/work.eprof 2>"$dir/err"
	[ ! -s "$dir/err" ]
}
