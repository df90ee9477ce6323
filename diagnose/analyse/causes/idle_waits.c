#include "causes/idle_waits.h"

#include <math.h>

#include "case/stated.h"
#include "evidence/cause_places.h"
#include "evidence/rank_waits.h"

int sd_idle_waits_known(struct sd_case *c, struct sd_finding *f, unsigned long components)
{
	const unsigned needs = SD_RUN_PARTS_CPU | SD_RUN_PARTS_POLLER;

	if (c->a->n_point < 2)
		sd_case_say(c, f, "needs runs at two core counts or more");
	else if ((c->loss->known_ref & c->loss->known & needs) != needs)
		sd_case_say(c, f,
			"needs thread states sampled while the program ran, and this record has "
			"none");
	else if (!sd_status_bounded(sd_stated_added(c, components)))
		sd_case_say(c, f, "%s", c->a->no_verdict);
	else
		return 1;
	return 0;
}

double sd_idle_waits_own(struct sd_case *c, struct sd_finding *f, unsigned long parts)
{
	const double below = parts ? sd_cause_places_allocating(c, parts) : 0;
	const double tasks =
		sd_cause_places_is_tasking(c) ? sd_cause_places_tasking(c, f->cause) : 0;
	const double most = fmin(1, fmax(0, fmax(below, tasks)));

	if (most >= .01)
		sd_case_say(c, f, "%.0f %% of it is %s: see %s", 100 * most,
			below >= tasks ? "below malloc, free and their like"
				       : "where a runtime makes tasks and hands them out",
			sd_cause_info[below >= tasks ? SD_CAUSE_ALLOCATOR
						     : SD_CAUSE_BARRIER_OVERHEAD]
				.label);
	return 1 - most;
}

struct sd_interval sd_idle_waits_part(struct sd_interval v, double share)
{
	return (struct sd_interval){v.value * share, v.low * share, v.high * share, v.status};
}

/* Few threads are asleep for a lock at a time where many calls of it return at once. */
#define SOME (SD_CASE_GATE / 2)

int sd_idle_waits_of_calls(const struct sd_case *c)
{
	const struct sd_interval waits = sd_stated_added(c, SD_BIT(LOCK));
	double share[SD_ACTIVITY_COUNT];

	return sd_status_bounded(waits) && waits.high >= SOME * c->loss->n &&
	       !(sd_cause_places_mix(c->last, SD_GROUP_KERNEL, share) > 0);
}

/* So many times as much of one as of the other: the run is told to be of that kind. */
#define MOSTLY 3

int sd_idle_waits_both_ways(const struct sd_case *c)
{
	int serial = 0, uneven = 0;

	for (size_t i = 0; !c->spread->now && i < c->record->n_run; i++) {
		const struct sd_run *const run = &c->record->run[i];
		const double least = SD_CASE_GATE * c->loss->n * run->metric[SD_METRIC_WALL].value;
		const struct sd_value alone = run->idle[SD_IDLE_SERIAL],
				      peers = run->idle[SD_IDLE_IMBALANCE];

		if (run->point != c->last->plan || run->kind != SD_RUN_BLOCK ||
			!sd_has(run->metric[SD_METRIC_WALL]) || !sd_has(alone) || !sd_has(peers))
			continue;
		serial |= alone.value >= fmax(least, MOSTLY * peers.value);
		uneven |= peers.value >= fmax(least, MOSTLY * alone.value);
	}
	return serial && uneven;
}

void sd_idle_waits_say_both_ways(
	struct sd_case *c, struct sd_finding *f, enum sd_cause other, struct sd_interval *v)
{
	v->low = fmin(0, v->low);
	sd_case_say(c, f,
		"one run had its waits here and another as %s: which of the two they are, nothing "
		"tells without samples",
		sd_cause_info[other].label);
}

unsigned long sd_idle_waits_hiding(const struct sd_case *c)
{
	/* what ranks wait for in MPI, unless their calls were logged */
	const unsigned long mpi = sd_rank_waits_undivided(c) ? SD_BIT(MPI) : 0;

	return mpi | (c->loss->components & SD_BIT(SPINNING) ? SD_BIT(SPINNING) : SD_CASE_GROWTH);
}
