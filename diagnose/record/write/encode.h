/*
 * Encodes a record as JSON.
 */
#ifndef SD_ENCODE_H
#define SD_ENCODE_H

#include <stdio.h>

#include "record/record.h"

/*
 * Writes the record to `f`, ending in a newline; the same record gives the same bytes. A number
 * that is impossible for its field (not finite, negative) is written as absent. 0; -ENOMEM; -EIO:
 * writing to `f` failed (see errno); -EINVAL: the record is inconsistent (a run's start is not a
 * number, …), which is a bug.
 */
int sd_encode(FILE *f, const struct sd_record *record);

#endif
