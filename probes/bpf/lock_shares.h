/*
 * Every wait for a lock of the kernel is timed, and few have stacks (lock_code.h): the others' time
 * is shared out among the stacks of waits like them.
 */
#ifndef SD_LOCK_SHARES_H
#define SD_LOCK_SHARES_H

#include "bpf/lock_code.h"

struct sd_lock_keyed {
	struct sd_lock_key key;
	struct sd_lock_sum sum, given; /* given: while it is shared out; zeroed before and after */
};

/*
 * Moves each sum without a stack (key.waiter below 0) to those with one that are most like it, in
 * proportion to their ns: of the same lock, call and holder's call; else of the same lock and call;
 * else of the same lock; else of the same kind and call. It keeps what is like none of them. Totals
 * of waits and ns stay the same; `longest` goes to the sum that is given most.
 */
void sd_lock_shares_give(struct sd_lock_keyed *of, size_t n);

#endif
