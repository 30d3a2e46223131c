# vmprof.bats - profiles of Python programs by vmprof.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# profile WORD ID PERL...: a profile with words and ids of that many bytes.
# PERL are statements that write records with word(), id(), text(), sample() and
# name().
profile()
{
	perl -e '
		($word, $size) = splice @ARGV, 0, 2;
		sub word { print substr pack("Q<", $_), 0, $word for @_ }
		sub id { print substr pack("q<", $_), 0, $size for @_ }
		sub text { word(length $_[0]); print $_[0] }
		sub start { word(0, 3, 0, 1000, $size > $word ? 1 : 0); print @_ }
		sub sample { my $thread = shift; print "\1"; word(1, scalar @_);
			id(@_, $thread) }
		sub name { print $_[2] // "\2"; id($_[0]); text($_[1]) }
		sub finish { print "\3", "\0" x 24 }
		eval join ";", @ARGV or die $@' "$@" '1'
}

@test "vmprof: stacks are those of vmprof's reader" {
	# Counted over the profiles of its state, with names in place of ids.
	"$CGCONV" -q -t folded samples/vmprof/python/python.vmprof | says \
		'<module>;main;run;fib;fib;fib;fib;fib;fib;fib 1' \
		'<module>;main;run;pack 2' '<module>;main;run;spin 6' \
		'_bootstrap;_bootstrap_inner;run;main;run;pack 4' \
		'_bootstrap;_bootstrap_inner;run;main;run;spin 6'
	"$CGCONV" -q -t folded samples/vmprof/lines/lines.vmprof |
		sed 's/0x[0-9a-f]*/X/g' | says \
		'<module>;main;run;pack;X;deflate 1' \
		'<module>;main;run;pack;X;deflate;X 1' \
		'<module>;main;run;spin 5' \
		'<module>;main;run;spin;PyNumber_Remainder 2' \
		'_bootstrap;_bootstrap_inner;run;main;run;pack;X;deflate 5' \
		'_bootstrap;_bootstrap_inner;run;main;run;pack;X;deflate;X 1' \
		'_bootstrap;_bootstrap_inner;run;main;run;spin 2' \
		'_bootstrap;_bootstrap_inner;run;main;run;spin;PyNumber_Remainder;X 1' \
		'_bootstrap;_bootstrap_inner;run;main;run;spin;_PyFunction_Vectorcall 3'
}

@test "vmprof: lines, threads and the period" {
	in=samples/vmprof/lines/lines.vmprof
	"$CGCONV" -q -t json "$in" >"$dir/json"
	grep -qxF '["formula","ns","9900000 samples","Time","ns","stated",false]' "$dir/json"
	# spin() loops on lines 4 and 5, and is called on line 11.
	perl -MJSON::PP -ne '
		$_ = decode_json($_);
		next unless ref eq "ARRAY" && $_->[0] eq "frame";
		$fn = $_->[3];
		print "$fn $_->[5]\n"' "$dir/json" | sort -u >"$dir/lines"
	spin=$(sed -n 's/^."function",\([0-9]*\),"spin",.*/\1/p' "$dir/json")
	grep "^$spin " "$dir/lines" | says "$spin 4" "$spin 5"
	[ "$("$CGCONV" -q --info --part-by tid "$in" | grep -c '  tid [12]$')" = 2 ]
	"$CGCONV" -t json "$in" 2>&1 >/dev/null |
		grep -qF '21 sizes of the process at samples are dropped'
}

@test "vmprof: machine code of PyPy's JIT counts for its function" {
	in=samples/vmprof/pypy/pypy.vmprof
	"$CGCONV" -t folded "$in" 2>"$dir/err" | perl -lpe '
		s/^.* //; $n += $_; END { print "sum $n" }' | tail -n 1 | says 'sum 22'
	grep -qF '54 functions have no name, only an id' "$dir/err"
	# Code 16, entered as code and continued in machine code at 99; a
	# recursion is none of that.
	for word in 4 8; do
		profile $word $word 'start("\5\0\6\x08\4pypy")' \
			'sample(0, 6, 99, 3, 32, 3, 16, 1, 16, 1, 16, 1, 8)' \
			'name(8, "py:main:1:a.py")' 'name(16, "py:f:2:a.py")' \
			'name(32, "py:g:3:a.py")' 'finish()' >"$dir/in"
		"$CGCONV" -t folded "$dir/in" | says 'main;f;f;g 1'
	done
}

@test "vmprof: sizes of words; names of native functions" {
	for sizes in '4 4' '4 8' '8 8'; do
		# shellcheck disable=SC2086 # two words
		profile $sizes 'start("\5\0\6\0\7cpython")' \
			'sample(7, 33, 16, 8)' 'sample(9, 16, 8)' \
			'name(8, "py:main:1:a.py")' 'name(16, "py:C.f:2:C:\\b.py")' \
			'name(16, "n:<native symbol 0x10>:0:-", "\x08")' \
			'name(33, "n:std::sort:0:libc++.so", "\x08")' \
			'finish()' >"$dir/in"
		"$CGCONV" --detect "$dir/in" | grep -q '	vmprof	'
		"$CGCONV" -t folded "$dir/in" | says 'main;C.f 1' \
			'main;C.f;std::sort 1'
	done
	"$CGCONV" -t json "$dir/in" >"$dir/json"
	grep -qxF '["object",1,"libc++.so"]' "$dir/json"
	grep -qxF '["file",1,"C:\\b.py"]' "$dir/json"
	[ "$(grep -c '^\["stack"' "$dir/json")" = 2 ]
}

@test "vmprof: losses" {
	profile 8 8 'start("\5\0\6\0\7cpython")' 'sample(1, 16)' \
		'name(16, "py:f:1:a.py")' 'name(16, "py:g:2:a.py")' \
		'name(24, "main")' >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | says 'g 1'
	grep -qF '1 ids have several names: the last one is used' "$dir/err"
	grep -qF 'the profile has no end: names may be missing' "$dir/err"
	profile 8 8 'start("\5\0\6\0\7cpython")' 'sample(1, 16)' \
		'name(16, "main")' 'finish()' 'print "x"' >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | says 'main 1'
	grep -qF '1 names have no line and file' "$dir/err"
	grep -qF 'bytes after the end are skipped' "$dir/err"
	profile 8 8 'start("\5\0\6\0\7cpython")' 'finish()' >"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>&1 | grep -qF 'the profile has no samples'
}

@test "vmprof: malformed profiles" {
	rejects() # MESSAGE PERL...
	{
		local message=$1

		shift
		profile 8 8 "$@" >"$dir/in"
		refuses 1 "$message" -f vmprof -t json "$dir/in"
	}
	rejects 'vmprof before 0.2' 'start("\4\7cpython")'
	rejects 'expected a version up to 6, not 7' 'start("\5\0\7\0\7cpython")'
	rejects 'expected one header' \
		'start("\5\0\6\0\7cpython", "\5\0\6\0\7cpython")'
	rejects 'expected marker 5 of the header' 'start("\1")'
	rejects 'expected a marker from 1 to 8, not 9' \
		'start("\5\0\6\0\7cpython", "\x09")'
	rejects 'at most 65536 words' 'start("\5\0\6\0\7cpython", "\1")' \
		'word(1, 65537)'
	rejects 'in pairs of 2' 'start("\5\0\6\2\7cpython", "\1")' 'word(1, 1)'
	rejects 'expected a kind of a frame, not 5' \
		'start("\5\0\6\x08\4pypy")' 'sample(0, 5, 8)'
	rejects 'expected 4611686018427387904 more bytes' \
		'start("\5\0\6\0\7cpython", "\7")' 'word(1 << 62)'
	rejects 'samples of a stack exceed 64 bits' \
		'start("\5\0\6\0\7cpython")' \
		'for (1, 2) { print "\1"; word(-1, 0); id(1) }'
	refuses 1 'expected the words 0, 3, 0' -f vmprof -t json README.md
}
