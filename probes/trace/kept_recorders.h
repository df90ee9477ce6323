/*
 * Recorders of whole CPUs that stay open between the runs of a session, stopped: opening and
 * closing them waits for the kernel, and maps megabytes a CPU.
 */
#ifndef SD_KEPT_RECORDERS_H
#define SD_KEPT_RECORDERS_H

#include <stddef.h>

#include "trace/cpu_recorder.h"

/* None: zeroed. */
struct sd_kept_recorders {
	struct sd_recording recording;    /* of all of them */
	struct sd_cpu_recorder *recorder; /* owned; n, one a CPU, all stopped and read to the end */
	size_t n;
	struct sd_switch_programs programs; /* of all of them */
	uint32_t
		wished; /* bytes of stack that were asked for, of which there may have been fewer */
};

/* For a run with this request: takes what was settled for earlier ones, or drops all, where those
 * had other stacks. NULL: there are none. */
void sd_kept_recorders_plan(struct sd_kept_recorders *k, struct sd_recording *r);

/* The one of a CPU, ready for sd_cpu_recorder_start() and the taker's from now on. 1; 0 there is
 * none. */
int sd_kept_recorders_take(
	struct sd_kept_recorders *k, unsigned cpu, uint64_t period_ns, struct sd_cpu_recorder *out);

/* Stopped and read to the end, of a run with this request. Leaves *r closed; without memory it is
 * closed indeed. */
void sd_kept_recorders_put(struct sd_kept_recorders *k, const struct sd_recording *of,
	uint32_t wished, struct sd_cpu_recorder *r);

void sd_kept_recorders_free(
	struct sd_kept_recorders *k); /* accepts NULL, leaves the zeroed value */

#endif
