#include "record/disturbed_runs.h"

#include <math.h>

static int is_time(struct sd_value v)
{
	return sd_has(v) && isfinite(v.value) && v.value >= 0;
}

double sd_disturbed_runs_share(const struct sd_run *run, unsigned n, int *known)
{
	const struct sd_value steal = run->metric[SD_METRIC_STEAL];
	const struct sd_value foreign = run->metric[SD_METRIC_FOREIGN];
	const struct sd_value wall = run->metric[SD_METRIC_WALL];
	double sum = 0;

	if (is_time(steal))
		sum += steal.value;
	if (is_time(foreign))
		sum += foreign.value;
	*known |= is_time(steal) || is_time(foreign);
	/* counted in ticks, and from before the program's start to after its end: on a busy machine
	 * more than fits into a short run */
	return is_time(wall) && wall.value > 0 ? fmin(1, sum / (n * wall.value)) : 0;
}

double sd_disturbed_runs_sharers(const struct sd_run *run, double whole, int *known)
{
	const struct sd_value width = run->metric[SD_METRIC_WIDTH];

	if (!is_time(width) || !(whole > 0))
		return 0;
	*known = 1;
	return fmin(1, fmax(0, 1 - width.value / whole));
}

double sd_disturbed_runs_whole(const struct sd_run *const *run, size_t count)
{
	double whole = 0;

	for (size_t j = 0; j < count; j++)
		if (is_time(run[j]->metric[SD_METRIC_WIDTH_MOST]))
			whole = fmax(whole, run[j]->metric[SD_METRIC_WIDTH_MOST].value);
	return whole;
}

/* Removes the worst whose share is above `from` while more than `least` are left. */
static size_t leave_out(const struct sd_run **run, size_t count, size_t least, double from,
	double by, double (*share)(const struct sd_run *run, double by))
{
	while (count > least) {
		const struct sd_run *left_out;
		double most = 0;
		size_t worst = 0;

		for (size_t j = 0; j < count; j++) {
			const double x = share(run[j], by);

			if (x > most) {
				most = x;
				worst = j;
			}
		}
		if (most <= from)
			break;
		left_out = run[worst];
		run[worst] = run[--count];
		run[count] = left_out;
	}
	return count;
}

static double taken(const struct sd_run *run, double n)
{
	int known = 0;

	return sd_disturbed_runs_share(run, (unsigned)n, &known);
}

static double shared(const struct sd_run *run, double whole)
{
	int known = 0;

	return sd_disturbed_runs_sharers(run, whole, &known);
}

/* Moves those that a signal stopped to the end, unless all were; returns how many are left. */
static size_t leave_stopped_out(const struct sd_run **run, size_t count)
{
	size_t left = 0;

	for (size_t j = 0; j < count; j++)
		if (!(run[j]->flags & SD_RUN_STOPPED)) {
			const struct sd_run *const whole = run[j];

			run[j] = run[left];
			run[left++] = whole;
		}
	return left ? left : count;
}

size_t sd_disturbed_runs_leave_out(const struct sd_run **run, size_t count, unsigned n)
{
	const size_t left = leave_out(run, leave_stopped_out(run, count), SD_DISTURBED_RUNS_LEFT,
		SD_DISTURBED_RUNS_FROM, n, taken);
	const size_t half = (size_t)ceil(SD_DISTURBED_RUNS_SHARED_LEFT * (double)left);

	return leave_out(run, left, half > SD_DISTURBED_RUNS_LEFT ? half : SD_DISTURBED_RUNS_LEFT,
		SD_DISTURBED_RUNS_SHARED_FROM, sd_disturbed_runs_whole(run, left), shared);
}
