# sleepy.bats - profiles of Very Sleepy.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# archive SYMBOLS STACKS [THREADS]: a profile of these members.
archive()
{
	needs zip
	mkdir -p "$dir/members"
	printf 'Filename: a.exe\n' >"$dir/members/Stats.txt"
	printf '%s\n' "$1" >"$dir/members/Symbols.txt"
	printf '%s\n' "$2" >"$dir/members/Callstacks.txt"
	printf '%b' "${3:-1\n\n}" >"$dir/members/Threads.txt"
	(cd "$dir/members" && rm -f ../in.sleepy &&
		zip -q ../in.sleepy Stats.txt Symbols.txt Callstacks.txt \
			Threads.txt)
}

@test "sleepy: stacks, seconds and lines" {
	in=samples/sleepy/stacks/app.sleepy
	"$CGCONV" --detect $in | grep -qF '	sleepy	'
	"$CGCONV" -t folded $in 2>"$dir/err" | says '[77A0ABCD] 93750000' \
		'main 250000000' 'main;parse<"x"> 15000' \
		'main;parse<"x">;RtlAllocateHeap 625000000'
	[ ! -s "$dir/err" ]
	"$CGCONV" -q -t json $in >"$dir/json"
	grep -qF '"C:/src/app.cpp"' "$dir/json"
	# main() calls parse() on line 12, which calls RtlAllocateHeap() on 40.
	grep '^\["frame"' "$dir/json" | cut -d, -f 6 | sort | says 0 0 12 40 44
	grep -qxF '["total",[968765000]]' "$dir/json"
}

@test "sleepy: threads and their names" {
	"$CGCONV" -q -t folded --root-by tid samples/sleepy/stacks/app.sleepy |
		sed 's/;.* / /' | awk '{ n[$1] += $NF }
			END { for (t in n) printf "%s %.0f\n", t, n[t] }' |
		sort | says 'tid=4210 812500000' 'tid=4300 156265000'
	"$CGCONV" -q -t json --part-by tid samples/sleepy/stacks/app.sleepy |
		grep -qF 'Main Thread'
}

@test "sleepy: malformed members" {
	archive '0x10 "a" "f" "a.c" 1' ' 0x10
 1 0.5'
	"$CGCONV" -q -t folded "$dir/in.sleepy" | says 'f 500000000'
	archive '0x10 "a" "f"' ' 0x10'
	refuses 1 'expected an address, a module, a function and a file' \
		-t json "$dir/in.sleepy"
	archive '0x10 "a" "f" "a.c" 1' ' 0x11
 1 0.5'
	refuses 1 'expected an address of Symbols.txt' -t json "$dir/in.sleepy"
	archive '0x10 "a" "f" "a.c" 1' '3 0x10
'
	refuses 1 'as Very Sleepy writes them since 0.91' -t json "$dir/in.sleepy"
	archive '0x10 "a" "f" "a.c" 1' ' 0x10
 1'
	refuses 1 'expected threads with their seconds' -t json "$dir/in.sleepy"
	archive '0x10 "a" "f" "a.c" 1' ' 0x10'
	refuses 1 'expected a second line' -t json "$dir/in.sleepy"
	archive '0x10 "a" "f" "a.c" 1' '' x
	refuses 1 'expected the id of a thread' -t json "$dir/in.sleepy"
	archive '0x10 "a" "f" "a.c" 1' ''
	"$CGCONV" -t json -o "$dir/out" "$dir/in.sleepy" 2>&1 |
		grep -qF 'the profile has no stacks'
	refuses 1 'expected a file of its own' -t json - <"$dir/in.sleepy"
	zip -q -d "$dir/in.sleepy" Symbols.txt
	refuses 1 'expected Symbols.txt in the archive' -t json "$dir/in.sleepy"
	head -c 300 samples/sleepy/stacks/app.sleepy >"$dir/in"
	refuses 1 'error: ' -f sleepy -t json "$dir/in"
}
