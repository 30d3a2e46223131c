# ways.bats - five ways to one output, byte by byte.
load ../helper

# The format of an output is chosen by -t or by its suffix; a sum is read by one
# process or by workers, or comes from JSON.
setup()
{
	dir=$BATS_TEST_TMPDIR
}

# copy FORMAT: copies samples of the format, and the notes of gcov's.
copy()
{
	local file to

	for file in $(samples "$1" | grep -v '\.gcno$' | head -n 5); do
		to=$dir/in/$(basename "${file%/*}")
		mkdir -p "$to"
		cp "$file" "$to"
		[ "$1" != gcov ] || cp "${file%/*}"/*.gcno "$to"
	done
	find "$dir/in" -type f ! -name '*.gcno' | LC_ALL=C sort >"$dir/list"
}

# way NAME ARG...: compares the output with that of -t FORMAT.
way()
{
	local name=$1

	shift
	rm -f "$dir/two"*
	"$CGCONV" -q "$@"
	cmp "$dir/one" "$dir"/two* || {
		echo "$format to $to, $name"
		return 1
	}
}

# For all targets that take the samples. Pages are named after their input.
all_ways()
{
	local format=$1 to suffix count=0

	copy "$format"
	mapfile -t files <"$dir/list"
	"$CGCONV" -q -t json -o "$dir/sum.cgj" "${files[@]}"
	while read -r to suffix; do
		case $to in html | json) continue ;; esac
		"$CGCONV" -q -t "$to" "${files[@]}" >"$dir/one" || continue
		way suffix -o "$dir/two.$suffix" "${files[@]}"
		way json -t "$to" -o "$dir/two" "$dir/sum.cgj"
		way "one worker" -t "$to" -r -j1 -o "$dir/two" "$dir/in"
		way "two workers" -t "$to" -r -j2 -o "$dir/two" "$dir/in"
		count=$((count + 1))
	done < <("$CGCONV" --list-formats |
		awk '$2 ~ /write/ { sub(";.*", "", $3); print $1, $3 }')
	[ "$count" -gt 5 ]
}

@test "ways: gcov's units, whose branches share lines" {
	all_ways gcov
}

@test "ways: gcov-text, whose templates share lines" {
	all_ways gcov-text
}

@test "ways: callgrind" {
	all_ways callgrind
}

@test "ways: pprof" {
	all_ways pprof
}

@test "ways: cobertura" {
	all_ways cobertura
}

@test "ways: lcov, whose templates share lines" {
	all_ways lcov
}
