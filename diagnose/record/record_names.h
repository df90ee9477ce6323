/*
 * The names of what lies beside a record: each carries the record's name and ours.
 */
#ifndef SD_RECORD_NAMES_H
#define SD_RECORD_NAMES_H

/*
 * Of the record NAME.json or NAME.scalediag.json, and "out": NAME.scalediag.out, so that no file of
 * a user's, NAME.out for one, is meant. A fresh string or NULL without memory.
 */
char *sd_record_names_beside(const char *record, const char *what);

/* NAME.unfinished.scalediag.json: where a new record grows while an older one is still worth more
 * (measure/record_save.h). The same. */
char *sd_record_names_unfinished(const char *record);

#endif
