/*
 * --resume: continues a record, or says why that is impossible here.
 */
#ifndef SD_RESUME_H
#define SD_RESUME_H

#include "options/run_options.h"
#include "record/record.h"
#include "machine/topology.h"

/*
 * Is the program `now` the build that `record` was measured with? If not it is refused, unless
 * a->resume_anyway: then the record notes that its runs are of two builds, and the latest one. If
 * unknown, a message says so. 0; -EINVAL after a message that says what differs; -ENOMEM after a
 * message.
 */
int sd_resume_check_build(struct sd_record *record, const struct sd_program_file *now,
	const struct sd_run_options *a, const struct sd_sink *sink);

/*
 * Takes program and settings from `record` into the arguments, whose strings then borrow from the
 * record; a given budget or timeout replaces the record's. 0; -EINVAL after a message that says
 * what differs (CPU model, a CPU of the plan that is no longer granted, or a given program or
 * arguments; with a->resume_anyway the given ones are used and the record notes it); -ENOMEM after
 * a message.
 */
int sd_resume_adopt(struct sd_record *record, const struct sd_topology *t, struct sd_run_options *a,
	const struct sd_sink *sink);

/*
 * Whether a finished record lacks anything, as with a larger --budget, shows only when it is gone
 * on with: of an unfinished one, says that it is, and returns 0; else returns how many runs it has,
 * for the word after the last one.
 */
size_t sd_resume_say_begin(
	const char *path, const struct sd_record *record, const struct sd_sink *sink);
void sd_resume_say_end(const char *path, const struct sd_record *record, size_t finished,
	const struct sd_sink *sink);

#endif
