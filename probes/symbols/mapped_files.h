/*
 * Keeps files mapped by running processes open, since they may be deleted, replaced or unreachable
 * (another mount namespace) when their addresses are looked up.
 */
#ifndef SD_MAPPED_FILES_H
#define SD_MAPPED_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "base/key_table.h"

struct sd_target_trees;
struct sd_target_view;

struct sd_heldfile {
	char *path; /* owned, as the process sees it */
	uint64_t inode;
	uint32_t major, minor;
	int fd;
	int view; /* number of its process's in the trees; -1: not known */
};

struct sd_mapped_files {
	struct sd_heldfile *file; /* owned */
	size_t n, limit;
	struct sd_target_trees *trees; /* borrowed; NULL: none are noted */
	struct sd_key_table
		seen;            /* pid + 1 -> fingerprint of its address space at the last visit */
	struct sd_key_table jit; /* pid + 1 -> descriptor + 1 */
};

void sd_mapped_files_open(struct sd_mapped_files *h); /* uses a share of the descriptor limit */
void sd_mapped_files_close(struct sd_mapped_files *h);

/* Has pid's address space (program or size) changed since the last call? */
int sd_mapped_files_changed(struct sd_mapped_files *h, int pid);

/* Calls `each` for every executable mapping of pid, as an event, and keeps files open where
 * possible. 0; -errno: no such process; or what `each` returned. */
int sd_mapped_files_read(struct sd_mapped_files *h, int pid,
	int (*each)(void *ctx, const struct sd_event *map), void *ctx);

/* The descriptor of the process's JIT map, which *h owns, or -ENOENT. */
int sd_mapped_files_jit(const struct sd_mapped_files *h, int pid);

#endif
