#include "base/clock.h"
#include "bench/line_probe.h"
#include "trial/trial.h"

/* s that a look stands for the machine's state, which lasts for seconds: what was seen behind a run
 * is what there is before the next one. */
#define FRESH_S 1

struct sd_value sd_trial_line(const struct sd_trial *t)
{
	const struct sd_plan *const plan = &t->record->plan;

	t->line->state = sd_line_probe_state(&plan->point[plan->n_point - 1].cpus);
	t->line->at = sd_clock_s();
	return t->line->state;
}

struct sd_value sd_trial_line_before(const struct sd_trial *t)
{
	return t->line->at > 0 && sd_clock_s() - t->line->at < FRESH_S ? t->line->state
								       : sd_trial_line(t);
}
