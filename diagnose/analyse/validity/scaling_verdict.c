#include "validity/scaling_verdict.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "accounting/run_parts.h"
#include "base/statistics.h"
#include "case/cause_weights.h"
#include "validity/machine_facts.h"

static size_t times_of(const struct sd_case *c, const struct sd_chosen *p, double *v)
{
	return sd_run_selection_times(c->record, c->choice, p->run, p->n_run, v);
}

/*
 * Do all runs take longer than all of the reference would, and most of them more than twice that?
 * Others on a core's second hardware thread leave a run half of the core at least (core_width.h),
 * and five runs a side fall apart like that by chance once in 252 times, whatever their scatter.
 */
static int are_apart(const double *before, size_t n, const double *after, size_t m, int twice)
{
	double most = 0, least = INFINITY;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, before[i]);
	for (size_t i = 0; i < m; i++)
		least = fmin(least, after[i]);
	return n >= SD_STATISTICS_FEW && m >= SD_STATISTICS_FEW && least > most && twice;
}

static void scale(double *v, size_t n, double by)
{
	for (size_t i = 0; i < n; i++)
		v[i] *= by;
}

/* User time of the runs of a point, s. */
static size_t users_of(const struct sd_case *c, const struct sd_chosen *p, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_run; i++) {
		const struct sd_value user = p->run[i]->metric[SD_METRIC_USER];

		if (sd_run_selection_keeps(c->choice, p->run[i]) && sd_run_parts_usable(user))
			v[n++] = user.value;
	}
	return n;
}

/*
 * Takes the same work so much more user time with the cores, beyond doubt, that it matters (the
 * gate of METHODS 3)? The times may scatter for other reasons, as where a hypervisor has to find
 * memory for fresh pages: that is kernel time.
 */
static int user_grows(struct sd_case *c, double *before, double *after)
{
	const struct sd_chosen *r = c->ref, *p = c->last;
	const size_t n = users_of(c, r, before), m = users_of(c, p, after);
	struct sd_group ref, now;

	if (c->record->program.rate) /* the work of a run is another each time */
		return 0;
	scale(before, n, p->work / (1 - SD_CASE_GATE));
	if (sd_statistics_larger(before, n, after, m))
		return 1;
	if (n < SD_STATISTICS_FEW || m < SD_STATISTICS_FEW)
		return 0;
	/* all of few in their order is no rare order: how far they scatter says more */
	ref = (struct sd_group){sd_statistics_median(before, n), sd_statistics_cv(before, n), n};
	now = (struct sd_group){sd_statistics_median(after, m), sd_statistics_cv(after, m), m};
	return now.median > ref.median && sd_statistics_differ(&ref, &now);
}

/* The smallest difference of efficiency that is likely to be seen: by how far the runs scatter, and
 * never less than half of the interval that so few of them have. */
static struct sd_value smallest_difference(const struct sd_case *c, double share)
{
	const struct sd_interval e = c->a->point[c->a->n_point - 1].efficiency;
	const double half = fmax(e.high - e.value, e.value - e.low);

	return SD_OK(fmax(e.value * share, sd_status_bounded(e) ? half : 0));
}

int sd_scaling_verdict_compare(struct sd_case *c)
{
	const struct sd_chosen *r = c->ref, *p = c->last;
	const double ideal = p->work * r->n / p->n; /* the reference's time on as many cores */
	struct sd_group ref = {r->median_time * ideal, 0, r->n_run};
	struct sd_group now = {p->median_time, 0, p->n_run};
	double *const before = calloc(r->n_run, sizeof *before);
	double *const after = calloc(p->n_run, sizeof *after);
	size_t n = 0, m = 0;

	if (before && after) {
		n = times_of(c, r, before);
		m = times_of(c, p, after);
		scale(before, n, ideal);
		ref.cv = sd_statistics_cv(before, n);
		now.cv = sd_statistics_cv(after, m);
		c->lost = r != p && now.median > ref.median &&
			  ((r->exact && p->exact) || sd_statistics_differ(&ref, &now) ||
				  sd_statistics_larger(before, n, after, m) ||
				  are_apart(before, n, after, m, now.median > 2 * ref.median) ||
				  user_grows(c, before, after));
	}
	free(before);
	free(after);
	if (!before || !after)
		return -ENOMEM;
	if (r != p && r->n_run > 1 && p->n_run > 1)
		c->a->smallest = smallest_difference(
			c, sd_statistics_smallest(ref.cv, ref.n, now.cv, now.n));
	return 0;
}

/*
 * The most that waiting for a CPU can be the doing of others, a share of the cores: what their
 * processes and our own measuring used of them. A thread also waits while its own peers run, while
 * threads of the kernel that serve it do, and while an idle CPU wakes up. INFINITY where that time
 * is not known, or rounded to clock ticks that a short run has few of.
 */
static double others_share(const struct sd_chosen *p)
{
	const struct sd_value v = sd_machine_facts_others(p);

	return sd_has(v) ? v.value / p->n : INFINITY;
}

/* Share of the cores lost to the machine and not to the program: it says nothing about the
 * program's scaling. */
static struct sd_interval machine_share(const struct sd_case *c)
{
	const unsigned long set =
		c->loss->components & (SD_BIT(STOLEN) | SD_BIT(RUN_QUEUE) | SD_BIT(THROTTLED));
	struct sd_interval s = {.status = SD_STATUS_OK};
	double own;

	if (set)
		s = sd_cause_weights_added(c, set);
	if (set & SD_BIT(RUN_QUEUE)) {
		own = fmax(0,
			sd_cause_weights_added(c, SD_BIT(RUN_QUEUE)).value - others_share(c->last));
		s.value -= own;
		s.low -= own;
		s.high -= own;
	}
	return s;
}

/*
 * No cause is named where the efficiency at the largest count is at least 95 % by the best
 * estimate, and at least 90 % with 95 % confidence: on a machine that others share, the times of a
 * program without any loss seldom agree to 5 %. Nor without a loss that is beyond doubt: a cause
 * named wrongly costs more than one named a few runs later.
 */
static int scales_on_whole_cores(const struct sd_case *c, struct sd_interval machine)
{
	const struct sd_interval e = c->a->whole;

	return e.status == SD_STATUS_OK && e.value + fmax(0, machine.value) >= 1 - SD_CASE_GATE &&
	       e.low + fmax(0, machine.low) >= 1 - 2 * SD_CASE_GATE;
}

/* Efficiency of the judged point. One run has no interval; on a curve the count before it bounds
 * it, so that a loss is one that both show. */
static struct sd_interval judged_efficiency(const struct sd_case *c)
{
	const struct sd_point *const last = &c->a->point[c->a->n_point - 1];
	struct sd_interval e = last->efficiency;

	if (c->a->n_point < SD_RUN_SELECTION_CURVE || sd_status_bounded(e))
		return e;
	e.low = fmin(e.value, last[-1].efficiency.value);
	e.high = fmax(e.value, last[-1].efficiency.value);
	return e;
}

void sd_scaling_verdict_decide(struct sd_case *c)
{
	const struct sd_interval e = judged_efficiency(c);
	int sure;

	if (c->a->n_point < 2)
		return;
	sure = e.value >= 1 - SD_CASE_GATE && e.low * c->neighbours.less >= 1 - 2 * SD_CASE_GATE;
	sure = sure || scales_on_whole_cores(c, machine_share(c));
	/* that it scales is never said of one run */
	sure = sure && sd_status_bounded(c->a->point[c->a->n_point - 1].efficiency);
	c->scales = sure || e.value >= 1;
	c->lost = !c->scales && e.high < 1 && c->lost;
}

/* Names of what a disturbance can have added to the loss, after "up to 0.31 of them may be". */
static const char *const may_be[SD_DISTURBANCE_COUNT] = {
	[SD_DISTURBANCE_OTHERS_CPU] = "waits for a CPU that others had",
	[SD_DISTURBANCE_OTHERS_PEERS] = "waits for threads whose CPU others had",
	[SD_DISTURBANCE_QUOTA] = "the CPU quota's",
	[SD_DISTURBANCE_SHARED_CORES] = "shared cores'",
	[SD_DISTURBANCE_UNEVEN_CORES] = "waits for threads on slower CPUs",
	[SD_DISTURBANCE_TWO_SPEEDS] = "the machine's two speeds'",
	[SD_DISTURBANCE_DRIFT] = "the machine's drift",
};

/* The largest of those that were not said yet; SD_DISTURBANCE_COUNT: none matters. */
static int largest(const struct sd_case *c, unsigned said)
{
	int best = SD_DISTURBANCE_COUNT;

	for (int i = 0; i < SD_DISTURBANCE_COUNT; i++)
		if (may_be[i] && !(said >> i & 1) && c->disturbance[i].status == SD_STATUS_OK &&
			c->disturbance[i].added >= .01 * c->loss->n &&
			(best == SD_DISTURBANCE_COUNT ||
				c->disturbance[i].added > c->disturbance[best].added))
			best = i;
	return best;
}

static void say_disturbed(struct sd_case *c, const struct sd_ledger *l, struct sd_interval e)
{
	double rest = l->n * (1 - e.value) - l->loss_lower;
	char text[512] = "";
	size_t used = 0;
	unsigned said = 0;

	for (int i; (i = largest(c, said)) < SD_DISTURBANCE_COUNT; said |= 1u << i) {
		if (used < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%.2f %s",
				used ? ", " : "", c->disturbance[i].added, may_be[i]);
		rest -= c->disturbance[i].added;
	}
	/* what the rule takes off for few runs that differ is no disturbance, but as much in doubt
	 */
	if (used && used < sizeof text && rest >= .01 * l->n)
		snprintf(text + used, sizeof text - used,
			", %.2f how far runs differ: more of them narrow that (--repeats)", rest);
	if (used)
		sd_case_warn(c,
			"whether it scales cannot be told: %.2f of %.0f cores are lost at %u cores, "
			"of which %.2f at least are the program's. Up to so many may be: %s",
			l->n * (1 - e.value), l->n, c->last->cores, l->loss_lower, text);
	else
		sd_case_warn(c,
			"something is lost, but efficiency at %u cores is only known to be between "
			"%.1f and %.1f %%: more runs narrow it (--repeats)",
			c->last->cores, 100 * (1 - l->loss_upper / l->n),
			100 * (1 - l->loss_lower / l->n));
}

void sd_scaling_verdict_say(struct sd_case *c, const struct sd_ledger *l)
{
	const struct sd_interval e = judged_efficiency(c);

	if (c->a->scales != SD_SCALES_UNKNOWN || c->a->n_point < 2 || c->no_loss ||
		c->fixed_time) /* said where that was found */
		return;
	if (e.high < 1 - SD_CASE_GATE) {
		say_disturbed(c, l, e);
		return;
	}
	if (!isfinite(e.low) || !isfinite(e.high)) {
		sd_case_warn(c,
			"whether it scales cannot be told: efficiency at %u cores is %.1f %%, and so few "
			"runs have no interval (--repeats 5 or more)",
			c->last->cores, 100 * e.value);
		return;
	}
	sd_case_warn(c,
		"%s: efficiency at %u cores is %.1f %% (95 %%: %.1f to %.1f %%; it scales above "
		"%.0f %%)",
		e.high < 1 ? "a scaling loss is not certain" : "no scaling loss measurable",
		c->last->cores, 100 * e.value, 100 * e.low, 100 * e.high, 100 * SD_SCALES_FROM);
	if (sd_has(c->a->smallest))
		sd_case_warn(c,
			"with these runs only a difference of efficiency of %.1f %% or "
			"more is likely to be seen",
			100 * c->a->smallest.value);
}

struct sd_interval sd_scaling_verdict_loss(const struct sd_case *c)
{
	const struct sd_interval e = judged_efficiency(c);
	const double n = c->loss->n;

	if (c->a->n_point < 2 || c->fixed_time || c->no_loss)
		return (struct sd_interval){.status = SD_STATUS_ABSENT};
	return (struct sd_interval){
		n * (1 - e.value), n * (1 - e.high), n * (1 - e.low), SD_STATUS_OK};
}
