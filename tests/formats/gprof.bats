# gprof.bats - reads and writes gmon.out files, and reports malformed ones.
load ../helper

# gmon WORD ENDIAN RECORD...: a gmon.out. Records are
#   H LOW HIGH RATE [BIN=TICKS...]   a histogram with glibc's number of bins
#   A FROM SELF COUNT                an arc
#   B WIDTH ADDR=COUNT...            basic blocks, their number WIDTH bytes
#   X HEX                            bytes
gmon()
{
	perl -e '
	my ($word, $endian) = splice @ARGV, 0, 2;
	my $o = $endian eq "big" ? ">" : "<";
	my %p = (2 => "S$o", 4 => "L$o", 8 => "Q$o");
	sub put { print pack $p{$_[0]}, $_[1] }
	sub num { $_[0] =~ /^0x/ ? hex $_[0] : $_[0] }
	binmode STDOUT;
	print "gmon"; put(4, $ENV{VERSION} // 1); print "\0" x 12;
	for (@ARGV) {
		my ($kind, @f) = split;
		if ($kind eq "H") {
			my ($low, $high, $rate) = map num($_), splice @f, 0, 3;
			my $size = int(($high - $low) / 2) + $word - 1;
			my $bins = int($size / $word) * $word / 2;
			my @bin = (0) x $bins;
			/(.*)=(.*)/ and $bin[$1] = $2 for @f;
			print "\0"; put($word, $_) for $low, $high;
			put(4, $_) for $bins, $rate;
			print pack "a15a", $ENV{DIMENSION} // "seconds", "s";
			put(2, $_) for @bin;
		} elsif ($kind eq "A") {
			print "\1"; put($word, num($_)) for @f[0, 1];
			put(4, $f[2]);
		} elsif ($kind eq "B") {
			my $width = shift @f;
			print "\2"; put($width, scalar @f);
			for (@f) { put($word, num($_)) for split /=/ }
		} else {
			print pack "H*", @f;
		}
	}' -- "$@"
}

# bsd WORD ENDIAN LENGTH-OFFSET RECORD...: the same in 4.4BSD's format; one H comes first.
bsd()
{
	perl -e '
	my ($word, $endian, $more) = splice @ARGV, 0, 3;
	my $o = $endian eq "big" ? ">" : "<";
	my %p = (2 => "S$o", 4 => "L$o", 8 => "Q$o");
	sub put { print pack $p{$_[0]}, $_[1] }
	sub num { $_[0] =~ /^0x/ ? hex $_[0] : $_[0] }
	binmode STDOUT;
	my (undef, $low, $high, $rate, @f) = split " ", shift;
	my @bin = (0) x (($high = num($high)) - ($low = num($low)) >> 2);
	/(.*)=(.*)/ and $bin[$1] = $2 for @f;
	my $header = 2 * $word + ($ENV{OLD} ? 4 : 24);
	put($word, $_) for $low, $high;
	put(4, $header + 2 * @bin + $more);
	put(4, $_) for $ENV{OLD} ? () : (0x51879, $rate, 0, 0, 0);
	put(2, $_) for @bin;
	for (@ARGV) {
		my (undef, @f) = split;
		put($word, num($_)) for @f[0, 1];
		put($ENV{PADDED} ? 4 : $word, $f[2]);
		print "\xef\xbe\xad\xde" if $ENV{PADDED};
	}' -- "$@"
}

# The samples that GNU files of 64 or 32 bits contain, by bin.
ticks()
{
	perl -0777 -ne '
	my ($w, $q) = $ARGV =~ /m32/ ? (4, "V") : (8, "Q<");
	my ($sum, $at) = (0, 20);
	while ($at < length) {
		if (ord substr $_, $at, 1) { $at += 2 * $w + 5; next }
		my $n = unpack "V", substr $_, $at + 1 + 2 * $w, 4;
		$sum += $_ for unpack "v*", substr $_, $at + 2 * $w + 25, 2 * $n;
		$at += 2 * $w + 25 + 2 * $n;
	}
	print "$sum\n"' "$1"
}

total()
{
	"$CGCONV" -q -f gprof -t callgrind "$@" | sed -n 's/^totals: //p'
}

# GNU gprof prints the same for both.
same_text()
{
	local prog=$1 a=$2 b=$3 t=$BATS_TEST_TMPDIR

	gprof -b "$prog" "$a" >"$t/a.txt"
	gprof -b "$prog" "$b" >"$t/b.txt"
	same "$t/a.txt" "$t/b.txt"
}

# The conversion of FILE contains the line.
shows()
{
	local line=$1

	shift
	"$CGCONV" -q -f gprof -t callgrind "$@" >"$BATS_TEST_TMPDIR/shown"
	grep -qxF -- "$line" "$BATS_TEST_TMPDIR/shown" || {
		echo "expected $line in"
		cat "$BATS_TEST_TMPDIR/shown"
		return 1
	}
}

setup()
{
	t=$BATS_TEST_TMPDIR
	calls=samples/gprof/calls
	cycles=samples/gprof/cycles
	runs=samples/gprof/runs
}

small=("H 0x1000 0x1100 100 2=3 17=5 40=2" "A 0x1010 0x1045 7"
	"A 0x1050 0x1085 9" "A 0x1090 0x1085 1")

@test "gprof: equals all rows of GNU gprof's tables, for every sample" {
	for dir in samples/gprof/*/; do
		"$CGCONV" -q -t callgrind --gprof-compat --exe "$dir/prog" \
			"$dir"gmon.out* >"$t/out"
		perl tests/oracle/gprof-rows.pl "$dir/gprof.txt" "$t/out"
	done
}

@test "gprof: conversions to callgrind match the golden files" {
	golden $calls/gmon.out callgrind
	golden samples/gprof/inlined/gmon.out callgrind --dump-instr
}

@test "gprof: self costs equal the samples to the nanosecond" {
	for file in $(samples gprof); do
		[ "$(total --keep-mcount $(exe_of "$file") "$file")" = \
			"$(ticks "$file")0000000" ]
	done
}

@test "gprof: gmon.out to gmon.out gives identical bytes" {
	for file in $(samples gprof); do
		"$CGCONV" -q --keep-mcount $(exe_of "$file") -t gprof \
			"$file" >"$t/out"
		cmp "$file" "$t/out"
		"$CGCONV" -q $(exe_of "$file") -t gprof "$file" >"$t/out"
		same_text "${file%/*}/prog" "$file" "$t/out"
	done
}

@test "gprof: gmon.out to JSON to gmon.out gives identical bytes" {
	for file in $(samples gprof); do
		"$CGCONV" -q --keep-mcount $(exe_of "$file") -t json \
			-o "$t/a.cgj" "$file"
		"$CGCONV" -q -t gprof "$t/a.cgj" >"$t/out"
		cmp "$file" "$t/out"
	done
}

@test "gprof: merges several runs as gprof -s does" {
	"$CGCONV" -q --exe $runs/prog -t gprof $runs/gmon.out.* >"$t/sum"
	gprof -b $runs/prog "$t/sum" >"$t/sum.txt"
	same $runs/gprof.txt "$t/sum.txt"
}

@test "gprof: sums the number of samples of merged runs, in any format" {
	gmon 8 little "${small[@]}" >"$t/a"
	"$CGCONV" -q -f gprof -t json "$t/a" >"$t/1"
	n=$(sed -n 's/^\["desc","Samples","\([0-9]*\) at .*/\1/p' "$t/1")
	[ "$n" -gt 0 ]
	for to in json callgrind pprof speedscope; do
		"$CGCONV" -q -f gprof -t $to --guess-stacks "$t/a" -o "$t/a.$to"
		"$CGCONV" -q -t json "$t/a.$to" "$t/a.$to" "$t/a.$to" |
			grep -q "\"Samples\",\"$((3 * n)) at "
		"$CGCONV" -q --parts -t json "$t/a.$to" "$t/a.$to" >"$t/parts"
		[ "$(grep -c "\"Samples\",\"$n at " "$t/parts")" = 2 ]
	done
}

@test "gprof: the executable may be the first input, as in gprof's command line" {
	"$CGCONV" -f gprof -t callgrind $calls/prog $calls/gmon.out >"$t/a"
	"$CGCONV" -f gprof -t callgrind --exe $calls/prog $calls/gmon.out \
		>"$t/b"
	same "$t/a" "$t/b"
}

@test "gprof: uses a matching a.out if no executable is named" {
	cp $calls/gmon.out "$t/gmon.out"
	cp $calls/prog "$t/a.out"
	(cd "$t" && "$CGCONV" -t callgrind gmon.out >out)
	grep -qx 'fn=([0-9]*) heavy' "$t/out"
	cp $cycles/prog "$t/a.out"
	(cd "$t" && "$CGCONV" -t callgrind gmon.out >out 2>err)
	grep -q 'name the executable with --exe' "$t/err"
}

@test "gprof: without an executable, functions begin where calls enter them" {
	gmon 8 little "${small[@]}" >"$t/gmon.out"
	shows "cfn=(3) 0x1045" "$t/gmon.out"
	"$CGCONV" -t json "$t/gmon.out" 2>&1 >"$t/out" |
		grep -q 'functions are named by their addresses'
	[ "$(total "$t/gmon.out")" = 100000000 ]
}

@test "gprof: rejects another executable and reports both ranges" {
	refuses 1 "covers 0x0-0x1338, but $cycles/prog has text 0x400000-" \
		-t callgrind --exe $cycles/prog $calls/gmon.out
	refuses 1 "is 64-bit little endian, but samples/gprof/m32/prog is 32-bit" \
		-t callgrind --exe samples/gprof/m32/prog $calls/gmon.out
	"$CGCONV" -q -t callgrind --any-exe --exe $cycles/prog \
		$calls/gmon.out >"$t/out"
}

@test "gprof: finds and corrects a load bias" {
	perl -0777 -pe '
	my ($bias, $at) = (0x555555554000, 20);
	sub move { substr $_, $_[0], 8, pack "Q<",
		$bias + unpack "Q<", substr $_, $_[0], 8 }
	while ($at < length) {
		my $arc = ord substr $_, $at, 1;
		my $n = unpack "V", substr $_, $at + 17, 4;
		move($at + 1), move($at + 9);
		$at += $arc ? 21 : 41 + 2 * $n;
	}' $calls/gmon.out >"$t/biased"
	"$CGCONV" -t gprof --exe $calls/prog "$t/biased" >"$t/out" 2>"$t/err"
	cmp $calls/gmon.out "$t/out"
	grep -q 'a load bias of 0x555555554000' "$t/err"
}

@test "gprof: finds word size and byte order" {
	for word in 4 8; do
		for endian in little big; do
			gmon $word $endian "${small[@]}" >"$t/gmon.out"
			"$CGCONV" -q -t callgrind "$t/gmon.out" |
				grep -v '^desc: .*gmon' >"$t/$word.$endian"
			"$CGCONV" -q -t gprof "$t/gmon.out" >"$t/out"
			cmp "$t/gmon.out" "$t/out"
			same "$t/4.little" "$t/$word.$endian"
		done
	done
}

@test "gprof: reads version 0" {
	gmon 8 big "${small[@]}" >"$t/v1"
	VERSION=0 gmon 8 big "${small[@]}" >"$t/v0"
	"$CGCONV" -q -t gprof "$t/v0" >"$t/out"
	cmp "$t/v1" "$t/out"
}

@test "gprof: reads files of 4.4BSD of any pointer size" {
	gmon 8 little "${small[@]}" >"$t/gmon.out"
	"$CGCONV" -q -t callgrind "$t/gmon.out" | grep -v ^desc: >"$t/gnu"
	for word in 4 8; do
		for endian in little big; do
			bsd $word $endian 0 "${small[@]}" >"$t/bsd"
			[ "$("$CGCONV" --detect - <"$t/bsd" |
				cut -f 2)" = gprof ]
			"$CGCONV" -q -t callgrind "$t/bsd" |
				grep -v ^desc: >"$t/out"
			same "$t/gnu" "$t/out"
		done
	done
}

@test "gprof: ignores the padding of MinGW's 32-bit counts" {
	PADDED=1 bsd 8 little 0 "${small[@]}" >"$t/bsd"
	"$CGCONV" -t callgrind "$t/bsd" >"$t/out" 2>"$t/err"
	grep -qx 'calls=9 0' "$t/out"
	grep -q 'as MinGW writes them' "$t/err"
}

@test "gprof: a file that only begins like an old BSD gmon.out is not detected" {
	# The length fits counters of 4/3 addresses, as in many font files.
	perl -e 'print pack("V3", 0x1000, 0x5000, 12 + 0x3000), "\1" x 70000' \
		>"$t/font"
	refuses 1 'unknown input format' "$t/font"
}

@test "gprof: an old BSD file needs its executable" {
	OLD=1 bsd 8 little 0 "H 0x0 0x1338 0 1000=5" "A 0x1180 0x119d 7" \
		>"$t/bsd"
	refuses 1 "name its executable with --exe" -f gprof -t callgrind "$t/bsd"
	"$CGCONV" -q -f gprof -t callgrind --exe $calls/prog "$t/bsd" >"$t/out"
	grep -qx 'calls=7 0' "$t/out"
}

@test "gprof: LD_PROFILE data has relative addresses and unknown callers" {
	gmon 8 little "H 0x5000 0x6000 100 4=6" >"$t/gnu"
	{
		printf 'gmon\377\377\1\0\0\0\0\0\0\0\0\0\0\0\0\0'
		printf '\0\0\0'
		tail -c +21 "$t/gnu"
		printf '\1\0\0\0\3\0\0\0'
		perl -e 'print pack "(Q<Q<L<)3", 0, 0x10, 5, 0, 0x10, 2,
			0x28, 0x10, 1; print "\0" x 1000'
	} >"$t/lib.so.profile"
	shows "calls=7 0" "$t/lib.so.profile"
	grep -qx 'fn=(1) (<spontaneous>)' "$t/shown"
	[ "$(total "$t/lib.so.profile")" = 60000000 ]
}

@test "gprof: merges histograms of one range, rejects overlapping ones" {
	gmon 8 little "${small[@]}" "${small[0]}" >"$t/twice"
	[ "$(total "$t/twice")" = 200000000 ]
	gmon 8 little "${small[@]}" "H 0x1080 0x1200 100" >"$t/overlap"
	refuses 1 "overlapping histograms 0x1000-0x1100 and 0x1080-0x1200" \
		-t callgrind "$t/overlap"
	gmon 8 little "${small[@]}" "H 0x2000 0x2100 100 1=4" >"$t/apart"
	[ "$(total "$t/apart")" = 140000000 ]
	"$CGCONV" -q -t gprof "$t/apart" | "$CGCONV" -q -t gprof >"$t/out"
	[ "$(total "$t/out")" = 140000000 ]
}

@test "gprof: basic block counts of either width are an event" {
	for width in 4 8; do
		gmon 8 little "${small[@]}" "B $width 0x1050=12 0x1060=30" \
			>"$t/gmon.out"
		shows "totals: 100000000 42" "$t/gmon.out"
		"$CGCONV" -q -t gprof "$t/gmon.out" >"$t/out$width"
	done
	cmp "$t/out4" "$t/out8"
	gmon 8 little "${small[@]}" "B 4 0x1050=12 0x1060=30" >"$t/gmon.out"
	cmp "$t/gmon.out" "$t/out4"
}

@test "gprof: splits large counters into histograms, large counts into arcs" {
	gmon 8 little "H 0x1000 0x1100 100 2=65535" \
		"A 0x1010 0x1045 4294967295" >"$t/gmon.out"
	"$CGCONV" -q -t gprof "$t/gmon.out" "$t/gmon.out" "$t/gmon.out" \
		>"$t/out"
	[ "$(total "$t/out")" = 1966050000000 ]
	"$CGCONV" -q -f gprof -t json "$t/out" | grep -q 12884901885
}

@test "gprof: a dimension other than seconds becomes an event" {
	DIMENSION="page faults" gmon 8 little "H 0x1000 0x1100 1 2=3 17=5" \
		>"$t/gmon.out"
	shows "events: page_faults" "$t/gmon.out"
	[ "$(total "$t/gmon.out")" = 8 ]
	"$CGCONV" -q -t gprof "$t/gmon.out" >"$t/out"
	cmp "$t/gmon.out" "$t/out"
}

@test "gprof: sums and rates survive a round trip at any sampling rate" {
	for rate in 1 3 1024 44100 999999937; do
		gmon 8 little "H 0x1000 0x1100 $rate 2=3 17=5 40=65535" \
			"A 0x1010 0x1045 7" >"$t/gmon.out"
		[ "$(total "$t/gmon.out")" = "$(perl -e '
			printf "%.0f", 65543 * 1e9 / shift' $rate)" ]
		"$CGCONV" -q -t gprof "$t/gmon.out" >"$t/out"
		cmp "$t/gmon.out" "$t/out"
	done
}

@test "gprof: the order of arcs in a bucket survives" {
	gmon 8 little "H 0x1000 0x1100 100" "A 0x1010 0x1085 1" \
		"A 0x1010 0x1045 1" "A 0x1010 0x10c5 1" "A 0x1020 0x10c5 2" \
		"A 0x1020 0x1045 2" >"$t/gmon.out"
	"$CGCONV" -q -t json "$t/gmon.out" | "$CGCONV" -q -t gprof >"$t/out"
	cmp "$t/gmon.out" "$t/out"
}

@test "gprof: arcs in any order are those of a file that is sorted" {
	local arcs=("A 0x1010 0x1085 1" "A 0x1010 0x1045 2" "A 0x1020 0x10c5 3" \
		"A 0x1020 0x1045 4" "A 0x1030 0x1085 5" "A 0x1000 0x1045 6")

	gmon 8 little "H 0x1000 0x1100 100" "${arcs[5]}" "${arcs[@]:0:5}" \
		>"$t/gmon.out"
	"$CGCONV" -q -t json "$t/gmon.out" >"$t/sorted.json"
	gmon 8 little "H 0x1000 0x1100 100" "${arcs[4]}" "${arcs[0]}" \
		"${arcs[2]}" "${arcs[1]}" "${arcs[3]}" "${arcs[5]}" \
		>"$t/gmon.out"
	"$CGCONV" -q -t json "$t/gmon.out" >"$t/mixed.json"
	cmp "$t/sorted.json" "$t/mixed.json"
}

# A program of functions at known addresses: a ends and b begins within one
# bucket of 16 bytes, and b calls c there.
straddle()
{
	case $(gcc -dumpmachine) in
	x86_64-*) ;;
	*) skip "x86-64 assembler" ;;
	esac
	cat >"$t/s.s" <<-'END'
	.data
	.quad __executable_start, etext
	.text
	.globl _start, a, b, c
	.p2align 4
	_start:
	.type a, @function
	a:	.skip 35, 0x90
	ret
	.size a, . - a
	.type b, @function
	b:	nop
	call c
	nop
	ret
	.size b, . - b
	.p2align 4
	.type c, @function
	c:	.skip 31, 0x90
	ret
	.size c, . - c
	END
	gcc -nostdlib -no-pie -o "$t/s" "$t/s.s"
	nm "$t/s" >"$t/s.nm"
}

at()
{
	sed -n "s/^0*\([0-9a-f]*\) . $1\$/0x\1/p" "$t/s.nm"
}

@test "gprof: in a bucket of two functions, the caller is the one with the call" {
	straddle
	a=$(at a) c=$(at c)
	low=$(at __executable_start) high=$(at etext)
	gmon 8 little "H $low $high 100" \
		"A $(printf 0x%x $((a + 32))) $(printf 0x%x $((c + 5))) 7" \
		>"$t/gmon.out"
	"$CGCONV" -q -t callgrind --exe "$t/s" "$t/gmon.out" |
		grep -A 5 -x 'fn=([0-9]*) b' >"$t/out"
	grep -qx 'calls=7 0' "$t/out"
	"$CGCONV" -q -t callgrind --gprof-compat --exe "$t/s" "$t/gmon.out" |
		grep -A 5 -x 'fn=([0-9]*) a' >"$t/out"
	grep -qx 'calls=7 0' "$t/out"
	"$CGCONV" -q -t gprof --exe "$t/s" "$t/gmon.out" >"$t/out"
	cmp "$t/gmon.out" "$t/out"
}

@test "gprof: splits a bin of two functions by bytes" {
	straddle
	a=$(at a) low=$(at __executable_start) high=$(at etext)
	gmon 8 little "H $low $high 100 $(((a + 32 - low) / 4))=8 \
		$(((a + 36 - low) / 4))=4" >"$t/gmon.out"
	shows "0 80000000" --exe "$t/s" "$t/gmon.out"
	grep -qx '0 40000000' "$t/shown"
	gmon 8 little "H $low $high 100 $(((a + 44 - low) / 4))=4" >"$t/gmon.out"
	shows "0 40000000" --exe "$t/s" "$t/gmon.out"
}

@test "gprof: calls reveal the functions of a shared library" {
	printf '%s\n' 'int one(int i) { return i + 1; }' \
		'int two(int i) { return one(i) * 2; }' >"$t/l.c"
	gcc -pg -O0 -fPIC -shared -o "$t/libl.so" "$t/l.c"
	straddle
	objdump -d "$t/libl.so" | awk '/>:$/ { fn = $2 }
		entry { print fn, $1; entry = 0 } /call.*mcount/ { entry = 1 }' |
		tr -d '<>:' >"$t/entries"
	base=$((0x290b881e1000))
	records=("H $(at __executable_start) $(at etext) 100")
	while read -r fn addr; do
		case $fn in
		one | two) records+=("A $(at a) $(printf 0x%x \
			$((base + 0x$addr))) 3") ;;
		esac
	done <"$t/entries"
	[ ${#records[@]} = 3 ]
	gmon 8 little "${records[@]}" >"$t/gmon.out"
	"$CGCONV" -t callgrind --exe "$t/s" "$t/gmon.out" >"$t/out" 2>"$t/err"
	grep -q 'arcs that enter shared libraries: 2 ' "$t/err"
	shows "desc: gmon.library: base=0x290b881e1000 object=$t/libl.so" \
		--exe "$t/s" --exe "$t/libl.so" "$t/gmon.out"
	grep -qx 'cfn=([0-9]*) one' "$t/shown"
	grep -qx 'cfn=([0-9]*) two' "$t/shown"
	"$CGCONV" -q -t gprof --exe "$t/s" --exe "$t/libl.so" "$t/gmon.out" \
		>"$t/out"
	cmp "$t/gmon.out" "$t/out"
}

@test "gprof: reports errors of a file with their offset" {
	: >"$t/empty"
	refuses 1 "too short for a gmon.out (0 bytes)" -f gprof -t json "$t/empty"
	printf 'this is not a gmon file, just some text\n' >"$t/text"
	refuses 1 "not a gmon.out file (first bytes: 74 68 69 73)" \
		-f gprof -t json "$t/text"
	printf 'gmonitor: this is a log file\n' >"$t/log"
	refuses 1 "not supported" -f gprof -t json "$t/log"
	VERSION=2 gmon 8 little "${small[@]}" >"$t/v2"
	refuses 1 "v2:0x4: error: gmon.out version 2 is not supported" -t json "$t/v2"
	gmon 8 little >"$t/header"
	refuses 1 "no record after the header" -t json "$t/header"
	gmon 8 little "${small[@]}" >"$t/gmon.out"
	head -c 100 "$t/gmon.out" >"$t/cut"
	refuses 1 "histogram at offset 20 needs 169 bytes, 80 left" \
		-t json "$t/cut"
	gmon 8 little "${small[@]}" "X $(printf '%084d' 7)" >"$t/blank"
	refuses 1 "empty histogram header at offset 252" -t json "$t/blank"
	gmon 8 little "X 07" >"$t/tag"
	refuses 1 "unknown record tag 7 at offset 20" -t json "$t/tag"
	gmon 8 little "${small[@]}" "X 02ffffffff" >"$t/blocks"
	refuses 1 "basic blocks at offset" -t json "$t/blocks"
	bsd 8 little 4096 "${small[@]}" >"$t/bsd"
	refuses 1 "the file has" -t json "$t/bsd"
}

@test "gprof: --word-size is 32 or 64" {
	gmon 4 little "${small[@]}" >"$t/gmon.out"
	bsd 4 little 0 "${small[@]}" >"$t/bsd"
	for file in gmon.out bsd; do
		"$CGCONV" -q -t json --word-size 32 "$t/$file" >"$t/out"
		for size in 0 8 31 33 39 65 4294967328; do
			refuses 2 "--word-size: expected 32 or 64, not '$size'" \
				-t json --word-size $size "$t/$file"
		done
	done
}

@test "gprof: an executable of --exe must exist" {
	gmon 8 little "${small[@]}" >"$t/gmon.out"
	printf 'events: Ir\nfn=f\n1 1\n' >"$t/callgrind.out"
	echo no program >"$t/text"
	for file in gmon.out callgrind.out; do
		for exe in "$t/missing" "$t/text"; do
			refuses 1 "expected an ELF file: '$exe'" -t gprof \
				--exe $calls/prog --exe "$exe" "$t/$file"
		done
	done
}

@test "gprof: rejects samples that do not fit into histograms" {
	printf '%s\n' 'version: 1' 'positions: instr line' 'events: ns' \
		'desc: program.gmon: word=8 endian=little version=1' \
		"desc: program.histogram: low=0x0 high=0x10000000 bins=134217728 \
rate=1000000000 abbrev=s dimension=seconds" \
		'fn=f' '0x100 1 260000000' >"$t/callgrind.out"
	refuses 1 "260000000 samples in one of 134217728 bins do not fit" \
		-t gprof "$t/callgrind.out"
}

@test "gprof: reads files that are truncated or have trailing bytes" {
	gmon 8 little "${small[@]}" >"$t/gmon.out"
	"$CGCONV" -q -t json "$t/gmon.out" >"$t/whole"
	head -c -7 "$t/gmon.out" >"$t/cut"
	"$CGCONV" -t json "$t/cut" >"$t/out" 2>"$t/err"
	grep -q 'last arc record at offset [0-9]* has 13 of 20 bytes' "$t/err"
	for tail in 0000000000 07deadbeef; do
		gmon 8 little "${small[@]}" "X $tail" >"$t/more"
		"$CGCONV" -t json "$t/more" >"$t/out" 2>"$t/err"
		grep -q ignored "$t/err"
		same "$t/whole" "$t/out"
	done
	head -c 130 "$t/gmon.out" >"$t/cut"
	"$CGCONV" -q --recover -t json "$t/cut" >"$t/out"
	[ "$(total --recover "$t/cut")" = 80000000 ]
	gmon 8 little "H 0x1000 0x1100 100 2=3" >"$t/cut"
	"$CGCONV" -t json "$t/cut" >"$t/out" 2>"$t/err"
	grep -q 'no calls: .* or the file is truncated after the samples' "$t/err"
	"$CGCONV" -t json "$t/gmon.out" 2>"$t/err" >"$t/out"
	[ "$(grep -c 'no calls' "$t/err")" = 0 ]
}

@test "gprof: corrects doubtful headers with a warning" {
	gmon 8 little "H 0x1000 0x1100 0 2=3" >"$t/rate"
	"$CGCONV" -t callgrind "$t/rate" >"$t/out" 2>"$t/err"
	grep -q 'impossible sample rate 0; assuming 100 Hz' "$t/err"
	[ "$(total --rate 10 "$t/rate")" = 300000000 ]
	gmon 8 little "H 0x1000 0x1100 100 2=65535" >"$t/full"
	"$CGCONV" -t json "$t/full" 2>&1 >/dev/null | grep -q 'have wrapped'
	gmon 8 little "H 0x1000 0x1100 100" "${small[1]}" >"$t/none"
	"$CGCONV" -t json "$t/none" 2>&1 >/dev/null | grep -q 'no samples'
}

@test "gprof: does not merge runs of two programs" {
	gmon 8 little "${small[@]}" >"$t/a"
	gmon 8 little "H 0x1000 0x1200 100" >"$t/b"
	refuses 1 "b: error: mixed executables" -f gprof -t callgrind \
		"$t/a" "$t/b"
	"$CGCONV" -q -f gprof -t callgrind --parts "$t/a" "$t/b" >"$t/out"
}

@test "gprof: nor runs converted to other formats, in a batch or from its outputs" {
	gmon 8 little "${small[@]}" >"$t/a"
	gmon 8 little "H 0x1000 0x1200 100" >"$t/b"
	for to in json callgrind; do
		for run in a b; do
			"$CGCONV" -q -f gprof -t $to -o "$t/$run.$to" "$t/$run"
		done
		refuses 1 "b.$to" -t json "$t/a.$to" "$t/b.$to"
		grep -q 'error: mixed executables: program.histogram is' \
			"$t/refuses.err"
		"$CGCONV" -q -t json "$t/a.$to" "$t/a.$to" >"$t/out"
	done
	refuses 1 "mixed executables" -t json "$t/a" "$t/b.json"
	# As without -j there is no sum of the others.
	cp "$t/a" "$t/c"
	refuses 1 "/b: error: mixed executables" -q -j1 -o "$t/out.cgj" \
		--manifest "$t/log" "$t/a" "$t/b" "$t/c"
	[ ! -e "$t/out.cgj" ]
	for run in a b; do
		"$CGCONV" -q --partial -o "$t/$run.cgj" "$t/$run"
	done
	refuses 1 "mixed executables" --partial -t json "$t/a.cgj" "$t/b.cgj"
}

@test "gprof: a profile with names only becomes a gmon.out of an executable" {
	printf '%s\n' 'events: Ir' 'fn=main' '1 10' 'cfn=heavy' 'calls=3 1' \
		'1 900' 'fn=heavy' '1 800' 'cfn=nowhere' 'calls=1 1' '1 5' \
		'fn=nowhere' '1 5' >"$t/callgrind.out"
	refuses 1 "gmon.out needs addresses; name the executable with --exe" \
		-t gprof "$t/callgrind.out"
	"$CGCONV" -t gprof --exe $calls/prog "$t/callgrind.out" >"$t/out" \
		2>"$t/err"
	grep -q 'in the program: 5 Ir, calls: 1, functions: 2' "$t/err"
	gprof -b $calls/prog "$t/out" >"$t/out.txt"
	grep -Eq '^ *98.77 +800.00 +800.00 +3 .*heavy$' "$t/out.txt"
	"$CGCONV" -q -f gprof -t callgrind --exe $calls/prog "$t/out" |
		grep -qx 'totals: 810'
}

@test "gprof: converts addresses of a running program to those of its file" {
	main=$(nm $calls/prog | sed -n 's/^0*\([0-9a-f]*\) T main$/0x\1/p')
	heavy=$(nm $calls/prog | sed -n 's/^0*\([0-9a-f]*\) . heavy$/0x\1/p')
	bias=$((0x108000))
	run() { printf 0x%x $(($1 + bias)); }
	printf '%s\n' 'positions: instr line' 'events: Ir' 'fn=main' \
		"$(run main+4) 1 10" 'cfn=heavy' "calls=3 $(run heavy) 1" \
		"$(run main+8) 1 900" 'fn=heavy' "$(run heavy+4) 1 800000000" \
		'cfn=main' "calls=1 $(run main) 1" \
		"$(run heavy+8) 1 5" >"$t/callgrind.out"
	"$CGCONV" -q -t gprof --exe $calls/prog "$t/callgrind.out" >"$t/out"
	gprof -b -p $calls/prog "$t/out" | grep -q 'Each sample counts as .* MIr'
	gprof -b -p $calls/prog "$t/out" | grep -Eq ' 800.00 +800.00 +3 .*heavy'
}

@test "gprof: writes one of several events at the rate of --rate" {
	printf '%s\n' 'events: Ir Dr' 'fn=main' '1 10 500' >"$t/callgrind.out"
	"$CGCONV" -q -t gprof --event Dr --rate 10 --exe $calls/prog \
		"$t/callgrind.out" >"$t/out"
	gprof -b -p $calls/prog "$t/out" | grep -q 'counts as 0.1 Dr'
	[ "$(total --exe $calls/prog "$t/out")" = 5000 ]
	refuses 2 "event of the input (see --info), not 'Dw'" -t gprof --event Dw \
		--exe $calls/prog "$t/callgrind.out"
}

@test "gprof: does not detect text or random bytes as a gmon.out" {
	for word in 'gmonitor' '........' '    ' '<?xml version="1.0"?>'; do
		printf '%s and more of it\n' "$word" >"$t/text"
		run "$CGCONV" --detect "$t/text"
		[ "$(echo "$output" | cut -f 2)" != gprof ]
	done
}

@test "gprof: says that the executable is truncated" {
	head -c 9000 samples/gprof/inlined/prog >"$dir/prog"
	"$CGCONV" -f gprof --exe "$dir/prog" samples/gprof/inlined/gmon.out \
		2>"$dir/err" >"$dir/out"
	size=$(wc -c <samples/gprof/inlined/prog)
	grep -F "warning: $dir/prog is truncated: it has 9000 of $size bytes, names and lines may be missing" "$dir/err"
}

@test "gprof: debug sections that expand too far are not read" {
	command -v objcopy >/dev/null || skip "no objcopy"
	head -c 100000000 /dev/zero >"$t/zeros"
	objcopy --add-section .debug_types="$t/zeros" \
		samples/gprof/calls/prog "$t/plain"
	objcopy --compress-debug-sections=zlib "$t/plain" "$t/prog" ||
		skip "objcopy cannot compress"
	[ "$(stat -c %s "$t/prog")" -lt 1000000 ]
	"$CGCONV" -t json samples/gprof/calls/gmon.out --exe "$t/prog" \
		>"$t/out" 2>"$t/err"
	grep -F "lines of $t/prog are not read: its debug sections expand to more than 32 times its size" "$t/err"
	grep -q '"main"' "$t/out"
}

@test "gprof: libdw is loaded when it is needed; why it cannot be is told" {
	command -v gcc >/dev/null || skip "no gcc"
	gcc -shared -Wl,-soname,libdw.so.1 -o "$t/libdw.so.1" -x c /dev/null
	LD_LIBRARY_PATH=$t refuses 1 \
		"cannot read samples/gprof/calls/prog: " -t callgrind \
		samples/gprof/calls/gmon.out --exe samples/gprof/calls/prog
	grep -q "libdw.so.1: undefined symbol: " "$BATS_TEST_TMPDIR/refuses.err"
	LD_LIBRARY_PATH=$t "$CGCONV" -t callgrind samples/gprof/calls/gmon.out \
		>"$t/out"
	grep -qx 'totals: 180000000' "$t/out"
}
