/*
 * The lines behind a record that was being measured (record_journal.h).
 */
#ifndef SD_JOURNAL_H
#define SD_JOURNAL_H

#include <inttypes.h>
#include <jansson.h>

#include "fields/json_path.h"
#include "read/run_texts.h"

/* How a line begins: before what the checksum is of. */
#define SD_JOURNAL_HEAD "{\"crc32\":\"%08" PRIx32 "\","
#define SD_JOURNAL_HEAD_BYTES (sizeof "{\"crc32\":\"89abcdef\"," - 1)

/* Whether the text behind a record is such lines, or was to become one. */
int sd_journal_is(const char *text, size_t size);

/*
 * `from`: the checksum of the record before the lines; 0: older records have none.
 * Adds the lines that begin at byte `at` of the text, as far as they are whole and in their order,
 * to what was read: their runs to the texts of runs, other members to the root object. What is left
 * out is said in a warning. 0; -EINVAL with a message: a line that is whole says what cannot be;
 * -ENOMEM without.
 */
int sd_journal_read(const struct sd_source *s, size_t at, uint32_t from, struct sd_run_texts *runs,
	json_t *root);

#endif
