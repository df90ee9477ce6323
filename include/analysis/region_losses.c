#include "analysis/region_losses.h"

#include <stdlib.h>

void sd_region_losses_free(struct sd_region_losses *l)
{
	for (size_t i = 0; i < l->n_row; i++) {
		free(l->row[i].name);
		free(l->row[i].point);
		sd_texts_free(&l->row[i].notes);
	}
	free(l->row);
	free(l->judged);
	sd_texts_free(&l->notes);
	*l = (struct sd_region_losses){0};
}
