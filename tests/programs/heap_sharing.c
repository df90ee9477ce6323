/*
 * Counters on the heap: each thread increments its own. One block for all of them ("one"), so that
 * they share cache lines; a block each, given one after the other ("each"), which do as well; or
 * blocks that begin a line of their own ("apart"). Or counters of processes in memory that they
 * share ("processes").
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 64

static volatile long *counter[MOST];
static long rounds;

static void *count(void *arg)
{
	volatile long *const own = arg;

	for (long i = 0; i < rounds; i++)
		(*own)++;
	return NULL;
}

__attribute__((noinline)) static long *make_counters(size_t n)
{
	long *const p = calloc(n, sizeof(long));

	if (!p) /* and no tail call: this function stays on the stack */
		exit(1);
	return p;
}

__attribute__((noinline)) static long *make_one(void)
{
	long *const p = make_counters(1);

	*p = 0;
	return p;
}

__attribute__((noinline)) static long *make_apart(void)
{
	long *const p = aligned_alloc(128, 128);

	if (!p)
		exit(1);
	return p;
}

static int count_in_processes(int n)
{
	long *const all =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return 1;
	for (int i = 0; i < n; i++)
		if (fork() == 0) {
			count(all + i);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	printf("%ld\n", all[0]);
	return 0;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 2;
	const char *const how = argc > 3 ? argv[3] : "one";
	long *const all = strcmp(how, "one") == 0 ? make_counters((size_t)n) : NULL;
	pthread_t thread[MOST];
	long sum = 0;

	if (n < 1 || n > MOST)
		return 2;
	rounds = argc > 2 ? atol(argv[2]) : 100000;
	if (strcmp(how, "processes") == 0)
		return count_in_processes(n);
	for (int i = 0; i < n; i++) {
		counter[i] = all ? all + i : strcmp(how, "each") == 0 ? make_one() : make_apart();
		*counter[i] = 0;
	}
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, count, (void *)(size_t)counter[i]);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < n; i++)
		sum += *counter[i];
	printf("%ld\n", sum);
	return 0;
}
