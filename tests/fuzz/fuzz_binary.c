/*
 * Any bytes as a program's file: nothing is read beyond them, and a function that is counted where
 * it begins lies in a segment that is executed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach/function_place.h"
#include "launch/binary_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find_functions(const uint8_t *data, size_t size)
{
	static const char *const symbols[] = {"main", "_start", ""};
	static int program = -1;
	uint64_t offset;

	if (program < 0)
		program = memfd_create("program", MFD_CLOEXEC);
	if (program < 0 || ftruncate(program, 0) != 0 ||
		pwrite(program, data, size, 0) != (ssize_t)size)
		abort();
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		(void)sd_function_place_find(program, symbols[i], &offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_binary_facts b;

	sd_binary_facts_parse(data, size, &b);
	find_functions(data, size);
	return 0;
}
