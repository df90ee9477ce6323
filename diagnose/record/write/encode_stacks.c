#include "write/encode_stacks.h"
#include "write/encode_field.h"

#include <errno.h>
#include <inttypes.h>

/* jansson's whole numbers have 63 bits: what needs 64 is a string. */
static int put_offset(FILE *f, uint64_t v)
{
	return fprintf(f, v > INT64_MAX ? "\"%" PRIu64 "\"" : "%" PRIu64, v) < 0 ? -EIO : 0;
}

static int put_frame(FILE *f, const struct sd_frame *frame)
{
	const unsigned flags = (frame->inlined ? 1u : 0u) | (frame->kernel ? 2u : 0u);

	if (fprintf(f, "%u,%u,%u,%u,%u,", frame->function, frame->file, frame->module, frame->line,
		    flags) < 0)
		return -EIO;
	return put_offset(f, frame->offset);
}

int sd_encode_stacks(FILE *f, const struct sd_stacks *s, const struct sd_stacks_count *before)
{
	const size_t first = before->node ? before->node : 1;
	int rc = fputs("{\"texts\":[", f) < 0 ? -EIO : 0;

	for (size_t i = before->text; !rc && i < s->n_text; i++) {
		rc = i > before->text && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : sd_encode_field_text(f, s->text[i]);
	}
	if (!rc && fputs("],\n\"frames\":[", f) < 0)
		rc = -EIO;
	for (size_t i = before->frame; !rc && i < s->n_frame; i++) {
		rc = i > before->frame && fputs(",", f) < 0 ? -EIO : 0;
		rc = rc ? rc : put_frame(f, &s->frame[i]);
	}
	if (!rc && fputs("],\n\"nodes\":[", f) < 0)
		rc = -EIO;
	for (size_t i = first; !rc && i < s->n_node; i++)
		if (fprintf(f, "%s%u,%u", i > first ? "," : "", s->node[i].parent,
			    s->node[i].frame) < 0)
			rc = -EIO;
	return !rc && fputs("]}", f) < 0 ? -EIO : rc;
}
