/*
 * The names of functions that take and give back locks, from configs/sections.
 */
#ifndef SD_FIX_LOCKS_H
#define SD_FIX_LOCKS_H

#include "base/configs.h"

#define SD_FIX_LOCKS 64

struct sd_fix_locks {
	struct sd_fix_lock {
		char enter[64],
			leave[64]; /* leave "": the first is a type, whose objects have it */
		int limits;        /* how many at a time, and perhaps no data */
		int method;        /* both are called of the lock, and have no argument */
	} row[SD_FIX_LOCKS];
	size_t n;
};

/* Reads those of a folder of configs; NULL: the program's own. 0 or -errno after a message. */
int sd_fix_locks_read(struct sd_fix_locks *out, const char *dir, const struct sd_sink *sink);

#endif
