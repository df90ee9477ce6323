/*
 * Messages of an import about a text that it refuses, and whether the record of one that it takes
 * is whole.
 */
#ifndef SD_TEST_IMPORT_SAID_H
#define SD_TEST_IMPORT_SAID_H

#include <stdio.h>
#include <stdlib.h>

#include "import/import.h"
#include "record/record_file.h"
#include "write/encode.h"

/* The last error, into the 512 bytes of `ctx`. */
static inline void keep(void *ctx, enum sd_level level, const char *text)
{
	if (level == SD_LEVEL_ERROR)
		snprintf(ctx, 512, "%s", text);
}

/* The record can be written, and reads back the same. */
static inline void assert_sound(const struct sd_record *r)
{
	char *text[2] = {NULL, NULL};
	size_t n[2];

	for (int i = 0; i < 2; i++) {
		struct sd_record again = {0};
		FILE *f = open_memstream(&text[i], &n[i]);

		assert_non_null(f);
		if (i == 1)
			assert_int_equal(sd_record_parse(text[0], n[0], "r", &again, NULL), 0);
		assert_int_equal(sd_encode(f, i ? &again : r), 0);
		fclose(f);
		sd_record_free(&again);
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

#endif
