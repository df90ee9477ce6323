#include "analysis/line_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/code_place.h"

int sd_line_memory_is_mapping(const char *name)
{
	return *name == '[' || *name == '/' || strncmp(name, "anonymous ", 10) == 0 ||
	       strncmp(name, "heap block ", 11) == 0;
}

void sd_line_memory_text(const struct sd_stacks *s, const struct sd_sim_contested *l, unsigned site,
	char *out, size_t size)
{
	const char *const name =
		l->name && l->name < s->n_text && s->text[l->name] ? s->text[l->name] : "";
	char place[256];

	if (*name && !(site && sd_line_memory_is_mapping(name))) {
		snprintf(out, size, "%s", name);
	} else if (site) {
		sd_code_place_callers(s, site, 1, place, sizeof place);
		snprintf(out, size, "memory allocated in %s", place);
	} else {
		snprintf(out, size, "the line 0x%" PRIx64, l->address);
	}
}

const char *sd_line_memory_bytes(uint64_t mask, unsigned line, char *out, size_t size)
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
