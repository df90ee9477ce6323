/*
 * Cost to the program of counting hardware events: its wall time with the counters of each pass
 * against its wall time with everything else measured, in pairs whose order alternates, as a ratio
 * with the 95 % bootstrap interval of its median. Prints; never passes or fails; skips with a word
 * where there are no counters.
 *
 *   bench_counting [PAIRS [PROGRAM ARG...]]
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/accountant.h"
#include "probe/counter_plan.h"
#include "launch/launch.h"
#include "base/number.h"
#include "probe/probe.h"
#include "machine/topology.h"

#define PAIRS_MAX 1000
#define RESAMPLES 2000

static void print(void *ctx, enum sd_level level, const char *text)
{
	(void)ctx;
	(void)level;
	fprintf(stderr, "bench_counting: %s\n", text);
}
static const struct sd_sink sink = {.emit = print};

/* Wall time in s; < 0 when the run failed. */
static double run_once(char **argv, const struct sd_cpulist *cpus,
	const struct sd_counting *counting, unsigned pass)
{
	const struct sd_launch launch = {.argv = argv,
		.envp = environ,
		.cpus = cpus,
		.cores = (unsigned)cpus->n,
		.accountant = &sd_accountant_rules,
		.probes = sd_probe_registry,
		.counting = counting,
		.pass = pass,
		.os_only = !counting};
	struct sd_run run = {0};
	double seconds = -1;

	if (sd_launch(&launch, &run, &sink) == 0 && run.end == SD_END_EXITED && run.code == 0 &&
		sd_has(run.metric[SD_METRIC_WALL]))
		seconds = run.metric[SD_METRIC_WALL].value;
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

static void report(const char *name, unsigned pass, size_t roles, double *ratio, size_t n)
{
	double sample[PAIRS_MAX], medians[RESAMPLES];
	unsigned short seed[3] = {1, 2, 3};

	for (size_t b = 0; b < RESAMPLES; b++) {
		for (size_t i = 0; i < n; i++)
			sample[i] = ratio[(size_t)nrand48(seed) % n];
		medians[b] = median(sample, n);
	}
	qsort(medians, RESAMPLES, sizeof medians[0], by_value);
	printf("%-24s pass %u, %zu roles  counted/uncounted %.4f  95 %% interval %.4f..%.4f  pairs %zu\n",
		name, pass + 1, roles, median(ratio, n), medians[RESAMPLES / 40],
		medians[RESAMPLES - 1 - RESAMPLES / 40], n);
}

static int bench(char **argv, const struct sd_cpulist *cpus, const struct sd_counting *counting,
	const struct sd_plan *plan, unsigned pass, size_t pairs)
{
	double ratio[PAIRS_MAX];

	if (run_once(argv, cpus, NULL, 0) < 0) /* warm-up */
		return -ECHILD;
	for (size_t i = 0; i < pairs; i++) {
		double with = 0, without = 0;

		for (int second = 0; second < 2; second++) {
			const int counted = (i % 2 != 0) != (second != 0);
			const double s = run_once(argv, cpus, counted ? counting : NULL, pass);

			if (s < 0)
				return -ECHILD;
			*(counted ? &with : &without) = s;
		}
		ratio[i] = with / without;
	}
	report(strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0], pass,
		plan->pass[pass].n_role, ratio, pairs);
	return 0;
}

static int bench_all(char **argv, size_t pairs, const struct sd_counting *counting)
{
	const struct sd_topology_source here = {0};
	struct sd_topology t = {0};
	struct sd_cpulist cpus = {0};
	struct sd_plan plan = {0};
	int rc = sd_topology_load(&t, &here, &sink);

	for (size_t i = 0; rc == 0 && i < t.n_pu; i++)
		rc = sd_cpulist_add(&cpus, t.pu[i].os);
	if (!rc)
		rc = sd_counter_plan(counting, &plan);
	for (size_t p = 0; rc == 0 && p < plan.n_pass; p++)
		rc = bench(argv, &cpus, counting, &plan, (unsigned)p, pairs);
	sd_plan_free(&plan);
	sd_cpulist_free(&cpus);
	sd_topology_free(&t);
	return rc;
}

int main(int argc, char **argv)
{
	static char threads[] = "build/tests/programs/scales", amount[] = "1";
	char *own[] = {threads, amount, NULL};
	const struct sd_counter_plan_ask ask = {.most = 3};
	struct sd_counting *counting = NULL;
	uint64_t pairs = 20;
	int rc;

	if (argc > 1 && sd_number_u64(argv[1], 1, PAIRS_MAX, &pairs)) {
		fprintf(stderr, "usage: bench_counting [PAIRS [PROGRAM ARG...]]\n");
		return 2;
	}
	rc = sd_counter_plan_open(&counting, &ask, &sink);
	if (rc) {
		fprintf(stderr, "SKIP: bench_counting: no hardware counters here\n");
		return 0;
	}
	rc = bench_all(argc > 2 ? argv + 2 : own, pairs, counting);
	sd_counter_plan_free(counting);
	return rc ? 1 : 0;
}
