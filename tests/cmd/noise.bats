# noise.bats - --diff of several runs: what is real, and what is noise
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	cd "$dir" || return 1
}

# runs PREFIX COUNT SEED SCALE FACTOR: folded stacks PREFIX1, PREFIX2, ... with
# numbers of samples that have a Poisson distribution: 20,000 times SCALE, 5 %
# of them in f0, times FACTOR.
runs()
{
	perl -e 'my ($prefix, $count, $seed, $scale, $factor) = @ARGV;
		# The same numbers everywhere: rand() depends on the C library.
		my $x = $seed;
		sub uniform { $x = ($x * 16807) % 2147483647; $x / 2147483647 }
		uniform() for 1 .. 99;
		sub poisson { my ($mean, $n) = (@_, 0);
			for (; $mean > 0; $mean -= 500) {
				my $limit = exp -($mean > 500 ? 500 : $mean);
				for (my $p = uniform(); $p > $limit; $p *= uniform()) {
					$n++;
				}
			}
			return $n;
		}
		for my $i (1 .. $count) {
			open my $to, ">", "$prefix$i" or die;
			for my $f (0 .. 38) {
				my $mean = $f ? 500 : 1000 * $factor;
				print $to "main;f$f ", poisson($mean * $scale), "\n";
			}
		}' "$@"
}

# verdicts ARG...: "function cost verdict" of all that is real.
verdicts()
{
	"$CGCONV" --diff --json "$@" | perl -MJSON::PP -0777 -ne '
		my $runs = decode_json($_)->{runs};
		print "total\n" if $runs->{total}{verdict} eq "real";
		$_->{verdict} eq "real" and print "$_->{name} $_->{cost}\n"
			for @{$runs->{functions}}'
}

# ends STATUS MESSAGE ARG...: a report, and a message on standard error.
ends()
{
	local want=$1 message=$2 status=0

	shift 2
	"$CGCONV" "$@" >got 2>err || status=$?
	[ "$status" = "$want" ]
	[ -s got ]
	grep -qF -- "$message" err
}

@test "noise: ten runs of one program differ by noise, a changed function is found" {
	runs a 10 1 1 1
	runs b 10 2 1 1
	runs c 10 3 1 1.1
	verdicts a* -- b* >got
	same got /dev/null
	verdicts a* -- c* | same - <(printf 'f0 inclusive\nf0 self\n')
	"$CGCONV" --diff --top 1 a* -- c* >got
	grep -qx 'Before  10 runs: a1, a10, a2 and 7 more' got
	grep -qx "Method  Welch's t-test of the means; 1% false alarms in 80 comparisons" got
	[ "$(grep -c ' real  f0$' got)" = 2 ]
	# An error rate for more certainty hides it.
	verdicts --error-rate 0.000001% a* -- c* >got
	same got /dev/null
}

@test "noise: means, changes and costs are those of the inputs" {
	printf 'm;f 100\n' >a1
	printf 'm;f 110\nm;g 5\n' >a2
	printf 'm;f 120\n' >b1
	printf 'm;f 140\n' >b2
	printf 'm;f 160\n' >b3
	"$CGCONV" --diff --json a1 a2 -- b1 b2 b3 >out
	# Welch: 35 / sqrt(105 / 2 + 140 / 3): the least variance of 105 samples
	# is larger than that of a1 and a2 (50), that of the others is 400.
	perl -MJSON::PP -0777 -ne 'my $r = decode_json($_)->{runs};
		my ($f) = grep { $_->{name} eq "f" } @{$r->{functions}};
		printf "%s %s %s %.6f\n%s\n%s\n%s\n%s\n", $f->{before},
			$f->{after}, $f->{verdict}, $f->{change},
			"@{$f->{costs_before}}", "@{$f->{costs_after}}",
			$r->{about}{method}, $r->{total}{before}' out |
		same - <(printf '%s\n' '105 140 noise 0.333333' '100 110' \
			'120 140 160' means 107.5)
}

@test "noise: costs of source lines are compared, too" {
	for i in 1 2 3 4; do
		for side in a b; do
			printf '%s\n' 'events: ns' fl=a.c fn=f \
				"10 $((1000 + i))" \
				"11 $((500 + 2 * i))" fn=g \
				"20 $((300 + i))" >$side$i
		done
		sed -i "s/^11 .*/11 $((900 + 2 * i))/" b$i
		printf '%s\n' fl=small.c fn=h '1 5' >>b$i
	done
	"$CGCONV" --diff a? -- b? >got
	sed -n '/^Real changes first, by line: ns/,$p' got | sed 's/  */ /g' |
		same - <(printf '%s\n' 'Real changes first, by line: ns' \
			' Before After Change Interval Verdict Source line' \
			' 505 905 +79.21% +77.26% to +81.16% real a.c:11' \
			' 1,003 1,003 +0.00% -0.49% to +0.49% noise a.c:10' \
			' 303 303 +0.00% -1.63% to +1.63% noise a.c:20' \
			' 1 line below 0.5% is not compared')
	"$CGCONV" --diff --json a? -- b? | perl -MJSON::PP -0777 -ne '
		for (@{decode_json($_)->{runs}{lines}}) {
			print "$_->{file}:$_->{line} $_->{verdict} @{$_->{costs_after}}\n"
		}' | same - <(printf '%s\n' 'a.c:11 real 902 904 906 908' \
			'a.c:10 noise 1001 1002 1003 1004' 'a.c:20 noise 301 302 303 304')
	"$CGCONV" --diff --markdown a? -- b? >got
	grep -qx '<details open><summary>Source lines: 1 line changed</summary>' got
	grep -qF '| a.c:11 | 505 | 905 | +79.21% |' got
	# Runs without lines have no such table.
	printf 'm;f 5\n' >c
	"$CGCONV" --diff c c -- c c >got
	not grep -q 'by line' got
}

@test "noise: one run each has the interval of counting statistics" {
	printf 'm;f 7\n' >a
	printf 'm;f 3\n' >b
	# Clopper and Pearson for 3 of 10 at 1 %: 0.03701 to 0.73510.
	"$CGCONV" --diff --error-rate 4% a -- b >got
	grep -q '^Method  counting statistics of the samples of one run each; 4% false alarms in 4 comparisons' got
	grep -q ' 7  *3  *-57.14%  *-96.16% to +177.52%  *noise  samples' got
	# The usual report comes first, and is unchanged.
	"$CGCONV" --diff a b >want
	head -n "$(wc -l <want)" got | same want -
	grep -q '^Largest changes, self' want
	not grep -q '^Method' want
}

@test "noise: what is counted exactly needs one run, and changes no report" {
	printf 'events: Ir\nfn=f\n1 1000\nfn=g\n2 10\n' >a
	printf 'events: Ir\nfn=f\n1 1001\nfn=g\n2 10\n' >b
	for options in '' --json; do
		# shellcheck disable=SC2086 # a word or none
		"$CGCONV" --diff $options a b >want
		# shellcheck disable=SC2086
		"$CGCONV" --diff $options a -- b >got
		same want got
	done
	"$CGCONV" --diff --markdown a b | grep -qF 'Method: Ir is counted exactly: every change is real.'
	ends 7 'total of Ir: +0.10% (+0.10% to +0.10%), --fail-over allows 0.05%' \
		--diff --fail-over total=0.05% a b
	"$CGCONV" -q --diff --fail-over total=0.2% a b >got
	# Equal runs of Ir have no spread.
	verdicts a a a -- b b | same - <(printf '%s\n' total 'f self')
	verdicts a a -- a >got
	same got /dev/null
	# No rounding of means of equal runs makes a change.
	printf 'events: Ir\nfn=f\n1 11690366\nfn=g\n1 8481257\n' >e
	set -- e e e e e e e e e e
	verdicts "$@" -- "$@" "$@" >got
	same got /dev/null
	verdicts --normalize "$@" -- "$@" "$@" >got
	same got /dev/null
	# Time without a number of samples has no interval.
	printf 'events: ns\nfn=f\n1 1000\n' >c
	printf 'events: ns\nfn=f\n1 2000\n' >d
	"$CGCONV" --diff --fail-over total=1% c d >got
	grep -qx 'Method  none: the numbers of samples are unknown; give several runs' got
}

@test "noise: --fail-over ends with status 7 for real changes only" {
	runs a 5 4 1 1
	runs b 5 5 1 1.5
	ends 7 'error: function f0: self cost: +' \
		--diff --fail-over total=30%,function=20% a* -- b*
	"$CGCONV" -q --diff --fail-over total=30%,function=90 a* -- b* >got
	# A decrease is none, and noise is none: f1 ... differ by several percent.
	"$CGCONV" -q --diff --fail-over function=1% b* -- a* >got
	refuses 2 'expected percentages of total or function' \
		--diff --fail-over lines=3% a* -- b*
	refuses 2 'expected percentages of total or function' \
		--diff --fail-over total=3%,total=4% a* -- b*
	refuses 2 '--fail-over applies only with --diff' --info --fail-over total=3% a1
	refuses 2 '--fail-over total and --normalize' \
		--diff --normalize --fail-over total=3% a* -- b*
	refuses 2 '--error-rate: expected a percentage' --diff --error-rate 0 a* -- b*
	refuses 2 '--error-rate: expected a percentage' --diff --error-rate x a* -- b*
}

@test "noise: --normalize compares shares, as runs may be longer" {
	runs a 6 6 1 1
	runs b 6 7 2 1
	[ "$(verdicts a* -- b* | wc -l)" -gt 60 ]
	verdicts --normalize a* -- b* >got
	same got /dev/null
	"$CGCONV" --diff --normalize a1 -- b1 | grep -q 'noise  f0$'
	"$CGCONV" --diff --normalize --top 1 a* -- b* | grep -qx 'Shares  of the total are compared'
}

@test "noise: runs may have different formats, functions may have moved" {
	runs a 3 8 1 1
	runs b 3 9 1 2
	"$CGCONV" -q -t pprof -o a2.pb.gz a2
	"$CGCONV" -q -t json -o b3.cgj b3
	verdicts a1 a2 a3 -- b1 b2 b3 >want
	verdicts a1 a2.pb.gz a3 -- b1 b2 b3.cgj >got
	grep -q 'f0 self' want
	same want got
	for n in 1 2; do
		printf 'events: Ir\nob=/old/p\nfl=/old/a.c\nfn=f\n1 5\n' >old$n
		printf 'events: Ir\nob=/new/p\nfl=/new/b.c\nfn=f\n1 5\n' >new$n
	done
	"$CGCONV" --diff old1 old2 -- new1 new2 >got
	grep -q ' 5  *5  *+0.00% .* noise  f (/new/b.c) \[/new/p\]' got
}

@test "noise: runs that do not belong together are an error that names the first" {
	printf 'events: Ir\nfn=f\n1 5\n' >a
	printf 'events: Dr\nfn=f\n1 5\n' >b
	printf 'events: ns\nevent: ns : Time\nfn=f\n1 5\n' >ns
	printf 'cmd: /bin/p x\nevents: Ir\nfn=f\n1 5\n' >p
	printf 'cmd: /usr/q x\nevents: Ir\nfn=f\n1 5\n' >q
	refuses 1 'b has no event Ir, which a has' --diff b a -- a
	refuses 1 'q is a run of q, p is a run of p' --diff p q -- p
	printf '%s\n' '{"format":"cgconv","version":1}' >broken
	refuses 1 'broken' --diff a broken -- a a
	refuses 1 'nothing: error' --diff a nothing -- a a
	ends 1 'nothing: error' --partial --diff a nothing -- a a
	grep -qx 'Skipped 1 run' got
	refuses 1 'no run after could be read' --partial --diff a a -- nothing
	refuses 2 'two files, or runs before and after' --diff a a a
	refuses 2 'two files, or runs before and after' --diff -- a a a
	refuses 2 '--side-by-side needs -o or -t' --diff --side-by-side a a -- a
	refuses 2 'not standard input' --diff -o c - a -- a
	refuses 2 'one form only' --diff --json --markdown a a -- a
}

@test "noise: the difference of several runs is that of their means" {
	printf '%s\n' 'm;f 100' 'm;gone 7' 'm 1' >a1
	printf '%s\n' 'm;f 111' 'm;gone 8' 'm 1' >a2
	printf '%s\n' 'm;f 120' 'm;new 2' >b1
	printf '%s\n' 'm;f 140' 'm;new 2' >b2
	printf '%s\n' 'm;f 163' 'm;new 2' >b3
	# 105.5 and 141; 7.5; 1; 2. What is cut off goes to the next one.
	"$CGCONV" -q --diff -t folded --side-by-side a1 a2 -- b1 b2 b3 2>err >got
	sort got | same - <(printf '%s\n' 'm 1 0' 'm;f 105 141' 'm;gone 8 0' 'm;new 0 2')
	# The text goes to standard error then, unless it is not wanted.
	[ ! -s err ]
	"$CGCONV" --diff -t folded --side-by-side a1 a2 -- b1 b2 b3 2>err | sort | same - <(sort got)
	"$CGCONV" --diff a1 a2 -- b1 b2 b3 | same - err
	"$CGCONV" --diff -o c.cgj a1 a2 -- b1 b2 b3 | same - err
	"$CGCONV" --info c.cgj | grep 'Difference: mean of 3 runs minus mean of 2 runs'
	# A single run stays as it is; runs of any format.
	"$CGCONV" -q -t pprof -o b2.pb.gz b2
	"$CGCONV" -q --diff -t folded --side-by-side b1 -- b1 b2.pb.gz b3 | sort |
		same - <(printf '%s\n' 'm;f 120 141' 'm;new 2 2')
	# Shares: before is scaled to the mean after.
	"$CGCONV" -q --diff --normalize -t json a1 a2 -- b1 b2 b3 >got
	grep -q '^\["total",\[\]\]' got
	# Events that are means of whole runs are exact.
	printf '%s\n' 'events: Ir Dr' fn=f '1 10 3' cfn=g 'calls=4 5' '2 100 6' fn=g '5 100 6' >a
	printf '%s\n' 'events: Ir Dr' fn=f '1 14 9' cfn=g 'calls=4 5' '2 200 0' fn=g '5 200' >b
	"$CGCONV" -q --diff -t json --side-by-side a b -- a b b a | grep -qF ',[12,12,6,6]]'
	# A line of coverage that ran in one run did run.
	for i in 1 2 3; do
		printf '%s\n' SF:a.c "DA:1,$((i == 1))" "DA:2,0" end_of_record >c$i.info
	done
	"$CGCONV" -q --diff --side-by-side -t json c1.info c2.info -- c2.info c3.info c3.info >got
	grep -qxF '["cost",1,1,0,[0,1]]' got
	grep -qxF '["desc","Difference","3 runs (_after) next to 2 runs (_before)"]' got
}

@test "noise: Markdown escapes names" {
	printf 'm;a|b@c 5\n' >a
	printf 'm;a|b@c 900\n' >b
	"$CGCONV" --diff --markdown a b >got
	grep -qF '| a&#124;b&#64;c | 5 | 900 | +17900.00% |' got
	grep -qF '**real**' got
	not grep -q '@' got
}
