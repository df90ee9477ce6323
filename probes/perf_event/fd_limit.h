/*
 * The soft limit on open files, raised while many events are opened.
 */
#ifndef SD_FD_LIMIT_H
#define SD_FD_LIMIT_H

#include <sys/resource.h>

/* Zeroed: as it was. */
struct sd_fd_limit {
	struct rlimit before;
	int raised;
};

/* As many as the hard limit lets; 0 when that is no more. What is started meanwhile was forked
 * before. */
int sd_fd_limit_raise(struct sd_fd_limit *f);
void sd_fd_limit_restore(struct sd_fd_limit *f); /* accepts the zeroed value, leaves it */

#endif
