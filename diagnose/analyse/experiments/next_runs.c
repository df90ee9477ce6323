#include "experiments/next_runs.h"

#include <math.h>

#include "base/statistics.h"
#include "ledger/verdict.h"

/* A loss that is known to this share of it need not be known better. */
#define LOSS_SHARE .2

/* Runs of either count, and gates, from which on a loss that is not sure is looked into. */
#define SCATTERED 3u
#define LARGE 4

/* s; starting anything takes as long. */
#define LEAST_S .02

/* The number of runs at the one of the two compared counts that has fewer. */
static unsigned runs_of(const struct sd_case *c)
{
	return (unsigned)(c->ref->n_run < c->last->n_run ? c->ref->n_run : c->last->n_run);
}

/* Cores to either side of the loss, by what the runs alone say; INFINITY: nothing. */
static double half_now(const struct sd_analysis *a, const struct sd_ledger *l)
{
	const struct sd_interval e = a->point[a->n_point - 1].efficiency;

	if (e.status != SD_STATUS_OK && e.status != SD_STATUS_NOISY)
		return INFINITY;
	return (e.high - e.low) / 2 * l->n;
}

double sd_next_runs_counted_half(const struct sd_analysis *a, const struct sd_ledger *l)
{
	const double half = half_now(a, l);

	return isfinite(half) ? fmax(half, l->loss / 4) : l->loss / 4;
}

double sd_next_runs_half(double half, unsigned runs, unsigned then)
{
	if (runs < 2 || then < 2)
		return INFINITY;
	return half * sd_statistics_t(then - 1) / sqrt(then) /
	       (sd_statistics_t(runs - 1) / sqrt(runs));
}

/* Runs that scatter may take long to make a loss sure that there is in all likelihood: its cause is
 * worth looking for before. */
static int is_likely_lost(const struct sd_ledger *l, unsigned runs)
{
	return runs >= SCATTERED && l->loss >= LARGE * SD_LEDGER_GATE * l->n;
}

double sd_next_runs_block(const struct sd_analysis *a)
{
	double s = 0;

	for (size_t i = 0; i < a->n_point; i++)
		if (a->point[i].wall.status == SD_STATUS_OK ||
			a->point[i].wall.status == SD_STATUS_NOISY)
			s += a->point[i].wall.value;
	return fmax(s, LEAST_S);
}

enum sd_runs_wanted sd_next_runs(const struct sd_case *c, const struct sd_ledger *l,
	enum sd_narrowing_end end, double rate, struct sd_run_choice *is)
{
	const unsigned runs = runs_of(c);
	const double half = half_now(c->a, l);
	const int unknown = sd_verdict_scales(l) == SD_SCALES_UNKNOWN;
	/* of each half width, which a run more of every count takes away */
	const double share = 1 - sd_next_runs_half(1, runs, runs + 1);
	enum sd_cause of;
	/* both sides of the loss, which is no more than all cores, however wide few runs leave it;
	 * and of the causes, whose bounds the same runs give */
	const double loss = fmin(2 * share * half, l->n);
	const double causes = share * sd_narrowing_scatter(l, &of), narrows = loss + causes;

	*is = (struct sd_run_choice){.narrows = isfinite(narrows) ? narrows : 0,
		.takes = sd_next_runs_block(c->a),
		.of = causes > loss ? of : SD_CAUSE_COUNT};
	if (sd_verdict_scales(l) == SD_SCALES_YES ||
		(!unknown && (end == SD_NARROWING_DECIDED || half <= LOSS_SHARE * l->loss)))
		return SD_RUNS_ENOUGH;
	if (runs < 2 || !isfinite(half) || (unknown && !is_likely_lost(l, runs)))
		return SD_RUNS_FIRST;
	return narrows / is->takes > rate ? SD_RUNS_FIRST : SD_RUNS_NARROW;
}
