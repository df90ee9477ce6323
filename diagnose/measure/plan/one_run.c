#include "plan/one_run.h"

int sd_one_run_good(const struct sd_run *run)
{
	return sd_run_ended_well(run) && sd_has(run->metric[SD_METRIC_WALL]) &&
	       run->metric[SD_METRIC_WALL].value > 0;
}

int sd_one_run_mixed(const struct sd_run *run)
{
	const struct sd_value before = run->metric[SD_METRIC_LINE_BEFORE],
			      after = run->metric[SD_METRIC_LINE_AFTER];

	return sd_has(before) && sd_has(after) &&
	       (before.value > after.value * SD_ONE_RUN_STATE ||
		       after.value > before.value * SD_ONE_RUN_STATE);
}

int sd_one_run_counts(const struct sd_run *run, size_t point)
{
	return run->kind == SD_RUN_BLOCK && run->point == point && sd_one_run_good(run);
}
