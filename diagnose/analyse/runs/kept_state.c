#include "runs/kept_state.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/statistics.h"

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

enum sd_label sd_kept_state_of_pair(
	const struct sd_run_selection *c, const struct sd_run *plain, const struct sd_run *changed)
{
	const enum sd_label a = sd_machine_states_label(&c->states, plain);
	const enum sd_label b = sd_machine_states_label(&c->states, changed);

	if ((plain->flags | changed->flags) & SD_RUN_MIXED)
		return SD_LABEL_MIXED;
	if (a == SD_LABEL_NONE || b == SD_LABEL_NONE)
		return a == SD_LABEL_NONE ? b : a;
	return a == b ? a : SD_LABEL_MIXED;
}

/* Runs of experiments whose pairs are of this state. */
static size_t in_pairs(
	const struct sd_record *r, const struct sd_run_selection *c, enum sd_label state)
{
	size_t n = 0;

	for (size_t i = 1; i < r->n_run; i++) {
		const struct sd_run *const a = &r->run[i - 1], *const b = &r->run[i];

		/* the two arms of a pair are made one after the other */
		if (a->tried && b->tried && a->tried->experiment == b->tried->experiment &&
			a->tried->pair == b->tried->pair && a->tried->arm != b->tried->arm &&
			sd_kept_state_of_pair(c, a, b) == state)
			n += 2;
	}
	return n;
}

/* The runs that one state covers. */
struct cover {
	size_t least;  /* of any point */
	size_t all;    /* with those of experiments */
	int is_enough; /* at every point */
};

static struct cover cover(
	const struct sd_record *r, const struct sd_run_selection *c, enum sd_label state)
{
	struct cover v = {.least = SIZE_MAX, .all = in_pairs(r, c, state), .is_enough = 1};

	for (size_t i = 0; i < c->n_point; i++) {
		const struct sd_chosen *const p = &c->point[i];
		size_t n = 0;

		for (size_t j = 0; j < p->n_run; j++)
			n += (size_t)in_state(c, p->run[j], state);
		v.least = n < v.least ? n : v.least;
		v.is_enough &= n >= SD_KEPT_STATE_RUNS || (n && n == p->n_run);
		v.all += n;
	}
	return v;
}

/* The times of a point in a state. `known`: of runs whose state was looked at alone. */
static struct sd_group times_in(const struct sd_record *r, const struct sd_run_selection *c,
	const struct sd_chosen *p, enum sd_label state, int known, sd_kept_state_time *time,
	double *scratch)
{
	struct sd_group g = {0};

	for (size_t j = 0; j < p->n_run; j++)
		if (known ? sd_machine_states_label(&c->states, p->run[j]) == state
			  : in_state(c, p->run[j], state))
			scratch[g.n++] = time(r, p->run[j]);
	if (g.n == 0)
		return g;
	g.cv = sd_statistics_cv(scratch, g.n);
	g.median = sd_statistics_median(scratch, g.n);
	return g;
}

/* Fills the points' times by state. Do runs take as long in both, as far as was seen? */
static int compare_states(const struct sd_record *r, struct sd_run_selection *c,
	sd_kept_state_time *time, double *scratch)
{
	size_t seen = 0, apart = 0;

	for (size_t i = 0; i < c->n_point; i++) {
		struct sd_chosen *const p = &c->point[i];
		struct sd_group g[2];

		for (int s = 0; s < 2; s++) {
			const enum sd_label l = s ? SD_LABEL_FAR : SD_LABEL_NEAR;

			g[s] = times_in(r, c, p, l, 0, time, scratch);
			p->state_time[s] = g[s].median;
			p->state_runs[s] = g[s].n;
			g[s] = times_in(r, c, p, l, 1, time, scratch);
		}
		if (g[0].n < 2 || g[1].n < 2)
			continue;
		seen++;
		apart += sd_statistics_differ(&g[0], &g[1]) != 0;
	}
	return seen && !apart;
}

static void drop_others(struct sd_run_selection *c)
{
	for (size_t i = 0; i < c->n_point; i++) {
		struct sd_chosen *p = &c->point[i];
		size_t n = 0;

		for (size_t j = 0; j < p->n_run; j++)
			if (in_state(c, p->run[j], c->kept))
				p->run[n++] = p->run[j];
		p->n_other = p->n_run - n;
		p->n_run = n;
	}
}

int sd_kept_state_keep(
	const struct sd_record *record, struct sd_run_selection *c, sd_kept_state_time *time)
{
	double *const scratch = calloc(record->n_run + 1, sizeof *scratch);
	struct cover near, far;
	int alike;

	if (!scratch)
		return -ENOMEM;
	if (c->states.n < 2) {
		free(scratch);
		return 0;
	}
	alike = compare_states(record, c, time, scratch);
	free(scratch);
	if (c->asked != SD_LABEL_NONE) {
		c->kept = c->asked;
		drop_others(c);
		return 0;
	}
	near = cover(record, c, SD_LABEL_NEAR);
	far = cover(record, c, SD_LABEL_FAR);
	c->never = near.least == 0 && far.least == 0;
	c->pooled = alike || (!near.is_enough && !far.is_enough);
	c->alike = alike && !c->never;
	if (c->pooled)
		return 0;
	if (near.is_enough && far.is_enough)
		c->kept = near.all >= far.all ? SD_LABEL_NEAR : SD_LABEL_FAR;
	else
		c->kept = near.is_enough ? SD_LABEL_NEAR : SD_LABEL_FAR;
	drop_others(c);
	return 0;
}
