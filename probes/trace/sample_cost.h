/*
 * What a sample of the CPU clock takes from the code that it interrupts, measured on this machine,
 * and how many a second that allows.
 *
 * It is the interrupt that costs, and on virtual machines it differs: 15 to 17 us on two of them,
 * 45 to 60 us on a third (a hypervisor without hardware support for it), where 401 samples a second
 * were 2.1 % of a core.
 */
#ifndef SD_SAMPLE_COST_H
#define SD_SAMPLE_COST_H

#include <stddef.h>

#include "base/status.h"

/* However much they cost: fewer say too little. */
#define SD_SAMPLE_COST_LEAST_HZ 97

/* Seconds that one takes while all CPUs of this process are busy, from 120 ms of samples of
 * threads made for it; unsupported or denied: no clock may be opened, or too few samples came. */
struct sd_value sd_sample_cost_measure(void);

/* The median of the gaps in a loop on the clock, ns: sorts them. 0: too few to tell. */
double sd_sample_cost_gap(double *gap, size_t n);

/* Samples a second that take no more of a core than SD_SAMPLED_MOST, from the least to
 * SD_SAMPLED_HZ; a prime number, so that no other clock keeps step with it. `switches`: of context,
 * a second and CPU, as far as it is known. Where they are recorded in windows (switch_windows.h)
 * that takes 2 % of the time by itself, and samples have half as much. */
double sd_sample_cost_rate(struct sd_value cost_s, double switches);

#endif
