# perf-data.bats - recordings of Linux's perf.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	a=samples/perf-data/work
}

# record ORDER LINE...: writes a recording to $dir/in; see perf-data.pl.
record()
{
	local order=$1

	shift
	printf '%s\n' "$@" | perl tests/formats/perf-data.pl "$order" >"$dir/in"
}

# Stacks without the marks of what is inlined.
folded()
{
	"$CGCONV" -q -t folded "$@" | sed 's/_\[i\]\([; ]\)/\1/g' | sort
}

@test "perf-data: stacks are those of perf script, for each event" {
	for event in cpu-clock:u page-faults:u; do
		"$CGCONV" -q -t folded --event "$event" --exe "$a/prog" \
			"$a/work.perf.data" |
			sed 's/[^;]*_\[i\];//g' | sort >"$dir/got"
		"$CGCONV" -q -t folded --event "$event" -f perf-script \
			"$a/work.txt" | sort >"$dir/want"
		[ -s "$dir/want" ]
		same "$dir/want" "$dir/got"
	done
}

@test "perf-data: times, threads and costs are those of perf script" {
	moments() { "$CGCONV" -q -t json "$@" | grep '^\["\(track\|moment\|total\)"' |
		sed 's/^\["moment",\([-0-9]*\),[0-9]*/\1/'; }
	moments --exe "$a/prog" "$a/work.perf.data" >"$dir/got"
	moments -f perf-script "$a/work.txt" >"$dir/want"
	[ "$(wc -l <"$dir/want")" -gt 10 ]
	same "$dir/want" "$dir/got"
}

@test "perf-data: reads what perf record writes to a pipe" {
	"$CGCONV" -q -t folded --exe "$a/prog" - <"$a/pipe.perf.data" |
		sed 's/[^;]*_\[i\];//g' | sort >"$dir/got"
	"$CGCONV" -q -t folded -f perf-script "$a/pipe.txt" | sort >"$dir/want"
	[ -s "$dir/want" ]
	same "$dir/want" "$dir/got"
	# A file from standard input has its tables after the records, too.
	"$CGCONV" -q -t json --exe "$a/prog" - <"$a/work.perf.data" >"$dir/got"
	"$CGCONV" -q -t json --exe "$a/prog" "$a/work.perf.data" >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "perf-data: lines and inlined functions are those of the call" {
	"$CGCONV" -q -t folded --exe "$a/prog" --event cpu-clock:u \
		"$a/work.perf.data" >"$dir/got"
	grep -q ';_start;down;.*;twice_\[i\];spin ' "$dir/got"
	# The call returns to a line of an inlined function.
	not grep -q 'call_\[i\];down' "$dir/got"
	"$CGCONV" -q -t callgrind --exe "$a/prog" "$a/work.perf.data" |
		grep -q '=(.*/work\.c$'
}

@test "perf-data: an executable with another build-id is not used" {
	perl -0777 -pe 's/(GNU\0.{4})./$1x/s' "$a/prog" >"$dir/prog"
	"$CGCONV" -t folded --exe "$dir/prog" "$a/work.perf.data" \
		>"$dir/got" 2>"$dir/err"
	grep -q "$dir/prog is not used: its build-id is" "$dir/err"
	not grep -q touch "$dir/got"
	grep -q '\[prog\]\|\[unknown\]' "$dir/got"
}

@test "perf-data: the cache of perf has files by build-id" {
	id=$(perl -0777 -ne 'print unpack "H*", $1 if /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s' "$a/prog")
	mkdir -p "$dir/cache/.build-id/${id:0:2}/${id:2}"
	cp "$a/prog" "$dir/cache/.build-id/${id:0:2}/${id:2}/elf"
	"$CGCONV" -q -t folded --buildid-dir "$dir/cache" \
		"$a/work.perf.data" >"$dir/got"
	grep -q ';touch ' "$dir/got"
	# The page of functions that the kernel maps has a name of its own.
	mv "$dir/cache/.build-id/${id:0:2}/${id:2}/"{elf,vdso}
	addr=$(nm "$a/prog" | sed -n 's/ T _start$//p')
	record little "mmap 2 7 7000 9000 0 [vdso] $id" "sample 3 7 7 1 1 u $(
		printf '%x' $((0x7000 + 0x${addr: -4})))"
	folded --buildid-dir "$dir/cache" "$dir/in" | says ':7;_start 1'
	folded "$dir/in" | says ':7;[unknown] 1'
	# Symbols of a kernel, if it was at the recorded address.
	mkdir -p "$dir/cache/.build-id/ab/$(printf '%038d' 7)"
	echo 'ffffffff81000000 T begin' \
		>"$dir/cache/.build-id/ab/$(printf '%038d' 7)/kallsyms"
	for addr in ffffffff81000000 ffffffff82000000; do
		record little "$(kernel_id "ab$(printf '%038d' 7)")" \
			"kernel $addr 100000 $addr [kernel.kallsyms]_text" \
			'sample 5 7 7 1 1 k ffffffff82000010'
		folded --buildid-dir "$dir/cache" "$dir/in" >>"$dir/kernels"
	done
	says ':7;begin_[k] 1' ':7;[unknown]_[k] 1' <"$dir/kernels"
}

# kernel_id ID: an entry of build-ids: type, misc, size, pid, 20 bytes, their
# number, name.
kernel_id()
{
	echo "feature 2 0000000001804800ffffffff${1}14000000$(
		printf '[kernel.kallsyms]' | perl -0777 -ne 'print unpack "H*"')$(
		printf '%038d' 0)"
}

@test "perf-data: a pipe has any number of ids of events" {
	record little pipe 'event a 1 0 0 0x10167' 'event b 1 1 0 0x10167' \
		'event c 1 2 0 0x10167' 'comm 1 7 7 x' 'sample 2 7 7 3 5 u 1000'
	[ "$(folded "$dir/in")" = "x;[unknown] 5" ] || {
		folded "$dir/in"
		false
	}
}

@test "perf-data: both byte orders, file or pipe, say the same" {
	lines=('comm 5 7 7 some thing' 'mmap 6 7 400000 1000 0 /x/prog'
		'sample 9 7 8 1 3 k ffffffff81000010 u 400010 400020'
		'sample 10 7 7 1 4 u 400010' round)
	record little "${lines[@]}"
	"$CGCONV" -q -t json "$dir/in" >"$dir/want"
	grep -q '"cpu-clock"' "$dir/want"
	record big "${lines[@]}"
	"$CGCONV" -q -t json "$dir/in" >"$dir/got"
	same "$dir/want" "$dir/got"
	for order in little big; do
		record $order pipe "${lines[@]}"
		"$CGCONV" -q -t json "$dir/in" >"$dir/got"
		same "$dir/want" "$dir/got"
	done
}

@test "perf-data: records are read in the order of their times" {
	# The second round is older than the end of the first.
	record little 'comm 5 7 7 first' 'sample 20 7 7 1 1 u 10' \
		'comm 30 7 7 last' 'sample 40 7 7 1 2 u 10' round \
		'comm 15 7 7 second' 'sample 25 7 7 1 4 u 10' \
		'sample 7 7 7 1 8 u 10' 'sample 50 7 7 1 16 u 10' round
	folded "$dir/in" >"$dir/got"
	printf '%s\n' 'first;[unknown] 8' 'last;[unknown] 18' \
		'second;[unknown] 5' >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "perf-data: a fork has its parent's name and mappings until it changes" {
	record little 'comm 1 7 7 parent' 'mmap 2 7 1000 1000 0 /x/one' \
		'fork 3 8 8 7 7' 'sample 4 8 8 1 1 u 1010' \
		'comm 5 8 8 child' 'mmap 6 8 1800 1000 0 /x/two' \
		'sample 7 8 8 1 2 u 1010' 'sample 8 8 8 1 4 u 1900' \
		'sample 9 7 7 1 8 u 1900' 'sample 10 9 9 1 16 u 1900'
	folded "$dir/in" >"$dir/got"
	printf '%s\n' ':9;[unknown] 16' 'child;[one] 2' 'child;[two] 4' \
		'parent;[one] 9' >"$dir/want"
	same "$dir/want" "$dir/got"
}

@test "perf-data: functions of the kernel come from --kallsyms" {
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000010 t __low' \
		'ffffffff81000010 T high' 'ffffffff81000010 T __high' \
		'ffffffff81000020 R data' "ffffffffc0000000 t mod_fn	[mod]" \
		>"$dir/kallsyms"
	lines=('kernel ffffffffc0000000 1000 0 /lib/modules/1/mod.ko'
		'sample 5 7 7 1 1 k ffffffff81000018 ffffffff81000030'
		'sample 6 7 7 1 2 k ffffffffc0000008')
	record little 'kernel ffffffff81000000 100000 ffffffff81000000 [kernel.kallsyms]_text' \
		"${lines[@]}"
	folded --kallsyms "$dir/kallsyms" "$dir/in" >"$dir/got"
	printf '%s\n' ':7;high_[k];high_[k] 1' ':7;mod_fn_[k] 2' >"$dir/want"
	same "$dir/want" "$dir/got"
	"$CGCONV" -q -t json --kallsyms "$dir/kallsyms" "$dir/in" |
		grep -q '"object",[0-9]*,"\[mod\]"'
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | sort >"$dir/got"
	printf '%s\n' ':7;[unknown]_[k] 2' ':7;[unknown]_[k];[unknown]_[k] 1' \
		>"$dir/want"
	same "$dir/want" "$dir/got"
	grep -q 'without a name: 3; give a copy of .*, with --kallsyms$' "$dir/err"
	record little 'kernel ffffffff82000000 100000 ffffffff82000000 [kernel.kallsyms]_text' \
		"${lines[@]}"
	"$CGCONV" -t folded --kallsyms "$dir/kallsyms" "$dir/in" 2>&1 |
		grep -q 'the recorded kernel was loaded to another address'
	refuses 1 "cannot open $dir/none" -t folded --kallsyms "$dir/none" "$dir/in"
}

@test "perf-data: functions of the kernel that runs come from this machine" {
	text=$(sed -n 's/ T _text$//p' /proc/kallsyms)
	id=$(perl -0777 -ne 'print unpack "H*", $1 if /\x14\0\0\0\x03\0\0\0GNU\0(.{20})/s' \
		/sys/kernel/notes)
	[ -n "$id" ] && [ -n "${text//0/}" ] || skip "no addresses in /proc/kallsyms"
	kernel() { record little "$(kernel_id "$1")" \
		"kernel $2 100000 $2 [kernel.kallsyms]_text" "sample 5 7 7 1 1 k $text"; }
	kernel "$id" "$text"
	folded --kallsyms /proc/kallsyms "$dir/in" >"$dir/want"
	not grep -q '\[unknown\]' "$dir/want"
	folded "$dir/in" >"$dir/got"
	same "$dir/want" "$dir/got"
	# Another kernel, or the same at another address.
	kernel "${id%??}00" "$text"
	folded "$dir/in" | says ':7;[unknown]_[k] 1'
	kernel "$id" ffffffff00000000
	folded "$dir/in" | says ':7;[unknown]_[k] 1'
	# --kallsyms counts first.
	echo "$text T named" >"$dir/kallsyms"
	kernel "$id" "$text"
	folded --kallsyms "$dir/kallsyms" "$dir/in" | says ':7;named_[k] 1'
}

@test "perf-data: names of code in memory come from a map of its compiler" {
	record little 'mmap 6 7 400000 10000 0 //anon' 'mmap 6 8 400000 10000 0 //anon' \
		'sample 7 7 7 1 1 u 400110' 'sample 8 7 7 1 2 u 400210 400118' \
		'sample 9 7 7 1 4 u 400400' 'sample 10 8 8 1 8 u 400110'
	folded "$dir/in" >"$dir/none"
	printf '%s\n' '400100 20 old' '400200 0x20 Outer::inner(int) [jit]' \
		'400100 1F hot' 'x y' '' '12' >"$dir/perf-7.map"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" | sort |
		says ':7;[perf-7.map]_[j] 4' ':7;hot_[j] 1' \
			':7;hot_[j];Outer::inner(int) [jit]_[j] 2' ':8;[perf-8.map]_[j] 8'
	grep -q 'perf-7.map:.*2 lines are skipped: expected the start and the size' "$dir/err"
	mkdir "$dir/maps"
	echo '400000 1000 eight' >"$dir/maps/perf-8.map"
	folded --jit-dir "$dir/maps" "$dir/in" >"$dir/got"
	grep -qx ':8;eight_\[j\] 8' "$dir/got"
	not grep -q hot "$dir/got"
	rm "$dir/perf-7.map"
	folded "$dir/in" >"$dir/got"
	same "$dir/none" "$dir/got"
	# A dump has loaded code (0), other records, moved code (1).
	code() { perl -e 'print pack "L2 Q L2 Q4 Z*", 0, 56 + 1 + length $ARGV[3],
		1, 7, 7, (map { hex } 0, @ARGV[0, 1, 2]), $ARGV[3]' "$@"; }
	{
		perl -e 'print pack "L6 Q2", 0x4a695444, 1, 40, 62, 0, 7, 1, 0'
		code 400100 20 1 old
		perl -e 'print pack "L2 Q2", 2, 24, 1, 1'
		code 400300 20 2 hot
		perl -e 'print pack "L2 Q L2 Q5", 1, 64, 1, 7, 7, 0, 0x400300, 0x400200, 32, 2'
	} >"$dir/jit-7.dump"
	folded "$dir/in" | says ':7;[perf-7.map]_[j] 4' ':7;old_[j] 1' ':7;old_[j];hot_[j] 2' \
		':8;[perf-8.map]_[j] 8'
	for size in 20 41 100 60; do
		head -c $size "$dir/jit-7.dump" >"$dir/maps/jit-7.dump"
		folded --jit-dir "$dir/maps" "$dir/in" >"$dir/got"
		grep -q ';\[perf-7.map\]_\[j\] [45]$' "$dir/got"
	done
	"$CGCONV" -t folded --jit-dir "$dir/maps" "$dir/in" 2>&1 >"$dir/got" |
		grep -q 'the jitdump ends within a record'
	"$CGCONV" -t folded "$dir/in" 2>&1 >"$dir/got" | not grep jitdump
}

@test "perf-data: lost records and samples are told" {
	record little 'sample 5 7 7 1 1 u 10' 'lost 3' 'lost 4' 'lost-samples 5'
	"$CGCONV" -t folded "$dir/in" 2>&1 >"$dir/got" | tee "$dir/err"
	grep -q 'perf lost 7 records' "$dir/err"
	grep -q 'perf lost 5 samples' "$dir/err"
	record little 'event cycles 0 0 0 0x10167' 'event faults 1 2 0 0x10167' \
		'sample 5 7 7 1 1 u 10' 'sample 6 7 7 2 2 u 10' \
		'sample 5 7 7 9 1 u 10'
	"$CGCONV" -t folded --event faults "$dir/in" 2>"$dir/err" >"$dir/got"
	grep -q '1 samples of unknown events are dropped' "$dir/err"
	grep -qx ':7;\[unknown\] 2' "$dir/got"
}

@test "perf-data: a deferred user stack continues its samples" {
	lines=('comm 1 7 7 x' 'comm 1 7 8 y' 'mmap 1 7 1000 1000 0 /x'
		'sample 2 7 7 1 1 k fff1 d ab' 'sample 3 7 8 1 5 k fff1 d cd'
		'sample 4 7 7 1 2 k fff2 d ab' 'sample 5 7 7 1 4 d ee'
		'deferred 6 7 7 ab u 1010 1020')
	stacks() { "$CGCONV" -t folded --addresses "$dir/in" 2>"$dir/err"; }
	for order in little big; do
		record $order "${lines[@]}" 'deferred 7 7 8 cd u 1030'
		stacks | says 'x;[unknown] 4' \
			'x;[x];[x];[unknown]_[k] 3' \
			'y;[x];[unknown]_[k] 5'
		grep -q 'warning: 1 samples lack the stack of the process' "$dir/err"
	done
	# At the end, a sample without a record keeps what it has.
	record little "${lines[@]}"
	stacks | says 'x;[unknown] 4' 'x;[x];[x];[unknown]_[k] 3' \
		'y;[unknown]_[k] 5'
	grep -q '2 samples lack the stack' "$dir/err"
	record little "${lines[@]}" 'record 22 000000000000000000ff000000000000'
	refuses 1 "expected a call chain that fits into its record" "$dir/in"
}

@test "perf-data: unknown records and marks of call chains are told once" {
	record little 'record 40 00' 'record 99 00' 'record 11 00' 'record 79 00' \
		'sample 5 7 7 1 1 -4000 10 -3 20' 'sample 5 7 7 1 1 k 10'
	"$CGCONV" -t folded "$dir/in" >"$dir/got" 2>"$dir/err"
	grep -q '2 records of unknown types are skipped (the first has type 40)' \
		"$dir/err"
	grep -q '2 marks in call chains are unknown (the first is -4000)' "$dir/err"
	[ "$(grep -c 'unknown' "$dir/err")" -eq 2 ]
}

@test "perf-data: what it does not read is named with the command that does" {
	sample='sample 5 7 7 1 1 u 10'
	run="run: perf script -F comm,pid,tid,time,period,event,ip,sym,symoff,dso -i $dir/in | cgconv -"
	record little 'feature 27 0000000002000000' "$sample"
	refuses 1 "compression other than zstd of perf; $run" "$dir/in"
	record little 'record 70 0000000000000000' "$sample"
	refuses 1 "traces of processors (AUX area) of perf; $run" "$dir/in"
	record little 'feature 24' "$sample"
	refuses 1 "recordings in directories" "$dir/in"
	# BRANCH_STACK without call chains of the user; the same with them.
	record little 'event x 0 0 0x400000 0x10967' "$sample"
	refuses 1 "stacks of branches (--call-graph lbr)" "$dir/in"
	record little 'event x 0 0 0 0x10967' "$sample"
	"$CGCONV" -q -t folded "$dir/in" >"$dir/got"
	record little 'event x 0 0 0 0x10177' "$sample"
	refuses 1 "samples of groups of counters" "$dir/in"
}

@test "perf-data: stacks that perf script unwinds are unwound" {
	b=samples/perf-data/dwarf
	for name in dwarf cut; do
		folded --exe "$b/prog" "$b/$name.perf.data" >"$dir/got"
		# For a caller that the copy of the stack does not have perf
		# prints the address before 0.
		"$CGCONV" -q -t folded -f perf-script "$b/$name.txt" |
			sed 's/;\[unknown\]//' | sort >"$dir/want"
		[ "$(wc -l <"$dir/want")" -ge 3 ]
		same "$dir/want" "$dir/got"
	done
	# These need an expression, a frame pointer, a frame of varying size.
	folded --exe "$b/prog" "$b/dwarf.perf.data" >"$dir/got"
	grep -q '^prog;_start;run;stub ' "$dir/got"
	grep -q '^prog;_start;run;deep;.*;deep;bare;spin ' "$dir/got"
	"$CGCONV" -t folded --exe "$b/prog" "$b/cut.perf.data" 2>&1 >"$dir/got" |
		grep -q '37 of 37 stacks lack their outermost frames: the recording has too little'
	# Without the executable only frame pointers tell callers.
	"$CGCONV" -t folded "$b/dwarf.perf.data" 2>"$dir/err" |
		says 'prog;[prog] 242424240' \
			'prog;[prog];[prog];[prog];[prog];[prog];[prog];[prog];[prog];[prog] 111111110'
	grep -q 'stacks lack their outermost frames: the caller of a frame is not known; give' "$dir/err"
	b=samples/perf-data/dwarf-arm64
	folded --exe "$b/prog" "$b/dwarf.perf.data" >"$dir/got"
	same "$b/dwarf.txt" "$dir/got"
}

# dwarf LINE...: a recording with registers of x86-64: bp, sp, ip in that order.
dwarf()
{
	record little "event x 1 0 0x400000 0x13${type:-1}67 0x1c0" "comm 1 7 7 x" \
		"mmap 2 7 1000 1000 0 /x/prog" "$@"
}

@test "perf-data: without call frame information frame pointers have to be plausible" {
	word() { perl -e 'print map { unpack "H*", pack "Q<", hex } @ARGV' "$@"; }
	names() { "$CGCONV" -t folded --addresses "$dir/in" 2>"$dir/err"; }
	# From bp on: the caller's bp, the return address; 0 ends the chain.
	chain=$(word 7030 1100 0 0 0 1200)
	dwarf "dwarf 3 7 7 2 7010,7010,1010 $chain"
	names | says 'x;[prog];[prog];[prog] 1'
	not grep 'outermost' "$dir/err"
	# Out of the stack; below it; a return address in no mapping.
	for regs in 7048,7010,1010 7008,7010,1010 c000,7010,1010; do
		dwarf "dwarf 3 7 7 2 $regs $chain"
		names | says 'x;[prog] 1'
		grep -q 'stacks lack their outermost frames' "$dir/err"
	done
	dwarf "dwarf 3 7 7 2 7010,7010,1010 $(word 7030 9999)"
	names | says 'x;[prog] 1'
	# Only the used part of the copy counts.
	dwarf "dwarf 3 7 7 2 7010,7010,1010 $chain 10"
	names | says 'x;[prog];[prog] 1'
	grep -q 'too little of the stack' "$dir/err"
	# A caller must be further out.
	dwarf "dwarf 3 7 7 2 7010,7010,1010 $(word 7010 1100)"
	names | says 'x;[prog];[prog] 1'
}

@test "perf-data: frames based on a register that does not exist have no information" {
	cat >"$dir/far.s" <<-'EOF'
		.globl _start
		.type _start,@function
		_start:
		.cfi_startproc
		.cfi_def_cfa 40, 8
		nop
		nop
		.cfi_endproc
		.size _start,.-_start
	EOF
	gcc -nostdlib -static -Wl,-z,noseparate-code -o "$dir/far" "$dir/far.s"
	at=$(nm "$dir/far" | awk '$3 == "_start" { print substr($1, length($1) - 5) }')
	record little "event x 1 0 0x400000 0x13167 0x1c0" "comm 1 7 7 x" \
		"mmap 2 7 400000 2000 0 $dir/far" \
		"dwarf 3 7 7 2 7010,7010,$at $(perl -e 'print map { unpack "H*", pack "Q<", hex } @ARGV' 7030 "$(printf %x $((0x$at + 2)))" 0 0)"
	"$CGCONV" -q -t folded --exe "$dir/far" "$dir/in" | says 'x;_start;_start 1'
}

@test "perf-data: a handler of a signal is called by the trampoline, that by what it interrupted" {
	# As in C libraries, the information of the trampoline begins a byte early.
	cat >"$dir/signal.s" <<-'EOF'
		.globl _start
		.type _start,@function
		_start:
		.cfi_startproc
		.cfi_undefined rip
		nop
		nop
		.cfi_endproc
		.size _start,.-_start
		.cfi_startproc
		.cfi_signal_frame
		.cfi_def_cfa rsp, 16
		.cfi_offset rip, -8
		nop
		.globl tramp
		.type tramp,@function
		tramp: nop
		.cfi_endproc
		.size tramp,.-tramp
		.globl handler
		.type handler,@function
		handler:
		.cfi_startproc
		nop
		.cfi_endproc
		.size handler,.-handler
	EOF
	gcc -nostdlib -static -Wl,-z,noseparate-code -o "$dir/signal" "$dir/signal.s"
	at() { nm "$dir/signal" | awk -v name="$1" '$3 == name { print $1 }'; }
	stack=$(perl -e 'print map { unpack "H*", pack "Q<", hex } @ARGV' \
		"$(at tramp)" 0 "$(printf %x $((0x$(at _start) + 1)))")
	record little "event x 1 0 0x400000 0x13167 0x1c0" "comm 1 7 7 x" \
		"mmap 2 7 400000 2000 0 $dir/signal" \
		"dwarf 3 7 7 2 0,7010,$(at handler) $stack"
	folded --exe "$dir/signal" "$dir/in" | says 'x;_start;tramp;handler 1'
}

@test "perf-data: events of a pipe may come between records, or not at all" {
	# Events with the id 100 + I, and names of threads with these ids.
	perl -e 'sub attr { my $a = pack("VVQ<Q<Q<Q<Q<", 1, 64, 0, 1000, 1 << 16 | 2 | 4,
			0, 1 << 18) . "\0" x 16 . pack("Q<", 100 + $_[0]);
			pack("Vvv", 64, 0, 8 + length $a) . $a }
		sub comm { my $c = pack("VVa8VVQ<Q<", 1, 1, "ab", 1, 1, 5, 103);
			pack("Vvv", 3, 0, 8 + length $c) . $c }
		print "PERFILE2", pack("Q<", 16), map({ attr($_) } 0 .. 7), comm(),
			map({ attr($_) } 8 .. 40), comm()' >"$dir/in"
	refuses 1 'expected samples of perf' -t json "$dir/in"
	# A deferred stack before any event.
	perl -e 'print "PERFILE2", pack("Q<", 16), pack("Vvv", 22, 0, 24), "\0" x 16' \
		>"$dir/in"
	refuses 1 'expected samples of perf' -t json "$dir/in"
}

@test "perf-data: registers and stacks are found behind other parts of samples" {
	names() { "$CGCONV" -q -t folded --addresses "$dir/in"; }
	chain="0000000000000000$(printf '0011%012d' 0)"
	type=1 dwarf "dwarf 3 7 7 2 7010,7010,1010 $chain"
	names | says 'x;[prog];[prog] 1'
	# RAW: a size, bytes. BRANCH_STACK: a count, 24 bytes each.
	type=5 dwarf "dwarf 3 7 7 2 7010,7010,1010 $chain - 04000000ffffffff"
	names | says 'x;[prog];[prog] 1'
	type=9 dwarf "dwarf 3 7 7 2 7010,7010,1010 $chain - 0100000000000000$(printf '%048d' 1)"
	names | says 'x;[prog];[prog] 1'
	message='expected registers and a stack that fit into their sample'
	for before in ffffffff ffffffffffffffff 0100000000000000; do
		type=9 dwarf "dwarf 3 7 7 2 7010,7010,1010 $chain - $before"
		refuses 1 "$message" "$dir/in"
	done
	dwarf "dwarf 3 7 7 2 7010,7010 -"
	refuses 1 "$message" "$dir/in"
	dwarf "dwarf 3 7 7 2 7010,7010,1010 $chain 11"
	refuses 1 "$message" "$dir/in"
	# 0: a thread of the kernel; 1: a 32-bit process.
	dwarf "dwarf 3 7 7 0 0 -" "dwarf 4 7 7 1 7010,7010,1010 $chain"
	"$CGCONV" -t folded "$dir/in" 2>"$dir/err" |
		says 'x;[prog] 1' 'x;[unknown] 1'
	grep -q '1 of 1 stacks have one frame' "$dir/err"
}

@test "perf-data: compressed recordings say the same as others" {
	b=samples/perf-data/zstd
	for event in cpu-clock:u page-faults:u; do
		"$CGCONV" -q -t folded --event "$event" --exe "$a/prog" \
			"$b/zstd.perf.data" |
			sed 's/[^;]*_\[i\];//g' | sort >"$dir/got"
		"$CGCONV" -q -t folded --event "$event" -f perf-script \
			"$b/zstd.txt" | sort >"$dir/want"
		[ -s "$dir/want" ]
		same "$dir/want" "$dir/got"
	done
	# Records continue in the next piece; rounds are between the pieces.
	first=('comm 5 7 7 first' 'sample 20 7 7 1 1 u 10' 'comm 30 7 7 last'
		'sample 40 7 7 1 2 u 10')
	second=('comm 15 7 7 second' 'sample 25 7 7 1 4 u 10'
		'sample 50 7 7 1 16 u 10')
	record little "${first[@]}" round "${second[@]}" round
	"$CGCONV" -q -t json "$dir/in" >"$dir/want"
	for type in 81 83; do
		for size in 1 7 4096; do
			record little "zstd $type $size" "${first[@]}" round \
				"${second[@]}" round
			"$CGCONV" -q -t json "$dir/in" >"$dir/got"
			same "$dir/want" "$dir/got"
			record big pipe "zstd $type $size" "${first[@]}" round \
				"${second[@]}" plain round
			"$CGCONV" -q -t json "$dir/in" >"$dir/got"
			same "$dir/want" "$dir/got"
		done
	done
}

@test "perf-data: compressed data that is corrupt or too large is an error" {
	sample='sample 5 7 7 1 1 u 10'
	record little 'record 81 0000000000000000' "$sample"
	refuses 1 "zstd data is corrupt (Unknown frame descriptor)" "$dir/in"
	record little 'record 83 00' "$sample"
	refuses 1 "expected compressed data that fits into its record" "$dir/in"
	record little 'record 83 0900000000000000000000000000' "$sample"
	refuses 1 "expected compressed data that fits into its record" "$dir/in"
	# Compressed data has no records of perf itself, so no compressed ones.
	record little 'zstd 81 4096' 'record 81 00' plain "$sample"
	refuses 1 "expected records of the kernel in compressed data" "$dir/in"
	record little "$sample" "record 81 $(printf '\3\0\0\0' | zstd -q |
		perl -0777 -ne 'print unpack "H*"')"
	"$CGCONV" -t folded "$dir/in" 2>&1 >"$dir/got" |
		grep -q 'the last record is incomplete'
	# 100 MB of zeros after a record of 65528 bytes, 1536 times.
	perl -e 'print "\x0b\0\0\0\0\0\xf8\xff", "\0" x 65520 for 1 .. 1536' |
		zstd -q | perl -0777 -ne 'print unpack "H*"' >"$dir/bomb"
	[ "$(wc -c <"$dir/bomb")" -lt 60000 ]
	record little "$sample" "record 81 $(cat "$dir/bomb")"
	refuses 1 "expected compressed data that expands to at most 1000 times" \
		"$dir/in"
}

@test "perf-data: malformed and truncated recordings are errors or warnings" {
	record little 'record 3 00'
	refuses 1 "expected a longer record" "$dir/in"
	record little 'comm 1 7 7 x'
	refuses 1 "expected samples of perf" "$dir/in"
	record little 'sample 5 7 7 1 1 u 10'
	perl -pi -e 'BEGIN { $/ = undef } s/(\x09\0\0\0\x02\0)../$1\x04\0/s' "$dir/in"
	refuses 1 "expected a record of 8 bytes or more" "$dir/in"
	# A malformed record ends the reading, however large the file is.
	record little 'sample 5 7 7 1 1 u 10'
	perl -0777 -pi -e 'substr($_, 48, 8) = pack "Q<", 20 << 30;
		$_ .= "\0" x 4096' "$dir/in"
	truncate -s 21G "$dir/in"
	refuses 1 "expected a record of 8 bytes or more" "$dir/in"
	refuses 1 "expected a record of 8 bytes or more" - <"$dir/in"
	rm "$dir/in"
	record little pipe 'sample 5 7 7 1 1 u 10'
	size=$(wc -c <"$dir/in")
	head -c $((size - 1)) "$dir/in" >"$dir/cut"
	refuses 1 "expected samples of perf" "$dir/cut"
	head -c 100 "$a/work.perf.data" >"$dir/cut"
	refuses 1 "expected a header of 104 bytes" "$dir/cut"
	# perf states the size of the records at its end.
	perl -0777 -pe '($begin, $size) = unpack "x40 Q< Q<";
		substr($_, 48, 8) = "\0" x 8;
		substr($_, $begin + $size - 8) = ""' "$a/work.perf.data" >"$dir/cut"
	"$CGCONV" -t folded "$dir/cut" >"$dir/got" 2>"$dir/err"
	grep -q 'perf record was killed' "$dir/err"
	[ -s "$dir/got" ]
}

# selves ARG...: "address event=cost" of self costs.
selves()
{
	"$CGCONV" -q --addresses -t callgrind "$@" >"$dir/out.cg"
	perl tests/oracle/callgrind.pl "$dir/out.cg" | sed -n 's/^self\t.*\t\(0x[0-9a-f]*\t\)/\1/p' | LC_ALL=C sort
}

# perf annotate --stdio --show-nr-samples --symfs DIR -i work.perf.data (6.1)
# says 3 and 2 samples at the first two, 8, 1, 1, 1 and 1 at the others; perf
# script says their periods: 10101010, and of page faults 823 and 1, 1, 2, 1.
@test "perf-data: --addresses has the instructions of perf annotate, also of perf script's text" {
	printf '%s\n' '0x40101a	cpu-clock:u=30303030' '0x401025	cpu-clock:u=20202020' \
		'0x401090	page-faults:u=823' '0x4010af	page-faults:u=1' '0x4010ca	page-faults:u=1' \
		'0x4010d2	page-faults:u=2' '0x401128	page-faults:u=1' >"$dir/want"
	selves --exe "$a/prog" "$a/work.perf.data" | same "$dir/want" -
	selves --exe "$a/prog" "$a/work.txt" | same "$dir/want" -
	# Without the executable, a text has offsets in the file.
	selves "$a/work.txt" | same <(sed 's/^0x40/0x/' "$dir/want") -
	# Costs of functions are the same as without addresses.
	"$CGCONV" -q --exe "$a/prog" -t callgrind -o "$dir/plain.cg" "$a/work.perf.data"
	"$CGCONV" -q --exe "$a/prog" --addresses -t callgrind -o "$dir/out.cg" "$a/work.perf.data"
	"$CGCONV" --verify "$dir/plain.cg" "$dir/out.cg"
	# The page has the instructions.
	"$CGCONV" -q --exe "$a/prog" --addresses -t html -o "$dir/out.html" "$a/work.perf.data"
	perl tests/oracle/html.pl "$dir/out.html" | sed -n 's/^instr\t.*\t\(0x[0-9a-f]*\)\t.*/\1/p' |
		LC_ALL=C sort | same <(cut -f 1 "$dir/want") -
}
