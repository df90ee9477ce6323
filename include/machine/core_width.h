/*
 * The observed width of a core: how many independent additions it executes in the time of one
 * dependent addition. The clock cancels out. Two busy hardware threads of a core share its issue
 * slots, and each sees about half of them. So a CPU whose width has dropped is sharing its core
 * right now, even where a hypervisor presents every hardware thread as a core and reports no steal
 * time. Source: Intel 64 and IA-32 Architectures Optimization Reference Manual, "Hyper-Threading
 * Technology" (execution resources are shared by the logical processors of a core).
 */
#ifndef SD_CORE_WIDTH_H
#define SD_CORE_WIDTH_H

/* The current width of the calling thread's CPU; takes about 3 us. 0 if the measurement was
 * interrupted. */
double sd_core_width_look(void);

#endif
