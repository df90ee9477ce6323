#include "experiments/steps_taken.h"

#include <errno.h>
#include <stdlib.h>

#include "accounting/run_parts.h"

static enum sd_experiment experiment_of(const struct sd_record *r, const struct sd_run *run)
{
	return run->tried && run->tried->experiment < r->plan.n_experiment
		       ? r->plan.experiment[run->tried->experiment].experiment
		       : SD_EXPERIMENT_COUNT;
}

/* Does the run belong to the step before it? One without a choice of its own belongs to the choice
 * that its kind was run for last. */
static int goes_on(const struct sd_step_row *s, const struct sd_run *run, enum sd_experiment e)
{
	return !s->rests && s->kind == run->kind && s->experiment == e &&
	       (!run->choice ||
		       (s->chosen && s->choice.of == run->choice->of &&
			       s->choice.look == run->choice->look && !(run->choice->rested > 0)));
}

/* s of emulated runs that were not kept. */
static double beside(const struct sd_run *run)
{
	return run->simulated && sd_has(run->simulated->beside) ? run->simulated->beside.value : 0;
}

/* Several choices in a row keep what was expected of the first of them, and take the sum. */
static void add_run(struct sd_step_row *s, const struct sd_run *run)
{
	const struct sd_value wall = sd_run_whole(run);

	s->runs++;
	if (sd_run_parts_usable(wall))
		s->took = SD_OK((sd_has(s->took) ? s->took.value : 0) + wall.value + beside(run));
	if (run->choice)
		s->planned += run->choice->takes;
}

/* s since the first run; absent: resumed after the time of day was set back. */
static struct sd_value since_first(const struct sd_record *r, double start)
{
	return start >= r->run[0].start && start > 0 ? SD_OK(start - r->run[0].start)
						     : SD_NOT(ABSENT);
}

/* The wait before a run is a row of its own. */
static void add_rest(struct sd_step_row *s, const struct sd_record *r, const struct sd_run *run)
{
	*s = (struct sd_step_row){.kind = run->kind,
		.experiment = SD_EXPERIMENT_COUNT,
		.at = since_first(r, run->start - run->choice->rested),
		.took = SD_OK(run->choice->rested),
		.rests = 1,
		.chosen = 1,
		.choice = *run->choice};
}

int sd_steps_taken_fill(const struct sd_record *r, struct sd_analysis *a)
{
	struct sd_step_row *s = NULL;

	a->step = calloc(2 * r->n_run + 1, sizeof *a->step);
	if (!a->step)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];
		const enum sd_experiment e = experiment_of(r, run);

		if (run->choice && run->choice->rested > 0) {
			s = &a->step[a->n_step++];
			add_rest(s, r, run);
		}
		if (!s || !goes_on(s, run, e)) {
			s = &a->step[a->n_step++];
			*s = (struct sd_step_row){.kind = run->kind,
				.experiment = e,
				.at = since_first(r, run->start),
				.took = SD_NOT(ABSENT),
				.chosen = run->choice != NULL};
			if (run->choice)
				s->choice = *run->choice;
		}
		add_run(s, run);
	}
	return 0;
}
