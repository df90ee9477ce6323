/*
 * Files that running processes have mapped, kept open: they may be deleted, replaced or out of
 * reach (another mount namespace) when their addresses are looked up.
 */
#ifndef SD_HELD_H
#define SD_HELD_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"
#include "base/key_table.h"

struct sd_heldfile {
	char *path; /* owned, as the process names it */
	uint64_t inode;
	uint32_t major, minor;
	int fd;
};

struct sd_held {
	struct sd_heldfile *file; /* owned */
	size_t n, size, limit;
	struct sd_keytable seen; /* pid + 1 -> what its address space was like at the last visit */
	struct sd_keytable jit;  /* pid + 1 -> descriptor + 1 */
};

void sd_held_open(struct sd_held *h); /* with a share of the descriptors that the limit allows */
void sd_held_close(struct sd_held *h);

/* Whether pid has another address space than at the last call: another program or size. */
int sd_held_changed(struct sd_held *h, int pid);

/* Every executable mapping of pid, as an event; what can be is kept open. 0, -errno when there is
 * no such process, or what `each` returned. */
int sd_held_read(
	struct sd_held *h, int pid, int (*each)(void *ctx, const struct sd_event *map), void *ctx);

/* Its own descriptor of the process's JIT map, or -ENOENT. */
int sd_held_jit(const struct sd_held *h, int pid);

#endif
