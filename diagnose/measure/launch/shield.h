/*
 * Precedence for the program's runs over other work on its CPUs, where we may give it: what others
 * do then costs them time, and not the program. No real-time class: a program that does not end
 * would take the machine with it.
 */
#ifndef SD_SHIELD_H
#define SD_SHIELD_H

#include "machine/private_cgroup.h"

/* Zeroed: there is none. */
struct sd_shield {
	struct sd_private_cgroup program, self;
};

/*
 * Makes two cgroups, and moves this process into one: who reads what the kernel records of the
 * program must not wait behind it. 0, or -errno as of sd_private_cgroup_weight() and *s zeroed.
 */
int sd_shield_open(struct sd_shield *s);

/* A process with its future children goes first. 1: it does; 0: there is no shield, or it could not
 * be moved. */
int sd_shield_add(const struct sd_shield *s, pid_t pid);

/* All goes back. Leaves the zeroed value; accepts it. */
void sd_shield_close(struct sd_shield *s);

#endif
