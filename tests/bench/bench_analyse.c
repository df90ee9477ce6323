/*
 * How long the analysis of a generated record takes, which is mostly its bootstrap, with one thread
 * and with one a CPU, in turn: 64 points x 50 runs of 1,000 functions unless told otherwise.
 * Prints; never passes or fails. usage: bench_analyse [POINTS RUNS]
 */
#include <time.h>

#include "base/number.h"
#include "base/parallel_for.h"
#include "bench/bench_table.h"
#include "bench/large_record.h"

#define TURNS 5

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int analyse(const struct sd_record *r, unsigned threads, double *seconds)
{
	const double start = now();
	struct sd_analysis a;
	int rc;

	sd_parallel_for_limit(threads);
	rc = sd_analyse(r, NULL, NULL, &a);
	*seconds = now() - start;
	sd_analysis_free(&a);
	return rc;
}

int main(int argc, char **argv)
{
	struct large l = {.functions = 1000, .threads = 64};
	uint64_t points = 64, runs = 50;
	double one[TURNS], all[TURNS], ratio[TURNS];
	char what[64], how[32];
	struct sd_record r;
	int rc = 0;

	if (argc != 1 && (argc != 3 || sd_number_u64(argv[1], 2, 65536, &points) ||
				 sd_number_u64(argv[2], 1, 65536, &runs))) {
		fprintf(stderr, "usage: bench_analyse [POINTS RUNS]\n");
		return 2;
	}
	l.counts = l.cores = (unsigned)points;
	l.runs = (unsigned)runs;
	make_large(&r, &l);
	for (int i = 0; i < TURNS && !rc; i++) {
		rc = analyse(&r, 1, &one[i]);
		rc = rc ? rc : analyse(&r, 0, &all[i]);
		ratio[i] = one[i] / all[i];
	}
	snprintf(what, sizeof what, "%u points x %u runs", l.counts, l.runs);
	sd_parallel_for_limit(0);
	snprintf(how, sizeof how, "%u threads", sd_parallel_for_threads());
	bench_head("analysis, bootstrap", "", "s, one thread", "s", "times as fast");
	if (!rc)
		bench_row(what, how, bench_cell(one, TURNS, 3).text, bench_cell(all, TURNS, 3).text,
			bench_cell(ratio, TURNS, 2).text);
	sd_record_free(&r);
	return rc ? 4 : 0;
}
