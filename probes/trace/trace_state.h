/*
 * The internals of a capture, shared by opening and closing (trace.c), reading the rings
 * (trace_drain.c), its files (trace_write.c, trace_file.c) and replaying (trace_replay.c).
 */
#ifndef SD_TRACE_STATE_H
#define SD_TRACE_STATE_H

#include "trace/trace.h"
#include "perf_event/fd_limit.h"
#include "trace/blocked_stacks.h"
#include "trace/tree_filter.h"
#include "trace/cpu_recorder.h"
#include "perf_event/ring_reader.h"
#include "trace/trace_buffer.h"
#include "trace/foreign_time.h"
#include "trace/downsample.h"
#include "trace/switch_windows.h"

#define SD_CAPTURE_SAMPLE 352 /* bytes of one without the stack, with a short chain */

struct sd_capture {
	struct sd_recording recording;
	struct sd_cpu_recorder *recorder; /* n; spool.stream[i] is recorder i's data, stream[n]
					     belongs to no CPU's ring */
	size_t n;
	struct sd_kept_recorders *kept;     /* or NULL */
	struct sd_switch_programs programs; /* those of recorders that are not kept */
	uint32_t wished;                    /* bytes of stack */
	struct sd_switch_windows windows;
	double thin;  /* of so much time switches of whole CPUs are recorded in one part; 1: all */
	int windowed; /* they were too many for all of them to be recorded */
	int shut;     /* switches are currently not recorded */
	struct sd_ring_reader *reading; /* n: how far a drain reads */
	uint64_t *written; /* n: how far it reads what programs wrote; stream[n + 1 + i] of CPU i */
	struct sd_tree_filter family; /* used when whole CPUs are recorded */
	struct sd_foreign_time strangers;
	struct sd_trace_buffer spool;
	struct sd_downsample *thinner;     /* one a recorder */
	struct sd_downsample aside;        /* of stream[n] */
	struct sd_blocked_stacks glimpses; /* open if switches have no stacks */
	struct sd_trace_facts facts;
	void *scratch[2]; /* for a record that wraps; two, since one may wait for the next */
	char *keep;
	struct sd_fd_limit files;
	int stopped;
	pid_t self;           /* the measuring process */
	uint64_t begun;       /* ns */
	uint64_t refused;     /* records that rings had no room for */
	uint64_t next, delay; /* time of the next look at the rings, and interval to it */
	uint64_t stacks;      /* of switches */
	uint64_t exits;       /* of threads, whose last switch has no stack: their memory is gone */
};

/* Reads all rings; `last`: also records still waiting for their other half, and
 * unreported losses. */
void sd_capture_read(struct sd_capture *c, int last);

/* Bytes of samples that a busy CPU writes in a second. */
double sd_capture_sampling(const struct sd_capture *c);

/* After the last reading: what was written, for the rings of the next run. */
void sd_capture_note_use(struct sd_capture *c);

/*
 * The program runs already, and whole CPUs are recorded: takes its threads for members, and writes
 * down what each does now (its name; on a CPU, or waiting with its stack), so that what it does
 * next has a beginning. 0 or -ENOMEM.
 */
int sd_capture_join(struct sd_capture *c, const struct sd_running *running);

#endif
