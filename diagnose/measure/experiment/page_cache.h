/*
 * How much of a file the kernel has in its page cache.
 */
#ifndef SD_PAGE_CACHE_H
#define SD_PAGE_CACHE_H

#include "base/status.h"

/* Of the open file's first `size` bytes, those that are cached. Denied: it is another user's, whose
 * cache the kernel does not show (mincore(2) says "all" then). */
struct sd_value sd_page_cache_bytes(int fd, double size);

#endif
