/*
 * Which build of a program was measured: of its file, what changes when it is built again.
 */
#ifndef SD_PROGRAM_FILE_H
#define SD_PROGRAM_FILE_H

#include <stddef.h>

#include "record/record.h"

/* What stat(2) and the file's GNU build-id say; all absent where it cannot be looked at, the
 * build-id where the file cannot be read, or has none, as a script. */
void sd_program_file_read(const char *path, struct sd_program_file *out);

/*
 * 1, and in `how` what differs, with both values; 0 when nothing does; -1 when one of the two does
 * not say: an older or imported record.
 */
int sd_program_file_differs(const struct sd_program_file *then, const struct sd_program_file *now,
	char *how, size_t size);

#endif
