/*
 * The files that a measurement writes: checked, locked and named before its first run.
 */
#ifndef SD_RUN_OUTPUTS_H
#define SD_RUN_OUTPUTS_H

#include "context/context.h"
#include "record/options.h"
#include "record/record_lock.h"
#include "measure/record_save.h"

/* The zeroed value has none. */
struct sd_run_outputs {
	struct sd_record_lock lock;
	struct sd_record_save save;
	char *unfinished; /* owned */
};

/*
 * Whether what a run of these options writes for the record at `path` may be written, and nobody
 * else is doing so; what is left of those that were killed is removed. `cpus`: so many copies of
 * the program may run at once. With `resume` that record is gone on with; else an older one is
 * announced to be replaced. Then out->save says where it is written; `path` must live as long.
 * SD_EXIT_DONE; SD_EXIT_USAGE or SD_EXIT_MEASURE, said.
 */
enum sd_exit sd_run_outputs_open(struct sd_run_outputs *out, const char *path,
	const struct sd_options *o, unsigned cpus, int resume, const struct sd_sink *sink);

/* After the runs: says where they are, when that is not the record that was asked for. */
void sd_run_outputs_say_unfinished(const struct sd_run_outputs *out, const struct sd_record *record,
	const struct sd_sink *sink);

void sd_run_outputs_close(struct sd_run_outputs *out); /* accepts the zeroed value */

#endif
