#include "causes/sampled_lines.h"

#include <math.h>

#include "base/statistics.h"
#include "simulated/line_words.h"

/* Fewer samples of moves say nothing: of 5 the true mean is over 1.6 with 95 % (Poisson). */
#define LEAST 5

static const struct sd_memory_sampled *sampled_at(const struct sd_case *c)
{
	const struct sd_memory_sampled *found = NULL;

	for (size_t i = 0; i < c->record->n_run; i++) {
		const struct sd_run *run = &c->record->run[i];

		if (run->point == c->last->plan && run->memory &&
			run->memory->status == SD_STATUS_OK)
			found = run->memory;
	}
	return found;
}

static double counted(const struct sd_case *c, enum sd_role role)
{
	const struct sd_count *const n = &c->after.counts.role[role];

	return sd_has((struct sd_value){n->value, n->status}) && n->value > 0 ? n->value : 0;
}

/* Share of the counted moves that stores waited for, which no CPU samples; < 0: loads and stores
 * were not counted apart. */
static double share_of_stores(const struct sd_case *c)
{
	static const enum sd_role loads[] = {SD_ROLE_HITM_LOAD, SD_ROLE_HITM_LOAD_REMOTE},
				  stores[] = {SD_ROLE_HITM_STORE, SD_ROLE_HITM_STORE_REMOTE},
				  both[] = {SD_ROLE_HITM_ANY, SD_ROLE_HITM_ANY_REMOTE};
	double load = 0, store = 0, any = 0;

	for (size_t i = 0; i < 2; i++) {
		load += counted(c, loads[i]);
		store += counted(c, stores[i]);
		any += counted(c, both[i]);
	}
	if (any > 0) /* this is what the cost is of */
		return load > 0 ? fmax(0, 1 - load / any) : -1;
	return load + store > 0 ? store / (load + store) : -1;
}

int sd_sampled_lines_share(struct sd_case *c, struct sd_finding *f, struct sd_interval *out)
{
	const struct sd_memory_sampled *const m = sampled_at(c);
	const int is_false = f->cause == SD_CAUSE_FALSE_SHARING;
	const double stores = share_of_stores(c);
	double all, sure = 0, other = 0, low, high;

	if (!m)
		return 0;
	all = m->local + m->remote + m->peer;
	if (!(all >= LEAST))
		return 0;
	for (size_t i = 0; i < m->n_contested; i++) {
		const struct sd_sim_contested *const l = &m->contested[i].line;

		if (l->sharing == (is_false ? SD_SIM_FALSE : SD_SIM_TRUE))
			sure += l->hitm_load;
		else if (l->sharing == (is_false ? SD_SIM_TRUE : SD_SIM_FALSE))
			other += l->hitm_load;
	}
	sure = fmin(sure, all);
	other = fmin(other, all - sure);
	low = sd_statistics_share(sure, all).low;
	high = sd_statistics_share(all - other, all).high;
	sd_case_say(c, f,
		"sampled by %s: of %.0f loads that another core's cache answered, %.0f %% are of "
		"lines of which threads write %s bytes (95 %%: %.0f to %.0f %%)",
		m->source, all, 100 * sure / all, is_false ? "different" : "the same", 100 * low,
		100 * high);
	if (stores > 0) {
		sd_case_say(c, f,
			"of %.0f %% of the moves, which stores waited for, no CPU samples the lines",
			100 * stores);
		low *= 1 - stores;
		high = high * (1 - stores) + stores;
	}
	/* stores that were not counted apart may wait for any lines */
	*out = (struct sd_interval){sure / all, low, stores < 0 ? 1 : high, SD_STATUS_OK};
	c->rc |= sd_line_words_sampled(c->record, m, f);
	return 1;
}
