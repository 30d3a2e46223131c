# flame-chart.bats - flame graphs in the order of time. Search and zoom were
# tried in Chromium by hand.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# chart FILE [OPTION...]: writes $dir/out.svg, 1000 pixels for all of the time.
chart()
{
	"$CGCONV" -t svg --flame-chart --width 1020 "${@:2}" -o "$dir/out.svg" \
		"$1" 2>"$dir/err"
}

# "NAME X Y WIDTH; DETAILS" of each box, in the order of rows.
boxes()
{
	sed -n '/^<g class="f"><title>/{
		N
		s/^<g class="f"><title>\(.*\)\n\(.*\)<.title><rect x="\([^"]*\)" y="\([^"]*\)" width="\([^"]*\)".*/\4 \3 \1 \3 \4 \5; \2/
		p
	}' "$dir/out.svg" | sort -n -k 1,1 -k 2,2 | cut -d ' ' -f 3- |
		sed 's/\.000000//g'
}

# sample HEAD FRAME...: appends a sample of perf script.
sample()
{
	printf '%s\n' "$1"
	shift
	printf '\t%s\n' "$@"
	echo
}

make_calls()
{
	cat >"$dir/in.json" <<-'E'
	[{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"T"}},
	{"ph":"X","pid":1,"tid":2,"ts":100,"dur":500,"name":"a"},
	{"ph":"X","pid":1,"tid":2,"ts":200,"dur":100,"name":"b"},
	{"ph":"X","pid":1,"tid":2,"ts":300,"dur":200,"name":"b"},
	{"ph":"X","pid":1,"tid":3,"ts":300,"dur":100,"name":"c"},
	{"ph":"X","pid":1,"tid":2,"ts":900,"dur":200,"name":"a"}]
	E
}

@test "flame chart: calls are boxes of their own, gaps stay gaps" {
	make_calls
	chart "$dir/in.json"
	same /dev/null "$dir/err"
	boxes >"$dir/got"
	cat >"$dir/want" <<-'E'
	a 10 97 500; 500 µs from 0 s
	a 810 97 200; 200 µs from 800 µs
	b 110 114 100; 100 µs from 100 µs
	b 210 114 200; 200 µs from 200 µs
	c 210 156 100; 100 µs from 200 µs
	E
	same "$dir/want" "$dir/got"
	grep -qF '>T (pid 1, tid 2)</text>' "$dir/out.svg"
	grep -qF '>thread (pid 1, tid 3)</text>' "$dir/out.svg"
	grep -qF '2 threads, 1 ms from 100 µs<' "$dir/out.svg"
	! command -v xmllint || xmllint --noout "$dir/out.svg"
}

@test "flame chart: has an axis of time with ticks" {
	make_calls
	chart "$dir/in.json"
	grep -qF '<g id="axis" data-length="1000000" data-bottom="181" data-unit="ns">' \
		"$dir/out.svg"
	[ "$(sed -n '/id="axis"/,/<.g>/s/^<text x="\(.*\)\.000000" .*>\(.*\)<.*/\1 \2/p' \
		"$dir/out.svg" | paste -sd,)" = \
		"13 0 s,113 100 µs,213 200 µs,313 300 µs,413 400 µs,513 500 µs,613 600 µs,713 700 µs,813 800 µs,913 900 µs" ]
}

@test "flame chart: samples last as long as they cost, equal ones are one box" {
	cat >"$dir/in.json" <<-'E'
	{"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
	{"type":"sampled","name":"t","unit":"milliseconds","startValue":50,
	"endValue":60,"samples":[[0],[0,1],[0,1],[],[0]],
	"weights":[1,2,3,2,2]}]}
	E
	chart "$dir/in.json"
	cat >"$dir/want" <<-'E'
	a 10 97 600; 6 ms from 0 s
	a 810 97 200; 2 ms from 8 ms
	b 110 114 500; 5 ms from 1 ms
	E
	same "$dir/want" <(boxes)
}

@test "flame chart: other samples last until the next one of the thread" {
	{
		for t in 0 1 2 3 6; do
			sample "a 1/1 1.$t: 5 cycles:" "1 f$t (/x)" "2 main (/x)"
		done
		sample "a 1/1 9.0: 5 cycles:" "1 g (/x)" "2 main (/x)"
		sample "a 1/2 1.2: 5 cycles:" "1 h (/x)"
	} >"$dir/in.perf"
	# 0.1 s is usual; a sample lasts 0.4 s at most.
	chart "$dir/in.perf" --event cycles
	cat >"$dir/want" <<-'E'
	f0; 100 ms from 0 s
	f1; 100 ms from 100 ms
	f2; 100 ms from 200 ms
	f3; 300 ms from 300 ms
	f6; 400 ms from 600 ms
	g; 100 ms from 8 s
	h; 0 s from 200 ms
	main; 1 s from 0 s
	main; 100 ms from 8 s
	E
	same "$dir/want" <(boxes | sed 's/ .*;/;/' | sort)
	# Threads tell the process: no frame does, and none are merged.
	not grep -F '<title>a' "$dir/out.svg"
	"$CGCONV" -q --strict -t svg --flame-chart "$dir/in.perf" 2>&1 >/dev/null |
		grep -F 'svg cannot represent: objects'
	"$CGCONV" -v -t svg --flame-chart --part-by tid "$dir/in.perf" 2>&1 \
		>/dev/null | not grep -E 'parts|merged|timeline'
}

@test "flame chart: needs times" {
	refuses 3 "--flame-chart needs samples or calls with times; the input has none" \
		-t svg --flame-chart samples/folded/*/stacks.folded
	refuses 3 "--flame-chart needs samples or calls with times" -t svg \
		--flame-chart samples/callgrind/plain/callgrind.out
	make_calls
	refuses 2 "--root-by drops the order of time, which --flame-chart needs" \
		-t svg --flame-chart --root-by tid "$dir/in.json"
	# Without the option, the timeline is a loss as before.
	sed '/"tid":3/d' "$dir/in.json" \
		>"$dir/one.json"
	refuses 3 "timeline" --strict -t svg "$dir/one.json"
	refuses 2 "--flame-chart applies only when writing svg" -t folded \
		--flame-chart "$dir/in.json"
}

@test "flame chart: short frames are merged or dropped, and told" {
	make_calls
	chart "$dir/in.json" --min-width 150
	cat >"$dir/want" <<-'E'
	a 10 97 500; 500 µs from 0 s
	a 810 97 200; 200 µs from 800 µs
	b 110 114 100; 100 µs from 100 µs
	b 210 114 200; 200 µs from 200 µs
	c 210 156 100; 100 µs from 200 µs
	E
	same "$dir/want" <(boxes)
	chart "$dir/in.json" --min-width 201
	grep -qx 'b 110 114 300; 2 frames, together 300 µs from 100 µs' <(boxes)
	grep -qF '>merged 2 frames narrower than 201 px<' "$dir/out.svg"
	for least in 150us 0.15ms 0.00015 15%; do
		chart "$dir/in.json" --min-duration $least
		[ "$(boxes | cut -d ' ' -f 1 | paste -sd ' ')" = "a a b" ]
		grep -qF '>dropped 2 frames shorter than 150 µs, together 200 µs<' \
			"$dir/out.svg"
	done
	# What is on a dropped frame is part of its time.
	chart "$dir/in.json" --min-duration 500001ns
	grep -qF 'dropped 5 frames shorter than 500.001 µs, together 800 µs<' \
		"$dir/out.svg"
	refuses 2 "--min-duration: expected a time or a percentage" -t svg \
		--flame-chart --min-duration 3x "$dir/in.json"
	refuses 2 "--min-duration applies only to --flame-chart" -t svg \
		--min-duration 1ms "$dir/in.json"
}

@test "flame chart: --between shows a part of it" {
	make_calls
	chart "$dir/in.json" --between 15%,25%
	same <(printf '%s\n' 'a 10 97 1000; 100 µs from 0 s' \
		'b 10 114 500; 50 µs from 0 s' 'b 510 114 500; 50 µs from 50 µs' \
		'c 510 156 500; 50 µs from 50 µs') <(boxes)
}

@test "flame chart: its size does not grow with the samples" {
	for i in $(seq 0 1999); do
		printf 'a 1/1 1.%04d: 5 cycles:\n\t1 f%d (/x)\n\t2 main (/x)\n\n' \
			"$i" $((i % 7))
	done >"$dir/in.perf"
	chart "$dir/in.perf" --min-width 5
	n=$(boxes | wc -l)
	[ "$n" -gt 10 ] && [ "$n" -lt 100 ]
	[ "$(boxes | sed -n 's/^(short.*; \([0-9]*\) frames.*/\1/p' |
		awk '{ sum += $1 } END { print sum }')" -eq 2000 ]
}

@test "flame chart: draws axes that are no time" {
	cat >"$dir/in.json" <<-'E'
	{"$schema":"https://www.speedscope.app/file-format-schema.json",
	"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented",
	"name":"t","unit":"bytes","startValue":0,"endValue":2000,"events":[
	{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":1500}]}]}
	E
	chart "$dir/in.json"
	grep -qF 'data-length="1500" ' "$dir/out.svg"
	grep -qF '>1,000 bytes</text>' "$dir/out.svg"
	same <(echo 'a 10 97 1000; 1,500 bytes from 0 bytes') <(boxes)
}
