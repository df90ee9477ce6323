#include "attribute/joint_samples.h"

#include <errno.h>
#include <stdlib.h>

int sd_joint_samples_works(enum sd_activity a)
{
	return !sd_spins(a) && a != SD_ACTIVITY_KERNEL_FUTEX && a != SD_ACTIVITY_KERNEL_SCHEDULER &&
	       a != SD_ACTIVITY_KERNEL_LOCKING && a != SD_ACTIVITY_KERNEL_THREADS;
}

static void meet(const struct sd_joint_samples *s, struct sd_concurrent_code *twins)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t k = 0;

		if (s->sample[i].activity != SD_ACTIVITY_USEFUL)
			continue;
		while (k < s->n && (k == i || s->sample[k].activity != SD_ACTIVITY_USEFUL ||
					   !sd_concurrent_code_are(
						   twins, s->sample[i].node, s->sample[k].node)))
			k++;
		if (k < s->n)
			sd_concurrent_code_note(twins, s->sample[i].node);
	}
}

/* Was nobody else on a CPU, or were all others sampled spinning? A thread that got or left its CPU
 * between two CPUs' ticks has no sample, or one in another state. */
static int was_alone(
	const struct sd_joint_samples *s, const struct sd_joint_samples_sample *one, size_t useful)
{
	return one->beside == 0 || (useful == 1 && (long)s->n > one->beside);
}

int sd_joint_samples_end(struct sd_joint_samples *s, struct sd_stack_times *uses,
	struct sd_concurrent_code *twins, struct sd_joint_samples_sums *sums)
{
	double spun = 0;
	size_t useful = 0;

	meet(s, twins);
	for (size_t i = 0; i < s->n; i++) {
		useful += sd_joint_samples_works(s->sample[i].activity);
		spun += sd_spins_for_peers(s->sample[i].activity) ? s->sample[i].seconds : 0;
	}
	if (useful == 1)
		sums->spun_serial += spun;
	else if (useful)
		sums->spun_imbalance += spun;
	for (size_t i = 0; i < s->n && useful; i++) {
		const struct sd_joint_samples_sample *const one = &s->sample[i];
		struct sd_use *row;

		if (!sd_joint_samples_works(one->activity))
			continue;
		row = sd_stack_times_row(uses, one->node, one->activity);
		if (!row)
			return -ENOMEM;
		if (was_alone(s, one, useful)) {
			row->solo += one->seconds;
			sums->useful_alone += one->seconds;
		}
		*(useful == 1 ? &row->spun_serial : &row->spun_imbalance) += spun / (double)useful;
	}
	s->n = 0;
	return 0;
}

int sd_joint_samples_add(struct sd_joint_samples *s, const struct sd_moment *m, long beside,
	struct sd_stack_times *uses, struct sd_concurrent_code *twins,
	struct sd_joint_samples_sums *sums)
{
	/* clocks tick within a quarter of their period, plus the delay of an interrupt */
	if (s->n && m->time - s->start > m->weight / 2) {
		const int rc = sd_joint_samples_end(s, uses, twins, sums);

		if (rc)
			return rc;
	}
	if (s->n == s->room) {
		const size_t room = s->room ? 2 * s->room : 16;
		struct sd_joint_samples_sample *const grown =
			reallocarray(s->sample, room, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		s->sample = grown;
		s->room = room;
	}
	if (!s->n)
		s->start = m->time;
	s->sample[s->n++] = (struct sd_joint_samples_sample){.node = m->node,
		.activity = m->activity,
		.seconds = (double)m->weight * 1e-9,
		.beside = beside};
	return 0;
}

void sd_joint_samples_free(struct sd_joint_samples *s)
{
	free(s->sample);
	*s = (struct sd_joint_samples){0};
}
