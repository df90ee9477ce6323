#include "trial/judged_part.h"

#include <math.h>
#include <stdlib.h>

/* Scales to `seconds` what came as time went by, whoever it was. */
static void narrow(struct sd_run *run, double seconds)
{
	static const enum sd_metric steady[] = {
		SD_METRIC_STEAL, SD_METRIC_FOREIGN, SD_METRIC_POLL_CPU};
	struct sd_value *const wall = &run->metric[SD_METRIC_WALL];

	for (size_t i = 0; i < sizeof steady / sizeof *steady && wall->value > 0; i++)
		run->metric[steady[i]].value *= seconds / wall->value;
	if (wall->value > 0)
		run->sampled.cpu_s *= seconds / wall->value;
	run->whole = *wall;
	wall->value = fmin(seconds, wall->value);
}

/* The split into user and system is that of the whole run. */
static void take_cpu(struct sd_run *run, struct sd_value cpu)
{
	struct sd_value *const user = &run->metric[SD_METRIC_USER],
			       *const system = &run->metric[SD_METRIC_SYSTEM];
	const double all = user->value + system->value;

	if (!sd_has(cpu) || !sd_has(*user) || !sd_has(*system) || !(all > 0)) {
		*user = *system = SD_NOT(ABSENT);
		return;
	}
	system->value *= fmin(cpu.value, all) / all;
	user->value = fmin(cpu.value, all) - system->value;
}

static void drop_whole(struct sd_run *run)
{
	static const enum sd_metric whole[] = {SD_METRIC_TASK_CLOCK, SD_METRIC_TSC_CYCLES,
		SD_METRIC_CYCLES, SD_METRIC_INSTRUCTIONS, SD_METRIC_RUN_DELAY,
		SD_METRIC_VOLUNTARY_SWITCHES, SD_METRIC_INVOLUNTARY_SWITCHES, SD_METRIC_MIGRATIONS,
		SD_METRIC_SYSTEM_CALLS, SD_METRIC_MINOR_FAULTS, SD_METRIC_MAJOR_FAULTS,
		SD_METRIC_BLKIO_WAIT, SD_METRIC_BOUND_WAIT, SD_METRIC_BLOCK_READ,
		SD_METRIC_BLOCK_WRITTEN, SD_METRIC_THROTTLED, SD_METRIC_PERIODS,
		SD_METRIC_THROTTLED_PERIODS, SD_METRIC_PSI_CPU, SD_METRIC_PSI_IO,
		SD_METRIC_PSI_MEMORY};

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		run->metric[whole[i]] = SD_NOT(ABSENT);
	free(run->role);
	run->role = NULL;
	run->n_role = 0;
	free(run->thread);
	run->thread = NULL;
	run->n_thread = run->n_thread_seen = 0;
	/* recorded switches were narrowed with their timeline; the poller's looks were not */
	if (run->sampled.idle && run->regions && run->regions->n_span)
		return;
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		run->idle[i] = SD_NOT(ABSENT);
	free(run->concurrency);
	run->concurrency = NULL;
	run->n_concurrency = 0;
	sd_binned_lanes_free(run->lanes);
	run->lanes = NULL;
	if (!run->regions || !run->regions->n_span) {
		sd_sampled_free(&run->sampled);
		run->sampled = (struct sd_sampled){.status = SD_STATUS_ABSENT};
	}
}

static void take_region(struct sd_run *run)
{
	const struct sd_region_run *const r = run->regions;
	const struct sd_region_time *const t =
		r ? sd_region_run_find(r, SD_REGION_MARKED, r->judged, 0) : NULL;

	if (!t || !(r->judged_s > 0)) {
		if (sd_run_ended_well(run))
			run->end = SD_END_REGION_MISSING;
		return;
	}
	narrow(run, r->judged_s);
	take_cpu(run, t->cpu);
	drop_whole(run);
	/* the trace has them, and so many times are not for the record */
	free(run->regions->span);
	run->regions->span = NULL;
	run->regions->n_span = 0;
}

/* MPI's own threads share the rank's core with it while ranks start and end: what a thread waited
 * for its core then, one for each rank at most, is none of the part's. Absent where it may have
 * been all. */
static void leave_launch(struct sd_run *run)
{
	struct sd_value *const wait = &run->metric[SD_METRIC_BOUND_WAIT];
	const double launch =
		fmax(0, run->whole.value - run->metric[SD_METRIC_WALL].value) * run->mpi->expected;

	if (sd_has(*wait) && wait->value > 0)
		*wait = wait->value > launch ? SD_OK(wait->value - launch) : SD_NOT(ABSENT);
}

static void drop_entries(struct sd_region_run *r)
{
	free(r->entry);
	r->entry = NULL;
	r->n_entry = 0;
}

/* Their span was noted for the timeline's sake. */
static void drop_span(struct sd_run *run)
{
	if (!run->regions)
		return;
	free(run->regions->span);
	run->regions->span = NULL;
	run->regions->n_span = 0;
	if (!run->regions->n_row) {
		sd_region_run_free(run->regions);
		run->regions = NULL;
	}
}

/* The timeline of ranks whose calls were not logged was narrowed, as that of a region. What runs
 * with and without the log are compared by is the CPU time of all of either. */
static void take_between(struct sd_run *run)
{
	if (run->kind == SD_RUN_COST) {
		drop_span(run);
		return;
	}
	narrow(run, run->mpi->elapsed);
	take_cpu(run, run->mpi->cpu);
	drop_whole(run);
	drop_span(run);
}

void sd_judged_part(const struct sd_options *o, struct sd_run *run)
{
	const struct sd_mpi_run *const m = run->mpi;

	if (run->regions) /* what is to be known of them is */
		drop_entries(run->regions);
	if (o->region)
		take_region(run);
	else if (m && m->launch)
		take_between(run);
	else if (!o->with_launch && m && m->status == SD_STATUS_OK && m->divided &&
		 m->elapsed > 0) {
		narrow(run, m->elapsed);
		leave_launch(run);
	}
}
