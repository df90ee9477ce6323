/*
 * A program of made-up arms, and what they changed.
 */
#ifndef SD_TEST_ARM_WORLD_H
#define SD_TEST_ARM_WORLD_H

#include <signal.h>
#include <sys/stat.h>

#include "support/measure_fakes.h"
#include "experiment/experiments.h"
#include "experiment/input_files.h"
#include "experiment/msr.h"
#include "experiment/prefetchers.h"

#define MSR 420u
#define INPUT_BYTES ((size_t)4 << 20)

struct world {
	char folder[128], record_path[200], input[200], old_bits[200];
	char *argv[5];
	struct sd_options options;
	struct sd_record record;
	struct sd_measure measure;
	struct sd_trial trial;
	struct sd_experiments experiments;
	struct sd_prefetchers_of prefetchers;
	struct sd_input_files inputs;
	struct said said;
	struct sd_sink sink;
	volatile sig_atomic_t stop;
	/* of the runs that were kept */
	char text[2][64]; /* what the program printed, by arm */
	unsigned kept[2];
	struct sd_value cached[2];
};

static inline void evict(const char *path)
{
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

static inline int keep(void *ctx, struct sd_run *run)
{
	struct world *w = ctx;
	const enum sd_arm arm = run->tried->arm;

	read_file(w->trial.stdout_path, w->text[arm], sizeof w->text[arm]);
	w->cached[arm] = run->tried->side[SD_SIDE_CACHED];
	w->kept[arm]++;
	evict(w->input);
	sd_run_free(run);
	return 0;
}

/* A plan of two points on the CPUs there are, and the one experiment. */
static inline void plan(struct world *w, enum sd_experiment e)
{
	struct sd_plan *p = &w->record.plan;
	cpu_set_t set;
	unsigned cpu = 0;

	sched_getaffinity(0, sizeof set, &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	p->point = calloc(2, sizeof *p->point);
	p->n_point = 2;
	for (unsigned i = 0; i < 2; i++) {
		p->point[i].cores = i + 1;
		assert_int_equal(sd_cpulist_add(&p->point[i].cpus, cpu), 0);
	}
	p->experiment = calloc(1, sizeof *p->experiment);
	p->n_experiment = 1;
	p->experiment[0] = (struct sd_plan_experiment){.experiment = e, .point = 1};
}

static inline void make_world(struct world *w, enum sd_experiment e, const char *script)
{
	static const struct sd_probe *const none[] = {NULL};
	char path[400], *bytes = calloc(1, INPUT_BYTES + 1);

	*w = (struct world){.sink = {.emit = hear_said, .ctx = &w->said}};
	make_folder(w->folder, sizeof w->folder);
	snprintf(w->record_path, sizeof w->record_path, "%s/r.json", w->folder);
	snprintf(w->input, sizeof w->input, "%s/input", w->folder);
	snprintf(w->old_bits, sizeof w->old_bits, "%s/old-bits", w->folder);
	memset(bytes, 'x', INPUT_BYTES);
	write_file(w->input, bytes, 0600);
	free(bytes);
	evict(w->input);
	snprintf(path, sizeof path, "mkdir -p '%s/dev/cpu/0' '%s/dev/cpu/1'", w->folder, w->folder);
	assert_int_equal(system(path), 0);
	w->argv[0] = strdup("/bin/sh");
	w->argv[1] = strdup("-c");
	w->argv[2] = strdup(script);
	w->options = (struct sd_options){.argv = w->argv, .argc = 3, .cwd = w->folder, .no_env = 1};
	w->measure = (struct sd_measure){.options = &w->options,
		.probes = none,
		.os_only = 1,
		.record_path = w->record_path,
		.stop = &w->stop};
	w->prefetchers = (struct sd_prefetchers_of){.msr = sd_msr_of(w->folder),
		.bits = {.msr = MSR, .off = 0xf, .source = "test"},
		.file = w->old_bits};
	w->experiments = (struct sd_experiments){
		.prefetchers = &w->prefetchers, .inputs = &w->inputs, .keep = keep, .keep_ctx = w};
	plan(w, e);
	assert_int_equal(sd_trial_open(&w->trial, &w->measure, &w->record, &w->sink), 0);
}

static inline void drop_world(struct world *w)
{
	char command[200];

	assert_no_children();
	sd_trial_close(&w->trial);
	sd_record_free(&w->record);
	sd_input_files_free(&w->inputs);
	for (int i = 0; i < 3; i++)
		free(w->argv[i]);
	snprintf(command, sizeof command, "rm -r '%s'", w->folder);
	assert_int_equal(system(command), 0);
}

static inline int round_of(struct world *w)
{
	return sd_experiments_round(&w->experiments, &w->trial, &w->record.plan, 0, 0);
}

static inline const char *skipped(const struct world *w)
{
	const char *why = w->record.plan.experiment[0].skipped;

	return why ? why : "";
}

#endif
