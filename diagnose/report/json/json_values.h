/*
 * The values of all JSON that reports print: numbers with their interval and quality, texts of any
 * bytes. Each returns a new reference, or NULL without memory.
 */
#ifndef SD_JSON_VALUES_H
#define SD_JSON_VALUES_H

#include <jansson.h>
#include <stdio.h>

#include "base/status.h"
#include "base/texts.h"

/*
 * Numbers keep all their digits, so that the components sum to N in the reader's hands too. ASCII
 * only: no byte of a record reaches a terminal that a reader prints this to.
 */
#define SD_JSON_DUMP (JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII)

/* null where it is not finite. */
json_t *sd_json_real(double v);

/* null where it was not measured. */
json_t *sd_json_value(struct sd_value v);

/* A name or a sentence; what is not UTF-8 in it is shown as \xNN; NULL is null. */
json_t *sd_json_text(const char *s);
json_t *sd_json_texts(const struct sd_texts *t);

/*
 * {"value", "low", "high"}; with "quality" where the number is missing or has a reservation. One
 * run has no interval: low and high are null.
 */
json_t *sd_json_interval(struct sd_interval v, size_t runs);

/* Prints and releases it, NULL too. 0, -EIO or -ENOMEM. */
int sd_json_print(FILE *f, json_t *root);

#endif
