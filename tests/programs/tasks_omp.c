/*
 * Programs of OpenMP tasks whose algorithm allows so much speedup and no more:
 *
 *   tasks_omp KIND SIZE [THREADS]    prints a sum that does not depend on the threads
 *
 * "fib" numbers of Fibonacci; "sort" a merge sort whose merges are one thread's each; "strassen" a
 * product of matrices by seven smaller ones; "nqueens" queens on a board; "uts" a tree of which
 * nobody knows where it is deep; "quick" a quicksort whose partitions are one thread's each;
 * "chain" tasks that each wait for the one before; "wide" tasks that one thread makes, of equal
 * work. All of them stop to make tasks where what is left is little.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- fib ------------------------------------------------------------------------------------- */

static long fib_alone(long n)
{
	return n < 2 ? n : fib_alone(n - 1) + fib_alone(n - 2);
}

static long fib(long n, long least)
{
	long a, b;

	if (n <= least)
		return fib_alone(n);
#pragma omp task shared(a)
	a = fib(n - 1, least);
	b = fib(n - 2, least);
#pragma omp taskwait
	return a + b;
}

static long run_fib(long size)
{
	return fib(size, size - 9);
}

/* ---- sort and quick -------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void merge(int *v, long half, long n, int *to)
{
	long i = 0, j = half, k = 0;

	while (i < half && j < n)
		to[k++] = v[i] <= v[j] ? v[i++] : v[j++];
	memcpy(to + k, v + i, (size_t)(half - i) * sizeof *v);
	memcpy(to + k, v + j, (size_t)(n - j) * sizeof *v);
	memcpy(v, to, (size_t)n * sizeof *v);
}

static void sort(int *v, long n, int *room, long least)
{
	const long half = n / 2;

	if (n <= least) {
		qsort(v, (size_t)n, sizeof *v, by_value);
		return;
	}
#pragma omp task
	sort(v, half, room, least);
	sort(v + half, n - half, room + half, least);
#pragma omp taskwait
	merge(v, half, n, room);
}

static void quick(int *v, long n, long least)
{
	const int middle = v[n / 2];
	long i = 0, j = n - 1;

	if (n <= least) {
		qsort(v, (size_t)n, sizeof *v, by_value);
		return;
	}
	while (i <= j) {
		while (v[i] < middle)
			i++;
		while (v[j] > middle)
			j--;
		if (i <= j) {
			const int x = v[i];

			v[i++] = v[j];
			v[j--] = x;
		}
	}
#pragma omp task
	quick(v, j + 1, least);
	quick(v + i, n - i, least);
#pragma omp taskwait
}

static long sorted(long size, int quickly)
{
	int *const v = malloc((size_t)size * sizeof *v), *const room =
								 calloc((size_t)size, sizeof *v);
	unsigned x = 1;
	long sum = 0;

	if (!v || !room)
		exit(1);
	for (long i = 0; i < size; i++)
		v[i] = (int)((x = x * 1664525u + 1013904223u) >> 8);
	if (quickly)
		quick(v, size, size / 64);
	else
		sort(v, size, room, size / 64);
	for (long i = 0; i < size; i++)
		sum += i % 7 * (v[i] % 1000);
	free(v);
	free(room);
	return sum;
}

static long run_sort(long size)
{
	return sorted(size, 0);
}

static long run_quick(long size)
{
	return sorted(size, 1);
}

/* ---- strassen -------------------------------------------------------------------------------- */

/* Square matrices of n by n, with so many numbers a row. */
static void add(const double *a, const double *b, double sign, double *to, long n, long row)
{
	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++)
			to[i * n + j] = a[i * row + j] + sign * b[i * row + j];
}

static void multiply(const double *a, long row_a, const double *b, long row_b, double *to, long n)
{
	memset(to, 0, (size_t)(n * n) * sizeof *to);
	for (long i = 0; i < n; i++)
		for (long k = 0; k < n; k++)
			for (long j = 0; j < n; j++)
				to[i * n + j] += a[i * row_a + k] * b[k * row_b + j];
}

static void copy(const double *from, long row, double *to, long n)
{
	for (long i = 0; i < n; i++)
		memcpy(to + i * n, from + i * row, (size_t)n * sizeof *to);
}

/* to = a b, both with n numbers a row. */
static void strassen(const double *a, const double *b, double *to, long n, long least)
{
	const long h = n / 2, low = h * n;
	double *m[7], *left[7], *right[7];
	const double *const a11 = a, *const a12 = a + h, *const a21 = a + low,
			    *const a22 = a + low + h;
	const double *const b11 = b, *const b12 = b + h, *const b21 = b + low,
			    *const b22 = b + low + h;

	if (n <= least) {
		multiply(a, n, b, n, to, n);
		return;
	}
	for (int k = 0; k < 7; k++) {
		m[k] = malloc((size_t)(3 * h * h) * sizeof *m[k]);
		if (!m[k])
			exit(1);
		left[k] = m[k] + h * h;
		right[k] = left[k] + h * h;
	}
	add(a11, a22, 1, left[0], h, n), add(b11, b22, 1, right[0], h, n);
	add(a21, a22, 1, left[1], h, n), copy(b11, n, right[1], h);
	copy(a11, n, left[2], h), add(b12, b22, -1, right[2], h, n);
	copy(a22, n, left[3], h), add(b21, b11, -1, right[3], h, n);
	add(a11, a12, 1, left[4], h, n), copy(b22, n, right[4], h);
	add(a21, a11, -1, left[5], h, n), add(b11, b12, 1, right[5], h, n);
	add(a12, a22, -1, left[6], h, n), add(b21, b22, 1, right[6], h, n);
	for (int k = 0; k < 7; k++) {
#pragma omp task firstprivate(k) shared(m, left, right)
		strassen(left[k], right[k], m[k], h, least);
	}
#pragma omp taskwait
	for (long i = 0; i < h; i++)
		for (long j = 0; j < h; j++) {
			const long at = i * h + j;
			double *const c = to + i * n + j;

			c[0] = m[0][at] + m[3][at] - m[4][at] + m[6][at];
			c[h] = m[2][at] + m[4][at];
			c[low] = m[1][at] + m[3][at];
			c[low + h] = m[0][at] - m[1][at] + m[2][at] + m[5][at];
		}
	for (int k = 0; k < 7; k++)
		free(m[k]);
}

static long run_strassen(long n)
{
	double *const a = calloc((size_t)(3 * n * n), sizeof *a), *b = a + n * n, *c = b + n * n;
	double sum = 0;

	if (!a)
		exit(1);
	for (long i = 0; i < n * n; i++) {
		a[i] = (double)(i % 13);
		b[i] = (double)(i % 7);
	}
	strassen(a, b, c, n, n / 4);
	for (long i = 0; i < n * n; i += n + 1)
		sum += c[i];
	free(a);
	return (long)sum;
}

/* ---- nqueens --------------------------------------------------------------------------------- */

static long queens(unsigned all, unsigned columns, unsigned left, unsigned right, int makes)
{
	unsigned free_ones = all & ~(columns | left | right);
	long sum = 0;

	if (columns == all)
		return 1;
	while (free_ones) {
		const unsigned one = free_ones & -free_ones;

		free_ones -= one;
		if (!makes) {
			sum += queens(all, columns | one, (left | one) << 1, (right | one) >> 1, 0);
			continue;
		}
#pragma omp task shared(sum)
		{
			const long found = queens(all, columns | one, (left | one) << 1,
				(right | one) >> 1, makes - 1);

#pragma omp atomic
			sum += found;
		}
	}
	if (makes) {
#pragma omp taskwait
	}
	return sum;
}

static long run_nqueens(long size)
{
	return queens((1u << size) - 1, 0, 0, 0, 2);
}

/* ---- uts ------------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* A node has some work, and fewer children the deeper it is: none, or up to six. */
static long tree(uint64_t seed, int depth, long work)
{
	const int children = depth <= 0 ? 0 : (int)(mixed(seed) % 7);
	long sum = 1, below[6] = {0};

	for (long i = 0; i < work; i++)
		seed = mixed(seed + (uint64_t)i);
	for (int i = 0; i < children; i++) {
#pragma omp task shared(below)
		below[i] = tree(mixed(seed + (uint64_t)i), depth - 1, work);
	}
#pragma omp taskwait
	for (int i = 0; i < children; i++)
		sum += below[i];
	return sum + (long)(seed & 1);
}

static long run_uts(long size)
{
	return tree(42, 5, size);
}

/* ---- chain and wide -------------------------------------------------------------------------- */

static long run_chain(long size)
{
	long sum = 0;

	for (int i = 0; i < 32; i++) {
#pragma omp task shared(sum)
		sum += fib_alone(size);
#pragma omp taskwait
	}
	return sum;
}

static long run_wide(long size)
{
	long sum = 0;

	for (int i = 0; i < 256; i++) {
#pragma omp task shared(sum)
		{
			const long more = fib_alone(size);

#pragma omp atomic
			sum += more;
		}
	}
#pragma omp taskwait
	return sum;
}

static const struct kind {
	const char *name;
	long (*run)(long size);
} kinds[] = {{"fib", run_fib}, {"sort", run_sort}, {"strassen", run_strassen},
	{"nqueens", run_nqueens}, {"uts", run_uts}, {"quick", run_quick}, {"chain", run_chain},
	{"wide", run_wide}};

int main(int argc, char **argv)
{
	const long size = argc > 2 ? atol(argv[2]) : 20;
	const int threads = argc > 3 ? atoi(argv[3]) : 2;
	long sum = 0;

	for (size_t k = 0; argc > 1 && k < sizeof kinds / sizeof *kinds; k++) {
		if (strcmp(argv[1], kinds[k].name))
			continue;
#pragma omp parallel num_threads(threads)
#pragma omp single
		sum = kinds[k].run(size);
		printf("%ld\n", sum);
		return 0;
	}
	return 2;
}
