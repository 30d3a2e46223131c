# cli.bats - the command line: options, inputs and outputs, exit statuses.
load ../helper
bats_require_minimum_version 1.5.0

PLAIN=samples/callgrind/plain/callgrind.out
PARTS=samples/callgrind/parts/callgrind.out
EVENTS=samples/callgrind/events/callgrind.out

setup()
{
	dir=$BATS_TEST_TMPDIR
	"$CGCONV" -t json "$PLAIN" >"$dir/right"
}

# Runs cgconv; its output has to equal that of -t json $PLAIN.
same_json()
{
	"$CGCONV" "$@" >"$dir/got"
	same "$dir/right" "$dir/got"
}

# Prints the names of all long options in a text.
option_names()
{
	grep -o -e '--[a-z][-a-z]*' | sort -u
}

build_plugin()
{
	# shellcheck disable=SC2086 # several flags
	${CC:-cc} ${CFLAGS:--O1} -Ilib -fPIC -shared -o "$dir/plugin.so" \
		tests/plugin.c
}

# ---- Inputs and outputs -----------------------------------------------------

@test "cli: short options, long ones and their values in every spelling" {
	same_json -tjson "$PLAIN"
	same_json -f callgrind -t json "$PLAIN"
	same_json --from=callgrind --to=json "$PLAIN"
	same_json --from callgrind --to json "$PLAIN"
	same_json "$PLAIN" -qvtjson
	same_json -t json -- "$PLAIN"
	cp "$PLAIN" "$dir/-odd"
	cd "$dir" && same_json -t json -- -odd
}

@test "cli: long options may be abbreviated, as far as they are unambiguous" {
	same_json --fro callgrind --to=json --quie "$PLAIN"
	same_json --json-s --to json "$PLAIN"
	same_json --no-json-s --to json "$PLAIN"
	# A complete name is not ambiguous if it is a prefix of others.
	refuses 2 "--json applies only with" --json -t json "$PLAIN"
	refuses 2 "option --re is ambiguous: --recursive, --resume, --retry-f" \
		--re "$PLAIN"
	refuses 2 "option --fo is ambiguous: --focus, --force, --format-version" \
		--fo=1 "$PLAIN"
	refuses 2 "--strict takes no value" --stric=yes "$PLAIN"
	refuses 2 "unknown option --;" --=x "$PLAIN"
	refuses 2 "--from needs a value: FORMAT" "$PLAIN" --fro
	# The manifest has the whole names.
	"$CGCONV" -q --gz --no-json-sa -O "$dir/o" -t json --mani "$dir/m" "$PLAIN"
	grep -qF '"options":["--gzip","--no-json-safe","--to=json"]' "$dir/m"
}

@test "cli: options may follow inputs; after -- there are none" {
	same_json "$PLAIN" -t json
	"$CGCONV" "$PLAIN" -t json "$PLAIN" --parts -q >"$dir/want"
	POSIXLY_CORRECT=1 "$CGCONV" "$PLAIN" -t json "$PLAIN" --parts -q |
		same "$dir/want" -
	cp "$PLAIN" "$dir/--strict"
	cp "$PLAIN" "$dir/-q"
	cp "$PLAIN" "$dir/a"
	cd "$dir"
	"$CGCONV" -q --parts -t json a -- --strict -q a >got
	[ "$(grep -c '^\["part"' got)" = 4 ]
	refuses 1 "--: error: cannot open" -t json -- a --
	# In bundles the value of the last letter may follow.
	"$CGCONV" -qtjson -fcallgrind -vo out a
	same right out
	refuses 2 "-o needs a value: FILE" a -qo
	[ "$("$CGCONV" -qh lcov)" = "$("$CGCONV" -h lcov)" ]
	[ "$("$CGCONV" -hq lcov)" = "$("$CGCONV" -h lcov)" ]
}

@test "cli: standard input, as - or because there is nothing else" {
	same_json -t json - <"$PLAIN"
	same_json -t json <"$PLAIN"
	cat "$PLAIN" | same_json -t json
}

@test "cli: standard output, as - or because there is nothing else" {
	same_json -t json -o - "$PLAIN"
	same_json -t json --output=- "$PLAIN"
}

@test "cli: reads gzip input from files and pipes, also compressed twice" {
	gzip -c "$PLAIN" >"$dir/in.gz"
	same_json -t json "$dir/in.gz"
	same_json -t json <"$dir/in.gz"
	gzip -c "$dir/in.gz" | same_json -t json
	cat "$dir/in.gz" | same_json -t json -
}

@test "cli: compresses output with --gzip or by suffix" {
	"$CGCONV" -t json --gzip "$PLAIN" | gzip -dc | cmp - "$dir/right"
	"$CGCONV" -t json -o "$dir/out.gz" "$PLAIN"
	gzip -dc "$dir/out.gz" | cmp - "$dir/right"
	"$CGCONV" -t json --gzip -o "$dir/out" "$PLAIN"
	gzip -dc <"$dir/out" | cmp - "$dir/right"
}

@test "cli: the suffix of -o chooses the format, callgrind is the default" {
	"$CGCONV" -o "$dir/a.cgj" "$PLAIN"
	same "$dir/right" "$dir/a.cgj"
	"$CGCONV" -o "$dir/b.cgj.gz" "$PLAIN"
	gzip -dc "$dir/b.cgj.gz" | cmp - "$dir/right"
	"$CGCONV" -o "$dir/callgrind.out.1" "$PLAIN"
	head -n 1 "$dir/callgrind.out.1" | grep -q '^# callgrind format'
	"$CGCONV" -t callgrind -o "$dir/c.cgj" "$PLAIN"
	same "$dir/callgrind.out.1" "$dir/c.cgj"
	# The longest matching suffix selects the format.
	"$CGCONV" --list-formats | awk 'NR > 1 && $2 ~ /write/ {
		n = split($3, suffix, ";")
		for (i = 1; i <= n; i++) print $1, suffix[i] }' >"$dir/suffixes"
	grep -q speedscope.json "$dir/suffixes"
	while read -r format suffix; do
		# Some need coverage or an executable: the error must be the
		# same.
		"$CGCONV" -q --guess-stacks -o "$dir/by.$suffix" "$PLAIN" \
			2>"$dir/err" || mv "$dir/err" "$dir/by.$suffix"
		"$CGCONV" -q --guess-stacks -t "$format" "$PLAIN" \
			>"$dir/to" 2>"$dir/err" || mv "$dir/err" "$dir/to"
		cmp "$dir/to" "$dir/by.$suffix"
	done <"$dir/suffixes"
}

@test "cli: an unknown suffix of -o is an error, except for common names" {
	for name in y.pdf y.txt y.pdf.gz a.callgrind/y.png .y.doc gmon.out; do
		mkdir -p "$dir/a.callgrind"
		refuses 2 "cannot tell the output format from '$dir/$name'" \
			-o "$dir/$name" "$PLAIN"
		[ ! -e "$dir/$name" ]
		"$CGCONV" -t callgrind -o "$dir/$name" "$PLAIN"
	done
	for name in y y.gz .y callgrind.out callgrind.out.y.7.part out.123 \
		callgrind.out.x.pdf y.callgrind a.txt/y; do
		mkdir -p "$dir/a.txt"
		"$CGCONV" -o "$dir/$name" "$PLAIN"
		[ -s "$dir/$name" ]
	done
}

@test "cli: warns of a misleading suffix" {
	"$CGCONV" -o "$dir/callgrind.out.json" "$PLAIN" 2>"$dir/err"
	same "$dir/right" "$dir/callgrind.out.json"
	grep -qx 'cgconv: note: callgrind.out.json is written as json because of its suffix; use --to callgrind otherwise' \
		"$dir/err"
	"$CGCONV" -o "$dir/callgrind.out.json.gz" "$PLAIN" 2>&1 |
		grep -q 'note: callgrind.out.json is written as json'
	for name in callgrind.out.1.json callgrind.out.cg callgrind.out.x \
		callgrind.json x.json; do
		"$CGCONV" -o "$dir/$name" "$PLAIN" 2>"$dir/err"
		not grep . "$dir/err"
	done
	"$CGCONV" -t callgrind -o "$dir/callgrind.out.json" "$PLAIN" \
		2>"$dir/err"
	not grep . "$dir/err"
	"$CGCONV" -t json -o "$dir/x.cgj.xz" "$PLAIN" 2>"$dir/err"
	same "$dir/right" "$dir/x.cgj.xz"
	grep -q 'x.cgj.xz is not compressed: only .gz selects that' "$dir/err"
}

@test "cli: merges several inputs, --parts keeps them apart" {
	"$CGCONV" -t callgrind "$PLAIN" "$PLAIN" | grep -x 'totals: 6260'
	"$CGCONV" -t callgrind --parts "$PLAIN" "$PLAIN" |
		grep -c '^part: ' | grep -x 2
}

@test "cli: leaves no temporary files in the output directory" {
	mkdir "$dir/out"
	"$CGCONV" -o "$dir/out/file" "$PLAIN"
	[ "$(ls -A "$dir/out")" = file ]
}

@test "cli: a failure keeps an older output and leaves no other file" {
	mkdir "$dir/out"
	echo old >"$dir/out/file"
	gzip -c "$PARTS" | head -c 500 >"$dir/cut"
	refuses 1 "cut:0x1f4: error: " -o "$dir/out/file" "$dir/cut"
	[ "$(cat "$dir/out/file")" = old ]
	refuses 1 "cut:0x1f4: error: " -o "$dir/out/new" "$dir/cut"
	[ "$(ls -A "$dir/out")" = file ]
	# The disk is full halfway through the output.
	(ulimit -f 1 && refuses 4 "File too large" -t json \
		-o "$dir/out/file" "$PARTS")
	[ "$(cat "$dir/out/file")" = old ]
	[ "$(ls -A "$dir/out")" = file ]
}

@test "cli: a signal leaves no file behind" {
	mkdir "$dir/out"
	mkfifo "$dir/pipe"
	exec 4<>"$dir/pipe"
	"$CGCONV" -f callgrind -o "$dir/out/file" - <"$dir/pipe" 4>&- 3>&- &
	pid=$!
	cat "$PLAIN" >&4
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	exec 4>&-
	[ "$status" -eq 143 ]
	[ -z "$(ls -A "$dir/out")" ]
}

# ---- Exit statuses ----------------------------------------------------------

@test "cli: exit status 1 for inputs that cannot be read" {
	refuses 1 "No such file" "$dir/missing"
	refuses 1 "no files to read in this directory" "$dir"
	echo "no profile at all" >"$dir/text"
	refuses 1 "$dir/text: error: unknown input format" "$dir/text"
	refuses 1 "empty" - </dev/null
	refuses 1 "<stdin>" -f callgrind - <"$dir/text"
}

@test "cli: exit status 2 for usage errors" {
	refuses 2 "unknown option --frobnicate" --frobnicate "$PLAIN"
	refuses 2 "unknown option -x" -qx "$PLAIN"
	refuses 2 "unknown format" -t frob "$PLAIN"
	refuses 2 "unknown format" -f frob "$PLAIN"
	refuses 2 "-t needs a value: FORMAT" "$PLAIN" -t
	refuses 2 "--to needs a value: FORMAT" "$PLAIN" --to
	refuses 2 "--strict takes no value" --strict=yes "$PLAIN"
	refuses 2 "-o is given twice" -o "$dir/a" -o "$dir/b" "$PLAIN"
	refuses 2 "-t is given twice" -t json --to=callgrind "$PLAIN"
	refuses 2 "cannot be used together" --info --detect "$PLAIN"
	refuses 2 "cannot be used together" --info -o "$dir/a" "$PLAIN"
	refuses 2 "cannot be used together" --list-formats -t json
	[ ! -e "$dir/a" ] && [ ! -e "$dir/b" ]
}

@test "cli: an option of an unused format is a usage error" {
	refuses 2 "--json-safe applies only when writing json" --json-safe \
		-t callgrind "$PLAIN"
	# The message names all formats with the option.
	refuses 2 "applies only when writing gcov-json, gcovr-json, lcov" \
		--format-version 1 -t csv "$PLAIN"
	refuses 2 "applies only when reading folded or writing clover, cobertura, codecov, cov" \
		--event Ir -t csv "$PLAIN"
	refuses 2 "expected yes or no" --json-safe=maybe -t json "$PLAIN"
	"$CGCONV" --json-safe -t json "$PLAIN" >/dev/null
	"$CGCONV" --no-json-safe -t json "$PLAIN" >/dev/null
}

@test "cli: exit status 3 with --strict if information is lost" {
	build_plugin
	refuses 3 "cannot represent: lines" --module "$dir/plugin.so" --strict \
		-t flat "$PLAIN"
	"$CGCONV" --module "$dir/plugin.so" -t flat "$PLAIN" >"$dir/flat"
	grep -qx "work 95" "$dir/flat"
}

@test "cli: lost information is a warning, with details in a note with -v" {
	# Lines and addresses are merged by function, stacks by call.
	"$CGCONV" -t dot samples/json/stacks/stacks.cgj 2>&1 >"$dir/out" |
		tee "$dir/err"
	grep -x "cgconv: warning: dot cannot represent: parts" "$dir/err"
	grep "note: event samples of 2 written; choose with --event" "$dir/err"
	[ "$(wc -l <"$dir/err")" -eq 2 ]
	"$CGCONV" -v --event time -t dot samples/json/stacks/stacks.cgj \
		2>"$dir/err" >"$dir/out"
	grep -x "cgconv: note: dot cannot represent: lines, instrs, stacks.*" \
		"$dir/err"
	grep -x "cgconv: warning: dot cannot represent: parts" "$dir/err"
	not grep events "$dir/err"
	# Coverage never had threads.
	"$CGCONV" -v -t lcov samples/json/stacks/stacks.cgj 2>&1 >"$dir/out" |
		grep -x "cgconv: note: lcov cannot represent: instrs, calls, inclusive, stacks, .*"
	# --strict and --verify report all losses.
	refuses 3 "dot cannot represent: lines, instrs, stacks, parts, events" \
		--strict -t dot samples/json/stacks/stacks.cgj
}

@test "cli: exit status 4 if the output cannot be written" {
	refuses 4 "No such file" -o "$dir/no/file" "$PLAIN"
	refuses 4 "Is a directory" -o "$dir" "$PLAIN"
	[ -w /dev/full ] || skip "no /dev/full"
	refuses 4 "No space left" -o /dev/full "$PLAIN"
	status=0
	"$CGCONV" "$PLAIN" >/dev/full 2>"$dir/err" || status=$?
	[ "$status" -eq 4 ]
	grep -q "No space left" "$dir/err"
	status=0
	"$CGCONV" --list-formats >/dev/full 2>"$dir/err" || status=$?
	[ "$status" -eq 4 ]
	grep -q "No space left" "$dir/err"
}

@test "cli: closed standard files are no outputs, and no success" {
	# A warning is written while the output is open.
	"$CGCONV" -t folded -o "$dir/a" samples/json/stacks/stacks.cgj \
		2>"$dir/err"
	[ -s "$dir/err" ]
	"$CGCONV" -t folded -o "$dir/b" samples/json/stacks/stacks.cgj 2>&-
	cmp "$dir/a" "$dir/b"
	"$CGCONV" -t folded -o "$dir/c" samples/json/stacks/stacks.cgj \
		0<&- 1>&- 2>&-
	cmp "$dir/a" "$dir/c"
	"$CGCONV" -q -O "$dir/out" -t folded samples/json/stacks/stacks.cgj \
		0<&- 1>&- 2>&-
	cmp "$dir/a" "$(find "$dir/out" -type f)"
	for args in "$PLAIN" --list-formats "--info $PLAIN"; do
		status=0
		# shellcheck disable=SC2086 # several words
		"$CGCONV" $args 2>"$dir/err" >&- || status=$?
		[ "$status" -eq 4 ]
		grep -q "Bad file descriptor" "$dir/err"
	done
	status=0
	"$CGCONV" -o "$dir/d" - 2>"$dir/err" 0<&- || status=$?
	[ "$status" -eq 1 ]
	grep -q "<stdin>: error: cannot read: Bad file descriptor" "$dir/err"
}

@test "cli: a closed pipe is exit status 4, not a signal" {
	awk 'BEGIN { print "# callgrind format\nevents: Ir"
		for (i = 0; i < 20000; i++) print "fn=function" i "\n1 1" }' \
		>"$dir/big"
	# More than fits into a pipe, so that writing fails.
	{ "$CGCONV" "$dir/big" 2>"$dir/err" || echo $? >"$dir/status"; } |
		head -c 1 >/dev/null
	[ "$(cat "$dir/status")" = 4 ]
}

@test "cli: writes text to a terminal, binary and compressed data if forced" {
	tty() { script -qec "$*" /dev/null </dev/null; }
	needs_terminal
	run -2 tty "$CGCONV" -t pprof "$PLAIN"
	[[ $output == *"not writing a binary profile to a terminal"* ]]
	run -2 tty "$CGCONV" -t callgrind --gzip "$PLAIN"
	[[ $output == *"not writing compressed data to a terminal"* ]]
	tty "$CGCONV" -q --guess-stacks -t pprof -o - "$PLAIN" >"$dir/out"
	[ -s "$dir/out" ]
	tty "$CGCONV" -t callgrind "$PLAIN" | grep -q "# callgrind format"
	run -2 tty "$CGCONV </dev/tty" -o "$dir/x"
	[[ $output == *"no input"* ]]
}

@test "cli: -q silences warnings and notes, not errors" {
	sed 's/^totals: .*/totals: 1/' "$PLAIN" >"$dir/wrong"
	"$CGCONV" "$dir/wrong" >"$dir/out" 2>"$dir/err"
	grep -q "warning: " "$dir/err"
	"$CGCONV" -q "$dir/wrong" >"$dir/out2" 2>"$dir/err"
	[ ! -s "$dir/err" ]
	same "$dir/out" "$dir/out2"
	refuses 1 "error: " -q "$dir/missing"
}

# ---- Detecting, listing, showing --------------------------------------------

@test "cli: --detect finds exactly one format for each sample, compressed or not" {
	for format in samples/*/; do
		format=$(basename "$format")
		[ "$format" != src ] || continue
		for file in $(samples "$format"); do
			"$CGCONV" --detect "$file" | grep -P \
				"^\Q$file\E\t$format\t(-|gzip)\t[1-9][0-9]*$"
			gzip -c "$file" >"$dir/packed"
			"$CGCONV" --detect "$dir/packed" |
				grep -P "\t$format\tgzip( gzip)?\t[1-9][0-9]*$"
		done
	done
}

@test "cli: --detect prints one line for any input" {
	status=0
	printf 'nothing known\n' >"$dir/$(printf 'a\tb\nc')"
	"$CGCONV" --detect "$PLAIN" Makefile "$dir/missing" "$dir"/a*c - \
		<"$EVENTS" >"$dir/out" 2>"$dir/err" || status=$?
	[ "$status" -eq 1 ]
	{
		printf '%s\tcallgrind\t-\t100\n' "$PLAIN"
		printf 'Makefile\t-\t-\t0\n'
		printf '%s\t-\t-\t0\n' "$dir/missing"
		printf '%s/a\\tb\\nc\t-\t-\t0\n' "$dir"
		printf -- '-\tcallgrind\t-\t100\n'
	} >"$dir/want"
	same "$dir/want" "$dir/out"
	grep -q "missing: error: .*No such file" "$dir/err"
}

@test "cli: --info shows events, parts and the top functions" {
	"$CGCONV" --info "$EVENTS" >"$dir/out"
	grep -q "^Input .*$EVENTS: callgrind$" "$dir/out"
	grep -qE '^  Ir +3,130' "$dir/out"
	grep -qE '^  Bcm +129' "$dir/out"
	grep -q 'pid [0-9]*  part 1  ./rec' "$dir/out"
	grep -qE '990 +31.63% +990 +31.63% +5 +loop \(/src/rec.c\)' "$dir/out"
	grep -qE ' pong <cycle [0-9]+> ' "$dir/out"
	"$CGCONV" --info <"$EVENTS" | tail -n +2 >"$dir/out2"
	tail -n +2 "$dir/out" | same - "$dir/out2"
}

@test "cli: --info lists all parts with -v, ten without" {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		printf 'part: %d\nevents: Ir\nfn=f\n1 1\n' "$i"
	done >"$dir/parts"
	"$CGCONV" --info "$dir/parts" | grep -x "  and 2 more; use -v to list all"
	"$CGCONV" --info -v "$dir/parts" 2>/dev/null | grep -x "  12  part 12"
}

@test "cli: --info sorts by the event of --event" {
	printf '%s\n' 'event: sum = a + 2 b' 'events: a b' 'fn=one' '1 5 1' \
		'fn=two' '1 1 5' 'fn=three' '1 2' >"$dir/in"
	rank()
	{
		"$CGCONV" --info "$@" "$dir/in" |
			sed -n '/^Top functions by self/,$s/.*%.* \([a-z]\)/\1/p' |
			tr '\n' ' '
	}
	[ "$(rank)" = "one three two " ]
	[ "$(rank --event a)" = "one three two " ]
	[ "$(rank --event=b)" = "two one " ]
	[ "$(rank --event sum)" = "two one three " ]
	[ "$(rank --event sum --top 1)" = "two " ]
	"$CGCONV" --info "$dir/in" | grep -qE '^  sum +20  = a \+ 2 b'
	refuses 2 "expected an event of the input (see --info), not 'c'" --info --event c "$dir/in"
	# Time is the main event, wherever it is.
	printf '%s\n' 'events: Ir ns' 'fn=one' '1 1 9' 'fn=two' '1 8 2' >"$dir/in"
	[ "$(rank)" = "one two " ]
	[ "$(rank --event Ir)" = "two one " ]
	refuses 2 "expected a number" --info --top many "$dir/in"
}

@test "cli: --info --json prints the same data and more" {
	printf '%s\n' 'event: sum = a + 2 b' 'events: a b' 'fn=one' '1 5 1' \
		'fn=two' '1 1 5' 'calls=3 1' '1 2 0' 'fn=three' '1 2' >"$dir/in"
	sed -i 's/^calls=3 1/cfn=three\ncalls=3 1/' "$dir/in"
	for args in "" "--event b --top 1"; do
		# shellcheck disable=SC2086 # several words
		"$CGCONV" --info --json $args "$dir/in"
	done >"$dir/out"
	dir=$dir perl -MJSON::PP -0777 -e '
		my ($all, $one) = JSON::PP->new->incr_parse(<>);
		my $in = $all->{inputs}[0];
		"$in->{path} $in->{format}" eq "$ENV{dir}/in callgrind" or die "inputs";
		grep { $_ eq "calls" } @{$all->{contains}} or die "contains";
		$all->{size}{functions} == 3 && $all->{size}{parts} == 1 or die "size";
		my @sum = map { "$_->{name}=$_->{total}" } @{$all->{events}};
		"@sum" eq "a=8 b=6 sum=20" or die "events: @sum";
		$all->{events}[2]{formula} eq "a + 2 b" or die "formula";
		$all->{sorted_by} eq "a" or die "sorted_by";
		"@{$all->{parts}[0]{totals}}" eq "8 6 20" or die "parts";
		my @fn = @{$all->{functions}};
		join(" ", map { $_->{name} } @fn) eq "one two three" or die "order";
		"@{$fn[1]{inclusive}}" eq "3 5 13" or die "inclusive";
		"@{$fn[1]{self}}" eq "1 5 11" or die "self";
		$fn[2]{calls} == 3 or die "calls";
		$one->{sorted_by} eq "b" && @{$one->{functions}} == 1 &&
			$one->{functions}[0]{name} eq "two" or die "--event, --top";
	' "$dir/out"
}

@test "cli: --info --json is valid JSON for any profile" {
	# Bytes that are not UTF-8, the largest number, one that overflows.
	printf 'events: x\377 y\nfn=f"\\\t\376\n1 18446744073709551615 1\nfn=g\n1 0 2\n' |
		"$CGCONV" --info --json >"$dir/got"
	grep -qF '"name":"f\"\\\t\udcfe"' "$dir/got"
	grep -qF '"self":[18446744073709551615,1]' "$dir/got"
	printf 'part: 1\nevents: x\nfn=f\n1 18446744073709551615\npart: 2\nfn=f\n1 1\n' |
		"$CGCONV" --info --json - 2>"$dir/err" >"$dir/got" ||
		grep -q 'error: ' "$dir/err"
	for file in $(samples); do
		# shellcheck disable=SC2046 # two words or none
		"$CGCONV" -q --info --json $(exe_of "$file") "$file" \
			>"$dir/got" 2>/dev/null || continue
		perl -MJSON::PP -0777 -ne '$d = decode_json($_);
			@{$_->{self}} == @{$d->{events}} or die
				for @{$d->{functions}}' "$dir/got"
	done
}

@test "cli: --info escapes control characters" {
	printf 'events: Ir\nfn=a\033[31mb\tc\302\233d\377\342\200\256e\n1 1\n' |
		"$CGCONV" --info >"$dir/out"
	grep -qF 'a\x1b[31mb\tc\xc2\x9bd\xff\xe2\x80\xaee' "$dir/out"
	[ "$(LC_ALL=C tr -d '\n -~' <"$dir/out" | wc -c)" -eq 0 ]
	printf 'events: Ir\nfn=s\303\244gen\n1 1\n' | "$CGCONV" --info |
		grep -q "$(printf ' s\303\244gen$')"
}

@test "cli: --version and --help work with any other options" {
	[ "$("$CGCONV" --version)" = "cgconv $(sed -n \
		's/^#define CG_VERSION "\(.*\)"/\1/p' lib/cgconv.h)" ]
	"$CGCONV" --help | grep -q '^Usage: cgconv '
	"$CGCONV" --help | grep -q ' by the suffix of -o, or callgrind\]$'
	"$CGCONV" --help options | grep -q ' -o, or callgrind\]$'
	"$CGCONV" "$dir/missing" -h | grep -q '^Usage: cgconv '
	[ "$("$CGCONV" --help all | grep -v '^Options of' |
		awk 'length > 100')" = "" ]
	[ "$("$CGCONV" --help | awk 'length > 90')" = "" ]
	[ "$("$CGCONV" --help options | awk 'length > 90')" = "" ]
}

@test "cli: --version -v names libraries, their licences, and the sandbox" {
	for way in "--version -v" "-v --version" "-vV" "-V --verbose"; do
		# shellcheck disable=SC2086 # several words
		"$CGCONV" $way >"$dir/verbose"
		head -n 1 "$dir/verbose" | same - <("$CGCONV" --version)
		for row in 'Licence    BSD-2-Clause' 'Formats    [0-9]*; reads ' \
			'Libraries  json-c [0-9.]*, linked; MIT' \
			' *zlib [0-9.]*, linked; Zlib' \
			' *libxml2 [0-9.]*, .*; MIT' ' *libarchive [0-9.]*, ' \
			' *libdw' ' *liblzma [0-9.]*, ' ' *libzstd [0-9.]*, ' \
			'Plug-ins   ' 'Threads    [1-9]' 'Sandbox    .'; do
			grep -qx "$row.*" "$dir/verbose"
		done
	done
	[ "$("$CGCONV" -j 3 -v -V | sed -n 's/^Threads *//p')" = 3 ]
	"$CGCONV" --list-formats | sed 1d | wc -l >"$dir/count"
	sed -n 's/^Formats *\([0-9]*\);.*/\1/p' "$dir/verbose" | same "$dir/count" -
}

@test "cli: --help is one page with examples that work" {
	"$CGCONV" --help >"$dir/page"
	[ "$(wc -l <"$dir/page")" -le 60 ]
	grep '^  *-' "$dir/page" | grep -v '^  cgconv' >"$dir/common"
	[ "$(wc -l <"$dir/common")" -ge 10 ]
	"$CGCONV" --help options | not grep -vxFf - "$dir/common"
	# Each example names options and suffixes that the program knows.
	sed -n 's/^  cgconv \(.*[^ ]\)  *# .*/\1/p' "$dir/page" >"$dir/examples"
	[ "$(wc -l <"$dir/examples")" -ge 6 ]
	cd "$dir"
	while read -r line; do
		# shellcheck disable=SC2086 # several words
		refuses 1 "No such file" $line
	done <examples
}

@test "cli: --help options and FORMAT show the options of both" {
	"$CGCONV" --help options >"$dir/own"
	not grep '^Options of' "$dir/own"
	"$CGCONV" --help all >"$dir/all"
	head -n "$(wc -l <"$dir/own")" "$dir/all" | same - "$dir/own"
	"$CGCONV" --list-formats | awk 'NR > 1 { print $1 }' >"$dir/names"
	while read -r name; do
		"$CGCONV" --help "$name" >"$dir/one"
		head -n 2 "$dir/one" | grep -q "^$name (.* has no options" ||
			cat "$dir/one"
	done <"$dir/names" >"$dir/ones"
	tail -n +$(($(wc -l <"$dir/own") + 1)) "$dir/all" | same - "$dir/ones"
	"$CGCONV" -h lcov gprof | grep '^Options of' | wc -l | grep -qx 2
	"$CGCONV" -h csv --strict | grep -q -e '--table NAME'
	refuses 2 "unknown format 'nosuch'" --help nosuch
}

@test "cli: --help --json says the same as --help all and --list-formats" {
	"$CGCONV" --help --json >"$dir/help.json"
	"$CGCONV" --json --help | same - "$dir/help.json"
	names='import json, sys
d = json.load(sys.stdin)
for o in d["options"] + [o for f in d["formats"] for o in f["options"]]:
    print("--" + o["name"])'
	needs python3
	python3 -c "$names" <"$dir/help.json" | sort -u >"$dir/json"
	"$CGCONV" --help all | grep '^ ' | option_names | same - "$dir/json"
	python3 -c 'import json, sys
for f in json.load(sys.stdin)["formats"]:
    can = [w for w, k in (("read", "reads"), ("write", "writes")) if k in f]
    print("|".join([f["name"], ",".join(can), ";".join(f["suffixes"]) or "-",
        f["title"], " ".join(f["contains"]) or "-"]))' <"$dir/help.json" |
		same - <("$CGCONV" --list-formats | tail -n +2 | sed 's/   */|/g')
	python3 -c 'import json, sys
for s in json.load(sys.stdin)["exit_status"]:
    print("  %d  %s" % (s["status"], s["means"]))' <"$dir/help.json" |
		same - <("$CGCONV" --help options | sed '1,/^Exit status/d')
}

@test "cli: a conversion that takes long shows its progress on a terminal" {
	needs_terminal
	mkfifo "$dir/slow"
	for quiet in "" -q; do
		(head -n 3 "$PLAIN" && sleep 1.3 && tail -n +4 "$PLAIN") \
			>"$dir/slow" &
		script -qec "stty cols 100; $CGCONV $quiet -o $dir/out$quiet $dir/slow" \
			/dev/null </dev/null 3>&- >"$dir/terminal"
		wait
		tr '\r' '\n' <"$dir/terminal" >"$dir/lines$quiet"
	done
	grep -q '^reading: 1.9 kB' "$dir/lines"
	# The line is removed at the end.
	[ "$(tail -n 1 "$dir/lines")" = "$(printf '\033[K')" ]
	not grep -q . "$dir/lines-q"
	same "$dir/out" "$dir/out-q"
	# None in a log.
	(head -n 3 "$PLAIN" && sleep 1.3 && tail -n +4 "$PLAIN") >"$dir/slow" &
	"$CGCONV" -o "$dir/out" "$dir/slow" 2>"$dir/log"
	[ ! -s "$dir/log" ]
}

@test "cli: no option of a format has the name of one of the program's" {
	"$CGCONV" --help options | grep '^ ' | option_names >"$dir/own"
	# A flag of a format has two names.
	"$CGCONV" --help all | sed '1,/^Options of/d' |
		sed -n 's/^ *--\([a-z-]*\) \(.*\)/\1 \2/p' |
		awk '{ print "--" $1 } $2 !~ /^[A-Z]/ { print "--no-" $1 }' |
		sort -u >"$dir/of-formats"
	grep -qx -e --no-spontaneous "$dir/of-formats"
	# The program hands --event to the format, as it cannot rank functions.
	comm -12 "$dir/own" "$dir/of-formats" >"$dir/both"
	echo --event | same - "$dir/both"
	"$CGCONV" -t callgrind --spontaneous "$PLAIN" | cmp - <("$CGCONV" "$PLAIN")
}

@test "cli: --list-formats is sorted, but for the default" {
	"$CGCONV" --list-formats | awk 'NR > 1 { print $1 }' >"$dir/names"
	[ "$(head -n 1 "$dir/names")" = callgrind ]
	tail -n +2 "$dir/names" | tr - _ | LC_ALL=C sort -c
}

# ---- Documents --------------------------------------------------------------

@test "cli: the man page has exactly the options of --help" {
	"$CGCONV" --help all | grep '^ ' | option_names >"$dir/help"
	sed -n 's/^\.It.* Fl -\([a-z][-a-z]*\).*/--\1/p' cmd/cgconv.1 |
		sort -u >"$dir/man"
	same "$dir/help" "$dir/man"
}

@test "cli: the man page has no error" {
	command -v man >/dev/null || skip "no man"
	man --warnings -l cmd/cgconv.1 2>"$dir/err" >"$dir/man"
	[ ! -s "$dir/err" ]
	# Headings equal those of --help, none is parsed as a macro.
	"$CGCONV" --help options | sed -n 's/^\([A-Z][a-z ]*\):$/   \1/p' |
		grep -v 'Exit status' >"$dir/groups"
	grep -qx '   In general' "$dir/groups"
	while IFS= read -r group; do
		grep -qx "$group" "$dir/man"
	done <"$dir/groups"
}

@test "cli: mandoc reports nothing about the man pages" {
	command -v mandoc >/dev/null || skip "no mandoc"
	# References to other pages depend on the machine.
	for page in cmd/*.[13] lib/*.[13]; do
		[ ! -e "$page" ] || mandoc -T lint -W style "$page"
	done 2>&1 | not grep -v -e "outdated mandoc.db" \
		-e "referenced manual not found"
}

# The rows of README.md's tables of that head: format|can|suffixes|title.
readme_table()
{
	sed -n "/^| *$1 /,/^\$/s/^| *\(.*[^ ]\) *|\$/\1/p" README.md |
		sed 's/ *| */|/g' | grep -v -e "^$1|" -e '^---'
}

@test "cli: README.md and the man page list formats as --list-formats does" {
	"$CGCONV" --list-formats | sed 's/   */|/g' >"$dir/list"
	readme_table format | sort >"$dir/readme"
	tail -n +2 "$dir/list" | cut -d '|' -f 1-4 | sort | same "$dir/readme" -
	tail -n +2 "$dir/list" | while IFS='|' read -r name can _ _ contains; do
		grep -qx "\.It Sy $name" cmd/cgconv.1
		sed -n "/^\.It Sy $name\$/,/^\.El/p" cmd/cgconv.1 >"$dir/man"
		grep -qiF "$can" "$dir/man"
		[ "$contains" = - ] ||
			tr '\n' ' ' <"$dir/man" | grep -qF "$contains"
	done
}

@test "cli: all options in README.md are in --help" {
	"$CGCONV" --help all | option_names >"$dir/help"
	[ -s README.md ]
	# Except options of profilers, compilers and Slurm,
	# and those in titles of formats.
	grep -v '^    \(python3\|node\) \|c++ --\|sbatch\|^#SBATCH\|^| .* | read' README.md | option_names |
		comm -23 - "$dir/help" >"$dir/unknown"
	echo "unknown: $(cat "$dir/unknown")"
	[ ! -s "$dir/unknown" ]
}

# ---- Plug-ins ---------------------------------------------------------------

@test "cli: --module adds a format with its options" {
	build_plugin
	mod=(--module "$dir/plugin.so")
	printf 'flat ticks\nmain 3\nwork 4\n' >"$dir/in.flat"
	"$CGCONV" "${mod[@]}" --list-formats | grep -q '^flat  *read,write  *flat '
	"$CGCONV" "${mod[@]}" --help flat | grep -q -e '--event NAME  *what is counted'
	"$CGCONV" "${mod[@]}" --detect "$dir/in.flat" | grep -q 'flat	-	100$'
	"$CGCONV" "${mod[@]}" --event=Ticks "$dir/in.flat" | grep -qx 'events: Ticks'
	"$CGCONV" "${mod[@]}" -q --shout -o "$dir/out.flat" "$PLAIN"
	grep -qx '!work 95' "$dir/out.flat"
	printf 'flat \nmain x3\n' | refuses 1 \
		"<stdin>:2:6: error: expected 'FUNCTION COST'" "${mod[@]}"
	refuses 2 "--shout applies only when writing flat" "${mod[@]}" --shout "$dir/in.flat"
}

@test "cli: --module rejects files that are no modules" {
	refuses 2 "cannot load module" --module "$dir/missing.so" "$PLAIN"
	refuses 2 "expected a path with a '/'" --module plugin.so "$PLAIN"
	echo 'int x;' >"$dir/x.c"
	# shellcheck disable=SC2086 # several flags
	${CC:-cc} ${CFLAGS:--O1} -fPIC -shared -o "$dir/x.so" "$dir/x.c"
	refuses 2 "no symbol cg_modules" --module "$dir/x.so" "$PLAIN"
	sed 's/CG_MODULE,/.abi = 77, .size = sizeof(struct cg_module),/' \
		tests/plugin.c >"$dir/old.c"
	${CC:-cc} ${CFLAGS:--O1} -Ilib -fPIC -shared -o "$dir/old.so" \
		"$dir/old.c"
	refuses 2 "another version" --module "$dir/old.so" "$PLAIN"
	build_plugin
	refuses 2 "two modules are called flat" --module "$dir/plugin.so" \
		--module "$dir/plugin.so" "$PLAIN"
}

@test "cli: misspelt formats and options are answered by the nearest name" {
	refuses 2 "unknown format 'callgrnd': did you mean callgrind?" \
		-t callgrnd "$PLAIN"
	refuses 2 "unknown format 'lcvo': did you mean lcov?" -f lcvo "$PLAIN"
	refuses 2 "unknown option --strcit: did you mean --strict?" --strcit "$PLAIN"
	# Half of the letters are no misspelling.
	refuses 2 "unknown format 'perf'; see --list-formats" -t perf "$PLAIN"
	refuses 2 "unknown format 'xy'; see --list-formats" -t xy "$PLAIN"
	refuses 2 "unknown option --frobnicate; see --help all" --frobnicate
	# Suffixes and words of titles, of formats that can do it.
	for try in t:kcg:callgrind f:gmon:gprof t:kcachegrind:callgrind \
		t:uftrace:trace-event f:perf:'perf-data or perf-script' f:php:'phpspy, xdebug or xhprof' \
		t:flamegraph:'folded, html or svg' t:firefx:firefox; do
		IFS=: read -r letter word want <<<"$try"
		refuses 2 "'$word': did you mean $want? See" "-$letter" "$word" "$PLAIN"
	done
	refuses 2 "did you mean a.b/x.firefox.json?" -o a.b/x.firefox "$PLAIN"
	refuses 2 "did you mean x.trace.json.gz?" -o x.uftrace.gz "$PLAIN"
	refuses 2 "did you mean x.json?" -o x.jsn "$PLAIN"
	refuses 2 "use --to with folded, html or svg" -o x.flamegraph "$PLAIN"
	[ "$("$CGCONV" -V)" = "$("$CGCONV" --version)" ]
}

@test "cli: filters that leave nothing say so; they do not change stated totals" {
	printf 'events: Ir\nfl=a.c\nfn=f\n1 10\nfl=b.c\nfn=g\n1 5\ntotals: 15\n' \
		>"$dir/in"
	"$CGCONV" --include 'a.*' "$dir/in" 2>"$dir/err" | grep -x 'totals: 10'
	[ ! -s "$dir/err" ]
	for j in 1 2; do
		"$CGCONV" -j$j --include 'c.*' -o "$dir/out" --force "$dir/in" \
			"$dir/in" 2>"$dir/err"
		grep -F ': warning: the patterns of files left no costs' \
			"$dir/err"
	done
	refuses 3 'lcov needs lines; the patterns of files left none' -t lcov \
		--exclude '*' "$dir/in"
}

@test "cli: messages contain no control characters of names" {
	# A C1 control, a right-to-left mark, an escape sequence.
	name=$(printf 'x\302\233[31m\342\200\256\033[1m\330\234')
	for args in "--event=$name" "--width=$name" "--$name" "-f$name" "$name"; do
		run "$CGCONV" -t svg "$args" samples/json/stacks/stacks.cgj
		[[ $output == *'x\xc2\x9b[31m\xe2\x80\xae\x1b[1m\xd8\x9c'* ]]
		[ "$(LC_ALL=C tr -d '\n -~' <<<"$output" | wc -c)" -eq 0 ]
	done
}

# ---- Outputs and inputs -----------------------------------------------------

# keeps ARG...: a usage error, and all files stay as they are.
keeps()
{
	md5sum -- * >"$dir/sums"
	refuses 2 "would overwrite" "$@"
	md5sum --quiet -c "$dir/sums"
}

@test "cli: an output never overwrites a file that is read" {
	unit=$PWD/samples/gcov/gcc-c
	gprof=$PWD/samples/gprof/calls
	mkdir "$dir/in"
	cd "$dir/in"
	printf 'a;b 3\n' | tee x.folded >y.folded
	cp "$unit"/cover.gc* "$gprof"/[gp]* "$unit/../../src/cover.c" .
	ln x.folded hard
	ln -s x.folded soft
	keeps -t folded -o x.folded x.folded
	keeps -t json -o x.folded y.folded x.folded
	keeps -t json -o hard x.folded
	keeps -t json -o soft x.folded
	keeps -t json -o x.folded soft
	keeps -t json -o x.folded - <x.folded
	keeps -t json -o x.folded <x.folded
	keeps --diff -o x.folded y.folded x.folded
	keeps -t json -o prog gmon.out prog
	keeps -t json -o prog --exe prog gmon.out
	keeps -t lcov -o x.folded --patch x.folded cover.gcda
	keeps -t json -o cover.gcda .
	# Companions, sources, the default executable are known when it reads.
	keeps -t json -o cover.gcno cover.gcda
	keeps --diff -t json -o cover.gcno cover.gcda cover.gcda
	keeps -t html -o cover.c cover.gcda
	mv prog a.out
	keeps -t json -o a.out gmon.out
	status=0
	"$CGCONV" -t json x.folded >>x.folded 2>err || status=$?
	[ "$status" -eq 2 ]
	# These are not files that hold something.
	"$CGCONV" -t json -o /dev/null x.folded
	"$CGCONV" -t json -o new x.folded
}
