# go-cover.bats - cover profiles of Go.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	set=samples/go-cover/set/cover.out
	count=samples/go-cover/count/cover.out
	merged=samples/go-cover/merged/cover.out
}

# lines LINE...: the lines and counts of a profile with these lines.
lines()
{
	printf '%s\n' "$@" | "$CGCONV" -q -t lcov - | grep ^DA:
}

# refuses_lines MESSAGE LINE...
refuses_lines()
{
	local message=$1

	shift
	printf '%s\n' "$@" >"$dir/bad.out"
	refuses 1 "$message" "$dir/bad.out"
}

# by_line FILE: file, line, largest count of the blocks on it: a plain script's
# answer.
by_line()
{
	perl -ne '/^(.+):(\d+)\.\d+,(\d+)\.\d+ \d+ (\d+)$/ or next;
		for my $line ($2 .. $3) {
			my $at = \$max{$1}{$line};
			$$at = $4 if !defined $$at || $$at < $4;
		}
		END { for my $file (sort keys %max) {
			print "$file $_ $max{$file}{$_}\n"
			    for sort { $a <=> $b } keys %{$max{$file}}; } }' "$1"
}

# records FILE: the same from a conversion to lcov.
records()
{
	"$CGCONV" -q -t lcov "$1" | awk -F '[:,]' '/^SF/ { file = $2 }
		/^DA/ { print file, $2, $3 }'
}

@test "go-cover: a line has the largest count of its blocks" {
	for file in "$set" "$count"; do
		by_line "$file" >"$dir/want"
		records "$file" >"$dir/got"
		[ "$(wc -l <"$dir/want")" -ge 25 ]
		same "$dir/want" "$dir/got"
	done
}

@test "go-cover: merged profiles equal one of all tests" {
	"$CGCONV" -q -t json "$count" >"$dir/one"
	"$CGCONV" -q -t json "$merged" >"$dir/two"
	same "$dir/one" "$dir/two"
}

@test "go-cover: counts of a block are added, or combined in mode set" {
	lines 'mode: count' a.go:1.1,2.5\ 1\ 3 a.go:1.1,2.5\ 1\ 4 |
		says DA:1,7 DA:2,7
	lines 'mode: atomic' a.go:1.1,1.5\ 1\ 3 'mode: count' \
		a.go:1.1,1.5\ 1\ 4 | says DA:1,7
	lines 'mode: set' a.go:1.1,2.5\ 1\ 1 a.go:1.1,2.5\ 1\ 0 \
		a.go:1.1,2.5\ 1\ 1 | says DA:1,1 DA:2,1
	# Another block on the same line is not added.
	lines 'mode: count' a.go:1.1,2.5\ 1\ 3 a.go:2.5,3.1\ 1\ 4 |
		says DA:1,3 DA:2,4 DA:3,4
}

@test "go-cover: blocks nest, overlap, leave gaps, come in any order" {
	lines 'mode: count' a.go:9.1,9.2\ 1\ 1 a.go:1.1,6.1\ 1\ 2 \
		a.go:2.1,4.1\ 1\ 5 a.go:3.1,3.9\ 1\ 9 a.go:5.1,7.1\ 1\ 1 \
		b.go:2.1,2.2\ 1\ 0 a.go:4.1,5.1\ 1\ 3 |
		says DA:1,2 DA:2,5 DA:3,9 DA:4,5 DA:5,3 DA:6,2 DA:7,1 DA:9,1 \
			DA:2,0
	perl -e 'srand 1; print "mode: count\n";
		for (1 .. 3000) {
			my $line = 1 + int rand 2000;
			printf "a.go:%d.%d,%d.%d 1 %d\n", $line, $_,
			    $line + int rand 40, $_, rand 1000;
		}' >"$dir/many.out"
	by_line "$dir/many.out" >"$dir/want"
	records "$dir/many.out" >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "go-cover: names contain colons and blanks, lines end in CR" {
	printf 'mode: set\r\nC:\\a b:1\\x.go:3.4,3.9 1 1\r\n' |
		"$CGCONV" -q -t lcov - | grep -E '^(SF|DA)' |
		says 'SF:C:\a b:1\x.go' DA:3,1
}

@test "go-cover: lines survive a round trip" {
	for file in "$set" "$count" samples/lcov/geninfo-2.5/coverage.info; do
		"$CGCONV" -q -t go-cover "$file" >"$dir/one.out"
		head -n 1 "$dir/one.out" | grep -qx 'mode: count'
		records "$file" >"$dir/want"
		records "$dir/one.out" >"$dir/got"
		same "$dir/want" "$dir/got"
		"$CGCONV" -q -t go-cover "$dir/one.out" >"$dir/two.out"
		same "$dir/one.out" "$dir/two.out"
	done
}

@test "go-cover: go tool cover reads the output, and agrees by line" {
	command -v go >/dev/null || skip "no go"
	mkdir "$dir/area"
	cp samples/src/area.go "$dir/area"
	# Without blocks.
	"$CGCONV" -q -t lcov "$count" | "$CGCONV" -q -t go-cover - \
		>"$dir/area/out"
	cd "$dir/area"
	export HOME=$dir GOCACHE=$dir/cache GOFLAGS=-mod=mod
	go mod init example.com/area 2>/dev/null
	go tool cover -func out >"$dir/func" || skip "go tool cover fails"
	# 17 of 27 lines
	grep -q '^total:.*63.0%$' "$dir/func"
	go tool cover -html out -o "$dir/html"
	grep -c '<span class="cov[1-9][0-9]*" title="[1-9][0-9]*">' \
		"$dir/html" >"$dir/got" || :
	awk '/<pre class="file"/ { on = 1 } on && /title="[1-9]/ { n++ }
		/<\/pre>/ { on = 0 } END { print n }' "$dir/html" | says 17
}

@test "go-cover: branches and functions are reported as lost" {
	"$CGCONV" -v -t go-cover samples/lcov/geninfo-2.5/coverage.info \
		2>&1 >"$dir/out" |
		grep -q "go-cover cannot represent: .*branches"
	refuses 3 "go-cover cannot represent: branches" --strict \
		-t go-cover samples/lcov/geninfo-2.5/coverage.info
}

@test "go-cover: errors name their location" {
	refuses_lines "bad.out:2:6: error: expected 'FILE:LINE.COLUMN,LINE" \
		'mode: set' 'a.go:1.2,3.4 1'
	refuses_lines "expected 'FILE:LINE.COLUMN" 'mode: set' a.go
	refuses_lines "expected 'FILE:LINE.COLUMN" 'mode: set' ':1.1,1.2 1 1'
	refuses_lines "expected 'FILE:LINE.COLUMN" 'mode: set' \
		'a.go:1.1,1.2 1 0x1'
	refuses_lines "expected 'FILE:LINE.COLUMN" 'mode: set' \
		'a.go:4294967296.1,4294967296.2 1 1'
	refuses_lines "expected 'FILE:LINE.COLUMN" 'mode: set' \
		'a.go:1.1,1.2 1 9223372036854775808'
	refuses_lines "expected 'FILE:LINE.COLUMN" 'mode: set' \
		'a.go:1.1,1.2 1 -1'
	refuses_lines "expected lines from 1, the last not before the first" \
		'mode: set' 'a.go:3.1,2.2 1 1'
	refuses_lines "expected lines from 1" 'mode: set' 'a.go:0.1,2.2 1 1'
	refuses_lines "bad.out:3:1: error: expected 'mode: set' as before" \
		'mode: set' 'a.go:1.1,2.2 1 1' 'mode: count'
	refuses_lines "expected 'mode: set', 'mode: count' or 'mode: atomic'" \
		'mode: set' 'mode: x'
	refuses_lines "block at 1.1,2.2, not 1 and 2" 'mode: set' \
		'a.go:1.1,2.2 1 1' 'a.go:1.1,2.2 2 1'
	refuses_lines "sum is below 2^63" 'mode: count' \
		'a.go:1.1,2.2 1 9223372036854775807' 'a.go:1.1,2.2 1 1'
}

@test "go-cover: blocks of billions of lines are refused at once" {
	refuses_lines "expected fewer lines in all blocks" 'mode: set' \
		'a.go:1.1,4294967295.2 1 1'
	lines 'mode: set' 'a.go:4294967294.1,4294967295.2 1 1' |
		says DA:4294967294,1 DA:4294967295,1
}

@test "go-cover: a last line without its end is a warning" {
	printf 'mode: set\na.go:1.1,1.2 1 1' |
		"$CGCONV" -t go-cover - 2>&1 >"$dir/out" |
		grep -q 'warning: the last line has no end'
}

@test "go-cover: markers of sources exclude lines" {
	printf 'package a\nfunc f() { // LCOV_EXCL_LINE\n}\n' >"$dir/a.go"
	printf 'mode: set\na.go:2.1,3.2 1 1\n' >"$dir/c.out"
	"$CGCONV" -q -t go-cover --sources "$dir" "$dir/c.out" |
		says 'mode: count' 'a.go:3.1,3.65535 1 1'
	"$CGCONV" -q -t go-cover --no-markers "$dir/c.out" |
		says 'mode: count' 'a.go:2.1,3.2 1 1'
	"$CGCONV" --summary "$count" | grep -q '63.0% 17/27'
}

# blocks FILE: its blocks, sorted; equal ones are summed.
blocks()
{
	perl -ne '/^(.+ \d+) (\d+)$/ and $count{$1} += $2;
		END { print map "$_ $count{$_}\n", sort keys %count }' "$1"
}

@test "go-cover: blocks are the same after a conversion, and by way of json" {
	for file in "$set" "$count" "$merged"; do
		blocks "$file" >"$dir/want"
		[ "$(wc -l <"$dir/want")" = 17 ]
		"$CGCONV" -q -t go-cover "$file" | blocks /dev/stdin |
			same - "$dir/want"
		"$CGCONV" -q -t json "$file" | "$CGCONV" -q -t go-cover - |
			blocks /dev/stdin | same - "$dir/want"
	done
	"$CGCONV" -q --info "$count" | grep -q ', 64.7% of 17 regions$'
	blocks "$count" | awk '{ all++; hit += $3 > 0 }
		END { print hit " of " all }' | says '11 of 17'
}

@test "go-cover: go tool cover shows the percentages of the original" {
	command -v go >/dev/null || skip "no go"
	mkdir "$dir/area" && cp samples/src/area.go samples/src/area_test.go "$dir/area"
	file=$PWD/$count
	cd "$dir/area"
	export GOFLAGS=-mod=mod GOCACHE="$dir/cache" GOPATH="$dir/path"
	go mod init example.com/area 2>/dev/null
	"$CGCONV" -q -t go-cover -o got.out "$file"
	go tool cover -func "$file" >want
	go tool cover -func got.out | same - want
	grep -q '^total:.*%$' want
}

@test "go-cover: lines are written if blocks do not give them" {
	printf '%s\n' 'mode: count' 'a.go:1.1,3.2 2 5' 'a.go:3.2,4.9 1 0' >"$dir/a.out"
	"$CGCONV" -q -t go-cover "$dir/a.out" | tail -n +2 |
		says 'a.go:1.1,3.2 2 5' 'a.go:3.2,4.9 1 0'
	# Lines of another run, without blocks.
	printf 'SF:a.go\nDA:3,1\nend_of_record\n' >"$dir/a.info"
	"$CGCONV" -v -t go-cover "$dir/a.out" "$dir/a.info" 2>"$dir/err" |
		tail -n +2 | says a.go:1.1,1.65535\ 1\ 5 a.go:2.1,2.65535\ 1\ 5 \
		a.go:3.1,3.65535\ 1\ 6 a.go:4.1,4.65535\ 1\ 0
	grep -q 'wrote a block for each line of 1 file, as regions do not' "$dir/err"
	# A line that is excluded.
	printf '%s\n' a '// LCOV_EXCL_LINE' c d >"$dir/a.go"
	"$CGCONV" -q -t go-cover --sources "$dir" "$dir/a.out" | tail -n +2 |
		says a.go:1.1,1.65535\ 1\ 5 a.go:3.1,3.65535\ 1\ 5 \
			a.go:4.1,4.65535\ 1\ 0
	# Blocks that overlap as Go's do not, and regions of another language.
	for i in {1..20}; do echo "a.go:1.$i,4.9 1 $i"; done |
		sed '1i mode: count' >"$dir/b.out"
	"$CGCONV" -q -t go-cover "$dir/b.out" | tail -n +2 | head -1 |
		says 'a.go:1.1,1.65535 1 20'
	"$CGCONV" -q -t go-cover --no-markers samples/istanbul/nyc/coverage-final.json |
		not grep -v '\.65535 1 \|^mode'
}
