#include "experiments/next_passes.h"

#include "experiments/next_runs.h"
#include "metrics/metric_roles.h"
#include "record/short_budget.h"

/* Runs of the pass that the point lacks. */
static unsigned lacking_at(const struct sd_record *r, size_t point, unsigned pass)
{
	const unsigned n = sd_record_counted(r, point, pass);

	return n < SD_NEXT_PASSES_RUNS ? SD_NEXT_PASSES_RUNS - n : 0;
}

/* Runs of every count until both ends have these passes often enough. */
static unsigned lacking(const struct sd_case *c, const struct sd_pass_list *list)
{
	unsigned sum = 0;

	for (size_t i = 0; i < list->n; i++) {
		const unsigned ref = lacking_at(c->record, c->ref->plan, list->pass[i]);
		const unsigned last = lacking_at(c->record, c->last->plan, list->pass[i]);

		sum += ref > last ? ref : last;
	}
	return sum;
}

/* The causes that have cores in the component, as moves of both sides; returns how many. */
static size_t moves_of(
	const struct sd_ledger *l, enum sd_component component, struct sd_narrowing_move *out)
{
	size_t n = 0;

	for (int k = 0; k < SD_CAUSE_COUNT; k++)
		if (l->cause[k].components >> component & 1)
			out[n++] = (struct sd_narrowing_move){(enum sd_cause)k, SD_BOUND_BOTH};
	return n;
}

double sd_next_passes(const struct sd_case *c, const struct sd_ledger *l, enum sd_narrowing_end end,
	struct sd_pass_list *out, struct sd_run_choice *is)
{
	const struct sd_plan *const plan = &c->record->plan;
	double best = 0;

	*out = (struct sd_pass_list){.n = 0};
	if (!c->model->row || end == SD_NARROWING_DECIDED || plan->min_repeats ||
		sd_run_selection_modelled(c->record))
		return 0;
	for (int k = 0; k < SD_COMPONENT_COUNT; k++) {
		struct sd_narrowing_move move[SD_CAUSE_COUNT];
		struct sd_narrowing_step step = {
			.half = sd_next_runs_counted_half(c->a, l), .move = move};
		struct sd_pass_list list;
		double rate;

		sd_metric_roles_passes(
			c->model->f, c->model->family, plan, (enum sd_component)k, &list);
		step.n_move = moves_of(l, (enum sd_component)k, move);
		step.seconds = lacking(c, &list) * sd_next_runs_block(c->a);
		if (!(step.seconds > 0) || step.seconds > sd_short_budget_left(c->record))
			continue;
		rate = sd_narrowing_expected(l, &step) / step.seconds;
		if (rate > best) {
			best = rate;
			*out = list;
			*is = (struct sd_run_choice){.narrows = sd_narrowing_expected(l, &step),
				.takes = step.seconds,
				.of = sd_narrowing_of(l, &step),
				.look = SD_LOOK_COUNTS};
		}
	}
	return best;
}
