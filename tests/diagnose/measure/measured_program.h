/*
 * A small program measured to a plan.
 */
#ifndef SD_TEST_MEASURED_PROGRAM_H
#define SD_TEST_MEASURED_PROGRAM_H

#include <signal.h>

#include "support/measure_fakes.h"
#include "support/make_record.h"
#include "experiment/experiments.h"
#include "measure/measure.h"
#include "record/record_file.h"

#define POINTS 2

/* A plan of 1 and 2 cores on the CPUs of this process, and a shell script as the program. */
struct fixture {
	char folder[256], path[300], log[300];
	struct said said;
	struct sd_sink sink;
	struct sd_options options;
	struct sd_measure measure;
	struct sd_record record;
	char *argv[4], *env[1], *variable;
	volatile sig_atomic_t stop;
	unsigned shown;
	double left;
	size_t stop_after;                /* runs; 0 = never */
	unsigned glances, known, guessed; /* looks taken; times with an estimate of what is left,
					     and without one after a run ended */
	size_t runs_at_glance;            /* of the first look */
	const char *glance;               /* shown last */
};

static inline void on_progress(void *ctx, const struct sd_progress *p)
{
	struct fixture *f = ctx;

	f->shown++;
	f->left = p->left_s;
	f->known += p->done > 0 && p->left_s >= 0;
	f->guessed += p->done > 0 && p->left_s < 0;
	f->glance = p->glance;
	assert_true(p->planned >= p->done);
	assert_true(p->cores == 1 || p->cores == 2);
	assert_non_null(p->why);
	if (f->stop_after && p->done >= f->stop_after)
		f->stop = 1;
}

static inline int setup(void **state)
{
	static const unsigned cores[POINTS] = {1, 2};
	struct fixture *f = calloc(1, sizeof *f);
	cpu_set_t set;
	unsigned n = 0;

	assert_non_null(f);
	make_folder(f->folder, sizeof f->folder);
	snprintf(f->path, sizeof f->path, "%s/t.scalediag.json", f->folder);
	snprintf(f->log, sizeof f->log, "%s/log", f->folder);
	assert_true(asprintf(&f->variable, "LOG=%s", f->log) > 0);
	f->env[0] = f->variable;
	make_record(&f->record, cores, POINTS);
	sched_getaffinity(0, sizeof set, &set);
	for (size_t p = 0; p < POINTS; p++)
		sd_cpulist_free(&f->record.plan.point[p].cpus);
	for (unsigned c = 0; c < CPU_SETSIZE && n < POINTS; c++)
		if (CPU_ISSET(c, &set)) {
			n++;
			for (size_t p = n - 1; p < POINTS; p++)
				sd_cpulist_add(&f->record.plan.point[p].cpus, c);
		}
	f->record.complete = 0;
	f->record.plan.min_repeats = f->record.plan.max_repeats = 3;
	f->record.plan.seed = 42;
	f->sink = (struct sd_sink){.emit = hear_said, .ctx = &f->said};
	f->argv[0] = strdup("sh");
	f->argv[1] = strdup("-c");
	f->options = (struct sd_options){.argv = f->argv, .argc = 3, .env = f->env, .n_env = 1};
	f->measure = (struct sd_measure){.options = &f->options,
		.record_path = f->path,
		.stop = &f->stop,
		.progress = on_progress,
		.progress_ctx = f};
	fake_lines = fake_line_calls = 0;
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	assert_no_children();
	sd_record_free(&f->record);
	remove_folder(f->folder);
	for (int i = 0; i < 3; i++)
		free(f->argv[i]);
	free(f->variable);
	free(f);
	return 0;
}

static inline int measure(struct fixture *f, const char *script)
{
	free(f->argv[2]);
	f->argv[2] = strdup(script);
	return sd_measure(&f->measure, &f->record, &f->sink);
}

static inline unsigned count(const struct sd_record *r, size_t point, enum sd_run_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_run; i++)
		n += r->run[i].point == point && r->run[i].kind == kind;
	return n;
}

#endif
