/* Waits for the kernel's locks: means over the runs of a record. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/kernel_lock_means.h"

/* Runs of a made record: two at 1 core, two at 2; texts 1 and 2 name the locks, 3 the holder. */
struct world {
	struct sd_plan_point point[2];
	struct sd_kernel_locks locks[5];
	struct sd_kernel_lock row[5][2];
	struct sd_run run[5];
	char *text[4];
	struct sd_record r;
};

static void add_run(struct world *w, size_t i, size_t point, double a, double b)
{
	w->row[i][0] = (struct sd_kernel_lock){
		.name = 1, .held = 3, .waits = 10, .wait_s = a, .slept_s = a / 2, .longest_s = a};
	w->row[i][1] = (struct sd_kernel_lock){.name = 2, .waits = 1, .wait_s = b};
	w->locks[i] = (struct sd_kernel_locks){
		.status = SD_STATUS_OK, .row = w->row[i], .n_row = b > 0 ? 2 : 1, .n_row_seen = 2};
	w->run[i] = (struct sd_run){.point = point,
		.kind = SD_RUN_BLOCK,
		.end = SD_END_EXITED,
		.kernel_locks = &w->locks[i]};
	w->run[i].metric[SD_METRIC_WALL] = SD_OK(2);
}

static void make_world(struct world *w)
{
	static char names[][12] = {"", "mmap_lock", "pipe", "munmap"};

	*w = (struct world){.point = {{.cores = 1}, {.cores = 2}}};
	for (int i = 0; i < 4; i++)
		w->text[i] = names[i];
	add_run(w, 0, 0, .2, 0);
	add_run(w, 1, 1, 1, .5);
	add_run(w, 2, 1, 3, .5);
	add_run(w, 3, 1, 100, 100);
	w->run[3].kind = SD_RUN_EXPERIMENT;
	add_run(w, 4, 1, 100, 100);
	w->run[4].end = SD_END_SIGNALLED;
	w->r = (struct sd_record){.plan = {.point = w->point, .n_point = 2},
		.run = w->run,
		.n_run = 5,
		.stacks = {.text = w->text, .n_text = 4}};
}

/* By hand: (1 + 3) / 2 s of 2 s of wall time; experiments and runs that failed do not count. */
static void means_are_those_of_timed_runs_at_the_largest_count(void **state)
{
	static struct world w;
	static struct sd_kernel_lock_means m;

	(void)state;
	make_world(&w);
	sd_kernel_lock_means_of(&w.r, &m);
	assert_int_equal(m.status, SD_STATUS_OK);
	assert_int_equal(m.cores, 2);
	assert_int_equal(m.least, 1);
	assert_int_equal(m.runs, 2);
	assert_int_equal(m.n_row, 2);
	assert_string_equal(m.row[0].name, "mmap_lock");
	assert_string_equal(m.row[0].held, "munmap");
	assert_string_equal(m.row[1].held, "");
	assert_true(m.row[0].wait_s == 2 && m.row[0].slept_s == 1 && m.row[0].cores == 1);
	assert_true(m.row[0].waits == 10 && m.row[0].longest_s == 3);
	assert_true(fabs(m.row[0].at_least.value - .1) < 1e-12);
	/* what was not waited for at 1 core is a measured 0 there */
	assert_int_equal(m.row[1].at_least.status, SD_STATUS_OK);
	assert_true(m.row[1].at_least.value == 0);
	assert_true(m.other_cores == 0);
}

static void what_was_denied_or_not_looked_at_has_no_rows(void **state)
{
	static struct world w;
	static struct sd_kernel_lock_means m;

	(void)state;
	make_world(&w);
	for (int i = 0; i < 5; i++)
		w.locks[i] = (struct sd_kernel_locks){.status = SD_STATUS_DENIED};
	sd_kernel_lock_means_of(&w.r, &m);
	assert_int_equal(m.status, SD_STATUS_DENIED);
	assert_int_equal(m.n_row, 0);
	for (int i = 0; i < 5; i++)
		w.run[i].kernel_locks = NULL;
	sd_kernel_lock_means_of(&w.r, &m);
	assert_int_equal(m.status, SD_STATUS_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_those_of_timed_runs_at_the_largest_count),
		cmocka_unit_test(what_was_denied_or_not_looked_at_has_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
