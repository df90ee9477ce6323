/*
 * Arms that change the machine, around a program that shows what it finds: prefetchers in files
 * that stand for registers, and the page cache.
 */
#include "diagnose/measure/experiment/arm_world.h"
#include "experiment/page_cache.h"

/* ---- prefetchers ---- */

static unsigned first_cpu(const struct world *w)
{
	return w->record.plan.point[0].cpus.cpu[0];
}

/* The program prints the register of its CPU. */
static void with_registers(struct world *w)
{
	char path[300];

	make_world(w, SD_EXPERIMENT_PREFETCHERS, "od -An -tu1 -j420 -N1 dev/cpu/*/msr");
	snprintf(path, sizeof path, "%s/dev/cpu/%u/msr", w->folder, first_cpu(w));
	write_file(path, "", 0600);
	assert_int_equal(w->prefetchers.msr.write(&w->prefetchers.msr, first_cpu(w), MSR, 0x20), 0);
}

static uint64_t register_now(const struct world *w)
{
	uint64_t value = 0;

	assert_int_equal(
		w->prefetchers.msr.read(&w->prefetchers.msr, first_cpu(w), MSR, &value), 0);
	return value;
}

static void the_changed_program_finds_its_prefetchers_off_and_the_plain_one_on(void **state)
{
	struct world w;

	(void)state;
	with_registers(&w);
	assert_int_equal(round_of(&w), 0);
	assert_string_equal(skipped(&w), "");
	assert_int_equal(w.kept[SD_ARM_CHANGED], 2); /* at both points */
	assert_int_equal(atoi(w.text[SD_ARM_PLAIN]), 0x20);
	assert_int_equal(atoi(w.text[SD_ARM_CHANGED]), 0x2f);
	assert_int_equal(register_now(&w), 0x20);
	assert_int_equal(w.said.n, 0);
	drop_world(&w);
}

static void a_program_that_fails_or_hangs_finds_them_on_again(void **state)
{
	static const char *const scripts[] = {"exit 3", "kill -9 $$", "sleep 100"};

	(void)state;
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		struct world w;
		char script[200];

		with_registers(&w);
		free(w.argv[2]);
		snprintf(script, sizeof script,
			"[ $(od -An -tu1 -j420 -N1 dev/cpu/*/msr) = 47 ] || exit 0; %s",
			scripts[i]);
		w.argv[2] = strdup(script);
		w.options.timeout_s = .5;
		assert_int_equal(round_of(&w), 0);
		assert_string_not_equal(skipped(&w), "");
		assert_int_equal(w.kept[SD_ARM_CHANGED], 0);
		assert_int_equal(register_now(&w), 0x20);
		drop_world(&w);
	}
}

static void an_interrupt_ends_the_run_with_them_on_again(void **state)
{
	struct world w;

	(void)state;
	with_registers(&w);
	w.stop = 1;
	assert_int_equal(round_of(&w), -EINTR);
	assert_int_equal(register_now(&w), 0x20);
	assert_int_equal(access(w.old_bits, F_OK), -1);
	drop_world(&w);
}

static void without_registers_the_experiment_is_given_up_with_the_reason(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_PREFETCHERS, "true");
	assert_int_equal(round_of(&w), 0);
	assert_non_null(strstr(skipped(&w), "modprobe msr"));
	assert_int_equal(w.kept[SD_ARM_CHANGED], 0);
	drop_world(&w);
}

/* Long enough to be looked at. */
#define WORK "i=0; while [ $i -lt 120000 ]; do i=$((i+1)); done"

/* ---- copies, and work that differs ---- */

static void add_run(struct world *w, double cpu_s, uint64_t digest)
{
	struct sd_record *r = &w->record;
	struct sd_run *run;

	r->run = realloc(r->run, (r->n_run + 1) * sizeof *r->run);
	assert_non_null(r->run);
	run = &r->run[r->n_run++];
	*run = (struct sd_run){.kind = SD_RUN_BLOCK, .stdout_digest = digest};
	run->metric[SD_METRIC_USER] = SD_OK(cpu_s);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(0);
	run->metric[SD_METRIC_WALL] = SD_OK(cpu_s);
	run->metric[SD_METRIC_MAX_RSS] = SD_OK(6e9);
}

static void copies_that_do_not_fit_into_memory_are_not_started(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_REPLICAS, "true");
	w.record.plan.experiment[0].point = 0;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(sd_cpulist_add(&w.record.plan.experiment[0].cpus, i), 0);
	w.record.host.memory_bytes = SD_OK(8e9);
	for (int i = 0; i < 3; i++)
		add_run(&w, 1, 1);
	for (int i = 0; i < 8 && !*skipped(&w); i++, w.record.plan.seed++)
		assert_int_equal(round_of(&w), 0);
	assert_non_null(strstr(skipped(&w), "2 copies of 6.0 GB do not fit"));
	assert_int_equal(w.kept[SD_ARM_CHANGED], 0);
	drop_world(&w);
}

/* ---- changes that did not take place ---- */

static void a_change_that_did_not_reach_the_program_makes_no_pair(void **state)
{
	static const struct {
		enum sd_experiment experiment;
		const char *script, *why;
	} rows[] = {
		{SD_EXPERIMENT_ONE_ARENA, "env -u GLIBC_TUNABLES sh -c '" WORK "'",
			"does not have the environment that was set"},
		{SD_EXPERIMENT_ONE_ARENA, WORK, ""},
		{SD_EXPERIMENT_PADDING, "env -u LD_PRELOAD sh -c '" WORK "'",
			"did not load what was to be preloaded"},
		{SD_EXPERIMENT_PASSIVE_WAIT, WORK, "has no OpenMP runtime"},
		{SD_EXPERIMENT_HUGE_PAGES, WORK, "was not seen with a huge page"},
		{SD_EXPERIMENT_BASE_PAGES, WORK, ""},
		{SD_EXPERIMENT_ONE_ARENA, "true", "nobody saw whether it took place"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		/* it ends so soon that a look may meet it or not */
		const int may_be_seen = !strcmp(rows[i].script, "true");
		struct world w;

		print_message(
			"%s: %s\n", sd_experiment_info[rows[i].experiment].name, rows[i].script);
		make_world(&w, rows[i].experiment, rows[i].script);
		w.experiments.pad = "/usr/bin/true"; /* any file: whether it is loaded counts */
		assert_int_equal(round_of(&w), 0);
		if (*skipped(&w) || !may_be_seen)
			assert_true(
				*rows[i].why ? !!strstr(skipped(&w), rows[i].why) : !*skipped(&w));
		assert_int_equal(w.kept[SD_ARM_CHANGED] > 0, !*skipped(&w));
		drop_world(&w);
	}
}

static size_t no_bytes(double llc_bytes, unsigned cores)
{
	(void)llc_bytes;
	(void)cores;
	return 0;
}

static void be_ready(const struct sd_thief_ask *ask, struct sd_thief_shown *shown)
{
	(void)ask;
	atomic_store(&shown->ready, 1);
	for (;;)
		pause();
}

static void a_thief_that_moves_nothing_makes_no_pair(void **state)
{
	static const struct sd_thief idle = {
		.name = "bandwidth-thief", .bytes = no_bytes, .run = be_ready};
	static const struct sd_thief *const thieves[] = {&idle, NULL};
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_BANDWIDTH_THIEF, "true");
	w.experiments.thieves = thieves;
	for (int i = 0; i < 8 && !*skipped(&w); i++, w.record.plan.seed++)
		assert_int_equal(round_of(&w), 0);
	assert_non_null(strstr(skipped(&w), "the thief moved nothing"));
	assert_int_equal(w.kept[SD_ARM_CHANGED], 0);
	drop_world(&w);
}

/* The first to come takes the lock and works; a second one leaves the work to it. */
static void copies_of_which_one_does_the_work_make_no_pair(void **state)
{
	struct world w;

	(void)state;
	make_world(&w, SD_EXPERIMENT_REPLICAS,
		"mkdir lock 2>/dev/null || exit 0; " WORK "; rmdir lock");
	w.record.plan.experiment[0].point = 0;
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(
			sd_cpulist_add(&w.record.plan.experiment[0].cpus, first_cpu(&w)), 0);
	for (int i = 0; i < 3; i++) {
		/* a copy that only starts takes less than a quarter, sanitized, too */
		add_run(&w, .2, 1);
		w.record.run[i].metric[SD_METRIC_MAX_RSS] = SD_OK(1);
	}
	for (int i = 0; i < 8 && !*skipped(&w); i++, w.record.plan.seed++)
		assert_int_equal(round_of(&w), 0);
	assert_non_null(strstr(skipped(&w), "it does its work only once"));
	assert_int_equal(w.kept[SD_ARM_CHANGED], 0);
	drop_world(&w);
}

static void work_that_differs_from_run_to_run_makes_no_pairs(void **state)
{
	static const struct {
		double cpu[4];
		uint64_t digest[4];
		const char *rate;
		int erratic;
	} rows[] = {
		{{1, 3, .5, 2}, {1, 2, 3, 4}, NULL, 1},
		{{1, 3, .5, 2}, {1, 1, 1, 1}, NULL, 0},    /* the same result: the machine */
		{{1, 1.1, 1, 1.2}, {1, 2, 3, 4}, NULL, 0}, /* it prints a time */
		{{1, 9, 1, 1}, {1, 2, 3, 4}, NULL, 0},     /* one was disturbed */
		{{1, 3, .5, 2}, {1, 2, 3, 4}, "x", 0},     /* its throughput counts */
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w;

		make_world(&w, SD_EXPERIMENT_SPREAD, WORK);
		assert_int_equal(
			sd_cpulist_add(&w.record.plan.experiment[0].cpus, first_cpu(&w)), 0);
		for (int k = 0; k < 4; k++)
			add_run(&w, rows[i].cpu[k], rows[i].digest[k]);
		w.record.program.rate = rows[i].rate ? strdup(rows[i].rate) : NULL;
		assert_int_equal(round_of(&w), 0);
		assert_int_equal(
			strstr(skipped(&w), "differs from run to run") != NULL, rows[i].erratic);
		assert_int_equal(w.kept[SD_ARM_CHANGED], !rows[i].erratic);
		drop_world(&w);
	}
}

/* Whether the work differs is known by three runs of the reference that agree, or by five, or
 * not at all; before, a pair would be of runs that may not be compared. */
static void pairs_wait_until_it_is_known_whether_the_work_differs(void **state)
{
	static const struct {
		const char *of;
		enum sd_experiment experiment;
		double cpu[5];
		int n, differs;
		unsigned most;
		int lacks;
	} rows[] = {
		{"two of other output", SD_EXPERIMENT_SPREAD, {1, 1}, 2, 1, 60, 1},
		{"three that agree", SD_EXPERIMENT_SPREAD, {1, 1.1, 1}, 3, 1, 60, 0},
		{"one of three apart", SD_EXPERIMENT_SPREAD, {1, 3, 1}, 3, 1, 60, 1},
		{"one of four apart", SD_EXPERIMENT_SPREAD, {1, 3, 1, 1}, 4, 1, 60, 1},
		{"the middle of four is close", SD_EXPERIMENT_SPREAD, {1, 5, 8, 14}, 4, 1, 60, 1},
		{"four apart", SD_EXPERIMENT_SPREAD, {1, 3, .5, 2}, 4, 1, 60, 1},
		{"five apart", SD_EXPERIMENT_SPREAD, {1, 3, .5, 2, 4}, 5, 1, 60, 0},
		{"the same output", SD_EXPERIMENT_SPREAD, {1, 3}, 2, 0, 60, 0},
		{"no more are allowed", SD_EXPERIMENT_SPREAD, {1, 3}, 2, 1, 2, 0},
		{"a clock loop", SD_EXPERIMENT_ADD_LOOP, {1, 3}, 2, 1, 60, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world w;

		make_world(&w, rows[i].experiment, WORK);
		w.record.plan.max_repeats = rows[i].most;
		for (int k = 0; k < rows[i].n; k++)
			add_run(&w, rows[i].cpu[k], rows[i].differs ? (uint64_t)k : 1);
		if (sd_experiments_lacks_reference(&w.record, 0) != rows[i].lacks)
			fail_msg("%s", rows[i].of);
		drop_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_changed_program_finds_its_prefetchers_off_and_the_plain_one_on),
		cmocka_unit_test(a_program_that_fails_or_hangs_finds_them_on_again),
		cmocka_unit_test(an_interrupt_ends_the_run_with_them_on_again),
		cmocka_unit_test(without_registers_the_experiment_is_given_up_with_the_reason),
		cmocka_unit_test(a_change_that_did_not_reach_the_program_makes_no_pair),
		cmocka_unit_test(a_thief_that_moves_nothing_makes_no_pair),
		cmocka_unit_test(copies_of_which_one_does_the_work_make_no_pair),
		cmocka_unit_test(copies_that_do_not_fit_into_memory_are_not_started),
		cmocka_unit_test(work_that_differs_from_run_to_run_makes_no_pairs),
		cmocka_unit_test(pairs_wait_until_it_is_known_whether_the_work_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
