/*
 * The probes of one run, as one.
 */
#ifndef SD_PROBING_H
#define SD_PROBING_H

#include <stdint.h>

#include "probe/probe.h"

struct sd_probing {
	const struct sd_probe *const *probe; /* NULL-terminated, or NULL */
	void **state;                        /* owned; one a probe */
	int *error;                          /* owned; of its open */
	size_t n;
};

/* Opens all; one that cannot be opened has said so in *run. 0 or -ENOMEM (*p empty). */
int sd_probing_open(struct sd_probing *p, const struct sd_probe *const *probes,
	const struct sd_probe_target *target, struct sd_run *run);
void sd_probing_start(struct sd_probing *p);

/* Ticks all that are polled; the smallest wished delay in ns, UINT64_MAX when nobody is polled. */
uint64_t sd_probing_tick(struct sd_probing *p, uint64_t now_ns);
void sd_probing_stop(struct sd_probing *p, struct sd_run *run);
void sd_probing_close(struct sd_probing *p); /* accepts the empty value */

#endif
