#include "experiments/next_looks.h"

#include <math.h>

#include "experiments/next_runs.h"

/* Share of the user time at a line; less is said of no line. */
#define LINE .05

/* Runs after which a line that nobody came to watch is left alone. */
#define WATCHED_BY 5u

/* s; starting anything takes as long. */
#define LEAST_S .02

static int was_asked(const struct sd_native_line *l)
{
	return l->watched_s > 0 || l->proven.status != SD_STATUS_ABSENT;
}

int sd_next_looks_unwatched(const struct sd_chosen *p)
{
	int open = 0;

	for (size_t j = 0; j < p->n_run; j++) {
		const struct sd_native_lines *const run = p->run[j]->native;

		for (size_t i = 0; run && i < run->n_line; i++) {
			const struct sd_native_line *const l = &run->line[i];

			if (was_asked(l))
				return 0;
			open |= l->read + l->maybe > LINE * run->seconds &&
				sd_native_lines_is_unsure(
					run, l, p->run[j]->metric[SD_METRIC_WALL].value);
		}
	}
	return open && p->n_run + p->n_other + p->n_disturbed < WATCHED_BY;
}

static int is_open(const struct sd_case *c, enum sd_look look)
{
	const struct sd_record *const r = c->record;

	if (c->ref == c->last || r->plan.no_samples || sd_run_selection_modelled(r))
		return 0;
	if (look == SD_LOOK_WATCH)
		return !r->plan.min_repeats && sd_next_looks_unwatched(c->last);
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].kind == SD_RUN_MEMORY)
			return 0;
	return look == SD_LOOK_BURST && !r->plan.quick && !r->program.attached;
}

double sd_next_looks(const struct sd_case *c, const struct sd_ledger *l, enum sd_narrowing_end end,
	enum sd_look look, struct sd_run_choice *is)
{
	struct sd_narrowing_move move[SD_CAUSE_COUNT];
	/* a run of the largest count */
	struct sd_narrowing_step step = {.seconds = fmax(c->last->median_time, LEAST_S),
		.half = sd_next_runs_counted_half(c->a, l),
		.move = move};

	*is = (struct sd_run_choice){.of = SD_CAUSE_COUNT, .look = look};
	if (end == SD_NARROWING_DECIDED || !is_open(c, look))
		return 0;
	for (size_t i = 0; i < sd_look_moves; i++)
		if (sd_look_move[i].of == look)
			move[step.n_move++] = (struct sd_narrowing_move){
				sd_look_move[i].cause, sd_look_move[i].sides};
	is->narrows = sd_narrowing_expected(l, &step);
	is->takes = step.seconds;
	is->of = sd_narrowing_of(l, &step);
	return is->narrows / is->takes;
}
