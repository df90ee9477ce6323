#include "read/decode.h"

#include <errno.h>
#include <stdlib.h>

static int decode_experiment(const struct sd_source *s, const struct sd_json_path *at,
	const json_t *v, size_t n_point, struct sd_plan_experiment *out)
{
	static const char *const others[] = {"?cpus", "?skipped", "?unended_s", NULL};
	const struct sd_json_path cpus = {.up = at, .key = "cpus"},
				  skipped = {.up = at, .key = "skipped"},
				  unended = {.up = at, .key = "unended_s"};
	int rc = sd_decode_fields(s, at, v, &sd_fields_experiment, others, out);

	if (!rc && out->point >= n_point)
		rc = sd_json_path_fault(
			s, at, "is of point %zu, but the plan has %zu points", out->point, n_point);
	if (!rc && json_object_get(v, cpus.key))
		rc = sd_decode_cpus(s, &cpus, json_object_get(v, cpus.key), &out->cpus);
	if (!rc && json_object_get(v, cpus.key) && out->cpus.n == 0)
		rc = sd_json_path_fault(s, &cpus, "names no CPU");
	if (!rc && json_object_get(v, skipped.key))
		rc = sd_decode_text(s, &skipped, json_object_get(v, skipped.key), &out->skipped);
	if (!rc && json_object_get(v, unended.key))
		rc = sd_decode_number(
			s, &unended, json_object_get(v, unended.key), 0, 1e9, 0, &out->unended_s);
	return rc;
}

int sd_decode_experiments(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_plan *out)
{
	const size_t n = json_array_size(v);
	unsigned char seen[SD_EXPERIMENT_COUNT] = {0};
	int rc = sd_decode_array(s, at, v, SD_EXPERIMENT_COUNT);

	if (rc || n == 0)
		return rc;
	out->experiment = calloc(n, sizeof *out->experiment);
	if (!out->experiment)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = at, .index = i};
		struct sd_plan_experiment *e = &out->experiment[i];

		out->n_experiment = i + 1;
		rc = decode_experiment(s, &here, json_array_get(v, i), out->n_point, e);
		if (!rc && seen[e->experiment]++)
			rc = sd_json_path_fault(s, &here, "\"%s\" stands here twice",
				sd_experiment_info[e->experiment].name);
	}
	return rc;
}

int sd_decode_tried(const struct sd_source *s, const struct sd_json_path *at, const json_t *v,
	struct sd_run *out)
{
	static const char *const others[] = {"?copies", NULL}, *const none[] = {NULL};
	const struct sd_json_path copies = {.up = at, .key = "copies"};
	const json_t *list = json_object_get(v, copies.key);
	const size_t n = json_array_size(list);
	int rc;

	out->tried = calloc(1, sizeof *out->tried);
	if (!out->tried)
		return -ENOMEM;
	rc = sd_decode_fields(s, at, v, &sd_fields_tried, others, out->tried);
	if (!rc && list)
		rc = sd_decode_array(s, &copies, list, SD_CPU_MAX);
	if (rc || n == 0)
		return rc;
	out->tried->copy = calloc(n, sizeof *out->tried->copy);
	if (!out->tried->copy)
		return -ENOMEM;
	out->tried->n_copy = n;
	for (size_t i = 0; !rc && i < n; i++) {
		const struct sd_json_path here = {.up = &copies, .index = i};

		rc = sd_decode_fields(s, &here, json_array_get(list, i), &sd_fields_copy, none,
			&out->tried->copy[i]);
	}
	return rc;
}
