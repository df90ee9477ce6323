/*
 * The regions of the program in the JSON report.
 */
#ifndef SD_JSON_REGIONS_H
#define SD_JSON_REGIONS_H

#include <jansson.h>

#include "analysis/region_losses.h"

/* A new reference; NULL: out of memory. */
json_t *sd_json_regions(const struct sd_region_losses *l);

#endif
