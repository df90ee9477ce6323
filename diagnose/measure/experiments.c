#include "experiments.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "robbery.h"
#include "schedule.h"
#include "treatment.h"

/* A changed run that takes so many times a plain one's time says all that it can say. */
#define TIMES_MOST 10.0
#define TIMEOUT_LEAST 5.0

/* Copies may take this much of the memory that was free at the start. */
#define MEMORY_SHARE .8

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
		else
			rc = sd_treatment[i].look(w, plan, e, why, sizeof why);
		if (!rc && why[0] && !(e->skipped = strdup(why)))
			rc = -ENOMEM;
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- one pair ---- */

struct round {
	const struct sd_experiments *x;
	const struct sd_trial *t;
	struct sd_plan *plan;
	struct sd_plan_experiment *e;
	size_t index;
	double deadline;
	char why[400]; /* it does not work: the reason */
};

#define GIVE_UP(r, ...) snprintf((r)->why, sizeof(r)->why, __VA_ARGS__)

static double timeout_of(const struct round *r, size_t point)
{
	const double plain = sd_schedule_wall(r->t->record, point);
	const double given = r->t->measure->options->timeout_s;
	const double own = isfinite(plain) ? fmax(TIMEOUT_LEAST, TIMES_MOST * plain) : 0;

	return given > 0 && (own <= 0 || given < own) ? given : own;
}

static unsigned pairs_of(const struct round *r, size_t point, enum sd_arm arm)
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

/* Copies that would not fit into memory are not tried. */
static int fits_memory(struct round *r)
{
	const struct sd_record *record = r->t->record;
	const size_t n = r->e->cpus.n / record->plan.point[r->e->point].cpus.n;
	double most = 0;

	for (size_t i = 0; i < record->n_run; i++) {
		const struct sd_value rss = record->run[i].metric[SD_METRIC_MAX_RSS];

		if (record->run[i].point == r->e->point && sd_has(rss) && rss.value > most)
			most = rss.value;
	}
	if (!sd_has(record->host.memory_bytes) ||
		most * (double)n <= MEMORY_SHARE * record->host.memory_bytes.value)
		return 1;
	GIVE_UP(r, "%zu copies of %.1f GB do not fit into the memory that is free", n, most * 1e-9);
	return 0;
}

static int run_copies(struct round *r, struct sd_run *run)
{
	char shared[200];
	int rc;

	if (!fits_memory(r))
		return 0;
	rc = sd_trial_copies(
		r->t, run, &r->e->cpus, timeout_of(r, run->point), shared, sizeof shared);
	if (rc == 0 && shared[0])
		GIVE_UP(r,
			"the copies write the same file %s: --isolate gives each a folder of its "
			"own",
			shared);
	return rc;
}

static int run_beside_thief(struct round *r, struct sd_run *run)
{
	const struct sd_thief *const *thief = r->x->thieves;
	const char *name = sd_experiment_info[r->e->experiment].name;
	const struct sd_trial_change change = {.timeout_s = timeout_of(r, run->point)};
	const struct sd_value llc = r->t->record->host.llc_bytes;
	struct sd_thief_ask ask = {.cpus = &r->e->cpus};
	struct sd_robbery robbery;
	struct sd_value rate;
	int rc;

	while (thief && *thief && strcmp((*thief)->name, name) != 0)
		thief++;
	if (!thief || !*thief) {
		GIVE_UP(r, "there is no such thief");
		return 0;
	}
	ask.bytes = (*thief)->bytes(sd_has(llc) ? llc.value : 0, (unsigned)r->e->cpus.n + 1);
	rc = sd_robbery_begin(&robbery, *thief, &ask, r->t->measure->stop);
	if (rc && rc != -EINTR) {
		GIVE_UP(r, "the thief could not begin: %s", strerror(-rc));
		return 0;
	}
	if (rc)
		return rc;
	sd_robbery_mark(&robbery);
	rc = sd_trial_run_changed(r->t, run, &change, r->deadline);
	rate = sd_robbery_rate(&robbery);
	if (!rc && (run->tried = calloc(1, sizeof *run->tried))) {
		run->tried->side[SD_SIDE_THIEF_RATE] = rate;
		run->tried->side[SD_SIDE_THIEF_ALONE] = robbery.alone;
		run->tried->side[SD_SIDE_THIEF_BYTES] = SD_OK((double)ask.bytes);
	}
	sd_robbery_end(&robbery);
	return rc;
}

/* The kernel of the calibration, at the point's count; the program is not in it. */
static int run_add_loop(struct round *r, struct sd_run *run)
{
	const unsigned cores = (unsigned)r->plan->point[run->point].cpus.n;
	const struct sd_kernel_env env = {.topology = r->x->topology,
		.cores = &cores,
		.n_cores = 1,
		.budget_s = 1,
		.stop = r->t->measure->stop,
		.sink = r->t->sink};
	const struct sd_kernel *const *kernel = r->x->kernels;
	struct sd_bench_rows rows = {0};
	int rc = 0;

	while (kernel && *kernel && strcmp((*kernel)->name, "frequency") != 0)
		kernel++;
	if (!kernel || !*kernel) {
		GIVE_UP(r, "the calibration has no such kernel");
		return 0;
	}
	run->tried = calloc(1, sizeof *run->tried);
	rc = run->tried ? (*kernel)->run(&env, &rows) : -ENOMEM;
	for (size_t i = 0; i < rows.n && !rc; i++) {
		const struct sd_bench_row *row = &rows.row[i];

		if (strcmp(row->unit, "ratio") != 0 || row->cores != cores)
			continue;
		if (row->status != SD_STATUS_OK) {
			GIVE_UP(r, "the clock could not be measured: %s", row->why);
			continue;
		}
		run->tried->side[SD_SIDE_CLOCK] = SD_OK(row->median);
		run->tried->side[SD_SIDE_CLOCK_LOW] = SD_OK(row->q1);
		run->tried->side[SD_SIDE_CLOCK_HIGH] = SD_OK(row->q3);
	}
	if (!rc && !r->why[0] && !sd_has(run->tried->side[SD_SIDE_CLOCK]))
		GIVE_UP(r, "the clock could not be measured");
	sd_bench_rows_free(&rows);
	return rc;
}

/* The files that the arguments name, into the page cache. */
static void read_ahead(const struct sd_options *o)
{
	for (size_t i = 1; i < o->argc; i++) {
		const int fd = open(o->argv[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		char buffer[65536];

		while (fd >= 0 && read(fd, buffer, sizeof buffer) > 0)
			;
		if (fd >= 0)
			close(fd);
	}
}

static int run_treated(struct round *r, struct sd_run *run)
{
	const struct sd_treatment *treatment = &sd_treatment[r->e->experiment];
	struct sd_trial_variable variable[SD_TREATMENT_VARIABLES];
	struct sd_trial_change change = {.variable = variable,
		.tune = treatment->tune,
		.cpus = r->e->cpus.n ? &r->e->cpus : NULL,
		.timeout_s = timeout_of(r, run->point)};
	const char *library =
		r->e->experiment == SD_EXPERIMENT_PADDING ? r->x->pad : r->x->allocator;

	while (treatment->variable[change.n_variable].name) {
		struct sd_trial_variable *v = &variable[change.n_variable];

		*v = treatment->variable[change.n_variable++];
		if (!*v->value && !library) {
			GIVE_UP(r, "the library to preload is not there");
			return 0;
		}
		if (!*v->value)
			v->value = library;
	}
	if (r->e->experiment == SD_EXPERIMENT_READ_AHEAD)
		read_ahead(r->t->measure->options);
	return sd_trial_run_changed(r->t, run, &change, r->deadline);
}

static int run_arm(struct round *r, struct sd_run *run, enum sd_arm arm)
{
	if (arm == SD_ARM_PLAIN)
		return sd_trial_run(r->t, run, r->deadline);
	switch (r->e->experiment) {
	case SD_EXPERIMENT_REPLICAS:
		return run_copies(r, run);
	case SD_EXPERIMENT_BANDWIDTH_THIEF:
	case SD_EXPERIMENT_CACHE_THIEF:
		return run_beside_thief(r, run);
	case SD_EXPERIMENT_ADD_LOOP:
		return run_add_loop(r, run);
	default:
		return run_treated(r, run);
	}
}

/* Why a run of it is of no use; the program ended well in every plain run before. */
static void judge_end(struct round *r, const struct sd_run *run, enum sd_arm arm)
{
	const char *const who = arm == SD_ARM_PLAIN ? "the program, as it is,"
				: r->e->experiment == SD_EXPERIMENT_REPLICAS
					? "one of several copies at once"
					: "the program under it";

	if (r->why[0] || run->end == SD_END_RATE_MISSING) {
		if (!r->why[0])
			GIVE_UP(r, "%s printed nothing that --rate matches", who);
		return;
	}
	if (run->end == SD_END_TIMEOUT)
		GIVE_UP(r, "%s did not end within %.3g s", who, timeout_of(r, run->point));
	else if (run->end == SD_END_SIGNALLED)
		GIVE_UP(r, "%s was killed by signal %d", who, run->code);
	else
		GIVE_UP(r, "%s exited with status %d%s", who, run->code,
			arm == SD_ARM_PLAIN || r->e->experiment != SD_EXPERIMENT_REPLICAS ? ""
			: r->t->measure->options->isolate
				? ": it cannot run twice at once (a network port, a lock?)"
				: ": it cannot run twice at once (the same file: --isolate; a "
				  "network port)");
}

/* 0 kept; 1 this pair is over, see r->why; -errno. */
static int one_run(struct round *r, size_t point, enum sd_arm arm, unsigned pair)
{
	struct sd_run run = {.point = point, .kind = SD_RUN_EXPERIMENT, .block = pair};
	const int program = arm == SD_ARM_PLAIN || r->e->experiment != SD_EXPERIMENT_ADD_LOOP;
	int rc = run_arm(r, &run, arm);

	if (rc == -ENOEXEC) {
		GIVE_UP(r, "the program could not be started under it");
		rc = 0;
	}
	if (!rc && !r->why[0] && program && !sd_schedule_good(&run))
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
static int one_pair(struct round *r, size_t point)
{
	const unsigned have[2] = {
		pairs_of(r, point, SD_ARM_PLAIN), pairs_of(r, point, SD_ARM_CHANGED)};
	const int alone = r->e->experiment == SD_EXPERIMENT_ADD_LOOP;
	const unsigned pair = have[1] < have[0] || alone ? have[1] : have[0];
	const unsigned first = coin(r->plan->seed, r->index, pair);
	int rc = 0;

	for (unsigned i = 0; i < 2 && !rc; i++) {
		const enum sd_arm arm = (i ^ first) ? SD_ARM_CHANGED : SD_ARM_PLAIN;

		if (have[arm] <= pair && !(alone && arm == SD_ARM_PLAIN))
			rc = one_run(r, point, arm, pair);
	}
	return rc;
}

int sd_experiments_round(const struct sd_experiments *x, const struct sd_trial *t,
	struct sd_plan *plan, size_t index, double deadline)
{
	struct round r = {.x = x,
		.t = t,
		.plan = plan,
		.e = &plan->experiment[index],
		.index = index,
		.deadline = deadline};
	int rc = one_pair(&r, r.e->point);

	if (!rc && sd_experiment_info[r.e->experiment].at == SD_EXPERIMENT_AT_BOTH)
		rc = one_pair(&r, 0);
	if (rc == 1) {
		r.e->skipped = strdup(r.why);
		rc = r.e->skipped ? 0 : -ENOMEM;
	}
	return rc;
}
