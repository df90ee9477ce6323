/*
 * Intermediate results, a line for each core count, shown above the progress line while measuring.
 */
#ifndef SD_LIVE_TABLE_H
#define SD_LIVE_TABLE_H

#include <stddef.h>

#include "record/record.h"

/*
 * " 2 cores 4 runs 0.301 s efficiency 66 % ±1.2" for each point with a good run; marks `now`, the
 * count of the current run. Before any of them, what the warm-up took. At most `lines` lines; the
 * largest counts are dropped first. Ends in a newline unless empty. The caller frees it; NULL: out
 * of memory.
 */
char *sd_live_table(const struct sd_record *r, unsigned now, size_t lines);

#endif
