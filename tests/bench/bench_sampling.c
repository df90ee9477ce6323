/*
 * Cost to the program of capturing samples and switches: its wall time captured against its
 * wall time without, in pairs whose order alternates, as a ratio with the 95 % bootstrap interval
 * of its median. Two programs, on all CPUs: one that only computes, and pairs of processes, each on
 * one CPU, that hand a byte to and fro, 50,000 switches a second in all: no idle CPU hides a cost.
 * A third looks at the clock all the time and adds up the gaps in which it did not run: what is
 * taken from it, which a few percent more or less of speed from run to run cannot hide. Prints;
 * never passes or fails.
 *
 *   bench_sampling [PAIRS]
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "support/capture_child.h"
#include "base/number.h"
#include "trace/sample_cost.h"

#define PAIRS_MAX 1000
#define SWITCHES_PER_S 50000
#define RESAMPLES 2000
#define LOOPS 300000000 /* to see how fast they are */
#define SECONDS 1

/* ---- the programs ---- */

static void work(uint64_t loops)
{
	for (uint64_t i = 0; i < loops; i++)
		__asm__ volatile("" : : "r"(i) : "memory");
}

static void *worker(void *loops)
{
	work(*(uint64_t *)loops);
	return NULL;
}

/* A thread for each CPU. */
static int compute(uint64_t loops)
{
	struct sd_cpulist cpus = capture_cpus();
	pthread_t *const thread = calloc(cpus.n, sizeof *thread);

	for (size_t i = 0; thread && i < cpus.n; i++)
		if (pthread_create(&thread[i], NULL, worker, &loops))
			return 1;
	for (size_t i = 0; thread && i < cpus.n; i++)
		pthread_join(thread[i], NULL);
	return !thread;
}

static void to_and_fro(int in, int out, uint64_t loops, uint64_t hops)
{
	char byte = 0;

	for (uint64_t i = 0; i < hops; i++) {
		if (read(in, &byte, 1) != 1)
			_exit(1);
		work(loops);
		if (write(out, &byte, 1) != 1)
			_exit(1);
	}
}

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static int hand_over(uint64_t loops, uint64_t hops)
{
	struct sd_cpulist cpus = capture_cpus();

	for (size_t i = 0; i < cpus.n; i++) {
		int to[2], fro[2];

		if (pipe(to) || pipe(fro) || write(fro[1], "", 1) != 1)
			return 1;
		for (int side = 0; side < 2; side++)
			if (fork() == 0) {
				pin(cpus.cpu[i]);
				to_and_fro(
					side ? to[0] : fro[0], side ? fro[1] : to[1], loops, hops);
				_exit(0);
			}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

/* Shorter is the loop itself; longer is a process of somebody else, not an interrupt. */
#define GAP_LEAST_NS 1000
#define GAP_MOST_NS 1000000
#define GAPS_NS 500000000

struct gaps {
	unsigned cpu;
	double taken; /* share of the time */
};

static void *find_gaps(void *of)
{
	struct gaps *const g = of;
	uint64_t start, last, taken = 0;

	pin(g->cpu);
	start = last = capture_now();
	while (last - start < GAPS_NS) {
		const uint64_t now = capture_now(), gap = now - last;

		taken += gap >= GAP_LEAST_NS && gap < GAP_MOST_NS ? gap : 0;
		last = now;
	}
	g->taken = (double)taken / (double)(last - start);
	return NULL;
}

/* The mean share that is taken from a thread on each CPU goes into the file `fd`. */
static int gaps(int fd)
{
	static pthread_t thread[CPU_SETSIZE];
	static struct gaps g[CPU_SETSIZE];
	struct sd_cpulist cpus = capture_cpus();
	double mean = 0;

	for (size_t i = 0; i < cpus.n; i++) {
		g[i].cpu = cpus.cpu[i];
		if (pthread_create(&thread[i], NULL, find_gaps, &g[i]))
			return 1;
	}
	for (size_t i = 0; i < cpus.n; i++) {
		pthread_join(thread[i], NULL);
		mean += g[i].taken / (double)cpus.n;
	}
	return pwrite(fd, &mean, sizeof mean, 0) != sizeof mean;
}

/* ---- measuring ---- */

struct measured {
	double wall, cpu;
	struct sd_trace_facts facts;
};

static double seconds(const struct rusage *u)
{
	return (double)u->ru_utime.tv_sec + 1e-6 * (double)u->ru_utime.tv_usec +
	       (double)u->ru_stime.tv_sec + 1e-6 * (double)u->ru_stime.tv_usec;
}

/* Captured at `hz` samples a second with so many bytes of stack, 0 the usual; hz 0: bare. Switches
 * by programs in the kernel, or by events. */
static int run(char *const argv[], double hz, uint32_t stack, int programs, struct measured *m)
{
	struct capture_child child = capture_fork(argv);
	struct sd_cpulist cpus = capture_cpus();
	struct sd_capture *c = NULL;
	struct rusage usage;
	uint64_t start;
	int rc = 0, status;

	if (hz > 0)
		rc = sd_trace_open(&c, &(struct sd_trace_options){.pid = child.pid,
					       .cpus = &cpus,
					       .hz = hz,
					       .stack = stack,
					       .programs = programs});
	start = capture_now(); /* the program waits until then, with nothing to do */
	status = capture_run(&child, c, &usage);
	m->wall = (double)(capture_now() - start) / 1e9;
	m->cpu = seconds(&usage);
	if (c) {
		sd_trace_stop(c);
		sd_trace_facts(c, &m->facts);
		sd_trace_close(c);
	}
	sd_cpulist_free(&cpus);
	return rc ? rc : status ? -ECHILD : 0;
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

static void report(const char *what, const char *is, double *ratio, size_t n)
{
	static double sample[PAIRS_MAX], medians[RESAMPLES];
	unsigned short seed[3] = {1, 2, 3};

	for (size_t b = 0; b < RESAMPLES; b++) {
		for (size_t i = 0; i < n; i++)
			sample[i] = ratio[(size_t)nrand48(seed) % n];
		medians[b] = median(sample, n);
	}
	qsort(medians, RESAMPLES, sizeof medians[0], by_value);
	printf("  %-22s %s %.4f  95 %% interval %.4f..%.4f  pairs %zu\n", what, is,
		median(ratio, n), medians[RESAMPLES / 40], medians[RESAMPLES - 1 - RESAMPLES / 40],
		n);
}

static int bench(const char *name, char *const argv[], double hz, int programs, size_t pairs)
{
	static double wall[PAIRS_MAX], cpu[PAIRS_MAX];
	struct measured m[2] = {0};
	struct sd_trace_facts sum = {0};
	double seconds_sum = 0, reading = 0;

	for (size_t i = 0; i < pairs; i++) {
		const int first = i % 2 == 0;

		if (run(argv, first ? hz : 0, 0, programs, &m[first]) ||
			run(argv, first ? 0 : hz, 0, programs, &m[!first])) {
			fprintf(stderr, "bench_sampling: %s does not run\n", name);
			return 1;
		}
		wall[i] = m[1].wall / m[0].wall;
		cpu[i] = (m[1].cpu + m[1].facts.cpu_s) / m[0].cpu;
		seconds_sum += m[1].wall;
		sum.n_samples += m[1].facts.n_samples;
		sum.n_switches += m[1].facts.n_switches;
		sum.n_lost += m[1].facts.n_lost;
		sum.bytes += m[1].facts.bytes;
		sum.programs = m[1].facts.programs;
		reading += m[1].facts.cpu_s / m[1].wall;
	}
	printf("%s, switches by %s: %.0f samples/s, %.0f switches/s, %.2f MB/s, %llu lost, read in "
	       "%.2f %% of a CPU\n",
		name, sum.programs == SD_STATUS_OK ? "programs" : "events",
		(double)sum.n_samples / seconds_sum, (double)sum.n_switches / seconds_sum,
		(double)sum.bytes / 1e6 / seconds_sum, (unsigned long long)sum.n_lost,
		100 * reading / (double)pairs);
	report("wall", "captured/bare", wall, pairs);
	report("CPU, with the draining", "captured/bare", cpu, pairs);
	fflush(stdout); /* or every child would print it again */
	return 0;
}

static int bench_gaps(double hz, size_t pairs)
{
	static double more[PAIRS_MAX];
	const int fd = memfd_create("gaps", 0);
	struct sd_trace_facts sum = {0};
	char number[16];
	char *const argv[] = {(char[]){"/proc/self/exe"}, (char[]){"gaps"}, number, NULL};

	snprintf(number, sizeof number, "%d", fd);
	for (size_t i = 0; i < pairs; i++) {
		double taken[2] = {0};

		for (int k = 0; k < 2; k++) {
			const int captured = (i + (size_t)k) % 2 == 0;
			struct measured m = {0};

			if (fd < 0 || run(argv, captured ? hz : 0, 0, 0, &m) ||
				pread(fd, &taken[captured], sizeof taken[0], 0) !=
					sizeof taken[0]) {
				fprintf(stderr, "bench_sampling: gaps does not run\n");
				return 1;
			}
			sum.n_samples += m.facts.n_samples;
		}
		more[i] = taken[1] - taken[0];
	}
	printf("gaps: %.0f samples/s\n", (double)sum.n_samples / (GAPS_NS * 1e-9 * (double)pairs));
	report("taken of a CPU's time", "captured - bare", more, pairs);
	fflush(stdout);
	close(fd);
	return 0;
}

/* 1/s: samples are most of what is taken at this rate, which shows what small copies save. */
#define STACKS_HZ 2003

static int bench_stacks(size_t pairs)
{
	static double taken[PAIRS_MAX], reading[PAIRS_MAX], bytes[PAIRS_MAX];
	static const uint32_t stack[2] = {8192, 1024};
	const int fd = memfd_create("gaps", 0);
	double us[2] = {0}, each[2] = {0}, read_us[2] = {0};
	char number[16];
	char *const argv[] = {(char[]){"/proc/self/exe"}, (char[]){"gaps"}, number, NULL};

	snprintf(number, sizeof number, "%d", fd);
	for (size_t i = 0; i < pairs; i++) {
		double of[2][3];

		for (size_t k = 0; k < 2; k++) {
			const size_t is = (i + k) % 2;
			struct measured m = {0};
			double share;

			if (fd < 0 || run(argv, STACKS_HZ, stack[is], 0, &m) ||
				pread(fd, &share, sizeof share, 0) != sizeof share ||
				!m.facts.n_samples) {
				fprintf(stderr, "bench_sampling: gaps does not run\n");
				return 1;
			}
			of[is][0] = 1e6 * share / STACKS_HZ;
			of[is][1] = 1e6 * m.facts.cpu_s / (double)m.facts.n_samples;
			of[is][2] = (double)m.facts.bytes / (double)m.facts.n_samples;
			us[is] += of[is][0] / (double)pairs;
			read_us[is] += of[is][1] / (double)pairs;
			each[is] += of[is][2] / (double)pairs;
		}
		taken[i] = of[1][0] / of[0][0];
		reading[i] = of[1][1] / of[0][1];
		bytes[i] = of[1][2] / of[0][2];
	}
	printf("stacks: copies of %u and of %u bytes, a sample: %.0f and %.0f bytes kept, %.2f and "
	       "%.2f us taken, read in %.2f and %.2f us\n",
		stack[0], stack[1], each[0], each[1], us[0], us[1], read_us[0], read_us[1]);
	report("bytes kept", "small/usual", bytes, pairs);
	report("taken of a CPU's time", "small/usual", taken, pairs);
	report("CPU time of reading", "small/usual", reading, pairs);
	fflush(stdout);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t pairs = 51;
	char loops[32], hops[32];
	struct sd_cpulist cpus = capture_cpus();
	uint64_t start, per_s;
	struct sd_value cost;
	double hz;

	if (argc > 2 && strcmp(argv[1], "compute") == 0)
		return compute(strtoull(argv[2], NULL, 10));
	if (argc > 3 && strcmp(argv[1], "hand-over") == 0)
		return hand_over(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
	if (argc > 2 && strcmp(argv[1], "gaps") == 0)
		return gaps(atoi(argv[2]));
	if (argc > 1 && sd_number_u64(argv[1], 1, PAIRS_MAX, &pairs) != 0) {
		fprintf(stderr, "usage: bench_sampling [PAIRS]\n");
		return 2;
	}
	cost = sd_sample_cost_measure(NULL, NULL);
	hz = sd_sample_cost_rate(cost, 0);
	printf("a sample takes %.1f us: %.0f a second and CPU\n", 1e6 * cost.value, hz);
	bench_gaps(hz, pairs);
	bench_stacks(pairs);
	start = capture_now();
	work(LOOPS);
	per_s = (uint64_t)(LOOPS / ((double)(capture_now() - start) / 1e9));
	snprintf(loops, sizeof loops, "%llu", (unsigned long long)((double)per_s * SECONDS));
	bench("compute",
		(char *const[]){(char[]){"/proc/self/exe"}, (char[]){"compute"}, loops, NULL}, hz,
		1, pairs);
	snprintf(loops, sizeof loops, "%llu",
		(unsigned long long)((double)per_s * ((double)cpus.n / SWITCHES_PER_S - 3e-6)));
	snprintf(hops, sizeof hops, "%llu",
		(unsigned long long)(SWITCHES_PER_S / 2 / cpus.n * SECONDS));
	/* as of the second run, when it is known what the program does */
	for (int programs = 0; programs < 2; programs++)
		bench("hand-over",
			(char *const[]){(char[]){"/proc/self/exe"}, (char[]){"hand-over"}, loops,
				hops, NULL},
			sd_sample_cost_rate(cost, (double)SWITCHES_PER_S / (double)cpus.n),
			programs, pairs);
	return 0;
}
