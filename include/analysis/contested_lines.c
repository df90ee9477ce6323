#include "analysis/contested_lines.h"

#include <stdlib.h>

void sd_contested_lines_free(struct sd_contested_lines *l)
{
	for (size_t i = 0; i < l->n_line; i++)
		sd_texts_free(&l->line[i].advice);
	free(l->line);
	free(l->set);
	*l = (struct sd_contested_lines){0};
}
