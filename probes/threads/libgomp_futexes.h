/*
 * Finds out which futexes of a program are libgomp's docks and which its barriers while threads
 * wait at them, since the words around them (libgomp_barrier.h) vanish with the program.
 */
#ifndef SD_LIBGOMP_FUTEXES_H
#define SD_LIBGOMP_FUTEXES_H

#include <stdint.h>

#include "threads/libgomp_barrier.h"

#define SD_LIBGOMP_FUTEXES 64 /* futexes known */

struct sd_libgomp_futexes {
	const char *root;
	int pid;
	struct {
		uint64_t address;
		enum sd_libgomp_barrier gomp;
	} dock[SD_LIBGOMP_FUTEXES];
	unsigned n;
	int denied; /* the threads' system calls may not be read */
};

/* Checks where the threads of `pid` wait now, a few of them at each call. Best effort. */
void sd_libgomp_futexes_look(struct sd_libgomp_futexes *d);

#endif
