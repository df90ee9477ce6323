#include "experiments/next_experiment.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/short_budget.h"
#include "case/case.h"
#include "experiments/experiment_results.h"

/* Of the clock: each is many samples in itself. */
#define CLOCK_PAIRS SD_EXPERIMENT_RESULTS_LEAST

#define ANY UINT_MAX

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
	return s;
}

/* Does it say something of a cause that is open? */
static int is_useful(const struct sd_analysis *a, enum sd_experiment e)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if ((a->finding[i].verdict == SD_VERDICT_POSSIBLE ||
			    a->finding[i].verdict == SD_VERDICT_LIKELY) &&
			sd_experiment_predicts(e, a->finding[i].cause))
			return 1;
	return 0;
}

static int is_done(const struct sd_record *r, const struct sd_analysis *a, size_t index)
{
	const struct sd_plan_experiment *e = &r->plan.experiment[index];
	const unsigned pairs = made(r, index);

	if (e->experiment == SD_EXPERIMENT_SOFTWARE_PMU)
		return simulated(r, e->point) && simulated(r, 0);
	if (e->experiment == SD_EXPERIMENT_ADD_LOOP)
		return pairs >= CLOCK_PAIRS;
	return pairs >= SD_EXPERIMENT_PAIRS_MOST ||
	       (pairs >= SD_EXPERIMENT_RESULTS_LEAST && a->tested[index].decided);
}

/*
 * Is a cause open that the software PMU alone tells from others? Copies say at most that it is one
 * of these; shared hardware has thieves and huge pages, which show what it is worth as well.
 */
static int needs_counts(const struct sd_analysis *a)
{
	static const enum sd_cause only[] = {
		SD_CAUSE_FALSE_SHARING, SD_CAUSE_TRUE_SHARING, SD_CAUSE_EXTRA_WORK};

	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		for (size_t k = 0; k < sizeof only / sizeof *only; k++)
			if (a->finding[i].cause == only[k] &&
				(a->finding[i].verdict == SD_VERDICT_POSSIBLE ||
					a->finding[i].verdict == SD_VERDICT_LIKELY))
				return 1;
	return 0;
}

/* Seconds of the minute that are not for experiments in pairs. */
static double kept(const struct sd_record *r, const struct sd_analysis *a)
{
	double s = sd_short_budget_kept(r);

	for (size_t i = 0; i < r->plan.n_experiment && needs_counts(a); i++)
		if (r->plan.experiment[i].experiment == SD_EXPERIMENT_SOFTWARE_PMU &&
			!r->plan.experiment[i].skipped && !is_done(r, a, i))
			s += 2 * SD_SHORT_BUDGET_SIMULATED_S;
	return s;
}

/* The software PMU has an allowance of its own: it is one run of bounded length
 * (software_pmu.h). */
static int is_affordable(
	const struct sd_record *r, const struct sd_analysis *a, size_t index, const struct spent *s)
{
	const double pair = cost(r, a, index), left = sd_short_budget_left(r);

	if (r->plan.experiment[index].experiment == SD_EXPERIMENT_SOFTWARE_PMU)
		return needs_counts(a) ||
		       left >= sd_short_budget_kept(r) + 2 * SD_SHORT_BUDGET_SIMULATED_S;
	return s->tried + pair <= fmax(SD_NEXT_EXPERIMENT_SHARE * s->plain, SD_NEXT_EXPERIMENT_S) &&
	       pair <= left - kept(r, a);
}

/* Do copies, which share no data, lose what matters? */
static int is_hardware(const struct sd_analysis *a)
{
	for (size_t i = 0; i < a->n_tested; i++)
		if (a->tested[i].experiment == SD_EXPERIMENT_REPLICAS)
			return a->tested[i].loss.status == SD_STATUS_OK &&
			       a->tested[i].loss.low > 0 && a->tested[i].loss.value >= SD_CASE_GATE;
	return 0;
}

/* What copies say decides which others are useful at all: they go on at once. So does the thief of
 * what is most often short, once it is hardware that the cores share. */
static int is_turn(const struct sd_analysis *a, const struct sd_plan_experiment *e, unsigned pairs,
	unsigned most)
{
	return e->asked || most == ANY || e->experiment == SD_EXPERIMENT_REPLICAS ||
	       (e->experiment == SD_EXPERIMENT_BANDWIDTH_THIEF && is_hardware(a)) ||
	       (e->experiment != SD_EXPERIMENT_SOFTWARE_PMU && pairs < most);
}

/* Of those in pairs that have fewer than `most`. */
static int pick(
	const struct sd_record *r, const struct sd_analysis *a, unsigned most, size_t *index)
{
	const struct spent s = spent(r);

	for (size_t i = 0; i < r->plan.n_experiment; i++) {
		const struct sd_plan_experiment *e = &r->plan.experiment[i];
		const unsigned pairs = made(r, i);

		if (e->skipped || is_done(r, a, i) || !is_turn(a, e, pairs, most))
			continue;
		*index = i;
		if (e->asked)
			return 1;
		if (!is_affordable(r, a, i, &s))
			continue;
		if ((pairs > 0 && pairs < SD_EXPERIMENT_RESULTS_LEAST) ||
			is_useful(a, e->experiment))
			return 1;
	}
	return 0;
}

int sd_next_experiment(const struct sd_record *r, const struct sd_analysis *a, size_t *index)
{
	if (a->n_point < 2 || a->n_tested != r->plan.n_experiment)
		return 0;
	return pick(r, a, SD_EXPERIMENT_RESULTS_LEAST, index) || pick(r, a, ANY, index);
}

int sd_next_experiment_undone(const struct sd_record *r, struct sd_analysis *a)
{
	for (size_t i = 0; i < a->n_tested && r->complete; i++) {
		struct sd_tested *const t = &a->tested[i];
		char why[120] = "it tells nothing of the causes that are open";

		if (t->skipped || t->cost_s > 0 || made(r, i))
			continue;
		if (is_useful(a, t->experiment))
			snprintf(why, sizeof why,
				"its time was used up before its turn came: --experiments %s",
				sd_experiment_info[t->experiment].name);
		t->skipped = strdup(why);
		if (!t->skipped)
			return -ENOMEM;
	}
	return 0;
}
