# caliper.bats - profiles and traces of Caliper.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# The records of a profile: regions main and main/f, and values of the attribute
# NAME, in UNIT ("": none).
cali() # NAME UNIT MAIN F
{
	local parent=5

	printf '%s\n' '__rec=node,id=12,attr=10,data=64,parent=3' \
		'__rec=node,id=14,attr=8,data=attribute.unit,parent=12' \
		'__rec=node,id=20,attr=10,data=276,parent=3' \
		'__rec=node,id=21,attr=8,data=region,parent=20'
	if [ -n "$2" ]; then
		printf '%s\n' "__rec=node,id=30,attr=14,data=$2,parent=5"
		parent=30
	fi
	printf '%s\n' "__rec=node,id=31,attr=10,data=2113,parent=$parent" \
		"__rec=node,id=32,attr=8,data=$1,parent=31" \
		'__rec=node,id=40,attr=21,data=main' \
		"__rec=ctx,ref=40,attr=32,data=$3" \
		'__rec=node,id=41,attr=21,data=f\,\=\\,parent=40' \
		"__rec=ctx,ref=41,attr=32,data=$4" '__rec=globals'
}

@test "caliper: a report's exclusive times are read, its inclusive ones computed" {
	in=samples/caliper/report/report.caliper
	# Inclusive time by path, of the report and by adding folded stacks.
	perl -ne '
		next if $. == 1;
		/^( *)(\S.*?) +([\d.]+) ([\d.]+) +[\d.]+ +[\d.]+ *$/ or die;
		splice @path, length($1) / 2;
		push @path, $2;
		printf "%s %.0f\n", join(";", @path), $4 * 1e6' "$in" |
		LC_ALL=C sort >"$dir/report"
	"$CGCONV" -q -t folded "$in" | perl -ne '
		/^(.*) (\d+)$/ or die;
		my @path = split /;/, $1;
		$all{join ";", @path[0 .. $_]} += $2 / 1e3 for 0 .. $#path;
		END { print "$_ $all{$_}\n" for keys %all }' |
		LC_ALL=C sort >"$dir/sums"
	[ "$(wc -l <"$dir/report")" = 11 ]
	# Each number of the report is rounded, sums by some units.
	join -t '|' <(sed 's/ \([0-9]*\)$/|\1/' "$dir/report") \
		<(sed 's/ \([0-9]*\)$/|\1/' "$dir/sums") |
		awk -F'|' '{ d = $2 - $3; if (d < -9 || d > 9) exit 1 } END { exit NR != 11 }'
}

@test "caliper: .cali, json-split and inclusive values of one program" {
	# cali-query -T prints the same, to 1e-6 s.
	"$CGCONV" -q -t folded samples/caliper/profile/regions.cali | says \
		'[unknown] 92239' 'main 10124' 'main;setup, =phase 6607' \
		'main;setup, =phase;spin 22566500' 'main;steps 88904' \
		'main;steps;left 32521' 'main;steps;left;left 34163' \
		'main;steps;left;left;left 28387' \
		'main;steps;left;left;left;spin 122425000' \
		'main;steps;left;left;spin 156703000' \
		'main;steps;left;spin 118120000' 'main;steps;spin 125241000'
	"$CGCONV" -q -t folded samples/caliper/json/regions.json | says \
		'[unknown] 87000' 'main 10000' 'main;setup, =phase 8000' \
		'main;setup, =phase;spin 22619000' 'main;steps 91000' \
		'main;steps;left 34000' 'main;steps;left;left 35000' \
		'main;steps;left;left;left 30000' \
		'main;steps;left;left;left;spin 206850000' \
		'main;steps;left;left;spin 147729000' \
		'main;steps;left;spin 175535000' 'main;steps;spin 96529000'
	# What is inclusive there is that of the profile, to its 6 digits.
	"$CGCONV" -q -t folded samples/caliper/inclusive/inclusive.cali |
		grep '[0-9]\{6\}$' | says 'main;setup, =phase;spin 22566500' \
		'main;steps;left;left;left;spin 122425000' \
		'main;steps;left;left;spin 156703000' \
		'main;steps;left;spin 118120000' 'main;steps;spin 125241000'
}

@test "caliper: a trace is summed by path, and regions are counted" {
	in=samples/caliper/trace/trace.cali
	# The sum of all durations, which the records state.
	want=$(perl -ne '
		$at{$2} = $1 if /^__rec=node,id=(\d+),attr=8,data=([^,]*)/;
		next unless /^__rec=ctx/;
		my @attr = split /=/, $1 if /,attr=([^,]*)/;
		my @data = split /=/, $1 if /,data=([^,]*)/;
		$attr[$_] == $at{"time.duration.ns"} and $sum += $data[$_] for 0 .. $#attr;
		END { print $sum }' "$in")
	[ "$want" -gt 500000000 ]
	"$CGCONV" -q -t folded "$in" | perl -lne '
		$n += $1 if / (\d+)$/; END { print "sum $n" }' | says "sum $want"
	"$CGCONV" -q -t folded --event region.count "$in" | says 'main 1' \
		'main;setup, =phase 1' 'main;setup, =phase;spin 1' \
		'main;steps 5' 'main;steps;left 4' 'main;steps;left;left 4' \
		'main;steps;left;left;left 4' \
		'main;steps;left;left;left;spin 4' \
		'main;steps;left;left;spin 4' 'main;steps;left;spin 4' \
		'main;steps;spin 4'
}

@test "caliper: names, units and factors" {
	cali sum#time.duration sec 1 0.5 >"$dir/in"
	"$CGCONV" -q -t folded "$dir/in" | says 'main 1000000000' \
		'main;f,=\ 500000000'
	cali sum#time.duration usec 2 1.5e+01 >"$dir/in"
	"$CGCONV" -q -t folded "$dir/in" | says 'main 2000' 'main;f,=\ 15000'
	cali sum#time.duration '' 2 1 >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | says 'main 2000000000' \
		'main;f,=\ 1000000000'
	grep -qF 'the unit of time.duration is not stated' "$dir/err"
	cali sum#time.duration.ns '' 2 7 >"$dir/in"
	"$CGCONV" -q -t folded "$dir/in" | says 'main 2' 'main;f,=\ 7'
	cali sum#inclusive#sum#papi.PAPI_TOT_CYC '' 20 7 >"$dir/in"
	"$CGCONV" -q -t folded "$dir/in" | says 'main 13' 'main;f,=\ 7'
	"$CGCONV" -q -t json "$dir/in" | grep -qF '["event",0,"papi.PAPI_TOT_CYC"'
	cali inclusive#bytes '' 5 7 >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | says 'main 0' 'main;f,=\ 7'
	grep -qF '1 regions have a smaller inclusive value than the regions in them' "$dir/err"
	cali sum#bytes '' -5 1.75 >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | grep -v '^main 0$' | says 'main;f,=\ 1'
	grep -qF '1 negative values are dropped' "$dir/err"
	grep -qF '1 values are cut to whole numbers' "$dir/err"
	cali min#time.duration sec 1 2 >"$dir/in"
	refuses 1 'expected sums of exclusive or inclusive values' -t json "$dir/in"
}

@test "caliper: malformed and truncated files" {
	rejects() # MESSAGE LINE...
	{
		local message=$1

		shift
		printf '%s\n' "$@" >"$dir/in"
		refuses 1 "$message" -f caliper -t json "$dir/in"
	}
	rejects "expected a node's id and attribute" '__rec=node,id=12'
	rejects 'expected a parent that precedes its node' \
		'__rec=node,id=12,attr=8,data=a,parent=13'
	rejects 'expected one node with an id' '__rec=node,id=12,attr=8,data=a' \
		'__rec=node,id=12,attr=8,data=b'
	rejects 'expected a node that was defined before' '__rec=ctx,ref=1'
	rejects 'expected an attribute that was defined before' \
		'__rec=ctx,attr=1,data=1'
	rejects 'expected as many values as attributes' '__rec=ctx,attr=1=2,data=1'
	rejects "expected a record, '__rec='" '__rec=node,id=1,attr=8' 'text'
	rejects 'expected a number for ns' \
		'__rec=node,id=12,attr=8,data=sum#time.duration' \
		'__rec=ctx,attr=12,data=x'
	rejects "expected a column 'path'" \
		'{"data":[],"columns":["time"],"column_metadata":[],"nodes":[]}'
	rejects 'expected the number of a node' \
		'{"data":[[1,2]],"columns":["time","path"],"nodes":[]}'
	rejects 'expected a parent that precedes its node' \
		'{"nodes":[{"label":"a","parent":0}]}'
	rejects 'expected a row of columns' \
		'{"data":[[1,null,3]],"columns":["time","path"],"nodes":[]}'
	rejects 'expected a region in the one above it' 'Path Time (E) ' \
		'    a 0.5 '
	rejects 'expected a row of the tree' 'Path Time (E) ' 'a'
	head -n 12 samples/caliper/profile/regions.cali >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >/dev/null |
		grep -qF 'the record of globals is missing: the file may be truncated'
}

@test "caliper: nodes that occur twice are rejected" {
	printf '%s' '{"data":[[4,1]],"columns":["path","time"],' \
		'"column_metadata":[{},{}],"nodes":[{"label":"a"},{"label":"b"}],' \
		'"nodes":[{"label":"c"},{"label":"d"},{"label":"e"}]}' >"$dir/in"
	refuses 1 'error: expected one array of nodes' --from caliper -t json "$dir/in"
}

@test "caliper: a row without a time does not get that of the next column" {
	printf '%s\n' 'Path   Time (E) Time (I)' 'main   0.5      1.2' \
		'  f             0.7' '    g  0.7      0.7' >"$dir/in"
	"$CGCONV" -q --from caliper -t folded "$dir/in" |
		says 'main 500000000' 'main;f;g 700000000'
}

@test "caliper: deep trees take linear time" {
	awk 'BEGIN {
		n = 60000
		print "__rec=node,id=12,attr=10,data=276"
		print "__rec=node,id=20,attr=8,data=region,parent=12"
		print "__rec=node,id=30,attr=8,data=sum#x"
		print "__rec=node,id=100,attr=35,data=r"
		for (i = 1; i < n; i++)
			print "__rec=node,id=" 100 + i ",attr=35,data=r,parent=" 99 + i
		for (i = 0; i < n; i++)
			print "__rec=node,id=" 100 + n + i ",attr=" 99 + n ",data=l"
		print "__rec=ctx,attr=30,data=1"
		print "__rec=globals"
	}' >"$dir/in"
	timeout 10 "$CGCONV" -q -t folded "$dir/in" | says '[unknown] 1'
}

@test "caliper: many regions below a deep one without values take linear time" {
	awk 'BEGIN {
		n = 30000
		print "__rec=node,id=12,attr=10,data=276"
		print "__rec=node,id=20,attr=8,data=region,parent=12"
		print "__rec=node,id=30,attr=8,data=inclusive#sum#x"
		print "__rec=node,id=100,attr=20,data=r"
		for (i = 1; i < n; i++)
			print "__rec=node,id=" 100 + i ",attr=20,data=r,parent=" 99 + i
		for (i = 0; i < n; i++) {
			print "__rec=node,id=" 100 + n + i ",attr=20,data=l,parent=" 99 + n
			print "__rec=ctx,ref=" 100 + n + i ",attr=30,data=1"
		}
		print "__rec=globals"
	}' >"$dir/in"
	timeout 10 "$CGCONV" --info "$dir/in" >/dev/null
}

@test "caliper: a malformed number in JSON has a location" {
	printf '%s' '{"data":[[0,1e400]],"columns":["path","time"],' \
		'"column_metadata":[{},{}],"nodes":[{"label":"a"}]}' >"$dir/in"
	refuses 1 'in:0xc: error: expected a number for ns' --from caliper -t json "$dir/in"
}
