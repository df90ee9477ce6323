/*
 * Lines of what to run next, held against sessions that were recorded: of small programs on a
 * virtual machine with two CPUs, each cut at several places as if it had ended there, with several
 * budgets. No line names what there was time for, nor what was done.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/analyse.h"
#include "diagnose/analyse/experiments/named_experiments.h"
#include "record/record_file.h"
#include "record/short_budget.h"
#include "run/config_tables.h"

/* s; the recorded one is the first. Within the last no pair lacks room but for the share of the
 * time that experiments may take. */
static const double budgets[] = {-1, 9, 1e6};

#define CUTS 4

static const char *const records[] = {
	"reader/false_sharing.json",
	"reader/mutex.json",
	"reader/scales.json",
	"reader/serial.json",
	"reader/serial_imbalance.json",
	"reader/undecided.json",
	"fuzz_record/measured_experiments.json",
	"fuzz_record/measured_simulated.json",
	"fuzz_record/measured_openmp.json",
};

static struct sd_config_tables tables;

static double wall_of(const struct sd_run *run)
{
	return sd_has(run->metric[SD_METRIC_WALL]) ? run->metric[SD_METRIC_WALL].value : 0;
}

/* s of the longest plain run of the point. */
static double longest(const struct sd_record *r, size_t point)
{
	double most = 0;

	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind <= SD_RUN_DRIFT && r->run[i].point == point)
			most = fmax(most, wall_of(&r->run[i]));
	return most;
}

/* With a budget without end: would a pair still fit into what experiments may take by themselves?
 */
static int had_room(const struct sd_record *r, const struct sd_plan_experiment *e)
{
	const struct sd_experiment_info *const info = &sd_experiment_info[e->experiment];
	double pair = longest(r, e->point) * (1 + info->cost), plain = 0, tried = 0;

	if (info->at == SD_EXPERIMENT_AT_BOTH)
		pair += longest(r, 0) * (1 + info->cost);
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].tried)
			tried += wall_of(&r->run[i]);
		else if (r->run[i].kind <= SD_RUN_DRIFT)
			plain += wall_of(&r->run[i]);
	return e->experiment == SD_EXPERIMENT_SOFTWARE_PMU ||
	       tried + pair <= fmax(SD_EXPERIMENTS_SHARE * plain, SD_EXPERIMENTS_S);
}

/* Names of the plan's experiments in the findings' next lines that should not be there; prints
 * them, and counts lines that name any. */
static size_t wrong_lines(const struct sd_record *r, const char *name, size_t *lines)
{
	struct sd_analysis a;
	size_t wrong = 0;

	assert_int_equal(sd_analyse(r, &tables.formulas, &tables.advice, &a), 0);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const unsigned long named = named_in(a.finding[i].next);

		*lines += named != 0;
		for (size_t k = 0; k < a.n_tested; k++) {
			const struct sd_tested *const t = &a.tested[k];
			const int endless = r->plan.budget_s >= 1e6;

			if (!(named >> t->experiment & 1))
				continue;
			/* one that was begun, and cut off, is not done */
			if (t->pairs == 0 && !t->left_out && (t->cost_s > 0 || t->lacked_time) &&
				!(endless && a.stop != SD_STOP_NOT &&
					had_room(r, &r->plan.experiment[k])))
				continue;
			wrong++;
			print_error("%s, %zu runs, %g s, %s: '%s' names %s\n", name, r->n_run,
				r->plan.budget_s, sd_cause_info[a.finding[i].cause].name,
				a.finding[i].next, sd_experiment_info[t->experiment].name);
		}
	}
	sd_analysis_free(&a);
	return wrong;
}

static void no_recorded_plan_recommends_what_it_left_out(void **state)
{
	size_t wrong = 0, lines = 0;

	(void)state;
	for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
		struct sd_record r;
		char path[128];
		double budget;
		size_t runs;

		snprintf(path, sizeof path, "tests/fixtures/%s", records[i]);
		assert_int_equal(sd_record_read(path, &r, NULL), 0);
		runs = r.n_run;
		budget = r.plan.budget_s;
		r.complete = 1;
		for (size_t cut = 1; cut <= CUTS; cut++)
			for (size_t k = 0; k < sizeof budgets / sizeof *budgets; k++) {
				r.n_run = (runs * cut + CUTS - 1) / CUTS;
				r.plan.budget_s = k ? budgets[k] : budget;
				wrong += wrong_lines(&r, records[i], &lines);
			}
		r.n_run = runs;
		sd_record_free(&r);
	}
	assert_int_equal(wrong, 0);
	/* where nothing is named nothing is held */
	assert_true(lines >= 10);
}

static int load(void **state)
{
	(void)state;
	return sd_config_tables_load(&tables, NULL);
}

static int unload(void **state)
{
	(void)state;
	sd_config_tables_free(&tables);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_recorded_plan_recommends_what_it_left_out),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
