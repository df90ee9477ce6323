/* Every item gets fresh memory from the kernel and gives it back: faults, and one lock for all. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MAX 256
#define SIZE (1 << 20)
#define PASSES 48
#define EVERY_ITEM 1

static long items = 300, threads = 1;

static char *get(void)
{
	char *const p =
		mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	madvise(p, SIZE, MADV_NOHUGEPAGE);
	return p;
}

static void *run(void *arg)
{
	char *p = get();
	long done = 0;

	for (long i = (long)arg; i < items; i += threads, done++) {
		if (EVERY_ITEM) {
			munmap(p, SIZE);
			p = get();
		}
		for (int pass = 0; pass < PASSES; pass++)
			for (long at = 0; at < SIZE; at += 64)
				p[at] = (char)(p[at] * 5 + i);
	}
	munmap(p, SIZE);
	return (void *)done;
}

int main(int argc, char **argv)
{
	pthread_t t[MAX];
	void *done;
	long all = 0;

	if (argc > 1)
		threads = atol(argv[1]);
	if (argc > 2)
		items = atol(argv[2]);
	if (threads < 1 || threads > MAX)
		return 2;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i) != 0)
			return 1;
	for (long i = 0; i < threads; i++) {
		pthread_join(t[i], &done);
		all += (long)done;
	}
	printf("%ld items\n", all);
	return 0;
}
