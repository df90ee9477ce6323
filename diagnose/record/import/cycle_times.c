#include "import/cycle_times.h"

#include <errno.h>
#include <math.h>

/* A count that had less of the time than this is no measure of time (METHODS 2.2). */
#define RUNNING .9

/* Cycles of a run; 0: not counted. */
static double cycles_of(const struct sd_run *run, enum sd_role role)
{
	const struct sd_role_count *const c = sd_run_role(run, role);

	return c && sd_has(c->value) && c->running >= RUNNING ? c->value.value / c->running : 0;
}

/* Does every run have these cycles and no CPU time? */
static int is_of_all(const struct sd_import *im, enum sd_role role)
{
	for (size_t i = 0; i < im->record.n_run; i++) {
		const struct sd_run *const run = &im->record.run[i];

		if (run->kind == SD_RUN_BLOCK &&
			(!(cycles_of(run, role) > 0) ||
				run->metric[SD_METRIC_TASK_CLOCK].status != SD_STATUS_ABSENT ||
				run->metric[SD_METRIC_USER].status != SD_STATUS_ABSENT))
			return 0;
	}
	return 1;
}

/* Core-seconds in which its cores may have run. */
static double busy_most(const struct sd_import *im, size_t i)
{
	const struct sd_run *const run = &im->record.run[i];
	double s = im->cores[i] * run->metric[SD_METRIC_WALL].value;

	for (int k = 0; k < SD_IDLE_COUNT; k++)
		if (sd_has(run->idle[k]))
			s -= run->idle[k].value;
	return s;
}

/* Cycles a second of a core that is busy; 0: its waits leave none. */
static double rate_of(const struct sd_import *im, enum sd_role role, unsigned least)
{
	double rate = 0;

	for (size_t i = 0; i < im->record.n_run; i++)
		if (im->cores[i] == least && busy_most(im, i) > 0)
			rate = fmax(rate, cycles_of(&im->record.run[i], role) / busy_most(im, i));
	return rate;
}

static void put(struct sd_import *im, enum sd_role role, double rate)
{
	for (size_t i = 0; i < im->record.n_run; i++) {
		struct sd_run *const run = &im->record.run[i];
		const double most = im->cores[i] * run->metric[SD_METRIC_WALL].value;

		if (run->kind != SD_RUN_BLOCK)
			continue;
		run->metric[SD_METRIC_TASK_CLOCK] = SD_OK(fmin(most, cycles_of(run, role) / rate));
		if (role == SD_ROLE_CYCLES)
			run->flags |= SD_RUN_BY_CYCLES;
	}
}

int sd_cycle_times(struct sd_import *im, const struct sd_sink *sink)
{
	static const enum sd_role roles[] = {SD_ROLE_REF_CYCLES, SD_ROLE_CYCLES};
	unsigned least = im->record.n_run ? im->cores[0] : 0;

	for (size_t i = 1; i < im->record.n_run; i++)
		least = im->cores[i] < least ? im->cores[i] : least;
	for (size_t k = 0; k < sizeof roles / sizeof *roles; k++) {
		const double rate = is_of_all(im, roles[k]) ? rate_of(im, roles[k], least) : 0;

		if (!(rate > 0))
			continue;
		put(im, roles[k], rate);
		sd_say(sink, SD_LEVEL_NOTE,
			"the files have no CPU times: taken from the cycles, %.3g GHz, as if %u "
			"core%s had been busy throughout",
			rate * 1e-9, least, least == 1 ? "" : "s");
		return sd_texts_add(&im->record.warnings,
			"imported: no CPU times: taken from the cycles, %.3g GHz, as if the run on "
			"%u core%s had never waited",
			rate * 1e-9, least, least == 1 ? "" : "s");
	}
	return 0;
}
