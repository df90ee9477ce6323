/*
 * The files a measurement writes: named, checked and locked before its first run.
 */
#ifndef SD_RUN_OUTPUTS_H
#define SD_RUN_OUTPUTS_H

#include "context/context.h"
#include "record/options.h"
#include "record/record_lock.h"
#include "measure/record_save.h"

/* Zeroed: none. */
struct sd_run_outputs {
	struct sd_record_lock lock;
	struct sd_record_save save;
	char *unfinished, *previous; /* owned */
	int fresh;                   /* no record is gone on with */
};

/*
 * Checks that all files of a run with these options for the record at `path` may be written and
 * that nobody else is writing them, and removes leftovers of killed processes. `cpus`: the most
 * copies of the program that may run at once. With `resume` the record is continued; otherwise the
 * replacement of an older one is announced. out->save says where it is written; `path` must live as
 * long. SD_EXIT_DONE; SD_EXIT_USAGE or SD_EXIT_MEASURE after a message.
 */
enum sd_exit sd_run_outputs_open(struct sd_run_outputs *out, const char *path,
	const struct sd_options *o, unsigned cpus, int resume, const struct sd_sink *sink);

/* Call after the runs: says where they are, if not in the requested record. */
void sd_run_outputs_say_unfinished(const struct sd_run_outputs *out, const struct sd_record *record,
	const struct sd_sink *sink);

/* Call after the runs: where none has ended well, neither a new record stays nor a file that the
 * program left empty. */
void sd_run_outputs_drop_empty(struct sd_run_outputs *out, const struct sd_record *record);

void sd_run_outputs_close(struct sd_run_outputs *out); /* accepts the zeroed value */

#endif
