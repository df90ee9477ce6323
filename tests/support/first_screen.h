/*
 * Properties of a report's first screen, whatever it says: short, narrow, and without words of the
 * tool's own workings.
 */
#ifndef SD_TEST_FIRST_SCREEN_H
#define SD_TEST_FIRST_SCREEN_H

#include <stdlib.h>
#include <string.h>

/* Words that a reader of the first screen has no use for. */
static const char *const first_screen_inner[] = {"bootstrap", "poller", "resampl", "component",
	"unwound", "capped", "not known yet", "us of its core", "each below", "taken for", "RECORD",
	"PROGRAM"};

static inline size_t first_screen_columns(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* Every line within 80 columns, unless it is one word of the user's own; at most so many lines. */
static inline void check_first_screen(const char *text, size_t most)
{
	size_t lines = 0;

	for (const char *line = text; *line; lines++) {
		const size_t bytes = strcspn(line, "\n");
		const char *const word = line + strspn(line, " ");

		if (first_screen_columns(line, bytes) > 80 &&
			memchr(word, ' ', bytes - (size_t)(word - line)))
			fail_msg("more than 80 columns: %.*s", (int)bytes, line);
		line += bytes + (line[bytes] == '\n');
	}
	if (lines > most)
		fail_msg("%zu lines, not %zu:\n%s", lines, most, text);
	for (size_t i = 0; i < sizeof first_screen_inner / sizeof *first_screen_inner; i++)
		if (strstr(text, first_screen_inner[i]))
			fail_msg("\"%s\" in:\n%s", first_screen_inner[i], text);
}

#endif
