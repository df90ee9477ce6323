#include "experiment/software_pmu.h"

#include <errno.h>
#include <math.h>
#include <signal.h>

#include "base/clock.h"
#include "experiment/simulation_time.h"
#include "plan/one_run.h"
#include "plan/schedule.h"

/* A user who asked for it waits so many times the limit of others, and so many s. */
#define PATIENCE 4.0
#define PATIENCE_S 60.0

static void judge_end(struct sd_arm_round *r, const struct sd_run *run, double timeout_s)
{
	const unsigned cores = r->plan->point[run->point].cores;

	if (run->end == SD_END_SIGNALLED && run->code == SIGILL)
		SD_GIVE_UP(r, "an instruction that QEMU does not have, as those of AVX-512: "
			      "rebuild the program with -march=x86-64-v3");
	else if (run->end == SD_END_TIMEOUT)
		SD_GIVE_UP(r, "at %u cores it did not end within %.0f s, %.0f times a plain run",
			cores, timeout_s, timeout_s / sd_schedule_wall(r->t->record, run->point));
	else
		SD_GIVE_UP(r, "under it the program %s %d at %u cores",
			run->end == SD_END_SIGNALLED ? "was killed by signal"
						     : "exited with status",
			run->code, cores);
}

/* True if the run was ended early or died: its counts are kept, marked as partial. */
static int is_part(const struct sd_run *run)
{
	return run->simulated && run->simulated->partial && run->simulated->n_thread > 0;
}

/* Half of what is left if the reference is still to come. */
static double share_of(const struct sd_arm_round *r, size_t point, double left)
{
	return point && !sd_schedule_simulated(r->t->record, 0) ? left / 2 : left;
}

/* A part for which a budget leaves time is kept, too. What was simulated in part is counted in runs
 * that are not kept: their time has gone by since the last one that was. */
double sd_software_pmu_longest(const struct sd_arm_round *r, size_t point)
{
	const struct sd_record *const record = r->t->record;
	const double most =
		r->e->asked ? fmax(PATIENCE_S, PATIENCE * sd_simulation_time_limit(record, point))
			    : sd_simulation_time_run(
				      record, r->e->point, point, sd_clock_s() - r->t->kept_at);

	if (!(r->deadline > 0))
		return most;
	return fmin(most, fmax(share_of(r, point, r->deadline - sd_clock_s()), 1));
}

/* s that counting may take: what a budget leaves after the part that was simulated. */
static double total_most(const struct sd_arm_round *r, size_t point, const struct sd_run *part)
{
	if (r->deadline > 0)
		return fmin(
			SD_SIMULATION_TIME_COUNT, share_of(r, point, r->deadline - sd_clock_s()));
	return r->e->asked ? SD_SIMULATION_TIME_COUNT
			   : sd_simulation_time_after(
				     r->t->record, point, part->metric[SD_METRIC_WALL].value);
}

/* Keeps the time of a run that is not kept itself. */
static void add_beside(struct sd_run *kept, struct sd_value wall)
{
	struct sd_value *const to = &kept->simulated->beside;

	if (sd_has(wall))
		*to = SD_OK(wall.value + (sd_has(*to) ? to->value : 0));
}

/* After a partial simulation: counts the instructions of the whole program. Nothing is lost if that
 * fails. 0 or -errno. */
static int count_all(struct sd_arm_round *r, size_t point, struct sd_run *part)
{
	const struct sd_trial_change change = {.timeout_s = total_most(r, point, part), .total = 1};
	struct sd_run run = {.point = point, .kind = SD_RUN_SIMULATED};
	int rc;

	if (!(sd_simulation_time_count(r->t->record) <= change.timeout_s) ||
		(!r->e->asked && sd_simulation_time_is_sharing(r->t->record, r->e->point,
					 point ? part->simulated : NULL)))
		return 0;
	rc = sd_trial_run(r->t, &run, &change);
	if (!rc && sd_one_run_good(&run) && run.simulated)
		part->simulated->whole = run.simulated->whole;
	if (!rc)
		add_beside(part, run.metric[SD_METRIC_WALL]);
	sd_run_free(&run);
	return rc;
}

/* Runs it, first for a short while where that may be all it takes. 0 and *took, s that it had; or
 * -errno. */
static int simulate(struct sd_arm_round *r, struct sd_run *run, double *took)
{
	const size_t point = run->point;
	struct sd_trial_change change = {.timeout_s = sd_software_pmu_longest(r, point)};
	const int looks = !r->e->asked && point == r->e->point &&
			  change.timeout_s >= 2 * SD_SIMULATION_TIME_LOOK;
	const double all = change.timeout_s;
	struct sd_value look;
	int rc;

	if (looks)
		change.timeout_s = SD_SIMULATION_TIME_LOOK;
	*took = change.timeout_s;
	rc = sd_trial_run(r->t, run, &change);
	if (rc || !looks || run->end != SD_END_TIMEOUT || !is_part(run) ||
		(r->t->measure->stop && *r->t->measure->stop) ||
		sd_simulation_time_is_sharing(r->t->record, point, run->simulated))
		return rc;
	look = run->metric[SD_METRIC_WALL];
	sd_run_free(run);
	*run = (struct sd_run){.point = point, .kind = SD_RUN_SIMULATED};
	change.timeout_s = *took = fmax(all - SD_SIMULATION_TIME_LOOK, SD_SIMULATION_TIME_LOOK);
	rc = sd_trial_run(r->t, run, &change);
	if (!rc && run->simulated)
		add_beside(run, look);
	return rc;
}

int sd_software_pmu_run(struct sd_arm_round *r, size_t point)
{
	struct sd_run run = {.point = point, .kind = SD_RUN_SIMULATED};
	double took;
	int rc;

	if (sd_schedule_simulated(r->t->record, point))
		return 0;
	rc = simulate(r, &run, &took);
	if (!rc && r->t->measure->stop && *r->t->measure->stop)
		rc = -EINTR;
	if (!rc && !sd_one_run_good(&run) && !is_part(&run)) {
		judge_end(r, &run, took);
		rc = 1;
	}
	/* a program that died under the emulator would die again */
	if (!rc && is_part(&run) && !sd_has(run.simulated->whole) && run.end != SD_END_SIGNALLED)
		rc = count_all(r, point, &run);
	if (!rc)
		rc = r->x->keep(r->x->keep_ctx, &run);
	if (rc)
		sd_run_free(&run);
	return rc;
}
