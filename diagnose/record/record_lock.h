/*
 * One measurement at a time into one record, and the files beside it.
 */
#ifndef SD_RECORD_LOCK_H
#define SD_RECORD_LOCK_H

#include <sys/types.h>

#include "base/leftover_note.h"
#include "base/sink.h"

/* NAME.scalediag.lock beside the record. The zeroed value is of no record. */
struct sd_record_lock {
	char *path; /* owned; NULL: nothing is held */
	int fd;
	struct sd_leftover_note note;
};

/*
 * Takes it, or says who has it: a lock of the kernel's on that (empty) file, which ends with this
 * process however it ends, so that a file that was left behind holds nobody up. 0, also, with a
 * warning, on a file system without locks; -EBUSY: another process is measuring into this record,
 * said; -EEXIST, -ELOOP, -EISDIR: what is there is no lock of ours, said; -errno, said.
 *
 * A process of ours that opens and closes the same file would lose it: nobody else opens it.
 */
int sd_record_lock_take(
	struct sd_record_lock *lock, const char *record, const struct sd_sink *sink);

/* Removes the file, ends the lock, leaves the zeroed value, which it accepts. */
void sd_record_lock_release(struct sd_record_lock *lock);

/* Removes the file of one that is no more (base/leftover_note.h), unless another one has the lock
 * by now. */
int sd_record_lock_noted(int fd, const char *folder, const char *name);

#endif
