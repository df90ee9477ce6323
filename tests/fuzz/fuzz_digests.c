/*
 * Sections of a program from anywhere that are to tell the MD5 of its sources: two bytes say how
 * much of the rest is .debug_line_str, what is left is .debug_line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tree/source_digests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char source[] = "int main(void) { return 0; }\n";

/* The address sanitizer knows where each copy ends. */
static unsigned char *copy(const uint8_t *from, size_t size)
{
	unsigned char *const to = malloc(size ? size : 1);

	if (!to)
		abort();
	memcpy(to, from, size);
	return to;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_source_digests d = {0};
	unsigned char *line, *text;
	enum sd_source_digest found;

	if (size < 2)
		return 0;
	d.text_size = data[0] | (size_t)data[1] << 8;
	data += 2;
	size -= 2;
	d.text_size = d.text_size < size ? d.text_size : size;
	d.line_size = size - d.text_size;
	d.text = text = copy(data, d.text_size);
	d.line = line = copy(data + d.text_size, d.line_size);
	found = sd_source_digests_look(&d, "folder/main.c", source, sizeof source - 1);
	/* the last part of a name decides */
	if (found != sd_source_digests_look(&d, "main.c", source, sizeof source - 1))
		abort();
	free(line);
	free(text);
	return 0;
}
