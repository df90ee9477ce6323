/*
 * How much of a file the kernel has in its page cache.
 */
#ifndef SD_PAGECACHE_H
#define SD_PAGECACHE_H

#include "base/status.h"

/* Of the open file's first `size` bytes, those that are cached. Denied: it is another user's, whose
 * cache the kernel does not show (mincore(2) says "all" then). */
struct sd_value sd_pagecache_bytes(int fd, double size);

#endif
