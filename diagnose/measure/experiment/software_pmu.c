#include "experiment/software_pmu.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <time.h>

#include "record/short_budget.h"
#include "plan/schedule.h"

/* s: the counts until then are kept; they tell which line, if not how much. A user who asked for it
 * gets more: above the largest slowdown seen, relative to the CPU time of a plain run. */
#define LONGEST_S 20.0
#define SLOWER 300.0
#define PATIENCE_S 60.0

/* s, to count the instructions of a program that was simulated only in part; and the least slowdown
 * of that, relative to the CPU time of a plain run. */
#define TOTAL_S 15.0
#define TOTAL_SLOWER 3.0
#define TOTAL_ROOM 1.5 /* of what it takes, for what is kept for it: some take 4 */

static void judge_end(struct sd_arm_round *r, const struct sd_run *run, double timeout_s)
{
	const unsigned cores = r->plan->point[run->point].cores;

	if (run->end == SD_END_SIGNALLED && run->code == SIGILL)
		SD_GIVE_UP(r, "an instruction that QEMU does not have, as those of AVX-512: "
			      "rebuild the program with -march=x86-64-v3");
	else if (run->end == SD_END_TIMEOUT)
		SD_GIVE_UP(r, "at %u cores it did not end within %.0f s", cores, timeout_s);
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

static double clock_s(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Half of what is left if the reference is still to come. */
static double share_of(const struct sd_arm_round *r, size_t point, double left)
{
	return point && !sd_schedule_simulated(r->t->record, 0) ? left / 2 : left;
}

/* Estimated s to count the instructions of the whole program, from its CPU time. */
static double total_cost(const struct sd_arm_round *r, size_t point)
{
	return TOTAL_SLOWER * sd_schedule_wall(r->t->record, point) *
	       (double)r->plan->point[point].cpus.n;
}

/* s, for who did not ask for it: of a short program what the minute leaves for it and for counting
 * all of it afterwards, or for it alone where that would leave too little. The reference's count
 * stands for those of the same work that could not be made, and goes before. */
static double unasked(const struct sd_arm_round *r, size_t point)
{
	const double left = sd_short_budget_left(r->t->record) - sd_short_budget_node(r->t->record);
	const double share = share_of(r, point, left), after = TOTAL_ROOM * total_cost(r, point);
	const double least = point ? SD_SHORT_BUDGET_SIMULATED_S : SD_SHORT_BUDGET_SIMULATED_S / 2;
	const int counted = after <= TOTAL_S && share - after >= least;

	if (!isfinite(left))
		return LONGEST_S;
	return fmin(LONGEST_S, fmax(least, counted ? share - after : share));
}

/* s; a part for which a budget leaves time is kept, too. */
static double longest(const struct sd_arm_round *r, size_t point)
{
	const double cpu =
		sd_schedule_wall(r->t->record, point) * (double)r->plan->point[point].cpus.n;
	const double most = r->e->asked ? fmax(PATIENCE_S, SLOWER * (isfinite(cpu) ? cpu : 0))
					: unasked(r, point);

	if (!(r->deadline > 0))
		return most;
	return fmin(most, fmax(share_of(r, point, r->deadline - clock_s(CLOCK_MONOTONIC)), 1));
}

/* s that counting may take: what a budget leaves after the part that was simulated, or the minute
 * besides the reference that is still to come. */
static double total_most(const struct sd_arm_round *r, size_t point, const struct sd_run *part)
{
	const double minute = sd_short_budget_left(r->t->record) -
			      sd_short_budget_node(r->t->record) -
			      part->metric[SD_METRIC_WALL].value;
	const int first = point && !sd_schedule_simulated(r->t->record, 0);

	if (r->deadline > 0)
		return fmin(TOTAL_S, share_of(r, point, r->deadline - clock_s(CLOCK_MONOTONIC)));
	if (r->e->asked || !isfinite(minute))
		return TOTAL_S;
	return fmin(TOTAL_S, minute - (first ? SD_SHORT_BUDGET_SIMULATED_S : 0));
}

/* After a partial simulation: counts the instructions of the whole program. Nothing is lost if that
 * fails. 0 or -errno. */
static int count_all(struct sd_arm_round *r, size_t point, struct sd_run *part)
{
	const struct sd_trial_change change = {.timeout_s = total_most(r, point, part), .total = 1};
	struct sd_run run = {.point = point, .kind = SD_RUN_SIMULATED};
	int rc;

	if (!(total_cost(r, point) <= change.timeout_s))
		return 0;
	rc = sd_trial_run(r->t, &run, &change, 0);
	if (!rc && sd_schedule_good(&run) && run.simulated)
		part->simulated->whole = run.simulated->whole;
	sd_run_free(&run);
	return rc;
}

int sd_software_pmu_run(struct sd_arm_round *r, size_t point)
{
	const struct sd_trial_change change = {.timeout_s = longest(r, point)};
	struct sd_run run = {.point = point, .kind = SD_RUN_SIMULATED};
	int rc;

	if (sd_schedule_simulated(r->t->record, point))
		return 0;
	rc = sd_trial_run(r->t, &run, &change, 0);
	if (!rc && r->t->measure->stop && *r->t->measure->stop)
		rc = -EINTR;
	if (!rc && !sd_schedule_good(&run) && !is_part(&run)) {
		judge_end(r, &run, change.timeout_s);
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
