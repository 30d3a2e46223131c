# install.bats - make install, make uninstall, and use of the installed files.
load ../helper
bats_require_minimum_version 1.5.0

setup()
{
	root=$BATS_TEST_TMPDIR/root
	mkdir "$root"
}

# Runs make with the variables of the build under test.
remake()
{
	make -s --no-print-directory B="$B" CC="${CC:-cc}" \
		CFLAGS="${CFLAGS:--O3 -g}" "$@" >/dev/null
}

# Lists all files in a directory, except directories.
files_in()
{
	(cd "$1" && find . ! -type d | LC_ALL=C sort)
}

@test "install: installs exactly the expected files" {
	remake install DESTDIR="$root" PREFIX=/usr
	version=$("$CGCONV" --version | cut -d ' ' -f 2)
	sort >"$BATS_TEST_TMPDIR/want" <<-END
		./usr/bin/cgconv
		./usr/include/cgconv.h
		./usr/include/cgconv_expert.h
		./usr/include/cgconv_format.h
		./usr/include/cgconv_parse.h
		./usr/lib/libcgconv.a
		./usr/lib/libcgconv.so
		./usr/lib/libcgconv.so.1
		./usr/lib/libcgconv.so.$version
		./usr/lib/pkgconfig/cgconv.pc
		./usr/share/bash-completion/completions/cgconv
		./usr/share/man/man1/cgconv.1
		./usr/share/fish/vendor_completions.d/cgconv.fish
		./usr/share/man/man3/libcgconv.3
		./usr/share/zsh/site-functions/_cgconv
	END
	LC_ALL=C sort -o "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/want"
	files_in "$root" | same "$BATS_TEST_TMPDIR/want" -
	[ "$(find "$root" -type f -perm /022 | wc -l)" -eq 0 ]
	[ -e "$root/usr/lib/libcgconv.so" ]
	"$root/usr/bin/cgconv" --version
	# cgconv.pc does not contain DESTDIR.
	not grep -rqF "$root" "$root"
}

@test "install: make uninstall removes exactly these files" {
	mkdir -p "$root/usr/lib/pkgconfig" "$root/usr/bin"
	touch "$root/usr/lib/pkgconfig/other.pc" "$root/usr/bin/other"
	remake install DESTDIR="$root" PREFIX=/usr
	remake uninstall DESTDIR="$root" PREFIX=/usr
	[ "$(files_in "$root" | tr '\n' ' ')" = \
		"./usr/bin/other ./usr/lib/pkgconfig/other.pc " ]
}

@test "install: accepts DESTDIR and PREFIX in every spelling" {
	try()
	{
		remake install "$@"
		files_in "$root" | grep -q "/bin/cgconv$"
		[ "$(files_in "$root" | wc -l)" -eq 15 ]
		remake uninstall "$@"
		[ "$(files_in "$root" | wc -l)" -eq 0 ]
	}
	try DESTDIR="$root"
	try DESTDIR="$root/"
	try DESTDIR="$root" PREFIX=
	try DESTDIR="$root" PREFIX=/
	try DESTDIR="$root" PREFIX=/opt/cg/
	try PREFIX="$root"
	try PREFIX="$root/a b"
	try DESTDIR="$root/c d/" PREFIX=/usr
	try DESTDIR="$root" PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu
}

@test "install: installing again changes nothing" {
	remake install DESTDIR="$root"
	files_in "$root" >"$BATS_TEST_TMPDIR/first"
	remake install DESTDIR="$root"
	files_in "$root" | same "$BATS_TEST_TMPDIR/first" -
}

# Compiles a program against the installed library and converts with it.
try_library()
{
	cat >"$BATS_TEST_TMPDIR/use.c" <<-'END'
		#include <cgconv.h>
		#include <stdio.h>

		static void
		report(void *arg, const struct cg_message *message)
		{
			(void)arg;
			fprintf(stderr, "%s\n", message->text);
		}

		int
		main(int argc, char **argv)
		{
			struct cg_job *job = cg_job_new(cg_formats(), report, 0);
			int status = argc == 3 && job ? CG_OK : CG_EUSAGE;

			if (strcmp(cg_version(), CG_VERSION) != 0)
				status = CG_EUSAGE;

			if (status == CG_OK)
				status = cg_job_add_input(job, argv[1]);
			if (status == CG_OK)
				status = cg_job_set_output(job, argv[2]);
			if (status == CG_OK)
				status = cg_job_run(job);
			cg_job_free(job);
			return status;
		}
	END
	# shellcheck disable=SC2046,SC2086 # several flags
	${CC:-cc} ${CFLAGS:--O2} -std=c99 -Wall -Wextra -Werror \
		-o "$BATS_TEST_TMPDIR/use" "$BATS_TEST_TMPDIR/use.c" \
		$(pkg-config --cflags --libs "$@" cgconv)
	LD_LIBRARY_PATH=$root/lib "$BATS_TEST_TMPDIR/use" \
		samples/callgrind/plain/callgrind.out "$BATS_TEST_TMPDIR/o.cgj"
	"$CGCONV" -t json samples/callgrind/plain/callgrind.out |
		same - "$BATS_TEST_TMPDIR/o.cgj"
}

@test "install: a program uses the shared library by pkg-config" {
	remake install PREFIX="$root"
	export PKG_CONFIG_PATH=$root/lib/pkgconfig
	[ "$(pkg-config --modversion cgconv)" = \
		"$("$CGCONV" --version | cut -d ' ' -f 2)" ]
	try_library
	ldd "$BATS_TEST_TMPDIR/use" | grep -q 'libcgconv.so.1'
}

@test "install: a program uses the static library by pkg-config" {
	remake install PREFIX="$root"
	rm "$root"/lib/libcgconv.so*
	export PKG_CONFIG_PATH=$root/lib/pkgconfig
	try_library --static
	# Only the program needs json-c.
	pkg-config --static --libs cgconv | not grep json
}

@test "install: a build stops without the names of the libraries" {
	# A compiler that finds no library prints its name.
	printf '%s\n' '#!/bin/sh' 'case $1 in -print-file-name=*)' \
		'echo "${1#*=}" && exit ;; esac' 'exec '"${CC:-cc}"' "$@"' >"$root/cc"
	chmod +x "$root/cc"
	for tool in READELF=false "CC=$root/cc"; do
		run ! make -s B="$root/b" "$tool" "$root/b/lib/syntax/xml.o"
		[[ $output == *"finds no SONAME of libxml2.so: 'make packages' installs"* ]]
		[ ! -e "$root/b/lib/syntax/xml.o" ]
	done
}

@test "install: make packages names the packages of the goal only" {
	# Nothing is installed without apt-get.
	mkdir "$root/bin"
	for program in make sh sed uname; do
		ln -s "$(command -v $program)" "$root/bin"
	done
	for goal in packages packages-demo packages-tests; do
		PATH=$root/bin make -s "$goal" >"$root/$goal"
		grep '^apt-get not found; .*:.* libdw-dev' "$root/$goal"
	done
	not grep -E 'valgrind|bats' "$root/packages"
	grep valgrind "$root/packages-demo"
	not grep bats "$root/packages-demo"
	grep 'valgrind.* bats' "$root/packages-tests"
}

@test "install: each header compiles as C++ on its own" {
	command -v g++ >/dev/null || skip "no g++"
	for header in lib/*.h; do
		echo "#include \"$header\"" |
			g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror \
				-fsyntax-only -I. -Ilib -x c++ -
	done
}
