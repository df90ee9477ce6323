#include "experiments/next_rest.h"

#include "record/short_budget.h"
#include "runs/machine_states.h"

/* s from one look at the state to the next; more was a pause, in which nobody knows. */
#define PAUSE_S 20

/* How long a state lasted, as far as it was seen. */
struct stay {
	enum sd_label state; /* that is asked about */
	enum sd_label last;  /* as seen last */
	double at;           /* s, when */
	double seconds;      /* in it */
	unsigned ends;       /* of it */
};

static void look(
	struct stay *s, const struct sd_machine_states *states, struct sd_value line, double at)
{
	enum sd_label now;

	if (!sd_has(line) || !(line.value > 0))
		return;
	now = line.value > states->split ? SD_LABEL_FAR : SD_LABEL_NEAR;
	if (s->last == s->state && at > s->at && at - s->at < PAUSE_S) {
		s->seconds += at - s->at;
		s->ends += now != s->state;
	}
	s->last = now;
	s->at = at;
}

static struct stay stay_of(const struct sd_case *c, enum sd_label state)
{
	struct stay s = {.state = state};

	for (size_t i = 0; i < c->record->n_run; i++) {
		const struct sd_run *const r = &c->record->run[i];
		const struct sd_value whole = sd_run_whole(r);

		if (!(r->start > 0) || !sd_has(whole))
			continue;
		look(&s, &c->choice->states, r->metric[SD_METRIC_LINE_BEFORE], r->start);
		look(&s, &c->choice->states, r->metric[SD_METRIC_LINE_AFTER],
			r->start + whole.value);
	}
	return s;
}

struct sd_rest sd_next_rest(const struct sd_case *c, double block)
{
	const enum sd_label kept = c->choice->kept;
	const enum sd_label other = kept == SD_LABEL_NEAR ? SD_LABEL_FAR : SD_LABEL_NEAR;
	const size_t here = kept ? c->a->state_runs[kept - 1] : 0;
	const size_t there = kept ? c->a->state_runs[other - 1] : 0;
	const struct stay s = kept ? stay_of(c, other) : (struct stay){0};
	struct sd_rest rest = {.split = c->choice->states.split, .far = kept == SD_LABEL_FAR};

	if (kept == SD_LABEL_NONE || s.last != other || !s.ends || here < there)
		return (struct sd_rest){0};
	rest.seconds = s.seconds / s.ends;
	/* one run more than the compared state has, instead of the rest and one run */
	if (!(rest.seconds < (double)(here - there) * block) ||
		rest.seconds + block > sd_short_budget_left(c->record))
		return (struct sd_rest){0};
	return rest;
}
