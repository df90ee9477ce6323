/*
 * The end, where a library or the kernel leaves no way back when there is no memory: libdw ends the
 * process by itself with status 1, which would mean that a check was not met; a stack that cannot
 * grow is a segmentation fault.
 */
#ifndef SD_OUT_OF_MEMORY_H
#define SD_OUT_OF_MEMORY_H

#include <stdnoreturn.h>

/* What "could not measure, read or write" is as an exit status. */
#define SD_OUT_OF_MEMORY_STATUS 4

/*
 * Says so on standard error and ends the process with the status above. Finished runs are in their
 * file by then. May be called from a signal handler.
 */
noreturn void sd_out_of_memory(void);

/*
 * Is there room for `bytes` more in the address space (`ulimit -v`)? Asked before a library that
 * asserts that it gets memory: nothing is kept of it, and no page is touched.
 */
int sd_out_of_memory_room(unsigned long bytes);

#endif
