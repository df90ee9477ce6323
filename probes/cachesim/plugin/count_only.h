/*
 * Instructions alone, of all of a program and its processes, at a fraction of what it costs to
 * simulate it: for programs of which only a part can be.
 */
#ifndef SIM_TOTAL_H
#define SIM_TOTAL_H

#include <stdint.h>

/* Instead of all other callbacks of the plugin, whose files go to PREFIX.PID.total
 * (instruction_totals.h in probes). `target`: as QEMU calls it. 0 or -errno: the file cannot be
 * written. */
int sim_count_only_install(uint64_t id, const char *prefix, const char *target);

#endif
