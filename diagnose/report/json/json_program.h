/*
 * The program in the JSON report.
 */
#ifndef SD_JSON_PROGRAM_H
#define SD_JSON_PROGRAM_H

#include <jansson.h>

#include "record/record.h"

/* A new reference; NULL: out of memory. */
json_t *sd_json_program(const struct sd_program *p);

#endif
