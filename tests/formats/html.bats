# html.bats - reports: the page, its data, and what a browser makes of it.
load ../helper

# The pages of this file are opened in Chromium, if it is installed. "skip"
# tells in a line what was not tested.
CHROMIUM=$(command -v chromium || command -v chromium-browser || true)

setup()
{
	dir=$BATS_TEST_TMPDIR
	perl -MCompress::Zlib -MMIME::Base64 -MDigest::SHA -MJSON::PP -e 1 \
		2>/dev/null || skip "no modules of perl"
}

# report INPUT... [OPTION]: makes $dir/out.html; its rows are in $dir/rows.
report()
{
	"$CGCONV" -q -t html -o "$dir/out.html" "$@"
	perl tests/oracle/html.pl --check "$dir/out.html"
	perl tests/oracle/html.pl "$dir/out.html" >"$dir/rows"
}

# Functions with their costs as --info --json prints them, in the form of rows.
functions_of()
{
	"$CGCONV" -q --info --json --top 100000 "$@" | perl -MJSON::PP -e '
		local $/;
		my $all = decode_json(<STDIN>);
		my $n = grep { !exists $_->{formula} } @{ $all->{events} };
		binmode STDOUT, ":utf8";
		print join("\t", "fn", @$_{qw(name file object calls)},
			@{ $_->{inclusive} }[0 .. $n - 1],
			@{ $_->{self} }[0 .. $n - 1]), "\n"
			for @{ $all->{functions} };' | LC_ALL=C sort
}

# open FRAGMENT: prints the page's DOM after its script has run, and fails if
# the browser's console has a message. $WINDOW: its size, if set.
browse()
{
	timeout 120 "$CHROMIUM" --headless --no-sandbox --disable-gpu \
		${WINDOW:+"--window-size=$WINDOW"} \
		--user-data-dir="$dir/profile" --virtual-time-budget=5000 \
		--enable-logging=stderr --dump-dom \
		"file://$dir/out.html#$1" 2>"$dir/log" >"$dir/dom"
	not grep 'CONSOLE' "$dir/log"
	grep -q 'data-ready="true"' "$dir/dom"
}

# walk FRAGMENT...: as browse, but the page shows the fragments one after another.
walk()
{
	local fragments

	fragments=$(printf ", '#%s'" "${@:2}")
	mv "$dir/out.html" "$dir/kept.html"
	perl -0777 -pe 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' "$dir/kept.html" >"$dir/out.html"
	cat >>"$dir/out.html" <<-EOF
		<script>
		const todo = [${fragments#, }], next = () => {
			if (document.documentElement.dataset.ready)
				location.hash = todo.shift();
			if (todo.length)
				setTimeout(next, 100);
		};
		next();
		</script>
	EOF
	browse "$1"
	mv "$dir/kept.html" "$dir/out.html"
}

# same_after FRAGMENT BEFORE: a view has the same rows, whatever was shown before.
same_after()
{
	browse "$1"
	cells >"$dir/want"
	[ -s "$dir/want" ]
	walk "$2" "$1"
	cells | same "$dir/want" - || { echo "$2: $1"; false; }
}

# A server shows index.html as the directory.
index_is_found()
{
	local server port=$((20000 + $$ % 20000))

	mkdir "$dir/www"
	for file in "$dir"/out.*; do
		cp "$file" "$dir/www/index${file#"$dir/out"}"
	done
	python3 -m http.server -b 127.0.0.1 -d "$dir/www" "$port" >/dev/null 2>&1 3>&- &
	server=$!
	for try in {1..100}; do
		(: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
		sleep 0.1
	done
	timeout 120 "$CHROMIUM" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$dir/profile" --virtual-time-budget=5000 --dump-dom \
		"http://127.0.0.1:$port/#view=flame" 2>"$dir/log" >"$dir/dom"
	kill "$server"
	grep -q 'data-view="flame"' "$dir/dom"
}

# browse_failing MESSAGE: the flame graph cannot be shown, and the page says why.
browse_failing()
{
	timeout 120 "$CHROMIUM" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$dir/profile" --virtual-time-budget=5000 --dump-dom \
		"file://$dir/out.html#view=flame" 2>"$dir/log" >"$dir/dom"
	grep -o 'role="alert">[^<]*' "$dir/dom" | grep -F "$1"
}

# The cells of the rows of all tables in the DOM, with tabs between them.
cells()
{
	perl -0777 -ne '
		for (split /role="row"/) {
			my @cell = /role="cell">(.*?)<\/div>/gs or next;
			for (@cell) {
				s/<\/span><span class="pct/ $&/g;
				s/<[^>]*>//g;
				s/&lt;/</g; s/&gt;/>/g; s/&nbsp;/ /g; s/&amp;/&/g;
			}
			print join("\t", @cell), "\n";
		}' "$dir/dom"
}

needs_browser()
{
	[ -n "$CHROMIUM" ] || skip "no chromium"
}

# nodes ARG...: the stacks of a report of two.perf, as folded stacks.
nodes()
{
	report "$@"
	sed -n 's/^node\t\(.*\)\t/\1 /p' "$dir/rows" | LC_ALL=C sort
}

@test "html: the flame graph has the frames of commands that folded has" {
	for of in 'aa a 10/11 1.0: 5' 'bbb 20/20 1.1: 7' 'aa a 10/12 1.2: 2' \
		'sh 30/30 1.3: 1' 'ls 30/30 1.4: 4'; do
		printf '%s\n' "$of cycles: " '	401 work (/bin/a)' \
			'	400 main (/bin/a)' ''
	done >"$dir/two.perf"
	nodes "$dir/two.perf" >"$dir/nodes"
	"$CGCONV" -q -t folded "$dir/two.perf" | same - "$dir/nodes"
	grep -qx 'aa_a;main;work 7' "$dir/nodes"
	[ "$(grep -c '^moment.*work$' "$dir/rows")" = 5 ]
	# json knows the same.
	cp "$dir/rows" "$dir/want"
	"$CGCONV" -q -t json -o "$dir/two.cgj" "$dir/two.perf"
	nodes "$dir/two.cgj" | same - "$dir/nodes"
	same <(grep -v ^input "$dir/want") <(grep -v ^input "$dir/rows")
	# Others drop the times, and none is possible.
	nodes --root-by tid "$dir/two.perf" | grep -qx 'tid=12;main;work 2'
	not grep ^moment "$dir/rows"
	nodes --no-root-by "$dir/two.perf" | same - <(echo 'main;work 19')
	# Calls with times: nothing runs between them.
	"$CGCONV" -q -t trace-event -o "$dir/calls.json" "$dir/two.perf"
	sed 's/"name":"thread_name"/"name":"process_name"/' "$dir/calls.json" \
		>"$dir/named.json"
	"$CGCONV" -q -t folded --no-annotate "$dir/named.json" >"$dir/want"
	nodes "$dir/named.json" | same - "$dir/want"
}

@test "html: costs, calls and names are those of --info" {
	for file in samples/callgrind/plain/callgrind.out \
		samples/callgrind/events/callgrind.out \
		samples/callgrind/parts/callgrind.out \
		samples/pprof/cpu/cpu.pb.gz samples/pprof/heap/heap.pb.gz \
		samples/perf-script/inlined/srcline.perf \
		samples/gprof/calls/gmon.out samples/pstats/cprofile/cprofile.pstats; do
		# The frames of commands are in the page only.
		# shellcheck disable=SC2046 # two words or none
		report --no-root-by $(exe_of "$file") "$file"
		# shellcheck disable=SC2046 # two words or none
		functions_of $(exe_of "$file") "$file" >"$dir/want"
		[ -s "$dir/want" ]
		grep -P '^fn\t' "$dir/rows" | LC_ALL=C sort >"$dir/all"
		# Functions without costs are in the page only.
		LC_ALL=C comm -23 "$dir/want" "$dir/all" >"$dir/got"
		same /dev/null "$dir/got"
	done
}

@test "html: stacks are those of folded, and add up to the total" {
	for file in samples/pprof/cpu/cpu.pb.gz samples/folded/shapes/shapes.folded \
		samples/speedscope/sampled/sampled.json; do
		[ -e "$file" ] || file=$(samples "$(echo "$file" | cut -d / -f 2)" | head -n 1)
		report "$file"
		columns=$(grep -cP '^event\t' "$dir/rows")
		for i in $(seq "$columns"); do
			sum=$(grep -P '^node\t' "$dir/rows" | cut -f $((i + 2)) |
				perl -lne '$s += $_; END { print $s + 0 }')
			[ "$sum" = "$(grep -P '^event\t' "$dir/rows" |
				sed -n "${i}p" | cut -f 3)" ]
		done
	done
	printf '%s\n' 'main;a;b;a;c 5' 'main;a 5' 'main;z 30' 'main;a;b 2' >"$dir/in.folded"
	report "$dir/in.folded"
	grep -P '^node\t' "$dir/rows" >"$dir/got"
	printf 'node\t%s\t%d\n' main\;a 5 'main;a;b' 2 'main;a;b;a;c' 5 'main;z' 30 \
		>"$dir/want"
	same "$dir/want" "$dir/got"
}

# instrs_of FILE: its instructions, their calls and jumps, in the form of html.pl.
instrs_of()
{
	perl tests/oracle/callgrind.pl --all-parts-as-one "$1" | perl -F'\t' -lane '
		next if $F[0] !~ /^(self|call|jump)$/;
		$F[0] =~ s/self/instr/;
		splice @F, 12, 2 if $F[0] =~ s/call/site/; # not where calls enter
		splice @F, 1, 1;
		print join("\t", @F)' | LC_ALL=C sort
}

@test "html: instructions, their calls and jumps are those of callgrind" {
	file=samples/callgrind/instr-jumps/callgrind.out
	report "$file"
	grep -P '^(instr|site|jump)\t' "$dir/rows" | LC_ALL=C sort >"$dir/got"
	instrs_of "$file" | same - "$dir/got"
	not grep -P '^lost\t(instrs|jumps)$' "$dir/rows"
	# Lines are those of a profile without addresses.
	perl -pe 's/^positions: .*/positions: line/; s/^(\S+) // if /^[-+*\d]/;
		s/^(jump|jcnd|calls)=(\S+) \S+ /$1=$2 /' "$file" >"$dir/lines.out"
	grep -P '^(fn|call|line)\t' "$dir/rows" >"$dir/want"
	report "$dir/lines.out"
	grep -P '^(fn|call|line)\t' "$dir/rows" | same - "$dir/want"
	not grep -P '^(instr|site)\t' "$dir/rows"
	[ "$(grep -c '^jump' "$dir/rows")" -gt 10 ]
	# Estimated stacks are those of a target that has lines but no addresses.
	nodes --guess-stacks "$file" >"$dir/nodes"
	"$CGCONV" -q -t speedscope --guess-stacks "$file" | "$CGCONV" -q -t folded - |
		grep -v '^#' | LC_ALL=C sort | same - "$dir/nodes"
	# Kernels have addresses that a browser's numbers cannot represent.
	sed 's/^0x401067 /0xffffffff81401067 /' "$file" >"$dir/high.out"
	report "$dir/high.out"
	grep -P '^(instr|site|jump)\t' "$dir/rows" | LC_ALL=C sort >"$dir/got"
	instrs_of "$dir/high.out" | same - "$dir/got"
	# Functions that --html-min drops have none.
	report --html-min 20% "$file"
	[ "$(grep '^instr' "$dir/rows" | cut -f 4 | uniq | wc -l)" = 5 ]
	grep -qP "^site\t.*\tfib\t.*\tfib'2\t1\tIr=591" "$dir/rows"
	# No addresses, no rows: nor do branches come again as jumps.
	report samples/gcov/gcc-cc/*.gcda
	not grep -P '^(instr|site|jump|lost\tjumps)' "$dir/rows"
}

@test "html: instructions of a large recording are those of callgrind" {
	command -v valgrind >/dev/null || skip "needs valgrind"
	valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes \
		--callgrind-out-file="$dir/large.out" perl -e '
		$h{$_ % 97} .= $_ for 1 .. 300; print sort values %h' >/dev/null 2>&1
	report --split "$dir/large.out"
	[ -e "$dir/out.instrs.js" ]
	[ -e "$dir/out.jumps.js" ]
	grep -P '^(instr|site|jump)\t' "$dir/rows" | LC_ALL=C sort >"$dir/got"
	instrs_of "$dir/large.out" | same - "$dir/got"
	[ "$(wc -l <"$dir/got")" -gt 10000 ]
}

@test "html: --disassembly adds the symbols that the profile has, as objdump -d lists them" {
	file=samples/callgrind/instr-jumps/callgrind.out
	{
		printf '\n/x/other:     file format elf64-x86-64\n\n'
		printf '0000000000401000 <f>:\n  401000:\tnop\n'
		printf '\n/y:z/rec:     file format elf64-x86-64\n\n'
		printf 'Disassembly of section .text:\n\n'
		printf '0000000000401000 <fib>:\n  401000:\t55                   \tpush   %%rbp\n'
		printf '  401002:\t48 83 ec 08 00 00 00 \tsub    $0x8,%%rsp\n  401009:\t00 \n'
		printf '  401001:\tadd\tx0, x1, x2\n\t...\n'
		printf '  40100a:\t90                   \tnop\n'
		printf '  401019:\te8 e2 ff ff ff       \tcall   401000 <fib>\n'
		printf '\n0000000000409000 <unused>:\n  409000:\tc3                   \tret\n'
	} >"$dir/rec.asm"
	report --disassembly "$dir/rec.asm" "$file"
	grep '^asm' "$dir/rows" | cut -f 3- | same - <(printf '%s\t%s\t%s\t%s\t%s\n' \
		2 0x401000 1 'push   %rbp' 55 2 0x401001 1 'add x0, x1, x2' '' \
		2 0x401002 1 'sub    $0x8,%rsp' '48 83 ec 08 00 00 00 00' \
		2 0x40100a 0 nop 90 2 0x401019 1 'call   401000 <fib>' 'e8 e2 ff ff ff')
	grep -qxP 'listed\tfib\t2' "$dir/rows"
	grep -qxP 'listed\tloop\t0' "$dir/rows"
	# Without bytes, and with the lines of -l, which begin no symbol.
	printf '%s\n' 'rec: file format x' '0000000000401000 <fib>:' 'fib():' '/x/rec.c:8' \
		$'  401000:\tpush' 'inlined():' $'  401003:\tnop' >"$dir/rec.asm"
	report --disassembly "$dir/rec.asm" "$file"
	grep '^asm' "$dir/rows" | cut -f 2- | same - <(printf '%s\t%s\t%s\t%s\t%s\t\n' \
		0 1 0x401000 1 push 0 1 0x401003 0 nop)
	# Without symbols, what is far from the profile is cut.
	perl -e 'print "rec: file format x\n"; printf "  %x:\tnop\n", 0x3f0000 + $_ for 0 .. 200000' >"$dir/rec.asm"
	report --disassembly "$dir/rec.asm" "$file"
	grep -P '^asm' "$dir/rows" | cut -f 4 | sed -n '1p;$p' | same - <(printf '%s\n' 0x400f9c 0x401213)
	"$CGCONV" -t html --disassembly "$dir/rec.asm" -o "$dir/out.html" \
		samples/callgrind/plain/callgrind.out 2>&1 |
		grep -e '--disassembly has no instruction of the profile'
	refuses 2 "--disassembly: no such file: '$dir/none'" -t html \
		--disassembly "$dir/none" "$file"
}

@test "html: coverage is that of lcov" {
	report samples/gcov/gcc-cc/*.gcda
	"$CGCONV" -q -t lcov samples/gcov/gcc-cc/*.gcda >"$dir/info"
	perl -lne 'BEGIN { $, = "\t" } $f = $1 if /^SF:(.*)/;
		$taken{$f, $1}[0]++, $taken{$f, $1}[1] += $2 =~ /^[1-9]/
			if /^BRDA:(\d+),.*,(\S+)$/;
		$count{$f, $1} = $2 if /^DA:(\d+),(\d+)/;
		END { for (sort keys %count) {
			my ($file, $line) = split /$;/;
			print "sum", $file, $line, $count{$_}, map { $_ || 0 }
				@{ $taken{$_} || [] }[0, 1];
		} }' "$dir/info" >"$dir/want"
	grep -P '^sum\t' "$dir/rows" | grep -vP '^sum\t[^\t]*\t\d+\t-' |
		LC_ALL=C sort >"$dir/got"
	LC_ALL=C sort -o "$dir/want" "$dir/want"
	[ "$(wc -l <"$dir/want")" -gt 20 ]
	same "$dir/want" "$dir/got"
	perl -ne '$n += $1 if /^FNF:(\d+)/; END { print "$n\n" }' "$dir/info" >"$dir/want"
	grep -cP '^entries\t' "$dir/rows" | same "$dir/want" -
}

@test "html: lines that markers exclude do not count, in coverage only" {
	cd "$dir" || return 1
	printf '%s\n' 'f' 'x // LCOV_EXCL_LINE' 'g // GCOVR_EXCL_START' y \
		'LCOV_EXCL_STOP' >a.c
	printf '%s\n' SF:a.c FN:1,f FNDA:1,f FN:3,g FNDA:0,g DA:1,1 DA:2,0 DA:3,0 \
		BRDA:3,0,0,1 DA:4,0 DA:5,0 end_of_record >a.info
	cd "$ROOT" || return 1
	report --sources "$dir" "$dir/a.info"
	grep -P '^cover\t' "$dir/rows" | same - <(printf 'cover\ta.c\t1/2\t1/1\t0/0\n')
	grep -P '^entries\t' "$dir/rows" | same - <(printf 'entries\tf\t1\n')
	[ "$(grep -cP '^line\t' "$dir/rows")" -eq 2 ]
	report --sources "$dir" --no-markers "$dir/a.info"
	grep -P '^cover\t' "$dir/rows" | same - <(printf 'cover\ta.c\t1/5\t1/2\t1/1\n')
	# Costs of a profile are not coverage.
	printf 'events: Ir\nfl=a.c\nfn=f\n1 5\n2 7\n' >"$dir/callgrind.out"
	report --sources "$dir" "$dir/callgrind.out"
	[ "$(grep -cP '^line\t' "$dir/rows")" -eq 2 ]
}

@test "html: functions of one name count once, as for lcov" {
	report samples/gcov/gcc-cc/*.gcda
	"$CGCONV" -q -t lcov samples/gcov/gcc-cc/*.gcda |
		perl -lne 's{^SF:}{} and $f = $_; /^(LF|LH|FNF|FNH|BRF|BRH):(\d+)/ and $n{$1} = $2;
			/^end/ and print join "\t", "cover", $f, "$n{LH}/$n{LF}",
				"$n{FNH}/$n{FNF}", ($n{BRH} // 0) . "/" . ($n{BRF} // 0) and %n = ()' |
		sort >"$dir/want"
	grep -P '^cover\t' "$dir/rows" | sort | same "$dir/want" -
}

@test "html: functions that are out of scope are in no output" {
	local file=samples/gcov/gcc-cc/cover.gcda
	local scope=(--no-external --map /tmp/cover/cover.cc=cover.cc)

	# The functions of the file, as lcov lists them; nothing of cover.h.
	"$CGCONV" -q -t lcov "${scope[@]}" "$file" >"$dir/out.info"
	"$CGCONV" -q -t lcov "$file" | sed -n '/cover.cc$/,/end_of/s/^FN:[0-9]*,//p' |
		sort >"$dir/want"
	[ "$(wc -l <"$dir/want")" -eq 4 ]
	sed -n 's/^FN:[0-9]*,//p' "$dir/out.info" | sort | same "$dir/want" -
	c++filt -i <"$dir/want" 2>/dev/null | sort >"$dir/names" ||
		skip "no c++filt"
	"$CGCONV" -q -t json "${scope[@]}" "$file" >"$dir/out.cgj"
	perl -lne 'print $1 if /^\["function",\d+,"(.*?)",/' "$dir/out.cgj" | sort |
		same "$dir/names" -
	[ "$(grep -c '^\["file"' "$dir/out.cgj")" -eq 1 ]
	not grep 'cover\.h\|clamp' "$dir/out.cgj"
	"$CGCONV" -q -t csv "${scope[@]}" "$file" | sed 1d | cut -d , -f 3 | sort |
		same "$dir/names" -
	"$CGCONV" -q --info "${scope[@]}" "$file" | grep 'Size .* 1 file, 4 functions,'
	report --no-root-by "${scope[@]}" "$file"
	grep -P '^fn\t[^\t]' "$dir/rows" | cut -f 2 | sort | same "$dir/names" -
	not grep -P '^fn\t[^\t]*\t\t' <(grep -P '^fn\t[^\t]' "$dir/rows")
	[ "$(grep -c '^entries' "$dir/rows")" -eq 4 ]
	# Several inputs, and both ways to the same graph.
	"$CGCONV" -q -t json "${scope[@]}" "$file" samples/gcov/gcc-c/cover.gcda |
		not grep 'clamp'
	"$CGCONV" -q -t json -o "$dir/all.cgj" "$file"
	"$CGCONV" -q -t json "${scope[@]}" "$dir/all.cgj" | sed '$d' | same - <(sed '$d' "$dir/out.cgj")
}

# Two tests of one file, and a third one of another.
three_tests()
{
	printf '%s\n' f 'x' y '' g z >"$dir/a.c"
	printf '%s\n' TN:first "SF:$dir/a.c" FN:1,f FN:5,g FNDA:2,f FNDA:0,g \
		BRDA:2,0,0,1 BRDA:2,0,1,1 DA:1,2 DA:2,2 DA:3,1 DA:5,0 DA:6,0 \
		end_of_record TN:second "SF:$dir/a.c" FN:1,f FN:5,g FNDA:3,f \
		FNDA:4,g BRDA:2,0,0,0 BRDA:2,0,1,3 DA:1,3 DA:2,3 DA:3,0 DA:5,4 \
		DA:6,4 end_of_record TN:third SF:/b.c DA:7,0 DA:8,9 \
		end_of_record >"$dir/tests.info"
}

@test "html: tests keep their lines, with the numbers of --summary --per-test" {
	three_tests
	report "$dir/tests.info"
	printf 'test\t%s\n' "first	$dir/a.c	3	1	2	0" "second	$dir/a.c	4	2	1	0" \
		"third	/b.c	1	0	0	0" >"$dir/want"
	grep -P '^test\t' "$dir/rows" | same "$dir/want" -
	printf 'testline\t%s\n' "first	$dir/a.c	1	2" "first	$dir/a.c	2	2" \
		"first	$dir/a.c	3	1" "second	$dir/a.c	1	3" "second	$dir/a.c	2	3" \
		"second	$dir/a.c	5	4" "second	$dir/a.c	6	4" "third	/b.c	8	9" >"$dir/want"
	grep -P '^testline\t' "$dir/rows" | same "$dir/want" -
	"$CGCONV" -q --summary --per-test "$dir/tests.info" | grep ' first$' |
		grep -E '3/7 .* 1/2 .* 2/2 '
	mv "$dir/rows" "$dir/want"
	report "$dir/tests.info" --split
	same "$dir/want" "$dir/rows"
	# Inputs are tests, too, if they are kept apart; else there are none.
	report --parts "$dir/tests.info" samples/lcov/all-records/tests.info
	grep -P '^test\tsecond\t/src' "$dir/rows"
	sed s/^TN.*/TN:/ "$dir/tests.info" >"$dir/one.info"
	report "$dir/one.info"
	not grep -P '^test' "$dir/rows"
	report --parts samples/callgrind/plain/callgrind.out samples/callgrind/plain/callgrind.out
	not grep -P '^test' "$dir/rows"
}

@test "html: tests cover as many lines as genhtml counts for them" {
	command -v genhtml >/dev/null || skip "no genhtml"
	three_tests
	genhtml -q --show-details --ignore-errors source -o "$dir/genhtml" "$dir/tests.info" ||
		skip "genhtml rejects the file"
	find "$dir/genhtml" -name index-detail.html -exec cat {} + | perl -0777 -ne '
		print join("\t", "test", $1, $2), "\n"
			while /testName" colspan=2>(\w+)<.*?testNum">(\d+)&nbsp;\/&nbsp;/gs' | sort >"$dir/want"
	[ -s "$dir/want" ] || skip "another page of genhtml"
	report "$dir/tests.info"
	grep -P '^test\t' "$dir/rows" | cut -f 1,2,4 | sort | same "$dir/want" -
}

@test "html: tests that cover too many lines keep their numbers, and it is said" {
	perl -e '
		for my $t (1 .. 280) {
			print "TN:t$t\nSF:/a.c\n";
			print "DA:$_,1\n" for 1 .. 30001;
			print "end_of_record\n";
		}' >"$dir/many.info"
	"$CGCONV" -t html -o "$dir/out.html" "$dir/many.info" 2>"$dir/messages"
	grep 'tests cover too many lines for a page' "$dir/messages"
	perl tests/oracle/html.pl "$dir/out.html" | awk '/^testline/ { n++ } /^test\t/ { t += $4 }
		END { print n, t }' | same - <(echo "$((279 * 30001)) $((280 * 30001))")
	[ "$(wc -c <"$dir/out.html")" -lt 4000000 ]
}

@test "html: --split puts the same data into files next to the page" {
	local inputs=(samples/callgrind/plain/callgrind.out samples/pprof/cpu/cpu.pb.gz
		samples/gcov/gcc-cc/cover.gcda)

	for input in "${inputs[@]}"; do
		report "$input" --sources samples/src
		mv "$dir/rows" "$dir/want"
		report "$input" --sources samples/src --split
		same "$dir/want" "$dir/rows"
		grep -q '^cgconvData("lines","' "$dir/out.lines.js"
	done
	# The page alone has no lines.
	not grep -q "$(head -c 400 "$dir/out.lines.js" | tail -c 300)" "$dir/out.html"
	"$CGCONV" -q -t html --split -O "$dir/o" "${inputs[@]:0:2}"
	[ "$(find "$dir/o" -name '*.js' | wc -l)" -gt 5 ]
	[ -s "$dir/o/samples/callgrind/plain/callgrind.out.lines.js" ]
}

@test "html: --split needs a name, and leaves no half of a report" {
	local in=samples/callgrind/plain/callgrind.out

	refuses 2 'several outputs need a file' -t html --split "$in"
	refuses 2 'several outputs need a file' -t html --split -o - "$in"
	refuses 2 'several outputs need a file' -t html --split -o "$dir/a.html.gz" "$in"
	refuses 2 'several outputs need a file' -t html --split -o /dev/null "$in"
	mkdir "$dir/a.calls.js"
	refuses 4 'a.calls.js: error: cannot open' -t html --split -o "$dir/a.html" "$in"
	[ "$(ls -A "$dir")" = "$(printf '%s\n' a.calls.js refuses.err refuses.out)" ] || {
		ls -A "$dir" && false
	}
}

@test "html: --split leaves the old report if a file of the new one fails" {
	"$CGCONV" -q -t html --split -o "$dir/r.html" samples/callgrind/plain/callgrind.out
	cat "$dir"/r.* | cksum >"$dir/want"
	perl -e 'print "main;", join(";", map { "f" . int(rand(1e9)) } 1 .. 9), " 1\n"
		for 1 .. 20000' >"$dir/in.folded"
	local status=0
	(trap '' XFSZ && ulimit -f 300 && "$CGCONV" -q -t html --split \
		-o "$dir/r.html" "$dir/in.folded" 2>"$dir/err") || status=$?
	[ "$status" -eq 4 ]
	grep 'cannot write' "$dir/err"
	cat "$dir"/r.* | cksum | same "$dir/want" -
}

@test "html: a difference has the costs before and after" {
	printf 'main;a 10\nmain;gone 5\n' >"$dir/a.folded"
	printf 'main;a 25\nmain;new 7\n' >"$dir/b.folded"
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.folded" "$dir/b.folded"
	perl tests/oracle/html.pl "$dir/out.html" >"$dir/rows"
	grep -P '^(event|node)\t' "$dir/rows" | LC_ALL=C sort >"$dir/got"
	printf '%s\n' 'event	samples_after	32' 'event	samples_before	15' \
		'node	main;a	25	10' 'node	main;gone	0	5' 'node	main;new	7	0' \
		>"$dir/want"
	same "$dir/want" "$dir/got"
	# Negative costs of other inputs stay.
	printf 'a -5\nb 7\n' >"$dir/in.folded"
	"$CGCONV" -q --diff -t json -o "$dir/diff.json" "$dir/a.folded" "$dir/b.folded"
	report "$dir/diff.json"
	grep -P '^node\tmain;gone\t-5$' "$dir/rows"
}

# judged_of ARG...: the verdicts of --json, in the form of rows.
judged_of()
{
	"$CGCONV" --diff --json "$@" | perl -MJSON::PP -0777 -ne '
		my $runs = decode_json($_)->{runs};
		my $end = sub { my ($x) = @_; abs($x) >= 2 ** 53 / 1e8 ? ($x < 0 ? "-" : "") . 2 ** 53 : sprintf "%.0f", 1e8 * $x };
		my $row = sub { my ($at, $kind, $name) = @_;
			print join("\t", "judged", $kind, $name, $at->{verdict}, map { defined ? $end->($_) : "-" }
				@{ $at->{interval} }), "\n" };
		$row->($runs->{total}, "total", "") if $runs->{total}{verdict} ne "-";
		$row->($_, $_->{cost}, $_->{name}) for @{ $runs->{functions} };
		$row->($_, "line", "$_->{file}:$_->{line}") for @{ $runs->{lines} };' | LC_ALL=C sort
}

# noisy: $dir/a.folded and $dir/b.folded are samples; f grew, tiny is too small, gone and
# new are what they say, and the others are noise.
noisy()
{
	printf '%s\n' 'main;f 900' 'main;f;g 1000' 'main;g 1030' 'main;tiny 3' 'main;gone 800' \
		'main;work 5000' >"$dir/a.folded"
	printf '%s\n' 'main;f 1300' 'main;f;g 1040' 'main;g 1000' 'main;tiny 9' 'main;new 790' \
		'main;work 5070' >"$dir/b.folded"
}

@test "html: a difference of several runs has their means and verdicts, also of lines" {
	for i in 1 2 3 4; do
		for side in a b; do
			printf '%s\n' 'events: ns' fl=a.c fn=f "10 $((1000 + i))" "11 $((500 + 2 * i))" \
				fn=g "20 $((300 + i))" >"$dir/$side$i"
		done
		sed -i "s/^11 .*/11 $((900 + 2 * i))/" "$dir/b$i"
		printf '%s\n' fl=small.c fn=h '1 5' >>"$dir/b$i"
	done
	set -- "$dir"/a? -- "$dir"/b1 "$dir"/b2 "$dir"/b3
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$@"
	perl tests/oracle/html.pl "$dir/out.html" >"$dir/rows"
	grep -P '^judged\t' "$dir/rows" | LC_ALL=C sort | same - <(judged_of "$@")
	grep -P '^judged\tline\ta\.c:11\treal\t' "$dir/rows"
	grep -P '^judged_runs\t4\t3$' "$dir/rows"
	grep -P "^judged_method\tns\tWelch's t-test of the means; " "$dir/rows"
	# Means, without what is below 1.
	"$CGCONV" --diff --json "$@" | perl -MJSON::PP -0777 -ne '
		my $runs = decode_json($_)->{runs};
		printf "%s %.0f %.0f\n", @$_{qw(name before after)}
			for grep { $_->{cost} eq "self" } @{ $runs->{functions} }' | LC_ALL=C sort >"$dir/want"
	perl -F'\t' -lane 'print join " ", @F[1, 8, 7] if $F[0] eq "fn" && $F[1] =~ /^[fg]$/' "$dir/rows" |
		LC_ALL=C sort >"$dir/got"
	paste -d ' ' "$dir/want" "$dir/got" | awk '{ if ($1 != $4 || ($2 - $5) ^ 2 > 1 || ($3 - $6) ^ 2 > 1) exit 1 }
		END { if (NR != 2) exit 1 }'
	[ -n "$CHROMIUM" ] || return 0
	browse 'view=overview'
	grep -F '<title>a1 and 3 more → b1 and 2 more</title>' "$dir/dom" >/dev/null
	grep -F 'means of 4 runs before and 3 runs after' "$dir/dom" >/dev/null
	browse 'view=source&file=1'
	cells | cut -f 1-5 | sed 's/ to .*//' >"$dir/got"
	grep -P '^505\t904\t\+399.*\treal \+' "$dir/got"
	[ "$(grep -c noise "$dir/got")" = 2 ]
	grep -oP 'fill (grey|up|down)' "$dir/dom" | LC_ALL=C sort | uniq -c | awk '{ print $1 ":" $3 }' |
		tr '\n' ' ' | grep -x '1:grey 1:up '
}

@test "html: what is real and what is noise is that of --json" {
	noisy
	for options in '' --normalize '--error-rate 20%'; do
		# shellcheck disable=SC2086 # a word or none
		"$CGCONV" -q --diff $options -t html -o "$dir/out.html" "$dir/a.folded" "$dir/b.folded"
		perl tests/oracle/html.pl "$dir/out.html" >"$dir/rows"
		# shellcheck disable=SC2086
		judged_of $options "$dir/a.folded" -- "$dir/b.folded" >"$dir/want"
		grep -P '^judged\t' "$dir/rows" | LC_ALL=C sort | same - "$dir/want"
		# shellcheck disable=SC2086
		[ "$(grep -c real "$dir/want")" -gt 3 ] && grep -q noise "$dir/want"
		grep -q "$(printf 'new\treal\t-\t-')" "$dir/want"
		not grep -q tiny "$dir/want"
	done
	grep -P '^judged_method\t' "$dir/rows" | same - <(printf '%s\n' \
		'judged_method	samples	counting statistics of the samples of one run each; 20% false alarms in 12 comparisons')
	# What is counted exactly, and what has no number of samples, has none.
	printf 'events: Ir\nfn=f\n1 1000\n' >"$dir/a.cg"
	printf 'events: Ir\nfn=f\n1 1001\n' >"$dir/b.cg"
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.cg" "$dir/b.cg"
	perl tests/oracle/html.pl "$dir/out.html" >"$dir/rows"
	not grep -P '^judged\t' "$dir/rows"
	grep -qP '^judged_method\tIr\tIr is counted exactly: every change is real$' "$dir/rows"
	sed -i s/Ir/ns/ "$dir/a.cg" "$dir/b.cg"
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.cg" "$dir/b.cg"
	perl tests/oracle/html.pl "$dir/out.html" >"$dir/rows"
	not grep -P '^judged\t' "$dir/rows"
	grep -qP '^judged_method\tns\tnone: ' "$dir/rows"
	# Coverage has a comparison of its own.
	two_runs
	not grep -q '^judged' "$dir/rows"
}

# two_runs: $dir/a.info is a sample; in $dir/b.info one of its functions did not
# run, others did, and the files are in another directory.
two_runs()
{
	"$CGCONV" -q -t lcov -o "$dir/a.info" samples/gcov/gcc-cc/cover.gcda
	perl -pe '
		s{^SF:/tmp/cover}{SF:/home/ci/cover} and $main = /\.cc$/;
		next if /^(FN|BR|L)[FH]:/ and $_ = "";
		if ($main) {
			s/^(FNDA:)\d+(,_ZL5drain)/${1}0$2/;
			s/^(DA:(?:5|7|12|13|14|15),)\d+/${1}0/;
			s/^(BRDA:12,\d+,1,)\d+/${1}0/; s/^(BRDA:28,0,1,)0/${1}4/;
		} else {
			s/^(FNDA:)0(,_ZN4baseD0)/${1}2$2/;
			s/^(DA:6,)0/${1}9/; s/^(BRDA:5,0,0,)0/${1}9/;
		}' "$dir/a.info" >"$dir/b.info"
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.info" "$dir/b.info" "$@"
	perl tests/oracle/html.pl --check "$dir/out.html"
	perl tests/oracle/html.pl "$dir/out.html" >"$dir/rows"
}

@test "html: a difference of coverage has both runs, as lcov counts them" {
	two_runs
	for run in a:cover_before b:cover; do
		"$CGCONV" -q -t lcov "$dir/${run%:*}.info" | perl -lne 's{^SF:.*/}{} and $f = $_;
			/^(LF|LH|FNF|FNH|BRF|BRH):(\d+)/ and $n{$1} = $2;
			/^end/ and print join "\t", $f, "$n{LH}/$n{LF}", "$n{FNH}/$n{FNF}",
				"$n{BRH}/$n{BRF}" and %n = ()' | sort >"$dir/want"
		[ -s "$dir/want" ]
		sed -n "s,^${run#*:}\t[^\t]*/,,p" "$dir/rows" | sort | same "$dir/want" -
	done
	# Files that moved match, in the terminal, too.
	"$CGCONV" -q --diff "$dir/a.info" "$dir/b.info" >"$dir/text"
	grep -x 'Lines that lost coverage: 6 in 1 file; 1 gained it' "$dir/text"
	grep -x '  /home/ci/cover/cover.cc: 5-7, 12-15' "$dir/text"
	cp "$dir/rows" "$dir/want"
	two_runs --split
	same "$dir/want" "$dir/rows"
	# Branches are kept.
	"$CGCONV" --diff -t html -o "$dir/out.html" "$dir/a.info" "$dir/b.info" \
		>/dev/null 2>"$dir/err"
	grep -c '' "$dir/err" | grep -x 1
	grep '2 of 2 sources not found' "$dir/err"
}

@test "html: names of strangers stay names" {
	printf '%b;%b;%b;%b;%b;%b;%b 5\n' '</script><script>alert(1)</script>' \
		'<!--' '"'"'"' onload="x' 'a\0342\0200\0256b' 'x\0377y' '__proto__' \
		'&amp;constructor' >"$dir/in.folded"
	report --title '</title><script>x</script>' "$dir/in.folded"
	LC_ALL=C cut -f 2 "$dir/rows" >"$dir/names"
	for name in '</script><script>alert(1)</script>' '<!--' __proto__ \
		'&amp' constructor; do
		LC_ALL=C grep -qxF -- "$name" "$dir/names"
	done
	LC_ALL=C grep -q $'^fn\tx\377y\t' "$dir/rows"
	LC_ALL=C grep -q $'^fn\ta\342\200\256b\t' "$dir/rows"
	grep -qF '<title>&lt;/title&gt;&lt;script&gt;x&lt;/script&gt;</title>' \
		"$dir/out.html"
}

@test "html: pages of a sum and of workers name the same inputs" {
	printf 'a;b 1\n' >"$dir/one.folded"
	printf 'a;c 2\n' >"$dir/two.folded"
	(cd "$dir" && tar cf both.tar one.folded two.folded)
	"$CGCONV" -t html "$dir/one.folded" "$dir/two.folded" >"$dir/want.html"
	grep -F '<title>one.folded and 1 more</title>' "$dir/want.html"
	for how in "$dir/one.folded $dir/two.folded" "$dir/both.tar" \
		"-j 1 $dir/one.folded $dir/two.folded" \
		"-j 2 $dir/one.folded $dir/two.folded"; do
		# shellcheck disable=SC2086 # several words
		"$CGCONV" -q -o "$dir/got.html" $how
		cmp "$dir/got.html" "$dir/want.html"
	done
	mkdir "$dir/many"
	for i in {100..399}; do cp "$dir/one.folded" "$dir/many/$i.folded"; done
	echo broken >"$dir/many/200.folded"
	"$CGCONV" -q -j 2 -r -o "$dir/got.html" "$dir/many"
	grep -F '<title>100.folded and 298 more</title>' "$dir/got.html"
}

@test "html: sources are opened only where the options allow" {
	mkdir -p "$dir/in" "$dir/src"
	printf 'int a;\n' >"$dir/src/a.c"
	printf 'TN:\nSF:a.c\nDA:1,3\nend_of_record\nSF:../b.c\nDA:1,3\nend_of_record\n' \
		>"$dir/in/x.info"
	printf 'secret\n' >"$dir/b.c"
	report "$dir/in/x.info"
	not grep -P '^source\t' "$dir/rows"
	report --sources "$dir/src" "$dir/in/x.info"
	grep -P '^source\t' "$dir/rows" | cut -f 3 >"$dir/got"
	printf 'int a;\\n\n' >"$dir/want"
	same "$dir/want" "$dir/got"
	cp "$dir/src/a.c" "$dir/in"
	report "$dir/in/x.info"
	grep -P '^source\t.*\tint a;' "$dir/rows"
	"$CGCONV" -t html --sources "$dir/profile" -o "$dir/out.html" \
		"$dir/in/x.info" 2>&1 | grep 'no source found'
}

@test "html: --html-min drops small functions and frames, and says so" {
	printf 'm;wide 990\nm;a;x 3\nm;b 2\nm;c;y;z 5\n' >"$dir/in.folded"
	report "$dir/in.folded"
	grep -xP 'dropped_fns\t0' "$dir/rows"
	report --html-min 1% "$dir/in.folded"
	grep -xP 'dropped_fns\t6' "$dir/rows"
	grep -xP 'dropped_frames\t6' "$dir/rows"
	not grep -P '^fn\tx\t' "$dir/rows"
	# Their costs are still there.
	grep -xP 'node\tm;\(dropped\)\t10' "$dir/rows"
	for wrong in x 1 101% 1%% ''; do
		refuses 2 '--html-min: expected a percentage' -t html \
			--html-min "$wrong" "$dir/in.folded"
	done
}

@test "html: calls have no stacks, unless they are estimated" {
	file=samples/callgrind/plain/callgrind.out
	report "$file"
	not grep -P '^node\t' "$dir/rows"
	grep -P '^(fn|call|line)\t' "$dir/rows" >"$dir/want"
	report --guess-stacks "$file"
	grep -P '^(fn|call|line)\t' "$dir/rows" >"$dir/got"
	# Calls stay those of the profile.
	same "$dir/want" "$dir/got"
	grep -xP 'guessed\t1' "$dir/rows"
	[ "$(grep -P '^node\t' "$dir/rows" |
		perl -F'\t' -lane '$s += $F[2]; END { print $s }')" = \
		"$(grep -P '^event\t' "$dir/rows" | cut -f 3)" ]
}

@test "html: a timeline keeps its moments" {
	printf 'p 7/7 1.000000: 3 cycles:\n\t1 b (/x)\n\t2 main (/x)\n\n%s' \
		"$(printf 'p 7/7 1.500000: 4 cycles:\n\t1 c (/x)\n\t2 main (/x)\n\n')" \
		>"$dir/in.perf"
	report -f perf-script "$dir/in.perf"
	grep -P '^moment\t' "$dir/rows" | cut -f 3 | tr '\n' ' ' >"$dir/got"
	printf 'b c ' | same - "$dir/got"
}

@test "html: the page is at most 1 MB larger than its data" {
	report samples/callgrind/plain/callgrind.out
	[ "$(wc -c <"$dir/out.html")" -lt 1000000 ]
}

@test "html: boxes and labels of a call graph do not overlap, edges end at their boxes" {
	cat formats/html/layered.js tests/unit/layered.js >"$dir/layered.js"
	if command -v node >/dev/null; then
		node "$dir/layered.js"
		return
	fi
	needs_browser
	echo "document.title = 'right'" >>"$dir/layered.js"
	echo '<script src="layered.js"></script>' >"$dir/layered.html"
	timeout 120 "$CHROMIUM" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$dir/profile" --dump-dom "file://$dir/layered.html" \
		2>"$dir/log" | grep '<title>right'
}

# script MODULE... TEST: one script of modules of the page and a test.
script()
{
	echo 'globalThis.window = globalThis;'
	for module in "${@:1:$# - 1}"; do
		cat "formats/html/$module.js"
	done
	cat "tests/unit/${*: -1}.js"
}

@test "html: rectangles of maps and boxes of flame graphs have the areas of their costs" {
	command -v node >/dev/null || skip 'no node'
	script base names inflate events data state select versus cycles filter layout map squares >"$dir/squares.js"
	node "$dir/squares.js" | grep -x right
}

@test "html: functions and calls that the page counts are those of the converter" {
	command -v node >/dev/null || skip 'no node'
	script base names inflate events data state select versus cycles filter ere refine layout times spots counting >"$dir/counting.js"
	i=0
	for file in samples/pprof/*/*.pb.gz samples/folded/*/*.folded samples/speedscope/*/*.json \
		samples/perf-script/*/*.perf samples/jfr/*/*.jfr.gz samples/firefox/*/*.json \
		samples/cpuprofile/*/*.cpuprofile samples/heaptrack/*/*.zst; do
		"$CGCONV" -q -t html -o "$dir/$((i += 1)).html" "$file" 2>/dev/null || continue
		# Without the costs and calls that have no stack.
		perl tests/oracle/html.pl "$dir/$i.html" >"$dir/rows"
		grep -q '^node' "$dir/rows" || rm "$dir/$i.html"
	done
	node "$dir/counting.js" "$dir"/*.html >"$dir/got"
	[ "$(wc -l <"$dir/got")" -gt 10 ]
}

@test "html: expressions match what they match on the command line" {
	command -v node >/dev/null || skip 'no node'
	printf '%s\n' a aa ab abc 'a*' 'f(int)' 'a.b' 'a\b' ']' '[x]' x-y 'A B' '{1}' a1 '^' '$' 'a|b' 'ns::A::f' \
		aXb >"$dir/words"
	printf '%s\n' a '^a' 'b$' a.b 'a\.b' 'a\\b' '[]]' '[^]a-c]' '[[:upper:]]' '[[:digit:]x]' '[x-]' '[a\]' \
		'^(a|ab)(c|bcd)?$' '^a*$' '^a+?$' 'a{2}' '^a{1,2}$' '^a{,1}$' 'a**' '(a' 'a)' '\)' '*a' 'a|*' '[a' 'a\' \
		'(?:a)' '\<b' 'A\>' 'f\(int\)' '\w\W\w' '^.$' '\{1\}' '}' ']' '(a)\1' 'ns::[A-Z]+::' '[[.-.]]' \
		'[[:no:]]' 'a|b' '-' '/' >"$dir/expressions"
	script ere ere >"$dir/ere.js"
	node "$dir/ere.js" "$dir/words" "$dir/expressions" >"$dir/got"
	sed 's/ /_/g; s/$/ 1/; s/_/ /g' "$dir/words" >"$dir/in.folded"
	while read -r text; do
		printf '%s\t' "$text"
		if "$CGCONV" -q -t folded --focus "$text" "$dir/in.folded" >"$dir/out" 2>/dev/null; then
			# In the order of the words.
			sed 's/ 1$//' "$dir/out" | grep -nxFf - "$dir/words" | cut -d : -f 2- | paste -sd ' '
		else
			echo invalid
		fi
	done <"$dir/expressions" >"$dir/want"
	[ "$(grep -c invalid "$dir/want")" -gt 5 ]
	same "$dir/want" "$dir/got"
}

# frame ID NAME SCRIPT MORE: a node of a CPU profile of V8.
frame()
{
	printf '{"id":%d,"callFrame":{"functionName":"%s","scriptId":"%d","url":"","lineNumber":0,"columnNumber":0}%s},' \
		"$@"
}

@test "html: samples of V8 last until the next, on what they interrupt" {
	command -v node >/dev/null || skip 'no node'
	{
		printf '{"nodes":['
		frame 1 '(root)' 0 ',"children":[2,4,5]'
		frame 2 a 1 ',"children":[3]'
		frame 3 b 1 ''
		frame 4 '(garbage collector)' 0 ''
		frame 5 '(program)' 0 '' | sed 's/,$//'
		printf '],"startTime":0,"endTime":90,"samples":[5,3,4,5,2,3],"timeDeltas":[0,10,1,1,1,50]}'
	} >"$dir/in.cpuprofile"
	report "$dir/in.cpuprofile"
	script base names inflate events data state select versus cycles filter layout times chart >"$dir/chart.js"
	node "$dir/chart.js" "$dir/out.html" | same - <(printf '%s\n' '1 (program) 0 10000' '1 a 10000 75600' \
		'2 b 10000 13000' '3 (garbage collector) 11000 12000' '3 (program) 12000 13000' '2 b 63000 75600')
}

@test "html: names are shortened without losing the function" {
	command -v node >/dev/null || skip 'no node'
	script names names >"$dir/names.js"
	node "$dir/names.js" | grep -x right
}

@test "html: words of commands are words to a shell, and have no control characters" {
	command -v node >/dev/null || skip 'no node'
	script base words >"$dir/words.js"
	# shellcheck disable=SC2016 # not to expand
	node "$dir/words.js" '"plain"' '"it\u0027s"' '"$(a) `b`"' '"a\u0003\nb\u0027\\c"' '"x\u009by\u001b[0m1"' \
		>"$dir/command"
	not env LC_ALL=C grep -aP '[\x00-\x1f\x7f-\xff]' "$dir/command"
	eval "printf '%s|' $(cat "$dir/command")" >"$dir/got"
	# shellcheck disable=SC2016 # not to expand
	printf '%s|' plain "it's" '$(a) `b`' $'a\003\nb\'\\c' $'x\302\233y\033[0m1' >"$dir/want"
	cmp "$dir/want" "$dir/got"
}

@test "html: scripts define each name once" {
	sed -En 's/^(async )?(function|class|const|let) (\w+).*/\3/p' formats/html/*.js |
		sort | uniq -d | same /dev/null -
}

# ---- In a browser -----------------------------------------------------------

@test "html: Chromium shows all functions with their costs" {
	needs_browser
	for file in samples/callgrind/plain/callgrind.out samples/pprof/cpu/cpu.pb.gz; do
		report "$file"
		event=$(grep -P '^event\t' "$dir/rows" | tail -n 1 | cut -f 2)
		columns=$(grep -cP '^event\t' "$dir/rows")
		browse "view=functions&sort=name&unit=full&event=$event"
		# Name, inclusive and self cost, without shares and cycles.
		cells | perl -lne '@F = split /\t/, $_, -1;
			s/ .*//, s/,//g for @F[0, 1];
			$F[-3] =~ s/(.) <cycle \d+>$/$1/;
			print join("\t", $F[-3], @F[0, 1])' | LC_ALL=C sort >"$dir/got"
		perl -F'\t' -lane 'BEGIN { $n = shift }
			print join("\t", $F[1], $F[4 + $n], $F[4 + 2 * $n])
				if $F[0] eq "fn" && $F[1] ne "" && $F[4 + $n];
			print join("\t", "<cycle $F[1]>", $F[2 + $n], $F[2 + 2 * $n])
				if $F[0] eq "cycle"' \
			"$columns" "$dir/rows" | LC_ALL=C sort >"$dir/want"
		[ -s "$dir/want" ]
		same "$dir/want" "$dir/got"
	done
}

@test "html: Chromium cuts names of functions as pictures do, and tells readers all of them" {
	needs_browser
	# GNU ld and perf write such names.
	name='app::detail::Table<std::pair<int, std::string>, std::less<int> >::put(std::string const&, int)'
	printf '%s\n' "main;$name 5" 'main;void std::sort<std::pair<int, std::string>*, std::less<std::string> >(int*, std::less<int>) 4' \
		>"$dir/in.folded"
	report "$dir/in.folded"
	names_at()
	{
		WINDOW=$1,800 browse "view=$2"
		grep -oP '<a [^>]*class="fn"[^>]*>\K[^<]*' "$dir/dom" | perl -pe 's/&lt;/</g; s/&gt;/>/g; s/&amp;/&/g' | sort -u
	}
	names_at 2560 functions | grep -Fx "$name"
	grep -c 'class="fn"[^>]*aria-label' "$dir/dom" | grep -x 0
	for view in functions tree overview 'function&fn=2'; do
		names_at 390 "$view" >"$dir/names"
		grep -Ex '(app::|)(detail::|)Table<…>::put' "$dir/names"
		grep -Ex '(std::|)sort<…>' "$dir/names"
		# The rule left nothing to the style sheet.
		grep -P '<a [^>]*class="fn"[^>]*aria-label="app::detail' "$dir/dom"
	done
	# Names that are nothing but long end in dots; the mark of a cycle stays.
	printf '%s\n' 'main;a_name_of_a_function_in_c_that_no_column_of_a_telephone_has_room_for;b;a_name_of_a_function_in_c_that_no_column_of_a_telephone_has_room_for 5' \
		>"$dir/in.folded"
	report "$dir/in.folded"
	names_at 390 functions | grep -E '^a_name_of[a-z_]*…$'
	cells | grep -E '^a_name_of[a-z_]*… <cycle 1>'
}

@test "html: names of functions that are unknown are those of their objects, as in svg" {
	needs_browser
	cat >"$dir/in.perf" <<-'END'
	a  1 1.0:  5 cycles:
		401 f (/bin/a)
		402 [unknown] (/lib/libx.so)
		403 [unknown] ([unknown])

	END
	report "$dir/in.perf"
	browse view=functions
	cells | cut -f 4 | grep -Fx '[libx.so]'
	cells | cut -f 4 | grep -Fx '[unknown]'
	"$CGCONV" -q -t svg "$dir/in.perf" | grep -F '<title>[libx.so]'
}

@test "html: Chromium lists lines by their numbers, and cuts names of files before them" {
	needs_browser
	printf '%s\n' 'events: Ir' 'fl=./string/../lib/./a_long_name_of_a_file_in_a_directory.c' 'fn=f' '10 5' '11 0' '12 7' \
		'fn=g' '20 3' 'fi=another_long_name_of_a_file_that_is_included.h' '123 4' >"$dir/callgrind.out"
	report "$dir/callgrind.out"
	# Of one file, without its text: its name is not in every row, and no column is empty.
	browse 'view=function&fn=1'
	grep -F '<h2>Lines of <span' "$dir/dom" | grep -F 'title="lib/a_long_name_of_a_file_in_a_directory.c"'
	cells | cut -f 1,2 | same - <(printf '%s\n' $'5 26.3%\t10' $'0\t11' $'7 36.8%\t12')
	not grep -F '<span>Text</span>' "$dir/dom"
	# Of several, numbers are not in what is cut.
	WINDOW=390,800 browse 'view=function&fn=2'
	grep -F '<h2>Lines, self cost</h2>' "$dir/dom"
	grep -F '<span>a_long_name_of_a_file_in_a_directory.c</span>:20</a>' "$dir/dom"
	grep -F '<span>another_long_name_of_a_file_that_is_included.h</span>:123</a>' "$dir/dom"
}

# facts: the terms of the first card of an overview, and what is said of them.
facts()
{
	tr '\n' ' ' <"$dir/dom" | grep -oP '<dt>.*?</dd>(?=.*<details>)' | perl -pe 's/<\/dt>/\t/; s/<[^>]*>//g; s/&nbsp;/ /g'
}

@test "html: Chromium tells of a profile what pprof does, each once, and leads to a called function" {
	needs_browser
	report samples/pprof/cpu/cpu.pb.gz
	browse view=overview
	grep -F '<h2>Top functions by inclusive CPU time</h2>' "$dir/dom"
	facts >"$dir/facts"
	grep -Fx $'Duration\t604 ms; CPU time 200 ms, 33.1%' "$dir/facts"
	grep -Fx $'Sampled\tevery 10.0 ms of CPU time' "$dir/facts"
	grep -c 'samples$' "$dir/facts" | grep -x 1
	cut -f 1 "$dir/facts" | sort | uniq -d | same - /dev/null
	# Roots are called by nobody; the first one that is called is shown.
	browse view=function
	fn=$(grep -oP '<h1>\K[^<]*' "$dir/dom")
	functions_of samples/pprof/cpu/cpu.pb.gz --event cpu | awk -F '\t' '$5 > 0' | sort -t "$(printf '\t')" -k 6,6nr |
		head -n 1 | cut -f 2 | grep -Fx "$fn"
	report samples/gprof/calls/prog samples/gprof/calls/gmon.out
	browse view=overview
	grep -F '<h2>Top functions by self time</h2>' "$dir/dom"
}

@test "html: Chromium hides columns" {
	needs_browser
	printf '%s\n' 'main;a;b 5' 'main;a 7' >"$dir/in.folded"
	report "$dir/in.folded"
	browse 'view=functions&without=calls.incl0'
	cells | same - <(printf '%s\n' '7 58.3%	a' '5 41.7%	b' '0	main')
	grep -oP 'id="column-[^"]*"' "$dir/dom" | tr '\n' ' ' | same - <(printf '%s ' 'id="column-incl0"' \
		'id="column-self0"' 'id="column-calls"')
	# The name of a row stays.
	browse 'view=functions&without=calls.incl0.self0.name'
	cells | sort | tr '\n' ' ' | grep -x 'a b main '
}

@test "html: Chromium groups functions, and csv has quotes where it needs them" {
	needs_browser
	printf '%s\n' 'ns::A::f(int);ns::A::g() 5' 'ns::A::f(int);int B::h<C::D>() 7' \
		'main.constprop.0;pkg.Mod.run 3' 'main.constprop.0 2' >"$dir/in.folded"
	report "$dir/in.folded"
	browse 'view=functions&group=class'
	cells | same - <(printf '%s\n' '7 41.2%	1	B' '5 29.4%	2	ns::A' \
		'3 17.6%	1	pkg.Mod' '2 11.8%	1	(no class)')
	browse 'view=functions&group=class&of=ns::A&unit=full'
	cells | cut -f 2,4 | same - <(printf '%s\n' '0	ns::A::f(int)' '5 29.4%	ns::A::g()')
	command -v node >/dev/null || skip 'no node: csv was not tried'
	node - >"$dir/got" <<-'END'
	const code = require('fs').readFileSync('formats/html/export.js', 'utf8');
	const asCsv = new Function('within', code + '; return asCsv;')((narrowed, f) => f());
	const columns = [{ label: 'a,b', value: (row) => row[0] },
		{ label: 'N', value: () => 0, text: (row) => row[1] }];
	process.stdout.write(asCsv({ o: { columns }, rows: [['x"y', 1], ['two\nlines', 23]] }));
	END
	printf '"a,b",N\r\n"x""y",1\r\n"two\nlines",23\r\n' | same - "$dir/got"
}

@test "html: Chromium shows callers, callees, frames and lines" {
	needs_browser
	printf '%s\n' 'main;a;b 5' 'main;a 7' 'main;c;a;b 11' >"$dir/in.folded"
	report "$dir/in.folded"
	a=$(grep -P '^fn\t' "$dir/rows" | grep -n "^fn$(printf '\t')a$(printf '\t')" | cut -d : -f 1)
	browse "view=function&fn=$((a - 1))"
	cells >"$dir/got"
	printf '%s\n' '12 52.2%	12	main' '11 47.8%	11	c' '16 69.6%	16	b' >"$dir/want"
	same "$dir/want" "$dir/got"
	browse "view=flame&fn=$((a - 1))"
	grep -o 'id="flame-detail"[^>]*>.*' "$dir/dom" | sed 's/<[^>]*>//g' |
		grep -F 'a 12, 52.2%'
	browse "view=flame&mode=inverted&fn=$((a - 1))"
	grep -o 'id="flame-detail"[^>]*>.*' "$dir/dom" | sed 's/<[^>]*>//g' |
		grep -F 'a 16, 69.6%'
	for mode in callees callers; do
		browse "view=flame&mode=$mode&fn=$((a - 1))"
		grep -o 'id="flame-detail"[^>]*>.*' "$dir/dom" | sed 's/<[^>]*>//g' |
			grep -F 'a 23, 100.0%'
	done
	browse 'view=tree'
	cells | tr -d '\342\226\270\276\200\202' |
		same - <(printf '%s\n' '23 100.0%	0 0%	main' '12 52.2%	7 30.4%	a' \
			'5 21.7%	5 21.7%	b' '11 47.8%	0 0%	c')
	browse 'view=tree&mode=inverted'
	cells | tr -d '\342\226\270\276\200\202' |
		same - <(printf '%s\n' '16 69.6%	b' '7 30.4%	a')
	# Objects tell functions without a name apart.
	printf 'p 7/7 1.0: 3 cycles:\n\t1 [unknown] (/x/liba.so)\n\t2 main (/x/prog)\n\n%s' \
		"$(printf 'p 7/7 1.5: 4 cycles:\n\t1 [unknown] (/x/libb.so)\n\t2 main (/x/prog)\n\n')" >"$dir/in.perf"
	report -f perf-script "$dir/in.perf"
	browse 'view=tree'
	cells | grep -oP '(liba|libb).so$' | tr '\n' ' ' | grep -x 'libb.so liba.so '
	report samples/callgrind/plain/callgrind.out
	browse 'view=flame'
	grep -F -- '--guess-stacks' "$dir/dom"
}

@test "html: Chromium shows all callers and callees, all events, and sums of Callgrind's" {
	needs_browser
	# main calls a and b, which call c: b's share of c is a quarter.
	cat >"$dir/in.cg" <<-'END'
		events: Ir I1mr D1mr D1mw Bcm Bim
		fn=main
		1 10
		cfn=a
		calls=2 1
		1 130 4 2 0 5 1
		cfn=b
		calls=1 1
		1 50 2 1 1 2
		fn=a
		1 10 1
		cfn=c
		calls=3 1
		1 120 3 2
		fn=b
		1 10 1 0 1
		cfn=c
		calls=1 1
		1 40 1 1
		fn=c
		1 160 4 3 0 7 1
	END
	report "$dir/in.cg"
	fn() { grep -P '^fn\t' "$dir/rows" | cut -f 2 | grep -nx "$1" | cut -d : -f 1; }
	browse "view=function&fn=$(($(fn b) - 1))&far=1"
	cells | cut -f 1-4 | grep -xP '50 100.0%\t1\tmain'
	cells | cut -f 1-4 | grep -xP '40 80.0%\t40 80.0%\t1\tc'
	grep -o 'All callees (1)' "$dir/dom"
	browse "view=function&fn=$(($(fn c) - 1))&far=1"
	cells | grep -xP '160 100.0%\t2\tmain'
	cells | grep -xP '120 75.0%\t1\ta'
	browse "view=function&fn=$(($(fn main) - 1))&far=1"
	cells | grep -xP '160 84.2%\t160 84.2%\t2\tc'
	# Without a selection: the function with the highest self cost.
	browse 'view=function'
	grep -o '<h1>c</h1>' "$dir/dom"
	cells | grep -xP '120 75.0%\t3\t40\ta'
	# Costs of all events, and their sums.
	table() { perl -0777 -ne 'for (/<tr[ >].*?<\/tr>/gs) { s/<[^>]*>/ /g; s/\s+/ /g; print "$_\n" }' "$dir/dom"; }
	table >"$dir/got"
	grep -F 'Ir Instruction Fetch 160 84.2% 160 84.2%' "$dir/got"
	grep -F 'L1m L1 Miss Sum = I1mr + D1mr + D1mw 7 70.0% 7 70.0%' "$dir/got"
	grep -F 'Bm Mispredicted Branch = Bim + Bcm 8 100.0% 8 100.0%' "$dir/got"
	grep -F 'CEst Cycle Estimation = Ir + 10 Bm + 10 L1m 310 83.8% 310 83.8%' "$dir/got"
	browse 'view=functions&event=CEst'
	cells | grep -P '^370 100.0%\t10 2.70%\t.*\tmain'
	# Events of one's own, in the link; what is wrong with one is told.
	browse "view=functions&event=Own&formula=$(perl -pe 's/([^\w.])/sprintf "%%%02X", ord $1/ge' <<<'Own = Ir + 10 L1m - 2*Bm')"
	cells | grep -P '^274 100.0%\t10 3.65%\t.*\tmain'
	"$CGCONV" -q --info --json <(sed '1a event: Own = Ir + 10 I1mr + 10 D1mr + 10 D1mw - 2 Bcm - Bim * 2' "$dir/in.cg") |
		perl -MJSON::PP -0777 -ne 'my ($e) = grep { $_->{name} eq "Own" } @{ decode_json($_)->{events} };
			print "$e->{total}\n"' | same - <(echo 274)
	browse 'view=overview&formula=Own%3DIr%2BXm%0AIr%3DIr%0AA%3DIr%20Bm%0AA%3DIr*%0ATwice%3D2%20Ir'
	table >"$dir/got"
	grep -F 'Twice 380 = 2 Ir' "$dir/got"
	for error in "no event 'Xm'" "there is an event 'Ir'" "expected + or - before 'Bm'" 'expected a number after *'; do
		grep -F "role=\"alert\">$error<" "$dir/dom" >"$dir/line"
	done
	# A sum of one event is that event, in other sums, too.
	printf '%s\n' 'events: Ir I1mr' 'fn=f' '1 5 7' >"$dir/two.cg"
	report "$dir/two.cg"
	browse 'view=functions&event=CEst'
	cells | grep -P '^75 100.0%\t75 100.0%\t.*f'
	browse 'view=function'
	table >"$dir/got"
	grep -F 'CEst Cycle Estimation = Ir + 10 I1mr 75' "$dir/got"
	not grep -F 'L1 Miss Sum' "$dir/got"
}

@test "html: Chromium shows coverage as lcov counts it" {
	needs_browser
	report samples/gcov/gcc-cc/*.gcda
	"$CGCONV" -q -t lcov samples/gcov/gcc-cc/*.gcda |
		perl -ne '$s{$1} += $2 if /^(LF|LH|BRF|BRH):(\d+)/;
			END { print "$s{LH} of $s{LF}\n$s{BRH} of $s{BRF}\n" }' >"$dir/want"
	browse 'view=overview'
	while read -r line; do
		grep -F "<small>$line</small>" "$dir/dom" >/dev/null
	done <"$dir/want"
	browse 'view=coverage'
	cells | grep -F 'cover.cc'
	file=$(grep -P '^sum\t' "$dir/rows" | cut -f 2 | uniq | grep -n 'cover.cc$' | cut -d : -f 1)
	browse "view=source&file=$file"
	# Counts of lines, without the lines that have none.
	cells | awk -F '\t' '$1 != "" { print $3, $1 }' | tr -d , | sort -n >"$dir/got"
	grep -P '^sum\t[^\t]*cover.cc\t' "$dir/rows" | awk -F '\t' '$4 != "-" {
		print $3, $4 }' | sort -n >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "html: Chromium shows branches as signs, with the meaning of lcov's records" {
	needs_browser
	export name
	# Signs of each line, without the blocks, which lcov does not have; of more than eight how many are taken.
	for of in "samples/gcov/gcc-cc/*.gcda cover.cc" 'samples/gcov/paths/beta.gcda beta.cc'; do
		# shellcheck disable=SC2086 # words and a pattern
		set -- $of
		name=${*: -1}
		set -- "${@:1:$#-1}"
		"$CGCONV" -q -t lcov "$@" | perl -ne '
			$in = /\b\Q$ENV{name}\E$/ if /^SF:/;
			push @{ $line{$1} }, $2 eq "-" ? "#" : $2 ? "+" : "\xe2\x88\x92" if $in && /^BRDA:(\d+),\d+,[^,]*,(.*)/;
			END { for my $at (sort { $a <=> $b } keys %line) {
				my @all = @{ $line{$at} };
				print "$at ", @all > 8 ? grep({ $_ eq "+" } @all) . " of " . @all : "[@all]", "\n" } }' >"$dir/want"
		[ "$(grep -c '\[.*+' "$dir/want")" -gt 2 ]
		report "$@"
		file=$(grep -P '^sum\t' "$dir/rows" | cut -f 2 | uniq | grep -n "$name\$" | cut -d : -f 1)
		WINDOW=1200,6000 browse "view=source&file=$file"
		# lcov has "-" for lines that did not run, gcov also for blocks that did not.
		cells | perl -lne '@F = split /\t/, $_, -1; $F[1] =~ s/#/\xe2\x88\x92/g if $F[0]; print $F[@F > 4 ? 3 : 2], " ", $F[1] =~ s/\]\[/ /gr if $F[1] ne ""' | same "$dir/want" -
	done
	grep '#' "$dir/want"
	cells | cut -f 2 | grep -Fx '[− +][# #]'
	# Conditions have a column of their own: true, then false.
	report samples/gcov/paths/beta.gcda
	browse 'view=source&file=1'
	cells | cut -f 2-4 | grep -x "$(printf '%s\t%s\t9' '\[− +\]' '\[− +\]')"
	grep -F 'condition 0 false: shown to decide alone' "$dir/dom" >/dev/null
	WINDOW=390,800 browse 'view=source&file=1'
	cells | cut -f 2-4 | grep -x "$(printf '%s\t%s\t7' 3/4 3/4)"
}

@test "html: Chromium lists the calls of a difference by the size of their changes" {
	needs_browser
	calls() { printf '%s\n' 'events: Ir' fn=main '1 1' cfn=a calls=1 "1 $1" cfn=b calls=1 "1 $2" cfn=c calls=1 "1 $3" \
		fn=a "1 $1" fn=b "1 $2" fn=c "1 $3"; }
	calls 20 10 5 >"$dir/a.cg"
	calls 11 9 9 >"$dir/b.cg"
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.cg" "$dir/b.cg"
	perl tests/oracle/html.pl "$dir/out.html" >"$dir/rows"
	fn=$(grep -P '^fn\t' "$dir/rows" | cut -f 2 | grep -nx main | cut -d : -f 1)
	browse "view=function&fn=$((fn - 1))"
	cells | cut -f 1-3,5 | head -3 |
		same - <(printf '%s\n' '20	11	−9	a' '5	9	+4	c' '10	9	−1	b')
}

@test "html: Chromium leads to missed lines and to those that cost most" {
	needs_browser
	printf '%s\n' SF:a.c DA:1,1 DA:2,0 DA:3,0 DA:5,2 DA:9,0 end_of_record >"$dir/in.info"
	report "$dir/in.info"
	seeks() { perl -ne 'print "$2 $1\n" while /(line=\d+)[^>]*title="[np]"[^>]*>(.*?)</g' "$dir/dom"; }
	browse 'view=source&file=1'
	seeks | same - <(printf '%s\n' 'Previous missed line=9' 'Next missed line=2')
	browse 'view=source&file=1&line=2'
	seeks | same - <(printf '%s\n' 'Previous missed line=9' 'Next missed line=9')
	grep -o '1 of 2' "$dir/dom"
	printf '%s\n' 'events: Ir' fl=a.c fn=f '1 5' '2 9' '7 6' >"$dir/in.cg"
	report "$dir/in.cg"
	browse 'view=source&file=1'
	seeks | grep -x 'Highest cost line=2'
	browse 'view=source&file=1&line=2'
	seeks | grep -x 'Next highest line=7'
}

@test "html: Chromium shows which tests cover a line, and what one test covers" {
	needs_browser
	three_tests
	report "$dir/tests.info" --sources /
	browse 'view=coverage&tab=tests'
	cells | cut -f 1,2,3 | same - <(printf '%s\n' 'second	1	4/7 57.1%' \
		'first	1	3/7 42.9%' 'third	1	1/7 14.3%')
	browse 'view=coverage&test=0'
	cells | grep 'a.c	3/5 60.0%	1/2 50.0%	2/2 100.0%'
	browse 'view=source&file=2'
	cells | cut -f 1,3,4 | head -3 | same - <(printf '%s\n' '5	2 tests	1' '5	2 tests	2' '1	first	3')
	browse 'view=source&file=2&test=1'
	cells | cut -f 1,2,3 | head -3 | same - <(printf '%s\n' '3	2 tests	1' '3	2 tests	2' '0	first	3')
	grep -c 'class="tr missed' "$dir/dom" | grep -x 1
	grep -o 'selected="">[^<]*' "$dir/dom" | grep 'second . 4 lines'
}

@test "html: Chromium marks the parts of lines that never ran" {
	needs_browser
	# Bytes of Go, a tab, a nested block; a line that never ran as a whole.
	printf '%s\n' package\ a '' 'func F(a int) int {' \
		$'\tif "\u00fc" < "" { a++ } else { if a > 9 { a-- }; a += 2 }' \
		'	return a' '}' 'func G() {}' >"$dir/a.go"
	printf '%s\n' 'mode: count' a.go:3.19,4.15\ 1\ 3 a.go:4.15,4.22\ 1\ 0 \
		a.go:4.28,4.39\ 1\ 3 a.go:4.39,4.46\ 1\ 0 a.go:4.48,4.54\ 1\ 2 \
		a.go:5.2,5.10\ 1\ 3 a.go:7.10,7.12\ 0\ 0 >"$dir/a.out"
	report "$dir/a.out" --sources "$dir"
	browse 'view=source&file=1'
	perl -0777 -ne 'while (/<span class="unrun" title="never ran">((?:<span[^>]*>[^<]*<.span>|[^<])*)/g) {
		print $1 =~ s/<[^>]*>//gr, "\n" }' "$dir/dom" | same - <(printf '%s\n' \
		'{ a++ }' '{ a-- }')
	grep -q '<span title="ran 2 times">' "$dir/dom"
	grep -c 'class="tr partly' "$dir/dom" | grep -x 1
	grep -c 'class="tr missed' "$dir/dom" | grep -x 1
	browse 'view=coverage'
	cells | grep -F '4/7 57.1%'
	"$CGCONV" -q --info "$dir/a.out" | grep -q ' 57.1% of 7 regions$'
}

@test "html: Chromium shows instructions, calls and jumps" {
	needs_browser
	file=samples/callgrind/instr-jumps/callgrind.out
	report "$file"
	i=0
	grep -P '^fn\t' "$dir/rows" | cut -f 2 >"$dir/names"
	while read -r fn; do
		case $fn in "fib'2" | loop | "three'2") ;; *) i=$((i + 1)); continue ;; esac
		browse "view=instrs&fn=$i&rows=none&unit=full"
		i=$((i + 1))
		# Address and self cost of instructions; cost, count and callee of calls.
		cells | perl -F'\t' -lane '$F[1] =~ s/ .*//; $F[2] =~ s/ .*//;
			if ($F[0]) { print "$F[0] $F[1]" }
			elsif (/(\d+) calls? of (.*?)( <cycle \d+>)?\t/) { print "$F[2] $1 $2" }' |
			tr -d , | LC_ALL=C sort >"$dir/got"
		perl -F'\t' -lane 'BEGIN { $fn = shift } next if $F[3] ne $fn;
			print "$F[6] ", $F[7] =~ s/.*=//r if $F[0] eq "instr";
			print $F[12] =~ s/.*=//r, " $F[11] $F[10]" if $F[0] eq "site"' \
			"$fn" "$dir/rows" | LC_ALL=C sort >"$dir/want"
		[ "$(wc -l <"$dir/want")" -gt 10 ]
		same "$dir/want" "$dir/got"
		# Arrows say from where, to where and how often.
		grep -oP '(?<=<title>)0x[^<]*' "$dir/dom" | LC_ALL=C sort -u >"$dir/got"
		perl -F'\t' -lane 'BEGIN { $fn = shift } next if $F[0] ne "jump" || $F[3] ne $fn;
			print "$F[6] \xe2\x86\x92 $F[13]: ", $F[14] eq "cond" ?
				sprintf("followed %d of %d (%.1f%%)", @F[16, 15], 100 * $F[16] / $F[15])
				: "$F[15] time" . ($F[15] == 1 ? "" : "s")' \
			"$fn" "$dir/rows" | LC_ALL=C sort >"$dir/want"
		[ -s "$dir/want" ]
		same "$dir/want" "$dir/got"
	done <"$dir/names"
	browse 'view=instrs&fn=3&instr=0x401016'
	grep -c 'instr chosen"' "$dir/dom" | grep -x 1
	cells | grep "rec.c:10"
	browse 'view=instrs&fn=3&rows=blocks'
	cells | grep -F 'Block 2 0x40100d – 0x401015, 5 instructions'
	# Jumps between lines.
	browse 'view=source&file=1'
	grep -oF 'line 24 → line 25: followed 27 of 38' "$dir/dom" | head -1 | grep line
	browse 'view=overview'
	not grep -F '>Not shown<' "$dir/dom"
	printf '/rec:     file format x\n  401019:\tcall   401000 <fib>\n' >"$dir/rec.asm"
	report --disassembly "$dir/rec.asm" "$file"
	browse 'view=instrs&fn=3'
	grep -F 'call   401000 &lt;fib&gt;</code>' "$dir/dom" >/dev/null
	# Arrows that are in one row have different lanes.
	browse 'view=instrs&fn=3'
	perl -0777 -ne 'for (/<svg class="jumps".*?<\/svg>/gs) {
		my %lane;
		$lane{$_}++ and die "two arrows in lane $_" for /<g class="jump[^>]*><path d="M([\d.]+) /g;
		$most = keys %lane if keys %lane > $most
	}
	die "$most lanes" if $most != 2' "$dir/dom"
	# Jumps to other functions are stubs; several of one address have rows.
	printf '%s\n' 'positions: instr line' 'events: Ir' 'fl=a.c' fn=one '0x1000 1 5' \
		jfn=two 'jcnd=3/5 0x2000 7' '0x1000 1' 'jump=7 0x1008 2' '0x1000 1' '0x1008 2 2' \
		fn=two '0x2000 7 3' >"$dir/out.cg"
	report "$dir/out.cg"
	browse 'view=instrs&fn=1&rows=none'
	grep -o 'class="jump out cond".*' "$dir/dom" | grep -qF \
		'<title>0x1000 → two 0x2000: followed 3 of 5 (60.0%)</title>'
	cells | sed 's/.*jump to/jump to/' | grep '^jump' | cut -f 1 | sort |
		same - <(printf '%s\n' 'jump to 0x1008 7 times' 'jump to two followed 3 of 5 (60.0%)')
	# Views without addresses stay as they were.
	report samples/callgrind/plain/callgrind.out
	browse 'view=instrs'
	grep -q 'data-view="overview"' "$dir/dom"
	not grep -F 'Instructions</a>' "$dir/dom"
}

# A listing of all instructions of rec from 0x401000 on, each two bytes at most: their text is their address.
list_rec()
{
	perl -e 'printf "rec: file format x\n0000000000401000 <fib>:\n";
		my %at = map { hex($_) => 1 } <STDIN>;
		my @all = sort { $a <=> $b } keys %at, grep { !$at{$_} } map { $_ - 1 } keys %at;
		printf "  %x:\t%02x \top %x\n", $_, $_ & 255, $_ for @all'
}

@test "html: Chromium shows the instructions that never ran, and bytes" {
	needs_browser
	file=samples/callgrind/instr-jumps/callgrind.out
	report "$file"
	WINDOW=1200,8000 browse 'view=instrs&fn=3&rows=none&unit=full'
	cells >"$dir/plain"
	grep -oP '(?<=<title>)0x[^<]*' "$dir/dom" | LC_ALL=C sort -u >"$dir/arrows"
	grep -P '^(instr|site|jump)\t' "$dir/rows" | cut -f 7 | list_rec >"$dir/rec.asm"
	report --disassembly "$dir/rec.asm" "$file"
	WINDOW=1200,8000 browse 'view=instrs&fn=3&rows=none&unit=full&idle=all&hex=1'
	grep -oP '(?<=<title>)0x[^<]*' "$dir/dom" | LC_ALL=C sort -u | same "$dir/arrows" -
	# Each address of the listing once, with its bytes and text; costs stay.
	cells | grep ^0x >"$dir/got"
	grep -P '^asm\t' "$dir/rows" | cut -f 4 >"$dir/listed"
	cut -f 1 "$dir/got" | same "$dir/listed" -
	perl -F'\t' -lane 'my ($hex) = $F[0] =~ /0x(.*)/;
		die $_ if !grep { $_ eq substr $hex, -2 } @F; die $_ if !grep { /^op $hex/ } @F' "$dir/got"
	awk -F '\t' '$2 != "–" { print $1, $2 }' "$dir/got" | same <(grep ^0x "$dir/plain" | cut -f 1,2 | tr '\t' ' ') -
	# What ran in another function is not said to have never run.
	ran=$(awk -F '\t' '$2 != "–"' "$dir/got" | wc -l)
	idle=$(grep -cP '^asm\t.*\t0\top' "$dir/rows")
	others=$(($(wc -l <"$dir/listed") - ran - idle))
	[ "$idle" -gt 10 ]
	[ "$others" -gt 10 ]
	grep -F "$ran instructions, $idle not run, $others of other functions" "$dir/dom" >/dev/null
	# Four and more in a row are folded, and open; jumps have no fold as their end.
	WINDOW=1200,8000 browse 'view=instrs&fn=3&rows=none'
	cells | grep -c '▸ [0-9].* instructions ' | grep -x "$(cells | grep -c '▸')"
	cells | grep ▸ | perl -nle '$n += $1 while /(\d+) instructions?/g; END { print $n }' >"$dir/folded"
	[ $(($(cat "$dir/folded") + $(cells | grep -c ^0x))) = "$(wc -l <"$dir/listed")" ]
	at=$(grep -oP '(?<=class="fold" aria-expanded="false" title=")0x\w*' "$dir/dom" | tail -1)
	WINDOW=1200,8000 browse "view=instrs&fn=3&rows=none&idle=$at"
	grep -c 'class="fold" aria-expanded="true"' "$dir/dom" | grep -x 1
	cells | grep -P "^$at\t"
	WINDOW=1200,8000 browse 'view=instrs&fn=3&rows=none&idle=none'
	cells | cut -f 1 | same <(cut -f 1 "$dir/plain") -
	not grep 'class="fold"' "$dir/dom"
}

@test "html: Chromium opens lines of sources to their instructions, which cost what the line does" {
	needs_browser
	file=samples/callgrind/instr-jumps/callgrind.out
	report "$file"
	WINDOW=1200,4000 browse 'view=source&file=1&unit=full&asm=all'
	# By line: its self cost, and the sum of the rows below it.
	cells | perl -F'\t' -lane '($self) = $F[0] =~ /^([\d,]+)/ or next; $self =~ tr/,//d;
		if (($line) = $F[2] =~ /^▾ ?(\d+)/) { $at = $line; $is{$at} = $self }
		elsif ($F[2] =~ /\d/) { die "line $F[2] has no instructions" }
		else { $sum{$at} += $self; $n++ }
		END { $n > 40 or die "$n rows"; $is{$_} == $sum{$_} or die "line $_: $is{$_}, $sum{$_}" for keys %is;
			keys %is > 10 or die }' || { cells; false; }
	cells | grep -F '0x401019' | grep 'calls\? of'
	browse 'view=source&file=1&asm=1_24'
	grep -c 'aria-expanded="true" aria-label="Instructions of line 24"' "$dir/dom" | grep -x 1
	# The data comes from its file when a line is opened.
	report --split "$file"
	browse 'view=source&file=1'
	grep -q 'aria-label="Instructions of line 24"' "$dir/dom"
	browse 'view=source&file=1&asm=1_24'
	grep -c 'class="tr made' "$dir/dom" | grep -v '^0'
	report samples/callgrind/plain/callgrind.out
	browse 'view=source&file=1&asm=all'
	not grep -F 'aria-label="Instructions' "$dir/dom"
}

@test "html: Chromium loads the data files of --split when a view needs them" {
	needs_browser
	report samples/pprof/cpu/cpu.pb.gz --split
	for view in overview flame functions 'function&fn=1' graph 'map&fn=1' source; do
		browse "view=$view"
		grep -q "data-view=\"${view%&*}\"" "$dir/dom"
		not grep -q 'role="alert">[^<]' "$dir/dom"
	done
	command -v python3 >/dev/null && index_is_found
	mv "$dir/out.stacks.js" "$dir/other.js"
	browse 'view=overview'
	browse_failing 'out.stacks.js is missing'
	sed 's/,\([0-9]*\));$/,1\1);/' "$dir/other.js" >"$dir/out.stacks.js"
	browse_failing 'out.stacks.js is of another report'
}

@test "html: Chromium shows a difference, searches, shows hostile names" {
	needs_browser
	printf 'main;a 10\nmain;gone 5\n' >"$dir/a.folded"
	printf 'main;a 25\nmain;new 7\n' >"$dir/b.folded"
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.folded" "$dir/b.folded"
	browse 'view=functions&sort=name&q=/^(a|gone|new)$/'
	grep -F '<title>a.folded → b.folded</title>' "$dir/dom" >/dev/null
	cells | cut -f 2-5 >"$dir/got"
	printf '%s\n' '10	25	+15	+150.0%' '5	0	−5	−100.0%' '0	7	+7	new' >"$dir/want"
	same "$dir/want" "$dir/got"
	printf '%b;%b;__proto__;%b 5\n' '<img src=x onerror=document.title=1>' \
		'</script>' 'a\0342\0200\0256b' >"$dir/in.folded"
	report "$dir/in.folded"
	browse 'view=functions&q=%3Cimg&theme=dark'
	grep -F '&lt;img src=x onerror' "$dir/dom" >/dev/null
	not grep -F '<img' "$dir/dom"
	browse 'view=functions'
	cells | grep -F 'a\u202eb'
	cells | grep -F '__proto__'
	for view in graph map; do
		browse "view=$view"
		grep -F 'aria-label="&lt;img src=x' "$dir/dom" >/dev/null
		not grep -F '<img' "$dir/dom"
		not grep "$(printf '\342\200\256')" "$dir/dom"
	done
}

@test "html: Chromium shows what lost and gained coverage, as the terminal does" {
	needs_browser
	two_runs
	"$CGCONV" -q --diff "$dir/a.info" "$dir/b.info" >"$dir/text"
	browse 'view=overview'
	sed 's/<[^>]*>//g' "$dir/dom" >"$dir/page"
	line=$(grep '^Lines that lost coverage' "$dir/text")
	grep -F "$line" "$dir/page"
	# The rates and what they became, as --summary has them.
	grep -F '95.7% → 73.9%22 of 23 → 17 of 23−21.7 points (−6 +1)' "$dir/page"
	for run in a b; do
		"$CGCONV" -q --summary "$dir/$run.info" | grep -o '[0-9.]*% *[0-9]*/23' | head -n 1
	done | tr -s ' ' | same - <(printf '%s\n' '95.7% 22/23' '73.9% 17/23')
	# The ranges of the list are those of the terminal.
	browse 'view=coverage&tab=lost'
	cells | cut -f 1 | perl -lne '/(.*):(.*)/; push @{ $of{$1} }, $2;
		END { print "  $_: ", join ", ", @{ $of{$_} } for sort keys %of }' >"$dir/got"
	grep -A 10 '^Lines that lost' "$dir/text" | sed -n '2,/^$/{/^$/!p}' | same - "$dir/got"
	[ "$(cells | awk -F '\t' '{ n += $2 } END { print n }')" = 6 ]
	browse 'view=coverage&tab=gained'
	cells | cut -f 1-3 | same - <(printf '/home/ci/cover/cover.h:6\t1\t9\n')
	browse 'view=coverage&tab=fns'
	cells | cut -f 1-4 | same - <(printf '%s\n' '− lost	2	0	drain(base&)' \
		'+ gained	0	2	base::~base()')
	browse 'view=coverage&tab=branches'
	cells | cut -f 1-4 | sed 's,.*/cover,cover,' | same - <(printf '%s\n' 'cover.cc:12	−1	1/2	0/2' \
		'cover.cc:28	+1	1/2	2/2' 'cover.h:5	+1	1/2	2/2')
	browse 'view=coverage'
	cells | grep -F 'cover.cc	100.0% → 60.0%	−40.0	−6	100.0% → 75.0%	−25.0	−1	57.1% → 57.1%	0.0	−1 +1'
	# Both counts of each line, and a word for each that changed.
	file=$(sed -n 's/^sum\t\([^\t]*\).*/\1/p' "$dir/rows" | uniq | grep -n 'cover.cc$' | cut -d : -f 1)
	browse "view=source&file=$file"
	cells | awk -F '\t' '$1 != "" { print $5, $1, $2, $3 }' | sed 's/ $//' | sort -n |
		grep -v ' [+−][0-9]* branch$' >"$dir/got"
	for run in a b; do
		sed -n '/cover.cc/,/end_of/s/^DA:\([0-9]*\),/\1 /p' "$dir/$run.info" | sort -k 1,1 >"$dir/$run.da"
	done
	join "$dir/a.da" "$dir/b.da" | awk '{ print $0 ($2 > 0 && $3 == 0 ? " − lost" : "") }' |
		sort -n | grep -v '^28 ' | same - "$dir/got"
	[ "$(grep -c 'class="tr missed lost' <(tr '>' '\n' <"$dir/dom"))" = 6 ]
	browse 'view=functions'
	cells | grep '^2	0	− lost	drain'
	# The overview loads what it compares.
	two_runs --split
	browse 'view=overview'
	sed 's/<[^>]*>//g' "$dir/dom" | grep -F "$line"
}

@test "html: Chromium lists regions and conditions that lost and gained coverage" {
	needs_browser
	printf '%s\n' 'package a' 'func F(a int) int {' '	if a > 9 { a-- }; return a' '}' >"$dir/a.go"
	printf '%s\n' 'mode: count' a.go:2.19,3.11\ 1\ 3 a.go:3.11,3.18\ 1\ 1 \
		a.go:3.20,3.28\ 1\ 0 >"$dir/a.out"
	sed 's/3.18 1 1/3.18 1 0/; s/3.28 1 0/3.28 1 5/' "$dir/a.out" >"$dir/b.out"
	"$CGCONV" -q --diff -t html --sources "$dir" -o "$dir/out.html" "$dir/a.out" "$dir/b.out"
	browse 'view=coverage&tab=regions'
	cells | cut -f 1-4 | same - <(printf '%s\n' '− lost	a.go:3:11–18	1	0' '+ gained	a.go:3:20–28	0	5')
	grep -oP '<span class="unrun" title="ran before">.*?</code>' "$dir/dom" | sed 's/<[^>]*>//g' |
		same - <(printf '%s\n' '{ a-- }; return a')
	browse 'view=coverage'
	cells | grep -F '66.7% → 66.7%	0.0	−1 +1'
	# Outcomes of conditions (MC/DC).
	printf '%s\n' SF:a.c DA:1,5 MCDC:1,2,t,1,0,a MCDC:1,2,f,0,0,a MCDC:1,2,t,1,1,b MCDC:1,2,f,1,1,b \
		end_of_record >"$dir/a.info"
	sed 's/t,1,0,a/t,0,0,a/; s/f,0,0,a/f,1,0,a/; s/f,1,1,b/f,0,1,b/' "$dir/a.info" >"$dir/b.info"
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.info" "$dir/b.info"
	browse 'view=coverage&tab=conditions'
	cells | cut -f 1-4 | same - <(printf '%s\n' 'a.c:1	−2 +1	3/4	2/4')
	grep -F 'condition 0 true: shown' "$dir/dom"
	not grep -F '>Regions</a>' "$dir/dom"
}

@test "html: Chromium shows names of files and short counts in a narrow window" {
	needs_browser
	printf '%s\n' SF:/a/long/path/of/a.c FN:1,f FNDA:1234567,f DA:1,1234567 DA:2,5 \
		BRDA:2,0,0,5 BRDA:2,0,1,0 end_of_record >"$dir/in.info"
	report "$dir/in.info"
	browse 'view=coverage&tab=branches'
	cells | cut -f 1 | same - <(echo /a/long/path/of/a.c:2)
	WINDOW=500,800 browse 'view=coverage&tab=branches'
	cells | cut -f 1 | same - <(echo a.c:2)
	grep 'title="/a/long/path/of/a.c"' "$dir/dom"
	WINDOW=500,800 browse 'view=source&file=1'
	cells | head -n 1 | cut -f 1 | sed 's/[^ -~]/ /g; s/  */ /' | same - <(echo '1.23 M')
	grep 'title="1,234,567"' "$dir/dom"
	WINDOW=500,800 browse 'view=overview'
	grep -o 'class="name"><a [^>]*>a.c' "$dir/dom"
}

@test "html: Chromium shows lost lines without what sources exclude, as the terminal" {
	needs_browser
	mkdir "$dir/src"
	printf '%s\n' a 'b // LCOV_EXCL_LINE' c '' d >"$dir/src/a.c"
	printf '%s\n' SF:a.c DA:1,1 DA:2,1 DA:3,1 DA:5,2 end_of_record >"$dir/a.info"
	sed 's/,.$/,0/' "$dir/a.info" >"$dir/b.info"
	"$CGCONV" --diff -t html -o "$dir/out.html" --sources "$dir/src" "$dir/a.info" \
		"$dir/b.info" >"$dir/text"
	grep -x '  a.c: 1, 3-5' "$dir/text"
	browse 'view=coverage&tab=lost'
	cells | cut -f 1-3 | same - <(printf '%s\n' 'a.c:1	1	1' 'a.c:3-5	2	1')
	browse 'view=coverage'
	cells | same - <(printf 'a.c\t100.0%% → 0.0%%\t−100.0\t−3\n')
	grep -F '3 of 3 before, 0 of 3 after' "$dir/dom"
}

@test "html: Chromium decompresses without DecompressionStream, too" {
	needs_browser
	report samples/callgrind/plain/callgrind.out
	browse 'view=functions'
	cells >"$dir/want"
	# Another script needs another hash.
	perl -MDigest::SHA=sha256_base64 -0777 -pi -e '
		s{<script>\n?(?=/\*)}{<script>delete window.DecompressionStream;\n};
		my ($script) = m{<script>(delete.*)</script>\n</body>}s;
		s{script-src .sha256-[^\x27]*.}{"script-src \x27sha256-" .
			sha256_base64($script) . "=\x27"}e' "$dir/out.html"
	browse 'view=functions'
	cells >"$dir/got"
	[ -s "$dir/got" ]
	same "$dir/want" "$dir/got"
}

# fragment OPTION...: filters of the command line in the form of the page.
fragment()
{
	while [ $# -gt 0 ]; do
		printf '&%s=%s' "$(echo "${1#--}" | tr - _)" \
			"$(printf %s "$2" | perl -pe 's/([^\w.])/sprintf "%%%02X", ord $1/ge')"
		shift 2
	done
}

@test "html: Chromium filters by function, with the numbers of the command line" {
	needs_browser
	for of in 'pprof/cpu/cpu.pb.gz --focus main\.(even|odd)' 'pprof/cpu/cpu.pb.gz --hide ^runtime --ignore tiny' \
		'pprof/heap/heap.pb.gz --show ^main --focus keep|write' 'folded/collapsed/stacks.folded --show-from std::' \
		'perf-script/inlined/srcline.perf --prune-from ^main$ --only-object /'; do
		# shellcheck disable=SC2086 # words
		set -- $of
		file=samples/$1
		shift
		report --no-root-by "$file"
		event=$(grep -P '^event\t' "$dir/rows" | head -n 1 | cut -f 2)
		WINDOW=2560,900 browse "view=functions&unit=full&sort=name&event=$event$(fragment "$@")"
		cells | perl -F'\t' -lane 's/ .*//, s/,//g for @F[0, 1];
			my ($name) = grep { /[a-z]/i } @F[2 .. $#F];
			print join("\t", $name =~ s/(.) <cycle \d+>$/$1/r, @F[0, 1])
				if $name !~ /^<cycle/' | LC_ALL=C sort >"$dir/got"
		functions_of "$@" "$file" | perl -F'\t' -lane '$n = ($#F - 4) / 2;
			$F[1] = "[$1]" if $F[1] eq "[unknown]" && $F[3] =~ m{([^/\[]+)$};
			print join("\t", @F[1, 5, 5 + $n]) if $F[5] || $F[5 + $n]' | LC_ALL=C sort >"$dir/want"
		[ -s "$dir/want" ]
		perl -F'\t' -i -lane 'print if $F[1] || $F[2]' "$dir/got"
		same "$dir/want" "$dir/got"
		# The command that is shown makes a page with these numbers.
		grep -oP '(?<=class="command" title=")[^"]*' "$dir/dom" | head -n 1 |
			perl -pe 's/&gt;/>/g; s/&lt;/</g; s/&amp;/&/g' >"$dir/command"
		(
			cd "$(dirname "$file")" || exit
			eval "cgconv() { \"$CGCONV\" -q --no-root-by \"\$@\"; }
				$(sed "s,out.html,$dir/other.html," "$dir/command")"
		)
		perl tests/oracle/html.pl "$dir/other.html" | grep -P '^fn\t[^\t]' | perl -F'\t' -lane '$n = ($#F - 4) / 2;
			$F[1] = "[$1]" if $F[1] eq "[unknown]" && $F[3] =~ m{([^/\[]+)$};
			print join("\t", @F[1, 5, 5 + $n]) if $F[5] || $F[5 + $n]' | LC_ALL=C sort | same "$dir/want" -
	done
	# Of the selected parts only.
	printf '%s\n' 'main;a;b 5' 'main;a 7' >"$dir/a.folded"
	printf '%s\n' 'main;c;a;b 11' 'main;a 13' 'main;d 17' >"$dir/b.folded"
	report --parts "$dir/a.folded" "$dir/b.folded"
	browse 'view=functions&unit=full&sort=name&parts=1&hide=c&ignore=d'
	cells | sed 's/ [^\t]*//g' | cut -f 1-4 |
		same - <(printf '%s\n' '24	13	24	a' '11	11	11	b' '24	0	–	main')
	grep -F 'Kept: 58.5% of 41 samples' "$dir/dom"
	browse 'view=tree&parts=1&hide=c&ignore=d'
	cells | tr -d '\342\226\270\276\200\202' | cut -f 1,3 |
		same - <(printf '%s\n' '24 100.0%	main' '24 100.0%	a' '11 45.8%	b')
	# Parts are whole next to filters.
	browse 'view=parts&fn=1&hide=c&ignore=d'
	cells | sed 's/ [^\t]*//g' | cut -f 3,4 | sort -n | same - <(printf '%s\n' '12	7' '41	13')
	# A filter that leaves no calls leaves the view.
	browse 'view=graph&focus=nothing'
	grep -q 'data-view="graph"' "$dir/dom"
	# The selected frame has links.
	fn=$(grep -P '^fn\t' "$dir/rows" | grep -n "^fn$(printf '\t')d$(printf '\t')" | cut -d : -f 1)
	browse "view=flame&fn=$((fn - 1))"
	grep -oP 'href="[^"]*ignore=%5Ed%24"' "$dir/dom"
	# Lines, alone and next to other views.
	report --no-root-by samples/pprof/cpu/cpu.pb.gz
	"$CGCONV" -q -t csv --table lines --no-root-by --focus even samples/pprof/cpu/cpu.pb.gz | tr -d '\r' |
		awk -F , '$2 ~ /work.go/ && $5 { print $3 "\t" $5 }' | LC_ALL=C sort >"$dir/want"
	[ "$(wc -l <"$dir/want")" -gt 1 ]
	file=$(grep -P '^line\t' "$dir/rows" | cut -f 2 | uniq | grep -n work.go | cut -d : -f 1)
	for fragment in view=source 'view=functions&panes=source'; do
		WINDOW=1900,900 browse "$fragment&file=$file&unit=full&event=samples&focus=even"
		perl -0777 -pi -e 's/.*aria-label="Source"//s' "$dir/dom"
		cells | perl -F'\t' -lane '$F[0] =~ s/ .*//; $F[2] =~ s/\D//g; print "$F[2]\t$F[0]" if $F[0]' | LC_ALL=C sort |
			same "$dir/want" -
	done
	# Views of parts say that they are not filtered.
	report --parts "$dir/a.folded" "$dir/b.folded"
	browse 'view=parts&focus=a'
	grep -F 'This view is not filtered: ' "$dir/dom"
	# Jumps have neither times nor stacks.
	printf '%s\n' 'a 1/1 1.0: 5 cycles: ' '	1 f (/b)' '' 'a 1/1 2.0: 5 cycles: ' '	1 f (/b)' '' >"$dir/a.perf"
	report "$dir/a.perf" samples/callgrind/instr-jumps/callgrind.out
	browse 'view=instrs&event=Ir'
	not grep -F 'role="note"' "$dir/dom"
	browse 'view=instrs&event=Ir&time=0_0.5'
	grep -F 'role="note">Jumps are those of the whole profile' "$dir/dom"
	browse 'view=instrs&event=Ir&focus=f'
	grep -F '<p>The filters leave no instruction of ' "$dir/dom"
	# Estimated stacks have no addresses: a function that is kept has its instructions.
	report --guess-stacks samples/callgrind/instr-jumps/callgrind.out
	fn=$(grep -P '^fn\t' "$dir/rows" | grep -nP '^fn\tfib\t' | cut -d : -f 1)
	browse "view=instrs&fn=$((fn - 1))&focus=fib"
	grep -F 'role="note">Jumps are those of the whole profile' "$dir/dom"
	not grep -F 'role="note">Not filtered: ' "$dir/dom"
	fn=$(grep -P '^fn\t' "$dir/rows" | grep -nP '^fn\t.below main.\t' | cut -d : -f 1)
	browse "view=instrs&fn=$((fn - 1))&focus=fib"
	grep -F 'role="note">Not filtered: the filters keep a part' "$dir/dom"
	# Calls alone are not filtered: it would be an estimate, unless all that is hidden is below.
	report samples/callgrind/plain/callgrind.out
	browse 'view=functions&hide=fib'
	grep -F 'title="cgconv --hide fib -t html' "$dir/dom" >"$dir/line"
	grep -F 'Kept: 100.0% of 3,130 Ir' "$dir/dom" >"$dir/line"
	browse 'view=functions&hide=work'
	grep -F 'role="status">Filters need call stacks' "$dir/dom" >"$dir/line"
	browse 'view=functions&focus=fib'
	grep -F 'Filters need call stacks' "$dir/dom"
	grep -F 'cgconv --guess-stacks --focus fib -t html' "$dir/dom"
	browse 'view=functions&focus=('
	grep -F 'missing )' "$dir/dom"
}

@test "html: Chromium lists labels as pprof -tags does, and filters by them as --label does" {
	needs_browser
	command -v node >/dev/null || skip "no node"
	file=samples/pprof/cpu/cpu.pb.gz
	report --no-root-by "$file"
	browse 'view=labels&unit=full&event=samples'
	cells | perl -F'\t' -lane '$F[0] =~ s/ .*//; print "$F[1]\t$F[0]"' | LC_ALL=C sort >"$dir/got"
	for value in one two; do
		printf '%s\t%s\n' $value "$("$CGCONV" -q --info --json --label "worker=^$value$" "$file" |
			perl -MJSON::PP -0777 -ne 'print decode_json($_)->{events}[0]{total}')"
	done | same - "$dir/got"
	if command -v go >/dev/null; then
		go tool pprof -tags -sample_index=samples "$file" 2>/dev/null | sed -nE 's/^ *([0-9]+)\.0 \(.*\): (.*)/\2\t\1/p' |
			LC_ALL=C sort | same "$dir/got" -
	fi
	grep -oE 'href="[^"]*;label=worker%3D%5Eone%24[^"]*"' "$dir/dom"
	grep -oE 'href="[^"]*no_label=worker%3D%5Eone%24[^"]*"' "$dir/dom"
	# All views count what is left; the command is shown.
	for of in 'label --label' 'no_label --no-label'; do
		# shellcheck disable=SC2086 # words
		set -- $of
		fns_of --no-root-by "$2" 'worker=^one$' "$file" >"$dir/want"
		[ -s "$dir/want" ]
		fns "event=samples&$1=worker%3D%5Eone%24" | same "$dir/want" -
		grep -F "cgconv $2 'worker=^one\$' -t html" "$dir/dom" >"$dir/link"
	done
	# With filters by function, and of numbers with many values.
	report --no-root-by samples/pprof/heap/heap.pb.gz
	counts 'event=alloc_objects&label=bytes%3D64&hide=runtime' --no-root-by --label bytes=64 --hide runtime samples/pprof/heap/heap.pb.gz
	counts 'event=alloc_objects&no_label=bytes%3D%5E1%0Abytes%3D0' --no-root-by --no-label bytes=^1 --no-label bytes=0 \
		samples/pprof/heap/heap.pb.gz
	# Times have no labels.
	report --no-root-by samples/jfr/work/work.jfr.gz
	browse 'view=functions&label=thread%3Dmain&time=0_0.5'
	grep -F 'Labels of what is selected are not known' "$dir/dom" >"$dir/link"
	browse 'view=labels&q=nosuch'
	grep -F 'No label matches the search.' "$dir/dom" >"$dir/link"
	# What is no filter is said.
	browse 'view=labels&label=thread'
	grep -F 'expected KEY=REGEX</span>' "$dir/dom" >"$dir/link"
}

@test "html: Chromium shows the same, whatever was shown before" {
	needs_browser
	report samples/callgrind/instr-jumps/callgrind.out
	# Filters that need stacks count nothing, and leave nothing of those before.
	same_after 'view=functions&unit=full&hide=fib&show_from=main' 'view=functions&hide=fib'
	# Rows of instructions are others with filters.
	same_after 'view=source&file=1&asm=all&unit=full&hide=fib' 'view=source&file=1&asm=all'
	same_after 'view=source&file=1&asm=all&unit=full' 'view=source&file=1&asm=all&hide=fib'
}

# ---- Call graph and map in a browser ------------------------------------------

# graph FRAGMENT: the nodes and edges of the picture: names, costs, calls. Of a
# difference the costs before and after.
graph()
{
	browse "view=graph&$1&least=0"
	perl -CSD -0777 -ne '
		use utf8;
		sub plain { my ($n) = @_; $n =~ s/,//g; return $n =~ s/ → /,/r }
		my $cost = qr/(-?[\d,]+(?: → -?[\d,]+)?) \S+ \([^)]*\)/;
		while (/<(?:a class="node[^"]*"|g class="edge[^>]*?) aria-label="([^"]*)"/g) {
			my $text = $1 =~ s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&nbsp;/ /gr =~ s/&amp;/&/gr;
			my ($name, $is, $self, $calls) = $text =~
				/^(.*), inclusive $cost, self $cost(?:, ([\d,]+) \w+)?(?:,|$)/;
			print join("\t", "edge", $name, $name, plain($1), plain($2)), "\n"
				if $text =~ s/, recursion $cost, ([\d,]+) \w+//;
			$calls = "" unless $text =~ /self $cost, ([\d,]+) (?:call|sample)/ and $calls = $2;
			print join("\t", "node", $name, plain($is), plain($self), plain($calls) || 0), "\n"
				if defined $is;
			print join("\t", "edge", $1, $2, plain($3), plain($4)), "\n"
				if $text =~ /^(.*) calls (.*), $cost, ([\d,]+) \w+$/;
		}' "$dir/dom" | LC_ALL=C sort
}

# graph_of OPEN INPUT...: the same from --info --json and csv, for the first
# event. Unless OPEN is 1, a cycle is one node.
graph_of()
{
	local open=$1

	shift
	"$CGCONV" -q --info --json --top 100000 "$@" >"$dir/info.json"
	"$CGCONV" -q -t csv --table calls "$@" >"$dir/calls.csv"
	perl -CS -MJSON::PP -e '
		local $/;
		my ($open, $info, $csv) = @ARGV;
		open my $in, "<:raw", $info;
		my $all = decode_json(<$in>);
		my %node;
		for (@{ $all->{functions} }) {
			my ($name, $cycle) = ($_->{name}, $_->{cycle});
			$node{$name} = $cycle && !$open ? "<cycle $cycle>" : $name;
			print join("\t", "node", $name, $_->{inclusive}[0], $_->{self}[0], $_->{calls}), "\n"
				if $_->{inclusive}[0] && $node{$name} eq $name;
		}
		for (@{ $open ? [] : $all->{cycles} }) {
			print join("\t", "node", "<cycle $_->{cycle}>", $_->{inclusive}[0], $_->{self}[0],
				$_->{calls}), "\n";
		}
		open $in, "<:raw", $csv;
		my %edge;
		for (grep { !/^caller object/ } split /\n/, <$in>) {
			my @cell = split /,/;
			my ($from, $to) = @node{@cell[2, 6]};
			next unless defined $from && defined $to && !($from eq $to && $from =~ /^<cycle/);
			$edge{"$from\t$to"}[0] += $cell[8];
			$edge{"$from\t$to"}[1] += $cell[7];
		}
		print join("\t", "edge", $_, @{ $edge{$_} }), "\n" for keys %edge;
	' "$open" "$dir/info.json" "$dir/calls.csv" | LC_ALL=C sort
}

@test "html: Chromium draws nodes and calls with the numbers of --info and csv" {
	needs_browser
	for file in samples/callgrind/events/callgrind.out samples/gprof/cycles/gmon.out \
		samples/pprof/cpu/cpu.pb.gz; do
		# shellcheck disable=SC2046 # two words or none
		report $(exe_of "$file") "$file"
		event=$(grep -P '^event\t' "$dir/rows" | head -n 1 | cut -f 2)
		# shellcheck disable=SC2046 # two words or none
		graph_of 0 $(exe_of "$file") "$file" >"$dir/want"
		graph "event=$event" >"$dir/got"
		[ "$(grep -c ^node "$dir/want")" -gt 3 ]
		[ "$(grep -c ^edge "$dir/want")" -gt 3 ]
		grep -q '<cycle 1>' "$dir/want"
		same "$dir/want" "$dir/got"
		# shellcheck disable=SC2046 # two words or none
		graph_of 1 $(exe_of "$file") "$file" >"$dir/want"
		graph "event=$event&open=1.2.3.4" >"$dir/got"
		same "$dir/want" "$dir/got"
	done
}

# Calls with a cycle of a and b; the number is the self cost of leaf.
@test "html: Chromium greys what is noise, says so, and shows real changes only" {
	needs_browser
	noisy
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.folded" "$dir/b.folded"
	judged_of "$dir/a.folded" -- "$dir/b.folded" >"$dir/want"
	# By function: verdict and interval, inclusive and self, in three digits.
	browse 'view=functions&sort=name'
	for kind in inclusive self; do
		grep -P "^judged\t$kind\t" "$dir/want" | perl -F'\t' -lane '
			my ($name, $verdict, @end) = @F[2 .. 5];
			my $text = sub { my $x = $_[0] / 1e6; my $size = abs $x;
				my $digits = $size < 10 ? 2 : 1;
				($x > 0 ? "+" : "") . sprintf("%.${digits}f%%", $x) =~ s/-/\342\210\222/r };
			print join "\t", $name, $end[0] eq "-" ? $verdict : "$verdict " . $text->($end[0]) . " to " . $text->($end[1]);' |
			LC_ALL=C sort >"$dir/want.$kind"
	done
	cells >"$dir/cells"
	cut -f 1,6 "$dir/cells" | grep -v "$(printf '\342\200\223')" | sed 's/ $//' | LC_ALL=C sort | same - "$dir/want.inclusive"
	cut -f 1,11 "$dir/cells" | grep -v "$(printf '\342\200\223')" | sed 's/ $//' | LC_ALL=C sort | same - "$dir/want.self"
	grep -c . "$dir/want.self" | grep -x 5
	# Grey is said in words, too: noise, and what is too small.
	grep -o 'class="unreal" title="[^"]*"' "$dir/dom" >"$dir/unreal"
	grep -qF 'not distinguishable from noise (' "$dir/unreal"
	grep -qF 'not compared: below 0.5% of all costs' "$dir/unreal"
	grep -oP 'fill (grey|up|down)' "$dir/dom" | LC_ALL=C sort | uniq -c | awk '{ print $1 ":" $3 }' |
		tr '\n' ' ' | grep -x '2:down 7:grey 5:up '
	browse 'view=functions&sort=name&real=1'
	cells | cut -f 1 | tr '\n' ' ' | grep -x 'f gone main new '
	# Not for a part of the profile.
	browse 'view=functions&sort=name&focus=^f$'
	grep -F 'judged for the whole profile only' "$dir/dom" >/dev/null
	not grep -F '"unreal"' "$dir/dom"
	browse 'view=overview'
	perl -0777 -ne 's/<[^>]*>/ /g; s/  +/ /g; print' "$dir/dom" >"$dir/text"
	grep -F 'counting statistics of the samples of one run each; 1% false alarms in 12 comparisons' "$dir/text" >/dev/null
	grep -P 'Real, inclusive\s+4 of 6 compared\s+Real, self\s+3 of 5 compared' "$dir/text" >/dev/null
	browse 'view=flame&fn=2'
	grep -F 'grey is not distinguishable from noise' "$dir/dom" >/dev/null
	for view in graph map; do
		browse "view=$view"
		grep -F 'hsl(8 ' "$dir/dom" >/dev/null # new
		grep -F 'hsl(8 0%' "$dir/dom" >/dev/null # g
		grep -oP 'aria-label="(g|work), [^"]*' "$dir/dom" | grep -cF 'not distinguishable from noise (' |
			grep -x '[2-4]'
	done
}

two_profiles()
{
	for run in 40 60; do
		printf '%s\n' 'events: Ir' fn=main '1 10' cfn=a 'calls=2 2' "2 $((run + 40))" \
			fn=a '2 10' cfn=b 'calls=5 3' "3 $((run + 30))" fn=b '3 30' \
			cfn=a 'calls=3 2' '4 35' cfn=leaf 'calls=7 9' "5 $run" fn=leaf "9 $run"
	done >"$dir/all"
	sed -n '1,/^9 /p' "$dir/all" >"$dir/a.cg"
	sed '1,/^9 /d' "$dir/all" >"$dir/b.cg"
}

@test "html: Chromium says which options add sources and instructions, and offers no Source without lines" {
	needs_browser
	report samples/gprof/calls/prog samples/gprof/calls/gmon.out
	browse 'view=instrs'
	grep -oP '>[^<]*<(?=/a>)' "$dir/dom" | not grep -x '>Source<'
	grep -F '<code>cgconv --disassembly FILE</code> adds' "$dir/dom" >/dev/null
	printf '%s\n' 'events: Ir' fl=/no/a.c fn=main '1 10' fl=/no/b.c fn=f '1 5' >"$dir/in.cg"
	report "$dir/in.cg"
	browse 'view=source'
	grep -F 'Sources were not found: <code>cgconv --sources DIR</code> adds them.' "$dir/dom" >/dev/null
	not grep -F '> (source not found)<' "$dir/dom"
}

@test "html: Chromium dashes functions whose callers the call graph does not show" {
	needs_browser
	{
		printf '%s\n' 'events: Ir' fn=main '1 10' cfn=a 'calls=1 2' '2 30' cfn=b 'calls=1 3' '2 30' \
			cfn=c 'calls=1 4' '2 30'
		for fn in a b c; do
			printf '%s\n' fn=$fn '2 5' cfn=leaf 'calls=1 9' '3 25'
		done
		printf '%s\n' fn=leaf '9 75'
	} >"$dir/in.cg"
	report "$dir/in.cg"
	browse 'view=graph&least=28'
	grep -oP 'aria-label="[^",]*, inclusive [^"]*callers are not shown"' "$dir/dom" |
		cut -d , -f 1 | grep -x 'aria-label="leaf'
	grep -c 'stroke-dasharray="5 3"' "$dir/dom" | grep -x 1
	grep -F 'edges. Dashed: callers are not shown' "$dir/dom" >/dev/null
	browse 'view=graph&least=5'
	not grep -E 'edges. Dashed|callers are not shown"' "$dir/dom"
}

@test "html: Chromium draws as many functions of a large call graph as can be read" {
	needs_browser
	perl -e 'print "events: Ir\n"; for $i (0 .. 299) {
		print "fn=f$i\n1 ", 300 - $i, "\n";
		for (3 * $i + 1 .. 3 * $i + 3) { $_ < 300 and print "cfn=f$_\ncalls=1 1\n2 ", 2000 - 6 * $_, "\n" }
	}' >"$dir/in.cg"
	report "$dir/in.cg"
	WINDOW=1440,900 browse 'view=graph'
	grep -oP '>[\d.]+%, automatic' "$dir/dom"
	shown=$(grep -c '<a class="node"' <(sed 's/<a class="node"/\n&/g' "$dir/dom"))
	[ "$shown" -ge 20 ]
	[ "$shown" -le 60 ]
	# A scale at which letters can be read.
	grep -oP '<g transform="translate\([^)]*\) scale\(\K[\d.]+' "$dir/dom" | head -n 1 |
		awk '{ exit !($1 >= 0.8) }'
	WINDOW=1440,900 browse 'view=graph&least=0'
	[ "$(grep -c '<a class="node"' <(sed 's/<a class="node"/\n&/g' "$dir/dom"))" -eq 300 ]
}

@test "html: Chromium draws the calls of a difference, and those around a function" {
	needs_browser
	two_profiles
	"$CGCONV" -q --diff -t html -o "$dir/out.html" "$dir/a.cg" "$dir/b.cg"
	graph 'open=1' | same - <(printf '%s\n' 'edge	a	b	70,90	5' 'edge	b	a	35,35	3' \
		'edge	b	leaf	40,60	7' 'edge	main	a	80,100	2' \
		'node	a	80,100	10,10	5' 'node	b	80,100	30,30	5' 'node	leaf	40,60	40,60	7' \
		'node	main	90,110	10,10	0')
	graph '' | same - <(printf '%s\n' 'edge	<cycle 1>	leaf	40,60	7' \
		'edge	main	<cycle 1>	80,100	2' 'node	<cycle 1>	80,100	40,40	2' \
		'node	leaf	40,60	40,60	7' 'node	main	90,110	10,10	0')
	"$CGCONV" -q --diff -t csv --table calls "$dir/a.cg" "$dir/b.cg" |
		tr -d '\r' | grep -c ',20$' | grep -x 3
	grep -q 'hsl(8 ' "$dir/dom" # red
	# A level of callers, one of callees, and only large calls.
	report "$dir/a.cg"
	b=$(grep -P '^fn\t' "$dir/rows" | grep -n "^fn$(printf '\t')b$(printf '\t')" | cut -d : -f 1)
	graph "open=1&fn=$((b - 1))&callers=1&callees=1" | grep -c ^node | grep -x 3
	graph "open=1&fn=$((b - 1))&callers=0&callees=1&least=50" | grep ^node | cut -f 2 |
		tr '\n' ' ' | grep -x 'b leaf '
	graph "open=1&fn=$((b - 1))&callers=2&callees=0" | grep ^node | cut -f 2 |
		tr '\n' ' ' | grep -x 'a b main '
	# The cycle of the selected function is open.
	graph "fn=$((b - 1))&callers=1&callees=0" | grep ^node | cut -f 2 | tr '\n' ' ' |
		grep -x 'a b '
	graph "fn=$((b - 1))&callers=1&callees=0&open=none" | grep ^node | cut -f 2 |
		tr '\n' ' ' | grep -x '<cycle 1> main '
	graph 'open=all' | grep -c ^node | grep -x 4
}

# map FRAGMENT: level, name and cost of the boxes of a map.
map()
{
	browse "view=map&$1"
	perl -CSD -0777 -ne 'while (/<a class="node"[^>]*? aria-label="([^"]*)" data-depth="(\d+)"/g) {
			my ($text, $depth) = ($1, $2);
			$text =~ s/&lt;/</g;
			$text =~ s/&gt;/>/g;
			my ($name, $cost) = $text =~ /^(.*?), (?:about )?([\d,]+) / or next;
			$cost =~ s/,//g;
			print join("\t", $depth, $name, $cost), "\n";
		}' "$dir/dom"
}

@test "html: Chromium draws maps of callees and callers with the costs of calls" {
	needs_browser
	two_profiles
	report "$dir/a.cg"
	map '' | same - <(printf '%s\n' '0	all	90' '1	main	90' '2	<cycle 1>	80' '3	leaf	40')
	main=$(grep -P '^fn\t' "$dir/rows" | grep -n "^fn$(printf '\t')main" | cut -d : -f 1)
	map "open=1&fn=$((main - 1))" |
		same - <(printf '%s\n' '0	main	90' '1	a	80' '2	b	70' '3	leaf	35')
	map 'levels=1' | same - <(printf '%s\n' '0	all	90' '1	main	90')
	leaf=$(grep -P '^fn\t' "$dir/rows" | grep -n "^fn$(printf '\t')leaf" | cut -d : -f 1)
	map "map=callers&fn=$((leaf - 1))" |
		same - <(printf '%s\n' '0	leaf	40' '1	<cycle 1>	40' '2	main	40')
	# The picture in the overview always has callees; its links lead to them.
	browse 'view=overview&map=callers'
	grep -o '<a class="node" href="[^"]*' "$dir/dom" >"$dir/links"
	grep -F 'view=map' "$dir/links"
	not grep -F 'map=callers' "$dir/links"
	file=samples/callgrind/events/callgrind.out
	report "$file"
	work=$(grep -P '^fn\t' "$dir/rows" | grep -n "^fn$(printf '\t')work" | cut -d : -f 1)
	map "open=1.2.3.4&fn=$((work - 1))" | grep '^1' | cut -f 2,3 | sort >"$dir/got"
	"$CGCONV" -q -t csv --table calls "$file" | awk -F , '$3 == "work" { sum[$7] += $9 }
		END { for (name in sum) print name "\t" sum[name] }' | sort >"$dir/want"
	[ "$(wc -l <"$dir/want")" -gt 2 ]
	same "$dir/want" "$dir/got"
}

@test "html: Chromium offers no calls of a profile without calls" {
	needs_browser
	printf 'a 5\nb 7\n' >"$dir/in.folded"
	report "$dir/in.folded"
	browse 'view=graph'
	grep -q 'data-view="overview"' "$dir/dom"
	not grep -E '>(Call graph|Map)</a>' "$dir/dom"
	three_tests
	report "$dir/tests.info"
	browse 'view=map'
	not grep -E '>(Call graph|Map)</a>' "$dir/dom"
}

# ---- Parts and time in a browser -----------------------------------------------

# fns FRAGMENT: name, calls, inclusive and self cost of the functions that the page
# lists, without those that cost nothing.
fns()
{
	WINDOW=1600,900 browse "view=functions&unit=full&sort=name&$1"
	perl -CSD -0777 -ne '
		my ($table) = /role="table"(.*)/s;
		my @head = map { s/<[^>]*>//gr =~ s/\W+$//r } $table =~ /role="columnheader"[^>]*>(.*?)<\/div>/gs;
		my %at = map { $head[$_] => $_ } 0 .. $#head;
		for (split /role="row"/, $table) {
			my @cell = /role="cell">(.*?)<\/div>/gs or next;
			for (@cell) {
				s/<\/span><span class="pct.*//s;
				s/<[^>]*>//g; s/,//g; s/&lt;/</g; s/&gt;/>/g; s/&nbsp;/ /g; s/&amp;/&/g;
			}
			my ($name, $calls, $incl, $self) = map { $cell[$_] } @at{"Function", $at{Calls} ? "Calls"
				: "Samples", "Inclusive", "Self"};
			next if $name =~ /^<cycle/;
			$name =~ s/ <cycle \d+>$//;
			s/ .*// for $incl, $self;
			$calls = 0 if $calls !~ /^\d/; # a dash: unknown
			print join("\t", $name, $calls, $incl, $self), "\n" if $incl || $self;
		}' "$dir/dom" | LC_ALL=C sort
}

# fns_of INPUT...: the same by --info --json, of event $EVENT, else the first one.
fns_of()
{
	"$CGCONV" -q --info --json --top 100000 "$@" | perl -CO -MJSON::PP -e '
		local $/;
		my $all = decode_json(<STDIN>);
		my ($e) = grep { !$ENV{EVENT} || $all->{events}[$_]{name} eq $ENV{EVENT} } 0 .. $#{ $all->{events} };
		for (@{ $all->{functions} }) {
			my ($incl, $self) = ($_->{inclusive}[$e], $_->{self}[$e]);
			my $name = $_->{name} =~ s/,//gr;
			$name = $_->{object} ? "[" . $_->{object} =~ s{.*/}{}r . "]" : "[unknown]" if $name =~ m{^(\[unknown\])?$};
			print join("\t", $name, $_->{calls}, $incl, $self), "\n" if $incl || $self;
		}' | LC_ALL=C sort
}

# split_parts FILE: a file $dir/pN for each part of a callgrind file.
split_parts()
{
	perl -e '
		my ($head, @part, %name) = ("");
		while (<>) {
			if (/^part:/) { push @part, "" }
			# Numbers of names are defined once in the file.
			s/\((\d+)\)(?: (\S.*))?$/$name{$k}{$1} = $2 if defined $2; "($1) $name{$k}{$1}"/e
				if ($k) = /^(?:c?(fn|fl|ob)|c?(?:fi|fe|file)|cob)=/ and $k = /fn=/ ? "fn" : /ob=/ ? "ob" : "fl";
			@part ? ($part[-1] .= $_) : ($head .= $_);
		}
		for (0 .. $#part) {
			open my $out, ">", "$ENV{dir}/p$_";
			print $out $head, $part[$_];
		}' "$1"
}

@test "html: Chromium counts the selected parts in all views, as --info counts them alone" {
	needs_browser
	export dir
	file=samples/callgrind/parts/callgrind.out
	report "$file"
	split_parts "$file"
	for set in 0 2 1.2 0.3.4 0.1.3.5; do
		# shellcheck disable=SC2046 # words
		fns_of $(echo "$set" | tr . '\n' | sed "s,^,$dir/p,") >"$dir/want"
		[ "$(wc -l <"$dir/want")" -gt 3 ]
		fns "parts=$set" | same "$dir/want" -
	done
	# Inputs as parts: recursion and cycles of stacks, of calls, and stated inclusive costs.
	for i in 0 1 2; do
		perl -e 'srand $ARGV[0]; print join(";", map { ("a" .. "h")[rand 8] } 0 .. rand 7), " ",
			1 + int(rand 9), "\n" for 1 .. 12 + 9 * $ARGV[0]' $i >"$dir/s$i.folded"
		"$CGCONV" -q -t callgrind -o "$dir/c$i.out" "$dir/s$i.folded"
	done
	for of in "$dir/s0.folded $dir/s1.folded $dir/s2.folded" "$dir/c0.out $dir/c1.out $dir/c2.out" \
		"$(echo samples/pstats/{cprofile,nested,profile}/*.pstats)"; do
		# shellcheck disable=SC2206 # words
		of=($of)
		report --parts "${of[@]}"
		for set in 0 1 2 0.2 1.2; do
			# shellcheck disable=SC2046 # words
			fns_of $(for i in $(echo "$set" | tr . ' '); do echo "${of[i]}"; done) >"$dir/want"
			fns "parts=$set" | same "$dir/want" -
		done
		fns '' >"$dir/got"
		fns 'parts=0.1.2' | same "$dir/got" -
	done
}

@test "html: Chromium draws the top functions of each part, with the costs that --info counts of it alone" {
	needs_browser
	export dir
	file=samples/callgrind/parts/callgrind.out
	report "$file"
	split_parts "$file"
	browse 'view=parts&unit=full'
	# A piece for each function with self cost: its name, cost and share.
	perl -0777 -ne 'for (/role="img"(.*?)<\/div>/gs) {
		print join(" ", sort map { s/, of the part|,//gr } /class="piece[^>]*title="([^"]*) of the part"/g), "\n" }' \
		"$dir/dom" >"$dir/got"
	[ "$(wc -l <"$dir/got")" = 6 ]
	for i in 0 1 2 3 4 5; do
		fns_of "$dir/p$i" | perl -F'\t' -lane 'next if !$F[3]; $all += $F[3]; push @fn, [@F];
			END { print join " ", sort map { sprintf "%s %d %s%%", $_->[0], $_->[3],
				($s = 100 * $_->[3] / $all) < 10 ? sprintf("%.2f", $s) : sprintf("%.1f", $s) } @fn }'
	done | same - "$dir/got"
	# Of many functions those with the largest shares; the selected one is among them.
	perl -e 'for my $part (1, 2) { open my $out, ">", "$ARGV[0]/m$part.folded";
		print $out "f$_ ", $_ * $part, "\n" for 1 .. 20 }' "$dir"
	report --parts "$dir/m1.folded" "$dir/m2.folded"
	browse 'view=parts&fn=1'
	grep -o 'class="piece[^"]*" title="[^"]*"' "$dir/dom" | cut -d '"' -f 2,4 | sed 's/, .*//' | head -14 |
		same - <(for i in {20..9}; do echo "piece\"f$i"; done
			printf '%s\n' 'piece own"f1' 'piece rest"other functions')
	grep -c 'aria-current="true" class="key"' "$dir/dom" | grep -x 1
	# A difference has no such bars.
	report --diff "$dir/m1.folded" "$dir/m2.folded"
	browse 'view=parts'
	not grep 'class="piece' "$dir/dom"
}

# changes FRAGMENT: functions of a difference: names, costs before and after, changes, calls.
changes()
{
	WINDOW=1600,3000 browse "view=functions&unit=full&sort=name&$1"
	perl -CSD -0777 -ne '
		my ($table) = /role="table"(.*)/s;
		my @head = map { s/<[^>]*>//gr =~ s/[^\w.% ]+$//r } $table =~ /role="columnheader"[^>]*>(.*?)<\/div>/gs;
		for (split /role="row"/, $table) {
			my @cell = map { s/<[^>]*>//gr } /role="cell">(.*?)<\/div>/gs or next;
			my ($name) = map { $cell[$_] } grep { $head[$_] eq "Function" } 0 .. $#head;
			print join("\t", $name, map { "$head[$_] $cell[$_]" } grep { $head[$_] =~ /before|After|Change|%|Calls|Samples/ }
				0 .. $#head), "\n";
		}' "$dir/dom"
}

@test "html: the difference of two selected parts is that of their inputs" {
	needs_browser
	export dir
	split_parts samples/callgrind/parts/callgrind.out
	# Recursion and cycles, which may be of one part only.
	for i in 0 1 2; do
		perl -e 'srand $ARGV[0]; print join(";", map { ("a" .. "h")[rand 8] } 0 .. rand 7), " ",
			1 + int(rand 9), "\n" for 1 .. 12 + 9 * $ARGV[0]' $i >"$dir/s$i.folded"
		"$CGCONV" -q -t callgrind -o "$dir/c$i.out" "$dir/s$i.folded"
	done
	for of in "$dir/p0 $dir/p1 $dir/p2" "$dir/s0.folded $dir/s1.folded $dir/s2.folded" \
		"$dir/c0.out $dir/c1.out $dir/c2.out"; do
		# shellcheck disable=SC2206 # words
		of=($of)
		report --parts "${of[@]}"
		changes 'parts=0.2&against=1' >"$dir/got"
		changes 'parts=0.2&against=2' >"$dir/back"
		[ "$(wc -l <"$dir/got")" -gt 3 ]
		report --diff "${of[0]}" "${of[2]}"
		changes '' | same "$dir/got" -
		report --diff "${of[2]}" "${of[0]}"
		changes '' | same "$dir/back" -
	done
	# All views, with links to the sum, and back.
	report --parts "$dir/s0.folded" "$dir/s1.folded" "$dir/s2.folded"
	for view in overview flame tree function graph map parts; do
		browse "view=$view&parts=0.1&against=1"
		grep -F '>Swap</a>' "$dir/dom" >/dev/null
	done
	browse 'view=parts&parts=0.1'
	grep -F '>Difference of both</a>' "$dir/dom" >/dev/null
	# If there are no more parts, none needs to be selected.
	report --parts "$dir/s0.folded" "$dir/s2.folded"
	changes 'against=1' >"$dir/got"
	report --diff "$dir/s0.folded" "$dir/s2.folded"
	changes '' | same "$dir/got" -
	# Filters do not count there, neither do labels.
	report --parts samples/pprof/cpu/cpu.pb.gz samples/pprof/addresses/work.pb.gz
	same_after 'view=labels&event=samples&against=1&focus=nosuch' 'view=labels&event=samples&against=1'
	grep -F 'The difference of two parts is not filtered.' "$dir/dom" >/dev/null
	grep -F 'title="cgconv --focus nosuch -t html' "$dir/dom" >/dev/null
	report --parts "$dir/s0.folded" "$dir/s1.folded" "$dir/s2.folded"
	# One part, or three, have no difference.
	browse 'view=parts&parts=0&against=1'
	not grep -F '>Swap</a>' "$dir/dom"
}

# shown: texts and names of what the view shows, a line each.
shown()
{
	perl -0777 -ne 's/.*<main//s; s/<h2>(Profile|Parts, self cost).*//s;
		print map { "$_\n" } grep { /[^\s<>]/ } /aria-label="([^"]*)"|>([^<]*)</g' "$dir/dom"
}

@test "html: all views of a selected part are those of a page of its input alone" {
	needs_browser
	perl -pe 's/ (\d+)$/" " . 3 * $1/e if /^(0x|[-+*\d])/;
		s/^(jump|jcnd|calls)=(\d+)(?:\/(\d+))?/"$1=" . 2 * $2 . (defined $3 ? "\/" . 3 * $3 : "")/e' \
		samples/callgrind/instr-jumps/callgrind.out >"$dir/b.out"
	cp samples/callgrind/instr-jumps/callgrind.out "$dir/a.out"
	printf '%s\n' 'main;a;b 5' 'main;a 7' 'main;c;a;b 11' 'main;b;a;b 2' >"$dir/a.folded"
	sed 's/$/1/' "$dir/a.folded" >"$dir/b.folded"
	for of in out folded; do
		views=(functions 'function&fn=3' 'graph&fn=2&open=all' 'map&fn=2&map=callers')
		[ "$of" = folded ] && views+=('flame&fn=2' tree 'tree&mode=inverted') ||
			views+=('source&file=1' 'instrs&fn=3' 'instrs&fn=4&rows=none')
		for view in "${views[@]}"; do
			report "$dir/b.$of"
			WINDOW=1400,1600 browse "view=$view&unit=full"
			shown >"$dir/want"
			report --parts "$dir/a.$of" "$dir/b.$of"
			WINDOW=1400,1600 browse "view=$view&unit=full&parts=1"
			shown >"$dir/got"
			[ "$(wc -l <"$dir/want")" -gt 2 ] || { echo "$of $view"; false; }
			same "$dir/want" "$dir/got" || { echo "$of $view"; false; }
		done
	done
}

# counts_of INPUT...: the rows of tests/oracle/page.js by --info and csv, of the first event.
counts_of()
{
	{
		"$CGCONV" -q --info --json --top 100000 "$@" | perl -MJSON::PP -e '
			local $/;
			my $all = decode_json(<STDIN>);
			$_->{inclusive}[0] || $_->{self}[0] and print join("\t", "fn", $_->{name}, $_->{calls},
				$_->{inclusive}[0], $_->{self}[0]), "\n" for @{ $all->{functions} };
			print "total\t$all->{events}[0]{total}\n";'
		for table in calls lines; do
			"$CGCONV" -q -t csv --table $table "$@" | tr -d '\r' | sed 1d | awk -F , -v OFS='\t' \
				-v table=$table 'table == "calls" && $9 && $3 != "" { print "call", $3, $4 + 0, $7, $8, $9 }
				table == "lines" && $5 && $3 { print "line", $2, $3, $4, $5 }'
		done
	} | LC_ALL=C sort
}

# random_samples SEED: perf's text of samples with recursion, some with lines, of up to 3 threads.
random_samples()
{
	perl -e 'srand shift;
		my ($t, $fns, $lines) = (10, 2 + int rand 7, int rand 3);
		for (1 .. 20 + rand 60) {
			$t += 0.001 * (1 + int rand 20);
			printf "p 7/%d %.6f: %d cycles:\n", 7 + rand 3, $t, 1 + rand 9;
			for (0 .. rand 7) {
				my $f = int rand $fns;
				print "\t1$f f$f+0x1 (/x)\n";
				printf "  a%d.c:%d\n", $f % 2, 10 * $f + rand($lines + 1) if $lines;
			}
			print "\n";
		}' "$1"
}

# random_calls SEED: begins and ends of calls of up to 3 threads, for Chrome.
random_calls()
{
	perl -e 'srand shift;
		my ($t, $fns, %open) = (0, 2 + int rand 5);
		print "[", join(",", map {
			$t += 1 + int rand 50;
			my $open = $open{ my $tid = 1 + int rand 3 } ||= [];
			my $ends = @$open && rand() < 0.45;
			push @$open, "f" . int rand $fns unless $ends;
			sprintf "{\"ph\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"name\":\"%s\"}", $ends ? "E" : "B", $tid, $t,
				$ends ? pop @$open : $open->[-1] } 1 .. 40 + rand 80), "]\n"' "$1"
}

# counts FRAGMENT INPUT...: the page, which has other inputs, counts what those inputs have, after
# it has shown $BEFORE.
counts()
{
	local fragment=$1

	shift
	counts_of "$@" >"$dir/want"
	node tests/oracle/page.js "$dir/out.html" "${BEFORE:-}" "$fragment" | LC_ALL=C sort | same "$dir/want" - || {
		echo "$BEFORE $fragment: $*"
		false
	}
}

@test "html: selections of time and parts count what the command line keeps, at random" {
	command -v node >/dev/null || skip "no node"
	for seed in 1 2 3; do
		random_samples $seed >"$dir/a.perf"
		random_calls $seed >"$dir/b.json"
		for options in '' '--part-by tid'; do
			# shellcheck disable=SC2206 # words
			options=(--no-root-by $options)
			report "${options[@]}" "$dir/a.perf"
			for edges in 0,0.2 0.1,0.15 0.03,0.33; do
				counts "time=${edges/,/_}" --between "$edges" "${options[@]}" "$dir/a.perf"
			done
			report "${options[@]}" "$dir/b.json"
			for edges in 0,0.001 0.0007,0.0011; do
				counts "time=${edges/,/_}" --between "$edges" "${options[@]}" "$dir/b.json"
				for before in '' 'hide=f0' 'focus=f1' 'time=0_0.0009&ignore=f0'; do
					BEFORE=$before counts "time=${edges/,/_}&hide=f1" --between "$edges" --hide f1 \
						"${options[@]}" "$dir/b.json"
				done
			done
		done
		random_samples "1$seed" >"$dir/b.perf"
		random_samples "2$seed" >"$dir/c.perf"
		for to in perf callgrind json; do
			for i in a b c; do
				[ "$to" = perf ] || "$CGCONV" -q -t "$to" --no-root-by -o "$dir/$i.$to" "$dir/$i.perf"
			done
			report --parts --no-root-by "$dir"/{a,b,c}."$to"
			counts parts=0 --no-root-by "$dir/a.$to"
			counts parts=0.2 --no-root-by "$dir/a.$to" "$dir/c.$to"
			counts '' --no-root-by "$dir"/{a,b,c}."$to"
		done
	done
}

# coded OPTION...: the page with the filters of $FILTER has the functions, lines, calls and
# instructions of a page that was made with them.
coded()
{
	# shellcheck disable=SC2086 # words
	"$CGCONV" -q -t html -o "$dir/filtered.html" $FILTER "$@"
	# shellcheck disable=SC2086 # words
	CODE=1 node tests/oracle/page.js "$dir/out.html" "$(fragment $FILTER)" >"$dir/got"
	CODE=1 node tests/oracle/page.js "$dir/filtered.html" '' | same - "$dir/got" || {
		echo "$FILTER $*"
		false
	}
}

@test "html: lines, calls and instructions are those of the stacks that filters keep" {
	command -v node >/dev/null || skip "no node"
	for seed in 1 2; do
		random_samples $seed >"$dir/a.perf"
		random_samples "2$seed" >"$dir/b.perf"
		for filter in '--hide f1' '--focus f0' '--ignore f2 --show f[013]' '--prune-from f1' '--show-from f1'; do
			report --no-root-by "$dir/a.perf"
			# shellcheck disable=SC2086 # words
			counts "$(fragment $filter)" --no-root-by $filter "$dir/a.perf"
			# shellcheck disable=SC2086 # words
			counts "time=0.03_0.33$(fragment $filter)" --no-root-by --between 0.03,0.33 $filter "$dir/a.perf"
			# pprof has no times.
			for to in perf pprof; do
				for i in a b; do
					[ "$to" = perf ] || "$CGCONV" -q -t pprof --no-root-by -o "$dir/$i.pprof" "$dir/$i.perf"
				done
				report --parts --no-root-by "$dir"/{a,b}."$to"
				# shellcheck disable=SC2086 # words
				counts "parts=1$(fragment $filter)" --no-root-by $filter "$dir/b.$to"
			done
		done
	done
	for of in 'pprof/cpu/cpu.pb.gz even' 'pprof/heap/heap.pb.gz ^main' 'pprof/addresses/work.pb.gz 0x401060' \
		'perf-script/inlined/srcline.perf run|operator --addresses' 'jfr/work/work.jfr.gz ^java|main' \
		'callgrind/plain/callgrind.out fib --guess-stacks'; do
		# shellcheck disable=SC2086 # words
		set -- $of
		file=samples/$1 name=$2
		shift 2
		report --no-root-by "$@" "$file"
		for kind in focus hide ignore prune-from; do
			# Without stacks, what is hidden is known of calls: another way.
			[ "$kind" = hide ] && [ "${1:-}" = --guess-stacks ] ||
				FILTER="--$kind $name" coded --no-root-by "$@" "$file"
		done
	done
	# Without stacks, functions that call only hidden ones.
	for filter in '--hide fib' '--hide ^(loop|fib.*)$' '--show below|work|ping|pong|one|two|three --hide fib'; do
		for file in samples/callgrind/{instr-jumps,events}/callgrind.out; do
			report "$file"
			FILTER=$filter coded "$file"
			# shellcheck disable=SC2086 # words
			counts "event=Ir$(fragment $filter)" $filter "$file"
		done
	done
	cp samples/callgrind/events/callgrind.out "$dir/a.out"
	report --parts "$dir/a.out" samples/callgrind/plain/callgrind.out
	counts 'event=Ir&parts=0&hide=fib' --hide fib "$dir/a.out"
}

# between FROM,TO INPUT...: what the page counts between two times, which are given as shares of
# the whole, is what --between keeps. $FILTER: options of filters by function.
between()
{
	local edges event

	edges=$("$CGCONV" -q --info --json "${@:2}" | perl -MJSON::PP -MList::Util=min,max -e '
		local $/;
		my @track = @{ decode_json(<STDIN>)->{timeline} };
		my $length = max(map { $_->{end} } @track) - min(map { $_->{begin} } @track);
		print join ",", map { sprintf "%.7f", $_ * $length / 1e9 } split /,/, shift' "$1")
	report --no-root-by "${@:2}"
	# shellcheck disable=SC2086 # words
	fns_of --between "$edges" ${FILTER:-} "${@:2}" >"$dir/want"
	[ -s "$dir/want" ]
	event=${EVENT:-$(grep -P '^event\t' "$dir/rows" | head -n 1 | cut -f 2)}
	# shellcheck disable=SC2086 # words
	fns "time=${edges/,/_}&event=$event$(fragment ${FILTER:-})" >"$dir/got"
	same "$dir/want" "$dir/got" || { echo "$edges $*"; false; }
}

@test "html: Chromium counts what is between two times as --between does" {
	needs_browser
	between 0,0.4 samples/cpuprofile/node/prof.cpuprofile
	between 0.2,0.7 samples/jfr/work/work.jfr.gz
	between 0,0.8 samples/perf-data/work/work.perf.data
	between 0.1,0.8 samples/stackprof/ruby/stackprof.json
	between 0.25,1 samples/firefox/shared/processed.json
	FILTER='--hide ^java|main --ignore sleep' between 0.2,0.7 samples/jfr/work/work.jfr.gz
	FILTER='--focus fib' between 0,0.4 samples/cpuprofile/node/prof.cpuprofile
	between 0.2,0.7 samples/xdebug/calls/trace.xt
	EVENT=ns between 0.2,0.7 samples/xdebug/calls/trace.xt
	# Begins and ends of calls, with recursion.
	perl -e 'srand 5; my ($t, @open) = (0);
		print "[", join(",", map { $t += 1 + int rand 50; @open && rand() < 0.45
			? sprintf "{\"ph\":\"E\",\"pid\":1,\"tid\":%d,\"ts\":$t,\"name\":\"%s\"}", 1 + $_ % 1, pop @open
			: do { push @open, ("a" .. "e")[rand 5];
				"{\"ph\":\"B\",\"pid\":1,\"tid\":1,\"ts\":$t,\"name\":\"$open[-1]\"}" } } 1 .. 300), "]"' \
		>"$dir/calls.json"
	for edges in 0,0.3 0.31,0.32 0.5,1; do
		EVENT=ns between $edges "$dir/calls.json"
	done
}

@test "html: Chromium shows several views on a wide screen, which follow the function" {
	needs_browser
	file=samples/callgrind/instr-jumps/callgrind.out
	report "$file"
	WINDOW=1600,1000 browse 'view=functions&fn=4&panes=function.graph'
	[ "$(grep -o 'class="pane-body view-[a-z]*"' "$dir/dom" | sort | tr '\n' ' ')" = \
		'class="pane-body view-function" class="pane-body view-functions" class="pane-body view-graph" ' ]
	grep -o '<h1>loop</h1>' "$dir/dom"
	grep -o 'aria-label="Call graph around loop"' "$dir/dom"
	# Functions are selected where they are; other views open in the last pane.
	grep -o 'href="#[^"]*" title="ping$' "$dir/dom" | sort -u |
		grep 'view=functions&amp;fn=[0-9]*&amp;panes=function.graph"'
	grep -o 'href="#[^"]*"[^>]*>map<' "$dir/dom" | grep 'view=functions&amp;fn=4&amp;panes=function.map"'
	# The tab of a view on the right changes places with it.
	grep -o 'href="#[^"]*"[^>]*>Call graph<' "$dir/dom" | grep 'view=graph&amp;fn=4&amp;panes=function.functions"'
	# The source of the function comes along.
	WINDOW=1600,1000 browse 'view=functions&fn=4&panes=source'
	[ "$(tr '>' '\n' <"$dir/dom" | grep -c 'class="tr[^"]*chosen"')" = 2 ]
	grep -oF '<b>/src/rec.c</b>' "$dir/dom"
	# Narrow screens show one view, and the link keeps the others.
	WINDOW=1000,800 browse 'view=functions&fn=4&panes=function.graph'
	not grep -o 'class="pane' "$dir/dom"
	grep -q 'data-view="functions"' "$dir/dom"
	grep -o 'href="#[^"]*"[^>]*>Map<' "$dir/dom" | grep 'panes=function.graph'
	# With a selection and data files.
	report --split --parts "$file" samples/callgrind/events/callgrind.out
	WINDOW=1600,1000 browse 'view=map&fn=4&panes=function.source&parts=0'
	not grep -q 'role="alert"' "$dir/dom"
	grep -q 'data-view="map"' "$dir/dom"
}
