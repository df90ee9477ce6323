/*
 * Memory for kernels, of known size, with a verified page size, first touched by its user.
 */
#ifndef SD_ARENA_H
#define SD_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum sd_pages {
	SD_PAGES_BASE, /* the kernel's base page, 4 KiB on most machines; never a huge one */
	SD_PAGES_HUGE, /* transparent huge pages, 2 MiB on most machines */
	SD_PAGES_COUNT
};

struct sd_arena {
	unsigned char *base; /* aligned to the huge page size */
	size_t bytes;        /* as asked, rounded up to whole huge pages */
	enum sd_pages pages;
	void *map; /* the enclosing mapping */
	size_t mapped;
};

/* Size of a page of this kind; 0 for huge pages if the kernel has none. */
size_t sd_pages_bytes(enum sd_pages pages);
/* "4KiB", "2MiB", …; "huge" if there are none. Static. */
const char *sd_pages_name(enum sd_pages pages);

/* Does the kernel give such pages to this process at all? */
int sd_pages_usable(enum sd_pages pages);

/*
 * Maps private memory without touching it, so that each page is placed where its first toucher
 * runs. 0; -ENOMEM; -ENOTSUP: no huge pages, or turned off. *out is empty on failure.
 */
int sd_arena_map(struct sd_arena *out, size_t bytes, enum sd_pages pages);

/* First touch: writes zero to one word of every page of [p, p+bytes). */
void sd_arena_touch(void *p, size_t bytes);

/*
 * The share of [p, p+bytes) that actually is in huge pages of the calling process, 0..1 (smaps:
 * AnonHugePages of its mappings). Absent if unreadable.
 */
struct sd_value sd_arena_huge_share(const void *p, size_t bytes);

/*
 * Does the touched arena have the requested pages: at least 95 % huge, or none? 0; -ENOTSUP: no;
 * -ENODATA: the kernel does not tell. `why` (may be NULL) explains.
 */
int sd_arena_verify(const struct sd_arena *a, char *why, size_t why_bytes);

void sd_arena_free(struct sd_arena *a); /* accepts the zeroed value */

/*
 * Bytes that can be allocated without reclaiming anything: the least of MemAvailable and the room
 * in the tightest memory cgroup up to the root. `root` prefixes /proc and /sys (tests); NULL is "".
 * 0 if unreadable.
 */
uint64_t sd_available_memory_arena(const char *root);

#endif
