/*
 * A thief (thief.h) at work: a process of our own that is gone when we are, however we went.
 */
#ifndef SD_ROBBERY_H
#define SD_ROBBERY_H

#include <signal.h>
#include <sys/types.h>

#include "base/status.h"
#include "bench/thief.h"

struct sd_robbery {
	pid_t pid;
	struct sd_thief_shown *shown;
	struct sd_value alone; /* B/s with nothing beside it */
	double since;          /* s */
	uint64_t moved;        /* at `since` */
};

/*
 * Starts it and waits until it is at work and its speed alone is known. 0; -EINTR; -errno of what
 * it could not begin with, *r empty.
 */
int sd_robbery_begin(struct sd_robbery *r, const struct sd_thief *thief,
	const struct sd_thief_ask *ask, const volatile sig_atomic_t *stop);

/* From now on, until sd_robbery_rate(): B/s. */
void sd_robbery_mark(struct sd_robbery *r);
struct sd_value sd_robbery_rate(const struct sd_robbery *r);

void sd_robbery_end(struct sd_robbery *r); /* accepts the empty value */

#endif
