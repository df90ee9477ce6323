/*
 * First sentence about times that vary: their middle while it says something, else the range alone,
 * which has no lower end where that is below nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/view_parts.h"

static struct sd_interval around(double value, double half)
{
	return (struct sd_interval){value, value - half, value + half, SD_STATUS_OK};
}

static void times_that_vary_widely_have_a_range(void **state)
{
	static const struct {
		double speedup, half;
		const char *says;
	} row[] = {{1.6, .2, "1.60x speedup on 2 cores (80 ±10 % efficiency)"},
		{10, 8.6, "1.40x to 18.60x speedup on 2 cores (95 %)"},
		{.9, 1.1, "at most 2.00x speedup on 2 cores (95 %)"}};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_record r = {.complete = 1};
		struct sd_point point[2] = {
			{.cores = 1, .n = 1, .runs = 5}, {.cores = 2, .n = 2, .runs = 5}};
		const struct sd_analysis a = {
			.point = point, .n_point = 2, .scales = SD_SCALES_UNKNOWN};
		enum sd_view_mood mood;
		char *text;

		point[0].speedup = point[0].efficiency = around(1, 0);
		point[1].speedup = around(row[i].speedup, row[i].half);
		point[1].efficiency = around(row[i].speedup / 2, row[i].half / 2);
		text = sd_view_answer(&r, &a, &mood);
		assert_non_null(text);
		assert_int_equal(mood, SD_VIEW_UNSURE);
		if (!strstr(text, row[i].says))
			fail_msg("no '%s' in '%s'", row[i].says, text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_that_vary_widely_have_a_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
