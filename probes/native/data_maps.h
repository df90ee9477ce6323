/*
 * Memory that processes map: read while they live, asked for names, and for whether it can be
 * written, when lines are known.
 */
#ifndef SD_DATA_MAPS_H
#define SD_DATA_MAPS_H

#include "base/key_table.h"
#include "native/code_copies.h"
#include "trace/event.h"

#define SD_DATA_MAPS_MOST 8192u    /* mappings of a run; later ones have no name */
#define SD_DATA_MAPS_PROCESSES 64u /* of which maps are read at a look */

/* A zeroed one is empty. */
struct sd_data_maps {
	struct sd_data_map {
		int pid;
		int shared; /* other processes may map the same bytes */
		int fixed;  /* not shared, and nobody may write it */
		uint64_t start, end;
		uint64_t offset; /* in the file, of `start` */
		uint32_t major, minor;
		uint64_t inode; /* 0: of no file */
		char *name;     /* owned; as /proc/PID/maps says, "" anonymous */
	} * map;                /* owned; later ones are newer */
	size_t n;
	struct sd_key_table newest; /* (pid + 1, start) -> index + 1 */
	struct sd_key_table sizes;  /* pid + 1 -> pages of its memory at the last look + 1 */
};

/* Reads what the process and its children map now, as far as that changed, and notes executable
 * memory of no file in `code`. Files that cannot be read are left out. `root` is the prefix of
 * /proc. 0 or -ENOMEM. */
int sd_data_maps_look(
	struct sd_data_maps *m, struct sd_code_copies *code, const char *root, int pid);

/* Adds a mapping that an SD_EVENT_DATA tells of. 0 or -ENOMEM. */
int sd_data_maps_add(struct sd_data_maps *m, const struct sd_event *e);

/* Mapping i as an SD_EVENT_DATA at `time`; borrows its name. */
struct sd_event sd_data_maps_event(const struct sd_data_maps *m, size_t i, uint64_t time);

/* The newest one at an address of a process that is written or shared; NULL: none is known. */
const struct sd_data_map *sd_data_maps_at(const struct sd_data_maps *m, int pid, uint64_t address);

/* Can what is at an address of a process be written, as its newest mapping says? 1 where none is
 * known. */
int sd_data_maps_may_write(const struct sd_data_maps *m, int pid, uint64_t address);

/* "[heap]+0x40", "/dev/shm/table+0x1000", "anonymous memory of 64 MiB+0x8c0": of a file the offset
 * there, else that in the mapping. */
void sd_data_maps_name(const struct sd_data_map *map, uint64_t address, char *out, size_t size);

void sd_data_maps_free(struct sd_data_maps *m); /* leaves an empty one */

#endif
