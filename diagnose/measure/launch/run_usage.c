#include "launch/run_usage.h"

#include <unistd.h>

/* Fills in what no probe measured, from the kernel's accounting of reaped processes. */
void sd_run_usage_take(struct sd_run *run, const struct rusage *u)
{
	/* without this file the kernel counts no block I/O, and getrusage() says 0 */
	const int io = access("/proc/self/io", F_OK) == 0;
	const struct {
		enum sd_metric metric;
		struct sd_value value;
	} row[] = {
		{SD_METRIC_USER,
			SD_OK((double)u->ru_utime.tv_sec + (double)u->ru_utime.tv_usec * 1e-6)},
		{SD_METRIC_SYSTEM,
			SD_OK((double)u->ru_stime.tv_sec + (double)u->ru_stime.tv_usec * 1e-6)},
		{SD_METRIC_VOLUNTARY_SWITCHES, SD_OK((double)u->ru_nvcsw)},
		{SD_METRIC_INVOLUNTARY_SWITCHES, SD_OK((double)u->ru_nivcsw)},
		{SD_METRIC_MINOR_FAULTS, SD_OK((double)u->ru_minflt)},
		{SD_METRIC_MAJOR_FAULTS, SD_OK((double)u->ru_majflt)},
		{SD_METRIC_MAX_RSS, SD_OK((double)u->ru_maxrss * 1024)},
		{SD_METRIC_BLOCK_READ,
			io ? SD_OK((double)u->ru_inblock * 512) : SD_NOT(UNSUPPORTED)},
		{SD_METRIC_BLOCK_WRITTEN,
			io ? SD_OK((double)u->ru_oublock * 512) : SD_NOT(UNSUPPORTED)},
	};

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (!sd_has(run->metric[row[i].metric]))
			run->metric[row[i].metric] = row[i].value;
}

/* If a program only made itself undumpable (prctl), its counters cover at least this share of its
 * CPU time. */
#define COUNTED_LEAST .95

/*
 * The poller met a process whose counters and samples Linux ends at its exec (dumpable.h). They can
 * still be read, but hold only what came before; the CPU time of the reaped processes shows how
 * much is missing. A gap alone proves nothing: counters miss the exit of a process, which is half
 * of the time of a program that keeps forking.
 */
void sd_run_usage_drop_ended(struct sd_run *run)
{
	static const enum sd_metric counted[] = {SD_METRIC_TASK_CLOCK, SD_METRIC_TSC_CYCLES,
		SD_METRIC_MIGRATIONS, SD_METRIC_CYCLES, SD_METRIC_INSTRUCTIONS};
	const struct sd_value *const m = run->metric;

	if (!(run->flags & SD_RUN_UNREADABLE))
		return;
	if (!sd_has(m[SD_METRIC_TASK_CLOCK]) ||
		m[SD_METRIC_TASK_CLOCK].value >=
			COUNTED_LEAST * (m[SD_METRIC_USER].value + m[SD_METRIC_SYSTEM].value)) {
		run->flags &= ~(unsigned)SD_RUN_UNREADABLE;
		return;
	}
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		if (sd_has(run->metric[counted[i]]))
			run->metric[counted[i]] = SD_NOT(DENIED);
	for (size_t i = 0; i < run->n_role; i++)
		if (run->role[i].scope == SD_SCOPE_THREAD)
			run->role[i].value = SD_NOT(DENIED);
	/* switches of whole CPUs, where they may be watched, go on: what waits is known */
	if (run->sampled.status == SD_STATUS_OK && !run->sampled.idle) {
		sd_sampled_free(&run->sampled);
		run->sampled.status = SD_STATUS_DENIED;
	}
}
