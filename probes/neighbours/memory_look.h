/*
 * Looks for a moment at what memory another process touches: samples of its CPU clock with
 * registers, and the code at them.
 */
#ifndef SD_MEMORY_LOOK_H
#define SD_MEMORY_LOOK_H

#include "base/status.h"

#define SD_MEMORY_LOOK_S .4

/* Samples the process's first thread for SD_MEMORY_LOOK_S. As sd_touched_pages(), its stack left
 * out; absent too where its addresses are not told: it ended, or this CPU's code is not decoded;
 * denied: it is another user's, and we are not allowed to. */
struct sd_value sd_memory_look(int pid);

#endif
