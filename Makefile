# scalediag. Two commands for a newcomer: `make demo` and `make check`. `make help` lists the others.
#
# Every folder of sources is a room. The table of rooms below says which rooms may use which, and nothing else does: a room is
# compiled with the include paths of its row alone, and its tests link no more, so that what is not in its row does not build.
# V=1 shows the whole commands.

BUILD ?= build
DESTDIR ?=
# an ordinary user installs for himself
PREFIX ?= $(if $(or $(DESTDIR),$(filter 0,$(shell id -u))),/usr/local,$(HOME)/.local)
CC ?= cc
CFLAGS ?= -O2 -g
WERROR ?=
VERSION := 0.1.0
# which sources these are: the commit, marked when they differ from it, and its day; a package gives both instead
COMMIT ?= $(or $(shell git describe --always --dirty --abbrev=12 2>/dev/null),unknown)
SOURCE_DATE_EPOCH ?= $(or $(shell git log -1 --format=%ct 2>/dev/null),$(shell stat -c %Y Makefile))
export SOURCE_DATE_EPOCH
PKGS := capstone hwloc jansson libconfig muparser libdw libelf liblzma sqlite3

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2
BASE_CFLAGS = -std=c11 -D_GNU_SOURCE -DSD_VERSION='"$(VERSION)"' $(WARN) $(WERROR) -MMD -MP -pthread $(PKG_CFLAGS) $(SAME_PATHS)
# the folder of the build is in no file that it makes
SAME_PATHS = -ffile-prefix-map=$(CURDIR)=.
LIBS = $(PKG_LIBS) -lpfm -liberty -lm -pthread
# asked once, and again after `make deps-build` has installed them: recursive make reads the new state
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

# ---- rooms -------------------------------------------------------------------------------------------------------------

# Which rooms a room's files may name, directly or through a header they name. A line a room; the only such list.
USES_include/analysis := include/base include/bench include/machine include/record
USES_include/base :=
USES_include/bench := include/base include/machine
USES_include/machine := include/base
USES_include/markers :=
USES_include/output := include/base include/bench include/machine include/record
USES_include/probe := include/base include/machine include/record
USES_include/record := include/base include/machine
USES_include/target := include/base
USES_include/trace := include/base include/record
USES_probes := include/base include/machine include/output include/probe include/record include/target include/trace probes/bpf probes/cgroup probes/machine probes/memory probes/mpi probes/native probes/neighbours probes/openmp probes/perf_event probes/pmu probes/proc probes/python probes/regions probes/resolve probes/simfile probes/symbols probes/threads probes/trace
USES_probes/bpf := include/base
USES_probes/cachesim/guest := include/base include/record probes/cachesim/model probes/instruction
USES_probes/cachesim/heap := include/trace probes/cachesim/plugin
USES_probes/cachesim/model := include/base include/record
USES_probes/cachesim/plugin := include/base include/output include/record probes/cachesim/guest probes/cachesim/model probes/cachesim/threads probes/instruction
USES_probes/cachesim/threads := include/base include/record probes/cachesim/guest probes/cachesim/model
USES_probes/cgroup := include/base include/machine probes/proc
USES_probes/eventmaps := include/base include/probe include/record
USES_probes/instruction :=
USES_probes/machine := include/base include/machine include/probe include/record probes/cgroup probes/proc
USES_probes/memory := include/base include/probe include/record include/trace probes/eventmaps probes/perf_event probes/pmu probes/proc probes/symbols probes/trace
USES_probes/mpi := include/base include/record include/trace probes/symbols
USES_probes/mpi/preload := include/trace
USES_probes/native := include/base include/record include/trace probes/instruction probes/operands probes/perf_event probes/proc probes/resolve probes/symbols probes/unwind
USES_probes/neighbours := include/base include/record include/trace probes/bpf probes/instruction probes/operands probes/perf_event probes/proc probes/trace
USES_probes/openmp := include/base include/record include/trace probes/symbols
USES_probes/openmp/preload := include/trace
USES_probes/operands := include/trace probes/instruction
USES_probes/perf_event := include/base probes/proc
USES_probes/pmu := include/base include/probe include/record probes/eventmaps probes/machine probes/perf_event probes/proc
USES_probes/proc :=
USES_probes/python := include/base include/target include/trace probes/proc
USES_probes/regions := include/base include/markers include/record
USES_probes/regions/preload := include/markers
USES_probes/resolve := include/base include/record include/trace probes/instruction probes/proc probes/python probes/symbols probes/threads probes/unwind
USES_probes/simfile := include/base include/record include/trace probes/instruction probes/operands probes/symbols
USES_probes/symbols := include/base include/record include/target include/trace probes/instruction probes/proc probes/symbols/dwarf probes/unwind
USES_probes/symbols/dwarf := include/base include/record
USES_probes/threads := include/base include/record include/trace probes/perf_event probes/proc probes/symbols
USES_probes/trace := include/base include/output include/record include/trace probes/bpf probes/perf_event probes/proc
USES_probes/unwind := include/trace
USES_microbench := include/base include/bench include/machine microbench/kernels
USES_microbench/curves := include/base include/bench include/machine microbench/harness microbench/loops
USES_microbench/harness := include/base include/bench include/machine
USES_microbench/interference := include/base include/bench microbench/harness microbench/loops
USES_microbench/kernels := include/base include/bench include/machine microbench/curves microbench/harness microbench/loops
USES_microbench/loops := include/base include/bench include/machine microbench/harness
USES_microbench/pad :=
USES_diagnose/analyse := diagnose/analyse/accounting diagnose/analyse/advice diagnose/analyse/case diagnose/analyse/causes diagnose/analyse/evidence diagnose/analyse/experiments diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/native diagnose/analyse/prediction diagnose/analyse/runs diagnose/analyse/simulated diagnose/analyse/stack diagnose/analyse/validity include/analysis include/base include/machine include/record
USES_diagnose/analyse/accounting := include/analysis include/base include/record
USES_diagnose/analyse/advice := diagnose/analyse/accounting diagnose/analyse/case diagnose/analyse/evidence diagnose/analyse/experiments diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/runs diagnose/analyse/stack include/analysis include/base include/machine include/record
USES_diagnose/analyse/case := diagnose/analyse/accounting diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/runs diagnose/analyse/stack include/analysis include/base include/machine include/record
USES_diagnose/analyse/causes := diagnose/analyse/accounting diagnose/analyse/case diagnose/analyse/evidence diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/native diagnose/analyse/runs diagnose/analyse/simulated diagnose/analyse/stack diagnose/analyse/validity include/analysis include/base include/machine include/record
USES_diagnose/analyse/compare := include/analysis include/base include/bench include/machine include/record
USES_diagnose/analyse/evidence := diagnose/analyse/accounting diagnose/analyse/case diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/runs diagnose/analyse/simulated diagnose/analyse/stack include/analysis include/base include/machine include/record
USES_diagnose/analyse/experiments := diagnose/analyse/accounting diagnose/analyse/case diagnose/analyse/evidence diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/runs diagnose/analyse/simulated diagnose/analyse/stack include/analysis include/base include/machine include/record
USES_diagnose/analyse/hotspots := diagnose/analyse/accounting diagnose/analyse/runs include/analysis include/base include/machine include/record
USES_diagnose/analyse/ledger := include/analysis include/base include/record
USES_diagnose/analyse/loops := diagnose/analyse/accounting diagnose/analyse/hotspots diagnose/analyse/runs include/analysis include/base include/machine include/record
USES_diagnose/analyse/metrics := diagnose/analyse/accounting diagnose/analyse/runs include/analysis include/base include/machine include/record
USES_diagnose/analyse/native := diagnose/analyse/accounting diagnose/analyse/case diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/runs diagnose/analyse/stack include/analysis include/base include/machine include/record
USES_diagnose/analyse/prediction := diagnose/analyse/accounting diagnose/analyse/runs include/analysis include/base include/machine include/record
USES_diagnose/analyse/runs := diagnose/analyse/accounting include/analysis include/base include/machine include/record
USES_diagnose/analyse/simulated := diagnose/analyse/accounting diagnose/analyse/case diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/runs diagnose/analyse/stack include/analysis include/base include/machine include/record
USES_diagnose/analyse/stack := diagnose/analyse/accounting diagnose/analyse/metrics diagnose/analyse/runs include/analysis include/base include/machine include/record
USES_diagnose/analyse/validity := diagnose/analyse/accounting diagnose/analyse/case diagnose/analyse/hotspots diagnose/analyse/ledger diagnose/analyse/loops diagnose/analyse/metrics diagnose/analyse/runs diagnose/analyse/stack include/analysis include/base include/machine include/record
USES_diagnose/attribute := diagnose/attribute/mpi diagnose/attribute/requests include/analysis include/base include/probe include/record include/trace
USES_diagnose/attribute/mpi := include/base include/record include/trace
USES_diagnose/attribute/requests := include/analysis include/base include/record include/trace
USES_diagnose/cli := diagnose/cli/commands diagnose/cli/complete diagnose/cli/context diagnose/cli/fleet diagnose/cli/help diagnose/cli/options diagnose/cli/run diagnose/cli/terminal diagnose/measure/attach diagnose/measure/launch diagnose/measure/plan diagnose/report/page include/analysis include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/calibrate := diagnose/cli/context diagnose/cli/options diagnose/cli/terminal diagnose/measure/plan diagnose/record/profile include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/commands := diagnose/analyse/advice diagnose/analyse/compare diagnose/analyse/metrics diagnose/analyse/simulated diagnose/attribute diagnose/cli/calibrate diagnose/cli/context diagnose/cli/doctor diagnose/cli/fix diagnose/cli/fleet diagnose/cli/help diagnose/cli/learn diagnose/cli/learn/check diagnose/cli/mcp diagnose/cli/options diagnose/cli/run diagnose/cli/terminal diagnose/cli/tree diagnose/cli/views diagnose/fleet diagnose/fleet/store diagnose/measure diagnose/measure/attach diagnose/measure/experiment diagnose/measure/launch diagnose/measure/parts diagnose/measure/plan diagnose/measure/simulate diagnose/measure/trial diagnose/record diagnose/record/import diagnose/record/profile diagnose/report diagnose/report/calibration diagnose/report/comparison diagnose/report/facts diagnose/report/fleet diagnose/report/history diagnose/report/html diagnose/report/lines diagnose/report/page diagnose/report/render diagnose/report/requirements diagnose/report/view include/analysis include/base include/bench include/machine include/output include/probe include/record include/target
USES_diagnose/cli/complete := diagnose/analyse/compare diagnose/cli/context diagnose/cli/help diagnose/cli/learn diagnose/cli/options diagnose/cli/run diagnose/cli/terminal diagnose/measure/plan diagnose/report diagnose/report/page include/analysis include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/context := diagnose/cli/terminal diagnose/measure/plan include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/doctor := diagnose/analyse/advice diagnose/analyse/metrics diagnose/cli/calibrate diagnose/cli/context diagnose/cli/options diagnose/cli/run diagnose/cli/terminal diagnose/measure/experiment diagnose/measure/launch diagnose/measure/plan diagnose/measure/trial include/analysis include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/fix := diagnose/cli/tree diagnose/report/page include/analysis include/base include/machine include/record include/target
USES_diagnose/cli/fleet := diagnose/cli/context diagnose/cli/options diagnose/cli/terminal diagnose/fleet diagnose/fleet/store diagnose/fleet/sweep diagnose/measure/plan diagnose/record/profile include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/help := diagnose/cli/context diagnose/cli/learn diagnose/cli/options diagnose/cli/run diagnose/cli/terminal diagnose/measure/plan diagnose/report diagnose/report/page include/analysis include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/learn := diagnose/analyse/advice diagnose/analyse/compare diagnose/analyse/metrics diagnose/analyse/simulated diagnose/cli/context diagnose/cli/run diagnose/cli/terminal diagnose/measure/launch diagnose/measure/plan diagnose/record diagnose/report diagnose/report/comparison diagnose/report/facts diagnose/report/html diagnose/report/lines diagnose/report/page diagnose/report/render diagnose/report/text diagnose/report/view include/analysis include/base include/bench include/machine include/output include/probe include/record
USES_diagnose/cli/learn/check := diagnose/analyse/advice diagnose/analyse/compare diagnose/analyse/metrics diagnose/cli/context diagnose/cli/learn diagnose/cli/run diagnose/cli/terminal diagnose/measure/launch diagnose/measure/plan diagnose/record diagnose/report/page include/analysis include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/mcp := diagnose/cli/context diagnose/cli/terminal diagnose/measure/plan diagnose/report/page diagnose/report/render include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/options := diagnose/cli/context diagnose/cli/terminal diagnose/measure/attach diagnose/measure/launch diagnose/measure/plan include/base include/bench include/machine include/probe include/record
USES_diagnose/cli/run := diagnose/analyse diagnose/analyse/advice diagnose/analyse/hotspots diagnose/analyse/metrics diagnose/analyse/simulated diagnose/attribute diagnose/cli/calibrate diagnose/cli/context diagnose/cli/options diagnose/cli/terminal diagnose/measure diagnose/measure/attach diagnose/measure/experiment diagnose/measure/launch diagnose/measure/plan diagnose/measure/simulate diagnose/measure/trial diagnose/record diagnose/record/profile diagnose/report diagnose/report/html diagnose/report/page diagnose/report/text include/analysis include/base include/bench include/machine include/output include/probe include/record include/target include/trace
USES_diagnose/cli/terminal := diagnose/measure/plan diagnose/report/page include/analysis include/base include/machine include/probe include/record
USES_diagnose/cli/tree := include/base
USES_diagnose/cli/views := diagnose/report/facts diagnose/report/html diagnose/report/page diagnose/report/render include/analysis include/base include/machine include/probe include/record
USES_diagnose/fleet := include/base include/bench include/machine
USES_diagnose/fleet/sweep := include/base
USES_diagnose/fleet/store := diagnose/fleet include/base include/bench include/machine
USES_diagnose/measure := diagnose/measure/experiment diagnose/measure/launch diagnose/measure/plan diagnose/measure/trial diagnose/record include/base include/bench include/machine include/output include/probe include/record probes/cgroup
USES_diagnose/measure/attach := diagnose/measure/launch include/base include/machine include/markers include/probe include/record include/target include/trace probes/cgroup probes/perf_event probes/proc
USES_diagnose/measure/experiment := diagnose/measure/launch diagnose/measure/plan diagnose/measure/trial diagnose/measure/witness include/base include/bench include/machine include/output include/probe include/record
USES_diagnose/measure/launch := include/base include/machine include/output include/probe include/record probes/cgroup
USES_diagnose/measure/parts := diagnose/measure/launch diagnose/record include/base include/machine include/record
USES_diagnose/measure/plan := include/base include/machine include/probe include/record
USES_diagnose/measure/simulate := diagnose/measure/launch include/base include/machine include/probe include/record
USES_diagnose/measure/witness := diagnose/measure/launch include/base include/record
USES_diagnose/measure/trial := diagnose/attribute diagnose/measure/attach diagnose/measure/launch diagnose/measure/parts diagnose/measure/plan diagnose/measure/simulate diagnose/measure/witness diagnose/record include/base include/bench include/machine include/output include/probe include/record microbench/harness
USES_diagnose/record := diagnose/record/fields diagnose/record/read diagnose/record/write include/base include/machine include/output include/record
USES_diagnose/record/fields := include/base include/machine include/record
USES_diagnose/record/import := diagnose/record/fields include/base include/machine include/probe include/record probes/eventmaps probes/resolve
USES_diagnose/record/profile := diagnose/record/fields include/base include/bench include/machine include/output
USES_diagnose/record/read := diagnose/record/fields diagnose/record/write include/base include/machine include/record
USES_diagnose/record/write := diagnose/record/fields include/base include/machine include/record
USES_diagnose/report := diagnose/report/export diagnose/report/html diagnose/report/json diagnose/report/page diagnose/report/text include/analysis include/base include/machine include/record
USES_diagnose/report/calibration := diagnose/report/facts diagnose/report/html diagnose/report/page diagnose/report/render include/analysis include/base include/bench include/machine include/record
USES_diagnose/report/comparison := diagnose/report/facts diagnose/report/html diagnose/report/json diagnose/report/page diagnose/report/render diagnose/report/view include/analysis include/base include/machine include/record
USES_diagnose/report/export := diagnose/report/facts diagnose/report/page diagnose/report/render diagnose/report/view include/analysis include/base include/machine include/record
USES_diagnose/report/facts := diagnose/report/page include/analysis include/base include/machine include/record
USES_diagnose/report/fleet := diagnose/fleet diagnose/report/export diagnose/report/facts diagnose/report/html diagnose/report/page diagnose/report/render include/analysis include/base include/bench include/machine include/record
USES_diagnose/report/history := diagnose/report/facts diagnose/report/html diagnose/report/page diagnose/report/render include/analysis include/base include/machine include/record
USES_diagnose/report/html := diagnose/report/export diagnose/report/facts diagnose/report/json diagnose/report/lines diagnose/report/page diagnose/report/render diagnose/report/text diagnose/report/view include/analysis include/base include/machine include/record
USES_diagnose/report/json := diagnose/report/facts diagnose/report/page diagnose/report/render diagnose/report/view include/analysis include/base include/machine include/record
USES_diagnose/report/lines := diagnose/report/facts diagnose/report/page diagnose/report/render include/analysis include/base include/machine include/record
USES_diagnose/report/page := include/analysis include/base include/machine include/record
USES_diagnose/report/render := diagnose/report/facts diagnose/report/page include/analysis include/base include/machine include/record
USES_diagnose/report/requirements := diagnose/report/export diagnose/report/html diagnose/report/json diagnose/report/page diagnose/report/render diagnose/report/text diagnose/report/view include/analysis include/base include/machine include/record
USES_diagnose/report/text := diagnose/report/facts diagnose/report/page diagnose/report/render diagnose/report/view diagnose/report/wording include/analysis include/base include/machine include/record
USES_diagnose/report/view := diagnose/report/page diagnose/report/wording include/analysis include/base include/machine include/record
USES_diagnose/report/wording := diagnose/report/page include/analysis include/base include/record

ROOMS := $(patsubst USES_%,%,$(filter USES_%,$(.VARIABLES)))
# not part of the program: what QEMU loads, and what is preloaded into programs
PRELOADED := probes/cachesim/heap probes/mpi/preload probes/openmp/preload probes/regions/preload microbench/pad
SIMULATOR := $(filter-out $(PRELOADED),$(filter probes/cachesim/%,$(ROOMS)))
PROGRAM_ROOMS := $(filter-out $(PRELOADED) $(SIMULATOR),$(ROOMS))

# A job a CPU for targets that build, then measure alone, unless make was told how many.
PARALLEL = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

V ?=
Q := $(if $(V),,@)
say = $(if $(V),,@printf '%-4s %s\n' $(1) $(2))

# A room's headers are named by room and file, as "unwind/unwind_rows.h": a folder that holds only a link to the room makes
# them visible, so that a room not in the row stays out of sight even where it is a neighbour.
$(BUILD)/rooms/.made: Makefile
	@rm -rf $(@D) && for r in $(ROOMS); do mkdir -p $(@D)/$$r@ && ln -s $(CURDIR)/$$r $(@D)/$$r@/$${r##*/}; done && touch $@
sees = $(foreach r,$(1),-I$(BUILD)/rooms/$(r)@)

# all that a room can reach: what its tests link
widen = $(sort $(1) $(foreach r,$(1),$(USES_$(r))))
reach = $(call widen,$(call widen,$(call widen,$(call widen,$(call widen,$(1))))))

# A test may look at a part through the whole that it belongs to: a verdict through the analysis, a section through the report.
WHOLES := diagnose/analyse diagnose/measure diagnose/record diagnose/report microbench
whole = $(foreach w,$(WHOLES),$(if $(filter $(w)/%,$(1)),$(w))) $(if $(filter $(1),$(SIMULATOR)),probes/cachesim/plugin)

# what tests need besides
LINKS_include/trace := include/markers
LINKS_probes/eventmaps := probes/machine
LINKS_probes := diagnose/attribute
LINKS_diagnose/attribute := probes/resolve probes/trace
LINKS_diagnose/record/read := include/analysis
LINKS_diagnose/analyse := diagnose/analyse/compare
LINKS_diagnose/report := diagnose/report/requirements diagnose/report/comparison

# The programs of tests are hundreds, and gold links one in half the time that bfd takes, where it is there.
TEST_LD := $(if $(shell $(CC) -fuse-ld=gold -shared -o /dev/null -x c /dev/null 2>&1),,-fuse-ld=gold)

# One rule a room: objects, an archive, and the tests of tests/ROOM, which link that room and what it may use. main.o stays
# out of its archive, so that the commands can be tested.
define room
SRC_$(1) := $$(filter-out %/main.c,$$(wildcard $(1)/*.c))
OBJ_$(1) := $$(SRC_$(1):%.c=$$(BUILD)/%.o)
INC_$(1) := $$(call sees,$(1) $$(USES_$(1)))
REACH_$(1) := $$(call reach,$(1) $$(call whole,$(1)) $$(LINKS_$(1)))
$$(BUILD)/$(1)/%.o: $(1)/%.c Makefile | $$(BUILD)/rooms/.made
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$(Q)$$(CC) $$(CFLAGS) $$(BASE_CFLAGS) $$(INC_$(1)) -c -o $$@ $$<
$$(BUILD)/$(1)/room.a: $$(OBJ_$(1))
	@mkdir -p $$(@D) && rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
TESTS_$(1) := $$(patsubst tests/%.c,$$(BUILD)/tests/%,$$(wildcard tests/$(1)/test_*.c))
$$(TESTS_$(1):%=%.o): $$(BUILD)/tests/%.o: tests/%.c Makefile | $$(BUILD)/rooms/.made
	@mkdir -p $$(@D)
	$$(call say,TEST,$$<)
	$$(Q)$$(CC) $$(CFLAGS) $$(BASE_CFLAGS) $$(call sees,$$(REACH_$(1))) -Itests -c -o $$@ $$<
$$(TESTS_$(1)): %: %.o $$(REACH_$(1):%=$$(BUILD)/%/room.a)
	$$(Q)$$(CC) $$(CFLAGS) $$(TEST_LD) -o $$@ $$< \
		-Wl,--start-group $$(REACH_$(1):%=$$(BUILD)/%/room.a) -Wl,--end-group $$(LDFLAGS) -lcmocka $$(LIBS)
HEADERS_$(1) := $$(patsubst %.h,$$(BUILD)/headers/%.o,$$(wildcard $(1)/*.h))
$$(HEADERS_$(1)): $$(BUILD)/headers/%.o: %.h | $$(BUILD)/rooms/.made
	@mkdir -p $$(@D)
	$$(Q)printf '#include "$$(notdir $(1))/%s"\n' $$(<F) | $$(CC) $$(CFLAGS) $$(BASE_CFLAGS) -Werror $$(INC_$(1)) -x c -c -o $$@ -
endef
# The commands are wired to all of the program, and their tests link it.
$(foreach r,$(filter diagnose/cli diagnose/cli/%,$(ROOMS)),$(eval LINKS_$(r) := $(PROGRAM_ROOMS)))
$(foreach r,$(ROOMS),$(eval $(call room,$(r))))
# tests of what several rooms have in common see and link these
INC_include := $(call sees,$(filter include/%,$(ROOMS)))
LIB_include := $(patsubst %,$(BUILD)/%/room.a,$(filter include/%,$(ROOMS)))
INC_all := $(call sees,$(filter-out $(PRELOADED),$(ROOMS)))
LIB_all := $(PROGRAM_ROOMS:%=$(BUILD)/%/room.a)

SIM_PLUGINS := $(BUILD)/scalediag-sim.so $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),$(BUILD)/scalediag-sim-avx2.so)
all: $(BUILD)/scalediag $(SIM_PLUGINS) $(BUILD)/scalediag-heap.so $(BUILD)/scalediag-markers.so $(BUILD)/scalediag-mpi.so $(BUILD)/scalediag-omp.so \
	$(BUILD)/scalediag-pad.so
.DEFAULT_GOAL := all

# configs/ becomes part of the program (include/base/configs.h): one object that holds the files as they are, and their names
CONFIGS := $(sort $(wildcard configs/*/*.conf))
$(BUILD)/include/base/room.a: $(BUILD)/configs_data.o
$(BUILD)/configs_data.o: $(BUILD)/configs_data.c $(CONFIGS)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_include/base) -c -o $@ $<
$(BUILD)/configs_data.c: $(wildcard configs/*/) Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	@{ echo '#include "base/configs.h"'; n=0; for f in $(CONFIGS); do n=$$((n + 1)); \
		printf 'extern const char sd_config_%d[], sd_config_end_%d[];\n' $$n $$n; \
		printf '__asm__(".pushsection .rodata; sd_config_%d: .incbin \\"%s\\"; sd_config_end_%d: .byte 0; .popsection");\n' \
			$$n $$f $$n; done; \
	echo 'const struct sd_config_file sd_config_files[] = {'; n=0; for f in $(CONFIGS); do n=$$((n + 1)); \
		printf '\t{"%s", sd_config_%d, sd_config_end_%d},\n' $${f#configs/} $$n $$n; done; echo '	{0}};'; } >$@

# which build it is (diagnose/cli/help/version_text.h): compiled anew when the commit or the compiler is another one
VERSION_DATA = const char sd_version_commit[] = "$(COMMIT)", sd_version_date[] = "$(shell date -u -d @$(SOURCE_DATE_EPOCH) +%F)";
$(BUILD)/diagnose/cli/help/room.a: $(BUILD)/version_data.o $(BUILD)/topics_data.o
$(BUILD)/version_data.o: $(BUILD)/version_data.c
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_diagnose/cli/help) -c -o $@ $<
$(BUILD)/version_data.c: ALWAYS | $(BUILD)/rooms/.made
	@mkdir -p $(@D); { echo '#include "help/version_text.h"'; echo '$(VERSION_DATA)'; } >$@.new; \
		if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
ALWAYS:

# and the manual's pages of section 7, the topics of `scalediag help` (diagnose/cli/help/topics.h)
TOPICS := $(sort $(wildcard configs/manual/*.7.scd))
# with the names of causes and experiments from their tables
$(BUILD)/manual-source/%.scd: configs/manual/%.scd include/record/cause.h include/record/experiment.h configs/manual/tables.awk
	@mkdir -p $(@D); awk -f configs/manual/tables.awk include/record/cause.h include/record/experiment.h $< >$@
$(BUILD)/topics_data.o: $(BUILD)/topics_data.c $(TOPICS:configs/manual/%=$(BUILD)/manual-source/%)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_diagnose/cli/help) -c -o $@ $<
$(BUILD)/topics_data.c: configs/manual Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	@{ echo '#include "help/topics.h"'; n=0; for f in $(TOPICS:configs/manual/%=$(BUILD)/manual-source/%); do n=$$((n + 1)); \
		printf 'extern const char sd_topic_%d[], sd_topic_end_%d[];\n' $$n $$n; \
		printf '__asm__(".pushsection .rodata; sd_topic_%d: .incbin \"%s\"; sd_topic_end_%d: .byte 0; .popsection");\n' \
			$$n $$f $$n; done; \
	echo 'const struct sd_topic sd_topics[] = {'; n=0; for t in $(TOPICS:configs/manual/scalediag-%.7.scd=%); do n=$$((n + 1)); \
		printf '\t{"%s", sd_topic_%d, sd_topic_end_%d},\n' $$t $$n $$n; done; echo '	{0}};'; } >$@

# so do the lessons of microbench/lessons (diagnose/cli/learn/lesson_files.h): a folder each, in the order of their numbers
LESSONS := $(sort $(patsubst %/LESSON.md,%,$(wildcard microbench/lessons/*/LESSON.md)))
LESSON_FILES := $(foreach l,$(LESSONS),$(l)/broken.c $(l)/fixed.c $(l)/LESSON.md)
LESSON_HEADER := include/markers/scalediag.h
$(BUILD)/diagnose/cli/learn/room.a: $(BUILD)/lessons_data.o
$(BUILD)/lessons_data.o: $(BUILD)/lessons_data.c $(LESSON_FILES) $(LESSON_HEADER)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_diagnose/cli/learn) -c -o $@ $<
$(BUILD)/lessons_data.c: $(LESSON_FILES) microbench/lessons Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	@{ echo '#include "learn/lesson_files.h"'; n=0; for f in $(LESSON_FILES); do n=$$((n + 1)); \
		printf 'extern const char sd_lesson_%d[], sd_lesson_end_%d[];\n' $$n $$n; \
		printf '__asm__(".pushsection .rodata; sd_lesson_%d: .incbin \\"%s\\"; sd_lesson_end_%d: .byte 0; .popsection");\n' \
			$$n $$f $$n; done; \
	printf '__asm__(".pushsection .rodata; .globl %s, %s_end; %s: .incbin \\"%s\\"; %s_end: .byte 0; .popsection");\n' \
		sd_lesson_header sd_lesson_header sd_lesson_header $(LESSON_HEADER) sd_lesson_header; \
	echo 'const struct sd_lesson_files sd_lesson_files[] = {'; n=0; for l in $(notdir $(LESSONS)); do \
		printf '\t{"%s"' $$l; for i in 1 2 3; do n=$$((n + 1)); printf ', sd_lesson_%d, sd_lesson_end_%d' $$n $$n; done; \
		echo '},'; done; echo '	{0}};'; } >$@

# and the page's style, script and Debian's Chart.js part of its HTML; CHART_JS=none: its pages have their tables and no charts
CHART_JS ?= /usr/share/javascript/chart.js/chart.min.js
ASSETS := diagnose/report/html/assets/report.css diagnose/report/html/assets/report.js
$(BUILD)/diagnose/report/html/room.a: $(BUILD)/assets_data.o
$(BUILD)/assets_data.o: $(ASSETS) $(wildcard $(CHART_JS)) Makefile
	@mkdir -p $(@D); : >$(BUILD)/no_chart.js
	@{ n() { printf '.globl sd_asset_%s, sd_asset_%s_end\nsd_asset_%s: .incbin "%s"\nsd_asset_%s_end: .byte 0\n' \
		$$1 $$1 $$1 $$2 $$1; }; echo '.section .rodata'; n css diagnose/report/html/assets/report.css; \
		n js diagnose/report/html/assets/report.js; n chart $(CHART_JS:none=$(BUILD)/no_chart.js); \
		echo '.section .note.GNU-stack,"",%progbits'; } | $(CC) -c -x assembler -o $@ -

# all objects, no archive: two rooms that define the same name are a link error, not a wrong call
$(BUILD)/scalediag: $(BUILD)/diagnose/cli/main.o $(foreach r,$(PROGRAM_ROOMS),$(OBJ_$(r))) \
		$(BUILD)/configs_data.o $(BUILD)/lessons_data.o $(BUILD)/assets_data.o $(BUILD)/version_data.o $(BUILD)/topics_data.o
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS)

# The plugin of the software PMU runs inside QEMU: never instrumented, and only what QEMU itself has beside the C library.
# A second one is for hosts with AVX2: counting bits and moving sets of lines takes it a tenth less time.
SIM_CFLAGS ?= -O3 -g -flto=auto
$(BUILD)/scalediag-sim-avx2.so: SIM_HOST = -mavx2 -mbmi -mbmi2 -mpopcnt
SIM_SOURCES := $(foreach r,$(SIMULATOR) probes/instruction,$(SRC_$(r))) include/record/simulated.c include/base/number.c include/base/sink.c \
	include/base/leftover_note.c include/base/texts.c $(patsubst %,include/output/output_%.c,aside file kind message signals)
$(SIM_PLUGINS): $(SIM_SOURCES) $(wildcard $(SIMULATOR:%=%/*.h) probes/instruction/*.h) include/record/simulated.h include/record/modelled_count.h Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(SIM_CFLAGS) $(SIM_HOST) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) $(SAME_PATHS) $(call sees,$(call reach,$(SIMULATOR))) -fPIC \
		-fvisibility=hidden -shared -pthread -o $@ $(filter %.c,$^)

# what preloads are linked with; those of the portable archive with names without versions (configs/packaging/build_portable)
PRELOAD_LIBS ?= -ldl

# What it preloads into the program to hear of its heap: as the padding below.
$(BUILD)/scalediag-heap.so: $(SRC_probes/cachesim/heap) $(wildcard probes/cachesim/heap/*.h) probes/cachesim/plugin/heap_call.h include/trace/heap_log.h include/trace/log_room.h Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(SIM_CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) $(SAME_PATHS) $(INC_probes/cachesim/heap) -fno-builtin -fPIC \
		-fvisibility=hidden -shared -pthread -o $@ $(filter %.c,$^) $(PRELOAD_LIBS)

# What is preloaded into the ranks of MPI programs, of whatever implementation: it needs no MPI to be built.
$(BUILD)/scalediag-mpi.so: $(SRC_probes/mpi/preload) $(wildcard probes/mpi/preload/*.h) include/trace/mpi_log.h include/trace/log_room.h include/trace/program_sandbox.h Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(SIM_CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) $(SAME_PATHS) $(INC_probes/mpi/preload) -fPIC -ftls-model=initial-exec \
		-fvisibility=hidden -shared -pthread -o $@ $(filter %.c,$^) $(PRELOAD_LIBS)

# What is preloaded into programs of GCC's OpenMP: it has the functions of libgomp, and needs none to be built.
$(BUILD)/scalediag-omp.so: $(SRC_probes/openmp/preload) $(wildcard probes/openmp/preload/*.h) include/trace/omp_log.h include/trace/omp_span.h include/trace/log_room.h include/trace/program_sandbox.h Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(SIM_CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) $(SAME_PATHS) $(INC_probes/openmp/preload) -fPIC -ftls-model=initial-exec \
		-fvisibility=hidden -shared -pthread -o $@ $(filter %.c,$^) $(PRELOAD_LIBS)

# What is preloaded into programs that have markers of other tools.
$(BUILD)/scalediag-markers.so: $(SRC_probes/regions/preload) $(wildcard probes/regions/preload/*.h) include/markers/scalediag.h Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(SIM_CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) $(SAME_PATHS) $(INC_probes/regions/preload) -fPIC -ftls-model=initial-exec \
		-fvisibility=hidden -shared -pthread -o $@ $(filter %.c,$^) $(PRELOAD_LIBS)

# The padding that an experiment preloads runs inside the program under test: never instrumented either, and no built-in
# knowledge of malloc, which it is.
$(BUILD)/scalediag-pad.so: microbench/pad/pad.c Makefile
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(SIM_CFLAGS) -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) $(SAME_PATHS) -fno-builtin -fPIC -fvisibility=hidden -shared -o $@ $< $(PRELOAD_LIBS)

# ---- packages --------------------------------------------------------------------------------------------------------

# `make` alone installs nothing: before the first file is compiled it says what the build needs and does not find here, and the
# command that installs it.
NEEDED = $(BUILD)/.needed
ifneq ($(filter all $(BUILD)/scalediag,$(or $(MAKECMDGOALS),all)),)
$(BUILD)/rooms/.made $(BUILD)/assets_data.o: | $(NEEDED)
endif
$(NEEDED): Makefile configs/packages
	@mkdir -p $(@D); missing=; command -v pkg-config >/dev/null || missing=" pkg-config"; \
	for p in $(PKGS); do pkg-config --exists $$p 2>/dev/null || missing="$$missing $$p"; done; \
	for h in perfmon/pfmlib.h libiberty/demangle.h; do \
		echo "#include <$$h>" | $(CC) -E - >/dev/null 2>&1 || missing="$$missing $$h"; done; \
	[ -e $(CHART_JS:none=/dev/null) ] || missing="$$missing $(CHART_JS)"; \
	if [ -n "$$missing" ]; then echo "The build needs what is not here:$$missing" >&2; \
		echo "On Debian and its relatives 'sudo make deps-build' installs it:" >&2; \
		echo "  sudo apt-get install --no-install-recommends $$(sed -n 's/^build: //p' configs/packages)" >&2; exit 1; fi; touch $@

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

DOSES_TEST := $(BUILD)/tests/doses/test_doses $(BUILD)/tests/doses/test_tries
TESTS = $(foreach r,$(ROOMS),$(TESTS_$(r))) $(OPERATIONS) $(DOSES_TEST)
comma := ,
E2E = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/e2e/e2e_*.c))
# implementations of MPI, by their names in Debian; where one is not installed its tests are skipped
MPIS := $(foreach m,openmpi mpich,$(if $(shell command -v mpicc.$(m)),$(m)))
PROGRAMS = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/programs/*.c)) $(MPIS:%=$(BUILD)/tests/programs/ranks_%) \
	$(if $(shell command -v gfortran),$(MPIS:%=$(BUILD)/tests/programs/fortran_%)) \
	$(OMP_BY_CLANG:%=$(BUILD)/tests/programs/%_clang) $(BUILD)/tests/faults.so $(BUILD)/tests/programs/heap_static
# where clang has no OpenMP runtime (libomp-dev) its tests are skipped
OMP_BY_CLANG := $(if $(shell command -v clang),$(if $(wildcard /usr/lib/llvm-*/lib/libomp.so),regions_omp empty_regions_omp))

E2E_OBJ := $(patsubst %,$(BUILD)/tests/%.o,e2e/e2e support/report_json support/machine_needs)
$(E2E:%=%.o): $(BUILD)/tests/%.o: tests/%.c Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_include) -Itests -c -o $@ $<
$(E2E): %: %.o $(E2E_OBJ) $(LIB_include)
	$(Q)$(CC) $(CFLAGS) $(TEST_LD) -o $@ $< $(E2E_OBJ) $(E2E_MORE) \
		-Wl,--start-group $(LIB_include) -Wl,--end-group $(LDFLAGS) -lcmocka $(LIBS)

# the one that drives a browser
$(BUILD)/tests/e2e/e2e_html: $(BUILD)/tests/support/webdriver.o
$(BUILD)/tests/e2e/e2e_html: E2E_MORE = $(BUILD)/tests/support/webdriver.o

# calls that fail, preloaded into the program; never instrumented
$(BUILD)/tests/faults.so: tests/support/faults.c Makefile
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -O2 -g -std=c11 -D_GNU_SOURCE $(WARN) $(WERROR) -fno-builtin -fPIC -shared -pthread -o $@ $< -ldl

# how often the rooms between a trace and a page take a step: compiled once more, with a call in every basic block
COUNTED_ROOMS := $(call reach,diagnose/analyse diagnose/attribute diagnose/measure/plan diagnose/record diagnose/record/import diagnose/report)
COUNTED := $(foreach r,$(COUNTED_ROOMS),$(SRC_$(r):%.c=$(BUILD)/counted/%.o))
$(COUNTED): $(BUILD)/counted/%.o: %.c Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(call say,CC,$< with its steps counted)
	$(Q)$(CC) -O1 $(BASE_CFLAGS) $(call sees,$(COUNTED_ROOMS)) -fsanitize-coverage=trace-pc -c -o $@ $<
OPERATIONS := $(BUILD)/tests/operations/test_operations
$(OPERATIONS): tests/operations/test_operations.c $(COUNTED) $(BUILD)/configs_data.o $(BUILD)/assets_data.o
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(call sees,$(COUNTED_ROOMS)) -Itests -o $@ $< $(filter %.o,$^) \
		$(patsubst %,-Wl$(comma)--wrap=%,memset memcpy memmove memcmp strlen strcmp calloc realloc reallocarray) $(LDFLAGS) -lcmocka $(LIBS)

$(E2E_OBJ) $(BUILD)/tests/support/webdriver.o: $(BUILD)/tests/%.o: tests/%.c Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_include) -Itests -c -o $@ $<

# Programs under test are a user's programs: plain options, none of ours. *_omp.c is OpenMP.
$(BUILD)/tests/programs/%: tests/programs/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -O2 -g -Wall -Wextra $(WERROR) -pthread $(if $(filter %_omp,$*),-fopenmp) -o $@ $< -lm

# what no loader preloads anything into
$(BUILD)/tests/programs/%_static: tests/programs/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$< static)
	$(Q)$(CC) -O2 -g -Wall -Wextra $(WERROR) -pthread -static $(if $(filter %_omp,$*),-fopenmp) -o $@ $< -lm

$(BUILD)/tests/programs/%_clang: tests/programs/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$< by clang)
	$(Q)clang -O2 -g -Wall -Wextra $(WERROR) -pthread -fopenmp -o $@ $< -lm

# where there is no Fortran compiler its test is skipped
$(BUILD)/tests/programs/fortran_%: tests/programs/mpi/fortran.f90 Makefile
	@mkdir -p $(@D)
	$(call say,FC,$< for $*)
	$(Q)mpif90.$* -O2 -g -o $@ $<

$(BUILD)/tests/programs/ranks_%: tests/programs/mpi/ranks.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$< for $*)
	$(Q)mpicc.$* -O2 -g -fopenmp -Wno-stringop-overflow -o $@ $< -lm

# MPI programs on two nodes of a Slurm cluster that this machine plays: root, two minutes; where it cannot come up, it says why
check-cluster: deps-build deps-cluster
	@$(MAKE) --no-print-directory $(PARALLEL) cluster-built

cluster-built: all $(MPIS:%=$(BUILD)/tests/programs/ranks_%)
	@tests/cluster/check $(BUILD)

# A fresh make, so that pkg-config is asked again after the packages are there.
check: deps-build deps-check
	@$(MAKE) --no-print-directory $(PARALLEL) check-built
	@$(MAKE) --no-print-directory check-manual check-install

check-built: tests-built
	@SCALEDIAG=$(BUILD)/scalediag tests/run $(TESTS) $(E2E)
	@tests/check_ci $(BUILD)
	@tests/check_mcp $(BUILD)

# An agent of a script diagnoses, changes and compares ten lessons: some ten minutes.
check-agent: all
	@tests/check_mcp $(BUILD) ten

# Every lesson of the workshop measured: some ten minutes, of which make check has two; their causes' other truths are e2e_causes'.
check-lessons: all $(BUILD)/tests/e2e/e2e_lessons
	@n=0; bad=0; for l in $(LESSONS); do n=$$((n + 1)); \
		LESSON=$$n SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/e2e/e2e_lessons || bad=1; done; exit $$bad

# Each lesson's own fix, one that is fast and false, and none, graded by `learn --check`; BUDGET=8: s of each measurement
check-grades: all
	@tests/grades $(BUILD)

# What `fix` makes of the truth programs that share cache lines: applied, built, run and simulated, some seconds each
check-fixes: all
	@tests/fixes $(BUILD)

# Debian's own programs, diagnosed at 1 and 2 cores: half an hour. PROGRAMS_ASKED="pigz sort": these only
check-programs: deps-build deps-programs
	@$(MAKE) --no-print-directory $(PARALLEL) programs-built

programs-built: all
	@tests/programs_debian/check $(BUILD)/scalediag $(BUILD)/programs_debian $(PROGRAMS_ASKED)

# Every call of malloc, open, read, write, mmap, fork, pipe and syscall fails once, in every command that the tests have: hours,
# and of attach days, of which make check has five calls a command and kind, and of attach one.
FAULTS := $(BUILD)/tests/e2e/e2e_unwritable $(BUILD)/tests/e2e/e2e_attach_ends
faults: all $(FAULTS) $(PROGRAMS)
	@SD_FAULTS_EACH=1 TEST_TIMEOUT=864000 SCALEDIAG=$(BUILD)/scalediag tests/run $(FAULTS)

# The same tests on instrumented builds. Address: also leaks and undefined behaviour.
asan asan-units: export LSAN_OPTIONS = suppressions=$(CURDIR)/tests/support/leaks_of_libc:print_suppressions=0
ASAN_FLAGS = LDFLAGS="$(LDFLAGS) -fsanitize=address,undefined" \
	CFLAGS="-O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
asan: deps-build deps-check
	@TEST_TIMEOUT=3600 $(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/asan check-built $(ASAN_FLAGS)

# the unit tests alone, for which cmocka is enough: what more a test wants, it looks for, or is skipped with that reason
units: deps-build deps-units
	@$(MAKE) --no-print-directory $(PARALLEL) units-built

# without the end-to-end tests, and those that ask what others ask thousands of times: minutes, and what .ci/run has
REPEATING := test_coverage test_bound_properties test_operations test_signatures test_contradictions test_counted_metrics
asan-units: deps-build deps-check
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/asan UNITS_WITHOUT="$(REPEATING)" units-built $(ASAN_FLAGS)

# setarch -R: the thread sanitizer of gcc 12 cannot map its shadow under the address randomisation of newer kernels.
tsan: deps-build deps-check
	@setarch -R $(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/tsan units-built LDFLAGS="$(LDFLAGS) -fsanitize=thread" \
		CFLAGS="-O1 -g -fsanitize=thread"

tests-built: all $(TESTS) $(E2E) $(PROGRAMS)

UNITS = $(filter-out $(foreach t,$(UNITS_WITHOUT),%/$(t)),$(TESTS))
units-built: all $(UNITS) $(PROGRAMS)
	@tests/run $(UNITS)

# Every header compiles alone, with only the include paths of its own room; includes name room and file.
# Then the table of rooms against what the objects and the includes say.
headers: deps-build $(foreach r,$(ROOMS),$(HEADERS_$(r))) all $(foreach r,$(SIMULATOR),$(OBJ_$(r)))
	@! grep -nE '^ *# *include *"([^"/]*"|\.|[^"]*/[^"]*/)' $(foreach r,$(ROOMS),$(wildcard $(r)/*.[ch])) || \
		{ echo "includes name room and file, as \"unwind/unwind_rows.h\"" >&2; exit 1; }
	@tests/check_howto
	@tests/check_rooms $(BUILD)

SOURCES = $(wildcard $(foreach r,$(ROOMS),$(r)/*.[ch] tests/$(r)/*.[ch]) tests/*/*.[ch])

lint: deps-build deps-check deps-lint | $(BUILD)/rooms/.made
	clang-format --dry-run -Werror $(SOURCES)
	cppcheck --quiet --std=c11 --language=c --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem $(call sees,$(ROOMS)) -D_GNU_SOURCE -D__cppcheck__ $(foreach r,$(ROOMS),$(wildcard $(r)/*.c))
	printf '%s\n' $(foreach r,$(filter-out $(PRELOADED),$(ROOMS)),$(SRC_$(r))) | xargs -P "$$(nproc)" -n 1 sh -c 'clang-tidy --quiet "$$@" -- -std=c11 \
		-D_GNU_SOURCE -DSD_VERSION="\"\"" $(PKG_CFLAGS) $(INC_all)' clang-tidy

# ---- the guest: an emulated arm64 machine with eight CPUs and counters, on any host (tests/guest) -----------------------

GUEST = $(BUILD)/guest
# Left out there: rooms that only compute from a record, a plan or a model, and commands' own, since arithmetic, options, budgets and
# files are the same on every machine (-std=c11 contracts none) and take an emulated one ten minutes; relations between times, since
# emulated caches cost nothing and eight CPUs share the host's; preloads, since nothing is preloaded there. GUEST_ALL=1: the first
# kind, too.
GUEST_COMPUTES = $(if $(GUEST_ALL),,$(filter $(patsubst %,$(BUILD)/tests/%/%,$(addprefix diagnose/,analyse attribute cli fleet measure/parts measure/plan measure/trial record report) \
	$(addprefix include/,analysis base bench output record) microbench/curves probes/cachesim/model) \
	$(addprefix $(BUILD)/tests/%/test_,measure_budget launch_output source_commit prefetchers arm_files),$(TESTS)) $(OPERATIONS))
GUEST_WITHOUT = test_probes_live test_thread_waits_live test_trace_live test_trace_timing test_line_probe test_line_watch test_stream test_cgroup_precedence \
	test_omp_regions test_omp_lock_cost test_mpi_calls test_adopted_markers test_arm test_signatures test_contradictions test_doses test_tries test_tlb \
	test_switches_both_ways
GUEST_UNITS = $(filter-out $(GUEST_COMPUTES) $(foreach t,$(GUEST_WITHOUT),%/$(t)),$(TESTS))
GUEST_TESTS = $(patsubst tests/guest/%.c,$(BUILD)/tests/%,$(wildcard tests/guest/test_*.c))
GUEST_ROOMS := $(call reach,$(filter probes probes/%,$(PROGRAM_ROOMS)))
$(GUEST_TESTS): $(BUILD)/tests/%: tests/guest/%.c $(E2E_OBJ) $(GUEST_ROOMS:%=$(BUILD)/%/room.a) Makefile
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(call sees,$(GUEST_ROOMS)) -Itests $(TEST_LD) -o $@ $< $(E2E_OBJ) \
		-Wl,--start-group $(GUEST_ROOMS:%=$(BUILD)/%/room.a) -Wl,--end-group $(LDFLAGS) -lcmocka $(LIBS)

# the lesson of the first touch, where there are nodes
GUEST_LESSON := $(BUILD)/tests/programs/first_touch_broken $(BUILD)/tests/programs/first_touch_fixed
$(GUEST_LESSON): $(BUILD)/tests/programs/first_touch_%: microbench/lessons/15-first-touch/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -O2 -g -fopenmp -o $@ $<

# Packages first: the cross compiler's libraries are theirs. Nothing of the host's own libraries is seen.
check-guest: SYSROOT = $(abspath $(GUEST))/sysroot
check-guest: deps-guest
	@tests/guest/packages $(GUEST)
	@PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
		$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(GUEST) CFLAGS="-O2 -g1" CC="aarch64-linux-gnu-gcc --sysroot=$(SYSROOT)" AR=aarch64-linux-gnu-ar \
		guest-built

guest-built: all $(GUEST_UNITS) $(PROGRAMS) $(GUEST_LESSON) $(GUEST_TESTS)
	@printf 'left out: %s: relations between times that only real CPUs and caches have, or preloaded libraries\n' $(GUEST_WITHOUT)
	@printf 'left out: %d programs that ask nothing of the machine (GUEST_ALL=1 has them)\n' $(words $(GUEST_COMPUTES))
	@tests/guest/run $(BUILD) $(GUEST_UNITS) $(GUEST_TESTS)

# ---- fuzzing: clang's libFuzzer with the sanitizers, on everything that reads untrusted bytes --------------------------

FUZZ_SECONDS ?= 30
FUZZERS = $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_FLAGS = LDFLAGS="$(LDFLAGS) -fsanitize=address,undefined" \
	CFLAGS="-O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined"
include tests/fuzz/seeds.mk

fuzz: deps-build deps-fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/fuzz CC="$(FUZZ_CC)" fuzz-built $(FUZZ_FLAGS)

# as `make fuzz`, and the floors rise to what the seeds reach now
fuzz-floors: deps-build deps-fuzz
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/fuzz CC="$(FUZZ_CC)" FUZZ_SECONDS=1 fuzz-built $(FUZZ_FLAGS) || true
	@tests/fuzz/raise tests/fuzz/floors $(BUILD)/fuzz/coverage

# seeds from real runs of small programs, here and now; what they reach is then to be looked at
fuzz-seeds: deps-build deps-seeds all
	@SCALEDIAG=$(BUILD)/scalediag tests/fuzz/seeds $(FUZZ_FIXTURES)

FUZZ_CC ?= clang
$(FUZZERS:%=$(BUILD)/%): $(BUILD)/%: tests/fuzz/%.c $(LIB_all) Makefile | $(BUILD)/rooms/.made
	$(call say,FUZZ,$<)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_all) -Itests -fsanitize=fuzzer -o $@ $< \
		-Wl,--start-group $(LIB_all) -Wl,--end-group $(LDFLAGS) $(LIBS)

# every target is tried, whatever became of another
fuzz-built: $(FUZZERS:%=$(BUILD)/%)
	@mkdir -p $(BUILD)/corpus; bad=0; { printf '%-18s %5s %7s %9s %7s %8s %9s %11s\n' target seeds edges features floor 'fuzzed:' \
		features executions; $(foreach f,$(FUZZERS),tests/fuzz/run $(BUILD)/$f $(FUZZ_SECONDS) $(BUILD)/corpus/$f \
		tests/fuzz/floors $(FUZZ_FIXTURES)/$f $(FUZZ_SEEDS_$f) || echo "failed: $f";) } | tee $(BUILD)/coverage; \
	! grep '^failed: ' $(BUILD)/coverage >/dev/null

# ---- benchmarks: ratios measured in pairs, with their spread; never a pass or a failure ----------------------------------

BENCHES = $(patsubst tests/bench/%.c,$(BUILD)/tests/%,$(wildcard tests/bench/bench_*.c))
$(BENCHES): $(BUILD)/tests/%: tests/bench/%.c $(LIB_all) Makefile | $(BUILD)/rooms/.made
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_all) -Itests -o $@ $< -Wl,--start-group $(LIB_all) -Wl,--end-group $(LDFLAGS) $(LIBS)

# one table of everything that has a bar: 15 minutes at most
BENCH_TABLE := overhead between_runs start native_lines record analyse calibration scale
SIM_BENCHED := $(addprefix $(BUILD)/tests/programs/,ten false_sharing padded)
bench: all $(BENCH_TABLE:%=$(BUILD)/tests/bench_%) $(BUILD)/tests/bench_sim $(SIM_BENCHED)
	@printf 'medians [95 %% interval]; %s, %s CPUs\n' "$$(uname -r)" "$$(nproc)"
	@set -e; for b in $(BENCH_TABLE); do SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/bench_$$b; done; \
		SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/bench_sim brief

# one of them, as it is or in detail: bench-overhead, bench-between_runs, bench-attribution, ...
BENCH_NAMES := $(patsubst $(BUILD)/tests/bench_%,bench-%,$(filter-out %_sim %_paper %_peers %_answer,$(BENCHES)))
.PHONY: $(BENCH_NAMES)
$(BENCH_NAMES): bench-%: all $(BUILD)/tests/bench_% $(PROGRAMS)
	@SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/bench_$*

# what the software PMU costs, side by side with valgrind's tools
bench-sim: deps-build deps-check deps-sim all $(BUILD)/tests/bench_sim $(SIM_BENCHED)
	@SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/bench_sim

# the relations of the paper on Core 2, on that machine as it is modelled: a minute
bench-paper: deps-build deps-check deps-sim all $(BUILD)/tests/bench_paper $(BUILD)/tests/programs/paper
	@SCALEDIAG=$(BUILD)/scalediag PAPER=$(BUILD)/tests/programs/paper $(BUILD)/tests/bench_paper

# side by side with the public benchmarks that Debian has, and with those that STREAM, MULTICHASE, PINGPONG, C2CLAT, LAT_MEM_RD
# and LOCKHAMMER name: ten minutes at most
bench-peers: deps-build deps-peers $(BUILD)/tests/bench_peers $(BUILD)/tests/bench_latency_peers
	@$(BUILD)/tests/bench_peers
	@$(BUILD)/tests/bench_latency_peers

GATED := false_sharing padded heap_sharing

# counted work as a gate beside half a CPU of load: spread of twenty records, seeded regressions, pairs of equal builds
bench-gate: deps-sim all $(GATED:%=$(BUILD)/tests/programs/%)
	@tests/bench/gate_counts $(BUILD)

# ten calibrations of this machine, compared pair by pair, and with one beside a thief: ten minutes
bench-calibrations: all
	@tests/bench/calibrations_agree $(BUILD)/scalediag

# ---- accuracy: programs whose cause is known, diagnosed (tests/truth); never a pass or a failure -------------------------
# make accuracy [SD_TRUTH="ledger queue"] [SD_TRUTH_REPEATS=1] [SD_TRUTH_PARTS="live sim import"] [SD_TRUTH_OPTIONS="..."]
#      [SD_TRUTH_LOADS="quiet half build bursts"] [SD_TRUTH_SHIELD="with without"] [SD_TRUTH_USER=65534]
#      [SD_TRUTH_BASE=/path/to/scalediag]: the last release's, in turn with this one

TRUTH_NAMES = $(patsubst tests/truth/%.c,%,$(wildcard tests/truth/*.c))
TRUTH = $(foreach v,a b s,$(TRUTH_NAMES:%=$(BUILD)/truth/$v/%))
# a is broken, b fixed, s broken with less work; nothing in a program or its path says what is wrong
TRUTH_FLAGS_a :=
TRUTH_FLAGS_b := -DFIXED
TRUTH_FLAGS_s := -DSMALLER=40
define truth
$(BUILD)/truth/$(1)/%: tests/truth/%.c $(wildcard tests/truth/*.h tests/programs/*.h) Makefile
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -O2 -g -std=c11 -D_GNU_SOURCE -Wall -Wextra $$(WERROR) $$(TRUTH_FLAGS_$(1)) -Itests/programs -pthread \
		$$(if $$(filter %_omp,$$*),-fopenmp) -o $$@ $$<
endef
$(foreach v,a b s,$(eval $(call truth,$v)))

$(BUILD)/tests/accuracy/accuracy: $(wildcard tests/accuracy/*.[ch]) $(LIB_include) Makefile
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_include) -Itests -o $@ $(filter %.c,$^) -Wl,--start-group $(LIB_include) -Wl,--end-group \
		$(LDFLAGS) $(LIBS)

accuracy: all $(BUILD)/tests/accuracy/accuracy $(TRUTH)
	@SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/accuracy/accuracy $(BUILD)/truth

# ---- doses: programs that lose a known number of cores (tests/doses); never a pass or a failure ---------------------------
# make doses [DOSES="serial lock serial+lock mixtures"] [DOSES_SECONDS=.4] [DOSES_OPTIONS="--repeats 5 --experiments none"]

DOSE := $(BUILD)/tests/doses/dose
$(DOSE): tests/doses/dose.c $(wildcard tests/doses/dose_*.h tests/programs/*.h) Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -O2 -g -std=c11 -D_GNU_SOURCE -Wall -Wextra $(WERROR) -Itests/programs -pthread -o $@ $<

RANK_DOSES := $(MPIS:%=$(BUILD)/tests/doses/rank_dose_%)
$(RANK_DOSES): $(BUILD)/tests/doses/rank_dose_%: tests/doses/rank_dose.c tests/doses/dose_log.h tests/programs/work.h Makefile
	@mkdir -p $(@D)
	$(call say,CC,$< for $*)
	$(Q)mpicc.$* -O2 -g -std=c11 -D_GNU_SOURCE -Wall -Wextra $(WERROR) -Itests/programs -Itests/doses -o $@ $<

$(BUILD)/tests/doses/doses $(DOSES_TEST): $(BUILD)/tests/%: tests/%.c $(wildcard tests/doses/*.h tests/accuracy/*.h tests/support/*.h) $(LIB_include) Makefile | $(DOSE) $(RANK_DOSES)
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_include) -Itests -o $@ $< -Wl,--start-group $(LIB_include) -Wl,--end-group \
		$(LDFLAGS) -lcmocka $(LIBS)

$(BUILD)/tests/doses/modelled_doses: tests/doses/modelled_doses.c $(wildcard tests/doses/*.h tests/accuracy/*.h) $(LIB_include) Makefile | $(DOSE)
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$(Q)$(CC) $(CFLAGS) $(BASE_CFLAGS) $(INC_include) -Itests -o $@ $< -Wl,--start-group $(LIB_include) -Wl,--end-group \
		$(LDFLAGS) $(LIBS)

# make doses-modelled [DOSES="serial lock"] [DOSES_MODEL=epyc-genoa] [DOSES_CORES="8 16 64"]: 8 and 16
doses-modelled: all $(BUILD)/tests/doses/modelled_doses
	@SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/doses/modelled_doses $(BUILD)/tests/doses

doses: all $(BUILD)/tests/doses/doses
	@SCALEDIAG=$(BUILD)/scalediag $(BUILD)/tests/doses/doses $(BUILD)/tests/doses

# the same of ranks, by each implementation of MPI that there is: imbalance, late senders, transfer
doses-ranks: all $(BUILD)/tests/doses/doses
	@DOSES="$${DOSES:-rank-imbalance late-sender transfer}" DOSES_SECONDS=$${DOSES_SECONDS:-.6} SCALEDIAG=$(BUILD)/scalediag \
		$(BUILD)/tests/doses/doses $(BUILD)/tests/doses

# how soon and how rightly it answers, program by program in turn with the version before, which is built beside this one:
# make bench-answer [BEFORE=COMMIT | BASE=/path/to/scalediag] [SD_TRUTH="ledger queue"] [SD_TRUTH_LOADS="quiet half"]
BEFORE ?= HEAD~1
before_id = $(shell git rev-parse --verify --quiet --short=12 '$(BEFORE)^{commit}')
bench-answer: BASE ?= $(CURDIR)/build-before/$(before_id)/build/scalediag
bench-answer: all $(BUILD)/tests/bench_answer $(TRUTH_NAMES:%=$(BUILD)/truth/a/%)
	@[ -x '$(BASE)' ] || { [ -n '$(before_id)' ] && mkdir -p build-before/$(before_id) && \
		git archive $(before_id) | tar -x -C build-before/$(before_id) && \
		$(MAKE) --no-print-directory -C build-before/$(before_id) BUILD=build COMMIT=$(before_id) all; } || \
		{ echo "bench-answer: no version before ($(BEFORE)) to compare with: BEFORE=COMMIT or BASE=/path/to/scalediag" >&2; exit 2; }
	@SCALEDIAG=$(BUILD)/scalediag BASE='$(BASE)' $(BUILD)/tests/bench_answer $(BUILD)/truth

# ---- for people --------------------------------------------------------------------------------------------------------

# A program that really does not scale, diagnosed from nothing.
demo: deps-build deps-demo
	@$(MAKE) --no-print-directory $(PARALLEL) demo-built

demo-built: all $(BUILD)/tests/programs/half_serial_omp
	$(BUILD)/scalediag --cores powers -o $(BUILD)/demo.scalediag.json $(BUILD)/tests/programs/half_serial_omp 0.5

# ---- the manual: section 1 by the program itself, the rest written in scdoc's markup (configs/manual) ------------------

MANUAL := $(BUILD)/manual
MANUAL_SOURCES := $(patsubst configs/manual/%,$(BUILD)/manual-source/%,$(sort $(wildcard configs/manual/*.scd)))
# what is made is all of it or nothing; without scdoc, the pages of the commands
manual-pages: $(MANUAL)/.made
$(MANUAL)/.made: $(BUILD)/scalediag $(MANUAL_SOURCES) configs/manual/tidy.awk
	$(call say,MAN,$(MANUAL))
	@rm -rf $(MANUAL) && mkdir -p $(MANUAL)
	@for c in $$($(BUILD)/scalediag --complete '' | sed -n 's/\t.*//p'); do \
		$(BUILD)/scalediag --manual-page $$c >$(MANUAL)/scalediag-$$c.1 || exit; done
	@if command -v scdoc >/dev/null; then for f in $(MANUAL_SOURCES); do p=$${f##*/}; p=$(MANUAL)/$${p%.scd}; \
			scdoc <$$f >$$p.scdoc && awk -f configs/manual/tidy.awk $$p.scdoc >$$p && rm $$p.scdoc || exit; done; \
		else echo "no scdoc, so only the pages of the commands: make deps-manual installs it" >&2; fi
	@touch $@

# as pages for a browser, and every page without a word from mandoc
manual: deps-manual
	@$(MAKE) --no-print-directory manual-pages
	@configs/manual/html $(MANUAL)
	@echo $(MANUAL)/html/index.html

check-manual: deps-build deps-manual
	@$(MAKE) --no-print-directory manual-pages
	@tests/packaging/check_manual $(BUILD) $(VERSION)

# the README's picture of a report and the same as text, of the record that `make demo` made
picture: deps-check all
	@[ -f $(BUILD)/demo.scalediag.json ] || { echo "make demo first, on a quiet machine: its record is drawn" >&2; exit 1; }
	@configs/manual/picture $(BUILD)/scalediag $(BUILD)/demo.scalediag.json configs/manual/report.png README.md

# ---- installing, and packages (configs/packaging) ------------------------------------------------------------------------

# folder below PREFIX, mode, and what goes there; the only list
ZSH_FUNCTIONS ?= share/zsh/site-functions
define INSTALLED
bin 755 $(BUILD)/scalediag
lib/scalediag 755 $(SIM_PLUGINS) $(BUILD)/scalediag-heap.so $(BUILD)/scalediag-markers.so $(BUILD)/scalediag-mpi.so $(BUILD)/scalediag-omp.so $(BUILD)/scalediag-pad.so
include 644 include/markers/scalediag.h include/markers/fortran/scalediag.f90 include/markers/fortran/scalediag_fortran.c
share/pkgconfig 644 $(BUILD)/scalediag.pc
share/man/man1 644 $(MANUAL)/*.1
share/man/man7 644 $(wildcard $(MANUAL)/*.7)
share/bash-completion/completions 644 $(BUILD)/completion/scalediag
$(ZSH_FUNCTIONS) 644 configs/completion/_scalediag
share/fish/vendor_completions.d 644 configs/completion/scalediag.fish
share/scalediag/schema 644 $(wildcard configs/schema/*.json)
share/scalediag/ci 755 configs/ci/measure
share/scalediag/ci 644 configs/ci/action.yml configs/ci/gitlab.yml configs/ci/grafana.json
share/scalediag/python 644 configs/python/scalediag.py
endef
export INSTALLED

# a fresh make: which pages there are is seen when they are made
install: all manual-pages
	@$(MAKE) --no-print-directory install-built

install-built:
	@mkdir -p $(BUILD)/completion && cp configs/completion/scalediag.bash $(BUILD)/completion/scalediag
	@printf 'prefix=%s\nincludedir=$${prefix}/include\n\nName: scalediag\nDescription: regions that a program marks, and progress that it reports (scalediag.h)\nVersion: %s\nCflags: -I$${includedir}\n' '$(PREFIX)' '$(VERSION)' >$(BUILD)/scalediag.pc
	@echo "$$INSTALLED" | while read -r folder mode files; do [ "$$files" ] || continue; \
		install -d $(DESTDIR)$(PREFIX)/$$folder && install -m $$mode $$files $(DESTDIR)$(PREFIX)/$$folder || exit; done
	@echo "installed below $(DESTDIR)$(PREFIX); make uninstall removes it"
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) [ "$(DESTDIR)" ] || echo "to find it: export PATH=\"$(PREFIX)/bin:\$$PATH\"" ;; esac

# what install put there, also when it was another build's; folders of our own go when they are empty
uninstall:
	@cd $(DESTDIR)$(PREFIX) && rm -f bin/scalediag lib/scalediag/scalediag-*.so include/scalediag.h include/scalediag.f90 include/scalediag_fortran.c share/pkgconfig/scalediag.pc \
		share/man/man1/scalediag.1 \
		share/man/man1/scalediag-*.1 share/man/man7/scalediag-*.7 share/bash-completion/completions/scalediag \
		$(ZSH_FUNCTIONS)/_scalediag share/fish/vendor_completions.d/scalediag.fish share/scalediag/schema/*.schema.json share/scalediag/ci/measure share/scalediag/ci/*.yml \
		share/scalediag/ci/grafana.json share/scalediag/python/scalediag.py
	@cd $(DESTDIR)$(PREFIX) && for d in lib/scalediag share/scalediag/schema share/scalediag/ci share/scalediag/python share/scalediag; do \
		[ ! -d $$d ] || rmdir --ignore-fail-on-non-empty $$d; done

# what was installed is there, runs, and goes again without a trace
check-install: all manual-pages
	@tests/packaging/check_install $(BUILD)

# the same sources twice, in two folders: the same bytes; some four minutes
check-reproducible: deps-build
	@tests/packaging/check_reproducible

# some ten minutes: QEMU's and the libraries' packages are unpacked, and all is built, twice
check-reproducible-archive: deps-build deps-manual deps-portable
	@tests/packaging/check_reproducible portable $(ARCH)

# in build/deb: scalediag, scalediag-mpi and libscalediag-dev, of a copy of the sources that git knows
MAINTAINER ?= $(shell git log -1 --format='%an <%ae>' 2>/dev/null)
deb: deps-build deps-manual deps-deb
	@configs/packaging/build_deb "$(BUILD)/deb" "$(VERSION)" "$(COMMIT)" "$(MAINTAINER)"

# in build/portable: one archive that runs where it is unpacked, whatever the C library there; ARCH=aarch64 for that kind of CPU
portable: deps-build deps-manual deps-portable $(if $(ARCH),deps-portable-$(ARCH)) manual-pages
	@MANUAL=$(MANUAL) configs/packaging/build_portable "$(BUILD)/portable" "$(VERSION)" $(ARCH)

# the archive in root trees of Debian 11, 12 and 13 and in one of musl
check-portable: deps-package deps-check-portable portable
	@tests/packaging/check_portable $(BUILD)/portable/scalediag-$(VERSION)-linux-$$(uname -m).tar.gz

# all packages of the last commit, checked, with their sums, in build/release; HOW=rehearsal: of a version that is not released yet;
# HOW=quick leaves out what takes hours
release:
	@configs/packaging/release "$(BUILD)" "$(VERSION)" $(HOW)

# in build/rpm, where rpmbuild is (Debian's package rpm has it): of the sources of the last commit; the names of packages that it
# needs are other distributions', so they are not looked up on Debian
rpm: deps-build deps-manual deps-package
	@configs/packaging/build_rpm "$(BUILD)/rpm" "$(VERSION)"

# in a fresh Debian: the README's commands, the packages from their installation to their removal, the container file's steps
check-package: deps-build deps-package deb rpm
	@tests/packaging/check_package $(BUILD)/deb

clean:
	rm -rf $(BUILD) build-before

# name, and what for, by purpose
define HELP
For everybody
  demo               install what is missing, build, and diagnose a bundled program that does not scale
  check              install what is missing, build, and run every test
  all                build $(BUILD)/scalediag (the default)
  install            below PREFIX: /usr/local as root, else ~/.local; in DESTDIR=
  uninstall          what install put there
  manual             the manual as pages for a browser, in $(BUILD)/manual/html
  deb                the Debian packages, in $(BUILD)/deb: scalediag, scalediag-mpi, libscalediag-dev
  rpm                the same as RPMs, in $(BUILD)/rpm
  portable           one archive for every Linux, in $(BUILD)/portable; ARCH=aarch64: for that kind of CPU
  clean              remove $(BUILD)
Before a change is done
  headers            every header compiles alone; the rooms, their map and "where a change goes" against the tree
  lint               clang-format, cppcheck, clang-tidy
  asan               all tests with the address and undefined-behaviour sanitizers; asan-units without the end-to-end tests
  tsan               the unit tests with the thread sanitizer
  units              the unit tests alone, for which cmocka is enough; tests-built builds all tests and runs none
  faults             every call that can fail does, once: what make check samples
  check-guest        the tests on an emulated arm64 machine with 8 CPUs and counters
  check-agent        a scripted agent goes from the cause to the comparison in ten lessons
  check-lessons      every lesson of the workshop, measured
  check-grades       its fix, a false one and none, graded
  check-fixes        what fix makes of programs that share cache lines or wait: applied, built, run, simulated or timed in pairs
  check-programs     programs that Debian packages, each with the cause that an expert would accept: right, undecided, wrong
  check-cluster      MPI programs on two nodes of a Slurm cluster that this machine plays
Untrusted input
  fuzz               every reader of untrusted bytes, FUZZ_SECONDS=30 each
  fuzz-seeds         seeds from real runs
  fuzz-floors        the floors of what the seeds reach, which only rise
Measurements, which never pass or fail
  bench              one table: costs on programs, between runs, start, records, analysis, calibration, scale, software PMU
  bench-overhead     what a diagnosis costs a program, beside perf; so every other tests/bench/bench_NAME.c: bench-NAME
  bench-peers        beside the public benchmarks that Debian has
  bench-sim          the software PMU beside valgrind's tools
  bench-paper        the relations of the paper on Core 2, on that machine as it is modelled
  bench-answer       seconds until a cause is likely and until the end, and whether rightly, in pairs with the version before;
                     BEFORE=a commit, or BASE=another scalediag
  bench-gate         counted work beside load: how closely it repeats, which regressions a gate finds, and raises for none
  bench-calibrations ten calibrations, pair by pair: do those of an unchanged machine agree?
  accuracy           programs whose cause is known: how often the diagnosis is right
  doses              programs that lose a known number of cores: how many the diagnosis says; DOSES="serial lock": these only
  doses-ranks        the same of ranks, by each implementation of MPI that there is
  doses-modelled     the same at 8 and 16 cores of a machine that is modelled whole
Manual and packages
  manual-pages       the pages that install puts there
  picture            the README's picture of a report, of make demo's record
  check-manual       no word from mandoc; every command, option, experiment and cause is in it; every link leads somewhere
  check-install      install, run from there, uninstall
  check-reproducible two builds of these sources: the same bytes
  check-reproducible-archive  likewise the portable archive, made twice
  check-package      in a fresh Debian: make demo, make check's build, the packages from installation to removal, and what the
                     container file does
  release            all packages of the last commit, checked, with their sums, in $(BUILD)/release; some hours; HOW=rehearsal: before it is one
  check-portable     the portable archive in root trees of Debian 11, 12 and 13, and of musl
Packages of a purpose (configs/packages), for root: make deps-PURPOSE
V=1 shows whole commands, BUILD=folder builds elsewhere
endef
export HELP
help:
	@echo "$$HELP"

.PHONY: all faults check-programs programs-built check-cluster cluster-built tests-built accuracy doses doses-ranks doses-modelled check check-install check-manual check-package check-reproducible check-reproducible-archive check-portable portable release deb rpm install-built manual picture manual-pages uninstall check-lessons check-grades check-fixes check-agent check-built check-guest guest-built units units-built asan asan-units tsan headers lint fuzz fuzz-built fuzz-floors fuzz-seeds bench bench-peers bench-sim bench-paper bench-answer bench-calibrations bench-gate demo demo-built install clean help
.DELETE_ON_ERROR:
-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
