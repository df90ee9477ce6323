/*
 * Bytes of a cache line in words.
 */
#ifndef SD_LINE_BYTES_H
#define SD_LINE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Writes which bytes of a line of `line` bytes a mask of 64 bits holds, "0-7" or "0-7, 32-39"; ""
 * for none. Returns `out`. */
const char *sd_line_bytes(uint64_t mask, unsigned line, char *out, size_t size);

#endif
