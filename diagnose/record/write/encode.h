/*
 * A record, or a part of it, as JSON.
 */
#ifndef SD_ENCODE_H
#define SD_ENCODE_H

#include <stdio.h>

#include "record/record.h"

/*
 * Writes the whole record to `f`, ending in a newline: the same record gives the same bytes. A
 * number that is impossible for its field (not finite, negative) is not a measurement and is
 * written as absent. 0; -ENOMEM; -EIO when `f` took an error (errno says which); -EINVAL when the
 * record breaks its own rules (a run's start is not a number, …), which is our fault.
 */
int sd_encode(FILE *f, const struct sd_record *record);

#endif
