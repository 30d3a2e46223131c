# covdir.bats - covdir: a tree of directories with their coverage.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

@test "covdir: a tree with totals, whatever the order of the files" {
	printf '%s\n' SF:/s/a/x.c DA:1,2 DA:3,0 end_of_record \
		SF:/s/a-b/y.c DA:2,1 end_of_record \
		SF:/s/a/c/d/z.c DA:1,1 end_of_record \
		SF:/s/a/c/w.c DA:1,0 end_of_record |
		"$CGCONV" -q -t covdir >"$dir/out"
	tr -d '\n' <"$dir/out" >"$dir/line"
	grep -qF '"x.c":{"coverage":[2,-1,0],"coveragePercent":50.00,"linesCovered":1,"linesMissed":1,"linesTotal":2,"name":"x.c"}' \
		"$dir/line"
	grep -qF '"c":{"children":{"d":{"children":{"z.c":' "$dir/line"
	grep -qF '"coveragePercent":50.00,"linesCovered":2,"linesMissed":2,"linesTotal":4,"name":"a"}' \
		"$dir/line"
	grep -qF '"coveragePercent":60.00,"linesCovered":3,"linesMissed":2,"linesTotal":5,"name":""}' \
		"$dir/line"
	# Each directory once.
	[ "$(grep -o '"children"' "$dir/out" | wc -l)" -eq 6 ]
}

@test "covdir: lines and totals equal those of lcov for all samples" {
	command -v python3 >/dev/null || skip "no python3"
	for file in samples/gcov/*/cover.gcda samples/lcov/*/*.info; do
		"$CGCONV" -q --no-markers -t lcov "$file" >"$dir/info"
		awk -F: '/^SF/ { sub("^/*", "", $2); file = $2 }
			/^DA/ { split($2, da, ","); sum[file "," da[1]] += da[2] }
			END { for (line in sum) print line "," sum[line] }' \
			"$dir/info" | sort >"$dir/want"
		"$CGCONV" -q --no-markers -t covdir "$file" >"$dir/json"
		python3 -c '
import json, sys
def walk(node, path):
    total = covered = 0
    if "coverage" in node:
        for n, count in enumerate(node["coverage"]):
            if count >= 0:
                print("%s,%d,%d" % (path, n + 1, count))
        total = sum(c >= 0 for c in node["coverage"])
        covered = sum(c > 0 for c in node["coverage"])
    for name, child in node.get("children", {}).items():
        assert child["name"] == name
        t, c = walk(child, path + "/" + name if path else name)
        total, covered = total + t, covered + c
    assert (total, covered) == (node["linesTotal"], node["linesCovered"])
    assert total - covered == node["linesMissed"]
    assert abs(100 * covered / total - node["coveragePercent"]) <= 0.0051
    return total, covered
walk(json.load(open(sys.argv[1])), "")' "$dir/json" | sort >"$dir/got"
		same "$dir/want" "$dir/got"
	done
}

@test "covdir: an output of any size is refused" {
	printf '%s\n' SF:a.c DA:1,2 DA:4294967295,0 end_of_record >"$dir/in"
	not "$CGCONV" -t covdir -o "$dir/out" "$dir/in" 2>"$dir/err"
	grep -q 'expected line numbers of sources, not 4294967295' "$dir/err"
	[ ! -e "$dir/out" ]
}

@test "covdir: two files of one path are told" {
	printf '%s\n' SF:/s/a.c DA:1,2 end_of_record SF:s/a.c DA:1,2 \
		end_of_record >"$dir/in"
	"$CGCONV" -t covdir -o "$dir/out" "$dir/in" 2>"$dir/err"
	grep -q 'warning: 1 file has the path of another one' "$dir/err"
}
