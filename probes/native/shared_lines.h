/*
 * Memory that several processes map: their touches of it meet by file and offset.
 */
#ifndef SD_SHARED_LINES_H
#define SD_SHARED_LINES_H

#include "native/data_maps.h"

/* Zeroed is empty. */
struct sd_shared_lines {
	const struct sd_data_map **map; /* owned, of shared files; by process and address */
	size_t n;
};

/* Those of `m`, which is borrowed. 0 or -ENOMEM. */
int sd_shared_lines_make(struct sd_shared_lines *s, const struct sd_data_maps *m);

/* Converts an address of a process to a file's memory: a number of the file that no process's
 * memory has, and the offset there. Leaves what is in no shared file. */
void sd_shared_lines_place(
	const struct sd_shared_lines *s, int pid, uint64_t *space, uint64_t *address);

/* A mapping of that file and offset, in any process; NULL: `space` is a process's. */
const struct sd_data_map *sd_shared_lines_map(
	const struct sd_shared_lines *s, uint64_t space, uint64_t offset);

void sd_shared_lines_free(struct sd_shared_lines *s); /* leaves an empty one */

#endif
