#include "validity/machine_facts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "accounting/run_parts.h"
#include "case/stated.h"
#include "metrics/os_metrics.h"
#include "base/statistics.h"
#include "validity/drift.h"

/* CPU time, s, left over on the CPUs that the program's affinity allows: others took no more. */
static double left_by_program(const struct sd_chosen *p, const struct sd_run *run)
{
	const struct sd_value user = run->metric[SD_METRIC_USER],
			      system = run->metric[SD_METRIC_SYSTEM];
	const double usable = sd_os_metrics_usable(p);

	if (usable >= p->n || !sd_run_parts_usable(user) || !sd_run_parts_usable(system))
		return INFINITY;
	return fmax(0, usable * run->metric[SD_METRIC_WALL].value - user.value - system.value);
}

struct sd_value sd_machine_facts_others(const struct sd_chosen *p)
{
	double sum = 0;

	for (size_t i = 0; i < p->n_run; i++) {
		const struct sd_value used = p->run[i]->metric[SD_METRIC_FOREIGN],
				      ours = p->run[i]->metric[SD_METRIC_POLL_CPU],
				      wall = p->run[i]->metric[SD_METRIC_WALL];

		if (used.status != SD_STATUS_OK || ours.status != SD_STATUS_OK ||
			!sd_run_parts_usable(used) || !sd_run_parts_usable(ours) ||
			!sd_run_parts_usable(wall) || !(wall.value > 0))
			return SD_NOT(ABSENT);
		sum += fmin(used.value + ours.value, left_by_program(p, p->run[i])) / wall.value;
	}
	return p->n_run ? SD_OK(sum / (double)p->n_run) : SD_NOT(ABSENT);
}

/* Cores whose threads were ready without them; absent where threads' states are not known. */
static struct sd_value waited(const struct sd_chosen *p)
{
	double sum = 0;

	if (!(p->known & SD_RUN_PARTS_POLLER))
		return SD_NOT(ABSENT);
	for (size_t i = 0; i < p->n_run; i++)
		sum += p->parts[i].part[SD_PART_RUN_QUEUE] + p->parts[i].part[SD_PART_STOLEN];
	return p->n_run ? SD_OK(sum / (double)p->n_run * p->n) : SD_NOT(ABSENT);
}

/* The upper end of what these components hold, the value where there is no interval. */
static struct sd_value upper(const struct sd_case *c, unsigned long components)
{
	const struct sd_interval v = sd_stated_added(c, components);

	if (v.status != SD_STATUS_OK)
		return SD_NOT(ABSENT);
	return SD_OK(fmax(0, isfinite(v.high) ? v.high : v.value));
}

/* Times of the runs of one state. */
static struct sd_group times_of(
	const struct sd_case *c, const struct sd_chosen *p, enum sd_label label, double *scratch)
{
	struct sd_group g = {0};

	for (size_t i = 0; i < p->n_run; i++)
		if (sd_machine_states_label(&c->choice->states, p->run[i]) == label)
			scratch[g.n++] = p->parts[i].time;
	if (g.n == 0)
		return g;
	g.cv = sd_statistics_cv(scratch, g.n);
	g.median = sd_statistics_median(scratch, g.n);
	return g;
}

/* How much longer or shorter a point's runs take in the other state, where they do beyond what runs
 * of one state differ by; of a machine whose states were seen apart, all of it. */
static double change_at(
	const struct sd_case *c, const struct sd_group *near, const struct sd_group *far)
{
	const double change = fabs(far->median / near->median - 1);

	return c->choice->alike ? fmax(0, change - sd_statistics_smallest(
							   near->cv, near->n, far->cv, far->n))
				: change;
}

/* The largest change of a point's time from one speed of the machine to the other, where runs of
 * both are used together. 0 or -ENOMEM. */
static int change_of_states(const struct sd_case *c, struct sd_value *out)
{
	const struct sd_chosen *const point[] = {c->ref, c->last};
	size_t most = 1;
	double *scratch;

	*out = SD_NOT(ABSENT);
	if (!c->choice->pooled)
		return 0;
	for (size_t i = 0; i < 2; i++)
		most = point[i]->n_run > most ? point[i]->n_run : most;
	scratch = calloc(most, sizeof *scratch);
	if (!scratch)
		return -ENOMEM;
	for (size_t i = 0; i < 2; i++) {
		const struct sd_group near = times_of(c, point[i], SD_LABEL_NEAR, scratch);
		const struct sd_group far = times_of(c, point[i], SD_LABEL_FAR, scratch);

		if (near.median > 0 && far.median > 0)
			*out = SD_OK(
				fmax(sd_has(*out) ? out->value : 0, change_at(c, &near, &far)));
	}
	free(scratch);
	return 0;
}

/* All that CPU time is made of. */
#define CPU_TIME (SD_BIT(RUN_QUEUE) - SD_BIT(GROWTH))

/* Cores by which CPU time of the same work differs: the end of the interval that is farther from
 * none, widened for few runs. Less of it is a difference, too: whatever made it may hide as much.
 */
static struct sd_value cpu_differs(const struct sd_case *c)
{
	const struct sd_interval v =
		sd_statistics_widen_part(sd_stated_added(c, CPU_TIME), c->loss->runs, c->loss->n);

	if (!(c->loss->known_ref & c->loss->known & SD_RUN_PARTS_CPU) || !sd_status_bounded(v))
		return SD_NOT(ABSENT);
	return SD_OK(fmax(fabs(v.low), fabs(v.high)));
}

static void put_widths(const struct sd_case *c, struct sd_disturbance_facts *out)
{
	const struct sd_shared_cores *const w = &c->neighbours;

	if (!w->known)
		return;
	if (w->comparable) {
		out->cpu_differs = cpu_differs(c);
		out->width_whole = SD_OK(w->whole);
		out->width_ref = SD_OK(w->ref);
		out->user = SD_OK(c->last->mean.part[SD_PART_USER] * c->loss->n);
	}
	out->width = SD_OK(w->last);
	out->width_least = SD_OK(w->last * (1 - w->uneven));
}

/* Number of replicates. On a curve of one run a count, its counts stand for repeats (METHODS 5). */
static size_t replicates(const struct sd_case *c)
{
	const size_t counts = c->choice->n_point;
	const int once = c->ref->n_run < 2 || c->last->n_run < 2;

	return once && counts >= SD_RUN_SELECTION_CURVE ? counts : c->loss->runs;
}

int sd_machine_facts_make(const struct sd_case *c, struct sd_disturbance_facts *out)
{
	const size_t runs = replicates(c);
	struct sd_drift drift;
	int rc;

	*out = (struct sd_disturbance_facts){
		.n = c->loss->n,
		.efficiency = fmax(0, c->a->point[c->a->n_point - 1].efficiency.value),
		.runs = (unsigned)runs,
		.student = runs > 1 ? sd_statistics_t(runs - 1) : INFINITY,
		.others = sd_machine_facts_others(c->last),
		.stolen = upper(c, SD_BIT(STOLEN)),
		.queue = c->loss->components & SD_BIT(RUN_QUEUE)
				 ? upper(c, SD_BIT(RUN_QUEUE) | SD_BIT(STOLEN))
				 : SD_NOT(ABSENT),
		.waited = waited(c->last),
		.throttled = upper(c, SD_BIT(THROTTLED)),
		.unaccounted = sd_stated_added(c, SD_BIT(UNACCOUNTED)),
	};
	if (!sd_status_bounded(out->unaccounted))
		out->unaccounted = SD_STATEMENT_OPEN;
	/* when each wait was is known where all are from switches */
	if (!c->a->sampling.idle) {
		out->period = sd_os_metrics_median(c->last, SD_METRIC_POLL_PERIOD);
		out->wall = sd_os_metrics_median(c->last, SD_METRIC_WALL);
	}
	put_widths(c, out);
	rc = change_of_states(c, &out->states);
	rc = rc ? rc : sd_drift_measure(c, &drift);
	if (rc == 0 && drift.status == SD_STATUS_OK) {
		out->drift = SD_OK(drift.own);
		out->drift_noise = drift.noise;
	}
	return rc;
}
