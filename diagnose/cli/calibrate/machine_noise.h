/*
 * Other activity of the machine during a calibration.
 */
#ifndef SD_MACHINE_NOISE_H
#define SD_MACHINE_NOISE_H

#include "base/status.h"

/* Counters since boot, absent if the kernel does not keep them. */
struct sd_machine_noise_mark {
	struct sd_value steal, total; /* ticks of all CPUs together */
	struct sd_value psi_cpu;      /* s during which some task waited for a CPU */
	struct sd_value at;           /* s, CLOCK_MONOTONIC */
};

/* `root` prefixes /proc; "" is this machine. */
void sd_machine_noise_read(struct sd_machine_noise_mark *m, const char *root);

/* Fractions between two marks. */
struct sd_value sd_machine_noise_steal(
	const struct sd_machine_noise_mark *from, const struct sd_machine_noise_mark *to);
struct sd_value sd_machine_noise_psi(
	const struct sd_machine_noise_mark *from, const struct sd_machine_noise_mark *to);

#endif
