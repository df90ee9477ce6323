#include "threads/bound_waits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int sd_bound_waits_begin(struct sd_bound_waits *w, const struct sd_cpulist *cpus)
{
	*w = (struct sd_bound_waits){0};
	for (size_t i = 0; i < cpus->n; i++)
		w->n = cpus->cpu[i] >= w->n ? cpus->cpu[i] + 1 : w->n;
	w->ran = calloc(w->n + 1, sizeof *w->ran);
	return w->ran ? 0 : -ENOMEM;
}

void sd_bound_waits_end(struct sd_bound_waits *w)
{
	free(w->ran);
	*w = (struct sd_bound_waits){0};
}

static int is_known(const struct sd_bound_waits *w, const struct sd_thread_state *t)
{
	return t->processor >= 0 && (unsigned)t->processor < w->n;
}

void sd_bound_waits_add(struct sd_bound_waits *w, const struct sd_process_tree *tree)
{
	int bound = 0;

	for (size_t i = 0; i < tree->n; i++)
		bound |= tree->task[i]->bound;
	if (!bound)
		return;
	memset(w->ran, 0, w->n * sizeof *w->ran);
	for (size_t i = 0; i < tree->n; i++)
		if (tree->task[i]->bound && is_known(w, tree->task[i]))
			w->ran[tree->task[i]->processor] += tree->task[i]->run_step;
	for (size_t i = 0; i < tree->n; i++) {
		const struct sd_thread_state *const t = tree->task[i];

		/* corrections of earlier estimates are negative, and belong to the sum as well */
		if (t->bound && is_known(w, t))
			w->seconds += fmin(t->delay_step, w->ran[t->processor] - t->run_step);
	}
}

struct sd_value sd_bound_waits_told(const struct sd_bound_waits *w, int timed)
{
	return timed ? SD_OK(fmax(0, w->seconds)) : SD_NOT(UNSUPPORTED);
}
