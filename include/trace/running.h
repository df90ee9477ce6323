/*
 * A program that runs already, and is looked at without being started.
 */
#ifndef SD_RUNNING_H
#define SD_RUNNING_H

#include <stddef.h>
#include <sys/types.h>

/* Its processes; whatever they start from now on belongs to it as well. */
struct sd_running {
	const pid_t *pid; /* n, at least 1 */
	size_t n;
};

#endif
