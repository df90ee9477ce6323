#include "read/decode.h"

#include <errno.h>
#include <stdlib.h>

static const char *const no_others[] = {NULL};

int sd_decode_roles(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_run *out)
{
	const size_t n = json_array_size(v);
	unsigned char seen[SD_ROLE_COUNT] = {0};
	int rc = sd_decode_array(s, at, v, SD_ROLE_COUNT);

	if (rc || n == 0)
		return rc;
	out->role = calloc(n, sizeof *out->role);
	if (!out->role)
		return -ENOMEM;
	out->n_role = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		struct sd_role_count *c = &out->role[i];

		rc = sd_decode_fields(
			s, &here, json_array_get(v, i), &sd_fields_role, no_others, c);
		if (!rc && seen[c->role]++)
			rc = sd_json_path_fault(
				s, &here, "\"%s\" stands here twice", sd_role_name(c->role));
	}
	return rc;
}

static int decode_pass(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan_pass *out)
{
	const size_t n = json_array_size(v);
	unsigned char seen[SD_ROLE_COUNT] = {0};
	int rc = sd_decode_array(s, at, v, SD_ROLE_COUNT);

	if (rc)
		return rc;
	if (n == 0)
		return sd_json_path_fault(s, at, "counts nothing");
	out->role = calloc(n, sizeof *out->role);
	if (!out->role)
		return -ENOMEM;
	out->n_role = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		const char *name = json_string_value(json_array_get(v, i));

		if (sd_role_parse(name, &out->role[i]))
			rc = sd_json_path_fault(s, &here, "\"%.40s\" is no role", name ? name : "");
		else if (seen[out->role[i]]++)
			rc = sd_json_path_fault(s, &here, "\"%.40s\" stands here twice", name);
	}
	return rc;
}

int sd_decode_passes(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan *out)
{
	const size_t n = json_array_size(v);
	int rc = sd_decode_array(s, at, v, SD_ROLE_COUNT);

	if (rc || n == 0)
		return rc;
	out->pass = calloc(n, sizeof *out->pass);
	if (!out->pass)
		return -ENOMEM;
	out->n_pass = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};

		rc = decode_pass(s, &here, json_array_get(v, i), &out->pass[i]);
	}
	return rc;
}
