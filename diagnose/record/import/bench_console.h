/*
 * Google Benchmark's lines as it prints them, which people paste in place of its JSON.
 */
#ifndef SD_BENCH_CONSOLE_H
#define SD_BENCH_CONSOLE_H

#include <jansson.h>

#include "import/import.h"

/*
 * The document that the text's lines "NAME TIME UNIT CPU UNIT ITERATIONS ..." are of, as its JSON
 * would have it, without context; other lines and means of repetitions are left out. The caller
 * releases it. NULL: no line is one, or out of memory.
 */
json_t *sd_bench_console_read(const struct sd_import_text *t);

#endif
