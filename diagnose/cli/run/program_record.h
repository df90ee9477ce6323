/*
 * Fills a record's description of the program that is to be measured.
 */
#ifndef SD_PROGRAM_RECORD_H
#define SD_PROGRAM_RECORD_H

#include "record/options.h"
#include "record/record.h"

/* As the options have it; the file is looked at by sd_program_check(). 0 or -errno. */
int sd_program_record_fill(struct sd_program *p, const struct sd_options *o);

#endif
