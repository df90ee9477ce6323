/* Look-ups all over a table in huge pages: one entry of the TLB reaches 512 times as far. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGES MADV_HUGEPAGE

int main(int argc, char **argv)
{
	const size_t mib = argc > 1 ? (size_t)atol(argv[1]) : 256;
	const size_t n = mib * 1024 * 1024 / sizeof(unsigned); /* a power of two, as mib is */
	const long looks = argc > 2 ? atol(argv[2]) : 16000000;
	unsigned *const table = aligned_alloc(2 << 20, n * sizeof *table);
	unsigned long sum = 0;

	if (!table || (n & (n - 1)) != 0)
		return 1;
	madvise(table, n * sizeof *table, PAGES);
#pragma omp parallel for
	for (size_t i = 0; i < n; i++)
		table[i] = (unsigned)i;
#pragma omp parallel for reduction(+ : sum)
	for (long i = 0; i < looks; i++)
		sum += table[((size_t)i * 0x9e3779b97f4a7c15u >> 20) & (n - 1)];
	printf("%lu\n", sum);
	free(table);
	return 0;
}
