#include "fields/field_rows.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>

/* The plan: points, passes over the counters, experiments, the simulation. */

static const char *const experiment_names[SD_EXPERIMENT_COUNT] = {
#define X(id, name, at, cost, does) [SD_EXPERIMENT_##id] = name,
	SD_EXPERIMENTS(X)
#undef X
};

/* Placement order is free, but no CPU stands in it twice. */
static int check_point(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_json_path cpus = {.up = at, .key = "cpus"};
	const struct sd_plan_point *const p = element;
	unsigned char *seen;
	int rc = 0;

	(void)before;
	c->count[SD_FIELD_OF_CPUS] += p->cpus.n;
	if (c->count[SD_FIELD_OF_CPUS] > SD_RECORD_CPUS)
		return sd_json_path_fault(
			c->s, at, "makes it more than %zu CPUs in all points", SD_RECORD_CPUS);
	if (p->cpus.n > p->cores)
		return sd_json_path_fault(
			c->s, &cpus, "names %zu CPUs for %u cores", p->cpus.n, p->cores);
	seen = calloc(SD_CPU_MAX / 8, 1);
	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < p->cpus.n; i++) {
		const unsigned cpu = p->cpus.cpu[i];

		if (seen[cpu / 8] >> cpu % 8 & 1)
			rc = sd_json_path_fault(c->s, &cpus, "names CPU %u twice", cpu);
		seen[cpu / 8] = (unsigned char)(seen[cpu / 8] | 1u << cpu % 8);
	}
	free(seen);
	return rc;
}

static int has_shape(const void *in)
{
	return ((const struct sd_plan_point *)in)->shape.ranks != 0;
}

static const struct sd_field point[] = {
	NUMBER(sd_plan_point, cores, "cores", UNSIGNED, 1, SD_RECORD_CORES),
	FIELD(sd_plan_point, cpus, "cpus", CPUS),
	BOOL(sd_plan_point, simulated, "simulated", .need = SD_FIELD_SPARSE),
#define SHAPE(m, key)                                                                              \
	NUMBER(sd_plan_point, shape.m, key, UNSIGNED, 0, SD_RECORD_CORES, .need = SD_FIELD_SPARSE, \
		.there = has_shape)
	SHAPE(ranks, "ranks"),
	SHAPE(threads, "threads"),
	SHAPE(nodes, "nodes"),
#undef SHAPE
};
static const struct sd_fields point_fields =
	TABLE(point, .order = SD_FIELDS_RISING, .check = check_point);

static const struct sd_field pass_role[] = {
	{.type = SD_FIELD_NAME, .names = sd_field_rows_role, .size = SD_ROLE_COUNT},
};
static const struct sd_fields pass_roles = TABLE(pass_role, .order = SD_FIELDS_UNIQUE);

static int check_pass(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	(void)before;
	return ((const struct sd_plan_pass *)element)->n_role
		       ? 0
		       : sd_json_path_fault(c->s, at, "counts nothing");
}

static const struct sd_field pass[] = {
	ARRAY(sd_plan_pass, role, NULL, pass_roles, SD_ROLE_COUNT),
};
static const struct sd_fields pass_fields = TABLE(pass, .check = check_pass);

static const struct sd_field experiment[] = {
	NAME(sd_plan_experiment, experiment, "name", experiment_names),
	NUMBER(sd_plan_experiment, point, "point", SIZE, 0, SD_RECORD_POINTS - 1,
		.of = SD_FIELD_OF_POINTS),
	BOOL(sd_plan_experiment, asked, "asked"),
	FIELD(sd_plan_experiment, cpus, "cpus", CPUS, .need = SD_FIELD_SPARSE),
	FIELD(sd_plan_experiment, skipped, "skipped", STRING, .need = SD_FIELD_SPARSE),
	NUMBER(sd_plan_experiment, unended_s, "unended_s", REAL, 0, 1e9, .need = SD_FIELD_SPARSE),
};
static const struct sd_fields experiment_fields = TABLE(experiment, .order = SD_FIELDS_UNIQUE);

#define LEVEL(member, name)                                                                \
	NUMBER(sd_sim_machine, member.bytes, name "_bytes", COUNT64, 0, 1e15),             \
		NUMBER(sd_sim_machine, member.ways, name "_ways", UNSIGNED, 0, 65536),     \
		NUMBER(sd_sim_machine, member.sharers, name "_sharers", UNSIGNED, 0, 1e6), \
		BOOL(sd_sim_machine, member.inclusive, name "_inclusive")
static const struct sd_field machine[] = {
	TEXT(sd_sim_machine, name, "name"),
	NUMBER(sd_sim_machine, cores, "cores", UNSIGNED, 0, SD_RECORD_CORES),
	NUMBER(sd_sim_machine, line, "line", UNSIGNED, 1, 4096),
	LEVEL(l1, "l1"),
	LEVEL(l2, "l2"),
	LEVEL(llc, "llc"),
	NUMBER(sd_sim_machine, dtlb_entries, "dtlb_entries", UNSIGNED, 0, 1e6),
	NUMBER(sd_sim_machine, dtlb_ways, "dtlb_ways", UNSIGNED, 0, 1e6),
	NUMBER(sd_sim_machine, stlb_entries, "stlb_entries", UNSIGNED, 0, 1e6),
	NUMBER(sd_sim_machine, stlb_ways, "stlb_ways", UNSIGNED, 0, 1e6),
	NUMBER(sd_sim_machine, page, "page", UNSIGNED, 1, 1073741824.0),
	BOOL(sd_sim_machine, adjacent, "adjacent"),
};
#undef LEVEL
const struct sd_fields sd_fields_machine = TABLE(machine);

static const struct sd_field simulation[] = {
	TEXT(sd_plan_simulation, from, "from"),
	TEXT(sd_plan_simulation, length, "for"),
	NUMBER(sd_plan_simulation, costs.hz, "hz", REAL, 0, 1e15),
	NUMBER(sd_plan_simulation, costs.l2, "cost_l2", UNSIGNED, 0, 1e6),
	NUMBER(sd_plan_simulation, costs.llc, "cost_llc", UNSIGNED, 0, 1e6),
	NUMBER(sd_plan_simulation, costs.memory, "cost_memory", UNSIGNED, 0, 1e6),
	NUMBER(sd_plan_simulation, costs.transfer, "cost_transfer", UNSIGNED, 0, 1e6),
	NUMBER(sd_plan_simulation, costs.walk, "cost_walk", UNSIGNED, 0, 1e6),
	STRUCT(sd_plan_simulation, machine, "machine", sd_fields_machine),
	NUMBER(sd_plan_simulation, runs, "runs", UNSIGNED, 1, 1000, .need = SD_FIELD_SPARSE),
	BOOL(sd_plan_simulation, tried, "tried", .need = SD_FIELD_SPARSE, .low = 1),
	BOOL(sd_plan_simulation, whole, "whole", .need = SD_FIELD_SPARSE, .low = 1),
};
static const struct sd_fields simulation_fields = TABLE(simulation);

static int has_passes(const void *in)
{
	return ((const struct sd_plan *)in)->n_pass != 0;
}

static int has_pass_turn(const void *in)
{
	return ((const struct sd_plan *)in)->pass_turn != 0;
}

static int check_plan(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_json_path points = {.up = at, .key = "points"};

	(void)before;
	return ((const struct sd_plan *)element)->n_point
		       ? 0
		       : sd_json_path_fault(c->s, &points, "has no point");
}

static const struct sd_field plan[] = {
	ARRAY(sd_plan, point, "points", point_fields, SD_RECORD_POINTS,
		.counts = SD_FIELD_OF_POINTS),
	ARRAY(sd_plan, skipped, "skipped", sd_fields_cores, SD_CPU_MAX),
	NUMBER(sd_plan, min_repeats, "min_repeats", UNSIGNED, 0, SD_RECORD_RUNS),
	NUMBER(sd_plan, max_repeats, "max_repeats", UNSIGNED, 0, SD_RECORD_RUNS),
	NUMBER(sd_plan, budget_s, "budget_s", REAL, 0, DBL_MAX),
	{F(sd_plan, seed, "seed", BITS64)},
	ARRAY(sd_plan, pass, "passes", pass_fields, SD_ROLE_COUNT, .need = SD_FIELD_SPARSE,
		.counts = SD_FIELD_OF_PASSES),
	BOOL(sd_plan, multiplex, "multiplex", .need = SD_FIELD_SPARSE, .there = has_passes),
	NUMBER(sd_plan, pass_turn, "pass_turn", UNSIGNED, 0, SD_ROLE_COUNT, .need = SD_FIELD_SPARSE,
		.there = has_pass_turn),
	BOOL(sd_plan, no_samples, "no_samples", .need = SD_FIELD_SPARSE),
	BOOL(sd_plan, no_shield, "no_shield", .need = SD_FIELD_SPARSE),
	BOOL(sd_plan, quick, "quick", .need = SD_FIELD_SPARSE),
	OWNED(sd_plan, simulation, "simulation", simulation_fields),
	ARRAY(sd_plan, experiment, "experiments", experiment_fields, SD_EXPERIMENT_COUNT,
		.need = SD_FIELD_SPARSE, .counts = SD_FIELD_OF_EXPERIMENTS),
};
const struct sd_fields sd_fields_plan = TABLE(plan, .check = check_plan);
