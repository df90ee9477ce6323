/*
 * For how long switches are not recorded where a CPU makes too many of them.
 *
 * A recorded switch takes a CPU about a microsecond: two records of 0.4 us each in the kernel, on a
 * virtual machine, and their way out of the ring. What is left out is whole stretches of time and
 * not one switch of several: between two switches of a thread that are both seen it is known what
 * it did. They are of random length, or they would always meet the same phase of a program that
 * works in rounds.
 */
#ifndef SD_SWITCH_WINDOWS_H
#define SD_SWITCH_WINDOWS_H

#include <stdint.h>

#include "record/sampled.h"

/* Between two of them switches are recorded for so long: some hundred of each busy CPU. */
#define SD_SWITCH_WINDOWS_NS ((uint64_t)(SD_SAMPLED_WINDOW_S * 1e9))

/* Switches a second and CPU of which all are recorded; of more, on average the second number, or
 * the third where wake-ups are recorded besides: there are as many. */
#define SD_SWITCH_WINDOWS_ALL_HZ 10000
#define SD_SWITCH_WINDOWS_HZ 4000
#define SD_SWITCH_WINDOWS_WOKEN_HZ 2200

/* Zeroed is the beginning. */
struct sd_switch_windows {
	uint32_t random;
};

/* ns to leave out after a time in which the busiest CPU switched `rate` times a second; 0: none.
 * `wakes`: wake-ups are recorded. */
uint64_t sd_switch_windows_gap(struct sd_switch_windows *w, double rate, int wakes);

#endif
