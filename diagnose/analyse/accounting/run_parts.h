/*
 * Splits one run's capacity, N cores times its duration, into parts that sum to 1 (METHODS 2.1 to
 * 2.3).
 */
#ifndef SD_RUN_PARTS_H
#define SD_RUN_PARTS_H

#include "analysis/analysis.h"
#include "record/run.h"

/* A count that ran for less of the time than this is not used for differences (DESIGN 6). */
#define SD_RUN_PARTS_RUNNING .9

/* The mechanisms that stall instructions, and the component each becomes (METHODS 2.2.6).
 */
#define SD_STALLS(X)                \
	X(BANDWIDTH, CPI_BANDWIDTH) \
	X(LLC, CPI_LLC)             \
	X(DTLB, CPI_DTLB)           \
	X(SHARING, CPI_SHARING)     \
	X(SMT, CPI_SMT)             \
	X(NUMA, CPI_NUMA)

enum sd_stall {
#define X(id, component) SD_STALL_##id,
	SD_STALLS(X)
#undef X
		SD_STALL_COUNT
};
extern const enum sd_component sd_stall_component[SD_STALL_COUNT];

/* Bits of what a run, or all runs of a point, could measure. */
#define SD_RUN_PARTS_CPU 0x01u       /* CPU time; without it nothing can be split */
#define SD_RUN_PARTS_SPLIT 0x02u     /* user and system time apart; else all of it counts as user */
#define SD_RUN_PARTS_POLLER 0x04u    /* reasons for idle cores */
#define SD_RUN_PARTS_STEAL 0x08u     /* time taken by the hypervisor */
#define SD_RUN_PARTS_QUOTA 0x10u     /* throttling by the CPU quota */
#define SD_RUN_PARTS_COUNTERS 0x20u  /* instructions and cycles, counted all the time */
#define SD_RUN_PARTS_QUEUE 0x40u     /* how much of them was ready to run */
#define SD_RUN_PARTS_MPI 0x4000u     /* time waiting inside MPI */
#define SD_RUN_PARTS_SPIN 0x80u      /* share of the cycles that went to waiting in loops */
#define SD_RUN_PARTS_SAMPLED 0x8000u /* user time apart into work and spinning, by samples */
#define SD_RUN_PARTS_KERNEL 0x10000u /* system time apart into what it was for, by samples */
#define SD_RUN_PARTS_RANKS 0x20000u  /* MPI ranks logged what they waited for */
#define SD_RUN_PARTS_BY_CYCLES 0x40000u       /* CPU time made of cycles: a lower clock is unseen */
#define SD_RUN_PARTS_STALL(k) (0x100u << (k)) /* what enum sd_stall k costs an instruction */
#define SD_RUN_PARTS_STALLS (SD_RUN_PARTS_STALL(SD_STALL_COUNT) - SD_RUN_PARTS_STALL(0))

struct sd_run_parts {
	double time; /* s: wall time or, with a throughput, the time for the reference's work */
	double part[SD_PART_COUNT];   /* fractions of the capacity; sum 1; `unknown` is negative if
					 more CPU time was used than N cores have */
	double instructions, cycles;  /* per core-second of capacity; 0 without counters */
	double stall[SD_STALL_COUNT]; /* cycles an instruction; of a point, not of a run */
	double spin;                  /* share of the cycles of user code spent spinning */
	double spin_instructions;     /* the same of the instructions */
};

/* User time including spinning, as a fraction of the capacity. */
double sd_run_parts_user(const struct sd_run_parts *p);

/* Share of the capacity in one spinning part, with the yields of the CPU in such loops. */
double sd_run_parts_spun(const struct sd_run_parts *p, enum sd_part spin);

/* True for a usable number: measured, finite and not negative. */
int sd_run_parts_usable(struct sd_value v);

/*
 * Splits one run on n cores. Returns what was measured (SD_RUN_PARTS_*). The amount of idle
 * core-seconds, capacity - CPU - stolen, comes from the kernel's accounting; the poller only tells
 * the reasons. If the poller saw fewer, the rest is given in this order to throttling and to
 * runnable threads that it took for running (both known from the kernel), then to the classes seen
 * as far as the poller's sampling error explains (two standard errors); what remains is unknown.
 *
 * Samples in user code divide user time into work and spinning, and spinning by what it waited for
 * if that is known. Samples in the kernel divide system time.
 */
unsigned sd_run_parts_split(const struct sd_run *run, unsigned n, struct sd_run_parts *out);

#endif
