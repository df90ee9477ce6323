#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "threads/guest_run.h"

int sim_run_open(struct sim_run *r, const struct sim_options *o)
{
	pthread_condattr_t a;

	memset(r, 0, sizeof *r);
	r->o = o;
	r->until = o->window;
	sim_placement_open(&r->placement, o->machine.cores, o->machine.llc.sharers);
	r->thread = calloc(SIM_THREADS, sizeof(struct sim_thread *));
	if (!r->thread || sim_machine_open(&r->machine, o)) {
		free(r->thread);
		return -ENOMEM;
	}
	pthread_mutex_init(&r->lock, NULL);
	pthread_mutex_init(&r->block_lock, NULL);
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&r->moved, &a);
	pthread_condattr_destroy(&a);
	return 0;
}

void sim_run_close(struct sim_run *r)
{
	for (size_t i = 0; i < r->n_thread; i++) {
		sim_thread_close(r->thread[i]);
		free(r->thread[i]);
	}
	for (size_t i = 0; i < r->n_block; i++) {
		free(r->block[i]->ins);
		free(r->block[i]);
	}
	free(r->thread);
	free(r->block);
	free(r->gone);
	sim_waits_close(&r->waits);
	sim_machine_close(&r->machine);
	pthread_mutex_destroy(&r->lock);
	pthread_mutex_destroy(&r->block_lock);
	pthread_cond_destroy(&r->moved);
}
