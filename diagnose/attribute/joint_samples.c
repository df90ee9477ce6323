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
		while (k < s->n && (s->sample[k].thread == s->sample[i].thread ||
					   s->sample[k].activity != SD_ACTIVITY_USEFUL ||
					   !sd_concurrent_code_are(
						   twins, s->sample[i].node, s->sample[k].node)))
			k++;
		if (k < s->n)
			sd_concurrent_code_note(twins, s->sample[i].node);
	}
}

/* A thread that moves to another CPU between two CPUs' ticks is sampled on both, and is no company
 * of its own. */
static int is_counted(const struct sd_joint_samples *s, size_t i, int works)
{
	for (size_t k = 0; k < i; k++)
		if (s->sample[k].thread == s->sample[i].thread &&
			(!works || sd_joint_samples_works(s->sample[k].activity)))
			return 1;
	return 0;
}

/* Threads of a moment: all, and those that work, with their samples. */
struct crowd {
	size_t threads, working, samples;
};

static struct crowd count(const struct sd_joint_samples *s)
{
	struct crowd n = {0};

	for (size_t i = 0; i < s->n; i++) {
		const int works = sd_joint_samples_works(s->sample[i].activity);

		n.threads += !is_counted(s, i, 0);
		n.working += works && !is_counted(s, i, 1);
		n.samples += works;
	}
	return n;
}

/* Was nobody else on a CPU, or were all others sampled spinning? A thread that got or left its CPU
 * between two CPUs' ticks has no sample, or one in another state. */
static int was_alone(const struct sd_joint_samples_sample *one, struct crowd n)
{
	return one->beside == 0 || (n.working == 1 && (long)n.threads > one->beside);
}

int sd_joint_samples_end(struct sd_joint_samples *s, struct sd_stack_times *uses,
	struct sd_concurrent_code *twins, struct sd_joint_samples_sums *sums)
{
	const struct crowd n = count(s);
	double spun = 0;

	meet(s, twins);
	for (size_t i = 0; i < s->n; i++)
		spun += sd_spins_for_peers(s->sample[i].activity) ? s->sample[i].seconds : 0;
	if (n.working == 1)
		sums->spun_serial += spun;
	else if (n.working)
		sums->spun_imbalance += spun;
	for (size_t i = 0; i < s->n && n.working; i++) {
		const struct sd_joint_samples_sample *const one = &s->sample[i];
		struct sd_use *row;

		if (!sd_joint_samples_works(one->activity))
			continue;
		row = sd_stack_times_row(uses, one->node, one->activity);
		if (!row)
			return -ENOMEM;
		if (was_alone(one, n)) {
			row->solo += one->seconds;
			sums->useful_alone += one->seconds;
		}
		*(n.working == 1 ? &row->spun_serial : &row->spun_imbalance) +=
			spun / (double)n.samples;
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
	s->sample[s->n++] = (struct sd_joint_samples_sample){.thread = m->thread,
		.node = m->node,
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
