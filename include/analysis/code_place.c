#include "analysis/code_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void sd_code_place_text(const struct sd_stacks *s, unsigned node, char *out, size_t size)
{
	const struct sd_frame *f;
	const char *file;

	if (!node || node >= s->n_node || s->node[node].frame >= s->n_frame) {
		snprintf(out, size, "unknown code");
		return;
	}
	f = &s->frame[s->node[node].frame];
	file = f->file < s->n_text ? base_name(s->text[f->file]) : "";
	if (f->function && f->function < s->n_text && f->line)
		snprintf(out, size, "%.300s() %.150s:%u", s->text[f->function], file, f->line);
	else if (f->function && f->function < s->n_text)
		snprintf(out, size, "%.300s()", s->text[f->function]);
	else
		snprintf(out, size, "%.300s+0x%" PRIx64,
			f->module < s->n_text ? base_name(s->text[f->module]) : "", f->offset);
}

/* What called it is the C library's. */
static int is_main(const struct sd_stacks *s, unsigned node)
{
	const unsigned frame = s->node[node].frame;
	const unsigned function = frame < s->n_frame ? s->frame[frame].function : 0;

	return function && function < s->n_text && strcmp(s->text[function], "main") == 0;
}

void sd_code_place_callers(
	const struct sd_stacks *s, unsigned node, unsigned most, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; node && node < s->n_node && i < most && used < size; i++) {
		char place[512];

		sd_code_place_text(s, node, place, sizeof place);
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " <- " : "", place);
		node = is_main(s, node) ? 0 : s->node[node].parent;
	}
}
