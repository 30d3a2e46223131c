# tau.bats - profiles of TAU.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

# costs FILE: functions with self and inclusive costs.
costs()
{
	"$CGCONV" -q -t json "$1" | perl tests/oracle/graph.pl | perl -F'\t' -lane '
		next unless $F[0] eq "function";
		$F[1] =~ s/^.*?:\d+://;
		printf "%s %d %d\n", $F[1], $F[2], $F[3] if $F[3] > 0' | LC_ALL=C sort
}

# rows FILE UNIT: the same of the rows of functions.
rows()
{
	perl -ne '
		BEGIN { $unit = shift }
		/^"([^"]*)" (\S+) \S+ (\S+) (\S+) 0 GROUP/ && $1 !~ /=>/ && $2 > 0 or next;
		my ($name, $self, $all) = ($1, $3, $4);
		$name =~ s/ C \[\{.*//;
		printf "%s %d %d\n", $name, $self * $unit, $all * $unit' "$2" "$1" |
		LC_ALL=C sort
}

# calls FILE: caller, callee, number.
calls()
{
	"$CGCONV" -q -t json "$1" | perl -MJSON::PP -ne '
		next unless ref($_ = decode_json($_)) eq "ARRAY";
		$name[$_->[1]] = $_->[2] if $_->[0] eq "function";
		$fn = $_->[1] if $_->[0] eq "rows";
		print $name[$fn] // "-", " > $name[$_->[4]]: $_->[7]\n"
			if $_->[0] eq "call"' | LC_ALL=C sort
}

@test "tau: costs are those of the rows of functions" {
	while read -r file unit n; do
		rows "samples/tau/$file" "$unit" >"$dir/rows"
		[ "$(wc -l <"$dir/rows")" -eq "$n" ]
		costs "samples/tau/$file" >"$dir/costs"
		same "$dir/rows" "$dir/costs"
	done <<-END
	stacks/profile.0.0.0 1000 4
	depth2/profile.1.0.0 1000 4
	flat/profile.0.0.1 1 3
	END
}

@test "tau: stacks, lines and calls of paths" {
	"$CGCONV" -t folded samples/tau/stacks/profile.0.0.0 2>"$dir/err" | says \
		'.TAU application 120000' \
		'.TAU application;int main(int, char **) 380000' \
		'.TAU application;int main(int, char **);void left(void) 2000250' \
		'.TAU application;int main(int, char **);void right(void) 4499500' \
		'.TAU application;int main(int, char **);void right(void);void left(void) 3000250'
	grep '1 user events are dropped' "$dir/err"
	sed 's/void right(void)/& C [{work.c} {11,1}-{17,1}]/g' \
		samples/tau/stacks/profile.0.0.0 >"$dir/in"
	"$CGCONV" -q -t json "$dir/in" | grep -F '"void right(void)",1,0,11'
	calls samples/tau/stacks/profile.0.0.0 | says '- > .TAU application: 1' \
		'.TAU application > int main(int, char **): 1' \
		'int main(int, char **) > void left(void): 2' \
		'int main(int, char **) > void right(void): 2' \
		'void right(void) > void left(void): 4'
}

@test "tau: calls of paths that are too short for stacks" {
	calls samples/tau/depth2/profile.1.0.0 | says '- > .TAU application: 1' \
		'.TAU application > main: 1' 'main > left: 6' 'main > right: 2'
	refuses 3 'folded needs stacks' -t folded samples/tau/depth2/profile.1.0.0
	calls samples/tau/flat/profile.0.0.1 |
		says '- > left: 6' '- > main: 1' '- > right: 2'
	"$CGCONV" -q -t json samples/tau/flat/profile.0.0.1 |
		grep -F '"PAPI_TOT_INS"'
}

@test "tau: samples, quotes, numbers with exponents, old heads" {
	printf '%s\n' '4 templated_functions' '# Name Calls' \
		'"operator"" s" 1e+0 0 2.5E-01 1.25e+06 0 GROUP="A"' \
		'"[SAMPLE] f [{a.c} {3}]" 1 0 5 5 0 GROUP="TAU_SAMPLE"' \
		'"f [{x" 1 0 3 3 0 GROUP="A"' \
		'"f => [CONTEXT] f" 1 0 3 3 0 GROUP="TAU_SAMPLE_CONTEXT|TAU_CALLPATH"' \
		'0 aggregates' >"$dir/in"
	costs "$dir/in" | says 'f [{x 3000 3000' 'operator"" s 250 1250000000'
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep 'warning: 2 rows of samples are skipped'
}

@test "tau: malformed and truncated profiles" {
	bad() { # TEXT MESSAGE
		printf "$1" >"$dir/in"
		refuses 1 "$2" -f tau -t json "$dir/in"
	}
	bad '1 functions\n' "expected a number of functions and 'templated_functions'"
	bad '1 templated_functions_MULTI_A B\n' 'expected a metric without blanks'
	bad '1 templated_functions\n"f" 1 0 x 1\n' 'in:2: error: expected a name in quotes'
	bad '1 templated_functions\n"f" 1 0 1e99 1\n' 'expected a name in quotes'
	bad '1 templated_functions\nf 1 0 1 1\n' 'expected a name in quotes'
	bad '0 templated_functions\n0 aggregates\n' 'expected rows of functions'
	head -n 6 samples/tau/stacks/profile.0.0.0 >"$dir/in"
	"$CGCONV" -t json "$dir/in" 2>&1 >"$dir/out" |
		grep "expected 9 functions, then 'aggregates'"
}

@test "tau: costs that no path has, several profiles in a file" {
	printf '%s\n' '3 templated_functions' '"main" 1 1 4 10 0' \
		'"f" 5 0 106 106 0' '"main => f" 2 0 6 6 0' '0 aggregates' \
		>"$dir/in"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" |
		says 'main 4000' 'main;f 6000'
	grep -F 'warning: paths lack 100000 of 110000 (ns)' "$dir/err"
	cat "$dir/in" "$dir/in" >"$dir/two"
	refuses 1 'two:6: error: expected one profile' -t json "$dir/two"
}
