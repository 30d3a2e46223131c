# paths.bats - directories as inputs; paths mapped, source files selected.
load ../helper

PLAIN=samples/callgrind/plain/callgrind.out

setup()
{
	dir=$BATS_TEST_TMPDIR
}

build_plugin()
{
	# shellcheck disable=SC2086 # several flags
	${CC:-cc} ${CFLAGS:--O1} -Ilib -fPIC -shared -o "$dir/plugin.so" \
		tests/plugin.c
}

# The paths of source files in the conversion of the arguments.
files()
{
	"$CGCONV" -q -t json "$@" |
		sed -n 's/^\["file",[0-9]*,"\([^"]*\)".*/\1/p'
}

# A profile of three source files: sum of costs by file.
three_files()
{
	cat >"$dir/in" <<-END
		events: Ir
		fl=/src/app/main.c
		fn=main
		1 1
		fi=/src/lib/list.h
		2 20
		fe=/src/app/main.c
		cfi=/src/lib/work.c
		cfn=work
		calls=1 5
		3 300
		fl=/src/lib/work.c
		fn=work
		5 300
	END
}

total()
{
	"$CGCONV" -q "$@" "$dir/in" | sed -n 's/^totals: //p'
}

@test "paths: --map and --strip-prefix rewrite directories, not names that begin alike" {
	three_files
	[ "$(files --map /src=/home/me "$dir/in" | tr '\n' ' ')" = \
		"/home/me/app/main.c /home/me/lib/list.h /home/me/lib/work.c " ]
	[ "$(files --strip-prefix /src/app --strip-prefix /src/ "$dir/in" |
		tr '\n' ' ')" = "lib/list.h lib/work.c main.c " ]
	[ "$(files --map /src/li=/x --map /src/app/main.c=/y.c "$dir/in" |
		tr '\n' ' ')" = "/src/lib/list.h /src/lib/work.c /y.c " ]
	# The first that fits, and files that become one are one.
	[ "$(files --map /src/app=/a --map /src=/b --map /a=/c "$dir/in" |
		tr '\n' ' ')" = "/a/main.c /b/lib/list.h /b/lib/work.c " ]
	[ "$(files --map /src/lib/list.h=/src/lib/work.c "$dir/in" |
		wc -l)" = 2 ]
	refuses 2 "--map: expected OLD=NEW, not 'x'" --map x "$PLAIN"
	refuses 2 "expected a directory to map to x" --map =x "$PLAIN"
}

@test "paths: --include and --exclude drop rows, and nothing else" {
	three_files
	[ "$(total)" = 321 ]
	[ "$(total --exclude '*.h')" = 301 ]
	[ "$(total --include '*.h')" = 20 ]
	[ "$(total --include '/src/lib/*')" = 320 ]
	[ "$(total --include '/src/lib/*' --exclude 'work.?')" = 20 ]
	[ "$(total --exclude 'lib/*' --include '*')" = 1 ]
	# They see mapped paths.
	[ "$(total --map /src/app=/x --include '/x/*')" = 1 ]
	# A function of an excluded file keeps its rows in other files.
	"$CGCONV" -q -t json --exclude '/src/app/*' "$dir/in" >"$dir/out"
	grep -q '^\["function",[0-9]*,"main",0,0\]$' "$dir/out"
	grep -q '^\["cost",2,2,0,\[20\]\]$' "$dir/out"
}

@test "paths: --no-branches and --no-throw-branches drop branches" {
	file=samples/json/lines/lines.cgj
	branches() { "$CGCONV" -q -t json "$@" $file | grep -c '"arc"'; }
	[ "$(branches)" = 3 ]
	[ "$(branches --no-throw-branches)" = 2 ]
	run branches --no-branches
	[ "$output" = 0 ]
	"$CGCONV" -q -t json --no-branches $file | grep -q '"condition"'
}

@test "paths: a directory stands for the profiles in it, each file once" {
	build_plugin
	mod=(--module "$dir/plugin.so")
	mkdir -p "$dir/tree/a/b" "$dir/empty"
	printf 'flat \nmain 1\n' >"$dir/tree/z.flat"
	printf 'flat \nmain 20\n' >"$dir/tree/a/b/y.flat"
	printf 'no profile\n' >"$dir/tree/a/notes.txt"
	ln -s .. "$dir/tree/a/up"
	"$CGCONV" "${mod[@]}" "$dir/tree" | grep -qx 'totals: 21'
	"$CGCONV" "${mod[@]}" -f flat "$dir/tree/" | grep -qx 'totals: 21'
	"$CGCONV" "${mod[@]}" --parts "$dir/tree" | grep -c '^part:' | grep -qx 2
	refuses 1 "no files to read in this directory" "${mod[@]}" "$dir/empty"
	refuses 1 "no files to read in this directory" "${mod[@]}" -f callgrind \
		"$dir/tree"
}

@test "paths: reports a directory that cannot be read, converts the rest" {
	[ "$(id -u)" != 0 ] || skip "root reads everything"
	build_plugin
	mkdir -p "$dir/tree/secret"
	printf 'flat \nmain 1\n' >"$dir/tree/z.flat"
	chmod 000 "$dir/tree/secret"
	run --separate-stderr "$CGCONV" --module "$dir/plugin.so" "$dir/tree"
	chmod 755 "$dir/tree/secret"
	[ "$status" = 1 ]
	[[ $output == *"totals: 1"* ]]
	[[ $stderr == *"secret: error: cannot open: "* ]]
}

@test "paths: a function without an object is merged with the one that has it" {
	cat >"$dir/profile" <<-END
		events: Ir
		ob=/bin/app
		fl=/src/main.c
		fn=main
		1 10
		cfi=/src/work.c
		cfn=work
		calls=3 5
		2 300
		fl=/src/work.c
		fn=work
		5 300
	END
	cat >"$dir/coverage" <<-END
		events: Exec
		fl=/src/work.c
		fn=work
		5 7
		6 8
		fl=/src/other.c
		fn=work
		5 1
	END
	"$CGCONV" -t json "$dir/coverage" "$dir/profile" -o "$dir/both.cgj"
	"$CGCONV" -t json "$dir/profile" "$dir/coverage" -o "$dir/same.cgj"
	grep -c '^\["function"' "$dir/both.cgj" | grep -qx 3
	work=$(sed -n 's/^\["function",\([0-9]*\),"work",[0-9]*,1.*/\1/p' \
		"$dir/both.cgj")
	sed -n "/^\[\"rows\",$work\]/,/^\[\"[rt]o/p" "$dir/both.cgj" |
		grep -q '^\["cost",[0-9]*,5,0,\[7,300\]\]'
	"$CGCONV" "$dir/profile" "$dir/coverage" | grep -qx 'totals: 310 16'
	# Kept apart, or with two to choose from, nothing is joined.
	"$CGCONV" -t json --parts "$dir/coverage" "$dir/profile" |
		grep -c '^\["function"' | grep -qx 4
	sed 's,/bin/app,/lib/so,' "$dir/profile" >"$dir/second"
	"$CGCONV" -t json "$dir/coverage" "$dir/profile" "$dir/second" |
		grep -c '^\["function"' | grep -qx 6
}
