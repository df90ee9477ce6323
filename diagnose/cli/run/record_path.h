/*
 * The record's file before the first run: its name, and whether it may and can be written.
 */
#ifndef SD_RECORD_PATH_H
#define SD_RECORD_PATH_H

#include "base/sink.h"

/* PROGRAM.scalediag.json in the current folder; a fresh string, or NULL without memory. */
char *sd_record_path_name(const char *program);

/*
 * Whether `path` may become a new record: 0 when nothing is there or an older record of this
 * program's kind, which a note then announces will be replaced. -EEXIST after a message when
 * something else is there, -errno after a message when the folder takes no file of a record's size.
 * Changes nothing.
 */
int sd_record_path_check(const char *path, const struct sd_sink *sink);

#endif
