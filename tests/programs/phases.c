/*
 * A program of phases that it marks (scalediag.h): "setup", which one thread does and which is as
 * much as all else, "solve", which the threads divide among them, each of them in "kernel", and
 * "finish", of as much work, where the first thread has twice as much to do as each other one.
 *
 *   phases AMOUNT
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

#include "../../include/markers/scalediag.h"
#include "work.h"

#define STEPS 4
#define MOST 256

static struct {
	pthread_barrier_t barrier;
	double amount;
	unsigned threads;
} phases;

static void region_of_first(int begins, unsigned self, const char *name)
{
	if (self || !*name)
		return;
	if (begins)
		sd_region_begin(name);
	else
		sd_region_end(name);
}

static void *run(void *argument)
{
	const unsigned self = (unsigned)(uintptr_t)argument;

	for (int step = 0; step < STEPS; step++) {
		pthread_barrier_wait(&phases.barrier);
		region_of_first(1, self, "solve");
		sd_region_begin("kernel");
		work(phases.amount / STEPS / phases.threads);
		sd_region_end("kernel");
		pthread_barrier_wait(&phases.barrier);
		region_of_first(0, self, "solve");
		region_of_first(1, self, "finish");
		work((self ? 1 : 2) * phases.amount / STEPS / (phases.threads + 1));
		pthread_barrier_wait(&phases.barrier);
		region_of_first(0, self, "finish");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[MOST];

	phases.amount = work_amount(argc, argv);
	phases.threads = work_threads();
	pthread_barrier_init(&phases.barrier, NULL, phases.threads);
	sd_region_begin("setup");
	work(2 * phases.amount);
	sd_region_end("setup");
	for (unsigned i = 1; i < phases.threads; i++)
		if (pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)i))
			return 1;
	run(NULL);
	for (unsigned i = 1; i < phases.threads; i++)
		pthread_join(thread[i], NULL);
	puts("done");
	return 0;
}
