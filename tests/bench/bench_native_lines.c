/*
 * Cost of the cache lines of a run's samples, by the million: addresses from registers, and the
 * turns that threads take on lines, in CPU time and in the memory that is needed for it. Three
 * sorts of memory: every thread its own stream, one line that all fight for, and a table that all
 * write to at random. Bounds that hold: 2 s a million.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "bench/bench_table.h"
#include "native/line_turns.h"
#include "operands/operand_plan.h"

#define SAMPLES 1000000u
#define THREADS 8u
#define DI 5 /* asm/perf_regs.h, as SI: 4 */

/* again: incq (%rdi); mov (%rsi),%rax; add $8,%rsi; dec %rcx; jnz again */
static const unsigned char code[] = {0x48, 0xff, 0x07, 0x48, 0x8b, 0x06, 0x48, 0x83, 0xc6, 0x08, 0x48,
	0xff, 0xc9, 0x75, 0xf1};
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
	sd_operand_plan_make(&plan, SD_OPERAND_X86_64, AT, code, sizeof code, AT, AT + 3);
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

int main(void)
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
			return 1;
	}
	return 0;
}
