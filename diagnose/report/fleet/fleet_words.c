#include <string.h>

#include "fleet/fleet_report.h"

double sd_fleet_percent(double value, double median)
{
	return median > 0 ? 100 * (value / median - 1) : 0;
}

/* Do all nodes of the group have one number by both names, as triad and triad.regular where stores
 * that pass the caches are not the best? */
static int same_numbers(
	const struct sd_fleet *fleet, const struct sd_fleet_group *g, size_t a, size_t b)
{
	for (size_t i = g->first; i < g->end; i++)
		if (memcmp(&fleet->node[i].number[a], &fleet->node[i].number[b],
			    sizeof(struct sd_interval)) != 0)
			return 0;
	return 1;
}

size_t sd_fleet_shown(const struct sd_fleet *fleet, const struct sd_fleet_group *g, size_t number[])
{
	size_t n = 0;

	for (size_t k = 0; k < SD_NODE_NUMBERS; k++) {
		int twice = 0;

		if (g->middle[k].alike < SD_FLEET_LEAST_NODES)
			continue;
		for (size_t i = 0; i < n; i++)
			twice |= same_numbers(fleet, g, number[i], k);
		if (!twice)
			number[n++] = k;
	}
	return n;
}
