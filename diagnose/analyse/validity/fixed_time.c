#include "validity/fixed_time.h"

#include <math.h>

#include "accounting/run_parts.h"
#include "metrics/role_counts.h"

/* Timers end a program to within far less than this; work that takes as long is a coincidence. */
#define FIXED_TIME_WITHIN .01
#define FIXED_TIME_VARIES .005 /* of one wall time: likewise */

/* .64 GB/s: what a program reads that lives on memory, and no start of one in a cache. */
#define LINES_LEAST 1e7

/* How much the times of a point vary: a timer's hardly do, on a busy machine either. */
static double variation(const struct sd_chosen *p)
{
	double mean = 0, sum = 0;

	for (size_t j = 0; j < p->n_run; j++)
		mean += p->parts[j].time / (double)p->n_run;
	for (size_t j = 0; j < p->n_run; j++)
		sum += (p->parts[j].time - mean) * (p->parts[j].time - mean);
	return mean > 0 ? sqrt(sum / (double)p->n_run) / mean : 0;
}

/* More time for the same instructions, or for the same lines of memory, is no more work. */
static int is_same_work(const struct sd_case *c, double more)
{
	static const struct {
		enum sd_role role;
		double rate; /* a second of the reference: fewer may be those of a start alone */
	} row[] = {
		{SD_ROLE_INSTRUCTIONS, 0},
		{SD_ROLE_DRAM_READ_LINES, LINES_LEAST},
		{SD_ROLE_DRAM_LINES, LINES_LEAST},
		{SD_ROLE_LLC_LINES_IN, LINES_LEAST},
		{SD_ROLE_BUS_BURST_ALL, LINES_LEAST},
	};
	struct sd_role_counts before, after;

	if ((c->loss->known_ref & c->loss->known & SD_RUN_PARTS_COUNTERS) &&
		more * c->last->mean.instructions <
			c->ref->mean.instructions * (1 + (more - 1) / 2))
		return 1;
	sd_role_counts_make(c->ref, NULL, &before);
	sd_role_counts_make(c->last, NULL, &after);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const struct sd_count *const a = &before.role[row[i].role];
		const struct sd_count *const b = &after.role[row[i].role];

		if (a->status == SD_STATUS_OK && b->status == SD_STATUS_OK && !a->weak &&
			!b->weak && a->value > row[i].rate * c->ref->median_time &&
			b->value < a->value * (1 + (more - 1) / 2))
			return 1;
	}
	return 0;
}

/*
 * A benchmark that runs for a fixed time looks exactly like a program whose cores all wait for one
 * saturated resource while they count as busy: only its user knows which it is.
 */
void sd_fixed_time_check(struct sd_case *c)
{
	const double more = (double)c->last->n / c->ref->n;
	const double ref = c->ref->mean.part[SD_PART_USER], last = c->last->mean.part[SD_PART_USER];

	if (c->ref == c->last || c->choice->rates ||
		c->record->program.scaling != SD_SCALING_STRONG ||
		!(c->loss->known_ref & c->loss->known & SD_RUN_PARTS_CPU) || ref < SD_CASE_GATE)
		return;
	/* the rest of the CPU time may be lost to others, without the timer knowing */
	if (fabs(c->last->median_time / c->ref->median_time - 1) > FIXED_TIME_WITHIN ||
		more * last < ref * (1 + (more - 1) / 2))
		return;
	if (fmax(variation(c->ref), variation(c->last)) > FIXED_TIME_VARIES)
		return;
	if (is_same_work(c, more))
		return;
	c->fixed_time = 1;
	sd_case_warn(c,
		"the time is the same at %u core%s and at %u while the CPU time grows with the "
		"cores. If the program runs for a fixed time, compare what it prints (--rate "
		"REGEX) or say that its work grows (--weak); if its work is fixed, the growth of "
		"user time is a loss",
		c->ref->cores, c->ref->cores == 1 ? "" : "s", c->last->cores);
}
