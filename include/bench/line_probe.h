/*
 * Line transfer: how far apart two CPUs are, in time, right now. Labels a run with the machine's
 * state (DESIGN 9).
 */
#ifndef SD_LINE_PROBE_H
#define SD_LINE_PROBE_H

#include "base/cpulist.h"
#include "base/status.h"

/*
 * The median round trip, in seconds, of one contended cache line between CPUs a and b: two threads
 * pinned there pass a flag back and forth. About a millisecond. Affinity and scheduling of the
 * calling thread are as before afterwards. Unsupported when a == b, denied when the kernel refuses
 * the binding or a CPU is not in the calling thread's affinity, absent when a CPU went away or the
 * two threads never ran at the same time (a busy machine): never a number that was not measured.
 */
struct sd_value sd_line_probe_transfer(unsigned a, unsigned b);

/*
 * The state of the machine over `cpus`: the median over up to 8 pairs that cover the list (its
 * neighbours and its two ends). One CPU: unsupported.
 */
struct sd_value sd_line_probe_state(const struct sd_cpulist *cpus);

#endif
