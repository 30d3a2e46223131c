# phpspy.bats - samples of PHP by phpspy.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
}

@test "phpspy: stacks are those of stackcollapse-phpspy.pl" {
	"$CGCONV" -t folded samples/phpspy/request/pool.phpspy 2>"$dir/err" |
		says '<main>;Pool::run;Pool::next 1' \
		'<main>;Pool::run;Pool::wait;usleep 10' \
		'<main>;array_map;{closure};usleep 3'
	grep 'note: 70 comments are dropped' "$dir/err"
	"$CGCONV" -t folded samples/phpspy/lines/pool.phpspy |
		says '<main>;Pool::run;Pool::next 3' \
		'<main>;Pool::run;Pool::wait;usleep 11' \
		'<main>;array_map;{closure};usleep 3'
}

@test "phpspy: files and lines" {
	"$CGCONV" -q -t json samples/phpspy/request/pool.phpspy >"$dir/json"
	grep -F '["file",' "$dir/json" |
		says '["file",1,"/var/tmp/cgconv-samples/pool.php"]'
	# Functions of PHP itself have neither.
	perl -MJSON::PP -ne 'next unless ref($_ = decode_json($_)) eq "ARRAY";
		$name[$_->[1]] = $_->[2] if $_->[0] eq "function";
		print "$name[$_->[3]] $_->[4] $_->[5]\n" if $_->[0] eq "frame"' \
		"$dir/json" | LC_ALL=C sort -u | says '<main> 1 1' \
		'Pool::next 1 15' 'Pool::run 1 7' 'Pool::wait 1 21' \
		'array_map 0 0' 'usleep 0 0' '{closure} 1 28'
}

@test "phpspy: old separators, truncated frames, files with blanks" {
	printf '%s\n' '0 f /a b.php:3' '1 <main> /c' '# - - -' '0 g /a b.php:4' \
		'# - - -' >"$dir/in"
	"$CGCONV" -q -f phpspy -t folded "$dir/in" | says '<main>;f 1' 'g 1'
	"$CGCONV" -q -f phpspy -t json "$dir/in" | grep -F '"/a b.php"'
}

@test "phpspy: malformed and truncated samples" {
	bad() { # TEXT MESSAGE
		printf "$1" >"$dir/in"
		refuses 1 "$2" -f phpspy -t json "$dir/in"
	}
	bad '0 f /a:1\n2 g /a:2\n' 'in:2: error: expected a frame of depth 1'
	bad 'f /a:1\n' 'expected a depth, a function and FILE:LINE'
	bad '0\n' 'expected a depth'
	bad '# x\n' 'expected samples'
	printf '0 f /a:1\n1 g /a:' >"$dir/in"
	"$CGCONV" -f phpspy -t json "$dir/in" 2>&1 >"$dir/out" |
		grep -q 'may be truncated'
}
