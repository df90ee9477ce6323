/*
 * The command line of `scalediag attach`.
 */
#ifndef SD_ATTACH_OPTIONS_H
#define SD_ATTACH_OPTIONS_H

#include "attach/attached.h"
#include "options/command_line.h"
#include "record/options.h"

struct sd_attach_options {
	enum sd_attach_by by;
	const char *name;      /* of the program, as `by` says; borrowed */
	double window_s;       /* that each count is looked at, in all */
	double part_s;         /* each time */
	unsigned most_parts;   /* of a look whose length was not given */
	struct sd_options run; /* counts, placement, repeats, budget, seed, outputs */
	int scales;            /* --cores was given: its CPUs are changed */
	/* what it gets done; borrowed; with `scales` one of these is given */
	const char *rate_command;  /* prints a number that grows */
	const char *rate_function; /* its calls are counted */
	const char *progress;      /* it reports them itself, by scalediag.h */
	const char *latency;       /* a region whose entries' times are watched; borrowed or NULL */
	enum sd_asked asked;
};

extern const struct argp sd_attach_options_argp;

/* 0; -EINVAL after a message; -ENOMEM. *out must be freed in every case. */
int sd_attach_options_parse(
	int argc, char **argv, struct sd_attach_options *out, const struct sd_sink *sink);
void sd_attach_options_free(struct sd_attach_options *o); /* accepts the zeroed value */

#endif
