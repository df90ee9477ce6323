/*
 * Samples the user code of one thread every two milliseconds of its CPU time (perf's cpu-clock,
 * which needs no PMU).
 */
#ifndef SD_THREAD_SAMPLER_H
#define SD_THREAD_SAMPLER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/thread_view.h"

#define SD_THREAD_SAMPLER_NS \
	2000000u /* period; each is an interrupt, whose price sample_cost.h has */

/* Closed is {.fd = -1}. */
struct sd_thread_sampler {
	int fd;
	void *map; /* one page of control, then the ring */
	size_t page, ring;
};

/* Samples thread `tid` from its next exec on. 0 or -errno, *s then closed. */
int sd_thread_sampler_open(struct sd_thread_sampler *s, pid_t tid);

/* Consumes all samples and stores the newest in *out. 0 if there was none, else 1. */
int sd_thread_sampler_newest(struct sd_thread_sampler *s, struct sd_code *out);

void sd_thread_sampler_close(struct sd_thread_sampler *s); /* accepts the closed value */

#endif
