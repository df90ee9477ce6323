/*
 * Lines of source around a place in the program, as they were when it was measured. They are read
 * by the stage that runs the program and are part of the record: nothing after it opens a file that
 * a record names.
 */
#ifndef SD_SOURCE_TEXT_H
#define SD_SOURCE_TEXT_H

#include "base/texts.h"

enum sd_source_state {
	SD_SOURCE_READ,
	SD_SOURCE_MISSING,  /* there was no such file, or it could not be read */
	SD_SOURCE_NEWER,    /* than the program: the lines may be others */
	SD_SOURCE_UNSTORED, /* the record has none of this place; never stored itself */
};

/* Bounds of a record: places, lines around each, bytes of a line. */
#define SD_SOURCE_TEXT_PLACES 8u
#define SD_SOURCE_TEXT_AROUND 5u
#define SD_SOURCE_TEXT_COUNT (2 * SD_SOURCE_TEXT_AROUND + 1)
#define SD_SOURCE_TEXT_BYTES 400u
#define SD_SOURCE_TEXT_LAST 1000000000u /* number of a line */

struct sd_source_text {
	char *file;   /* owned; as the program's symbols name it */
	unsigned hot; /* number of the line they are around */
	enum sd_source_state state;
	unsigned first;       /* number of line.text[0]; 0: none */
	struct sd_texts line; /* without their ends; any bytes */
};

void sd_source_text_free(struct sd_source_text *s); /* accepts the zeroed value */

#endif
