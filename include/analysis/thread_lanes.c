#include "analysis/thread_lanes.h"

#include <stdlib.h>

void sd_thread_lanes_run_free(struct sd_thread_lanes_run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->thread[i].span);
		free(r->thread[i].sample);
	}
	free(r->thread);
	free(r->gap);
	*r = (struct sd_thread_lanes_run){0};
}

void sd_thread_lanes_free(struct sd_thread_lanes *l)
{
	for (size_t i = 0; i < l->n; i++)
		sd_thread_lanes_run_free(&l->run[i]);
	free(l->run);
	*l = (struct sd_thread_lanes){0};
}
