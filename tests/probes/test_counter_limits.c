/*
 * Messages where counting is forbidden, cut short, or not there at all.
 */
#include "probes/counter_world.h"

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

int main(void)
{
	static const struct CMUnitTest tests[] = {
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
