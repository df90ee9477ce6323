# scalediag. Two commands for a newcomer: `make demo` and `make check`. `make help` lists the others.
#
# Layers are static libraries, and each is compiled with only the include paths it may use, so that a call or an include
# in the wrong direction does not build:   cli -> measure, analyse, report -> record -> include <- probes, microbench

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
CC ?= cc
CFLAGS ?= -O2 -g
WERROR ?=
VERSION := 0.1.0
PKGS := hwloc jansson smartcols libconfig muparser libdw libelf liblzma

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2
BASE_CFLAGS = -std=c11 -D_GNU_SOURCE -DSD_VERSION='"$(VERSION)"' $(WARN) $(WERROR) -MMD -MP -pthread $(PKG_CFLAGS)
LIBS = $(PKG_LIBS) -lpfm -liberty -lm -pthread
# asked once, and again after `make deps-build` has installed them: recursive make reads the new state
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

# layer, its folder, the layers whose headers it may name and whose code it links
LAYERS := base probes cachesim microbench record measure analyse report cli
DIR_base := include
DIR_probes := probes
DIR_cachesim := probes/cachesim
DIR_microbench := microbench
DIR_record := diagnose/record
DIR_measure := diagnose/measure
DIR_analyse := diagnose/analyse
DIR_report := diagnose/report
DIR_cli := diagnose/cli
USES_base :=
USES_probes := base
# the model of the software PMU: part of the plugin that QEMU loads, not of the program
USES_cachesim := base
USES_microbench := base
USES_record := base
USES_measure := record base
USES_analyse := base
USES_report := base
USES_cli := measure analyse report record probes microbench base
# cli links probes and microbench, but sees of them only what include/ declares
HIDDEN_cli := probes microbench

SIM_PLUGINS := $(BUILD)/scalediag-sim.so $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),$(BUILD)/scalediag-sim-avx2.so)
all: $(BUILD)/scalediag $(SIM_PLUGINS) $(BUILD)/scalediag-heap.so $(BUILD)/scalediag-pad.so

# One rule a layer: objects, library, and the tests tests/test_<layer>_*.c, which link that layer and what it may use.
# main.o stays out of the library of cli, so that its parts can be tested.
define layer
SRC_$(1) := $$(filter-out %/main.c,$$(wildcard $$(DIR_$(1))/*.c))
OBJ_$(1) := $$(SRC_$(1):%.c=$$(BUILD)/%.o)
INC_$(1) := -Iinclude $$(foreach u,$(1) $$(filter-out $$(HIDDEN_$(1)),$$(USES_$(1))),-I$$(DIR_$$(u)))
$$(BUILD)/$$(DIR_$(1))/%.o: $$(DIR_$(1))/%.c Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(BASE_CFLAGS) $$(INC_$(1)) -c -o $$@ $$<
$$(BUILD)/lib$(1).a: $$(OBJ_$(1))
	@rm -f $$@
	$$(AR) rcs $$@ $$^
TESTS_$(1) := $$(patsubst tests/%.c,$$(BUILD)/tests/%,$$(wildcard tests/test_$(1)_*.c))
$$(TESTS_$(1)): $$(BUILD)/tests/%: tests/%.c $$(BUILD)/lib$(1).a $$(USES_$(1):%=$$(BUILD)/lib%.a) Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(BASE_CFLAGS) $$(INC_$(1)) -Itests -o $$@ $$< $$(BUILD)/lib$(1).a \
		$$(USES_$(1):%=$$(BUILD)/lib%.a) $$(LDFLAGS) -lcmocka $$(LIBS)
HEADERS_$(1) := $$(patsubst %.h,$$(BUILD)/headers/%.o,$$(wildcard $$(DIR_$(1))/*.h))
$$(HEADERS_$(1)): $$(BUILD)/headers/%.o: %.h
	@mkdir -p $$(@D)
	@printf '#include "%s"\n' $$(<F) | $$(CC) $$(CFLAGS) $$(BASE_CFLAGS) -Werror $$(INC_$(1)) -x c -c -o $$@ -
endef
$(foreach l,$(LAYERS),$(eval $(call layer,$(l))))

# configs/ becomes part of the program (include/configs.h): one object that holds the files as they are, and their names
CONFIGS := $(sort $(wildcard configs/*/*.conf))
$(BUILD)/libbase.a: $(BUILD)/configs_data.o
$(BUILD)/configs_data.o: $(BUILD)/configs_data.c $(CONFIGS)
	$(CC) $(CFLAGS) $(BASE_CFLAGS) -Iinclude -c -o $@ $<
$(BUILD)/configs_data.c: $(wildcard configs/*/) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "configs.h"'; n=0; for f in $(CONFIGS); do n=$$((n + 1)); \
		printf 'extern const char sd_config_%d[], sd_config_end_%d[];\n' $$n $$n; \
		printf '__asm__(".pushsection .rodata; sd_config_%d: .incbin \\"%s\\"; sd_config_end_%d: .byte 0; .popsection");\n' \
			$$n $$f $$n; done; \
	echo 'const struct sd_config_file sd_config_files[] = {'; n=0; for f in $(CONFIGS); do n=$$((n + 1)); \
		printf '\t{"%s", sd_config_%d, sd_config_end_%d},\n' $${f#configs/} $$n $$n; done; echo '	{0}};'; } >$@

# so do the lessons of microbench/lessons (diagnose/cli/lessons.h): a folder each, in the order of their numbers
LESSONS := $(sort $(patsubst %/LESSON.md,%,$(wildcard microbench/lessons/*/LESSON.md)))
LESSON_FILES := $(foreach l,$(LESSONS),$(l)/broken.c $(l)/fixed.c $(l)/LESSON.md)
$(BUILD)/libcli.a: $(BUILD)/lessons_data.o
$(BUILD)/lessons_data.o: $(BUILD)/lessons_data.c $(LESSON_FILES)
	$(CC) $(CFLAGS) $(BASE_CFLAGS) -Idiagnose/cli -c -o $@ $<
$(BUILD)/lessons_data.c: $(LESSON_FILES) microbench/lessons Makefile
	@mkdir -p $(@D)
	@{ echo '#include "lessons.h"'; n=0; for f in $(LESSON_FILES); do n=$$((n + 1)); \
		printf 'extern const char sd_lesson_%d[], sd_lesson_end_%d[];\n' $$n $$n; \
		printf '__asm__(".pushsection .rodata; sd_lesson_%d: .incbin \\"%s\\"; sd_lesson_end_%d: .byte 0; .popsection");\n' \
			$$n $$f $$n; done; \
	echo 'const struct sd_lesson_files sd_lesson_files[] = {'; n=0; for l in $(notdir $(LESSONS)); do \
		printf '\t{"%s"' $$l; for i in 1 2 3; do n=$$((n + 1)); printf ', sd_lesson_%d, sd_lesson_end_%d' $$n $$n; done; \
		echo '},'; done; echo '	{0}};'; } >$@

# and the page's style, script and Debian's Chart.js part of its HTML
CHART_JS ?= /usr/share/javascript/chart.js/chart.min.js
ASSETS := diagnose/report/assets/report.css diagnose/report/assets/report.js
$(BUILD)/libreport.a: $(BUILD)/assets_data.o
$(BUILD)/assets_data.o: $(ASSETS) $(wildcard $(CHART_JS)) Makefile
	@mkdir -p $(@D)
	@{ n() { printf '.globl sd_asset_%s, sd_asset_%s_end\nsd_asset_%s: .incbin "%s"\nsd_asset_%s_end: .byte 0\n' \
		$$1 $$1 $$1 $$2 $$1; }; echo '.section .rodata'; n css diagnose/report/assets/report.css; \
		n js diagnose/report/assets/report.js; n chart $(CHART_JS); \
		echo '.section .note.GNU-stack,"",%progbits'; } | $(CC) -c -x assembler -o $@ -

# whole archives: two layers that define the same name are a link error, not a wrong call
$(BUILD)/scalediag: $(BUILD)/diagnose/cli/main.o $(BUILD)/libcli.a $(USES_cli:%=$(BUILD)/lib%.a)
	$(CC) $(CFLAGS) -o $@ -Wl,--whole-archive $^ -Wl,--no-whole-archive $(LDFLAGS) $(LIBS)

# The plugin of the software PMU runs inside QEMU: never instrumented, and only what QEMU itself has beside the C library.
# A second one is for hosts with AVX2: counting bits and moving sets of lines takes it a tenth less time.
SIM_CFLAGS ?= -O3 -g -flto
$(BUILD)/scalediag-sim-avx2.so: SIM_HOST = -mavx2 -mbmi -mbmi2 -mpopcnt
$(SIM_PLUGINS): $(SRC_cachesim) include/simulated.c $(wildcard probes/cachesim/*.h) include/simulated.h Makefile
	@mkdir -p $(@D)
	$(CC) $(SIM_CFLAGS) $(SIM_HOST) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) $(INC_cachesim) -fPIC -fvisibility=hidden -shared \
		-pthread -o $@ $(filter %.c,$^)

# What it preloads into the program to hear of its heap: as the padding below.
$(BUILD)/scalediag-heap.so: probes/cachesim/heap/heap.c probes/cachesim/heapcall.h Makefile
	@mkdir -p $(@D)
	$(CC) $(SIM_CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) -Iprobes/cachesim -fno-builtin -fPIC -fvisibility=hidden -shared \
		-o $@ $< -ldl

# The padding that an experiment preloads runs inside the program under test: never instrumented either, and no built-in
# knowledge of malloc, which it is.
$(BUILD)/scalediag-pad.so: microbench/pad/pad.c Makefile
	@mkdir -p $(@D)
	$(CC) $(SIM_CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) -fno-builtin -fPIC -fvisibility=hidden -shared -o $@ $< -ldl

# ---- packages --------------------------------------------------------------------------------------------------------

# Debian and its relatives: installs the missing packages of a purpose; elsewhere the compiler will name what it lacks.
# One purpose at a time, also under `make -j`: apt's lock makes the second one fail.
deps-%:
	@exec 9<Makefile && flock 9; command -v dpkg-query >/dev/null || { echo "not a Debian system: install the counterparts of configs/packages by hand" >&2; exit 0; }; \
	missing=; for p in $$(sed -n 's/^$*: //p' configs/packages); do \
		dpkg-query -W -f '$${db:Status-Abbrev}' $$p 2>/dev/null | grep -q '^ii' || missing="$$missing $$p"; done; \
	[ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" != 0 ]; then echo "missing packages, and only root may install them. Run:" >&2; \
		echo "  sudo apt-get install$$missing" >&2; exit 1; fi; \
	echo "installing:$$missing"; export DEBIAN_FRONTEND=noninteractive; \
	log=$$(mktemp); { apt-get install -y --no-install-recommends $$missing || \
		{ apt-get update && apt-get install -y --no-install-recommends $$missing; }; } >$$log 2>&1 || \
		{ tail -n 5 $$log >&2; rm -f $$log; echo "could not install:$$missing" >&2; exit 1; }; rm -f $$log

# ---- tests -----------------------------------------------------------------------------------------------------------

TESTS = $(foreach l,$(LAYERS),$(TESTS_$(l)))
E2E = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_e2e_*.c))
PROGRAMS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/programs/*.c))

$(E2E): $(BUILD)/tests/%: tests/%.c $(BUILD)/tests/e2e.o $(BUILD)/libbase.a Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE_CFLAGS) -Iinclude -Itests -o $@ $< $(BUILD)/tests/e2e.o $(E2E_MORE) $(BUILD)/libbase.a $(LDFLAGS) -lcmocka $(LIBS)

# the one that drives a browser
$(BUILD)/tests/test_e2e_html: $(BUILD)/tests/webdriver.o
$(BUILD)/tests/test_e2e_html: E2E_MORE = $(BUILD)/tests/webdriver.o

$(BUILD)/tests/e2e.o $(BUILD)/tests/webdriver.o: $(BUILD)/tests/%.o: tests/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE_CFLAGS) -c -o $@ $<

# Programs under test are a user's programs: plain options, none of ours. *_omp.c is OpenMP.
$(BUILD)/tests/programs/%: tests/programs/%.c Makefile
	@mkdir -p $(@D)
	$(CC) -O2 -g -Wall -Wextra $(WERROR) -pthread $(if $(filter %_omp,$*),-fopenmp) -o $@ $< -lm

# A fresh make, so that pkg-config is asked again after the packages are there.
check: deps-build deps-check
	@$(MAKE) --no-print-directory check-built

check-built: all $(TESTS) $(E2E) $(PROGRAMS)
	@SCALEDIAG=$(BUILD)/scalediag tests/run $(TESTS) $(E2E)

# Every lesson of the workshop measured: some ten minutes, of which make check has the four that show everywhere.
check-lessons: all $(BUILD)/tests/test_e2e_learn
	@n=0; bad=0; for l in $(LESSONS); do n=$$((n + 1)); \
		LESSON=$$n SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/test_e2e_learn || bad=1; done; exit $$bad

# The same tests on instrumented builds. Address: also leaks and undefined behaviour.
asan: deps-build deps-check
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/asan check-built LDFLAGS="$(LDFLAGS) -fsanitize=address,undefined" \
		CFLAGS="-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"

# setarch -R: the thread sanitizer of gcc 12 cannot map its shadow under the address randomisation of newer kernels.
tsan: deps-build deps-check
	@setarch -R $(MAKE) --no-print-directory BUILD=$(BUILD)/tsan units-built LDFLAGS="$(LDFLAGS) -fsanitize=thread" \
		CFLAGS="-O1 -g -fsanitize=thread"

units-built: all $(TESTS)
	@tests/run $(TESTS)

# Every header compiles alone, with only the include paths of its own layer; nobody climbs out of a layer with "../".
headers: deps-build $(foreach l,$(LAYERS),$(HEADERS_$(l)))
	@! grep -nE '^ *# *include *"[^"]*/' $(SOURCES) || { echo "includes name a header, not a path" >&2; exit 1; }

SOURCES = $(wildcard $(foreach l,$(LAYERS),$(DIR_$(l))/*.[ch]) microbench/pad/*.c probes/cachesim/heap/*.c tests/*.[ch] tests/*/*.[ch])

lint: deps-build deps-check deps-lint
	clang-format --dry-run -Werror $(SOURCES)
	cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem $(foreach l,$(LAYERS),-I$(DIR_$(l))) -D_GNU_SOURCE \
		$(foreach l,$(LAYERS),$(DIR_$(l)))
	printf '%s\n' $(foreach l,$(LAYERS),$(SRC_$(l))) | xargs -P "$$(nproc)" -n 1 sh -c 'clang-tidy --quiet "$$@" -- -std=c11 \
		-D_GNU_SOURCE -DSD_VERSION="\"\"" $(PKG_CFLAGS) $(foreach l,$(LAYERS),-I$(DIR_$(l)))' clang-tidy

# ---- the guest: an emulated arm64 machine with eight CPUs and counters, on any host (tests/guest) -----------------------

GUEST = $(BUILD)/guest
# emulated caches cost nothing, and eight CPUs share the host's: no relation between times holds there
GUEST_WITHOUT = test_probes_live test_probes_capture_live test_microbench_line test_microbench_stream
GUEST_TESTS = $(patsubst tests/guest/%.c,$(BUILD)/tests/%,$(wildcard tests/guest/test_*.c))
$(GUEST_TESTS): $(BUILD)/tests/%: tests/guest/%.c $(BUILD)/tests/e2e.o $(BUILD)/libprobes.a $(BUILD)/libbase.a Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE_CFLAGS) -Iinclude -Iprobes -Itests -o $@ $< $(BUILD)/tests/e2e.o $(BUILD)/libprobes.a \
		$(BUILD)/libbase.a $(LDFLAGS) -lcmocka $(LIBS)

# Packages first: the cross compiler's libraries are theirs. Nothing of the host's own libraries is seen.
check-guest: SYSROOT = $(abspath $(GUEST))/sysroot
check-guest: deps-guest
	@tests/guest/packages $(GUEST)
	@PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
		$(MAKE) --no-print-directory BUILD=$(GUEST) CC="aarch64-linux-gnu-gcc --sysroot=$(SYSROOT)" AR=aarch64-linux-gnu-ar \
		guest-built

guest-built: all $(TESTS) $(PROGRAMS) $(GUEST_TESTS)
	@printf 'left out: %s: relations between times that only real CPUs and caches have\n' $(GUEST_WITHOUT)
	@tests/guest/run $(BUILD) $(filter-out $(GUEST_WITHOUT:%=$(BUILD)/tests/%),$(TESTS)) $(GUEST_TESTS)

# ---- fuzzing: clang's libFuzzer with the sanitizers, on everything that reads untrusted bytes --------------------------

FUZZ_SECONDS ?= 30
FUZZERS = $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
fuzz: deps-build deps-fuzz
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/fuzz CC=clang fuzz-built LDFLAGS="$(LDFLAGS) -fsanitize=address,undefined" \
		CFLAGS="-O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined"

fuzz-built: $(foreach l,$(LAYERS),$(BUILD)/lib$(l).a)
	@set -e; for f in $(FUZZERS); do mkdir -p $(BUILD)/corpus/$$f; \
		$(CC) $(CFLAGS) $(BASE_CFLAGS) $(foreach l,$(LAYERS),-I$(DIR_$(l))) -fsanitize=fuzzer -o $(BUILD)/$$f tests/fuzz/$$f.c \
			$(BUILD)/libcli.a $(USES_cli:%=$(BUILD)/lib%.a) $(LDFLAGS) $(LIBS); \
		$(BUILD)/$$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -artifact_prefix=$(BUILD)/corpus/ \
			$(BUILD)/corpus/$$f $$(ls -d tests/fixtures/$$f 2>/dev/null); done

# ---- benchmarks: ratios measured in pairs, with their spread; never a pass or a failure ----------------------------------

BENCHES = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/bench_*.c))
$(BENCHES): $(BUILD)/tests/%: tests/%.c $(BUILD)/libcli.a $(USES_cli:%=$(BUILD)/lib%.a) Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE_CFLAGS) $(foreach l,$(LAYERS),-I$(DIR_$(l))) -Itests -o $@ $< $(BUILD)/libcli.a \
		$(USES_cli:%=$(BUILD)/lib%.a) $(LDFLAGS) $(LIBS)

bench: all $(BENCHES) $(PROGRAMS)
	@set -e; for b in $(filter-out %_overhead %_peers %_sim,$(BENCHES)); do SCALEDIAG=$(BUILD)/scalediag $$b; done

bench-overhead: all $(BUILD)/tests/bench_overhead $(PROGRAMS)
	@SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/bench_overhead

# what the software PMU costs, side by side with valgrind's tools
bench-sim: deps-build deps-check deps-sim all $(BUILD)/tests/bench_sim $(BUILD)/tests/programs/ten
	@SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/bench_sim

# side by side with the public benchmarks that Debian has, and with those that MULTICHASE, PINGPONG and C2CLAT name
bench-peers: deps-build deps-peers $(BUILD)/tests/bench_peers $(BUILD)/tests/bench_latency_peers
	@$(BUILD)/tests/bench_peers
	@$(BUILD)/tests/bench_latency_peers

# ---- accuracy: programs whose cause is known, diagnosed (tests/truth); never a pass or a failure -------------------------
# make accuracy [SD_TRUTH="ledger queue"] [SD_TRUTH_REPEATS=1] [SD_TRUTH_PARTS="live sim import"] [SD_TRUTH_OPTIONS="..."]

TRUTH_NAMES = $(patsubst tests/truth/%.c,%,$(wildcard tests/truth/*.c))
TRUTH = $(foreach v,a b s,$(TRUTH_NAMES:%=$(BUILD)/truth/$v/%))
# a is broken, b fixed, s broken with less work; nothing in a program or its path says what is wrong
TRUTH_FLAGS_a :=
TRUTH_FLAGS_b := -DFIXED
TRUTH_FLAGS_s := -DSMALLER=40
define truth
$(BUILD)/truth/$(1)/%: tests/truth/%.c $(wildcard tests/truth/*.h tests/programs/*.h) Makefile
	@mkdir -p $$(@D)
	$$(CC) -O2 -g -std=c11 -D_GNU_SOURCE -Wall -Wextra $$(WERROR) $$(TRUTH_FLAGS_$(1)) -Itests/programs -pthread \
		$$(if $$(filter %_omp,$$*),-fopenmp) -o $$@ $$<
endef
$(foreach v,a b s,$(eval $(call truth,$v)))

$(BUILD)/tests/accuracy: tests/accuracy.c tests/truth_table.h tests/truth_answer.h tests/truth_growth.h tests/truth_tally.h $(BUILD)/libbase.a Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(BASE_CFLAGS) -Iinclude -Itests -o $@ $< $(BUILD)/libbase.a $(LDFLAGS) $(LIBS)

accuracy: all $(BUILD)/tests/accuracy $(TRUTH)
	@SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/accuracy $(BUILD)/truth

# ---- for people --------------------------------------------------------------------------------------------------------

# A program that really does not scale, diagnosed from nothing.
demo: deps-build
	@$(MAKE) --no-print-directory demo-built

demo-built: all $(BUILD)/tests/programs/half_serial_omp
	$(BUILD)/scalediag --cores powers -o $(BUILD)/demo.scalediag.json $(BUILD)/tests/programs/half_serial_omp 0.5

install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(BUILD)/scalediag $(DESTDIR)$(PREFIX)/bin/scalediag
	install -d $(DESTDIR)$(PREFIX)/lib/scalediag
	install -m 755 $(SIM_PLUGINS) $(DESTDIR)$(PREFIX)/lib/scalediag/
	install -m 755 $(BUILD)/scalediag-heap.so $(DESTDIR)$(PREFIX)/lib/scalediag/scalediag-heap.so
	install -m 755 $(BUILD)/scalediag-pad.so $(DESTDIR)$(PREFIX)/lib/scalediag/scalediag-pad.so

clean:
	rm -rf $(BUILD)

help:
	@echo "make demo     install what is missing, build, and diagnose a bundled program that does not scale"
	@echo "make check    install what is missing, build, and run every test"
	@echo "make          build build/scalediag      make install [PREFIX=/usr/local] [DESTDIR=]"
	@echo "make asan | tsan | fuzz                  the tests on instrumented builds"
	@echo "make check-guest                         the tests on an emulated arm64 machine with 8 CPUs and counters"
	@echo "make check-lessons                       every lesson of the workshop, measured"
	@echo "make headers | lint                      every header compiles alone; clang-format, cppcheck, clang-tidy"
	@echo "make bench | bench-overhead | bench-peers | bench-sim  measurements, never pass or fail"
	@echo "make accuracy                            programs whose cause is known: how often the diagnosis is right"

.PHONY: all accuracy check check-lessons check-built check-guest guest-built units-built asan tsan headers lint fuzz fuzz-built bench bench-overhead bench-peers bench-sim demo demo-built install clean help
.DELETE_ON_ERROR:
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
