/*
 * How text may look on a stream: colours, letters, width.
 */
#ifndef SD_TERMINAL_STYLE_H
#define SD_TERMINAL_STYLE_H

#include <stdio.h>

#include "page/report_style.h"

/* True when the locale's characters are not UTF-8. Needs setlocale(LC_CTYPE, "") before. */
int sd_terminal_style_ascii(void);

/*
 * Colour only on a terminal that has it and without NO_COLOR (no-color.org); a terminal's width
 * within what reads well, else the report's own default, so that a file is the same everywhere.
 */
struct sd_report_style sd_terminal_style_of(FILE *f, const char *record_path);

#endif
