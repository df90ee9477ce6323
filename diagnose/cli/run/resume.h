/*
 * --resume: going on with a record, or saying why it cannot be gone on with here.
 */
#ifndef SD_RESUME_H
#define SD_RESUME_H

#include "options/run_options.h"
#include "record/record.h"
#include "machine/topology.h"

/*
 * Is the program at `now` the build that `record` was measured with? Not without
 * a->resume_anyway: then the record is told that its runs are of two builds, and which the last is.
 * That it is not known is said. 0; -EINVAL after one message that says what differs; -ENOMEM after
 * one.
 */
int sd_resume_check_build(struct sd_record *record, const struct sd_program_file *now,
	const struct sd_run_options *a, const struct sd_sink *sink);

/*
 * Takes program and settings of `record` into the arguments, whose strings are borrowed from the
 * record from then on; a budget or timeout that was given replaces the record's. 0; -EINVAL after
 * one message that says what differs (the program given or its arguments, unless a->resume_anyway:
 * then those given are taken, and the record is told; CPU model, a CPU of the plan that is not
 * granted now); -ENOMEM after one.
 */
int sd_resume_adopt(struct sd_record *record, const struct sd_topology *t, struct sd_run_options *a,
	const struct sd_sink *sink);

#endif
