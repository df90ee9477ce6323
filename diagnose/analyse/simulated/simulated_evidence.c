#include "simulated/cost_model.h"
#include "analysis/cause_growth.h"
#include "simulated/line_words.h"
#include "simulated/simulated_costs.h"

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* The product may exceed the actual cores: a core that waits for a line continues with independent
 * work, and a disturbed probe overestimates each move. */
static void say_cores(struct sd_case *c, struct sd_finding *f, const struct sd_cost_model *m,
	struct sd_value cores)
{
	const struct sd_value each = sd_cost_model_transfer(c);

	if (m->exact)
		sd_case_say(c, f, "threads stood still for them for %.2f cores", cores.value);
	else if (sd_has(each) && cores.value > c->loss->n)
		sd_case_say(c, f,
			"at %.0f ns per transfer on this machine, that explains the whole loss",
			each.value * 1e9);
	else if (sd_has(each))
		sd_case_say(c, f,
			"at %.0f ns per transfer on this machine: %.2f cores if none overlapped",
			each.value * 1e9, cores.value);
}

static void say_sharing(
	struct sd_case *c, struct sd_finding *f, const struct sd_cost_model *m, enum sd_cause cause)
{
	const struct sd_simulated *s = m->after.simulated;
	const double before = sd_simulated_costs_moves(&m->before, cause),
		     after = sd_simulated_costs_moves(&m->after, cause);

	sd_case_say(c, f,
		"simulated: lines of which threads write %s bytes move between cores in modified "
		"state %.4g times at %u core%s, %.4g times at %u",
		sd_cause_growth[cause].bytes == SD_CAUSE_BYTES_SAME ? "the same" : "different",
		before, c->ref->cores, plural(c->ref->cores), after, c->last->cores);
	say_cores(c, f, m, m->cost[cause]);
	for (size_t i = 0; i < s->n_contested && after > 0; i++)
		if (sd_line_words_is_of(&s->contested[i], cause)) {
			c->rc |= sd_line_words_line(c->record, &s->contested[i], &f->evidence);
			break;
		}
}

static void say_allocator(struct sd_case *c, struct sd_finding *f, const struct sd_cost_model *m)
{
	sd_case_say(c, f,
		"simulated: malloc, free and their like move lines between cores in modified "
		"state %.4g times at %u core%s, %.4g times at %u",
		m->before.hitm_allocator, c->ref->cores, plural(c->ref->cores),
		m->after.hitm_allocator, c->last->cores);
	say_cores(c, f, m, m->cost[SD_CAUSE_ALLOCATOR]);
}

/* `waited`: the cost is what threads stood still for, by a machine that is modelled with its times.
 */
static void say_counts(struct sd_case *c, struct sd_finding *f, const struct sd_cost_model *m,
	const char *what, double before, double after, struct sd_value cost, int waited)
{
	sd_case_say(c, f, "simulated: %s: %.4g at %u core%s, %.4g at %u", what, before,
		c->ref->cores, plural(c->ref->cores), after, c->last->cores);
	if (!sd_cost_model_comparable(m))
		return;
	if (waited)
		sd_case_say(c, f, "threads stood still for them for %.2f cores", cost.value);
	else if (sd_has(cost))
		sd_case_say(c, f,
			"at this node's calibrated cost the difference takes %.2f cores, if nothing overlapped",
			cost.value);
	else
		sd_case_say(c, f, "what one costs here is not known: scalediag calibrate");
}

void sd_simulated_evidence_say(
	struct sd_case *c, struct sd_finding *f, const struct sd_cost_model *m, enum sd_cause cause)
{
	const struct sd_simulated_costs_counts *a = &m->before, *b = &m->after;
	const char *const sampled = m->after.simulated->sampled;

	if (*sampled && cause != SD_CAUSE_EXTRA_WORK) /* instructions are counted in all of it */
		sd_case_say(c, f, "the model saw %s", sampled);
	if (sd_cause_growth[cause].bytes) {
		say_sharing(c, f, m, cause);
		return;
	}
	switch (cause) {
	case SD_CAUSE_ALLOCATOR:
		say_allocator(c, f, m);
		return;
	case SD_CAUSE_LLC_CAPACITY:
		say_counts(c, f, m, "misses of the last-level cache", a->misses, b->misses,
			m->cost[cause], m->exact);
		return;
	case SD_CAUSE_DTLB:
		say_counts(c, f, m, "page walks", a->walks, b->walks, m->cost[cause], 0);
		return;
	case SD_CAUSE_EXTRA_WORK:
		if (!(a->whole > 0 && b->whole > 0))
			return;
		sd_case_say(c, f,
			"%s: instructions for the same work: %.3f times those at %u core%s",
			sd_cost_model_partial(m) ? "counted in all of it" : "simulated",
			b->whole / a->whole / m->work, c->ref->cores, plural(c->ref->cores));
		return;
	default:
		if (!sd_cost_model_comparable(m) || sd_cost_model_region(c->record)) {
			sd_case_say(c, f, "simulated: %.4g lines to and from memory at %u cores",
				b->lines, c->last->cores);
			return;
		}
		sd_case_say(c, f,
			"simulated: %.4g lines to and from memory at %u cores, over the measured "
			"time %.2f GB/s",
			b->lines, c->last->cores, m->used / 1e9);
		if (m->ceiling > 0)
			sd_case_say(c, f, "this node's ceiling at %u cores is %.2f GB/s",
				c->last->n, m->ceiling / 1e9);
		else
			sd_case_say(c, f, "this node's ceiling is not known: scalediag calibrate");
	}
}
