# python.bats - lib/python/cgconv.py with the shared library.
load ../helper

setup()
{
	needs python3
	case $CFLAGS in *-fsanitize*) skip "a build with sanitizers" ;; esac
	dir=$BATS_TEST_TMPDIR
	export LIBCGCONV=$B/libcgconv.so PYTHONPATH=$ROOT/lib/python
	export PYTHONDONTWRITEBYTECODE=1
	INPUT=samples/callgrind/plain/callgrind.out
}

# Runs standard input; sys.argv[1:] are the arguments.
py()
{
	{ printf '%s\n' 'import sys, cgconv' && cat; } >"$dir/use.py"
	python3 "$dir/use.py" "$@"
}

@test "python: convert() gives the bytes of the program" {
	for to in json callgrind csv dot html; do
		py "$INPUT" "$to" >"$dir/got" <<-'END'
			data = open(sys.argv[1], "rb").read()
			out = cgconv.convert(data, to=sys.argv[2], name="callgrind.out")
			assert out == cgconv.convert(sys.argv[1], to=sys.argv[2])
			sys.stdout.buffer.write(out)
		END
		"$CGCONV" -q -t "$to" "$INPUT" | cmp - "$dir/got"
	done
	# Options, compressed inputs, several inputs.
	gzip -c "$INPUT" >"$dir/in.gz"
	py "$dir/in.gz" "$INPUT" >"$dir/got" <<-'END'
		data = open(sys.argv[1], "rb").read()
		sys.stdout.buffer.write(
		    cgconv.convert(data, sys.argv[2], to="csv", table="calls"))
	END
	"$CGCONV" -t csv --table calls "$INPUT" "$INPUT" | cmp - "$dir/got"
}

@test "python: the functions have the costs of --info" {
	for file in "$INPUT" samples/folded/*/* samples/json/lines/lines.cgj; do
		case $file in */HOW) continue ;; esac
		py "$file" >"$dir/sums" <<-'END'
			with cgconv.Profile(sys.argv[1]) as profile:
			    sums = [0] * len(profile.events)
			    for fn in profile:
			        sums = [a + b for a, b in zip(sums, fn.self_cost)]
			    for event, total in zip(profile.events, sums):
			        print(event, total)
		END
		"$CGCONV" --verify "$file" "$file" 2>/dev/null |
			sed -n 's/^Total  \(.*\)  \(.*\) = .*/\1 \2/p' >"$dir/want"
		[ -s "$dir/want" ]
		sort "$dir/sums" | LC_ALL=C comm -13 - <(sort "$dir/want") >"$dir/lost"
		[ ! -s "$dir/lost" ] || { cat "$dir/sums" "$dir/want"; return 1; }
	done
	py "$INPUT" <<-'END' | says "work (1842,) (95,) 5 /src/rec.c"
		with cgconv.Profile(sys.argv[1]) as profile:
		    for f in profile:
		        if f.name == "work":
		            print(f.name, f.inclusive_cost, f.self_cost, f.calls, f.file)
	END
}

@test "python: errors are exceptions with the library's message" {
	echo '{"cgconv":"graph","version":2}' >"$dir/bad.cgj"
	status=0
	"$CGCONV" "$dir/bad.cgj" 2>"$dir/err" || status=$?
	[ "$status" -eq 1 ]
	sed 's/: error: /: /' "$dir/err" >"$dir/want"
	[ -s "$dir/want" ]
	py "$dir/bad.cgj" <<-'END' | same "$dir/want" -
		try:
		    cgconv.convert(sys.argv[1], to="callgrind")
		except cgconv.Error as error:
		    assert error.kind == "input" and error.status == 1
		    print(error)
	END
	py <<-'END' | says "usage unknown format 'nosuch'; see option 'list-formats'"
		try:
		    cgconv.Profile(b"", from_="nosuch")
		except cgconv.Error as error:
		    print(error.kind, error)
	END
}

@test "python: a closed profile is an error, and names need not be UTF-8" {
	py "$INPUT" <<-'END' | says "the profile is closed" "the profile is closed" "['I\\udcffr']"
		profile = cgconv.Profile(sys.argv[1])
		functions = iter(profile)
		assert next(functions).name
		profile.close()
		for use in lambda: next(functions), lambda: profile.events:
		    try:
		        use()
		    except ValueError as error:
		        print(error)
		profile.close()
		with cgconv.Profile(b"events: I\xffr\nfn=f\n1 5\n") as profile:
		    print(profile.events)
	END
}

@test "python: the module has the library's version, and needs no other" {
	version=$("$CGCONV" --version | cut -d ' ' -f 2)
	grep -qx "version = \"$version\"" lib/python/pyproject.toml
	echo 'print(cgconv.version())' | py | says "$version"
	soname=$(sed -n 's/^SONAME := //p' Makefile)
	grep -qF "\"$soname\"" lib/python/cgconv.py
}
