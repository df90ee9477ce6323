/*
 * Rows of what a run waited for the kernel's own locks: one for each lock, call and holder's call.
 */
#ifndef SD_LOCK_ROWS_H
#define SD_LOCK_ROWS_H

#include "record/sampled.h"

/* The row of this lock, call and holder (texts of the record's stacks), made when there is none;
 * NULL: no memory. */
struct sd_kernel_lock *sd_lock_rows_find(
	struct sd_kernel_locks *l, unsigned name, unsigned call, unsigned held);

/* Most wait first; those beyond SD_KERNEL_LOCK_ROWS are summed in other_s. */
void sd_lock_rows_sort(struct sd_kernel_locks *l);

#endif
