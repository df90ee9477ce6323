/*
 * Whole sessions over generated programs: what the chooser asks for is made, with outcomes by the
 * seed, until it asks for nothing or a budget ends. Then no line of what to run next may name what
 * there was time for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/analyse/experiments/named_experiments.h"
#include "experiments/experiment_results.h"
#include "record/short_budget.h"
#include "support/invent_record.h"

#define SESSIONS 60
#define STEPS 40    /* of a session; more would be a chooser that never ends */
#define BETWEEN .05 /* s from one run to the next */

/* s; 0: as long as a program of that length gets by itself. */
static const double budgets[] = {0, 9, 1e6};
enum { BUDGETS = sizeof budgets / sizeof *budgets };

struct session {
	struct generator g;
	struct sd_record r;
	double now; /* s since the first run */
	unsigned seed;
};

static struct sd_run *take_run(struct session *s, size_t point, double ratio)
{
	const struct sample *const kind = point ? &s->g.many : &s->g.one;
	struct sd_run *const run =
		record_sample(&s->r, point, kind, ratio * (1 + s->g.noise * between(&s->g, -1, 1)));

	run->start = 1e9 + s->now;
	s->now += run->metric[SD_METRIC_WALL].value + BETWEEN;
	return run;
}

static struct sd_experiment_run *try_run(
	struct session *s, size_t index, size_t point, enum sd_arm arm, unsigned pair, double ratio)
{
	struct sd_run *const run = take_run(s, point, ratio);

	run->kind = SD_RUN_EXPERIMENT;
	run->tried = make_zeroed(1, sizeof *run->tried);
	*run->tried = (struct sd_experiment_run){.experiment = index, .arm = arm, .pair = pair};
	return run->tried;
}

static void give_sides(struct session *s, enum sd_experiment e, struct sd_experiment_run *t)
{
	const double clock = between(&s->g, .7, 1);

	if (e == SD_EXPERIMENT_REPLICAS) {
		t->n_copy = s->g.n;
		t->copy = make_zeroed(t->n_copy, sizeof *t->copy);
		for (size_t k = 0; k < t->n_copy; k++)
			t->copy[k] = (struct sd_copy){.cpu = (unsigned)k,
				.wall = s->r.run[s->r.n_run - 1].metric[SD_METRIC_WALL]};
	}
	t->side[SD_SIDE_THIEF_ALONE] = SD_OK(10e9);
	t->side[SD_SIDE_THIEF_RATE] = SD_OK(8e9);
	t->side[SD_SIDE_THIEF_BYTES] = SD_OK(64e6);
	t->side[SD_SIDE_CLOCK] = SD_OK(clock);
	t->side[SD_SIDE_CLOCK_LOW] = SD_OK(clock - .002);
	t->side[SD_SIDE_CLOCK_HIGH] = SD_OK(clock + .002);
}

static void simulate(struct session *s, size_t point)
{
	struct sd_run *const run = take_run(s, point, 20);

	run->kind = SD_RUN_SIMULATED;
	run->simulated = make_zeroed(1, sizeof *run->simulated);
}

/* The pairs of the plan's experiment without which it says nothing, or one more. */
static void carry_out(struct session *s, size_t index, unsigned from)
{
	static const double ratios[] = {.55, .8, 1, 1, 1.02, 1.4};
	const struct sd_plan_experiment *const x = &s->r.plan.experiment[index];
	const double ratio = ratios[sd_random_below(&s->g.random, 6)];
	const int both = sd_experiment_info[x->experiment].at == SD_EXPERIMENT_AT_BOTH;
	const unsigned to = from ? from + 1 : SD_EXPERIMENT_RESULTS_LEAST;

	if (x->experiment == SD_EXPERIMENT_SOFTWARE_PMU) {
		simulate(s, 0);
		simulate(s, x->point);
		return;
	}
	for (unsigned pair = from; pair < to; pair++)
		for (size_t p = both ? 0 : x->point; p <= x->point; p++) {
			(void)try_run(s, index, p, SD_ARM_PLAIN, pair, 1);
			give_sides(s, x->experiment,
				try_run(s, index, p, SD_ARM_CHANGED, pair, ratio));
		}
}

static unsigned changed_runs(const struct sd_record *r, size_t index)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += r->run[i].tried && r->run[i].tried->experiment == index &&
		     r->run[i].tried->arm == SD_ARM_CHANGED &&
		     r->run[i].point == r->plan.experiment[index].point;
	return n;
}

static void begin(struct session *s, unsigned seed, double budget)
{
	const struct telling t = {.times = .1, .copies = 1};

	*s = (struct session){.seed = seed};
	tell(&s->r, seed, &t);
	invent(&s->g, seed);
	for (size_t i = 0; i < s->r.n_run; i++) {
		s->r.run[i].start = 1e9 + s->now;
		s->now += s->r.run[i].metric[SD_METRIC_WALL].value + BETWEEN;
	}
	s->g.one.wall *= t.times;
	s->g.one.user *= t.times;
	s->g.one.system *= t.times;
	s->g.many.wall *= t.times;
	s->g.many.user *= t.times;
	s->g.many.system *= t.times;
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		s->g.many.idle[i] *= t.times;
	s->r.plan.budget_s = budget;
	s->r.plan.experiment = make_zeroed(SD_EXPERIMENT_COUNT, sizeof *s->r.plan.experiment);
	s->r.plan.n_experiment = SD_EXPERIMENT_COUNT;
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++)
		s->r.plan.experiment[i] =
			(struct sd_plan_experiment){.experiment = (enum sd_experiment)i,
				.point = sd_experiment_info[i].at != SD_EXPERIMENT_AT_REFERENCE};
}

/* As measuring does, which ends with the budget. */
static void go_on(struct session *s)
{
	for (unsigned step = 0;; step++) {
		struct sd_analysis a;
		size_t next;

		assert_int_equal(sd_analyse(&s->r, NULL, NULL, &a), 0);
		next = a.next < a.n_tested ? a.next : SD_EXPERIMENT_COUNT;
		sd_analysis_free(&a);
		if (next == SD_EXPERIMENT_COUNT ||
			(s->r.plan.budget_s > 0 && s->now >= s->r.plan.budget_s))
			break;
		if (step == STEPS)
			fail_msg("seed %u: it never ends", s->seed);
		carry_out(s, next, changed_runs(&s->r, next));
	}
	s->r.complete = 1;
}

/* s of its fewest pairs, and all that experiments may take without a limit from outside. */
static int had_room(const struct session *s, enum sd_experiment e)
{
	const struct sd_experiment_info *const info = &sd_experiment_info[e];
	double pair = 0, plain = 0, tried = 0;

	for (size_t p = info->at == SD_EXPERIMENT_AT_LARGEST;
		p <= (info->at != SD_EXPERIMENT_AT_REFERENCE); p++)
		pair += (p ? &s->g.many : &s->g.one)->wall * (1 + info->cost);
	for (size_t i = 0; i < s->r.n_run; i++)
		if (s->r.run[i].tried)
			tried += s->r.run[i].metric[SD_METRIC_WALL].value;
		else if (s->r.run[i].kind <= SD_RUN_DRIFT)
			plain += s->r.run[i].metric[SD_METRIC_WALL].value;
	return tried + 1.1 * pair <= fmax(SD_EXPERIMENTS_SHARE * plain, SD_EXPERIMENTS_S);
}

/* Returns the causes whose next line names an experiment. */
static unsigned long check(const struct session *s)
{
	unsigned long causes = 0;
	struct sd_analysis a;

	assert_int_equal(sd_analyse(&s->r, NULL, NULL, &a), 0);
	for (int i = 0; i < SD_CAUSE_COUNT; i++) {
		const struct sd_finding *const f = &a.finding[i];
		const unsigned long named = named_in(f->next);

		causes |= (unsigned long)(named != 0) << f->cause;
		for (size_t k = 0; k < a.n_tested; k++) {
			const struct sd_tested *const t = &a.tested[k];

			if (!(named >> t->experiment & 1))
				continue;
			if (t->pairs > 0 || t->left_out || !t->lacked_time ||
				(s->r.plan.budget_s > 1e5 && had_room(s, t->experiment)))
				fail_msg("seed %u, %g s, %s: '%s' names %s, for which there was "
					 "time",
					s->seed, s->r.plan.budget_s, sd_cause_info[f->cause].name,
					f->next, sd_experiment_info[t->experiment].name);
		}
	}
	sd_analysis_free(&a);
	return causes;
}

static void no_next_line_of_a_session_names_what_there_was_time_for(void **state)
{
	unsigned long causes = 0;

	(void)state;
	for (unsigned k = 0; k < SESSIONS * BUDGETS; k++) {
		struct session s;

		begin(&s, 1 + k / BUDGETS, budgets[k % BUDGETS]);
		go_on(&s);
		causes |= check(&s);
		sd_record_free(&s.r);
	}
	/* where nothing is named nothing is held */
	assert_true(__builtin_popcountl(causes) >= 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_next_line_of_a_session_names_what_there_was_time_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
