/* A count of instructions that an emulated program may have written over: a number, or none. */
#include <stdlib.h>
#include <string.h>

#include "probes/instruction_totals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const text = malloc(size + 1);
	uint64_t n;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	n = sd_instruction_totals_parse(text);
	if (n && (strncmp(text, "ended ", 6) != 0 || n > UINT64_MAX / 4096))
		abort();
	free(text);
	return 0;
}
