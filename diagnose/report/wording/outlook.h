/*
 * The prediction beyond the measured counts, in a sentence.
 */
#ifndef SD_OUTLOOK_H
#define SD_OUTLOOK_H

#include "analysis/analysis.h"

/* "Forecast beyond 8 cores: no gain expected; 16 cores 2.6-2.9x."; "" when there is nothing to say.
 * Fresh; NULL without memory. */
char *sd_outlook(const struct sd_analysis *a);

#endif
