#include "unwind/unwind_rows.h"

#include <errno.h>
#include <string.h>

int sd_stackcopy_load(const struct sd_stackcopy *s, uint64_t address, uint64_t *value)
{
	const uint64_t at = address - s->at;

	if (address < s->at || s->size < sizeof *value || at > s->size - sizeof *value)
		return -ENOENT;
	memcpy(value, s->byte + at, sizeof *value);
	return 0;
}
