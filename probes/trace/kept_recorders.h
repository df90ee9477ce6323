/*
 * Recorders of whole CPUs that stay open between the runs of a session, stopped: opening and
 * closing them waits for the kernel, and maps megabytes a CPU.
 */
#ifndef SD_KEPT_RECORDERS_H
#define SD_KEPT_RECORDERS_H

#include <stddef.h>

#include "trace/cpu_recorder.h"
#include "trace/trace_buffer.h"

/* The most that a CPU's ring had to hold in the runs so far: the rings of the next one are made for
 * it. */
struct sd_ring_use {
	size_t cpus;    /* the most of a run; of more nothing is known */
	double samples; /* s of samples, as if the CPU had had one at every tick of its clock */
	double others;  /* bytes: stacks of switches, and what others do on the CPU */
	size_t least;   /* bytes: twice a ring that had no room for some; 0 none had */
};

/* None: zeroed. */
struct sd_kept_recorders {
	struct sd_recording recording;    /* of all of them */
	struct sd_cpu_recorder *recorder; /* owned; n, one a CPU, all stopped and read to the end */
	size_t n;
	struct sd_switch_programs programs; /* of all of them */
	struct sd_spare_chunks chunks;      /* that what was recorded was in */
	uint32_t
		wished; /* bytes of stack that were asked for, of which there may have been fewer */
	struct sd_ring_use use; /* stays when all of them are dropped */
};

/*
 * Bytes of a ring, `most` or less: what was needed so far; of a run of more CPUs than any before at
 * least an equal share of what all may have then. After losses more, also than `most`. `sampling`:
 * bytes of samples that a busy CPU writes in a second. NULL: nothing is known.
 */
size_t sd_kept_recorders_ring(
	const struct sd_kept_recorders *k, double sampling, size_t most, size_t cpus);

/* A run is over. */
struct sd_ring_use_of_run {
	size_t cpus;
	double seconds, sampling;
	double bytes, samples; /* that a CPU wrote at most; the part that samples were, 0..1 */
	size_t full;           /* bytes of a ring that had no room for some; 0: all had */
};
void sd_kept_recorders_used(struct sd_kept_recorders *k, const struct sd_ring_use_of_run *of);

/* For a run with this request: takes what was settled for earlier ones, or drops all, where those
 * had other stacks. NULL: there are none. */
void sd_kept_recorders_plan(struct sd_kept_recorders *k, struct sd_recording *r);

/* The one of a CPU with a ring of at least `ring` bytes, ready for sd_cpu_recorder_start_all() and
 * the taker's from now on. 1; 0 there is none. */
int sd_kept_recorders_take(struct sd_kept_recorders *k, unsigned cpu, uint64_t period_ns,
	size_t ring, struct sd_cpu_recorder *out);

/* Stopped and read to the end, of a run with this request. Leaves *r closed; without memory it is
 * closed indeed. */
void sd_kept_recorders_put(struct sd_kept_recorders *k, const struct sd_recording *of,
	uint32_t wished, struct sd_cpu_recorder *r);

/* Accepts NULL; leaves none, and what is known of their use. */
void sd_kept_recorders_free(struct sd_kept_recorders *k);

#endif
