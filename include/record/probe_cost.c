#include "record/probe_cost.h"

#include <math.h>

const struct sd_probe_cost_row sd_probe_cost_row[SD_PROBE_COSTS] = {
	{SD_RUN_UNCOUNTED, "counters of its processes", "less than some 1 %: it makes few threads"},
	{SD_RUN_UNLOGGED, "OpenMP's library",
		"less than some 1 %: it seldom calls OpenMP's runtime"},
};

/* The kernel copies some counters into each new thread and adds them up at its end: 3 of them took
 * 8 to 14 us on a guest of an AMD EPYC, 1 % at some 1,000 threads a second of CPU time. */
#define THREADS_A_SECOND 1000

/* A call that is not timed takes the library 2 to 3 ns there: 1 % at 4 million of them. */
#define CALLS_A_SECOND 4e6

static double cpu_of(const struct sd_run *run)
{
	const struct sd_value user = run->metric[SD_METRIC_USER],
			      system = run->metric[SD_METRIC_SYSTEM];

	return sd_has(user) && sd_has(system) ? user.value + system.value : NAN;
}

static double or_zero(struct sd_value v)
{
	return sd_has(v) ? v.value : 0;
}

/* Others may have made them; but each thread of its own switched once at least, to end. */
static double threads_made(const struct sd_run *run)
{
	const struct sd_value *const m = run->metric;

	return fmin(or_zero(m[SD_METRIC_TASKS_MADE]),
		or_zero(m[SD_METRIC_VOLUNTARY_SWITCHES]) +
			or_zero(m[SD_METRIC_INVOLUNTARY_SWITCHES]));
}

unsigned sd_probe_cost_may(const struct sd_run *run)
{
	/* of one that mostly sleeps it is the run that must not become longer */
	const double spent = fmax(cpu_of(run), sd_run_whole(run).value),
		     calls = run->regions ? run->regions->calls : 0;
	const unsigned may =
		(threads_made(run) > THREADS_A_SECOND * spent ? SD_RUN_UNCOUNTED : 0u) |
		(calls > CALLS_A_SECOND * spent ? SD_RUN_UNLOGGED : 0u);

	return isfinite(cpu_of(run)) ? may & ~run->flags : 0;
}

/* The least CPU time of the runs without these probes, and the most. */
static void look_at(const struct sd_record *r, unsigned flags, double *least, double *most)
{
	*least = INFINITY;
	*most = 0;
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];

		if (run->kind != SD_RUN_COST || !sd_run_ended_well(run) ||
			(run->flags & (SD_RUN_UNCOUNTED | SD_RUN_UNLOGGED)) != flags)
			continue;
		*least = fmin(*least, cpu_of(run));
		*most = fmax(*most, cpu_of(run));
	}
}

struct sd_value sd_probe_cost(const struct sd_record *r, enum sd_run_flag flag)
{
	double with, without, most;

	look_at(r, 0, &with, &most);
	look_at(r, flag, &without, &most);
	return isfinite(with) && isfinite(without) && without > 0 ? SD_OK(with / without - 1)
								  : SD_NOT(ABSENT);
}

unsigned sd_probe_cost_left_out(const struct sd_record *r)
{
	unsigned out = 0;

	for (size_t i = 0; i < SD_PROBE_COSTS; i++) {
		const unsigned flag = sd_probe_cost_row[i].flag;
		const struct sd_value cost = sd_probe_cost(r, sd_probe_cost_row[i].flag);
		double with, without, most;

		look_at(r, 0, &with, &most);
		look_at(r, flag, &without, &most);
		if (sd_has(cost) && cost.value > SD_PROBE_COST_MOST && with > most)
			out |= flag;
	}
	return out;
}
