#include "experiment/simulation_time.h"

#include <math.h>

#include "record/short_budget.h"
#include "plan/schedule.h"

/* The least slowdown of counting, relative to the CPU time of a plain run, and how much more some
 * take. */
#define COUNT_SLOWER 3.0
#define COUNT_ROOM 1.5

/* The same of the model: the median of programs of a second is 5, the most 17 (make bench-sim); how
 * much more a busy host makes of it, whose threads wait for each other; and s, whatever it is. */
#define USUAL 8.0
#define ROOM 3.0
#define LEAST_S 5.0

/* s; a reference that needs only be there. */
#define THERE_S .5

static int has_reference(const struct sd_record *r)
{
	return sd_schedule_simulated(r, 0) > 0;
}

/* From the reference, where no core waits for lines of others, of the same work. */
double sd_simulation_time_count(const struct sd_record *r)
{
	return COUNT_SLOWER * sd_schedule_wall(r, 0) * (double)r->plan.point[0].cpus.n;
}

/* The point's last simulation; NULL: none. */
static const struct sd_simulated *simulated(const struct sd_record *r, size_t point)
{
	for (size_t i = r->n_run; i-- > 0;)
		if (r->run[i].kind == SD_RUN_SIMULATED && r->run[i].point == point)
			return r->run[i].simulated;
	return NULL;
}

/* Moves of lines between cores. */
static double moves(const struct sd_simulated *s)
{
	double n = 0;

	for (size_t k = 0; s && k < s->n_thread; k++)
		n += s->thread[k].hitm_load + s->thread[k].hitm_store;
	return n;
}

/* s of one: half of the round trip that was measured around the runs; 0 unknown. */
static double transfer(const struct sd_record *r)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_value line = r->run[i].metric[SD_METRIC_LINE_BEFORE];

		if (r->run[i].kind <= SD_RUN_DRIFT && sd_has(line)) {
			sum += line.value / 2;
			n++;
		}
	}
	return n ? sum / (double)n : 0;
}

int sd_simulation_time_is_sharing(
	const struct sd_record *r, size_t largest, const struct sd_simulated *part)
{
	const struct sd_plan_point *const first = &r->plan.point[0],
					  *const last = &r->plan.point[largest];
	const double lost = sd_schedule_wall(r, largest) * (double)last->cpus.n -
			    sd_schedule_wall(r, 0) * (double)first->cpus.n;

	return first->cores == 1 && lost > 0 &&
	       moves(part ? part : simulated(r, largest)) * transfer(r) > lost / 2;
}

/* s of what is left that are the point's. */
static double left_for(const struct sd_record *r, size_t point)
{
	const double left =
		sd_short_budget_left(r) - sd_short_budget_node(r) - sd_short_budget_plain(r);

	return point && !has_reference(r) ? left - sd_short_budget_reference(r) : left;
}

/* s, of all cores, that a plain run of the point takes at most; 0 unknown. */
static double cpu_time(const struct sd_record *r, size_t point)
{
	const double s = sd_schedule_wall(r, point) * (double)r->plan.point[point].cpus.n;

	return isfinite(s) ? s : 0;
}

double sd_simulation_time_limit(const struct sd_record *r, size_t point)
{
	const double here = cpu_time(r, point), s = here > 0 ? here : cpu_time(r, 0);
	double times = USUAL;

	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];
		const struct sd_value wall = run->metric[SD_METRIC_WALL];

		if (run->kind != SD_RUN_SIMULATED || !run->simulated || !sd_has(wall))
			continue;
		if (cpu_time(r, run->point) > 0)
			times = fmax(times, (wall.value - LEAST_S) / cpu_time(r, run->point));
	}
	return LEAST_S + ROOM * times * s;
}

double sd_simulation_time_run(const struct sd_record *r, size_t largest, size_t point, double gone)
{
	const double left = left_for(r, point) - gone;
	const double count = COUNT_ROOM * sd_simulation_time_count(r);
	const double least = point ? sd_short_budget_simulated(r) : sd_short_budget_reference(r);

	if (!isfinite(left))
		return sd_simulation_time_limit(r, point);
	if (!point && sd_simulation_time_is_sharing(r, largest, NULL))
		return fmin(THERE_S, least);
	return fmax(least,
		fmin(sd_simulation_time_limit(r, point),
			count <= SD_SIMULATION_TIME_COUNT && left - count >= least ? left - count
										   : left));
}

double sd_simulation_time_after(const struct sd_record *r, size_t point, double took)
{
	return fmin(SD_SIMULATION_TIME_COUNT, left_for(r, point) - took);
}
