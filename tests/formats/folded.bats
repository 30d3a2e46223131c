# folded.bats - folded stacks.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# folded LINE...: a file of these lines.
folded()
{
	printf '%s\n' "$@" >"$dir/in.folded"
}

# becomes LINE...: the input is converted to these lines.
becomes()
{
	"$CGCONV" -t folded "$dir/in.folded" >"$dir/out" 2>"$dir/err"
	printf '%s\n' "$@" >"$dir/want"
	same "$dir/want" "$dir/out"
	# Losses are reported.
	not grep -v 'folded cannot represent: ' "$dir/err"
}

# stays LINE...: these lines are converted to themselves.
stays()
{
	folded "$@"
	becomes "$@"
}

# Prints the matching lines of JSON without ids.
json()
{
	"$CGCONV" -q -t json "$dir/in.folded" "$@"
}

@test "folded: samples match the golden files" {
	for file in $(samples folded); do
		golden "$file" folded
	done
}

@test "folded: a recursive function is counted once per stack" {
	folded 'main;a;b;a;c 5' 'main;a 5'
	"$CGCONV" -q -t callgrind --no-spontaneous --separate-recs=1 \
		"$dir/in.folded" >"$dir/out"
	perl tests/oracle/callgrind.pl "$dir/out" >"$dir/sums"
	awk -F '\t' '$1 == "call" { sub("samples=", "", $NF)
		print $5, $12, $NF }' "$dir/sums" >"$dir/calls"
	printf '%s\n' 'a b 5' 'a c 5' 'b a 5' 'main a 10' >"$dir/want"
	same "$dir/want" "$dir/calls"
	awk -F '\t' '$1 == "self" { print $5, $NF }' "$dir/sums" >"$dir/self"
	printf '%s\n' 'a samples=5' 'c samples=5' >"$dir/want"
	same "$dir/want" "$dir/self"
	"$CGCONV" -t folded "$dir/in.folded" | grep -qx 'main;a;b;a;c 5'
}

@test "folded: writes stacks sorted and merged, whatever their order" {
	folded 'b 1' 'a;c;d 2' 'a;b 3' 'a;c;d 4' 'a 5'
	becomes 'a 5' 'a;b 3' 'a;c;d 6' 'b 1'
}

@test "folded: lines may end in blanks or CR LF, be empty or comments" {
	printf '# austin: 3.3.0\n\n  \na;b 1 \r\na;b 2\t\n# interval: 100\n' \
		>"$dir/in.folded"
	becomes 'a;b 3'
	json | grep -qx '\["desc","austin","3.3.0"\]'
	json | grep -qx '\["desc","interval","100"\]'
	# This line is a stack, not a comment.
	stays '#1;a 5'
}

@test "folded: reads UTF-16 and byte order marks" {
	folded 'a;ä;𝄞 1' 'a 2'
	cp "$dir/in.folded" "$dir/plain"
	for code in UTF-16LE UTF-16BE UTF-8; do
		{ printf '\357\273\277' && cat "$dir/plain"; } |
			iconv -f UTF-8 -t "$code" >"$dir/in.folded"
		becomes 'a 2' 'a;ä;𝄞 1'
	done
	gzip <"$dir/in.folded" | "$CGCONV" --detect - | grep -P \
		'\tfolded\tgzip utf-8-bom\t'
	{ printf '\377\376' && printf 'a 1\n' | iconv -t UTF-16LE; } |
		head -c 9 >"$dir/in.folded"
	refuses 1 "ends within a character" -f folded "$dir/in.folded"
}

@test "folded: an unpaired UTF-16 surrogate becomes U+FFFD" {
	printf '\377\376a\0;\0\0\330b\0 \0001\0\n\0' >"$dir/in.folded"
	becomes 'a;�b 1'
	printf '\377\376a\0;\0b\0 \0001\0\n\0\0\330' >"$dir/in.folded"
	"$CGCONV" -f folded -t folded "$dir/in.folded" 2>"$dir/err" >"$dir/out"
	grep -q 'in.folded:2: warning: ' "$dir/err"
}

@test "folded: keeps fractions of up to six digits" {
	stays 'a 6.25' 'b 31.0' 'c 0.000001'
	stays 'd 18446744073709.0'
	folded 'a 6.' 'a 1.5' 'b 2'
	becomes 'a 7.5' 'b 2.0'
	folded 'a 0.9999999'
	"$CGCONV" -t folded "$dir/in.folded" 2>"$dir/err" |
		grep -qx 'a 0.999999'
	grep -q 'in.folded:1:2: warning: digits after the 6th decimal' "$dir/err"
	folded 'a 18446744073710.0'
	refuses 1 "sum fits into 64 bits" "$dir/in.folded" --from folded
}

@test "folded: reads counts up to 2^64-1, rejects larger ones" {
	stays 'a 18446744073709551615'
	json | grep -qx '\["total",\[18446744073709551615\]\]'
	folded 'a 18446744073709551615' 'a 1'
	refuses 1 "in.folded:2:2: error: expected counts whose sum fits" \
		-f folded "$dir/in.folded"
	folded 'a 18446744073709551616' 'b;c 1'
	"$CGCONV" -f folded -t folded "$dir/in.folded" 2>"$dir/err" |
		grep -qx "b;c 1"
	grep -q "in.folded:1:1: warning: expected 'frame;frame count'" \
		"$dir/err"
}

@test "folded: keeps negative counts if the target can represent them" {
	stays 'a -5' 'a;b 3'
	stays 'c -9223372036854775808'
	stays 'a -0.25' 'a;b 1.0'
	folded 'a;b 1.5' 'a;b -2.25' 'a;b -0.5'
	becomes 'a;b -1.25'
	folded 'a 9223372036854775808' 'b -1'
	refuses 1 "with signs" -f folded "$dir/in.folded"
	folded 'a;b -5'
	refuses 3 "negative costs" -t callgrind "$dir/in.folded"
}

@test "folded: reads two counts in all lines as before and after" {
	folded 'a;b 0 7' 'a;c 3 4'
	"$CGCONV" -q -t folded "$dir/in.folded" >"$dir/out"
	same "$dir/in.folded" "$dir/out"
	json | grep -q '"before"'
	"$CGCONV" -q -t folded --event after "$dir/in.folded" >"$dir/out"
	printf 'a;b 7\na;c 4\n' >"$dir/want"
	same "$dir/want" "$dir/out"
	# A number at the end of a name is not a first count.
	folded 'a;worker 7 12' 'a;b 1'
	"$CGCONV" -t json "$dir/in.folded" | grep -q '"worker 7"'
	folded 'a;worker 7 12'
	"$CGCONV" -t json --counts=1 "$dir/in.folded" | grep -q '"worker 7"'
	refuses 2 "--counts: expected 1 or 2" --counts=3 "$dir/in.folded"
	folded 'a;b 1 2' 'a;c 3'
	"$CGCONV" -q -t folded --counts=2 "$dir/in.folded" | grep -qx 'a;b 1 2'
}

@test "folded: reads names of columns from the first line" {
	folded 'samples/count cpu/nanoseconds' 'a;b 5 50000000' 'a 1 10000000'
	"$CGCONV" -q -t folded --event cpu "$dir/in.folded" >"$dir/out"
	printf 'a 10000000\na;b 50000000\n' >"$dir/want"
	same "$dir/want" "$dir/out"
	json | grep '"event"' >"$dir/out"
	printf '%s\n' '["event",0,"samples","","","stated",false]' \
		'["event",1,"cpu","","nanoseconds","stated",false]' >"$dir/want"
	same "$dir/want" "$dir/out"
	"$CGCONV" -t folded "$dir/in.folded" 2>&1 >"$dir/out" |
		grep 'note: event samples of [0-9]* written; choose with --event'
	# The first event with costs is the default.
	folded 'samples/count cpu/nanoseconds' 'a;b 0 50000000'
	"$CGCONV" -q -f folded -t folded "$dir/in.folded" |
		grep -qx 'a;b 50000000'
	"$CGCONV" -q -f folded -t folded --event samples "$dir/in.folded" \
		>"$dir/out"
	not grep . "$dir/out"
	folded 'samples/count cpu/nanoseconds' 'a;b 5 50000000' 'a 1 10000000'
	refuses 2 "event of the input (see --info), not 'frob'" -t folded --event frob \
		"$dir/in.folded"
	# One stack below the header is enough to detect the format.
	folded 'samples/count cpu/nanoseconds' 'a;b 5 50000000'
	"$CGCONV" --detect - <"$dir/in.folded" | grep -P '\tfolded\t'
	# A stack is never a header, whatever its names contain.
	folded 'a/b;c 5'
	json | grep -qF '["event",0,"samples","","","stated",false]'
}

@test "folded: detects the format despite lines that begin with #" {
	folded '#austin' 'a;b 5'
	"$CGCONV" --detect - <"$dir/in.folded" | grep -P '\tfolded\t'
	# Nor is a malformed line, if the suffix selects the format.
	folded 'stack count' 'a;b 5'
	"$CGCONV" --detect "$dir/in.folded" | grep -P '\tfolded\t'
	refuses 1 "unknown input format" - \
		<"$dir/in.folded"
	folded '#!/bin/sh' 'true; sleep 5'
	refuses 1 "unknown input format" - \
		<"$dir/in.folded"
}

@test "folded: reads annotations of kernel, compiled and inlined code" {
	stays 'a;b_[i];c_[k] 1' 'a;d_[j] 2' 'a;d_[w] 3'
	json | grep -q '"object",2,"\[kernel\]"'
	json | grep -q '"object",1,"\[jit\]"'
	json | grep -q '^\["frame".*,true\]'
	"$CGCONV" -t folded --no-annotate "$dir/in.folded" 2>"$dir/err" \
		>"$dir/out"
	printf '%s\n' 'a;b;c 1' 'a;d 2' 'a;d_[w] 3' >"$dir/want"
	same "$dir/want" "$dir/out"
}

# austin MODE LINE...: a file of Austin's.
austin()
{
	local mode=$1

	shift
	folded '# austin: 3.6.0' "# mode: $mode" '' "$@" '# duration: 9'
}

@test "folded: of Austin the process, the thread, files, lines and times are read" {
	austin wall 'P42;T0x7f;foo.py:<module>:14;foo.py:main:9;C:\x.py:work:3 100' \
		'P42;T0x7f;foo.py:<module>:14;foo.py:main:10 99' \
		'P42;T0:12;foo.py:<module>:14;foo.py:main:10 1' 'P42;T0:13 7' \
		'P42;T0:13;foo.py:<module>:14;:GC: 7'
	[ "$("$CGCONV" --detect - <"$dir/in.folded" | cut -f 2)" = folded ]
	json | grep -xF '["event",0,"wall","Wall time","us","stated",false]'
	json --part-by tid | grep '^\["part"' |
		says '["part",42,127,0,""]' '["part",42,12,0,""]' \
		'["part",42,13,0,""]'
	json | grep -F '"C:\\x.py"]'
	json | grep -x '\["frame",.*,1,3,0\]' # line 3 of file 1
	"$CGCONV" -q -t folded "$dir/in.folded" | says '<module>;:GC: 7' \
		'<module>;main 100' '<module>;main;work 100' '[unknown] 7'
	# A line is a sample, not as many as it has microseconds.
	"$CGCONV" -q -t tsv "$dir/in.folded" | grep -P '\tmain\t3\t100\t200$'
	austin cpu 'P42;T0x7f;foo.py:main:9 5'
	json | grep -xF '["event",0,"cpu","CPU time","us","stated",false]'
	"$CGCONV" -q -t folded --frames name "$dir/in.folded" |
		says 'P42;T0x7f;foo.py:main:9 5'
}

@test "folded: of Austin memory is gained or freed; --full has all columns" {
	austin memory 'P1;T1;a.py:f:1 4096' 'P1;T1;a.py:f:1 -100' \
		'P1;T1;a.py:g:2 -1'
	"$CGCONV" -q -t tsv "$dir/in.folded" | cut -f 3,5,6 |
		says "$(printf 'function\tgained\tfreed')" \
			"$(printf 'f\t4096\t100')" "$(printf 'g\t0\t1')"
	austin full 'P1;T1;a.py:f:1 100,0,4096' 'P1;T1;a.py:f:1 50,1,-30' \
		'P1;T1;a.py:g:2 7,1,0'
	[ "$("$CGCONV" --detect - <"$dir/in.folded" | cut -f 2)" = folded ]
	"$CGCONV" -q -t tsv "$dir/in.folded" | cut -f 3,5-8 |
		says "$(printf 'function\twall\tcpu\tgained\tfreed')" \
		"$(printf 'f\t150\t100\t4096\t30')" "$(printf 'g\t7\t0\t0\t0')"
	# Other stacks are not Austin's.
	folded 'P1;T1;a.py:f:1 5' 'main;f 6'
	becomes 'P1;T1;a.py:f:1 5' 'main;f 6'
}

@test "folded: reads frames with file and line, as py-spy writes them" {
	folded '<module> (app.py:12);f (lib/x.py:7);f (lib/x.py:9) 3' \
		'<module> (app.py:12);g (a:b) 1'
	"$CGCONV" -q -t callgrind --frames=line "$dir/in.folded" >"$dir/out"
	grep -q '^c\?f[il]=.*lib/x.py$' "$dir/out"
	grep -qx '9 3' "$dir/out"
	grep -q '^c\?fn=.* g (a:b)$' "$dir/out"
	becomes '<module> (app.py:12);f (lib/x.py:7);f (lib/x.py:9) 3' \
		'<module> (app.py:12);g (a:b) 1'
	refuses 2 "--frames: expected name or line" --frames=frob "$dir/in.folded"
}

@test "folded: --event names the event" {
	folded 'a;b 5'
	json --event cycles | grep -q '"event",0,"cycles"'
	json | grep -q '"event",0,"samples"'
}

@test "folded: escapes names that would break a line" {
	cat >"$dir/in.cgj" <<-'END'
	{"cgconv":"graph","version":1,"minor":0}
	["event",0,"samples","","","stated",false]
	["object",1,"/usr/lib/libc.so.6"]
	["object",2,"[kernel.kallsyms]"]
	["function",1,"a;b\nc",0,0]
	["function",2,"# worker 7 ",0,0]
	["function",3,"[unknown]",0,1]
	["function",4,"[unknown]",0,2]
	["function",5,"",0,1]
	["frame",1,0,2,0,0,0]
	["frame",2,1,1,0,0,0]
	["frame",3,1,3,0,0,0]
	["frame",4,1,4,0,0,0]
	["frame",5,1,5,0,0,0]
	["part",0,0,0,""]
	["stack",1,1,[1]]
	["stack",2,1,[2]]
	["stack",3,1,[4]]
	["stack",4,1,[8]]
	["stack",5,1,[16]]
	["end"]
	END
	"$CGCONV" -q -t folded "$dir/in.cgj" >"$dir/in.folded"
	becomes '_ worker_7 1' '_ worker_7;[libc.so.6] 20' \
		'_ worker_7;[unknown]_[k] 8' '_ worker_7;a:b c 2'
}

@test "folded: skips a line without a count with a warning" {
	folded 'a;b 1' 'THIS IS NO STACK' 'a 2'
	"$CGCONV" -t folded "$dir/in.folded" 2>"$dir/err" >"$dir/out"
	printf 'a 2\na;b 1\n' >"$dir/want"
	same "$dir/want" "$dir/out"
	grep -q "in.folded:2:1: warning: expected 'frame;frame count'; the" \
		"$dir/err"
	printf 'no stack\n' >"$dir/in.folded"
	refuses 1 "expected 'frame;frame count'" -f folded "$dir/in.folded"
	folded 'a;b 1' ' 5'
	refuses 1 "in.folded:2:1: error: expected frames before the count" \
		-f folded "$dir/in.folded"
}

@test "folded: warns of a truncated last line" {
	printf 'a;b 1\na;c 2' >"$dir/in.folded"
	"$CGCONV" -t folded "$dir/in.folded" 2>"$dir/err" | grep -qx 'a;c 2'
	grep -q "in.folded:2: warning: expected a newline at the end" \
		"$dir/err"
}

@test "folded: reads stacks of any depth, frames of any length" {
	perl -e 'print "f;" x 300000, "g 1\n", "x" x 3000000, ";y 2\n"' \
		>"$dir/in.folded"
	"$CGCONV" -t folded "$dir/in.folded" >"$dir/out"
	same "$dir/in.folded" "$dir/out"
}

@test "folded: does not detect similar text" {
	printf 'total 7\nnames are no stack\nnames 12\n' >"$dir/text"
	refuses 1 "unknown input format" "$dir/text"
	printf 'total 7\nnames 12\n' >"$dir/text.folded"
	"$CGCONV" --detect "$dir/text.folded" | grep -P '\tfolded\t'
	printf '\tmain;a 7\n' >"$dir/text"
	refuses 1 "unknown input format" "$dir/text"
}

@test "folded: merges several inputs" {
	folded 'a;b 1' 'c 2'
	cp "$dir/in.folded" "$dir/two.folded"
	"$CGCONV" -t folded "$dir/in.folded" "$dir/two.folded" >"$dir/out"
	printf 'a;b 2\nc 4\n' >"$dir/want"
	same "$dir/want" "$dir/out"
}

@test "folded: rejects a profile without stacks" {
	refuses 3 "folded needs stacks; the input has none" -t folded \
		samples/callgrind/plain/callgrind.out
}

@test "folded: rejects a profile without events" {
	printf '\022\000' >"$dir/in.pprof" # a sample, no sample types
	refuses 3 "folded needs an event; the input has none" -f pprof -t folded \
		"$dir/in.pprof"
	refuses 3 "callgrind needs an event; the input has none" -f pprof \
		-t callgrind "$dir/in.pprof"
	refuses 3 "speedscope needs costs; the input has none" -f pprof \
		-t speedscope "$dir/in.pprof"
}

@test "folded: a name of blanks and controls becomes [unknown]" {
	printf '# austin: 1.3.16\nmain;\0\0\0\0;f 1\n' >"$dir/in.folded"
	[ "$("$CGCONV" -q -f folded -t folded "$dir/in.folded")" = \
		"main;[unknown];f 1" ]
}

@test "folded: merges comments that are equal up to a NUL" {
	printf 'main 5\n# a: b\0c\n# a: b\0d\n' >"$dir/in.folded"
	[ "$("$CGCONV" -q -f folded -t json "$dir/in.folded" |
		grep -c '^."desc","a","b".$')" -eq 1 ]
}

@test "folded: other text is not taken for stacks" {
	for text in 'exit 0' 'rc 0\nrc 1' '2.1e+14 240 500\n1 2 3\n4 5 6\n7 8 9' \
		'processor 0\n\nnot a line\na 1\nb 2' 'A = 0\nB = 1\nC = 2' \
		'#define A 1\n#define B 2\n#define C 3' \
		'space 0\nA 65\nB 66\nC 67' 'a\tb\t1\nc\td\t2\ne\tf\t3' \
		'kernpairs\n; A 3\nV ; -74\nW ; 3'; do
		# shellcheck disable=SC2059 # lines are written \n
		printf "$text\n" >"$dir/text"
		"$CGCONV" --detect "$dir/text" | grep -q '	-	-	0$' || {
			cat "$dir/text"
			return 1
		}
	done
	printf 'main 3\n' >"$dir/x.folded"
	printf 'main;f 3\n' >"$dir/deep"
	printf 'main 3\nf 2\n0x401000 1\n' >"$dir/flat"
	for file in "$dir/x.folded" "$dir/deep" "$dir/flat"; do
		"$CGCONV" --detect "$file" | grep -q '	folded	'
	done
}

@test "folded: py-spy's files and lines are found if all frames have them" {
	local out=$BATS_TEST_TMPDIR/out

	printf '%s\n' 'main (app.py:10);work (app.py:3) 12' \
		'main (app.py:10);idle (app.py:5) 3' |
		"$CGCONV" -t callgrind - >"$out" 2>"$out.err"
	grep -q 'frames are "name (file:line)"' "$out.err"
	grep -qx 'fl=(1) app.py' "$out" && grep -qx '5 3' "$out"
	printf 'a;operator()(int) (file.cc:3) 5\nfoo(std::string);b 4\n' |
		"$CGCONV" -t callgrind - | grep -qF 'operator()(int) (file.cc:3)'
}
