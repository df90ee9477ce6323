/* Which of the bandwidths of a state is its ceiling. */
#include "bench/bandwidth_ceilings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void add_rate(struct sd_bench_rows *rows, const char *op, const char *stores, unsigned state,
	size_t n, double rate)
{
	struct sd_bench_row r = {.kernel = op,
		.cores = 1,
		.unit = "GB/s",
		.parameter_unit = "B",
		.state = state,
		.n = n,
		.median = rate,
		.q1 = rate,
		.q3 = rate,
		.status = SD_STATUS_OK};

	snprintf(r.variant, sizeof r.variant,
		"stores=%s isa=avx2 width=256 pages=2MiB team=threads place=compact bytes=counted",
		stores);
	assert_int_equal(sd_bench_rows_add(rows, &r), 0);
}

static const struct sd_bench_row *ceiling_of(const struct sd_bench_rows *rows, unsigned state)
{
	for (size_t i = 0; i < rows->n; i++)
		if (strcmp(rows->row[i].kernel, "ceiling") == 0 && rows->row[i].state == state)
			return &rows->row[i];
	return NULL;
}

/* A machine that was in its other state for a moment: that says little about the best there. */
static void a_state_in_which_the_best_was_not_tried_has_no_ceiling(void **state)
{
	struct sd_bench_rows rows = {0};

	(void)state;
	add_rate(&rows, "copy", "nt", 0, 7, 44);
	add_rate(&rows, "copy", "regular", 0, 7, 30);
	add_rate(&rows, "add", "regular", 0, 7, 22);
	add_rate(&rows, "add", "regular", 1, 7, 22);
	add_rate(&rows, "copy", "nt", 2, 7, 40);
	add_rate(&rows, "triad", "nt", 2, 7, 41);
	/* many samples of a worse one tell no more than one of the best */
	add_rate(&rows, "copy", "nt", 3, 2, 43);
	add_rate(&rows, "add", "regular", 3, 7, 22);
	assert_int_equal(sd_bandwidth_ceilings_add(&rows, 0), 0);
	assert_true(ceiling_of(&rows, 0)->median > 43.9);
	assert_int_equal(ceiling_of(&rows, 1)->n, 0);
	assert_int_equal(ceiling_of(&rows, 1)->status, SD_STATUS_ABSENT);
	assert_non_null(strstr(ceiling_of(&rows, 1)->variant, "op=copy stores=nt"));
	assert_non_null(strstr(ceiling_of(&rows, 1)->why, "not seen in this one"));
	assert_true(ceiling_of(&rows, 2)->median > 40.9);
	assert_int_equal(ceiling_of(&rows, 3)->status, SD_STATUS_ABSENT);
	assert_non_null(strstr(ceiling_of(&rows, 3)->why, "too briefly"));
	sd_bench_rows_free(&rows);
}

/* On a machine that had no time for more, what it was in all along counts. */
static void one_sample_of_the_usual_state_is_better_than_none(void **state)
{
	struct sd_bench_rows rows = {0};

	(void)state;
	add_rate(&rows, "copy", "nt", 1, 1, 44);
	add_rate(&rows, "triad", "nt", 1, 1, 41);
	assert_int_equal(sd_bandwidth_ceilings_add(&rows, 0), 0);
	assert_non_null(ceiling_of(&rows, 1));
	assert_int_equal(ceiling_of(&rows, 1)->status, SD_STATUS_OK);
	assert_null(ceiling_of(&rows, 0));
	sd_bench_rows_free(&rows);
}

static void a_loop_that_is_as_good_as_the_best_stands_for_it(void **state)
{

	(void)state;
	for (int meet = 0; meet < 2; meet++) {
		struct sd_bench_rows rows = {0};

		add_rate(&rows, "copy", "nt", 0, 7, 44);
		add_rate(&rows, "scale", "nt", 0, 7, 43);
		rows.row[1].q3 = meet ? 44 : 43.5;
		add_rate(&rows, "scale", "nt", 1, 7, 80);
		assert_int_equal(sd_bandwidth_ceilings_add(&rows, 0), 0);
		assert_int_equal(ceiling_of(&rows, 1)->n, meet ? 7 : 0);
		sd_bench_rows_free(&rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_state_in_which_the_best_was_not_tried_has_no_ceiling),
		cmocka_unit_test(one_sample_of_the_usual_state_is_better_than_none),
		cmocka_unit_test(a_loop_that_is_as_good_as_the_best_stands_for_it),
	};

	return cmocka_run_group_tests_name("bandwidth_ceilings", tests, NULL, NULL);
}
