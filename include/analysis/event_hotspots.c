#include "analysis/event_hotspots.h"

#include <string.h>

const struct sd_event_row *sd_event_hotspots_most(
	const struct sd_event_hotspots *h, const char *metric, const struct sd_event_cell **cell)
{
	const struct sd_event_row *most = NULL;

	for (size_t m = 0; m < h->n_metric; m++)
		for (size_t i = 0; strcmp(h->metric[m].name, metric) == 0 && i < h->n_row; i++)
			if (h->row[i].cell[m].share > (most ? (*cell)->share : 0)) {
				most = &h->row[i];
				*cell = &most->cell[m];
			}
	return most;
}
