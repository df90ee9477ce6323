/*
 * The line-transfer probe: the current distance between two CPUs, in time. Labels a run with the
 * machine's state (DESIGN 9).
 */
#ifndef SD_LINE_PROBE_H
#define SD_LINE_PROBE_H

#include "base/cpulist.h"
#include "base/status.h"

/*
 * Median round trip, s, of a contended cache line between CPUs a and b: two threads pinned there
 * pass a flag back and forth. Takes about a millisecond and restores the calling thread's affinity
 * and scheduling. Unsupported if a == b; denied if the kernel refuses the binding or a CPU is
 * outside the calling thread's affinity; absent if a CPU went offline or the two threads never ran
 * at the same time (a busy machine).
 */
struct sd_value sd_line_probe_transfer(unsigned a, unsigned b);

/*
 * The state of the machine over `cpus`: the median of up to 8 pairs that cover the list (neighbours
 * and the two ends). Unsupported for one CPU.
 */
struct sd_value sd_line_probe_state(const struct sd_cpulist *cpus);

#endif
