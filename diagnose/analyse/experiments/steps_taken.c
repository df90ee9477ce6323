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
	return s->kind == run->kind && s->experiment == e &&
	       (!run->choice || (s->chosen && s->choice.of == run->choice->of));
}

/* Several choices in a row keep what was expected of the first of them, and take the sum. */
static void add_run(struct sd_step_row *s, const struct sd_run *run)
{
	const struct sd_value wall = sd_run_whole(run);

	s->runs++;
	if (sd_run_parts_usable(wall))
		s->took = SD_OK((sd_has(s->took) ? s->took.value : 0) + wall.value);
	if (run->choice)
		s->planned += run->choice->takes;
}

int sd_steps_taken_fill(const struct sd_record *r, struct sd_analysis *a)
{
	struct sd_step_row *s = NULL;

	a->step = calloc(r->n_run ? r->n_run : 1, sizeof *a->step);
	if (!a->step)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_run; i++) {
		const struct sd_run *const run = &r->run[i];
		const enum sd_experiment e = experiment_of(r, run);

		if (!s || !goes_on(s, run, e)) {
			s = &a->step[a->n_step++];
			*s = (struct sd_step_row){.kind = run->kind,
				.experiment = e,
				/* resumed after the time of day was set back: not known */
				.at = run->start >= r->run[0].start && run->start > 0
					      ? SD_OK(run->start - r->run[0].start)
					      : SD_NOT(ABSENT),
				.took = SD_NOT(ABSENT),
				.chosen = run->choice != NULL};
			if (run->choice)
				s->choice = *run->choice;
		}
		add_run(s, run);
	}
	return 0;
}
