/*
 * The memory of a cache line in words: whose it is, and which bytes.
 */
#ifndef SD_LINE_MEMORY_H
#define SD_LINE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "record/native_lines.h"
#include "record/simulated.h"
#include "record/stacks.h"

/* Is it the name of a mapping or of a block, and no object's: "[heap]+0x40", "/dev/shm/x+0x40",
 * "anonymous memory of 64 MiB+0x8c0", "heap block of 16 bytes at +0"? */
int sd_line_memory_is_mapping(const char *name);

/* Is it, or may it be (NULL: nobody told), memory of an allocator: of no file and no variable? */
int sd_line_memory_is_heap(const char *name);

/* Why it is not known who asked for a run's heap blocks, as a clause. */
const char *sd_line_memory_unasked(const struct sd_native_lines *n);

/* "counters+0x40", "memory allocated in make() a.c:12", "the line 0x7f0040"; unsanitized. `site`:
 * the node that allocated it, which may be of another run; 0 unknown. */
void sd_line_memory_text(const struct sd_stacks *s, const struct sd_sim_contested *l, unsigned site,
	char *out, size_t size);

/* Writes which bytes of a line of `line` bytes a mask of 64 bits holds, "0-7" or "0-7, 32-39"; ""
 * for none. Returns `out`. */
const char *sd_line_memory_bytes(uint64_t mask, unsigned line, char *out, size_t size);

#endif
