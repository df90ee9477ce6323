#include "record/memory_sampled.h"

#include <stdlib.h>

void sd_memory_sampled_free(struct sd_memory_sampled *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_contested; i++)
		sd_sim_contested_free(&m->contested[i].line);
	free(m->contested);
	free(m->thread);
	free(m);
}

void sd_event_sampled_free(struct sd_event_sampled *e)
{
	if (!e)
		return;
	free(e->period);
	free(e->place);
	free(e);
}
