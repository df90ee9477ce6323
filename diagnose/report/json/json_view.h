/* The first things that a reader has to know, as every format says them. */
#ifndef SD_JSON_VIEW_H
#define SD_JSON_VIEW_H

#include <jansson.h>

#include "analysis/analysis.h"
#include "record/record.h"

/* A new reference; NULL: out of memory. */
json_t *sd_json_view(const struct sd_record *r, const struct sd_analysis *a);

/* The causes that the text numbers, with its items; likewise. */
struct sd_view;
json_t *sd_json_view_causes(const struct sd_view *v);

#endif
