/*
 * Concludes from samples of the growth, once copies have shown that it is not the hardware's.
 */
#include <math.h>
#include <string.h>

#include "accounting/parts_by_stack.h"
#include "analysis/cause_growth.h"
#include "case/stated.h"
#include "evidence/atomic_time.h"
#include "evidence/cause_places.h"
#include "evidence/repeated_work.h"
#include "experiments/apply_verdict.h"

/* ---- work that every core does -------------------------------------------------------------- */

#define REPEATED_SHARE .6 /* of the growth, that must be so */

/* Has another cause an amount of the growth by what was counted, or tried? */
static int has_another(const struct sd_apply_verdict *b, enum sd_cause cause)
{
	for (int k = 0; k < SD_CAUSE_COUNT; k++) {
		const struct sd_finding *const f = sd_apply_verdict_finding(b, (enum sd_cause)k);

		if (f->cause != cause && f->of_growth && sd_stated_sized(b->c, f->cause))
			return 1;
	}
	return 0;
}

/* Copies have said that it is what the threads share or do, and nothing else has an amount
 * of it. */
static int is_left_open(const struct sd_apply_verdict *b, enum sd_cause cause)
{
	return sd_apply_verdict_named(b, cause) && !sd_stated_sized(b->c, cause) &&
	       sd_apply_verdict_clearly(b->software) &&
	       b->hardware.value <= b->software.value / 2 && !has_another(b, cause);
}

static struct sd_interval as_growth(const struct sd_apply_verdict *b, double cores)
{
	const double share = cores / b->c->loss->n;
	const double half = (b->growth.high - b->growth.low) / 2;

	return (struct sd_interval){share, share - half, share + half, SD_STATUS_OK};
}

/* As much of the growth, by all that can be seen: none of it is sure. */
static void state_seen(
	struct sd_apply_verdict *b, enum sd_cause cause, const char *id, double cores)
{
	struct sd_interval v = as_growth(b, cores);

	v.low = fmin(0, v.low);
	sd_apply_verdict_grown(b, cause, id, SD_STATEMENT_OBSERVATION, 0, v);
}

/*
 * Copies have said that it is not the hardware; nobody has counted instructions. Functions whose
 * CPU time is multiplied as the cores are do all of their work on each of them, by all that can be
 * seen: possible, ahead of what has no number.
 */
void sd_apply_repeated(struct sd_apply_verdict *b)
{
	struct sd_finding *const f = sd_apply_verdict_finding(b, SD_CAUSE_EXTRA_WORK);
	struct sd_where where = {0};
	struct sd_repeated_work r;

	if (!is_left_open(b, SD_CAUSE_EXTRA_WORK))
		return;
	b->c->rc |= sd_repeated_work_find(b->c, &r);
	if (!r.function || r.share < REPEATED_SHARE)
		return;
	b->c->rc |= sd_code_places_name(&b->c->spread->places, r.function, 0, 0, &where);
	sd_case_say(b->c, f,
		"%s%s takes %.2f times the CPU time at %u cores: as if each of them did all of its work",
		where.function ? where.function : "a function without a name",
		where.function && !strpbrk(where.function, "([") ? "()" : "", r.times,
		b->c->last->n);
	sd_where_free(&where);
	state_seen(b, SD_CAUSE_EXTRA_WORK, "extra-work-repeated", r.cores);
}

/* ---- lines that atomic instructions wait for ------------------------------------------------ */

#define ATOMIC_SHARE .6 /* of the growth, that must be there */

/*
 * Copies share no data, so that no line goes from one to another; atomic instructions of lines that
 * a core has for itself are as fast beside others. Those that slow down beside copies are of words
 * in two lines, for which the bus is locked.
 */
void sd_apply_bus(struct sd_apply_verdict *b)
{
	struct sd_finding *const f = sd_apply_verdict_finding(b, SD_CAUSE_BUS_LOCKS);
	struct sd_atomic_time seen;
	struct sd_interval v;

	if (!sd_apply_verdict_has(b->hardware) || sd_stated_excluded(b->c, SD_CAUSE_BUS_LOCKS))
		return;
	if (!sd_apply_verdict_clearly(b->hardware) || b->hardware.value < 2 * b->software.value)
		return;
	sd_atomic_time_find(b->c, &seen);
	if (seen.share < ATOMIC_SHARE)
		return;
	v = as_growth(b, fmin(seen.cores, b->hardware.value * b->c->loss->n));
	sd_apply_verdict_observe(b, SD_CAUSE_BUS_LOCKS, "bus-locks-copies",
		sd_apply_verdict_cores(b, v), SD_STATEMENT_OPEN);
	sd_case_say(b->c, f,
		"independent copies, which share no data, lose %.2f cores to each other, and %.0f %% of "
		"the growth of user time is at atomic instructions: of words that lie in two lines "
		"each locks the bus for all cores",
		b->hardware.value * b->c->loss->n, 100 * fmin(seen.share, 1));
	for (int k = SD_CAUSE_MEMORY_BANDWIDTH; k <= SD_CAUSE_LLC_CAPACITY; k++) {
		sd_apply_verdict_mention(b, (enum sd_cause)k,
			"against it: the growth is at atomic instructions (see %s)",
			sd_cause_info[SD_CAUSE_BUS_LOCKS].label);
		sd_stated_doubt(b->c, (enum sd_cause)k);
	}
	sd_apply_verdict_tell(b, SD_CAUSE_BUS_LOCKS, v);
}

/*
 * Nobody has seen the lines: no counters, no simulation, or processes, whose common lines no
 * simulation sees. What waits at atomic instructions waits for one; whether others use the same
 * bytes of it these do not say.
 */
void sd_apply_atomics(struct sd_apply_verdict *b)
{
	struct sd_finding *const f = sd_apply_verdict_finding(b, SD_CAUSE_TRUE_SHARING);
	struct sd_atomic_time seen;

	if (!is_left_open(b, SD_CAUSE_TRUE_SHARING))
		return;
	sd_atomic_time_find(b->c, &seen);
	if (seen.share < ATOMIC_SHARE)
		return;
	if (sd_cause_places_allocating(b->c, SD_PARTS_BY_STACK_BIT(USER)) > .5) {
		sd_case_say(b->c, f,
			"growth of user time is at atomic instructions, but those of malloc, free "
			"and their like: see %s",
			sd_cause_info[SD_CAUSE_ALLOCATOR].label);
		b->c->contradicted |= 1ul << SD_CAUSE_TRUE_SHARING;
		return;
	}
	if (b->c->spread->locking.status == SD_STATUS_OK &&
		b->c->spread->locking.value > seen.cores / 2) {
		sd_case_say(b->c, f,
			"what waits at atomic instructions takes and releases locks: see %s",
			sd_cause_info[SD_CAUSE_LOCK_CONTENTION].label);
		b->c->contradicted |= 1ul << SD_CAUSE_TRUE_SHARING;
		return;
	}
	sd_case_say(b->c, f,
		"%.0f %% of the growth of user time is at atomic instructions, or just behind one, "
		"where a core waits for a line that another one has%s",
		100 * fmin(seen.share, 1),
		sd_apply_verdict_named(b, sd_cause_growth_writing(SD_CAUSE_BYTES_DIFFERENT))
			? "; that others use other bytes of it (false sharing) is not ruled out"
			: "");
	state_seen(b, SD_CAUSE_TRUE_SHARING, "sharing-atomics", seen.cores);
}
