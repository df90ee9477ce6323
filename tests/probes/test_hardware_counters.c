/* Counting the roles of a made-up map on a made-up PMU: the door to the kernel is replaced. */
#include "support/fakepmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

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

static void emit(void *ctx, enum sd_level level, const char *text)
{
	struct world *const w = ctx;
	const size_t used = strlen(w->said);

	(void)level;
	snprintf(w->said + used, sizeof w->said - used, "%s\n", text);
	w->messages++;
}

/* Four CPUs, two cores with two siblings each, one socket with two memory controllers. */
static void make_machine(const char *root, int smt)
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

static int fresh(void **state)
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

static int stale(void **state)
{
	struct world *w = *state;

	fake_remove(w->root);
	free(w);
	return 0;
}

static int open_counting(struct world *w, struct sd_counting **c, const enum sd_role *role,
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
static struct sd_run count(const struct world *w, const struct sd_counting *c, unsigned pass)
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

static int pass_has(const struct sd_plan_pass *p, enum sd_role role)
{
	for (size_t i = 0; i < p->n_role; i++)
		if (p->role[i] == role)
			return 1;
	return 0;
}

static unsigned passes_with(const struct sd_plan *plan, enum sd_role role)
{
	unsigned n = 0;

	for (size_t i = 0; i < plan->n_pass; i++)
		n += (unsigned)pass_has(&plan->pass[i], role);
	return n;
}

static void expect(const struct sd_run *run, enum sd_role role, enum sd_status status, double value)
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

/* What a counter of `config` counts in a run in which it ran all the time. */
static double full(unsigned config)
{
	return FAKE_NS / 1000.0 * config;
}

static void every_role_is_in_a_pass_and_cycles_in_all(void **state)
{
	struct sd_counting *c = NULL;
	struct sd_plan plan = {0};

	assert_int_equal(open_counting(*state, &c, NULL, 0, 0, 0), 0);
	assert_int_equal(sd_counter_plan(c, &plan), 0);
	assert_string_equal(sd_counter_plan_source(c), "fake");
	assert_int_equal(passes_with(&plan, SD_ROLE_CYCLES), plan.n_pass);
	assert_int_equal(passes_with(&plan, SD_ROLE_INSTRUCTIONS), plan.n_pass);
	/* 10 events of the thread besides, two counters left a pass */
	assert_int_equal(plan.n_pass, 5);
	assert_int_equal(passes_with(&plan, SD_ROLE_LLC_MISSES), 1);
	assert_int_equal(passes_with(&plan, SD_ROLE_DTLB_WALKS), 1);
	assert_int_equal(passes_with(&plan, SD_ROLE_TD_NATIVE_RETIRING), 1);
	assert_int_equal(passes_with(&plan, SD_ROLE_DRAM_READ_LINES), 0);
	for (size_t i = 0; i < plan.n_pass; i++)
		if (pass_has(&plan.pass[i], SD_ROLE_TD_NATIVE_RETIRING))
			assert_true(pass_has(&plan.pass[i], SD_ROLE_TD_SLOTS));
	assert_int_equal(fake.open, 0);
	assert_true(sd_counter_plan_fits(c, &plan));
	assert_false(sd_counter_plan_fits(NULL, &plan));
	plan.pass[1].role[0] = SD_ROLE_RFO;
	assert_false(sd_counter_plan_fits(c, &plan));
	sd_plan_free(&plan);
	assert_true(sd_counter_plan_fits(NULL, &plan));
	sd_counter_plan_free(c);
}

/* How many passes the same roles take on other PMUs. */
static void fewer_counters_take_more_passes(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_LLC_MISSES, SD_ROLE_RFO, SD_ROLE_LOCKS,
		SD_ROLE_DTLB_WALKS, SD_ROLE_HITM_LOAD, SD_ROLE_HITM_STORE, SD_ROLE_HITM_ANY};
	static const struct {
		const char *name;
		unsigned counters, held, most;
		size_t passes;
		const char *said;
	} rows[] = {
		{"all at once but for the third offcore register", 32, 0, 0, 2, NULL},
		{"8 counters", 8, 0, 0, 2, NULL},
		{"4 counters", 4, 0, 0, 4, NULL},
		{"3 counters: walks and cycles, no instructions", 3, 0, 0, 7, NULL},
		{"2 counters", 2, 0, 0, 8, NULL},
		{"the watchdog holds one of 5", 5, 1, 0, 4, "NMI watchdog"},
		{"at most two passes", 4, 0, 2, 2, "left out"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w = *state;
		struct sd_counting *c = NULL;
		struct sd_plan plan = {0};

		fake.counters = rows[i].counters;
		fake.held = rows[i].held;
		fake_write(w->root, "proc/sys/kernel/nmi_watchdog", "%u\n", rows[i].held);
		*w->said = '\0';
		assert_int_equal(open_counting(w, &c, want, 7, 0, rows[i].most), 0);
		assert_int_equal(sd_counter_plan(c, &plan), 0);
		if (plan.n_pass != rows[i].passes)
			fail_msg("%s: %zu passes, not %zu", rows[i].name, plan.n_pass,
				rows[i].passes);
		if (rows[i].said ? !strstr(w->said, rows[i].said) : *w->said)
			fail_msg("%s: said '%s'", rows[i].name, w->said);
		for (size_t p = 0; p < plan.n_pass; p++) {
			struct sd_run run = count(w, c, (unsigned)p);

			for (size_t r = 0; r < plan.pass[p].n_role; r++) {
				const struct sd_role_count *n =
					sd_run_role(&run, plan.pass[p].role[r]);

				assert_non_null(n);
				assert_int_equal(n->value.status, SD_STATUS_OK);
				assert_true(n->running == 1);
			}
			assert_int_equal(run.pass, p);
			sd_run_free(&run);
		}
		sd_plan_free(&plan);
		sd_counter_plan_free(c);
	}
}

static void a_role_is_the_weighted_sum_of_its_events(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_DTLB_WALKS};
	struct sd_counting *c = NULL;
	struct sd_run run;
	const struct sd_role_count *n;

	assert_int_equal(open_counting(*state, &c, want, 1, 0, 0), 0);
	run = count(*state, c, 0);
	expect(&run, SD_ROLE_DTLB_WALKS, SD_STATUS_OK, 2 * full(0x14) + full(0x15));
	expect(&run, SD_ROLE_CYCLES, SD_STATUS_OK, full(CYCLES));
	assert_true(run.metric[SD_METRIC_CYCLES].value == full(CYCLES));
	assert_true(run.metric[SD_METRIC_INSTRUCTIONS].value == full(INSTRUCTIONS));
	n = sd_run_role(&run, SD_ROLE_DTLB_WALKS);
	assert_string_equal(n->source, "fake");
	assert_int_equal(n->scope, SD_SCOPE_THREAD);
	assert_int_equal(n->quality, SD_QUALITY_EXACT);
	assert_true(n->user && !n->shared);
	sd_run_free(&run);
	sd_counter_plan_free(c);
}

/* The kernel's flags of the events that count the tree. */
static void the_tree_is_counted_from_exec_in_user_mode_without_groups(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_LLC_MISSES};
	unsigned cpu = 0;
	const struct sd_cpulist cpus = {&cpu, 1};
	struct world *w = *state;
	struct sd_probe_target target = {.pid = 4711, .cpus = &cpus, .cores = 1, .root = w->root};
	struct sd_counting *c = NULL;
	void *probe = NULL;

	assert_int_equal(open_counting(w, &c, want, 1, 0, 0), 0);
	target.counting = c;
	assert_int_equal(sd_probe_hardware_counters.open(&probe, &target), 0);
	assert_int_equal(fake.open, 3);
	for (int i = 0; i < 3; i++) {
		const struct fake_event *e = &fake.event[i];

		assert_int_equal(e->pid, 4711);
		assert_int_equal(e->cpu, -1);
		assert_int_equal(e->group, -1);
		assert_true(e->attr.inherit && e->attr.disabled && e->attr.enable_on_exec);
		assert_true(e->attr.exclude_kernel && e->attr.exclude_hv);
		assert_true(e->attr.read_format == SD_COUNTER_READ_FORMAT);
	}
	sd_probe_hardware_counters.close(probe);
	sd_counter_plan_free(c);
}

static void a_follower_stands_in_the_group_of_its_leader(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_TD_NATIVE_RETIRING};
	unsigned cpu = 0;
	const struct sd_cpulist cpus = {&cpu, 1};
	struct world *w = *state;
	struct sd_probe_target target = {.pid = 4711, .cpus = &cpus, .cores = 1, .root = w->root};
	struct sd_counting *c = NULL;
	int leader = -1, follower = -1;
	void *probe = NULL;

	assert_int_equal(open_counting(w, &c, want, 1, 0, 0), 0);
	target.counting = c;
	assert_int_equal(sd_probe_hardware_counters.open(&probe, &target), 0);
	for (int i = 0; i < FAKE_EVENTS; i++) {
		if (!fake.event[i].used)
			continue;
		leader = fake.event[i].attr.config == 0x400 ? i : leader;
		follower = fake.event[i].attr.config == 0x401 ? i : follower;
	}
	assert_true(leader >= 0 && follower >= 0);
	assert_int_equal(fake.event[leader].group, -1);
	assert_int_equal(fake.event[follower].group, leader);
	sd_probe_hardware_counters.close(probe);
	sd_counter_plan_free(c);
}

static void multiplexed_counts_stay_raw_and_say_how_long_they_ran(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_LLC_MISSES, SD_ROLE_RFO, SD_ROLE_LOCKS,
		SD_ROLE_HITM_LOAD, SD_ROLE_HITM_STORE, SD_ROLE_HITM_ANY};
	struct sd_counting *c = NULL;
	struct sd_plan plan = {0};
	struct sd_run run;
	const struct sd_role_count *n;

	assert_int_equal(open_counting(*state, &c, want, 6, 1, 0), 0);
	assert_int_equal(sd_counter_plan(c, &plan), 0);
	assert_int_equal(plan.n_pass, 1);
	assert_true(plan.multiplex);
	run = count(*state, c, 0);
	/* 8 events on 4 counters */
	expect(&run, SD_ROLE_LOCKS, SD_STATUS_MULTIPLEXED, full(0x13) / 2);
	n = sd_run_role(&run, SD_ROLE_LOCKS);
	assert_true(n->running == 0.5);
	assert_int_equal(run.metric[SD_METRIC_CYCLES].status, SD_STATUS_MULTIPLEXED);
	assert_true(run.metric[SD_METRIC_CYCLES].value == full(CYCLES));
	sd_run_free(&run);
	sd_plan_free(&plan);
	sd_counter_plan_free(c);
}

static void cores_and_sockets_are_counted_once_each(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_L2_WRITEBACKS, SD_ROLE_DRAM_READ_LINES};
	struct sd_counting *c = NULL;
	struct sd_run run;
	const struct sd_role_count *n;

	assert_int_equal(open_counting(*state, &c, want, 2, 0, 0), 0);
	run = count(*state, c, 0);
	expect(&run, SD_ROLE_L2_WRITEBACKS, SD_STATUS_OK, 2 * full(0x20));   /* two cores */
	expect(&run, SD_ROLE_DRAM_READ_LINES, SD_STATUS_OK, 2 * full(0x30)); /* two boxes */
	n = sd_run_role(&run, SD_ROLE_L2_WRITEBACKS);
	assert_true(n->shared && !n->user);
	assert_int_equal(n->scope, SD_SCOPE_CORE);
	sd_run_free(&run);
	sd_counter_plan_free(c);
}

static void without_siblings_a_core_is_counted_as_its_thread(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_L2_WRITEBACKS};
	struct world *w = *state;
	struct sd_counting *c = NULL;
	struct sd_run run;

	fake.no_system = 1;
	make_machine(w->root, 0);
	assert_int_equal(open_counting(w, &c, want, 1, 0, 0), 0);
	run = count(w, c, 0);
	expect(&run, SD_ROLE_L2_WRITEBACKS, SD_STATUS_OK, full(0x20));
	assert_false(sd_run_role(&run, SD_ROLE_L2_WRITEBACKS)->shared);
	sd_run_free(&run);
	sd_counter_plan_free(c);
}

static void what_cannot_be_counted_says_why_in_every_run(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_LLC_MISSES, SD_ROLE_RFO,
		SD_ROLE_DRAM_READ_LINES, SD_ROLE_TOTAL_CYCLES, SD_ROLE_LOCKS};
	struct sd_counting *c = NULL;
	struct sd_run run;

	fake.no_system = 1;
	fake.unknown = 0x12;
	assert_int_equal(open_counting(*state, &c, want, 5, 0, 0), 0);
	run = count(*state, c, 0);
	expect(&run, SD_ROLE_RFO, SD_STATUS_UNSUPPORTED, 0);
	expect(&run, SD_ROLE_DRAM_READ_LINES, SD_STATUS_DENIED, 0);
	assert_null(sd_run_role(&run, SD_ROLE_TOTAL_CYCLES)); /* the map has no event for it */
	expect(&run, SD_ROLE_LLC_MISSES, SD_STATUS_OK, full(0x11));
	expect(&run, SD_ROLE_LOCKS, SD_STATUS_OK, full(0x13));
	sd_run_free(&run);
	sd_counter_plan_free(c);
}

/* An ARM PMU would count 0 for ever; the kernel lists what there is. */
static void an_event_the_cpu_says_it_lacks_is_not_counted(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_LLC_MISSES, SD_ROLE_RFO, SD_ROLE_TD_SLOTS};
	static const char pmu[] = "sys/bus/event_source/devices/armv8_pmuv3_0/events";
	struct world *w = *state;
	struct sd_counting *c = NULL;
	struct sd_run run;
	char path[128];

	snprintf(path, sizeof path, "%s/cpu_cycles", pmu);
	fake_write(w->root, path, "event=0x003c\n");
	snprintf(path, sizeof path, "%s/something", pmu);
	fake_write(w->root, path, "event=0x0011\n");
	assert_int_equal(open_counting(w, &c, want, 3, 0, 0), 0);
	run = count(w, c, 0);
	expect(&run, SD_ROLE_LLC_MISSES, SD_STATUS_OK, full(0x11));
	expect(&run, SD_ROLE_RFO, SD_STATUS_UNSUPPORTED, 0);
	expect(&run, SD_ROLE_TD_SLOTS, SD_STATUS_OK, full(0x400)); /* no common event: not told */
	sd_run_free(&run);
	sd_counter_plan_free(c);
}

static void no_pmu_is_told_from_a_forbidden_one(void **state)
{
	static const struct {
		int error, rc;
	} rows[] = {
		{-ENOENT, -ENODEV},
		{-ENODEV, -ENODEV},
		{-EOPNOTSUPP, -ENODEV},
		{-ENOSYS, -ENODEV},
		{-EACCES, -EACCES},
		{-EPERM, -EACCES},
		{-EBUSY, -EBUSY},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world *w = *state;
		struct sd_counting *c = NULL;

		fake.error = rows[i].error;
		assert_int_equal(open_counting(w, &c, NULL, 0, 0, 0), rows[i].rc);
		assert_null(c);
		assert_int_equal(w->messages, 0);
	}
}

/* Some virtual machines open the event and never count it. */
static void a_pmu_that_does_not_count_is_none(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_CYCLES};
	struct sd_counting *c = NULL;
	struct sd_run run;

	fake.stopped = INSTRUCTIONS;
	assert_int_equal(open_counting(*state, &c, want, 1, 0, 0), 0);
	run = count(*state, c, 0);
	expect(&run, SD_ROLE_INSTRUCTIONS, SD_STATUS_UNSUPPORTED, 0);
	expect(&run, SD_ROLE_CYCLES, SD_STATUS_OK, full(CYCLES));
	sd_run_free(&run);
	sd_counter_plan_free(c);
}

/* The trial went well; what goes wrong in the run itself. */
static void a_run_that_went_wrong_gives_no_number_to_trust(void **state)
{
	static const struct {
		const char *name;
		size_t field;
		uint64_t config;
		enum sd_role role;
		enum sd_status status;
	} rows[] = {
		{"never scheduled", offsetof(struct fake_pmu, unscheduled), 0x11,
			SD_ROLE_LLC_MISSES, SD_STATUS_ABSENT},
		{"stopped", offsetof(struct fake_pmu, stopped), CYCLES, SD_ROLE_CYCLES,
			SD_STATUS_NOISY},
		{"nothing happened", offsetof(struct fake_pmu, stopped), 0x11, SD_ROLE_LLC_MISSES,
			SD_STATUS_OK},
		{"wrapped", offsetof(struct fake_pmu, wrapped), 0x11, SD_ROLE_LLC_MISSES,
			SD_STATUS_NOISY},
		{"backwards", offsetof(struct fake_pmu, backwards), 0x30, SD_ROLE_DRAM_READ_LINES,
			SD_STATUS_ABSENT},
	};
	static const enum sd_role want[] = {SD_ROLE_LLC_MISSES, SD_ROLE_DRAM_READ_LINES};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sd_counting *c = NULL;
		const struct sd_role_count *n;
		struct sd_run run;

		assert_int_equal(open_counting(*state, &c, want, 2, 0, 0), 0);
		memcpy((char *)&fake + rows[i].field, &rows[i].config, sizeof rows[i].config);
		run = count(*state, c, 0);
		n = sd_run_role(&run, rows[i].role);
		assert_non_null(n);
		if (n->value.status != rows[i].status)
			fail_msg("%s: %s", rows[i].name, sd_status_name(n->value.status));
		sd_run_free(&run);
		sd_counter_plan_free(c);
		memset((char *)&fake + rows[i].field, 0, sizeof rows[i].config);
	}
}

static void when_files_run_out_there_are_fewer_events_and_one_word(void **state)
{
	struct world *w = *state;
	struct sd_counting *c = NULL;
	struct sd_plan plan = {0};

	fake.counters = 32;
	fake.files = 5;
	assert_int_equal(open_counting(w, &c, NULL, 0, 0, 0), 0);
	assert_int_equal(sd_counter_plan(c, &plan), 0);
	assert_true(plan.n_pass > 1);
	for (size_t i = 0; i < plan.n_pass; i++) {
		struct sd_run run = count(w, c, (unsigned)i);

		for (size_t r = 0; r < run.n_role; r++)
			assert_int_equal(run.role[r].value.status, SD_STATUS_OK);
		sd_run_free(&run);
	}
	assert_int_equal(w->messages, 1);
	assert_non_null(strstr(w->said, "ulimit -n"));
	/* and when they run out only in the run */
	fake.files = 2;
	{
		struct sd_run run = count(w, c, 0);

		assert_int_equal(run.role[0].value.status, SD_STATUS_OK);
		assert_int_equal(run.role[2].value.status, SD_STATUS_ABSENT);
		sd_run_free(&run);
	}
	sd_plan_free(&plan);
	sd_counter_plan_free(c);
}

static void a_run_without_counting_has_no_roles(void **state)
{
	struct sd_run run = count(*state, NULL, 0);

	assert_int_equal(run.n_role, 0);
	assert_int_equal(fake.opened, 0);
	assert_int_equal(run.metric[SD_METRIC_CYCLES].status, SD_STATUS_ABSENT);
}

static void a_broken_map_is_said_and_not_counted_with(void **state)
{
	struct world *w = *state;
	struct sd_counting *c = NULL;

	fake_write(w->root, "maps/events/fake.conf", "family = \"fake\"; roles = {");
	assert_true(open_counting(w, &c, NULL, 0, 0, 0) < 0);
	assert_null(c);
	assert_non_null(strstr(w->said, "fake.conf"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fresh, stale)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(every_role_is_in_a_pass_and_cycles_in_all),
		TEST(fewer_counters_take_more_passes),
		TEST(a_role_is_the_weighted_sum_of_its_events),
		TEST(the_tree_is_counted_from_exec_in_user_mode_without_groups),
		TEST(a_follower_stands_in_the_group_of_its_leader),
		TEST(multiplexed_counts_stay_raw_and_say_how_long_they_ran),
		TEST(cores_and_sockets_are_counted_once_each),
		TEST(without_siblings_a_core_is_counted_as_its_thread),
		TEST(what_cannot_be_counted_says_why_in_every_run),
		TEST(an_event_the_cpu_says_it_lacks_is_not_counted),
		TEST(no_pmu_is_told_from_a_forbidden_one),
		TEST(a_pmu_that_does_not_count_is_none),
		TEST(a_run_that_went_wrong_gives_no_number_to_trust),
		TEST(when_files_run_out_there_are_fewer_events_and_one_word),
		TEST(a_run_without_counting_has_no_roles),
		TEST(a_broken_map_is_said_and_not_counted_with),
	};

	return cmocka_run_group_tests_name("probes/hardware_counters", tests, NULL, NULL);
}
