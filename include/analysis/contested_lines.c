#include "analysis/contested_lines.h"

#include <stdlib.h>

void sd_lines_free(struct sd_lines *l)
{
	for (size_t i = 0; i < l->n_line; i++)
		sd_texts_free(&l->line[i].advice);
	free(l->line);
	free(l->set);
	*l = (struct sd_lines){0};
}
