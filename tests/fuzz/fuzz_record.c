/*
 * Any bytes as a record: no crash, no leak; and what is taken can be written, read back, and
 * written to the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lzma.h>

#include "read/journal.h"
#include "write/encode.h"
#include "record/record_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *encoded(const struct sd_record *r, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	if (!f || sd_encode(f, r) != 0 || fclose(f) != 0)
		abort();
	return text;
}

/* The checksums of lines behind the record are made right: no fuzzer finds one. */
static void seal(char *text, size_t size)
{
	static const char begin[] = "\n{\"crc32\":\"";
	char head[SD_JOURNAL_HEAD_BYTES + 1];
	uint32_t crc = 0;
	char *at = memmem(text, size, begin, sizeof begin - 1);

	while (at) {
		char *const line = at + 1, *const end = text + size;
		char *const next = memchr(line, '\n', (size_t)(end - line));
		char *const behind = line + SD_JOURNAL_HEAD_BYTES;

		if (!next || next <= behind || memcmp(at, begin, sizeof begin - 1) != 0)
			return;
		crc = lzma_crc32((uint8_t *)behind, (size_t)(next - behind), crc);
		snprintf(head, sizeof head, SD_JOURNAL_HEAD, crc);
		memcpy(line, head, SD_JOURNAL_HEAD_BYTES);
		at = (size_t)(end - next) > sizeof begin ? next : NULL;
	}
}

static void try_record(const char *data, size_t size)
{
	struct sd_record r, back;
	char *first, *second;
	size_t n1, n2;

	if (sd_record_parse(data, size, "fuzz", &r, NULL) != 0)
		return;
	first = encoded(&r, &n1);
	if (sd_record_parse(first, n1, "fuzz", &back, NULL) != 0)
		abort();
	second = encoded(&back, &n2);
	if (n1 != n2 || memcmp(first, second, n1) != 0)
		abort();
	free(first);
	free(second);
	sd_record_free(&r);
	sd_record_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	try_record(text, size);
	seal(text, size);
	if (memcmp(text, data, size) != 0)
		try_record(text, size);
	free(text);
	return 0;
}
