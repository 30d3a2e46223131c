# svg.bats - flame graphs.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	printf '%s\n' 'main;a;b;a;c 5' 'main;a 5' 'main;z 30' >"$dir/in.folded"
}

# "NAME X Y WIDTH" of each frame of a flame graph.
frames()
{
	sed -n '/^<g class="f"[^>]*><title>/{
		N
		/<rect/!{
			N
			s/\n[^\n]*<.title>/<\/title>/
		}
		s/^<g class="f"[^>]*><title>\(.*\)\n.*<rect x="\([^"]*\)" y="\([^"]*\)" width="\([^"]*\)".*/\1 \2 \3 \4/
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
	grep -q '<text id="event"[^>]*>cpu: 200 ms<' "$dir/out.svg"
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

@test "svg: drops frames below 0.1 px, says how many, and counts them at what they are on" {
	printf 'm;wide 199999\nm;narrow;a 2\nm;one 1\nm;two;b 1\nm;x 0\n' \
		>"$dir/in.folded"
	names()
	{
		frames "$dir/out.svg" | cut -d ' ' -f 1 | tr '\n' ' '
	}
	"$CGCONV" -q -t svg --min-width 0.0006% "$dir/in.folded" >"$dir/out.svg"
	[ "$(names)" = "all m wide narrow a " ]
	grep -F '>dropped 3 frames below 0.0006% (0.00%)<' "$dir/out.svg"
	grep -c data-undrawn "$dir/out.svg" | says 2 # of m, and the script
	grep '<g class="f" data-undrawn="3"><title>m$' "$dir/out.svg"
	"$CGCONV" -q -t svg --min-width 50 "$dir/in.folded" |
		grep -F '>dropped 5 frames below 50 px (0.00%)<'
	"$CGCONV" -t svg --min-width 0 "$dir/in.folded" >"$dir/out.svg" 2>"$dir/err"
	not grep -F dropped "$dir/out.svg"
	not grep min-width "$dir/err"
	[ "$(frames "$dir/out.svg" | wc -l)" -eq 8 ]
	# By default, of 1200 pixels: 0.1 is 1/11800.
	printf 'm 5899\nm;in 5899\nm;in;narrow;x 1\nm;wide 1\n' >"$dir/in.folded"
	"$CGCONV" -t svg "$dir/in.folded" >"$dir/out.svg" 2>"$dir/err"
	[ "$(names)" = "all m wide in narrow x " ]
	printf 'm;in 1\n' >>"$dir/in.folded"
	"$CGCONV" -t svg "$dir/in.folded" >"$dir/out.svg" 2>"$dir/err"
	[ "$(names)" = "all m in " ]
	grep 'data-undrawn="1"><title>m$' "$dir/out.svg"
	grep 'data-undrawn="2"><title>in$' "$dir/out.svg"
	grep -F '>samples: 11,801<' "$dir/out.svg"
	grep -F 'note: 3 frames narrower than 0.1 px, 0.02% of the costs, are not drawn; --min-width 0 draws all' "$dir/err"
	# A difference says what they cost on the other side.
	printf 'm;in 11801\nm;narrow;x 60\nm;narrow;gone 50\n' >"$dir/before"
	"$CGCONV" -q --diff -f folded "$dir/before" "$dir/in.folded" -t svg >"$dir/out.svg"
	grep -F '; dropped 3 frames below 0.1 px (0.02%, before 0); not shown: 110 before, in frames that are gone<' \
		"$dir/out.svg"
	printf 'm;in;narrow;x 60\nm;in;narrow;gone 50\n' >"$dir/before"
	"$CGCONV" -q --diff -f folded "$dir/before" "$dir/in.folded" -t svg >"$dir/out.svg"
	grep -F '; dropped 3 frames below 0.1 px (0.02%, before 110)<' "$dir/out.svg"
	"$CGCONV" -q --diff -f folded "$dir/in.folded" "$dir/before" --negate -t svg >"$dir/out.svg"
	grep -F '; dropped 3 frames below 0.1 px (0.02%, after 110)<' "$dir/out.svg"
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

# "NAME X WIDTH COLOUR" of each frame.
coloured()
{
	sed -n '/^<g class="f"[^>]*><title>/{
		N
		/<rect/!{
			N
			s/\n[^\n]*<.title>/<\/title>/
		}
		s/^<g class="f"[^>]*><title>\(.*\)\n.*<rect x="\([^"]*\)" y="[^"]*" width="\([^"]*\)" height="16" fill="\([^"]*\)".*/\1 \2 \3 \4/
		p
	}' "$1"
}

# Changes that noise does not explain; with another END than 00 it may.
make_two()
{
	printf "%s${END=00}\n" 'main;a 20' 'main;b 30' 'main;same 10' 'main;gone;x 40' \
		'main 1' >"$dir/before.folded"
	printf "%s$END\n" 'main;a 35' 'main;b 24' 'main;same 10' 'main;new 30' \
		'main 1' >"$dir/after.folded"
}

@test "svg: a difference has the widths of after, red where it grew, blue where it shrank" {
	make_two
	"$CGCONV" -q --diff "$dir/before.folded" "$dir/after.folded" -t svg \
		--width 420 >"$dir/out.svg"
	coloured "$dir/out.svg" >"$dir/got"
	# The largest change is that of x, which is not drawn.
	cat >"$dir/want" <<-E
	all 10.000000 400.000000 #ffffff
	main 10.000000 400.000000 #ffffff
	same 366.000000 40.000000 #ffffff
	new 246.000000 120.000000 #f3998b
	b 150.000000 96.000000 #d4e5fb
	a 10.000000 140.000000 #f8c1b9
	E
	same "$dir/want" "$dir/got"
	grep -F '3,500 samples_after, 35.00%; before 2,000, change +1,500 (+75.00%), self +1,500; self: real change (+' \
		"$dir/out.svg"
	grep -F '3,000 samples_after, 30.00%; before 0, change +3,000, self +3,000; self: real change<' \
		"$dir/out.svg"
	grep -F 'samples, after: 10,000; before 10,100, change -100 (-0.99%); ' "$dir/out.svg"
	grep -F '; not shown: 4,000 before, in frames that are gone<' \
		"$dir/out.svg"
}

# verdicts PICTURE: "NAME verdict (interval)" of frames in which they are.
verdicts()
{
	sed -n '/^<g class="f"[^>]*><title>/{
		N
		/<rect/!{
			N
			s/\n[^\n]*<.title>/<\/title>/
		}
		s/^<g class="f"[^>]*><title>\(.*\)\n.*; \(self[^:]*: \)\{0,1\}\([nrb][a-z].*\)<.title>.*/\1 \3/p
	}' "$1" | LC_ALL=C sort
}

@test "svg: changes that may be noise are grey, with the verdicts of --json" {
	END='' make_two
	printf '%s\n' 'main;a;tiny 0.1' >>"$dir/before.folded"
	sed -i 's/0.1$/1/; s/^main;b .*/main;b 2400/; s/^main;same .*/main;same 1000/' "$dir/before.folded"
	sed -i 's/^main;b .*/main;b 4800/; s/^main;same .*/main;same 1030/' "$dir/after.folded"
	printf 'main;a;tiny 5\n' >>"$dir/after.folded"
	set -- "$dir/before.folded" "$dir/after.folded"
	"$CGCONV" --diff --json "$1" -- "$2" | perl -MJSON::PP -0777 -ne '
		my $runs = decode_json($_)->{runs};
		sub say_of { my ($name, $at) = @_;
			my @end = map { defined ? sprintf "%+.2f%%", 100 * $_ : () } @{ $at->{interval} };
			print "$name ", $at->{verdict} eq "real" ? "real change" : "not distinguishable from noise",
				@end ? " ($end[0] to $end[1])" : "", "\n" }
		say_of("all", $runs->{total});
		$_->{cost} eq "self" and $_->{after} and say_of($_->{name}, $_) for @{ $runs->{functions} };
		print "$_ below 0.5% of all costs: not compared\n" for qw(main new tiny)' |
		sed '/^new [^b]/d' | LC_ALL=C sort >"$dir/want"
	"$CGCONV" -q --diff "$@" -t svg >"$dir/out.svg"
	verdicts "$dir/out.svg" | same "$dir/want" -
	coloured "$dir/out.svg" | awk '$1 ~ /^(a|b|same|tiny)$/ { print $1, $4 }' | LC_ALL=C sort |
		same - <(printf '%s\n' 'a #f3f3f3' 'b #ef7e6c' 'same #f2f2f2' 'tiny #f3f3f3')
	grep -F '</tspan> noise, or too small to compare' "$dir/out.svg"
	# Reversed stacks are about their leaves.
	"$CGCONV" -q --diff "$@" -t svg --reverse-order >"$dir/out.svg"
	grep -A 1 '<title>main$' "$dir/out.svg" | grep -o 'self of b: real change'
	# The total is judged, the unknown function is not.
	for n in 10 30; do
		printf '%s\n' '{"cgconv":"graph","version":1}' '["event",0,"samples","","","stated",false]' \
			'["function",1,"a",0,0]' '["frame",1,0,1,0,0,0]' '["frame",2,1,0,0,0,0]' '["part",0,0,0,""]' \
			"[\"stack\",1,${n}000,[${n}000]]" "[\"stack\",2,5$n,[5$n]]" "[\"total\",[$((n * 1000 + 500 + n))]]" \
			'["end",{"records":9}]' >"$dir/$n.json"
	done
	"$CGCONV" -q --diff -t svg "$dir/10.json" "$dir/30.json" >"$dir/out.svg"
	verdicts "$dir/out.svg" | grep 'real change' | cut -d ' ' -f 1 | same - <(printf '%s\n' a all)
	coloured "$dir/out.svg" | grep '^\[unknown\] .* #f3f3f3$'
	# Exact counts have no noise.
	printf 'events: Ir\nfn=f\n1 1000\n' >"$dir/a.cg"
	printf 'events: Ir\nfn=f\n1 1001\n' >"$dir/b.cg"
	"$CGCONV" -q --diff -t svg --guess-stacks "$dir/a.cg" "$dir/b.cg" >"$dir/out.svg"
	coloured "$dir/out.svg" | grep -x 'f .* #ef7e6c'
	not grep noise "$dir/out.svg"
}

@test "svg: --negate has the widths of before, and the same colours" {
	make_two
	"$CGCONV" -q --diff "$dir/before.folded" "$dir/after.folded" -t svg \
		--negate --width 420 >"$dir/out.svg"
	coloured "$dir/out.svg" | cut -d ' ' -f 1,4 | sort >"$dir/got"
	printf '%s\n' 'a #f8c1b9' 'all #ffffff' 'b #d4e5fb' 'gone #ffffff' \
		'main #ffffff' 'same #ffffff' 'x #6ca5ef' >"$dir/want"
	same "$dir/want" "$dir/got"
	grep -F '2,000 samples_before, 19.80%; after 3,500, change +1,500 (+75.00%)' \
		"$dir/out.svg"
	grep -F 'not shown: 3,000 after, in new frames<' "$dir/out.svg"
	refuses 2 '--negate needs an event before and after' -t svg --negate \
		"$dir/in.folded"
}

@test "svg: finds before and after in any graph, and one of them by --event" {
	make_two
	set -- "$dir/before.folded" "$dir/after.folded"
	# Without what only --diff knows: what is real.
	"$CGCONV" -q --diff "$@" -t svg | sed 's/; self: real change[^<]*//; s/; not disting[^;<]*//
		s/; self: [nb][^<]*//; s/ <tspan fill="#b8b8b8">[^;]*;/;/; s/#f\(.\)f\1f\1/#ffffff/' >"$dir/want"
	"$CGCONV" -q --diff --side-by-side "$@" -t json |
		"$CGCONV" -q -t svg >"$dir/got"
	same "$dir/want" "$dir/got"
	"$CGCONV" -q --diff --side-by-side "$@" -t folded |
		"$CGCONV" -q -t svg >"$dir/got"
	[ "$(coloured "$dir/want" | cut -d ' ' -f 1,4)" = \
		"$(coloured "$dir/got" | cut -d ' ' -f 1,4)" ]
	"$CGCONV" -q --diff --side-by-side "$@" -t json |
		"$CGCONV" -q -t svg --event samples_before >"$dir/got"
	grep -F '<text id="event" x="10" y="40">samples, before: 10,100<' "$dir/got"
}

@test "svg: --inverted has the root at the top" {
	"$CGCONV" -q -t svg --inverted --width 420 "$dir/in.folded" >"$dir/out.svg"
	frames "$dir/out.svg" >"$dir/got"
	cat >"$dir/want" <<-E
	all 10.000000 60 400.000000
	main 10.000000 77 400.000000
	z 110.000000 94 300.000000
	a 10.000000 94 100.000000
	b 10.000000 111 50.000000
	a 10.000000 128 50.000000
	c 10.000000 145 50.000000
	E
	same "$dir/want" "$dir/got"
	grep -q '>Icicle graph<' "$dir/out.svg"
}

@test "svg: --reverse-order merges stacks from their leaves" {
	"$CGCONV" -q -t svg --reverse-order --width 420 "$dir/in.folded" \
		>"$dir/out.svg"
	# Of the same stacks, reversed by hand.
	printf '%s\n' 'c;a;b;a;main 5' 'a;main 5' 'z;main 30' >"$dir/rev.folded"
	"$CGCONV" -q -t svg --width 420 "$dir/rev.folded" >"$dir/rev.svg"
	frames "$dir/rev.svg" | sort >"$dir/want"
	frames "$dir/out.svg" | sort | same "$dir/want" -
}

@test "svg: reversed stacks of deep recursion end in an error, not in hours" {
	awk 'BEGIN { for (i = 0; i < 2500; i++) {
		printf "%sf%d 1\n", stack, i; stack = stack "f" i ";" } }' \
		>"$dir/deep.folded"
	refuses 1 'too many frames together' -t svg --reverse-order \
		"$dir/deep.folded"
}

@test "svg: --colors by object, by kind, of a palette" {
	printf '%s\n' 'main;read_[k] 5' 'main;f_[i] 5' 'main;J_[j] 5' \
		>"$dir/kinds.folded"
	"$CGCONV" -q -t svg --colors kind "$dir/kinds.folded" >"$dir/out.svg"
	coloured "$dir/out.svg" >"$dir/got"
	grep -q '^main .* #[ef]...[67].$' "$dir/got"   # red
	grep -q '^read .* #[ef].[9abc].[3456].$' "$dir/got" # orange
	grep -q '^J .* #[67]\|^J .* #[89]' "$dir/got"   # green
	grep -q '^f .* #[678]...[cdef].$' "$dir/got"   # aqua
	for word in user kernel JIT inlined; do
		grep -q "</tspan> $word" "$dir/out.svg"
	done
	"$CGCONV" -q -t svg --colors blue "$dir/in.folded" >"$dir/out.svg"
	coloured "$dir/out.svg" | not grep -v '#[789a]...[def].$'
	cat >"$dir/in.perf" <<-'END'
	a  1 1.0:  5 cycles:
		401 f (/lib/libx.so)
		402 g (/lib/liby.so)
		403 f (/lib/libx.so)

	END
	"$CGCONV" -q -f perf-script -t svg --colors object "$dir/in.perf" \
		>"$dir/out.svg"
	coloured "$dir/out.svg" | awk '$1 == "f" && !seen[$4]++' | wc -l |
		grep -qx 1
	refuses 2 "--colors: expected function, object, kind, or one of" -t svg \
		--colors pink "$dir/in.folded"
	make_two
	refuses 2 "--colors does not apply to differences" --diff -t svg \
		--colors hot "$dir/before.folded" "$dir/after.folded"
}

@test "svg: colours by function are those of the page, names are cut as there" {
	command -v node >/dev/null || skip 'no node'
	printf '%s\n' 'main;ns::A::f(int, char);github.com/a/b.(*T).run 5' 'main;ns::A::g<x>(int) 5' 'other.mod.f 7' \
		'plain 2' >"$dir/in.folded"
	"$CGCONV" -q -t svg --width 900 "$dir/in.folded" >"$dir/out.svg"
	coloured "$dir/out.svg" | sed 's/^\(.*\) [^ ]* [^ ]* \(#.*\)/\1\t\2/; s/&lt;/</; s/&gt;/>/' |
		grep -v ^all | sort -u >"$dir/got"
	{
		cat formats/html/base.js formats/html/names.js formats/html/flame.js
		cat <<-'END'
		let fnCount = 99, names = require('fs').readFileSync(0, 'utf8').split('\n').filter((name) => name);
		const fnName = (fn) => names[fn], objectPath = () => '', filePath = () => '', col = () => [];
		for (let i = names.unshift('') && 1; i < names.length; i++) {
			const [h, s, l] = Flame.prototype.colour.call({ o: {}, colours: new Map() }, i).match(/\d+/g).map(Number);
			const part = (n) => {
				const k = (n + h / 30) % 12, a = s / 100 * Math.min(l / 100, 1 - l / 100);
				return Math.round(255 * (l / 100 - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)))).toString(16).padStart(2, '0');
			};
			console.log(names[i] + '\t#' + part(0) + part(8) + part(4));
		}
		END
	} >"$dir/colours.js"
	cut -f 1 "$dir/got" | node "$dir/colours.js" | same - "$dir/got"
	# Functions with an object.
	{
		echo 'p 7/7 1.0: 3 cycles:'
		for name in 'void std::sort<a::b>(int)' 'app::T::f(std::x)' 'github.com/a/b.(*T).run' github.com/a/b.U.run main 'std::y::g()'; do
			printf '\t1 %s (/x/prog)\n' "$name"
		done
		echo
	} >"$dir/in.perf"
	"$CGCONV" -q -f perf-script -t svg --width 900 "$dir/in.perf" >"$dir/out.svg"
	coloured "$dir/out.svg" | sed 's/^\(.*\) [^ ]* [^ ]* \(#.*\)/\1\t\2/; s/&lt;/</; s/&gt;/>/' |
		grep -v -e ^all -e '^p	' | sort -u >"$dir/got"
	[ "$(wc -l <"$dir/got")" -eq 6 ]
	sed -i "s/objectPath = () => ''/objectPath = () => '\/x\/prog'/" "$dir/colours.js"
	cut -f 1 "$dir/got" | node "$dir/colours.js" | same - "$dir/got"
	# Without parameters and directories, or cut.
	echo 'ns::A::function(int, char, long);github.com/organisation/b.(*Type).run;name_of_a_long_function_in_c 1' \
		>"$dir/long.folded"
	"$CGCONV" -q -t svg --width 200 "$dir/long.folded" | sed -n 's/.*<text x="13[^>]*>\([^<]*\)<.*/\1/p' |
		same - <(printf '%s\n' 'all' 'ns::A::function' 'b.(*Type).run' 'name_of_a_long_function…')
	# Without suffixes of clones, which a package is not.
	echo 'name_of_a_function.isra.0.cold;com.part.AbstractFactory.run 1' >"$dir/long.folded"
	"$CGCONV" -q -t svg --width 200 "$dir/long.folded" | sed -n 's/.*<text x="13[^>]*>\([^<]*\)<.*/\1/p' |
		same - <(printf '%s\n' 'all' 'name_of_a_function' 'part.AbstractFactory.run')
}

@test "svg: names of any length are cut as on the page" {
	command -v node >/dev/null || skip 'no node'
	cat >"$dir/names" <<-'END'
	app::detail::Table<std::pair<int, long>, std::allocator<char> >::put(std::string const&) const
	void std::__introsort_loop<__gnu_cxx::__normal_iterator<int*>, long>(int*, int*, long) [clone .isra.0]
	app::Parser::fact(char const*&, int)'2
	std::ostream& operator<< <std::char_traits<char>, int>(std::ostream&)
	<core::iter::Map<A,B> as core::iter::traits::Iterator>::fold::<Closure>
	encoding/json.(*decodeState).literalStore[go.shape.int_0]
	short<i>::g<ab, c>::operator->(int)
	std::thread::_State_impl<std::thread::_Invoker<std::tuple<void
	name<äö>::größe<äöü>::länge_der_längsten(int)
	END
	# The frame has a third of the picture.
	for width in {200..1000..100}; do
		while read -r name; do
			printf '%s 1\nzz 2\n' "$name" >"$dir/one.folded"
			"$CGCONV" -q -t svg --width "$width" "$dir/one.folded" |
				sed -n 's/.*<text x="13[^>]*>\([^<]*\)<.*/\1/p' | grep -vx 'all\|zz'
		done <"$dir/names"
	done | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; s/&apos;/'"'/g" >"$dir/got"
	{
		cat formats/html/names.js
		cat <<-'END'
		const names = require('fs').readFileSync(0, 'utf8').split('\n').filter((name) => name);
		for (let width = 200; width <= 1000; width += 100)
			for (const name of names)
				console.log(shortName(name, Math.floor(((width - 20) / 3 - 6) / 7.2)));
		END
	} >"$dir/cut.js"
	node "$dir/cut.js" <"$dir/names" >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "svg: Chromium restores zoom and search of the address, and follows the window" {
	chromium=$(command -v chromium || command -v chromium-browser) || skip 'no chromium'
	open_svg()
	{
		timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --window-size=700,500 \
			--user-data-dir="$dir/profile" --virtual-time-budget=3000 --dump-dom "file://$dir/out.svg$1" \
			2>/dev/null >"$dir/dom"
	}
	"$CGCONV" -q -t svg "$dir/in.folded" >"$dir/out.svg"
	open_svg ''
	grep -o '<svg [^>]*>' "$dir/dom" | grep -F 'width="700"'
	grep -o '<title>z[^/]*</title><rect[^>]*>' -z "$dir/dom" | tr '\0' '\n' | grep 'width="510"'
	# The third frame is z; it fills the picture, and its caller does.
	open_svg '#frame=2&search=^a$'
	tr '\n' ' ' <"$dir/dom" | grep -o '<title>z [^/]*</title><rect[^>]*>' | grep 'width="680"'
	tr '\n' ' ' <"$dir/dom" | grep -o '<title>a [^/]*</title><rect[^>]*>' | grep -c '#d070f0' | grep -x 2
	grep -F 'found: 25.0% in 2 frames' "$dir/dom"
	grep '<text id="info"' "$dir/dom" | not grep -F 'not drawn'
	# It says what it lacks: frame 3 is the left a with b, a and c on it.
	"$CGCONV" -q -t svg --min-width 150 "$dir/in.folded" >"$dir/out.svg"
	open_svg '#frame=3&search=a'
	grep -F '>found: at least 100.0% in 3 drawn frames; not drawn in it: 3 narrow frames<' "$dir/dom"
	open_svg ''
	grep '<text id="info"' "$dir/dom" | not grep -e found -e 'not drawn'
	# The search has the room that the title leaves, from 140 to 240 pixels.
	grep -o '<foreignObject [^>]*>' "$dir/dom" | says '<foreignObject y="6" height="30" x="450" width="240">'
	"$CGCONV" -q -t svg --title "$(printf '%0100d' 0)" "$dir/in.folded" >"$dir/out.svg"
	open_svg ''
	grep -o '<foreignObject [^>]*>' "$dir/dom" | says '<foreignObject y="6" height="30" x="550" width="140">'
	# A width that was asked for stays.
	"$CGCONV" -q -t svg --width 420 "$dir/in.folded" >"$dir/out.svg"
	open_svg ''
	grep -o '<svg [^>]*>' "$dir/dom" | grep -F 'width="420"'
}

# Without it, Chromium looks through all boxes for one, again for each box.
@test "svg: the document has a title, before any box" {
	for chart in '' --flame-chart; do
		"$CGCONV" -q -t svg $chart --title '<t>' samples/cpuprofile/node/prof.cpuprofile |
			grep -m 1 -o '<title>.*' | says '<title>&lt;t&gt;</title>'
	done
	"$CGCONV" -q -t svg --inverted "$dir/in.folded" | grep -m 1 '<title>' | says '<title>Icicle graph</title>'
}

@test "svg: --subtitle stands after the title" {
	"$CGCONV" -q -t svg --title T --subtitle 'a <b>' "$dir/in.folded" |
		grep '>T<tspan id="subtitle" dx="16">a &lt;b&gt;</tspan></text>'
}

@test "svg: options of flame graphs are refused for charts" {
	for option in inverted reverse-order negate; do
		refuses 2 "--$option and --flame-chart cannot be used together" \
			-t svg --flame-chart "--$option" \
			samples/cpuprofile/node/prof.cpuprofile
	done
}

@test "svg: costs are in few digits, those of a box also in all digits; details are in two lines" {
	printf 'main;a 3510000000\nmain;b 1500\n' >"$dir/in.folded"
	for unit in ns bytes ''; do
		printf '%s\n' '{"cgconv":"graph","version":1}' "[\"event\",0,\"e\",\"\",\"$unit\",\"stated\",false]" \
			'["function",1,"a",0,0]' '["frame",1,0,1,0,0,0]' '["part",0,0,0,""]' \
			'["stack",1,1,[3510000000]]' '["end"]' >"$dir/in.json"
		"$CGCONV" -q -f json -t svg "$dir/in.json" >"$dir/out.svg"
		grep -o '<text id="event".*' "$dir/out.svg"
		sed -n '/<title>a$/{n;p;n;p;}' "$dir/out.svg" | sed 's/<.*//'
	done | same - <(printf '%s\n' '<text id="event" x="10" y="40">e: 3.51 s</text>' '3.51 s, 100.00%' '3,510,000,000 ns, 100.00%' \
		'<text id="event" x="10" y="40">e: 3.27 GiB</text>' '3.27 GiB, 100.00%' '3,510,000,000 bytes, 100.00%' \
		'<text id="event" x="10" y="40">e: 3.51 G</text>' '3.51 G e, 100.00%' '3,510,000,000 e, 100.00%')
	make_two
	"$CGCONV" -q --diff "$dir/before.folded" "$dir/after.folded" -t svg >"$dir/out.svg"
	grep -c '^<text id="more" x="10" y="55"><tspan [^;]*</tspan> noise, or too small to compare; not shown: ' \
		"$dir/out.svg" | says 1
}
