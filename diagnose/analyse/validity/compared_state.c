#include "validity/compared_state.h"

#include <errno.h>
#include <stdio.h>

#include "runs/kept_state.h"

/* Runs of a count below which a state is not looked at for itself: one has no interval. */
#define LEAST 2

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
	if (c->choice->kept != SD_LABEL_NONE && c->a->state_runs[!far] >= LEAST)
		c->a->other.state = far ? SD_LABEL_NEAR : SD_LABEL_FAR;
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

/* The first cause that is likely or confirmed, and is the program's own; NULL: there is none. */
static const struct sd_finding *first_cause(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].verdict <= SD_VERDICT_LIKELY &&
			a->finding[i].cause != SD_CAUSE_NOISE)
			return &a->finding[i];
	return NULL;
}

int sd_compared_state_is_other(const struct sd_analysis *other, const struct sd_analysis *a)
{
	return a->scales != SD_SCALES_YES && other->n_point == a->n_point &&
	       a->state_runs[a->other.state - 1] >= SD_KEPT_STATE_RUNS && first_cause(other) &&
	       !first_cause(a);
}

/* Writes what the other state says of the cause, as the end of a sentence. */
static void say_cause(char *out, size_t size, const struct sd_other_state *o, unsigned n,
	const struct sd_finding *here)
{
	char cause[160];

	if (o->cause == SD_CAUSE_COUNT) {
		snprintf(out, size, "no cause is likely there");
		return;
	}
	snprintf(cause, sizeof cause, "%s, %.2f of %u cores (%.2f to %.2f), %s",
		sd_cause_info[o->cause].label, o->cores.value, n, o->cores.low, o->cores.high,
		sd_verdict_label[o->verdict]);
	if (o->says == SD_STATES_SAY_THE_SAME)
		snprintf(out, size, "the cause is the same: %s", cause);
	else if (o->says == SD_STATES_SAY_OTHERWISE)
		snprintf(out, size,
			"the cause is another one: %s; what is said of %s holds in "
			"this placement alone",
			cause, sd_cause_info[here->cause].label);
	else
		snprintf(out, size, "there the cause is %s", cause);
}

int sd_compared_state_beside(const struct sd_analysis *other, struct sd_analysis *a)
{
	const struct sd_finding *const here = first_cause(a), *const there = first_cause(other);
	const struct sd_point *const last = &other->point[other->n_point - 1];
	struct sd_other_state *const o = &a->other;
	char text[400];

	o->runs = a->state_runs[o->state - 1];
	o->speedup = last->speedup;
	o->cause = there ? there->cause : SD_CAUSE_COUNT;
	if (there) {
		o->verdict = there->verdict;
		o->cores = there->cores;
	}
	if (here && there)
		o->says = here->cause == there->cause ? SD_STATES_SAY_THE_SAME
						      : SD_STATES_SAY_OTHERWISE;
	say_cause(text, sizeof text, o, last->n, here);
	return sd_texts_add(&a->warnings,
		       "in the %s placement, by %zu runs of a count at least, it is %.2fx at %u "
		       "cores, and %s",
		       o->state == SD_LABEL_NEAR ? "near" : "far", o->runs, o->speedup.value,
		       last->cores, text)
		       ? -ENOMEM
		       : 0;
}
