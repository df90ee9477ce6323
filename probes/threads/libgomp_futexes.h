/*
 * Which futexes of a program are libgomp's docks and which its barriers, looked up while threads
 * wait there: the words around them (libgomp_barrier.h) are gone with the program.
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
	int denied; /* the threads' calls may not be read */
};

/* Looks where the threads of `pid` wait now: a few of them at each call. Best effort. */
void sd_libgomp_futexes_look(struct sd_libgomp_futexes *d);

/* What a futex is; its lowest three bits do not count. */
enum sd_libgomp_barrier sd_libgomp_futexes_find(
	const struct sd_libgomp_futexes *d, int pid, uint64_t address);

#endif
