/*
 * The width of a core, as one finds it: how many additions that do not depend on each other it does
 * in the time of one that depends on the last. The clock cancels. Two busy hardware threads of one
 * core share its issue slots, and each finds about half of it: so a CPU whose width has fallen
 * shares its core right now, also where a hypervisor shows every hardware thread as a core of its
 * own and counts no time as stolen.
 * Source: Intel 64 and IA-32 Architectures Optimization Reference Manual, "Hyper-Threading
 * Technology" (execution resources are shared by the logical processors of a core).
 */
#ifndef SD_CORE_WIDTH_H
#define SD_CORE_WIDTH_H

/* Of the calling thread's CPU, now; about 3 us. 0 when the look was interrupted. */
double sd_core_width_look(void);

#endif
