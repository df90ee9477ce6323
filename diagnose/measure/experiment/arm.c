#include "experiment/arm.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "experiment/thief_process.h"
#include "experiment/valgrind_races.h"
#include "plan/one_run.h"
#include "plan/schedule.h"
#include "experiment/treatments.h"

/* Helgrind lets one thread run at a time and is 20 to 100 times as slow; s at least. */
#define SLOWER 300.0
#define PATIENCE_S 60.0

#define SUFFIX ".xml"

/* A file of more bytes has more errors than anybody reads. */
#define FILE_MOST ((size_t)64 << 20)

static double longest(const struct sd_arm_round *r, size_t point)
{
	const double cpu =
		sd_schedule_wall(r->t->record, point) * (double)r->plan->point[point].cpus.n;

	return fmax(PATIENCE_S, SLOWER * (isfinite(cpu) ? cpu : 0));
}

static char *read_whole(const char *path, size_t *size)
{
	FILE *const f = fopen(path, "re");
	char *text = NULL;
	long n = -1;

	*size = 0;
	if (!f)
		return NULL;
	if (fseek(f, 0, SEEK_END) == 0)
		n = ftell(f);
	if (n > 0 && (size_t)n <= FILE_MOST && fseek(f, 0, SEEK_SET) == 0)
		text = malloc((size_t)n);
	*size = text ? fread(text, 1, (size_t)n, f) : 0;
	fclose(f);
	return text;
}

/* The files of all processes, and their folder; removed. How many said something goes to *found. */
static int take_files(
	const char *folder, struct sd_stacks *stacks, struct sd_experiment_run *out, size_t *found)
{
	DIR *const d = opendir(folder);
	const struct dirent *e;
	int rc = 0;

	while (d && (e = readdir(d))) {
		const size_t n = strlen(e->d_name), end = sizeof SUFFIX - 1;
		char *path = NULL, *text = NULL;
		size_t size = 0;

		if (n <= end || strcmp(e->d_name + n - end, SUFFIX) != 0)
			continue;
		if (rc == 0 && stacks && asprintf(&path, "%s/%s", folder, e->d_name) < 0) {
			path = NULL;
			rc = -ENOMEM;
		}
		if (path)
			text = read_whole(path, &size);
		if (text)
			rc = sd_valgrind_races_add(text, size, stacks, out);
		*found += text && rc == 0;
		rc = rc == -EINVAL ? 0 : rc;
		free(text);
		free(path);
		unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
	rmdir(folder);
	return rc;
}

static int take_races(struct sd_arm_round *r, struct sd_run *run, const char *path)
{
	size_t found = 0;
	int rc;

	run->tried = calloc(1, sizeof *run->tried);
	if (!run->tried)
		return -ENOMEM;
	rc = take_files(path, r->t->stacks, run->tried, &found);
	if (rc == 0 && found == 0)
		SD_GIVE_UP(r, "Valgrind wrote nothing that can be read");
	return rc;
}

/* Makes one run, with the races in run->tried. As sd_arm_run(). */
static int race_check_run(struct sd_arm_round *r, struct sd_run *run)
{
	/* of ours, where nobody else has put a link */
	char *const folder = sd_trial_beside_absolute(r->t, "races");
	char *file = NULL;
	size_t ignored = 0;
	int rc = folder ? 0 : -ENOMEM;

	/* %p: of each process */
	if (rc == 0 && asprintf(&file, "--xml-file=%s/%%p" SUFFIX, folder) < 0) {
		file = NULL;
		rc = -ENOMEM;
	}
	if (rc == 0)
		rc = sd_trial_make_folder(r->t, folder, 1, "Valgrind's reports");
	if (rc == 0) {
		const char *const under[] = {"valgrind", "--tool=helgrind", "--xml=yes", file,
			"--trace-children=yes", NULL};
		/* only programs that load it tell Helgrind of their locks */
		static const char *const told[] = {"vgpreload_helgrind-", NULL};
		struct sd_trial_change change = {
			.timeout_s = longest(r, run->point), .under = under};

		rc = sd_arm_witnessed(r, run, &change, told);
		if (rc == 0 && !r->why[0] && sd_one_run_good(run))
			rc = take_races(r, run, folder);
		else
			(void)take_files(folder, NULL, NULL, &ignored);
	}
	free(file);
	free(folder);
	return rc;
}

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
		return race_check_run(r, run);
	default:
		return run_treated(r, run);
	}
}
