/*
 * The names of files beside a record: each contains the record's name and ours.
 */
#ifndef SD_RECORD_NAMES_H
#define SD_RECORD_NAMES_H

/*
 * For record NAME.json or NAME.scalediag.json and "out": NAME.scalediag.out, which cannot be a
 * user's file such as NAME.out. The caller frees it; NULL: out of memory.
 */
char *sd_record_names_beside(const char *record, const char *what);

/* The same from the root: a program and what it loads may be in another folder when it is written,
 * by --cwd or its own chdir(). Likewise. */
char *sd_record_names_absolute(const char *record, const char *what);

/* NAME.unfinished.scalediag.json, the new record while the older one is still more complete
 * (measure/record_save.h). Likewise. */
char *sd_record_names_unfinished(const char *record);

/* NAME.previous.scalediag.json: what the record was before its last measurement. Likewise. */
char *sd_record_names_previous(const char *record);

#endif
