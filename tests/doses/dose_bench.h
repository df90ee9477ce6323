/*
 * One diagnosis of a dose: by which program, started how, in which cgroup.
 */
#ifndef DOSE_BENCH_H
#define DOSE_BENCH_H

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doses/dose_table.h"

struct bench {
	char folder[512], log[600], record[600], errors[600];
	char seconds[16], counts[16], group[64];
	unsigned n;      /* the largest count */
	int group_is_v1; /* version 1 has the quota in two files */
	const char *mpi; /* implementation that ranks are started by: the launcher's suffix */
};

/* ---- a CPU quota ---- */

static inline int bench_write(const char *folder, const char *file, const char *text)
{
	char path[128];
	FILE *f;
	int rc;

	snprintf(path, sizeof path, "%s/%s", folder, file);
	f = fopen(path, "we");
	rc = f && fputs(text, f) >= 0 ? 0 : -1;
	return f && fclose(f) ? -1 : rc;
}

/* Makes the group, which goes before all others: else these have what its quota leaves. -1: none
 * whose quota we may set. */
static inline int bench_open_group(struct bench *b)
{
	static const char *const root[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/cpu"};
	static const char *const file[] = {"cpu.max", "cpu.cfs_quota_us"};
	static const char *const weight[] = {"cpu.weight", "cpu.shares"};
	static const char *const most[] = {"10000", "262144"};
	char path[128];

	for (int i = 0; i < 2; i++) {
		snprintf(b->group, sizeof b->group, "%s/dose-%d", root[i], (int)getpid());
		snprintf(path, sizeof path, "%s/%s", b->group, file[i]);
		b->group_is_v1 = i;
		if (mkdir(b->group, 0755) == 0 && access(path, W_OK) == 0)
			return bench_write(b->group, weight[i], most[i]);
		(void)rmdir(b->group);
	}
	b->group[0] = '\0';
	return -1;
}

static inline void bench_close_group(struct bench *b)
{
	if (b->group[0])
		(void)rmdir(b->group);
	b->group[0] = '\0';
}

#define BENCH_PERIOD 20000 /* us of a quota, so that short runs have many */

/* CPUs that remain of n: one thread alone is never held back. */
static inline double bench_quota(double share, unsigned n)
{
	return fmax(1.1, n * (1 - share));
}

/* CPUs for the group; 0: all. */
static inline int bench_set_quota(const struct bench *b, double cpus)
{
	const int us = cpus > 0 ? (int)(cpus * BENCH_PERIOD) : -1;
	char text[64];

	if (!b->group_is_v1) {
		snprintf(text, sizeof text, us < 0 ? "max" : "%d %d", us, BENCH_PERIOD);
		return bench_write(b->group, "cpu.max", text);
	}
	snprintf(text, sizeof text, "%d", BENCH_PERIOD);
	if (bench_write(b->group, "cpu.cfs_period_us", text))
		return -1;
	snprintf(text, sizeof text, "%d", us);
	return bench_write(b->group, "cpu.cfs_quota_us", text);
}

/* ---- a diagnosis ---- */

/* Whatever follows is run inside of the group. */
static inline void add_group(const struct bench *b, struct command *c, char script[128])
{
	if (!b->group[0])
		return;
	snprintf(script, 128, "echo $$ > %s/cgroup.procs; exec \"$@\"", b->group);
	add(c, "/bin/sh");
	add(c, "-c");
	add(c, script);
	add(c, "dose");
}

/* The program of one dose or two; ranks have a program for each implementation of MPI. */
static inline void add_program(const struct bench *b, struct command *c, char name[2][700])
{
	if (!b->mpi) {
		snprintf(name[0], 700, "%s/dose", b->folder);
	} else {
		snprintf(name[0], 700, "%s/rank_dose_%s", b->folder, b->mpi);
		snprintf(name[1], 700, "mpirun.%s", b->mpi);
		add(c, name[1]);
		add(c, "-n");
		add(c, "{ranks}");
	}
	add(c, name[0]);
}

static inline json_t *bench_diagnose(const struct bench *b, const char *dose, const char *second)
{
	const char *const options = getenv("DOSES_OPTIONS");
	char name[2][700], script[128];
	struct command c = {0};

	remove(b->log);
	remove(b->record);
	add_group(b, &c, script);
	add(&c, scalediag());
	add(&c, b->mpi ? "--ranks" : "--cores");
	add(&c, b->counts);
	add(&c, "--json");
	add(&c, "--cwd");
	add(&c, b->folder);
	add(&c, "-o");
	add(&c, b->record);
	if (b->group[0]) /* fewer CPUs than threads are the dose */
		add(&c, "--oversubscribe");
	add_words(&c, options ? options : "--repeats 5 --experiments none");
	add(&c, "--");
	add_program(b, &c, name);
	add(&c, b->seconds);
	add(&c, dose);
	if (second)
		add(&c, second);
	return run(c.argv, b->errors);
}

static inline int open_bench(struct bench *b, const char *folder)
{
	const char *const seconds = getenv("DOSES_SECONDS");
	char *const full = realpath(folder, NULL);
	double load = 0;
	cpu_set_t set;

	if (!full || sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 2)
		return -1;
	b->n = (unsigned)CPU_COUNT(&set);
	snprintf(b->folder, sizeof b->folder, "%s", full);
	free(full);
	snprintf(b->log, sizeof b->log, "%s/log", b->folder);
	snprintf(b->record, sizeof b->record, "%s/record.json", b->folder);
	snprintf(b->errors, sizeof b->errors, "%s/errors", b->folder);
	snprintf(b->seconds, sizeof b->seconds, "%s", seconds ? seconds : ".4");
	snprintf(b->counts, sizeof b->counts, "1,%u", b->n);
	(void)getloadavg(&load, 1);
	printf("%u CPUs, load %.2f; %% are of the %u cores\n", b->n, load, b->n);
	return setenv("DOSE_LOG", b->log, 1);
}

#endif
