#include "experiment/arm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "experiment/race_check.h"
#include "experiment/thief_process.h"
#include "plan/one_run.h"
#include "plan/schedule.h"
#include "experiment/treatments.h"

/* Copies are not tried if they would not fit into memory. */
static int fits_memory(struct sd_arm_round *r)
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
		most * (double)n <= SD_ARM_MEMORY_SHARE * record->host.memory_bytes.value)
		return 1;
	SD_GIVE_UP(
		r, "%zu copies of %.1f GB do not fit into the memory that is free", n, most * 1e-9);
	return 0;
}

static int run_copies(struct sd_arm_round *r, struct sd_run *run)
{
	char shared[200];
	int rc;

	if (!fits_memory(r))
		return 0;
	rc = sd_trial_copies(
		r->t, run, &r->e->cpus, sd_arm_timeout(r, run->point), shared, sizeof shared);
	if (rc == -ENOTSUP) {
		SD_GIVE_UP(r, "the folders for the copies (--isolate) could not be made");
		return 0;
	}
	if (rc == 0 && shared[0])
		SD_GIVE_UP(r, "copies would overwrite %s: measure again with --isolate", shared);
	if (rc == 0 && !r->why[0] && sd_one_run_good(run))
		sd_arm_judge_copies(r, run);
	return rc;
}

static int run_beside_thief(struct sd_arm_round *r, struct sd_run *run)
{
	const struct sd_thief *const *thief = r->x->thieves;
	const char *name = sd_experiment_info[r->e->experiment].name;
	const struct sd_trial_change change = {.timeout_s = sd_arm_timeout(r, run->point)};
	const struct sd_value llc = r->t->record->host.llc_bytes;
	struct sd_thief_ask ask = {.cpus = &r->e->cpus};
	struct sd_thief_process robbery;
	struct sd_value rate;
	int rc;

	while (thief && *thief && strcmp((*thief)->name, name) != 0)
		thief++;
	if (!thief || !*thief) {
		SD_GIVE_UP(r, "there is no such thief");
		return 0;
	}
	ask.bytes = (*thief)->bytes(sd_has(llc) ? llc.value : 0, (unsigned)r->e->cpus.n + 1);
	rc = sd_thief_process_begin(&robbery, *thief, &ask, r->t->measure->stop);
	if (rc && rc != -EINTR) {
		SD_GIVE_UP(r, "the thief could not begin: %s", strerror(-rc));
		return 0;
	}
	if (rc)
		return rc;
	sd_thief_process_mark(&robbery);
	rc = sd_trial_run(r->t, run, &change);
	rate = sd_thief_process_rate(&robbery);
	if (!rc && !sd_has(rate))
		SD_GIVE_UP(
			r, "it did not take place: the thief moved nothing while the program ran");
	if (!rc && (run->tried = calloc(1, sizeof *run->tried))) {
		run->tried->side[SD_SIDE_THIEF_RATE] = rate;
		run->tried->side[SD_SIDE_THIEF_ALONE] = robbery.alone;
		run->tried->side[SD_SIDE_THIEF_BYTES] = SD_OK((double)ask.bytes);
	}
	sd_thief_process_end(&robbery);
	return rc;
}

/* The kernel of the calibration, at the point's count; the program is not in it. */
static int run_add_loop(struct sd_arm_round *r, struct sd_run *run)
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

	run->start = sd_clock_day();
	while (kernel && *kernel && strcmp((*kernel)->name, "frequency") != 0)
		kernel++;
	if (!kernel || !*kernel) {
		SD_GIVE_UP(r, "the calibration has no such kernel");
		return 0;
	}
	run->tried = calloc(1, sizeof *run->tried);
	rc = run->tried ? (*kernel)->run(&env, &rows) : -ENOMEM;
	for (size_t i = 0; i < rows.n && !rc; i++) {
		const struct sd_bench_row *row = &rows.row[i];

		if (strcmp(row->unit, "ratio") != 0 || row->cores != cores)
			continue;
		if (row->status != SD_STATUS_OK) {
			SD_GIVE_UP(r, "the clock could not be measured: %s", row->why);
			continue;
		}
		run->tried->side[SD_SIDE_CLOCK] = SD_OK(row->median);
		run->tried->side[SD_SIDE_CLOCK_LOW] = SD_OK(row->q1);
		run->tried->side[SD_SIDE_CLOCK_HIGH] = SD_OK(row->q3);
	}
	if (!rc && !r->why[0] && !sd_has(run->tried->side[SD_SIDE_CLOCK]))
		SD_GIVE_UP(r, "the clock could not be measured");
	sd_bench_rows_free(&rows);
	return rc;
}

static int run_treated(struct sd_arm_round *r, struct sd_run *run)
{
	const struct sd_treatment *treatment = &sd_treatment[r->e->experiment];
	struct sd_environment_setting variable[SD_TREATMENT_VARIABLES + 1] = {{0}};
	struct sd_trial_change change = {.variable = variable,
		.tune = treatment->tune,
		.sampled = treatment->sampled,
		.cpus = r->e->cpus.n ? &r->e->cpus : NULL,
		.timeout_s = sd_arm_timeout(r, run->point)};
	const char *library =
		r->e->experiment == SD_EXPERIMENT_PADDING ? r->x->pad : r->x->allocator;
	/* the kernel shows a file by its own path, whatever link it was loaded by */
	char *const file = library ? realpath(library, NULL) : NULL;
	const char *const preloaded[] = {file ? basename(file) : NULL, NULL};
	int rc;

	while (treatment->variable[change.n_variable].name) {
		struct sd_environment_setting *v = &variable[change.n_variable];

		*v = treatment->variable[change.n_variable++];
		if (!*v->value)
			v->value = library;
		if (!v->value || (v->value == library && !file)) {
			SD_GIVE_UP(r, "the library to preload is not there");
			free(file);
			return 0;
		}
	}
	rc = sd_arm_witnessed(r, run, &change, preloaded);
	free(file);
	return rc;
}

int sd_arm_run(struct sd_arm_round *r, struct sd_run *run, enum sd_arm arm)
{
	const struct sd_trial_change plain = {.sampled = sd_treatment[r->e->experiment].sampled};

	if (r->e->experiment == SD_EXPERIMENT_WARM_CACHE)
		return sd_arm_cached(r, run, arm);
	if (arm == SD_ARM_PLAIN)
		return sd_trial_run(r->t, run, &plain);
	switch (r->e->experiment) {
	case SD_EXPERIMENT_REPLICAS:
		return run_copies(r, run);
	case SD_EXPERIMENT_BANDWIDTH_THIEF:
	case SD_EXPERIMENT_CACHE_THIEF:
		return run_beside_thief(r, run);
	case SD_EXPERIMENT_ADD_LOOP:
		return run_add_loop(r, run);
	case SD_EXPERIMENT_PREFETCHERS:
		return sd_arm_prefetchers(r, run);
	case SD_EXPERIMENT_RACE_CHECK:
		return sd_race_check_run(r, run);
	default:
		return run_treated(r, run);
	}
}
