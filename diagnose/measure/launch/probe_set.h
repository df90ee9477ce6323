/*
 * All probes of a run, handled as one.
 */
#ifndef SD_PROBE_SET_H
#define SD_PROBE_SET_H

#include <stdint.h>

#include "probe/probe.h"

struct sd_probe_set {
	const struct sd_probe *const *probe; /* NULL-terminated, or NULL */
	void **state;                        /* owned; one a probe */
	int *error;                          /* owned; result of each open */
	size_t n;
};

/* Opens all; one that cannot be opened notes that in *run. 0 or -ENOMEM (*p empty). */
int sd_probe_set_open(struct sd_probe_set *p, const struct sd_probe *const *probes,
	const struct sd_probe_target *target, struct sd_run *run);
void sd_probe_set_start(struct sd_probe_set *p);

/* Ticks all polled probes. Returns the smallest requested delay, ns; UINT64_MAX if none is polled.
 */
uint64_t sd_probe_set_tick(struct sd_probe_set *p, uint64_t now_ns);
void sd_probe_set_stop(struct sd_probe_set *p, struct sd_run *run);
void sd_probe_set_close(struct sd_probe_set *p); /* accepts the empty value */

#endif
