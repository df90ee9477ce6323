/*
 * Where the capacity of one run went: every core-second of N cores over its time, in parts that sum
 * to 1 (METHODS 2.1 to 2.3).
 */
#ifndef SD_PARTS_H
#define SD_PARTS_H

#include "analysis.h"
#include "run.h"

/* The parts, and the component of the stack that a wait of this kind becomes. */
#define SD_PARTS(X)             \
	X(USER, USEFUL)         \
	X(SYSTEM, SYSTEM)       \
	X(STOLEN, STOLEN)       \
	X(THROTTLED, THROTTLED) \
	X(RUN_QUEUE, RUN_QUEUE) \
	X(LOCK, LOCK)           \
	X(DISK, DISK)           \
	X(IMBALANCE, IMBALANCE) \
	X(SERIAL, SERIAL)       \
	X(SLEEP, SLEEP)         \
	X(NETWORK, NETWORK)     \
	X(KERNEL, SYSTEM)       \
	X(MPI, MPI)             \
	X(UNKNOWN, UNACCOUNTED)

enum sd_part {
#define X(id, component) SD_PART_##id,
	SD_PARTS(X)
#undef X
		SD_PART_COUNT
};
extern const enum sd_component sd_part_component[SD_PART_COUNT];

/* What a run, or all runs of a point, could measure. */
#define SD_PARTS_CPU 0x01u      /* CPU time; without it nothing can be split */
#define SD_PARTS_SPLIT 0x02u    /* user and system time apart; else all of it counts as user */
#define SD_PARTS_POLLER 0x04u   /* reasons for idle cores */
#define SD_PARTS_STEAL 0x08u    /* time taken by the hypervisor */
#define SD_PARTS_QUOTA 0x10u    /* throttling by the CPU quota */
#define SD_PARTS_COUNTERS 0x20u /* instructions and cycles, counted all the time */
#define SD_PARTS_QUEUE 0x40u    /* how much of them was ready to run */

struct sd_parts {
	double time;                /* s: the wall time, or the time for the reference's work when a
				       throughput replaces it */
	double part[SD_PART_COUNT]; /* fractions of the capacity; sum 1; `unknown` may be negative
				       when more CPU time was used than N cores have */
	double instructions, cycles; /* per core-second of capacity; 0 without counters */
};

/* True for a number that may be computed with: measured, finite and not negative. */
int sd_parts_usable(struct sd_value v);

/*
 * Splits one run on n cores. Returns what was measured (SD_PARTS_*). Idle core-seconds, capacity -
 * CPU - stolen, are those the accounting of the kernel yields; the poller only says why. Where the
 * poller saw fewer, the rest went, in this order, to throttling and to runnable threads that it
 * took for running (both known from the kernel), then to the classes seen as far as the sampling
 * error of the poller explains (two standard errors), and what is left is unknown.
 */
unsigned sd_parts_split(const struct sd_run *run, unsigned n, struct sd_parts *out);

#endif
