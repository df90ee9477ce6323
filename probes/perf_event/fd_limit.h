/*
 * The soft limit on open files, raised while many events are opened.
 */
#ifndef SD_FILELIMIT_H
#define SD_FILELIMIT_H

#include <sys/resource.h>

/* Zeroed: as it was. */
struct sd_filelimit {
	struct rlimit before;
	int raised;
};

/* As many as the hard limit lets; 0 when that is no more. What is started meanwhile was forked
 * before. */
int sd_filelimit_raise(struct sd_filelimit *f);
void sd_filelimit_restore(struct sd_filelimit *f); /* accepts the zeroed value, leaves it */

#endif
