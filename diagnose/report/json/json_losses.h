/*
 * Functions, threads, ranks, regions and sampling in the JSON report. Each returns a new reference;
 * NULL: out of memory.
 */
#ifndef SD_JSON_LOSSES_H
#define SD_JSON_LOSSES_H

#include <jansson.h>

#include "analysis/analysis.h"

/* Files are named from `folder` on, where they lie in it. */
/* An array. */
json_t *sd_json_functions(const struct sd_analysis *a, const char *folder);
json_t *sd_json_losses(const struct sd_analysis *a); /* losses outside functions; calls, contexts */
json_t *sd_json_events(const struct sd_event_hotspots *h, const char *folder);
json_t *sd_json_threads(const struct sd_analysis *a, const char *folder);
json_t *sd_json_ranks(const struct sd_analysis *a);
json_t *sd_json_regions(const struct sd_analysis *a);
/* Speedups that the algorithm of a program of OpenMP tasks allows. */
json_t *sd_json_span(const struct sd_analysis *a);
json_t *sd_json_requests(const struct sd_analysis *a);
json_t *sd_json_sampling(const struct sd_sampling *s); /* null: not requested */

#endif
