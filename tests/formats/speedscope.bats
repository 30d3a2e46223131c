# speedscope.bats - files of speedscope.app.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# file FRAMES PROFILE...: prints a file; FRAMES is a list of names.
file()
{
	local names=$1 IFS=,

	shift
	printf '{"$schema":"https://www.speedscope.app/file-format-schema.json",'
	printf '"profiles":[%s],"shared":{"frames":[' "$*"
	printf '%s' "$names" | sed 's/\([^ ][^ ]*\) */{"name":"\1"},/g; s/,$//'
	printf ']}}\n'
}

# turn FILE: prints what file() wrote with the frames before the profiles.
turn()
{
	tr '\n' ' ' <"$1" | sed -E \
		's/"profiles":(.*),"shared":(.*)\} *$/"shared":\2,"profiles":\1}/'
}

# becomes LINE...: the input converts to these folded stacks, and to the same
# graph with its frames before the profiles.
becomes()
{
	"$CGCONV" -q -t folded "$dir/in.json" >"$dir/out"
	printf '%s\n' "$@" >"$dir/want"
	same "$dir/want" "$dir/out"
	"$CGCONV" -q -t json "$dir/in.json" >"$dir/want"
	turn "$dir/in.json" | "$CGCONV" -q -t json >"$dir/out"
	same "$dir/want" "$dir/out"
}

# refused MESSAGE FRAMES PROFILE...
refused()
{
	local message=$1

	shift
	file "$@" >"$dir/bad.json"
	refuses 1 "$message" "$dir/bad.json"
	turn "$dir/bad.json" >"$dir/turned.json"
	refuses 1 "$message" "$dir/turned.json"
}

S='"type":"sampled","name":"x"'
E='"type":"evented","name":"x"'

@test "speedscope: samples match the golden files" {
	for file in $(samples speedscope); do
		golden "$file" json
		golden "$file" speedscope
	done
}

@test "speedscope: a recursive function is counted once per stack" {
	file "main a b c" "{$S,\"unit\":\"none\",\"samples\":[[0,1,2,1,3],[0,1]],\"weights\":[5,5]}" \
		>"$dir/in.json"
	becomes 'main;a 5' 'main;a;b;a;c 5'
	"$CGCONV" -q --info "$dir/in.json" |
		grep -qE ' 10 +100.00% +5 +50.00% +[0-9]+ +a'
	file "main a b c" "{$E,\"unit\":\"none\",\"events\":[
		{\"type\":\"O\",\"frame\":0,\"at\":2},{\"type\":\"O\",\"frame\":1,\"at\":2},
		{\"type\":\"O\",\"frame\":2,\"at\":2},{\"type\":\"O\",\"frame\":1,\"at\":2},
		{\"type\":\"O\",\"frame\":3,\"at\":2},{\"type\":\"C\",\"frame\":3,\"at\":7},
		{\"type\":\"C\",\"frame\":1,\"at\":7},{\"type\":\"C\",\"frame\":2,\"at\":7},
		{\"type\":\"C\",\"frame\":1,\"at\":12},{\"type\":\"C\",\"frame\":0,\"at\":12}]}" \
		>"$dir/in.json"
	becomes 'main;a 5' 'main;a;b;a;c 5'
}

@test "speedscope: folded stacks and perf's samples survive a round trip" {
	for file in samples/folded/collapsed/*.folded \
		samples/perf-script/fields/header.perf; do
		"$CGCONV" -q -t speedscope "$file" >"$dir/one"
		"$CGCONV" -q -t speedscope "$dir/one" >"$dir/two"
		same "$dir/one" "$dir/two"
		for to in folded; do
			"$CGCONV" -q -t "$to" --no-annotate "$file" |
				sed 's/ *\([;0-9]*\)$/\1/' >"$dir/want"
			"$CGCONV" -q -t "$to" "$dir/one" |
				sed 's/ *\([;0-9]*\)$/\1/' >"$dir/got"
			[ "$(awk '{ s += $NF } END { print s }' "$dir/want")" = \
				"$(awk '{ s += $NF } END { print s }' "$dir/got")" ]
		done
	done
}

@test "speedscope: events, units, parts and lines survive" {
	"$CGCONV" -q -t json --part-by tid samples/perf-script/fields/header.perf |
		"$CGCONV" -q -t speedscope -o "$dir/x.speedscope.json"
	"$CGCONV" -q -t json "$dir/x.speedscope.json" >"$dir/out"
	grep -qF '["event",0,"page-faults","","","stated",false]' "$dir/out"
	grep -qF '["event",1,"cpu-clock","","ns","stated",false]' "$dir/out"
	[ "$(grep -c '^\["part",0,[1-9][0-9]*,0,"stacks"\]' "$dir/out")" -eq 2 ]
	"$CGCONV" -q -t speedscope samples/perf-script/inlined/srcline.perf |
		"$CGCONV" -q -t json - | grep -q '"stacks.cc"'
}

@test "speedscope: times of any unit become whole nanoseconds" {
	for unit in "seconds 1500000000" "milliseconds 1500000" \
		"microseconds 1500" "nanoseconds 2"; do
		file "f" "{$S,\"samples\":[[0],[0],[0]],\"weights\":[1,5e-1,0],\"unit\":\"${unit% *}\"}" \
			>"$dir/in.json"
		becomes "f ${unit#* }"
		"$CGCONV" -q -t json "$dir/in.json" |
			grep -qF '["event",0,"time","","ns","stated",false]'
	done
	file "f" "{$S,\"unit\":\"bytes\",\"samples\":[[0]],\"weights\":[18446744073709551615]}" \
		>"$dir/in.json"
	becomes "f 18446744073709551615"
	file "f" "{$S,\"unit\":\"none\",\"samples\":[[0],[0]],\"weights\":[1.7e1,0.6]}" \
		>"$dir/in.json"
	"$CGCONV" -t folded "$dir/in.json" 2>&1 >"$dir/out" |
		grep "warning: fractions of weights are rounded"
	echo 'f 18' | same - "$dir/out"
}

@test "speedscope: reads numbers in any notation" {
	for n in "0.0000000015 1" "15e-10 1" "1.5E-9 1" "12e-30 0" "1e3 1000000000000" \
		"0.000000001000000000000000000000000000000000000000000000001 1" \
		"1.000000000e+0 1000000000"; do
		file "f" "{$S,\"unit\":\"seconds\",\"samples\":[[0]],\"weights\":[${n% *}]}" \
			>"$dir/in.json"
		becomes "f ${n#* }"
	done
}

@test "speedscope: accepts keys in any order" {
	cat >"$dir/in.json" <<-'END'
	{"profiles":[{"weights":[1,2],"samples":[[0,1],[0]],"unit":"none",
	"endValue":3,"name":"x","startValue":0,"type":"sampled"}],
	"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"line":7,"name":"a","file":"a.c"},{"name":"b"}]}}
	END
	becomes 'a 2' 'a;b 1'
}

@test "speedscope: gaps between frames have no cost" {
	file "a" "{$E,\"unit\":\"none\",\"events\":[
		{\"type\":\"O\",\"frame\":0,\"at\":100},{\"type\":\"C\",\"frame\":0,\"at\":103},
		{\"type\":\"O\",\"frame\":0,\"at\":200},{\"type\":\"C\",\"frame\":0,\"at\":204}]}" \
		>"$dir/in.json"
	becomes 'a 7'
}

@test "speedscope: warns of open and close events that do not match" {
	file "a b" "{$E,\"unit\":\"none\",\"events\":[
		{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":1},
		{\"type\":\"C\",\"frame\":0,\"at\":3},{\"type\":\"C\",\"frame\":1,\"at\":4}]}" \
		>"$dir/in.json"
	becomes 'a 1' 'a;b 2'
	"$CGCONV" -t json "$dir/in.json" 2>&1 >"$dir/out" |
		grep -c "warning: expected the end of the frame that began last" |
		grep -qx 2
	file "a" "{$E,\"unit\":\"none\",\"events\":[
		{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":0,\"at\":1}]}" \
		>"$dir/in.json"
	"$CGCONV" -t json "$dir/in.json" 2>&1 >"$dir/out" |
		grep "warning: expected the ends of all frames"
}

@test "speedscope: frames with a column are distinguished by their definition" {
	cat >"$dir/in.json" <<-'END'
	{"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"name":"f","file":"x.js","line":3,"col":9},
	{"name":"f","file":"x.js","line":8,"col":1},{"name":"","file":null}]},
	"profiles":[{"type":"sampled","name":"x","unit":"none",
	"samples":[[0],[1],[2]],"weights":[1,2,4]}]}
	END
	becomes '[unknown] 4' 'f 1' 'f:8:1 2'
}

@test "speedscope: the first sample may have no frame" {
	file f "{$S,\"samples\":[[],[0],[]],\"weights\":[1,2,4]}" >"$dir/in.json"
	becomes 'f 2'
}

@test "speedscope: errors name their location" {
	refused "expected as many weights as samples" "f" \
		"{$S,\"samples\":[[0]],\"weights\":[1,2]}"
	refused "expected as many weights as samples" "f" \
		"{$S,\"samples\":[[0],[0]],\"weights\":[1]}"
	refused "expected as many weights as samples" "f" "{$S,\"samples\":[[0]]}"
	refused "expected as many weights as samples" "f" "{$S,\"weights\":[1]}"
	refused "expected frames below 1 in samples and events, there is 7" "f" \
		"{$S,\"samples\":[[0,7]],\"weights\":[1]}"
	# Frames that are known tell the place.
	refuses 1 "turned.json:1:155: error: expected frames below 1" \
		"$dir/turned.json"
	refused "expected frames below 0 in samples and events, there is 7" "" \
		"{$S,\"samples\":[[7]],\"weights\":[1]}"
	refused "expected a number that is not negative" "f" \
		"{$S,\"samples\":[[0]],\"weights\":[-1]}"
	refused "expected a whole number" "f" \
		"{$S,\"samples\":[[-1]],\"weights\":[1]}"
	refused "expected a whole number" "f" \
		"{$S,\"samples\":[[4294967296]],\"weights\":[1]}"
	refused "expected a number below 2^64" "f" \
		"{$S,\"samples\":[[0]],\"weights\":[1e20]}"
	refused "expected weights whose sum is below 2^64" "f" \
		"{$S,\"samples\":[[0],[0]],\"weights\":[1e19,1e19]}"
	refused "expected times in their order" "f" "{$E,\"events\":[
		{\"type\":\"O\",\"frame\":0,\"at\":2},{\"type\":\"C\",\"frame\":0,\"at\":1}]}"
	refused 'expected "O" or "C"' "f" \
		"{$E,\"events\":[{\"type\":\"X\",\"frame\":0,\"at\":2}]}"
	refused 'expected a "type" of each event' "f" \
		"{$E,\"events\":[{\"frame\":0,\"at\":2}]}"
	printf '{"$schema":"https://www.speedscope.app/file-format-schema.json"}' \
		>"$dir/bad.json"
	refuses 1 'expected "profiles"' "$dir/bad.json"
}

@test "speedscope: each profile's costs are rounded on their own" {
	local p="{$S,\"unit\":\"none\",\"samples\":[[0],[1],[0]],\"weights\":[0.3,1,0.4]}"

	file "a b" "$p" "$p" >"$dir/in.json"
	turn "$dir/in.json" >"$dir/turned.json"
	for in in in turned; do
		"$CGCONV" -q -t json "$dir/$in.json" | grep '^\["moment"' >"$dir/got"
		printf '%s\n' '["moment",0,1]' '["moment",0,2,[1]]' \
			'["moment",1,1,[1]]' >"$dir/one"
		cat "$dir/one" "$dir/one" | same - "$dir/got"
	done
}

@test "speedscope: reads many profiles and deep stacks" {
	perl -e 'print q({"$schema":"https://www.speedscope.app/file-format-schema.json",);
		print q("shared":{"frames":[{"name":"f"}]},"profiles":[);
		print join(",", (q({"type":"sampled","name":"p","unit":"none",)
			. q("samples":[[0]],"weights":[1]})) x 5000);
		print q(,{"type":"sampled","name":"p","unit":"none","samples":[[);
		print join(",", (0) x 100000), q(]],"weights":[1]}]});' >"$dir/in.json"
	timeout 20 "$CGCONV" -q -t speedscope "$dir/in.json" >"$dir/out"
	timeout 20 "$CGCONV" -q -t speedscope "$dir/out" | same - "$dir/out"
}

# many PROFILES: prints a file with 12,000 distinct stacks in each, some of them
# recursive, of frames with and without a file, which come last.
many()
{
	awk -v profiles="$1" 'BEGIN {
		printf "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		printf "\"profiles\":["
		for (p = 0; p < profiles; p++) {
			printf "%s{\"type\":\"sampled\",\"name\":\"p%d\",", p ? "," : "", p
			printf "\"unit\":\"microseconds\",\"samples\":["
			for (i = 0; i < 12000; i++) {
				printf "%s[0", i ? "," : ""
				for (n = i * 7 + p; n > 0; n = int(n / 20))
					printf ",%d,%d", n % 199 + 1, n % 5
				printf "]"
			}
			printf "],\"weights\":["
			for (i = 0; i < 12000; i++)
				printf "%s%d", i ? "," : "", i % 17
			printf "]}"
		}
		printf "],\"shared\":{\"frames\":[{\"name\":\"main\"}"
		for (i = 1; i < 200; i++)
			printf ",{\"name\":\"f%d\"%s}", i % 150,
			    i % 3 ? ",\"file\":\"f.c\",\"line\":" i : ""
		printf "]}}\n"
	}'
}

@test "speedscope: stacks that the target lacks become calls while they are read" {
	many 4 >"$dir/whole.json"
	turn "$dir/whole.json" >"$dir/in.json"
	for to in callgrind csv dot; do
		"$CGCONV" -q -t $to "$dir/whole.json" >"$dir/want"
		"$CGCONV" -q -t $to "$dir/in.json" >"$dir/out"
		same "$dir/want" "$dir/out"
	done
}
