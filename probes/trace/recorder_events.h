/*
 * The events of a recorder: what they are asked for, which of them the kernel allows, and their one
 * ring.
 */
#ifndef SD_RECORDER_EVENTS_H
#define SD_RECORDER_EVENTS_H

#include "trace/cpu_recorder.h"

/* With a context switch half of the stack is copied that a sample takes, and never more than half
 * of the usual: what waits is often a few frames from the program, and there may be many more of
 * them.
 */
#define SD_RECORDER_SWITCH_STACK(recording) \
	(((recording)->stack < SD_RECORDER_STACK ? (recording)->stack : SD_RECORDER_STACK) / 2)

/*
 * Stacks of switches a second that a thread may write, or the whole CPU with its idle task and all
 * of its threads. On a virtual machine one costs what it interrupts up to 20 us: two chains, the
 * copy, and the way out of the ring; 1000 a second are 2 % of a CPU.
 *
 * Events of threads are asked for that rate: the kernel takes one of several switches by itself. It
 * reckons with the rate of a moment, and what it found too often in a burst it takes seldom until
 * the next tick or sample, which on an idle CPU is far away: asked for 25,000 a second of a CPU
 * that switched 600 times, it left out 40 to 97 % (Linux 6.18). So whole CPUs write every switch's
 * stack, and when they switch often that of each n-th, with n that no round of a few threads and
 * the idle task divides. What a CPU may write before it is read is bounded by the kernel, too
 * (PERF_EVENT_IOC_REFRESH): a burst ends the stacks, and not the room for all other records.
 */
#define SD_RECORDER_SWITCH_HZ 1000

/* Sets the layout of the events' records as it is before the kernel was asked. */
void sd_recorder_events_layout(struct sd_rawlayout *out);

/* Programs in the kernel record switches and wake-ups of this recording. */
int sd_recorder_events_programs(const struct sd_recording *r);

/* As sd_cpu_recorder_open(), into one that is closed but for its CPU; after an error it holds what
 * was opened. */
int sd_recorder_events_open(
	struct sd_cpu_recorder *out, struct sd_recording *r, size_t size, int whole);

#endif
