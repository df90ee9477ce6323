/*
 * What measuring costs the program: its wall time under all probes against its wall time started
 * bare, in pairs whose order alternates, as a ratio with the 95 % bootstrap interval of its median.
 * Prints; never passes or fails.
 *
 *   bench_overhead [PAIRS [PROGRAM ARG...]]
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launch/launch.h"
#include "base/number.h"
#include "probe/accountant.h"
#include "probe/probe.h"
#include "machine/topology.h"

#define PAIRS_MAX 1000
#define RESAMPLES 2000

static void print(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "bench_overhead: %s\n", text);
}
static const struct sd_sink sink = {.emit = print};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The same start as the launcher's, without anything that measures; seconds, or < 0. */
static double run_bare(char **argv, const struct sd_cpulist *cpus)
{
	cpu_set_t *set = CPU_ALLOC(SD_CPU_MAX);
	const size_t size = CPU_ALLOC_SIZE(SD_CPU_MAX);
	const double start = now();
	int status = -1;
	pid_t pid;

	if (!set)
		return -1;
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < cpus->n; i++)
		CPU_SET_S(cpus->cpu[i], size, set);
	pid = fork();
	if (pid == 0) {
		if (sched_setaffinity(0, size, set) == 0 && freopen("/dev/null", "w", stdout) &&
			freopen("/dev/null", "w", stderr))
			execvp(argv[0], argv);
		_exit(127);
	}
	CPU_FREE(set);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return -1;
	return now() - start;
}

static double run_measured(char **argv, const struct sd_cpulist *cpus, char **envp)
{
	const struct sd_launch launch = {.argv = argv,
		.envp = envp,
		.cpus = cpus,
		.cores = (unsigned)cpus->n,
		.accountant = &sd_accountant_rules,
		.probes = sd_probe_registry};
	struct sd_run run = {0};
	const double start = now();
	double seconds = -1;

	if (sd_launch(&launch, &run, &sink) == 0 && run.end == SD_END_EXITED && run.code == 0)
		seconds = sd_has(run.metric[SD_METRIC_WALL]) ? run.metric[SD_METRIC_WALL].value
							     : now() - start;
	sd_run_free(&run);
	return seconds;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static void report(const char *name, double *ratio, size_t n)
{
	static double sample[PAIRS_MAX], medians[RESAMPLES];
	unsigned short seed[3] = {1, 2, 3};
	double mid;

	for (size_t b = 0; b < RESAMPLES; b++) {
		for (size_t i = 0; i < n; i++)
			sample[i] = ratio[(size_t)nrand48(seed) % n];
		medians[b] = median(sample, n);
	}
	mid = median(ratio, n);
	qsort(medians, RESAMPLES, sizeof medians[0], by_value);
	printf("%-40s measured/bare %.4f  95 %% interval %.4f..%.4f  pairs %zu  spread "
	       "%.4f..%.4f\n",
		name, mid, medians[RESAMPLES / 40], medians[RESAMPLES - 1 - RESAMPLES / 40], n,
		ratio[0], ratio[n - 1]);
	fflush(stdout); /* or every child would print it again */
}

static int bench(
	const char *name, char **argv, const struct sd_cpulist *cpus, char **envp, size_t pairs)
{
	double ratio[PAIRS_MAX];

	if (run_bare(argv, cpus) < 0 || run_measured(argv, cpus, envp) < 0) {
		fprintf(stderr, "bench_overhead: %s does not run\n", argv[0]);
		return 1;
	}
	for (size_t i = 0; i < pairs; i++) {
		const int bare_first = i % 2 == 0;
		const double first =
			bare_first ? run_bare(argv, cpus) : run_measured(argv, cpus, envp);
		const double second =
			bare_first ? run_measured(argv, cpus, envp) : run_bare(argv, cpus);

		if (first <= 0 || second <= 0)
			return 1;
		ratio[i] = bare_first ? second / first : first / second;
	}
	report(name, ratio, pairs);
	return 0;
}

int main(int argc, char **argv, char **envp)
{
	static const char *const programs[] = {"scales", "mutex_bound", "forks"};
	struct sd_topology t = {0};
	struct sd_cpulist cpus = {0};
	uint64_t pairs = 15;
	int rc = 0;

	if (argc > 1 && sd_number_u64(argv[1], 3, PAIRS_MAX, &pairs) != 0) {
		fprintf(stderr, "bench_overhead: PAIRS is a number from 3 to %d\n", PAIRS_MAX);
		return 2;
	}
	if (sd_topology_load(&t, &(struct sd_topology_source){0}, &sink) != 0)
		return 4;
	for (unsigned i = 0; i < t.granted; i++)
		if (sd_cpulist_add(&cpus, t.pu[i].os) != 0)
			return 4;
	if (argc > 2)
		rc = bench(argv[2], argv + 2, &cpus, envp, pairs);
	else
		for (size_t i = 0; i < sizeof programs / sizeof programs[0] && rc == 0; i++) {
			char path[4096], *words[] = {path, NULL};
			const char *const slash = strrchr(argv[0], '/');

			/* built beside this program */
			snprintf(path, sizeof path, "%.*sprograms/%s",
				slash ? (int)(slash + 1 - argv[0]) : 0, argv[0], programs[i]);
			rc = bench(programs[i], words, &cpus, envp, pairs);
		}
	sd_cpulist_free(&cpus);
	sd_topology_free(&t);
	return rc;
}
