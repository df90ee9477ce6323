/*
 * The style of text on a stream: colours, character set, width.
 */
#ifndef SD_TERMINAL_STYLE_H
#define SD_TERMINAL_STYLE_H

#include <stdio.h>

#include "page/report_style.h"

/* Is the locale's character set other than UTF-8? Requires setlocale(LC_CTYPE, "") before. */
int sd_terminal_style_ascii(void);

/*
 * Colours only on a terminal that supports them and without NO_COLOR (no-color.org); the terminal's
 * width within readable limits, else the report's default, so that files are the same everywhere.
 */
struct sd_report_style sd_terminal_style_of(FILE *f, const char *record_path);

#endif
