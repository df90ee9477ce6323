/*
 * When another window of a program that is only looked at would change what is said of it.
 */
#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "experiments/next_windows.h"

static const unsigned two[] = {2};

/* `n` windows of 2 s on two CPUs. Of the CPU time that is not used, threads wait for locks for
 * `lock` core-s, give or take `apart` of it by turns, and for the disk as long as is left. */
static void windows(struct sd_record *r, size_t n, double lock, double apart)
{
	record_make(r, two, 1);
	r->program.attached = strdup("process 1");
	for (size_t i = 0; i < n; i++) {
		struct sample s = {.wall = 2, .user = 2};

		s.idle[SD_IDLE_LOCK] = lock * (1 + apart * ((double)(i % 3) - 1));
		s.idle[SD_IDLE_DISK] = 2 - s.idle[SD_IDLE_LOCK];
		record_sample(r, 0, &s, 1)->metric[SD_METRIC_POLL_CPU] = SD_OK(0);
	}
}

static enum sd_runs_wanted wanted(struct sd_record *r, struct sd_run_choice *is)
{
	struct sd_analysis a;
	enum sd_runs_wanted w;

	assert_int_equal(sd_analyse(r, NULL, NULL, &a), 0);
	w = a.runs_wanted;
	*is = a.runs_are;
	assert_int_equal(a.stop, w == SD_RUNS_ENOUGH ? SD_STOP_KNOWN : SD_STOP_WINDOWS);
	sd_analysis_free(&a);
	return w;
}

static enum sd_runs_wanted after(size_t n, double lock, double apart)
{
	struct sd_run_choice is;
	struct sd_record r;
	enum sd_runs_wanted w;

	windows(&r, n, lock, apart);
	w = wanted(&r, &is);
	/* what is expected of it shrinks with the windows there are, and is never all there is */
	assert_true(is.narrows >= 0 && is.narrows <= 2);
	assert_true(is.takes > 1.99);
	assert_int_equal(is.of, SD_CAUSE_COUNT);
	sd_record_free(&r);
	return w;
}

static void windows_that_agree_are_three(void **state)
{
	(void)state;
	assert_int_equal(after(2, 1.8, .001), SD_RUNS_FIRST);
	assert_int_equal(after(3, 1.8, .001), SD_RUNS_ENOUGH);
}

/* Which wait is the larger one is the answer: it is open while either may be. */
static void windows_go_on_while_another_wait_may_be_the_largest(void **state)
{
	(void)state;
	assert_int_equal(after(4, 1.05, .4), SD_RUNS_FIRST);
	assert_int_equal(after(4, 1.95, .01), SD_RUNS_ENOUGH);
	assert_int_equal(after(200, 1.05, .4), SD_RUNS_ENOUGH);
}

/* A line that several threads read may have a writer that no sample met: a watchpoint in the next
 * window tells. Once, or where it may not be set, nothing waits for it. */
static void a_line_that_nobody_watched_gets_its_window(void **state)
{
	for (int k = 0; k < 3; k++) {
		struct sd_run_choice is;
		struct sd_record r;
		struct sd_native_lines *lines;

		windows(&r, 4, 1.95, .001);
		lines = calloc(1, sizeof *lines);
		lines->line = calloc(1, sizeof *lines->line);
		lines->n_line = 1;
		lines->seconds = 2;
		lines->samples = 200;
		lines->line[0].read = 1;
		lines->line[0].proven = k == 2 ? SD_NOT(DENIED) : SD_NOT(ABSENT);
		lines->line[0].watched_s = k == 1 ? .05 : 0;
		r.run[3].native = lines;
		assert_int_equal(wanted(&r, &is), k == 0 ? SD_RUNS_FIRST : SD_RUNS_ENOUGH);
		sd_record_free(&r);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_that_agree_are_three),
		cmocka_unit_test(windows_go_on_while_another_wait_may_be_the_largest),
		cmocka_unit_test(a_line_that_nobody_watched_gets_its_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
