#include "read/decode.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "write/encode_samples.h"
#include "base/number.h"

static const char *const no_others[] = {NULL};

/* ---- the table of stacks --------------------------------------------------------------------- */

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

int sd_decode_stacks(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_stacks *out)
{
	static const char *const others[] = {"texts", "frames", "nodes", NULL};
	static const struct sd_fields none = {0};
	const struct sd_json_path texts = {.up = at, .key = "texts"},
				  frames = {.up = at, .key = "frames"},
				  nodes = {.up = at, .key = "nodes"};
	const json_t *const frame = json_object_get(v, frames.key);
	const json_t *const node = json_object_get(v, nodes.key);
	unsigned zero;
	int rc = sd_decode_fields(s, at, v, &none, others, out);

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
	return rc == -ENOSPC
		       ? sd_json_path_fault(s, at, "has more than %u of something", SD_STACKS_NODES)
		       : rc;
}

/* ---- what samples said of a run -------------------------------------------------------------- */

/* A node of the record's stacks; 0 is in every record. */
static int decode_node_number(const struct sd_source *s, const struct sd_json_path *up,
	size_t index, const json_t *v, const struct sd_stacks *stacks, unsigned *out)
{
	const struct sd_json_path at = {.up = up, .index = index};
	double d = 0;
	const int rc = sd_decode_number(s, &at, json_array_get(v, index), 0,
		stacks->n_node ? (double)stacks->n_node - 1 : 0, 1, &d);

	*out = (unsigned)d;
	return rc;
}

static int decode_activity(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, enum sd_activity *out)
{
	const char *const name = json_string_value(v);

	for (int i = 0; name && i < SD_ACTIVITY_COUNT; i++)
		if (strcmp(name, sd_activity_info[i].name) == 0) {
			*out = (enum sd_activity)i;
			return 0;
		}
	return sd_json_path_fault(s, at, "\"%.40s\" is no activity", name ? name : "");
}

static int decode_use(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_use *out)
{
	double *const number[] = {&out->seconds, &out->count, &out->longest, &out->solo,
		&out->blame, &out->blame_serial, &out->blame_imbalance, &out->blame_lock,
		&out->spun_serial, &out->spun_imbalance, &out->atomic};
	const size_t n = json_array_size(v);
	const struct sd_json_path activity = {.up = at, .index = 1};
	int rc = sd_decode_array(s, at, v, 2 + sizeof number / sizeof *number);

	if (!rc && n < 2)
		rc = sd_json_path_fault(s, at, "must begin with a node and an activity");
	if (!rc)
		rc = decode_node_number(s, at, 0, v, stacks, &out->node);
	if (!rc)
		rc = decode_activity(s, &activity, json_array_get(v, 1), &out->activity);
	for (size_t i = 2; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = sd_decode_number(s, &here, json_array_get(v, i), 0, DBL_MAX, 0, number[i - 2]);
	}
	if (!rc && n > 2 && *number[n - 3] == 0)
		rc = sd_json_path_fault(s, at, "ends in 0, which is left out");
	return rc;
}

static int decode_uses(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_sampled *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_SAMPLED_ROWS + SD_ACTIVITY_COUNT);

	if (rc || n == 0)
		return rc;
	out->use = calloc(n, sizeof *out->use);
	if (!out->use)
		return -ENOMEM;
	out->n_use = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = decode_use(s, &here, json_array_get(v, i), stacks, &out->use[i]);
	}
	return rc;
}

/* Node and seconds in turn, most first, into lists that lie `step` bytes apart. */
static int decode_lock_stacks(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, const struct sd_stacks *stacks, unsigned *node[SD_LOCK_STACKS],
	double *seconds[SD_LOCK_STACKS])
{
	int rc = sd_decode_array(s, at, v, 2 * SD_LOCK_STACKS);

	if (!rc && json_array_size(v) % 2)
		rc = sd_json_path_fault(s, at, "must have a node and its seconds in turn");
	for (size_t i = 0; !rc && i < json_array_size(v) / 2; i++) {
		const struct sd_json_path here = {.up = at, .index = 2 * i + 1};

		rc = decode_node_number(s, at, 2 * i, v, stacks, node[i]);
		if (!rc)
			rc = sd_decode_number(s, &here, json_array_get(v, 2 * i + 1), DBL_MIN,
				DBL_MAX, 0, seconds[i]);
	}
	return rc;
}

static int decode_lock(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_lock_use *out)
{
	static const char *const others[] = {"holders", "waiters", NULL};
	const struct sd_json_path name = {.up = at, .key = "name"},
				  holders = {.up = at, .key = "holders"},
				  waiters = {.up = at, .key = "waiters"};
	unsigned *node[2][SD_LOCK_STACKS];
	double *seconds[2][SD_LOCK_STACKS];
	int rc = sd_decode_fields(s, at, v, &sd_fields_lock, others, out);

	for (int i = 0; i < SD_LOCK_STACKS; i++) {
		node[0][i] = &out->holder[i].node;
		node[1][i] = &out->waiter[i].node;
		seconds[0][i] = &out->holder[i].seconds;
		seconds[1][i] = &out->waiter[i].seconds;
	}
	if (!rc && out->name >= (stacks->n_text ? stacks->n_text : 1))
		rc = sd_json_path_fault(
			s, &name, "is %u, but there are %zu texts", out->name, stacks->n_text);
	if (!rc)
		rc = decode_lock_stacks(
			s, &holders, json_object_get(v, holders.key), stacks, node[0], seconds[0]);
	if (!rc)
		rc = decode_lock_stacks(
			s, &waiters, json_object_get(v, waiters.key), stacks, node[1], seconds[1]);
	return rc;
}

static int decode_locks(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_sampled *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_SAMPLED_LOCKS);

	if (!rc && n > out->n_lock_seen)
		rc = sd_json_path_fault(
			s, at, "has %zu locks, but only %zu were seen", n, out->n_lock_seen);
	if (rc || n == 0)
		return rc;
	out->lock = calloc(n, sizeof *out->lock);
	if (!out->lock)
		return -ENOMEM;
	out->n_lock = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = decode_lock(s, &here, json_array_get(v, i), stacks, &out->lock[i]);
	}
	return rc;
}

static int decode_bottles(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_sampled *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_SAMPLED_THREADS);

	if (rc || n == 0)
		return rc;
	out->bottle = calloc(n, sizeof *out->bottle);
	if (!out->bottle)
		return -ENOMEM;
	out->n_bottle = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = sd_decode_fields(s, &here, json_array_get(v, i), &sd_fields_bottle, no_others,
			&out->bottle[i]);
	}
	return rc;
}

int sd_decode_sampled(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	const struct sd_stacks *stacks, struct sd_sampled *out)
{
	static const char *const others[] = {"uses", "locks", "bottles", NULL};
	const struct sd_json_path status = {.up = at, .key = "status"},
				  uses = {.up = at, .key = "uses"},
				  locks = {.up = at, .key = "locks"},
				  bottles = {.up = at, .key = "bottles"};
	int rc = sd_decode_fields(s, at, v, &sd_fields_sampled, others, out);

	if (!rc && out->status == SD_STATUS_ABSENT)
		rc = sd_json_path_fault(s, &status, "is absent: then the whole is left out");
	if (!rc)
		rc = decode_uses(s, &uses, json_object_get(v, uses.key), stacks, out);
	if (!rc)
		rc = decode_locks(s, &locks, json_object_get(v, locks.key), stacks, out);
	if (!rc)
		rc = decode_bottles(s, &bottles, json_object_get(v, bottles.key), out);
	return rc;
}
