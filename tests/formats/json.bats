# json.bats - cgconv's own JSON: round trips and error messages.
load ../helper

# Prints a file with these lines between the first and the last.
graph()
{
	printf '%s\n' '{"cgconv":"graph","version":1}' "$@" '["end"]'
}

# gives LINE INPUT...: the conversion of a file with these INPUT lines contains
# LINE.
gives()
{
	local line=$1

	shift
	graph "$@" | "$CGCONV" -t json >"$BATS_TEST_TMPDIR/given"
	grep -qxF -- "$line" "$BATS_TEST_TMPDIR/given" || {
		echo "expected $line in"
		cat "$BATS_TEST_TMPDIR/given"
		return 1
	}
}

# A file of these lines is refused at LINE:COLUMN.
refused()
{
	local place=$1 message=$2 file=$BATS_TEST_TMPDIR/bad.cgj

	shift 2
	graph "$@" >"$file"
	refuses 1 "bad.cgj:$place: error: $message" -t json "$file"
}

@test "json: reads a file with every kind of line" {
	golden samples/json/lines/lines.cgj json
}

@test "json: converts a small profile of callgrind" {
	golden samples/callgrind/instr-jumps/callgrind.out json
}

@test "json: every sample gives the same JSON from its JSON" {
	for file in $(samples); do
		# shellcheck disable=SC2046 # two words or none
		"$CGCONV" -t json $(exe_of "$file") "$file" \
			>"$BATS_TEST_TMPDIR/one"
		"$CGCONV" -t json "$BATS_TEST_TMPDIR/one" \
			>"$BATS_TEST_TMPDIR/two"
		same "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
	done
}

@test "json: callgrind files converted through JSON are identical" {
	for file in $(samples callgrind); do
		"$CGCONV" -t callgrind "$file" >"$BATS_TEST_TMPDIR/one"
		"$CGCONV" -t json "$file" |
			"$CGCONV" -t callgrind >"$BATS_TEST_TMPDIR/two"
		same "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
	done
}

@test "json: another parser accepts each line as JSON" {
	perl -MJSON::PP -e 1 || skip "no JSON::PP"
	for file in samples/json/lines/lines.cgj $(samples callgrind); do
		"$CGCONV" -t json "$file" | perl -MJSON::PP -ne '
			$x = decode_json($_);
			ref $x eq ($. == 1 ? "HASH" : "ARRAY") or die;
			$last = $x;
			END { $last->[0] eq "end" or die }'
	done
}

@test "json: the order of definitions makes no difference" {
	graph '["event",0,"Ir"]' '["file",1,"a.c"]' '["file",2,"b.c"]' \
		'["function",1,"f",1,0]' '["function",2,"g",2,0]' \
		'["rows",1]' '["cost",1,1,0,[1]]' '["cost",2,1,0,[2]]' \
		'["rows",2]' '["cost",2,5,0,[3]]' |
		"$CGCONV" -t json >"$BATS_TEST_TMPDIR/one"
	graph '["file",1,"b.c"]' '["function",1,"g",1,0]' '["file",2,"a.c"]' \
		'["function",2,"f",2,0]' '["event",0,"Ir"]' \
		'["rows",2]' '["cost",1,1,0,[2]]' \
		'["rows",1]' '["cost",1,5,0,[3]]' \
		'["rows",2]' '["cost",2,1,0,[1]]' |
		"$CGCONV" -t json >"$BATS_TEST_TMPDIR/two"
	same "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
}

@test "json: events of two inputs are matched by name" {
	dir=$BATS_TEST_TMPDIR
	graph '["event",0,"A"]' '["event",1,"B"]' '["rows",0]' \
		'["cost",0,1,0,[1,2]]' '["total",[1,2]]' >"$dir/one.cgj"
	graph '["event",0,"B"]' '["event",1,"C"]' '["event",2,"A"]' \
		'["rows",0]' '["cost",0,1,0,[10,20,30]]' \
		'["cost",0,2,0,[100]]' '["cost",0,3,0,[]]' \
		'["total",[110,20,30]]' >"$dir/two.cgj"
	"$CGCONV" -t json "$dir/one.cgj" "$dir/two.cgj" >"$dir/sum" 2>"$dir/err"
	[ ! -s "$dir/err" ]
	for line in '["cost",0,1,0,[31,12,20]]' '["cost",0,2,0,[0,100]]' \
		'["cost",0,3,0,[]]' '["total",[31,112,20]]'; do
		grep -qxF "$line" "$dir/sum"
	done
}

@test "json: reads numbers up to 64 bits, as numbers, strings or hexadecimal" {
	gives '["cost",0,1,18446744073709551615,[18446744073709551615]]' \
		'["event",0,"E"]' '["rows",0]' \
		'["cost",0,"1","0xffffffffffffffff",["18446744073709551615"]]'
	gives '["cost",0,1,0,[-9223372036854775808]]' \
		'["event",0,"E","","","stated",true]' '["rows",0]' \
		'["cost",0,1,0,[-9223372036854775808]]'
	gives '["cost",0,1,0,[9223372036854775807]]' \
		'["event",0,"E","","","stated",true]' '["rows",0]' \
		'["cost",0,1,0,["9223372036854775807"]]'
}

@test "json: --json-safe writes as strings what a double cannot hold" {
	graph '["event",0,"E"]' '["event",1,"D","","","stated",true]' \
		'["rows",0]' '["cost",0,1,9007199254740992,[9007199254740991]]' \
		'["cost",0,2,0,[9007199254740992,-9007199254740991]]' \
		'["cost",0,3,0,[0,-9007199254740992]]' \
		>"$BATS_TEST_TMPDIR/in"
	"$CGCONV" -t json --json-safe "$BATS_TEST_TMPDIR/in" \
		>"$BATS_TEST_TMPDIR/safe"
	for line in '["cost",0,1,"9007199254740992",[9007199254740991]]' \
		'["cost",0,2,0,["9007199254740992",-9007199254740991]]' \
		'["cost",0,3,0,[0,"-9007199254740992"]]'; do
		grep -qxF "$line" "$BATS_TEST_TMPDIR/safe"
	done
	"$CGCONV" -t json "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/one"
	"$CGCONV" -t json "$BATS_TEST_TMPDIR/safe" >"$BATS_TEST_TMPDIR/two"
	same "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
}

@test "json: names may be any bytes" {
	gives '["file",1,"\udcff\"\\\u0001\u0000é\udc80"]' \
		'["file",1,"\udcff\u0022\\\u0001\u0000\u00e9\udc80"]'
}

@test "json: omitted members are 0 or have the default of json.h" {
	gives '["event",0,"E","","","stated",false]' '["event",0,"E"]'
	gives '["part",0,0,0,""]' '["event",0,"E"]'
	gives '["part",3,0,0,""]' '["part",3]'
	gives '["function",1,"f",0,0,7,0,0]' '["function",1,"f",0,0,7]'
	gives '["total",[5]]' '["event",0,"E"]' '["rows",0]' \
		'["cost",0,0,0,[5]]'
}

@test "json: ignores blanks, empty lines and a missing last newline" {
	printf '%s' '{"cgconv":  "graph" , "version":1 }

	 [ "event" , 0 , "E" ]
["rows",0]
["cost", 0, 1, 0, [ 5 ] ]

["end"]' | "$CGCONV" -t json | grep -qxF '["cost",0,1,0,[5]]'
}

@test "json: rejects later versions, ignores unknown records" {
	dir=$BATS_TEST_TMPDIR
	echo '{"cgconv":"graph","version":2}' >"$dir/two.cgj"
	refuses 1 "two.cgj:1:29: error: JSON version 2 is newer than this \
program reads (1)" -t json "$dir/two.cgj"
	printf '%s\n' '{"cgconv":"graph","version":1,"minor":9,"x":[{"y":1}]}' \
		'["new",{"a":[1]},[]]' '["end",{"z":null}]' >"$dir/minor.cgj"
	"$CGCONV" -t json "$dir/minor.cgj" >"$dir/out" 2>"$dir/err"
	cat >"$dir/want" <<-END
	$dir/minor.cgj:1:41: warning: unknown key "x" is skipped
	$dir/minor.cgj:2:2: warning: unknown record "new" is skipped
	$dir/minor.cgj:3:9: warning: unknown key "z" is skipped
	END
	same "$dir/want" "$dir/err"
}

@test "json: ids are dense, and defined once and before use" {
	refused 2:11 'expected object id 1, got 4' '["object",4,"a"]'
	refused 3:9 'expected file id 2, got 1' '["file",1,"a"]' '["file",1,"b"]'
	refused 3:11 'expected another file: this one has id 1' \
		'["file",1,"a"]' '["file",2,"a"]'
	refused 2:11 'expected a path' '["file",1,""]'
	refused 2:15 'expected a name, a file or an object' \
		'["function",1,"",0,0]'
	refused 2:19 'expected file id up to 0' '["function",1,"f",1,0]'
	refused 2:9 'expected function id up to 0' '["rows",12]'
	refused 2:12 'expected frame id up to 0' '["frame",1,1,0,0,0,0]'
	refused 3:10 'expected column 1' '["event",0,"E"]' '["event",2,"F"]'
	refused 3:12 'expected another event: this one is column 0' \
		'["event",0,"E"]' '["event",1,"E"]'
	refused 2:2 'expected a ["rows",function] line above' \
		'["cost",0,0,0,[]]'
}

@test "json: labels are sets, their order has no meaning" {
	graph '["event",0,"n"]' '["function",1,"f",0,0]' \
		'["frame",1,0,1,0,0,0]' \
		'["labels",1,["k","","0x10"],["b","y"],["a","z"],["b","x"]]' \
		'["labels",2,["b","x"],["b","y"]]' '["stack",1,1,[5],1]' \
		'["stack",1,1,[6],2]' '["stack",1,1,[7],2]' \
		'["stack",1,1,[8]]' '["labels",3,["not","used"]]' \
		'["labels",4,["k","",-1,"ns"]]' '["stack",1,1,[9],4]' |
		"$CGCONV" -t json | grep -E '"(labels|stack)"' \
			>"$BATS_TEST_TMPDIR/got"
	same "$BATS_TEST_TMPDIR/got" - <<-'E'
	["labels",1,["a","z"],["b","y"],["b","x"],["k","",16]]
	["labels",2,["b","x"],["b","y"]]
	["labels",3,["k","",-1,"ns"]]
	["stack",1,1,[8]]
	["stack",1,1,[5],1]
	["stack",1,2,[13],2]
	["stack",1,1,[9],3]
	E
	refused 2:11 'expected label set id 1, got 2' '["labels",2,["a","b"]]'
	refused 3:13 'expected another label set: this one has id 1' \
		'["labels",1,["a","1"],["b","1"]]' \
		'["labels",2,["b","1"],["a","1"]]'
	refused 2:12 "expected '[' and a label" '["labels",1]'
	refused 2:13 "expected '[' and a label" '["labels",1,"a"]'
	refused 2:18 'expected a string' '["labels",1,["a",1]]'
	refused 2:20 'expected a number' '["labels",1,["a",""]]'
	refused 2:22 "expected ']'" '["labels",1,["a","b",1]]'
	refused 2:17 'expected label set id up to 0' '["stack",0,0,[],1]'
}

@test "json: checks the types of fields" {
	refused 2:12 'expected a name without blanks' '["event",0,"a b"]'
	refused 2:16 'expected a string without \u0000' \
		'["event",0,"E","\u0000"]'
	refused 2:22 'expected "stated", "by-counts" or "none"' \
		'["event",0,"E","","","no"]'
	refused 2:31 'expected true or false' \
		'["event",0,"E","","","stated",1]'
	refused 3:11 'expected a whole number from 0 to 4294967295' \
		'["rows",0]' '["cost",0,4294967296,0,[]]'
	refused 3:11 'expected a whole number from 0 to 4294967295' \
		'["rows",0]' '["cost",0,1e3,0,[]]'
	refused 3:13 'expected a whole number from 0 to 18446744073709551615' \
		'["rows",0]' '["cost",0,1,18446744073709551616,[]]'
	refused 4:16 'expected a whole number from 0 to 18446744073709551615' \
		'["event",0,"E"]' '["rows",0]' '["cost",0,1,0,[-1]]'
	refused 4:16 'expected a whole number from -2^63 to 2^63 - 1' \
		'["event",0,"E","","","stated",true]' '["rows",0]' \
		'["cost",0,1,0,[9223372036854775808]]'
	refused 4:18 "expected ']', as there are no more events" \
		'["event",0,"E"]' '["rows",0]' '["cost",0,1,0,[1,2]]'
	refused 3:15 "expected '[' and the costs" \
		'["rows",0]' '["cost",0,1,0,5]'
	refused 3:17 'expected "block", "arc", "call", "condition", "path" or "counter"' \
		'["rows",0]' '["branch",0,1,0,"x",0,0,1]'
	refused 3:29 'expected letters of "ftruxlne"' \
		'["rows",0]' '["branch",0,1,0,"arc",0,0,1,"fz"]'
	refused 3:17 'expected a last line that is not before the first' \
		'["rows",0]' '["region",0,2,1,1,9,1]'
	refused 3:23 'expected letters of "ftruxlne"' \
		'["rows",0]' '["region",0,1,1,1,9,1,"z"]'
	refused 3:18 "expected ']'" '["rows",0]' '["cost",0,1,0,[],1]'
	refused 3:13 'expected a number' '["rows",0]' '["cost",0,1,[]]'
	refused 3:18 "expected ']'" '["rows",0]' '["cost",0,1,0,[],[]]'
	refused 2:12 'expected a number' '["frame",1,[],0,0,0,0]'
	refused 4:13 'expected a number' '["event",0,"E"]' '["rows",0]' \
		'["jump",0,2,[1],0,0,0,0,7]'
	refused 2:10 'expected frame id 1, got 2' '["frame",2,0,0,0,0,0]'
	refused 3:12 'expected another frame: this one has id 1' \
		'["frame",1,0,0,0,0,0]' '["frame",2,0,0,0,0,0]'
	refused 4:11 'expected a time below 2^63' \
		'["track",1,1,"","","ns",false,9223372036854775807,9223372036854775807]' \
		'["frame",1,0,0,0,0,0]' '["moment",1,1]'
	refused 2:1 "expected '['" '{"a":1}'
	refused 2:2 'expected a tag' '[1]'
	refused 2:11 'expected the end' '["rows",0],'
	refused 3:1 'expected nothing after the ["end"] line' '["end"]'
}

@test "json: warns of a wrong total" {
	graph '["event",0,"E"]' '["rows",0]' '["cost",0,1,0,[5]]' \
		'["total",[6]]' | "$CGCONV" -t json 2>&1 >/dev/null |
		grep -qF 'warning: the sum of E is 5, but the input states 6'
}

@test "json: rejects a corrupt file" {
	dir=$BATS_TEST_TMPDIR
	"$CGCONV" -t json samples/json/lines/lines.cgj >"$dir/good.cgj"
	sed 's/app -x/app -y/' "$dir/good.cgj" >"$dir/bad.cgj"
	refuses 1 'the lines above were changed; to accept them, replace this line by ["end"]' \
		-t json "$dir/bad.cgj"
	sed '/Timerange/d' "$dir/good.cgj" >"$dir/bad.cgj"
	refuses 1 'the number of lines above' -t json "$dir/bad.cgj"
	sed -i '$s/.*/["end"]/' "$dir/bad.cgj"
	"$CGCONV" -t json "$dir/bad.cgj" >"$dir/out"
}

@test "json: rejects a file that is truncated anywhere" {
	dir=$BATS_TEST_TMPDIR
	graph '["event",0,"E"]' '["rows",0]' '["cost",0,1,0,[5]]' |
		"$CGCONV" -t json >"$dir/good"
	size=$(wc -c <"$dir/good")
	# A missing last newline is no truncation.
	for n in $(seq 0 $((size - 2))); do
		head -c "$n" "$dir/good" >"$dir/cut.cgj"
		status=0
		"$CGCONV" -f json -t json "$dir/cut.cgj" >"$dir/out" \
			2>"$dir/err" || status=$?
		[ "$status" -eq 1 ] && [ -s "$dir/err" ] && [ ! -s "$dir/out" ]
	done
	sed '$d' "$dir/good" >"$dir/cut.cgj"
	refuses 1 'expected the ["end"] line: the file is truncated' \
		-t json "$dir/cut.cgj"
}

@test "json: regions of one place and kind are summed, others stay apart" {
	regions='["region",1,3,5,3,9,2]
["region",1,3,5,3,9,4,"","2"]
["region",1,3,5,3,9,0,"f"]
["region",1,3,5,3,8,1]
["region",1,3,5,4,2,0]
["region",1,9,1,9,0,7,"nu"]'
	{
		echo '{"cgconv":"graph","version":1}'
		echo '["event",0,"Exec","","","none",true]'
		echo '["file",1,"a.c"]' && echo '["function",1,"f",1,0]'
		echo '["rows",1]' && echo '["cost",1,3,0,[6]]'
		echo "$regions" && echo '["end"]'
	} >"$dir/in.cgj"
	"$CGCONV" -q -t json "$dir/in.cgj" >"$dir/out.cgj"
	head -1 "$dir/out.cgj" | grep -q '"minor":2'
	grep region "$dir/out.cgj" | says '["region",1,3,5,3,8,1]' \
		'["region",1,3,5,3,9,6,"","2"]' '["region",1,3,5,3,9,0,"f"]' \
		'["region",1,3,5,4,2,0]' '["region",1,9,1,9,0,7,"un"]'
	"$CGCONV" -q -t json "$dir/in.cgj" "$dir/in.cgj" | grep region |
		says '["region",1,3,5,3,8,2]' '["region",1,3,5,3,9,12,"","2"]' \
		'["region",1,3,5,3,9,0,"f"]' '["region",1,3,5,4,2,0]' \
		'["region",1,9,1,9,0,14,"un"]'
	# Fillers and code that was left out are not counted.
	"$CGCONV" -q --info "$dir/in.cgj" | grep -q ', 66.7% of 3 regions$'
	# Other targets lose them; a difference does, too.
	refuses 3 'lcov cannot represent: regions' --strict -t lcov "$dir/in.cgj"
	"$CGCONV" -t json --diff "$dir/in.cgj" "$dir/in.cgj" 2>&1 >/dev/null |
		grep -q 'warning: a difference cannot represent: regions$'
	# Filters by path drop them with their file.
	"$CGCONV" -q -t json --exclude a.c "$dir/in.cgj" | not grep region
}

# By cgconv 1.0.0: the first and the last line depend on the version.
@test "json: files of version 1 stay readable, with all that they contain" {
	dir=$BATS_TEST_TMPDIR
	(cd tests/golden/json-version-1 && sha256sum -c --quiet) <<-END
	778f98b640160a486a888141eed2bd9fe8cf493d42a1a57a5cedf72901745494  branches.cgj
	902fdc6a66719e43bc142c0c06fa29ea8d2a1f72606373c619200274a9f3684d  calls.cgj
	91f0d5b1180e84ddcf00539b76b128b2a4a07b747e62bc916e81ef80b25359e0  jumps.cgj
	9dc8508ba246bd70a2bc4b4a56789bbdad3969940b4f009ea73aeef9fcd63059  regions.cgj
	2976ab48a73b2d061d6fcf8fd25a88f0e63666221b582cb1be6fbc8dd117d496  tracks.cgj
	END
	for file in tests/golden/json-version-1/*.cgj samples/json/lines/lines.cgj \
		samples/json/stacks/stacks.cgj; do
		head -n 1 "$file" | grep -q '^{"cgconv":"graph","version":1[,}]'
		"$CGCONV" -t json "$file" >"$dir/now" 2>"$dir/err"
		[ ! -s "$dir/err" ]
		"$CGCONV" --verify "$file" "$dir/now"
		cat "$file" >>"$dir/all"
		case $file in */json-version-1/*)
			sed "1d; \$d" "$file" | same - <(sed "1d; \$d" "$dir/now")
			;;
		esac
	done
	# Each kind of record is there.
	sed -n 's/^\["\([a-z]*\)".*/\1/p' "$dir/all" | sort -u >"$dir/kinds"
	sed -n 's/^	\[JSON_[A-Z]*\] = { "\([a-z]*\)".*/\1/p' formats/json/words.c |
		sort | comm -23 - "$dir/kinds" >"$dir/missing"
	[ ! -s "$dir/missing" ]
}
