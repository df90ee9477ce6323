/* Waste of a simulated run at any number of cores, on counts whose shares are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/make_simulated.h"
#include "support/near.h"
#include "analysis/waste.h"

/* One thread of 1000 instructions, at the model's own costs. */
static void waste_of(struct sd_sim_thread t, struct sd_waste out[SD_WASTE_COUNT])
{
	struct sd_record r = {0};
	struct sd_simulated s = {.machine.line = 64, .thread = &t, .n_thread = 1};

	t.instructions = 1000;
	t.loads = 100;
	sd_wasted_work_of(&r, &s, out);
}

static void what_is_used_to_the_last_byte_wastes_nothing(void **state)
{
	struct sd_waste w[SD_WASTE_COUNT];

	(void)state;
	waste_of((struct sd_sim_thread){.l1_misses = 10,
			 .l2_misses = 10,
			 .llc_misses = 10,
			 .bytes_used = 640,
			 .stlb_misses = 1},
		w);
	for (int i = 0; i < SD_WASTE_COUNT; i++)
		assert_false(w[i].found);
	/* 30 cycles of 1000 + 10 * 200 + 30 */
	assert_near(w[SD_WASTE_WALKS].share, 30 / 3030., 1e-9);
}

static void bytes_that_nobody_touches_are_of_the_time_their_lines_take(void **state)
{
	struct sd_waste w[SD_WASTE_COUNT];

	(void)state;
	/* 5 from L2, 2 from the LLC, 3 from memory; a quarter of each is used */
	waste_of(
		(struct sd_sim_thread){
			.l1_misses = 10, .l2_misses = 5, .llc_misses = 3, .bytes_used = 160},
		w);
	assert_true(w[SD_WASTE_BYTES].found);
	assert_near(w[SD_WASTE_BYTES].share, .75 * (70 + 100 + 600) / (1000. + 770), 1e-9);
	assert_non_null(strstr(w[SD_WASTE_BYTES].text, "16.0 of 64 bytes are used (25 %)"));
	/* those that another core wrote came for that */
	waste_of(
		(struct sd_sim_thread){
			.l1_misses = 10, .l2_misses = 10, .hitm_load = 10, .bytes_used = 40},
		w);
	assert_false(w[SD_WASTE_BYTES].found);
}

static void walks_conflicts_and_conversions_are_found_by_what_they_take(void **state)
{
	struct sd_waste w[SD_WASTE_COUNT];

	(void)state;
	waste_of(
		(struct sd_sim_thread){
			.stlb_misses = 10, .conflicts = 10, .l1_misses = 10, .bytes_used = 640},
		w);
	assert_true(w[SD_WASTE_WALKS].found && w[SD_WASTE_CONFLICTS].found);
	assert_false(w[SD_WASTE_CONVERSIONS].found || w[SD_WASTE_BYTES].found);
	assert_near(w[SD_WASTE_WALKS].share, 300 / 1440., 1e-9);
	assert_near(w[SD_WASTE_CONFLICTS].share, 140 / 1440., 1e-9);
	waste_of((struct sd_sim_thread){.conversions = 333}, w);
	assert_near(w[SD_WASTE_CONVERSIONS].share, .333, 1e-9);
	assert_true(w[SD_WASTE_CONVERSIONS].found);
	waste_of((struct sd_sim_thread){.conversions = 49}, w);
	assert_false(w[SD_WASTE_CONVERSIONS].found);
}

static void calibrated_costs_go_before_the_models_own(void **state)
{
	struct sd_plan_simulation plan = {.costs = {.hz = 1e9, .walk = 1000}};
	struct sd_record r = {.plan.simulation = &plan};
	struct sd_sim_thread t = {.instructions = 1000, .stlb_misses = 1};
	struct sd_simulated s = {.machine.line = 64, .thread = &t, .n_thread = 1};
	struct sd_waste w[SD_WASTE_COUNT];

	(void)state;
	sd_wasted_work_of(&r, &s, w);
	assert_near(w[SD_WASTE_WALKS].share, .5, 1e-9);
	t = (struct sd_sim_thread){0};
	sd_wasted_work_of(&r, &s, w); /* nothing was counted */
	for (int i = 0; i < SD_WASTE_COUNT; i++)
		assert_false(w[i].found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_used_to_the_last_byte_wastes_nothing),
		cmocka_unit_test(bytes_that_nobody_touches_are_of_the_time_their_lines_take),
		cmocka_unit_test(walks_conflicts_and_conversions_are_found_by_what_they_take),
		cmocka_unit_test(calibrated_costs_go_before_the_models_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
