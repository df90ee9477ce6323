/*
 * Work whose instructions are executed one at a time: loops and functions as compilers make them,
 * unoptimised and optimised, and the C library's.
 */
#ifndef TESTS_STEPPED_WORK_H
#define TESTS_STEPPED_WORK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stepped_work {
	const char *name;
	void (*run)(void);
};

#define STEPPED_N 64
struct stepped_node {
	struct stepped_node *next;
	uint64_t count[3];
};

static int stepped_ints[STEPPED_N], stepped_more[STEPPED_N];
static uint64_t stepped_words[STEPPED_N];
static double stepped_doubles[STEPPED_N][4];
static struct stepped_node stepped_nodes[STEPPED_N];
static volatile uint64_t stepped_sum;

#define STEPPED_WORK(kind, ...)                                                                    \
	__attribute__((noinline, noclone, __VA_ARGS__)) static int kind##_compare(                 \
		const void *a, const void *b)                                                      \
	{                                                                                          \
		const int *const x = a, *const y = b;                                              \
		return (*x > *y) - (*x < *y);                                                      \
	}                                                                                          \
	__attribute__((noinline, noclone, __VA_ARGS__)) static uint64_t kind##_follow(             \
		struct stepped_node *n)                                                            \
	{                                                                                          \
		uint64_t sum = 0;                                                                  \
		for (; n; n = n->next) {                                                           \
			n->count[n->count[0] & 1]++;                                               \
			sum += n->count[2];                                                        \
		}                                                                                  \
		return sum;                                                                        \
	}                                                                                          \
	__attribute__((noinline, noclone, __VA_ARGS__)) static uint64_t kind##_index(              \
		int *a, const int *b, int n)                                                       \
	{                                                                                          \
		uint64_t sum = 0;                                                                  \
		for (int i = 1; i < n - 1; i++) {                                                  \
			a[i] += b[i - 1] * 3 + b[i + 1];                                           \
			if (a[i] & 4)                                                              \
				sum += (uint64_t)a[a[i] & 31];                                     \
			else if (i % 3 == 0)                                                       \
				continue;                                                          \
			for (int j = i & 3; j > 0; j--)                                            \
				sum ^= stepped_words[(unsigned)(i + j) % STEPPED_N] << j;          \
			stepped_words[i] = sum;                                                    \
		}                                                                                  \
		return sum;                                                                        \
	}                                                                                          \
	__attribute__((noinline, noclone, __VA_ARGS__)) static double kind##_multiply(             \
		double(*m)[4], unsigned n)                                                         \
	{                                                                                          \
		double sum = 0;                                                                    \
		for (unsigned i = 0; i < n; i++)                                                   \
			for (unsigned j = 0; j < 4; j++) {                                         \
				sum += m[i][j] * m[j][i & 3];                                      \
				m[i][j] = sum;                                                     \
			}                                                                          \
		return sum;                                                                        \
	}                                                                                          \
	__attribute__((noinline, noclone, __VA_ARGS__)) static uint64_t kind##_choose(             \
		unsigned char *text, size_t n)                                                     \
	{                                                                                          \
		uint64_t sum = 0;                                                                  \
		for (size_t i = 0; i < n; i++)                                                     \
			switch (text[i] % 8) {                                                     \
			case 0:                                                                    \
				sum++;                                                             \
				/* fall through */                                                 \
			case 1:                                                                    \
				text[i] ^= 3;                                                      \
				break;                                                             \
			case 2:                                                                    \
				sum += text[(i + 1) % n];                                          \
				break;                                                             \
			case 3:                                                                    \
				text[i / 2]++;                                                     \
				break;                                                             \
			case 5:                                                                    \
				sum = sum * 33 + i;                                                \
				break;                                                             \
			case 6:                                                                    \
				stepped_words[i % STEPPED_N] = sum;                                \
				break;                                                             \
			default:                                                                   \
				stepped_sum += sum;                                                \
			}                                                                          \
		return sum;                                                                        \
	}                                                                                          \
	__attribute__((noinline, noclone, __VA_ARGS__)) static unsigned kind##_recurse(unsigned n) \
	{                                                                                          \
		volatile unsigned own[3] = {n, n + 1, n + 2};                                      \
		return n < 2 ? own[n] : kind##_recurse(n - 1) + kind##_recurse(n - 2) + own[2];    \
	}                                                                                          \
	__attribute__((noinline, noclone, __VA_ARGS__)) static void kind##_count(                  \
		uint64_t *word, uint32_t *half, unsigned n)                                        \
	{                                                                                          \
		for (unsigned i = 0; i < n; i++) {                                                 \
			uint32_t old = 0;                                                          \
			__atomic_fetch_add(word, i, __ATOMIC_SEQ_CST);                             \
			__atomic_compare_exchange_n(                                               \
				half, &old, i, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
			__atomic_store_n(word + 1, old, __ATOMIC_SEQ_CST);                         \
			__atomic_exchange_n(word + 2, i, __ATOMIC_SEQ_CST);                        \
		}                                                                                  \
	}                                                                                          \
	static void kind##_loops(void)                                                             \
	{                                                                                          \
		for (int i = 0; i < STEPPED_N; i++) {                                              \
			stepped_ints[i] = i * 37 % 101;                                            \
			stepped_more[i] = i * i;                                                   \
			stepped_nodes[i].next = i % 7 ? &stepped_nodes[i - 1] : NULL;              \
			stepped_nodes[i].count[2] = (uint64_t)i;                                   \
		}                                                                                  \
		for (int i = 6; i < STEPPED_N; i += 7)                                             \
			stepped_sum += kind##_follow(&stepped_nodes[i]);                           \
		stepped_sum += kind##_index(stepped_ints, stepped_more, STEPPED_N);                \
		stepped_sum += (uint64_t)kind##_multiply(stepped_doubles, STEPPED_N);              \
		stepped_sum += kind##_choose((unsigned char *)stepped_more, 128);                  \
		stepped_sum += kind##_recurse(9);                                                  \
		kind##_count(stepped_words, (uint32_t *)stepped_more, 20);                         \
		qsort(stepped_ints, STEPPED_N / 2, sizeof *stepped_ints, kind##_compare);          \
	}

STEPPED_WORK(plain, optimize("O0"))
STEPPED_WORK(fast, optimize("O2"))
STEPPED_WORK(wide, optimize("O3"))

static void stepped_library(void)
{
	char text[300] = "", copy[300];

	for (int i = 0; i < 6; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%d %s %g %p;", i * 77,
			"words", i / 7., (void *)text);
	for (size_t n = 1; n < sizeof text; n = n * 2 + 1) {
		memcpy(copy, text, n);
		memmove(copy + 1, copy, n - 1);
		memset(copy, 'x', n / 2);
		stepped_sum += (uint64_t)memcmp(copy, text, n);
	}
	stepped_sum += strlen(text) + strspn(text, "0123456789 ") + (strchr(text, ';') != NULL);
	for (int i = 0; i < 8; i++)
		free(malloc((size_t)i * 300));
}

static const struct stepped_work stepped_works[] = {
	{"unoptimised", plain_loops},
	{"optimised", fast_loops},
	{"vectorised", wide_loops},
	{"libc", stepped_library},
	{NULL, NULL},
};

#endif
