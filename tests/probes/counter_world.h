/*
 * A made-up PMU, an event map for it, and counting with them.
 */
#ifndef SD_TEST_COUNTER_WORLD_H
#define SD_TEST_COUNTER_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/fakepmu.h"
#include "probe/counter_plan.h"
#include "support/fakeproc.h"
#include "probes/probes.h"

#define CYCLES 0x3c
#define INSTRUCTIONS 0xc0

/* Codes are small and different, so that a count says which event it is of. */
static const char map[] =
	"family = \"fake\"; title = \"Made up\"; source = \"this test\";\n"
	"cpus = ( { vendor = \"GenuineIntel\"; family = 6; models = \"85\"; } );\n"
	"counters = { programmable = 4; fixed = 0; };\n"
	"roles = {\n"
	" cycles = { events = ( { name = \"c\"; code = 0x3c; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" instructions = { events = ( { name = \"i\"; code = 0xc0; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" llc_misses = { events = ( { name = \"m\"; code = 0x11; } ); quality = \"proxy\"; note = \"all\"; scope = \"thread\"; };\n"
	" rfo = { events = ( { name = \"r\"; code = 0x12; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" locks = { events = ( { name = \"l\"; code = 0x13; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" dtlb_walks = { events = ( { name = \"a\"; code = 0x14; weight = 2.0; }, { name = \"b\"; code = 0x15; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" hitm_load = { events = ( { name = \"h\"; code = 0x1b7; config1 = 1; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" hitm_store = { events = ( { name = \"s\"; code = 0x1b7; config1 = 2; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" hitm_any = { events = ( { name = \"y\"; code = 0x1b7; config1 = 3; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" td_slots = { events = ( { name = \"t\"; code = 0x400; } ); quality = \"exact\"; scope = \"thread\"; };\n"
	" td_native_retiring = { events = ( { name = \"n\"; code = 0x401; } ); quality = \"exact\"; scope = \"thread\"; leader = \"td_slots\"; };\n"
	" l2_writebacks = { events = ( { name = \"w\"; code = 0x20; } ); quality = \"exact\"; scope = \"core\"; };\n"
	" dram_read_lines = { events = ( { name = \"d\"; code = 0x30; pmu = \"uncore_imc\"; } ); quality = \"exact\"; scope = \"socket\"; };\n"
	" total_cycles = { none = \"there is none\"; };\n"
	"};\n";

struct world {
	char root[64];
	char said[2048];
	unsigned messages;
};

static inline void emit(void *ctx, enum sd_level level, const char *text)
{
	struct world *const w = ctx;
	const size_t used = strlen(w->said);

	(void)level;
	snprintf(w->said + used, sizeof w->said - used, "%s\n", text);
	w->messages++;
}

/* Four CPUs, two cores with two siblings each, one socket with two memory controllers. */
static inline void make_machine(const char *root, int smt)
{
	fake_write(root, "proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: "
		"85\nmodel name\t: Made up\nstepping\t: 4\n\n");
	fake_write(root, "sys/devices/system/cpu/online", "0-3\n");
	fake_write(root, "sys/devices/system/cpu/smt/active", "%d\n", smt);
	for (int cpu = 0; cpu < 4; cpu++) {
		char path[96];

		snprintf(path, sizeof path,
			"sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		fake_write(root, path, "%d,%d\n", cpu % 2, cpu % 2 + 2);
		snprintf(path, sizeof path,
			"sys/devices/system/cpu/cpu%d/topology/core_siblings_list", cpu);
		fake_write(root, path, "0-3\n");
	}
	for (int box = 0; box < 2; box++) {
		char path[96];

		snprintf(path, sizeof path, "sys/bus/event_source/devices/uncore_imc_%d/type", box);
		fake_write(root, path, "%d\n", 20 + box);
		snprintf(path, sizeof path, "sys/bus/event_source/devices/uncore_imc_%d/cpumask",
			box);
		fake_write(root, path, "0\n");
	}
}

static inline int fresh(void **state)
{
	struct world *w = calloc(1, sizeof *w);

	if (!w)
		return -1;
	fake_make(w->root);
	make_machine(w->root, 1);
	fake_write(w->root, "maps/events/fake.conf", "%s", map);
	memset(&fake, 0, sizeof fake);
	fake.counters = 4;
	*state = w;
	return 0;
}

static inline int stale(void **state)
{
	struct world *w = *state;

	fake_remove(w->root);
	free(w);
	return 0;
}

static inline int open_counting(struct world *w, struct sd_counting **c, const enum sd_role *role,
	size_t n, int multiplex, size_t most)
{
	const struct sd_sink sink = {.emit = emit, .ctx = w};
	char maps[96];
	int rc;
	const struct sd_counter_plan_ask ask = {.role = role,
		.n_role = n,
		.most = most,
		.multiplex = multiplex,
		.root = w->root,
		.maps = maps};

	snprintf(maps, sizeof maps, "%s/maps", w->root);
	rc = sd_counter_plan_open(c, &ask, &sink);
	if (rc && w->messages)
		print_message("%s", w->said);
	return rc;
}

/* One run of pass `pass` on CPUs 0-3. */
static inline struct sd_run count(const struct world *w, const struct sd_counting *c, unsigned pass)
{
	unsigned cpu[] = {0, 1, 2, 3};
	const struct sd_cpulist cpus = {cpu, 4};
	const struct sd_probe_target target = {.pid = 4711,
		.subreaper = 4710,
		.cpus = &cpus,
		.cores = 4,
		.root = w->root,
		.counting = c,
		.pass = pass};
	struct sd_run run = {0};
	void *state = NULL;

	assert_int_equal(sd_probe_hardware_counters.open(&state, &target), 0);
	sd_probe_hardware_counters.start(state);
	sd_probe_hardware_counters.stop(state, &run);
	sd_probe_hardware_counters.close(state);
	assert_int_equal(fake.open, 0);
	return run;
}

static inline void expect(
	const struct sd_run *run, enum sd_role role, enum sd_status status, double value)
{
	const struct sd_role_count *c = sd_run_role(run, role);

	if (!c)
		fail_msg("%s was not counted", sd_role_name(role));
	else if (c->value.status != status)
		fail_msg("%s is %s, not %s", sd_role_name(role), sd_status_name(c->value.status),
			sd_status_name(status));
	else if (sd_has(c->value) && c->value.value != value)
		fail_msg("%s is %g, not %g", sd_role_name(role), c->value.value, value);
}

/* Count of a counter of `config` in a run in which it ran all the time. */
static inline double full(unsigned config)
{
	return FAKE_NS / 1000.0 * config;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, stale)

#endif
