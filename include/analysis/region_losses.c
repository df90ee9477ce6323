#include "analysis/region_losses.h"

#include <stdlib.h>

const unsigned sd_span_cores[SD_SPAN_AT_COUNT] = {
#define X(n) [SD_SPAN_AT_##n] = n,
	SD_SPAN_CORES(X)
#undef X
};

static void free_point(struct sd_slow_point *p)
{
	for (size_t i = 0; i < p->n_part; i++)
		free(p->part[i].place);
	free(p->name);
	sd_texts_free(&p->notes);
}

void sd_region_losses_free(struct sd_region_losses *l)
{
	for (size_t i = 0; i < l->n_row; i++) {
		free(l->row[i].name);
		free(l->row[i].point);
		sd_texts_free(&l->row[i].notes);
	}
	free(l->row);
	for (size_t i = 0; i < l->requests.n_point; i++)
		free_point(&l->requests.point[i]);
	free(l->requests.point);
	sd_texts_free(&l->requests.notes);
	free(l->span.point);
	sd_texts_free(&l->span.notes);
	free(l->judged);
	sd_texts_free(&l->notes);
	*l = (struct sd_region_losses){0};
}
