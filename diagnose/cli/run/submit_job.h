/*
 * --submit: the same command as a batch job of Slurm.
 */
#ifndef SD_SUBMIT_JOB_H
#define SD_SUBMIT_JOB_H

#include "context/context.h"
#include "record/options.h"

/*
 * Hands a script to sbatch that runs this command line without --submit, in an allocation as large
 * as the largest point of --ranks or --points. `argv` is the command's, o->argv points into it.
 * SD_EXIT_DONE; SD_EXIT_USAGE or SD_EXIT_MEASURE after a message.
 */
enum sd_exit sd_submit_job(
	const struct sd_options *o, int argc, char **argv, const struct sd_sink *sink);

#endif
