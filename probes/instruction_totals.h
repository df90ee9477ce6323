/*
 * What the plugin of the software PMU writes where it only counts instructions (total=1): a file
 * PREFIX.PID.total a process, one line: "running", "lost" (the count is not whole), or
 * "ended N", N instructions. It was written inside the process of an untrusted program.
 */
#ifndef SD_INSTRUCTION_TOTALS_H
#define SD_INSTRUCTION_TOTALS_H

#include <stdint.h>

#include "base/status.h"

/* The number of one file's text, ended by a NUL; 0: it has none. */
uint64_t sd_instruction_totals_parse(const char *text);

/* The sum over all processes; absent when there is none, or one has not ended with a number. The
 * files are gone afterwards. */
struct sd_value sd_instruction_totals_take(const char *prefix);

#endif
