# scalediag. Two commands for a newcomer: `make demo` and `make check`.
#
# Layers are static libraries, and each is compiled with only the include paths it may use, so that a call or an include
# in the wrong direction does not build:   cli -> measure, analyse, report -> record -> include <- probes, microbench

BUILD ?= build
PREFIX ?= /usr/local
CC ?= cc
CFLAGS ?= -O2 -g
VERSION := 0.1.0
PKGS := hwloc jansson smartcols

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2
BASE_CFLAGS = -std=c11 -D_GNU_SOURCE -DSD_VERSION='"$(VERSION)"' $(WARN) $(WERROR) -MMD -MP -pthread \
	$(shell pkg-config --cflags $(PKGS) 2>/dev/null)
LIBS = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm -pthread

# layer, its folder, the folders its includes may name, the layers it links
LAYERS := base probes microbench record measure analyse report cli
DIR_base := include
DIR_probes := probes
DIR_microbench := microbench
DIR_record := diagnose/record
DIR_measure := diagnose/measure
DIR_analyse := diagnose/analyse
DIR_report := diagnose/report
DIR_cli := diagnose/cli
USES_base :=
USES_probes := base
USES_microbench := base
USES_record := base
USES_measure := record base
USES_analyse := base
USES_report := base
USES_cli := measure analyse report record probes microbench base

all: $(BUILD)/scalediag

# One rule a layer: objects, library, and the tests tests/test_<layer>_*.c, which link that layer and what it may use.
# main.o stays out of the library of cli, so that its parts can be tested.
define layer
SRC_$(1) := $$(filter-out %/main.c,$$(wildcard $$(DIR_$(1))/*.c))
OBJ_$(1) := $$(SRC_$(1):%.c=$$(BUILD)/%.o)
INC_$(1) := -Iinclude $$(foreach u,$(1) $$(USES_$(1)),$$(if $$(filter probes microbench,$$(u)),$$(if $$(filter cli,$(1)),,-I$$(DIR_$$(u))),-I$$(DIR_$$(u))))
$$(BUILD)/$$(DIR_$(1))/%.o: $$(DIR_$(1))/%.c Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(BASE_CFLAGS) $$(CFLAGS_$(1)) $$(INC_$(1)) -c -o $$@ $$<
$$(BUILD)/lib$(1).a: $$(OBJ_$(1))
	@rm -f $$@
	$$(AR) rcs $$@ $$^
TESTS_$(1) := $$(patsubst tests/%.c,$$(BUILD)/tests/%,$$(wildcard tests/test_$(1)_*.c))
$$(TESTS_$(1)): $$(BUILD)/tests/%: tests/%.c $$(BUILD)/lib$(1).a $$(USES_$(1):%=$$(BUILD)/lib%.a) Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) $$(BASE_CFLAGS) $$(INC_$(1)) -Itests -o $$@ $$< $$(BUILD)/lib$(1).a \
		$$(USES_$(1):%=$$(BUILD)/lib%.a) $$(LDFLAGS) -lcmocka $$(LIBS) $$(LIBS_$(1))
endef
$(foreach l,$(LAYERS),$(eval $(call layer,$(l))))

$(BUILD)/scalediag: $(BUILD)/diagnose/cli/main.o $(BUILD)/libcli.a $(USES_cli:%=$(BUILD)/lib%.a)
	$(CC) $(CFLAGS) -o $@ $^ $(LDFLAGS) $(LIBS)

clean:
	rm -rf $(BUILD)

.PHONY: all clean
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
