/*
 * Programs in the kernel that record context switches and wake-ups (switch_code.h): loading them,
 * and the rings that they write.
 */
#ifndef SD_SWITCH_PROGRAMS_H
#define SD_SWITCH_PROGRAMS_H

#include "bpf/switch_ring.h"

/* Zeroed is closed. */
struct sd_switch_programs {
	int open;
	int rings, stacks; /* maps: of rings, and of the events that write stacks, by CPU */
	struct sd_switch_ring *ring; /* mapped; of each CPU that the machine has, `cpus` */
	unsigned cpus;
	int at[2]; /* where they are attached: switches and wake-ups */
};

/*
 * Loads and attaches both; no CPU is recorded before it has a ring. 0, or what keeps them from it:
 * -EPERM, -EACCES: denied; -ENOENT: the kernel does not describe its types; -EOPNOTSUPP: before
 * Linux 5.18; -EXDEV: it counts threads otherwise than this process does, which is in a PID
 * namespace; others: it refuses them.
 */
int sd_switch_programs_open(struct sd_switch_programs *p);

void sd_switch_programs_close(struct sd_switch_programs *p); /* accepts a closed one, leaves it */

/* A CPU's ring, whose stacks `event` writes; switched off, and of the programs, which must be
 * closed later. 0; -ENODEV: a CPU that the machine did not have; or another -errno. */
int sd_switch_programs_ring(
	struct sd_switch_programs *p, unsigned cpu, int event, struct sd_switch_ring **out);

#endif
