/*
 * Answers added up: the confusion matrix, precision and recall with their 95 % Wilson intervals,
 * and what the diagnoses took.
 */
#ifndef SD_TRUTH_TALLY_H
#define SD_TRUTH_TALLY_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "accuracy/truth_answer.h"
#include "accuracy/truth_gain.h"
#include "accuracy/truth_neighbours.h"

#define COSTS 1000
#define MINUTE 60

struct tally {
	unsigned cell[EXPECTED][FOUNDS];     /* expected by found */
	unsigned outcome[OUTCOMES], sure;    /* sure: right, and likely or stronger */
	unsigned scaling, accused;           /* runs of programs that scale; with a cause named */
	unsigned pairs, faster, went, other; /* broken held against fixed */
	unsigned both, second;               /* two causes: diagnosed, the second named too */
	double cost[COSTS];                  /* s that each diagnosis took, of fixed versions too */
	size_t n_cost;
	unsigned runs;
	struct gains gains;
	struct neighbour_tally neighbours;
};

static inline enum outcome count(struct tally *y, const struct truth *t, const struct answer *a)
{
	const enum outcome o = worth(t, a);

	y->outcome[o]++;
	if (o == NOT_SHOWN)
		return o;
	y->cell[expected(t)][a->found]++;
	y->runs++;
	y->sure += o == RIGHT && (a->named || a->found == FOUND_NONE);
	if (expected(t) == SD_CAUSE_COUNT) {
		y->scaling++;
		y->accused += a->found < SD_CAUSE_COUNT;
	}
	if (t->n_right > 1 && o == RIGHT) {
		size_t seen = 0;

		for (size_t i = 0; i < a->n_at; i++)
			for (size_t k = 0; k < t->n_right; k++)
				seen += a->at[i] == t->cause[k];
		y->both++;
		y->second += seen > 1;
	}
	return o;
}

/* Wilson, J. Am. Stat. Assoc. 22 (1927); 95 %. */
static inline void wilson(unsigned k, unsigned n, double *low, double *high)
{
	const double z = 1.959964, p = n ? (double)k / n : 0;
	const double middle = n ? (p + z * z / (2 * n)) / (1 + z * z / n) : .5;
	const double half =
		n ? z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4.0 * n * n)) : .5;

	*low = fmax(0, middle - half);
	*high = fmin(1, middle + half);
}

static inline void put_share(const char *what, unsigned k, unsigned n)
{
	double low, high;

	wilson(k, n, &low, &high);
	if (n)
		printf("%s %u of %u, %.0f %% (95 %%: %.0f to %.0f)", what, k, n, 100.0 * k / n,
			100 * low, 100 * high);
	else
		printf("%s -", what);
}

static inline void put_matrix(const struct tally *y)
{
	printf("\nexpected           found\n");
	for (int e = 0; e < EXPECTED; e++) {
		unsigned all = 0;

		for (int f = 0; f < FOUNDS; f++)
			all += y->cell[e][f];
		if (!all)
			continue;
		printf("  %-17s", expected_name(e));
		for (int f = 0; f < FOUNDS; f++)
			if (y->cell[e][f])
				printf(" %s %u", found_name(f), y->cell[e][f]);
		printf("\n");
	}
	printf("\n"
	       "cause              recall; precision (strict: without what would also be right)\n");
	for (int k = 0; k < SD_CAUSE_COUNT; k++) {
		unsigned expect = 0, found = 0;

		for (int f = 0; f < FOUNDS; f++)
			expect += y->cell[k][f];
		for (int e = 0; e < EXPECTED; e++)
			found += y->cell[e][k];
		if (!expect && !found)
			continue;
		printf("  %-16s", sd_cause_info[k].name);
		put_share("", y->cell[k][k], expect);
		put_share(";", y->cell[k][k], found);
		printf("\n");
	}
}

static inline int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline void put_costs(struct tally *y)
{
	size_t over = 0;

	qsort(y->cost, y->n_cost, sizeof *y->cost, by_value);
	for (size_t i = 0; i < y->n_cost; i++)
		over += y->cost[i] > MINUTE;
	if (y->n_cost)
		printf("of %zu diagnoses, fixed versions among them: median %.0f s, most %.0f s, "
		       "%zu longer than a minute\n",
			y->n_cost, y->cost[y->n_cost / 2], y->cost[y->n_cost - 1], over);
}

static inline void put_all(const char *part, struct tally *y)
{
	const unsigned decided = y->outcome[RIGHT] + y->outcome[WRONG];

	if (!y->runs)
		return;
	printf("\n== %s: %u answers\n", part, y->runs);
	put_costs(y);
	put_matrix(y);
	printf("\n");
	put_share("first cause right:", y->outcome[RIGHT], y->runs);
	printf("\n");
	put_share("  of those decided:", y->outcome[RIGHT], decided);
	printf("\n");
	put_share("  right, and likely or confirmed:", y->sure, y->runs);
	printf("\n"
	       "  not decided: %u; machine busy: %u; failed: %u; besides, not shown on this machine: %u\n",
		y->outcome[UNDECIDED], y->outcome[BUSY], y->outcome[FAILED], y->outcome[NOT_SHOWN]);
	put_share("a cause named for programs that scale:", y->accused, y->scaling);
	printf("\n");
	put_share("of two causes the second named too:", y->second, y->both);
	printf("\n");
	put_share("the fixed version is faster, says compare:", y->faster, y->pairs);
	printf("\n");
	put_share("  and the cause is gone:", y->went, y->pairs);
	printf("\n  fixed versions with a cause named: %u\n", y->other);
	put_share("the real gain lies in the predicted range:", y->gains.inside, y->gains.n);
	printf("\n");
	put_share("  and within 15 % of its middle:", y->gains.near, y->gains.n);
	printf("\n  ranges without an upper end: %u\n", y->gains.unbounded);
	printf("(the intervals take the repeats as independent)\n");
}

#endif
