/*
 * Source lines around a place in the program, as of the measurement. The measuring stage reads them
 * and stores them in the record: no later stage opens a file that a record names.
 */
#ifndef SD_SOURCE_TEXT_H
#define SD_SOURCE_TEXT_H

#include "base/texts.h"

enum sd_source_state {
	SD_SOURCE_READ,
	SD_SOURCE_MISSING,  /* no such file, or unreadable */
	SD_SOURCE_NEWER,    /* newer than the program: the lines may have changed */
	SD_SOURCE_UNSTORED, /* the record has no lines of this place; never stored */
};

/* Bounds of a record: places, lines around each or around its function's sampled lines, lines of
 * one in all, bytes of a line. */
#define SD_SOURCE_TEXT_PLACES 8u
#define SD_SOURCE_TEXT_AROUND 5u
#define SD_SOURCE_TEXT_COUNT 160u
#define SD_SOURCE_TEXT_BYTES 400u
#define SD_SOURCE_TEXT_LAST 1000000000u /* number of a line */

struct sd_source_text {
	char *file;   /* owned; as the program's symbols name it */
	unsigned hot; /* number of the central line */
	enum sd_source_state state;
	unsigned first;       /* number of line.text[0]; 0: none */
	struct sd_texts line; /* without line ends; any bytes */
};

void sd_source_text_free(struct sd_source_text *s); /* accepts the zeroed value */

#endif
