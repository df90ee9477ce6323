/*
 * Out of memory where a library or the kernel gives no way to recover: libdw would exit with status
 * 1, our status for a failed check; a stack that cannot grow is a segmentation fault.
 */
#ifndef SD_OUT_OF_MEMORY_H
#define SD_OUT_OF_MEMORY_H

#include <stdnoreturn.h>

/* The exit status for "could not measure, read or write". */
#define SD_OUT_OF_MEMORY_STATUS 4

/*
 * Reports it on standard error and exits with the status above. Finished runs have been saved by
 * then. Async-signal-safe.
 */
noreturn void sd_out_of_memory(void);

/* Has the C++ library, which a library of ours brings with it, call the above where it would throw
 * what nobody here catches. */
void sd_out_of_memory_of_new(void);

/*
 * Is there room for `bytes` more in the address space (`ulimit -v`)? For callers of libraries that
 * assert on allocation failure. Nothing stays allocated and no page is touched.
 */
int sd_out_of_memory_room(unsigned long bytes);

#endif
