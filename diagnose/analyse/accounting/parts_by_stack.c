#include "accounting/parts_by_stack.h"

/* Less of a part than this on stacks, and what is missing is no stack's. Samples of the CPU clock
 * differ from the accounting of the kernel by ticks at the start and end of threads. */
#define COVERED .8

const enum sd_cost sd_parts_by_stack_cost[SD_PART_COUNT] = {
	[SD_PART_USER] = SD_COST_GROWTH,
	[SD_PART_SYSTEM] = SD_COST_KERNEL,
	[SD_PART_KERNEL] = SD_COST_KERNEL,
	[SD_PART_LOCK] = SD_COST_LOCK,
	[SD_PART_SPIN_LOCK] = SD_COST_LOCK,
	[SD_PART_SYSTEM_LOCK] = SD_COST_LOCK,
	[SD_PART_SYSTEM_THREADS] = SD_COST_KERNEL,
	[SD_PART_IMBALANCE] = SD_COST_IMBALANCE,
	[SD_PART_SPIN_IMBALANCE] = SD_COST_IMBALANCE,
	[SD_PART_SERIAL] = SD_COST_SERIAL,
	[SD_PART_SPIN_SERIAL] = SD_COST_SERIAL,
	[SD_PART_SPIN] = SD_COST_SPINNING,
	[SD_PART_DISK] = SD_COST_WAITS,
	[SD_PART_SLEEP] = SD_COST_WAITS,
	[SD_PART_NETWORK] = SD_COST_WAITS,
	[SD_PART_MPI] = SD_COST_WAITS,
	[SD_PART_SPIN_MPI] = SD_COST_WAITS,
};

/* The part that the seconds of an activity stand for; USEFUL's is USER, the others' is not. */
static const enum sd_part part_of[SD_ACTIVITY_COUNT] = {
	[SD_ACTIVITY_SPIN_BARRIER] = SD_PART_SPIN,
	[SD_ACTIVITY_SPIN_LOCK] = SD_PART_SPIN_LOCK,
	[SD_ACTIVITY_SPIN_MPI] = SD_PART_SPIN_MPI,
	[SD_ACTIVITY_SPIN_OTHER] = SD_PART_SPIN,
	[SD_ACTIVITY_KERNEL_FAULT] = SD_PART_SYSTEM,
	[SD_ACTIVITY_KERNEL_ZEROING] = SD_PART_SYSTEM,
	[SD_ACTIVITY_KERNEL_MMAP_LOCK] = SD_PART_SYSTEM,
	[SD_ACTIVITY_KERNEL_FUTEX] = SD_PART_SYSTEM,
	[SD_ACTIVITY_KERNEL_SCHEDULER] = SD_PART_SYSTEM,
	[SD_ACTIVITY_KERNEL_LOCKING] = SD_PART_SYSTEM_LOCK,
	[SD_ACTIVITY_KERNEL_THREADS] = SD_PART_SYSTEM_THREADS,
	[SD_ACTIVITY_KERNEL_FILE] = SD_PART_SYSTEM,
	[SD_ACTIVITY_KERNEL_NETWORK] = SD_PART_SYSTEM,
	[SD_ACTIVITY_KERNEL_OTHER] = SD_PART_SYSTEM,
	[SD_ACTIVITY_KERNEL_LOCK] = SD_PART_KERNEL,
	[SD_ACTIVITY_DISK] = SD_PART_DISK,
	[SD_ACTIVITY_PIPE] = SD_PART_NETWORK,
	[SD_ACTIVITY_SOCKET] = SD_PART_NETWORK,
	[SD_ACTIVITY_SLEEP] = SD_PART_SLEEP,
	[SD_ACTIVITY_MPI] = SD_PART_MPI,
};

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
	const enum sd_part part = part_of[u->activity];

	for (int k = 0; k < SD_PART_COUNT; k++)
		w[k] = 0;
	if (u->activity == SD_ACTIVITY_USEFUL || part != SD_PART_USER)
		w[part] = sane(u->seconds);
	w[SD_PART_LOCK] = sane(u->blame_lock);
	w[SD_PART_IMBALANCE] = sane(u->blame_imbalance);
	w[SD_PART_SERIAL] = sane(u->blame_serial);
	w[SD_PART_SPIN_SERIAL] = sane(u->spun_serial);
	w[SD_PART_SPIN_IMBALANCE] = sane(u->spun_imbalance);
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
