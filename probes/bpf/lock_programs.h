/*
 * Programs in the kernel that add up what processes wait for its locks (lock_code.h): loading them,
 * saying which processes, and reading the sums.
 */
#ifndef SD_LOCK_PROGRAMS_H
#define SD_LOCK_PROGRAMS_H

#include <sys/types.h>

#include "bpf/lock_code.h"

#define SD_LOCK_PROGRAMS_FRAMES 40u /* of a stack, innermost first; outer ones are cut */

/* Zeroed is closed. */
struct sd_lock_programs {
	int open;
	struct sd_lock_maps maps;
	unsigned cpus;                                   /* that can be */
	int program[SD_LOCK_POINTS], at[SD_LOCK_POINTS]; /* at: where they are attached */
	uint64_t since, until; /* ns: this spell began, and ends; of not timing, if `paused` */
	uint64_t on, off;      /* ns of such spells so far, without this one */
	uint64_t seen;         /* waits of a CPU before this spell, the most */
	uint64_t lost;         /* waits without room, before this spell */
	int paused;
};

/* Waits of one kind, waiter's stack and stack of whoever woke it. */
struct sd_lock_waits {
	unsigned flags;              /* SD_LOCK_CODE_...; 0: all kinds, for want of room */
	uint64_t waits, ns, longest; /* longest: ns; the others of the whole time, by the spells */
	uint64_t recorded;           /* of the waits: those that were timed */
	/* addresses in the kernel, and then 0; none: not known, or nobody woke it */
	uint64_t waiter[SD_LOCK_PROGRAMS_FRAMES], holder[SD_LOCK_PROGRAMS_FRAMES];
};

/* Loads and attaches them; nobody is watched yet. 0, or what keeps them from it, as
 * sd_switch_programs_open() (bpf/switch_programs.h) says; -EOPNOTSUPP: before Linux 5.19. */
int sd_lock_programs_open(struct sd_lock_programs *p);

/* Watches a process, its threads, and what they fork from now on. 0 or -errno. */
int sd_lock_programs_watch(struct sd_lock_programs *p, pid_t pid);

/*
 * Waits of more than 100,000 a second and CPU are timed in spells: even those that are left out
 * take .06 us. Call it as often as it says, with the time (CLOCK_MONOTONIC, ns): it begins and ends
 * the spells. Returns the ns until the next call.
 */
uint64_t sd_lock_programs_pace(struct sd_lock_programs *p, uint64_t now_ns);

/* Ends watching, takes what was summed since the last time, and forgets it. *out is owned by the
 * caller (free()), NULL and *n 0 without any waits. 0, -ENOMEM or -errno. */
int sd_lock_programs_take(struct sd_lock_programs *p, struct sd_lock_waits **out, size_t *n);

void sd_lock_programs_close(struct sd_lock_programs *p); /* accepts a closed one, leaves it */

#endif
