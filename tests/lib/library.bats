# library.bats - libcgconv used from C and Python.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	sample=samples/folded/collapsed/stacks.folded
	case $CFLAGS in *-fsanitize*) skip "the program would need sanitizers" ;; esac
}

# Builds $1 with the shared library of the build.
build()
{
	ln -s "$B/libcgconv.so" "$dir/libcgconv.so.1"
	${CC:-cc} -std=c99 -Wall -Wextra -Werror -Ilib -o "$1" "$1.c" \
		-L"$B" -lcgconv -Wl,-rpath,"$dir"
}

@test "library: the program in libcgconv(3) reads and writes profiles" {
	sed -n '/^\.Bd -literal/,/^\.Ed/p' lib/libcgconv.3 | sed '1d; $d; s/\\e/\\/g' \
		>"$dir/example.c"
	build "$dir/example"
	OUT=$dir/out.callgrind "$dir/example" "$sample" >"$dir/table"
	"$CGCONV" -q -t callgrind -o "$dir/want" "$sample"
	same "$dir/want" "$dir/out.callgrind"
	grep -q '^[0-9]* [0-9]* main$' "$dir/table"
	! "$dir/example" "$dir/missing" 2>"$dir/err" || false
	grep -q "missing: cannot open: No such file" "$dir/err"
}

@test "library: mandoc reports nothing about the man page" {
	command -v mandoc >/dev/null || skip "no mandoc"
	# The pages that it refers to may not be installed.
	mandoc -T lint lib/libcgconv.3 >"$dir/lint" 2>&1 || true
	not grep -v "referenced manual not found" "$dir/lint"
}

@test "library: C converts a buffer to a buffer" {
	cat >"$dir/buffer.c" <<-'END'
		#include <cgconv.h>
		#include <stdio.h>

		int
		main(int argc, char **argv)
		{
			static char text[1 << 20];
			struct cg_job *job = cg_job_new(cg_formats(), NULL, NULL);
			struct cg_slice bytes = { text, 0 };
			int status = CG_OK;

			if (argc != 2 || !job)
				return CG_EUSAGE;
			bytes.len = fread(text, 1, sizeof(text), stdin);
			status = cg_job_add_memory(job, "input", bytes);
			if (status == CG_OK)
				status = cg_job_add_input(job, "input");
			if (status == CG_OK)
				status = cg_job_set_to(job, argv[1]);
			cg_job_set_output_memory(job);
			if (status == CG_OK)
				status = cg_job_run(job);
			if (status == CG_OK)
				fwrite(cg_job_output(job).ptr, 1,
				    cg_job_output(job).len, stdout);
			cg_job_free(job);
			return status;
		}
	END
	build "$dir/buffer"
	for to in callgrind json pprof; do
		"$dir/buffer" $to <"$sample" >"$dir/got"
		"$CGCONV" -q -t $to "$sample" >"$dir/want"
		same "$dir/want" "$dir/got"
	done
	status=0
	echo "no profile" | "$dir/buffer" json >"$dir/got" || status=$?
	[ "$status" -eq 1 ] && [ ! -s "$dir/got" ]
}

@test "library: calls in the wrong order are usage errors" {
	cat >"$dir/order.c" <<-'END'
		#include <cgconv.h>

		static struct cg_job *
		new_job(const char *input)
		{
			struct cg_job *job = cg_job_new(cg_formats(), NULL, NULL);

			cg_job_set_output_memory(job);
			(void)cg_job_add_input(job, input);
			return job;
		}

		int
		main(int argc, char **argv)
		{
			struct cg_job *job = new_job(argv[argc - 1]);
			struct cg_job *bad = new_job("no such file");
			const struct cg_graph *graph;
			int wrong = 0;

			wrong += cg_job_write(job) != CG_EUSAGE;
			wrong += cg_job_derive(job, CG_CALLS) != CG_EUSAGE;
			wrong += cg_job_read(bad, NULL) != CG_EINPUT;
			/* What failed is not reported again. */
			wrong += cg_job_write(bad) != CG_EINPUT;
			wrong += cg_job_merge(job, bad) != CG_EINPUT;
			wrong += cg_job_diff(job, bad, bad, 0, &graph) != CG_EINPUT;
			cg_job_free(job);
			job = new_job(argv[argc - 1]);
			wrong += cg_job_run(job) != CG_OK;
			wrong += cg_job_run(job) != CG_EUSAGE;
			/* What was read can be written again. */
			wrong += cg_job_write(job) != CG_OK;
			wrong += cg_job_output(job).len == 0;
			cg_job_free(job);
			cg_job_free(bad);
			return wrong;
		}
	END
	build "$dir/order"
	"$dir/order" "$sample"
}

@test "library: messages spell options as the program does" {
	cat >"$dir/spell.c" <<-'END'
		#include <cgconv.h>
		#include <stdio.h>

		static void
		print(void *arg, const struct cg_message *message)
		{
			(void)arg;
			puts(message->text);
		}

		int
		main(void)
		{
			struct cg_job *job = cg_job_new(cg_formats(), print, NULL);

			(void)cg_job_set_option(job, "wdth", "1");
			(void)cg_job_set_between(job, "{exe}");
			cg_job_set_option_prefix(job, "/");
			(void)cg_job_set_option(job, "wdth", "1");
			cg_job_free(job);
			return 0;
		}
	END
	build "$dir/spell"
	"$dir/spell" >"$dir/said"
	same "$dir/said" <(printf '%s\n' "there is no option 'wdth'" \
		"option 'between': expected two times, such as 1.5,3 or 10%,20%, not '{exe}'" \
		"there is no /wdth")
}

@test "library: callbacks read the input and write the output" {
	cat >"$dir/callback.c" <<-'END'
		#include <cgconv.h>
		#include <errno.h>
		#include <stdio.h>

		static ptrdiff_t
		give(void *arg, char *buf, size_t size)
		{
			return arg ? (ptrdiff_t)fread(buf, 1,
					 size < 7 ? size : 7, arg)
				   : -EIO;
		}

		static int
		take(void *arg, const char *bytes, size_t n)
		{
			return arg && fwrite(bytes, 1, n, arg) == n ? 0 : ENOSPC;
		}

		static void
		report(void *arg, const struct cg_message *message)
		{
			(void)arg;
			fprintf(stderr, "%s: %s\n", message->file, message->text);
		}

		int
		main(int argc, char **argv)
		{
			struct cg_job *job = cg_job_new(cg_formats(), report, NULL);
			int no_in = argc > 1 && *argv[1] == 'r';
			int no_out = argc > 1 && *argv[1] == 'w';
			int status;

			(void)cg_job_set_to(job, "json");
			cg_job_set_gzip(job, argc == 1);
			cg_job_set_output_callback(job, take, no_out ? NULL : stdout);
			status = cg_job_add_input_callback(
			    job, "pipe", give, no_in ? NULL : stdin);
			if (status == CG_OK)
				status = cg_job_run(job);
			cg_job_free(job);
			return status;
		}
	END
	build "$dir/callback"
	"$dir/callback" <"$sample" | gzip -d >"$dir/got"
	"$CGCONV" -q -t json "$sample" >"$dir/want"
	same "$dir/want" "$dir/got"
	status=0
	"$dir/callback" r <"$sample" 2>"$dir/err" || status=$?
	[ "$status" -eq 1 ] && grep -qx "pipe: cannot read: Input/output error" "$dir/err"
	status=0
	"$dir/callback" w <"$sample" 2>"$dir/err" || status=$?
	[ "$status" -eq 4 ] && grep -qx "<output>: cannot write: No space left on device" "$dir/err"
}

@test "library: Python converts a buffer to a buffer" {
	command -v python3 >/dev/null || skip "no python3"
	cat >"$dir/buffer.py" <<-'END'
		import ctypes, sys
		from ctypes import POINTER, Structure, c_char_p, c_int, c_size_t, c_void_p

		class Slice(Structure):
		    _fields_ = [("ptr", c_void_p), ("len", c_size_t)]

		cg = ctypes.CDLL(sys.argv[1])
		cg.cg_job_new.restype = c_void_p
		cg.cg_job_new.argtypes = [c_void_p, c_void_p, c_void_p]
		cg.cg_job_add_memory.argtypes = [c_void_p, c_char_p, Slice]
		cg.cg_job_add_input.argtypes = [c_void_p, c_char_p]
		cg.cg_job_set_to.argtypes = [c_void_p, c_char_p]
		cg.cg_job_set_output_memory.argtypes = [c_void_p]
		cg.cg_job_set_output_memory.restype = None
		cg.cg_job_run.argtypes = [c_void_p]
		cg.cg_job_output.argtypes = [c_void_p]
		cg.cg_job_output.restype = Slice
		cg.cg_job_free.argtypes = [c_void_p]
		cg.cg_formats.restype = c_void_p

		def convert(data, to):
		    job = cg.cg_job_new(cg.cg_formats(), None, None)
		    try:
		        cg.cg_job_set_output_memory(job)
		        bytes_ = Slice(ctypes.cast(c_char_p(data), c_void_p), len(data))
		        for status in (cg.cg_job_add_memory(job, b"input", bytes_),
		                       cg.cg_job_add_input(job, b"input"),
		                       cg.cg_job_set_to(job, to.encode()),
		                       cg.cg_job_run(job)):
		            if status:
		                raise ValueError("status %d" % status)
		        out = cg.cg_job_output(job)
		        return ctypes.string_at(out.ptr, out.len)
		    finally:
		        cg.cg_job_free(job)

		sys.stdout.buffer.write(convert(sys.stdin.buffer.read(), sys.argv[2]))
	END
	for to in callgrind json pprof; do
		python3 "$dir/buffer.py" "$B/libcgconv.so" $to <"$sample" >"$dir/got"
		"$CGCONV" -q -t $to "$sample" >"$dir/want"
		same "$dir/want" "$dir/got"
	done
}

# Builds $dir/steps: reads $1 and the files that follow it up to --, then does
# each step: "FORMAT" writes, ".calls" and ".stacks" derive, "+" goes on with a
# sum of the job with nothing else. The last output is printed.
build_steps()
{
	cat >"$dir/steps.c" <<-'END'
		#include <cgconv.h>
		#include <stdio.h>

		static struct cg_job *
		new_job(void)
		{
			struct cg_job *job = cg_job_new(cg_formats(), NULL, NULL);

			cg_job_set_guess(job, true);
			return job;
		}

		static int
		step(struct cg_job **job, const char *name)
		{
			struct cg_job *sum;
			int status;

			if (strcmp(name, ".calls") == 0)
				return cg_job_derive(*job, CG_CALLS | CG_INCL);
			if (strcmp(name, ".stacks") == 0)
				return cg_job_derive(*job, CG_STACKS);
			if (strcmp(name, "+") == 0) {
				const struct cg_graph *graph;

				sum = new_job();
				status = cg_job_merge(sum, *job);
				cg_job_free(*job);
				*job = sum;
				return status ? status : cg_job_read(sum, &graph);
			}
			status = cg_job_set_to(*job, name);
			return status ? status : cg_job_write(*job);
		}

		int
		main(int argc, char **argv)
		{
			struct cg_job *job = new_job();
			const struct cg_graph *graph;
			int i = 1, status = CG_OK;

			for (; strcmp(argv[i], "--") != 0; i++)
				status |= cg_job_add_input(job, argv[i]);
			status |= cg_job_read(job, &graph);
			while (status == CG_OK && ++i < argc) {
				cg_job_set_output_memory(job);
				status = step(&job, argv[i]);
			}
			if (status == CG_OK)
				fwrite(cg_job_output(job).ptr, 1,
				    cg_job_output(job).len, stdout);
			cg_job_free(job);
			return status;
		}
	END
	build "$dir/steps"
}

@test "library: a second output does not depend on what was made before" {
	in=samples/callgrind/plain/callgrind.out
	build_steps
	for to in folded pprof html json callgrind; do
		"$dir/steps" $in -- $to >"$dir/want"
		[ -s "$dir/want" ]
		for before in folded pprof html json callgrind .calls .stacks; do
			"$dir/steps" $in -- $before $to >"$dir/got"
			same "$dir/want" "$dir/got"
		done
		"$dir/steps" $in -- folded $to .calls $to >"$dir/got"
		same "$dir/want" "$dir/got"
	done
	# Nor does a sum of what was read.
	"$dir/steps" $in -- + json >"$dir/want"
	"$dir/steps" $in -- folded + json >"$dir/got"
	same "$dir/want" "$dir/got"
}

@test "library: estimates next to stacks of the input count each cost once" {
	printf 'events: samples\nfn=a\n1 10\ncfn=b\ncalls=2 5\n2 30\nfn=b\n5 30\n' \
		>"$dir/calls"
	printf 'c;d 7\na 1\n' >"$dir/stacks"
	build_steps
	printf 'fn %s samples %s\n' a 11 b 30 d 7 >"$dir/want"
	for steps in callgrind 'folded callgrind' 'folded folded callgrind' \
		'.stacks .calls callgrind' 'html html callgrind' \
		'folded + callgrind' 'pprof .calls .calls callgrind'; do
		"$dir/steps" "$dir/calls" "$dir/stacks" -- $steps >"$dir/got.callgrind"
		"$CGCONV" -q -t folded --guess-stacks "$dir/got.callgrind" |
			sed '/^#/d; s/.*;//' | sort | awk '{ print "fn", $1, "samples", $2 }' >"$dir/got"
		same "$dir/want" "$dir/got"
	done
}
