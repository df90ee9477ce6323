/*
 * The command line of `scalediag calibrate`.
 */
#ifndef SD_CALIBRATE_OPTIONS_H
#define SD_CALIBRATE_OPTIONS_H

#include <stdio.h>

#include "bench/kernel.h"
#include "context/context.h"
#include "options/command_line.h"
#include "bench/node_numbers.h"
#include "record/options.h"
#include "base/sink.h"

enum sd_calibrate_format { SD_CALIBRATE_TEXT, SD_CALIBRATE_JSON, SD_CALIBRATE_CSV };

struct sd_calibrate_options {
	const struct sd_kernel *const *kernels; /* all kernels; set before parsing */
	const struct sd_sink *sink;             /* set before parsing */
	const struct sd_kernel **chosen;        /* owned; in registry order */
	size_t n_chosen;
	int named;                 /* kernels were named: not a full calibration */
	int brief;                 /* the user is waiting: these kernels' share of the time, and
				      only what a diagnosis uses, in little memory */
	struct sd_options options; /* --cores alone */
	int cores_given;
	int quick;
	unsigned repeat;             /* calibrations one after the other; 1 */
	unsigned format;             /* enum sd_calibrate_format */
	int is_long;                 /* text: every section */
	const char *compare;         /* path of an older profile, or NULL */
	const char *read;            /* path of a profile to show instead of measuring, or NULL */
	struct sd_node_limit *limit; /* owned; --require */
	size_t n_limit;
	const char *html;      /* path of a page, or NULL */
	const char *directory; /* for the disk kernel, or NULL */
	const char *output;    /* path for the profile, or NULL */
	enum sd_asked asked;   /* if set, everything else is ignored */
};

/* 0; -EINVAL after one message that names the option, its value and what is allowed; -ENOMEM after
 * one message. *a must be freed in every case. */
int sd_calibrate_options_parse(int argc, char **argv, struct sd_calibrate_options *a);

/* For the command's row (context/context.h). */
extern const struct argp sd_calibrate_options_argp;
void sd_calibrate_options_above(FILE *f, const struct sd_cli *cli);

void sd_calibrate_options_free(struct sd_calibrate_options *a);

#endif
