/* Ten small programs in one, from compute-bound to memory-bound, for measuring what
 * watches them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static uint32_t next(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33);
}

static uint64_t mix(long n)
{
	uint64_t h = 1;

	for (long i = 0; i < n * 4000000; i++) {
		h = (h ^ (uint64_t)i) * 0x100000001b3ull;
		h ^= h >> 29;
	}
	return h;
}

static uint64_t primes(long n)
{
	const size_t max = 400000;
	unsigned char *const sieve = malloc(max);
	uint64_t found = 0;

	for (long pass = 0; pass < n; pass++) {
		memset(sieve, 1, max);
		for (size_t i = 2; i < max; i++)
			if (sieve[i]) {
				found++;
				for (size_t j = i * 2; j < max; j += i)
					sieve[j] = 0;
			}
	}
	free(sieve);
	return found;
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint64_t sort(long n)
{
	const size_t size = 40000 * (size_t)n;
	uint32_t *const a = malloc(size * sizeof *a);

	for (size_t i = 0; i < size; i++)
		a[i] = next();
	qsort(a, size, sizeof *a, compare);
	const uint64_t middle = a[size / 2];
	free(a);
	return middle;
}

static uint64_t product(long n, int block)
{
	enum { SIZE = 128 };
	static int64_t a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

	for (int i = 0; i < SIZE * SIZE; i++) {
		a[i / SIZE][i % SIZE] = next();
		b[i / SIZE][i % SIZE] = next();
	}
	for (long pass = 0; pass < n; pass++)
		for (int jj = 0; jj < SIZE; jj += block)
			for (int kk = 0; kk < SIZE; kk += block)
				for (int i = 0; i < SIZE; i++)
					for (int j = jj; j < jj + block; j++)
						for (int k = kk; k < kk + block; k++)
							c[i][j] += (a[i][k] + pass) * b[k][j];
	return (uint64_t)c[1][1];
}

static uint64_t naive(long n)
{
	return product(n, 128);
}

static uint64_t blocked(long n)
{
	return product(n, 16);
}

static uint64_t chase(long n)
{
	const size_t size = 1u << 15, step = 64 / sizeof(size_t);
	size_t *const p = malloc(size * 64), at = 0;

	for (size_t i = 0; i < size; i++)
		p[i * step] = (i * 7919 + 13) % size * step;
	for (long i = 0; i < n * 200000; i++)
		at = p[at];
	free(p);
	return at;
}

static uint64_t triad(long n)
{
	const size_t size = 1u << 18;
	int64_t *const a = calloc(3 * size, sizeof *a), *const b = a + size, *const c = b + size;

	for (long pass = 0; pass < n; pass++)
		for (size_t i = 0; i < size; i++)
			a[i] = b[i] + 3 * c[i];
	const uint64_t sum = (uint64_t)a[size / 2];
	free(a);
	return sum;
}

static uint64_t histogram(long n)
{
	static uint32_t bins[4096];

	for (long i = 0; i < n * 1000000; i++)
		bins[next() & 4095]++;
	return bins[77];
}

static uint64_t words(long n)
{
	static char text[1u << 16];
	uint64_t found = 0;

	for (size_t i = 0; i < sizeof text - 1; i++)
		text[i] = next() % 6 ? (char)('a' + next() % 26) : ' ';
	for (long pass = 0; pass < n * 10; pass++)
		for (const char *p = text; *p; p++)
			found += p[0] == ' ' && p[1] != ' ';
	return found;
}

static uint64_t tree(long n)
{
	struct node {
		uint32_t key;
		struct node *to[2];
	} *root = NULL, *const all = calloc(20000 * (size_t)n, sizeof *all);
	uint64_t depth = 0;

	for (size_t i = 0; i < 20000 * (size_t)n; i++) {
		struct node **at = &root;

		all[i].key = next();
		for (; *at; depth++)
			at = &(*at)->to[(*at)->key < all[i].key];
		*at = &all[i];
	}
	free(all);
	return depth;
}

static const struct {
	const char *name;
	uint64_t (*run)(long n);
} programs[] = {{"mix", mix}, {"primes", primes}, {"sort", sort}, {"naive", naive},
	{"blocked", blocked}, {"chase", chase}, {"triad", triad}, {"histogram", histogram},
	{"words", words}, {"tree", tree}};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof programs / sizeof *programs; i++)
		if (strcmp(argv[1], programs[i].name) == 0) {
			printf("%llu\n", (unsigned long long)programs[i].run(atol(argv[2])));
			return 0;
		}
	fprintf(stderr, "usage: ten PROGRAM N\n");
	return 2;
}
