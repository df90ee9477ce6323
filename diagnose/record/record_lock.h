/*
 * Ensures that only one process measures into a record and the files beside it.
 */
#ifndef SD_RECORD_LOCK_H
#define SD_RECORD_LOCK_H

#include <sys/types.h>

#include "base/leftover_note.h"
#include "base/sink.h"

/* NAME.scalediag.lock beside the record. Zeroed: no lock. */
struct sd_record_lock {
	char *path; /* owned; NULL: nothing is held */
	int fd;
	struct sd_leftover_note note;
};

/*
 * Takes the lock, or says who has it. It is a kernel lock on that (empty) file, released however
 * this process ends, so a leftover file blocks nobody. 0, also (with a warning) on a file system
 * without locks. With one message said: -EBUSY: another process is measuring into this record;
 * -EEXIST, -ELOOP, -EISDIR: the path is not a lock file of ours; another -errno.
 *
 * Opening and closing the file elsewhere in this process would release the lock, so nothing else
 * may open it.
 */
int sd_record_lock_take(
	struct sd_record_lock *lock, const char *record, const struct sd_sink *sink);

/* Removes the file and releases the lock. Leaves the zeroed value; accepts it. */
void sd_record_lock_release(struct sd_record_lock *lock);

/* Removes the file of one that is no more (base/leftover_note.h), unless another one has the lock
 * by now. */
int sd_record_lock_noted(int fd, const char *folder, const char *name);

#endif
