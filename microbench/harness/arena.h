/*
 * Memory for kernels: of a known size, with pages of a known and verified size, touched first by
 * its user.
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
	void *map; /* the mapping around it */
	size_t mapped;
};

/* Size of a page of this kind; 0 for huge pages the kernel does not have. */
size_t sd_pages_bytes(enum sd_pages pages);
/* "4KiB", "2MiB", …; "huge" when there are none. Static. */
const char *sd_pages_name(enum sd_pages pages);

/* Does the kernel give such pages to this process at all? */
int sd_pages_usable(enum sd_pages pages);

/*
 * Maps memory without touching it: private to the process, so that a page lies where the thread or
 * process that touches it first runs. 0; -ENOMEM; -ENOTSUP when the kernel has no huge pages or
 * they are turned off. *out empty on failure.
 */
int sd_arena_map(struct sd_arena *out, size_t bytes, enum sd_pages pages);

/* First touch: writes zero to one word of every page of [p, p+bytes). */
void sd_arena_touch(void *p, size_t bytes);

/*
 * The share of [p, p+bytes) that really lies in huge pages of the calling process, 0..1
 * (smaps: AnonHugePages of the mappings that make it up). Absent when it cannot be read.
 */
struct sd_value sd_arena_huge_share(const void *p, size_t bytes);

/*
 * Does the touched arena have the pages it was asked for: at least 95 % huge, or none? 0; -ENOTSUP
 * when not, -ENODATA when the kernel does not tell. `why` (may be NULL) says it in words.
 */
int sd_arena_verify(const struct sd_arena *a, char *why, size_t why_bytes);

void sd_arena_free(struct sd_arena *a); /* accepts the zeroed value */

/*
 * Bytes that may be used without pushing anything out: MemAvailable, and what the tightest memory
 * cgroup on the way to the root still allows. `root` prefixes /proc and /sys (tests); NULL is "".
 * 0 when it cannot be read.
 */
uint64_t sd_available_memory_arena(const char *root);

#endif
