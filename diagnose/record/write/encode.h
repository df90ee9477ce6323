/*
 * Encodes a record as JSON.
 */
#ifndef SD_ENCODE_H
#define SD_ENCODE_H

#include <stdint.h>
#include <stdio.h>

#include "record/record.h"
#include "write/encode_stacks.h"

/*
 * Writes the record to `f`, ending in a newline; the same record gives the same bytes. A number
 * that is impossible for its field (not finite, negative) is written as absent. 0; -ENOMEM; -EIO:
 * writing to `f` failed (see errno); -EINVAL: the record is inconsistent (a run's start is not a
 * number, …), which is a bug.
 */
int sd_encode(FILE *f, const struct sd_record *record);

/* The same; *crc: the checksum at its end (fields/checksum.h). */
int sd_encode_summed(FILE *f, const struct sd_record *record, uint32_t *crc);

/* Pieces of it, for a line of the journal (record_journal.h), each with a comma behind it. */

/* Members that a measurement may replace. */
enum sd_encode_part {
	SD_ENCODE_HOST,
	SD_ENCODE_PROGRAM,
	SD_ENCODE_CALIBRATION,
	SD_ENCODE_LAYOUT,
	SD_ENCODE_PLAN,
	SD_ENCODE_WARNINGS,
	SD_ENCODE_PARTS
};
/* Nothing if there is none. */
int sd_encode_part(FILE *f, const struct sd_record *record, enum sd_encode_part part);

/* Writes what was added to the stacks; nothing if nothing was. */
int sd_encode_new_stacks(
	FILE *f, const struct sd_stacks *stacks, const struct sd_stacks_count *before);

/* The list of runs, and the end of the record. */
int sd_encode_runs(FILE *f, const struct sd_run *run, size_t n);

#endif
