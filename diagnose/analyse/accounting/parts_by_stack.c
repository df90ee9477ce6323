#include "accounting/parts_by_stack.h"

/* If stacks cover less of a part than this, the missing rest belongs to no stack. Above it the
 * difference is scaled away: samples differ from the kernel's accounting by ticks at the start and
 * end of threads. */
#define COVERED .8

int sd_parts_by_stack_sampled(const struct sd_run *run)
{
	return run->sampled.status == SD_STATUS_OK && run->sampled.n_use > 0;
}

static double sane(double v)
{
	return sd_run_parts_usable(SD_OK(v)) ? v : 0;
}

/* The seconds of one row in every part. */
static void weigh(const struct sd_use *u, double w[SD_PART_COUNT])
{
	const enum sd_part part = sd_activity_info[u->activity].part;

	for (int k = 0; k < SD_PART_COUNT; k++)
		w[k] = 0;
	if (u->activity == SD_ACTIVITY_USEFUL || part != SD_PART_USER)
		w[part] = sane(u->seconds);
	w[SD_PART_LOCK] = sane(u->blame_lock);
	w[SD_PART_IMBALANCE] = sane(u->blame_imbalance);
	w[SD_PART_SERIAL] = sane(u->blame_serial);
	w[SD_PART_SPIN_SERIAL] = w[SD_PART_YIELD_SERIAL] = sane(u->spun_serial);
	w[SD_PART_SPIN_IMBALANCE] = w[SD_PART_YIELD_IMBALANCE] = sane(u->spun_imbalance);
}

void sd_parts_by_stack_each(const struct sd_run *run, unsigned n, const struct sd_run_parts *parts,
	sd_parts_by_stack_fn *each, void *ctx)
{
	const struct sd_sampled *s = &run->sampled;
	const double capacity = n * run->metric[SD_METRIC_WALL].value;
	double sum[SD_PART_COUNT] = {0}, scale[SD_PART_COUNT], w[SD_PART_COUNT];

	for (size_t i = 0; i < s->n_use; i++) {
		weigh(&s->use[i], w);
		for (int k = 0; k < SD_PART_COUNT; k++)
			sum[k] += w[k] / capacity;
	}
	for (int k = 0; k < SD_PART_COUNT; k++) {
		const double part = parts->part[k];

		scale[k] = 0;
		if (!(SD_PARTS_BY_STACK_PARTS >> k & 1))
			continue;
		if (sum[k] > 0)
			scale[k] = sum[k] >= COVERED * part ? part / sum[k] : 1;
		each(ctx, 0, (enum sd_part)k, part - scale[k] * sum[k]);
	}
	for (size_t i = 0; i < s->n_use; i++) {
		weigh(&s->use[i], w);
		for (int k = 0; k < SD_PART_COUNT; k++)
			if (w[k] > 0 && scale[k] > 0)
				each(ctx, s->use[i].node, (enum sd_part)k,
					scale[k] * w[k] / capacity);
	}
}
