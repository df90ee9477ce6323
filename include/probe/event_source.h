/*
 * Sampling by the events of roles: one in so many interrupts the program, so that a count is known
 * by function and line.
 */
#ifndef SD_EVENT_SOURCE_H
#define SD_EVENT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "record/role.h"

struct sd_counting;
struct sd_memsource; /* opaque; freed by sd_access_source_free() */

/* A role, and the events of it from one sample to the next. */
struct sd_event_ask {
	enum sd_role role;
	uint64_t period;
};

/*
 * Opens sources for those of the roles asked for, the most important first, that are counted by
 * thread, as far as there is room for events; each is opened once on this process as a test,
 * precise if the PMU has it so, and closed. 0; -ENODEV: none can be sampled; -ENOMEM. *out is NULL
 * on failure.
 */
int sd_event_source_open(struct sd_memsource **out, const struct sd_counting *c,
	const struct sd_event_ask *ask, size_t n);

#endif
