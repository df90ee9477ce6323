/*
 * Cost of the cache lines of a run's samples, by the million: addresses from registers, and the
 * turns that threads take on lines, in CPU time and in the memory that is needed for it. Three
 * sorts of memory: every thread its own stream, one line that all fight for, and a table that all
 * write to at random. Bounds that hold: 2 s a million.
 *
 * And what it takes from a program: two threads look at the clock and at a line, and add up the
 * gaps in which they did not run, with and without, in pairs whose order alternates; sampled alone,
 * and with watchpoints on the line, which all read or both write. A hundredth of a CPU at most.
 *
 *   bench_native_lines [PAIRS]
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/number.h"
#include "base/random.h"
#include "bench/bench_table.h"
#include "native/line_turns.h"
#include "native/line_watch.h"
#include "operands/operand_plan.h"
#include "support/capture_child.h"
#include "trace/sample_cost.h"

#define SAMPLES 1000000u
#define THREADS 8u
#define DI 5 /* asm/perf_regs.h, as SI: 4 */

/* again: incq (%rdi); mov (%rsi),%rax; add $8,%rsi; dec %rcx; jnz again */
static const unsigned char code[] = {
	0x48, 0xff, 0x07, 0x48, 0x8b, 0x06, 0x48, 0x83, 0xc6, 0x08, 0x48, 0xff, 0xc9, 0x75, 0xf1};
#define AT UINT64_C(0x401000)

enum sort { STREAMS, ONE_LINE, TABLE };

static double cpu_s(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static uint64_t written_at(enum sort sort, uint64_t i, uint64_t thread, struct sd_random *random)
{
	if (sort == STREAMS)
		return 0x10000000 + (thread << 32) + i * 8;
	return sort == ONE_LINE ? 0x10000000 + thread * 8
				: 0x10000000 + sd_random_below(random, 1 << 21) * 8;
}

/* Measures in a child, so that its memory is its own. */
static void fold(const char *name, enum sort sort)
{
	struct sd_operand_plan plan;
	struct sd_sample_touches t = {0};
	struct sd_random random;
	const double begun = cpu_s();
	struct bench_cell seconds = {""}, memory = {""}, known = {""};
	struct rusage u;
	uint64_t addresses = 0;

	sd_random_seed(&random, 1, 0);
	sd_operand_plan_make(&plan, SD_INSN_DECODE_X86_64, AT, code, sizeof code, AT, AT + 3);
	for (uint64_t i = 0; i < SAMPLES; i++) {
		struct sd_regs regs = {.mask = 0xff};
		struct sd_operand_access a[SD_OPERANDS];
		const struct sd_touch_sample s = {.time = i / THREADS * 2500000,
			.seconds = .0025f,
			.thread = (uint32_t)(i % THREADS)};
		unsigned n;

		regs.reg[DI] = written_at(sort, i, i % THREADS, &random);
		regs.reg[4] = 0x20000000 + ((i % THREADS) << 40) + i * 8;
		n = sd_operand_plan_evaluate(&plan, &regs, 0, NULL, 0, a);
		addresses += n;
		if (sd_sample_touches_begin(&t, &s) <= 0)
			continue;
		for (unsigned k = 0; k < n; k++) {
			const struct sd_touch like = {.sure = 1};

			if (sd_sample_touches_add(&t, 1, a[k].address, a[k].operand->size,
				    a[k].operand->reads, a[k].operand->writes, &like))
				abort();
		}
	}
	if (sd_line_turns_find(&t, 10000000) < 0)
		abort();
	getrusage(RUSAGE_SELF, &u);
	snprintf(seconds.text, sizeof seconds.text, "%.2f s", cpu_s() - begun);
	snprintf(memory.text, sizeof memory.text, "%.0f MiB", (double)u.ru_maxrss / 1024);
	snprintf(known.text, sizeof known.text, "%.2f", (double)addresses / SAMPLES);
	bench_row(name, "a million samples", seconds.text, memory.text, known.text);
	sd_sample_touches_free(&t);
}

/* ---- what is taken from the program ---------------------------------------------------------- */

#define THREADS_OF_CHILD 2u
/* Shorter is the loop itself; longer is a process of somebody else, not an interrupt. */
#define GAP_LEAST_NS 1000
#define GAP_MOST_NS 1000000
#define GAPS_NS UINT64_C(500000000)
#define LOOK_NS UINT64_C(100000000)
#define PAIRS_MAX 1000

static _Alignas(128) volatile uint64_t line[SD_LINE_WATCH_WORDS];

struct gaps {
	unsigned thread;
	int writes;
	double taken; /* share of the time */
};

static void *find_gaps(void *of)
{
	struct gaps *const g = of;
	uint64_t last = capture_now(), taken = 0;
	const uint64_t start = last;

	while (last - start < GAPS_NS) {
		const uint64_t now = capture_now(), gap = now - last;

		if (g->writes)
			line[g->thread] = now;
		taken += gap >= GAP_LEAST_NS && gap < GAP_MOST_NS ? gap : 0;
		last = now;
		(void)line[g->thread];
	}
	g->taken = (double)taken / (double)(last - start);
	return NULL;
}

/* The mean share that is taken from a thread goes into the file `fd`. */
static int find_all_gaps(int writes, int fd)
{
	pthread_t thread[THREADS_OF_CHILD];
	struct gaps g[THREADS_OF_CHILD];
	double mean = 0;

	for (unsigned i = 0; i < THREADS_OF_CHILD; i++) {
		g[i] = (struct gaps){.thread = i, .writes = writes};
		if (pthread_create(&thread[i], NULL, find_gaps, &g[i]))
			return 1;
	}
	for (unsigned i = 0; i < THREADS_OF_CHILD; i++) {
		pthread_join(thread[i], NULL);
		mean += g[i].taken / THREADS_OF_CHILD;
	}
	return pwrite(fd, &mean, sizeof mean, 0) != sizeof mean;
}

enum how { BARE, SAMPLED, WATCHED };

struct program {
	const struct sd_line_places *places;
	double hz;
	int fd;
	double hits; /* of all that were watched */
};

/* Until the child has ended: drains, looks at its mappings and at the line, as the probe does. */
static int follow(pid_t pid, struct sd_capture *c, struct sd_line_watch *watch)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	struct sd_data_maps maps = {.n = 0};
	struct sd_code_copies copies = {.n = 0};
	uint64_t looked = 0;
	int status = -1;

	while (waitpid(pid, &status, c ? WNOHANG : 0) == 0) {
		const uint64_t now = capture_now();
		uint64_t wait = sd_trace_drain(c, now), tick;
		struct timespec t;

		if (now - looked > LOOK_NS) {
			(void)sd_data_maps_look(&maps, &copies, "", pid);
			looked = now;
		}
		tick = sd_line_watch_tick(watch, &maps, "", now);
		wait = tick < wait ? tick : wait;
		t = (struct timespec){.tv_sec = (time_t)(wait / 1000000000u),
			.tv_nsec = (long)(wait % 1000000000u)};
		ppoll(&end, 1, &t, NULL);
	}
	sd_line_watch_end(watch);
	sd_data_maps_free(&maps);
	sd_code_copies_free(&copies);
	if (end.fd >= 0)
		close(end.fd);
	return status;
}

/* The share that is taken from the program; below 0: it does not run. */
static double taken(struct program *p, int writes, enum how how)
{
	static struct sd_line_watch watch;
	char number[16], word[2] = {writes ? 'w' : 'r', '\0'};
	char *const argv[] = {(char[]){"/proc/self/exe"}, (char[]){"gaps"}, word, number, NULL};
	struct sd_cpulist cpus = capture_cpus();
	struct sd_capture *c = NULL;
	struct capture_child child;
	double share = -1;
	int rc = 0;

	snprintf(number, sizeof number, "%d", p->fd);
	child = capture_fork(argv);
	watch = (struct sd_line_watch){.places = how == WATCHED ? p->places : NULL};
	if (how != BARE)
		rc = sd_trace_open(
			&c, &(struct sd_trace_options){
				    .pid = child.pid, .cpus = &cpus, .hz = p->hz, .programs = 1});
	close(child.gate);
	if (follow(child.pid, c, &watch) || rc ||
		pread(p->fd, &share, sizeof share, 0) != sizeof share)
		share = -1;
	if (c)
		sd_trace_stop(c);
	sd_trace_close(c);
	sd_cpulist_free(&cpus);
	for (unsigned i = 0; i < SD_LINE_WATCH_WORDS; i++)
		for (unsigned t = 0; t < SD_LINE_WATCH_THREADS; t++)
			p->hits +=
				(double)(watch.line[0].hits[0][i][t] + watch.line[0].hits[1][i][t]);
	return share;
}

static void put_pairs(struct program *p, const char *name, int writes, enum how how, size_t pairs)
{
	static double more[PAIRS_MAX];
	struct bench_cell hits = {""};

	p->hits = 0;
	for (size_t i = 0; i < pairs; i++) {
		double share[2];

		for (size_t k = 0; k < 2; k++)
			share[(i + k) % 2] = taken(p, writes, (i + k) % 2 ? how : BARE);
		if (share[0] < 0 || share[1] < 0) {
			fprintf(stderr, "bench_native_lines: gaps does not run\n");
			return;
		}
		more[i] = 100 * (share[1] - share[0]);
	}
	snprintf(hits.text, sizeof hits.text, "%.0f", p->hits / (double)pairs);
	bench_row(name, "less bare", bench_cell(more, pairs, 2).text, hits.text, "");
}

/* The line as a run's samples would tell it. */
static void choose_line(struct sd_line_places *places)
{
	struct sd_sim_sharer sharer = {.thread = 0};
	struct sd_mem_thread thread = {.pid = getpid(), .tid = getpid()};
	struct sd_native_line seen = {
		.line = {.address = (uint64_t)(uintptr_t)line, .sharer = &sharer, .n_sharer = 1},
		.read = 1};
	const struct sd_native_lines run = {.samples = 400,
		.seconds = 1,
		.thread = &thread,
		.n_thread = 1,
		.line = &seen,
		.n_line = 1};
	struct sd_data_maps maps = {.n = 0};
	struct sd_code_copies copies = {.n = 0};

	if (sd_data_maps_look(&maps, &copies, "", getpid()))
		abort();
	sd_line_places_choose(places, &run, 1, &maps);
	sd_data_maps_free(&maps);
	sd_code_copies_free(&copies);
}

static void put_costs(size_t pairs)
{
	static struct sd_line_places places;
	struct program p = {.places = &places,
		.hz = sd_sample_cost_rate(sd_sample_cost_measure(NULL, NULL), 0),
		.fd = memfd_create("gaps", 0)};

	choose_line(&places);
	bench_head("taken from a program", "", "% of a CPU's time", "hits a run", "");
	put_pairs(&p, "samples", 0, SAMPLED, pairs);
	put_pairs(&p, "and watched, nobody writes", 0, WATCHED, pairs);
	put_pairs(&p, "and watched, both write", 1, WATCHED, pairs);
	close(p.fd);
}

static void put_million(void)
{
	static const char *const names[] = {
		[STREAMS] = "streams", [ONE_LINE] = "one line", [TABLE] = "a table at random"};

	bench_head("lines of samples", "", "CPU time", "memory", "addresses a sample");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const pid_t child = fork();

		if (child == 0) {
			fold(names[i], (enum sort)i);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			abort();
	}
}

int main(int argc, char **argv)
{
	uint64_t pairs = 21;

	if (argc > 3 && strcmp(argv[1], "gaps") == 0)
		return find_all_gaps(*argv[2] == 'w', atoi(argv[3]));
	if (argc > 1 && sd_number_u64(argv[1], 1, PAIRS_MAX, &pairs) != 0) {
		fprintf(stderr, "usage: bench_native_lines [PAIRS]\n");
		return 2;
	}
	put_million();
	put_costs(pairs);
	return 0;
}
