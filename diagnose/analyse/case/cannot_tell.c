#include "case/cannot_tell.h"

#include <errno.h>
#include <string.h>

#include "case/cause_weights.h"
#include "case/rule.h"

enum sd_verdict sd_cannot_tell(struct sd_case *c, struct sd_finding *f, const char *why)
{
	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	sd_case_say(c, f, "%s", why);
	return SD_VERDICT_NOT_MEASURABLE;
}

enum sd_verdict sd_cannot_tell_noisy(
	struct sd_case *c, struct sd_finding *f, struct sd_interval added)
{
	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	/* the same words for all such causes, so that a report says them once */
	sd_case_say(c, f, "these runs cannot tell whether it takes 5 %% of the cores");
	sd_case_say(c, f, "%.1f to %.1f %% of the cores more than at %u core%s", 100 * added.low,
		100 * added.high, c->ref->cores, c->ref->cores == 1 ? "" : "s");
	f->next = strdup("more runs narrow it: --repeats 20 or more, on a quiet machine");
	if (!f->next)
		c->rc = -ENOMEM;
	return SD_VERDICT_NOT_MEASURABLE;
}

enum sd_verdict sd_cannot_tell_unequal(
	struct sd_case *c, struct sd_finding *f, struct sd_interval added)
{
	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	sd_case_say(c, f,
		"these runs cannot tell: the CPUs were not equally fast, since others used their cores, "
		"and up to %.2f of %u cores wait for that alone (%.2f more than at %u core%s do)",
		c->neighbours.uneven * c->loss->n, c->last->n, added.value * c->loss->n,
		c->ref->cores, c->ref->cores == 1 ? "" : "s");
	f->next = strdup("measure on a machine of its own, or when its neighbours are quiet");
	if (!f->next)
		c->rc = -ENOMEM;
	return SD_VERDICT_NOT_MEASURABLE;
}

int sd_cannot_tell_unaccounted_may_be(const struct sd_case *c, const struct sd_rule *r)
{
	unsigned long waits = SD_BIT(LOCK) | SD_BIT(IMBALANCE) | SD_BIT(SERIAL) | SD_BIT(DISK);

	if (!(c->loss->components & SD_BIT(RUN_QUEUE)))
		waits |= SD_BIT(RUN_QUEUE);
	return c->incomplete && (r->carriers & waits) &&
	       sd_cause_weights_added(c, sd_cause_weights_carriers(c, r) | SD_BIT(UNACCOUNTED))
			       .high >= SD_CASE_GATE;
}

/* Cores that idled at the last point since a runtime had no task for them: mean of the runs. */
static double taskless(const struct sd_case *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->last->n_run; i++) {
		const struct sd_value idle = c->last->run[i]->idle[SD_IDLE_TASKLESS];
		const struct sd_value wall = c->last->run[i]->metric[SD_METRIC_WALL];

		if (sd_run_parts_usable(idle) && sd_run_parts_usable(wall) && wall.value > 0)
			sum += idle.value / wall.value;
	}
	return c->last->n_run ? sum / (double)c->last->n_run : 0;
}

enum sd_verdict sd_cannot_tell_unaccounted(struct sd_case *c, struct sd_finding *f)
{
	const double unknown = c->loss->stack[SD_COMPONENT_UNACCOUNTED];

	f->cores = f->share = f->worth = (struct sd_interval){.status = SD_STATUS_ABSENT};
	if (taskless(c) > SD_CASE_GATE * c->last->n)
		sd_case_say(c, f,
			"these runs cannot tell: %.2f of %u cores are not accounted for; the "
			"program's runtime schedules tasks of its own (goroutines) on its threads, "
			"and what tasks wait for was not seen",
			unknown, c->last->n);
	else
		sd_case_say(c, f,
			"these runs cannot tell: %.2f of %u cores are not accounted for, and it "
			"may be among them",
			unknown, c->last->n);
	return SD_VERDICT_NOT_MEASURABLE;
}
