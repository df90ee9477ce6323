#include "base/time_shares.h"

#define RESERVED 0.5 /* of each plan: nobody before it can take that */

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

struct sd_share sd_share_of(const struct sd_time_shares *s, double now, double weight, double after)
{
	const double mine = RESERVED * s->total * weight / s->all,
		     theirs = RESERVED * s->total * after / s->all,
		     rest = (s->total - now) * weight / (weight + after);

	return (struct sd_share){.budget = most(rest, mine),
		.end = most(s->end - theirs, least(s->end, now + mine))};
}
