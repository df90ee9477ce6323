/*
 * The CPUs that each thread of a running program may use: saved, narrowed, put back.
 */
#ifndef SD_THREAD_MASKS_H
#define SD_THREAD_MASKS_H

#include <stddef.h>

#include "attach/attached.h"
#include "base/cpulist.h"

struct sd_thread_mask;

/* Zeroed is empty. */
struct sd_thread_masks {
	struct sd_thread_mask *thread; /* owned; in the order in which they were found */
	size_t n, room;
	size_t bytes; /* of the kernel's CPU masks */
};

/* Saves those of all threads that *a has now. 0; -ESRCH: there are none; -ENOMEM. */
int sd_thread_masks_save(struct sd_thread_masks *m, const struct sd_attached *a);

/*
 * Puts all threads that *a has now on `cpus`. One that was bound to a part of them stays bound to
 * it. Threads that come up meanwhile inherit the mask of their maker, or are found when the list is
 * repeated. 0; -EPERM: they are another user's; -EINVAL: none of `cpus` may be used; -ENOMEM.
 */
int sd_thread_masks_narrow(const struct sd_thread_masks *m, const struct sd_attached *a,
	const struct sd_cpulist *cpus);

/*
 * Gives every thread that *a has now what it had when it was saved; one that is new since, what the
 * saved threads of its process had together, or, of a new process, all of them. Returns how many
 * could not be: 0 is all done.
 */
size_t sd_thread_masks_restore(const struct sd_thread_masks *m, const struct sd_attached *a);

void sd_thread_masks_free(struct sd_thread_masks *m); /* accepts the zeroed value */

#endif
