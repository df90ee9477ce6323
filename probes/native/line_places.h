/*
 * Lines of one run found again in the next: by the mapping that they lie in or near, since
 * addresses differ from run to run and distances within a file's memory or the heap do not.
 */
#ifndef SD_LINE_PLACES_H
#define SD_LINE_PLACES_H

#include "native/data_maps.h"
#include "record/native_lines.h"

#define SD_LINE_PLACES 2u /* lines watched in a run at most */

/* A zeroed one is empty. */
struct sd_line_places {
	struct sd_line_place {
		char name[256];  /* of the mapping, as /proc/PID/maps says */
		uint64_t offset; /* of its first byte in the file */
		uint64_t away;   /* of the line from there; wraps around below it */
	} place[SD_LINE_PLACES];
	unsigned n;
};

/*
 * Replaces *p by the lines of a run of `wall_s` that matter and are unsure, if it has any: a
 * percent of the user time is at one, and for a tenth of that it is not sure that it is touched,
 * that turns are taken or that anybody writes, or few of its samples write it. Lines that the run
 * did not watch come first. `m`: the mappings of the run.
 */
void sd_line_places_choose(struct sd_line_places *p, const struct sd_native_lines *run,
	double wall_s, const struct sd_data_maps *m);

/* The process and address of a place now, by the newest of the first *n mappings of `m`, and *n as
 * many as are older, where other processes have it, too. 0, or -ENOENT. */
int sd_line_places_find(const struct sd_line_place *p, const struct sd_data_maps *m, size_t *n,
	int *pid, uint64_t *address);

#endif
