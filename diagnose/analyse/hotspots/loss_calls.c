#include "hotspots/loss_calls.h"

#include <errno.h>
#include <stdlib.h>

static int by_pair(const void *x, const void *y)
{
	const struct sd_loss_call *a = x, *b = y;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

static int by_call_cores(const void *x, const void *y)
{
	const struct sd_loss_call *a = x, *b = y;

	if (a->cores > b->cores || a->cores < b->cores)
		return a->cores > b->cores ? -1 : 1;
	return by_pair(x, y);
}

int sd_loss_calls_find(
	const struct sd_loss_by_stack *from, const size_t *row_of, struct sd_losses *out)
{
	const struct sd_stacks *s = from->places.stacks;
	double *below = calloc(s->n_node + 1, sizeof *below);
	struct sd_loss_call *v = calloc(s->n_node + 1, sizeof *v);
	size_t n = 0, merged = 0;

	out->call = v;
	if (!below || !v) {
		free(below);
		return -ENOMEM;
	}
	for (size_t i = s->n_node; i-- > 1;) {
		const unsigned parent = s->node[i].parent;
		const size_t callee = row_of[sd_code_places_leaf(&from->places, (unsigned)i)];
		size_t caller;

		below[i] += from->node[i];
		if (parent >= i)
			continue;
		below[parent] += below[i];
		caller = row_of[sd_code_places_leaf(&from->places, parent)];
		if (caller && callee && caller != callee)
			v[n++] = (struct sd_loss_call){caller - 1, callee - 1, below[i]};
	}
	free(below);
	qsort(v, n, sizeof *v, by_pair);
	for (size_t i = 0; i < n; i++) {
		if (merged && by_pair(&v[merged - 1], &v[i]) == 0)
			v[merged - 1].cores += v[i].cores;
		else
			v[merged++] = v[i];
	}
	qsort(v, merged, sizeof *v, by_call_cores);
	out->n_call = merged < SD_LOSS_CALLS ? merged : SD_LOSS_CALLS;
	return 0;
}
