/*
 * The command line of `scalediag run`: every option is parsed and checked, independent of the
 * machine.
 */
#ifndef SD_RUN_OPTIONS_H
#define SD_RUN_OPTIONS_H

#include <stdio.h>

#include "context/context.h"
#include "options/command_line.h"
#include "record/options.h"
#include "base/sink.h"

struct sd_run_options {
	struct sd_options
		options;     /* owned; argv and the strings are borrowed from the command line */
	char **recorded;     /* owned: the program's words if taken from a record */
	char *sim;           /* owned: what --sim gave, which options borrows from */
	enum sd_asked asked; /* if set, everything else is ignored */
	int submit;          /* as a batch job */
	int resume_anyway;   /* --resume although the program is no longer the record's */
	int has_budget, has_timeout; /* given: they replace those of a resumed record */
	int has_cores;               /* --cores */
};

/*
 * Parses argv[1] to argv[argc - 1]. Options end at "--" or at the first word that is not an option,
 * the program; its own options are left alone. 0; -EINVAL after a message that names the option,
 * its value and what is allowed; -ENOMEM after a message. *out must be freed in every case.
 */
int sd_run_options_parse(
	int argc, char **argv, struct sd_run_options *out, const struct sd_sink *sink);

/* For the command's row (context/context.h). */
extern const struct argp sd_run_options_argp;
extern const struct sd_daily_option sd_run_options_daily[];
void sd_run_options_below(FILE *f, const struct sd_cli *cli);

void sd_run_options_free(struct sd_run_options *a); /* accepts the zeroed value */

#endif
