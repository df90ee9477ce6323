/*
 * The values in JSON reports: numbers with interval and quality, texts of any bytes. Each returns a
 * new reference; NULL: out of memory.
 */
#ifndef SD_JSON_VALUES_H
#define SD_JSON_VALUES_H

#include <jansson.h>
#include <stdio.h>

#include "base/status.h"
#include "base/texts.h"

/*
 * Numbers keep all digits, so that components still sum to N for the reader. ASCII only, so that no
 * byte of a record reaches a terminal this is printed on.
 */
#define SD_JSON_DUMP (JSON_INDENT(2) | JSON_REAL_PRECISION(17) | JSON_ENSURE_ASCII)

/* null if not finite. */
json_t *sd_json_real(double v);

/* null if not measured. */
json_t *sd_json_value(struct sd_value v);

/* A name or a sentence; invalid UTF-8 becomes \xNN; NULL becomes null. */
json_t *sd_json_text(const char *s);
json_t *sd_json_texts(const struct sd_texts *t);

/*
 * {"value", "low", "high"}, with "quality" if the number is missing or has a reservation. For a
 * single run low and high are null.
 */
json_t *sd_json_interval(struct sd_interval v, size_t runs);

/* Puts an item into an array, a member into an object, and takes it over. Without memory the whole
 * is released, and NULL; a NULL stays one. */
void sd_json_add(json_t **array, json_t *item);
void sd_json_set(json_t **object, const char *key, json_t *member);

/* Prints and releases it; accepts NULL. 0, -EIO or -ENOMEM. */
int sd_json_print(FILE *f, json_t *root);

#endif
