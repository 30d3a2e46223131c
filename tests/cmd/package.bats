# package.bats - what make deb makes.
load ../helper

setup_file()
{
	command -v dpkg-architecture >/dev/null || return 0
	case $CFLAGS in *-fsanitize*) return 0 ;; esac
	# Not in the build that is tested: other packages may be there.
	export DEB=$BATS_FILE_TMPDIR/deb
	make -s --no-print-directory B="$B" CC="${CC:-cc}" \
		CFLAGS="${CFLAGS:--O3 -g}" DEB="$DEB" deb
}

setup()
{
	dir=$BATS_TEST_TMPDIR
	needs dpkg-architecture
	[ -n "${DEB-}" ] || skip "a build with sanitizers"
	version=$("$CGCONV" --version | cut -d ' ' -f 2)
	so=$(sed -n 's/^SONAME := libcgconv.so.//p' Makefile)
}

# The files of a package, without directories.
files()
{
	dpkg-deb -c "$DEB/$1"_*.deb | awk '$1 !~ /^d/ { print $6 }' |
		sed "s|$(dpkg-architecture -qDEB_HOST_MULTIARCH)|TRIPLET|" |
		LC_ALL=C sort
}

@test "package: three packages have what is installed, and nothing twice" {
	files cgconv | says ./usr/bin/cgconv \
		./usr/share/bash-completion/completions/cgconv \
		./usr/share/doc/cgconv/changelog.gz \
		./usr/share/doc/cgconv/copyright \
		./usr/share/fish/vendor_completions.d/cgconv.fish \
		./usr/share/man/man1/cgconv.1.gz \
		./usr/share/zsh/vendor-completions/_cgconv
	files "libcgconv$so" | says "./usr/lib/TRIPLET/libcgconv.so.$so" \
		"./usr/lib/TRIPLET/libcgconv.so.$version" \
		"./usr/share/doc/libcgconv$so/changelog.gz" \
		"./usr/share/doc/libcgconv$so/copyright"
	files libcgconv-dev | says ./usr/include/cgconv.h \
		./usr/include/cgconv_expert.h \
		./usr/include/cgconv_format.h \
		./usr/include/cgconv_parse.h \
		./usr/lib/TRIPLET/libcgconv.a \
		./usr/lib/TRIPLET/libcgconv.so \
		./usr/lib/TRIPLET/pkgconfig/cgconv.pc \
		./usr/share/doc/libcgconv-dev/changelog.gz \
		./usr/share/doc/libcgconv-dev/copyright \
		./usr/share/man/man3/libcgconv.3.gz
}

@test "package: it names the libraries that it needs" {
	for package in cgconv "libcgconv$so"; do
		dpkg-deb -f "$DEB/$package"_*.deb Depends >"$dir/depends"
		grep -q 'libc6 (>= .*zlib1g (>= ' "$dir/depends"
		dpkg-deb -f "$DEB/$package"_*.deb Recommends | tr ',' '\n' |
			sed 's/(.*//; s/[0-9 t]*$//; s/^ //' >"$dir/recommends"
		for library in libarchive libdw liblzma libxml libzstd; do
			grep -qx "$library" "$dir/recommends"
		done
	done
	dpkg-deb -f "$DEB"/cgconv_*.deb Depends | grep -q libjson-c
	dpkg-deb -f "$DEB/libcgconv$so"_*.deb Depends | not grep json
	dpkg-deb -f "$DEB"/libcgconv-dev_*.deb Depends |
		grep -qF "libcgconv$so (= $version)"
}

@test "package: the symbols of the library are those of lib/libcgconv.abi" {
	dpkg-deb -e "$DEB/libcgconv$so"_*.deb "$dir/control"
	sed -n 's/^ \(cg_[^@]*\)@CGCONV_[0-9]* .*/\1/p' "$dir/control/symbols" \
		>"$dir/symbols"
	sed '1d; / typedef /d' lib/libcgconv.abi | grep -o '\bcg_[a-z0-9_]*(' |
		tr -d '(' | LC_ALL=C sort | same - "$dir/symbols"
}

@test "package: the program in it runs, and its sums are right" {
	dpkg-deb -x "$DEB"/cgconv_*.deb "$dir/root"
	"$dir/root/usr/bin/cgconv" --version | says "cgconv $version"
	dpkg-deb -e "$DEB"/cgconv_*.deb "$dir/root/DEBIAN"
	(cd "$dir/root" && md5sum -c --quiet DEBIAN/md5sums)
	(cd "$dir/root" && find usr -type f | wc -l) >"$dir/count"
	wc -l <"$dir/root/DEBIAN/md5sums" | same "$dir/count" -
}

@test "package: made twice, the bytes are the same" {
	(cd "$DEB" && sha256sum ./*.deb) >"$dir/sums"
	make -s --no-print-directory B="$B" CC="${CC:-cc}" \
		CFLAGS="${CFLAGS:--O3 -g}" DEB="$dir/again" deb
	(cd "$dir/again" && sha256sum -c --quiet "$dir/sums")
}

@test "package: lintian finds no error and no warning" {
	needs lintian
	lintian --allow-root --fail-on error,warning "$DEB"/*.deb
}
