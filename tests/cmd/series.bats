# series.bats - --series: many runs in their order, and where levels change
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	cd "$dir" || return 1
}

# runs COUNT SEED 'CODE': folded stacks run-1, run-2, ...; CODE changes $n, the
# mean number of samples of function $f in run $i, which has a noise of 2 %.
runs()
{
	perl -e 'my ($count, $seed, $code) = @ARGV;
		# The same numbers everywhere: rand() depends on the C library.
		my $x = $seed;
		sub uniform { $x = ($x * 16807) % 2147483647; $x / 2147483647 }
		sub normal {
			sqrt(-2 * log(uniform())) * cos(6.2831853 * uniform())
		}
		my $change = eval "sub { my (\$i, \$f, \$n) = \@_; $code; \$n }";
		uniform() for 1 .. 99;
		for my $i (1 .. $count) {
			open my $to, ">", "run-$i" or die;
			for my $f (0 .. 9) {
				my $n = $change->($i, $f, 1000);
				printf $to "main;f$f %d\n", $n * (1 + .02 * normal());
			}
		}' "$@"
}

# changes FILE: "kind name: run interval" of all changes in the JSON.
changes()
{
	perl -MJSON::PP -0777 -ne 'my $all = decode_json($_);
		for my $curve (@{$all->{curves}}) {
			printf "%s%s: %s %d %d-%d\n", $curve->{kind},
				$curve->{name} ? " $curve->{name}" : "",
				$_->{kind}, $_->{run}, @{$_->{interval}}
				for @{$curve->{changes}};
		}' "$1"
}

@test "series: a level that changes is found, and the function that did it" {
	runs 100 1 '$n *= 1.5 if $f == 3 && $i >= 40'
	"$CGCONV" --series -o out.json run-*
	changes out.json | same - <(printf '%s\n' 'total: level 40 40-40' \
		'self f3: level 40 40-40')
	"$CGCONV" --series --top 3 run-* >got
	grep -qx 'Runs    100, by name: run-1 to run-100' got
	grep -qx 'Method  ranks (Mann and Whitney), binary segmentation; 1% false changes in 11 series' got
	grep -q '^ *1[0-9],...  *10,...  *+[45]\.[0-9]*%  *40  run-40$' got ||
		grep -q '^ *9,...  *10,...  *+[45]\.[0-9]*%  *40  run-40$' got
	grep -q '^ .* 40    by f3$' got
	# In the order of their numbers, though the shell has another one.
	sed -n 's/^ .* \(99\|100\) run-/\1 /p' got | same - <(printf '%s\n' '99 99' '100 100')
}

@test "series: noise, an outlier and a slope are no steps" {
	runs 60 2 ''
	"$CGCONV" --series --json run-* >out.json
	changes out.json | same - /dev/null
	runs 60 3 '$n *= 5 if $i == 30'
	"$CGCONV" --series --json run-* >out.json
	changes out.json | same - /dev/null
	"$CGCONV" --series run-* | grep -A1 '^Changes of the total' | grep -qx '  none'
	runs 60 4 '$n *= 1 + .005 * $i'
	"$CGCONV" --series --json run-* >out.json
	changes out.json | grep -qx 'total: drift .* 1-60'
	"$CGCONV" --series run-* | grep -q '1-60  a drift, from run-1$'
}

@test "series: runs are sorted by name, by time, or not" {
	for i in 1 2 10; do
		printf 'm;f %s\n' "$i" >run$i
	done
	totals() {
		"$CGCONV" --series --json "$@" | perl -MJSON::PP -0777 -ne \
			'print join(" ", map { $_->{total} } @{decode_json($_)->{runs}}), "\n"'
	}
	totals run10 run2 run1 | same - <(echo 1 2 10)
	totals --order given run10 run1 run2 | same - <(echo 10 1 2)
	printf 'run2\nrun10\n' >list
	totals run1 --files-from list | same - <(echo 1 2 10)
	printf 'run10\0run2\0' >list
	totals -0 --files-from list | same - <(echo 10 2)
	totals -0 --files-from list --order name | same - <(echo 2 10)
	refuses 1 'run1 has no time; choose another --order' \
		--series --order time run1 run2
	refuses 2 '--order: expected name, time or given' --series --order x run1
}

@test "series: recorded times give an order" {
	perl -e 'for my $i (1 .. 3) {
		open my $to, ">", "run$i.txt" or die;
		printf $to "# captured on    : Tue Nov  %d 10:00:00 2026\n", 9 - $i;
		print $to "p 1 [000] 1.0: 5 cycles:\n\t1 f (/p)\n\n";
	}'
	"$CGCONV" --series --order time -o out.csv run*.txt
	cut -d, -f2,3 out.csv | tr -d '\r' | same - <(printf '%s\n' run,nanoseconds \
		'"run3.txt",1793959200000000000' '"run2.txt",1794045600000000000' \
		'"run1.txt",1794132000000000000')
}

@test "series: a time that nanoseconds cannot represent is none" {
	for year in 2026 9999; do
		printf '# captured on    : %s-01-01T00:00:00\np 1 [000] 1.0: 5 cycles:\n\t1 f (/p)\n\n' \
			$year >run$year.txt
	done
	"$CGCONV" --series --order time -o out.csv run2026.txt
	grep -q '^1,"run2026.txt",1767225600000000000,' out.csv
	refuses 1 'run9999.txt has no time' --series --order time run9999.txt
}

@test "series: exact counts need no statistics" {
	for i in 1 2 3 4 5 6; do
		printf 'events: Ir\nfn=f\n1 %d\nfn=g\n2 100\n' \
			$((i == 2 ? 999 : i < 4 ? 1000 : 1001)) >run$i
	done
	"$CGCONV" --series -o out.json run?
	changes out.json | same - <(printf '%s\n' 'total: level 4 4-4' 'self f: level 4 4-4')
	"$CGCONV" --series run? | grep -q '^Method  levels of equal numbers, which have no noise, else ranks'
	# The newest run alone is a new level; counts that always differ have noise.
	"$CGCONV" --series -o out.json run3 run4
	changes out.json | same - <(printf '%s\n' 'total: level 2 2-2' 'self f: level 2 2-2')
	for i in 1 2 3 4 5 6; do
		printf 'events: Ir\nfn=f\n1 %d\n' $((1000 + i * i % 19)) >run$i
	done
	"$CGCONV" --series -o out.json run?
	changes out.json | same - /dev/null
}

@test "series: Valgrind's runs of two versions of a program" {
	needs valgrind
	printf '%s\n' 'static volatile int x;' \
		'static void work(void) { for (int i = 0; i < N; i++) x++; }' \
		'int main(void) { work(); return 0; }' >p.c
	gcc -O1 -fno-inline -DN=20000 -o old p.c
	gcc -O1 -fno-inline -DN=20400 -o new p.c
	for i in 1 2 3 4 5 6; do
		program=$([ $i -lt 4 ] && echo old || echo new)
		cp "$program" p
		valgrind -q --tool=callgrind --callgrind-out-file=run$i ./p 2>/dev/null
	done
	"$CGCONV" --series -o out.json run?
	changes out.json | grep -x 'self work: level 4 4-4'
	changes out.json | grep -x 'total: level 4 4-4'
	"$CGCONV" --series run? >got
	grep -q ' 4    by work' got
}

@test "series: archives, lists and manifests give the same as files" {
	runs 30 5 '$n *= 2 if $f == 1 && $i > 15'
	"$CGCONV" --series -o want.json run-*
	strip() {
		sed 's/"path":"[^"]*\(run-[0-9]*\)"/"path":"\1"/g; s/"order":"[a-z]*"//' "$1"
	}
	echo 'read me' >README
	tar cf runs.tar run-* README
	gzip -k runs.tar
	for archive in runs.tar runs.tar.gz; do
		"$CGCONV" --series -o got.json $archive
		same <(strip want.json) <(strip got.json)
	done
	printf 'run-%s\n' $(seq 30) >list
	"$CGCONV" --series --files-from list -o got.json
	same <(strip want.json) <(strip got.json)
	"$CGCONV" -q -j 2 -t pprof -O out --manifest manifest.jsonl run-*
	sort -t- -k2n manifest.jsonl >sorted.jsonl
	"$CGCONV" --series --order name --manifest sorted.jsonl -o got.json
	same <(strip want.json) <(strip got.json)
	refuses 1 'list: expected a manifest' --series --manifest list
}

@test "series: with --partial, archives and members that are damaged are skipped" {
	printf 'm;f 1\n' >run1
	printf 'm;f 2\n' >run2
	gzip -c run1 | head -c 20 >run3.gz
	tar cf runs.tar run1 run3.gz run2
	head -c 1200 runs.tar >cut.tar
	skips() {
		status=0
		"$CGCONV" --series --json --partial "${@:3}" >got 2>err || status=$?
		[ "$status" = 1 ]
		grep -q "\"skipped\":$1," got
		[ "$(grep -o '"path":"[^"]*","format"' got | wc -l)" = "$2" ]
	}
	skips 1 1 run1 nothing.tar
	skips 1 3 run1 runs.tar
	skips 1 2 run2 cut.tar
	grep -q '^cut.tar: error: ' err
	refuses 1 'runs.tar/run3.gz' --series runs.tar
	refuses 1 'nothing.tar: error' --series nothing.tar run1
}

@test "series: a list is read to its end, and is not overwritten" {
	printf 'm;f 1\n' >run1
	printf 'm;f 2\n' >run2
	# A batch that still runs, or was killed.
	printf '{"input":"run%d","status":"done"}\n' 1 2 >manifest.json
	cp manifest.json whole
	printf '{"input":"r' >>manifest.json
	"$CGCONV" --series --json --manifest manifest.json | grep -q '^{"path":"run2"'
	refuses 2 '-o manifest.json would overwrite manifest.json' \
		--series --manifest manifest.json -o manifest.json
	printf run1 >list
	"$CGCONV" --series --json --files-from list | grep -q '^{"path":"run1"'
	refuses 2 'can read standard input only once' --series - -
	refuses 2 'can read standard input only once' --series --files-from - - <list
	refuses 2 '--json and -o x.csv cannot be used' --series --json -o x.csv run1
	refuses 2 '--gzip and --series' --series --gzip -o x.csv run1
	refuses 2 '--tree applies only with --info' --series --tree 1% run1
}

@test "series: the file keeps its place and permissions, a pipe stays one" {
	printf 'm;f 1\n' >run1
	mkdir other
	: >other/x.csv
	chmod 660 other/x.csv
	ln -s other/x.csv x.csv
	"$CGCONV" --series -o x.csv run1
	[ -L x.csv ]
	[ "$(stat -c %a other/x.csv)" = 660 ]
	mkfifo pipe.csv
	cat pipe.csv >got &
	"$CGCONV" --series -o pipe.csv run1
	wait
	[ -p pipe.csv ]
	same got x.csv
	ln -s /dev/full full.csv
	refuses 4 'cannot write full.csv: No space' --series -o full.csv run1
}

@test "series: the page is not opened by a viewer for profiles" {
	printf 'm;f 1\n' >run1
	mkdir bin
	for viewer in kcachegrind qcachegrind xdg-open open; do
		printf '#!/bin/sh\nexit 0\n' >bin/$viewer
	done
	chmod +x bin/*
	PATH=$dir/bin:$PATH "$CGCONV" --series --open -o x.html run1 2>err
	grep -qE 'opened by (xdg-)?open$' err
}

@test "series: functions of one name in two files have columns of their own" {
	printf 'events: Ir\nfl=a.c\nfn=f\n1 5\nfl=b"c\nfn=f\n1 6\nfn=g\n1 7\n' >run1
	"$CGCONV" --series -o out.csv run1
	head -n 1 out.csv | tr -d '\r' | same - <(printf '%s\n' \
		'number,run,nanoseconds,total,"self g","self f (b""c)","self f (a.c)"')
}

@test "series: negative costs have no percentage" {
	for i in 1 2 3 4; do
		printf 'events: Ir\nfn=f\n1 %d\nfn=g\n1 100\n' \
			$((i < 3 ? 50 : 40)) >new$i
		printf 'events: Ir\nfn=f\n1 60\nfn=g\n1 200\n' >old
		"$CGCONV" -q --diff -t json -o run$i.cgj old new$i
	done
	"$CGCONV" --series run?.cgj >got
	grep -q '^ *-110  *-120  *-  *3  run3.cgj$' got
}

@test "series: coverage by run, and files that lost it" {
	# cover NAME HITS_OF_A HITS_OF_B
	cover() {
		{
			printf 'TN:\nSF:/src/a.c\n'
			for line in 1 2 3 4; do
				echo "DA:$line,$((line <= $2))"
			done
			printf 'end_of_record\nSF:/src/b.c\n'
			for line in 1 2; do
				echo "DA:$line,$((line <= $3))"
			done
			echo end_of_record
		} >"$1"
	}
	cover run1.info 4 1
	cover run2.info 4 1
	cover run3.info 2 1
	cover run4.info 2 1
	cover run5.info 3 2
	"$CGCONV" --series run*.info >got
	grep -q '^ *83.33%  *50.00%  *-33.33  *3  lines: run3.info' got
	grep -A2 '^Files that lost coverage' got |
		grep -q '^ *100.00%  *75.00%  *-25.00  *3  /src/a.c: run3.info$'
	not grep -q 'b.c: ' got
	"$CGCONV" --series -o out.csv run*.info
	tr -d '\r' <out.csv | cut -d, -f2,4,5 | same - <(printf '%s\n' \
		'run,lines,"/src/a.c"' '"run1.info",83.333333333333329,100' \
		'"run2.info",83.333333333333329,100' '"run3.info",50,50' \
		'"run4.info",50,50' '"run5.info",83.333333333333329,75')
	"$CGCONV" --series --json run*.info | grep -qF \
		'"path":"run3.info","format":"lcov","lines":{"hit":3,"found":6}'
	printf 'm;f 1\n' >run
	refuses 1 'run is no coverage, run1.info is' --series run1.info run
	refuses 1 'run1.info is coverage, run is not' --series run run1.info
}

@test "series: runs that do not belong together are an error that names the first" {
	printf 'events: Ir\nfn=f\n1 5\n' >a
	printf 'events: Dr\nfn=f\n1 5\n' >b
	printf 'events: ns\nevent: ns : Time\nfn=f\n1 5\n' >ns
	printf 'cmd: /bin/p x\nevents: Ir\nfn=f\n1 5\n' >p
	printf 'cmd: /usr/q x\nevents: Ir\nfn=f\n1 5\n' >q
	printf '%s\n' '{"format":"cgconv","version":1}' >broken
	refuses 1 'b has no event Ir, which a has' --series a a b ns
	refuses 1 'q is a run of q, p is a run of p' --series p q
	refuses 1 'broken' --series a broken
	refuses 1 'nothing: error' --series a nothing
	refuses 1 'no run could be read' --series --partial nothing
	status=0
	"$CGCONV" --series --partial a nothing broken p >got 2>err || status=$?
	[ "$status" = 1 ]
	grep -qx 'Skipped 2 runs' got
	grep -qx 'Runs    2, by name: a to p' got
	grep -q '^nothing: error: ' err
	refuses 2 '--series needs runs' --series
	: >empty
	refuses 2 '--series needs runs' --series --manifest empty
	refuses 2 'cannot open nothing' --series --files-from nothing
	refuses 2 '--series writes .html, .csv or .json' --series -o x.svg a
	refuses 2 '-t and --series' --series -t json a
	refuses 2 'no others' --series --dry-run a
	cp a a.json
	refuses 2 '-o a.json would overwrite' --series -o a.json a.json
	refuses 2 '--order applies only with --series' --info --order name a
	refuses 2 '--error-rate: expected a percentage' --series --error-rate 0 a
}

@test "series: the page is one file, and its policy allows its style only" {
	runs 30 6 '$n *= 2 if $f == 1 && $i > 15'
	mv run-7 'run-7<script>&"'
	"$CGCONV" --series -o out.html run-*
	"$CGCONV" --series -o again.html run-*
	same out.html again.html
	perl -MDigest::SHA=sha256_base64 -0777 -ne '
		my ($hash) = /style-src .sha256-([^\x27]*)/;
		my ($style) = m{<style>(.*)</style>}s;
		my $want = sha256_base64($style);
		$want .= "=" while length($want) % 4;
		exit !($hash eq $want && /default-src \x27none\x27; style-src/)' out.html
	not grep -qi '<script\|onload\|href="[^#]\|src="\|style="' out.html
	grep -q 'run-7&#60;script&#62;&#38;&#34;' out.html
	[ "$(grep -c '<figure' out.html)" = 11 ]
	grep -q '<td class="name"><a href="#c0">total</a></td>' out.html
	# As many pixels as there are, however many runs.
	runs 1300 7 '$n = 10'
	"$CGCONV" --series --top 1 -o out.html run-*
	[ "$(grep -o '<path class="run" d="[^"]*"' out.html | head -n 1 | tr -cd ML | wc -c)" -lt 510 ]
	# All tags are closed: void elements apart, it is XML.
	needs xmllint
	sed 's/<meta\([^>]*\)>/<meta\1\/>/; s/<!DOCTYPE html>//' again.html |
		xmllint --noout -
}

@test "series: costs above 2^53 are exact in CSV, JSON and the page" {
	printf 'a;b 9007199254740993\na 1\n' >"$dir/1.folded"
	printf 'a;b 18446744073709551613\na 2\n' >"$dir/2.folded"
	"$CGCONV" --series -o "$dir/out.csv" "$dir/"[12].folded
	head -n 1 "$dir/out.csv" | tr -d '\r' |
		says 'number,run,nanoseconds,total,"self b"'
	cut -d , -f 4- "$dir/out.csv" | tail -n 2 | tr -d '\r' |
		says 9007199254740994,9007199254740993 \
			18446744073709551615,18446744073709551613
	"$CGCONV" --series --json "$dir/"[12].folded >"$dir/out.json"
	grep -o '"total":[0-9.e+]*' "$dir/out.json" |
		says '"total":9007199254740994' '"total":18446744073709551615'
	grep -q '"values":\[9007199254740993,18446744073709551613\]' "$dir/out.json"
	"$CGCONV" --series -o "$dir/out.html" "$dir/"[12].folded
	grep -q '9,007,199,254,740,993' "$dir/out.html"
	grep -q '18,446,744,073,709,551,613' "$dir/out.html"
}
