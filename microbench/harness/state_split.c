#include "harness/state_split.h"

#include <string.h>

static double distance(double a, double b)
{
	return a > b ? a / b : b / a;
}

int sd_state_split_find(struct sd_machine_states *s, double line)
{
	unsigned best = 0;

	sd_kernel_states_note(s, line);
	for (unsigned i = 1; i < s->n; i++)
		if (distance(line, s->line[i]) < distance(line, s->line[best]))
			best = i;
	if (s->n > 0 && sd_kernel_states_same(line, s->line[best])) {
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
