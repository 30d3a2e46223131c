# ghc.bats - profiles of Haskell programs by GHC, as a table and as JSON.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# stacks FILE EVENT LINE...: FILE has these stacks.
stacks()
{
	local file=$1 event=$2

	shift 2
	"$CGCONV" -q -t folded --event "$event" "$file" |
		same - <(printf '%s\n' "$@")
}

@test "ghc: the table of -P has exact times and bytes" {
	file=samples/ghc/exact/work.prof
	[ "$("$CGCONV" --detect $file | cut -f 2,4)" = 'ghc	100' ]
	stacks $file ns \
		'MAIN.MAIN;Main.CAF;Main.main;Main.count;Main.count.\ 12000000' \
		'MAIN.MAIN;Main.CAF;Main.main;Main.été;Main.fib 49000000' \
		'MAIN.MAIN;Main.CAF;Main.main;Main.été;Main.fib;Main.left_side 74000000'
	"$CGCONV" --info $file | grep '^  bytes  *128,930,928 bytes'
	"$CGCONV" -q -t json $file >"$t/json"
	grep -F '"Main.fib"' "$t/json"
	grep -F '"work.hs"' "$t/json"
	# Entries are calls, from Main.été.
	"$CGCONV" -q -t callgrind $file | grep -x 'calls=1664049 .*'
}

@test "ghc: the table of -p has percentages, which a note tells" {
	file=samples/ghc/percent/work.prof
	total=$(sed -n 's/.*(\([0-9]*\) ticks.*/\1/p' $file)
	"$CGCONV" -t folded --event ns $file 2>"$t/err" >"$t/out"
	grep 'note: times and bytes are percentages with one digit' "$t/err"
	# A tenth of a percent is a thousandth of all ticks.
	want=$(awk -v n="$total" '/left_side/ && NF == 9 {
		printf "%d", $6 * n * 10000 + 0.5 }' $file)
	grep "Main.left_side $want\$" "$t/out"
}

@test "ghc: JSON has the same stacks as its tree of ids" {
	file=samples/ghc/json/work.prof
	[ "$("$CGCONV" --detect $file | cut -f 2,4)" = 'ghc	100' ]
	perl -MJSON::PP -CO -0777 -ne '$d = decode_json($_);
		$name{$$_{id}} = "$$_{module}.$$_{label}"
			for @{$$d{cost_centres}};
		sub walk {
			my ($n, @s) = @_;
			push @s, $name{$$n{id}};
			print join(";", @s), " ", $$n{alloc}, "\n"
				if $$n{alloc};
			walk($_, @s) for @{$$n{children}};
		}
		walk($$d{profile})' $file | LC_ALL=C sort >"$t/want"
	[ "$(wc -l <"$t/want")" -ge 10 ]
	"$CGCONV" -q -t folded --event bytes $file | LC_ALL=C sort |
		same "$t/want" -
	ticks=$(sed -n 's/^"total_ticks": \([0-9]*\),/\1/p' $file)
	"$CGCONV" --info $file | tr -d , | grep "^  ns  *${ticks}000000 ns"
}

@test "ghc: reads tables of GHC 7, which have no SRC" {
	printf '%s\n' '	total time  =  0.08 secs   (4 ticks @ 20 ms)' \
		'	total alloc =       1,000 bytes' '' \
		'                            individual   inherited' \
		'COST CENTRE MODULE  no. entries  %time %alloc   %time %alloc' '' \
		'MAIN        MAIN      1       0    0.0   50.0   100.0  100.0' \
		' work       Main      2       3  100.0   50.0   100.0   50.0' \
		>"$t/old.prof"
	stacks "$t/old.prof" ns 'MAIN.MAIN;Main.work 80000000'
	stacks "$t/old.prof" bytes 'MAIN.MAIN 500' 'MAIN.MAIN;Main.work 500'
}

@test "ghc: malformed profiles are refused" {
	file=samples/ghc/exact/work.prof
	sed 's/^  count  /   count /' $file >"$t/in"
	refuses 1 'expected at most 2 blanks before a cost centre' -t json "$t/in"
	sed 's/1441608$/x/' $file >"$t/in"
	refuses 1 'expected a cost centre, its module and 8 numbers' \
		-t json "$t/in"
	sed '/total time/d' $file >"$t/in"
	refuses 1 'expected the line "total time" before the table' \
		-t json "$t/in"
	head -n 12 $file >"$t/in"
	refuses 1 'expected a table of cost centres and entries' -t json "$t/in"
	sed 's/"id": 148, "entries"/"id": 9148, "entries"/' \
		samples/ghc/json/work.prof >"$t/in"
	refuses 1 'expected the id of one of the cost_centres' -t json "$t/in"
	sed '/tick_interval/d' samples/ghc/json/work.prof >"$t/in"
	refuses 1 'expected tick_interval before the profile' -t json "$t/in"
}
