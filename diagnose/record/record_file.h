/*
 * The record as a file: JSON, schema-versioned, written whole or not at all.
 */
#ifndef SD_RECORD_FILE_H
#define SD_RECORD_FILE_H

#include "record/record.h"
#include "base/sink.h"

#define SD_RECORD_DAMAGED                                                                      \
	"DAMAGED RECORD: its checksum does not match what stands in it: numbers of it may be " \
	"others than were measured"

/*
 * Writes a new file in the same folder, syncs it and renames it to `path`: a crash or full disk at
 * any moment leaves either the old or the new record. Replaces only records and keeps their mode
 * (output_file.h). 0, or -errno with one message said and no temporary left behind.
 */
int sd_record_write(const char *path, const struct sd_record *record, const struct sd_sink *sink);

/*
 * Reads and checks every field (a record is untrusted input). 0; -errno if unreadable; -EINVAL if
 * it is not a record, has another schema, or cannot be read; the message names file, line and JSON
 * path. One whose checksum is another than its bytes have is read, with a warning
 * (SD_RECORD_DAMAGED) that stands first in it, whoever writes it again; one without a checksum is
 * an older one. *out is empty on failure. Writing the result reproduces the same bytes.
 */
int sd_record_read(const char *path, struct sd_record *out, const struct sd_sink *sink);

/* As above, of a regular file only: -EINVAL for what could let its reader wait, which is not
 * opened. */
int sd_record_read_regular(const char *path, struct sd_record *out, const struct sd_sink *sink);

/* How many runs a record that sd_record_read() takes has. One whose checksum matches is what was
 * written, and is not read but for that. Returns as above. */
int sd_record_count(const char *path, size_t *runs, const struct sd_sink *sink);

/* As above from memory; `name` is for messages. The fuzz target. */
int sd_record_parse(const char *text, size_t size, const char *name, struct sd_record *out,
	const struct sd_sink *sink);

/* Did its checksum not match when it was read, now or before it was written again? */
int sd_record_is_damaged(const struct sd_record *record);

/* Appends a run and takes ownership of its contents (*run is zeroed). 0 or -ENOMEM (nothing taken).
 */
int sd_record_add(struct sd_record *record, struct sd_run *run);

#endif
