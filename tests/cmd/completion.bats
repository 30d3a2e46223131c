# completion.bats - completions of bash, zsh and fish, and the table that they read.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	mkdir "$dir/in"
	touch "$dir/in/README.md"
	# A name without a path, as at a prompt.
	PATH=$B:$PATH
	unset FPATH
}

@test "completion: the table has all options and formats, once" {
	"$CGCONV" --help table >"$dir/table"
	awk -F '\t' 'NF != 4 || $2 == "" || $4 == ""' "$dir/table" >"$dir/bad"
	[ ! -s "$dir/bad" ]
	cut -f 2 "$dir/table" | sort | uniq -d >"$dir/twice"
	[ ! -s "$dir/twice" ]
	# A flag that is set has its other name there.
	sed -n 's/^option\t\(--[^\t]*\).*/\1/p' "$dir/table" |
		sed 's/^--no-spontaneous/--spontaneous/' | sort >"$dir/names"
	"$CGCONV" --help all | sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' |
		sort -u >"$dir/all"
	comm -13 "$dir/names" "$dir/all" | while read -r name; do
		grep "^option	--no-${name#--}	" "$dir/table" || exit 1
	done
	sed -n 's/^format\t\([^\t]*\).*/\1/p' "$dir/table" >"$dir/formats"
	"$CGCONV" --list-formats | awk 'NR > 1 { print $1 }' | same - "$dir/formats"
	grep -qx 'letter	-t	FORMAT	output format' "$dir/table"
}

# What each shell has to offer for words: the last one is completed.
try()
{
	"$@" cgconv --list- | grep -x -e --list-formats
	"$@" cgconv --json- | grep -x -e --json-safe
	"$@" cgconv -t call | grep -x callgrind
	"$@" cgconv --from lco | grep -x lcov
	"$@" cgconv READ | grep -x README.md
	"$@" cgconv -o READ | grep -x README.md
}

@test "completion: bash completes options, formats and files" {
	bash_words()
	{
		bash -c 'cd "$1" && shift && . "$1" && shift
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
			_cgconv; printf "%s\n" "${COMPREPLY[@]}"' \
			complete "$dir/in" "$ROOT/cmd/cgconv.bash-completion" "$@"
	}
	try bash_words
	# Options are not offered where a format is.
	bash_words cgconv -t - | not grep -e --to
	bash_words cgconv --to = js | grep -x json
	bash_words cgconv --output = READ | grep -x README.md
	mkdir "$dir/in/runs"
	bash_words cgconv -O "" | says runs
}

@test "completion: zsh completes options, formats and files" {
	needs zsh
	# The functions of the completion system print what they get.
	cat >"$dir/complete" <<-'END'
		_describe()
		{
			[[ $1 != -o ]] || shift
			print -rl -- ${${(P)2}%%:*}
		}
		_files() { [[ $1 != -/ ]] && print -rl -- *(N) || print -rl -- *(N/) }
		compset() { PREFIX=${PREFIX#*=} }
		file=$1
		cd $2
		shift 2
		words=("$@") CURRENT=$# PREFIX=${words[-1]}
		set --
		. $file
	END
	zsh_words()
	{
		zsh -f "$dir/complete" "$ROOT/cmd/cgconv.zsh-completion" \
			"$dir/in" "$@"
	}
	try zsh_words
	zsh_words cgconv -t - | not grep -e --to
	zsh_words cgconv --to=js | grep -x json
	mkdir "$dir/in/runs"
	zsh_words cgconv -O "" | says runs
}

@test "completion: zsh finds the function and completes at a prompt" {
	needs zsh
	needs_terminal
	mkdir "$dir/functions"
	cp cmd/cgconv.zsh-completion "$dir/functions/_cgconv"
	cat >"$dir/prompt" <<-'END'
		zmodload zsh/zpty
		zpty -b shell zsh -f -i
		zpty -w shell "fpath=($1 \$fpath); autoload -U compinit
			compinit -u -D; PS1=; cd $2; print be''gin"
		zpty -r shell line $'*begin\r\n*'
		zpty -w -n shell $'cgconv --list-f\t'
		zpty -r shell line '*--list-formats*' && print options
		zpty -w -n shell $'\C-ucgconv -t callg\t'
		zpty -r shell line '*callgrind*' && print formats
		zpty -d shell
	END
	timeout 30 zsh -f "$dir/prompt" "$dir/functions" "$dir/in" |
		says options formats
}

# The arguments are a line.
fish_words()
{
	local line=$1

	shift
	for word; do line="$line $word"; done
	HOME=$dir fish -c 'cd $argv[1]; source $argv[2]
		complete -C $argv[3]' "$dir/in" \
		"$ROOT/cmd/cgconv.fish-completion" "$line" | cut -f 1
}

@test "completion: fish completes options, formats and files" {
	needs fish
	try fish_words
	fish_words cgconv --to=js | grep -x -e --to=json
	mkdir "$dir/in/runs"
	fish_words cgconv -O ru | says runs/
}
