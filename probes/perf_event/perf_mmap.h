/*
 * The only access to ring buffers of perf_event_open(2) and to the ioctls of events that have one.
 * Like perf_event.h, tests replace it.
 */
#ifndef SD_PERF_MMAP_H
#define SD_PERF_MMAP_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* Unmapped is {0}. */
struct sd_perf_mmap {
	struct perf_event_mmap_page *control;
	unsigned char *data;
	size_t size;        /* of data: a power of two */
	unsigned char *aux; /* buffer a PMU writes to directly; NULL: not mapped */
	size_t aux_size;    /* a power of two */
};

/* Maps a ring of `size` bytes (pages, a power of two) for event `fd`. 0 or -errno; -EPERM: above
 * the limit of locked memory. *out is unmapped on failure. */
int sd_perf_mmap_map(int fd, size_t size, struct sd_perf_mmap *out);
/* Also maps the AUX buffer of the ring's event; the ring is unchanged on
 * failure. */
int sd_perf_mmap_map_aux(int fd, size_t size, struct sd_perf_mmap *ring);
void sd_perf_mmap_unmap(struct sd_perf_mmap *ring); /* accepts the unmapped one */

/* Redirects event `fd` to the ring of event `to`. 0 or -errno. */
int sd_perf_mmap_redirect(int fd, int to);

/* The PERF_SAMPLE_IDENTIFIER in the records of event `fd`. 0 or -errno. */
int sd_perf_mmap_id(int fd, uint64_t *id);

#endif
