#include "read/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int decode_line_texts(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, struct sd_source_text *out)
{
	int rc = sd_decode_array(s, at, v, SD_SOURCE_TEXT_COUNT);

	for (size_t i = 0; !rc && i < json_array_size(v); i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		char *text = NULL;

		rc = sd_decode_text(s, &here, json_array_get(v, i), &text);
		if (!rc && strlen(text) > SD_SOURCE_TEXT_BYTES)
			rc = sd_json_path_fault(
				s, &here, "has more than %u bytes", SD_SOURCE_TEXT_BYTES);
		if (!rc)
			rc = sd_texts_add(&out->line, "%s", text);
		free(text);
	}
	return rc;
}

static int decode_place(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_source_text *out)
{
	static const char *const others[] = {"file", "lines", NULL};
	const struct sd_json_path file = {.up = at, .key = "file"},
				  lines = {.up = at, .key = "lines"};
	int rc = sd_decode_fields(s, at, v, &sd_fields_source_lines, others, out);

	if (!rc)
		rc = sd_decode_text(s, &file, json_object_get(v, file.key), &out->file);
	if (!rc)
		rc = decode_line_texts(s, &lines, json_object_get(v, lines.key), out);
	if (!rc && out->line.n && (out->hot < out->first || out->hot - out->first >= out->line.n))
		rc = sd_json_path_fault(s, &lines, "do not have the line %u in them", out->hot);
	return rc;
}

int sd_decode_source_text(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_record *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_SOURCE_TEXT_PLACES);

	if (rc || n == 0)
		return rc;
	out->source = calloc(n, sizeof *out->source);
	if (!out->source)
		return -ENOMEM;
	out->n_source = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = decode_place(s, &here, json_array_get(v, i), &out->source[i]);
	}
	return rc;
}
