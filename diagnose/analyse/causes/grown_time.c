#include "causes/grown_time.h"

#include <math.h>

#include "base/statistics.h"
#include "case/stated.h"
#include "evidence/cause_places.h"

const char *sd_grown_time_unknown(const struct sd_case *c, const struct sd_interval *grown)
{
	if (c->a->n_point < 2)
		return "needs runs at two core counts or more";
	if (!(c->loss->known_ref & c->loss->known & SD_RUN_PARTS_CPU))
		return "needs CPU times, and this record has none";
	if (!sd_status_bounded(*grown))
		return c->a->no_verdict;
	if (c->fixed_time)
		return "the program may run for a fixed time (see the warning): then nothing is "
		       "lost";
	return NULL;
}

int sd_grown_time_seen(const struct sd_case *c, const struct sd_interval *grown)
{
	return c->lost && grown->low > 0 && grown->value >= SD_CASE_GATE * c->loss->n;
}

/* How much longer user code took, for all of these causes. */
static void say_growth(struct sd_case *c, struct sd_finding *f)
{
	const double before =
		c->ref->mean.part[SD_PART_USER] * c->ref->n * c->ref->mean.time * c->last->work;
	const double after = c->last->mean.part[SD_PART_USER] * c->last->n * c->last->mean.time;

	if (before > 0 && sd_stated_added(c, SD_CASE_GROWTH).high >= SD_CASE_GATE * c->loss->n)
		sd_case_say(c, f,
			"CPU time grows %.2fx: contention for shared hardware, or threads that "
			"share data; not yet told apart",
			after / before);
}

int sd_grown_time_state(struct sd_case *c, struct sd_finding *f, const char *id,
	unsigned long components, unsigned long own, const char *what)
{
	struct sd_statement s = sd_stated_components(c, f->cause, id, components);
	const struct sd_interval grown = s.at_most;
	struct sd_interval beyond = grown, shown;
	const double gate = SD_CASE_GATE * c->loss->n;
	const char *const why = sd_grown_time_unknown(c, &grown);

	/* counts that miss a part of the cause leave it in what nothing explains */
	if (c->model->row && own & c->loss->components && !c->blind[f->cause])
		return 0;
	if (why) {
		if (!sd_stated_excluded(c, f->cause) && !sd_stated_speaks(c, f->cause))
			sd_case_say(c, f, "%s", why);
		return 1;
	}
	s.at_least = SD_STATEMENT_OPEN;
	/* threads that wait for one on a slower core spin, or wait, for the machine */
	if (s.disturbed_by & SD_DISTURBANCE_BIT(UNEVEN_CORES))
		beyond.value -= c->disturbance[SD_DISTURBANCE_UNEVEN_CORES].added;
	if (sd_grown_time_seen(c, &beyond)) {
		s.at_least = sd_stated_unsized(c);
		s.unsized = 1;
	}
	sd_stated_keep(c, &s);
	if (sd_stated_excluded(c, f->cause))
		return 1;
	if (sd_status_bounded(s.at_least))
		say_growth(c, f);
	else if (grown.high >= gate) /* the same words for all such causes */
		sd_case_say(c, f, "these runs cannot tell whether it takes 5 %% of the cores");
	shown = sd_statistics_widen_part(grown, c->loss->runs, c->loss->n);
	sd_case_say(c, f, "at most %.2f of %u cores (95 %%: %.2f to %.2f) %s", shown.value,
		c->last->n, shown.low, shown.high, what);
	return 1;
}

int sd_grown_time_is_counted(struct sd_case *c, struct sd_finding *f, unsigned long own)
{
	const struct sd_interval v = sd_stated_added(c, own);

	if (!c->model->row || !(own & c->loss->components))
		return 0;
	if (sd_grown_time_unknown(c, &v))
		sd_case_say(c, f, "%s", sd_grown_time_unknown(c, &v));
	return !sd_grown_time_unknown(c, &v);
}

int sd_grown_time_counted(struct sd_case *c, struct sd_finding *f, const char *id,
	unsigned long own, const char *what)
{
	struct sd_statement s = sd_stated_components(c, f->cause, id, own);

	if (!sd_grown_time_is_counted(c, f, own))
		return 0;
	s.sees.mechanism &= ~c->blind[f->cause];
	if (sd_grown_time_is_unsure(c, f->cause))
		s.at_least.low = fmin(0, s.at_least.low);
	sd_stated_keep(c, &s);
	/* a fact of the machine that counts contradict: both are said */
	if (!sd_stated_excluded(c, f->cause) || s.at_least.low > 0)
		sd_stated_say(c, f, &s.at_least, what);
	return 1;
}

int sd_grown_time_is_unsure(const struct sd_case *c, enum sd_cause cause)
{
	return c->no_loss || (c->contradicted >> cause & 1);
}

void sd_grown_time_dispatched(struct sd_case *c, struct sd_finding *f)
{
	const double in = sd_cause_places_is_tasking(c) ? sd_cause_places_tasking(c, f->cause) : 0;

	if (in <= .5)
		return;
	sd_case_say(c, f, "%.0f %% of it is where a runtime makes tasks and hands them out: see %s",
		100 * fmin(in, 1), sd_cause_info[SD_CAUSE_BARRIER_OVERHEAD].label);
	c->contradicted |= 1ul << f->cause;
}
