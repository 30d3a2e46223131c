# The WebAssembly build, included by the Makefile: cgconv.wasm for WASI preview 1.

W := $(B)/wasm
WASM_CC ?= clang
WASM_CFLAGS ?= -O2
# What every host has had for years: node 17, and browsers since 2022.
WASM_TARGET := --target=wasm32-wasi -msign-ext -mnontrapping-fptoint \
	-D_WASI_EMULATED_MMAN -D_WASI_EMULATED_SIGNAL \
	-D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID
WASM_JUMPS := -mllvm -wasm-enable-sjlj -mexception-handling
WASM_LIBS := -lwasi-emulated-mman -lwasi-emulated-signal \
	-lwasi-emulated-process-clocks -lwasi-emulated-getpid
# The stack that Linux gives; first, so that one that is too small is a fault.
WASM_LDFLAGS := -Wl,--stack-first -Wl,-z,stack-size=8388608 -Wl,--strip-all

# The program, and what WASI's C library lacks.
wasm_src := $(lib_src) $(cmd_src) $(wildcard cmd/wasm/posix/*.c)
wasm_obj := $(wasm_src:%.c=$(W)/obj/%.o)
# The libraries are linked: they have no names to be loaded by.
WASM_NAMES := $(foreach n,LIBXML2 LIBARCHIVE LIBDW LIBLZMA LIBZSTD,\
	-DCG_$(n)_SONAME='""')

## wasm: build cgconv.wasm for WASI (network: sources of libraries)
wasm: $(W)/cgconv.wasm

$(W)/libraries.a: cmd/wasm/libraries
	@echo "  SOURCES $@"
	$(Q)WASM_CC="$(WASM_CC)" WASM_CFLAGS="$(WASM_TARGET) $(WASM_CFLAGS)" \
		cmd/wasm/libraries $(W)

$(W)/cgconv.wasm: $(wasm_obj) $(W)/libraries.a
	@echo "  LD      $@"
	$(Q)$(WASM_CC) $(WASM_TARGET) $(WASM_CFLAGS) $(WASM_LDFLAGS) -o $@ $^ \
		$(WASM_LIBS)

$(W)/obj/%.o: %.c | $(W)/libraries.a
	@echo "  WASM    $<"
	@mkdir -p $(@D)
	$(Q)$(WASM_CC) $(WASM_TARGET) -std=c11 -D_POSIX_C_SOURCE=200809L \
		-D_DEFAULT_SOURCE -DCG_LINKED $(WASM_NAMES) \
		-include cmd/wasm/posix/posix.h -Icmd/wasm/posix -Ilib \
		-Iformats -I$(B) -isystem $(W)/include $(WARN) \
		-Wno-gnu-statement-expression $(WASM_CFLAGS) $(WASM_MORE) \
		-MMD -MP -c -o $@ $<

$(W)/obj/lib/symbols/demangle.o $(W)/obj/lib/symbols/dwarf.o \
$(W)/obj/cmd/wasm/posix/setjmp.o: WASM_MORE := $(WASM_JUMPS)
$(W)/obj/cmd/wasm/posix/memory.o: WASM_MORE := -mbulk-memory

$(W)/obj/cmd/series/page.o: $(filter $(series)%,$(assets))
$(W)/obj/formats/html/assets.o: $(filter $(page)%,$(assets))
$(W)/obj/formats/svg/script.o: $(names).js.inc

-include $(wasm_obj:.o=.d)

# ---- npm --------------------------------------------------------------------

npm_files := cgconv.js disk.js host.js index.d.ts index.js wasi.js README.md

## npm: make build/npm, a package for node with the program and a module
npm: $(W)/cgconv.wasm
	@rm -rf $(B)/npm && mkdir -p $(B)/npm/licenses
	@cp $(npm_files:%=cmd/wasm/%) $(W)/cgconv.wasm LICENSE $(B)/npm
	@cp $(W)/licenses/* $(B)/npm/licenses
	@sed 's/VERSION/$(VERSION)/' cmd/wasm/package.json >$(B)/npm/package.json
	@du -sh $(B)/npm

# ---- The page ---------------------------------------------------------------

## page: make build/cgconv.html, one page that opens profiles in a browser
page: $(B)/cgconv.html

page_parts := $(wildcard cmd/wasm/page/*) cmd/wasm/disk.js cmd/wasm/wasi.js
$(B)/cgconv.html: $(W)/cgconv.wasm $(page_parts) $(page).js $(page).css
	@echo "  PAGE    $@"
	$(Q)cmd/wasm/page/make $(W)/cgconv.wasm $(page).js $(page).css >$@

.PHONY: wasm npm page
