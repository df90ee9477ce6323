/*
 * Raises the soft limit on open files while many events are open.
 */
#ifndef SD_FD_LIMIT_H
#define SD_FD_LIMIT_H

#include <sys/resource.h>

/* Zeroed: not raised. */
struct sd_fd_limit {
	struct rlimit before;
	int raised;
};

/* Raises it to the hard limit; 0 if that is no higher. Programs started meanwhile are not affected:
 * they were forked before. */
int sd_fd_limit_raise(struct sd_fd_limit *f);
void sd_fd_limit_restore(struct sd_fd_limit *f); /* accepts the zeroed value, leaves it */

#endif
