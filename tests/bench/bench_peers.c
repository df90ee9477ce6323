/*
 * Our streaming kernels beside likwid-bench (Debian: likwid) and, where STREAM names such a
 * program, STREAM (gcc -O3 -march=native -fopenmp -DSTREAM_ARRAY_SIZE=25000000
 * -fno-tree-loop-distribute-patterns: else its copy is a call of memcpy, whose stores may be
 * non-temporal, against our regular ones), in pairs on the same CPUs: ours, theirs, theirs, ours, …
 * Prints for each op, kind of store and core count the median of the pairwise ratios with its
 * quartiles. The bytes are counted alike (24 a triad, 16 a copy, 8 a read or write), the arrays are
 * of one size and have the pages likwid gets without asking, every run has memory of its own and
 * lasts about as long, and either side has chosen its vector unit before it is timed. A pair across
 * a change of the machine's state is dropped. All contests together end in some five minutes: a
 * slow machine has fewer pairs, three at least. Needs no arguments; `bench_peers PAIRS` sets how
 * many pairs (default 7), `bench_peers PAIRS NAME` only the contests that begin so, `bench_peers
 * PAIRS NAME 1` or `all` only one core or only all of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_output.h"
#include "bench/line_probe.h"
#include "base/clock.h"
#include "base/number.h"
#include "harness/samples.h"
#include "loops/stream_team.h"
#include "machine/topology.h"
#include "harness/core_sets.h"

/* All arrays of all threads: each of three over 4x an LLC of 48 MB. More would be paging in for
 * longer than streaming, and the members of a pair further apart. */
#define BYTES 600000000.0 /* "600MB" of likwid-bench */
#define RUN_S 1.0         /* of either side */
#define FIRST_TURNS 4
#define PAIRS_MAX 99
#define RIVALS 3
#define LOOPS 16
#define TRIALS 11
/* s a contest, of which there are eighteen; a third of it to choose either side. */
#define CONTEST_S 17.0
#define PAIRS_LEAST 3

static const struct {
	const char *name;
	enum sd_stream_op op;
	enum sd_stores stores;
	/* the one that is fastest here counts; of STREAM: which of its lines */
	const char *theirs[RIVALS], *stream;
} contests[] = {
	{"triad nt", SD_STREAM_TRIAD, SD_STORES_NT,
		{"stream_mem_avx512", "stream_mem_avx", "stream_mem_avx_fma"}, NULL},
	{"triad regular", SD_STREAM_TRIAD, SD_STORES_REGULAR,
		{"stream_avx512", "stream_avx", "stream_avx512_fma"}, NULL},
	{"copy nt", SD_STREAM_COPY, SD_STORES_NT, {"copy_mem_avx512", "copy_mem_avx"}, NULL},
	{"copy regular", SD_STREAM_COPY, SD_STORES_REGULAR, {"copy_avx512", "copy_avx"}, NULL},
	{"read", SD_STREAM_READ, SD_STORES_REGULAR, {"load_avx512", "load_avx"}, NULL},
	{"write nt", SD_STREAM_WRITE, SD_STORES_NT, {"store_mem_avx512", "store_mem_avx"}, NULL},
	{"write regular", SD_STREAM_WRITE, SD_STORES_REGULAR, {"store_avx512", "store_avx"}, NULL},
	{"triad, STREAM", SD_STREAM_TRIAD, SD_STORES_REGULAR, {"STREAM"}, "Triad:"},
	{"copy, STREAM", SD_STREAM_COPY, SD_STORES_REGULAR, {"STREAM"}, "Copy:"},
};

/* The number behind "MByte/s:" in likwid-bench's output, in bytes/s; NaN when it is not there. */
static double find_rate(const char *out)
{
	const char *p = strstr(out, "MByte/s:");
	char number[32];
	size_t n;
	double v;

	if (!p)
		return NAN;
	p += strlen("MByte/s:");
	p += strspn(p, " \t");
	n = strcspn(p, " \t\n");
	if (n >= sizeof number)
		return NAN;
	memcpy(number, p, n);
	number[n] = '\0';
	return sd_number_double(number, 0, 1e12, &v) == 0 ? 1e6 * v : NAN;
}

/* Mean time of STREAM, not its best, behind the word of the line: best rate, mean, least, most. */
static double run_stream(const char *word, unsigned cores)
{
	char count[32], out[16384], *number[3], *rest, *line;
	const char *const program = getenv("STREAM");
	const char *const argv[] = {"env", count, "OMP_PROC_BIND=true", "OMP_PLACES=cores",
		program ? program : "", NULL};
	double v[3];

	snprintf(count, sizeof count, "OMP_NUM_THREADS=%u", cores);
	if (bench_output(argv, out, sizeof out) != 0 || !(line = strstr(out, word)))
		return NAN;
	line += strlen(word);
	line[strcspn(line, "\n")] = '\0';
	for (int i = 0; i < 3; i++) {
		number[i] = strtok_r(i ? NULL : line, " ", &rest);
		if (!number[i] || sd_number_double(number[i], 0, 1e12, &v[i]) != 0)
			return NAN;
	}
	return 1e6 * v[0] * v[2] / v[1];
}

/* Given a time instead of turns, likwid-bench takes one to four times as long. */
static double run_likwid(const char *test, unsigned cores, unsigned turns)
{
	char where[64], number[16], out[16384];
	const char *const argv[] = {"likwid-bench", "-t", test, "-w", where, "-i", number, NULL};

	snprintf(where, sizeof where, "N:600MB:%u", cores);
	snprintf(number, sizeof number, "%u", turns);
	return bench_output(argv, out, sizeof out) == 0 ? find_rate(out) : NAN;
}

static double run_theirs(size_t contest, const char *test, unsigned cores, unsigned turns)
{
	return contests[contest].stream ? run_stream(contests[contest].stream, cores)
					: run_likwid(test, cores, turns);
}

/* The pages of memory that nobody gave advice about, as likwid's. */
static enum sd_pages their_pages(void)
{
	FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
	char line[64] = "";
	int always = 0;

	if (f) {
		always = fgets(line, sizeof line, f) && strstr(line, "[always]");
		fclose(f);
	}
	return always ? SD_PAGES_HUGE : SD_PAGES_BASE;
}

/* As long as theirs. */
static int run_ours(
	struct sd_stream_team *team, size_t contest, const struct sd_stream_isa *isa, double *rate)
{
	const int rc = sd_stream_team_run(team, contests[contest].op, contests[contest].stores, isa,
		1e9 / (double)team->team.n, NULL, rate);

	return rc ? rc
		  : sd_stream_team_run(team, contests[contest].op, contests[contest].stores, isa,
			    RUN_S * *rate / (double)team->team.n, NULL, rate);
}

static double run_ours_fresh(
	const struct sd_cpulist *cpus, size_t contest, const struct sd_stream_isa *isa)
{
	struct sd_stream_team team;
	double rate = NAN;

	if (sd_stream_team_start(
		    &team, SD_TEAM_THREADS, cpus, their_pages(), (size_t)BYTES, NULL) != 0)
		return NAN;
	if (run_ours(&team, contest, isa, &rate) != 0)
		rate = NAN;
	sd_stream_team_end(&team);
	return rate;
}

/* Which of our loops is fastest here, as theirs are chosen: before, and by medians; until `end`. */
static const struct sd_stream_isa *choose_ours(
	const struct sd_cpulist *cpus, size_t contest, double end)
{
	const struct sd_stream_isa *const *isa, *chosen;
	const size_t all = sd_stream_isas(&isa);
	/* as `calibrate`: all vector units, without scalar code */
	const size_t n = all > SD_STREAM_LOOPS ? all - SD_STREAM_LOOPS : all;
	const enum sd_stream_op op = contests[contest].op;
	const enum sd_stores stores = contests[contest].stores;
	double rate[LOOPS][TRIALS] = {{0}}, best = 0;
	struct sd_stream_team team;
	size_t trials = 0;

	chosen = isa[0];
	if (sd_stream_team_start(
		    &team, SD_TEAM_THREADS, cpus, their_pages(), (size_t)BYTES, NULL) != 0)
		return chosen;
	for (; trials < TRIALS && (trials == 0 || sd_clock_s() < end); trials++)
		for (size_t i = 0; i < n && i < LOOPS; i++)
			if (isa[i]->fn[op][stores] &&
				sd_stream_team_run(&team, op, stores, isa[i], 1e9 / (double)cpus->n,
					NULL, &rate[i][trials]) != 0)
				rate[i][trials] = 0;
	for (size_t i = 0; i < n && i < LOOPS; i++)
		if (sd_samples_quartiles(rate[i], trials).median > best) {
			best = sd_samples_quartiles(rate[i], trials).median;
			chosen = isa[i];
		}
	sd_stream_team_end(&team);
	return chosen;
}

/* Which of theirs is fastest here, by the median of up to three runs each until `end`, and its
 * rate. */
static const char *choose_theirs(
	size_t contest, unsigned cores, size_t pairs, double end, double *rate_out)
{
	const size_t most = pairs < 3 ? pairs : 3;
	size_t runs = 0;
	const char *const *const theirs = contests[contest].theirs;
	double rate[RIVALS][3], best = 0;
	size_t chosen = 0;

	for (; runs < most && (runs == 0 || sd_clock_s() < end); runs++)
		for (size_t i = 0; i < RIVALS && theirs[i]; i++) {
			const double v = run_theirs(contest, theirs[i], cores, FIRST_TURNS);

			rate[i][runs] = isnan(v) ? 0 : v;
		}
	for (size_t i = 0; i < RIVALS && theirs[i]; i++)
		if (sd_samples_quartiles(rate[i], runs).median > best) {
			best = sd_samples_quartiles(rate[i], runs).median;
			chosen = i;
		}
	*rate_out = best;
	return theirs[chosen];
}

static void contest(
	const struct sd_cpulist *all, const struct sd_cpulist *cpus, size_t c, size_t pairs)
{
	const double begin = sd_clock_s(), end = begin + CONTEST_S;
	double rate = 0;
	const char *const rival =
		choose_theirs(c, (unsigned)cpus->n, pairs, begin + CONTEST_S / 6, &rate);
	const double turns = RUN_S * rate / BYTES;
	const struct sd_stream_isa *const own = choose_ours(cpus, c, begin + CONTEST_S / 3);
	double ratio[PAIRS_MAX], ours[PAIRS_MAX], theirs[PAIRS_MAX];
	size_t n = 0, dropped = 0;

	for (size_t i = 0; i < pairs && (i < PAIRS_LEAST || sd_clock_s() < end); i++) {
		const struct sd_value before = sd_line_probe_state(all);
		struct sd_value after;
		double a = 0, b = 0;

		/* each goes first as often as the other */
		for (int k = 0; k < 2; k++)
			if ((k == 0) == (i % 2 == 0))
				a = run_ours_fresh(cpus, c, own);
			else
				b = run_theirs(c, rival, (unsigned)cpus->n,
					turns > 1 ? (unsigned)turns : 1);
		after = sd_line_probe_state(all);
		if (!(a > 0) || !(b > 0) ||
			(sd_has(before) && sd_has(after) &&
				!sd_kernel_states_same(before.value, after.value))) {
			dropped++;
			continue;
		}
		ours[n] = 1e-9 * a;
		theirs[n] = 1e-9 * b;
		ratio[n++] = a / b;
		fprintf(stderr, "%s on %zu: %.2f and %.2f GB/s, %.3f\n", contests[c].name, cpus->n,
			1e-9 * a, 1e-9 * b, a / b);
	}
	if (n == 0) {
		printf("%-14s %5zu  no pair held (%zu dropped)\n", contests[c].name, cpus->n,
			dropped);
		return;
	}
	printf("%-14s %5zu %8.2f %8.2f   %.3f  %.3f-%.3f  %zu pairs, %zu dropped, %s %u against %s\n",
		contests[c].name, cpus->n, sd_samples_quartiles(ours, n).median,
		sd_samples_quartiles(theirs, n).median, sd_samples_quartiles(ratio, n).median,
		sd_samples_quartiles(ratio, n).q1, sd_samples_quartiles(ratio, n).q3, n, dropped,
		own->name, own->bits, rival);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const struct sd_topology_source here = {0};
	struct sd_topology t;
	struct sd_cpulist all;
	uint64_t pairs = 7;

	if (argc > 1 && sd_number_u64(argv[1], 1, PAIRS_MAX, &pairs) != 0) {
		fprintf(stderr, "usage: bench_peers [PAIRS [CONTEST [1|all]]]\n");
		return 2;
	}
	if (isnan(run_likwid("load_avx", 1, 1))) {
		fprintf(stderr, "SKIP: likwid-bench is not here, or does not run\n");
		return 0;
	}
	if (sd_topology_load(&t, &here, NULL) != 0)
		return 1;
	if (sd_core_sets_place(&t, SD_CORE_SETS_COMPACT, t.n_core, &all) != 0)
		return 1;
	printf("kernel         cores     ours  theirs   ratio  quartiles     (GB/s, median of pairs)\n");
	fflush(stdout);
	for (size_t c = 0; c < sizeof contests / sizeof *contests; c++)
		for (unsigned k = 0; k < 2; k++) {
			struct sd_cpulist cpus;

			if ((k == 1 && t.n_core < 2) || (contests[c].stream && !getenv("STREAM")) ||
				(argc > 2 &&
					strncmp(contests[c].name, argv[2], strlen(argv[2])) != 0) ||
				(argc > 3 && strcmp(argv[3], k ? "all" : "1") != 0))
				continue;
			if (sd_core_sets_place(&t, SD_CORE_SETS_COMPACT, k ? t.n_core : 1, &cpus) !=
				0)
				continue;
			contest(&all, &cpus, c, (size_t)pairs);
			sd_cpulist_free(&cpus);
		}
	sd_cpulist_free(&all);
	sd_topology_free(&t);
	return 0;
}
