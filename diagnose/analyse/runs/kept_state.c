#include "runs/kept_state.h"

#include <errno.h>
#include <stdlib.h>

static size_t sample_lines(const struct sd_run *run, struct sd_state_sample *v)
{
	static const enum sd_metric line[] = {SD_METRIC_LINE_BEFORE, SD_METRIC_LINE_AFTER};
	size_t n = 0;

	for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
		const struct sd_value x = run->metric[line[i]];

		if (sd_run_parts_usable(x) && x.value > 0)
			v[n++] = (struct sd_state_sample){x.value, run->point};
	}
	return n;
}

/* Experiments count too: the state may change after the last plain run, and a pair's result about
 * memory bandwidth then holds for another state. */
int sd_kept_state_find(const struct sd_record *record, struct sd_run_selection *c)
{
	struct sd_state_sample *v = calloc(2 * record->n_run + 1, sizeof *v);
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_point; i++)
		for (size_t j = 0; j < c->point[i].n_run; j++)
			n += sample_lines(c->point[i].run[j], v + n);
	for (size_t i = 0; i < record->n_run; i++)
		if (record->run[i].kind == SD_RUN_EXPERIMENT)
			n += sample_lines(&record->run[i], v + n);
	sd_machine_states_split(v, n, &c->states);
	free(v);
	return 0;
}

static int in_state(const struct sd_run_selection *c, const struct sd_run *run, enum sd_label state)
{
	enum sd_label l = sd_machine_states_label(&c->states, run);

	return l == SD_LABEL_NONE || l == state;
}

/* The fewest runs of any point in this state, and the total. */
static size_t cover(const struct sd_run_selection *c, enum sd_label state, size_t *all)
{
	size_t least = SIZE_MAX;

	*all = 0;
	for (size_t i = 0; i < c->n_point; i++) {
		size_t n = 0;

		for (size_t j = 0; j < c->point[i].n_run; j++)
			n += (size_t)in_state(c, c->point[i].run[j], state);
		least = n < least ? n : least;
		*all += n;
	}
	return least;
}

/* Keeps the state seen at all points; if both were, the one with more runs (METHODS 5). */
void sd_kept_state_keep(struct sd_run_selection *c)
{
	size_t all_near, all_far, near, far;
	enum sd_label state;

	if (c->states.n < 2)
		return;
	near = cover(c, SD_LABEL_NEAR, &all_near);
	far = cover(c, SD_LABEL_FAR, &all_far);
	if (near == 0 && far == 0) {
		c->pooled = 1;
		return;
	}
	if (near == 0 || far == 0)
		state = far == 0 ? SD_LABEL_NEAR : SD_LABEL_FAR;
	else
		state = all_near >= all_far ? SD_LABEL_NEAR : SD_LABEL_FAR;
	c->kept = state;
	for (size_t i = 0; i < c->n_point; i++) {
		struct sd_chosen *p = &c->point[i];
		size_t n = 0;

		for (size_t j = 0; j < p->n_run; j++)
			if (in_state(c, p->run[j], state))
				p->run[n++] = p->run[j];
		p->n_other = p->n_run - n;
		p->n_run = n;
	}
}
