#include "pmu/counter_set.h"

#include <errno.h>
#include <sched.h>

#include "perf_event/perf_event.h"

/* A counter must move: some 10 us of work. */
static void work(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 10000; i++)
		sum = sum + i;
}

/* The first error of the set; one that says that it does not fit goes before. */
static int error_of(const struct sd_counter_set_fixed *set)
{
	int rc = 0;

	for (size_t i = 0; i < set->n; i++)
		if (set->counter[i].fd < 0 && (!rc || set->counter[i].error == -EINVAL))
			rc = set->counter[i].error;
	return rc;
}

/* Whether all of the set counted all the time, the first of them in *first. */
static int look(const struct sd_counter_set_fixed *set, struct sd_counter_read_reading *first)
{
	int rc = 0;

	for (size_t i = 0; i < set->n; i++) {
		struct sd_counter_read_reading r;
		const int error = sd_perf_event_read(set->counter[i].fd, &r);

		if (error || r.running == 0 || r.running < r.enabled)
			rc = -EBUSY;
		if (i == 0 && !error)
			*first = r;
	}
	return rc;
}

int sd_counter_set_try(const struct sd_counting *c, const size_t *member, size_t n,
	const char *root, struct sd_counter_read_reading *first)
{
	const int here = sched_getcpu();
	const struct sd_counter_set_target target = {
		.root = root, .trial = 1, .here = here < 0 ? 0 : here};
	struct sd_counter_read_reading unused;
	struct sd_counter_set_fixed set;
	int rc = sd_counter_set_open(&set, c, member, n, &target);

	if (rc)
		return rc;
	rc = error_of(&set);
	for (size_t i = 0; rc == 0 && i < set.n; i++)
		sd_perf_event_switch(set.counter[i].fd, 1); /* also a second time, as a follower */
	if (rc == 0) {
		work();
		rc = look(&set, first ? first : &unused);
	}
	sd_counter_set_close(&set);
	return rc;
}
