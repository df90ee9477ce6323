/*
 * What QEMU calls the plugin for, and what calls its translated code makes. It changes while the
 * program runs: outside the part that is simulated code runs as if nobody watched it.
 */
#ifndef SIM_INSTRUMENTATION_H
#define SIM_INSTRUMENTATION_H

#include <stdint.h>

/* At installation. `end`: QEMU's callback at the end. */
void sim_instrumentation_open(uint64_t id, void (*end)(uint64_t id, void *data));

#endif
