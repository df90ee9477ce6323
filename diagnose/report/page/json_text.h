/*
 * JSON for a terminal, too.
 */
#ifndef SD_JSON_TEXT_H
#define SD_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

/* As json_dumpf(), with DEL written as \u007f: JSON allows it as it is, and jansson leaves it so,
 * but it is a control character to a terminal. 0 or -1. */
int sd_json_text_dump(const json_t *value, FILE *f, size_t flags);

#endif
