#include <string.h>

#include "fleet/fleet_report.h"

double sd_fleet_percent(double value, double median)
{
	return median > 0 ? 100 * (value / median - 1) : 0;
}

static int is_same(const struct sd_interval *a, const struct sd_interval *b)
{
	if (a->status != SD_STATUS_OK || b->status != SD_STATUS_OK)
		return a->status == b->status;
	return a->value == b->value && a->low == b->low && a->high == b->high;
}

/* Do all nodes of the group have one number by both names, as triad and triad.regular where stores
 * that pass the caches are not the best? */
static int same_numbers(
	const struct sd_fleet *fleet, const struct sd_fleet_group *g, size_t a, size_t b)
{
	for (size_t i = g->first; i < g->end; i++)
		if (!is_same(&fleet->node[i].number[a], &fleet->node[i].number[b]))
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
