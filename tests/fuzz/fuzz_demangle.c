/*
 * Any text as a linker's name: it becomes a text, of bounded length where it is not the name
 * itself.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_string_pool pool = {0};
	char *const name = malloc(size + 1);
	const char *plain;

	if (!name)
		return 0;
	memcpy(name, data, size);
	name[size] = '\0';
	plain = sd_demangle(&pool, name);
	if (!plain || (strlen(plain) > strlen(name) && strlen(plain) >= 65536))
		abort();
	if (sd_demangle(&pool, name) != plain) /* kept once */
		abort();
	sd_string_pool_free(&pool);
	free(name);
	return 0;
}
