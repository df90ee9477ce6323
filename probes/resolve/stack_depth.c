#include "resolve/stack_depth.h"

const uint32_t sd_stack_depth_size[SD_STACK_DEPTH_SIZES] = {512, 1024, 2048, 4096};

#define LEAST 200     /* samples that tell */
#define MOST_CUT .005 /* of the stacks */

void sd_stack_depth_add(struct sd_stack_depth *d, int is_sample, unsigned least)
{
	struct sd_stack_depth_of *const of = is_sample ? &d->samples : &d->switches;

	of->all++;
	for (unsigned i = least; i < SD_STACK_DEPTH_SIZES; i++)
		of->enough[i]++;
}

static int is_enough(const struct sd_stack_depth_of *of, unsigned size, unsigned spared)
{
	return (double)of->enough[size] + spared >= (1 - MOST_CUT) * (double)of->all;
}

uint32_t sd_stack_depth_enough(const struct sd_stack_depth *d)
{
	if (d->samples.all < LEAST)
		return 0;
	for (unsigned i = 1; i < SD_STACK_DEPTH_SIZES; i++)
		if (is_enough(&d->samples, i, 0) && is_enough(&d->switches, i - 1, d->runs))
			return sd_stack_depth_size[i];
	return 0;
}
