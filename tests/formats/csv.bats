# csv.bats - tables for scripts, with commas and with tabs.
load ../helper

EVENTS=samples/callgrind/events/callgrind.out

setup()
{
	dir=$BATS_TEST_TMPDIR
}

@test "csv: writes three tables" {
	for table in flat calls lines; do
		golden samples/callgrind/plain/callgrind.out csv --table="$table"
		golden samples/perf-script/inlined/srcline.perf tsv \
			--table="$table"
	done
}

@test "csv: numbers equal those of an independent reader" {
	perl tests/oracle/callgrind.pl "$EVENTS" >"$dir/facts"
	"$CGCONV" -q -t tsv --table=lines "$EVENTS" >"$dir/lines"
	# Ir of each line and function.
	perl -F'\t' -lane 'next unless $F[0] eq "self";
		/\tIr=(\d+)/ or next; $s{join " ", @F[5, 6, 4]} += $1;
		END { print "$_ $s{$_}" for sort keys %s }' "$dir/facts" >"$dir/want"
	perl -F'\t' -lane 'next if $. == 1; $s{join " ", @F[1, 2, 3]} += $F[4];
		END { print "$_ $s{$_}" for sort keys %s }' "$dir/lines" >"$dir/got"
	[ -s "$dir/want" ]
	same "$dir/want" "$dir/got"
	"$CGCONV" -q -t tsv --table=calls "$EVENTS" >"$dir/calls"
	perl -F'\t' -lane 'next unless $F[0] eq "call"; /\tIr=(\d+)/ or next;
		$s{join " ", @F[4, 6, 11]} += $1;
		END { print "$_ $s{$_}" for sort keys %s }' "$dir/facts" >"$dir/want"
	perl -F'\t' -lane 'next if $. == 1; $s{join " ", @F[2, 3, 6]} += $F[8];
		END { print "$_ $s{$_}" for sort keys %s }' "$dir/calls" >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "csv: the sum of self costs is the total" {
	for event in 5 6; do
		"$CGCONV" -q -t tsv "$EVENTS" |
			awk -F '\t' -v f="$event" 'NR > 1 { s += $f } END { print s }'
	done >"$dir/got"
	perl tests/oracle/callgrind.pl "$EVENTS" |
		awk '/^total\t(Ir|Dr)\t/ { print $3 }' | sort -rn >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "csv: a function twice in a stack is counted once" {
	printf 'main;a;b;a;c 5\nmain;a 5\n' |
		"$CGCONV" -q -f folded -t tsv - | cut -f 3,5,6 >"$dir/got"
	printf '%s\t%s\t%s\n' function samples 'samples inclusive' a 5 10 \
		c 5 5 b 0 5 main 0 10 '<cycle 1>' 0 10 >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "csv: quotes fields as in RFC 4180, replaces tabs with blanks" {
	printf '%s\n' '{"cgconv":"graph","version":1,"minor":0}' \
		'["event",0,"d","","","stated",true]' '["object",1,"/x y"]' \
		'["function",1,"a\"b, c\n\td",0,1]' '["function",2," e",0,0]' \
		'["rows",1]' '["cost",0,7,0,[-5]]' '["rows",2]' \
		'["cost",0,8,0,[18446744073709551615]]' '["end"]' >"$dir/in.cgj"
	sed -i 's/18446744073709551615/3/' "$dir/in.cgj"
	"$CGCONV" -q -t csv "$dir/in.cgj" >"$dir/out"
	printf '%s\r\n' 'object,file,function,calls by others,d,d inclusive' \
		',," e",0,3,3' >"$dir/want"
	printf '/x y,,"a""b, c\n\td",0,-5,-5\r\n' >>"$dir/want"
	same "$dir/want" "$dir/out"
	"$CGCONV" -q -t tsv --table=lines "$dir/in.cgj" >"$dir/out"
	printf '%s\t%s\t%s\t%s\t%s\n' object file line function d \
		'' '' 8 ' e' 3 '/x y' '' 7 'a"b, c  d' -5 >"$dir/want"
	same "$dir/want" "$dir/out"
}

@test "csv: an unknown table is a usage error" {
	refuses 2 "--table: expected flat, calls or lines, not 'frob'" -t csv --table=frob "$EVENTS"
}

@test "csv: there is no formula in names, unless --no-csv-safe asks for it" {
	printf 'events: =Ir\nfl=@f\nfn=%s\n1 1\n' '=cmd|x' '+a' '-[N s]' '@b' \
		'a=b' >"$dir/in.cg"
	for to in csv tsv; do
		"$CGCONV" -q -t $to --no-csv-safe "$dir/in.cg" >"$dir/plain"
		"$CGCONV" -q -t $to "$dir/in.cg" >"$dir/safe"
		[ "$(grep -cE '(^|[,	"])[=+@-]' "$dir/plain")" -eq 6 ]
		not grep -E '(^|[,	"])[=+@-]' "$dir/safe"
		grep -qF "'=cmd|x" "$dir/safe"
		not grep -F "'a=b" "$dir/safe"
		# Nothing else changes: without the marks it is the same table.
		tr -d "'" <"$dir/safe" | same "$dir/plain" /dev/stdin
	done
}

@test "csv: the name of an event may hold a comma" {
	perl tests/oracle/proto.pl >"$dir/in.pb" <<-'END'
	1 { 1: 1 2: 2 } 2 { 1: 1 2: 5 } 4 { 1: 1 4 { 1: 1 } } 5 { 1: 1 2: 3 }
	6: "" 6: "a,b" 6: "count" 6: "main"
	END
	"$CGCONV" -q -t csv "$dir/in.pb" >"$dir/out"
	sed -n 1p "$dir/out" | grep -qF ',"a,b","a,b inclusive"'
}

@test "csv: calls by others are without direct recursion, which call sites have" {
	in=samples/gprof-text/report/report.gprof
	"$CGCONV" -q -t csv "$in" | tr -d '\r' >"$dir/out"
	grep -x 'object,file,function,calls by others,ns,ns inclusive,cycle' \
		"$dir/out"
	grep '^,,fib,1,' "$dir/out"
	"$CGCONV" -q -t csv --table calls "$in" | grep ',,fib,0,,,fib,57312,0'
}
