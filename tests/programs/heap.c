/*
 * Uses every way to get memory, on several threads, and checks that what it holds stays: ends with
 * 0 when it does. With an argument it also wants every block to be 128 bytes of its own.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HELD 512
#define ROUNDS 50000
#define THREADS 4

struct block {
	unsigned char *p;
	size_t n;
	unsigned char mark;
};

static int padded, bad;

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	bad = 1;
}

static void check(const struct block *b)
{
	for (size_t i = 0; i<b->n; i += b->n> 64 ? b->n / 16 : 1)
		if (b->p[i] != b->mark) {
			fail("a block changed");
			return;
		}
	if (b->n && b->p[b->n - 1] != b->mark)
		fail("a block's end changed");
	if (padded && (uintptr_t)b->p % 128)
		fail("a block is not aligned");
}

static void *get(unsigned way, size_t n)
{
	static const size_t align[] = {16, 64, 128, 4096};
	void *p = NULL;

	switch (way % 6) {
	case 0:
		return calloc(1, n);
	case 1:
		return posix_memalign(&p, align[way / 6 % 4], n) ? NULL : p;
	case 2:
		return aligned_alloc(align[way / 6 % 4], n);
	case 3:
		return memalign(align[way / 6 % 4], n);
	default:
		return malloc(n);
	}
}

static void *work(void *arg)
{
	static const size_t most[] = {40, 200, 3000, 300000};
	unsigned x = *(unsigned *)arg;
	struct block held[HELD] = {{0}};

	for (int i = 0; i < ROUNDS && !bad; i++) {
		struct block *b;

		x = x * 1103515245u + 12345u;
		b = &held[x >> 8 & (HELD - 1)];
		if (b->p)
			check(b);
		b->n = 1 + (x >> 4) % most[x >> 20 & 3 & (x >> 22)];
		b->mark = (unsigned char)(x >> 11);
		if (b->p && (x >> 17 & 1)) {
			b->p = realloc(b->p, b->n);
		} else {
			free(b->p);
			b->p = get(x >> 12, b->n);
		}
		if (!b->p) {
			fail("no memory");
			break;
		}
		if (malloc_usable_size(b->p) < b->n)
			fail("a block is smaller than it was asked for");
		memset(b->p, b->mark, b->n);
	}
	for (int i = 0; i < HELD; i++) {
		if (held[i].p)
			check(&held[i]);
		free(held[i].p);
	}
	return NULL;
}

static void check_limits(void)
{
	volatile size_t huge = SIZE_MAX;
	unsigned char *p = calloc(1000, 3);

	for (size_t i = 0; p && i < 3000; i++)
		if (p[i])
			fail("calloc gave a byte that is not zero");
	free(p);
	if (malloc(huge) || calloc(huge, 2) || realloc(NULL, huge - 64) ||
		reallocarray(NULL, huge, 2))
		fail("more memory than there is");
	free(NULL);
	p = realloc(valloc(10), 100000);
	if (!p)
		fail("valloc and realloc");
	free(p);
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	unsigned seed[THREADS];

	(void)argv;
	padded = argc > 1;
	check_limits();
	for (unsigned i = 0; i < THREADS; i++) {
		seed[i] = i + 1;
		if (pthread_create(&thread[i], NULL, work, &seed[i]))
			return 1;
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return bad;
}
