# otlp.bats - OpenTelemetry's profiles: versions, attributes, times, output,
# malformed files.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	agent=samples/otlp/agent/profile.otlp
}

# Encodes standard input, the text of a message, to $dir/in.otlp.
message()
{
	perl tests/oracle/proto.pl >"$dir/in.otlp"
}

# Prints the records of $dir/in.otlp, or of another file, with those names.
records()
{
	"$CGCONV" -q -t json "${2:-$dir/in.otlp}" | grep -E "^.\"($1)\""
}

# Functions main, a and b at lines 10, 20 and 30; stack 1 is main, 2 is main;a.
strings='5: "" 5: "cpu" 5: "nanoseconds" 5: "main" 5: "a" 5: "b" 5: "x.c" 5: "key"'
tables="1 { } 2 { } 2 { 3 { 1: 1 2: 10 } } 2 { 3 { 1: 2 2: 20 } }
	2 { 3 { 1: 3 2: 30 } } 3 { } 3 { 1: 3 3: 6 } 3 { 1: 4 3: 6 }
	3 { 1: 5 3: 6 } $strings 7 { } 7 { 1: [1] } 7 { 1: [2 1] }"

# profile FIELDS [TABLES]: a file with one profile of cpu.
profile()
{
	message <<<"1 { 2 { 2 { 1 { 1: 1 2: 2 } $1 } } } 2 { $tables $2 }"
}

# The fields of a nested message: fields NUMBER... <MESSAGE, in hex.
fields()
{
	local number file=$dir/message

	cat >"$file"
	for number; do
		perl tests/oracle/proto.pl --fields "$number" <"$file" |
			head -n 1 >"$file.hex"
		perl -ne 'chomp; print pack "H*", $_' "$file.hex" >"$file.next"
		mv "$file.next" "$file"
	done
	cat "$file"
}

@test "otlp: reads stacks, inlined code, labels and times" {
	records 'frame|labels|stack|track|moment|part' $agent >"$dir/got"
	same "$dir/got" - <<-'E'
	["frame",1,0,2,2,12,4198400]
	["frame",2,1,3,2,25,4198528]
	["frame",3,2,1,1,40,4198528,true]
	["frame",4,3,5,0,0,8756]
	["frame",5,1,4,2,61,4198912]
	["labels",1,["span_id","0102030405060708"],["thread","till"],["trace_id","0102030405060708090a0b0c0d0e0f10"],["tid","",4711]]
	["labels",2,["thread","stock"],["tid","",4712]]
	["labels",3,["thread","stock"],["tid","",4712],["wait.size","",512,"By"]]
	["labels",4,["thread","till"],["tid","",4711]]
	["part",4711,0,0,"/usr/bin/shop"]
	["stack",3,4,[4],4]
	["stack",4,1,[1],1]
	["stack",5,2,[2],2]
	["stack",5,2,[0,75000000],3]
	["track",0,4711,"till","","ns",false,1760000000100000000,1760000000400000000]
	["moment",0,3,[1]]
	["moment",50000000,3,[1]]
	["moment",100000000,4,[1]]
	["moment",300000000,3,[2]]
	["track",0,4712,"stock","","ns",false,1760000000125000000,1760000000450000000]
	["moment",0,5,[1]]
	["moment",100000000,5,[0,70000000]]
	["moment",250000000,5,[1]]
	["moment",325000000,5,[0,5000000]]
	E
	"$CGCONV" $agent -t json 2>&1 >"$dir/out" |
		grep 'note: dropped attributes of locations: 1'
}

@test "otlp: mappings, resource, scope and period survive writing" {
	"$CGCONV" -q -t otlp -o "$dir/out.otlp" $agent
	records desc $agent | LC_ALL=C sort >"$dir/want"
	records desc "$dir/out.otlp" | LC_ALL=C sort >"$dir/got"
	same "$dir/want" "$dir/got"
	grep -F '["desc","mapping","0x400000-0x500000 0x0 0x0 0123456789abcdef0123456789abcdef01234567 /usr/bin/shop"]' \
		"$dir/got"
	grep -F '["desc","service.name","shop"]' "$dir/got"
	grep -F '["desc","otel.scope.version","1.2"]' "$dir/got"
	grep -F '["desc","period","50000000 cpu nanoseconds"]' "$dir/got"
	grep -F '["desc","duration_nanos","500000000"]' "$dir/got"
	records 'stack|track|moment|labels|frame' $agent >"$dir/want"
	records 'stack|track|moment|labels|frame' "$dir/out.otlp" >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "otlp: pprof's profiles keep all on the way and back" {
	for file in $(samples pprof); do
		"$CGCONV" -q -t otlp -o "$dir/x.otlp" "$file"
		"$CGCONV" -q -t pprof -o "$dir/x.pb" "$dir/x.otlp"
		"$CGCONV" -q --strict --verify "$file" "$dir/x.otlp"
		"$CGCONV" -q --strict --verify "$file" "$dir/x.pb"
		"$CGCONV" --detect "$dir/x.otlp" | grep -q '	otlp	-	80$'
	done
}

@test "otlp: the fields of a file are where version 1.11 has them" {
	"$CGCONV" -q -t otlp -o "$dir/out" - <<<"main;a 5"
	for table in 1 2 3 4 5 6 7; do
		echo "$table: $(fields 2 <"$dir/out" |
			perl tests/oracle/proto.pl --fields $table | paste -sd,)"
	done >"$dir/got"
	# The dictionary's tables begin with an empty entry.
	# Texts: a, count, main, samples.
	same "$dir/got" - <<-'E'
	1: 
	2: ,1a020802,1a020801
	3: ,08031003,08011001
	4: 
	5: ,61,636f756e74,6d61696e,73616d706c6573
	6: 
	7: ,0a020102
	E
	fields 1 2 2 <"$dir/out" >"$dir/profile"
	for field in 1 2; do
		echo "$field: $(perl tests/oracle/proto.pl --fields $field \
			<"$dir/profile")"
	done | same - <(printf '%s\n' '1: 08041002' '2: 0801220105')
}

@test "otlp: reads versions 1.8 to 1.11, whose samples differ" {
	attributes='6 { } 6 { 1: 7 2 { 1: "x" } }'
	profile '2 { 1: 2 2: [1] 4: [7] }' "$attributes" # 1.10 and later
	records 'stack|labels' >"$dir/want"
	same "$dir/want" - <<-'E'
	["labels",1,["key","x"]]
	["stack",2,1,[7],1]
	E
	profile '2 { 1: 2 2: [7] 3: [1] } 7: "0123456789abcdef"' "$attributes" # 1.9
	records 'stack|labels' | same - "$dir/want"
	profile '2 { 1: 2 2: [7] 3: [1] } 7: [5] 8: "0123456789abcdef"' \
		"$attributes" # 1.8
	records 'stack|labels' | same - "$dir/want"
	records desc | grep -F '["desc","comment","b"]'
	profile '2 { 1: 2 2: [7] }' # values are required: this is 1.9, too
	records stack | same - <(echo '["stack",2,1,[7]]')
}

@test "otlp: names the version of older files" {
	old='1 { 2 { 2 { 1 { 1: 1 2: 2 } 2 { 1: 0 2: 2 3: [7] }'
	message <<<"$old 3: [1 2] 4: 5 } } } 2 { $tables }"
	refuses 1 'expected version 1.8 to 1.11 of OpenTelemetry'\''s profiles, not 1.6 or 1.7' \
		-t json "$dir/in.otlp"
	message <<<"$old 4 { 1: 1 } 6 { 1: 3 } 11: 5 } } }"
	refuses 1 'not 1.4 or 1.5' -t json "$dir/in.otlp"
	message <<<'1 { 2 { 2 { 1: "0123456789abcdef" 2 raw: "\x11\x01\x01\x01\x01\x01\x01\x01\x01" 8 { 1 { 1: 1 } } } } }'
	refuses 1 'not 1.3 (v1experimental)' -t json "$dir/in.otlp"
}

@test "otlp: profiles of one name become one event, of two units two" {
	message <<<"1 { 2 { 2 { 1 { 1: 1 2: 2 } 2 { 1: 1 4: [5] } }
		2 { 1 { 1: 1 2: 2 } 2 { 1: 1 4: [6] } }
		2 { 1 { 1: 1 } 2 { 1: 2 4: [1 2] } } } } 2 { $tables }"
	records 'event|stack' >"$dir/got"
	same "$dir/got" - <<-'E'
	["event",0,"cpu","","ns","stated",false]
	["event",1,"cpu_2","","","stated",false]
	["stack",1,1,[11]]
	["stack",2,2,[0,3]]
	E
}

@test "otlp: negative values" {
	profile '2 { 1: 1 4: [-5 2] } 2 { 1: 2 4: [9] }'
	records 'event|stack' >"$dir/got"
	same "$dir/got" - <<-'E'
	["event",0,"cpu","","ns","stated",true]
	["stack",1,2,[-3]]
	["stack",2,1,[9]]
	E
	"$CGCONV" -q -t otlp -o "$dir/out.otlp" "$dir/in.otlp"
	records 'event|stack' "$dir/out.otlp" | sed 's/,1,2,/,1,1,/' |
		same - <(sed 's/,1,2,/,1,1,/' "$dir/got")
}

@test "otlp: attributes of all types become labels" {
	profile '2 { 1: 1 2: [1 2 3 4 5 6 7 8 9] 4: [1] }' '6 { }
		6 { 1: 7 2 { 1: "text" } } 6 { 1: 3 2 { 2: 1 } }
		6 { 1: 4 2 { 3: -7 } 3: 2 }
		6 { 1: 5 2 { 4 raw: "\x21\x00\x00\x00\x00\x00\x00\xf8\x3f" } }
		6 { 1: 6 2 { 5 { 1 { 1: "one" } 1 { 1: "two" } } } }
		6 { 1: 1 2 { 7: "\x01\xff" } } 6 { 1: 2 2 { 8: 4 } }
		6 { 1: 8 2 { 6 { 1 { 1: "k" } } } } 6 { 1: 9 2 { 3: 33 } }
		5: "map" 5: "thread.id"'
	records 'labels|stack' >"$dir/got"
	same "$dir/got" - <<-'E'
	["labels",1,["b","1.5"],["cpu","01ff"],["key","text"],["main","true"],["nanoseconds","a"],["x.c","one"],["x.c","two"],["a","",-7,"nanoseconds"],["tid","",33]]
	["stack",1,1,[1],1]
	E
	"$CGCONV" -t json "$dir/in.otlp" 2>&1 >"$dir/out" |
		grep 'note: dropped attributes that are maps or nested lists: 1'
	"$CGCONV" -q -t otlp -o "$dir/out.otlp" "$dir/in.otlp"
	records 'labels|stack' "$dir/out.otlp" | same - "$dir/got"
}

@test "otlp: attributes of several resources become labels" {
	one='2 { 2 { 1 { 1: 1 2: 2 } 2 { 1: 1 4: [5] } } }'
	resource='1 { 1 { 1: "service.name" 2 { 1: "a" } } 1 { 3: 7 2 { 1: "v" } } }'
	message <<<"1 { $resource $one } 1 { $resource $one } 2 { $tables }"
	records 'desc|stack' >"$dir/got"
	same "$dir/got" - <<-'E'
	["desc","service.name","a"]
	["desc","key","v"]
	["stack",1,2,[10]]
	E
	message <<<"1 { $resource $one } 1 {
		1 { 1 { 1: \"process.pid\" 2 { 3: 70 } } } $one } 2 { $tables }"
	records 'part|desc|labels|stack' >"$dir/got"
	same "$dir/got" - <<-'E'
	["labels",1,["key","v"],["service.name","a"]]
	["labels",2,["pid","",70]]
	["part",0,0,0,""]
	["stack",1,1,[5],1]
	["stack",1,1,[5],2]
	E
	"$CGCONV" -q --part-by pid -t json "$dir/in.otlp" | grep '^."part",70'
}

@test "otlp: a timestamp without a value counts 1" {
	profile "2 { 1: 1 5: \"$(printf '\\x%s' 05 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00)\" }"
	records 'stack|track|moment' >"$dir/got"
	same "$dir/got" - <<-'E'
	["stack",1,2,[2]]
	["track",0,0,"","","ns",false,3,5]
	["moment",0,1,[1]]
	["moment",2,1,[1]]
	E
}

@test "otlp: samples of perf keep threads and times" {
	file=samples/perf-script/fields/header.perf
	"$CGCONV" -q -t otlp -o "$dir/out.otlp" $file
	"$CGCONV" --verify $file "$dir/out.otlp"
	records 'track|moment' $file >"$dir/want"
	[ "$(wc -l <"$dir/want")" -gt 15 ]
	records 'track|moment' "$dir/out.otlp" | same - "$dir/want"
	"$CGCONV" -q --part-by tid -t json "$dir/out.otlp" | grep '^."part"' >"$dir/got"
	"$CGCONV" -q --part-by tid -t json $file | grep '^."part"' >"$dir/want"
	same "$dir/want" "$dir/got"
	for key in thread.id process.executable.name; do
		grep -q $key "$dir/out.otlp"
	done
	# Where two samples of an event could have a time, none is written.
	profile "2 { 1: 1 2: [1] 4: [5] 5: \"$(printf '\\x01%.0s' 1 2 3 4 5 6 7 8)\" }
		2 { 1: 1 4: [6] 5: \"$(printf '\\x02%.0s' 1 2 3 4 5 6 7 8)\" }" \
		'6 { } 6 { 1: 7 2 { 1: "x" } }'
	"$CGCONV" -t otlp -o "$dir/out.otlp" "$dir/in.otlp" 2>"$dir/err"
	grep 'warning: not all costs of cpu have times' "$dir/err"
	records 'stack|labels' >"$dir/want"
	records 'stack|labels' "$dir/out.otlp" | same - "$dir/want"
}

@test "otlp: the dictionary may come first, and files may be concatenated" {
	profiles='1 { 2 { 2 { 1 { 1: 1 2: 2 } 2 { 1: 2 4: [5] } } } }'
	message <<<"$profiles 2 { $tables }"
	cp "$dir/in.otlp" "$dir/one.otlp"
	echo '["stack",2,1,[5]]' >"$dir/want"
	records stack | same - "$dir/want"
	message <<<"2 { $tables } $profiles"
	records stack | same - "$dir/want"
	cat "$dir/in.otlp" "$dir/in.otlp" >"$dir/two.otlp"
	echo '["stack",2,2,[10]]' >"$dir/want"
	records stack "$dir/two.otlp" | same - "$dir/want"
	cat "$dir/one.otlp" "$dir/one.otlp" >"$dir/two.otlp"
	records stack "$dir/two.otlp" | same - "$dir/want"
}

@test "otlp: the main event is the first profile" {
	"$CGCONV" -q -t otlp -o "$dir/out.otlp" samples/pprof/cpu/cpu.pb.gz
	records event "$dir/out.otlp" | head -n 1 | grep '"cpu"'
	"$CGCONV" -q -t folded "$dir/out.otlp" | same - \
		<("$CGCONV" -q -t folded samples/pprof/cpu/cpu.pb.gz)
}

@test "otlp: bytes that are no UTF-8 are written as U+FFFD" {
	printf 'ma\377in 5\n' >"$dir/in.folded"
	"$CGCONV" -q -t otlp -o "$dir/out.otlp" "$dir/in.folded"
	LC_ALL=C grep -q "$(printf 'ma\357\277\275in')" "$dir/out.otlp"
}

@test "otlp: other signals and profile.proto are not claimed" {
	message <<-'E' # a span
	1 { 1 { } 2 { 2 { 1: "0123456789abcdef" 2: "01234567" 5: "name" 6: 1 } } }
	E
	not "$CGCONV" --detect "$dir/in.otlp"
	message <<-'E' # a metric
	1 { 1 { } 2 { 2 { 1: "requests" 2: "how many" 3: "1" 7 { 1 { 3: 5 } } } } }
	E
	not "$CGCONV" --detect "$dir/in.otlp"
	for file in $(samples pprof); do
		"$CGCONV" --detect "$file" | grep -q '	pprof	'
	done
	# Of a long file only the begin is looked at.
	{
		echo '1 { 2 { 2 { 1 { 1: 1 2: 2 }'
		for ((i = 0; i < 12000; i++)); do echo '2 { 1: 1 4: [5] }'; done
		echo "} } } 2 { $tables }"
	} | perl tests/oracle/proto.pl >"$dir/in.otlp"
	[ "$(wc -c <"$dir/in.otlp")" -gt 80000 ]
	"$CGCONV" --detect "$dir/in.otlp" | grep '	otlp	-	80$'
	records stack | same - <(echo '["stack",1,12000,[60000]]')
}

# refused MESSAGE PROFILE [TABLES]
refused()
{
	profile "$2" "$3"
	refuses 1 "$1" -f otlp -t json "$dir/in.otlp"
}

@test "otlp: rejects invalid references" {
	refused 'expected stack 9 in a table of 3' '2 { 1: 9 4: [1] }'
	refused 'expected stack -1 in a table of 3' '2 { 1: -1 4: [1] }'
	refused 'expected location 9 in a table of 4' '2 { 1: 3 4: [1] }' \
		'7 { 1: [9] }'
	refused 'expected attribute 4 in a table of 0' '2 { 1: 1 2: [4] 4: [1] }'
	refused 'expected link 4 in a table of 0' '2 { 1: 1 3: 4 4: [1] }'
	refused 'expected function 9 in a table of 4' '2 { 1: 3 4: [1] }' \
		'2 { 3 { 1: 9 } } 7 { 1: [4] }'
	refused 'expected mapping 9 in a table of 1' '2 { 1: 3 4: [1] }' \
		'2 { 1: 9 } 7 { 1: [4] }'
	refused 'expected text 99 in a table of 8' '2 { 1: 3 4: [1] }' \
		'2 { 3 { 1: 4 } } 3 { 1: 99 } 7 { 1: [4] }'
	message <<<'1 { 2 { 2 { 1 { } 2 { 1: 1 4: [1] } } } }'
	refuses 1 'expected stack 1 in a table of 0' -t json "$dir/in.otlp"
	message <<<'1 { 2 { 2 { 1 { } 2 { 4: [1] } } } } 2 { 5: "x" }'
	refuses 1 'expected "" as the first text' -t json "$dir/in.otlp"
}

@test "otlp: rejects malformed messages" {
	refused 'as many values as timestamps' \
		"2 { 1: 1 4: [1 2] 5: \"$(printf '\\x01%.0s' 1 2 3 4 5 6 7 8)\" }"
	refused 'values that add up to 64 bits' \
		'2 { 1: 1 4: [9223372036854775807 1] }'
	refused 'expected numbers' '2 { 1: 1 4: [1] 5: "123" }'
	refused 'the value of an attribute' '2 { 1: 1 2: [1] 4: [1] }' \
		'6 { } 6 { 1: 7 2 { 3: "x" } }'
	# A number where bytes are expected says nothing about bytes.
	refused 'the value of an attribute' '2 { 1: 1 2: [1] 4: [1] }' \
		'6 { } 6 { 1: 7 2 { 5: 99 } }'
	refused 'expected a field of a location' '2 { 1: 3 4: [1] }' \
		'2 { 2: "x" } 7 { 1: [4] }'
	refused 'a whole field of a message' '2 { 1: 3 4: [1] }' \
		'2 { 3: "\x08" } 7 { 1: [4] }'
	refused 'expected a profile of OpenTelemetry' '2 { 1: "x" 4: "y" }'
	for cut in 1 100 400 700 877; do
		head -c $cut $agent >"$dir/cut.otlp"
		refuses 1 'expected' -f otlp -t json "$dir/cut.otlp"
	done
}

@test "otlp: tells what is lost" {
	message <<<"1 { 3: \"http://schema\" 1 { 2: 3 } 2 { 2 { 1 { 1: 1 2: 2 }
		2 { 1: 3 4: [5] } 9: \"jfr\" 10: \"bytes\" } } }
		2 { $tables 2 { 3 { 1: 1 2: 10 3: 4 } } 7 { 1: [4] } }"
	"$CGCONV" -t json "$dir/in.otlp" 2>"$dir/err" >"$dir/out"
	for text in 'columns of lines: 1' 'original payloads: 1' 'schema URLs: 1'; do
		grep "note: dropped $text" "$dir/err"
	done
	grep 'note: the profiler dropped 3 attributes' "$dir/err"
}

# Prints TEXT with %d as each of the numbers 1 to 3000.
times()
{
	perl -e 'printf "$ARGV[0] ", $_ for 1 .. 3000' "$1"
}

@test "otlp: inlined code and labels expand as far as the size of the file allows" {
	local message='expected fewer inlined frames and labels'

	# 3000 levels of inlined code are as good as 3.
	profile '2 { 1: 3 4: [1] }' "2 { $(times '3 { 1: 2 }') } 7 { 1: [4] }"
	[ "$(records frame | wc -l)" -eq 3000 ]
	# But not 3000 times on one stack.
	refused "$message" '2 { 1: 3 4: [1] }' \
		"2 { $(times '3 { 1: 2 }') } 7 { 1: [$(times 4)] }"
	# 3000 samples, each with 3000 labels in common and one of its own.
	refused "$message" "$(times '2 { 1: 1 2: [1 %d] 4: [1] }')" \
		"6 { } 6 { 1: 7 2 { 5 { $(times '1 { 3: 1 }') } } }
		$(times '6 { 1: 7 2 { 3: %d } }')"
}

# json ATTRIBUTE SAMPLE: a profile of cpu as JSON, with a label and a sample.
json()
{
	cat <<-E
	{"resourceProfiles":[{"resource":{"attributes":[$1]},"scopeProfiles":[{
	"profiles":[{"sampleType":{"typeStrindex":1,"unitStrindex":2},
	"samples":[$2]}]}]}],
	"dictionary":{"stringTable":["","cpu","nanoseconds","main","key"],
	"locationTable":[{},{"lines":[{"functionIndex":1,"line":"10"}]}],
	"functionTable":[{},{"nameStrindex":3}],
	"attributeTable":[{},{"keyStrindex":4,"value":{"stringValue":"\u00e4\n"}}],
	"stackTable":[{},{"locationIndices":[1]}]}}
	E
}

@test "otlp: JSON and sized messages have the data of protocol buffers" {
	"$CGCONV" -q -t json $agent >"$dir/binary"
	for file in samples/otlp/json/profile.json samples/otlp/sized/profile.sized; do
		"$CGCONV" --detect $file | cut -f 2 | says otlp
		"$CGCONV" -q -t json $file | same "$dir/binary" -
	done
	{
		perl -e '$n = $ARGV[0];
			do { $b = $n & 127; $n >>= 7;
				print chr($b | ($n ? 128 : 0)) } while $n' \
			"$(wc -c <$agent)"
		cat $agent
	} >"$dir/delimited"
	"$CGCONV" --detect "$dir/delimited" | cut -f 2 | says otlp
	"$CGCONV" -q -t json "$dir/delimited" | same "$dir/binary" -
	# Several messages: one in each line, or each after its size.
	cat $agent $agent >"$dir/two.otlp"
	"$CGCONV" -q -t json "$dir/two.otlp" >"$dir/binary"
	for file in samples/otlp/json/profile.json \
		samples/otlp/sized/profile.sized "$dir/delimited"; do
		cat $file $file >"$dir/two"
		"$CGCONV" -q -t json "$dir/two" | same "$dir/binary" -
	done
}

@test "otlp: JSON has numbers as strings, any order, nulls, all kinds of values" {
	json '{"key":"a","value":{"intValue":"-7"}},
		{"value":{"doubleValue":0.5},"key":"b"},
		{"key":"c","value":{"boolValue":true}},
		{"key":"d","value":{"bytesValue":"AQL/"}},
		{"key":"e","value":{"arrayValue":{"values":[{"stringValue":"x"},
			{"intValue":4294967296}]}}}' \
		'{"values":["5",6],"stackIndex":1,"attributeIndices":null,
		"linkIndex":0},{"stackIndex":1,"values":["9223372036854775807"],
		"attributeIndices":[1]}' >"$dir/in.json"
	"$CGCONV" -q -t json "$dir/in.json" >"$dir/json"
	grep '^\["stack"\|^\["desc"\|^\["frame"\|^\["labels"' "$dir/json" | says \
		'["frame",1,0,1,0,10,0]' \
		'["labels",1,["key","ä\n"]]' \
		'["desc","a","-7"]' '["desc","b","0.5"]' '["desc","c","true"]' \
		'["desc","d","0102ff"]' '["desc","e","x"]' \
		'["desc","e","4294967296"]' '["stack",1,2,[11]]' \
		'["stack",1,1,[9223372036854775807],1]'
	sed 's/"typeStrindex"/"newName":{"x":[1]},&/' "$dir/in.json" >"$dir/new"
	"$CGCONV" -q -t json "$dir/new" 2>&1 | same "$dir/json" -
	"$CGCONV" -t json "$dir/new" 2>&1 >"$dir/out" |
		grep -q 'new:[0-9]*:[0-9]*: warning: skipped a member that is not known: newName'
	# Version 1.8: other names, comments.
	sed 's/"samples"/"commentStrindices":[4],"sample"/; s/"lines"/"line"/' \
		"$dir/in.json" >"$dir/old"
	"$CGCONV" -q -t json "$dir/old" | grep -v '"comment"\|"end"' |
		same <(grep -v '"end"' "$dir/json") -
	"$CGCONV" -q -t json "$dir/old" | grep -qF '["desc","comment","key"]'
}

@test "otlp: malformed JSON and sizes are refused" {
	bad() { # MEMBER MESSAGE
		json '' "{\"stackIndex\":1,$1}" >"$dir/in.json"
		refuses 1 "$2" -t json "$dir/in.json"
	}
	bad '"values":[1.5]' 'in.json:3:38: error: expected a whole number'
	bad '"values":["x"]' 'expected a whole number'
	bad '"values":7' 'expected a list'
	bad '"linkIndex":{}' 'expected a whole number'
	bad '"locationsStartIndex":3' 'not an older one'
	json '{"key":"a","value":{"bytesValue":"?"}}' '' >"$dir/in.json"
	refuses 1 'expected base64' -t json "$dir/in.json"
	json '' '' | sed 's/\[{},{"nameStrindex":3}\]/[7]/' >"$dir/in.json"
	refuses 1 'expected an object' -t json "$dir/in.json"
	json "$(perl -e 'print "{\"key\":\"a\",\"value\":",
		"{\"arrayValue\":{\"values\":[" x 40, "]}}" x 40, "}"')" '' \
		>"$dir/in.json"
	refuses 1 'expected fewer levels' -t json "$dir/in.json"
	head -c 700 samples/otlp/json/profile.json >"$dir/in.json"
	refuses 1 'in.json:1:701: error' -f otlp -t json "$dir/in.json"
	head -c 700 samples/otlp/sized/profile.sized >"$dir/in"
	refuses 1 'expected a profile of OpenTelemetry' -f otlp -t json "$dir/in"
	{
		cat samples/otlp/sized/profile.sized
		printf '\0\0\1\0x'
	} >"$dir/in"
	refuses 1 'expected a size, and a message of it' -t json "$dir/in"
	printf '\0\0\1\0\x28\xb5\x2f\xfdxxxxxxxx' >"$dir/in"
	refuses 1 'not each compressed by zstd' -t json "$dir/in"
}

@test "otlp: a message that begins as JSON does is a message" {
	# A field of 123 bytes begins with a newline and a brace.
	file=samples/folded/shapes/shapes.folded
	"$CGCONV" -q -t otlp $file -o "$dir/in.otlp"
	head -c 2 "$dir/in.otlp" >"$dir/head"
	printf '\n{' | same - "$dir/head"
	"$CGCONV" -q -t folded $file >"$dir/want"
	"$CGCONV" -q -t folded "$dir/in.otlp" | same "$dir/want" -
}

@test "otlp: JSON is read in pieces, and may begin with a newline" {
	file=samples/otlp/json/profile.json
	{ echo; cat $file; } >"$dir/blank"
	"$CGCONV" -q -t json $file >"$dir/want"
	"$CGCONV" -q -t json "$dir/blank" | same "$dir/want" -
	for _ in {1..100}; do cat $file; done >"$dir/many"
	"$CGCONV" -q -t json "$dir/many" | grep -F '["total"' |
		same <(echo '["total",[700,7500000000]]') -
}

@test "otlp: an object without a dictionary does not use that of the next line" {
	line='{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"sampleType":{"typeStrindex":1},"samples":[{"stackIndex":1,"values":[5]}]}]}]}]'
	printf '%s}\n%s,"dictionary":{"stringTable":["","n"]}}\n' "$line" "$line" \
		>"$dir/in"
	refuses 1 'expected text 1 in a table of 0' -t folded "$dir/in"
	echo '{"resourceProfiles":[{"resource":{"attributes":[{"key":"a","value":{"boolValue":"true"}}]},"scopeProfiles":[]}],"dictionary":{"mappingTable":[]}}' \
		>"$dir/in"
	refuses 1 'expected true or false' -t json "$dir/in"
}

@test "otlp: JSON after many blanks is recognised and read" {
	"$CGCONV" -t json samples/otlp/json/profile.json >"$dir/want"
	for n in 4090 4096 65536 300000; do
		{ printf "%$((n / 2))s" && printf "%$((n / 2))s" | tr ' ' '\n' &&
			cat samples/otlp/json/profile.json; } \
			>"$dir/blanks"
		"$CGCONV" -t json "$dir/blanks" | same - "$dir/want"
	done
	# Blanks only are no profile.
	printf '%300000s' >"$dir/blanks"
	refuses 1 "unknown input format" "$dir/blanks"
	refuses 1 "expected a profile of OpenTelemetry" -f otlp "$dir/blanks"
}
