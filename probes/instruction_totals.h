/*
 * The files the software PMU's plugin writes when it only counts instructions (total=1): one
 * PREFIX.PID.total for each process, with one line: "running", "lost" (incomplete count), or "ended
 * N", N instructions. Untrusted: written inside the program's process.
 */
#ifndef SD_INSTRUCTION_TOTALS_H
#define SD_INSTRUCTION_TOTALS_H

#include <stdint.h>

#include "base/status.h"

/* The number in a file's NUL-terminated text; 0: none. */
uint64_t sd_instruction_totals_parse(const char *text);

/* The sum over all processes; absent if there are none, or one did not end with a number. Deletes
 * the files. */
struct sd_value sd_instruction_totals_take(const char *prefix);

#endif
