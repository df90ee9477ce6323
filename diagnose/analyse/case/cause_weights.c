#include "case/cause_weights.h"

#include "base/statistics.h"

double sd_cause_weights_sum(const double *cores, unsigned long components)
{
	double s = 0;

	/* most sets are of one or two, and there are thousands of samples */
	for (; components; components &= components - 1)
		s += cores[__builtin_ctzl(components)];
	return s;
}

static struct sd_interval share_of(
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
	return share_of(c, c->loss->added, c->loss->added_sample, components);
}
