#include "validity/compared_state.h"

#include <stdio.h>

/* The speedup at the largest count in each state, of medians; 0 where it has no run of either. */
static void put_state_speedups(struct sd_case *c)
{
	for (int s = 0; s < 2; s++) {
		const double before = c->ref->state_time[s], after = c->last->state_time[s];
		const size_t n = c->ref->state_runs[s], m = c->last->state_runs[s];

		if (c->ref == c->last || !(before > 0) || !(after > 0))
			continue;
		c->a->state_speedup[s] = SD_OK(c->last->work * before / after);
		c->a->state_runs[s] = n < m ? n : m;
	}
}

void sd_compared_state_check(struct sd_case *c)
{
	const struct sd_machine_states *s = &c->choice->states;
	const struct sd_value *const speedup = c->a->state_speedup;
	const int far = c->choice->kept == SD_LABEL_FAR;
	char both[96] = "";

	c->a->states = s->n;
	c->a->state_line[0] = s->line[0];
	c->a->state_line[1] = s->line[1];
	if (s->n < 2)
		return;
	if (!c->choice->alike)
		put_state_speedups(c);
	if (sd_has(speedup[0]) && sd_has(speedup[1]))
		snprintf(both, sizeof both, "; at %u cores near %.2fx, far %.2fx", c->last->cores,
			speedup[0].value, speedup[1].value);
	sd_case_warn(c,
		"the CPUs move between two placements (core-to-core round trip %.0f or %.0f ns); "
		"%s%s",
		1e9 * s->line[0].value, 1e9 * s->line[1].value,
		c->choice->alike ? "runs take as long in both, and all are compared"
		: c->choice->never
			? "neither was seen at every core count, so all runs are used together, "
			  "with wider bounds"
		: c->choice->pooled
			? "neither was seen often enough at every core count, so all runs are used "
			  "together, with wider bounds"
		: far ? "only runs in the far placement are compared"
		      : "only runs in the near placement are compared",
		both);
}
