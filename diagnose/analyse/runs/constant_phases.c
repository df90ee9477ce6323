#include "runs/constant_phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "runs/sampled_uses.h"

/* ---- rates ----------------------------------------------------------------------------------- */

/* Seconds that all cores of the run slept; as many as that, where some did. */
static double slept(const struct sd_chosen *p, size_t j)
{
	return p->parts[j].part[SD_PART_SLEEP] * p->run[j]->metric[SD_METRIC_WALL].value;
}

static void leave_out(const struct sd_chosen *p, size_t j, double seconds)
{
	struct sd_run_parts *const parts = &p->parts[j];
	const double share =
		fmin(seconds / p->run[j]->metric[SD_METRIC_WALL].value, parts->part[SD_PART_SLEEP]);

	if (!(share > 0) || share >= 1)
		return;
	parts->part[SD_PART_SLEEP] -= share;
	for (int k = 0; k < SD_PART_COUNT; k++)
		parts->part[k] /= 1 - share;
	parts->instructions /= 1 - share;
	parts->cycles /= 1 - share;
}

/* Subtracts from each run the time that every run of every count sleeps. */
static void settle_rates(struct sd_run_selection *c)
{
	double least = INFINITY;

	for (size_t i = 0; i < c->n_point; i++)
		for (size_t j = 0; j < c->point[i].n_run; j++)
			least = fmin(least, slept(&c->point[i], j));
	for (size_t i = 0; isfinite(least) && i < c->n_point; i++)
		for (size_t j = 0; j < c->point[i].n_run; j++)
			leave_out(&c->point[i], j, least);
}

/* ---- weak scaling ---------------------------------------------------------------------------- */

/* As long as at the reference, within what two counts of samples differ. */
#define SAME 1.3

/* Time in one function's own instructions: means of the sampled runs of a point. */
struct work {
	double useful; /* s */
	double alone;  /* core-s that were idle, or spun, for it alone */
};

static unsigned function_of(const struct sd_stacks *s, unsigned node)
{
	const unsigned frame = node && node < s->n_node ? s->node[node].frame : 0;
	const unsigned function = node && frame < s->n_frame ? s->frame[frame].function : 0;

	return function < s->n_text ? function : 0;
}

/* work[text of a function]. 0 when no run was sampled. */
static int add_up(const struct sd_stacks *s, const struct sd_chosen *p, struct work *work)
{
	const size_t n = sd_sampled_uses_runs(p);
	struct sd_sampled_uses uses = {.p = p};

	for (const struct sd_use *u; (u = sd_sampled_uses_next(&uses));) {
		struct work *const w = &work[function_of(s, u->node)];

		if (u->activity != SD_ACTIVITY_USEFUL)
			continue;
		w->useful += u->seconds / (double)n;
		w->alone += (u->blame_serial + u->spun_serial) / (double)n;
	}
	return n > 0;
}

/* Core-seconds of the point that waited for code which is the same at the reference. */
static double waited(const struct sd_stacks *s, const struct work *ref, const struct work *now,
	const struct sd_chosen *p)
{
	double sum = 0;

	for (size_t i = 1; i < s->n_text; i++)
		/* most of it alone, and neither grown nor shrunk */
		if (now[i].alone > .5 * (p->n - 1) * now[i].useful &&
			now[i].useful < SAME * ref[i].useful &&
			ref[i].useful < SAME * now[i].useful)
			sum += fmin(
				now[i].alone, (p->work - 1) * fmin(ref[i].useful, now[i].useful));
	return sum;
}

/* Part of the capacity from `from`, at most all of it; returns what is left to move. */
static double move(struct sd_run_parts *p, enum sd_part from, double share)
{
	const double moved = fmin(share, fmax(0, p->part[from]));

	p->part[from] -= moved;
	p->part[SD_PART_USER] += moved;
	return share - moved;
}

static int settle_weak(const struct sd_stacks *s, struct sd_run_selection *c)
{
	struct work *const ref = calloc(s->n_text + 1, sizeof *ref);
	int rc = ref ? 0 : -ENOMEM;

	for (size_t i = 1; rc == 0 && i < c->n_point; i++) {
		const struct sd_chosen *const p = &c->point[i];
		struct work *const now = calloc(s->n_text + 1, sizeof *now);
		double core_s;

		if (!now) {
			rc = -ENOMEM;
			break;
		}
		if (i == 1 && !add_up(s, &c->point[0], ref)) {
			free(now);
			break;
		}
		core_s = add_up(s, p, now) ? waited(s, ref, now, p) : 0;
		for (size_t j = 0; j < p->n_run; j++) {
			struct sd_run_parts *const parts = &p->parts[j];

			move(parts, SD_PART_SPIN_SERIAL,
				move(parts, SD_PART_SERIAL, core_s / (p->n * parts->time)));
		}
		free(now);
	}
	free(ref);
	return rc;
}

int sd_constant_phases_settle(const struct sd_record *record, struct sd_run_selection *c)
{
	if (c->n_point < 2)
		return 0;
	if (c->rates) {
		settle_rates(c);
		return 0;
	}
	return record->program.scaling == SD_SCALING_WEAK ? settle_weak(&record->stacks, c) : 0;
}
