/*
 * Waiting for the kernel's own locks: means over the runs of a record, by lock, call and holder.
 */
#ifndef SD_KERNEL_LOCK_MEANS_H
#define SD_KERNEL_LOCK_MEANS_H

#include "record/record.h"

/* Means of the timed runs that ended well at one core count, beside those at the smallest. */
struct sd_kernel_lock_mean {
	const char *name, *call,
		*held; /* borrowed of the record; held "": nobody woke the waiter */
	unsigned node;
	double waits, wait_s, slept_s; /* of a run; longest_s: of all */
	double longest_s;
	double cores;             /* wait_s of the wall time: threads that wait, on average */
	struct sd_value at_least; /* the same at the smallest count; absent: it was not measured */
};

struct sd_kernel_lock_means {
	enum sd_status status; /* absent: nobody looked */
	unsigned cores, least; /* the count, and the smallest */
	size_t runs;
	double other_cores;
	double waits, recorded; /* of all rows, of a run; as in sd_kernel_locks */
	struct sd_kernel_lock_mean row[SD_KERNEL_LOCK_ROWS]; /* most wait first */
	size_t n_row, n_seen;
};

/* Means of the largest core count that was measured. */
void sd_kernel_lock_means_of(const struct sd_record *r, struct sd_kernel_lock_means *out);

#endif
