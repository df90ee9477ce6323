#include "lines_report.h"

#include <inttypes.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void sd_lines_place(const struct sd_stacks *s, unsigned node, char *out, size_t size)
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
