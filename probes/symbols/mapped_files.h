/*
 * Files that running processes have mapped, kept open: they may be deleted, replaced or out of
 * reach (another mount namespace) when their addresses are looked up.
 */
#ifndef SD_MAPPED_FILES_H
#define SD_MAPPED_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "base/key_table.h"

struct sd_heldfile {
	char *path; /* owned, as the process names it */
	uint64_t inode;
	uint32_t major, minor;
	int fd;
};

struct sd_mapped_files {
	struct sd_heldfile *file; /* owned */
	size_t n, size, limit;
	struct sd_key_table seen; /* pid + 1 -> what its address space was like at the last visit */
	struct sd_key_table jit;  /* pid + 1 -> descriptor + 1 */
};

void sd_mapped_files_open(
	struct sd_mapped_files *h); /* with a share of the descriptors that the limit allows */
void sd_mapped_files_close(struct sd_mapped_files *h);

/* Whether pid has another address space than at the last call: another program or size. */
int sd_mapped_files_changed(struct sd_mapped_files *h, int pid);

/* Every executable mapping of pid, as an event; what can be is kept open. 0, -errno when there is
 * no such process, or what `each` returned. */
int sd_mapped_files_read(struct sd_mapped_files *h, int pid,
	int (*each)(void *ctx, const struct sd_event *map), void *ctx);

/* Its own descriptor of the process's JIT map, or -ENOENT. */
int sd_mapped_files_jit(const struct sd_mapped_files *h, int pid);

#endif
