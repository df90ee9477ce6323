#include "analysis/folded_stacks.h"

#include <stdlib.h>

void sd_folded_stacks_free(struct sd_folded_stacks *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->row[i].stack);
	free(f->row);
	*f = (struct sd_folded_stacks){0};
}
