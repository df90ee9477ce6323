/*
 * The roles of one pass, counted over the whole tree by perf_event_open: opened on the waiting
 * process, started by its exec, inherited by whatever it creates; those of cores and sockets are
 * started just before.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pmu/counter_set.h"

struct roles {
	const struct sd_counting *counting;
	unsigned pass;
	struct sd_counter_set_fixed set;
};

static int roles_open(void **state, const struct sd_probe_target *target)
{
	const struct sd_counting *c = target->counting;
	struct sd_counter_set_target where = {
		.pid = target->pid, .cpus = target->cpus, .root = target->root};
	struct roles *p;
	int rc;

	*state = NULL;
	if (!c || target->pass >= c->passes.n)
		return 0;
	p = calloc(1, sizeof *p);
	if (!p)
		return -ENOMEM;
	p->counting = c;
	p->pass = target->pass;
	rc = sd_counter_set_open(
		&p->set, c, c->passes.pass[p->pass].member, c->passes.pass[p->pass].n, &where);
	if (rc) {
		free(p);
		return rc;
	}
	*state = p;
	return 0;
}

static void roles_start(void *state)
{
	struct roles *const p = state;

	if (p)
		sd_counter_set_switch(&p->set, 1);
}

/* The two that every record has as metrics: there scaled to the whole run (METHODS 1.18). */
static void fill_metric(struct sd_run *run, enum sd_metric metric, enum sd_role role)
{
	const struct sd_role_count *c = sd_run_role(run, role);

	if (!c)
		return;
	run->metric[metric] = c->value;
	if (c->running > 0 && c->running < 1)
		run->metric[metric].value /= c->running;
}

static void roles_stop(void *state, struct sd_run *run)
{
	struct roles *const p = state;
	const struct sd_pass *pass;
	size_t n;

	if (!p)
		return;
	sd_counter_set_switch(&p->set, 0);
	pass = &p->counting->passes.pass[p->pass];
	run->role = calloc(p->counting->n_role + 1, sizeof *run->role);
	if (!run->role)
		return;
	run->pass = p->pass;
	n = pass->n;
	sd_counter_set_read(&p->set, p->counting, pass->member, n, run->role);
	/* and what no run can count, with the reason; what the CPU has no event for is no news */
	for (size_t i = 0; i < p->counting->n_role; i++)
		if (p->counting->role[i].n && !sd_has(p->counting->role[i].count.value))
			run->role[n++] = p->counting->role[i].count;
	run->n_role = n;
	fill_metric(run, SD_METRIC_CYCLES, SD_ROLE_CYCLES);
	fill_metric(run, SD_METRIC_INSTRUCTIONS, SD_ROLE_INSTRUCTIONS);
}

static void roles_close(void *state)
{
	struct roles *const p = state;

	if (!p)
		return;
	sd_counter_set_close(&p->set);
	free(p);
}

const struct sd_probe sd_probe_hardware_counters = {
	.name = "roles",
	.open = roles_open,
	.start = roles_start,
	.stop = roles_stop,
	.close = roles_close,
};
