/*
 * Cost of a critical section that is left at once, and of a piece of a loop in which nothing is
 * done, inside of a parallel region and outside of all: often_locked_omp TIMES prints them in CPU
 * seconds, the least of some turns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TURNS 5

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take(int times)
{
	for (int i = 0; i < times; i++) {
#pragma omp critical
		__asm__ volatile("" ::: "memory");
	}
}

static void ask(int times)
{
#pragma omp for schedule(dynamic, 1)
	for (int i = 0; i < times; i++)
		__asm__ volatile("" ::: "memory");
}

static void measure(const char *name, void (*act)(int times), int times, const char *end)
{
	double inside = 1e9, outside = 1e9;

	for (int turn = 0; turn < TURNS; turn++) {
		const double start = cpu_time();
		double middle, stop;

		act(times);
		middle = cpu_time();
#pragma omp parallel num_threads(1)
		act(times);
		stop = cpu_time();
		outside = middle - start < outside ? middle - start : outside;
		inside = stop - middle < inside ? stop - middle : inside;
	}
	printf("\"%s\": {\"outside\": %.9f, \"inside\": %.9f}%s", name, outside, inside, end);
}

int main(int argc, char **argv)
{
	const int times = argc > 1 ? atoi(argv[1]) : 1000000;

	printf("{");
	measure("locks", take, times, ", ");
	measure("pieces", ask, times, "}\n");
	return 0;
}
