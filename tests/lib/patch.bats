# patch.bats - which sources and lines coverage counts: --root, --no-external,
# --only-run, --patch.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	cd "$dir" || return 1
}

# info PATH LINES...: the section of a tracefile; lines ran once.
info()
{
	local path=$1

	shift
	printf '%s\n' "SF:$path"
	printf 'DA:%s,1\n' "$@"
	echo end_of_record
}

# The files and lines of a tracefile: "PATH LINE...", one file per line.
lines_of()
{
	awk -F '[:,]' '/^SF:/ { printf "%s", $2 } /^DA:/ { printf " %s", $2 }
		/^end/ { print "" }' "$@" | sort
}

# adds PATH...: a patch that adds the first line of these files.
adds()
{
	local path

	for path; do
		printf -- '--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+x\n' "$path"
	done
}

# leaves TEXT OPTION...: converted with them, a.info has these files and lines.
leaves()
{
	local want=$1

	shift
	"$CGCONV" -t lcov --no-markers "$@" a.info >out 2>err
	[ "$(lines_of out)" = "$want" ] || {
		cat err && lines_of out && false
	}
}

@test "root: drops what lies outside of it" {
	mkdir src
	{
		info "$dir/src/a.c" 1
		info "$dir/srcs/b.c" 1
		info /usr/include/c.h 1
		info rel.c 1
		info ../out.c 1
		info ..in.c 1
	} >a.info
	leaves "..in.c 1
$dir/src/a.c 1
rel.c 1" --root src
	leaves "..in.c 1
$dir/src/a.c 1
$dir/srcs/b.c 1
rel.c 1" --no-external
	leaves "..in.c 1
$dir/src/a.c 1
/usr/include/c.h 1
rel.c 1" --root src/ --root /usr/include
	leaves "..in.c 1
rel.c 1" --root /not/there
	# Paths are resolved first.
	info "$dir/src/../x.c" 1 >b.info && info "$dir/o/../src/y.c" 1 >>b.info
	info ./../z.c 1 >>b.info
	"$CGCONV" -q -t lcov --root src b.info >out
	[ "$(lines_of out)" = "$dir/o/../src/y.c 1" ]
	# Paths count as --map and --strip-prefix have made them.
	leaves "..in.c 1
include/c.h 1
rel.c 1" --root /not/there --strip-prefix /usr
	leaves "..in.c 1
$dir/src/a.c 1
rel.c 1" --root . --exclude 'srcs/*'
}

@test "root: a link to the directory is the directory" {
	mkdir real && ln -s real link
	{
		info "$dir/real/a.c" 1
		info "$dir/link/b.c" 1
	} >a.info
	leaves "$dir/link/b.c 1
$dir/real/a.c 1" --root link
	leaves "$dir/real/a.c 1" --root real
}

@test "root: nothing is left: a warning tells why" {
	info /usr/a.c 1 >a.info
	"$CGCONV" -t json --root /home a.info >/dev/null 2>err
	grep -F "the patterns and directories of files left no costs" err
}

@test "only-run: leaves out units that never ran; they are counted" {
	command -v gcc >/dev/null || skip "no gcc"
	echo 'int f(void) { return 1; }' >f.c
	echo 'int main(void) { return 0; }' >main.c
	gcc --coverage -o prog f.c main.c && gcc --coverage -c f.c -o f.o
	./prog && rm -f ./*f.gcda
	"$CGCONV" --summary --json . >json 2>err
	grep -F 'never ran: the counts are 0; --only-run leaves such units out' err |
		grep -F '2 of 3 units'
	"$CGCONV" --summary --only-run . >out 2>err2
	[ ! -s err2 ]
	not grep -q 'f\.c' out
	grep -q 'main\.c' out
}

@test "patch: the changed lines of git diff, whatever its prefixes" {
	command -v git >/dev/null || skip "no git"
	git init -q . && git config user.email a@b && git config user.name a
	mkdir -p src 'd "ö'
	seq 20 >src/a.c && seq 3 >src/gone.c && seq 5 >'d "ö/b.c'
	git add . && git commit -qm one
	sed -i -e '3s/.*/new/' -e '7d' -e '15a x\ny' src/a.c
	seq 4 >src/new.c && echo 6 >>'d "ö/b.c' && git rm -q src/gone.c
	git add -N src/new.c
	# shellcheck disable=SC2046 # numbers
	{
		info "$dir/src/a.c" $(seq 21)
		info "$dir/lib/src/a.c" $(seq 21)
		info "$dir/src/new.c" $(seq 4)
		info "$dir/src/gone.c" 1 2 3
		info "$dir/d \"ö/b.c" $(seq 6)
		info "$dir/other.c" 1
	} >a.info
	local want="$dir/d \"ö/b.c 6
$dir/src/a.c 3 15 16
$dir/src/new.c 1 2 3 4"
	git diff >a.diff
	leaves "$want" --patch a.diff
	[ ! -s err ]
	git diff --no-prefix >no.diff && leaves "$want" --patch no.diff
	git diff -U0 | sed 's/$/\r/' >crlf.diff && leaves "$want" --patch crlf.diff
	git -c diff.mnemonicPrefix=true diff >m.diff && leaves "$want" --patch m.diff
	git -c core.quotePath=false diff | leaves "$want" --patch -
	gzip -k a.diff && leaves "$want" --patch a.diff.gz
	# In the message of a commit, the same begins no file.
	printf '%s\n' '--- is a line' 'of text' '+++ b/other.c' | cat - a.diff >mailed.diff
	leaves "$want" --patch mailed.diff
}

@test "patch: diff -u of files and directories" {
	mkdir old new && seq 5 >old/a.c && sed '2s/.*/x/' old/a.c >new/a.c
	info a.c 1 2 3 >a.info
	diff -ru old new >dir.diff || [ $? -eq 1 ]
	leaves "a.c 2" --patch dir.diff
	diff -u old/a.c new/a.c >file.diff || [ $? -eq 1 ]
	leaves "a.c 2" --patch file.diff
	info /p/new/a.c 1 2 3 >a.info
	diff -u old/a.c new/a.c --label x/a.c.orig --label new/a.c >file.diff ||
		[ $? -eq 1 ]
	leaves "/p/new/a.c 2" --patch file.diff
}

@test "patch: relative paths that end one name are it, others are not" {
	{
		info b.c 1 2
		info x/c.c 1 2
	} >a.info
	adds src/b.c d/e.c >a.diff
	leaves "b.c 1" --patch a.diff
	grep -Fx "cgconv: warning: the input has no 'd/e.c' of the patch" err
	adds src/b.c 1/x/c.c 2/x/c.c >a.diff
	refuses 1 "'x/c.c' of the input may be '1/x/c.c' or '2/x/c.c' of the patch" \
		-t lcov --patch a.diff a.info
	leaves "1/x/c.c 1
b.c 1" --map x=1/x --patch a.diff
}

@test "patch: of which the input has no file is an error" {
	info /build/p/lib/a.c 1 >a.info
	adds mod/lib/a.c mod/lib/b.c README >a.diff
	refuses 1 "the patch has 'mod/lib/a.c', the input '/build/p/lib/a.c'" \
		--summary --fail-under lines=90 --patch a.diff a.info
	leaves "mod/lib/a.c 1" --map /build/p=mod --patch a.diff
	# Nothing of a kind that the input has, and nothing that it should have.
	adds README x.py >other.diff
	printf -- '--- a/a.c\n+++ b/a.c\n@@ -1 +0,0 @@\n-x\n' >less.diff
	for patch in "other.diff" "less.diff" "a.diff --exclude mod/*"; do
		# shellcheck disable=SC2086 # words
		"$CGCONV" --summary --fail-under lines=90 --no-markers --patch $patch \
			a.info >out 2>err
		not grep -F patch err
	done
	# Both are of this directory: the file has no code that was compiled.
	mkdir -p mod/lib && : >mod/lib/a.c
	info "$dir/main.c" 1 >a.info
	"$CGCONV" --summary --fail-under lines=90 --patch a.diff a.info >out 2>err
	grep -F "warning: the input has no 'mod/lib/a.c' of the patch" err
	# A batch converts each input for itself.
	adds main.c mod/lib/a.c >a.diff
	"$CGCONV" -t lcov -O out.d --patch a.diff a.info 2>err
	grep -F 'the input has none of 1 of 2 files of the patch' err
}

@test "patch: files that the input lacks count as not covered on request" {
	info a.c 1 2 >a.info
	printf -- '--- a/%s\n+++ b/%s\n@@ -0,0 +1,3 @@\n+x\n+\n+z\n' a.c a.c n.c \
		n.c n.py n.py >a.diff
	leaves "a.c 1 2
n.c 1 3" --missing-as-uncovered --patch a.diff
	grep -F "no 'n.c' of the patch: it counts as not covered" err
	local status=0
	"$CGCONV" -q --summary --fail-under lines=60 --missing-as-uncovered \
		--patch a.diff a.info >out 2>err || status=$?
	[ "$status" -eq 7 ]
	grep -F 'lines: 50.0% covered (2 of 4)' err
	refuses 2 'applies only with --patch' --summary --missing-as-uncovered a.info
}

@test "patch: git's colours are no part of it" {
	command -v git >/dev/null || skip "no git"
	git init -q . && git config user.email a@b && git config user.name a
	seq 9 >a.c && git add . && git commit -qm one
	sed -i -e '3s/.*/new \t/' -e '7d' -e '8a x' a.c
	info a.c 1 2 3 4 5 6 7 8 9 >a.info
	git diff --color=always >a.diff
	grep -q "$(printf '\033\\[32m+')" a.diff
	leaves "a.c 3 8" --patch a.diff
}

@test "patch: functions count if one of their lines is changed" {
	printf '%s\n' SF:a.c FN:1,3,f FNDA:1,f FN:5,7,g FNDA:1,g DA:1,1 DA:2,0 \
		BRDA:2,0,0,1 DA:5,1 BRDA:5,0,0,1 end_of_record >a.info
	printf -- '--- a/a.c\n+++ b/a.c\n@@ -2 +2 @@\n-x\n+y\n' >a.diff
	"$CGCONV" -t lcov --no-markers --patch a.diff a.info >out
	[ "$(grep -c '^FN:.*f$' out)" -eq 1 ]
	not grep -q '^FN:.*g$' out
	[ "$(grep -c BRDA: out)" -eq 1 ]
	"$CGCONV" -q -t cobertura --patch a.diff a.info >out.xml
	not grep -q 'name="g"' out.xml
	grep -q 'lines-valid="1"' out.xml
}

@test "patch: functions without a last line end where the next one begins" {
	printf '%s\n' SF:a.c FN:1,f FNDA:1,f FN:10,g FNDA:0,g DA:1,1 DA:3,0 DA:10,0 \
		DA:12,0 end_of_record >a.info
	# names LINE: the functions that are left if this line is changed.
	names()
	{
		printf -- '--- a/a.c\n+++ b/a.c\n@@ -%s +%s @@\n-x\n+y\n' "$1" "$1" >a.diff
		"$CGCONV" -q -t lcov --no-markers --patch a.diff a.info |
			sed -n 's/^FN:.*,//p' | paste -sd ' '
	}
	[ "$(names 1)" = f ]
	[ "$(names 3)" = f ]
	[ "$(names 10)" = g ]
	[ "$(names 12)" = g ]
}

@test "patch: of several files with the name, that of the working directory" {
	printf -- '--- a/m.c\n+++ b/m.c\n@@ -3 +3 @@\n-x\n+y\n' >a.diff
	{
		info /p/src/m.c 3
		info /p/lib/m.c 3
	} >a.info
	refuses 1 "'m.c' of the patch may be '/p/src/m.c' or '/p/lib/m.c' of the input" \
		--summary --patch a.diff a.info
	info "$dir/m.c" 3 >>a.info
	leaves "$dir/m.c 3" --patch a.diff
}

@test "patch: the gate looks at changed lines only, and is met without any" {
	info a.c 1 2 >a.info && sed -i 's/DA:2,1/DA:2,0/' a.info
	printf -- '--- a/a.c\n+++ b/a.c\n@@ -%s +%s @@\n-x\n+y\n' 2 2 >miss.diff
	printf -- '--- a/a.c\n+++ b/a.c\n@@ -%s +%s @@\n-x\n+y\n' 1 1 >hit.diff
	printf -- '--- a/a.c\n+++ b/a.c\n@@ -%s +%s @@\n-x\n+y\n' 9 9 >none.diff
	: >empty.diff
	local status=0
	"$CGCONV" -q --summary --fail-under lines=50 --patch miss.diff a.info || status=$?
	[ "$status" -eq 7 ]
	for patch in hit none empty; do
		"$CGCONV" -q --summary --fail-under lines=90 --patch $patch.diff a.info
	done
}

@test "patch: broken patches are errors with their lines" {
	info a.c 1 2 >a.info
	broken()
	{
		printf '%b' "$1" >p.diff
		refuses 1 "$2" --summary --patch p.diff a.info
	}
	broken 'hello\n' 'expected a unified diff'
	broken '--- a\n+++ b\n@@ -1,2 +1\n' 'p.diff:3: error: expected the lines of a hunk'
	broken '--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n' 'expected more lines of the hunk'
	broken '--- a\n+++ b\n@@ -1 +1 @@\n a\n b\n@@ -1,2 +1 @@\n+a\n*\n' 'p.diff:8: error: expected a line of the hunk'
	broken '--- a\n+++ b\n@@ -1 +1 @@\n+a\n+b\n' 'p.diff:5: error: expected a line of the hunk'
	broken '--- a\n+++ b\n@@@ -1 -1 +1 @@@\n' 'a combined one'
	broken '--- "a\\x"\n+++ b\n' 'p.diff:1: error: expected a file name in quotes'
	broken '--- a\n+++ b\n@@ -1,99999999999 +1 @@\n' 'expected the lines of a hunk'
	refuses 1 'No such file' --summary --patch none.diff a.info
	refuses 2 '--patch - cannot be used' --summary --patch - - <a.info
	refuses 2 '--patch - cannot be used' -t lcov -O out --patch - a.info
	refuses 2 'patch' -t callgrind --patch p.diff a.info
	refuses 2 '--patch applies only with' --info --patch p.diff a.info
	broken '--- "a\\400"\n+++ b\n' 'p.diff:1: error: expected a file name in quotes'
	broken '--- "a\\' 'p.diff:1: error: expected a file name in quotes'
}

@test "patch: a batch reads it in its sandbox" {
	mkdir p && info a.c 1 2 >a.info
	printf -- '--- a/a.c\n+++ b/a.c\n@@ -2 +2 @@\n-x\n+y\n' >p/a.diff
	"$CGCONV" -q -t lcov --no-markers -O out --patch "$dir/p/a.diff" a.info
	[ "$(lines_of out/*)" = "a.c 2" ]
}

@test "patch: files are found in linear time" {
	case $CFLAGS in *-fsanitize*) skip "not with sanitizers" ;; esac
	command -v valgrind >/dev/null || skip "no valgrind"
	steps()
	{
		for i in $(seq "$1"); do
			printf -- '--- a/d%d/a.c\n+++ b/d%d/a.c\n@@ -1 +1 @@\n-x\n+y\n' "$i" "$i"
		done >p.diff
		for i in $(seq "$1"); do info "/p/d$i/a.c" 1; done >b.info
		valgrind --tool=callgrind --callgrind-out-file=/dev/null \
			"$CGCONV" --no-markers -t lcov --patch p.diff -o o.info b.info 2>&1 |
			sed -n 's/.*Collected : //p'
	}
	[ "$(steps 4000)" -lt $((6 * $(steps 1000))) ]
}
