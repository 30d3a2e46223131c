# hprof.bats - text of HPROF, the agent of the JDK up to 8.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
	cpu=samples/hprof/cpu/java.hprof
	sites=samples/hprof/sites/java.hprof
}

@test "hprof: samples become stacks; the last dump counts" {
	[ "$("$CGCONV" --detect $cpu | cut -f 2,4)" = 'hprof	100' ]
	"$CGCONV" -t folded --no-root-by $cpu | same - <(printf '%s\n' \
		'Lost.method 1' 'Main.load;Main.<init> 1' \
		'Main.load;java.io.FileInputStream.read;java.io.FileInputStream.readBytes 5' \
		'Main.run;sun.reflect.GeneratedMethod1.invoke 3')
	"$CGCONV" -q -t json $cpu >"$t/json"
	grep -F '"FileInputStream.java"' "$t/json"
	not grep -F 'Unknown' "$t/json"
	"$CGCONV" -q --part-by tid -t json $cpu >"$t/json"
	[ "$(grep -c '^\["part",' "$t/json")" -ge 2 ]
	"$CGCONV" -q --root-by tid -t folded $cpu | grep 'Main.run;sun.*invoke 3' |
		grep 200002
}

@test "hprof: sites, times with commas and monitors have events of their own" {
	"$CGCONV" -q -t folded --event alloc_space $sites |
		same - <(printf '%s\n' \
			'Main.grow;java.util.Arrays.copyOf;char[] 16000' \
			'Main.make;java.lang.String 2000')
	"$CGCONV" -q -t folded --event inuse_objects $sites |
		grep -x '.*char\[\] 100'
	"$CGCONV" -t folded --event ns $sites 2>"$t/err" |
		same - <(printf '%s\n' \
			'Main.grow;java.util.Arrays.copyOf 150500000' \
			'Main.make 49500000')
	grep 'note: times are percentages with two digits' "$t/err"
	"$CGCONV" -q -t folded --event contentions $sites | same - <(
		echo 'Main.make 3')
	"$CGCONV" -q -t folded --event delay $sites | same - <(
		echo 'Main.make 100000000')
	# Numbers of calls are those from the caller in the trace.
	"$CGCONV" -q -t csv --table calls $sites | grep 'Main.grow.*copyOf.*,7,'
}

@test "hprof: malformed and truncated files are told" {
	sed 's/50.00% 50.00%/50.00 50.00%/' $cpu >"$t/in"
	refuses 1 'expected a rank and two percentages' -t json "$t/in"
	sed 's/  5 300010/  x 300010/' $cpu >"$t/in"
	refuses 1 'expected a number' -t json "$t/in"
	sed 's/(total = 200)//' $sites >"$t/in"
	refuses 1 'expected "(total = "' -t json "$t/in"
	sed '/BEGIN/,$d' $cpu >"$t/in"
	refuses 1 'expected a section CPU SAMPLES' -t json "$t/in"
	sed '$d' $cpu >"$t/in"
	"$CGCONV" -t json "$t/in" 2>&1 >/dev/null | grep 'may be truncated'
}
