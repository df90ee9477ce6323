/*
 * How long samples take to become callers and lines: a program is captured, and its samples are
 * unwound and named, the first time (files are opened, rows and places made) and again (all is
 * there already). CPU time, per million samples. Where perf is installed, it records the same
 * command, and `perf report --stdio` of those samples is timed too. And what smaller copies of the
 * same stacks show, with and without the kernel's chain by frame pointers: the same, fewer callers,
 * or others. Prints; never passes or fails.
 *
 *   [SD_HZ=4000] [SD_STACK=61440] bench_symbols [PROGRAM [ARG...]]
 *
 * SD_HZ: samples a second and CPU of both, and no bound to their bytes, for a million in minutes.
 * SD_STACK: bytes of its stack that a sample copies.
 */
#include <string.h>

#include "support/capture_child.h"
#include "base/number.h"
#include "symbols/symbols.h"
#include "unwind/unwind.h"

enum { FRAMES = 128, PLACES = 16 };
#define UNBOUNDED (UINT64_C(1) << 40)

struct tally {
	struct sd_symbols *s;
	size_t samples, stacks, bytes, frames, whole, named, places;
};

static double cpu_s(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void name(struct tally *t, int pid, const uint64_t *pc, size_t n)
{
	struct sd_placement_of place[PLACES];

	for (size_t i = 0; i < n; i++) {
		t->places += sd_symbols_at(t->s, pid, pc[i], i > 0, place, PLACES);
		t->named += place[0].function != NULL;
	}
}

static int each(void *ctx, const struct sd_event *e)
{
	struct tally *const t = ctx;
	struct sd_placement_of place;
	uint64_t pc[FRAMES];
	struct sd_unwound how;
	size_t n;

	if (e->kind != SD_EVENT_SAMPLE && e->kind != SD_EVENT_SWITCH_OUT)
		return sd_symbols_event(t->s, e);
	t->samples++;
	if (e->kernel)
		sd_symbols_kernel(t->s, e->ip, &place);
	if (!e->regs.mask)
		return 0;
	n = sd_symbols_unwind(t->s, e, pc, FRAMES, &how);
	t->stacks++;
	t->bytes += e->stack_size;
	t->frames += n;
	t->whole += how.whole > 0;
	name(t, e->pid, pc, n);
	return 0;
}

static void pass(struct sd_capture *c, struct sd_symbols *s, const char *what)
{
	struct tally t = {.s = s};
	const double before = cpu_s(RUSAGE_SELF);
	const int rc = sd_trace_replay(c, each, &t);
	const double took = cpu_s(RUSAGE_SELF) - before;

	if (rc != 0 || !t.samples || !t.stacks || !t.frames) {
		printf("%s: no samples with stacks\n", what);
		return;
	}
	printf("%-12s %zu samples, %zu bytes and %.1f frames a stack, %.0f %% whole, %.0f %% of "
	       "frames named: "
	       "%.2f s CPU, %.1f s a million\n",
		what, t.samples, t.bytes / t.stacks, (double)t.frames / (double)t.stacks,
		100.0 * (double)t.whole / (double)t.stacks,
		100.0 * (double)t.named / (double)t.frames, took, 1e6 * took / (double)t.samples);
}

/* ---- smaller copies ---- */

static const size_t smaller[] = {512, 1024, 2048, 4096, 8192};
#define SMALLER (sizeof smaller / sizeof *smaller)

/* Frames of the C library and of the program's start outside of its code, which the resolver knows
 * of other stacks (resolve/stack_starts.h). */
#define START 3

struct cuts {
	struct sd_symbols *s;
	size_t stacks;
	struct {
		size_t same, start, fewer, others;
	} of[SMALLER][2]; /* without the chain, and with it */
};

static void cut(struct cuts *t, const struct sd_event *e, const uint64_t *all, size_t n)
{
	for (size_t i = 0; i < SMALLER; i++)
		for (int chain = 0; chain < 2; chain++) {
			struct sd_event less = *e;
			struct sd_unwound how;
			uint64_t pc[FRAMES];
			size_t m;

			less.stack_size = smaller[i] < e->stack_size ? smaller[i] : e->stack_size;
			less.n_pointed = chain ? e->n_pointed : 0;
			m = sd_symbols_unwind(t->s, &less, pc, FRAMES, &how);
			if (m > n || memcmp(pc, all, m * sizeof *pc) != 0)
				t->of[i][chain].others++;
			else if (m < n)
				*(m + START >= n ? &t->of[i][chain].start
						 : &t->of[i][chain].fewer) += 1;
			else
				t->of[i][chain].same++;
		}
}

static int each_cut(void *ctx, const struct sd_event *e)
{
	struct cuts *const t = ctx;
	uint64_t all[FRAMES];
	struct sd_unwound how;
	size_t n;

	if (e->kind != SD_EVENT_SAMPLE)
		return sd_symbols_event(t->s, e);
	if (!e->regs.mask)
		return 0;
	n = sd_symbols_unwind(t->s, e, all, FRAMES, &how);
	t->stacks++;
	cut(t, e, all, n);
	return 0;
}

static void show_cuts(struct sd_capture *c, struct sd_symbols *s)
{
	struct cuts t = {.s = s};

	if (sd_trace_replay(c, each_cut, &t) || !t.stacks)
		return;
	for (size_t i = 0; i < SMALLER; i++) {
		printf("copies of %4zu bytes, %% of %zu stacks:", smaller[i], t.stacks);
		for (int chain = 0; chain < 2; chain++)
			printf("%s the same %.1f, but for the start %.1f, fewer callers %.1f, "
			       "others %.2f",
				chain ? "; with frame pointers" : "",
				100.0 * (double)t.of[i][chain].same / (double)t.stacks,
				100.0 * (double)t.of[i][chain].start / (double)t.stacks,
				100.0 * (double)t.of[i][chain].fewer / (double)t.stacks,
				100.0 * (double)t.of[i][chain].others / (double)t.stacks);
		printf("\n");
	}
}

static int ours(char *const argv[], uint64_t hz, uint32_t stack)
{
	struct capture_child child = capture_fork(argv);
	const struct sd_cpulist cpus = capture_cpus();
	const struct sd_trace_options o = {.pid = child.pid,
		.cpus = &cpus,
		.hz = (double)hz,
		.stack = stack,
		.bytes = hz ? UNBOUNDED : 0};
	struct sd_symbols *s = NULL;
	struct sd_capture *c = NULL;
	struct rusage usage;
	int rc = sd_trace_open(&c, &o);

	if (rc != 0 || sd_symbols_open(&s, "") != 0) {
		printf("no capture here: %s\n", strerror(-rc));
		close(child.gate);
		return 0;
	}
	capture_run(&child, c, &usage);
	sd_trace_stop(c);
	pass(c, s, "first time");
	pass(c, s, "again");
	show_cuts(c, s);
	sd_symbols_close(s);
	sd_trace_close(c);
	return 0;
}

/* `perf report` of what `perf record` has of the same command; both say little. */
static void theirs(char *const argv[], uint64_t hz, const char *options)
{
	char command[4096], line[256];
	const int patience = hz ? 900 : 170; /* s */
	size_t n = 0, used;
	double before;
	FILE *f;

	used = (size_t)snprintf(command, sizeof command,
		"perf record -q -e cpu-clock -F %d --call-graph dwarf,8192 -o "
		"/tmp/bench_symbols.%d ",
		hz ? (int)hz : 997, (int)getpid());
	for (; *argv && used < sizeof command; argv++)
		used += (size_t)snprintf(command + used, sizeof command - used, "'%s' ", *argv);
	if (used + 32 > sizeof command || system(strcat(command, ">/dev/null 2>&1")) != 0) {
		printf("no perf here\n");
		return;
	}
	snprintf(command, sizeof command,
		"timeout %d perf report --stdio %s -i /tmp/bench_symbols.%d 2>/dev/null", patience,
		options, (int)getpid());
	before = cpu_s(RUSAGE_CHILDREN);
	f = popen(command, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "# Samples: %zu", &n) == 1)
			n *= strchr(line, 'K') ? 1000 : strchr(line, 'M') ? 1000000 : 1;
	if (f && pclose(f) != 0)
		printf("perf report %s: stopped after %d s: at least\n", options, patience);
	printf("perf report %s: %zu samples (rounded by it): %.2f s CPU, %.1f s a million\n",
		options, n, cpu_s(RUSAGE_CHILDREN) - before,
		n ? 1e6 * (cpu_s(RUSAGE_CHILDREN) - before) / (double)n : 0.0);
	snprintf(command, sizeof command, "/tmp/bench_symbols.%d", (int)getpid());
	unlink(command);
}

int main(int argc, char **argv)
{
	char *const fallback[] = {(char[]){"/bin/sh"}, (char[]){"-c"},
		(char[]){"i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done"}, NULL};
	char *const *const program = argc > 1 ? argv + 1 : fallback;
	uint64_t hz = 0, stack = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getenv("SD_HZ") && sd_number_u64(getenv("SD_HZ"), 1, 10000, &hz) != 0) {
		fprintf(stderr, "bench_symbols: SD_HZ is 1 to 10000\n");
		return 2;
	}
	if (getenv("SD_STACK") && sd_number_u64(getenv("SD_STACK"), 1024, 61440, &stack) != 0) {
		fprintf(stderr, "bench_symbols: SD_STACK is 1024 to 61440\n");
		return 2;
	}
	ours(program, hz, (uint32_t)stack);
	theirs(program, hz, "--no-inline");
	return 0;
}
