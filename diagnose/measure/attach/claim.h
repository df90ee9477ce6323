/*
 * A running program is looked at by one scalediag at a time: a second one would take CPUs that the
 * first has narrowed for those that the program has.
 *
 * The claim to a process is a listening socket in the abstract namespace whose name is its pid and
 * start time: there is one of that name at most, whatever user or mount namespace who attaches has,
 * it is gone when the last process that has it open is, our guard among them, and who connects to
 * it is told whose it is by the kernel.
 */
#ifndef SD_CLAIM_H
#define SD_CLAIM_H

#include "attach/attached.h"
#include "base/sink.h"

/* Zeroed is none. */
struct sd_claim {
	int *socket; /* owned; one a process */
	size_t n;
};

/* Claims the processes that *a has now. 0; -EBUSY after a message with the pid of who has one of
 * them; -ENOMEM. Where no sockets can be made there is no claim, and 0. */
int sd_claim_open(struct sd_claim *c, const struct sd_attached *a, const struct sd_sink *sink);

void sd_claim_close(struct sd_claim *c); /* accepts the zeroed value */

#endif
