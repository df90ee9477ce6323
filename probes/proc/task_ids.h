/*
 * The threads of a process, by their ids.
 */
#ifndef SD_TASK_IDS_H
#define SD_TASK_IDS_H

#include <stddef.h>

/* Zeroed is empty. */
struct sd_task_ids {
	int *tid; /* owned; rising */
	size_t n, room;
};

/*
 * Adds the threads that process `pid` has now and that are not in the list: threads are made while
 * others are listed, so callers repeat it until nothing is new. `root` is the prefix of /proc.
 * Returns how many were added; -ESRCH: there is no such process; -ENOMEM.
 */
int sd_task_ids_add(struct sd_task_ids *ids, const char *root, int pid);

/* Adds one. 1: it is new; 0: it was there; -ENOMEM. */
int sd_task_ids_insert(struct sd_task_ids *ids, int tid);

void sd_task_ids_free(struct sd_task_ids *ids); /* accepts the zeroed value */

#endif
