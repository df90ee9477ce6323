/*
 * What else the machine did during a calibration.
 */
#ifndef SD_QUIET_H
#define SD_QUIET_H

#include "base/status.h"

/* Counters since boot, absent where the kernel does not keep them. */
struct sd_quiet_mark {
	struct sd_value steal, total; /* ticks of all CPUs together */
	struct sd_value psi_cpu;      /* s in which some task waited for a CPU */
	struct sd_value at;           /* s, CLOCK_MONOTONIC */
};

/* `root` prefixes /proc; "" is this machine. */
void sd_quiet_read(struct sd_quiet_mark *m, const char *root);

/* Fractions between two marks. */
struct sd_value sd_quiet_steal(const struct sd_quiet_mark *from, const struct sd_quiet_mark *to);
struct sd_value sd_quiet_psi(const struct sd_quiet_mark *from, const struct sd_quiet_mark *to);

#endif
