/*
 * A source file from anywhere, around a line that the program's symbols name: the first two bytes
 * are the line, the third how far its function reaches, the rest is the file.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/source_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_source_text s = {.state = SD_SOURCE_READ};
	FILE *f;

	if (size < 4)
		return 0;
	s.hot = 1 + data[0] + 256u * data[1];
	f = fmemopen((void *)(uintptr_t)(data + 3), size - 3, "r");
	if (!f)
		abort();
	if (sd_source_lines_read(f, s.hot - data[2] % s.hot, s.hot + data[2], &s) == 0) {
		if (s.line.n > SD_SOURCE_TEXT_COUNT || (s.line.n && s.first + s.line.n <= s.hot))
			abort();
		for (size_t k = 0; k < s.line.n; k++)
			if (strlen(s.line.text[k]) > SD_SOURCE_TEXT_BYTES)
				abort();
	}
	fclose(f);
	sd_source_text_free(&s);
	return 0;
}
