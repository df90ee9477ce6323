/*
 * How long to stop recording switches if a CPU makes too many.
 *
 * A recorded switch takes a CPU about a microsecond: two records of 0.4 us each in the kernel, on a
 * virtual machine, plus reading them. We skip whole intervals and not individual switches, because
 * what a thread did is known only between two consecutive recorded switches. Their length is
 * random, or they would lock to the rounds of a periodic program.
 */
#ifndef SD_SWITCH_WINDOWS_H
#define SD_SWITCH_WINDOWS_H

#include <stdint.h>

#include "record/sampled.h"

/* Length of the recorded windows between them: some hundred switches of each busy CPU. */
#define SD_SWITCH_WINDOWS_NS ((uint64_t)(SD_SAMPLED_WINDOW_S * 1e9))

/* Up to the first rate, switches a second and CPU, all are recorded. Above it the second number on
 * average, or the third if wake-ups, which are as many, are recorded too. */
#define SD_SWITCH_WINDOWS_ALL_HZ 10000
#define SD_SWITCH_WINDOWS_HZ 4000
#define SD_SWITCH_WINDOWS_WOKEN_HZ 2200

/* With programs in the kernel (bpf/switch_programs.h) all are recorded up to this rate. */
#define SD_SWITCH_WINDOWS_PROGRAMS_HZ 100000

/* Zeroed is the initial state. */
struct sd_switch_windows {
	uint32_t random;
};

/* ns to skip after an interval in which the busiest CPU made `rate` switches a second; 0: none.
 * `wakes`: wake-ups are recorded. `thin`: whatever the rate, of so much time one part is recorded
 * on average; up to 1 all of it. */
uint64_t sd_switch_windows_gap(struct sd_switch_windows *w, double rate, int wakes, double thin);

#endif
