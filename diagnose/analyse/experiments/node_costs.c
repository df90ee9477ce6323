#include "experiments/node_costs.h"

#include "record/short_budget.h"

/* Were lines, misses or page walks counted, of which a calibration says the cost? */
static int has_counts(const struct sd_record *r)
{
	for (size_t i = 0; i < r->n_run; i++)
		if (r->run[i].n_role || (r->run[i].kind == SD_RUN_SIMULATED && r->run[i].simulated))
			return 1;
	return 0;
}

static int is_of_the_node(enum sd_cause cause)
{
	return cause == SD_CAUSE_MEMORY_BANDWIDTH || cause == SD_CAUSE_LLC_CAPACITY ||
	       cause == SD_CAUSE_DTLB;
}

/* Is a cause of the program likely or confirmed? */
static int is_found(const struct sd_analysis *a)
{
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (a->finding[i].cause != SD_CAUSE_NOISE &&
			a->finding[i].verdict <= SD_VERDICT_LIKELY)
			return 1;
	return 0;
}

int sd_node_costs_wanted(const struct sd_record *r, const struct sd_analysis *a)
{
	const double s = sd_short_budget_node(r);
	const enum sd_verdict last = is_found(a) ? SD_VERDICT_POSSIBLE : SD_VERDICT_NOT_MEASURABLE;

	if (a->is_decided || !has_counts(r) || !(s > 0) || sd_short_budget_left(r) < s)
		return 0;
	for (int i = 0; i < SD_CAUSE_COUNT; i++)
		if (is_of_the_node(a->finding[i].cause) &&
			(a->finding[i].verdict == SD_VERDICT_POSSIBLE ||
				a->finding[i].verdict == last))
			return 1;
	return 0;
}
