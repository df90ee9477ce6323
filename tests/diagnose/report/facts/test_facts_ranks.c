/* POP's factors of an MPI run, as a report says them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "facts/facts.h"

/* The cell of a key in the row of a factor. */
static struct sd_cell cell(const struct sd_analysis *a, const char *factor, const char *key)
{
	const struct sd_fact_rows rows = sd_facts_factor_table(a);
	const struct sd_fact_column *c = rows.table->column;
	struct sd_cell out = {0};
	size_t i = 0;

	while (i < rows.n && strcmp(*(const char *const *)sd_fact_row(&rows, i), factor) != 0)
		i++;
	assert_true(i < rows.n);
	while (strcmp(c->key, key) != 0)
		c++;
	sd_fact_read(&rows, c, i, &out);
	return out;
}

static void expect(const struct sd_analysis *a, const char *factor, double value)
{
	const struct sd_cell f = cell(a, factor, "value");

	assert_int_equal(f.number.status, SD_STATUS_OK);
	if (fabs(f.number.value - value) > 1e-9)
		fail_msg("%s: %g, not %g", factor, f.number.value, value);
}

/* Published for an exchange that only seemed to overlap: parallel efficiency 61.69 %, transfer
 * 78.57 %. */
static void factors_are_products_of_those_below_them(void **state)
{
	static struct sd_analysis a;

	(void)state;
	a.ranks = (struct sd_rank_losses){.known = 1,
		.divided = 1,
		.elapsed = 1,
		.load_balance = .8,
		.serialisation = .9814,
		.transfer = .7857};
	expect(&a, "load balance", .8);
	expect(&a, "serialisation", .9814);
	expect(&a, "transfer", .7857);
	expect(&a, "communication efficiency", .9814 * .7857);
	expect(&a, "parallel efficiency", .8 * .9814 * .7857);
}

/* Too many calls for a replay: 3 and 1 s of 5. */
static void without_a_replay_what_messages_took_is_not_known(void **state)
{
	static struct sd_analysis a;
	struct sd_rank_node node = {.ranks = 2, .most = .6};

	(void)state;
	a.ranks = (struct sd_rank_losses){
		.known = 1, .elapsed = 5, .load_balance = 2. / 3, .node = &node, .n_node = 1};
	expect(&a, "communication efficiency", .6);
	expect(&a, "parallel efficiency", .4);
	assert_int_equal(cell(&a, "transfer", "value").number.status, SD_STATUS_ABSENT);
	assert_int_equal(cell(&a, "serialisation", "value").number.status, SD_STATUS_ABSENT);
	assert_string_equal(cell(&a, "transfer", "how").text, "not known without a replay");
	assert_non_null(strstr(cell(&a, "communication efficiency", "how").text, "waits for CPUs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(factors_are_products_of_those_below_them),
		cmocka_unit_test(without_a_replay_what_messages_took_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
