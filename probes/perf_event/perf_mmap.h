/*
 * The door to the ring buffers of perf_event_open(2) and to what is done to an event that has one;
 * beside perf_event.h, and replaced by tests in the same way.
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
	unsigned char *aux; /* what a PMU writes into by itself; NULL: not mapped */
	size_t aux_size;    /* a power of two */
};

/* Maps a ring of `size` bytes, a power of two of whole pages, for event `fd`. 0 or -errno; -EPERM:
 * more memory than may be locked. *out unmapped on failure. */
int sd_perf_mmap_map(int fd, size_t size, struct sd_perf_mmap *out);
/* And the AUX buffer of the event that the ring was mapped for; the ring stays as it is on failure.
 */
int sd_perf_mmap_map_aux(int fd, size_t size, struct sd_perf_mmap *ring);
void sd_perf_mmap_unmap(struct sd_perf_mmap *ring); /* accepts the unmapped one */

/* Lets event `fd` write into the ring of event `to`. 0 or -errno. */
int sd_perf_mmap_redirect(int fd, int to);

/* What PERF_SAMPLE_IDENTIFIER says in the records of event `fd`. 0 or -errno. */
int sd_perf_mmap_id(int fd, uint64_t *id);

#endif
