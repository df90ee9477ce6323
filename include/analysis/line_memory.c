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

int sd_line_memory_is_heap(const char *name)
{
	return !name || strncmp(name, "[heap]", 6) == 0 || strncmp(name, "anonymous ", 10) == 0;
}

const char *sd_line_memory_unasked(const struct sd_native_lines *n)
{
	return n->heap_cut    ? "the program asks for more blocks than are kept with who asked"
	       : n->heap_told ? "the memory is of no block that its allocator gave"
	       : n->heap_asked
		       ? "the program told of no block: its allocator is its own, or in itself"
	       : *n->heap_why
		       ? n->heap_why
		       : "this run did not ask for them; one more is asked after a run that finds such "
			 "lines, where a library can be preloaded into the program";
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
		const char *const type = sd_line_memory_is_heap(name) ? strstr(name, " (") : NULL;

		sd_code_place_callers(s, site, 1, place, sizeof place);
		snprintf(out, size, "memory allocated in %s%s", place, type ? type : "");
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
