/*
 * The plan of a record of many counts, on a machine of as many cores.
 */
#ifndef SD_TEST_LARGE_PLAN_H
#define SD_TEST_LARGE_PLAN_H

#include "bench/large_record.h"
#include "plan/planner.h"

/* Makes it, and the order of so many of its blocks. 0 or -errno. */
static inline int large_plan(const struct large *l, unsigned blocks)
{
	struct sd_topology t = {.n_pu = l->cores, .n_core = l->cores, .n_kind = 1, .n_llc = 1};
	struct sd_options o = {.cores = SD_CORES_LIST, .n_count = l->counts};
	size_t *const order = make_zeroed(l->counts, sizeof *order);
	struct sd_plan p = {0};
	int rc;

	t.granted = t.n_pu;
	t.n_numa = t.n_package = 1;
	t.pu = make_zeroed(l->cores, sizeof *t.pu);
	for (unsigned i = 0; i < l->cores; i++)
		t.pu[i] = (struct sd_pu){.os = i, .core = i};
	o.count = make_zeroed(l->counts, sizeof *o.count);
	for (unsigned i = 0; i < l->counts; i++)
		o.count[i] = large_count(l, i);
	rc = sd_planner_make(&o, &t, &p, NULL);
	for (unsigned b = 0; !rc && b < blocks; b++)
		sd_planner_order(&p, b, order);
	sd_plan_free(&p);
	free(o.count);
	free(t.pu);
	free(order);
	return rc;
}

#endif
