#include "runs/sampled_uses.h"

#include "accounting/parts_by_stack.h"

const struct sd_use *sd_sampled_uses_next(struct sd_sampled_uses *u)
{
	for (; u->run < u->p->n_run; u->run++, u->use = 0) {
		const struct sd_run *const run = u->p->run[u->run];

		if (sd_parts_by_stack_sampled(run) && u->use < run->sampled.n_use)
			return &run->sampled.use[u->use++];
	}
	return NULL;
}

size_t sd_sampled_uses_runs(const struct sd_chosen *p)
{
	size_t n = 0;

	for (size_t j = 0; j < p->n_run; j++)
		n += (size_t)sd_parts_by_stack_sampled(p->run[j]);
	return n;
}

size_t sd_sampled_uses_all(const struct sd_chosen *p)
{
	struct sd_sampled_uses uses = {.p = p};
	size_t n = 0;

	while (sd_sampled_uses_next(&uses))
		n++;
	return n;
}
