#include "read/decode_lines.h"

#include <errno.h>
#include <stdlib.h>

static const char *const no_others[] = {NULL};

int sd_decode_list(const struct sd_decode_in *c, const struct sd_json_path *up, const json_t *v,
	const char *key, size_t most, size_t size, sd_decode_element *fill, void **list, size_t *n)
{
	const struct sd_json_path at = {.up = up, .key = key};
	const json_t *array = json_object_get(v, key);
	const size_t count = json_array_size(array);
	int rc = sd_decode_array(c->s, &at, array, most);

	if (rc || count == 0)
		return rc;
	*list = calloc(count, size);
	if (!*list)
		return -ENOMEM;
	*n = count;
	for (size_t i = 0; !rc && i < count; i++) {
		const struct sd_json_path here = {.up = &at, .index = i};

		rc = fill(c, &here, json_array_get(array, i), i, (char *)*list + i * size);
	}
	return rc;
}

int sd_decode_node(
	const struct sd_decode_in *c, const struct sd_json_path *up, const char *key, unsigned node)
{
	const struct sd_json_path at = {.up = up, .key = key};

	if (node == 0 || node < c->stacks->n_node)
		return 0;
	return sd_json_path_fault(
		c->s, &at, "is %u, but there are %zu nodes", node, c->stacks->n_node);
}

int sd_decode_text_number(
	const struct sd_decode_in *c, const struct sd_json_path *up, const char *key, unsigned text)
{
	const struct sd_json_path at = {.up = up, .key = key};

	if (text == 0 || text < c->stacks->n_text)
		return 0;
	return sd_json_path_fault(
		c->s, &at, "is %u, but there are %zu texts", text, c->stacks->n_text);
}

int sd_decode_seen(const struct sd_decode_in *c, const struct sd_json_path *up, const char *key,
	size_t n, size_t seen)
{
	const struct sd_json_path at = {.up = up, .key = key};

	return n <= seen
		       ? 0
		       : sd_json_path_fault(c->s, &at, "are %zu, but only %zu were seen", n, seen);
}

static int fill_sharer(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	const struct sd_json_path thread = {.up = at, .key = "thread"};
	struct sd_sim_sharer *r = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_sharer, no_others, r);

	(void)index;
	if (!rc && r->thread >= c->n_thread)
		rc = sd_json_path_fault(
			c->s, &thread, "is %u, but there are %zu threads", r->thread, c->n_thread);
	return rc;
}

static int fill_code(const struct sd_decode_in *c, const struct sd_json_path *at, const json_t *v,
	size_t index, void *out)
{
	struct sd_sim_code *code = out;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_code, no_others, code);

	(void)index;
	return rc ? rc : sd_decode_node(c, at, "node", code->node);
}

int sd_decode_contested(const struct sd_decode_in *c, const struct sd_json_path *at,
	const json_t *v, const char *const *others, struct sd_sim_contested *l)
{
	void *list = NULL;
	int rc = sd_decode_fields(c->s, at, v, &sd_fields_sim_line, others, l);

	if (!rc)
		rc = sd_decode_text_number(c, at, "name", l->name);
	if (!rc)
		rc = sd_decode_node(c, at, "site", l->site);
	if (!rc)
		rc = sd_decode_node(c, at, "other_site", l->other);
	if (!rc)
		rc = sd_decode_list(c, at, v, "sharers", SD_SIM_SHARERS, sizeof *l->sharer,
			fill_sharer, &list, &l->n_sharer);
	l->sharer = list;
	list = NULL;
	if (!rc)
		rc = sd_decode_list(c, at, v, "codes", SD_SIM_CODES, sizeof *l->code, fill_code,
			&list, &l->n_code);
	l->code = list;
	return rc;
}
