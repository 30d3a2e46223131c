# vector.bats - two call stacks, main;a;b;a;c 5 and main;a 5, in every format of
# stacks: recursion counts once per stack in all of them.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

# The graph of standard input is that of the two stacks: functions with self
# and inclusive cost, calls with their cost, in the event's column (from 1).
is_vector()
{
	local from=$1 column=${2:-1}

	cat >"$t/in"
	"$CGCONV" -q -f "$from" -t json "$t/in" >"$t/json"
	perl tests/oracle/graph.pl "$t/json" | grep -v '<spontaneous>' |
		awk -F '\t' -v i="$column" '
			function nth(list, part) {
				split(list, part, ",")
				return part[i]
			}
			{ gsub(/[^\t]*:/, "") }
			$1 == "function" { print $2, nth($3), nth($4) }
			$1 == "call" { print $2 "->" $3, nth($5) }' |
		LC_ALL=C sort >"$t/got"
	printf '%s\n' 'a 5 10' 'a->b 5' 'a->c 5' 'b 0 5' 'b->a 5' 'c 5 5' \
		'main 0 10' 'main->a 10' >"$t/want"
	same "$t/want" "$t/got"
}

# Nodes of V8: id name cost children.
v8()
{
	local id=$1 name=$2 cost=$3 children=$4

	printf '{"id":%s,"callFrame":{"functionName":"%s","scriptId":"9",' \
		"$id" "$name"
	printf '"url":"x.js","lineNumber":0,"columnNumber":0},%s,' "$cost"
	printf '"children":[%s]}' "$children"
}

@test "vector: reads cpuprofile" {
	printf '{"nodes":[%s,%s,%s,%s,%s,%s],"startTime":0,"endTime":10}' \
		"$(v8 1 '(root)' '"hitCount":0' 2)" \
		"$(v8 2 main '"hitCount":0' 3)" \
		"$(v8 3 a '"hitCount":5' 4)" "$(v8 4 b '"hitCount":0' 5)" \
		"$(v8 5 a '"hitCount":0' 6)" "$(v8 6 c '"hitCount":5' '')" |
		is_vector cpuprofile
}

@test "vector: reads heapprofile" {
	local tree

	tree=$(v8 6 c '"selfSize":5' '')
	tree=$(v8 5 a '"selfSize":0' "$tree")
	tree=$(v8 4 b '"selfSize":0' "$tree")
	tree=$(v8 3 a '"selfSize":5' "$tree")
	tree=$(v8 2 main '"selfSize":0' "$tree")
	tree=$(v8 1 '(root)' '"selfSize":0' "$tree")
	echo "{\"head\":$tree}" | is_vector heapprofile
}

@test "vector: reads trace-event" {
	printf '[{"ph":"%s","ts":%s,"name":"%s"},%s]' B 0 main \
		"$(printf '{"ph":"%s","ts":%s,"name":"%s"},' B 0 a B .002 b \
			B .002 a B .002 c E .007 c E .007 a E .007 b \
			E .010 a)$(printf '{"ph":"E","ts":.010}')" |
		sed 's/:\./:0./g' | is_vector trace-event
	printf '[%s]' "$(printf '{"ph":"X","ts":%s,"dur":%s,"name":"%s"},' \
		0.002 0.005 b 0 0.01 main 0.002 0.005 a 0 0.01 a \
		)$(printf '{"ph":"X","ts":0.002,"dur":0.005,"name":"c"}')" |
		is_vector trace-event
}

@test "vector: reads stackprof" {
	echo '{"mode":"cpu","interval":1,"missed_samples":0,"frames":{
		"1":{"name":"main"},"2":{"name":"a"},"3":{"name":"b"},
		"4":{"name":"c"}},"raw":[5,1,2,3,2,4,5,2,1,2,5]}' |
		is_vector stackprof
}

@test "vector: reads gprof2dot-json" {
	echo '{"version":0,"costs":[{"description":"x"}],"functions":[
		{"name":"main"},{"name":"a"},{"name":"b"},{"name":"c"}],
		"events":[{"callchain":[3,1,2,1,0],"cost":[5]},
		{"callchain":[1,0],"cost":[5]}]}' | is_vector gprof2dot-json
}

@test "vector: reads dhat" {
	echo '{"dhatFileVersion":2,"bklt":false,"bkacc":false,"ftbl":["[root]",
		"0x1: main (x.c:1)","0x2: a (x.c:2)","0x3: b (x.c:3)",
		"0x4: c (x.c:4)"],"pps":[{"tb":5,"tbk":1,"fs":[4,2,3,2,1]},
		{"tb":5,"tbk":1,"fs":[2,1]}]}' | is_vector dhat
}

@test "vector: reads massif" {
	printf '%s\n' 'desc: x' 'cmd: x' 'time_unit: i' snapshot=0 \
		heap_tree=peak 'n2: 10 (heap allocation functions)' \
		' n1: 5 0x4: c (x.c:4)' '  n1: 5 0x2: a (x.c:2)' \
		'   n1: 5 0x3: b (x.c:3)' '    n1: 5 0x2: a (x.c:2)' \
		'     n0: 5 0x1: main (x.c:1)' ' n1: 5 0x2: a (x.c:2)' \
		'  n0: 5 0x1: main (x.c:1)' | is_vector massif
}

@test "vector: merging maps equal events to the same columns" {
	files=(samples/pstats/cprofile/*.pstats samples/cpuprofile/*/*profile
		samples/heapprofile/*/*profile samples/trace-event/*/*.json
		samples/dhat/*/dhat.out samples/massif/*/massif.out
		samples/stackprof/*/*.json samples/xhprof/*/*.json
		samples/gprof2dot-json/*/*.json)
	# Totals of each event, merged in one job and added up singly.
	totals() {
		"$CGCONV" -q -t json "$@" | perl -MJSON::PP -ne '
			$_ = decode_json($_); next if ref ne "ARRAY";
			$name[$$_[1]] = $$_[2] if $$_[0] eq "event";
			next if $$_[0] ne "total";
			my @cost = @{$$_[1]};
			print map { "$name[$_] $cost[$_]\n" } 0 .. $#cost'
	}
	for file in "${files[@]}"; do totals "$file"; done |
		awk '{ sum[$1] += $2 }
		END { for (e in sum) if (sum[e]) printf "%s %d\n", e, sum[e] }' |
		sort >"$t/want"
	for order in "${files[*]}" \
		"$(printf '%s\n' "${files[@]}" | tac | tr '\n' ' ')"; do
		# shellcheck disable=SC2086 # names without blanks
		totals $order | awk '$2 != 0' | sort >"$t/got"
		same "$t/want" "$t/got"
	done
}

@test "vector: reads xctrace" {
	frame() { printf '<frame id="%s" name="%s"/>' "$1" "$2"; }
	{
		echo '<trace-query-result><row><weight id="9">5</weight><backtrace>'
		frame 4 c && frame 2 a && frame 3 b
		echo '<frame ref="2"/>' && frame 1 main
		echo '</backtrace></row><row><weight ref="9"/><backtrace>'
		echo '<frame ref="2"/><frame ref="1"/></backtrace></row>'
		echo '</trace-query-result>'
	} | is_vector xctrace 2
}

@test "vector: reads valgrind-xml" {
	frame() { printf '<frame><ip>0x%s</ip><fn>%s</fn></frame>' "$1" "$2"; }
	leak() {
		echo '<error><kind>Leak_DefinitelyLost</kind><xwhat>'
		echo '<leakedbytes>5</leakedbytes><leakedblocks>1</leakedblocks>'
		echo "</xwhat><stack>$1</stack></error>"
	}
	{
		echo '<valgrindoutput>'
		leak "$(frame 4 c && frame 2 a && frame 3 b && frame 2 a &&
			frame 1 main)"
		leak "$(frame 2 a && frame 1 main)"
		echo '</valgrindoutput>'
	} | is_vector valgrind-xml
}
