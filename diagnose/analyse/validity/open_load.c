#include "validity/open_load.h"

#include <stdlib.h>

#include "accounting/run_parts.h"
#include "base/statistics.h"

/* More than this of its cores is busy in a program that its load keeps at work. */
#define BUSY .9
/* Share of the idle core-seconds that waits for what comes from outside, at least. */
#define OUTSIDE .7

struct use {
	double busy;    /* cores */
	double outside; /* share of the idle core-seconds */
};

static double idle_of(const struct sd_run *run, unsigned long set)
{
	double sum = 0;

	for (int i = 0; i < SD_IDLE_COUNT; i++)
		if ((set >> i & 1) && sd_has(run->idle[i]))
			sum += run->idle[i].value;
	return sum;
}

/* 0: it was not measured. */
static int use_of(const struct sd_run *run, struct use *out)
{
	const struct sd_value *const m = run->metric;
	const double idle = idle_of(run, ~0ul);

	if (!sd_run_parts_usable(m[SD_METRIC_USER]) || !sd_run_parts_usable(m[SD_METRIC_SYSTEM]) ||
		!sd_run_parts_usable(m[SD_METRIC_WALL]) || !(idle > 0))
		return 0;
	out->busy = (m[SD_METRIC_USER].value + m[SD_METRIC_SYSTEM].value) / m[SD_METRIC_WALL].value;
	out->outside = idle_of(run, 1ul << SD_IDLE_SLEEP | 1ul << SD_IDLE_NETWORK) / idle;
	return 1;
}

/* The medians over a point's runs; 0: no run has both. */
static int median_use(const struct sd_chosen *p, struct use *out)
{
	double *const busy = calloc(p->n_run + 1, sizeof *busy);
	double *const outside = calloc(p->n_run + 1, sizeof *outside);
	size_t n = 0;

	for (size_t i = 0; busy && outside && i < p->n_run; i++) {
		struct use one;

		if (!use_of(p->run[i], &one))
			continue;
		busy[n] = one.busy;
		outside[n++] = one.outside;
	}
	if (n)
		*out = (struct use){
			sd_statistics_median(busy, n), sd_statistics_median(outside, n)};
	free(busy);
	free(outside);
	return n > 0;
}

void sd_open_load_check(struct sd_case *c)
{
	struct use u;

	if (!c->record->program.attached || !c->record->program.rate || c->a->n_point < 2 ||
		!median_use(c->last, &u) || u.busy >= BUSY * c->last->n || u.outside < OUTSIDE)
		return;
	sd_case_warn(c,
		"the load needs %.2g of %u cores: the rest of the time the program waits for "
		"requests, or for what it asks of others. Its throughput is the load's, and says "
		"little of how it scales: give it more load",
		u.busy, c->last->n);
	c->no_loss = 1;
	if (!c->a->no_verdict)
		c->a->no_verdict = "the load, not the program, sets the throughput: with more "
				   "load, the counts would decide";
}
