#include "read/decode.h"
#include "read/decode_field.h"
#include "read/decode_struct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "write/encode_stacks.h"
#include "base/number.h"

static int decode_stack_texts(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, struct sd_stacks *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_STACKS_NODES);

	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		char *text = NULL;
		unsigned number = 0;

		rc = sd_decode_text(s, &here, json_array_get(v, i), &text);
		if (!rc && strlen(text) > SD_STACKS_TEXT + 3)
			rc = sd_json_path_fault(s, &here,
				"is %zu bytes long, at most %u are possible", strlen(text),
				SD_STACKS_TEXT);
		if (!rc)
			rc = sd_stacks_text(out, text, &number);
		if (!rc && number != i)
			rc = sd_json_path_fault(
				s, &here, "%s", i ? "stands here twice" : "must be \"\": unknown");
		free(text);
	}
	return rc;
}

static int decode_offset(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, uint64_t *out)
{
	if (json_is_integer(v) && json_integer_value(v) >= 0) {
		*out = (uint64_t)json_integer_value(v);
		return 0;
	}
	if (sd_number_u64(json_string_value(v), (uint64_t)INT64_MAX + 1, UINT64_MAX, out) == 0)
		return 0;
	return sd_json_path_fault(s, at, "must be a whole number, from 2^63 on in quotes");
}

static int decode_frame(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	size_t first, struct sd_stacks *out)
{
	const double texts = (double)(out->n_text ? out->n_text : 1) - 1;
	const double most[] = {texts, texts, texts, UINT32_MAX, 3};
	double number[sizeof most / sizeof *most];
	struct sd_frame frame;
	unsigned added = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof most / sizeof *most; i++) {
		const struct sd_json_path here = {.up = at, .index = first + i};

		rc = sd_decode_number(
			s, &here, json_array_get(v, first + i), 0, most[i], 1, &number[i]);
	}
	if (rc)
		return rc;
	frame = (struct sd_frame){.function = (unsigned)number[0],
		.file = (unsigned)number[1],
		.module = (unsigned)number[2],
		.line = (unsigned)number[3],
		.inlined = (unsigned)number[4] & 1,
		.kernel = (unsigned)number[4] >> 1};
	const struct sd_json_path offset = {.up = at, .index = first + 5};
	rc = decode_offset(s, &offset, json_array_get(v, first + 5), &frame.offset);
	if (!rc)
		rc = sd_stacks_frame(out, &frame, &added);
	if (!rc && added != first / SD_STACKS_FRAME_NUMBERS)
		rc = sd_json_path_fault(s, &offset, "ends a frame that stands here twice");
	return rc;
}

/* Lists of so many numbers an element. */
static int check_list(
	const struct sd_source *s, const struct sd_json_path *at, const json_t *v, unsigned numbers)
{
	const int rc = sd_decode_array(s, at, v, (size_t)SD_STACKS_NODES * numbers);

	if (!rc && json_array_size(v) % numbers)
		return sd_json_path_fault(
			s, at, "has %zu numbers, not %u for each", json_array_size(v), numbers);
	return rc;
}

static int decode_node(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	size_t first, struct sd_stacks *out)
{
	const struct sd_json_path parent = {.up = at, .index = first},
				  frame = {.up = at, .index = first + 1};
	unsigned added = 0;
	double up = 0, place = 0;
	int rc;

	if (!out->n_frame)
		return sd_json_path_fault(s, at, "has nodes, but there is no frame");
	/* smaller than its own number: no path has a loop */
	rc = sd_decode_number(
		s, &parent, json_array_get(v, first), 0, (double)out->n_node - 1, 1, &up);
	if (!rc)
		rc = sd_decode_number(s, &frame, json_array_get(v, first + 1), 0,
			(double)out->n_frame - 1, 1, &place);
	if (!rc)
		rc = sd_stacks_node(out, (unsigned)up, (unsigned)place, &added);
	if (!rc && added != first / SD_STACKS_NODE_NUMBERS + 1)
		rc = sd_json_path_fault(s, &frame, "ends a node that stands here twice");
	return rc;
}

int sd_decode_stacks(struct sd_field_in *c, const struct sd_json_path *at, const json_t *v,
	struct sd_stacks *out)
{
	const struct sd_source *const s = c->s;
	static const char *const others[] = {"texts", "frames", "nodes", NULL};
	static const struct sd_fields none = {0};
	const struct sd_json_path texts = {.up = at, .key = "texts"},
				  frames = {.up = at, .key = "frames"},
				  nodes = {.up = at, .key = "nodes"};
	const json_t *const frame = json_object_get(v, frames.key);
	const json_t *const node = json_object_get(v, nodes.key);
	unsigned zero;
	int rc = sd_decode_fields(c, at, v, &none, others, out);

	if (!rc)
		rc = decode_stack_texts(s, &texts, json_object_get(v, texts.key), out);
	if (!rc && json_array_size(json_object_get(v, texts.key)) == 0)
		rc = sd_json_path_fault(s, &texts, "must begin with \"\": unknown");
	if (!rc)
		rc = sd_stacks_text(out, "", &zero); /* the root is there now */
	if (!rc)
		rc = check_list(s, &frames, frame, SD_STACKS_FRAME_NUMBERS);
	for (size_t i = 0; !rc && i < json_array_size(frame); i += SD_STACKS_FRAME_NUMBERS)
		rc = decode_frame(s, &frames, frame, i, out);
	if (!rc)
		rc = check_list(s, &nodes, node, SD_STACKS_NODE_NUMBERS);
	for (size_t i = 0; !rc && i < json_array_size(node); i += SD_STACKS_NODE_NUMBERS)
		rc = decode_node(s, &nodes, node, i, out);
	c->count[SD_FIELD_OF_NODES] = out->n_node;
	c->count[SD_FIELD_OF_TEXTS] = out->n_text;
	return rc == -ENOSPC
		       ? sd_json_path_fault(s, at, "has more than %u of something", SD_STACKS_NODES)
		       : rc;
}
