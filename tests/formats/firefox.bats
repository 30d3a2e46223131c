# firefox.bats - profiles of the Firefox Profiler. What its own importer makes of
# the samples, by unserializeProfileOfArbitraryFormat() of
# firefox-devtools/profiler, is written here by hand.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
	raw=samples/firefox/raw/gecko.json
	shared=samples/firefox/shared/processed.json
}

@test "firefox: addresses that a double cannot hold are dropped, with a warning" {
	"$CGCONV" -t firefox samples/dtrace/stacks/out.dtrace \
		-o "$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	grep -q 'warning: dropped the address of 1 frame: above 2^53 - 1' \
		"$BATS_TEST_TMPDIR/err"
	"$CGCONV" -q -f firefox -t json "$BATS_TEST_TMPDIR/out" >/dev/null
}

@test "firefox: reads raw profiles, with processes" {
	"$CGCONV" -q -t folded $raw | same - <(printf '%s\n' \
		'Firefox;(root);(root scope) http://localhost/a.js 1' \
		'Firefox;(root);0x7f0010;run 2' \
		'Firefox;(root);0x7f0010;run;run 1' \
		'Web_Content;(root);layout 2')
	"$CGCONV" -q -t json $raw >"$t/json"
	# Lines and columns of functions are theirs, those of frames of calls.
	grep -F '["function",4,"run",1,0,10,0,0,2,0]' "$t/json"
	grep -F '["object",1,"/usr/lib/firefox/libxul.so"]' "$t/json"
	# Each process has its own begin.
	grep '^."track",200,201,"GeckoMain","Web Content","ns",false,1700000000002500000' \
		"$t/json"
	"$CGCONV" -t json $raw 2>&1 >"$t/out" | same - <(printf '%s\n' \
		"$raw: note: samples without a stack: 1" \
		"$raw: note: markers are not converted: 1" \
		"$raw:31: warning: addresses without a name: 1; give /usr/lib/firefox/libxul.so with --exe")
}

@test "firefox: reads processed profiles, of shared tables" {
	"$CGCONV" -q -t folded $shared | same - <(printf '%s\n' \
		'app;main;work 3750000' 'app;main;work;inlined_[i] 3000000')
	"$CGCONV" -q -t json $shared >"$t/json"
	grep -F '["frame",3,2,3,2,33,4112,true]' "$t/json"
	grep -F '["frame",4,1,2,1,12,4128]' "$t/json"
	grep -F '["object",1,"/bin/app"]' "$t/json"
	"$CGCONV" -q -t folded --root-by tid $shared |
		same - <(printf '%s\n' 'tid=7;main;work 250000' \
			'tid=7;main;work;inlined_[i] 3000000' \
			'tid=8;main;work 3500000')
	# Tables of each thread, prefixes, and files in place of sources.
	perl -MJSON::PP -e 'local $/; my $p = decode_json(<STDIN>);
		my $s = delete $p->{shared};
		my $stack = $s->{stackTable};
		$stack->{prefix} = [map { my $o = $stack->{prefixOffset}[$_];
			$o ? $_ - $o : undef } 0 .. 3];
		delete $stack->{prefixOffset};
		delete $s->{frameTable}{lib};
		delete $s->{frameTable}{originalLocation};
		$s->{resourceTable}{lib} = [0];
		my $funcs = $s->{funcTable};
		$funcs->{fileName} = [4, 4, 5];
		delete $funcs->{source};
		for my $thread (@{$p->{threads}}) {
			$thread->{$_} = $s->{$_} for qw(stackTable frameTable
				funcTable resourceTable stringArray);
		}
		$p->{meta}{preprocessedProfileVersion} = 48;
		print encode_json($p)' <$shared >"$t/old.json"
	"$CGCONV" -q -t json "$t/old.json" |
		grep -v '^."end"' >"$t/got"
	sed 's/"frame",3,2,3,2,33/"frame",3,2,3,2,3/' "$t/json" |
		grep -v '^."end"' >"$t/want"
	same "$t/want" "$t/got"
}

@test "firefox: what is written is read as it was" {
	for file in $raw $shared samples/speedscope/*/*.json \
		samples/perf-script/*/*.perf samples/cpuprofile/*/*.cpuprofile; do
		"$CGCONV" -q -t firefox "$file" -o "$t/out.json"
		"$CGCONV" -q --verify "$file" "$t/out.json"
		"$CGCONV" -q -t firefox "$t/out.json" | same "$t/out.json" -
		"$CGCONV" -q -t json "$file" | "$CGCONV" -q -t firefox |
			same "$t/out.json" -
		perl -MJSON::PP -e 'local $/; decode_json(<STDIN>)' \
			<"$t/out.json"
	done
	# Times and the order of samples, too.
	"$CGCONV" -q -t firefox $raw -o "$t/out.json"
	for file in $raw "$t/out.json"; do
		"$CGCONV" -q -t json "$file" | grep -e '"track"' -e '"moment"'
	done >"$t/both"
	[ "$(sort "$t/both" | uniq -c | awk '$1 % 2' | wc -l)" -eq 0 ]
}

@test "firefox: threads of other profilers" {
	printf 'p 1/%d 1.%d: 3 cycles: \n\t1 f%d (/x)\n\n' 1 0 1 2 1 1 1 2 2 \
		>"$t/in.perf"
	"$CGCONV" -q -t firefox "$t/in.perf" >"$t/out.json"
	grep -c '"processType":"default"' "$t/out.json" | grep -x 2
	"$CGCONV" -q -t folded --root-by tid "$t/out.json" |
		same - <(printf '%s\n' 'tid=1;f1 3' 'tid=1;f2 3' 'tid=2;f1 3')
	echo 'a;b 3' | "$CGCONV" -q -f folded -t firefox |
		"$CGCONV" -q -t folded | grep -x 'a;b 3'
	# Costs without times are no timeline.
	printf 'a;b 3\n' >"$t/in.folded"
	"$CGCONV" -t firefox --event samples "$t/in.perf" "$t/in.folded" 2>&1 >"$t/out.json" |
		grep 'warning: not all costs have times'
}

@test "firefox: rejects malformed files" {
	sed 's/"prefixOffset":\[0,1,2,2\]/"prefix":[null,3,0,1]/' $shared \
		>"$t/x.json"
	refuses 1 'expected a prefix of stack 1 that precedes it' -t json "$t/x.json"
	sed 's/"stack":\[3,1,3,null\]/"stack":[3,1,4,null]/' $shared >"$t/x.json"
	refuses 1 'expected a stack of sample 2 that is in the stackTable' \
		-t json "$t/x.json"
	# Rows that are not there are unknown.
	sed 's/"func":\[0,1,1,2\]/"func":[0,1,1,9]/; s/"lib":\[0,0/"lib":[5,-7/' \
		$shared >"$t/x.json"
	"$CGCONV" -q -t folded "$t/x.json" | grep -F 'app;main;work;[app]'
}

@test "firefox: a column may have numbers of more than 32 bits, and null" {
	"$CGCONV" -q -t folded - <<-'EOF' | same - <(printf '%s\n' \
		'a 2000001' 'a;b 5000000000000000')
		{"meta":{"interval":1,"preprocessedProfileVersion":48},"threads":[{
		"stringArray":["a","b"],"funcTable":{"name":[0,1]},
		"frameTable":{"func":[0,1]},
		"stackTable":{"frame":[0,1],"prefix":[null,0]},
		"samples":{"weightType":"tracing-ms","stack":[0,null,1,0],
		"weight":[1.000001,1,5000000000,null],"time":[1,2,3,5000000003]}}]}
		EOF
}

@test "firefox: addresses get names from --exe, or the library itself" {
	cat >"$t/p.c" <<-'E'
	__attribute__((noinline)) int work(int n) { volatile int s = n; return s; }
	int main(void) { return work(1); }
	E
	for flag in -pie -no-pie; do
		${CC:-cc} -O0 -fPIE $flag -Wl,--build-id -o "$t/prog" "$t/p.c"
		low=$(readelf -lW "$t/prog" | awk '$1 == "LOAD" { print $3; exit }')
		id=$(readelf -nW "$t/prog" | sed -n 's/.*Build ID: //p')
		at() { echo $((0x$(nm "$t/prog" | sed -n "s/ T $1$//p") - low + 4)); }
		profile()
		{
			cat <<-E
			{"meta":{"preprocessedProfileVersion":44,"interval":1,"product":"prog"},
			"libs":[{"name":"prog","path":"$1","codeId":"$2"}],"threads":[{"pid":"7",
			"tid":7,"name":"prog","samples":{"length":3,"stack":[1,1,0],"time":[0,1,2]},
			"stackTable":{"length":2,"prefix":[null,0],"frame":[0,1]},
			"frameTable":{"length":2,"address":[$(at main),$(at work)],"func":[0,1]},
			"funcTable":{"length":2,"name":[0,1],"resource":[0,0]},
			"resourceTable":{"length":1,"lib":[0],"name":[2],"type":[1]},
			"stringArray":["0x10","0x20","prog"]}]}
			E
		}
		profile /x/prog "$id" >"$t/s.json"
		"$CGCONV" --exe "$t/prog" -t folded "$t/s.json" 2>"$t/err" |
			same - <(printf '%s\n' 'prog;main 1' 'prog;main;work 2')
		not grep -q 'no names' "$t/err"
		"$CGCONV" -t folded "$t/s.json" 2>"$t/err" |
			same - <(printf '%s\n' 'prog;0x10 1' 'prog;0x10;0x20 2')
		grep -q 'addresses without a name: 2; give /x/prog with --exe' "$t/err"
		profile "$t/prog" "${id^^}" >"$t/s.json"
		"$CGCONV" -q -t folded "$t/s.json" | grep -qx 'prog;main;work 2'
		profile "$t/prog" 1234 >"$t/s.json"
		"$CGCONV" -t folded "$t/s.json" 2>"$t/err" |
			grep -qx 'prog;0x10;0x20 2'
		grep -q "prog is not used: its build-id is $id" "$t/err"
	done
}
