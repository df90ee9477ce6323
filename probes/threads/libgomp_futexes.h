/*
 * Which futexes of a program are libgomp's docks and which its barriers, looked up while threads
 * wait there: the words around them (gomp.h) are gone with the program.
 */
#ifndef SD_DOCKS_H
#define SD_DOCKS_H

#include <stdint.h>

#include "threads/libgomp_barrier.h"

#define SD_DOCKS 64 /* futexes known */

struct sd_docks {
	const char *root;
	int pid;
	struct {
		uint64_t address;
		enum sd_gomp gomp;
	} dock[SD_DOCKS];
	unsigned n;
	int denied; /* the threads' calls may not be read */
};

/* Looks where the threads of `pid` wait now: a few of them at each call. Best effort. */
void sd_docks_look(struct sd_docks *d);

/* What a futex is; its lowest three bits do not count. */
enum sd_gomp sd_docks_find(const struct sd_docks *d, int pid, uint64_t address);

#endif
