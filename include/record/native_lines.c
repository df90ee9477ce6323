#include "record/native_lines.h"

#include <stdlib.h>

void sd_native_lines_free(struct sd_native_lines *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->n_line; i++)
		sd_sim_contested_free(&n->line[i].line);
	free(n->line);
	free(n->loop);
	free(n->thread);
	free(n);
}
