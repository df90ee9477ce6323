/*
 * The lines that say what to run next, held against what the choice left out and what is concluded.
 */
#include "diagnose/analyse/experiments/experiment_pairs.h"
#include "diagnose/analyse/experiments/named_experiments.h"

static void check_next_lines(const struct sd_record *r)
{
	struct sd_analysis a;

	assert_int_equal(sd_analyse(r, NULL, NULL, &a), 0);
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		for (size_t k = 0; k < a.n_tested; k++) {
			const struct sd_tested *const t = &a.tested[k];

			if (!(named_in(a.finding[i].next) >> t->experiment & 1))
				continue;
			assert_int_equal(t->pairs, 0);
			if (t->left_out)
				fail_msg("%s: '%s' names %s, for which there was time: %s",
					sd_cause_info[a.finding[i].cause].name, a.finding[i].next,
					sd_experiment_info[t->experiment].name, t->skipped);
		}
	sd_analysis_free(&a);
}

/* Whatever was found, and however much time there was. */
static void no_next_line_names_what_there_was_time_for(void **state)
{
	static const double pace[] = {1, 1.25, 1.6}, budget[] = {0, 5, 60, 1000};
	struct sd_record r;

	(void)state;
	for (size_t i = 0; i < sizeof pace / sizeof *pace; i++)
		for (size_t k = 0; k < sizeof budget / sizeof *budget; k++) {
			with_experiments(&r, &slow);
			r.complete = 1;
			r.plan.budget_s = budget[k];
			check_next_lines(&r);
			copies(&r, 5, pace[i]);
			check_next_lines(&r);
			pairs(&r, SD_EXPERIMENT_PADDING, 1, 5, .55);
			check_next_lines(&r);
			sd_record_free(&r);
		}
}

/* The table that the choice goes by is what is concluded. */
static void copies_bound_what_the_table_says(void **state)
{
	struct sd_record r;
	struct sd_analysis a;

	(void)state;
	with_experiments(&r, &slow);
	copies(&r, 5, 1);
	assert_int_equal(sd_analyse(&r, NULL, NULL, &a), 0);
	for (const struct sd_prediction *p = sd_experiment_predictions(SD_EXPERIMENT_REPLICAS);
		p->of == SD_EXPERIMENT_REPLICAS; p++)
		if (p->sides == SD_BOUND_HARDWARE)
			assert_int_equal(finding_of(&a, p->cause)->verdict, SD_VERDICT_RULED_OUT);
	sd_analysis_free(&a);
	sd_record_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_next_line_names_what_there_was_time_for),
		cmocka_unit_test(copies_bound_what_the_table_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
