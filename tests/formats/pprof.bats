# pprof.bats - profile.proto: files of other tools, output, malformed files.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# Encodes standard input, the text of a message, to $dir/in.pb.
message()
{
	perl tests/oracle/proto.pl >"$dir/in.pb"
}

# Prints the stacks of $dir/in.pb, or of another file.
stacks()
{
	folded "$@" "$dir/in.pb"
}

# Removes the marks of inlined frames.
folded()
{
	"$CGCONV" -q -t folded "$@" | sed 's/_\[i\]\([; ]\)/\1/g'
}

# Functions main, a and b, each with a location of its id at line id * 10.
names='6: "" 6: "cpu" 6: "nanoseconds" 6: "main" 6: "a" 6: "b" 6: "x.c"'
tables="4 { 1: 1 4 { 1: 1 2: 10 } } 4 { 1: 2 4 { 1: 2 2: 20 } }
	4 { 1: 3 4 { 1: 3 2: 30 } }
	5 { 1: 1 2: 3 4: 6 } 5 { 1: 2 2: 4 4: 6 } 5 { 1: 3 2: 5 4: 6 } $names"

# Costs of functions by an independent reading of stacks: each function once
# a stack. "SELF INCLUSIVE FUNCTION"
sums()
{
	awk '{
		cost = $NF
		sub(/ [^ ]*$/, "")
		n = split($0, frame, ";")
		self[frame[n]] += cost
		split("", seen)
		for (i = 1; i <= n; i++)
			if (!seen[frame[i]]++)
				all[frame[i]] += cost
	} END {
		for (name in all)
			if (all[name])
				print self[name] + 0, all[name], name
	}' | sort
}

# The same from the output of go tool pprof -top in a unit.
top()
{
	awk '$1 ~ /^[0-9]/ && $3 ~ /%$/ {
		self = $1
		all = $4
		sub(/[^0-9]*$/, "", self)
		sub(/[^0-9]*$/, "", all)
		$1 = $2 = $3 = $4 = $5 = ""
		sub(/^ */, "")
		sub(/ \((partial-)?inline\)$/, "")
		if (all)
			print self, all, $0
	}' "$1" | sort
}

@test "pprof: self and inclusive costs equal those of go tool pprof" {
	for top in samples/pprof/*/top-*.txt; do
		event=${top##*top-}
		set -- "${top%/*}"/*.gz
		folded --event "${event%.txt}" "$1" | sums >"$dir/got"
		top "$top" >"$dir/want"
		[ -s "$dir/want" ]
		same "$dir/want" "$dir/got"
	done
}

@test "pprof: go tool pprof reads the output and sees no difference" {
	command -v go >/dev/null || skip "no go"
	export HOME=$dir
	for file in samples/pprof/*/*.gz; do
		"$CGCONV" -q -t pprof -o "$dir/out.pb.gz" "$file"
		for how in "-top -cum" -peek=. -tags; do
			# shellcheck disable=SC2086 # two words
			go tool pprof $how "$file" >"$dir/one" 2>/dev/null
			# shellcheck disable=SC2086 # two words
			go tool pprof $how "$dir/out.pb.gz" >"$dir/two" \
				2>/dev/null
			same "$dir/one" "$dir/two"
		done
	done
}

@test "pprof: all sample types become events with their units" {
	"$CGCONV" -q -t callgrind samples/pprof/heap/heap.pb.gz >"$dir/out"
	grep -qx 'events: inuse_space alloc_objects alloc_space inuse_objects' \
		"$dir/out"
	"$CGCONV" -t json samples/pprof/heap/heap.pb.gz 2>/dev/null |
		grep '^."event"' >"$dir/events"
	grep -q '^.*"alloc_objects","","",' "$dir/events"
	grep -q '^.*"inuse_space","","bytes",' "$dir/events"
}

@test "pprof: the default sample type is shown, else the last" {
	# Prints the default event in folded stacks of the input and of its
	# copy.
	shown()
	{
		message <<<"1 { 1: 7 } 1 { 1: 8 } 1 { 1: 9 } $tables 6: \"n\"
			6: \"time\" 6: \"space\" 2 { 1: [2 1] 2: [$1] } $2"
		"$CGCONV" -q -t pprof -o "$dir/out.pb" "$dir/in.pb"
		"$CGCONV" -q -t json -o "$dir/out.cgj" "$dir/in.pb"
		[ "$(stacks)" = "$(folded "$dir/out.pb")" ]
		[ "$(stacks)" = "$(folded "$dir/out.cgj")" ]
		stacks
		"$CGCONV" --info "$dir/in.pb" | sed -n 's/^Top functions by [a-z]* //p'
		"$CGCONV" --diff "$dir/in.pb" "$dir/in.pb" |
			sed -n 's/^Event  *\([a-z]*\).*/\1/p'
	}
	[ "$(shown '3 4 5' '')" = $'main;a 5\nspace\nspace' ]
	[ "$(shown '3 4 5' '14: 8')" = $'main;a 4\ntime\ntime' ]
	[ "$(shown '3 4 5' '14: 9')" = $'main;a 5\nspace\nspace' ]
	# A default type without costs is not shown.
	[ "$(shown '0 4 0' '14: 9')" = $'main;a 4\ntime\ntime' ]
}

@test "pprof: a recursive function is counted once per stack" {
	message <<-E
	1 { 1: 1 2: 2 }
	2 { 1: [4 2 3 2 1] 2: [5] }
	2 { 1: [2 1] 2: [5] }
	4 { 1: 4 4 { 1: 4 2: 40 } }
	5 { 1: 4 2: 7 4: 6 } $tables 6: "c"
	E
	[ "$(stacks)" = "$(printf 'main;a 5\nmain;a;b;a;c 5')" ]
	stacks >"$dir/folded"
	stacks | sums >"$dir/got"
	printf '%s\n' '0 10 main' '0 5 b' '5 10 a' '5 5 c' >"$dir/want"
	same "$dir/want" "$dir/got"
	for separate in 1 2; do
		"$CGCONV" -q -t callgrind "$dir/in.pb" | sed 's/^[0-9]* /0 /' |
			perl tests/oracle/callgrind.pl - |
			sed -n 's/x.c/???/g; /^call/p' |
			sed 's/cpu/samples/; s/\t[0-9]*\t0x0*\t/\t/' |
			cut -f 5,6,9- | sort >"$dir/two"
		"$CGCONV" -q -t callgrind -f folded "$dir/folded" |
			perl tests/oracle/callgrind.pl - |
			sed -n '/^call/p' | sed 's/\t[0-9]*\t0x0*\t/\t/' |
			cut -f 5,6,9- | sort >"$dir/one"
		[ "$(wc -l <"$dir/one")" = "$(wc -l <"$dir/two")" ]
	done
}

@test "pprof: inlined lines are frames of their own" {
	message <<-E
	1 { 1: 1 2: 2 }
	2 { 1: [9 1] 2: [5] } 2 { 1: [8] 2: [7] }
	4 { 1: 9 3: 256 4 { 1: 3 2: 31 } 4 { 1: 2 2: 21 } }
	4 { 1: 8 3: 512 4 { 1: 2 2: 22 } } $tables
	E
	[ "$(stacks)" = "$(printf 'a 7\nmain;a;b 5')" ]
	"$CGCONV" -q -t json "$dir/in.pb" | grep '^."frame"' >"$dir/got"
	grep -q '31,256,true\]' "$dir/got"
	grep -q '21,256\]' "$dir/got"
	"$CGCONV" -q -t pprof -o "$dir/out.pb" "$dir/in.pb"
	[ "$(perl tests/oracle/proto.pl --fields 4 <"$dir/out.pb" |
		wc -l)" -eq 3 ]
	"$CGCONV" -q -t json "$dir/out.pb" | grep '^."frame"' >"$dir/two"
	same "$dir/got" "$dir/two"
}

@test "pprof: functions of one name in two files stay apart" {
	message <<-E
	1 { 1: 1 2: 2 }
	2 { 1: [1] 2: [5] } 2 { 1: [4] 2: [7] }
	4 { 1: 4 4 { 1: 4 2: 1 } } 5 { 1: 4 2: 3 4: 7 } $tables 6: "y.c"
	E
	"$CGCONV" -q -t callgrind "$dir/in.pb" |
		perl tests/oracle/callgrind.pl - | grep '^self' >"$dir/got"
	grep -q 'x.c	main	.*cpu=5' "$dir/got"
	grep -q 'y.c	main	.*cpu=7' "$dir/got"
}

@test "pprof: reads fields in any order, unpacked numbers, ids of any size" {
	message <<-E
	6: "" 6: "cpu" 6: "nanoseconds" 6: "main"
	2 { 2: 4 1: 9223372036854775807 } 5 { 2: 3 1: 77 }
	4 { 4 { 2: 5 1: 77 } 1: 9223372036854775807 } 1 { 2: 2 1: 1 }
	2 { 1: 9223372036854775807 2: 5 }
	2 { 1: [9223372036854775807] 2: [6] }
	E
	[ "$(stacks)" = "main 15" ]
}

@test "pprof: names come from programs by build-id or file name" {
	a=samples/pprof/addresses
	"$CGCONV" -t folded "$a/work.pb.gz" >"$dir/out" 2>"$dir/err"
	grep -q '^0x401060;0x4011' "$dir/out"
	grep -q 'addresses without a name: [0-9]*; give .*prog.* with --exe' "$dir/err"
	folded --exe "$a/prog" --event samples "$a/work.pb.gz" \
		>"$dir/out"
	grep -qx "_start;main;twice;spin [1-9][0-9]*" "$dir/out"
	[ "$(wc -l <"$dir/out")" = 1 ]
	cp "$a/prog" "$dir/other"
	"$CGCONV" -q -t folded --exe "$dir/other" "$a/work.pb.gz" >"$dir/out"
	grep -q '^0x401060;0x4011' "$dir/out"
}

@test "pprof: unnamed functions are written without a name" {
	"$CGCONV" -q -t pprof -o "$dir/out.pb" samples/pprof/addresses/work.pb.gz
	perl tests/oracle/proto.pl --fields 5 <"$dir/out.pb" >"$dir/functions"
	[ ! -s "$dir/functions" ]
	folded --exe samples/pprof/addresses/prog \
		--event samples "$dir/out.pb" >"$dir/got"
	grep -qx "_start;main;twice;spin [1-9][0-9]*" "$dir/got"
}

@test "pprof: keeps negative costs if the target can represent them" {
	message <<<"1 { 1: 1 2: 2 } 2 { 1: [2 1] 2: [-5] } 2 { 1: [1] 2: [3] }
		$tables"
	[ "$(stacks)" = "$(printf 'main 3\nmain;a -5')" ]
	"$CGCONV" -q -t pprof -o "$dir/out.pb" "$dir/in.pb"
	[ "$("$CGCONV" -q -t folded "$dir/out.pb")" = "$(stacks)" ]
	refuses 3 "cannot represent negative costs" -t callgrind "$dir/in.pb"
}

@test "pprof: times, comments, period and mappings survive a round trip" {
	message <<-E
	1 { 1: 1 2: 2 } 2 { 1: [1] 2: [5] }
	3 { 1: 1 2: 4194304 3: 5242880 4: 4096 5: 7 6: 8 7: 1 }
	4 { 1: 1 2: 1 3: 4198400 4 { 1: 1 2: 10 } } 5 { 1: 1 2: 3 4: 6 }
	$names 6: "/bin/app" 6: "abcdef" 6: "hello" 6: "drop.*"
	7: 10 9: 1600000000000000000 10: 5000000000 11 { 1: 1 2: 2 }
	12: 10000000 13: [9] 14: 1 15: 9
	E
	"$CGCONV" -q -t pprof -o "$dir/one.pb" "$dir/in.pb"
	for field in 9 10 12; do
		[ "$(perl tests/oracle/proto.pl --fields $field <"$dir/in.pb")" \
			= "$(perl tests/oracle/proto.pl --fields $field \
				<"$dir/one.pb")" ]
	done
	"$CGCONV" -q -t json "$dir/one.pb" | grep '^."desc"' >"$dir/got"
	cat >"$dir/want" <<-E
	["desc","period","10000000 cpu nanoseconds"]
	["desc","time_nanos","1600000000000000000"]
	["desc","duration_nanos","5000000000"]
	["desc","drop_frames","drop.*"]
	["desc","default_sample_type","cpu"]
	["desc","doc_url","hello"]
	["desc","comment","hello"]
	["desc","mapping","0x400000-0x500000 0x1000 0x0 abcdef /bin/app"]
	E
	same "$dir/want" "$dir/got"
}

@test "pprof: the first mapping is most likely the main executable" {
	# How many mappings objects of perf's text become, the first one's path.
	mappings()
	{
		{
			printf 'app 1 1.0: 5 cycles: \n'
			printf '\t10 f (%s)\n' "$@"
		} >"$dir/in.perf"
		"$CGCONV" -q -t pprof -o "$dir/out.pb" "$dir/in.perf"
		# Converting again does not change it.
		"$CGCONV" -q -t pprof "$dir/out.pb" | same "$dir/out.pb" -
		perl tests/oracle/proto.pl --fields 3 <"$dir/out.pb" >"$dir/got"
		# 08 ID 28 PATH: the index of the path
		path=$(sed -n '1s/^080128\([0-7].\).*/\1/p' "$dir/got")
		perl tests/oracle/proto.pl --fields 6 <"$dir/out.pb" |
			sed -n "$((16#$path + 1))p" |
			perl -lne "print $(wc -l <"$dir/got"), ' ', pack 'H*', \$_"
	}
	[ "$(mappings '[kernel.kallsyms]' /lib/libc.so.6 /opt/zoo /opt/app \
		//anon /a/x)" = '6 /opt/app' ]
	[ "$(mappings '[vdso]' //anon /tmp/perf-7.map /lib/libc.so.6 /opt/zoo)" \
		= '5 /opt/zoo' ]
	[ "$(mappings '[kernel.kallsyms]' /lib/z.so /lib/libc.so.6)" \
		= '3 /lib/libc.so.6' ]
}

@test "pprof: data without a field survives in comments" {
	printf '%s\n' '{"cgconv":"graph","version":1}' \
		'["event",0,"cycles","Cycles of the processor"]' \
		'["function",1,"f",0,0]' '["frame",1,0,1,0,0,0]' \
		'["part",7,8,2,"app -x"]' '["desc","host","h: 1"]' \
		'["desc","comment","cgconv"]' '["stack",1,1,[5]]' '["end"]' \
		>"$dir/in.cgj"
	"$CGCONV" -t pprof -o "$dir/out.pb" "$dir/in.cgj" 2>"$dir/err"
	[ ! -s "$dir/err" ]
	"$CGCONV" -q -t json "$dir/in.cgj" >"$dir/want"
	"$CGCONV" -q -t json "$dir/out.pb" | same "$dir/want" -
	# A comment that only looks like such data stays a comment.
	message <<-E
	1 { 1: 1 2: 2 } 2 { 1: [1] 2: [5] } $tables 6: "cgconv part: x"
	6: "cgconv: x" 13: [7 8]
	E
	"$CGCONV" -q -t json "$dir/in.pb" | grep -qxF \
		'["desc","comment","cgconv: x"]'
}

@test "pprof: warns of a frame in another file than its function" {
	printf '%s\n' '{"cgconv":"graph","version":1}' '["event",0,"n"]' \
		'["file",1,"a.c"]' '["file",2,"a.h"]' '["function",1,"f",1,0]' \
		'["frame",1,0,1,2,7,0]' '["stack",1,1,[5]]' '["end"]' >"$dir/in"
	"$CGCONV" -t pprof -o "$dir/out.pb" "$dir/in" 2>&1 |
		grep -F '1 frame in another file than the function'
	"$CGCONV" -q -t json "$dir/out.pb" | grep '^."file"' |
		same - <(echo '["file",1,"a.h"]')
	"$CGCONV" -t speedscope -o "$dir/out" "$dir/in" 2>&1 |
		grep -F 'lines of frames in other files'
}

@test "pprof: keeps units of labels, warns of folded code" {
	message <<-E
	1 { 1: 1 2: 2 } 2 { 1: [1] 2: [5] 3 { 1: 7 3: 64 4: 8 } }
	2 { 1: [1] 2: [6] 3 { 1: 7 3: 65 } } $tables 6: "size" 6: "bytes"
	4 { 1: 9 4 { 1: 1 } 5: 1 }
	E
	"$CGCONV" -t json --part-by label:size "$dir/in.pb" >"$dir/out" \
		2>"$dir/err"
	grep '^."desc"' "$dir/out" >"$dir/got"
	printf '%s\n' '["desc","size","64 bytes"]' '["desc","size","65"]' |
		same - "$dir/got"
	grep -F 'dropped is_folded of 1 location:' "$dir/err"
	"$CGCONV" -t folded "$dir/in.pb" 2>&1 >/dev/null |
		grep -F 'labels of samples dropped: size'
	"$CGCONV" -q -t json "$dir/in.pb" | grep '^."labels"' |
		same - <(printf '%s\n' '["labels",1,["size","",64,"bytes"]]' \
			'["labels",2,["size","",65]]')
}

@test "pprof: removes the load bias of addresses, writes it again" {
	message <<-E
	1 { 1: 1 2: 2 } 2 { 1: [1] 2: [5] }
	3 { 1: 1 2: 94022304415744 3: 94022304423936 4: 4096 5: 6 }
	4 { 1: 1 2: 1 3: 94022304416000 4 { 1: 1 2: 10 } } 5 { 1: 1 2: 3 }
	6: "" 6: "cpu" 6: "nanoseconds" 6: "main" 6: "a" 6: "b" 6: "/bin/app"
	E
	"$CGCONV" -q -t callgrind "$dir/in.pb" | grep -qx '0x1100 10 5'
	"$CGCONV" -q -t pprof -o "$dir/out.pb" "$dir/in.pb"
	[ "$(perl tests/oracle/proto.pl --fields 4 <"$dir/out.pb")" = \
		"$(perl tests/oracle/proto.pl --fields 4 <"$dir/in.pb")" ]
}

@test "pprof: merges concatenated profiles" {
	for file in samples/pprof/cpu/cpu.pb.gz samples/pprof/heap/heap.pb.gz; do
		"$CGCONV" -q -t folded "$file" "$file" >"$dir/want"
		cat "$file" "$file" >"$dir/two.pb.gz"
		"$CGCONV" -q -t folded "$dir/two.pb.gz" >"$dir/got"
		same "$dir/want" "$dir/got"
		"$CGCONV" -q -t pprof -o "$dir/one.pb" "$file"
		cat "$dir/one.pb" "$dir/one.pb" >"$dir/two.pb"
		"$CGCONV" -q -t folded "$dir/two.pb" >"$dir/got"
		same "$dir/want" "$dir/got"
	done
}

@test "pprof: the duration of merged profiles is the sum, of parts it is one" {
	cpu=samples/pprof/cpu/cpu.pb.gz
	duration=$("$CGCONV" -t json $cpu | sed -n 's/.*"duration_nanos","\(.*\)"]/\1/p')
	"$CGCONV" -q -t pprof -o "$dir/two.pb" $cpu $cpu
	"$CGCONV" -q -t json "$dir/two.pb" |
		grep -F "\"duration_nanos\",\"$((2 * duration))\""
	"$CGCONV" -q --part-by label:worker -t pprof -o "$dir/parts.pb" $cpu
	"$CGCONV" -q -t json "$dir/parts.pb" |
		grep -F "\"duration_nanos\",\"$duration\""
}

@test "pprof: of merged profiles the period is the longest" {
	for period in 10 30 20; do
		message <<<"1 { 1: 1 2: 2 } 2 { 1: [1] 2: [5] } $tables
			11 { 1: 1 2: 2 } 12: $period"
		mv "$dir/in.pb" "$dir/$period.pb"
	done
	for order in "10 20 30" "20 30 10"; do
		(cd "$dir" && "$CGCONV" -q -t pprof -o sum.pb \
			$(printf '%s.pb ' $order))
		"$CGCONV" -q -t json "$dir/sum.pb" | grep '"period"' >"$dir/got"
		echo '["desc","period","30 cpu nanoseconds"]' | same - "$dir/got"
	done
}

@test "pprof: warns of data that the graph cannot represent" {
	message <<<"1 { 1: 1 2: 2 } 2 { 1: [1] 2: [5] 3 { 1: 4 3: 4 } } $tables
		30: 1"
	"$CGCONV" -f pprof -t folded "$dir/in.pb" 2>"$dir/err" >"$dir/out"
	grep -q 'labels of samples dropped: a' "$dir/err"
	grep -q 'field 30 is not known' "$dir/err"
}

# refused MESSAGE: standard input, encoded by message(), is rejected.
refused()
{
	message
	refuses 1 "$1" -f pprof -t folded "$dir/in.pb"
}

@test "pprof: rejects invalid references" {
	types='1 { 1: 1 2: 2 }'
	refused "all locations of samples to be defined" \
		<<<"$types 2 { 1: [99] 2: [1] } $tables"
	refused "all functions of locations to be defined" \
		<<<"$types 2 { 1: [9] 2: [1] } 4 { 1: 9 4 { 1: 9 } } $tables"
	refused "all mappings of locations to be defined" \
		<<<"$types 2 { 1: [9] 2: [1] } 4 { 1: 9 2: 4 4 { 1: 1 } } $tables"
	refused "expected text 99 in a table of 7" \
		<<<"1 { 1: 99 2: 2 } 2 { 1: [1] 2: [1] } $tables"
	refused "a location with an id" <<<"$types 2 { 1: [0] 2: [1] } $tables"
	refused "a location with another id" \
		<<<"$types 4 { 1: 1 } 2 { 1: [1] 2: [1] } $tables"
	refused "a function with another id" <<<"$types 5 { 1: 1 } $tables"
	refused "a mapping with another id" \
		<<<"$types 3 { 1: 1 } 3 { 1: 1 } $tables"
	refused '"" as the first text' <<<"$types 6: \"x\""
}

@test "pprof: rejects malformed messages" {
	types='1 { 1: 1 2: 2 }'
	refused "as many values as in other samples" \
		<<<"$types 2 { 1: [1] 2: [1] } 2 { 1: [1] 2: [1 2] } $tables"
	refused "expected 1 values in a sample" \
		<<<"$types 2 { 1: [1] 2: [1 2] } $tables"
	refused "values that add up to 64 bits" <<<"$types
		2 { 1: [1] 2: [9223372036854775807] }
		2 { 1: [1] 2: [9223372036854775807] } $tables"
	refused "to be bytes" <<<"$types 2: 5 $tables"
	refused "expected a label" <<<"$types 2 { 1: [1] 2: [1] 3: 5 } $tables"
	refused "to be a number" <<<"$types 9: \"x\" $tables"
	refused "a whole field of a message" <<<"$types 5: \"\\x08\" $tables"
	refused "a field of a profile" <<<"$types $tables
		1 raw: \"\\x03\\x03\\x03\""
	refused "is longer than 64 MiB" <<<"$types
		1 raw: \"\\x12\\xff\\xff\\xff\\xff\\xff\\x01\""
	refused "the file is truncated" <<<"$types 1 raw: \"\\x12\\x40\""
}

@test "pprof: equal graphs give identical files" {
	message <<<"1 { 1: 1 2: 2 } 2 { 1: [2 1] 2: [5] } 2 { 1: [1] 2: [3] }
		$tables"
	"$CGCONV" -q -t pprof -o "$dir/one.pb" "$dir/in.pb"
	message <<<"$tables 2 { 1: [1] 2: [3] } 2 { 1: [2 1] 2: [4] }
		2 { 1: [2 1] 2: [1] } 1 { 1: 1 2: 2 }"
	"$CGCONV" -q -t pprof -o "$dir/two.pb" "$dir/in.pb"
	cmp "$dir/one.pb" "$dir/two.pb"
}

# A sample with all kinds of labels, more of a key, and the same stack without;
# labels in another order are the same.
labelled()
{
	message <<-E
	1 { 1: 1 2: 2 }
	2 { 1: [2 1] 2: [1] 3 { 1: 10 3: -64 4: 2 } 3 { 1: 7 2: 8 }
		3 { 1: 7 2: 9 } 3 { 1: 10 3: 5 } 3 { 1: 11 3: 70 } }
	2 { 1: [2 1] 2: [2] 3 { 1: 7 2: 9 } 3 { 1: 7 2: 8 } }
	2 { 1: [2 1] 2: [4] } 2 { 2: [8] 3 { 1: 7 2: 8 } } 2 { 2: [16] }
	2 { 1: [2 1] 2: [32] 3 { 1: 7 2: 8 } 3 { 1: 10 3: -64 4: 2 }
		3 { 1: 10 3: 5 } 3 { 1: 11 3: 70 } 3 { 1: 7 2: 9 } }
	$tables 6: "zone" 6: "z" 6: "y" 6: "size" 6: "pid"
	E
}

@test "pprof: samples keep their labels" {
	labelled
	"$CGCONV" -q -t pprof -o "$dir/out.pb" "$dir/in.pb"
	"$CGCONV" --strict -t json -o "$dir/json" "$dir/in.pb"
	"$CGCONV" -q -t pprof -o "$dir/two.pb" "$dir/json"
	cmp "$dir/out.pb" "$dir/two.pb"
	grep -E '^."(labels|stack)"' "$dir/json" >"$dir/got"
	same "$dir/got" - <<-'E'
	["labels",1,["zone","y"],["zone","z"]]
	["labels",2,["zone","z"]]
	["labels",3,["zone","z"],["zone","y"],["pid","",70],["size","",-64,"nanoseconds"],["size","",5]]
	["stack",0,1,[16]]
	["stack",0,1,[8],2]
	["stack",2,1,[4]]
	["stack",2,1,[2],1]
	["stack",2,2,[33],3]
	E
	"$CGCONV" --info "$dir/out.pb" |
		grep -x 'Labels    pid (1 value), size (2 values), zone (2 values)'
	# It drops samples without a frame.
	command -v go >/dev/null || skip "no go"
	export HOME=$dir
	go tool pprof -raw "$dir/out.pb" 2>/dev/null |
		sed -n '/^Samples/,/^Locations/s/^ *//p' |
		sed 's/ *$//; s/ ]/]/' >"$dir/got"
	same "$dir/got" - <<-'E'
	Samples:
	cpu/nanoseconds
	4: 1 2
	2: 1 2
	zone:[y z]
	33: 1 2
	zone:[z y]
	pid:[70] size:[-64 nanoseconds 5]
	Locations
	E
}

@test "pprof: labels survive merging, differences, filters of sources" {
	labelled
	cp "$dir/in.pb" "$dir/b.pb"
	"$CGCONV" --strict -t json "$dir/in.pb" "$dir/b.pb" |
		grep '^."stack"' | same - <(printf '["stack",%s]\n' \
			'0,2,[32]' '0,2,[16],2' '2,2,[8]' '2,2,[4],1' \
			'2,4,[66],3')
	# The labels of the second set are dropped, and the set with them.
	"$CGCONV" -q -t json "$dir/in.pb" | grep -v '],1]$' |
		sed 's/"total".*/"end"]/' | sed '/"end",/d' >"$dir/c.cgj"
	"$CGCONV" -q -f json -t json --diff "$dir/c.cgj" \
		<("$CGCONV" -q -t json "$dir/in.pb") -o "$dir/out" >"$dir/text"
	grep -E '^."(labels|stack)"' "$dir/out" | same - <(printf '%s\n' \
		'["labels",1,["zone","y"],["zone","z"]]' \
		'["stack",2,1,[2],1]')
	"$CGCONV" -q -t json --exclude x.c "$dir/in.pb" |
		grep -E '^."(labels|stack)"' | same - <(printf '%s\n' \
			'["labels",1,["zone","z"]]' '["stack",0,1,[16]]' \
			'["stack",0,1,[8],1]')
}

@test "pprof: lost labels and threads are reported" {
	labelled=samples/pprof/cpu/cpu.pb.gz
	for to in callgrind folded speedscope; do
		refuses 3 ', labels' --strict -t "$to" "$labelled"
		"$CGCONV" -t "$to" -o "$dir/out" "$labelled" 2>&1 |
			grep ' note: labels of samples dropped: worker'
	done
	# Parts represent a single label completely.
	"$CGCONV" --strict --part-by label:worker -t json -o "$dir/out" "$labelled"
	not grep '"labels"' "$dir/out"
	# Processes of samples are lost when samples are merged.
	message <<-E
	1 { 1: 1 2: 2 } 2 { 1: [1] 2: [5] 3 { 1: 7 3: 70 } }
	2 { 1: [1] 2: [6] 3 { 1: 7 3: 71 } } $tables 6: "pid"
	E
	"$CGCONV" --strict -t json -o "$dir/out" "$dir/in.pb"
	refuses 3 'samples of different threads are merged' --strict -t speedscope \
		"$dir/in.pb"
	printf '%s\n' "p 7/8 1.0: 5 cycles:" "	1 f (/x)" "" \
		"p 7/9 1.1: 5 cycles:" "	1 f (/x)" "" >"$dir/in.perf"
	refuses 3 'samples of different threads are merged' --strict \
		-t callgrind "$dir/in.perf"
	"$CGCONV" -v -t callgrind "$dir/in.perf" 2>&1 >"$dir/out" |
		grep ' note: samples of different threads are merged'
	for file in "$dir/in.pb" "$dir/in.perf"; do
		"$CGCONV" --strict -t json -o "$dir/out" "$file"
		grep '"labels".*"tid","",9\]\|"labels".*"pid","",71\]' "$dir/out"
		"$CGCONV" --strict --part-by tid -t json -o "$dir/out" "$file"
		not grep '"tid"' "$dir/out"
	done
	# A thread that changes its name is one thread.
	sed 's,^p 7/9,q 7/8,' "$dir/in.perf" >"$dir/one.perf"
	"$CGCONV" -v -t callgrind "$dir/one.perf" 2>"$dir/err" >"$dir/out"
	not grep 'different threads' "$dir/err"
	# Inputs that are read separately.
	mkdir "$dir/in"
	cp "$labelled" samples/pprof/heap/heap.pb.gz "$dir/in"
	"$CGCONV" --strict -r -j 2 -t json -o "$dir/sum" "$dir/in"
	grep '^."labels",.*\["worker","one"\]' "$dir/sum"
	grep '^."labels",.*\["bytes","",' "$dir/sum"
}

@test "pprof: labels become parts on request" {
	"$CGCONV" -q --part-by label:worker -t callgrind \
		samples/pprof/cpu/cpu.pb.gz >"$dir/out"
	[ "$(grep -c '^part: ' "$dir/out")" -eq 2 ] ||
		[ "$(grep -c '^totals:' "$dir/out")" -ge 2 ]
	message <<-E
	1 { 1: 1 2: 2 } 2 { 1: [1] 2: [5] 3 { 1: 7 3: 70 } 3 { 1: 8 3: 71 } }
	2 { 1: [1] 2: [6] 3 { 1: 7 3: 70 } 3 { 1: 8 3: 72 } }
	$tables 6: "pid" 6: "tid"
	E
	"$CGCONV" -q --part-by tid -t json "$dir/in.pb" |
		grep -E '^."(part|stack)"' >"$dir/got"
	printf '%s\n' '["part",70,71,0,""]' '["stack",1,1,[5]]' \
		'["part",70,72,0,""]' '["stack",1,1,[6]]' >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "pprof: samples without stack are costs of no function" {
	message <<<"1 { 1: 1 2: 2 } 2 { 2: [7] } 2 { 2: [1] } $tables"
	[ "$("$CGCONV" -q -t csv "$dir/in.pb" | tr -d '\r' | grep -c ',8$')" = 1 ]
	message <<<"1 { 1: 1 2: 2 } 2 { 2: [7] } 2 { 1: [2 1] 2: [5] } $tables"
	"$CGCONV" -q -t callgrind "$dir/in.pb" | perl tests/oracle/callgrind.pl - |
		cut -f 1,5- | grep '^self' | same - <(printf '%s\n' \
		$'self\t(<spontaneous>)\t???\t0\t0x0\tcpu=7' \
		$'self\ta\tx.c\t20\t0x0\tcpu=5')
}

@test "pprof: stacks that the target lacks become calls while they are read" {
	awk 'BEGIN {
		for (i = 0; i < 20000; i++) {
			printf "main"
			for (n = i; n > 0; n = int(n / 15))
				printf ";f%d;g%d", n % 99, n % 4
			printf " %d\n", i % 9 + 1
		}
	}' | "$CGCONV" -q -f folded -t pprof - >"$dir/in.pb"
	"$CGCONV" -q -t json "$dir/in.pb" >"$dir/whole.json"
	for to in callgrind csv dot; do
		"$CGCONV" -q -t $to "$dir/whole.json" >"$dir/want"
		"$CGCONV" -q -t $to "$dir/in.pb" | same "$dir/want" -
	done
	# With labels, which are told of stacks that are no more there, too.
	awk '/^."stack"/ && !n++ {
			for (i = 1; i < 4; i++)
				printf "[\"labels\",%d,[\"key%d\",\"x\"]]\n", i, i
		}
		/^."stack"/ {
			sub(/]$/, "," (n++ < 3 ? 3 : 1) "]")
			print
			sub(/.]$/, "2]")
		}
		/^."total"/ { sub(/[0-9]+/, 2 * substr($0, 11)) }
		/^."end"/ { $0 = "[\"end\"]" }
		{ print }' "$dir/whole.json" >"$dir/labelled.json"
	"$CGCONV" -q -f json -t pprof -o "$dir/in.pb" "$dir/labelled.json"
	"$CGCONV" -q -t json "$dir/in.pb" >"$dir/whole.json"
	for to in callgrind csv dot; do
		"$CGCONV" -t $to "$dir/whole.json" >"$dir/want" 2>"$dir/told"
		"$CGCONV" -t $to "$dir/in.pb" >"$dir/got" 2>"$dir/err"
		same "$dir/want" "$dir/got"
		same <(sed 's/^[^:]*: //' "$dir/told") <(sed 's/^[^:]*: //' "$dir/err")
	done
}

@test "pprof: an empty profile is read and written as an empty profile" {
	perl tests/oracle/proto.pl >"$dir/in.pb" <<-'END'
	1 { 1: 1 2: 2 } 1 { 1: 3 2: 4 }
	6: "" 6: "contentions" 6: "count" 6: "delay" 6: "nanoseconds"
	END
	for to in pprof folded svg dot; do
		"$CGCONV" -t "$to" "$dir/in.pb" >"$dir/out" 2>"$dir/err"
		grep 'warning: the input has no costs: the output is empty' \
			"$dir/err"
	done
	"$CGCONV" -q -t pprof "$dir/in.pb" -o "$dir/out"
	"$CGCONV" --verify "$dir/in.pb" "$dir/out"
	refuses 3 'lcov needs lines' -t lcov "$dir/in.pb"
	# Without events there is no empty profile either.
	echo '6: "" 6: "x" 5 { 1: 1 2: 1 }' | perl tests/oracle/proto.pl \
		>"$dir/in.pb"
	refuses 3 'folded needs stacks' -f pprof -t folded "$dir/in.pb"
}

@test "pprof: the last sample type is shown unless another is the default" {
	perl tests/oracle/proto.pl >"$dir/in.pb" <<-'END'
	1 { 1: 1 2: 2 } 1 { 1: 3 2: 4 } 2 { 1: 1 2: 5 2: 900 }
	4 { 1: 1 4 { 1: 1 } } 5 { 1: 1 2: 5 }
	6: "" 6: "samples" 6: "count" 6: "cpu" 6: "nanoseconds" 6: "main"
	END
	"$CGCONV" -q -t folded "$dir/in.pb" | grep -qx 'main 900'
	"$CGCONV" -q --info "$dir/in.pb" | grep -q 'Top.*inclusive cpu'
	"$CGCONV" -q -t svg "$dir/in.pb" | grep -q '>cpu: 900 ns<'
	"$CGCONV" -q -t callgrind -o "$dir/out.cg" "$dir/in.pb"
	grep -qx 'events: cpu samples' "$dir/out.cg"
	grep -qx 'totals: 900 5' "$dir/out.cg"
	"$CGCONV" --verify "$dir/in.pb" "$dir/out.cg"
	"$CGCONV" -q -t callgrind "$dir/out.cg" | cmp - "$dir/out.cg"
	"$CGCONV" -q -t pprof "$dir/in.pb" >"$dir/out.pb"
	"$CGCONV" --verify "$dir/in.pb" "$dir/out.pb"
	# Other formats show the first event, also after pprof.
	printf 'a  1 1.%s:  %s %s: \n\t401 f+0x1 (/bin/a)\n\n' \
		0 5 cycles 1 7 instructions >"$dir/in.perf"
	"$CGCONV" -q -t pprof "$dir/in.perf" >"$dir/perf.pb"
	"$CGCONV" -q -t folded --no-root-by "$dir/perf.pb" | grep -qx 'f 5'
}

# Of two mappings that overlap the first has the address; what it leaves belongs
# to the second, and to the one without a limit what no other has.
@test "pprof: the first of overlapping mappings has an address" {
	perl tests/oracle/proto.pl >"$dir/in.pb" <<-'END'
	1 { 1: 1 2: 2 } 6: "" 6: "samples" 6: "count" 6: "/bin/a"
	3 { 1: 1 2: 8192 3: 12288 5: 3 }
	3 { 1: 2 2: 4096 3: 16384 5: 3 }
	3 { 1: 3 2: 20480 5: 3 }
	3 { 1: 4 2: 24576 3: 28672 5: 3 }
	4 { 1: 1 2: 3 3: 12287 } 4 { 1: 2 2: 3 3: 12288 }
	4 { 1: 3 2: 3 3: 4096 } 4 { 1: 4 2: 3 3: 16384 }
	4 { 1: 5 2: 3 3: 24576 }
	2 { 1: 1 2: 1 } 2 { 1: 2 2: 2 } 2 { 1: 3 2: 3 } 2 { 1: 4 2: 4 }
	2 { 1: 5 2: 5 }
	END
	"$CGCONV" -q -t pprof "$dir/in.pb" >"$dir/out.pb"
	# 10 is the field of a location's mapping, 18 that of its address.
	perl tests/oracle/proto.pl --fields 4 <"$dir/out.pb" |
		cut -c 5- >"$dir/got"
	printf '%s\n' 10021880{20,60} 100118ff5f 10031880{80,c0}01 |
		LC_ALL=C sort >"$dir/want"
	LC_ALL=C sort -o "$dir/got" "$dir/got"
	same "$dir/want" "$dir/got"
}

# Instructions that cgconv needs to write a profile of N mappings.
count_steps()
{
	local i

	{
		echo '1 { 1: 1 2: 2 } 6: "" 6: "samples" 6: "count"'
		for ((i = 1; i <= $1; i++)); do
			echo "3 { 1: $i 2: ${i}0000 3: ${i}9999 5: $((i + 2)) }" \
				"4 { 1: $i 2: $i 3: ${i}0005 } 2 { 1: $i 2: 1 }" \
				"6: \"/lib/$i.so\""
		done
	} | perl tests/oracle/proto.pl >"$dir/$1.pb"
	valgrind --tool=callgrind --callgrind-out-file="$dir/$1.cg" \
		"$CGCONV" -q -t pprof -o "$dir/out.pb" "$dir/$1.pb" 2>"$dir/err"
	[ "$(perl tests/oracle/proto.pl --fields 3 <"$dir/out.pb" | wc -l)" \
		-eq "$1" ]
	sed -n 's/^totals: //p' "$dir/$1.cg"
}

@test "pprof: the writer's steps grow with mappings, not with their square" {
	command -v valgrind >/dev/null || skip "needs valgrind"
	case $CFLAGS in *-fsanitize*) skip "valgrind needs its own malloc" ;; esac
	base=$(count_steps 1)
	one=$(count_steps 2000)
	four=$(count_steps 8000)
	echo "steps: $base, $one, $four"
	[ $((four - base)) -lt $(((one - base) * 6)) ]
}

@test "pprof: inlined code expands as far as the size of the file allows" {
	{
		echo "1 { 1: 1 2: 2 } 2 { 1: [$(printf '4 %.0s' {1..3000})] 2: [1] }"
		echo "$tables 4 { 1: 4 $(printf '4 { 1: 1 } %.0s' {1..3000}) }"
	} | message
	refuses 1 'expected fewer inlined frames and labels' -t json "$dir/in.pb"
	# As many lines, of a location that is used once
	{
		echo "1 { 1: 1 2: 2 } 2 { 1: [4] 2: [1] }"
		echo "$tables 4 { 1: 4 $(printf '4 { 1: 1 } %.0s' {1..3000}) }"
	} | message
	[ "$("$CGCONV" -q -t json "$dir/in.pb" | grep -c '^."frame"')" -eq 3000 ]
}

# Paths with bits that a multiplication for each eight bytes cancels, whatever its
# seed is: with equal hashes they would take minutes.
@test "pprof: paths cannot be made to have equal hashes" {
	dir=$BATS_TEST_TMPDIR
	perl -e '
		sub bytes { chr($_[0] << 3 | 2) . varint(length $_[1]) . $_[1] }
		sub varint { my ($n) = @_; my $s = "";
			for (; $n > 127; $n >>= 7) { $s .= chr($n & 127 | 128) }
			$s . chr $n }
		sub number { chr($_[0] << 3) . varint($_[1]) }
		my $k = 14;
		binmode STDOUT;
		print bytes(1, number(1, 1) . number(2, 2));
		for my $bits (0 .. 2 ** $k - 1) {
			my $path = "\1" x (16 * $k + 16);
			for my $i (grep { $bits >> $_ & 1 } 0 .. $k - 1) {
				substr($path, 8 + 16 * $i + $_, 1) = "\x81" for 3, 7, 15;
			}
			print bytes(2, bytes(1, $path) . bytes(2, "\1"));
		}
		print bytes(4, number(1, $_) . bytes(4, number(1, 1))) for 1, 129;
		print bytes(5, number(1, 1) . number(2, 3));
		print bytes(6, $_) for "", "samples", "count", "f";
	' >"$dir/paths.pb"
	timeout 60 "$CGCONV" -f pprof -t json "$dir/paths.pb" >"$dir/out"
	grep -q '^\["total",\[16384\]\]' "$dir/out"
}

@test "pprof: the text of pprof -raw has the data of the profile" {
	for name in cpu mutex; do
		# The text has no exact duration, and pprof drops mappings that
		# no location refers to.
		"$CGCONV" -q -t json samples/pprof/$name/$name.pb.gz |
			grep -v '"duration_nanos"\|"mapping"\|"end"' >"$dir/want"
		[ "$(wc -l <"$dir/want")" -gt 15 ]
		"$CGCONV" --detect samples/pprof/raw/$name.raw | cut -f 2 >"$dir/is"
		echo pprof | same - "$dir/is"
		"$CGCONV" -q -t json samples/pprof/raw/$name.raw |
			grep -v '"mapping"\|"end"' >"$dir/got"
		same "$dir/want" "$dir/got"
	done
}

@test "pprof: labels, inlined lines, blanks and default type of the text" {
	cat >"$dir/in" <<'E'
Comment: a comment
Doc: http://x
PeriodType: cpu nanoseconds
Period: 5
Time: 2026-02-28 23:59:59.5 -0130 -0130
Duration: 1.2m
Samples:
samples/count delta/bytes[dflt]
          1         -7: 1 2 
                key:[a b c] other:[x]
                bytes:[32 bytes] n:[-4]
          2          3: 
Locations
     1: 0x1001 M=1 [F] ns::f(int, int) /a b/c.cc:10:3 s=8(_ZN2ns1fEii)
             outer rel.c:20 s=18
     2: 0x2002 M=1 ??
Mappings
1: 0x1000/0x3000/0x10 /a b/prog 0a0b [FN][FL]
E
	"$CGCONV" -q -t json "$dir/in" >"$dir/json"
	grep '^\["frame"\|^\["function"\|^\["labels"\|^\["stack"' "$dir/json" >"$dir/got"
	same - "$dir/got" <<'E'
["function",1,"0x2002",0,1]
["function",2,"ns::f(int, int)",1,1,8,0,0,0,0,"_ZN2ns1fEii"]
["function",3,"outer",2,1,18,0,0]
["frame",1,0,1,0,0,8194]
["frame",2,1,3,2,20,4097]
["frame",3,2,2,1,10,4097,true]
["labels",1,["key","a b c"],["other","x"],["bytes","",32,"bytes"],["n","",-4]]
["stack",0,2,[2,3]]
["stack",3,1,[1,-7],1]
E
	grep -qF '["desc","default_sample_type","delta"]' "$dir/json"
	grep -qF '["desc","comment","a comment"]' "$dir/json"
	# 2026-03-01 01:29:59.5 UTC
	grep -qF '["desc","time_nanos","1772328599500000000"]' "$dir/json"
	date -u -d '2026-02-28 23:59:59.5 -0130' +%s.%N | grep -qxF 1772328599.500000000
}

@test "pprof: malformed and truncated texts" {
	bad() { # SED-SCRIPT MESSAGE
		sed "$1" samples/pprof/raw/mutex.raw >"$dir/in"
		refuses 1 "$2" -t json "$dir/in"
	}
	bad '0,/^ *[0-9]* /s//x /' "expected 'VALUE...: LOCATION...'"
	bad 's/^ *1: 0x/     1: x/' "expected 'NUMBER: ADDRESS' of a location"
	bad 's/ s=[0-9]*$//' "expected 'FUNCTION FILE:LINE:COLUMN s=LINE'"
	bad 's/^\(1: 0x[0-9a-f]*\)\/.*/\1/' "expected 'NUMBER: START/LIMIT/OFFSET"
	bad 's/^Period: .*/Perio/' 'expected a line of the header'
	bad '/^Locations/,$d' 'location'
	sed '/^Mappings/,$d' samples/pprof/raw/mutex.raw >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q "expected 'Mappings'"
}
