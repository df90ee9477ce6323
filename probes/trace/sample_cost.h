/*
 * The time a sample of the CPU clock takes from the code it interrupts, measured on this machine,
 * and the sampling rate that allows.
 *
 * The cost is that of the interrupt, which differs between virtual machines: 15 to 17 us on two, 45
 * to 60 us on a third without hardware support, where 401 samples a second took 2.1 % of a core.
 */
#ifndef SD_SAMPLE_COST_H
#define SD_SAMPLE_COST_H

#include <stddef.h>

#include "base/status.h"

/* Minimum rate, whatever it costs: fewer samples say too little. */
#define SD_SAMPLE_COST_LEAST_HZ 97

/* Measures the seconds a sample takes while this process's CPUs are busy, in 120 ms with threads of
 * its own; meanwhile this one has time for something else, best for what takes no longer than half
 * of that, the other half being what counts. NULL: nothing. Unsupported or denied: no clock could
 * be opened, or too few samples arrived. */
struct sd_value sd_sample_cost_measure(void (*meanwhile)(void *ctx), void *ctx);

/* The median of the gaps in a loop that reads the clock, ns; sorts gap[]. 0: too few. */
double sd_sample_cost_gap(double *gap, size_t n);

/* The samples a second that take at most SD_SAMPLED_MOST of a core, between the minimum and
 * SD_SAMPLED_HZ; a prime, so that it locks to no other clock. `switches`: context switches a second
 * and CPU, if known. Recording them in windows (switch_windows.h) takes 2 % of the time by itself,
 * so samples then get half. */
double sd_sample_cost_rate(struct sd_value cost_s, double switches);

#endif
