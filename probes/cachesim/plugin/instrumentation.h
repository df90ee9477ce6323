/*
 * The callbacks that QEMU makes into the plugin, and the calls in translated code. These change
 * while the program runs: outside the part that is simulated code runs as if nobody watched it.
 */
#ifndef SIM_INSTRUMENTATION_H
#define SIM_INSTRUMENTATION_H

#include <stdint.h>

/* At installation. `end`: QEMU's callback at the end. */
void sim_instrumentation_open(uint64_t id, void (*end)(uint64_t id, void *data));

#endif
