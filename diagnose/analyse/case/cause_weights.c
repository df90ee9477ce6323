#include "case/cause_weights.h"

#include "base/statistics.h"
#include "case/rule.h"

double sd_cause_weights_sum(const double *cores, unsigned long components)
{
	double s = 0;

	/* most sets are of one or two, and there are thousands of samples */
	for (; components; components &= components - 1)
		s += cores[__builtin_ctzl(components)];
	return s;
}

struct sd_interval sd_cause_weights_share(
	const struct sd_case *c, const double *value, const double *sample, unsigned long set)
{
	const struct sd_loss *l = c->loss;

	for (size_t b = 0; b < l->n_sample; b++)
		c->scratch[b] = sd_cause_weights_sum(sample + b * SD_COMPONENT_COUNT, set) / l->n;
	return sd_statistics_interval(
		sd_cause_weights_sum(value, set) / l->n, c->scratch, l->n_sample, l->runs);
}

struct sd_interval sd_cause_weights_added(const struct sd_case *c, unsigned long components)
{
	return sd_cause_weights_share(c, c->loss->added, c->loss->added_sample, components);
}

/* Counts that miss a part of the cause, and found too little of the rest: it may be in what nothing
 * explains. */
static int is_unseen(const struct sd_case *c, const struct sd_rule *r)
{
	return c->blind[r - c->rules] &&
	       sd_cause_weights_added(c, r->own & c->loss->components).high < SD_CASE_GATE;
}

int sd_cause_weights_owned(const struct sd_case *c, const struct sd_rule *r)
{
	unsigned known = c->loss->known_ref & c->loss->known;

	return !is_unseen(c, r) &&
	       (c->model->row || ((r->sampled & r->own) && (known & SD_RUN_PARTS_SAMPLED))) &&
	       (r->own & c->loss->components) && (known & r->own_needs) == r->own_needs;
}

unsigned long sd_cause_weights_mine(const struct sd_case *c, const struct sd_rule *r)
{
	return r->mine ? r->mine(c) & c->loss->components : 0;
}

int sd_cause_weights_direct(const struct sd_case *c, const struct sd_rule *r)
{
	return r->direct || sd_cause_weights_mine(c, r) ||
	       (sd_cause_weights_owned(c, r) && !r->twin);
}

unsigned long sd_cause_weights_carriers(const struct sd_case *c, const struct sd_rule *r)
{
	if (sd_cause_weights_mine(c, r))
		return sd_cause_weights_mine(c, r);
	if (sd_cause_weights_owned(c, r))
		return r->own & c->loss->components;
	int counters = (c->loss->components & SD_BIT(INSTRUCTIONS)) != 0;

	unsigned long set = counters && r->counted ? r->counted : r->carriers;

	if (c->blind[r - c->rules])
		set |= r->own;

	if (r->sampled && (c->loss->known_ref & c->loss->known & SD_RUN_PARTS_SAMPLED))
		set = r->sampled;

	return (set | (r->more ? r->more(c) : 0)) & c->loss->components;
}

int sd_cause_weights_pass(const struct sd_case *c, unsigned long set)
{
	return sd_cause_weights_added(c, set).low >= SD_CASE_GATE &&
	       sd_cause_weights_share(c, c->loss->stack, c->loss->stack_sample, set).low >=
		       SD_CASE_GATE;
}

double sd_cause_weights_gate(const struct sd_case *c, const struct sd_rule *r)
{
	return SD_CASE_GATE + (r->peers ? c->neighbours.uneven : 0);
}

int sd_cause_weights_certain(const struct sd_case *c, unsigned long components, double gate)
{
	struct sd_interval v = sd_cause_weights_added(c, components);
	size_t runs = c->ref->n_run < c->last->n_run ? c->ref->n_run : c->last->n_run;
	double error;

	if (c->loss->runs <
		SD_STATISTICS_FEW) /* as among the times: a few runs show large effects only */
		return v.low >= gate && v.value > .2;
	error = sd_statistics_cv(c->scratch, c->loss->n_sample) *
		sd_statistics_mean(c->scratch, c->loss->n_sample);
	return v.value - sd_statistics_student((double)runs - 1) * error >= gate;
}
