/*
 * The CPUs that each thread of a running program may use: saved, narrowed, put back.
 */
#ifndef SD_THREAD_MASKS_H
#define SD_THREAD_MASKS_H

#include <stddef.h>
#include <stdint.h>

#include "attach/attached.h"
#include "base/cpulist.h"

struct sd_thread_mask {
	int pid, tid;
	uint64_t start; /* clock ticks after boot: a later thread may have its number */
	/* owned; m->bytes of each. What it had, or chose meanwhile; what we give it now, and gave
	 * it before that: NULL, nothing yet. A thread that has neither has chosen anew. */
	unsigned long *words, *given, *before;
};

/* Zeroed is empty. */
struct sd_thread_masks {
	struct sd_thread_mask *thread; /* owned; in the order in which they were found */
	size_t n;
	size_t bytes; /* of the kernel's CPU masks */
	int differs; /* the kernel gave a thread other CPUs than it was to have; `given` has them */
};

/* Saves those of all threads that *a has now. 0; -ESRCH: there are none; -ENOMEM. */
int sd_thread_masks_save(struct sd_thread_masks *m, const struct sd_attached *a);

/*
 * Plans the CPUs of all threads that *a has now, out of `cpus`; changes nothing yet. A thread that
 * was bound to a part of them stays bound to it. One that has not what it was given last has chosen
 * anew: that is what it will get back. 0 or -ENOMEM.
 */
int sd_thread_masks_plan(
	struct sd_thread_masks *m, const struct sd_attached *a, const struct sd_cpulist *cpus);

/*
 * Gives it to them. Threads that come up meanwhile inherit the mask of their maker, or are found
 * when the list is repeated. 0; -EPERM: they are another user's; -EINVAL: none of `cpus` may be
 * used; -ENOMEM.
 */
int sd_thread_masks_narrow(
	struct sd_thread_masks *m, const struct sd_attached *a, const struct sd_cpulist *cpus);

/*
 * Gives every thread that *a has now, and that still has what it was given, what it had before; one
 * that is new since and inherited that, what the saved threads of its process had together, or, of
 * a new process, all of them. Returns how many could not be: 0 is all done. *changed: how many
 * were.
 */
size_t sd_thread_masks_restore(
	const struct sd_thread_masks *m, const struct sd_attached *a, size_t *changed);

void sd_thread_masks_free(struct sd_thread_masks *m); /* accepts the zeroed value */

#endif
