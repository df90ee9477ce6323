#include "experiment/experiments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/arm.h"
#include "experiment/input_files.h"
#include "plan/one_run.h"
#include "experiment/software_pmu.h"
#include "experiment/treatments.h"

/* ---- the plan ---- */

int sd_experiments_plan(const struct sd_experiments_world *w, struct sd_plan *plan)
{
	const struct sd_options *o = w->options;

	if (o->experiments == SD_EXPERIMENTS_NONE)
		return 0;
	plan->experiment = calloc(SD_EXPERIMENT_COUNT, sizeof *plan->experiment);
	if (!plan->experiment)
		return -ENOMEM;
	for (int i = 0; i < SD_EXPERIMENT_COUNT; i++) {
		const int asked = o->experiments == SD_EXPERIMENTS_LIST && (o->experiment >> i & 1);
		struct sd_plan_experiment *e = &plan->experiment[plan->n_experiment];
		char why[200] = "";
		int rc = 0;

		if (o->experiments == SD_EXPERIMENTS_LIST && !asked)
			continue;
		*e = (struct sd_plan_experiment){
			.experiment = (enum sd_experiment)i, .asked = asked};
		if (sd_experiment_info[i].at != SD_EXPERIMENT_AT_REFERENCE)
			e->point = sd_treatment_largest(plan);
		plan->n_experiment++;
		if (sd_treatment_largest(plan) == 0)
			snprintf(why, sizeof why, "one core count: there is nothing to explain");
		else if (sd_treatment[i].look)
			rc = sd_treatment[i].look(w, plan, e, why, sizeof why);
		if (!rc && why[0] && !(e->skipped = strdup(why)))
			rc = -ENOMEM;
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- one pair ---- */

static unsigned pairs_of(const struct sd_arm_round *r, size_t point, enum sd_arm arm)
{
	const struct sd_record *record = r->t->record;
	unsigned n = 0;

	for (size_t i = 0; i < record->n_run; i++) {
		const struct sd_run *run = &record->run[i];

		n += run->tried && run->tried->experiment == r->index && run->point == point &&
		     run->tried->arm == arm;
	}
	return n;
}

/* Says why a run is of no use. The program ended well in all plain runs before. */
static void judge_end(struct sd_arm_round *r, const struct sd_run *run, enum sd_arm arm)
{
	const char *const who = arm == SD_ARM_PLAIN ? "the program, as it is,"
				: r->e->experiment == SD_EXPERIMENT_REPLICAS
					? "one of several copies at once"
					: "the program under it";

	if (r->why[0] || run->end == SD_END_RATE_MISSING) {
		if (!r->why[0])
			SD_GIVE_UP(r, "%s printed nothing that --rate matches", who);
		return;
	}
	if (run->end == SD_END_TIMEOUT) {
		SD_GIVE_UP(r, "%s did not end within %.3g s", who, sd_arm_timeout(r, run->point));
		if (arm == SD_ARM_CHANGED)
			r->unended_s = sd_arm_timeout(r, run->point);
	} else if (run->end == SD_END_SIGNALLED)
		SD_GIVE_UP(r, "%s was killed by signal %d", who, run->code);
	else
		SD_GIVE_UP(r, "%s exited with status %d%s", who, run->code,
			arm == SD_ARM_PLAIN || r->e->experiment != SD_EXPERIMENT_REPLICAS ? ""
			: r->t->measure->options->isolate
				? ": it cannot run twice at once (a network port, a lock?)"
				: ": it cannot run twice at once (the same file: --isolate; a "
				  "network port)");
}

/* 0 kept; 1 gives this pair up, reason in r->why; -errno. */
static int one_run(struct sd_arm_round *r, size_t point, enum sd_arm arm, unsigned pair)
{
	struct sd_run run = {.point = point, .kind = SD_RUN_EXPERIMENT, .block = pair};
	const int program = arm == SD_ARM_PLAIN || r->e->experiment != SD_EXPERIMENT_ADD_LOOP;
	int rc = sd_arm_run(r, &run, arm);

	if (rc == -ENOEXEC) {
		SD_GIVE_UP(r, "the program could not be started under it");
		rc = 0;
	}
	if (!rc && !r->why[0] && program && !sd_one_run_good(&run))
		judge_end(r, &run, arm);
	if (!rc && !r->why[0] && !run.tried && !(run.tried = calloc(1, sizeof *run.tried)))
		rc = -ENOMEM;
	if (rc || r->why[0]) {
		sd_run_free(&run);
		return rc ? rc : 1;
	}
	run.tried->experiment = r->index;
	run.tried->arm = arm;
	run.tried->pair = pair;
	rc = r->x->keep(r->x->keep_ctx, &run);
	if (rc)
		sd_run_free(&run);
	return rc;
}

/* Odd or even, by the seed: splitmix64's mixing. */
static unsigned coin(uint64_t seed, size_t index, unsigned pair)
{
	uint64_t z = seed + (index * 64 + pair + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)(z >> 63);
}

/* Both arms at one point. A pair that was interrupted is finished first. */
static int one_pair(struct sd_arm_round *r, size_t point)
{
	const unsigned have[2] = {
		pairs_of(r, point, SD_ARM_PLAIN), pairs_of(r, point, SD_ARM_CHANGED)};
	const int alone = r->e->experiment == SD_EXPERIMENT_ADD_LOOP ||
			  r->e->experiment == SD_EXPERIMENT_RACE_CHECK;
	const unsigned pair = have[1] < have[0] || alone ? have[1] : have[0];
	/* a plain run must show first which files there are */
	const int unseen = r->e->experiment == SD_EXPERIMENT_WARM_CACHE && !r->x->inputs->looked;
	const unsigned first = unseen ? 0 : coin(r->plan->seed, r->index, pair);
	int rc = 0;

	for (unsigned i = 0; i < 2 && !rc; i++) {
		const enum sd_arm arm = (i ^ first) ? SD_ARM_CHANGED : SD_ARM_PLAIN;

		if (have[arm] <= pair && !(alone && arm == SD_ARM_PLAIN))
			rc = one_run(r, point, arm, pair);
	}
	return rc;
}

/*
 * Work that depends on the time of day or on chance shows at the reference, where no other core
 * disturbs it: the quartiles of its CPU time differ by this factor, and the output differs as well.
 * Neither alone suffices: the output may contain a time, and neighbours change CPU time too, though
 * by less, or visibly as a state. Two runs have no quartiles; those of three are its ends, which
 * one run that was disturbed moves, those of five are not.
 */
#define ERRATIC 1.5
#define ERRATIC_LEAST 3
#define ERRATIC_SURE 5

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The reference's good runs: whether their output differs, and their CPU time, s. */
struct worked {
	size_t n;
	int differs;
	double least, most;
	double low, high; /* the quartiles; 0 with too few runs */
};

static struct worked worked(const struct sd_record *record)
{
	double *const cpu = calloc(record->n_run + 1, sizeof *cpu);
	struct worked w = {.n = 0};
	uint64_t digest = 0;

	for (size_t i = 0; cpu && i < record->n_run; i++) {
		const struct sd_run *const run = &record->run[i];
		const struct sd_value user = run->metric[SD_METRIC_USER],
				      kernel = run->metric[SD_METRIC_SYSTEM];

		if (!sd_one_run_counts(run, 0) || !sd_has(user) || !sd_has(kernel))
			continue;
		w.differs |= w.n > 0 && run->stdout_digest != digest;
		digest = run->stdout_digest;
		cpu[w.n++] = user.value + kernel.value;
	}
	if (w.n >= ERRATIC_LEAST) {
		qsort(cpu, w.n, sizeof *cpu, by_value);
		w.least = cpu[0];
		w.most = cpu[w.n - 1];
		w.low = cpu[w.n / 4];
		w.high = cpu[w.n - 1 - w.n / 4];
	}
	free(cpu);
	return w;
}

/* Does it compare runs of the program, that is by more than what one of them shows? */
static int compares(enum sd_experiment e)
{
	return e != SD_EXPERIMENT_SOFTWARE_PMU && e != SD_EXPERIMENT_ADD_LOOP &&
	       e != SD_EXPERIMENT_RACE_CHECK;
}

int sd_experiments_lacks_reference(const struct sd_record *record, size_t index)
{
	const struct sd_plan *const plan = &record->plan;
	const struct worked w = worked(record);

	return index < plan->n_experiment && compares(plan->experiment[index].experiment) &&
	       !record->program.rate && w.differs &&
	       w.n < (w.most > ERRATIC * w.least ? ERRATIC_SURE : ERRATIC_LEAST) &&
	       (!plan->max_repeats || w.n < plan->max_repeats);
}

static int cannot_compare(struct sd_arm_round *r)
{
	const struct sd_record *const record = r->t->record;
	const struct worked w = worked(record);

	if (!w.differs || record->program.rate || w.high <= ERRATIC * w.low)
		return 0;
	SD_GIVE_UP(r,
		"the program's work differs from run to run (%.3g to %.3g s of CPU time at %u "
		"core%s, with other output): fix what it depends on, time or chance, or let --rate "
		"read its throughput",
		w.low, w.high, r->plan->point[0].cores, r->plan->point[0].cores == 1 ? "" : "s");
	return 1;
}

int sd_experiments_round(const struct sd_experiments *x, const struct sd_trial *t,
	struct sd_plan *plan, size_t index, double deadline)
{
	struct sd_plan_experiment *const e = &plan->experiment[index];
	struct sd_arm_round r = {
		.x = x, .t = t, .plan = plan, .e = e, .index = index, .deadline = deadline};
	const int simulated = e->experiment == SD_EXPERIMENT_SOFTWARE_PMU;
	int rc = simulated                                       ? sd_software_pmu_run(&r, e->point)
		 : compares(e->experiment) && cannot_compare(&r) ? 1
								 : one_pair(&r, e->point);

	if (!rc && sd_experiment_info[e->experiment].at == SD_EXPERIMENT_AT_BOTH)
		rc = simulated ? sd_software_pmu_run(&r, 0) : one_pair(&r, 0);
	if (rc == 1) {
		e->skipped = strdup(r.why);
		e->unended_s = r.unended_s;
		rc = e->skipped ? 0 : -ENOMEM;
	}
	return rc;
}
