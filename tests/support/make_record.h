/*
 * Synthetic records for tests: a plan of the given counts on CPUs 0, 1, …, and runs with the values
 * that every run has. Tests set what they are about.
 */
#ifndef SD_MAKE_RECORD_H
#define SD_MAKE_RECORD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

static inline void *make_zeroed(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		abort();
	return p;
}

/* A machine of n CPUs, the program "./app 100", strong scaling, no runs. */
static inline void make_record(struct sd_record *r, const unsigned *cores, size_t n)
{
	const unsigned cpus = n ? cores[n - 1] : 1;

	*r = (struct sd_record){.tool_version = "0.1.0", .complete = 1};
	r->host = (struct sd_host){.name = "node",
		.cpu = "Test CPU",
		.kernel = "Linux 6.1",
		.online = cpus,
		.allowed = cpus,
		.granted = cpus,
		.cores = cpus,
		.packages = 1,
		.numa = 1,
		.llc = 1,
		.kinds = 1,
		.tsc_hz = SD_OK(2e9),
		.llc_bytes = SD_OK(33554432),
		.memory_bytes = SD_OK(8e9),
		.pmu = SD_STATUS_UNSUPPORTED,
		.perf_paranoid = 2};
	sd_texts_add(&r->program.argv, "./app");
	sd_texts_add(&r->program.argv, "100");
	r->program.cwd = strdup("/home/user");
	r->plan.seed = 1;
	r->plan.max_repeats = 30;
	r->plan.point = make_zeroed(n, sizeof *r->plan.point);
	r->plan.n_point = n;
	for (size_t i = 0; i < n; i++) {
		r->plan.point[i].cores = cores[i];
		for (unsigned c = 0; c < cores[i]; c++)
			sd_cpulist_add(&r->plan.point[i].cpus, c);
	}
}

/* Appends a finished run of a point; the rest of its metrics are absent. */
static inline struct sd_run *make_run(
	struct sd_record *r, size_t point, double wall, double user, double system)
{
	struct sd_run *run;

	r->run = realloc(r->run, (r->n_run + 1) * sizeof *r->run);
	if (!r->run)
		abort();
	run = &r->run[r->n_run];
	*run = (struct sd_run){.point = point, .kind = SD_RUN_BLOCK, .end = SD_END_EXITED};
	run->start = 1.7e9 + (double)r->n_run;
	for (size_t i = 0; i < r->n_run; i++) /* blocks count from 0 at each point */
		run->block += r->run[i].point == point && r->run[i].kind == SD_RUN_BLOCK;
	run->metric[SD_METRIC_WALL] = SD_OK(wall);
	run->metric[SD_METRIC_USER] = SD_OK(user);
	run->metric[SD_METRIC_SYSTEM] = SD_OK(system);
	r->n_run++;
	return run;
}

/* The idle core-seconds of a run: one class; the others become 0, as a poller leaves them. */
static inline void make_idle(struct sd_run *run, enum sd_idle idle, double core_s)
{
	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if (run->idle[i].status == SD_STATUS_ABSENT)
			run->idle[i] = SD_OK(0);
	run->idle[idle] = SD_OK(core_s);
}

/* s with exactly k threads busy, k = 0..n-1. */
static inline void make_concurrency(struct sd_run *run, const double *seconds, size_t n)
{
	free(run->concurrency);
	run->concurrency = make_zeroed(n, sizeof *seconds);
	memcpy(run->concurrency, seconds, n * sizeof *seconds);
	run->n_concurrency = n;
}

static inline struct sd_thread *make_thread(struct sd_run *run, int tid, double cpu)
{
	run->thread = realloc(run->thread, (run->n_thread + 1) * sizeof *run->thread);
	if (!run->thread)
		abort();
	run->thread[run->n_thread] = (struct sd_thread){.pid = 100, .tid = tid, .name = "app"};
	run->thread[run->n_thread].cpu = SD_OK(cpu);
	run->n_thread_seen++;
	return &run->thread[run->n_thread++];
}

#endif
