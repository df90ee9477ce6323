#include "unwind/unwind_rows.h"

#include <errno.h>
#include <string.h>

/* Stacks of threads are no larger: what is farther off is no frame. */
#define FARTHEST (UINT64_C(8) << 20)

int sd_stackcopy_load(const struct sd_stackcopy *s, uint64_t address, uint64_t *value)
{
	const uint64_t at = address - s->at;

	if (address < s->at || s->size < sizeof *value || at > FARTHEST)
		return -ENOENT;
	if (at > s->size - sizeof *value)
		return -ERANGE;
	memcpy(value, s->byte + at, sizeof *value);
	return 0;
}
