# graphml.bats - the call graph as GraphML.
load ../helper

setup()
{
	t=$BATS_TEST_TMPDIR
}

@test "graphml: writes functions, calls and costs" {
	golden samples/pstats/cprofile/cprofile.pstats graphml
}

@test "graphml: all costs equal those of the graph, for every event" {
	file=samples/callgrind/events/callgrind.out
	"$CGCONV" -q -t graphml $file >"$t/out"
	"$CGCONV" -q -t json $file >"$t/json"
	perl tests/oracle/graph.pl "$t/json" | awk -F '\t' '
		$1 == "function" { n = split($3, c, ",")
			for (i = 1; i <= n; i++) sum[i - 1] += c[i] }
		$1 == "call" { calls += $4 }
		END { for (i in sum) if (sum[i]) print "self" i, sum[i]
			print "calls", calls }' | sort >"$t/want"
	grep -o 'key="\(self[0-9]*\|calls\)">[0-9]*' "$t/out" |
		awk -F '[">]+' '{ sum[$2] += $3 }
		END { for (k in sum) print k, sum[k] }' | sort >"$t/got"
	same "$t/want" "$t/got"
}

@test "graphml: writes well-formed XML with any names" {
	command -v python3 >/dev/null || skip "no python3"
	printf 'fn=a<b>&"c"\001\n1 5\ncfn=\377\ncalls=1 1\n1 2\nfn=\377\n1 2\n' |
		sed '1i events: Ir' >"$t/x"
	"$CGCONV" -q -f callgrind -t graphml "$t/x" >"$t/out"
	python3 -c 'import sys, xml.dom.minidom
names = [d.firstChild.data for d in xml.dom.minidom.parse(sys.argv[1])
    .getElementsByTagName("data") if d.getAttribute("key") == "name"]
sys.exit(sorted(names) != sorted(["a<b>&\"c\"\ufffd", "\ufffd"]))' "$t/out"
}

@test "graphml: several calls of one function are one edge" {
	printf '%s\n' 'events: Ir' 'fn=main' '1 10' 'cfn=f' 'calls=3 1' '2 30' \
		'cfn=f' 'calls=4 1' '3 40' 'fn=f' '1 70' >"$t/x"
	"$CGCONV" -q -f callgrind -t graphml "$t/x" | grep '<edge' >"$t/got"
	[ "$(wc -l <"$t/got")" = 1 ]
	grep -q '<data key="calls">7</data><data key="cost0">70</data>' "$t/got"
}
