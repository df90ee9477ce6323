#include "states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Round trips within this factor are one state. On a busy or noisy machine the median of a probe
 * moves by a third; the distances worth telling apart (one core complex or two, one socket or two)
 * differ by a factor of two and more.
 */
#define SAME_STATE 1.5

static double distance(double a, double b)
{
	return a > b ? a / b : b / a;
}

int sd_states_same(double a, double b)
{
	return a > 0 && b > 0 && distance(a, b) <= SAME_STATE;
}

int sd_states_find(struct sd_states *s, double line)
{
	unsigned best = 0;

	for (unsigned i = 1; i < s->n; i++)
		if (distance(line, s->line[i]) < distance(line, s->line[best]))
			best = i;
	if (s->n > 0 && distance(line, s->line[best]) <= SAME_STATE) {
		s->seen[best]++;
		s->line[best] += (line - s->line[best]) / (double)s->seen[best];
		return (int)best;
	}
	if (s->n == SD_STATES_MAX)
		return -1;
	s->line[s->n] = line;
	s->seen[s->n] = 1;
	return (int)s->n++;
}

void sd_bench_rows_by_state(struct sd_bench_rows *rows, struct sd_states *states)
{
	const struct sd_states old = *states;
	unsigned rank[SD_STATES_MAX];

	for (unsigned i = 0; i < old.n; i++) {
		rank[i] = 0;
		for (unsigned j = 0; j < old.n; j++)
			rank[i] +=
				old.line[j] < old.line[i] ||
				(j < i && old.line[j] <= old.line[i] && old.line[j] >= old.line[i]);
		states->line[rank[i]] = old.line[i];
		states->seen[rank[i]] = old.seen[i];
	}
	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].state < old.n)
			rows->row[i].state = rank[rows->row[i].state];
}
