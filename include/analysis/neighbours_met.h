/*
 * Neighbours of all runs of a record: other processes that worked beside them, and how they
 * disturb.
 */
#ifndef SD_NEIGHBOURS_MET_H
#define SD_NEIGHBOURS_MET_H

#include <stddef.h>

#include "record/record.h"

/* How it disturbs; of several the first. */
enum sd_neighbour_kind {
	SD_NEIGHBOUR_KIND_REAL_TIME,
	SD_NEIGHBOUR_KIND_MEMORY, /* the shared cache, and the bandwidth of memory */
	SD_NEIGHBOUR_KIND_DISK,
	SD_NEIGHBOUR_KIND_SHORT, /* processes that soon end */
	SD_NEIGHBOUR_KIND_BOUND,
	SD_NEIGHBOUR_KIND_CPU, /* nothing but CPU time is known */
	SD_NEIGHBOUR_KINDS
};
extern const char *const sd_neighbour_kind_name[SD_NEIGHBOUR_KINDS];

enum sd_neighbour_kind sd_neighbour_kind(const struct sd_neighbour *n);

/* "goes through memory, 60 MB at least": what follows its name. */
void sd_neighbour_does(const struct sd_neighbour *n, char *out, size_t size);

/* Neighbours of all runs, those with most CPU time first: each has the mean of the runs that met
 * it, and the largest of `disk` and `memory`. */
#define SD_NEIGHBOURS_MET 8u
struct sd_neighbours_met {
	struct sd_neighbour_met {
		struct sd_neighbour who;
		unsigned runs; /* that met it */
	} row[SD_NEIGHBOURS_MET];
	size_t n;
};

void sd_neighbours_met(const struct sd_record *r, struct sd_neighbours_met *out);

#endif
