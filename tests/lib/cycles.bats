# cycles.bats - what functions of cycles cost in the outputs for people.
load ../helper

PLAIN=samples/callgrind/plain/callgrind.out

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# Each prints lines of name, calls and inclusive cost, tabs between them.
from_tsv()
{
	"$CGCONV" -q -t tsv "$@" | awk -F '\t' -v OFS='\t' 'NR > 1 {
		print $3, $4, $6 }'
}

from_graphml()
{
	"$CGCONV" -q -t graphml "$@" | perl -lne '
		/<node / or next;
		%of = /<data key="(\w+)">([^<]*)/g;
		$of{name} =~ s/&lt;/</; $of{name} =~ s/&gt;/>/;
		$of{name} =~ s/&#39;|&apos;/\x27/;
		print join "\t", $of{name}, $of{called}, $of{inclusive0} // 0
			unless $of{name} eq "<spontaneous>"'
}

from_json()
{
	"$CGCONV" -q --info --json --top 1000 "$@" | perl -MJSON::PP -e '
		local $/;
		my $all = decode_json(<STDIN>);
		print join("\t", $_->{name} // "<cycle $_->{cycle}>", $_->{calls},
			$_->{inclusive}[0]), "\n"
			for @{ $all->{functions} }, @{ $all->{cycles} };'
}

from_info()
{
	"$CGCONV" -q --info --top 1000 "$@" | perl -ne '
		$on = 1 if /^Top functions by inclusive/;
		last if /^Top functions by self/;
		s/,//g;
		print "$3\t$2\t$1\n" if $on &&
			/^ *(\d+) +\S+% +\d+ +\S+% +(\d+)  (<cycle \d+>|\(below main\)|\S+)/'
}

from_html()
{
	"$CGCONV" -q -t html -o "$dir/out.html" "$@"
	perl tests/oracle/html.pl "$dir/out.html" | perl -F'\t' -lane '
		print join "\t", @F[1, 4, 5] if $F[0] eq "fn" && $F[1] ne "";
		print join "\t", "<cycle $F[1]>", @F[2, 3] if $F[0] eq "cycle"'
}

# Boxes and frames: share, not cost.
from_dot()
{
	"$CGCONV" -q -t dot --node-threshold 0 --edge-threshold 0 --node-count 0 "$@" |
		perl -lne '
		/\btooltip="([^"]*%[^"]*)"/ && !/->/ or next;
		@of = split /\\n/, $1;
		($calls) = (map({ s/^calls //r =~ s/,//gr } grep { /^calls/ } @of), 0);
		($share) = map { /\(([\d.]+%)\)/ } grep { /^inclusive / } @of;
		print join "\t", $of[0], $calls, $share'
}

# all_alike WANT INPUT...: all outputs have these costs.
all_alike()
{
	local want=$1 output

	shift
	cut -f 1,3,4 "$want" | LC_ALL=C sort >"$dir/all"
	[ -s "$dir/all" ]
	for output in tsv graphml html json info dot; do
		"from_$output" "$@" | LC_ALL=C sort >"$dir/got"
		case $output in
		# Functions without a cost are not there.
		json | info) perl -F'\t' -lane 'print if $F[2]' "$dir/all" ;;
		dot) perl -F'\t' -lane '$all = $F[2] if $F[2] > $all;
			push @of, [@F];
			END { printf "%s\t%s\t%.2f%%\n", @$_[0, 1],
				100 * $_->[2] / $all for @of }' "$dir/all" ;;
		*) cat "$dir/all" ;;
		esac | LC_ALL=C sort >"$dir/want"
		same "$dir/want" "$dir/got"
	done
}

@test "cycles: members have the same costs everywhere, those of an independent sum" {
	perl -MCompress::Zlib -MMIME::Base64 -MDigest::SHA -MJSON::PP -e 1 \
		2>/dev/null || skip "no modules of perl"
	perl tests/oracle/callgrind.pl "$PLAIN" | perl tests/oracle/cycles.pl \
		>"$dir/oracle"
	[ "$(grep -c '^<cycle' "$dir/oracle")" -eq 4 ]
	all_alike "$dir/oracle" "$PLAIN"
	# Members are marked.
	cut -f 1,2 "$dir/oracle" | LC_ALL=C sort >"$dir/want"
	"$CGCONV" -q -t tsv "$PLAIN" | awk -F '\t' -v OFS='\t' 'NR > 1 {
		print $3, $7 }' | LC_ALL=C sort >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "cycles: costs of gprof follow calls from the entry" {
	perl -MCompress::Zlib -MMIME::Base64 -MDigest::SHA -MJSON::PP -e 1 \
		2>/dev/null || skip "no modules of perl"
	in=samples/gprof/cycles
	"$CGCONV" -q -t callgrind --no-spontaneous "$in/prog" "$in/gmon.out" >"$dir/cg"
	perl tests/oracle/callgrind.pl "$dir/cg" |
		perl tests/oracle/cycles.pl --split >"$dir/oracle"
	[ "$(grep -c '^<cycle' "$dir/oracle")" -eq 2 ]
	all_alike "$dir/oracle" "$in/prog" "$in/gmon.out"
}

# Only c calls what costs something: without shares, b and what leads there
# would have no cost.
@test "cycles: calls within a cycle of gprof join the picture" {
	cat >"$dir/in.cgj" <<-'END'
	{"cgconv":"graph","version":1,"minor":0}
	["event",0,"ns","","ns","by-counts",false]
	["function",1,"main",0,0]
	["function",2,"a",0,0]
	["function",3,"b",0,0]
	["function",4,"c",0,0]
	["function",5,"leaf",0,0]
	["rows",1]
	["call",0,0,0,2,0,0,1,[]]
	["rows",2]
	["call",0,0,0,3,0,0,20,[]]
	["rows",3]
	["call",0,0,0,4,0,0,300,[]]
	["rows",4]
	["call",0,0,0,2,0,0,19,[]]
	["call",0,0,0,5,0,0,4,[]]
	["rows",5]
	["cost",0,0,0,[1000]]
	["end"]
	END
	"$CGCONV" -q -t dot "$dir/in.cgj" >"$dir/dot"
	grep -c ' -> ' "$dir/dot" | says 4
	grep ' -> ' "$dir/dot" | grep -c 'inclusive [^"]*(100.00%)' | says 4
	grep -c '\[color.*label="[a-c]\\n[^"]*(100.00%)' "$dir/dot" | says 3
	grep -F 'label="<cycle 1>\l1.00 µs (100.00%)\l1×\l"' "$dir/dot"
	# The rows stay as they are for outputs that are read again.
	"$CGCONV" -q -t callgrind --no-spontaneous "$dir/in.cgj" >"$dir/cg"
	perl tests/oracle/callgrind.pl "$dir/cg" |
		awk -F '\t' '$1 == "call" { print $5, $12, $16 }' |
		says 'a b ' 'b c ns=1000' 'c a ' 'c leaf ns=1000' 'main a ns=1000'
}

@test "cycles: recursion does not make a member cost more than its cycle" {
	cat >"$dir/in.cg" <<-'END'
	events: Ir
	fn=main
	1 1
	cfn=a
	calls=1 2
	1 100
	fn=a
	2 30
	cfn=b
	calls=3 3
	2 180
	fn=b
	3 60
	cfn=a
	calls=2 2
	3 130
	cfn=c
	calls=1 4
	3 10
	fn=c
	4 10
	END
	"$CGCONV" -q -t tsv "$dir/in.cg" | cut -f 3,4,6,7 | says \
		"$(printf 'function\tcalls by others\tIr inclusive\tcycle')" \
		"$(printf 'b\t3\t100\t1')" "$(printf 'a\t3\t100\t1')" \
		"$(printf 'c\t1\t10\t')" "$(printf 'main\t0\t101\t')" \
		"$(printf '<cycle 1>\t1\t100\t1')"
}

@test "cycles: a member that nothing calls from outside has its calls" {
	cat >"$dir/in.cg" <<-'END'
	events: Ir
	fn=main
	1 10
	cfn=a
	calls=1 2
	1 90
	fn=a
	2 85
	cfn=main
	calls=1 1
	2 5
	END
	"$CGCONV" -q -t tsv "$dir/in.cg" | cut -f 3,6 | sed 1d | says \
		"$(printf 'a\t90')" "$(printf 'main\t95')" \
		"$(printf '<cycle 1>\t95')"
}

@test "cycles: stacks state what a member costs" {
	printf '%s\n' 'main;a;b;c 4' 'main;a;b;a 1' 'main;b 5' >"$dir/in.folded"
	"$CGCONV" -q -t tsv "$dir/in.folded" | cut -f 3,6 | sed 1d | sort | says \
		"$(printf '<cycle 1>\t10')" "$(printf 'a\t5')" \
		"$(printf 'b\t10')" "$(printf 'c\t4')" "$(printf 'main\t10')"
}
