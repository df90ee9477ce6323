/*
 * Results of a program of this folder, which prints none: what it works and allocates, in whatever
 * order, and the words of its variables. A file of tests/fixes includes this before the program.
 */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "work.h"

/* Processes share them, too. */
static struct results {
	_Atomic unsigned long calls, steps, sum, blocks, bytes;
} * results;

static inline uint64_t results_work(double amount)
{
	const uint64_t x = work(amount);

	results->calls++;
	results->steps += (unsigned long)(amount * WORK_STEPS);
	results->sum += x;
	return x;
}

static inline void *results_malloc(size_t bytes)
{
	results->blocks++;
	results->bytes += bytes;
	return malloc(bytes);
}

static inline void results_begin(void)
{
	results = mmap(
		NULL, sizeof *results, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		abort();
}

/* The sum of an object's words, wherever they lie in it. */
static inline void results_object(const char *name, const volatile void *p, size_t bytes)
{
	unsigned long all = 0;

	for (size_t i = 0; p && i + 4 <= bytes; i += 4)
		all += *(const volatile uint32_t *)((const volatile char *)p + i);
	printf("%s %lu\n", name, all);
}

static inline void results_end(void)
{
	printf("%lu calls of work, %lu steps, sum %lu; %lu blocks of %lu bytes\n", results->calls,
		results->steps, results->sum, results->blocks, results->bytes);
}

#define work results_work
#define malloc results_malloc

#endif
