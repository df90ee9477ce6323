#include "loops/lock_users.h"

#include <errno.h>
#include <stdlib.h>

#include "accounting/parts_by_stack.h"

#define MATTERS .05 /* of the cores: METHODS 3 */

static void add(const struct sd_code_places *places, double *seconds, unsigned node, double s)
{
	seconds[places->spot[sd_code_places_spot(places, node)].function] += s > 0 ? s : 0;
}

static void add_run(
	const struct sd_code_places *places, double *seconds, const struct sd_sampled *s)
{
	for (size_t i = 0; i < s->n_lock; i++)
		for (int k = 0; k < SD_LOCK_STACKS; k++) {
			const struct sd_lock_use *const l = &s->lock[i];

			add(places, seconds, l->holder[k].node, l->holder[k].seconds);
			add(places, seconds, l->waiter[k].node, l->waiter[k].seconds);
		}
	for (size_t i = 0; i < s->n_use; i++)
		if (s->use[i].activity == SD_ACTIVITY_SPIN_LOCK)
			add(places, seconds, s->use[i].node, s->use[i].seconds);
}

int sd_lock_users_mark(
	const struct sd_chosen *p, const struct sd_code_places *places, unsigned char *uses)
{
	double *const seconds = calloc(places->n_function + 1, sizeof *seconds);
	double capacity = 0;

	if (!seconds)
		return -ENOMEM;
	for (size_t j = 0; j < p->n_run; j++)
		if (sd_parts_by_stack_sampled(p->run[j])) {
			add_run(places, seconds, &p->run[j]->sampled);
			capacity += p->n * p->run[j]->metric[SD_METRIC_WALL].value;
		}
	for (size_t f = 1; f < places->n_function; f++)
		uses[f] = seconds[f] >= MATTERS * capacity && capacity > 0;
	free(seconds);
	return 0;
}
