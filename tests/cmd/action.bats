# action.bats - the shell parts of .github/actions/cgconv.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	coverage=$ROOT/.github/actions/cgconv/coverage
	mkdir "$dir/bin" "$dir/work"
	cp samples/lcov/geninfo-1.16/*.info "$dir/work/tests.info"
	export CGCONV RUNNER_TEMP=$dir INPUTS=tests.info OPTIONS=--no-sources
	export GITHUB_STEP_SUMMARY=$dir/summary GITHUB_OUTPUT=$dir/output
	export FAIL_UNDER='' PATCH_FAIL_UNDER='' PAGE=coverage.html
	unset GITHUB_BASE_REF
	cd "$dir/work"
}

@test "action: it writes a summary, a page, a comment and the percentage" {
	OPTIONS='' "$coverage" report
	"$CGCONV" --summary --markdown tests.info | same - "$dir/summary"
	{ echo '<!-- cgconv -->' && cat "$dir/summary"; } |
		same - "$dir/cgconv/comment.md"
	grep -q '<html' "$dir/cgconv/coverage.html"
	"$CGCONV" --summary tests.info | sed -n 's/^ *\([0-9.]*\)% .* all files.*/\1/p' |
		head -n 1 >"$dir/want"
	[ -s "$dir/want" ]
	sed 's/^lines=//' "$dir/output" | same "$dir/want" -
}

@test "action: there is no page without a name for it" {
	PAGE='' "$coverage" report
	[ ! -e "$dir/cgconv/coverage.html" ]
	[ -s "$dir/summary" ]
}

@test "action: the gate ends with status 7, after the report" {
	"$coverage" report
	"$coverage" gate
	FAIL_UNDER=lines=1 "$coverage" gate
	status=0
	FAIL_UNDER=lines=100 "$coverage" gate || status=$?
	[ "$status" -eq 7 ]
	status=0
	INPUTS='missing.info' "$coverage" report || status=$?
	[ "$status" -eq 1 ]
}

@test "action: the gate for changed lines compares with the base branch" {
	needs git
	# A line that did not run in any of the tests.
	read -r line file < <(awk -F '[:,]' '/^SF:/ { file = $2 }
		/^DA:/ { runs[$2 " " file] += $3 }
		END { for (at in runs) if (runs[at] == 0) print at }' tests.info)
	export OPTIONS='' GITHUB_BASE_REF=main
	# git prints the difference of the file's first uncovered line.
	cat >"$dir/bin/git" <<-END
		#!/bin/sh
		[ "\$*" = "diff origin/main..." ] || exit 3
		printf '%s\n' '--- a$file' '+++ b$file' '@@ -$line,0 +$line,1 @@' '+x'
	END
	chmod +x "$dir/bin/git"
	"$coverage" report
	status=0
	PATH=$dir/bin:$PATH PATCH_FAIL_UNDER=lines=100 "$coverage" gate || status=$?
	[ "$status" -eq 7 ]
	PATH=$dir/bin:$PATH PATCH_FAIL_UNDER=lines=0 "$coverage" gate
	# Nothing to compare with: no pull request.
	unset GITHUB_BASE_REF
	PATCH_FAIL_UNDER=lines=100 "$coverage" gate
}

@test "action: a comment is made once, then renewed" {
	cat >"$dir/bin/gh" <<-'END'
		#!/bin/sh
		echo "$*" >>"$LOG"
		case $* in *--jq*) exec cat "$IDS" ;; esac
		[ ! -e "$FAILS" ] || { cat "$FAILS" >&2; exit 1; }
	END
	chmod +x "$dir/bin/gh"
	export PATH=$dir/bin:$PATH LOG=$dir/log IDS=$dir/ids \
		FAILS=$dir/fails
	export GITHUB_REPOSITORY=o/r NUMBER=7
	"$coverage" report
	: >"$dir/ids"
	"$coverage" comment
	tail -n 1 "$dir/log" | says \
		"api repos/o/r/issues/7/comments -F body=@$dir/cgconv/comment.md"
	# Comments are told apart by the first line.
	grep -qF "startswith(\"$(head -n 1 "$dir/cgconv/comment.md")\")" "$dir/log"
	printf '%s\n' 41 42 >"$dir/ids"
	"$coverage" comment
	tail -n 1 "$dir/log" | says \
		"api -X PATCH repos/o/r/issues/comments/41 -F body=@$dir/cgconv/comment.md"
	# The token of a fork only reads: a warning. What else fails is an error.
	echo 'gh: Resource not accessible by integration (HTTP 403)' >"$dir/fails"
	"$coverage" comment 2>"$dir/err" | grep '^::warning::the token must not comment'
	grep -qF 'HTTP 403' "$dir/err"
	echo 'gh: Bad gateway (HTTP 502)' >"$dir/fails"
	not "$coverage" comment
	rm "$dir/fails"
	# There may be a comment that could not be listed: no second one is made.
	rm "$dir/ids"
	not "$coverage" comment
	tail -n 1 "$dir/log" | grep -q -- --jq
}

@test "action: action.yml runs these parts with the variables that they need" {
	cd "$ROOT/.github/actions/cgconv"
	sed -n "s/^ *run: '\"\$GITHUB_ACTION_PATH\/coverage\" \(.*\)'\$/\1/p" \
		action.yml | says report comment gate
	for name in INPUTS OPTIONS PAGE FAIL_UNDER PATCH_FAIL_UNDER NUMBER; do
		grep -q "^        $name: " action.yml
		grep -q "\$$name\|:=.*$name\|{$name" coverage
	done
	needs python3
	python3 -c 'import yaml' 2>/dev/null || skip "no YAML parser"
	python3 -c 'import yaml; a = yaml.safe_load(open("action.yml"))
assert all(s.get("shell") or s.get("uses") for s in a["runs"]["steps"])'
}
