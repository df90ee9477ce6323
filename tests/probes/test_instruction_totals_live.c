/*
 * The count of all instructions is that of the simulation.
 */
#include <errno.h>

#include "probes/simulated_run.h"
#include "probes/instruction_totals.h"

static struct sd_value total(struct live *l, const char *program, const char *argument, int *status)
{
	char prefix[80];

	*status = run(l, "cores=8,total=1", program, argument);
	snprintf(prefix, sizeof prefix, "%s/r", l->folder);
	return sd_instruction_totals_take(prefix);
}

static void the_count_of_all_is_that_of_the_simulation(void **state)
{
	struct live *const l = *state;
	struct sd_value v;
	int status;

	v = total(l, "volatile_sum", "padded", &status);
	assert_int_equal(status, 0);
	assert_int_equal(results(l), 0); /* nothing is simulated */
	assert_int_equal(run(l, "cores=8", "volatile_sum", "padded"), 0);
	assert_int_equal(results(l), 1);
	assert_true(sd_has(v));
	assert_true(v.value > 0.99 * l->file.instructions);
	assert_true(v.value < 1.01 * l->file.instructions);
}

static void what_has_not_ended_by_itself_has_no_count(void **state)
{
	struct live *const l = *state;
	int status;

	assert_false(sd_has(total(l, "crashes", NULL, &status)));
	assert_true(status > 128);
	assert_false(sd_has(total(l, "execs", NULL, &status)));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(the_count_of_all_is_that_of_the_simulation),
		T(what_has_not_ended_by_itself_has_no_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
