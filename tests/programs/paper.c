/*
 * Programs of Levinthal's paper on non-scaling on Core 2, one a word: paper WORD CORES [TIMES].
 * TIMES: 100 if not given; sum and lock do their work so often, sort, triad, blocks, columns and
 * uneven for each hundred
 * - sum: the volatile sum, each thread's place in one array; its data fits the caches
 * - sort: the loops of the triple-loop sort, their variables in shared arrays
 * - triad: a stream of three arrays with computation beside it; triad-nt: with non-temporal stores
 * - blocks: a block a thread, read again: one fits the L2, two do not; the same work in all
 * - blocks-weak: the same work by every thread
 * - rows: a matrix, a part of its rows a thread; columns: a part of every row
 * - lock: a count under a lock of one exchange
 * - strides: short inner loops that leave large gaps
 * - structures: one of the eight words of a line used
 * - trips: an inner loop of seven
 * - serial: one thread computes, the others wait for its end
 * - held: most of the work under one mutex, in long sections
 * - uneven: rounds that end at a barrier, in which the last thread has most to do
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "team.h"

#define LINE_WORDS 8

static long result;

/* ---- lines that threads contend for */

enum { SUM = 2000, SIZE = 60, ITERS = 10 };

static unsigned times = 100;

static unsigned hundreds(void)
{
	return times < 200 ? 1 : times / 100;
}

static int data[SUM];
static volatile int place[16] __attribute__((aligned(64)));

static int sum(const int *d, volatile int *s, int size)
{
	for (int i = 0; i < size; i++)
		*s += d[i] * d[i];
	return *s;
}

static void sums(const struct team_member *m)
{
	const int part = SUM / (int)m->n;

	for (unsigned k = 0; k < times; k++)
		sum(data + part * (int)m->id, &place[m->id], part);
}

static int aa[16][SIZE + 4] __attribute__((aligned(64)));
static volatile int var[5 * 16] __attribute__((aligned(64)));

static void sort(const struct team_member *m)
{
	volatile int *const i = var + m->id, *const j = i + m->n, *const k = j + m->n,
			    *const n = k + m->n, *const tmp = n + m->n;
	const int iters = ITERS * (int)hundreds();
	int *const a = aa[m->id];

	*n = 0;
	for (*k = 0; *k < iters; ++*k)
		for (*i = 0; *i < SIZE - 1; ++*i)
			for (*j = *i + 1; *j < SIZE; ++*j)
				if (*k & 1 ? a[*i] < a[*j] : a[*i] > a[*j]) {
					*tmp = a[*i];
					a[*i] = a[*j];
					a[*j] = *tmp;
					++*n;
				}
}

static int mutex __attribute__((aligned(64)));
static long guarded __attribute__((aligned(64)));

static void locks(const struct team_member *m)
{
	volatile long outside = 0;

	for (unsigned i = 0; i < 40 * times / m->n; i++) {
		while (__atomic_exchange_n(&mutex, 1, __ATOMIC_ACQUIRE))
			for (int k = 0; k < 20; k++)
				outside += k;
		guarded++;
		__atomic_store_n(&mutex, 0, __ATOMIC_RELEASE);
		for (int k = 0; k < 40; k++)
			outside += k;
	}
}

/* ---- memory */

enum { TRIAD = 600000, WORK = 12 };
static double *x, *y, *z;

static void triad_once(const struct team_member *m)
{
	const size_t part = TRIAD / m->n / LINE_WORDS * LINE_WORDS, first = part * m->id;

	for (size_t i = first; i < first + part; i++) {
		volatile int spend = 0;

		for (int k = 0; k < WORK / 4; k++)
			spend += k;
		x[i] = y[i] + 3 * z[i];
	}
}

static void triad(const struct team_member *m)
{
	for (unsigned k = 0; k < hundreds(); k++)
		triad_once(m);
}

static void triad_nt(const struct team_member *m)
{
#ifdef __SSE2__
	const size_t part = TRIAD / m->n / LINE_WORDS * LINE_WORDS, first = part * m->id;

	for (size_t i = first; i < first + part; i += 2) {
		volatile int spend = 0;

		for (int k = 0; k < WORK / 2; k++)
			spend += k;
		_mm_stream_pd(x + i, _mm_add_pd(_mm_loadu_pd(y + i), _mm_loadu_pd(z + i)));
	}
#else
	triad(m);
#endif
}

enum { BLOCK = 2500 << 10, SWEEPS = 8 };
static volatile char *block;
static int weak;

static void blocks(const struct team_member *m)
{
	volatile char *const mine = block + (size_t)m->id * BLOCK;
	const unsigned all = SWEEPS * hundreds(), sweeps = weak ? all : all / m->n;
	long s = 0;

	for (unsigned k = 0; k < sweeps; k++)
		for (size_t i = 0; i < BLOCK; i += 64)
			s += mine[i];
	__atomic_fetch_add(&result, s, __ATOMIC_RELAXED);
}

enum { ROWS = 600, WORDS = 512 };
static double (*matrix)[WORDS];
static int by_columns;

static void decomposed(const struct team_member *m)
{
	const unsigned rows = by_columns ? ROWS : ROWS / m->n,
		       words = by_columns ? WORDS / m->n : WORDS;
	const unsigned row = by_columns ? 0 : rows * m->id, word = by_columns ? words * m->id : 0;
	double s = 0;

	for (unsigned k = 0; k < 4 * hundreds(); k++)
		for (unsigned i = row; i < row + rows; i++)
			for (unsigned j = word; j < word + words; j++)
				s += matrix[i][j];
	__atomic_fetch_add(&result, (long)s, __ATOMIC_RELAXED);
}

static void strides(const struct team_member *m)
{
	const size_t part = TRIAD / m->n, first = part * m->id;
	volatile double s = 0;

	/* three lines, then a gap of 29 */
	for (size_t i = first; i + 32 * LINE_WORDS < first + part; i += 32 * LINE_WORDS)
		for (size_t j = 0; j < 3 * LINE_WORDS; j++)
			s += y[i + j];
}

static void structures(const struct team_member *m)
{
	const size_t part = TRIAD / m->n, first = part * m->id;
	double s = 0;

	for (size_t i = first; i < first + part; i += LINE_WORDS)
		s += y[i];
	__atomic_fetch_add(&result, (long)s, __ATOMIC_RELAXED);
}

static void trips(const struct team_member *m)
{
	volatile int s = 0;

	for (unsigned i = 0; i < 200000 / m->n; i++)
		for (int j = 0; j < 7; j++)
			s += j;
}

static void serial(const struct team_member *m)
{
	volatile int s = 0;

	for (int i = 0; m->id == 0 && i < 300000; i++)
		s += i;
}

static void spend(int n)
{
	volatile int s = 0;

	for (int i = 0; i < n; i++)
		s += i;
}

enum { SECTIONS = 40, HELD = 4500, FREE = 500 };
static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;

/* They share the sections: a mutex is not fair, and whom it favours would end long before the
 * others. */
static void held(const struct team_member *m)
{
	static int left = SECTIONS;

	(void)m;
	for (int more = 1; more;) {
		pthread_mutex_lock(&section);
		more = left > 0;
		if (more) {
			left--;
			spend(HELD);
		}
		pthread_mutex_unlock(&section);
		spend(more ? FREE : 0);
	}
}

enum { ROUNDS = 4, ROUND = 50000 };
static pthread_barrier_t met;

static void uneven(const struct team_member *m)
{
	const int round = ROUND * (int)hundreds(), most = m->n > 1 ? round * 7 / 10 : round;

	for (int i = 0; i < ROUNDS; i++) {
		spend(m->id == m->n - 1 ? most : (round - most) / (int)(m->n - 1));
		pthread_barrier_wait(&met);
	}
}

static void prepare(unsigned n)
{
	x = calloc(3 * TRIAD, sizeof *x);
	block = calloc(16, BLOCK);
	matrix = calloc(ROWS, sizeof *matrix);
	if (!x || !block || !matrix)
		abort();
	pthread_barrier_init(&met, NULL, n);
	y = x + TRIAD;
	z = y + TRIAD;
	for (int i = 0; i < SUM; i++)
		data[i] = i & 7;
	for (int i = 0; i < 16 * SIZE; i++)
		aa[i / SIZE][i % SIZE] = i * 7919 % 1009;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(const struct team_member *m);
	} words[] = {{"sum", sums}, {"sort", sort}, {"triad", triad}, {"triad-nt", triad_nt},
		{"blocks", blocks}, {"blocks-weak", blocks}, {"rows", decomposed},
		{"columns", decomposed}, {"lock", locks}, {"strides", strides},
		{"structures", structures}, {"trips", trips}, {"serial", serial}, {"held", held},
		{"uneven", uneven}};

	if (argc < 3 || atoi(argv[2]) < 1)
		return 2;
	prepare((unsigned)atoi(argv[2]));
	if (argc > 3)
		times = (unsigned)atoi(argv[3]);
	weak = strcmp(argv[1], "blocks-weak") == 0;
	by_columns = strcmp(argv[1], "columns") == 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(argv[1], words[i].name) == 0) {
			team_run((unsigned)atoi(argv[2]), words[i].run, NULL);
			printf("%ld %d\n", result, var[3 * atoi(argv[2])]);
			return 0;
		}
	return 2;
}
