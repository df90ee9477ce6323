/*
 * The figures of a point's runs that a mean takes, packed: most runs have a few of all parts, and
 * thousands of means are drawn (METHODS 4).
 */
#ifndef SD_RUN_FIGURES_H
#define SD_RUN_FIGURES_H

#include <stddef.h>

#include "accounting/run_parts.h"

#define SD_RUN_FIGURES (SD_PART_COUNT + 2) /* the parts, instructions and cycles */
#define SD_RUN_FIGURES_ROW 4u              /* sums of as many stay in registers */

struct sd_run_figures {
	/* owned; groups of SD_RUN_FIGURES_ROW figures, the last one filled up with zeros: of each
	 * group a row a run, in the order of the runs */
	double *row;
	size_t n, n_run;
	size_t of[SD_RUN_FIGURES]; /* n: where each lies in struct sd_run_parts, bytes */
};

/* Those that any of parts[n_run] has. 0 or -ENOMEM; *out, whatever it was, must be freed. */
int sd_run_figures_list(const struct sd_run_parts *parts, size_t n_run, struct sd_run_figures *out);
void sd_run_figures_free(struct sd_run_figures *f); /* accepts the zeroed value */

/* Adds to *out their sums over the runs from `begin` to before `end`, run j taken times[j] times
 * (NULL: once), divided by `some`. */
void sd_run_figures_mean(const struct sd_run_figures *f, size_t begin, size_t end,
	const unsigned *times, double some, struct sd_run_parts *out);

#endif
