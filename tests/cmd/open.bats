# open.bats - --open: the output in a viewer. The viewers here are scripts that
# write down what they were given.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	mkdir "$dir/bin"
	printf 'main;a 3\n' >"$dir/in.folded"
	export OPENED=$dir/opened
	system=xdg-open
	[ "$(uname)" != Darwin ] || system=open
}

# viewer NAME...: there are these, and no other.
viewer()
{
	local name

	for name in "$@"; do
		printf '#!/bin/sh\n%s\n%s\n' "cat \"\$1\" >\"\$OPENED.text\"" \
			"echo \"$name \$*\" >\"\$OPENED.new\" && /bin/mv \"\$OPENED.new\" \"\$OPENED\"" \
			>"$dir/bin/$name"
		sed -i 's,^cat,/bin/cat,' "$dir/bin/$name"
		chmod +x "$dir/bin/$name"
	done
	export PATH=$dir/bin
}

# The viewer may still run when the program ends.
opened()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[ ! -e "$OPENED" ] || break
		/bin/sleep 0.1
	done
	[ "$(/bin/cat "$OPENED")" = "$1" ]
}

@test "open: KCachegrind shows Callgrind's files, the system's viewer others" {
	old=$PATH
	viewer kcachegrind qcachegrind "$system"
	"$CGCONV" --open -o "$dir/out.callgrind" "$dir/in.folded" 2>"$dir/err"
	opened "kcachegrind $dir/out.callgrind"
	PATH=$old
	same "$dir/out.callgrind" "$OPENED.text"
	grep -xF "$dir/out.callgrind: note: opened by kcachegrind" "$dir/err"
	rm "$OPENED"
	PATH=$dir/bin "$CGCONV" --open -o "$dir/out.svg" "$dir/in.folded" \
		2>"$dir/err"
	opened "$system $dir/out.svg"
	same "$dir/out.svg" "$OPENED.text"
	grep -qF "opened by $system" "$dir/err"
	rm "$OPENED"
	PATH=$dir/bin "$CGCONV" -q --open --diff "$dir/in.folded" \
		"$dir/in.folded" -o "$dir/out.svg" 2>"$dir/err"
	opened "$system $dir/out.svg"
	[ ! -s "$dir/err" ]
}

@test "open: other viewers are tried; none is a warning, the output is written" {
	old=$PATH
	viewer qcachegrind
	cd "$dir"
	"$CGCONV" --open -t callgrind -o -x in.folded 2>err
	opened 'qcachegrind ./-x'
	PATH=$old
	grep -qF 'opened by qcachegrind' err
	rm bin/* "$OPENED"
	PATH=$dir/bin "$CGCONV" --open -o out.callgrind in.folded 2>err
	grep -xF "out.callgrind: warning: written, but not opened: no kcachegrind, qcachegrind, $system" err
	grep -q '^fn=' out.callgrind
}

@test "open: nothing is opened if the conversion fails" {
	old=$PATH
	viewer kcachegrind "$system"
	PATH=$old
	printf 'main;a x\n' >"$dir/bad.folded"
	PATH=$dir/bin:$old refuses 1 'expected' --open -f folded \
		-o "$dir/out.svg" "$dir/bad.folded"
	sleep 0.3
	[ ! -e "$OPENED" ]
	refuses 2 '--open needs -o FILE' --open -t svg "$dir/in.folded"
	refuses 2 '--open needs -o FILE' --open -t svg -o - "$dir/in.folded"
	refuses 2 '--open needs -o FILE' --open -O "$dir/d" "$dir/in.folded"
}
