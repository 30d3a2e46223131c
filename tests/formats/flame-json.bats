# flame-json.bats - flame graphs of d3-flame-graph, pyinstrument and Pyroscope.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

folded()
{
	"$CGCONV" -q -t folded "$@" | LC_ALL=C sort
}

@test "flame-json: d3-flame-graph and Pyroscope: the same stacks" {
	for file in d3/stacks.json pyroscope/app.flamebearer.json; do
		folded samples/flame-json/$file | says 'idle 1' 'main;parse 2' \
			'main;parse;getc 5' 'main;run 4' 'main;run;eval;getc 3'
	done
	"$CGCONV" -q -t json samples/flame-json/pyroscope/app.flamebearer.json |
		grep -qF '["desc","sample_rate","100"]'
}

@test "flame-json: d3: self values, short names, children first, roots" {
	cat >"$dir/in" <<'E'
{"children":[{"c":[{"n":"b","v":5}],"n":"a","v":2},{"name":"root","value":1}],
"name":"all","value":0,"extra":[1]}
E
	folded "$dir/in" | says 'a 2' 'a;b 5' 'root 1'
	"$CGCONV" -t folded "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'they are read as self values'
	echo '{"name":"main","value":7.6,"children":[{"name":"f","value":3}]}' >"$dir/in"
	folded "$dir/in" | says 'main 5' 'main;f 3'
	"$CGCONV" -t folded "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'values with a fraction are rounded: 1'
}

@test "flame-json: pyinstrument's tree and its session agree" {
	a=samples/flame-json/pyinstrument
	# Stacks of the session begin where pyinstrument was called. Times of the
	# tree are rounded to microseconds, and so are their differences.
	folded $a/flame.pyisession | sed -n 's/^.*run_path;_run_module_code;_run_code;//p' \
		>"$dir/session"
	folded $a/flame.json | grep -v 'recurse [12]000$' >"$dir/tree"
	[ "$(wc -l <"$dir/tree")" = 13 ]
	sed 's/ [0-9]*$//' "$dir/session" >"$dir/want"
	sed 's/ [0-9]*$//' "$dir/tree" | same "$dir/want" -
	paste "$dir/session" "$dir/tree" | awk -F '\t' '{
		split($1, a, / /); split($2, b, / /)
		if (a[2] - b[2] > 2000 || b[2] - a[2] > 2000) print }' |
		same /dev/null -
	# The tree has 0.125185 s of main.
	awk '{ n += $NF } END { print n }' "$dir/session" | says 125185196
	"$CGCONV" -q -t json $a/flame.json >"$dir/json"
	grep -q '\["function",[0-9]*,"Work.spin",[0-9]*,0,6,' "$dir/json"
	"$CGCONV" -q -t json $a/flame.pyisession | grep -q '\["thread","MainThread"\]'
}

@test "flame-json: Pyroscope's comparisons are two events" {
	cat >"$dir/in" <<'E'
{"metadata":{"format":"double","units":"bytes"},"flamebearer":{"levels":[
[0,10,1,0,8,0,0],[1,9,9,0,3,3,1,0,0,0,0,5,5,2]],"names":["total","a","b"]}}
E
	"$CGCONV" -q -t json "$dir/in" | grep '^\["event\|^\["stack\|^\["total' |
		says '["event",0,"bytes_before","","bytes","stated",false]' \
			'["event",1,"bytes_after","","bytes","stated",false]' \
			'["stack",0,1,[1]]' '["stack",1,1,[9,3]]' \
			'["stack",2,1,[0,5]]' '["total",[10,8]]'
}

@test "flame-json: malformed documents are refused" {
	bad() { # JSON MESSAGE
		echo "$1" >"$dir/in"
		refuses 1 "$2" -f flame-json -t json "$dir/in"
	}
	bad '{"name":"a","value":-1}' 'expected a number that is not negative'
	bad '{"name":"a","children":[7]}' 'expected'
	bad '{"flamebearer":{"names":["a"],"levels":[[0,1,1]]}}' \
		'expected 4 numbers for each bar of level 0'
	bad '{"flamebearer":{"names":["a"],"levels":[[0,1,1,1]]}}' \
		'expected the index of a name, not 1'
	bad '{"flamebearer":{"names":["a"],"levels":[[9000000000000000000,9000000000000000000,1,0,9000000000000000000,1,1,0]]}}' \
		'expected values whose sum fits in 64 bits'
	bad '{"frame_records":[[7]]}' 'expected'
	bad '[1]' 'expected'
	head -c 300 samples/flame-json/d3/stacks.json >"$dir/in"
	refuses 1 'in:' -t json "$dir/in"
}

@test "flame-json: frames of pyinstrument without a name are [unknown]" {
	echo '{"frame_records":[[["main\u0000/a.py\u00001",""],0.01],[[""],0.02]]}' \
		>"$dir/in"
	"$CGCONV" -q -f flame-json -t folded "$dir/in" |
		says '[unknown] 20000000' 'main;[unknown] 10000000'
}
