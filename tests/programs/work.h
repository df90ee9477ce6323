/*
 * Shared parts of the programs under test: fixed work that only computes, and the number of threads
 * a user would give.
 */
#ifndef WORK_H
#define WORK_H

#include <stdint.h>
#include <stdlib.h>

/* The software PMU runs a program at a fraction of its speed: some give it this much less to do. */
#ifndef SMALLER
#define SMALLER 1
#endif

/* A dependent multiply-add is about 4 cycles: an amount of 1 is about a second at 3 GHz. */
#define WORK_STEPS 750e6

/* The result depends on every step, so that the compiler keeps them; nothing is shared
 * or stored. */
static inline uint64_t work(double amount)
{
	uint64_t x = 88172645463325252u;

	for (uint64_t i = (uint64_t)(amount * WORK_STEPS); i > 0; i--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

/* The first argument: how much work; these programs trust their caller. */
static inline double work_amount(int argc, char **argv)
{
	return argc > 1 ? strtod(argv[1], NULL) : 0.2;
}

/* OMP_NUM_THREADS, 1 without it. */
static inline unsigned work_threads(void)
{
	const char *text = getenv("OMP_NUM_THREADS");
	const unsigned long n = text ? strtoul(text, NULL, 10) : 1;

	return n >= 1 && n <= 256 ? (unsigned)n : 1;
}

#endif
