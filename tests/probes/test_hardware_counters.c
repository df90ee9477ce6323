/* Counting the roles of a made-up map on a made-up PMU: the door to the kernel is replaced. */
#include "probes/counter_world.h"
#include "trace/running.h"

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

/* One window of the threads 4711 to 4713 of a program that ran before. */
static struct sd_run look(struct world *w, const struct sd_counting *c)
{
	unsigned cpu[] = {0, 1, 2, 3};
	const pid_t pid = 4711;
	const struct sd_running running = {.pid = &pid, .n = 1};
	const struct sd_cpulist cpus = {cpu, 4};
	const struct sd_probe_target target = {.pid = pid,
		.running = &running,
		.cpus = &cpus,
		.cores = 4,
		.root = w->root,
		.counting = c};
	struct sd_run run = {0};
	void *state = NULL;

	for (int tid = 4711; tid <= 4713; tid++)
		fake_thread(w->root,
			&(struct fake_thread){.pid = pid, .tid = tid, .ppid = 1, .state = 'S'});
	assert_int_equal(sd_probe_hardware_counters.open(&state, &target), 0);
	sd_probe_hardware_counters.start(state);
	sd_probe_hardware_counters.stop(state, &run);
	sd_probe_hardware_counters.close(state);
	assert_int_equal(fake.open, 0);
	return run;
}

/* Counts from before the window are not of it. */
static void threads_of_a_program_that_runs_are_added_up(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_LLC_MISSES, SD_ROLE_L2_WRITEBACKS};
	struct sd_counting *c = NULL;
	struct sd_run run;

	assert_int_equal(open_counting(*state, &c, want, 2, 0, 0), 0);
	run = look(*state, c);
	expect(&run, SD_ROLE_LLC_MISSES, SD_STATUS_OK, 3 * full(0x11));
	expect(&run, SD_ROLE_CYCLES, SD_STATUS_OK, 3 * full(CYCLES));
	expect(&run, SD_ROLE_L2_WRITEBACKS, SD_STATUS_OK, 2 * full(0x20)); /* two cores, once */
	assert_true(run.metric[SD_METRIC_CYCLES].value == 3 * full(CYCLES));
	sd_run_free(&run);
	/* one that has ended is none, one that slept counted nothing, and both are no gap */
	fake.ended = 4711;
	fake.asleep = 4713;
	run = look(*state, c);
	expect(&run, SD_ROLE_LLC_MISSES, SD_STATUS_OK, full(0x11));
	expect(&run, SD_ROLE_L2_WRITEBACKS, SD_STATUS_OK, 2 * full(0x20));
	sd_run_free(&run);
	sd_counter_plan_free(c);
}

/* A thread that could not be counted leaves no number for all. */
static void a_thread_without_counters_leaves_no_sum(void **state)
{
	static const enum sd_role want[] = {SD_ROLE_LLC_MISSES};
	struct sd_counting *c = NULL;
	struct sd_run run;

	assert_int_equal(open_counting(*state, &c, want, 1, 0, 0), 0);
	fake.files = 8; /* two threads have three events each, the third has two */
	run = look(*state, c);
	assert_false(sd_has(sd_run_role(&run, SD_ROLE_LLC_MISSES)->value));
	sd_run_free(&run);
	sd_counter_plan_free(c);
}

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
		TEST(threads_of_a_program_that_runs_are_added_up),
		TEST(a_thread_without_counters_leaves_no_sum),
		TEST(without_siblings_a_core_is_counted_as_its_thread),
	};

	return cmocka_run_group_tests_name("probes/hardware_counters", tests, NULL, NULL);
}
