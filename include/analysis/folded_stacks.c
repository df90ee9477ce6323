#include "analysis/folded_stacks.h"

#include <stdlib.h>

void sd_folded_free(struct sd_folded *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->row[i].stack);
	free(f->row);
	*f = (struct sd_folded){0};
}
