/*
 * A record while it is measured: written whole once, and from then on a line is appended after each
 * run.
 *
 * Behind the record, which says that it is not complete, stand lines of JSON:
 *   {"crc32":"89abcdef", …, "runs":[{…}]}
 * Each is a record of what was added since the line before: its runs; in "stacks" what was added to
 * each of their lists; other members whole, in place of those before; in "without_lanes" the
 * numbers of earlier runs whose lanes were dropped. The checksum is zlib's, of what stands behind
 * its comma up to the end of the line, continued from the line before, the first one from
 * the record: a line that is damaged, missing, out of place or behind another record is seen, and
 * nothing behind it is read (read/journal.h). Written whole again, the record is one JSON document,
 * as if there had been no lines.
 */
#ifndef SD_RECORD_JOURNAL_H
#define SD_RECORD_JOURNAL_H

#include "base/sink.h"
#include "record/record.h"

struct sd_record_journal;

/* Writes the record as sd_record_write() does, and keeps the file open. *j, NULL or one to be ended
 * first, is the new one, or NULL: nothing can be appended. */
int sd_record_journal_begin(struct sd_record_journal **j, const char *path,
	const struct sd_record *record, const struct sd_sink *sink);

/*
 * Appends what the record has since. It survives our end, and after a sync that of the machine. 0;
 * -ESTALE, silently: *j is NULL, or another file is there by now: it is to be begun again; another
 * -errno with one message said. *j is NULL after an error.
 */
int sd_record_journal_add(
	struct sd_record_journal **j, const struct sd_record *record, const struct sd_sink *sink);

/* 0, or -errno with one message said. */
int sd_record_journal_sync(struct sd_record_journal *j, const struct sd_sink *sink);

void sd_record_journal_end(struct sd_record_journal **j); /* leaves NULL; accepts it */

#endif
