# pairs.bats - converts every format of stacks to every other, and that to all
# again: what is lost equals what was reported as lost.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# Formats of stacks that can be written and read.
targets='folded json pprof speedscope'

# Prints the samples that contain stacks only. In otlp a moment can stand for two
# samples; speedscope then has one, which is not reported. caliper, gprofng, sleepy
# and xray state no numbers of samples; each record of pprof is one.
stack_samples()
{
	for file in $(samples | grep -v -e ^samples/otlp/ -e ^samples/perf-data/dwarf-arm64/ \
		-e ^samples/gprofng/ -e ^samples/xray/ \
		-e ^samples/caliper/ -e ^samples/sleepy/); do
		! "$CGCONV" -q -t folded "$file" -o "$dir/try" 2>/dev/null ||
			echo "$file"
	done
}

# converts FROM TO INTO: $lost is what it says that it loses. What is
# lost without this word is no event's name and no name's letter, but in folded
# stacks, and whose samples were merged, but for formats with labels.
converts()
{
	"$CGCONV" -v -t "$2" --no-root-by "$1" -o "$3" 2>"$dir/said"
	lost=$(sed -n "s/.*: $2 cannot represent: //p
		s/.*: labels of samples dropped: .*/labels/p
		s/.*: event .* of .* written; .*/events/p" "$dir/said" |
		paste -sd , | sed 's/,\([^ ]\)/, \1/g')
	case $2 in
	folded) lost="$lost, names, spelling, who" ;;
	speedscope) lost="$lost, who" ;;
	esac
}

# compare NAME LOST A B: A and B, in JSON, have the same stacks, except for the
# facts in LOST: listed for compares_all.
compare()
{
	printf '%s\t%s\t%s\t%s\n' "$@" >>"$dir/list"
}

compares_all()
{
	perl tests/oracle/stacks.pl <"$dir/list"
}

@test "pairs: what is missing in the output was reported as lost" {
	stack_samples >"$dir/samples"
	[ "$(wc -l <"$dir/samples")" -ge 30 ]
	n=0
	while read -r file; do
		n=$((n + 1))
		"$CGCONV" -q -t json "$file" -o "$dir/$n.json"
		for to in $targets; do
			converts "$file" "$to" "$dir/to"
			"$CGCONV" -q -t json "$dir/to" -o "$dir/$n.$to.json"
			compare "$file to $to" "$lost" "$dir/$n.json" \
				"$dir/$n.$to.json"
		done
	done <"$dir/samples"
	compares_all
}

@test "pairs: X to Y to X or Z loses only what was reported" {
	# One of each format.
	stack_samples | awk -F / '!seen[$2]++' >"$dir/samples"
	[ "$(wc -l <"$dir/samples")" -ge 10 ]
	n=0
	while read -r file; do
		n=$((n + 1))
		"$CGCONV" -q -t json "$file" -o "$dir/$n.json"
		for by in $targets; do
			converts "$file" "$by" "$dir/by"
			first=$lost
			for to in $targets; do
				converts "$dir/by" "$to" "$dir/to"
				"$CGCONV" -q -t json "$dir/to" \
					-o "$dir/$n.$by.$to.json"
				compare "$file to $by to $to" "$first, $lost" \
					"$dir/$n.json" "$dir/$n.$by.$to.json"
			done
		done
	done <"$dir/samples"
	compares_all
}

@test "pairs: what both formats can represent is identical after a round trip" {
	for file in samples/pprof/cpu/cpu.pb.gz \
		samples/perf-script/inlined/srcline.perf \
		samples/speedscope/sampled/*.json; do
		for x in folded pprof speedscope; do
			"$CGCONV" -q -t "$x" "$file" -o "$dir/x"
			for y in json speedscope pprof; do
				converts "$dir/x" "$y" "$dir/y"
				[ -z "$lost" ] || continue
				"$CGCONV" -q -t "$x" "$dir/y" -o "$dir/back"
				same "$dir/x" "$dir/back" || {
					echo "$file as $x to $y and back"
					return 1
				}
			done
		done
	done
}
