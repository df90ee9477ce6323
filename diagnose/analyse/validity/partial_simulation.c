#include "validity/partial_simulation.h"

void sd_partial_simulation_check(struct sd_case *c)
{
	const struct sd_simulated *last = NULL;

	for (size_t i = 0; i < c->record->n_run; i++) {
		const struct sd_run *const run = &c->record->run[i];

		if (run->kind == SD_RUN_SIMULATED && run->simulated && run->point == c->last->plan)
			last = run->simulated;
	}
	if (last && last->partial && !(last->from_s > 0) && !(last->for_s > 0))
		sd_case_warn(c, "the software PMU has a part of the program only: %s", last->why);
}
