# gprofng.bats - tables of gprofng display text.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# costs FILE: functions with self and inclusive costs: milliseconds,
# allocations, bytes.
costs()
{
	"$CGCONV" -q -t json "$1" | perl tests/oracle/graph.pl | perl -F'\t' -lane '
		next unless $F[0] eq "function";
		$F[1] =~ s/^.*?:\d+://;
		my @self = split /,/, $F[2];
		my @all = split /,/, $F[3];
		$_ = ($_ // 0) / 1e6 for $self[0], $all[0];
		printf "%s %s %s\n", $F[1], join("/", map { $_ || 0 } @self[0 .. 2]),
			join("/", map { $_ || 0 } @all[0 .. 2])' | LC_ALL=C sort
}

@test "gprofng: costs of a tree are those of the table of functions" {
	# The table of functions itself, as gprofng printed it.
	perl -ne '
		/^([\d.]+) +[\d.]+ +([\d.]+) +[\d.]+ +(\d+) +[\d.]+ +(\d+) +(\d+) +(\d+) +(\S.*)$/ or next;
		$7 eq "<Total>" or printf "%s %s %s\n", $7, join("/", $1 * 1000, $3, $5),
			join("/", $2 * 1000, $4, $6)' \
		samples/gprofng/functions/grab.gprofng | LC_ALL=C sort >"$dir/table"
	[ "$(wc -l <"$dir/table")" = 8 ]
	grep -qx 'left 0/0/0 70/300/30000' "$dir/table"
	for case in functions tree; do
		costs samples/gprofng/$case/grab.gprofng >"$dir/costs"
		same "$dir/table" "$dir/costs"
	done
}

@test "gprofng: stacks of a tree" {
	"$CGCONV" -q -t folded samples/gprofng/tree/grab.gprofng |
		sed 's/^<static>@0x271c1 (<libc.so.6>);main;//' | says \
		'left;again;again;again;spin 20000000' \
		'left;again;again;spin 10000000' 'left;again;spin 10000000' \
		'right;left;again;again;again;spin 10000000' \
		'right;left;again;again;spin 10000000' \
		'right;left;again;spin 10000000' 'right;spin 30000000'
	"$CGCONV" -q -t folded --event Allocations samples/gprofng/tree/grab.gprofng |
		sed 's/^.*;main;//' | says 'left;grab;malloc 150' \
		'right;grab;malloc 3' 'right;left;grab;malloc 150'
}

@test "gprofng: calls of callers and callees, self costs of metrics without them" {
	in=samples/gprofng/callers/grab.gprofng
	"$CGCONV" -q -t json "$in" | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		$name[$_->[1]] = $_->[2] if $_->[0] eq "function";
		$event[$_->[1]] = $_->[2] if $_->[0] eq "event";
		$fn = $_->[1] if $_->[0] eq "rows";
		if ($_->[0] eq "call") {
			my %cost;
			@cost{@event} = @{$_->[8]};
			print join(" ", $name[$fn], $name[$_->[4]], map { $_ // 0 }
				@cost{qw(ns Allocations Bytes_Leaked)}), "\n"
		}
		if ($_->[0] eq "cost" && @{$_->[4]}) {
			my %cost;
			@cost{@event} = @{$_->[4]};
			print join(" ", $name[$fn], map { $_ // 0 }
				@cost{qw(ns Allocations Bytes_Leaked)}), "\n" }' |
		grep -v '^<static>' | LC_ALL=C sort | says \
		'again again 0 0 0' 'again spin 70000000 0 0' \
		'grab malloc 0 303 12000' 'left again 70000000 0 0' \
		'left grab 0 300 0' 'main left 40000000 150 0' \
		'main right 60000000 153 12000' 'malloc 0 303 12000' \
		'right grab 0 3 12000' 'right left 30000000 150 0' \
		'right spin 30000000 0 0' 'spin 100000000 0 0'
}

@test "gprofng: a tree makes other tables useless; sizes and addresses are dropped" {
	{
		cat samples/gprofng/functions/grab.gprofng samples/gprofng/tree/grab.gprofng
		echo
	} >"$dir/both"
	"$CGCONV" -t folded "$dir/both" 2>"$dir/err" >"$dir/folded"
	grep 'tables other than the call tree are skipped' "$dir/err"
	"$CGCONV" -q -t folded samples/gprofng/tree/grab.gprofng | cmp - "$dir/folded"
	cat >"$dir/in" <<'E2'
Functions sorted by metric: Exclusive Total CPU Time

Excl. Total  Size  PC Addr.       Name
CPU sec.
0.030           0  1:0x00000000   <Total>
0.020          44  2:0x00001139   f
0.010           8  2:0x00001200   g h

E2
	"$CGCONV" -q -t json "$dir/in" | grep -F '["cost"' | says \
		'["cost",0,0,0,[20000000]]' '["cost",0,0,0,[10000000]]'
}

@test "gprofng: a truncated tree is told" {
	in=samples/gprofng/tree/grab.gprofng
	for lines in 12 14 17 18; do
		head -n $lines "$in" >"$dir/in"
		"$CGCONV" -t folded "$dir/in" 2>&1 >/dev/null |
			grep -qF "the call tree ends where a '|' leads to more"
	done
	"$CGCONV" -t folded "$in" 2>"$dir/err" >/dev/null
	[ ! -s "$dir/err" ] || ! grep -q 'tree' "$dir/err"
	# Functions after the first one below <Total> are missing.
	sed '8,$d' "$in" >"$dir/in"
	sed -n '8s/0\.100/0.060/p' "$in" >>"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>&1 >/dev/null |
		grep -qF 'functions of the call tree have less than its <Total>'
}

@test "gprofng: malformed and truncated tables" {
	head='Functions Call Tree. Metric: Attributed Total CPU Time\n\nAttr. Total    Name\nCPU\n sec.      %%\n'
	bad() { # TEXT MESSAGE
		printf "$1" >"$dir/in"
		refuses 1 "$2" -f gprofng -t json "$dir/in"
	}
	bad "$head"'0.100 100.00     +-f\n' "expected '+-', and a function at most one"
	bad "$head"'0.100 100.00   f\n' "expected '+-'"
	bad "$head"'0.100 100.00   +-\n' "expected '+-'"
	bad "$head"'0.100 100x00   +-f\n' 'in:6: error: expected a value of each column'
	bad "$head"'0.100\n' 'expected a value of each column'
	bad "$head" 'expected a table of -functions'
	bad 'Functions sorted by metric: x\n\nName Excl.\n' "then 'Name'"
	bad 'Functions sorted by metric: x\n\nExcl.   Name\n  %%\n1.00   f\n' \
		'expected values of a metric'
	bad 'Callers and callees sorted by metric: x\n\nAttr. Name\nA\n========== Callers\n' 'not -csingle'
	cat samples/gprofng/functions/grab.gprofng \
		samples/gprofng/functions/grab.gprofng >"$dir/in"
	refuses 1 'expected one table of each kind' -t json "$dir/in"
	head -n 12 samples/gprofng/functions/grab.gprofng >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" | grep -q 'may be truncated'
	printf "$head"'0.100 100.00   +-f\n0.200 200.00     +-g\n' >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | says 'f;g 200000000'
	grep '1 values are less than those of their callees' "$dir/err"
}
