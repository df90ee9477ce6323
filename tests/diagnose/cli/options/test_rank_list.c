/*
 * --ranks and --points.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "options/rank_list.h"

static void count_messages(void *ctx, enum sd_level level, const char *text)
{
	(void)level;
	(void)text;
	++*(int *)ctx;
}

static void ranks_have_one_thread_each(void **state)
{
	struct sd_options o = {0};
	static const unsigned ranks[] = {1, 2, 4};
	int said = 0;
	const struct sd_sink sink = {.emit = count_messages, .ctx = &said};

	(void)state;
	assert_int_equal(sd_rank_list_parse_ranks("4,1-2", &o, &sink), 0);
	assert_int_equal(o.n_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(o.count[i], ranks[i]);
		assert_int_equal(o.shape[i].ranks, o.count[i]);
		assert_int_equal(o.shape[i].threads, 1);
		assert_int_equal(o.shape[i].nodes, 1);
	}
	free(o.count);
	free(o.shape);
}

static void points_are_in_the_order_of_their_cores(void **state)
{
	struct sd_options o = {0};
	int said = 0;
	const struct sd_sink sink = {.emit = count_messages, .ctx = &said};

	(void)state;
	assert_int_equal(sd_rank_list_parse_points("4x2@2,1x1,2x3", &o, &sink), 0);
	assert_int_equal(o.n_count, 3);
	assert_int_equal(o.count[2], 8);
	assert_int_equal(o.shape[2].nodes, 2);
	assert_int_equal(o.count[1], 6);
	assert_int_equal(o.shape[1].threads, 3);
	/* the last one given holds */
	assert_int_equal(sd_rank_list_parse_ranks("2", &o, &sink), 0);
	assert_int_equal(o.n_count, 1);
	free(o.count);
	free(o.shape);
}

static void what_is_no_point_is_refused(void **state)
{
	static const char *const wrong[] = {"", "2", "x2", "2x", "0x1", "2x0", "2x2@0", "1x4@2",
		"2x2@", "2x2,4x1", "1x1,", "99999999x99999999", "2@2x2", "-1x1"};
	struct sd_options o = {0};
	int said = 0;
	const struct sd_sink sink = {.emit = count_messages, .ctx = &said};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(sd_rank_list_parse_points(wrong[i], &o, &sink), -22);
		assert_int_equal(said, i + 1);
		assert_null(o.shape);
	}
	assert_int_equal(sd_rank_list_parse_ranks("all", &o, &sink), -22);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_have_one_thread_each),
		cmocka_unit_test(points_are_in_the_order_of_their_cores),
		cmocka_unit_test(what_is_no_point_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
