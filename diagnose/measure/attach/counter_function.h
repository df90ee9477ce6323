/*
 * Counts the calls of one function of a running program (--rate-function), by a probe that the
 * kernel puts there (uprobe): root, and 1 to 6 us a call.
 */
#ifndef SD_COUNTER_FUNCTION_H
#define SD_COUNTER_FUNCTION_H

#include "attach/attached.h"
#include "attach/work_counter.h"

struct sd_counter_function {
	struct sd_work_counter counter; /* what it offers */
	int *fd;                        /* owned; one a thread that there was */
	size_t n;
};

/*
 * Looks for the function's symbol in the program's file, then in what it has mapped, and starts
 * counting. 0; after a message: -ENOENT: there is no such symbol; -EACCES and others: the kernel
 * does not allow or have it; -ENOMEM (no message). *c must not move afterwards.
 */
int sd_counter_function_open(struct sd_counter_function *c, const struct sd_attached *program,
	const char *symbol, const struct sd_sink *sink);
void sd_counter_function_close(struct sd_counter_function *c); /* accepts the zeroed value */

#endif
