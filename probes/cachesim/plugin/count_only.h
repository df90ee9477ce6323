/*
 * Counts the instructions of a whole program and its processes, at a fraction of the cost of a
 * simulation: for programs of which only a part can be simulated.
 */
#ifndef SIM_TOTAL_H
#define SIM_TOTAL_H

#include <stdint.h>

/* Installed instead of all other callbacks; writes PREFIX.PID.total (instruction_totals.h in
 * probes). `target`: QEMU's name for it. 0 or -errno: the file cannot be written. */
int sim_count_only_install(uint64_t id, const char *prefix, const char *target);

#endif
