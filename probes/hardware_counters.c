/*
 * The roles of one pass, counted over the whole tree by perf_event_open: opened on the waiting
 * process, started by its exec, inherited by whatever it creates; those of cores and sockets are
 * started just before. Of a program that runs already every thread is opened, and what it creates.
 */
#include "probes/probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf_event/fd_limit.h"
#include "pmu/counter_set.h"
#include "proc/task_ids.h"
#include "trace/running.h"

struct roles {
	const struct sd_counting *counting;
	unsigned pass;
	/* owned; one, or of a program that ran already one a thread, of which the first also counts
	 * cores and sockets */
	struct sd_counter_set_fixed *set;
	size_t n;
	struct sd_fd_limit files;
};

/* Lists of threads that are made while others are listed are read again so often. */
#define ROUNDS 8

static void roles_close(void *state)
{
	struct roles *const p = state;

	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		sd_counter_set_close(&p->set[i]);
	free(p->set);
	sd_fd_limit_restore(&p->files);
	free(p);
}

/* Did it end before its counters were open? */
static int has_ended(const struct sd_counter_set_fixed *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->counter[i].error == -ESRCH)
			return 1;
	return 0;
}

static int is_full(const struct sd_counter_set_fixed *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->counter[i].error == -EMFILE)
			return 1;
	return 0;
}

/* Opens the pass's roles on one thread, or on the process that waits for its exec; of all threads
 * but the first only what is counted of threads. */
static int open_set(struct roles *p, const struct sd_counter_set_target *where)
{
	const struct sd_pass *const pass = &p->counting->passes.pass[p->pass];
	struct sd_counter_set_fixed *const set = &p->set[p->n];
	size_t *const member = calloc(pass->n + 1, sizeof *member), n = 0;
	int rc = member ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < pass->n; i++)
		if (!p->n || p->counting->role[pass->member[i]].where == SD_ROLE_EVENTS_TREE)
			member[n++] = pass->member[i];
	rc = rc ? rc : sd_counter_set_open(set, p->counting, member, n, where);
	if (!rc && is_full(set) && sd_fd_limit_raise(&p->files)) {
		sd_counter_set_close(set);
		rc = sd_counter_set_open(set, p->counting, member, n, where);
	}
	free(member);
	if (!rc && where->running && has_ended(set))
		sd_counter_set_close(set);
	else
		p->n += !rc;
	return rc;
}

/* Threads that are made meanwhile by one that is counted are counted with it: so all are listed
 * before any is opened (task_counters.c). */
static int open_running(
	struct roles *p, const struct sd_probe_target *target, struct sd_counter_set_target *where)
{
	struct sd_task_ids ids = {0};
	int rc = 0;

	for (size_t i = 0; i < target->running->n && rc != -ENOMEM; i++) {
		rc = 1;
		for (int k = 0; k < ROUNDS && rc > 0; k++)
			rc = sd_task_ids_add(&ids, target->root, target->running->pid[i]);
	}
	p->set = rc == -ENOMEM ? NULL : calloc(ids.n + 1, sizeof *p->set);
	rc = p->set ? 0 : -ENOMEM;
	where->running = 1;
	for (size_t k = 0; k < ids.n && !rc; k++) {
		where->pid = ids.tid[k];
		rc = open_set(p, where);
	}
	sd_task_ids_free(&ids);
	return rc;
}

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
	if (target->running) {
		rc = open_running(p, target, &where);
	} else {
		p->set = calloc(1, sizeof *p->set);
		rc = p->set ? open_set(p, &where) : -ENOMEM;
	}
	if (rc) {
		roles_close(p);
		return rc;
	}
	*state = p;
	return 0;
}

static void switch_all(struct roles *p, int on)
{
	for (size_t i = 0; i < p->n; i++)
		sd_counter_set_switch(&p->set[i], on);
}

static void roles_start(void *state)
{
	if (state)
		switch_all(state, 1);
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

/* The sum of all threads; 0: one that is to be added could not be. */
static int add_threads(struct roles *p, const struct sd_pass *pass, struct sd_role_count *out)
{
	struct sd_role_count *const one = calloc(pass->n + 1, sizeof *one);

	for (size_t k = 1; one && k < p->n; k++)
		for (size_t i = 0; i < pass->n; i++) {
			if (p->counting->role[pass->member[i]].where != SD_ROLE_EVENTS_TREE)
				continue;
			sd_counter_set_read(&p->set[k], p->counting, &pass->member[i], 1, &one[i]);
			sd_counter_set_add(&out[i], &one[i], 1);
		}
	free(one);
	return one != NULL;
}

static void roles_stop(void *state, struct sd_run *run)
{
	struct roles *const p = state;
	const struct sd_pass *pass;
	size_t n;

	if (!p || !p->n)
		return;
	switch_all(p, 0);
	pass = &p->counting->passes.pass[p->pass];
	run->role = calloc(p->counting->n_role + 1, sizeof *run->role);
	if (!run->role)
		return;
	run->pass = p->pass;
	n = pass->n;
	sd_counter_set_read(&p->set[0], p->counting, pass->member, n, run->role);
	if (!add_threads(p, pass, run->role))
		return;
	/* and what no run can count, with the reason; what the CPU has no event for is no news */
	for (size_t i = 0; i < p->counting->n_role; i++)
		if (p->counting->role[i].n && !sd_has(p->counting->role[i].count.value))
			run->role[n++] = p->counting->role[i].count;
	run->n_role = n;
	fill_metric(run, SD_METRIC_CYCLES, SD_ROLE_CYCLES);
	fill_metric(run, SD_METRIC_INSTRUCTIONS, SD_ROLE_INSTRUCTIONS);
}

const struct sd_probe sd_probe_hardware_counters = {
	.name = "roles",
	.open = roles_open,
	.start = roles_start,
	.stop = roles_stop,
	.close = roles_close,
};
