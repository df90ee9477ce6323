#include "causes/taken_words.h"

#include <math.h>

#include "native/native_causes.h"
#include "simulated/simulated_costs.h"
#include "runs/sampled_uses.h"

/* Share of a point's spinning for locks that was at an exchange, 0..1. */
static double at_exchange(const struct sd_chosen *p)
{
	struct sd_sampled_uses uses = {.p = p};
	double all = 0, taken = 0;

	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		all += u->activity == SD_ACTIVITY_SPIN_LOCK ? u->seconds : 0;
		taken += u->activity == SD_ACTIVITY_SPIN_LOCK ? u->atomic : 0;
	}
	return all > 0 ? fmin(1, taken / all) : 0;
}

double sd_taken_words_false(const struct sd_case *c)
{
	const double of_false = sd_simulated_costs_false(c);

	/* mostly the same bytes: threads do take the same lock */
	if (!(of_false > .5))
		return sd_native_causes_taken(c);
	return of_false * at_exchange(c->last) * c->last->mean.part[SD_PART_SPIN_LOCK] * c->last->n;
}
