/*
 * A running thief (thief.h): a child process that dies with us, however we die.
 */
#ifndef SD_THIEF_PROCESS_H
#define SD_THIEF_PROCESS_H

#include <signal.h>
#include <sys/types.h>

#include "base/status.h"
#include "bench/thief.h"

struct sd_thief_process {
	pid_t pid;
	struct sd_thief_shown *shown;
	struct sd_value alone; /* B/s without a program beside it */
	double since;          /* s */
	uint64_t moved;        /* at `since` */
};

/*
 * Starts it and waits until it works and its speed alone is known. 0; -EINTR; -errno if it could
 * not start, with *r empty.
 */
int sd_thief_process_begin(struct sd_thief_process *r, const struct sd_thief *thief,
	const struct sd_thief_ask *ask, const volatile sig_atomic_t *stop);

/* Measures from now until sd_thief_process_rate(), which returns B/s. */
void sd_thief_process_mark(struct sd_thief_process *r);
struct sd_value sd_thief_process_rate(const struct sd_thief_process *r);

void sd_thief_process_end(struct sd_thief_process *r); /* accepts the empty value */

#endif
