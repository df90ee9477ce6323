#include "experiments/next_experiment.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cause_growth.h"
#include "record/short_budget.h"
#include "experiments/experiment_results.h"
#include "experiments/next_runs.h"
#include "ledger/verdict.h"

/* Pairs of the experiment on the clock: each is many samples in itself. */
#define CLOCK_PAIRS SD_EXPERIMENT_RESULTS_LEAST

/* s; starting anything takes as long. */
#define LEAST_S .02

/* Does something speak for it, and may it matter? */
static int is_open(const struct sd_ledger *l, enum sd_cause cause)
{
	const struct sd_bounds *const b = &l->cause[cause];

	return b->spoken && sd_verdict_of(l, cause) <= SD_VERDICT_POSSIBLE;
}

struct spent {
	double plain, tried; /* s */
};

static struct spent spent(const struct sd_record *r)
{
	struct spent s = {0, 0};

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_value wall = r->run[i].metric[SD_METRIC_WALL];

		if (!sd_run_parts_usable(wall))
			continue;
		if (r->run[i].kind <= SD_RUN_DRIFT)
			s.plain += wall.value;
		else if (r->run[i].kind == SD_RUN_EXPERIMENT)
			s.tried += wall.value;
	}
	return s;
}

/* Runs of the point under the software PMU. */
static unsigned simulated(const struct sd_record *r, size_t point)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += r->run[i].kind == SD_RUN_SIMULATED && r->run[i].point == point;
	return n;
}

/* Pairs that were made at the experiment's own point, whether they count or not. */
static unsigned made(const struct sd_record *r, size_t index)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_experiment_run *t = r->run[i].tried;

		n += t && t->experiment == index && t->arm == SD_ARM_CHANGED &&
		     r->run[i].point == r->plan.experiment[index].point;
	}
	return n;
}

/* Pairs without which it says nothing. */
static unsigned least_pairs(const struct sd_record *r, size_t index)
{
	const unsigned pairs = made(r, index);

	if (r->plan.experiment[index].experiment == SD_EXPERIMENT_RACE_CHECK)
		return 1;
	return pairs < SD_EXPERIMENT_RESULTS_LEAST ? SD_EXPERIMENT_RESULTS_LEAST - pairs : 1;
}

/* s that no experiment may take: also the runs that every count still gets. */
static double reserved(const struct sd_record *r)
{
	return sd_short_budget_kept(r) + sd_short_budget_plain(r);
}

/* s that a useful run of each point under the software PMU takes. */
static double simulation(const struct sd_record *r)
{
	return sd_short_budget_simulated(r) + sd_short_budget_reference(r);
}

static double wall_at(const struct sd_analysis *a, unsigned cores)
{
	for (size_t i = 0; i < a->n_point; i++)
		if (a->point[i].cores == cores && a->point[i].wall.status == SD_STATUS_OK)
			return a->point[i].wall.value;
	return 0;
}

/* s, of one pair: as those made, or as expected. */
static double cost(const struct sd_record *r, const struct sd_analysis *a, size_t index)
{
	const struct sd_plan_experiment *e = &r->plan.experiment[index];
	const struct sd_experiment_info *info = &sd_experiment_info[e->experiment];
	const unsigned pairs = made(r, index);
	double s = wall_at(a, r->plan.point[e->point].cores) * (1 + info->cost);

	if (pairs)
		return a->tested[index].cost_s / pairs;
	if (info->at == SD_EXPERIMENT_AT_BOTH)
		s += wall_at(a, r->plan.point[0].cores) * (1 + info->cost);
	/* a part of it is simulated where there is no time for all */
	if (e->experiment == SD_EXPERIMENT_SOFTWARE_PMU)
		s = fmin(s, fmax(sd_short_budget_left(r) - reserved(r), simulation(r)));
	return s;
}

static int is_done(const struct sd_record *r, const struct sd_analysis *a, size_t index)
{
	const struct sd_plan_experiment *e = &r->plan.experiment[index];
	const unsigned pairs = made(r, index);

	if (e->experiment == SD_EXPERIMENT_SOFTWARE_PMU)
		return simulated(r, e->point) && simulated(r, 0);
	if (e->experiment == SD_EXPERIMENT_ADD_LOOP)
		return pairs >= CLOCK_PAIRS;
	if (e->experiment == SD_EXPERIMENT_RACE_CHECK)
		return pairs > 0;
	return pairs >= SD_EXPERIMENT_PAIRS_MOST ||
	       (pairs >= SD_EXPERIMENT_RESULTS_LEAST && a->tested[index].decided);
}

/*
 * Is a cause open that the software PMU alone tells from others? Copies say at most that it is one
 * of these; shared hardware has thieves and huge pages, which show what it is worth as well.
 */
static int needs_counts(const struct sd_ledger *l)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (sd_cause_growth[i].bytes && is_open(l, (enum sd_cause)i))
			return 1;
	return is_open(l, SD_CAUSE_EXTRA_WORK);
}

/* Seconds of what is left that are not for experiments in pairs. */
static double kept(
	const struct sd_record *r, const struct sd_analysis *a, const struct sd_ledger *l)
{
	double s = reserved(r);

	if (!needs_counts(l) || sd_short_budget_left(r) < sd_short_budget_simulated(r))
		return s;
	for (size_t i = 0; i < r->plan.n_experiment; i++)
		if (r->plan.experiment[i].experiment == SD_EXPERIMENT_SOFTWARE_PMU &&
			!r->plan.experiment[i].skipped && !is_done(r, a, i))
			s += sd_short_budget_counts(r);
	return s;
}

/* May this many seconds be spent on it? The software PMU has an allowance of its own: it is one run
 * of bounded length (software_pmu.h). */
static int is_affordable(const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_ledger *l, size_t index, double pair)
{
	const double left = sd_short_budget_left(r);
	const struct spent s = spent(r);

	if (r->plan.experiment[index].experiment == SD_EXPERIMENT_SOFTWARE_PMU)
		return left >= (needs_counts(l) ? sd_short_budget_simulated(r)
						: reserved(r) + simulation(r));
	return s.tried + pair <= fmax(SD_EXPERIMENTS_SHARE * s.plain, SD_EXPERIMENTS_S) &&
	       pair * least_pairs(r, index) <= left - kept(r, a, l);
}

/* ---- what it narrows ------------------------------------------------------------------------- */

/* Pairs after which one that has `made` of them says something, or more exactly. */
static unsigned pairs_until(enum sd_experiment e, unsigned made)
{
	if (e == SD_EXPERIMENT_SOFTWARE_PMU)
		return 1;
	return made < SD_EXPERIMENT_RESULTS_LEAST ? SD_EXPERIMENT_RESULTS_LEAST
						  : SD_EXPERIMENT_PAIRS_MOST;
}

/*
 * Cores that it leaves open to either side of what it finds. So many pairs are known as exactly as
 * the efficiency, by as many runs, is (METHODS 4.5).
 */
static double half_after(const struct sd_analysis *a, const struct sd_ledger *l,
	enum sd_experiment e, unsigned pairs)
{
	const struct sd_point *const last = &a->point[a->n_point - 1];
	const struct sd_interval eff = last->efficiency;

	if (e == SD_EXPERIMENT_SOFTWARE_PMU)
		return sd_next_runs_counted_half(a, l);
	if (e == SD_EXPERIMENT_ADD_LOOP || eff.status != SD_STATUS_OK)
		return SD_LEDGER_GATE * l->n / 2;
	return sd_next_runs_half((eff.high - eff.low) / 2 * l->n, (unsigned)last->runs, pairs);
}

struct tries {
	struct sd_narrowing_step step[SD_EXPERIMENT_COUNT];
	struct sd_narrowing_move move[SD_EXPERIMENT_COUNT][SD_PREDICTIONS];
	size_t index[SD_EXPERIMENT_COUNT]; /* of the plan */
	size_t n;
};

static void add_step(struct tries *t, const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_ledger *l, size_t index)
{
	const enum sd_experiment e = r->plan.experiment[index].experiment;
	const unsigned pairs = made(r, index), until = pairs_until(e, pairs);
	struct sd_narrowing_move *const move = t->move[t->n];
	size_t n = 0;

	for (const struct sd_prediction *p = sd_experiment_predictions(e); p->of == e; p++)
		if (is_open(l, p->cause) && n < SD_PREDICTIONS)
			move[n++] = (struct sd_narrowing_move){p->cause, p->sides};
	t->index[t->n] = index;
	t->step[t->n++] = (struct sd_narrowing_step){
		.seconds = fmax(cost(r, a, index), LEAST_S) * (until > pairs ? until - pairs : 1),
		.half = half_after(a, l, e, until),
		.move = move,
		.n_move = n};
}

/* Pairs of too few to say anything are made enough. */
static int is_begun(const struct sd_record *r, size_t index)
{
	const unsigned pairs = made(r, index);

	return pairs > 0 && pairs < SD_EXPERIMENT_RESULTS_LEAST;
}

static int can_go_on(const struct sd_record *r, const struct sd_analysis *a, size_t index)
{
	return !r->plan.experiment[index].skipped && !is_done(r, a, index);
}

/* Parts the experiments that can go on by whether there is the time for them. */
static void gather(const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_ledger *l, struct tries *can, struct tries *cannot)
{
	for (size_t i = 0; i < r->plan.n_experiment; i++)
		if (can_go_on(r, a, i))
			add_step(is_affordable(r, a, l, i, cost(r, a, i)) ? can : cannot, r, a, l,
				i);
}

static struct sd_run_choice choice_of(const struct sd_ledger *l, const struct sd_narrowing_step *s)
{
	return (struct sd_run_choice){.narrows = sd_narrowing_expected(l, s),
		.takes = s->seconds,
		.of = sd_narrowing_of(l, s)};
}

/* The place of the experiment among those tried; t->n: it is none of them. */
static size_t place_of(const struct tries *t, size_t index)
{
	size_t k = 0;

	while (k < t->n && t->index[k] != index)
		k++;
	return k;
}

/* The place of one that was begun and comes next whatever it is worth; can->n: none. */
static size_t unconditional(const struct sd_record *r, const struct tries *can, int decided)
{
	for (size_t k = 0; k < can->n && !decided; k++)
		if (is_begun(r, can->index[k]))
			return k;
	return can->n;
}

size_t sd_next_experiment_asked(const struct sd_record *r, const struct sd_analysis *a)
{
	size_t i = 0;

	while (i < a->n_tested && !(r->plan.experiment[i].asked && can_go_on(r, a, i)))
		i++;
	return i;
}

enum sd_narrowing_end sd_next_experiment(const struct sd_record *r, const struct sd_analysis *a,
	const struct sd_ledger *l, size_t *index, struct sd_run_choice *is, double *rate)
{
	struct tries can = {.n = 0}, cannot = {.n = 0};
	enum sd_narrowing_end end;
	size_t next = 0;

	*rate = 0;
	*is = (struct sd_run_choice){.of = SD_CAUSE_COUNT};
	if (a->n_point < 2 || a->n_tested != r->plan.n_experiment)
		return SD_NARROWING_NOTHING;
	*index = sd_next_experiment_asked(r, a);
	if (*index < a->n_tested) {
		*rate = INFINITY;
		return SD_NARROWING_GO_ON;
	}
	gather(r, a, l, &can, &cannot);
	end = sd_narrowing_next(l, can.step, can.n, INFINITY, &next);
	if (unconditional(r, &can, end == SD_NARROWING_DECIDED) < can.n) {
		next = unconditional(r, &can, 0);
		*rate = INFINITY;
		end = SD_NARROWING_GO_ON;
	}
	if (end == SD_NARROWING_GO_ON) {
		*index = can.index[next];
		*is = choice_of(l, &can.step[next]);
		*rate = isinf(*rate) ? *rate : is->narrows / is->takes;
	}
	for (size_t k = 0; k < cannot.n && end == SD_NARROWING_NOTHING; k++)
		if (sd_narrowing_expected(l, &cannot.step[k]) > 0)
			end = SD_NARROWING_BUDGET;
	return end;
}

/* ---- what was not done ----------------------------------------------------------------------- */

static int says_something(const struct sd_ledger *l, enum sd_experiment e)
{
	for (const struct sd_prediction *p = sd_experiment_predictions(e); p->of == e; p++)
		if (is_open(l, p->cause))
			return 1;
	return 0;
}

/* Was it left out for want of time alone: it would tell more, and did not fit? */
static int lacked_time(const struct sd_ledger *l, enum sd_narrowing_end end,
	const struct tries *can, const struct tries *cannot, size_t index)
{
	const size_t k = place_of(cannot, index), c = place_of(can, index);

	if (end == SD_NARROWING_DECIDED)
		return 0;
	/* what was to come next and did not had no room either, as when a budget ended */
	return k < cannot->n ? sd_narrowing_expected(l, &cannot->step[k]) > 0
			     : c < can->n && sd_narrowing_expected(l, &can->step[c]) > 0;
}

int sd_next_experiment_undone(const struct sd_record *r, const struct sd_ledger *l,
	enum sd_narrowing_end end, struct sd_analysis *a)
{
	struct tries can = {.n = 0}, cannot = {.n = 0};

	if (!r->complete || a->n_tested != r->plan.n_experiment)
		return 0;
	if (a->n_point > 1)
		gather(r, a, l, &can, &cannot);
	for (size_t i = 0; i < a->n_tested; i++) {
		struct sd_tested *const t = &a->tested[i];
		char why[160] = "it tells nothing of the causes that are open";

		if (t->skipped || t->cost_s > 0 || made(r, i))
			continue;
		t->lacked_time = lacked_time(l, end, &can, &cannot, i);
		t->left_out = !t->lacked_time;
		if (says_something(l, t->experiment))
			snprintf(why, sizeof why, "%s: --experiments %s",
				t->lacked_time ? "not run (time budget spent); force with"
				: end == SD_NARROWING_DECIDED
					? "the first cause is known without it"
					: "it was not expected to tell more than the runs do",
				sd_experiment_info[t->experiment].name);
		t->skipped = strdup(why);
		if (!t->skipped)
			return -ENOMEM;
	}
	return 0;
}
