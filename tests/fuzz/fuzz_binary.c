/*
 * Any bytes as a program's file: nothing is read beyond them.
 */
#include <stddef.h>
#include <stdint.h>

#include "launch/binary_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_binary_facts b;

	sd_binary_facts_parse(data, size, &b);
	return 0;
}
