/*
 * Any bytes as a record: no crash, no leak; and what is taken can be written, read back, and
 * written to the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_record r, back;
	char *first, *second;
	size_t n1, n2;

	if (sd_record_parse((const char *)data, size, "fuzz", &r, NULL) != 0)
		return 0;
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
	return 0;
}
