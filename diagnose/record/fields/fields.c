#include "fields/fields.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static const char *const status_names[SD_STATUS_COUNT] = {
#define X(id, name) [SD_STATUS_##id] = name,
	SD_STATUSES(X)
#undef X
};
static const char *const kind_names[] = {
	[SD_RUN_WARMUP] = "warm-up",
	[SD_RUN_BLOCK] = "block",
	[SD_RUN_DRIFT] = "drift",
	[SD_RUN_EXPERIMENT] = "experiment",
	[SD_RUN_SIMULATED] = "simulated",
	[SD_RUN_MEMORY] = "memory",
};
static const char *const end_names[] = {
	[SD_END_EXITED] = "exited",
	[SD_END_SIGNALLED] = "signalled",
	[SD_END_TIMEOUT] = "timeout",
	[SD_END_RATE_MISSING] = "rate-missing",
};
static const char *const role_names[SD_ROLE_COUNT] = {
#define X(id, name, unit, meaning) [SD_ROLE_##id] = name,
	SD_ROLES(X)
#undef X
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
static const char *const activity_names[SD_ACTIVITY_COUNT] = {
#define X(id, name, ...) [SD_ACTIVITY_##id] = name,
	SD_ACTIVITIES(X)
#undef X
};
static const char *const arm_names[] = {[SD_ARM_PLAIN] = "plain", [SD_ARM_CHANGED] = "changed"};
static const char *const experiment_names[SD_EXPERIMENT_COUNT] = {
#define X(id, name, at, cost, does) [SD_EXPERIMENT_##id] = name,
	SD_EXPERIMENTS(X)
#undef X
};
static const char *const scaling_names[] = {
	[SD_SCALING_STRONG] = "strong", [SD_SCALING_WEAK] = "weak"};
static const char *const placement_names[] = {
	[SD_PLACEMENT_COMPACT] = "compact",
	[SD_PLACEMENT_SPREAD] = "spread",
	[SD_PLACEMENT_SMT] = "smt",
};

static const char *const source_state_names[] = {
	[SD_SOURCE_READ] = "read",
	[SD_SOURCE_MISSING] = "missing",
	[SD_SOURCE_NEWER] = "newer",
};

const char *const sd_field_flag[SD_FIELD_FLAGS] = {
#define X(id, bit, name, meaning) [bit] = name,
	SD_RUN_FLAGS(X)
#undef X
};

/* One row: F(struct, member, key, type, …); the last ones add what their type needs. */
#define F(s, m, k, t) .key = (k), .type = SD_FIELD_##t, .offset = offsetof(struct s, m)
#define TEXT(s, m, k)                                              \
	{                                                          \
		F(s, m, k, TEXT), .size = sizeof((struct s *)0)->m \
	}
#define NUMBER(s, m, k, t, lo, hi)                       \
	{                                                \
		F(s, m, k, t), .low = (lo), .high = (hi) \
	}
#define NAME(s, m, k, table)                                                                \
	{                                                                                   \
		F(s, m, k, NAME), .names = (table), .size = sizeof(table) / sizeof *(table) \
	}
#define BOOL(s, m, k)            \
	{                        \
		F(s, m, k, BOOL) \
	}
#define TABLE(name)                                               \
	{                                                         \
		.field = name, .n = sizeof(name) / sizeof *(name) \
	}

static const struct sd_field host[] = {
	TEXT(sd_host, name, "name"),
	TEXT(sd_host, cpu, "cpu"),
	TEXT(sd_host, kernel, "kernel"),
	TEXT(sd_host, hypervisor, "hypervisor"),
	NUMBER(sd_host, online, "online", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, allowed, "allowed", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, granted, "granted", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, cores, "cores", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, packages, "packages", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, numa, "numa", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, llc, "llc", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, kinds, "kinds", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_host, quota, "quota", VALUE, 0, SD_CPU_MAX),
	NUMBER(sd_host, tsc_hz, "tsc_hz", VALUE, 0, 1e15),
	NUMBER(sd_host, llc_bytes, "llc_bytes", VALUE, 0, 1e18),
	NUMBER(sd_host, memory_bytes, "memory_bytes", VALUE, 0, 1e18),
	NAME(sd_host, pmu, "pmu", status_names),
	NUMBER(sd_host, perf_paranoid, "perf_paranoid", INT, -100, 1000),
};
const struct sd_fields sd_fields_host = TABLE(host);

static const struct sd_field program[] = {
	NUMBER(sd_program, timeout_s, "timeout_s", REAL, 0, DBL_MAX),
	BOOL(sd_program, no_env, "no_env"),
	NAME(sd_program, scaling, "scaling", scaling_names),
	NAME(sd_program, placement, "placement", placement_names),
};
const struct sd_fields sd_fields_program = TABLE(program);

static const struct sd_field program_file[] = {
	NUMBER(sd_program_file, bytes, "bytes", VALUE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_program_file, mtime, "mtime", VALUE, -1e12, 1e12),
	TEXT(sd_program_file, build_id, "build_id"),
};
const struct sd_fields sd_fields_program_file = TABLE(program_file);

static const struct sd_field calibration[] = {
	NUMBER(sd_calibration, made, "made", REAL, 0, 1e12),
	NUMBER(sd_calibration, llc, "latency_llc", VALUE, 0, 1),
	NUMBER(sd_calibration, dram, "latency_dram", VALUE, 0, 1),
	NUMBER(sd_calibration, l2, "latency_l2", VALUE, 0, 1),
	NUMBER(sd_calibration, remote, "latency_remote", VALUE, 0, 1),
	NUMBER(sd_calibration, line, "line_transfer", VALUE, 0, 1),
	NUMBER(sd_calibration, walk, "dtlb_walk", VALUE, 0, 1),
};
const struct sd_fields sd_fields_calibration = TABLE(calibration);

static const struct sd_field ceiling[] = {
	NUMBER(sd_ceiling, cores, "cores", UNSIGNED, 1, SD_CPU_MAX),
	NUMBER(sd_ceiling, bandwidth, "bandwidth", VALUE, 0, 1e18),
};
const struct sd_fields sd_fields_ceiling = TABLE(ceiling);

static const struct sd_field plan[] = {
	NUMBER(sd_plan, min_repeats, "min_repeats", UNSIGNED, 0, SD_RECORD_RUNS),
	NUMBER(sd_plan, max_repeats, "max_repeats", UNSIGNED, 0, SD_RECORD_RUNS),
	NUMBER(sd_plan, budget_s, "budget_s", REAL, 0, DBL_MAX),
	{F(sd_plan, seed, "seed", BITS64)},
};
const struct sd_fields sd_fields_plan = TABLE(plan);

static const struct sd_field run[] = {
	NUMBER(sd_run, point, "point", SIZE, 0, SD_RECORD_POINTS - 1),
	NAME(sd_run, kind, "kind", kind_names),
	NUMBER(sd_run, block, "block", UNSIGNED, 0, UINT32_MAX),
	NUMBER(sd_run, start, "start", REAL, 0, 1e12),
	NAME(sd_run, end, "end", end_names),
	NUMBER(sd_run, code, "code", INT, -65536, 65535),
	NUMBER(sd_run, repeats, "repeats", UNSIGNED, 0, SD_RECORD_RUNS),
	{F(sd_run, stdout_digest, "stdout_digest", BITS64)},
	/* 2^53: the largest whole number that a JSON reader surely keeps; 9 PB of output */
	NUMBER(sd_run, stdout_bytes, "stdout_bytes", COUNT64, 0, SD_FIELD_WHOLE),
	NUMBER(sd_run, n_thread_seen, "threads_seen", SIZE, 0, SD_FIELD_WHOLE),
};
const struct sd_fields sd_fields_run = TABLE(run);

static const struct sd_field metrics[] = {
#define X(id, name, unit, meaning) NUMBER(sd_run, metric[SD_METRIC_##id], name, VALUE, 0, DBL_MAX),
	SD_METRICS(X)
#undef X
};
const struct sd_fields sd_fields_metrics = TABLE(metrics);

static const struct sd_field idle[] = {
#define X(id, name, ...) NUMBER(sd_run, idle[SD_IDLE_##id], name, VALUE, 0, DBL_MAX),
	SD_IDLES(X)
#undef X
};
const struct sd_fields sd_fields_idle = TABLE(idle);

static const struct sd_field thread[] = {
	NUMBER(sd_thread, pid, "pid", INT, 0, INT32_MAX),
	NUMBER(sd_thread, tid, "tid", INT, 0, INT32_MAX),
	TEXT(sd_thread, name, "name"),
	NUMBER(sd_thread, cpu, "cpu", VALUE, 0, DBL_MAX),
	NUMBER(sd_thread, run_delay, "run_delay", VALUE, 0, DBL_MAX),
	NUMBER(sd_thread, solo, "solo", VALUE, 0, DBL_MAX),
};
const struct sd_fields sd_fields_thread = TABLE(thread);

static const struct sd_field role[] = {
	NAME(sd_role_count, role, "role", role_names),
	NUMBER(sd_role_count, value, "value", VALUE, 0, DBL_MAX),
	NUMBER(sd_role_count, running, "running", REAL, 0, 1),
	NAME(sd_role_count, quality, "quality", quality_names),
	NAME(sd_role_count, scope, "scope", scope_names),
	BOOL(sd_role_count, shared, "shared"),
	BOOL(sd_role_count, user, "user"),
	TEXT(sd_role_count, source, "source"),
};
const struct sd_fields sd_fields_role = TABLE(role);

static const struct sd_field sampled[] = {
	NAME(sd_sampled, status, "status", status_names),
	NAME(sd_sampled, switch_stacks, "switch_stacks", status_names),
	NAME(sd_sampled, kernel, "kernel", status_names),
	NAME(sd_sampled, wakers, "wakers", status_names),
	BOOL(sd_sampled, idle, "idle"),
	NUMBER(sd_sampled, hz, "hz", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, sample_s, "sample_s", VALUE, 0, DBL_MAX),
	NUMBER(sd_sampled, samples, "samples", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, switches, "switches", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, lost, "lost", REAL, 0, DBL_MAX),
	{F(sd_sampled, unwatched, "unwatched", REAL), .high = 1, .optional = 1},
	NUMBER(sd_sampled, unwound, "unwound", REAL, 0, 1),
	NUMBER(sd_sampled, cpu_s, "cpu_s", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, useful_alone, "useful_alone", VALUE, 0, DBL_MAX),
	NUMBER(sd_sampled, spun_serial, "spun_serial", VALUE, 0, DBL_MAX),
	NUMBER(sd_sampled, spun_imbalance, "spun_imbalance", VALUE, 0, DBL_MAX),
	NUMBER(sd_sampled, n_lock_seen, "locks_seen", SIZE, 0, SD_FIELD_WHOLE),
};
const struct sd_fields sd_fields_sampled = TABLE(sampled);

static const struct sd_field lock[] = {
	NUMBER(sd_lock_use, name, "name", UNSIGNED, 0, SD_STACKS_NODES - 1),
	{F(sd_lock_use, address, "address", BITS64)},
	NUMBER(sd_lock_use, pid, "pid", INT, 0, INT32_MAX),
	NAME(sd_lock_use, kind, "kind", activity_names),
	NUMBER(sd_lock_use, waits, "waits", REAL, 0, DBL_MAX),
	NUMBER(sd_lock_use, wait_s, "wait_s", REAL, 0, DBL_MAX),
	NUMBER(sd_lock_use, longest_s, "longest_s", REAL, 0, DBL_MAX),
	NUMBER(sd_lock_use, acquisitions, "acquisitions", VALUE, 0, DBL_MAX),
	NUMBER(sd_lock_use, busy, "busy", VALUE, 0, 1),
};
const struct sd_fields sd_fields_lock = TABLE(lock);

static const struct sd_field bottle[] = {
	NUMBER(sd_bottle, pid, "pid", INT, 0, INT32_MAX),
	NUMBER(sd_bottle, tid, "tid", INT, 0, INT32_MAX),
	TEXT(sd_bottle, name, "name"),
	NUMBER(sd_bottle, height, "height", REAL, 0, DBL_MAX),
	NUMBER(sd_bottle, width, "width", REAL, 0, DBL_MAX),
};
const struct sd_fields sd_fields_bottle = TABLE(bottle);

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
};
const struct sd_fields sd_fields_simulation = TABLE(simulation);

static const struct sd_field simulated[] = {
	BOOL(sd_simulated, partial, "partial"),
	TEXT(sd_simulated, why, "why"),
	{F(sd_simulated, processes, "processes", SIZE), .low = 0, .high = SD_FIELD_WHOLE,
		.optional = 1},
	{F(sd_simulated, blind, "blind", TEXT), .size = sizeof((struct sd_simulated *)0)->blind,
		.optional = 1},
	NUMBER(sd_simulated, from_s, "from_s", REAL, 0, DBL_MAX),
	NUMBER(sd_simulated, for_s, "for_s", REAL, 0, DBL_MAX),
	{F(sd_simulated, whole, "whole", VALUE), .low = 0, .high = DBL_MAX, .optional = 1},
	NUMBER(sd_simulated, cycles, "cycles", VALUE, 0, DBL_MAX),
	NUMBER(sd_simulated, n_thread_seen, "threads_seen", SIZE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_simulated, n_contested_seen, "lines_seen", SIZE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_simulated, n_race_seen, "races_seen", SIZE, 0, SD_FIELD_WHOLE),
};
const struct sd_fields sd_fields_simulated = TABLE(simulated);

#define COUNT(s, m) NUMBER(s, m, #m, REAL, 0, DBL_MAX)
static const struct sd_field sim_thread[] = {
	NUMBER(sd_sim_thread, tid, "tid", INT, 0, INT32_MAX),
	NUMBER(sd_sim_thread, core, "core", UNSIGNED, 0, SD_RECORD_CORES),
	COUNT(sd_sim_thread, instructions),
	COUNT(sd_sim_thread, loads),
	COUNT(sd_sim_thread, stores),
	COUNT(sd_sim_thread, l1_misses),
	COUNT(sd_sim_thread, l2_misses),
	COUNT(sd_sim_thread, llc_misses),
	COUNT(sd_sim_thread, lines_in),
	COUNT(sd_sim_thread, write_backs),
	COUNT(sd_sim_thread, hitm_load),
	COUNT(sd_sim_thread, hitm_store),
	COUNT(sd_sim_thread, rfo),
	COUNT(sd_sim_thread, invalidations),
	COUNT(sd_sim_thread, upgrades),
	COUNT(sd_sim_thread, dtlb_misses),
	COUNT(sd_sim_thread, stlb_misses),
	COUNT(sd_sim_thread, bytes_used),
	COUNT(sd_sim_thread, lines_unused),
	COUNT(sd_sim_thread, conflicts),
	{F(sd_sim_thread, conversions, "conversions", REAL), .high = DBL_MAX, .optional = 1},
	COUNT(sd_sim_thread, pages),
	COUNT(sd_sim_thread, pages_2m),
	NUMBER(sd_sim_thread, contiguous, "contiguous", REAL, 0, 1),
	NUMBER(sd_sim_thread, shared_pages, "shared_pages", REAL, 0, 1),
};
const struct sd_fields sd_fields_sim_thread = TABLE(sim_thread);

static const struct sd_field sim_line[] = {
	{F(sd_sim_contested, address, "address", BITS64)},
	NUMBER(sd_sim_contested, name, "name", UNSIGNED, 0, UINT32_MAX),
	NUMBER(sd_sim_contested, site, "site", UNSIGNED, 0, UINT32_MAX),
	{F(sd_sim_contested, other, "other_site", UNSIGNED), .high = UINT32_MAX, .optional = 1},
	NAME(sd_sim_contested, sharing, "sharing", sd_sim_sharing_name),
	COUNT(sd_sim_contested, hitm_load),
	COUNT(sd_sim_contested, hitm_store),
	COUNT(sd_sim_contested, invalidations),
	COUNT(sd_sim_contested, upgrades),
	NUMBER(sd_sim_contested, share, "share", REAL, 0, 1),
	NUMBER(sd_sim_contested, separated, "separated", VALUE, 0, DBL_MAX),
};
const struct sd_fields sd_fields_sim_line = TABLE(sim_line);

static const struct sd_field memory[] = {
	NAME(sd_memory_sampled, status, "status", status_names),
	TEXT(sd_memory_sampled, source, "source"),
	TEXT(sd_memory_sampled, why, "why"),
	NUMBER(sd_memory_sampled, line, "line", UNSIGNED, 1, 4096),
	COUNT(sd_memory_sampled, loads),
	COUNT(sd_memory_sampled, stores),
	COUNT(sd_memory_sampled, local),
	COUNT(sd_memory_sampled, remote),
	COUNT(sd_memory_sampled, peer),
	COUNT(sd_memory_sampled, unplaced),
	COUNT(sd_memory_sampled, lost),
	NUMBER(sd_memory_sampled, cpus_covered, "cpus_covered", UNSIGNED, 0, SD_RECORD_CORES),
	NUMBER(sd_memory_sampled, cpus_wanted, "cpus_wanted", UNSIGNED, 0, SD_RECORD_CORES),
	NUMBER(sd_memory_sampled, n_thread_seen, "threads_seen", SIZE, 0, SD_FIELD_WHOLE),
	NUMBER(sd_memory_sampled, n_contested_seen, "lines_seen", SIZE, 0, SD_FIELD_WHOLE),
};
const struct sd_fields sd_fields_memory = TABLE(memory);

static const struct sd_field mem_thread[] = {
	NUMBER(sd_mem_thread, pid, "pid", INT, 0, INT32_MAX),
	NUMBER(sd_mem_thread, tid, "tid", INT, 0, INT32_MAX),
	COUNT(sd_mem_thread, loads),
	COUNT(sd_mem_thread, stores),
	COUNT(sd_mem_thread, hitm),
};
const struct sd_fields sd_fields_mem_thread = TABLE(mem_thread);

static const struct sd_field mem_moves[] = {
	COUNT(sd_mem_line, local),
	COUNT(sd_mem_line, remote),
	COUNT(sd_mem_line, peer),
	NUMBER(sd_mem_line, cycles, "cycles", VALUE, 0, DBL_MAX),
};
const struct sd_fields sd_fields_mem_moves = TABLE(mem_moves);

static const struct sd_field sim_sharer[] = {
	NUMBER(sd_sim_sharer, thread, "thread", UNSIGNED, 0, SD_SIM_THREADS - 1),
	{F(sd_sim_sharer, read, "read", BITS64)},
	{F(sd_sim_sharer, written, "written", BITS64)},
	COUNT(sd_sim_sharer, loads),
	COUNT(sd_sim_sharer, stores),
	COUNT(sd_sim_sharer, locked),
	COUNT(sd_sim_sharer, hitm),
};
const struct sd_fields sd_fields_sim_sharer = TABLE(sim_sharer);

static const struct sd_field sim_code[] = {
	NUMBER(sd_sim_code, node, "node", UNSIGNED, 0, UINT32_MAX),
	COUNT(sd_sim_code, accesses),
	COUNT(sd_sim_code, hitm),
	BOOL(sd_sim_code, writes, "writes"),
	BOOL(sd_sim_code, locked, "locked"),
};
const struct sd_fields sd_fields_sim_code = TABLE(sim_code);

static const struct sd_field sim_loop[] = {
	NUMBER(sd_sim_loop, node, "node", UNSIGNED, 0, UINT32_MAX),
	COUNT(sd_sim_loop, entries),
	COUNT(sd_sim_loop, iterations),
	COUNT(sd_sim_loop, instructions),
	COUNT(sd_sim_loop, bytes_consumed),
	COUNT(sd_sim_loop, bytes_moved),
};
const struct sd_fields sd_fields_sim_loop = TABLE(sim_loop);

static const struct sd_field sim_block[] = {
	NUMBER(sd_sim_block, node, "node", UNSIGNED, 0, UINT32_MAX),
	COUNT(sd_sim_block, runs),
	COUNT(sd_sim_block, instructions),
};
const struct sd_fields sd_fields_sim_block = TABLE(sim_block);

static const struct sd_field sim_race[] = {
	{F(sd_sim_race, address, "address", BITS64)},
	NUMBER(sd_sim_race, name, "name", UNSIGNED, 0, UINT32_MAX),
	NUMBER(sd_sim_race, writer, "writer", UNSIGNED, 0, UINT32_MAX),
	NUMBER(sd_sim_race, other, "other", UNSIGNED, 0, UINT32_MAX),
	NUMBER(sd_sim_race, bytes, "bytes", UNSIGNED, 0, 65536),
};
const struct sd_fields sd_fields_sim_race = TABLE(sim_race);

static const struct sd_field sim_conflict[] = {
	NUMBER(sd_sim_conflict, node, "node", UNSIGNED, 0, UINT32_MAX),
	COUNT(sd_sim_conflict, misses),
};
const struct sd_fields sd_fields_sim_conflict = TABLE(sim_conflict);
#undef COUNT
static const struct sd_field tried[] = {
	NUMBER(sd_experiment_run, experiment, "experiment", SIZE, 0, SD_EXPERIMENT_COUNT - 1),
	NAME(sd_experiment_run, arm, "arm", arm_names),
	NUMBER(sd_experiment_run, pair, "pair", UNSIGNED, 0, SD_RECORD_RUNS),
#define X(id, name, unit, meaning) \
	NUMBER(sd_experiment_run, side[SD_SIDE_##id], name, VALUE, 0, DBL_MAX),
	SD_SIDES(X)
#undef X
};
const struct sd_fields sd_fields_tried = TABLE(tried);

static const struct sd_field copy[] = {
	NUMBER(sd_copy, cpu, "cpu", UNSIGNED, 0, SD_CPU_MAX),
	NUMBER(sd_copy, wall, "wall", VALUE, 0, DBL_MAX),
	NUMBER(sd_copy, rate, "rate", VALUE, 0, DBL_MAX),
	NUMBER(sd_copy, cpu_s, "cpu_s", VALUE, 0, DBL_MAX),
	{F(sd_copy, stdout_digest, "stdout_digest", BITS64)},
};
const struct sd_fields sd_fields_copy = TABLE(copy);

static const struct sd_field experiment[] = {
	NAME(sd_plan_experiment, experiment, "name", experiment_names),
	NUMBER(sd_plan_experiment, point, "point", SIZE, 0, SD_RECORD_POINTS - 1),
	BOOL(sd_plan_experiment, asked, "asked"),
};
const struct sd_fields sd_fields_experiment = TABLE(experiment);

static const struct sd_field source_lines[] = {
	NUMBER(sd_source_text, hot, "line", UNSIGNED, 1, SD_SOURCE_TEXT_LAST),
	NUMBER(sd_source_text, first, "first", UNSIGNED, 0, SD_SOURCE_TEXT_LAST),
	NAME(sd_source_text, state, "state", source_state_names),
};
const struct sd_fields sd_fields_source_lines = TABLE(source_lines);

int sd_field_fits(const struct sd_field *f, double v)
{
	return isfinite(v) && v >= f->low && v <= f->high;
}
