# detect.bats - which format an input is in: --detect, and conversions without -f.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# detects FORMAT FILE: no other format claims the file.
detects()
{
	local got

	got=$("$CGCONV" --detect "$2" | cut -f 2)
	[ "$got" = "$1" ] || {
		echo "expected $1, got $got of $2"
		return 1
	}
}

# many N FORMAT: FORMAT with the numbers from 1 to N, with commas between.
many()
{
	perl -e 'print join(",", map { my $i = $_; $ARGV[1] =~ s/%/$i/gr }
		1 .. $ARGV[0])' "$1" "$2"
}

@test "detect: JSON is recognised by keys behind long values" {
	local event='{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}'

	echo "{\"stackFrames\":{$(many 9000 '"%":{"name":"f%"}')},
		\"traceEvents\":[$event]}" >"$dir/frames.json"
	detects trace-event "$dir/frames.json"
	echo "{\"metadata\":\"$(many 30000 x%)\",\"traceEvents\":[$event]}" \
		>"$dir/text.json"
	detects trace-event "$dir/text.json"
	echo "[$(many 2000 '{"ph":"M","name":"thread_name","pid":%}'),
		$(many 3000 "$event")]" >"$dir/array.json"
	detects trace-event "$dir/array.json"
	gzip "$dir/array.json"
	detects trace-event "$dir/array.json.gz"
	echo "{\"shared\":{\"frames\":[$(many 9000 '{"name":"f%"}')]},
		\"profiles\":[{\"type\":\"sampled\",\"name\":\"\",
		\"unit\":\"none\",\"startValue\":0,\"endValue\":1,
		\"samples\":[[0]],\"weights\":[1]}],\"\$schema\":
		\"https://www.speedscope.app/file-format-schema.json\"}" \
		>"$dir/shared.json"
	detects speedscope "$dir/shared.json"
	[ "$("$CGCONV" -q -t folded "$dir/shared.json")" = "f1 1" ]
	[ "$("$CGCONV" -q -t folded - <"$dir/shared.json")" = "f1 1" ]
	echo "{\"frames\":{$(many 5000 '"%":{"name":"f%","samples":1}')},
		\"gc_samples\":0,\"interval\":1000,\"missed_samples\":0,
		\"mode\":\"wall\"}" >"$dir/sorted.json"
	detects stackprof "$dir/sorted.json"
}

@test "detect: more than 16 MiB of JSON are not looked at" {
	{ printf '{"a":"' && head -c 17000000 /dev/zero | tr '\0' a &&
		printf '","traceEvents":[]}'; } >"$dir/far.json"
	detects - "$dir/far.json"
}

# proto PERL: v() makes a varint, f() and n() fields with bytes or a number.
proto()
{
	perl -e 'sub v { my $n = shift; $n < 128 ? chr $n :
			chr($n & 127 | 128) . v($n >> 7) }
		sub f { my ($i, $x) = @_; v($i << 3 | 2) . v(length $x) . $x }
		sub n { my ($i, $x) = @_; v($i << 3) . v($x) }
		my @s = ("", "cpu", "ns", map { "function_$_" } 1 .. 9000);
		'"$1"
}

@test "detect: protocol buffers are recognised by fields behind long ones" {
	proto 'print f(2, join("", f(1, ""), f(2, ""), f(2, f(3, n(1, 1))),
			f(3, ""), f(3, n(1, 3)), f(4, ""),
			map({ f(5, $_) } @s), f(6, ""), f(7, ""),
			f(7, f(1, v(1))))),
		f(1, f(2, f(2, f(1, n(1, 1) . n(2, 2)) .
			f(2, n(1, 1) . f(4, v(7))))))' >"$dir/dictionary"
	detects otlp "$dir/dictionary"
	[ "$("$CGCONV" -q -t folded - <"$dir/dictionary")" = "function_1 7" ]
	proto 'print map({ f(6, $_) } @s), f(1, n(1, 1) . n(2, 2)),
		f(2, f(1, v(1)) . f(2, v(7))), f(4, n(1, 1) . f(4, n(1, 1))),
		f(5, n(1, 1) . n(2, 3))' >"$dir/strings"
	detects pprof "$dir/strings"
	[ "$("$CGCONV" -q -t folded "$dir/strings")" = "function_1 7" ]
}

# misleads TEXT: no format claims a file with the text.
misleads()
{
	printf '%s\n' "$1" >"$dir/text"
	detects - "$dir/text"
}

@test "detect: a text that has a profile inside is none" {
	local lcov=$'TN:\nSF:/src/a.c\nDA:1,1\nend_of_record'
	local coverage='<coverage line-rate="1"><packages/></coverage>'

	misleads "T = \"\"\"\\"$'\n'"$lcov"$'\n"""'
	misleads "% comment"$'\n'"$lcov"
	misleads "x = '''"$'\n'"<?xml version=\"1.0\"?>"$'\n'"$coverage'''"
	misleads "x = '''$coverage'''"
	misleads "x = '<report name=\"x\"><sessioninfo /></report>'"
	misleads "x = '<coverage generated=\"1\" clover=\"3\"><project/>'"
	misleads "T = '''"$'\n<valgrindoutput>\n'"'''"
	misleads '<html><trace-query-result><profile schemaversion="3.0">'
	misleads 'data = {"type": "llvm.coverage.json.export", "data": []}'
	misleads 'const s = "https://www.speedscope.app/file-format-schema.json"'
	misleads $'# Title\n\nFlat profile:\n\ngranularity: each sample hit covers 2'
	misleads $'# Title\n\nCall graph:\n    10 Thread_1\n    + 10 main'
	misleads $'# Title\n\nCOST CENTRE MODULE SRC no. entries %time %alloc'
	misleads $'package x\n\nconst dump = `\ngoroutine 1 [running]:\nmain()\n\t/a.go:5\n`\n'
	misleads $'# Title\n\n```\nmain;parse 42\nmain;eval 17\n```\nThen run it.\nSee.'
	misleads $'desc = "x"\ns = """desc: x\nsnapshot=0\n"""'
	misleads $'x = """\n        -:    0:Source:a.c\n"""'
	misleads $'10:00:00 INFO started 12\n10:00:01 WARN retry; n=3; wait 10'
	misleads $'int main(void)\n{\n\tint a = 5; int b = 6;\n\treturn 0;\n}'
}
