# svg.bats - flame graphs. Search and zoom were tried in Chromium by hand.
load helper

setup()
{
	cd "$BATS_TEST_DIRNAME/.." || return 1
	dir=$BATS_TEST_TMPDIR
	printf '%s\n' 'main;a;b;a;c 5' 'main;a 5' 'main;z 30' >"$dir/in.folded"
}

# "NAME X Y WIDTH" of each frame of a flame graph.
frames()
{
	sed -n '/^<g class="f"><title>/{
		N
		s/^<g class="f"><title>\(.*\)\n.*<rect x="\([^"]*\)" y="\([^"]*\)" width="\([^"]*\)".*/\1 \2 \3 \4/
		p
	}' "$1"
}

@test "svg: the width of a frame is its cost, siblings are sorted by name" {
	"$CGCONV" -q -t svg --width 420 -o "$dir/out.svg" "$dir/in.folded"
	frames "$dir/out.svg" >"$dir/got"
	cat >"$dir/want" <<-E
	all 10.000000 145 400.000000
	main 10.000000 128 400.000000
	z 110.000000 111 300.000000
	a 10.000000 111 100.000000
	b 10.000000 94 50.000000
	a 10.000000 77 50.000000
	c 10.000000 60 50.000000
	E
	same "$dir/want" "$dir/got"
	grep -q 'samples: 40' "$dir/out.svg"
}

@test "svg: escapes names" {
	printf 'main;</title><b>"&]]>;a\001b\377c 5\n' >"$dir/evil.folded"
	"$CGCONV" -q -t svg --title '<i>&' -o "$dir/out.svg" \
		"$dir/evil.folded"
	grep -q '<title>&lt;/title&gt;&lt;b&gt;&quot;&amp;\]\]&gt;$' \
		"$dir/out.svg"
	grep -q '>&lt;i&gt;&amp;</text>' "$dir/out.svg"
	[ "$(LC_ALL=C grep -c $'[\001\377]' "$dir/out.svg")" = 0 ]
	! command -v xmllint || xmllint --noout "$dir/out.svg"
}

@test "svg: refers to no external resources" {
	"$CGCONV" -q -t svg -o "$dir/out.svg" "$dir/in.folded"
	grep -E 'https?://' "$dir/out.svg" | not grep -v -E \
		'xmlns="http://www.w3.org/2000/svg"|www.w3.org/1999/xhtml'
	not grep -E 'href|import|fetch|XMLHttp|innerHTML|eval' "$dir/out.svg"
}

@test "svg: writes one event, drops narrow frames" {
	"$CGCONV" -q -t svg --event cpu samples/pprof/cpu/cpu.pb.gz \
		>"$dir/out.svg"
	grep -q '<text id="event"[^>]*>cpu: [0-9,]* ns<' "$dir/out.svg"
	refuses 2 "event of the input (see --info), not 'none'" -t svg --event none \
		samples/pprof/cpu/cpu.pb.gz
	"$CGCONV" -q -t svg --width 420 --min-width 60.5 "$dir/in.folded" \
		>"$dir/out.svg"
	[ "$(frames "$dir/out.svg" | cut -d ' ' -f 1 | tr '\n' ' ')" = \
		"all main z a " ]
	refuses 2 "--width: expected a number of pixels from 200 to 100000" -t svg --width 3 "$dir/in.folded"
	for width in x 1x 1. '%' '1%%'; do
		refuses 2 "--min-width: expected pixels or a percentage, such as" \
			-t svg --min-width "$width" "$dir/in.folded"
	done
}

@test "svg: keeps what zooming can show, and says what it dropped" {
	printf 'm;wide 199999\nm;narrow;a 2\nm;one 1\nm;two;b 1\nm;x 0\n' \
		>"$dir/in.folded"
	"$CGCONV" -q -t svg --min-width 0.0006% "$dir/in.folded" >"$dir/out.svg"
	[ "$(frames "$dir/out.svg" | cut -d ' ' -f 1 | tr '\n' ' ')" = \
		"all m wide narrow a " ]
	grep -F '; dropped 3 frames narrower than 0.0006%, together 0.00%<' \
		"$dir/out.svg"
	"$CGCONV" -q -t svg --min-width 50 "$dir/in.folded" |
		grep -F '; dropped 5 frames narrower than 50 px, together 0.00%<'
	"$CGCONV" -q -t svg --min-width 0 "$dir/in.folded" >"$dir/out.svg"
	not grep -F dropped "$dir/out.svg"
	[ "$(frames "$dir/out.svg" | wc -l)" -eq 8 ]
}

@test "svg: functions without a name have that of their object" {
	cat >"$dir/in" <<-'END'
	a  1 1.0:  5 cycles:
		401 [unknown] (/lib/libx.so)
		400 main+0x1 (/bin/a)

	a  1 1.1:  7 cycles:
		401 [unknown] (/lib/liby.so)
		400 main+0x1 (/bin/a)

	END
	"$CGCONV" -q -f perf-script -t svg "$dir/in" >"$dir/out.svg"
	grep '<title>\[libx.so\]$' "$dir/out.svg"
	grep '<title>\[liby.so\]$' "$dir/out.svg"
	not grep -F '[unknown]' "$dir/out.svg"
}

@test "svg: marks estimated stacks" {
	file=samples/callgrind/plain/callgrind.out
	refuses 3 "svg needs stacks" -t svg "$file"
	"$CGCONV" -q -t svg --guess-stacks "$file" >"$dir/out.svg"
	grep -q 'stacks are estimated from calls' "$dir/out.svg"
	"$CGCONV" -q -t svg "$dir/in.folded" >"$dir/out.svg"
	not grep -q 'estimated' "$dir/out.svg"
}
