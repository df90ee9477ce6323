#include "record/run.h"

#include <stdlib.h>

const char *const sd_run_kind_name[] = {
	[SD_RUN_WARMUP] = "warm-up",
	[SD_RUN_BLOCK] = "block",
	[SD_RUN_DRIFT] = "drift",
	[SD_RUN_EXPERIMENT] = "experiment",
	[SD_RUN_SIMULATED] = "simulated",
	[SD_RUN_MEMORY] = "memory",
	[SD_RUN_EVENTS] = "events",
	[SD_RUN_COST] = "cost",
};
const struct sd_metric_info sd_metric_info[SD_METRIC_COUNT] = {
#define X(id, n, u, m) [SD_METRIC_##id] = {.name = n, .unit = u, .meaning = m},
	SD_METRICS(X)
#undef X
};

const struct sd_role_count *sd_run_role(const struct sd_run *r, enum sd_role role)
{
	for (size_t i = 0; i < r->n_role; i++)
		if (r->role[i].role == role)
			return &r->role[i];
	return NULL;
}

/* Frees *t too; accepts NULL. */
static void free_experiment_run(struct sd_experiment_run *t)
{
	if (t) {
		free(t->copy);
		free(t->race);
	}
	free(t);
}

void sd_run_free(struct sd_run *r)
{
	free(r->concurrency);
	free(r->thread);
	free(r->role);
	sd_sampled_free(&r->sampled);
	sd_binned_lanes_free(r->lanes);
	sd_simulated_free(r->simulated);
	sd_native_lines_free(r->native);
	free(r->neighbour);
	sd_memory_sampled_free(r->memory);
	sd_event_sampled_free(r->events);
	sd_mpi_run_free(r->mpi);
	sd_region_run_free(r->regions);
	sd_kernel_locks_free(r->kernel_locks);
	free_experiment_run(r->tried);
	free(r->choice);
	*r = (struct sd_run){0};
}

void sd_sampled_free(struct sd_sampled *s)
{
	free(s->use);
	free(s->lock);
	free(s->bottle);
	*s = (struct sd_sampled){0};
}

void sd_kernel_locks_free(struct sd_kernel_locks *l)
{
	if (l)
		free(l->row);
	free(l);
}

#define MATTERS .01 /* of the user time */
#define UNSURE .1   /* of a line's time */
#define FEW .2      /* of the samples of a line that write it */

int sd_native_lines_is_unsure(
	const struct sd_native_lines *n, const struct sd_native_line *l, double wall_s)
{
	const double time = l->contested + l->maybe + l->read;
	const double a_second = n->seconds > 0 ? n->samples / n->seconds : 0;
	const double written = sd_has(l->writes) ? l->writes.value * wall_s / a_second : 0;

	return a_second > 0 && !l->lock && !l->shared && !l->pair && time > MATTERS * n->seconds &&
	       (l->maybe + l->read > UNSURE * time || written < FEW * time);
}

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
