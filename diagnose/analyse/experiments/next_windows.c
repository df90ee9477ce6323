#include "experiments/next_windows.h"

#include <math.h>

#include "experiments/next_looks.h"
#include "experiments/next_runs.h"
#include "ledger/ledger.h"

/* An amount that is known to this share of it need not be known better, nor one that is known to
 * half of the gate. */
#define SHARE .2

/* Windows from which on their scatter is worth something. */
#define FEWEST 3u

int sd_next_windows_looked(const struct sd_case *c)
{
	return c->record->program.attached && c->record->plan.n_point == 1;
}

static double half_of(struct sd_interval v)
{
	return sd_status_bounded(v) ? fmax(v.high - v.value, v.value - v.low) : INFINITY;
}

/* The component with most of what is not useful work; USEFUL: there is none. */
static int largest(const struct sd_point *p)
{
	int most = SD_COMPONENT_USEFUL;

	for (int k = 0; k < SD_COMPONENT_COUNT; k++)
		if (k != SD_COMPONENT_USEFUL && sd_status_measured(p->stack[k]) &&
			(most == SD_COMPONENT_USEFUL || p->stack[k].value > p->stack[most].value))
			most = k;
	return most;
}

/* Is it part of the answer, or may it be, and not known yet? */
static int is_open(const struct sd_point *p, int component, int first)
{
	const struct sd_interval v = p->stack[component];
	const double gate = SD_LEDGER_GATE * p->n;

	if (!sd_status_measured(v) || half_of(v) <= fmax(gate / 2, SHARE * fabs(v.value)))
		return 0;
	return component == SD_COMPONENT_USEFUL || component == first ||
	       (v.high >= gate && v.high > p->stack[first].low);
}

enum sd_runs_wanted sd_next_windows(const struct sd_case *c, struct sd_run_choice *is)
{
	const struct sd_point *const p = &c->a->point[0];
	const unsigned runs = (unsigned)p->runs;
	const int first = largest(p);
	double narrows = 0;
	int open = runs < FEWEST || sd_next_looks_unwatched(c->last);

	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		const double half = half_of(p->stack[k]);

		if (!is_open(p, k, first))
			continue;
		open = 1;
		if (isfinite(half))
			narrows += 2 * (half - sd_next_runs_half(half, runs, runs + 1));
	}
	*is = (struct sd_run_choice){.narrows = fmin(narrows, p->n),
		.takes = sd_next_runs_block(c->a),
		.of = SD_CAUSE_COUNT,
		.look = narrows > 0 || runs < FEWEST || !open ? SD_LOOK_TIMES : SD_LOOK_WATCH};
	return open ? SD_RUNS_FIRST : SD_RUNS_ENOUGH;
}
