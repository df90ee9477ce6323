/*
 * Finds out what a run would miss on this machine.
 */
#ifndef SD_READINESS_LOOK_H
#define SD_READINESS_LOOK_H

#include "base/sink.h"
#include "probe/readiness.h"

/* Asks what plans and experiments would ask before a run of a usual program. 0; -ENOMEM;
 * another -errno with a message: the machine or a table of ours cannot be read. */
int sd_readiness_look(struct sd_readiness *out, const struct sd_sink *sink);

#endif
