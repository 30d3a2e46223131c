# memray.bats - allocations of Python programs by memray, as CSV.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	file=samples/memray/work/work.memray.csv
}

# sums COLUMN: what the rows of the sample say, for folded stacks.
sums()
{
	cat <<-EOF | awk -v column="$1" '{ n = $column; $1 = $2 = ""; print substr($0, 3), n }' | LC_ALL=C sort
	1048576 1 <module>;main;run;fill
	65536 16 <module>;main;run;fill;dumps
	3000 3 <module>;main;run;fill;Table<int, char>::add(int, "x");operator|(Flags, Flags)
	1024 5 Thread._bootstrap;Worker.run;leaf
	77 2 [unknown]
	1 1 <module>;main;run;?
	EOF
}

@test "memray: stacks with both of their numbers" {
	for column in 1 2; do
		event=$([ $column = 1 ] && echo bytes || echo allocations)
		sums $column >"$dir/want"
		"$CGCONV" -q -t folded --event $event $file |
			LC_ALL=C sort >"$dir/got"
		same "$dir/want" "$dir/got"
	done
}

@test "memray: lines, threads and allocators" {
	"$CGCONV" -q -t json $file >"$dir/out"
	grep -qF '"Table<int, char>::add(int, \"x\")"' "$dir/out"
	grep -qF '"operator|(Flags, Flags)"' "$dir/out"
	grep '^\["labels"' "$dir/out" | cut -d, -f 3- | LC_ALL=C sort | says \
		'["allocator","MALLOC"],["thread","MainThread"],["tid","",139836]]' \
		'["allocator","MALLOC"]]' \
		'["allocator","MMAP"],["thread","MainThread"],["tid","",139836]]' \
		'["allocator","PYMALLOC_MALLOC"],["thread","MainThread"],["tid","",139836]]' \
		'["allocator","PYMALLOC_MALLOC"],["thread","Thread-1 (run)"],["tid","",139999]]'
	# A name with ';', too.
	sed 's/<int, char>/<int;char>/' $file | "$CGCONV" -q -t json - |
		grep -qF '"Table<int;char>::add(int, \"x\")"'
	"$CGCONV" -q -t callgrind $file >"$dir/out"
	perl tests/oracle/callgrind.pl --all-parts-as-one "$dir/out" |
		grep -q 'work.py.*fill.*12.*bytes=1048576'
}

@test "memray: malformed and truncated tables" {
	sed '2s/,1048576,/,many,/' $file >"$dir/in"
	refuses 1 'in:2: error: expected numbers of bytes and allocations in columns 3 and 2' \
		-t json "$dir/in"
	sed '2s/;44//' $file >"$dir/in"
	refuses 1 "in:2: error: expected 'function;file;line' on a stack" \
		-t json "$dir/in"
	sed '2s/,139836,.*//' $file >"$dir/in"
	refuses 1 'expected 6 columns' -t json "$dir/in"
	sed '1s/stack_trace/trace/' $file >"$dir/in"
	refuses 1 'expected a column stack_trace' -t json "$dir/in"
	printf %s "$(cat $file)" >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -F 'the file may be truncated'
}
