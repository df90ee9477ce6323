/*
 * How much of a file the kernel has in its page cache.
 */
#ifndef SD_PAGE_CACHE_H
#define SD_PAGE_CACHE_H

#include "base/status.h"

/* How many of the open file's first `size` bytes are cached. Denied: the file belongs to another
 * user, whose cache the kernel does not reveal (mincore(2) then says "all"). */
struct sd_value sd_page_cache_bytes(int fd, double size);

#endif
