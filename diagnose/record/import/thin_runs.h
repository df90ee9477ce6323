/*
 * Thins out the runs of a very large import: a table of a hundred thousand times tells no more of
 * their median than some thousands that are spread evenly over them, and takes a hundred megabytes.
 */
#ifndef SD_THIN_RUNS_H
#define SD_THIN_RUNS_H

#include <stddef.h>

#include "base/sink.h"

struct sd_import;
struct sd_run;

/* An import keeps fewer runs than this, beside those with samples of their own. */
#define SD_THIN_RUNS_MOST 32768u

/* The runs of one core count. */
struct sd_thin_runs {
	unsigned given, kept;
	unsigned step; /* the first of so many runs is kept; 0: every run */
	unsigned next; /* for sd_thin_runs_keeps() alone */
};

/*
 * Is this run of `cores` (1 to SD_CPU_MAX) one to keep? With SD_THIN_RUNS_MOST runs, every second
 * one of the core counts that have most is freed first. 1; 0: leave it out; -EINVAL: these are of
 * more core counts than a record has; -ENOMEM.
 */
int sd_thin_runs_keeps(struct sd_import *im, unsigned cores, const struct sd_run *run);

/* Says how many runs were left out, and adds it to the warnings of the record; nothing if none was.
 * 0 or -ENOMEM. */
int sd_thin_runs_say(struct sd_import *im, const struct sd_sink *sink);

#endif
