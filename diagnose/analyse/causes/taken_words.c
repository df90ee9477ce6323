#include "causes/taken_words.h"

#include <math.h>

#include "accounting/parts_by_stack.h"
#include "native/native_causes.h"
#include "simulated/simulated_costs.h"

/* Share of a point's spinning for locks that was at an exchange, 0..1. */
static double at_exchange(const struct sd_chosen *p)
{
	double all = 0, taken = 0;

	for (size_t j = 0; j < p->n_run; j++)
		for (size_t i = 0;
			sd_parts_by_stack_sampled(p->run[j]) && i < p->run[j]->sampled.n_use; i++) {
			const struct sd_use *const u = &p->run[j]->sampled.use[i];

			if (u->activity != SD_ACTIVITY_SPIN_LOCK)
				continue;
			all += u->seconds;
			taken += u->atomic;
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
