/*
 * The events of one CPU that sample the loads and stores of a process tree, and their ring buffer.
 */
#ifndef SD_ACCESS_RING_H
#define SD_ACCESS_RING_H

#include <sys/types.h>

#include "trace/trace.h"
#include "memory/sampled_access.h"
#include "memory/access_state.h"
#include "perf_event/perf_mmap.h"

/* The thread that ran on the CPU from `time` on; tid 0: none of the tree. */
struct sd_memturn {
	uint64_t time;
	int pid, tid;
};

#define SD_ACCESS_RING_TURNS 4096 /* kept: turns since the last packets */

/* Closed is {.side = -1}, with no events open. */
struct sd_access_ring {
	const struct sd_memsource *source; /* borrowed */
	unsigned cpu;
	int side; /* event for mappings, forks and switches; -1: closed */
	int fd[SD_MEMSOURCE_EVENTS];
	uint64_t event_id[SD_MEMSOURCE_EVENTS]; /* of a source by code */
	size_t n;
	uint64_t id; /* of `side` */
	struct sd_perf_mmap ring;
	uint64_t upto;           /* end of the first pass */
	struct sd_memturn *turn; /* owned; to attribute packets */
	size_t n_turn;
};

/* Receives what a drain reads. Each function returns 0, or -errno to stop. */
struct sd_access_ring_sink {
	int (*event)(void *ctx, const struct sd_event *e); /* MAP, EXEC, FORK, EXIT... */
	int (*access)(void *ctx,
		const struct sd_sampled_access *a); /* if wide, also of other processes */
	int (*sample)(void *ctx, size_t event,
		const struct sd_sampled_event *e); /* of a source by code: of which of its events */
	void *ctx;
	void *scratch;          /* SD_RING_READER_RECORD bytes */
	unsigned char *packets; /* SD_ACCESS_RING_AUX bytes */
	uint64_t lost;          /* added to */
};

#define SD_ACCESS_RING_SIZE (64u << 10)
#define SD_ACCESS_RING_LEAST (8u << 10)
#define SD_ACCESS_RING_AUX (256u << 10)

/*
 * Opens the events on a CPU, starting at the process's exec, with a ring of `size` bytes and, for
 * packets, an AUX buffer four times as large. 0 or -errno; -ENODEV: CPU offline, or not covered by
 * this PMU; -ENOMEM: also if that much may not be locked; -EMFILE, -EACCES...
 */
int sd_access_ring_open(struct sd_access_ring *out, const struct sd_memsource *source, pid_t pid,
	unsigned cpu, size_t size);
void sd_access_ring_close(struct sd_access_ring *r);

/*
 * Reads the ring. The first pass (`accesses` 0) delivers only the events and leaves the ring as it
 * is; the second delivers the accesses and empties it. So the mappings of all CPUs are known before
 * any sample. 0, or what a sink function returned.
 */
int sd_access_ring_read(struct sd_access_ring *r, struct sd_access_ring_sink *sink, int accesses);

#endif
