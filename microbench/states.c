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
