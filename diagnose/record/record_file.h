/*
 * The record as a file: JSON, schema-versioned, written whole or not at all.
 */
#ifndef SD_RECORD_FILE_H
#define SD_RECORD_FILE_H

#include "record/record.h"
#include "base/sink.h"

/*
 * Writes to a fresh file in the same folder, syncs it and renames it over `path`: a crash or a full
 * disk at any moment leaves the old record or the new one. Only a record is replaced, and its mode
 * kept (output_file.h). 0 or -errno with one message said and nothing of ours left behind.
 */
int sd_record_write(const char *path, const struct sd_record *record, const struct sd_sink *sink);

/*
 * Reads and checks every field (a record is untrusted input). 0; -errno when it cannot be read;
 * -EINVAL when it is not a record, of another schema, or damaged: the message names file, line and
 * the place in the JSON. *out empty on failure. Writing what was read gives the same bytes.
 */
int sd_record_read(const char *path, struct sd_record *out, const struct sd_sink *sink);

/* As above from memory; `name` stands in messages. The fuzz target. */
int sd_record_parse(const char *text, size_t size, const char *name, struct sd_record *out,
	const struct sd_sink *sink);

/* Appends a run, taking what it owns (*run is zeroed). 0 or -ENOMEM (nothing taken). */
int sd_record_add(struct sd_record *record, struct sd_run *run);

#endif
