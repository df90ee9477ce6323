/*
 * What is known so far, a line a core count: shown above the progress line while runs go on.
 */
#ifndef SD_LIVE_TABLE_H
#define SD_LIVE_TABLE_H

#include <stddef.h>

#include "record/record.h"

/*
 * "   2 cores   4 runs   0.301 s   efficiency 66 % ±1.2" for each point that has a good run; `now`,
 * the count of the run in flight, is marked. At most `lines` lines, the largest counts first to go.
 * Ends in a newline unless it is empty. A fresh string or NULL.
 */
char *sd_live_table(const struct sd_record *r, unsigned now, size_t lines);

#endif
