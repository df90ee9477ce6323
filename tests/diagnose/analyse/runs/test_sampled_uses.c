/*
 * The stacks of a point's runs are met once each, in order; runs without samples are passed over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs/sampled_uses.h"

static void meets_each_once(void **state)
{
	struct sd_use use[] = {{.seconds = 1}, {.seconds = 2}, {.seconds = 3}};
	const struct sd_run first = {.sampled = {.status = SD_STATUS_OK, .use = use, .n_use = 2}},
			    empty = {.sampled = {.status = SD_STATUS_OK, .n_use = 0}},
			    denied = {.sampled = {.status = SD_STATUS_DENIED,
					      .use = use,
					      .n_use = 3}},
			    last = {.sampled = {
					    .status = SD_STATUS_OK, .use = &use[2], .n_use = 1}};
	const struct sd_run *run[] = {&denied, &first, &empty, &last};
	const struct sd_chosen p = {.run = run, .n_run = 4};
	struct sd_sampled_uses uses = {.p = &p};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_ptr_equal(sd_sampled_uses_next(&uses), &use[i]);
	assert_null(sd_sampled_uses_next(&uses));
	assert_null(sd_sampled_uses_next(&uses)); /* it stays behind the last */
	assert_int_equal(sd_sampled_uses_all(&p), 3);
	assert_int_equal(sd_sampled_uses_runs(&p), 2);
}

static void meets_none_without_runs(void **state)
{
	const struct sd_chosen none = {.n_run = 0};
	struct sd_sampled_uses uses = {.p = &none};

	(void)state;
	assert_null(sd_sampled_uses_next(&uses));
	assert_int_equal(sd_sampled_uses_runs(&none), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meets_each_once),
		cmocka_unit_test(meets_none_without_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
