/*
 * Texts of the brief answer, in as little room as there is. Each returns a new reference; NULL: out
 * of memory.
 */
#ifndef SD_JSON_BRIEF_TEXT_H
#define SD_JSON_BRIEF_TEXT_H

#include <jansson.h>

#include "analysis/analysis.h"
#include "base/texts.h"

/* A sentence, cut to `room` bytes of JSON; a name that is of no use unless it is whole, else null.
 * NULL is null. */
json_t *sd_json_brief_text(const char *text, size_t room);
json_t *sd_json_brief_name(const char *text, size_t room);

/* The words of a command; null: there are none, or no room, and a part of them would be another. */
json_t *sd_json_brief_words(const struct sd_texts *words, size_t room);

/* "likely"; "not-found" of NULL, the growth that is open. Static. */
const char *sd_json_brief_certainty(const struct sd_finding *f);

/* The first texts of a list, as many as `most`. */
json_t *sd_json_brief_texts(const struct sd_texts *t, size_t most, size_t room);

#endif
