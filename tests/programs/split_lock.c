/*
 * split_lock [THREADS] [ROUNDS]: atomic additions to words of each thread's own, 60 bytes into a
 * line: each lies in two lines, and locks the bus. "aligned" as a third argument: at the beginning
 * of a line. Exits with 77 where the CPU, the kernel or the hypervisor does not let it (split lock
 * detection ends it, or makes it wait some milliseconds), or there is no such instruction.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined __x86_64__

static long rounds;
static size_t offset = 60;
static char lines[64][256] __attribute__((aligned(256)));

static void trapped(int signal)
{
	(void)signal;
	_exit(77);
}

static void add(char *word)
{
	__asm__ volatile("lock; addq $1, (%0)" : : "r"(word) : "memory", "cc");
}

/* Are a few of them so slow that somebody makes them wait? One that nobody minds takes a
 * microsecond. */
#define SOME 2000

static int is_slowed(void)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < SOME; i++)
		add(lines[0] + offset);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec) >
	       SOME * 20e-6;
}

static void *work(void *mine)
{
	for (long i = 0; i < rounds; i++)
		add((char *)mine + offset);
	return NULL;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread[64];

	if (n < 1 || n > 64)
		return 2;
	signal(SIGBUS, trapped);
	rounds = (argc > 2 ? atol(argv[2]) : 400000) / n;
	if (argc > 3 && strcmp(argv[3], "aligned") == 0)
		offset = 0;
	if (is_slowed())
		return 77;
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, work, lines[i]))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	puts("done");
	return 0;
}

#else

int main(void)
{
	return 77;
}

#endif
