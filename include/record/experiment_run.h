/*
 * The fields that a run of an experiment has beyond a plain run: its experiment and pair, what was
 * measured beside the program, and its copies.
 */
#ifndef SD_EXPERIMENT_RUN_H
#define SD_EXPERIMENT_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* An experiment consists of pairs of runs of one point: plain, and with one thing changed. */
enum sd_arm { SD_ARM_PLAIN, SD_ARM_CHANGED };

/* Measured beside the program: identifier, name in records, unit, meaning. */
#define SD_SIDES(X)                                                                      \
	X(THIEF_RATE, "thief_rate", "B/s", "what the thief moved while the program ran") \
	X(THIEF_ALONE, "thief_alone", "B/s", "what it moved before the program began")   \
	X(THIEF_BYTES, "thief_bytes", "bytes", "what it moves over")                     \
	X(CLOCK, "clock", "ratio", "the clock with all cores busy by that of one alone") \
	X(CLOCK_LOW, "clock_low", "ratio", "its first quartile")                         \
	X(CLOCK_HIGH, "clock_high", "ratio", "its third quartile")                       \
	X(CACHED, "cached", "ratio", "of its files, what was in the page cache before")  \
	X(CACHED_BYTES, "cached_bytes", "bytes", "of those files")

enum sd_side {
#define X(id, name, unit, meaning) SD_SIDE_##id,
	SD_SIDES(X)
#undef X
		SD_SIDE_COUNT
};

/* One of several programs that ran at once. */
struct sd_copy {
	unsigned cpu;           /* the first of those it was bound to */
	struct sd_value wall;   /* s, from its exec to its end; absent if it failed */
	struct sd_value rate;   /* 1/s, with --rate */
	struct sd_value cpu_s;  /* s of CPU time, user and system */
	uint64_t stdout_digest; /* as of a run */
};

#define SD_RACES 64
#define SD_RACE_DEPTH 24 /* frames of each stack */

/* Two accesses to the same bytes that nothing orders, at least one of which writes (race-check). */
struct sd_race {
	uint64_t address; /* in the checked run */
	unsigned name;    /* text of the record's stacks: "counter+0x4"; 0 unknown */
	unsigned bytes;
	unsigned node[2]; /* the access, and the one before it; 0 unknown */
	int write[2];
};

struct sd_experiment_run {
	size_t experiment; /* index into the plan's experiments */
	enum sd_arm arm;
	unsigned pair; /* from 0, at each of the experiment's points */
	struct sd_value side[SD_SIDE_COUNT];
	struct sd_copy *copy; /* owned; empty unless several ran at once */
	size_t n_copy;
	struct sd_race *race; /* owned */
	size_t n_race, n_race_seen;
};

#endif
