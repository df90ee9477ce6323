#include "fields/field_rows.h"

#include <float.h>

/* One run: what was measured of it and counted, and what an experiment adds. */

static const char *const end_names[] = {
	[SD_END_EXITED] = "exited",
	[SD_END_SIGNALLED] = "signalled",
	[SD_END_TIMEOUT] = "timeout",
	[SD_END_RATE_MISSING] = "rate-missing",
	[SD_END_REGION_MISSING] = "region-missing",
};
static const char *const quality_names[SD_QUALITY_COUNT] = {
#define X(id, name) [SD_QUALITY_##id] = name,
	SD_QUALITIES(X)
#undef X
};
static const char *const scope_names[SD_SCOPE_COUNT] = {
#define X(id, name) [SD_SCOPE_##id] = name,
	SD_SCOPES(X)
#undef X
};
static const char *const sight_names[SD_SIGHT_COUNT] = {
#define X(id, name) [SD_SIGHT_##id] = name,
	SD_SIGHTS(X)
#undef X
};
static const char *const arm_names[] = {[SD_ARM_PLAIN] = "plain", [SD_ARM_CHANGED] = "changed"};
/* Facts of a run by bit; NULL where no fact has the bit. */
static const char *const flag_names[] = {
#define X(id, bit, name, meaning) [bit] = name,
	SD_RUN_FLAGS(X)
#undef X
};

static const char *const neighbour_names[] = {
#define X(id, bit, name, meaning) [bit] = name,
	SD_NEIGHBOUR_FACTS(X)
#undef X
};

static int is_stage(const void *in)
{
	return ((const struct sd_thread *)in)->stages > 0;
}

static const struct sd_field thread[] = {
	NUMBER(sd_thread, pid, "pid", INT, 0, INT32_MAX),
	NUMBER(sd_thread, tid, "tid", INT, 0, INT32_MAX),
	TEXT(sd_thread, name, "name"),
	NUMBER(sd_thread, cpu, "cpu", VALUE, 0, DBL_MAX),
	NUMBER(sd_thread, run_delay, "run_delay", VALUE, 0, DBL_MAX),
	NUMBER(sd_thread, solo, "solo", VALUE, 0, DBL_MAX),
	NUMBER(sd_thread, stage, "stage", UNSIGNED, 0, UINT32_MAX, .need = SD_FIELD_SPARSE,
		.there = is_stage),
	NUMBER(sd_thread, stages, "stages", UNSIGNED, 0, UINT32_MAX, .need = SD_FIELD_SPARSE,
		.there = is_stage),
};
static const struct sd_fields thread_fields = TABLE(thread);

static const struct sd_field neighbour[] = {
	NUMBER(sd_neighbour, pid, "pid", INT, 0, INT32_MAX),
	TEXT(sd_neighbour, name, "name"),
	{F(sd_neighbour, facts, "facts", FLAGS), .names = neighbour_names,
		.size = sizeof neighbour_names / sizeof *neighbour_names, .need = SD_FIELD_SPARSE},
	NUMBER(sd_neighbour, cpu, "cpu", VALUE, 0, DBL_MAX),
	NUMBER(sd_neighbour, disk, "disk", VALUE, 0, DBL_MAX),
	NUMBER(sd_neighbour, memory, "memory", VALUE, 0, DBL_MAX),
};
static const struct sd_fields neighbour_fields = TABLE(neighbour);

static const struct sd_field role[] = {
	NAME(sd_role_count, role, "role", sd_field_rows_role),
	NUMBER(sd_role_count, value, "value", VALUE, 0, DBL_MAX),
	NUMBER(sd_role_count, running, "running", REAL, 0, 1),
	NAME(sd_role_count, quality, "quality", quality_names),
	NAME(sd_role_count, scope, "scope", scope_names),
	BOOL(sd_role_count, shared, "shared"),
	BOOL(sd_role_count, user, "user"),
	TEXT(sd_role_count, source, "source"),
	{F(sd_role_count, sees, "sees", FLAGS), .names = sight_names, .size = SD_SIGHT_COUNT,
		.need = SD_FIELD_SPARSE},
};
static const struct sd_fields role_fields = TABLE(role, .order = SD_FIELDS_UNIQUE);

static const struct sd_field copy[] = {
	NUMBER(sd_copy, cpu, "cpu", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_copy, wall, "wall", VALUE, 0, DBL_MAX),
	NUMBER(sd_copy, rate, "rate", VALUE, 0, DBL_MAX),
	NUMBER(sd_copy, cpu_s, "cpu_s", VALUE, 0, DBL_MAX),
	{F(sd_copy, stdout_digest, "stdout_digest", BITS64)},
};
static const struct sd_fields copy_fields = TABLE(copy);

static const struct sd_field race[] = {
	{F(sd_race, address, "address", BITS64)},
	NUMBER(sd_race, name, "name", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_race, bytes, "bytes", UNSIGNED, 0, 65536),
	NUMBER(sd_race, node[0], "node", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	BOOL(sd_race, write[0], "writes"),
	NUMBER(sd_race, node[1], "before", UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	BOOL(sd_race, write[1], "wrote"),
};
static const struct sd_fields race_fields = TABLE(race);

static const struct sd_field tried[] = {
	NUMBER(sd_experiment_run, experiment, "experiment", SIZE, 0, SD_EXPERIMENT_COUNT - 1,
		.of = SD_FIELD_OF_EXPERIMENTS),
	NAME(sd_experiment_run, arm, "arm", arm_names),
	NUMBER(sd_experiment_run, pair, "pair", UNSIGNED, 0, SD_RECORD_RUNS),
#define X(id, name, unit, meaning) \
	NUMBER(sd_experiment_run, side[SD_SIDE_##id], name, VALUE, 0, DBL_MAX),
	SD_SIDES(X)
#undef X
		ARRAY(sd_experiment_run, copy, "copies", copy_fields, SD_CPU_MAX,
			.need = SD_FIELD_SPARSE),
	ARRAY(sd_experiment_run, race, "races", race_fields, SD_RACES, .need = SD_FIELD_SPARSE),
	NUMBER(sd_experiment_run, n_race_seen, "races_seen", SIZE, 0, SD_FIELD_WHOLE,
		.need = SD_FIELD_SPARSE),
};
static const struct sd_fields tried_fields = TABLE(tried);

static int is_closer_look(const void *in)
{
	return ((const struct sd_run_choice *)in)->look != SD_LOOK_TIMES;
}

static const char *const narrowed_names[] = {
#define X(id, name, ...) [SD_CAUSE_##id] = name,
	SD_CAUSES(X)
#undef X
		[SD_CAUSE_COUNT] = "loss",
};
static const struct sd_field choice[] = {
	NUMBER(sd_run_choice, narrows, "narrows", REAL, 0, DBL_MAX),
	NUMBER(sd_run_choice, takes, "takes", REAL, 0, DBL_MAX),
	NAME(sd_run_choice, of, "of", narrowed_names),
	{F(sd_run_choice, look, "by", NAME), .names = sd_look_name, .size = SD_LOOK_COUNT,
		.need = SD_FIELD_SPARSE, .there = is_closer_look},
	NUMBER(sd_run_choice, rested, "rested", REAL, 0, DBL_MAX, .need = SD_FIELD_SPARSE),
};
static const struct sd_fields choice_fields = TABLE(choice);

static const struct sd_field metrics[] = {
#define X(id, name, unit, meaning) NUMBER(sd_run, metric[SD_METRIC_##id], name, VALUE, 0, DBL_MAX),
	SD_METRICS(X)
#undef X
};
static const struct sd_fields all_metrics = TABLE(metrics);

static const struct sd_field idle[] = {
#define X(id, name, ...) NUMBER(sd_run, idle[SD_IDLE_##id], name, VALUE, 0, DBL_MAX),
	SD_IDLES(X)
#undef X
};
static const struct sd_fields all_idle = TABLE(idle);

static int has_roles(const void *in)
{
	return ((const struct sd_run *)in)->n_role != 0;
}

static int was_sampled(const void *in)
{
	return ((const struct sd_run *)in)->sampled.status != SD_STATUS_ABSENT;
}

static int check_run(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_run *const r = element;

	(void)before;
	if ((r->kind == SD_RUN_EXPERIMENT) != (r->tried != NULL))
		return sd_json_path_fault(c->s, at, "%s",
			r->tried ? "is of an experiment, but of another kind"
				 : "is of no experiment");
	if (r->n_role && r->kind != SD_RUN_SIMULATED && r->pass >= c->count[SD_FIELD_OF_PASSES])
		return sd_json_path_fault(c->s, at, "is of pass %u, but the plan has %zu passes",
			r->pass, c->count[SD_FIELD_OF_PASSES]);
	return 0;
}

/* Members that are 0 or empty are left out: an imported table has a hundred thousand runs of a time
 * each. */
static const struct sd_field run[] = {
	NUMBER(sd_run, point, "point", SIZE, 0, SD_RECORD_POINTS - 1, .of = SD_FIELD_OF_POINTS),
	NAME(sd_run, kind, "kind", sd_run_kind_name),
	NUMBER(sd_run, block, "block", UNSIGNED, 0, UINT32_MAX, .need = SD_FIELD_SPARSE),
	NUMBER(sd_run, start, "start", REAL, 0, 1e12, .need = SD_FIELD_SPARSE),
	NAME(sd_run, end, "end", end_names),
	NUMBER(sd_run, code, "code", INT, -65536, 65535, .need = SD_FIELD_SPARSE),
	NUMBER(sd_run, repeats, "repeats", UNSIGNED, 0, SD_RECORD_RUNS),
	{F(sd_run, stdout_digest, "stdout_digest", BITS64), .need = SD_FIELD_SPARSE},
	NUMBER(sd_run, stdout_bytes, "stdout_bytes", COUNT64, 0, SD_FIELD_WHOLE,
		.need = SD_FIELD_SPARSE),
	NUMBER(sd_run, n_thread_seen, "threads_seen", SIZE, 0, SD_FIELD_WHOLE,
		.need = SD_FIELD_SPARSE),
	{F(sd_run, flags, "flags", FLAGS), .names = flag_names,
		.size = sizeof flag_names / sizeof *flag_names, .need = SD_FIELD_SPARSE},
	NUMBER(sd_run, whole, "whole", VALUE, 0, DBL_MAX),
	GROUP("metrics", all_metrics),
	GROUP("idle", all_idle, .need = SD_FIELD_SPARSE),
	ARRAY(sd_run, concurrency, "concurrency", sd_fields_reals, SD_RECORD_CONCURRENCY,
		.need = SD_FIELD_SPARSE),
	ARRAY(sd_run, thread, "threads", thread_fields, SD_RUN_THREADS,
		.seen = offsetof(struct sd_run, n_thread_seen), .need = SD_FIELD_SPARSE),
	NUMBER(sd_run, pass, "pass", UNSIGNED, 0, SD_ROLE_COUNT - 1, .need = SD_FIELD_SPARSE,
		.there = has_roles),
	ARRAY(sd_run, role, "roles", role_fields, SD_ROLE_COUNT, .need = SD_FIELD_SPARSE),
	OWNED(sd_run, simulated, "simulated", sd_fields_simulated),
	OWNED(sd_run, native, "native", sd_fields_native),
	ARRAY(sd_run, neighbour, "neighbours", neighbour_fields, SD_NEIGHBOURS,
		.need = SD_FIELD_SPARSE),
	OWNED(sd_run, memory, "memory", sd_fields_memory),
	OWNED(sd_run, events, "events", sd_fields_events),
	OWNED(sd_run, mpi, "mpi", sd_fields_mpi),
	OWNED(sd_run, regions, "regions", sd_fields_regions),
	OWNED(sd_run, kernel_locks, "kernel_locks", sd_fields_kernel_locks),
	OWNED(sd_run, tried, "tried", tried_fields),
	OWNED(sd_run, choice, "choice", choice_fields),
	STRUCT(sd_run, sampled, "sampled", sd_fields_sampled, .need = SD_FIELD_SPARSE,
		.there = was_sampled),
	OWNED(sd_run, lanes, "lanes", sd_fields_lanes),
};
const struct sd_fields sd_fields_run = TABLE(run, .check = check_run);
