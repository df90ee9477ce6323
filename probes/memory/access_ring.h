/*
 * The events of one CPU that sample a tree's loads and stores, their ring, and what a drain reads
 * from it.
 */
#ifndef SD_ACCESS_RING_H
#define SD_ACCESS_RING_H

#include <sys/types.h>

#include "trace/trace.h"
#include "memory/sampled_access.h"
#include "memory/access_state.h"
#include "perf_event/perf_mmap.h"

/* Who ran on the CPU from a time on; tid 0: nobody of the tree. */
struct sd_memturn {
	uint64_t time;
	int pid, tid;
};

#define SD_ACCESS_RING_TURNS 4096 /* kept: those since the last packets were written */

/* Closed is {.side = -1}, with no events open. */
struct sd_access_ring {
	const struct sd_memsource *source; /* borrowed */
	unsigned cpu;
	int side; /* carries mappings, forks and switches; -1: closed */
	int fd[SD_MEMSOURCE_EVENTS];
	size_t n;
	uint64_t id; /* of `side` */
	struct sd_perf_mmap ring;
	uint64_t upto;           /* where the first pass ended */
	struct sd_memturn *turn; /* owned; of packets */
	size_t n_turn;
};

/* What comes out of a drain; each returns 0, or -errno that ends it. */
struct sd_access_ring_sink {
	int (*event)(void *ctx, const struct sd_event *e);           /* MAP, EXEC, FORK, EXIT... */
	int (*access)(void *ctx, const struct sd_sampled_access *a); /* also of strangers (wide) */
	void *ctx;
	void *scratch;          /* SD_RING_READER_RECORD bytes */
	unsigned char *packets; /* SD_ACCESS_RING_AUX bytes */
	uint64_t lost;          /* added to */
};

#define SD_ACCESS_RING_SIZE (64u << 10)
#define SD_ACCESS_RING_LEAST (8u << 10)
#define SD_ACCESS_RING_AUX (256u << 10)
#define SD_ACCESS_RING_AUX_LEAST (16u << 10)

/*
 * Opens the events on a CPU, to begin with the exec of the process, and a ring of `size` bytes, an
 * AUX buffer four times as large for packets. 0 or -errno; -ENODEV: the CPU is offline or not of
 * this PMU; -ENOMEM: also when so much may not be locked; -EMFILE, -EACCES...
 */
int sd_access_ring_open(struct sd_access_ring *out, const struct sd_memsource *source, pid_t pid,
	unsigned cpu, size_t size);
void sd_access_ring_close(struct sd_access_ring *r);

/*
 * Reads what is there. The first pass, `accesses` 0, gives the events only, of everything, and
 * leaves the ring; the second gives the accesses and empties it: so that of all CPUs the mappings
 * are known before the samples. 0 or what a function of the sink returned.
 */
int sd_access_ring_read(struct sd_access_ring *r, struct sd_access_ring_sink *sink, int accesses);

#endif
