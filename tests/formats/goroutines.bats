# goroutines.bats - stacks of Go's goroutines as text.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

@test "goroutines: a dump has the stacks that Go counts (debug=1)" {
	# But for the goroutine that writes them, and stacks of more than 32
	# frames, which Go cuts there.
	for file in goroutines/blocked/goroutine.debug2 \
		gperftools/go/goroutine.debug1; do
		"$CGCONV" -q -t folded "samples/$file" | sed 's/_\[i\]//g' |
			grep -v 'pprof.*WriteTo\|deep;' >"$dir/${file##*.}"
	done
	[ "$(wc -l <"$dir/debug1")" = 6 ]
	same "$dir/debug1" "$dir/debug2"
}

@test "goroutines: states, waits and creators are labels" {
	cat >"$dir/in" <<'E'
goroutine 18 [chan receive (nil chan), 5 minutes, locked to thread]:
main.(*T[...]).wait(0x0?, {0xc00001, 0x2}, ...)
	/a b/main.go:10 +0x1e
created by main.main.func1 in goroutine 1
	/a b/main.go:18 +0x85
E
	"$CGCONV" -q -t json "$dir/in" >"$dir/json"
	grep -qF '["labels",1,["created by","main.main.func1"],["locked","to thread"],["state","chan receive (nil chan)"],["wait","",5,"minutes"]]' \
		"$dir/json"
	grep -qF '"main.(*T[...]).wait"' "$dir/json"
	grep -qF '"/a b/main.go"' "$dir/json"
	[ "$(grep -c '^\["function"' "$dir/json")" = 1 ]
}

@test "goroutines: reads panics within a log" {
	cat >"$dir/in" <<'E'
2026/01/01 10:00:00 starting
panic: boom
[signal SIGSEGV: segmentation violation]

goroutine 1 gp=0xc000002380 m=3 mp=0xc00008 [running]:
main.inner(...)
	/a.go:3
main.outer()
	/a.go:7 +0x1d fp=0xc0 sp=0xc1 pc=0x45
...23 frames elided...
main.main()
	/a.go:9
exit status 2

runtime stack:
runtime.throw(0x1)
	/r.go:1 +0x1

goroutine 2 [running]:
	goroutine running on other thread; stack unavailable
created by main.main
	/a.go:8 +0x1

goroutine 3 [running]:
main.leaf()
	/a.go:4 +0x1
[originating from goroutine 1]:
main.other()
	/a.go:5 +0x1
E
	[ "$("$CGCONV" --detect "$dir/in" | cut -f 2)" = goroutines ]
	"$CGCONV" -q -t folded "$dir/in" 2>"$dir/err" | same - <(printf '%s\n' \
		'[stack unavailable] 1' 'main.leaf 1' \
		'main.main;[frames elided];main.outer;main.inner_[i] 1')
	[ ! -s "$dir/err" ]
}

@test "goroutines: truncated dumps are told, other texts are not claimed" {
	file=samples/goroutines/blocked/goroutine.debug2
	for lines in 1 2; do
		head -n $lines $file >"$dir/in"
		"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
			grep -q 'the last stack is incomplete'
	done
	printf 'goroutine 1 [x] is mine:\nA note\nof mine\n' >"$dir/in"
	refuses 1 'unknown input format' -t json "$dir/in"
	printf 'panic: x\n' >"$dir/in"
	refuses 1 "expected 'goroutine NUMBER [STATE]:'" -f goroutines -t json \
		"$dir/in"
	# A creator without a name: its blank is that before "in goroutine".
	printf '%s\n' 'goroutine 7 [running]:' 'main.main()' '	/a.go:1 +0x1' \
		'created by in goroutine 1' '	/a.go:9 +0x2' >"$dir/in"
	"$CGCONV" -q -t folded "$dir/in" | same - <(echo 'main.main 1')
}
