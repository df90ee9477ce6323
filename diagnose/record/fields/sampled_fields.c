#include "fields/field_rows.h"

#include <float.h>

/* Fields of a run's samples and context switches. */

/* The numbers that most rows do not have stand last. */
#define OF_USE(m) NUMBER(sd_use, m, NULL, REAL, 0, DBL_MAX)
static const struct sd_field use[] = {
	NUMBER(sd_use, node, NULL, UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_NODES),
	NAME(sd_use, activity, NULL, sd_field_rows_activity),
	OF_USE(seconds),
	OF_USE(count),
	OF_USE(longest),
	OF_USE(solo),
	OF_USE(blame),
	OF_USE(blame_serial),
	OF_USE(blame_imbalance),
	OF_USE(blame_lock),
	OF_USE(spun_serial),
	OF_USE(spun_imbalance),
	OF_USE(atomic),
};
static const struct sd_fields use_fields = TABLE(use, .row = 2);

/* A holder or a waiter; both lists are of the same struct. */
static const struct sd_field lock_stack[] = {
	{.type = SD_FIELD_UNSIGNED,
		.high = UINT32_MAX,
		.of = SD_FIELD_OF_NODES,
		.offset = offsetof(struct sd_lock_stack, node)},
	{.type = SD_FIELD_REAL,
		.low = DBL_MIN,
		.high = DBL_MAX,
		.offset = offsetof(struct sd_lock_stack, seconds)},
};
static const struct sd_fields lock_stacks = TABLE(lock_stack, .row = 2);

static const struct sd_field lock[] = {
	NUMBER(sd_lock_use, name, "name", UNSIGNED, 0, SD_STACKS_NODES - 1,
		.of = SD_FIELD_OF_TEXTS),
	{F(sd_lock_use, address, "address", BITS64)},
	NUMBER(sd_lock_use, pid, "pid", INT, 0, INT32_MAX),
	NAME(sd_lock_use, kind, "kind", sd_field_rows_activity),
	NUMBER(sd_lock_use, waits, "waits", REAL, 0, DBL_MAX),
	NUMBER(sd_lock_use, wait_s, "wait_s", REAL, 0, DBL_MAX),
	NUMBER(sd_lock_use, longest_s, "longest_s", REAL, 0, DBL_MAX),
	NUMBER(sd_lock_use, acquisitions, "acquisitions", VALUE, 0, DBL_MAX),
	NUMBER(sd_lock_use, busy, "busy", VALUE, 0, 1),
	FIXED(sd_lock_use, holder, "holders", lock_stacks),
	FIXED(sd_lock_use, waiter, "waiters", lock_stacks),
};
static const struct sd_fields lock_fields = TABLE(lock);

static const struct sd_field bottle[] = {
	NUMBER(sd_bottle, pid, "pid", INT, 0, INT32_MAX),
	NUMBER(sd_bottle, tid, "tid", INT, 0, INT32_MAX),
	TEXT(sd_bottle, name, "name"),
	NUMBER(sd_bottle, height, "height", REAL, 0, DBL_MAX),
	NUMBER(sd_bottle, width, "width", REAL, 0, DBL_MAX),
};
static const struct sd_fields bottle_fields = TABLE(bottle);

static int check_sampled(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_json_path status = {.up = at, .key = "status"};

	(void)before;
	return ((const struct sd_sampled *)element)->status != SD_STATUS_ABSENT
		       ? 0
		       : sd_json_path_fault(c->s, &status, "is absent: then the whole is left out");
}

static const struct sd_field sampled[] = {
	NAME(sd_sampled, status, "status", sd_field_rows_status),
	NAME(sd_sampled, switch_stacks, "switch_stacks", sd_field_rows_status),
	NAME(sd_sampled, kernel, "kernel", sd_field_rows_status),
	NAME(sd_sampled, wakers, "wakers", sd_field_rows_status),
	{F(sd_sampled, programs, "kernel_programs", NAME), .names = sd_field_rows_status,
		.size = SD_STATUS_COUNT, .need = SD_FIELD_NEWER},
	BOOL(sd_sampled, idle, "idle"),
	NUMBER(sd_sampled, hz, "hz", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, sample_s, "sample_s", VALUE, 0, DBL_MAX),
	NUMBER(sd_sampled, samples, "samples", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, switches, "switches", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, lost, "lost", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, unwatched, "unwatched", REAL, 0, 1, .need = SD_FIELD_NEWER),
	NUMBER(sd_sampled, stack_bytes, "stack_bytes", REAL, 0, DBL_MAX, .need = SD_FIELD_NEWER),
	NUMBER(sd_sampled, pointed, "by_frame_pointers", REAL, 0, 1, .need = SD_FIELD_NEWER),
	NUMBER(sd_sampled, unwound, "unwound", REAL, 0, 1),
	NUMBER(sd_sampled, cpu_s, "cpu_s", REAL, 0, DBL_MAX),
	NUMBER(sd_sampled, useful_alone, "useful_alone", VALUE, 0, DBL_MAX),
	NUMBER(sd_sampled, spun_serial, "spun_serial", VALUE, 0, DBL_MAX),
	NUMBER(sd_sampled, spun_imbalance, "spun_imbalance", VALUE, 0, DBL_MAX),
	NUMBER(sd_sampled, n_lock_seen, "locks_seen", SIZE, 0, SD_FIELD_WHOLE),
	ARRAY(sd_sampled, use, "uses", use_fields, SD_SAMPLED_ROWS + SD_ACTIVITY_COUNT),
	ARRAY(sd_sampled, lock, "locks", lock_fields, SD_SAMPLED_LOCKS,
		.seen = offsetof(struct sd_sampled, n_lock_seen)),
	ARRAY(sd_sampled, bottle, "bottles", bottle_fields, SD_SAMPLED_THREADS),
};
const struct sd_fields sd_fields_sampled = TABLE(sampled, .check = check_sampled);

/* Fields of the threads' activity in the course of the run. */
static const char *const state_names[SD_BINNED_STATES] = {
#define X(id, name, ...) [SD_ACTIVITY_##id] = name,
	SD_ACTIVITIES(X)
#undef X
		[SD_BINNED_ON_CPU] = "on-cpu",
	[SD_BINNED_NOT_THERE] = "not-there",
};

static const struct sd_field doing[] = {
	NAME(sd_binned_doing, state, NULL, state_names),
	NUMBER(sd_binned_doing, function, NULL, UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS),
	NUMBER(sd_binned_doing, lock, NULL, UNSIGNED, 0, UINT32_MAX, .of = SD_FIELD_OF_TEXTS),
};
static const struct sd_fields doing_fields = TABLE(doing, .row = 3);

static const struct sd_field step[] = {
	NUMBER(sd_binned_step, bins, NULL, UNSIGNED, 1, SD_BINNED_BINS),
	NUMBER(sd_binned_step, doing, NULL, UNSIGNED, 0, SD_BINNED_RECORD_STEPS),
};
static const struct sd_fields step_fields = TABLE(step, .row = 2);

static const struct sd_field lane[] = {
	NUMBER(sd_binned_lane, pid, "pid", INT, 0, INT32_MAX),
	NUMBER(sd_binned_lane, tid, "tid", INT, 0, INT32_MAX),
	TEXT(sd_binned_lane, name, "name"),
	ARRAY(sd_binned_lane, step, "steps", step_fields, SD_BINNED_BINS),
};
static const struct sd_fields lane_fields = TABLE(lane);

static int check_lanes(struct sd_field_in *c, const struct sd_json_path *at, const void *element,
	const void *before)
{
	const struct sd_json_path lanes = {.up = at, .key = "lanes"};
	const struct sd_binned_lanes *const l = element;

	(void)before;
	for (size_t i = 0; i < l->n_lane; i++) {
		unsigned bins = 0;

		for (size_t k = 0; k < l->lane[i].n_step; k++) {
			bins += l->lane[i].step[k].bins;
			if (l->lane[i].step[k].doing >= l->n_doing)
				return sd_json_path_fault(c->s, &lanes, "name doing %u of %zu",
					l->lane[i].step[k].doing, l->n_doing);
		}
		if (bins > l->bins)
			return sd_json_path_fault(
				c->s, &lanes, "have %u bins of %u", bins, l->bins);
	}
	return 0;
}

static const struct sd_field lanes[] = {
	NUMBER(sd_binned_lanes, length, "length_ns", COUNT64, 0, SD_FIELD_WHOLE),
	NUMBER(sd_binned_lanes, bins, "bins", UNSIGNED, 1, SD_BINNED_BINS),
	NUMBER(sd_binned_lanes, n_seen, "threads_seen", SIZE, 0, SD_FIELD_WHOLE),
	ARRAY(sd_binned_lanes, doing, "doings", doing_fields, SD_BINNED_RECORD_STEPS),
	ARRAY(sd_binned_lanes, lane, "lanes", lane_fields, SD_BINNED_LANES,
		.seen = offsetof(struct sd_binned_lanes, n_seen)),
};
const struct sd_fields sd_fields_lanes = TABLE(lanes, .check = check_lanes);
