/*
 * The event of a CPU that a misspelt name is near to.
 */
#ifndef SD_EVENT_HINTS_H
#define SD_EVENT_HINTS_H

#include "probe/event_map.h"

/*
 * The name in the map that is at most two letters away (Levenshtein 1966), without case and with
 * every mark that sets words apart taken for the same, or three letters in whatever order the words
 * stand, without those that tools leave out (SELF, ANY); NULL: none is, or the name has fewer than
 * 8 letters. Borrowed from the map.
 */
const char *sd_event_hint(const struct sd_event_map *map, const char *name);

/* Why an event is in no role, in brackets: the name that was meant, or the events that its role
 * needs beside it; "": neither. */
void sd_event_hint_text(const struct sd_event_map *map, const char *name, char *out, size_t size);

#endif
