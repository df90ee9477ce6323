#include "record/ceiling.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int sd_calibration_add(struct sd_calibration *c, unsigned cores, double bandwidth)
{
	struct sd_ceiling *grown;
	size_t at = 0;

	if (cores == 0 || !isfinite(bandwidth) || bandwidth <= 0)
		return -EINVAL;
	while (at < c->n_ceiling && c->ceiling[at].cores < cores)
		at++;
	if (at < c->n_ceiling && c->ceiling[at].cores == cores)
		return -EEXIST;
	grown = realloc(c->ceiling, (c->n_ceiling + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	c->ceiling = grown;
	memmove(grown + at + 1, grown + at, (c->n_ceiling - at) * sizeof *grown);
	grown[at] = (struct sd_ceiling){cores, SD_OK(bandwidth)};
	c->n_ceiling++;
	return 0;
}

struct sd_value sd_calibration_at(const struct sd_calibration *c, unsigned cores)
{
	const struct sd_ceiling *below = NULL;

	for (size_t i = 0; i < c->n_ceiling; i++) {
		const struct sd_ceiling *x = &c->ceiling[i];

		if (!sd_has(x->bandwidth))
			continue;
		if (x->cores == cores)
			return x->bandwidth;
		if (x->cores > cores && below)
			return SD_OK(below->bandwidth.value +
				     (x->bandwidth.value - below->bandwidth.value) *
					     (cores - below->cores) / (x->cores - below->cores));
		if (x->cores > cores)
			break;
		below = x;
	}
	return SD_NOT(ABSENT);
}
