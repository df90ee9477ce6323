#include "analysis/line_bytes.h"

#include <stdio.h>

const char *sd_line_bytes(uint64_t mask, unsigned line, char *out, size_t size)
{
	const unsigned each = line > 64 ? line / 64 : 1;
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < 64 && used < size; i++) {
		unsigned to = i;

		if (!(mask >> i & 1))
			continue;
		while (to + 1 < 64 && mask >> (to + 1) & 1)
			to++;
		used += (size_t)snprintf(out + used, size - used, "%s%u-%u", used ? ", " : "",
			i * each, (to + 1) * each - 1);
		i = to;
	}
	return out;
}
