/* Two counters of one structure on the heap, each of a thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct shop {
	long opened;
	struct {
		long sold, left;
	} till[2];
};

static long times;

static void *serve(void *arg)
{
	struct shop *const s = arg;

	for (long i = 0; i < times; i++)
		__atomic_fetch_add(&s->till[0].sold, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void *refill(void *arg)
{
	struct shop *const s = arg;

	for (long i = 0; i < times; i++)
		__atomic_fetch_add(&s->till[1].left, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	struct shop *const s = aligned_alloc(64, 64);
	pthread_t a, b;

	times = argc > 2 ? atol(argv[2]) : 1000000;
	if (!s)
		return 1;
	*s = (struct shop){.opened = 1};
	if (pthread_create(&a, NULL, serve, s) || pthread_create(&b, NULL, refill, s))
		return 1;
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%ld %ld\n", s->till[0].sold, s->till[1].left);
	free(s);
	return 0;
}
