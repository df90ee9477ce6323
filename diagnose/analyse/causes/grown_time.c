#include "causes/grown_time.h"

#include "case/stated.h"

/* Why nothing is known of how much user time grew; NULL: it is. */
static const char *unknown(const struct sd_case *c, const struct sd_interval *grown)
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
	const double gate = SD_CASE_GATE * c->loss->n;
	const char *const why = unknown(c, &grown);

	if (c->model->row && own & c->loss->components)
		return 0;
	if (why) {
		if (!sd_stated_excluded(c, f->cause))
			sd_case_say(c, f, "%s", why);
		return 1;
	}
	s.at_least = SD_STATEMENT_OPEN;
	if (c->lost && grown.low > 0 && grown.value >= gate) {
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
	sd_case_say(c, f, "at most %.2f of %u cores (95 %%: %.2f to %.2f) %s", grown.value,
		c->last->n, grown.low, grown.high, what);
	return 1;
}

int sd_grown_time_counted(struct sd_case *c, struct sd_finding *f, const char *id,
	unsigned long own, const char *what)
{
	struct sd_statement s = sd_stated_components(c, f->cause, id, own);

	if (!c->model->row || !(own & c->loss->components))
		return 0;
	if (unknown(c, &s.at_least)) {
		sd_case_say(c, f, "%s", unknown(c, &s.at_least));
		return 0;
	}
	s.sees.mechanism &= ~c->blind[f->cause];
	sd_stated_keep(c, &s);
	/* a fact of the machine that counts contradict: both are said */
	if (!sd_stated_excluded(c, f->cause) || s.at_least.low > 0)
		sd_stated_say(c, f, &s.at_least, what);
	return 1;
}
