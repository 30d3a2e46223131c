# cgconv: make demo | make check | make help
#
# All build output goes to $(B). Sources are found by wildcard, so that a new
# format needs no change here.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
B ?= build
CFLAGS ?= -O3 -g
V ?= 0
FUZZ_SECONDS ?= 2

# Debian packages in three sets: demo and bench install BUILD_PACKAGES and
# DEMO_PACKAGES if they are missing; check, fuzz and golden also install
# TEST_PACKAGES, and check BROWSER_PACKAGES if it can. (Debian always has perl,
# but without its modules.)
BUILD_PACKAGES := gcc pkg-config zlib1g-dev libdw-dev libelf-dev \
	liblzma-dev libzstd-dev libxml2-dev libarchive-dev libjson-c-dev \
	libiberty-dev
DEMO_PACKAGES := binutils valgrind
SLURM_PACKAGES := slurm-wlm munge
TEST_PACKAGES := g++ zstd xz-utils bzip2 bats perl clang llvm mandoc \
	libclang-rt-dev
STATIC_PACKAGES := liblz4-dev libbz2-dev nettle-dev libicu-dev
# For tests/formats/html.bats, which tells what it skips without a browser. With
# what it needs this is 190 MB to download: "make check BROWSER_PACKAGES=" leaves
# it out.
BROWSER_PACKAGES := chromium
# For cmd/wasm, which also fetches the sources of the libraries.
WASM_PACKAGES := clang lld llvm wasi-libc libclang-rt-dev-wasm32 dpkg-dev nodejs

VERSION := $(shell sed -n 's/^.define CG_VERSION "\(.*\)"/\1/p' lib/cgconv.h)
# The files in packages and tarballs have this time, not that of the build.
dated = $(shell sed -n 's/^\.Dd //p' cmd/cgconv.1)
SONAME := libcgconv.so.1
# What the library is linked with; only the program needs json-c, too.
LINKED := zlib
# Loaded at run time when an input needs them: see lib/base/load.h.
LOADED := libxml-2.0 libarchive libdw liblzma libzstd

PKG_CONFIG ?= pkg-config
READELF ?= readelf
OBJCOPY ?= objcopy

Q0 := @
Q1 :=
Q := $(Q$(V))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wvla
# Expanded late and once: make may install the packages after it has read this
# file.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LINKED) \
	json-c $(LOADED) 2>/dev/null))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(LINKED) 2>/dev/null \
	|| echo -lz))$(PKG_LIBS)
JSON_LIBS = $(eval JSON_LIBS := $(shell $(PKG_CONFIG) --libs json-c 2>/dev/null \
	|| echo -ljson-c))$(JSON_LIBS)
# Without its name a library would not be found at run time.
soname = $(or $(shell $(READELF) -d "`$(CC) -print-file-name=$(1).so`" | \
	sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p'),$(error \
	'$(READELF) -d' finds no SONAME of $(1).so: \
	'make packages' installs the library and binutils))
# Sanitizers replace these checks, and use symbols that no library defines. That
# of leaks (clang 14) crashes on the thread-local data of a library that is loaded
# late: then libdw is there from the start.
SANITIZED := $(findstring -fsanitize,$(CFLAGS))
EARLY := -Wl,--no-as-needed -ldw
LIBS = $(PKG_LIBS) -liberty -ldl -lm -pthread $(if $(SANITIZED),$(EARLY))
HARDEN ?= $(if $(SANITIZED)$(filter -O0,$(CFLAGS))$(if $(findstring \
	-O,$(CFLAGS)),,x),,-D_FORTIFY_SOURCE=2 -fstack-protector-strong)
NO_UNDEFINED := $(if $(SANITIZED),,-Wl,--no-undefined)
# libiberty is linked statically; its functions are not exported.
EXPORT := -Wl,--exclude-libs,libiberty.a
CG_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE \
	-D_FILE_OFFSET_BITS=64 -Ilib -Iformats -I$(B) -fPIC -fvisibility=hidden $(WARN) \
	$(HARDEN) $(PKG_CFLAGS) -MMD -MP

lib_src := $(wildcard lib/*/*.c lib/*/*/*.c formats/*.c formats/*/*.c)
cmd_src := $(wildcard cmd/*.c cmd/*/*.c)
unit_src := $(wildcard tests/unit/*.c)
bats := $(wildcard tests/*/*.bats)
headers := $(wildcard lib/*.h)
# Only for make static.
cmd_src := $(filter-out cmd/static/%,$(cmd_src))
lib_obj := $(lib_src:%.c=$(B)/%.o)
cmd_obj := $(cmd_src:%.c=$(B)/%.o)
units := $(unit_src:tests/unit/%.c=$(B)/tests/unit/%)
formats := $(shell sed -n 's/^FORMAT(\([a-z0-9_]*\)).*/\1/p' \
	formats/formats.def 2>/dev/null)

## all: build the program and the libraries (default)
all: $(B)/cgconv $(B)/libcgconv.a $(B)/libcgconv.so

# The program exports the library's public functions to the plug-ins that it
# loads.
$(B)/cgconv: $(cmd_obj) $(lib_obj)
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -rdynamic $(EXPORT) \
		-o $@ $^ $(LIBS) $(JSON_LIBS) -lrt

# One object in which hidden symbols are local, so that a program linked with
# the archive sees only public symbols.
$(B)/libcgconv.a: $(lib_obj)
	@echo "  AR      $@"
	$(Q)rm -f $@ && $(LD) -r --force-group-allocation -o $(B)/libcgconv.o $^ && \
		$(OBJCOPY) --localize-hidden $(B)/libcgconv.o && \
		$(AR) rcs $@ $(B)/libcgconv.o

$(B)/libcgconv.so: $(lib_obj) lib/libcgconv.map
	@echo "  LD      $@"
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,$(SONAME) \
		-Wl,--version-script=lib/libcgconv.map \
		$(NO_UNDEFINED) $(EXPORT) -o $@ $(lib_obj) $(LIBS)

$(B)/%.o: %.c
	@echo "  CC      $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CG_CFLAGS) $(CFLAGS) $(CPPFLAGS) -c -o $@ $<

XML2 = -DCG_LIBXML2_SONAME='"$(call soname,libxml2)"'
ARCHIVE = -DCG_LIBARCHIVE_SONAME='"$(call soname,libarchive)"'
DW = -DCG_LIBDW_SONAME='"$(call soname,libdw)"'
LZMA = -DCG_LIBLZMA_SONAME='"$(call soname,liblzma)"'
ZSTD = -DCG_LIBZSTD_SONAME='"$(call soname,libzstd)"'
$(B)/lib/syntax/xml.o: CG_CFLAGS += $(XML2)
$(B)/lib/io/archive.o $(B)/lib/io/filter_libarchive.o: CG_CFLAGS += $(ARCHIVE)
$(B)/lib/symbols/libdw.o: CG_CFLAGS += $(DW)
$(B)/lib/symbols/debugfile.o: CG_CFLAGS += $(LZMA)
$(B)/lib/io/unzstd.o: CG_CFLAGS += $(ZSTD)
$(B)/lib/base/libraries.o: CG_CFLAGS += $(XML2) $(ARCHIVE) $(DW) $(LZMA) $(ZSTD)

# The script and style of HTML reports, the style of the page of --series, and the
# part of the script that pictures (svg) have, too, as lists of bytes in C, and
# their SHA-256 hashes. In this order: later scripts use what earlier ones define.
page_js := base names inflate events data state formulas select versus cycles filter ere refine refinebar \
	judged fit table columns tip export layout times spots labels hidden flame flameview overview groups functions \
	tree function layered callgraph reach graphdraw graphview map seek branches source coverage \
	compare outcomes tests jumps listing instrs lineasm partbars parts timeview panes app
page := $(B)/formats/html/page
$(page).js: $(page_js:%=formats/html/%.js)
$(page).css: formats/html/app.css
series := $(B)/cmd/series/page
$(series).css: cmd/series/page.css
names := $(B)/formats/svg/names
$(names).js: formats/html/names.js
$(page).js $(page).css $(series).css $(names).js:
	@mkdir -p $(@D)
	$(Q)cat $^ >$@
$(B)/%.inc: $(B)/%
	$(Q)od -An -v -tu1 $< | sed 's/[0-9][0-9]*/&,/g' >$@
$(B)/%.sha256: $(B)/%
	$(Q)sha256sum <$< | sed 's/ .*//; s/../0x&,/g' >$@
assets := $(foreach file,$(page).js $(page).css $(series).css $(names).js, \
	$(file).inc $(file).sha256)
$(B)/formats/html/assets.o: $(filter $(page)%,$(assets))
$(series).o: $(filter $(series)%,$(assets))
$(B)/formats/svg/script.o: $(names).js.inc

-include $(lib_obj:.o=.d) $(cmd_obj:.o=.d) $(units:=.d) \
	$(wildcard $(B)/tests/fuzz/*.d)

# Formats with samples are fuzzed: a fuzzer needs samples to start from, and
# formats that are only written have no reader.
fuzzed := $(foreach f,$(formats),$(if $(wildcard \
	samples/$(subst _,-,$(f))/*),$(f)))
fuzzed += archive gcov_unit elf llvm_mapping patch batch manifest

# ---- Packages: only for demo, check, check-slurm, bench, fuzz and golden ----

with_tests := $(filter packages-tests check check-builds fuzz fuzz-report fuzz-keep golden, \
	$(MAKECMDGOALS))
with_demo := $(with_tests) $(filter packages-demo demo check-slurm bench \
	bench-growth,$(MAKECMDGOALS))
ifneq ($(strip $(with_demo)),)
$(B)/.headers: | packages
endif
$(lib_obj) $(cmd_obj) $(units:=.o): | $(B)/.headers

# Without the packages, make names the remedy instead of failing in some file.
package_headers := zlib.h lzma.h elfutils/libdw.h gelf.h json-c/json.h \
	libxml/parser.h archive.h libiberty/demangle.h

$(B)/.headers:
	@mkdir -p $(@D)
	@printf '#include <%s>\n' $(package_headers) | \
		$(CC) $(PKG_CFLAGS) $(CPPFLAGS) -fsyntax-only -x c - || \
	{ echo "packages are missing: 'make packages' installs them"; exit 1; }
	@touch $@

wanted := $(BUILD_PACKAGES) \
	$(if $(strip $(with_demo)),$(DEMO_PACKAGES)) \
	$(if $(strip $(with_tests)),$(TEST_PACKAGES)) \
	$(if $(filter check-slurm,$(MAKECMDGOALS)),$(SLURM_PACKAGES)) \
	$(if $(filter packages-wasm check-builds,$(MAKECMDGOALS)),$(WASM_PACKAGES)) \
	$(if $(filter packages-static check-builds,$(MAKECMDGOALS)),$(STATIC_PACKAGES))

## packages: install what the build needs (Debian; 76 MB to download)
## packages-demo: also what the demo needs (22 MB more)
## packages-tests: also what the tests need (95 MB more, a browser 190 MB)
## packages-wasm: also what make wasm needs (80 MB more)
## packages-static: also what make static needs
packages-demo packages-tests packages-wasm packages-static: packages
packages:
	@missing=; for p in $(wanted); do \
		case $$p in \
		perl) perl -MJSON::PP -e 1 ;; \
		*) command -v $$p ;; \
		esac >/dev/null 2>&1 || \
		dpkg-query -W -f '$${Status}' $$p 2>/dev/null | \
			grep -q 'ok installed' || missing="$$missing $$p"; \
	done; \
	test -z "$$missing" && exit 0; \
	if ! command -v apt-get >/dev/null 2>&1; then \
		echo "apt-get not found; install the equivalents of:$$missing"; \
		exit 0; \
	fi; \
	as_root=; test "$$(id -u)" = 0 || as_root=sudo; \
	if ! { test -z "$$as_root" || command -v sudo >/dev/null 2>&1; }; then \
		echo "sudo not found; run as root: apt-get install$$missing"; \
		exit 1; \
	fi; \
	echo "installing$$missing"; \
	export DEBIAN_FRONTEND=noninteractive; \
	{ $$as_root apt-get update -qq && \
	  $$as_root apt-get install -y -qq --no-install-recommends \
		$$missing; } </dev/null >$(if $(filter 1,$(V)),&2,/dev/null) || \
	{ echo "apt-get could not install$$missing"; exit 1; }

## browser: install a browser for the tests of HTML reports (Debian; 190 MB)
browser: packages
	@test -z "$(BROWSER_PACKAGES)" || command -v $(BROWSER_PACKAGES) \
		>/dev/null 2>&1 || \
	{ command -v apt-get >/dev/null 2>&1 && \
	  as_root= && { test "$$(id -u)" = 0 || as_root=sudo; } && \
	  echo "installing $(BROWSER_PACKAGES)" && \
	  export DEBIAN_FRONTEND=noninteractive && \
	  { $$as_root apt-get update -qq && \
	    $$as_root apt-get install -y -qq --no-install-recommends \
		$(BROWSER_PACKAGES); } </dev/null >/dev/null 2>&1; } || \
	echo "no browser: some tests of HTML reports are skipped"

# ---- Tests ------------------------------------------------------------------

# Unit tests are linked with the objects, because they also call private
# functions. The XML test compares the XML reader with libxml2's tree.
TEST_LIBS = $(shell $(PKG_CONFIG) --libs libxml-2.0 2>/dev/null || echo -lxml2)
$(B)/tests/unit/%: $(B)/tests/unit/%.o $(lib_obj)
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS) $(JSON_LIBS) $(TEST_LIBS)
.PRECIOUS: $(B)/%.o
.DELETE_ON_ERROR:

## check: build and run all tests; the last line has the counts
check: all $(units) fuzzers browser
	@B=$(B) CC="$(CC)" CFLAGS="$(CFLAGS)" FUZZ_SECONDS=$(FUZZ_SECONDS) \
		tests/run $(filter %/matrix.bats,$(bats)) \
		$(filter-out %/matrix.bats,$(bats)) \
		$(units) \
		$(if $(filter-out 0,$(FUZZ_SECONDS)),$(fuzzed:%=$(B)/fuzz/%))

## check-builds: build and test wasm, npm, the page and static (network)
built := $(patsubst %,tests/%.bats,formats/wasm formats/npm formats/page cmd/static)
check-builds: all browser
	@$(MAKE) --no-print-directory npm page static
	@B=$(B) CC="$(CC)" CFLAGS="$(CFLAGS)" tests/run $(built)

# Root directories of a new Debian: see tests/fresh. FRESH has more arguments for
# make.
FRESH ?=
## check-fresh: run make demo and make check in a new Debian (root, network)
check-fresh:
	@B=$(B) tests/fresh native $(FRESH) || test $$? = 77

## check-foreign: build for aarch64 in a new Debian, compare the conversions
FOREIGN_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static \
	$(patsubst %,%:arm64,$(filter lib% zlib%,$(BUILD_PACKAGES)))
check-foreign:
	@B=$(B) FOREIGN_PACKAGES="$(FOREIGN_PACKAGES)" tests/fresh foreign \
		$(FRESH) || test $$? = 77

## check-slurm: run README's example on a Slurm cluster on this machine
check-slurm: all
	@B=$(B) tests/slurm || test $$? = 77

## asan: run check with the address and undefined behaviour sanitizers
SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
asan:
	@$(MAKE) --no-print-directory B=$(B)/asan CC=clang CFLAGS="$(SANITIZE)" FUZZ_SECONDS=0 check

## golden: rewrite the expected outputs of the tests; review with git diff
golden: all
	@UPDATE=1 B=$(B) CC="$(CC)" CFLAGS="$(CFLAGS)" \
		tests/run $(bats)

# All readers share one fuzzer, which takes the format from its file name. It
# is always built with clang, whatever CC is, because clang has libFuzzer. It
# looks for no debug files of the machine: profiles name libraries, whose debug
# files take seconds to read for each input.
FUZZ_CFLAGS := -O1 -g -fsanitize=address,undefined,fuzzer-no-link \
	-fno-sanitize-recover=all '-DCG_DEBUG_ROOT=\"/dev/null\"'
fuzzers: all
ifneq ($(FUZZ_SECONDS),0)
	@if tests/fuzz/run --can; then \
		$(MAKE) -s --no-print-directory B=$(B)/fuzz CC=clang CFLAGS="$(FUZZ_CFLAGS)" \
			$(fuzzed:%=$(B)/fuzz/%); \
	fi
endif

ifneq ($(findstring fuzzer-no-link,$(CFLAGS)),)
$(formats:%=$(B)/%): $(B)/reader
	@ln -f $< $@

$(B)/gcov_unit $(B)/elf $(B)/llvm_mapping $(B)/patch: $(B)/files
	@ln -f $< $@

$(B)/manifest: $(B)/batch
	@ln -f $< $@

$(B)/batch: $(filter-out $(B)/cmd/main.o,$(cmd_obj))
$(B)/reader $(B)/files $(B)/archive $(B)/batch: $(B)/%: $(B)/tests/fuzz/%.o \
		$(lib_obj)
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS) $(JSON_LIBS)
endif

## fuzz: fuzz the readers in turn until stopped; FUZZ=gprof selects one
FUZZ ?= $(fuzzed)
fuzz: fuzzers
	@while :; do for f in $(FUZZ); do \
		tests/fuzz/run $(B)/fuzz/$$f 60 || exit 1; \
	done; done

## fuzz-report: fuzz each reader for FUZZ_EACH seconds, print a table
FUZZ_EACH ?= 10
fuzz-report: fuzzers
	@B=$(B) tests/fuzz/report $(FUZZ_EACH) $(FUZZ:%=$(B)/fuzz/%)

## fuzz-keep: add what the fuzzers have found to tests/fuzz/corpus
fuzz-keep: fuzzers
	@B=$(B) tests/fuzz/keep $(FUZZ:%=$(B)/fuzz/%)

## bench: print a table of speed and memory, compared with installed tools
bench: all
	@B=$(B) tests/bench/run
	@B=$(B) tests/bench/coverage
	@B=$(B) tests/bench/many

## bench-growth: print how time and memory grow with the input's size
bench-growth: all
	@B=$(B) tests/bench/growth

# ---- Demo -------------------------------------------------------------------

## demo: profile a program and convert the profiles
demo: all
	@B=$(B) CC="$(CC)" samples/demo

## screenshot: renew README's screenshot (see samples/screenshot)
screenshot: all
	@B=$(B) samples/screenshot

# ---- Code quality -----------------------------------------------------------

# Headers are formatted by hand, because their comments are in columns.
sources := $(lib_src) $(cmd_src) $(wildcard tests/unit/*.c \
	tests/fuzz/*.c tests/bench/*.c)

# The compiler of TypeScript checks the page's scripts: tsc, or what npx has
# ("npm install -g typescript").
TSC ?= $(shell command -v tsc || echo npx --no-install tsc)

## lint: build with -Werror (gcc, clang); run cppcheck, clang-tidy, clang-format, tsc
lint: $(assets)
	@bad=0; \
	$(MAKE) --no-print-directory B=$(B)/lint-gcc CC=gcc \
		CFLAGS="-O3 -Werror" all || bad=1; \
	$(MAKE) --no-print-directory B=$(B)/lint-clang CC=clang \
		CFLAGS="-O3 -Werror" all || bad=1; \
	if command -v cppcheck >/dev/null; then \
		cppcheck -q --std=c11 --enable=warning,portability \
			--suppress=preprocessorErrorDirective \
			--suppress=toomanyconfigs \
			--inline-suppr --error-exitcode=1 -Ilib -Iformats \
			lib formats cmd || bad=1; \
	fi; \
	if command -v clang-tidy >/dev/null; then \
		clang-tidy --quiet $(lib_src) $(cmd_src) -- \
			$(filter-out -M%,$(CG_CFLAGS)) \
			-DCG_LIBXML2_SONAME='""' \
			-DCG_LIBARCHIVE_SONAME='""' \
			-DCG_LIBDW_SONAME='""' \
			-DCG_LIBLZMA_SONAME='""' \
			-DCG_LIBZSTD_SONAME='""' || bad=1; \
	fi; \
	if command -v clang-format >/dev/null; then \
		clang-format --dry-run -Werror $(sources) || bad=1; \
	fi; \
	if $(TSC) --version >/dev/null 2>&1; then \
		$(TSC) -p formats/html/jsconfig.json || bad=1; \
	else \
		echo "no tsc: types of the page's scripts are not checked"; \
	fi; \
	exit $$bad

## format: clang-format all sources in place
format:
	clang-format -i $(sources)

## clean: remove the build directory
clean:
	rm -rf $(B)

# ---- WebAssembly ------------------------------------------------------------

include cmd/wasm/wasm.mk

# ---- Installing: DESTDIR= and PREFIX= ---------------------------------------

INSTALL ?= install
bin := $(DESTDIR)$(PREFIX)/bin
lib := $(DESTDIR)$(LIBDIR)
include := $(DESTDIR)$(PREFIX)/include
man := $(DESTDIR)$(PREFIX)/share/man
share := $(DESTDIR)$(PREFIX)/share
# What bash, zsh and fish read: each asks the program for options and formats.
bash := $(share)/bash-completion/completions
zsh := $(share)/zsh/site-functions
fish := $(share)/fish/vendor_completions.d

define PC
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$${prefix}/include

Name: cgconv
Description: converts profiles through one neutral cost graph
Version: $(VERSION)
Libs: -L$${libdir} -lcgconv
Libs.private: $(LIBS)
Cflags: -I$${includedir}
endef
# Not for other targets: it would be expanded before packages are installed.
install: export PC_FILE = $(PC)

## install: install to $DESTDIR$PREFIX (default: /usr/local)
install: all
	$(INSTALL) -d "$(bin)" "$(lib)/pkgconfig" "$(include)" "$(man)/man1" \
		"$(man)/man3" "$(bash)" "$(zsh)" "$(fish)"
	$(INSTALL) -m 755 $(B)/cgconv "$(bin)"
	$(INSTALL) -m 644 $(B)/libcgconv.a "$(lib)"
	$(INSTALL) -m 755 $(B)/libcgconv.so "$(lib)/libcgconv.so.$(VERSION)"
	ln -sf libcgconv.so.$(VERSION) "$(lib)/$(SONAME)"
	ln -sf $(SONAME) "$(lib)/libcgconv.so"
	$(INSTALL) -m 644 $(headers) "$(include)"
	$(INSTALL) -m 644 cmd/cgconv.1 "$(man)/man1"
	$(INSTALL) -m 644 lib/libcgconv.3 "$(man)/man3"
	$(INSTALL) -m 644 cmd/cgconv.bash-completion "$(bash)/cgconv"
	$(INSTALL) -m 644 cmd/cgconv.zsh-completion "$(zsh)/_cgconv"
	$(INSTALL) -m 644 cmd/cgconv.fish-completion "$(fish)/cgconv.fish"
	echo "$$PC_FILE" >$(B)/cgconv.pc
	$(INSTALL) -m 644 $(B)/cgconv.pc "$(lib)/pkgconfig"

## uninstall: remove the files that install created
uninstall:
	rm -f "$(bin)/cgconv" "$(lib)/libcgconv.a" \
		"$(lib)/libcgconv.so.$(VERSION)" "$(lib)/$(SONAME)" \
		"$(lib)/libcgconv.so" $(headers:lib/%="$(include)/%") \
		"$(lib)/pkgconfig/cgconv.pc" "$(man)/man1/cgconv.1" \
		"$(man)/man3/libcgconv.3" \
		"$(bash)/cgconv" "$(zsh)/_cgconv" "$(fish)/cgconv.fish"

# ---- Packages to give away ---------------------------------------------------

DEB ?= $(B)/deb
## deb: make Debian packages of the program and the library in build/deb
deb: all
	@MAKE="$(MAKE)" CC="$(CC)" B="$(B)" LOADED="$(LOADED)" DATED="$(dated)" \
		PKG_CONFIG="$(PKG_CONFIG)" .debian/build $(VERSION) $(SONAME) "$(DEB)"

## check-deb: install, upgrade and remove them in a new Debian (root, network)
check-deb: deb
	@$(MAKE) --no-print-directory deb VERSION=$(VERSION).1 DEB=$(B)/newer-deb
	@B=$(B) tests/fresh deb $(DEB) $(B)/newer-deb || test $$? = 77

## static: link one program without shared libraries, build/static/cgconv-static
STATIC_CFLAGS := -O2 -ffunction-sections -fdata-sections
static:
	@$(MAKE) --no-print-directory B=$(B)/static CFLAGS="$(STATIC_CFLAGS)" \
		CPPFLAGS="$(CPPFLAGS) -DCG_LINKED" $(B)/static/cgconv-static

$(B)/cgconv-static: $(cmd_obj) $(lib_obj) $(B)/cmd/static/left_out.o
	@echo "  LD      $@"
	$(Q)CC="$(CC)" LD="$(LD)" CFLAGS="$(CFLAGS)" LDFLAGS="$(LDFLAGS)" \
		cmd/static/link $@ $^

## dist: make a tarball of the sources and its checksum in build/dist
DIST ?= $(B)/dist
dist_name := cgconv-$(VERSION)
dist:
	@rm -rf "$(DIST)"; mkdir -p "$(DIST)"
	@if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files -z; else \
		find . -path "./$(B)" -prune -o ! -type d -print0 | \
			sed -z 's,^\./,,'; \
	fi | LC_ALL=C sort -z | tar --no-recursion -cf - \
		--format=gnu --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX --mtime="$(dated) UTC" \
		--transform='flags=r;s,^,$(dist_name)/,' --null -T - | \
		gzip -9n >"$(DIST)/$(dist_name).tar.gz"
	@cd "$(DIST)" && sha256sum $(dist_name).tar.gz >SHA256SUMS && cat SHA256SUMS

## help: print this list
help:
	@sed -n 's/^## /  make /p' Makefile
	@echo "  Tools: CC= AR= LD= OBJCOPY= READELF= PKG_CONFIG="
	@echo "  Other variables: B= CFLAGS= CPPFLAGS= LDFLAGS= PREFIX= LIBDIR= DESTDIR=;"
	@echo "  HARDEN= (empty) builds without _FORTIFY_SOURCE and stack protector"

.PHONY: all packages packages-demo packages-tests packages-wasm browser check \
	check-builds check-fresh check-foreign check-slurm asan golden fuzzers fuzz \
	fuzz-report fuzz-keep bench bench-growth demo screenshot lint format \
	clean install uninstall deb check-deb static packages-static dist help
