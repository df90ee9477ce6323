/*
 * How long the analysis of a synthetic record takes: 64 points x 50 runs unless told otherwise.
 * usage: bench_analyse [POINTS RUNS]
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "support/analyse_record.h"
#include "base/number.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(struct sd_record *r, size_t points, size_t runs)
{
	unsigned *cores = calloc(points, sizeof *cores);

	for (size_t i = 0; i < points; i++)
		cores[i] = (unsigned)i + 1;
	record_make(r, cores, points);
	free(cores);
	for (size_t i = 0; i < points; i++) {
		double n = (double)i + 1, idle = .03 * n;
		struct sample s = {.user = 100 + n, .system = 1 + .1 * n};

		for (int k = 0; k < SD_IDLE_COUNT; k++)
			s.idle[k] = idle;
		s.wall = (s.user + s.system + SD_IDLE_COUNT * idle) / n;
		record_samples(r, i, &s, runs, .01, i);
	}
}

int main(int argc, char **argv)
{
	uint64_t points = 64, runs = 50;
	struct sd_analysis a;
	struct sd_record r;
	double start, seconds;
	int rc;

	if (argc != 1 && (argc != 3 || sd_number_u64(argv[1], 1, 65536, &points) ||
				 sd_number_u64(argv[2], 1, 65536, &runs))) {
		fprintf(stderr, "usage: bench_analyse [POINTS RUNS]\n");
		return 2;
	}
	fill(&r, (size_t)points, (size_t)runs);
	start = now();
	rc = sd_analyse(&r, NULL, NULL, &a);
	seconds = now() - start;
	printf("analyse: %" PRIu64 " points x %" PRIu64 " runs, %zu bootstraps: %.3f s\n", points,
		runs, a.bootstraps, seconds);
	sd_analysis_free(&a);
	sd_record_free(&r);
	return rc ? 4 : 0;
}
